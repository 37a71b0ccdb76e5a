"""Screens and commands of the program itself: help, palette, undo, outbox, drafts, account."""
