"""The games: data and a few small functions each, played by one round engine."""
