"""Fixtures every test gets. See ``guard``: no test reaches the real home folder."""

from __future__ import annotations

from guard import home, real_home_unchanged

__all__ = ["home", "real_home_unchanged"]
