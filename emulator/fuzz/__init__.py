"""Send malformed and unexpected messages, and check that none of them does any harm."""
