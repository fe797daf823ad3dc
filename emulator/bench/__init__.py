"""How much a controller takes, side by side with an echo, PostgreSQL and a naive controller."""
