"""Shufflers, shoes, tables and players that are not there, for tests."""
