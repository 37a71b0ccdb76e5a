"""Conversations, issues and clusters."""
