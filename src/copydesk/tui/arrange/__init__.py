"""Staged rearrangement: the draft, the plan, and sending it."""
