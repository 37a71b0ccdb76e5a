"""The list of change requests."""
