"""Hearing of a write before it is sent, so that it can be put on the disk as it goes over the wire.

    with noting(keep_it):
        await api(ops.create_space_comment, space, body)

``keep_it`` is awaited with the finished request and may refuse by raising: then nothing is sent.
What was noted is sent again, later or by another run of the program, by ``Api.again``.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from copydesk.client.request import Outgoing

Note = Callable[[Outgoing], Awaitable[None]]
"""Awaited before a write goes out, once for each: not again when the client repeats it."""

NOTED: ContextVar[Note | None] = ContextVar("noted", default=None)
"""Who hears of writes here. It follows tasks, as context variables do."""


@contextmanager
def noting(note: Note) -> Iterator[None]:
    """Let ``note`` hear of every write of this block, and of tasks begun in it."""
    token = NOTED.set(note)
    try:
        yield
    finally:
        NOTED.reset(token)
