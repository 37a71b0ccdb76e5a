"""The palette: every action and place that can be used here, found by a few letters."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial
from typing import TYPE_CHECKING

from copydesk.session.options import Option
from copydesk.tui.dialogs.choice import Choice
from copydesk.tui.framework.actions import actions_of
from copydesk.tui.framework.keyboard import keys_of, run
from copydesk.tui.framework.keys import shown
from copydesk.tui.framework.navigation import ENTRIES
from copydesk.tui.framework.read_only import away

if TYPE_CHECKING:
    from copydesk.tui.framework.desk_app import DeskApp

Act = Callable[[], Awaitable[None]]


def offers(app: DeskApp) -> list[tuple[Option, Act]]:
    """Return what the palette offers: what is not off, then the places; movement has its keys."""
    keyboard = app.keyboard
    found: list[tuple[Option, Act]] = []
    seen: set[str] = set()
    chain = keyboard.chain()
    for level, action in actions_of(chain):
        keys, owner = keys_of(action, keyboard.keymap), chain[level]
        if action.group == "Move" or keys[0] in seen or away(app.session, action):
            continue
        if action.reason(owner) is not None:
            continue
        seen.add(keys[0])
        title = f"{action.label[:1].upper()}{action.label[1:]}: {action.summary}"
        found.append((Option(action.id, title, shown(keys[0])), partial(run, owner, action)))
    for entry in ENTRIES.values():
        keys = keys_of(entry.action, keyboard.keymap)
        note = shown(keys[0]) if keys else f":{entry.name}"
        found.append(
            (Option(entry.action.id, f"Go to {entry.title}", note), partial(app.go, entry.name))
        )
    return found


async def open_palette(app: DeskApp) -> None:
    """Let the user choose, and do it."""
    offered = {option.id: (option, act) for option, act in offers(app)}
    chosen = await app.push_screen_wait(
        Choice("What to do", [option for option, _ in offered.values()], wide=True)
    )
    if chosen is not None:
        await offered[chosen][1]()
