"""What a table runs to take part in a progressive."""
