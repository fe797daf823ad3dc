"""Play linked tables under load and under faults, and audit them to the micro."""
