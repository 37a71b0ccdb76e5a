"""Texts that name a key, which a read-only session does not show."""

from __future__ import annotations

from rich.style import Style
from rich.text import Text

_HINT = "hint"


def hint(text: str, style: str = "muted") -> Text:
    """Return a sentence of our own that may name keys (`offered_text`); never for other people's
    text.
    """
    said = Text(text, style=style)
    said.stylize(Style(meta={_HINT: True}))
    return said
