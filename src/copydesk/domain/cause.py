"""What a request is sent for: the actions of the user that led to it, the screen, and how urgent.

It follows tasks as context variables do, so that whoever sends needs not be told.
"""

from __future__ import annotations

from contextvars import ContextVar
from enum import IntEnum
from typing import NamedTuple

CAUSE: ContextVar[tuple[str, ...]] = ContextVar("cause", default=())
"""The ids of the actions that led to the work under way, the first one first."""


class Why(IntEnum):
    """Why a request is sent. Where some have to wait, those of the smaller number go first."""

    KEY = 0
    """Somebody asked for it, by a key or a command."""
    OUTBOX = 1
    """It waited in the outbox: somebody wrote it earlier."""
    VISIBLE = 2
    """It fills a list or a text on screen."""
    AHEAD = 3
    """It may be wanted next."""
    POLLING = 4
    """It looks whether something has changed."""


class Asker(NamedTuple):
    """For which screen a request is sent ("" for none), and why."""

    screen: str = ""
    why: Why = Why.KEY


NOBODY = Asker()

ASKER: ContextVar[Asker] = ContextVar("asker", default=NOBODY)
"""Who asked for the work under way."""
