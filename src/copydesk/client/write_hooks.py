"""Notes of writes before they are sent, so that they are on the disk as they go over the wire.

    with noting(keep_it):
        await api(ops.create_space_comment, space, body)

``keep_it`` is awaited with the finished request and may refuse by raising: then nothing is sent.
``Api.again`` sends a noted request again, later or in another run of the program.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from copydesk.client.request import Outgoing

Note = Callable[[Outgoing], Awaitable[None]]
"""Awaited once before each write, not again for a retry."""

NOTED: ContextVar[Note | None] = ContextVar("noted", default=None)
"""The current note. It follows tasks, as context variables do."""


@contextmanager
def noting(note: Note) -> Iterator[None]:
    """Call ``note`` before every write of this block, and of tasks begun in it."""
    token = NOTED.set(note)
    try:
        yield
    finally:
        NOTED.reset(token)
