"""Texts that name a key, which a session that only reads does not show."""

from __future__ import annotations

from rich.style import Style
from rich.text import Text

_HINT = "hint"


def hint(text: str, style: str = "muted") -> Text:
    """Return a sentence of our own that may name keys (`offered_text`); nobody else's words."""
    said = Text(text, style=style)
    said.stylize(Style(meta={_HINT: True}))
    return said
