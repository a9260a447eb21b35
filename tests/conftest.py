"""Fixtures every test gets, and how Hypothesis looks for examples. See ``guard``: no test reaches the real home folder.

How long an example takes says something about the machine, so no test fails for it. The same tree gives the same
answer: examples follow from the test's own text. ``pytest --hypothesis-profile=explore`` looks for new ones.
"""

from __future__ import annotations

from hypothesis import HealthCheck, settings

from guard import home, real_home_unchanged

__all__ = ["home", "real_home_unchanged"]

settings.register_profile("explore", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("build", settings.get_profile("explore"), derandomize=True)
settings.load_profile("build")
