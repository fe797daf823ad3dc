"""The conformance kit: play the controller's part for a vendor's client, and make trouble."""
