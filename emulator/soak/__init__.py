"""Linked tables under load and under faults, audited to the micro while they play."""
