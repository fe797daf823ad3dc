"""Play the tables of a soak, their players and their staff."""
