"""Scenarios, one module per group of toolchains."""
