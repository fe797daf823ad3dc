"""Emulate what surrounds a controller in tests: shufflers, shoes, tables and players."""
