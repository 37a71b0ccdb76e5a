"""Integrations, OpenAPI specifications, translations, and agent instructions."""
