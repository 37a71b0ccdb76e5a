"""Texts of models: pure functions without widgets."""
