"""Merging: the dialog, its rules and conflicts, and the run of many."""
