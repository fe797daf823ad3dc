"""Do a controller harm as strangers might: endless requests, idle connections, resets, reloads."""
