"""The conformance kit: act as the controller for a vendor's client, and cause faults."""
