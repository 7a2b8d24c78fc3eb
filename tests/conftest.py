"""Properties are never judged by the clock, and in CI they are the same every time."""

import os

from hypothesis import settings

settings.register_profile("calm", deadline=None, derandomize=bool(os.environ.get("CI")))
settings.load_profile("calm")
