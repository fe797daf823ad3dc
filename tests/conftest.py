"""Settings for all tests."""

from hypothesis import settings

# The machine may be busy: an example's time says nothing about the code.
settings.register_profile("default", deadline=None)
settings.load_profile("default")
