"""The `jackpot` command."""
