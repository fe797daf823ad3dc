"""The pure heart: no I/O, no clock, no randomness; it imports nothing from the rest."""
