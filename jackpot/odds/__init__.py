"""Exact probabilities and returns from the same rules."""
