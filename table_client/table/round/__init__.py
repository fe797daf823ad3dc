"""The round engine: one procedure for every game, from the first wager to the discard rack."""
