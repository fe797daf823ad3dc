"""Measure a soak and report on it: as data, as text, as a page, and while it runs."""
