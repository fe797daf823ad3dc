"""A table that plays: rounds, games, players and cards, on top of the client."""
