"""Parts of texts that many screens share: facts, hints with keys, the readiness of a request."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from rich.style import Style
from rich.text import Text

if TYPE_CHECKING:
    from copydesk.session.change_rows import Readiness


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


def readiness_text(ready: Readiness) -> Text:
    """Return the word in its tone, with the reason."""
    found = Text(ready.word, style=ready.tone)
    if ready.why:
        found.append(f"   {ready.why}", style="" if ready.tone == "warn" else "muted")
    return found
