"""Runs: many requests in order, kept on disk, that stop, resume and roll back."""
