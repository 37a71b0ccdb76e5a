"""Parts of texts that many screens share: facts, and hints with keys."""

from __future__ import annotations

from typing import NamedTuple

from rich.style import Style
from rich.text import Text


class Fact(NamedTuple):
    """One fact: its label (empty for a line of its own) and its text."""

    label: str
    text: Text | str


_HINT = "hint"


def hint(text: str, style: str = "muted") -> Text:
    """Return a sentence of our own that may name keys (`offered_text`); never for other people's
    text.
    """
    said = Text(text, style=style)
    said.stylize(Style(meta={_HINT: True}))
    return said
