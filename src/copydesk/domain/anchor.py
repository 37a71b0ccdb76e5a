"""Which line of a page a thread is about: an anchor that goes with the line wherever it moves.

The API lets a comment name a node of a page and says nothing of how Markdown lines are nodes. A
thread on a line is anchored by what the line says, not by where it stands: lines put in above it,
and the page moving elsewhere, leave the thread in place. When the line itself is edited or removed
the thread is on text that is gone, and the anchor still holds what it said.

An anchor reads ``line:<digest>:<nth>:<start of the line>``: the digest of the line with its blanks
evened out, how many equal lines stand above it, and up to ``QUOTE`` characters for people to read.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2s

QUOTE = 80
"""Characters of the line that are kept in its anchor."""

_PREFIX = "line:"


def anchor(lines: Sequence[str], at: int) -> str | None:
    """Return the anchor of a line; None for a blank one, for many are alike."""
    said = _even(lines[at])
    if not said:
        return None
    nth = sum(1 for line in lines[:at] if _even(line) == said)
    return f"{_PREFIX}{_digest(said)}:{nth}:{said[:QUOTE]}"


def anchor_of_quote(text: str, quote: str) -> str:
    """Return the anchor of the first line of a text that holds ``quote``.

    Raises ``ValueError`` when no line does.
    """
    lines = text.splitlines()
    for at, line in enumerate(lines):
        if quote in line and (found := anchor(lines, at)) is not None:
            return found
    raise ValueError(f"no line says {quote!r}")


def is_anchor(node: str) -> bool:
    """Whether a node id is an anchor of a line; others belong to the service."""
    return node.startswith(_PREFIX) and node.count(":") >= 3


def quoted(node: str) -> str:
    """Return the start of the line that an anchor is about; empty for other node ids."""
    return node.split(":", 3)[3] if is_anchor(node) else ""


class AnchoredLines:
    """The lines of a text, found by their anchors. Made once per text, in time linear to it."""

    def __init__(self, lines: Sequence[str]) -> None:
        self._places: dict[str, list[int]] = {}
        for at, line in enumerate(lines):
            if said := _even(line):
                self._places.setdefault(_digest(said), []).append(at)

    def find(self, node: str, *, exact: bool = False) -> int | None:
        """Return the place of the line of an anchor, counted from 0, or None when it is gone.

        Where fewer equal lines are left than there were, it is the last of them, or, if it is to be
        ``exact``, none.
        """
        if not is_anchor(node):
            return None
        _, digest, nth, _ = node.split(":", 3)
        places = self._places.get(digest)
        if not places:
            return None
        wanted = int(nth) if nth.isdecimal() and len(nth) < 10 else 0
        if exact and wanted >= len(places):
            return None
        return places[min(wanted, len(places) - 1)]


def _even(line: str) -> str:
    return " ".join(line.split())


def _digest(said: str) -> str:
    return blake2s(said.encode("utf-8", "surrogatepass"), digest_size=6).hexdigest()
