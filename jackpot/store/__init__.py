"""Journals that keep what happened, durably and in order."""
