"""The pages over HTTP: what is served, to whom, and how it looks."""
