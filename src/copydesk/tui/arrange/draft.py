"""What is staged in a place, kept on this machine: soon after each step, and found again.

A base of the places in which something is arranged, apart from `ArrangingPlace` for length.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING

from textual.timer import Timer

from copydesk.domain.arrangement import Arrangement, Rebased
from copydesk.domain.layout import TOP, Layout
from copydesk.domain.text import plural
from copydesk.local.drafts import field_of
from copydesk.session.target import Target
from copydesk.tui.arrange.cells import kept_lines
from copydesk.tui.framework.details import HasDetails

if TYPE_CHECKING:
    from copydesk.domain.arrange_run import ArrangeRun
    from copydesk.domain.call import Call
    from copydesk.tui.framework.place import Place

KEEP_SECONDS = 0.5
"""How long after the last step what is staged is kept: no key waits for the disk."""

UNREADABLE = "unreadable "
"""Begins the key under which text is put that cannot be read as what is staged."""


def plan_of(arrangement: Arrangement) -> Sequence[Call]:
    """Return the requests that make what is staged."""
    return arrangement.calls() if arrangement.dirty else ()


class KeptStaged(HasDetails):
    """A place that keeps what is staged in it under `draft_key`."""

    def __init__(self, target: Target) -> None:
        super().__init__(target)
        self.arrangement: Arrangement = Arrangement.on(Layout({}, {TOP: ()}))
        """What is published, and what is staged on it."""
        self.calls: Sequence[Call] = ()
        """The requests that would make what is staged, as far as they are worked out."""
        self._planned: Arrangement | None = None
        """What they are the requests of."""
        self._on_disk = ""
        """What is staged as it was kept last, or is being kept."""
        self._told = ""
        """The last message on whether it could be kept."""
        self._keeping: Timer | None = None
        self.sending: Arrangement | None = None
        """What was staged before the run that is not over."""
        self.staged_then: Arrangement = self.arrangement
        """What was staged when that was noted: something else by now was staged since."""

    # What a place says

    @property
    def draft_key(self) -> str:
        """The key under which what is staged is kept."""
        raise NotImplementedError

    @property
    def about(self) -> str:
        """What is arranged, as a sentence names it: the title of the site."""
        raise NotImplementedError

    def modern(self, text: str, layout: Layout) -> str | None:
        """Return what an earlier version kept in today's format; None where it is nothing such."""
        return None

    def requests(self) -> Sequence[Call]:
        """Return the requests that make what is staged; worked out if they are not yet."""
        if self._planned is not self.arrangement:
            self.planned(self.arrangement, plan_of(self.arrangement))
        return self.calls

    def planned(self, arrangement: Arrangement, calls: Sequence[Call]) -> None:
        """Take note of the requests that make what is staged."""
        self._planned, self.calls = arrangement, calls

    # Keeping

    def keep_soon(self) -> None:
        """Keep what is staged once no step followed for a moment."""
        if self._keeping is not None:
            self._keeping.stop()
        self._keeping = self.set_timer(KEEP_SECONDS, self.keep_due)

    def keep_due(self) -> None:
        """Keep what is staged as soon as it is planned, also what another window has dropped."""
        if self.planning:
            self.keep_soon()
            return
        if self._on_disk and self.session.drafts.look(self.draft_key) is None:
            self._on_disk = ""
        self.keep_now()

    @property
    def planning(self) -> bool:
        """Whether the requests of what is staged are being worked out apart from the keys."""
        return False

    def keep_now(self) -> None:
        """Keep what is staged on this machine, or forget it when nothing is."""
        if self._keeping is not None:
            self._keeping.stop()
            self._keeping = None
        text = ""
        if self.arrangement.dirty:
            text = self.arrangement.to_text(kept_lines(self.requests()))
        if text != self._on_disk:
            self._on_disk = text
            self.session.counted.save(self.draft_key, text, self._tell_kept)

    def _tell_kept(self) -> None:
        """Say once where the disk refused it, or where another window staged something too."""
        if not self.is_attached:
            return
        said = self.session.counted.shared(self.draft_key)
        if self._unkept:
            said = f"Staged here, but not kept on disk: {self._unkept}."
        if said and (self._unkept or said != self._told):
            self.say(said, "warn")
        self._told = said

    def keep_typed(self) -> None:
        """Keep what is staged, because everything may end now."""
        self.keep_now()

    @property
    def _unkept(self) -> str:
        """Why what is staged is in memory only; empty when it is on the disk."""
        return self.session.counted.refused(self.draft_key)

    def on_screen_suspend(self) -> None:
        """Keep what is staged before another place is in front, and say there that it is kept."""
        if self._keeping is not None:
            self.keep_now()
        front = self.desk.here
        # A sheet above this place is no leaving of it.
        if self.arrangement.dirty and front is not None and front is not self:
            count = plural(len(self.requests()), "change")
            self.session.counted.when_kept(partial(self._tell_left, front, count))

    def _tell_left(self, front: Place, count: str) -> None:
        """Say in another place what became of what is staged here."""
        said, tone = f"Kept: {count} staged in {self.about}; nothing was sent.", ""
        if self._unkept:
            said = f"Not kept: {count} staged in {self.about}: {self._unkept}."
            tone = "bad"
        front.call_after_refresh(front.say, said, tone)

    def on_unmount(self) -> None:
        """Keep what is staged."""
        self.keep_now()

    # Another program

    def _overtaken(self) -> list[str] | None:
        """Return what other windows keep staged here by now, or None.

        It is one line for each request; none where they sent or dropped what was staged.
        """
        drafts, key = self.session.counted, self.draft_key
        kept, mine = dict(drafts.kept()), drafts.look(key)
        if mine is not None:
            kept.pop(drafts.key_of(key), None)
        others = [text for each, text in kept.items() if field_of(each) == key]
        if not others and (mine is not None or not self._on_disk):
            return None
        return [line for text in others for line in text.splitlines() if line.startswith("- ")]

    async def overtaken_facts(self) -> list[str]:
        """Say for a sheet what another window did meanwhile with what is kept."""
        lines = await asyncio.to_thread(self._overtaken)
        if lines is None:
            return []
        if not lines:
            return ["Another copydesk has sent or dropped what was kept; this is yours."]
        shown = "; ".join(line.removeprefix("- ") for line in lines)
        return [f"Another copydesk staged this meanwhile, it stays a draft (g d): {shown}."]

    # Finding it again

    def bring_back(self, layout: Layout, run: ArrangeRun | None) -> Rebased[Arrangement] | None:
        """Return what an earlier run kept, on top of what is published; None where it is nothing.

        ``run`` is what that one was sending: what arrived of it is not staged any more. Text that
        cannot be read is put aside as a text, and that is said.
        """
        text = self.session.drafts.load(self.draft_key)
        if not text:
            return None
        kind, ids = type(self.arrangement), self.arrangement.ids
        kept = kind.from_text(text, *ids)
        if kept is None and (newer := self.modern(text, layout)) is not None:
            kept = kind.from_text(newer, *ids)
        if kept is None:
            with suppress(OSError):
                self.session.drafts.save(UNREADABLE + self.draft_key, text)
                self.session.drafts.drop(self.draft_key)
            self.say(
                "What was staged here earlier cannot be read by this copydesk. "
                "It is kept as text: g d shows it.",
                "warn",
            )
            return None
        self._on_disk = text
        if run is None:
            return kept.rebase(layout)
        if text.rpartition("\n")[2] == run.staged.rpartition("\n")[2]:
            self.sending = kept
            return run.still_staged(kept, layout).rebase(layout)
        return kept.bound(run.made).rebase(layout)  # staged further since
