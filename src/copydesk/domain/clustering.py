"""How the embedded desk finds clusters in conversations, as a person sets it."""

from __future__ import annotations

from copydesk.domain.late_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Clustering:
    """``model`` is the folder of an embedding model, ``embed`` a command of one's own that gives
    vectors; with neither, words are compared. ``off``: no clusters are found.
    """

    model: str = ""
    embed: tuple[str, ...] = ()
    off: bool = False
