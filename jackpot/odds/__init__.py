"""Exact probabilities and returns, counted from the same rules that the controller pays by."""
