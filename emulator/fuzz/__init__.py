"""Send messages that nobody should, and see that none of them does any harm."""
