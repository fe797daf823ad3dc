"""Push what changes to every browser that watches it."""
