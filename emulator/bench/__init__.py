"""All benchmarks: what a controller takes, what it costs, and how far it goes."""
