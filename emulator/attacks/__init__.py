"""Attack a controller as abusive clients would: endless requests, idle connections, resets."""
