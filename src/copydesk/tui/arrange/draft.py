"""The staged changes of a place: steps, the requests that make them, the text on this machine."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from textual.timer import Timer

from copydesk.domain.arrange_run import ArrangeRun, lasting_fact
from copydesk.domain.arrangement import Arrangement, Rebased, StagingError
from copydesk.domain.layout import Layout, differences
from copydesk.domain.request_context import reads_cached
from copydesk.domain.text import plural
from copydesk.local.drafts import field_of
from copydesk.present.facts import hint
from copydesk.session.errors import NotDoneError
from copydesk.tui.arrange.cells import EMPTY, kept_lines
from copydesk.tui.arrange.dialogs import ArrangeSheet, OthersSheet
from copydesk.tui.dialogs.dialog import Fact
from copydesk.tui.framework.desk_app import begin
from copydesk.tui.framework.keyboard import tell_failures

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.domain.arrange_run import Outcome
    from copydesk.domain.reversal import Call
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
            said = f"Staged here, but not saved on disk: {self._unkept}."
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
        said, tone = f"Kept, not sent: {count} staged in {self.here.about}.", ""
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

    async def overtaken_facts(self) -> list[Fact]:
        """Say for a sheet what another window did to the draft meanwhile."""
        lines = await asyncio.to_thread(self._overtaken)
        if lines is None:
            return []
        if not lines:
            return ["Another copydesk sent or discarded what was saved; this is yours."]
        shown = "; ".join(line.removeprefix("- ") for line in lines)
        said = hint("Another copydesk staged this meanwhile, it stays a draft (g d): ", "")
        return [said.append(f"{shown}.")]

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


SENT_ELSEWHERE = "Another copydesk is sending what was staged here"

BEFORE_SENDING = "before sending"
"""The name of the read before anything is sent."""


class Sender:
    """Finds the staged changes of a place again, sends them, and takes in the outcome."""

    def __init__(self, here: ArrangingPlace[Any]) -> None:
        self.here = here
        self.sending: Arrangement | None = None
        """The arrangement before the run that is not over."""
        self.staged_then: Arrangement = here.draft.arrangement
        """The arrangement when that was noted: another one by now was staged since."""
        self.behind = False
        """Whether others changed the order since it was read."""
        self._written = 0
        """The newest write of this machine to it when it was taken in."""
        self._polled = 0
        """That when the last poll was begun, which no newer one may be in."""
        self.asked = False
        """Whether the sheet of the plan is open, which says itself how far it is."""

    # Beginning, and reading again

    async def read_first(self, api: Api) -> tuple[Any, ArrangeRun | None] | None:
        """Read it with the run that an earlier start left; that is asked about once only."""
        found = await self.here.read_all(api)
        if found is None:
            return None
        return found, None if self.here.known else await self.unfinished()

    def arrived(self, layout: Layout, run: ArrangeRun | None) -> None:
        """Take in an order that was read by hand: the first, or one below the staged changes."""
        if not self.here.known:
            self.begin(layout, run)
        else:
            self._tell_rebased(self.take(layout))

    def polls(self) -> None:
        """Note which writes a poll that begins now has."""
        self._polled = self._newest_write()

    def look_again(self, layout: Layout) -> bool:
        """Take in a polled order if nothing is staged and no one else moves a row; tell whether.

        Texts that changed show at once then, and what was done from another place of this run, as
        where its writes are undone; all else waits for R.
        """
        draft = self.here.draft
        base = draft.arrangement.base
        ours = self._newest_write() > self._written
        taken = (ours or layout.levels == base.levels) and not draft.arrangement.dirty
        if taken and not layout.same(base):
            self.take(layout)
        if taken:
            self._written = self._polled
        self.behind = not layout.same(draft.arrangement.base)
        return taken

    def _is_sent_elsewhere(self) -> bool:
        here = self.here
        return here.session.arranging.is_elsewhere(here.PLACE, here.run_target)

    def _newest_write(self) -> int:
        return self.here.written.newest(self.here.session)

    async def unfinished(self) -> ArrangeRun | None:
        """Return the run that is not over, if there is one. May raise."""
        found = await self.here.session.arranging.find(self.here.PLACE, self.here.run_target)
        if found is not None and reads_cached():
            from copydesk.client.errors import NotCached

            raise NotCached("What became of a run is asked of the service.")
        return found

    def begin(self, layout: Layout, run: ArrangeRun | None = None) -> None:
        """Begin with the published order, and with changes that were staged in an earlier run.

        ``run`` is one that is `unfinished`: it is asked about.
        """
        self.here.known, self._written = True, self._newest_write()
        self.here.draft.arrangement = self.here.fresh(layout)
        rebased = None
        if self._is_sent_elsewhere():  # what is staged there would be sent from here once more
            self.here.say(f"{SENT_ELSEWHERE}. R reads how far it is.", "warn")
        else:
            rebased = self.here.draft.bring_back(layout, run)
        if rebased is not None:
            self.here.draft.arrangement = self.staged_then = rebased.arrangement
            if self.here.draft.arrangement.dirty:
                count = plural(len(self.here.draft.requests()), "staged change")
                shared = self.here.session.drafts.shared(self.here.draft_key)
                self.here.say(
                    shared or f"{count} of last time restored. X discards them.",
                    "warn" if shared else "",
                )
            if run is None:
                self._tell_rebased(rebased)
        if run is not None and self.here.session.read_only:
            said = f"{run.standing()}. Nothing goes on or back here: it is read-only."
            self.here.say(said, "warn")
        elif run is not None:
            self._ask(self._settle_first(run, rebased))

    async def _settle_first(self, run: ArrangeRun, rebased: Rebased[Arrangement] | None) -> None:
        """Settle a run that an earlier start left; only then tell what others changed meanwhile."""
        await self._go_on_with(run)
        lost = () if rebased is None else rebased.lost
        if lost:
            gone = "; ".join(f"{each.line}: {each.why}" for each in lost)
            self.here.tell(f"Others changed it since, and this went away: {gone}.", "warn")

    def take(self, layout: Layout) -> Rebased[Arrangement]:
        """Put the staged changes on top of the order that is published by now."""
        rebased = self.here.draft.arrangement.rebase(layout)
        self._written = self._newest_write()
        self.here.draft.arrangement, self.behind = rebased.arrangement, False
        if not self.here.draft.arrangement.dirty and not self.here.draft.arrangement.future:
            self.here.draft.arrangement = self.here.fresh(layout)
        return rebased

    def _tell_rebased(self, rebased: Rebased[Arrangement]) -> None:
        """Say what others changed, and ask where that touches the staged changes."""
        if rebased.clashes or rebased.lost:
            self._ask(self._show_others(rebased, verb="keep ours on top"))
        elif rebased.theirs and self.here.draft.arrangement.dirty:
            more = len(rebased.theirs) - 1
            others = f", and {more} more" if more else ""
            said = f"Others changed it since: {rebased.theirs[0].line}{others}."
            self.here.say(f"{said} What is staged is on top of it.")

    def _ask(self, asking: Awaitable[Any]) -> None:
        """Ask something in a sheet, once what goes on now is over."""
        self.here.run_worker(tell_failures(self.here, asking), name="ask", group="ask")

    # Sending

    async def send_staged(self, *facts: str) -> None:
        """Read again, show what others changed, then the plan with what to know, and send it."""
        self.here.session.asks()
        run = await self.unfinished()
        if run is not None and run.begun:
            await self._go_on_with(run)
            return
        if self._is_sent_elsewhere():
            self.here.tell(f"{SENT_ELSEWHERE}: nothing was sent; it stays staged.", "warn")
            return
        if run is not None:  # it had ended, but it could not be read again then
            await self._take_in(run)
        api = await self.here.session.ready()
        self.here.say("")
        read = partial(self.here.read_layout, api)
        layout = await self.here.reads.now(
            BEFORE_SENDING, read, "Reading it again before anything is sent"
        )
        if layout is None:
            self.here.tell("Stopped reading: nothing was sent; it stays staged.")
            return
        rebased = self.take(layout)
        self.here.session.fresh()
        self.here.show_arrangement()
        if rebased.changed and not await self._show_others(rebased):
            more = ", on top of what others changed."
            if rebased.clashes:
                more = ". What both changed is asked again."
            self.here.tell(f"Nothing was sent; it stays staged{more}")
            return
        if not self.here.draft.arrangement.dirty:
            self.here.draft.keep_now()
            self.here.tell("Nothing is left to send: it is so already.", "good")
        else:
            await self._send(*facts)

    async def _show_others(
        self, rebased: Rebased[Arrangement], verb: str = "go on with ours"
    ) -> bool:
        """Show the changes of others beside the staged ones; True when it may go on."""
        ours = [call.line for call in self.here.draft.requests()]
        facts = await self.here.draft.overtaken_facts()
        if not rebased.clashes:
            self.here.draft.keep_now()
        sheet = OthersSheet(rebased, ours, facts, verb=verb)
        ours_on_top, before = self.here.draft.arrangement, rebased.before
        if rebased.clashes and before is not None:
            # Until it is answered all is as it was: who leaves, or is cut off, is asked again.
            self.here.draft.arrangement = self.as_here(before)
        answer: str | None = await self.here.desk.push_screen_wait(sheet)
        if answer is not None:
            self.here.draft.arrangement, self.behind = ours_on_top, False
            if answer == "theirs":
                self.here.draft.arrangement = self.as_here(rebased.taking_theirs())
        elif rebased.clashes:
            self.behind = True
        self.here.show_arrangement()
        self.here.draft.keep_now()
        return answer is not None

    def as_here(self, arrangement: Arrangement) -> Arrangement:
        """Return an arrangement that was read from a text as one of this place."""
        return replace(
            self.here.fresh(arrangement.base), now=arrangement.now, past=arrangement.past,
            future=arrangement.future, touched=arrangement.touched, count=arrangement.count,
        )  # fmt: skip

    async def _send(self, *facts: str) -> None:
        here, calls = self.here, self.here.draft.requests()
        run = ArrangeRun.of(
            here.PLACE, here.run_target, here.about, calls,
            organization=here.target.organization or "", staged=here.draft.arrangement.to_text(()),
        )  # fmt: skip
        said = [
            *facts,
            *await here.draft.overtaken_facts(),
            here.live,
            hint(lasting_fact(calls), ""),
        ]
        self.sending = self.staged_then = self.here.draft.arrangement
        self.here.draft.keep_now()
        await self._ask_about(run, said, later="Nothing was sent; it stays staged.")

    async def _go_on_with(self, run: ArrangeRun) -> None:
        """Ask about a run that an earlier start left; take in one that had ended."""
        if run.begun:
            await self._ask_about(run, (), later="Stopped where it was: ctrl+s asks again.")
            return
        self.here.draft.keep_now()
        await self.here.session.arranging.forget_ended(run)

    async def _ask_about(self, run: ArrangeRun, facts: Sequence[Fact], *, later: str) -> None:
        """Show a plan, or what became of it so far; then go on from what it came to."""
        sheet = ArrangeSheet(run, facts, None if run.begun else self._as_planned)
        self.asked = True
        self.here.refresh_frame()
        try:
            outcome: Outcome | None = await self.here.desk.push_screen_wait(sheet)
        finally:
            self.asked = False
            self.here.refresh_frame()
        if sheet.overtaken:
            await self.send_staged("Others changed it meanwhile: this is the plan now.")
            return
        if outcome is None:
            self.here.tell(later)
            return
        before = self.sending
        rebased = await self._take_in(sheet.run)
        said = outcome.sentence
        if before is not None and outcome.complete and not outcome.back:
            said += self._meanwhile(before, sheet.run)
        if run.begun:  # it was begun in an earlier run of the program
            said = said.replace(" u takes ", " :undo takes ")
        if outcome.left and not outcome.rolled_back and not self.here.draft.arrangement.dirty:
            said = f"{plural(outcome.sent, 'call')} sent. Nothing is left of the rest: "
            said += "others changed what it was about."
        self.here.tell(said, "good" if outcome.complete else "warn")
        if rebased.clashes or rebased.lost:
            await self._show_others(rebased, verb="keep ours on top")

    def _meanwhile(self, before: Arrangement, run: ArrangeRun) -> str:
        """Say what others changed while the run went on."""
        if not self.here.EXACT:
            return ""
        made, now = {*run.made.values()}, before.bound(run.made).now
        base = self.here.draft.arrangement.base
        found = [
            each
            for each in differences(now, base)
            if each.id not in made and each.field not in before.UNPUBLISHED
        ]
        if not found:
            return ""
        more = f" and {len(found) - 1} more" if len(found) > 1 else ""
        return f" Others changed it meanwhile: {found[0].line}{more}."

    async def _as_planned(self) -> bool:
        """Read whether the published order is still that of the plan. May raise."""
        layout = await self.here.read_layout(await self.here.session.ready())
        return layout.same(self.here.draft.arrangement.base)

    async def _take_in(self, run: ArrangeRun) -> Rebased[Arrangement]:
        """Go on from what a run came to, which is over: read again, and forget it."""
        layout = await self.here.read_layout(await self.here.session.ready())
        before, cursor = self._before(run), self.here.rows.selected_id
        if before is None:
            self.here.draft.arrangement = self.here.draft.arrangement.bound(run.made)
        else:
            self.here.draft.arrangement = self.as_here(run.still_staged(before, layout))
        rebased = self.take(layout)
        self.sending = None
        if not self.here.draft.arrangement.dirty:
            # What is published is what was wanted: there is no step left to undo here.
            self.here.draft.arrangement = self.here.fresh(self.here.draft.arrangement.base)
        self.here.draft.keep_now()
        await self.here.session.arranging.forget_ended(run)
        unfolded = self.here.rows.tree_source.unfolded
        unfolded.update([run.made[row] for row in unfolded if row in run.made])
        self.here.show_arrangement()
        if cursor is not None and cursor in run.made:  # it goes by its real id now
            self.here.rows.reveal(run.made[cursor])
        return rebased

    def _before(self, run: ArrangeRun) -> Arrangement | None:
        """Return the arrangement staged before a run; None where it was changed since."""
        if self.sending is not None and self.here.draft.arrangement.now.same(self.staged_then.now):
            return self.sending
        if run.staged and not self.here.draft.arrangement.dirty:
            return type(self.here.draft.arrangement).from_text(
                run.staged, *self.here.draft.arrangement.ids
            )
        return None
