"""The terminal: places, widgets, and one declaration per user action. Only it knows Textual."""
