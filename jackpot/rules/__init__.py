"""The regulations as cited data, and how hands are ranked."""
