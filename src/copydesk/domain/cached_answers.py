"""Answers of a service that this machine has cached."""

from __future__ import annotations

from copydesk.domain.late_dataclass import dataclass

NOTHING = "No answers are saved."
"""Said where nothing is cached, on screen and by commands."""


@dataclass(frozen=True, slots=True)
class Kept:
    """The body of an answer as it came, and when that was: seconds since the epoch, this clock."""

    content: bytes
    at: float


@dataclass(frozen=True, slots=True)
class Held:
    """How many answers are kept, their size in bytes, and when the oldest and newest of them came.

    ``desk`` tells whose they are. Times are seconds since the epoch, None where nothing is kept.
    """

    desk: str
    count: int
    size: int
    oldest: float | None = None
    newest: float | None = None


def mebibytes(size: int) -> str:
    """Return a size as people read it."""
    return f"{size / 2**20:,.1f} MiB" if size >= 2**20 // 10 else f"{size / 2**10:,.1f} KiB"
