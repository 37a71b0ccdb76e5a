"""What a request is sent for: the actions of the user that led to it, for the log.

It follows tasks as context variables do, so that whoever sends needs not be told.
"""

from __future__ import annotations

from contextvars import ContextVar

CAUSE: ContextVar[tuple[str, ...]] = ContextVar("cause", default=())
"""The ids of the actions that led to what is being done, the first one first."""
