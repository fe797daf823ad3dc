"""What the state forgets and people still look at: past rounds and meters over time."""
