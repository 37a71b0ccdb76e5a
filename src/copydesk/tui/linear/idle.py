"""Whether nothing is under way, so that what is told then holds."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from time import monotonic
from typing import TYPE_CHECKING, Any, TypeVar

from copydesk.session.declarations import actions
from copydesk.tui.dialogs.dialog import Sheet
from copydesk.tui.framework.place import Place
from copydesk.tui.widgets.list import VirtualList
from copydesk.tui.widgets.text import TextView

if TYPE_CHECKING:
    from copydesk.tui.framework.desk_app import DeskApp

T = TypeVar("T")

LOOK_SECONDS = 0.02
"""How often it is looked whether anything is under way."""

QUIET = 3
"""How often in a row nothing is under way before that is believed: messages may be on their way."""

TURNS = 20
"""How often the event loop runs between two looks, at least: what a key does goes from message to
message, and a machine under load comes to few of them in the time."""

PATIENCE_SECONDS = 30.0
"""For how long is waited before who listens is told, and asked for a line all the same; they are
told again each time that so much more has passed.
"""

STILL = "This is still under way. An empty line looks again."


async def settled(
    app: DeskApp,
    say: Callable[[str], None],
    starts: Callable[[], bool],
    steps: Callable[[], None] = lambda: None,
) -> None:
    """Wait until nothing is under way; say so where that takes long, and wait no longer.

    ``starts``: whether the program is not all there yet. ``steps`` tells how far the work is.
    """
    quiet, until = 0, monotonic() + PATIENCE_SECONDS
    while app.is_running and quiet < QUIET:
        await asyncio.sleep(LOOK_SECONDS)
        for _ in range(TURNS):
            await asyncio.sleep(0)
        quiet = 0 if starts() or under_way(app) else quiet + 1
        if not quiet:
            steps()
        if monotonic() > until:
            say(STILL)
            return


async def coming(app: DeskApp, line: Awaitable[T], say: Callable[[str], None]) -> T:
    """Return what is waited for; say now and then meanwhile that something is still under way."""
    awaited = asyncio.ensure_future(line)
    try:
        while not awaited.done():
            await asyncio.wait((awaited,), timeout=PATIENCE_SECONDS)
            if not awaited.done() and under_way(app):
                say(STILL)
        return await awaited
    finally:
        awaited.cancel()


def under_way(app: DeskApp) -> bool:
    """Whether anything is read, written or opened: what can still be recalled waits for nobody."""
    if not app.screen_stack:
        return True
    front, session, keyboard = app.screen, app.session, app.keyboard
    if isinstance(front, Sheet) and front.seen_at is None:
        return True
    if session.writes.writing and not session.writes.waits:
        return True
    if keyboard.early.task is not None or keyboard.early.going:
        return True
    if keyboard.ahead.opening is not None and not isinstance(front, Sheet):
        return True  # what it asks before its field wants an answer
    here = app.here
    if isinstance(here, Place) and (here.reads.loads or here.unread_yet):
        return True
    if any(
        worker.is_running
        and worker.node is front
        and worker.name in actions().all
        and not session.writes.waits_for(worker)
        for worker in app.workers
    ):
        return True
    reads = (
        reading
        for screen in app.screen_stack
        if isinstance(screen, Place | Sheet)
        for pane in screen.query("Pane")
        for reading in _reads_of(pane)
    )
    return any(task is not None and not task.done() for task in reads)


def _reads_of(pane: object) -> Sequence[asyncio.Future[Any] | None]:
    if isinstance(pane, TextView):
        return [pane.running]
    if isinstance(pane, VirtualList):
        return [getattr(each, "running", None) for each in (pane.source, pane.source.base)]
    return []
