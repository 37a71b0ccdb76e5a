"""Sending one write out of the outbox because a person says so, and asking where that is needed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text

from copydesk.domain.text import clean
from copydesk.session.errors import UNKNOWN
from copydesk.tui.dialogs.dialog import Confirm

if TYPE_CHECKING:
    from copydesk.local.journal import Entry
    from copydesk.tui.framework.desk_app import DeskApp

STAYS = "It stays in the outbox (g x)."


async def send_waiting(app: DeskApp, entry_id: str) -> None:
    """Send what waits under an id, also if the thing was changed since, and say what came of it.

    It is looked for first: what is there already is not sent again. Where reading does not tell
    whether it arrived, it asks.
    """
    outbox = app.session.outbox
    said = await outbox.send(entry_id, anyway=True, tell=False)
    left = outbox.items.get(entry_id)
    if left is not None and left.state == "unknown" and not app.session.offline:
        if await _is_sure(app, left):
            said = await outbox.send(entry_id, anyway=True, sure=True, tell=False)
            left = outbox.items.get(entry_id)
        else:
            said = f"Not sent. {STAYS}"
    if app.here is not None:
        app.here.tell(said or STAYS, "good" if left is None else "warn")


async def _is_sure(app: DeskApp, entry: Entry) -> bool:
    return await confirm_again(
        app,
        clean(entry.what),
        entry.target,
        f"{UNKNOWN}: the try at {entry.moment.astimezone():%H:%M} had no answer.",
        "Reading does not show it by now. Look first whether it is there.",
    )


async def confirm_again(app: DeskApp, what: str, target: str, *said: str) -> bool:
    """Ask whether to send what may have arrived, which could then be there twice."""
    sheet = Confirm(
        f"Send again: {what}",
        [Text(clean(target), style="strong"), "", *said],
        verb="send again",
        warning="If it did arrive, it may then be there twice.",
    )
    sure: bool | None = await app.push_screen_wait(sheet)
    return sure is True
