"""Everything that was written on this desk and can be taken back, also in earlier runs."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from rich.text import Text
from textual.app import ComposeResult

from copydesk.domain.age import age, moment
from copydesk.domain.text import clean
from copydesk.session.writes.undo import Past
from copydesk.tui.framework.actions import action
from copydesk.tui.framework.keyboard import run
from copydesk.tui.framework.navigation import place
from copydesk.tui.framework.place import Part, Place
from copydesk.tui.framework.read_only import refusal
from copydesk.tui.framework.sources import ListSource
from copydesk.tui.system.undo_commands import look_again, turn
from copydesk.tui.widgets.list import Column, VirtualList
from copydesk.tui.widgets.text import TextView

if TYPE_CHECKING:
    from copydesk.client.api import Api

STATES = {
    "done": ("done", ""),
    "undone": ("undone", "muted"),
    "undoing": ("undo cut off", "warn"),
    "redoing": ("redo cut off", "warn"),
    "open": ("unknown", "warn"),
    "gone": ("gone", "muted"),
    "failed": ("not done", "muted"),
}
"""What is shown of how a write stands, and its tone."""

MEANT = {
    "done": "u takes it back. It is read first: what changed since is not overwritten unasked.",
    "undone": "It was taken back.",
    "undoing": "Taking it back was cut off, and reading did not tell whether it happened. "
    "u reads again, and asks.",
    "redoing": "Doing it again was cut off, and reading did not tell whether it happened. "
    "u reads again, and asks.",
    "open": "It is not known whether it happened. u reads again, and asks.",
    "gone": "What it was about is gone: there is nothing to take back.",
    "failed": "It did not happen: there is nothing to take back.",
}
"""What each state means for the reader."""

CUT = ("undoing", "redoing", "open")


def none_here(here: UndoList) -> str | None:
    """Say so when there is nothing under the cursor."""
    return None if here.rows.selected is not None else "There is nothing to take back."


def not_undoable(here: UndoList) -> str | None:
    """Say why the write under the cursor is not taken back."""
    past = here.rows.selected
    if past is not None and here.session.read_only and not past.reversal.here:
        return refusal(here.session, "undo")
    if past is None or past.standing in ("done", *CUT):
        return None
    if past.standing == "undone":
        return "It was taken back already." + (
            " ctrl+r does it again." if past.reversal.forth else ""
        )
    return MEANT[past.standing]


def not_redoable(here: UndoList) -> str | None:
    """Say why the write under the cursor is not done again."""
    past = here.rows.selected
    if past is None:
        return None
    if here.session.read_only and not past.reversal.here:
        return refusal(here.session, "redo")
    if past.standing != "undone":
        return "Only what was taken back can be done again."
    return None if past.reversal.forth else "What this made is gone: write it anew."


@place("undo", title="Undo")
class UndoList(Place, scope="undo_list"):
    """The writes of this desk that have a way back, newest first."""

    OF_DESK = False
    IN_ORGANIZATION = False

    _groups: Counter[str] = Counter()
    """How many writes each action made."""
    _titles: Mapping[str, str] = {}
    """What the spaces are called that writes were in: numbers are told apart by them."""

    def panes(self) -> ComposeResult:
        """The writes, and what is known of the one under the cursor."""
        self.rows: VirtualList[Past] = VirtualList(
            ListSource(key=lambda past: past.id),
            [
                Column("what", "WHAT", lambda past: clean(past.entry.what), width=18),
                Column(
                    "target", "TARGET", lambda past: clean(past.entry.target), flex=1, minimum=22
                ),
                Column("space", "SPACE", self._space, width=9, drop=1, most=16),
                Column("age", "AGE", self._age, width=6, align="right"),
                Column("state", "STATE", self._state, width=14),
            ],
            title="What can be taken back",
            empty="Nothing was written here that can be taken back.",
            id="undo-list",
        )
        self.text = TextView(title="About it", empty="Nothing is selected.", literal=True)
        yield Part("main", self.rows)
        yield Part("side", self.text)

    def trail(self) -> Iterable[str]:
        yield "Undo"

    def status_right(self) -> str:
        """Say nothing of the last write: here u is about the one under the cursor."""
        return ""

    def _age(self, past: Past) -> Text:
        return Text(age(past.entry.moment, self.session.clock()), style="muted")

    def reload(self) -> None:
        """Read the journal, which other runs of copydesk write too."""
        self.load("journal", lambda api: self._read(), self._came, what="Reading", local=True)

    def _came(self, nothing: None) -> None:
        self.show()
        spaces = {_space_of(past) for past in self.session.history.known.values()} - {""}
        if spaces - self._titles.keys():
            self.load("spaces", lambda api: self._names(api, spaces), self._named, what="Reading")

    async def _names(self, api: Api, ids: Iterable[str]) -> Mapping[str, str]:
        from copydesk.client.errors import ApiError
        from copydesk.session.reads.change_requests import Spaces

        spaces = Spaces()
        # What is gone or out of sight has no name here.
        with suppress(ApiError):
            await spaces.learn(api, self.session.organization or "", ids)
        return {space: spaces.title(space) for space in ids}

    def _named(self, titles: Mapping[str, str]) -> None:
        self._titles = titles
        self.show()

    def _state(self, past: Past) -> Text:
        """Return how it stands; of an action that wrote several, how many of them stand so."""
        word, tone = STATES[past.standing]
        text, count = Text(word, style=tone), self._groups[past.entry.group]
        if past.entry.group and count > 1 and past.standing in ("done", "undone"):
            alike = len(self.session.history.with_group(past))
            text.append(f" {alike}/{count}", style="muted")
        return text

    def _space(self, past: Past) -> Text:
        return Text(self._titles.get(_space_of(past), ""), style="muted")

    def poll(self) -> None:
        """Read nothing: what is written here shows at once."""

    def on_screen_resume(self) -> None:
        """Show what was written meanwhile."""
        super().on_screen_resume()
        if self.asked_at is not None:
            self.show()

    async def _read(self) -> None:
        entries = await asyncio.to_thread(self.session.journal.entries)
        self.session.history.learn(entries)

    def show(self) -> None:
        """Show how everything stands now."""
        source = self.rows.source.base
        assert isinstance(source, ListSource)
        known = self.session.history.known.values()
        self._groups = Counter(past.entry.group for past in known)
        # The numbers keep the order of writes that began in the same second.
        source.merge(sorted(known, key=lambda p: (p.entry.at, p.number), reverse=True))
        source.fold()
        source.fresh.clear()
        self.rows.refresh_rows()
        self._look()
        self.refresh_frame()

    def _look(self) -> None:
        past = self.rows.selected
        self.text.set_text("" if past is None else self._about(past))

    def _about(self, past: Past) -> str:
        entry = past.entry
        here = "in this run" if entry.run == self.session.journal.run else "in an earlier run"
        space = self._titles.get(_space_of(past), "")
        lines = [
            f"**{clean(entry.what)}** {clean(entry.target)}" + (f" in {space}" if space else ""),
            f"{moment(past.entry.moment, self.session.clock())}, {here}",
            MEANT[past.standing],
        ]
        if entry.group:
            count = self._groups[entry.group]
            said = f"Written with others of one action: {count} in this list. u asks which."
            lines.append(said)
        if past.reversal.before is None and past.reversal.still is None:
            lines.append("There is nothing to read first: it is taken back as it is.")
        return "\n\n".join(lines)

    def on_virtual_list_highlighted(self, event: VirtualList.Highlighted) -> None:
        """Show what is known of it."""
        self._look()
        self.frame_soon()

    def on_virtual_list_opened(self, event: VirtualList.Opened) -> None:
        """Take it back, or do it again."""
        past = self.rows.selected
        if past is not None:
            name = "redo" if past.standing == "undone" else "undo"
            self.call_later(run, self, self.ACTIONS[name])

    def turned(self, results: Sequence[Any]) -> None:
        """Show how it stands now."""
        self.show()

    def requeued(self) -> None:
        """Show how it stands now."""
        self.show()

    @action("u", "undo this", unless=(none_here, not_undoable), show=12, override=True)
    async def undo(self) -> None:
        """Take back the write under the cursor, if it is still as it was left; else it asks.

        Of an action that wrote several, also in an earlier run, all that are left can be taken
        back at once.
        """
        past = self.rows.selected
        if past is None:
            return
        if past.standing in CUT:
            await look_again(self, past)
        else:
            pasts = await self._which(past, "Take back")
            if len(pasts) > 1:  # the whole action: what waits of it is not sent after that
                waiting = self.session.waiting_of(past.entry.group)
                pasts = [*await self.session.ways_out(waiting), *pasts]
            await turn(self, pasts)

    async def _which(self, past: Past, verb: str) -> Sequence[Past]:
        """Ask whether the whole action is meant, where more of it stands like this write."""
        from copydesk.session.options import Option
        from copydesk.tui.dialogs.choice import Choice

        group = self.session.history.with_group(past)
        if len(group) < 2:
            return [past]
        kinds = {each.entry.what for each in group}
        what = f"{kinds.pop()} {len(group)}" if len(kinds) == 1 else f"{len(group)} writes"
        options = [
            Option("all", f"All of one action: {clean(what)}"),
            Option("one", f"Only {clean(past.entry.what)} {clean(past.entry.target)}"),
        ]
        chosen = await self.desk.push_screen_wait(Choice(verb, options))
        return group if chosen == "all" else [past] if chosen else []

    @action(
        "ctrl+r", "redo this", unless=(none_here, not_redoable), show=11, also=("Z",), override=True
    )
    async def redo(self) -> None:
        """Do the write under the cursor again, if it is as it was before; else it asks."""
        past = self.rows.selected
        if past is not None:
            await turn(self, (await self._which(past, "Do again"))[::-1], again=True)


def _space_of(past: Past) -> str:
    """Return the id of the space that a write was in; empty when it was in none.

    Who moves, changes or deletes a space writes in none: it is what the write is about.
    """
    found = (
        step.arguments.get("space_id")
        for step in past.reversal.back
        if not step.operation.endswith("_space")
    )
    return next((each for each in found if isinstance(each, str)), "")
