"""Dialogs: questions, choices, forms, the composer, and bulk runs."""
