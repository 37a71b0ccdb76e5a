"""Parts of texts that many screens share: facts, and hints with keys."""

from __future__ import annotations

from typing import NamedTuple

from rich.style import Style
from rich.text import Text


class Fact(NamedTuple):
    """One fact: its label (empty for a line of its own) and its text."""

    label: str
    text: Text | str


HINT = "hint"
"""What marks a part of a text as a hint, in the `meta` of its style."""


def hint(text: str, style: str = "muted") -> Text:
    """Return a sentence of our own that may name keys (`offered_text`); never for other people's
    text.
    """
    said = Text(text, style=style)
    said.stylize(Style(meta={HINT: True}))
    return said
