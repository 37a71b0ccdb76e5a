"""The dialogs before and while a plan is sent: what others changed, its requests."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, Any, Literal

from rich.text import Text
from textual import events
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Label, Static

from copydesk.domain.arrange_run import BLOCK, ArrangeRun, Block, Outcome, RunCall
from copydesk.domain.text import plural
from copydesk.present.facts import hint
from copydesk.session.errors import failure_types, sentence
from copydesk.session.glyphs import glyphs
from copydesk.session.writes.log import WriteError
from copydesk.tui.arrange.cells import LASTING, others_lines
from copydesk.tui.dialogs.dialog import (
    Box,
    Fact,
    ScrollingSheet,
    TypeToConfirm,
    fact_lines,
    scrolled,
)
from copydesk.tui.framework.actions import action
from copydesk.tui.framework.desk_app import begin, desk_of

if TYPE_CHECKING:
    from copydesk.domain.arrangement import Rebased
    from copydesk.session.runs.arrange import Arranger, Changed

Answer = Literal["ours", "theirs"]

WIDE = 104
"""From how many cells of the terminal on both lists stand beside each other."""

EDGES = 6
"""Cells of the frame of a sheet and around its text."""

ABOVE = 3
"""Lines kept in sight above the request under way."""

SHOWN_SECONDS = 0.1
"""An answer that took longer than this has its time beside it."""

BEGINNING = ("asking",)

GOING = ("running", "rolling-back")


def no_clash(sheet: OthersSheet) -> str | None:
    """Say so when nothing was changed by both sides."""
    return None if sheet.rebased.clashes else "Nothing was changed by both sides."


def nothing_left(sheet: OthersSheet) -> str | None:
    """Say so when no staged change is left to be sent."""
    return None if sheet.ours else "Nothing is left to be sent."


def not_asking(sheet: ArrangeSheet) -> str | None:
    """Say so when it has begun."""
    return None if sheet.run.state in BEGINNING and not sheet.working else "Sending has begun."


def not_stopped(sheet: ArrangeSheet) -> str | None:
    """Say so when there is no question to answer."""
    stopped = sheet.run.state == "stopped" and not sheet.working
    return None if stopped else "Nothing has failed."


def nothing_to_send(sheet: ArrangeSheet) -> str | None:
    """Say so when there is nothing to go on with."""
    if sheet.run.arrived_whole:
        return "All of it has arrived: p leaves it so."
    return not_stopped(sheet)


def nothing_to_return(sheet: ArrangeSheet) -> str | None:
    """Say why nothing can be rolled back."""
    if (why := not_stopped(sheet)) is not None:
        return why
    if sheet.run.back:
        return "What was sent is being undone: r goes on with that."
    if not sheet.run.sent:
        return "Nothing was sent."
    return None if sheet.run.returning() else sheet.run.lasting_sentence()


class OthersSheet(ScrollingSheet[Answer], scope="others_sheet"):
    """Theirs beside ours. The result is "ours" (go on), "theirs" where both changed, or None."""

    DANGER = 2

    def __init__(
        self, rebased: Rebased[Any], ours: Sequence[str], facts: Sequence[Fact], *, verb: str
    ) -> None:
        super().__init__("Others changed it since it was read")
        self._verb = verb
        self.rebased = rebased
        self.ours = ours
        """What is staged on top of theirs, a line for each request."""
        self._facts = facts

    def body(self) -> ComposeResult:
        yield scrolled(Static(id="others-lines"))
        yield Label(self._keys(), classes="keys")

    def on_mount(self) -> None:
        self._show()

    def on_resize(self, event: events.Resize) -> None:
        """Put both sides beside or below each other, as the room now is."""
        self._show()

    def _show(self) -> None:
        wide = self.app.size.width >= WIDE
        self.set_class(wide, "wide")
        room = min(self.app.size.width, 100 if wide else 72) - EDGES
        text = Text("\n").join(self.lines(room, beside=wide))
        self.query_one("#others-lines", Static).update(self.paint(text))

    def lines(self, room: int, *, beside: bool) -> list[Text]:
        """Return what it says, with both sides beside or below each other."""
        lines = others_lines(self.rebased, self.ours, room, self.app.console, beside=beside)
        return [*lines, *(fact_lines([each]) for each in self._facts)]

    def _keys(self) -> Content:
        keys = Text()
        if self.ours:
            keys.append("y", style="accent").append(f" {self._verb}   ")
        if self.rebased.clashes:
            keys.append("t", style="accent").append(" take theirs there   ")
        keys.append("esc", style="accent").append(" look first")
        return self.paint(keys)

    @action("y", "go on with ours", word="confirm", unless=nothing_left, danger=2)
    def go_on(self) -> None:
        """Go on with the staged changes on top of theirs: the plan is shown next."""
        self.dismiss("ours")

    @action("t", "take theirs", unless=no_clash, danger=2)
    def take_theirs(self) -> None:
        """Discard ours where they changed the same, and go on with the rest."""
        self.dismiss("theirs")


class ArrangeSheet(ScrollingSheet[Outcome], scope="arrange"):
    """Level 2: the requests, then ``y``; level 3 where some can never be taken back.

    It sends them one by one and stops at the first that fails: ``r`` tries it again, ``b`` takes
    back what was sent, ``k`` keeps the rest staged. A run that an earlier start left opens with
    that question. The result is what it came to, or None when nothing was sent, or the question was
    left for later. ``check`` reads whether it is as planned still before anything is sent.
    """

    DANGER = 2

    def __init__(
        self,
        run: ArrangeRun,
        facts: Sequence[Fact] = (),
        check: Callable[[], Awaitable[bool]] | None = None,
    ) -> None:
        lead = "Cut off: rearranging" if run.begun else "Rearrange"
        super().__init__(f"{lead} {run.title}")
        self.run = run
        self.working = False
        self.overtaken = False
        """Whether it was left because others changed meanwhile what the plan changes."""
        self._check = check
        self._checking = False
        self._facts = facts
        self._said = ""
        self._later = run.begun
        """Whether esc leaves the question for later: nothing was answered yet."""
        self._drawn: dict[str, tuple[object, list[Text]]] = {}
        self._shown: list[Static] = []
        self._parts: dict[int, tuple[Block, int, list[int]]] = {}
        """What each part shows, at which width, and how many lines each request takes."""

    @property
    def _arranger(self) -> Arranger:
        return desk_of(self).session.arranging

    def body(self) -> ComposeResult:
        self.add_class("wide")
        # Drawn in parts: with each step only those around it are drawn anew.
        self._shown = [Static("", classes="arrange-lines") for _ in self.run.calls.blocks]
        yield from self._shown
        with Vertical(classes="foot"):
            yield Static("", id="arrange-said", classes="warning")
            yield Label("", classes="keys", id="arrange-keys")

    def on_mount(self) -> None:
        self._show()

    def on_resize(self, event: events.Resize) -> None:
        super().on_resize(event)
        self.call_after_refresh(self._show)

    # What is shown

    def _show(self) -> None:
        if not self.is_attached:
            return
        said = self._words()
        words = self.query_one("#arrange-said", Static)
        words.display = bool(said)
        words.update(self.paint(said))
        self.query_one("#arrange-keys", Label).update(self._keys())
        width = max(20, self._shown[0].size.width or 68) if self._shown else 0
        for number, block in enumerate(self.run.calls.blocks):
            part = self._parts.get(number)
            if part is None or part[0] is not block or part[1] != width:
                rows = [
                    self._line(at, each, width) for at, each in enumerate(block, number * BLOCK)
                ]
                self._parts[number] = (block, width, [len(lines) for lines in rows])
                if part is None or part[0] != block or part[1] != width:
                    drawn = Text("\n").join(line for lines in rows for line in lines)
                    self._shown[number].update(self.paint(drawn))
        if self.run.state not in BEGINNING:
            number, at = divmod(self._at(), BLOCK)
            y = sum(sum(self._parts[before][2]) for before in range(number))
            y += sum(self._parts[number][2][:at])
            self.query_one(Box).scroll_to(y=max(0, y - ABOVE), animate=False)

    def _at(self) -> int:
        """Return the place of the request that it is at."""
        run = self.run
        here = run.current or run.failure or run.following
        if run.back and here is None:
            return next((at for at, each in enumerate(run.calls) if each.here), 0)
        return len(run.calls) - 1 if here is None else run.calls.place(here.call.key)

    def _line(self, at: int, item: RunCall, width: int) -> list[Text]:
        key = (item.state, item.seconds, item.said, width)
        kept = self._drawn.get(item.call.key)
        if kept is not None and kept[0] == key:
            return kept[1]
        sign, tone, after = self._sign(item)
        number = f"{at + 1:>{len(str(len(self.run.calls)))}}"
        text = Text(item.call.line)
        text.append(f"  {after}" if after else "", style=tone or "muted")
        rest = [Text(item.call.note, style="muted")] if item.call.note else []
        if item.said and item.state == "done":
            rest.append(Text(item.said, style="warn" if self.run.back else "muted"))
        lead = len(number) + 4
        rows = [
            row
            for each in (text, *rest)
            for row in each.wrap(self.app.console, max(10, width - lead))
        ]
        found = [
            Text.assemble((f"{sign} ", tone), (f"{number}  ", "muted"), row)
            if first == 0
            else Text.assemble(" " * lead, row)
            for first, row in enumerate(rows)
        ]
        self._drawn[item.call.key] = (key, found)
        return found

    def _sign(self, item: RunCall) -> tuple[str, str, str]:
        """Return the sign of a request, its tone, and what stands behind it."""
        signs = glyphs()
        match item.state:
            case "done":
                took = f"{item.seconds:.1f} s" if item.seconds >= SHOWN_SECONDS else ""
                return signs.passed, "good", took
            case "sending" | "taking-back":
                return signs.more, "accent", ""
            case "failed":
                return signs.failed, "bad", ""
            case "unknown":
                return "?", "bad", "it may have arrived"
            case "taken-back":
                return "-", "muted", "undone"
        final = LASTING if item.lasting else ""
        return " ", "warn" if final else "muted", final

    def _words(self) -> Text:
        run = self.run
        if run.state in BEGINNING:
            words = fact_lines(self._facts)
        elif run.state == "stopped":
            words = Text("", style="")
            if run.cut:
                words.append("copydesk ended in the middle of this. ")
            if run.arrived_whole:
                words.append(f"{_all(len(run.calls))} arrived.")
            words.append_text(hint(run.why, "bad" if run.failure is not None else "warn"))
            lasting = run.lasting_sentence()
            if lasting and not (run.back and not run.returning()):
                words.append(f"\n{lasting}" if words else lasting, style="warn")
        else:
            words = Text()
        if self._said:
            words = Text.assemble(hint(self._said, "bad"), "\n" if words else "", words)
        return words

    def _keys(self, lead: str = "") -> Content:
        run = self.run
        keys = Text(f"{lead}  " if lead else "", style="warn")
        pairs: list[tuple[str, str]] = []
        if run.state in BEGINNING:
            pairs = [("y", f"send {plural(len(run.calls), 'call')}"), ("esc", "not now")]
        elif run.state == "stopped":
            whole = run.arrived_whole
            pairs = [] if whole else [("r", self._again())]
            if nothing_to_return(self) is None:
                pairs.append(("b", f"undo {len(run.returning())} sent"))
            keep = "leave it so" if run.back or whole else "pause, the rest stays staged"
            pairs.append(("p", keep))
            if self._later:
                pairs.append(("esc", "later"))
        elif run.state in GOING:
            keys.append(f"{run.far} {'undone' if run.back else 'sent'}   ")
            pairs = [("esc", "stop after this one")]
        for key, words in pairs:
            keys.append_text(Text.assemble((key, "accent"), f" {words}   "))
        keys.rstrip()
        return self.paint(keys)

    def _again(self) -> str:
        if self.run.back:
            return "go on undoing"
        failed = self.run.failure
        if failed is not None and failed.state == "unknown":
            return "look, then go on"
        return "go on" if failed is None else "try again"

    # What is done

    @action("y", "send", word="confirm", unless=not_asking, danger=2, stages=True)
    async def begin(self) -> None:
        """Send them one by one."""
        if self._checking or (self.run.for_good and not await self._typed()):
            return
        if await self._as_planned():
            await self._go(self._arranger.go)

    async def _as_planned(self) -> bool:
        """Read once more whether it is as planned: the sheet may have been open for long."""
        if self._check is None:
            return True
        self._checking, self._said = True, ""
        self.query_one("#arrange-keys", Label).update(self._keys("Reading it once more…"))
        try:
            same = await self._check()
        except failure_types() as error:
            desk_of(self).session.learn(error)
            self._said = sentence(error, "y")
            return False
        finally:
            self._checking = False
            self._show()
        if self.is_current and not same:
            self.overtaken = True
            self.dismiss(None)
        return self.is_current and same

    async def _typed(self) -> bool:
        """Ask for the number of requests that are for good."""
        final = [each.call.line for each in self.run.for_good]
        facts = [*final, "", "This cannot be undone, not even with u."]
        sheet = TypeToConfirm(
            f"{plural(len(final), 'call')} for good",
            facts,
            expect=str(len(final)),
            verb="send",
            what="the number of these",
        )
        answer = await self.app.push_screen_wait(sheet)
        return answer is True

    @action("r", "try again", word="retry", unless=nothing_to_send, danger=2, stages=True)
    async def again(self) -> None:
        """Try the call again that failed and go on; while undoing, go on with that."""
        back, why = self.run.back, self.run.why
        await self._go(self._arranger.roll_back if back else self._arranger.go)
        if self.is_attached and self.run.state == "stopped" and self.run.why == why:
            session = desk_of(self).session
            self._said = f"Tried again at {session.clock().astimezone():%H:%M:%S}: the same."
            self._show()

    @action("b", "undo what was sent", word="undo", unless=nothing_to_return, danger=2, stages=True)
    async def roll_back(self) -> None:
        """Undo the sent steps, the newest first."""
        await self._go(self._arranger.roll_back)

    @action("p", "pause", word="pause", unless=not_stopped)
    async def keep_rest(self) -> None:
        """Leave the sent steps as they are; the rest stays staged."""
        await self._go(lambda run, changed: self._arranger.keep(run))
        # What could not be read now is asked again.
        self._later = True

    @action("escape", "not now", word="back", show=False, override=True)
    def cancel(self) -> None:
        """Before anything is sent, leave; while sending, stop after the call under way.

        At the question of a failure it keeps the rest staged; at that of an earlier start it leaves
        the question for later.
        """
        if self.working:
            self._arranger.stop(self.run)
            self.query_one("#arrange-keys", Label).update(self._keys("Stopping."))
        elif self._later or self.run.state in BEGINNING:
            self.dismiss(None)
        else:
            begin(self, self._leave, name="pause")

    async def _leave(self) -> None:
        await self.keep_rest()
        if self.is_current and self.run.state != "finished":
            self.dismiss(None)

    async def _go(self, work: Callable[[ArrangeRun, Changed], Awaitable[ArrangeRun]]) -> None:
        self.working, self._said, self._later = True, "", False
        try:
            self.run = await work(self.run, self._step)
        except WriteError as error:
            self._said = str(error)
        finally:
            self.working = False
        if self.run.state == "finished" and self.is_attached:
            self.dismiss(self.run.outcome)
        else:
            self._show()

    def _step(self, run: ArrangeRun) -> None:
        self.run = run
        if run.state != "finished":
            self._show()


def _all(count: int) -> str:
    return "It has" if count == 1 else "Both have" if count == 2 else f"All {count} have"
