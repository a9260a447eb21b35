"""Measurements: ratios against peers and floors, never absolute promises."""
