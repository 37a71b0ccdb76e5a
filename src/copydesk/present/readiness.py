"""The readiness of a change request, as a line to draw."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text

if TYPE_CHECKING:
    from copydesk.session.readiness import Readiness


def readiness_text(ready: Readiness) -> Text:
    """Return the word in its tone, with the reason."""
    found = Text(ready.word, style=ready.tone)
    if ready.why:
        found.append(f"   {ready.why}", style="" if ready.tone == "warn" else "muted")
    return found
