"""A progressive jackpot controller for linked casino tables."""
