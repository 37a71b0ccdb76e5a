"""Undo and redo: the history, the checks, the calls.

`History` follows the journal: which writes have a reversal, and which were undone. `ReversalRunner`
checks that the object is unchanged, and sends the steps of a reversal.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

from copydesk.client.errors import NotFound
from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.sure import sure
from copydesk.domain.text import clean
from copydesk.local.journal import Entry, Kind, Notes
from copydesk.session.errors import NotDoneError, failure_types, sentence
from copydesk.session.writes.log import ChangedSinceError, LogEntry, UnansweredError, WriteError

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.contract.models.change_request import ChangeRequest
    from copydesk.domain.reversal import JSON, Expectation, Reversal, Step
    from copydesk.session.session import Session

Standing = Literal["done", "undone", "undoing", "redoing", "open", "gone", "failed"]
"""The state of a write: "undoing" and "redoing" are under way or were interrupted, "open" is an
unknown outcome, "gone" cannot be undone any more."""

LocalStep = Callable[..., Awaitable[Any]]
"""A step on this machine. As the read of an expectation it returns JSON, or None for "gone"."""

LONGEST_LIST = 1000
"""The number of objects of a list that are searched."""

LONGEST_ORDER = 5000
"""The number of objects of a list that are read to compare its content and order."""


class StepError(TypeError):
    """A reversal names an unknown operation, or arguments that do not fit it."""


PLAN = " plan "
"""In the common name of the writes of a plan, which is undone once it was shown."""


def plan_name(target: str) -> str:
    """Return a new common name for the writes of a plan that is about a target."""
    from secrets import token_hex  # the first screen starts without it

    return f"{target}{PLAN}{token_hex(6)}"


def not_taken(results: Iterable[Any]) -> list[str]:
    """Return what a step over several things did not do, from the answers of steps: a line each."""
    from copydesk.contract.models.redirect import RedirectResults

    return [
        clean(f"{each.source}: {each.error or 'it was refused'}", limit=300)
        for found in results
        if isinstance(found, RedirectResults)
        for each in found.results
        if each.status == "error"
    ]


class Names:
    """The ids of what undo made again, by those that it had before."""

    def __init__(self) -> None:
        self.now: dict[str, str] = {}
        self.version = 0
        """How often there were others."""

    def change(self, old: str, new: str) -> None:
        """Note that what had an id has another one."""
        old = self.now.get(old, old)
        if old != new:
            self.now = {name: new if now == old else now for name, now in self.now.items()}
            self.now[old] = new
            self.now.pop(new, None)
            self.version += 1


@dataclass(slots=True)
class PastWrite:
    """A write with a reversal, and its state.

    ``kept`` is its reversal as it was noted. ``number`` orders writes by when they became known,
    ``when`` by their last change.
    """

    entry: Entry
    kept: Reversal
    number: int
    names: Names
    standing: Standing = "done"
    when: int = 0
    cut: Entry | None = None
    """The undo or redo that is under way or was interrupted."""
    half: Entry | None = None
    """An undo that made the thing again, but did not take all of its steps: the next goes on."""
    _bound: tuple[int, Reversal] | None = None
    by_others: bool = False
    """Whether somebody else did the last undo or redo first."""
    idle: bool = False
    """Whether the last undo or redo, sent in spite of what changed since, changed nothing."""

    @property
    def id(self) -> str:
        """The identity of the write."""
        return self.entry.id

    def is_sent_elsewhere(self, run: str) -> bool:
        """Whether another copydesk than ``run`` is sending it, or the undo or redo of it."""
        return (self.cut or self.entry).is_sent_elsewhere(run)

    @property
    def planned(self) -> bool:
        """Whether it was sent with a plan."""
        return PLAN in self.entry.group

    @property
    def reversal(self) -> Reversal:
        """Its reversal, with the ids that things have by now."""
        if not self.names.version:
            return self.kept
        if self._bound is None or self._bound[0] != self.names.version:
            from copydesk.domain.reversal import bind_reversal

            self._bound = (self.names.version, bind_reversal(self.kept, self.names.now))
        return self._bound[1]


class History:
    """The writes that can be undone and redone, as the journal tells."""

    def __init__(self) -> None:
        self.known: dict[str, PastWrite] = {}
        self._runs: dict[str, list[PastWrite]] = {}
        self._groups: dict[str, list[PastWrite]] = {}
        self._turns: set[str] = set()
        self._count = 0
        self.names = Names()
        self.lasting: dict[str, Entry] = {}
        """Done writes of groups that have no reversal, by id."""
        self.made: set[str] = set()
        """The ids of objects created by answered writes: no other write created them."""

    def learn(self, entries: Iterable[Entry]) -> None:
        """Take over new entries, oldest first, and those that another copydesk has sent since."""
        for entry in entries:
            past = self.known.get(entry.of or entry.id)
            sent = None if past is None else past.cut or past.entry
            if sent is not None and (sent.id, sent.state) == (entry.id, "sending"):
                new = entry.state != "sending"
            else:
                new = entry.id not in self.known and entry.id not in self._turns
            if new:
                self.take(entry)

    def take(self, entry: Entry) -> PastWrite | None:
        """Take over the newest state of an entry; return its write if that has a reversal.

        An unreadable reversal counts as none.
        """
        # Not needed before the first paint.
        from copydesk.domain.reversal import message_made, reversal_of

        self._count += 1
        if entry.kind:
            return self._turn(entry)
        if entry.state == "done" and entry.made:
            self.made.add(entry.made)
        if entry.reversal is None or entry.state in ("failed", "queued", "dropped"):
            if entry.group and entry.state == "done":
                self.lasting[entry.id] = entry
            lost = self.known.pop(entry.id, None)
            if lost is not None:
                lost.standing = "failed"
            return None
        try:
            reversal = reversal_of(entry.reversal)
        except ValueError:
            return None
        past = self.known.get(entry.id)
        if past is None:
            past = PastWrite(entry, reversal, self._count, self.names, when=self._count)
            self.known[entry.id] = past
            self._runs.setdefault(entry.run, []).append(past)
            if entry.group:
                self._groups.setdefault(entry.group, []).append(past)
        past.entry, past.kept, past._bound = entry, reversal, None
        if entry.state == "done" and (made := message_made(reversal)):
            self.made.add(made)
        if past.standing in ("done", "open"):
            past.standing = "done" if entry.state == "done" else "open"
        return past

    def _turn(self, entry: Entry) -> PastWrite | None:
        past = self.known.get(entry.of)
        if past is None:
            return None
        self._turns.add(entry.id)
        past.when = self._count
        past.cut = None
        if entry.made and past.reversal.anew is not None:
            self.names.change(past.reversal.anew.id, entry.made)
            past.half = entry
        if entry.state == "done":
            past.half = None
        match entry.kind, entry.state:
            case "gone", _:
                past.standing = "gone"
            case "undo", "done":
                past.standing = "undone"
            case "redo", "done":
                past.standing = "done"
            case kind, "failed":
                past.standing = "done" if kind == "undo" else "undone"
            case kind, _:
                past.standing = "undoing" if kind == "undo" else "redoing"
                past.cut = entry
        return past

    def made_again(self, past: PastWrite) -> dict[str, str]:
        """Return the id of what a write had removed and undo made again, by the one that it had."""
        anew = past.kept.anew
        found = None if anew is None else self.names.now.get(anew.id)
        return {} if anew is None or found is None else {anew.id: found}

    def lasting_in(self, target: str) -> list[Entry]:
        """Return the requests of a rearrangement that cannot be undone."""
        return [entry for entry in self.lasting.values() if entry.group.split(" ")[0] == target]

    def redoable(self, run: str) -> list[PastWrite]:
        """Return the writes that ``ctrl+r`` redoes in a run, oldest first; none after a newer
        write.
        """
        alike = self._undone_last(run, _goes_forth)
        if any(map(_is_unmade, alike)):
            return []  # it would get another id now, and the others refer to the old one
        return sorted(filter(_goes_forth, alike), key=_began)

    def unmade(self, run: str) -> list[PastWrite]:
        """Return the deleted creations of the group that was undone last.

        Nothing after a newer write, as for `redoable`, which redoes nothing then.
        """
        return sorted(filter(_is_unmade, self._undone_last(run, _is_undone)), key=_began)

    def _undone_last(self, run: str, undone: Callable[[PastWrite], bool]) -> list[PastWrite]:
        """Return the group of what was undone last in a run; nothing after a newer write."""
        mine = [past for past in self._runs.get(run, ()) if past.id in self.known]
        last = max(filter(undone, mine), key=_turned, default=None)
        newest = max((past for past in mine if past.standing == "done"), key=_turned, default=None)
        if last is None or (newest is not None and self._is_newer(newest, last)):
            return []
        return [past for past in self._alike(last) if past.id in self.known]

    def _is_newer(self, past: PastWrite, undone: PastWrite) -> bool:
        """Whether a write came after another was undone, and is not its redo."""
        return past.when > undone.when and _began(past) > _began(undone)

    def with_group(self, past: PastWrite) -> list[PastWrite]:
        """Return a write and those of its group in the same state, newest first."""
        mine = [each for each in self._alike(past) if each.standing == past.standing]
        return sorted(mine, key=_began, reverse=True)

    def rest(self, past: PastWrite) -> list[PastWrite]:
        """Return the writes of a group that can still be undone, newest first."""
        mine = [
            each for each in self._alike(past) if each.id in self.known and each.standing == "done"
        ]
        return sorted(mine, key=_began, reverse=True) if past.entry.group else []

    def _alike(self, past: PastWrite) -> Sequence[PastWrite]:
        """Return the writes of a write's group, also those of an earlier run."""
        return self._groups.get(past.entry.group, ()) if past.entry.group else (past,)


def _began(past: PastWrite) -> tuple[float, int]:
    return (past.entry.at, past.number)


def _is_undone(past: PastWrite) -> bool:
    return past.standing == "undone"


def _goes_forth(past: PastWrite) -> bool:
    return _is_undone(past) and bool(past.reversal.forth)


def _is_unmade(past: PastWrite) -> bool:
    """Whether what a write created was deleted; other writes of its group may refer to it."""
    made = any(step.operation in _UNMADE for step in past.reversal.back)
    return _is_undone(past) and not past.reversal.forth and made


def _turned(past: PastWrite) -> int:
    return past.when


_UNMADE = frozenset(
    {
        "delete_space",
        "delete_collection",
        "delete_site_section",
        "delete_site_space",
        "delete_site_section_group",
        "delete_site_external_link",
    }
)
"""The undo operations of creations in a tree."""


@dataclass(frozen=True, slots=True)
class Obstacle:
    """Why a write cannot simply be undone (or redone): its object changed since."""

    past: PastWrite
    why: str
    gone: bool = False
    done: bool = False
    """Whether the object is already as it would be afterwards: somebody else did it."""


class ReversalRunner:
    """Checks the expectations of reversals and takes their steps.

    ``local`` returns a step on this machine by its name.
    """

    def __init__(self, local: Callable[[str], LocalStep | None]) -> None:
        self._local = local

    async def answer(self, api: Api, read: Step) -> JSON:
        """Return the JSON of a read, None when the object is gone. Raises ``ApiError``."""
        if read.local:
            return await self.take(api, read)
        operation = operation_of(read)
        try:
            if not operation.pages:
                found = await api(operation, **read.arguments)
                rows = getattr(found, "rows", None)  # a tree is compared row by row
                return found.to_dict() if rows is None else {"items": rows()}
            items = []
            async for item in api.pages(operation, **read.arguments):
                items.append(item.to_dict())
                if len(items) == LONGEST_ORDER:
                    break
            return {"items": items}
        except NotFound:
            return None

    async def take(self, api: Api, step: Step) -> Any:
        """Take one step and return its result. Raises ``ApiError`` and `NotDoneError`."""
        if step.local:
            action = self._local(step.local)
            if action is None:
                raise NotDoneError(f"This copydesk knows no way to {step.local.replace('_', ' ')}.")
            return await action(**step.arguments)
        operation = operation_of(step)
        given = {name: await self._given(api, value) for name, value in step.arguments.items()}
        if operation.body is None:
            return await api(operation, **given)
        body = operation.body.adapter.validate_python(step.body)
        return await api(operation, **given, body=body)

    async def _given(self, api: Api, value: JSON) -> JSON:
        """Return the value of an argument; one that is looked up is read now."""
        from copydesk.domain.reversal import step_of, value_at

        match value:
            case {"read": dict(read), "path": str(path), "otherwise": otherwise}:
                found = value_at(await self.answer(api, step_of(read)), path)
                return found[0] if isinstance(found, list) and found else otherwise
        return value

    async def alike(self, api: Api, reversal: Reversal) -> list[str]:
        """Return the ids of what is like the thing that a reversal makes again.

        Raises ``ApiError``.
        """
        if reversal.anew is None or reversal.still is None:
            return []
        return reversal.anew.among(await self.answer(api, reversal.still.read))

    async def holds(self, api: Api, expected: Expectation | None) -> bool | None:
        """Whether an expectation holds; None when there is none. Raises ``ApiError``."""
        if expected is None:
            return None
        for each in expected.all:
            if each.differences(await self.answer(api, each.read)):
                return False
        return True

    async def obstacle(self, api: Api, past: PastWrite, *, again: bool = False) -> Obstacle | None:
        """Return why a write cannot simply be undone (or redone, ``again``); None when it can."""
        expected = past.reversal.before if again else past.reversal.still
        if expected is None:
            return None
        read = [(each, await self.answer(api, each.read)) for each in expected.all]
        why = next((said for each, answer in read if (said := each.explain(answer))), "")
        after = past.reversal.still if again else past.reversal.before
        done = after is not None and _shows(read, after)
        gone = all(answer is None and not each.gone for each, answer in read)
        return Obstacle(past, why, gone, done) if why else None

    async def became(self, api: Api, reversal: Reversal) -> bool | None:
        """Find out whether a write is in effect: True, False, or None when the object changed."""
        still = await self.holds(api, reversal.still)
        if still:
            return True
        before = await self.holds(api, reversal.before)
        if before:
            return False
        return None

    def usable(self, reversal: Reversal) -> bool:
        """Whether a reversal can be stored: not when the contract refuses the former values.

        Raises `StepError` for an unknown operation or step.
        """
        from pydantic import ValidationError

        try:
            self._check(reversal)
        except ValidationError:
            return False
        return True

    def _check(self, reversal: Reversal) -> None:
        expected = [each for each in (reversal.still, reversal.before) if each is not None]
        reads = [each.read for one in expected for each in one.all]
        for step in (*reversal.back, *reversal.forth, *reads):
            if not step.local:
                operation = operation_of(step)
                given = dict(step.arguments)
                if operation.body is not None:
                    given["body"] = operation.body.adapter.validate_python(step.body)
                operation.signature.bind(**given)
            elif self._local(step.local) is None:
                raise StepError(f"there is no local step {step.local!r}")


def _shows(read: Sequence[tuple[Expectation, JSON]], other: Expectation) -> bool:
    """Whether what was read for one expectation is as another of the same things has it."""
    return [each.read for each, _ in read] == [each.read for each in other.all] and all(
        answer is not None and not each.differences(answer)
        for each, (_, answer) in zip(other.all, read, strict=True)
    )


def operation_of(step: Step) -> Any:
    """Return the declared operation of a step. Raises `StepError` when there is none."""
    from copydesk.contract.operations import CATALOGUE

    found = CATALOGUE.get(step.operation)
    if found is None:
        raise StepError(f"there is no operation {step.operation!r}")
    return found


def _follows(later: PastWrite, past: PastWrite) -> bool:
    """Whether one write of an action came on top of another to the same thing.

    When it was taken back it was found as it was left, and nobody else was at the thing since.
    """
    after, before, group = later.reversal.still, past.reversal.still, later.entry.group
    same = after is not None and before is not None and after.read == before.read
    return same and bool(group) and group == past.entry.group


def _alike(past: PastWrite, obstacles: Sequence[Obstacle], *, again: bool) -> Obstacle | None:
    """Return the obstacle of another write with the same undo steps.

    Moves of collections restore one order together: a change by somebody else affects all of them.
    """
    back = past.reversal.back
    same = (each for each in obstacles if not again and each.past.reversal.back == back)
    return next(same, None)


def _goes_on(past: PastWrite, *, again: bool) -> bool:
    """Whether an undo goes on with one that was cut off, or only looks what that brought back."""
    return not again and (past.half is not None or past.reversal.came_along)


def is_of_outbox(past: PastWrite) -> bool:
    """Whether a write only added to the outbox or dropped from it."""
    return any(step.local in ("queue_again", "drop_queued") for step in past.reversal.back)


class Reversals:
    """The undo and redo of a session's writes."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self.half_undone: PastWrite | None = None
        """A write of the group whose undo the last run did not finish."""

    def undoable(self) -> LogEntry | None:
        """Return the newest write that can be undone, or None.

        A waiting write is dropped from the outbox, always before an older one is undone.
        """
        return next((line for line in reversed(self._session.log) if self._is_undoable(line)), None)

    def _is_undoable(self, line: LogEntry) -> bool:
        return self._has_way_back(line) or self.is_waiting(line)

    def is_waiting(self, line: LogEntry) -> bool:
        """Whether a write waits in the outbox and is not being sent."""
        entry = line.entry
        kept = entry is not None and entry.id in self._session.outbox.items
        return kept and line.state in ("queued", "unknown")

    def _has_way_back(self, line: LogEntry) -> bool:
        past = self._past(line)
        return past is not None and past.standing == "done"

    def _past(self, line: LogEntry) -> PastWrite | None:
        return None if line.entry is None else self._session.history.known.get(line.entry.id)

    def together(self, line: LogEntry) -> list[PastWrite]:
        """Return the arrived writes that are undone with a line, newest first."""
        alike = (
            each for each in reversed(self._session.log) if line.group and each.group == line.group
        )
        done = next((each for each in (line, *alike) if self._has_way_back(each)), None)
        past = None if done is None else self._past(done)
        return [] if past is None else self._session.history.with_group(past)

    def waiting_with(self, line: LogEntry) -> list[Entry]:
        """Return the waiting writes that undo drops with a line, newest first."""
        if line.group:
            return self.waiting_of(line.group)
        entry = self._session.outbox.items.get(line.entry.id) if line.entry is not None else None
        return [entry] if entry is not None and self.is_waiting(line) else []

    def waiting_of(self, group: str) -> list[Entry]:
        """Return the waiting writes of a group, newest first."""
        waiting = list(self._session.outbox.items.values())[::-1]
        return [entry for entry in waiting if group and entry.group == group]

    async def taken_with(self, line: LogEntry) -> list[PastWrite]:
        """Return all writes that are undone with a line, waiting ones first."""
        sent = self.together(line)
        return [*await self.ways_out(self.waiting_with(line)), *sent]

    async def ways_out(self, waiting: Sequence[Entry]) -> list[PastWrite]:
        """Return the waiting writes as undoable ones, newest first."""
        # Redo takes them in the order of their entries.
        ways = [await asyncio.to_thread(self._way_out, entry) for entry in reversed(waiting)]
        return ways[::-1]

    def _way_out(self, entry: Entry) -> PastWrite:

        way = way_out(entry.id, sure=entry.state == "queued", text=bool(entry.draft and entry.text))
        notes = Notes(reversal=way.to_dict(), group=entry.group)
        begun = self._session.journal.begin(entry.what, entry.target, notes)
        return sure(self._session.history.take(self._session.journal.settle(begun, "done")))

    def unsettled(self) -> PastWrite | None:
        """Return the newest write without an answer, or whose undo had none; None if all are
        settled.

        A newer write that can be undone comes first.
        """
        for line in reversed(self._session.log):
            if line.entry is not None and line.state == "unknown":
                past = self._session.history.known.get(line.of or line.entry.id)
                if past is not None:
                    return past
            if self._is_undoable(line):
                break
        return None

    def left_over(self) -> list[PastWrite]:
        """Return the rest of a group whose undo the last run did not finish.

        Newest first; nothing after a newer undoable write, and nothing in a read-only session.
        """
        if self._session.read_only or self.half_undone is None or self.undoable() is not None:
            return []
        return self._session.history.rest(self.half_undone)

    def redoable(self) -> list[PastWrite]:
        """Return the next writes to redo, in order."""
        return self._session.history.redoable(self._session.journal.run)

    def unmade(self) -> list[PastWrite]:
        """Return the creations that undo deleted: redo does not create them again."""
        return self._session.history.unmade(self._session.journal.run)

    def final(self) -> LogEntry | None:
        """Return the newest write if it cannot be undone, so that ``u`` means an older one."""
        sent = (n for n in reversed(self._session.log) if n.state == "done" or self.is_waiting(n))
        last = next((n for n in sent if not n.kind), None)
        return None if last is None or self._is_undoable(last) else last

    def end(self, request: ChangeRequest) -> None:
        """Offer no undo that needs a change request as it was before its merge."""
        answer = request.to_dict()
        for past in self._session.history.known.values():
            still = past.reversal.still if past.standing == "done" else None
            for each in () if still is None else still.all:
                read = (each.read.operation, each.read.arguments.get("change_request_id"))
                if read == ("get_change_request", request.id) and each.differences(answer):
                    past.standing = "gone"

    async def undo(self) -> LogEntry | None:
        """Undo the newest write that can be, with its group.

        Raises `ChangedSinceError` when its object changed since, and `WriteError` when the service
        refuses. A deleted object can never be restored: the next call reaches the write before.
        """
        line = self.undoable()
        if line is not None:
            await self.take_back(await self.taken_with(line))
        return line

    async def take_back(
        self,
        pasts: Sequence[PastWrite],
        *,
        again: bool = False,
        anyway: bool = False,
        told: Callable[[int], None] = lambda done: None,
    ) -> list[Any]:
        """Undo writes one after the other, or redo them (``again``); return the results of the
        steps.

        Each is checked first, unless ``anyway``. Changed objects are passed over and reported at
        the end by `ChangedSinceError`, deleted ones by `WriteError`. A failure ends it. An undo by
        somebody else is only noted: ``past.by_others``; so is one ``anyway`` that changes nothing:
        ``past.idle``. ``told`` is called before each write with the number done.
        """
        api = await self._session.ready()
        results: list[Any] = []
        obstacles: list[Obstacle] = []
        gone: list[PastWrite] = []
        taken: list[PastWrite] = []
        for at, past in enumerate(pasts):
            told(at)
            obstacle, past.idle = None, False
            if not again and await self._had_come_back(past):
                continue
            if not anyway and (stuck := _alike(past, obstacles, again=again)) is not None:
                obstacle = replace(stuck, past=past)
            elif not (anyway or _goes_on(past, again=again)) and (
                again or not any(_follows(each, past) for each in taken)
            ):
                obstacle = await self._obstacle(api, past, again=again)
            past.by_others = obstacle is not None and obstacle.done
            if past.by_others:
                await asyncio.to_thread(self._is_done, past, again=again)
                continue
            if obstacle is not None and not obstacle.gone:
                obstacles.append(obstacle)
                continue
            try:
                if obstacle is None:
                    before = await self._state(api, past) if anyway else None
                    made = await self._turn(api, past, again=again)
                    results += made
                    taken.append(past)
                    if not anyway:
                        found = past.reversal.before if again else past.reversal.still
                        await self._session.snoozed.made(found, made)
                    past.idle = before is not None and before == await self._state(api, past)
                    if again and any(step.local == "queue_again" for step in past.reversal.forth):
                        # From here on it is undone as a waiting or an arrived write.
                        await asyncio.to_thread(self._is_gone, past)
                    continue
            except WriteError as error:
                from copydesk.client.errors import NotFound

                if not isinstance(error.__cause__, NotFound):
                    raise
            gone.append(past)
            await asyncio.to_thread(self._is_gone, past)
        if obstacles:
            raise ChangedSinceError(obstacles, again=again)
        if gone:
            names = ", ".join(f"{past.entry.what} {past.entry.target}" for past in gone)
            said = "redone" if again else "undone"
            raise WriteError(f"{names} cannot be {said}: it is gone.")
        return results

    async def _had_come_back(self, past: PastWrite) -> bool:
        """Whether an undo that makes a thing again is done: elsewhere, or without an answer.

        Nothing is made twice: raises `WriteError` when reading does not tell.
        """
        if past.reversal.anew is None:
            return False
        from copydesk.session.writes.recovery import CUT_OFF, settle_one

        self._session.history.learn(await asyncio.to_thread(self._session.journal.entries))
        if past.standing != "undoing":
            return past.standing == "undone"

        try:
            said = await settle_one(self._session, past)
        except failure_types() as error:
            self._session.learn(error)
            raise WriteError(sentence(error), unknown=True) from error
        if not said:
            raise WriteError(CUT_OFF, unknown=True)
        return past.standing in ("undone", "gone")

    async def _obstacle(self, api: Api, past: PastWrite, *, again: bool) -> Obstacle | None:
        """Return the obstacle. Raises `WriteError` when it cannot be read."""
        try:
            return await self._session.way.obstacle(api, past, again=again)
        except failure_types() as error:
            self._session.learn(error)
            said = f"Nothing was undone, because it could not be read: {sentence(error)}"
            raise WriteError(said) from error

    async def _state(self, api: Api, past: PastWrite) -> JSON:
        """Return what a write has to do with, as it is now; None where that cannot be told."""
        expected = past.reversal.still or past.reversal.before
        if expected is None:
            return None
        try:
            return await self._session.way.answer(api, expected.read)
        except failure_types():
            return None  # what was sent is told all the same

    async def _turn(self, api: Api, past: PastWrite, *, again: bool) -> list[Any]:
        """Take the steps of one reversal, as a write with its own line and journal entry."""
        way = self._session.way
        kind: Kind = "redo" if again else "undo"
        name = "Redo" if again else "Undo"
        line = self._session.writes.new_line(
            f"{name}: {past.entry.what}", past.entry.target, kind=kind, of=past.id
        )
        done: list[Any] = []
        # Steps that an undo had taken before it was cut off are not taken twice.
        cut = past.cut or (None if again else past.half)
        first = cut.progress if cut is not None and cut.kind == kind else 0

        def steps() -> tuple[Step, ...]:
            return past.reversal.forth if again else past.reversal.back

        async def note(**changes: Any) -> None:
            if line.entry is not None:
                settle = self._session.journal.settle
                line.entry = await asyncio.to_thread(settle, line.entry, "sending", **changes)

        async def send() -> list[Any]:
            for number in range(first + len(done), len(steps())):
                anew = None if again or number else past.reversal.anew
                if anew is not None:
                    await note(known=await way.alike(api, past.reversal))
                result = await way.take(api, steps()[number])
                done.append(result)
                if anew is not None:
                    await note(progress=1, made=result.id)
                    self._session.history.names.change(anew.id, result.id)
                elif number + 1 < len(steps()):
                    await note(progress=number + 1)
            return done

        async def look() -> list[Any] | None:
            stands = await way.became(api, past.reversal)
            if stands is None:
                raise UnansweredError
            return [] if stands == again else None

        line.send = send
        expected = past.reversal.still or past.reversal.before
        if expected is not None and past.reversal.anew is None:
            line.look = look
        self._session.log.append(line)
        past.standing = "redoing" if again else "undoing"
        try:
            result: list[Any] = await self._session.writes.send(line, send)
        except WriteError:
            if line.entry is None:  # it was not even noted
                past.standing = "undone" if again else "done"
            raise
        self._mark(past, "done" if again else "undone")
        self._session.touched()
        return result

    def _is_done(self, past: PastWrite, *, again: bool) -> None:
        """Note that somebody else undid (or redid) a write."""
        kind: Kind = "redo" if again else "undo"
        name = "Redo" if again else "Undo"
        notes = Notes(kind=kind, of=past.id)
        entry = self._session.journal.begin(f"{name}: {past.entry.what}", past.entry.target, notes)
        self._session.history.take(self._session.journal.settle(entry, "done"))
        self._mark(past, "done" if again else "undone")

    def _mark(self, past: PastWrite, state: str) -> None:
        """Show the new state of a write in the log, if it is of this run."""
        line = self._session.writes.line_of(past.id)
        if line is not None:
            line.state = state

    def _is_gone(self, past: PastWrite) -> None:
        """Note that there is nothing left to undo."""
        entry = self._session.journal.begin(
            f"Gone: {past.entry.what}", past.entry.target, Notes(kind="gone", of=past.id)
        )
        self._session.history.take(self._session.journal.settle(entry, "done"))
        self._mark(past, "undone")


SENT_SINCE = "it was sent, or discarded, since"


def way_back_in(id: str) -> Reversal:
    """Return the reversal that puts a dropped write back."""
    from copydesk.domain.reversal import Expectation, Reversal, Step

    ids = {"id": id}
    read = Step("local.queued", ids)
    return Reversal(
        (Step("local.queue_again", ids),),
        (Step("local.drop_queued", ids),),
        Expectation(read, gone=True, said="it waits again"),
        Expectation(read, {"waits": True}, said=SENT_SINCE),
    )


def way_out(id: str, *, sure: bool, text: bool) -> Reversal:
    """Return the reversal that drops a waiting write.

    ``sure`` says that it did not arrive, ``text`` that it was typed, so that it becomes a draft
    again.
    """
    from copydesk.domain.reversal import Reversal

    back = way_back_in(id)
    note = "Not sent" if sure else "Waits no more, and may have arrived all the same"
    return Reversal(
        back.forth,
        back.back,
        back.before,
        back.still,
        note=f"{note}; its text is a draft again." if text else f"{note}.",
    )
