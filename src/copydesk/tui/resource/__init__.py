"""The generic list of one kind of thing, and its forms."""
