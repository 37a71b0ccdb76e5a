"""The staged changes of a place: steps, the requests that make them, the text on this machine."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any

from textual.timer import Timer

from copydesk.domain.arrangement import Arrangement, Rebased, StagingError
from copydesk.domain.layout import Layout
from copydesk.domain.text import plural
from copydesk.local.drafts import field_of
from copydesk.session.errors import NotDoneError
from copydesk.tui.arrange.cells import EMPTY, kept_lines
from copydesk.tui.framework.workers import begin

if TYPE_CHECKING:
    from copydesk.domain.arrange_run import ArrangeRun
    from copydesk.domain.call import Call
    from copydesk.tui.arrange.place import ArrangingPlace
    from copydesk.tui.framework.base_app import Here

KEEP_SECONDS = 0.5
"""How long after the last step the draft is saved: no key waits for the disk."""

PLAN_SECONDS = 0.1
"""How long after the last step a long plan is worked out: no key waits for it."""

LONG = 400
"""From how many rows on a plan counts as long."""

UNREADABLE = "unreadable "
"""Begins the key of a draft that cannot be read."""


def plan_of(arrangement: Arrangement) -> Sequence[Call]:
    """Return the requests that make the staged changes."""
    return arrangement.calls() if arrangement.dirty else ()


class StagedDraft:
    """The staged changes of a place, and their draft under its `draft_key`."""

    def __init__(self, here: ArrangingPlace[Any]) -> None:
        self.here = here
        self.arrangement: Arrangement = Arrangement.on(EMPTY)
        """The published order, and the changes staged on it."""
        self.calls: Sequence[Call] = ()
        """The requests that make the staged changes, once they are worked out."""
        self._planned: Arrangement | None = None
        """The arrangement that they are for."""
        self._planning: Timer | None = None
        self._staged_after = 0
        """How many writes there were when the last step was staged."""
        self._write_undone = False
        """Whether a write was taken back later than any staged step."""
        self._on_disk = ""
        """The text that was saved last, or is being saved."""
        self._told = ""
        """The last message on whether it could be saved."""
        self._keeping: Timer | None = None

    # Steps

    def stage(self, change: Callable[[Arrangement], Arrangement]) -> bool:
        """Stage a change; False when it cannot be, and then that is said."""
        try:
            if (why := self.here.beyond) and not self.here.rows.marks:
                raise StagingError(why)
            arrangement = self.here.allowed(change(self.arrangement))
        except StagingError as stuck:
            self.here.say(str(stuck), "warn")
            return False
        self.staged(arrangement)
        return True

    def stage_or_refuse(self, change: Callable[[], Arrangement]) -> None:
        """Stage something from a sheet; where it cannot be, the sheet says why and stays."""
        try:
            self.staged(self.here.allowed(change()))
        except StagingError as stuck:
            raise NotDoneError(str(stuck)) from stuck

    def staged(self, arrangement: Arrangement) -> None:
        """Take over another arrangement, show it, and save it soon."""
        if arrangement is self.arrangement:
            return
        cursor = self.here.rows.selected_id
        self._staged_after, self._write_undone = len(self.here.session.log), False
        self.arrangement = arrangement
        self.keep_soon()
        self.here.show_arrangement(cursor)

    @property
    def step_is_newest(self) -> bool:
        """Whether a staged step is what ``u`` takes back: it came after all that was sent."""
        line = self.here.session.reversals.undoable()
        newer = line is not None and line.number > self._staged_after
        return bool(self.arrangement.past) and not newer and not self.here.session.writes.waits

    @property
    def step_is_undone(self) -> bool:
        """Whether a staged step is what ``ctrl+r`` does again."""
        later = self._write_undone and self.here.session.reversals.redoable()
        return bool(self.arrangement.future) and not later

    def writes_undone(self, before: int) -> None:
        """Take note of whether writes were taken back since there were ``before``."""
        self._write_undone = self._write_undone or len(self.here.session.log) > before

    def title_of(self, row: str) -> str:
        """Return the title of a row."""
        for layout in (self.arrangement.now, self.arrangement.base):
            if row in layout.items:
                return layout.items[row].title
        return "another"

    # The requests

    def plan(self) -> None:
        """Work out the requests; those of a long order once no step followed for a moment."""
        if self._planning is not None:
            self._planning.stop()
            self._planning = None
        if len(self.arrangement.now.items) < LONG:
            self.requests()
        elif self._planned is not self.arrangement:
            self._planning = self.here.set_timer(PLAN_SECONDS, self._plan_later)

    def _plan_later(self) -> None:
        begin(self.here, self._plan_apart, self.arrangement, group="plan", exclusive=True)

    async def _plan_apart(self, arrangement: Arrangement) -> None:
        """Work out a long plan in a thread, and show it."""
        calls = await asyncio.to_thread(plan_of, arrangement)
        if arrangement is self.arrangement:
            self._planning = None
            self._planned, self.calls = arrangement, calls
            self.here.draw()

    def requests(self) -> Sequence[Call]:
        """Return the requests that make the staged changes; works them out if need be."""
        if self._planned is not self.arrangement:
            self._planned, self.calls = self.arrangement, plan_of(self.arrangement)
        return self.calls

    @property
    def note(self) -> str:
        """How much is staged, for the breadcrumb; empty when nothing is."""
        return f"{len(self.calls)} staged" if self.calls else ""

    # Keeping

    def keep_soon(self) -> None:
        """Save the draft once no step followed for a moment."""
        if self.here.keeps():
            return
        if self._keeping is not None:
            self._keeping.stop()
        self._keeping = self.here.set_timer(KEEP_SECONDS, self.keep_due)

    def keep_due(self) -> None:
        """Save the draft once it is planned, also one that another window has dropped."""
        if self._planning is not None:
            self.keep_soon()
            return
        if self._on_disk and self.here.session.drafts.own_text(self.here.draft_key) is None:
            self._on_disk = ""
        self.keep_now()

    def keep_now(self) -> None:
        """Save the draft, or drop it when nothing is staged."""
        if self.here.keeps():
            return
        if self._keeping is not None:
            self._keeping.stop()
            self._keeping = None
        text = ""
        if self.arrangement.dirty:
            text = self.arrangement.to_text(kept_lines(self.requests()))
        if text != self._on_disk:
            self._on_disk = text
            self.here.session.drafts.save(self.here.draft_key, text, self._tell_kept)

    def _tell_kept(self) -> None:
        """Say once that the disk refused it, or that another window staged something too."""
        if not self.here.is_attached:
            return
        said = self.here.session.drafts.shared(self.here.draft_key)
        if self._unkept:
            said = f"Staged here, but not kept on disk: {self._unkept}."
        if said and (self._unkept or said != self._told):
            self.here.say(said, "warn")
        self._told = said

    @property
    def _unkept(self) -> str:
        """Why the draft is in memory only; empty when it is on the disk."""
        return self.here.session.drafts.refused(self.here.draft_key)

    def leave(self) -> None:
        """Save the draft before another place is in front, and say there that it is kept."""
        if self._keeping is not None:
            self.keep_now()
        front = self.here.desk.here
        # A sheet above this place is no leaving of it.
        if self.arrangement.dirty and front is not None and front is not self.here:
            count = plural(len(self.requests()), "change")
            self.here.session.drafts.when_kept(partial(self._tell_left, front, count))

    def _tell_left(self, front: Here, count: str) -> None:
        """Say in another place whether the draft was saved."""
        said, tone = f"Kept: {count} staged in {self.here.about}; nothing was sent.", ""
        if self._unkept:
            said = f"Not kept: {count} staged in {self.here.about}: {self._unkept}."
            tone = "bad"
        front.screen.call_after_refresh(front.say, said, tone)

    # Another program

    def _overtaken(self) -> list[str] | None:
        """Return what other windows keep staged here by now, or None.

        It is one line for each request; none where they sent or dropped what was staged.
        """
        drafts, key = self.here.session.drafts, self.here.draft_key
        kept, mine = dict(drafts.texts()), drafts.own_text(key)
        if mine is not None:
            kept.pop(drafts.key_of(key), None)
        others = [text for each, text in kept.items() if field_of(each) == key]
        if not others and (mine is not None or not self._on_disk):
            return None
        return [line for text in others for line in text.splitlines() if line.startswith("- ")]

    async def overtaken_facts(self) -> list[str]:
        """Say for a sheet what another window did to the draft meanwhile."""
        lines = await asyncio.to_thread(self._overtaken)
        if lines is None:
            return []
        if not lines:
            return ["Another copydesk has sent or dropped what was kept; this is yours."]
        shown = "; ".join(line.removeprefix("- ") for line in lines)
        return [f"Another copydesk staged this meanwhile, it stays a draft (g d): {shown}."]

    # Finding it again

    def bring_back(self, layout: Layout, run: ArrangeRun | None) -> Rebased[Arrangement] | None:
        """Return the draft of an earlier run on top of the published order; None for none.

        ``run`` is the one that it was sending: requests that arrived are not staged any more.
        Text that cannot be read is put aside, and that is said.
        """
        text = self.here.session.drafts.load(self.here.draft_key)
        if not text:
            return None
        kind, ids = type(self.arrangement), self.arrangement.ids
        kept = kind.from_text(text, *ids)
        if kept is None and (newer := self.here.modern(text, layout)) is not None:
            kept = kind.from_text(newer, *ids)
        if kept is None:
            with suppress(OSError):
                self.here.session.drafts.save(UNREADABLE + self.here.draft_key, text)
                self.here.session.drafts.drop(self.here.draft_key)
            self.here.say(
                "What was staged here earlier cannot be read by this copydesk. "
                "It is kept as text: g d shows it.",
                "warn",
            )
            return None
        self._on_disk = text
        kept = self.here.sender.as_here(kept)
        if run is None:
            return kept.rebase(layout)
        if text.rpartition("\n")[2] == run.staged.rpartition("\n")[2]:
            self.here.sender.sending = kept
            return run.still_staged(kept, layout).rebase(layout)
        return kept.bound(run.made).rebase(layout)  # staged further since
