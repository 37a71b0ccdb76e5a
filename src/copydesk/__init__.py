"""copydesk: the terminal desk for people who run documentation."""

__version__ = "0.1.0"
