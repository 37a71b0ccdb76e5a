"""Writes that survive: the log, sending, undo, recovery, and the outbox."""
