"""What is kept on this machine of an answer of a service."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Kept:
    """The body of an answer as it came, and when that was: seconds since the epoch, this clock."""

    content: bytes
    at: float
