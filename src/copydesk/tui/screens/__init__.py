"""The places: one module each, imported when first needed (see `copydesk.tui.places`)."""
