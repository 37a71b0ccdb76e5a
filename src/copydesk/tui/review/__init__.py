"""The review of one change request."""
