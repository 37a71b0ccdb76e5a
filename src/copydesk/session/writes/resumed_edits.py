"""Going on with an edit that was not sent yet: the next one begins with its words.

One that waits in the outbox is replaced by the next, so that one write goes and says all.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from copydesk.session.errors import NotDoneError

if TYPE_CHECKING:
    from copydesk.local.journal import Entry
    from copydesk.session.session import Session

GOES_ON = "An edit of it waits in the outbox: this goes on with it, and takes its place."
"""Said where a field opens with the words of what waits."""

REPLACED = "Another edit took its place."


@contextmanager
def going_on(session: Session, draft: str) -> Iterator[Entry | None]:
    """Give the newest edit from a draft that waits to be sent, and keep it from going meanwhile.

    None where there is none, or a person has to decide on it first.
    """
    mine = (
        entry
        for entry in reversed(session.outbox.items.values())
        if entry.draft == draft and entry.text and entry.state == "queued" and not entry.held
    )
    entry = next(mine, None)
    if entry is None:
        yield None
        return
    with session.outbox.editing(entry.id):
        yield entry


def unsent(session: Session, draft: str) -> str:
    """Return the text of the newest edit from a draft that is sent just now, or is about to be."""
    lines = (line for line in reversed(session.log) if line.draft == draft)
    return next((line.text or "" for line in lines if line.state in ("waiting", "sending")), "")


async def replace(session: Session, entry: Entry | None) -> None:
    """Take an edit out of the outbox whose words are in another one by now.

    Raises `NotDoneError` where that cannot be, and ``OSError``: it is sent all the same then.
    """
    if entry is None:
        return
    try:
        await session.outbox.drop(entry.id, said=REPLACED)
    except NotDoneError:
        if entry.id in session.outbox.items:
            raise
