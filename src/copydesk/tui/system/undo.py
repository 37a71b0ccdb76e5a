"""Everything that was written on this desk and can be taken back, also in earlier runs."""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from rich.text import Text
from textual.app import ComposeResult

from copydesk.client.errors import ApiError
from copydesk.domain.moments import age, moment
from copydesk.domain.text import clean, few, plural
from copydesk.session.options import Option
from copydesk.session.writes.log import ChangedSinceError, LogEntry
from copydesk.session.writes.recovery import ELSEWHERE, settle_one
from copydesk.session.writes.undo import PastWrite, is_of_outbox, not_taken
from copydesk.tui.dialogs.choice import Choice
from copydesk.tui.dialogs.dialog import Confirm, Fact, Notice
from copydesk.tui.framework.actions import action, refusal
from copydesk.tui.framework.navigation import place
from copydesk.tui.framework.pane import offered
from copydesk.tui.framework.place import Part, Place
from copydesk.tui.framework.source import ListSource
from copydesk.tui.widgets.list import Column, VirtualList
from copydesk.tui.widgets.text import TextView

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.domain.reversal import Step
    from copydesk.tui.framework.place import Place


Naming = Callable[[str], str]
"""Takes the id of a thing and returns what a person calls it."""

NAMED = 6
"""How many collections of an order a line names before it counts the others."""

SHOWN = 12
"""How many writes a sheet names before it counts the others."""

TAKE_REPLIES = frozenset({"delete_space_comment", "delete_change_request_comment"})
"""The operations that delete a message with all that was replied to it."""


async def undo(place: Place, *, asking: Naming | None = None) -> None:
    """Recall what waits, else take back the newest write, with the group that it belongs to.

    What is in the outbox is taken out of there. With ``asking`` the requests that take it back are
    shown first: where the same key takes back what was only staged. Those of a plan always are.
    """
    session = place.session
    if session.writes.waits:
        session.writes.recall()
        return
    if (cut := session.reversals.unsettled()) is not None:
        await look_again(place, cut)
        return
    line = session.reversals.undoable()
    if line is None:
        rest = session.reversals.left_over()
        if rest:
            sheet = _rest_sheet(rest)
            if await place.desk.push_screen_wait(sheet):
                await turn(place, rest, named=True)
        return
    final = session.reversals.final()
    if final is not None and not await _older(place, final, line):
        return
    session.asks()
    pasts = await session.reversals.taken_with(line)
    named = final is not None and _named(final, line, pasts)
    await turn(place, pasts, asking=asking, named=named)


def _named(final: LogEntry, line: LogEntry, pasts: Sequence[PastWrite]) -> bool:
    """Whether `_older` named all that would be taken back with a line."""
    return len(pasts) == 1 or (bool(line.group) and final.group == line.group)


async def look_again(place: Place, past: PastWrite) -> None:
    """Find out how a write (or its undo) ended that had no answer; where that is not told, ask.

    Raises `WriteError` when the service refuses.
    """
    entry = past.cut or past.entry
    said = await settle_one(place.session, past)
    if said:
        place.turned([])
        place.tell(f"{entry.what} {entry.target}. {said}", "good")
    else:
        await turn(place, [past])


async def redo(place: Place, *, asking: Naming | None = None) -> None:
    """Redo the write undone last; with ``asking``, or of a plan, its requests are shown first."""
    await turn(place, place.session.reversals.redoable(), again=True, asking=asking)


async def turn(
    place: Place,
    pasts: Sequence[PastWrite],
    *,
    again: bool = False,
    asking: Naming | None = None,
    named: bool = False,
) -> None:
    """Undo writes, or redo them with ``again``; ask about those whose subject changed since.

    The requests of a plan are shown first, with ``asking`` all; not where all were ``named``.
    Raises `WriteError` when the service refuses.
    """
    if asking is None and any(past.planned for past in pasts):
        asking = _another
    if not pasts:
        return
    if asking is None or named:
        if not (again or await _agreed(place, pasts)):
            return
    elif not await _plan_agreed(place, pasts, asking, again=again):
        return
    session = place.session
    results: list[Any] = []
    left = 0

    def so_far(done: int) -> None:
        if len(pasts) > 1:  # which takes a while where the service is slow
            doing = "Redoing" if again else "Undoing"
            place.say(f"{doing} {plural(len(pasts), 'write')}, {done} so far…")

    try:
        results = await session.reversals.take_back(pasts, again=again, told=so_far)
    except ChangedSinceError as error:
        changed = [obstacle.past for obstacle in error.obstacles]
        if await place.desk.push_screen_wait(_sheet(error, len(pasts))):
            results = await session.reversals.take_back(changed, again=again, anyway=True)
        else:
            left = len(changed)
    finally:
        # While nobody is there, reading would only say so again, over what is told below.
        if session.offline and all(map(is_of_outbox, pasts)):
            place.requeued()
        else:
            place.turned(results)
    if left == len(pasts):
        place.tell("Nothing was redone." if again else "Nothing was undone.")
        return
    idle = sum(past.idle for past in pasts)
    if idle == len(pasts):
        place.tell("Sent, but nothing changed.", "warn")
        return
    said = "Redone" if again else "Undone"
    if stays := not_taken(results):
        names = few([f"{past.entry.what} {past.entry.target}" for past in pasts], NAMED)
        place.tell(f"{said}: {names}, except {len(stays)}. {stays[0]}", "warn")
        lines = [*stays[:SHOWN], *([f"and {len(stays) - SHOWN} more"] if stays[SHOWN:] else [])]
        await place.desk.push_screen_wait(Notice(f"Not {said.lower()}", lines))
        return
    others = [past for past in pasts if past.by_others]
    if others and len(pasts) == 1:
        entry, left_to_do = pasts[0].entry, "redo" if again else "undo"
        is_so = f"{entry.what} {entry.target} is {said.lower()} already"
        place.tell(f"{is_so}, by someone else: there was nothing left to {left_to_do}.", "good")
    elif len(pasts) == 1:
        entry, note = pasts[0].entry, "" if again else pasts[0].reversal.note
        told = f"{said}: {entry.what} {entry.target}"
        place.tell(f"{told}. {note}" if note else told, "good")
    else:
        kinds = {past.entry.what for past in pasts}
        kind = f": {kinds.pop()}" if len(kinds) == 1 else ""
        kept = f" {left} left as they are." if left else ""
        kept += f" {idle} of these changed nothing." if idle else ""
        notes = {past.reversal.note for past in pasts} - {""}
        if not again and len(notes) == 1:
            noted = sum(bool(past.reversal.note) for past in pasts)
            kept += f" {f'{noted} of these: ' if noted < len(pasts) else ''}{notes.pop()}"
        place.tell(f"{said}{kind}, {plural(len(pasts) - left, 'write')}.{kept}", "good")


def _another(thing: str) -> str:
    """Return what a thing is called where its title is not at hand."""
    return "another"


async def _agreed(place: Place, pasts: Sequence[PastWrite]) -> bool:
    """Ask before something is taken back that has to be agreed to, as when a site goes with it."""
    asking = [past for past in pasts if past.reversal.asks]
    if not asking:
        return True
    facts: list[Fact] = []
    for past in asking[:SHOWN]:
        name = clean(f"{past.entry.what} {past.entry.target}")
        facts += [Text(name, style="strong"), Text(past.reversal.asks, style="warn")]
    return await place.desk.push_screen_wait(Confirm("Undo", facts, verb="undo")) is True


async def _plan_agreed(
    place: Place, pasts: Sequence[PastWrite], called: Naming, *, again: bool = False
) -> bool:
    """Show the requests of an undo or redo, and ask."""
    sent = [past for past in pasts if not is_of_outbox(past)]
    if not sent:
        return True
    does, verb = ("Redo", "Redo") if again else ("Undo", "Undo")
    said = "was undone. Redoing it" if again else "was sent already. Undoing it"
    facts: list[Fact] = [Text(f"This {said} sends:", style="strong"), ""]
    for past in sent[:SHOWN]:
        facts.append(f"{verb} {plan_line(past, called, again=again)}")
        if past.reversal.asks and not again:
            facts.append(Text(past.reversal.asks, style="warn"))
    if len(sent) > SHOWN:
        facts.append(f"and {len(sent) - SHOWN} more")
    count = plural(len(sent), "write")
    sheet = Confirm(f"{does} {count}", facts, verb=f"{does.lower()} {count}")
    return await place.desk.push_screen_wait(sheet) is True


def plan_line(past: PastWrite, called: Naming, *, again: bool = False) -> str:
    """Return the line of a plan for one undo or redo, with its effect."""
    said = clean(f"{past.entry.what} {past.entry.target}")
    steps = past.reversal.forth if again else past.reversal.back
    words = list(dict.fromkeys(word for step in steps for word in _step_words(step, called)))
    return f"{said}: {', '.join(words)}" if words else said


def _step_words(step: Step, called: Naming) -> Iterator[str]:
    """Yield the values that a step sets, where a few words can say them."""
    match step.operation, step.arguments:
        case "local.put_space", {"space_id": str(row), "parent": str(home), "order": list(order)}:
            yield _put_words(row, home, order, called)
        case "local.order_collections", {"order": list(order)} if len(order) > 1:
            yield f"in the order {few([called(each) for each in order], NAMED)}"
        case "local.line_up", {"anchor": str(space)}:
            yield f"before {called(space)}"
        case "local.came_along", _:
            yield "with its group"
        case "add_site_section_group", _:
            yield "it is made again"
        case operation, _ if operation.startswith("delete_"):
            yield "it goes"
    for name, value in (step.body if isinstance(step.body, dict) else {}).items():
        match name, value:
            case "position", {**sides}:
                for side, anchor in sides.items():
                    thing = anchor if isinstance(anchor, dict) else {}
                    ids = [str(each) for key, each in thing.items() if key != "type"]
                    yield f"{side} {', '.join(map(called, ids))}"
            case "parent", None:
                yield "to the top"
            case "parent", str(parent):
                yield f"into {called(parent)}"
            case _, bool(on):
                yield _spaced(name) if on else f"not {_spaced(name)}"
            case _, None | "":
                yield f"no {_spaced(name)}"
            case _, str(text):
                yield f"{_spaced(name)} {clean(text)}"


def _put_words(row: str, parent: str, order: Sequence[str], called: Naming) -> str:
    """Return where a space is put again: beside which other one, and in what."""
    where = f"in {called(parent)}" if parent else "at the top"
    at = order.index(row) if row in order else 0
    if len(order) < 2:
        return where
    beside = f"after {called(order[at - 1])}" if at else f"before {called(order[1])}"
    return f"{beside} {where}"


def _spaced(name: str) -> str:
    """Return the name of a field as words: ``editMode`` is "edit mode"."""
    return re.sub(r"[A-Z]", lambda letter: f" {letter[0].lower()}", name)


async def _older(place: Place, final: LogEntry, older: LogEntry) -> bool:
    """Ask whether an older write is meant, when the newest has no way back.

    Of one action that made both, it is the rest of it.
    """
    session = place.session
    if older.group and final.group == older.group:
        rest = session.reversals.together(older)
        alike = [line for line in session.log if line.group == older.group and not line.kind]
        lasting = len(alike) - len(rest)
        facts: list[Fact] = [
            f"{plural(lasting, 'write')} of that action cannot be undone, "
            f"{final.what.lower()} {final.target} among them.",
            f"This undoes the other {len(rest)}:",
            *(clean(f"{past.entry.what} {past.entry.target}") for past in rest[:SHOWN]),
        ]
        if len(rest) > SHOWN:
            facts.append(f"and {len(rest) - SHOWN} more")
        sheet = Confirm("Undo the rest of an action", facts, verb=f"undo {len(rest)}")
        return await place.desk.push_screen_wait(sheet) is True
    sheet = Confirm(
        "Undo an earlier write",
        [
            f"The last write was: {final.what.lower()} {final.target}",
            "That cannot be undone. This would undo an earlier one:",
            f"{older.what.lower()} {older.target}",
        ],
        verb="undo that",
    )
    return await place.desk.push_screen_wait(sheet) is True


def _rest_sheet(rest: Sequence[PastWrite]) -> Confirm:
    """Return the sheet that names what a cut-off undo left."""
    names = [clean(f"{past.entry.what} {past.entry.target}") for past in rest[:SHOWN]]
    more = [f"and {len(rest) - SHOWN} more"] if len(rest) > SHOWN else []
    lead = f"copydesk ended while it undid an action; {plural(len(rest), 'write')} of it are left:"
    return Confirm("Undo the rest", [lead, "", *names, *more], verb="undo them")


def _sheet(error: ChangedSinceError, count: int) -> Confirm:
    """Return the dialog that lists what changed since."""
    name = "Redo" if error.again else "Undo"
    obstacles = error.obstacles
    facts: list[Fact] = []
    if count > 1:
        facts += [f"{len(obstacles)} of {plural(count, 'write')} changed since:", ""]
    for obstacle in obstacles[:SHOWN]:
        entry = obstacle.past.entry
        facts += [Text(clean(f"{entry.what} {entry.target}"), style="strong"), obstacle.why]
        if not error.again and any(
            step.operation in TAKE_REPLIES for step in obstacle.past.reversal.back
        ):
            facts.append(Text("This deletes what others replied too, for good.", style="warn"))
    if len(obstacles) > SHOWN:
        facts.append(f"and {len(obstacles) - SHOWN} more")
    return Confirm(
        f"{name} what changed since",
        facts,
        verb=f"{name.lower()} anyway",
        warning=f"{name} would overwrite that.",
    )


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
    "done": "u undoes it. It is read first: what changed since is not overwritten unasked.",
    "undone": "Undone.",
    "undoing": "Undoing it was cut off, and reading did not tell whether it happened. "
    "u reads again, and asks.",
    "redoing": "Doing it again was cut off, and reading did not tell whether it happened. "
    "u reads again, and asks.",
    "open": "Whether this happened is not known. u reads again, and asks.",
    "gone": "This cannot be undone any more: what it was about is gone or merged.",
    "failed": "This did not happen: there is nothing to undo.",
}
"""What each state means for the reader."""

CUT = ("undoing", "redoing", "open")


SENT_ELSEWHERE = f"{ELSEWHERE} R reads how that ended."


def none_here(here: UndoPlace) -> str | None:
    """Say so when there is nothing under the cursor."""
    return None if here.rows.selected is not None else "There is nothing to undo."


def not_undoable(here: UndoPlace) -> str | None:
    """Say why the write under the cursor is not taken back."""
    past = here.rows.selected
    if past is not None and past.is_sent_elsewhere(here.session.journal.run):
        return SENT_ELSEWHERE
    if past is not None and here.session.read_only and not past.reversal.here:
        return refusal(here.session, "undo")
    if past is None or past.standing in ("done", *CUT):
        return None
    if past.standing == "undone":
        return "Undone already." + (" ctrl+r does it again." if past.reversal.forth else "")
    return MEANT[past.standing]


def not_redoable(here: UndoPlace) -> str | None:
    """Say why the write under the cursor is not done again."""
    past = here.rows.selected
    if past is None:
        return None
    if here.session.read_only and not past.reversal.here:
        return refusal(here.session, "redo")
    if past.standing != "undone":
        return "Only what was undone can be redone."
    return None if past.reversal.forth else "What this made is gone: write it again."


@place("undo", title="Undo")
class UndoPlace(Place, scope="undo_list"):
    """The writes of this desk that can be undone, newest first."""

    OF_DESK = False

    _groups: Counter[str] = Counter()
    """How many writes each action made."""
    _titles: Mapping[str, str] = {}
    """What the spaces are called that writes were in: numbers are told apart by them."""

    def panes(self) -> ComposeResult:
        self.rows: VirtualList[PastWrite] = VirtualList(
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
            title="What can be undone",
            empty="Nothing to undo. What you send is listed here while it can be undone.",
            id="undo-list",
        )
        self.text = TextView(title="About it", empty="Nothing is selected.", literal=True)
        yield Part("main", self.rows)
        yield Part("side", self.text)

    def status_right(self) -> str:
        """Say nothing of the last write: here u is about the one under the cursor."""
        return ""

    def _age(self, past: PastWrite) -> Text:
        return Text(age(past.entry.moment, self.session.clock()), style="muted")

    def reload(self) -> None:
        """Read the journal, which other runs of copydesk write too."""
        self.reads.load("journal", lambda api: self._read(), self._came, what="Reading", local=True)

    def _came(self, nothing: None) -> None:
        self.show()
        spaces = {_space_of(past) for past in self.session.history.known.values()} - {""}
        if spaces - self._titles.keys():
            self.reads.load(
                "spaces", lambda api: self._names(api, spaces), self._named, what="Reading"
            )

    async def _names(self, api: Api, ids: Iterable[str]) -> Mapping[str, str]:
        from copydesk.session.reads.change_requests import Spaces

        spaces = Spaces()
        # What is gone or out of sight has no name here.
        with suppress(ApiError):
            await spaces.learn(api, self.session.organization or "", ids)
        return {space: spaces.title(space) for space in ids}

    def _named(self, titles: Mapping[str, str]) -> None:
        self._titles = titles
        self.show()

    def _state(self, past: PastWrite) -> Text:
        """Return how it stands; of an action that wrote several, how many of them stand so."""
        word, tone = STATES[past.standing]
        if past.is_sent_elsewhere(self.session.journal.run):
            word = "sending"
        text, count = Text(word, style=tone), self._groups[past.entry.group]
        if past.entry.group and count > 1 and past.standing in ("done", "undone"):
            alike = len(self.session.history.with_group(past))
            text.append(f" {alike}/{count}", style="muted")
        return text

    def _space(self, past: PastWrite) -> Text:
        return Text(self._titles.get(_space_of(past), ""), style="muted")

    def poll(self) -> None:
        """Read nothing: writes of this program show at once."""

    def on_screen_resume(self) -> None:
        super().on_screen_resume()
        if self.reads.asked_at is not None:
            self.show()

    async def _read(self) -> None:
        entries = await asyncio.to_thread(self.session.journal.entries)
        self.session.history.learn(entries)

    def show(self) -> None:
        """Show how everything stands now."""
        source = self.rows.source.listed
        known = self.session.history.known.values()
        self._groups = Counter(past.entry.group for past in known)
        # The numbers keep the order of writes that began in the same second.
        source.merge(sorted(known, key=lambda p: (p.entry.at, p.number), reverse=True))
        source.fold()
        source.fresh.clear()
        self.rows.refresh_rows()
        self.show_details()
        self.refresh_frame()

    def show_details(self) -> None:
        past = self.rows.selected
        self.text.set_text("" if past is None else self._about(past))

    def _about(self, past: PastWrite) -> str:
        entry = past.entry
        run = self.session.journal.run
        here = "in this run" if entry.run == run else "in another run"
        space = self._titles.get(_space_of(past), "")
        lines = [
            f"**{clean(entry.what)}** {clean(entry.target)}" + (f" in {space}" if space else ""),
            f"{moment(past.entry.moment, self.session.clock())}, {here}",
            SENT_ELSEWHERE
            if past.is_sent_elsewhere(self.session.journal.run)
            else offered(self.text, MEANT[past.standing]),
        ]
        if entry.group and (count := self._groups[entry.group]) > 1:
            said = f"Written with others of one action: {count} in this list. u asks which."
            lines.append(offered(self.text, said))
        if past.reversal.before is None and past.reversal.still is None:
            lines.append("There is nothing to read first: it is undone as it is.")
        return "\n\n".join(lines)

    def on_virtual_list_opened(self, event: VirtualList.Opened) -> None:
        past = self.rows.selected
        if past is not None:
            name = "redo" if past.standing == "undone" else "undo"
            self.do_soon(name)

    def turned(self, results: Sequence[Any]) -> None:
        self.show()

    def requeued(self) -> None:
        self.show()

    @action("u", "undo this", unless=(none_here, not_undoable), show=12, override=True)
    async def undo(self) -> None:
        """Undo the write under the cursor, if it is still as it was left; else it asks.

        Of an action that wrote several, also in an earlier run, all that are left can be undone
        at once.
        """
        past = self.rows.selected
        if past is None:
            return
        if past.standing in CUT:
            await look_again(self, past)
        else:
            pasts = await self._which(past, "Undo")
            if len(pasts) > 1:  # the whole action: what waits of it is not sent after that
                waiting = self.session.reversals.waiting_of(past.entry.group)
                pasts = [*await self.session.reversals.ways_out(waiting), *pasts]
            await turn(self, pasts)

    async def _which(self, past: PastWrite, verb: str) -> Sequence[PastWrite]:
        """Ask whether the whole action is meant, where more of it stands like this write."""
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

    @action("ctrl+r", "redo this", unless=(none_here, not_redoable), show=11, also=("Z",),
            override=True)  # fmt: skip
    async def redo(self) -> None:
        """Do the write under the cursor again, if it is as it was before; else it asks."""
        past = self.rows.selected
        if past is not None:
            await turn(self, (await self._which(past, "Redo"))[::-1], again=True)


def _space_of(past: PastWrite) -> str:
    """Return the id of the space that a write was in; empty when it was in none.

    Who moves, changes or deletes a space writes in none: it is what the write is about.
    """
    found = (
        step.arguments.get("space_id")
        for step in past.reversal.back
        if not step.operation.endswith("_space")
    )
    return next((each for each in found if isinstance(each, str)), "")
