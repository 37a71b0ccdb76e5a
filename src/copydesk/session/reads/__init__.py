"""Composite reads: several requests that make what one screen shows."""
