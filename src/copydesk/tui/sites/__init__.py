"""Sites: their list, structure, readers, visitor attributes and settings."""
