"""Undo and redo: the history, the checks, the calls.

`History` follows the journal: which writes have a reversal, and which were undone. `Way` checks
that the object is unchanged, and sends the steps of a reversal.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

from copydesk.client.errors import NotFound
from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.text import clean
from copydesk.session.errors import NotDoneError

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.domain.reversal import JSON, Expectation, Reversal, Step
    from copydesk.local.journal import Entry

Standing = Literal["done", "undone", "undoing", "redoing", "open", "gone", "failed"]
"""The state of a write: "undoing" and "redoing" are under way or were interrupted, "open" is an
unknown outcome, "gone" cannot be undone any more."""

LocalStep = Callable[..., Awaitable[Any]]
"""A step on this machine. As the read of an expectation it returns JSON, or None for "gone"."""

LONGEST_LIST = 1000
"""The number of objects of a list that are searched."""

PAGE = 250
"""The number of objects read with one request."""

LONGEST_ORDER = 5000
"""The number of objects of a list that are read to compare its content and order."""


class StepError(TypeError):
    """A reversal names an unknown operation, or arguments that do not fit it."""


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
class Past:
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

    @property
    def reversal(self) -> Reversal:
        """Its reversal, with the ids that things have by now."""
        if not self.names.version:
            return self.kept
        if self._bound is None or self._bound[0] != self.names.version:
            from copydesk.domain.call import bind_reversal

            self._bound = (self.names.version, bind_reversal(self.kept, self.names.now))
        return self._bound[1]


class History:
    """The writes that can be undone and redone, as the journal tells."""

    def __init__(self) -> None:
        self.known: dict[str, Past] = {}
        self._runs: dict[str, list[Past]] = {}
        self._groups: dict[str, list[Past]] = {}
        self._turns: set[str] = set()
        self._count = 0
        self.names = Names()
        self.lasting: dict[str, Entry] = {}
        """Done writes of groups that have no reversal, by id."""
        self.made: set[str] = set()
        """The ids of objects created by answered writes: no other write created them."""

    def learn(self, entries: Iterable[Entry]) -> None:
        """Take over new entries, oldest first."""
        for entry in entries:
            if entry.id not in self.known and entry.id not in self._turns:
                self.take(entry)

    def take(self, entry: Entry) -> Past | None:
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
            past = Past(entry, reversal, self._count, self.names, when=self._count)
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

    def _turn(self, entry: Entry) -> Past | None:
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

    def made_again(self, past: Past) -> dict[str, str]:
        """Return the id of what a write had removed and undo made again, by the one that it had."""
        anew = past.kept.anew
        found = None if anew is None else self.names.now.get(anew.id)
        return {} if anew is None or found is None else {anew.id: found}

    def lasting_in(self, target: str) -> list[Entry]:
        """Return the requests of a rearrangement that cannot be undone."""
        return [entry for entry in self.lasting.values() if entry.group.split(" ")[0] == target]

    def redoable(self, run: str) -> list[Past]:
        """Return the writes that ``ctrl+r`` redoes in a run, oldest first; none after a newer
        write.
        """
        mine = [past for past in self._runs.get(run, ()) if past.id in self.known]
        undone = [past for past in mine if past.standing == "undone" and past.reversal.forth]
        last = max(undone, key=_turned, default=None)
        newest = max((past for past in mine if past.standing == "done"), key=_turned, default=None)
        if last is None or (newest is not None and self._is_newer(newest, last)):
            return []
        alike = [past for past in self._alike(last) if past.id in self.known]
        if self._unmade(alike):
            return []  # it would get another id now, and the others refer to the old one
        undone = [past for past in alike if past.standing == "undone" and past.reversal.forth]
        return self._whole(last, undone)[::-1]

    def unmade(self, run: str) -> list[Past]:
        """Return the deleted creations of the group that was undone last.

        Nothing after a newer write, as for `redoable`, which redoes nothing then.
        """
        mine = [past for past in self._runs.get(run, ()) if past.id in self.known]
        undone = [past for past in mine if past.standing == "undone"]
        last = max(undone, key=_turned, default=None)
        newest = max((past for past in mine if past.standing == "done"), key=_turned, default=None)
        if last is None or (newest is not None and self._is_newer(newest, last)):
            return []
        alike = [past for past in self._alike(last) if past.id in self.known]
        return sorted(self._unmade(alike), key=_began)

    @staticmethod
    def _unmade(pasts: Iterable[Past]) -> list[Past]:
        return [past for past in pasts if past.standing == "undone" and _made_a_thing(past)]

    def _is_newer(self, past: Past, undone: Past) -> bool:
        """Whether a write came after another was undone, and is not its redo."""
        return past.when > undone.when and _began(past) > _began(undone)

    def with_group(self, past: Past) -> list[Past]:
        """Return a write and those of its group in the same state, newest first."""
        mine = [each for each in self._alike(past) if each.standing == past.standing]
        return self._whole(past, mine)

    def rest(self, past: Past) -> list[Past]:
        """Return the writes of a group that can still be undone, newest first."""
        mine = [
            each for each in self._alike(past) if each.id in self.known and each.standing == "done"
        ]
        return self._whole(past, mine) if past.entry.group else []

    def _alike(self, past: Past) -> Sequence[Past]:
        """Return the writes of a write's group, also those of an earlier run."""
        return self._groups.get(past.entry.group, ()) if past.entry.group else (past,)

    def _whole(self, past: Past | None, among: Sequence[Past]) -> list[Past]:
        if past is None:
            return []
        group = past.entry.group
        whole = [p for p in among if p.entry.group == group] if group else [past]
        return sorted(whole, key=_began, reverse=True)


def _began(past: Past) -> tuple[float, int]:
    return (past.entry.at, past.number)


def _made_a_thing(past: Past) -> bool:
    """Whether a write created an object that other writes of its group may refer to."""
    back = past.reversal.back
    made = any(step.operation in _UNMADE for step in back)
    return not past.reversal.forth and made


def _turned(past: Past) -> int:
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

    past: Past
    why: str
    gone: bool = False
    done: bool = False
    """Whether the object is already as it would be afterwards: somebody else did it."""


class Way:
    """Checks the expectations of reversals and takes their steps.

    ``local`` are the steps on this machine by name.
    """

    def __init__(self, local: Mapping[str, LocalStep]) -> None:
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
            limited = any(each.name == "limit" for each in operation.query_parameters)
            page = {"limit": PAGE} if limited else {}
            async for item in api.pages(operation, **{**page, **read.arguments}):
                items.append(item.to_dict())
                if len(items) == LONGEST_ORDER:
                    break
            return {"items": items}
        except NotFound:
            return None

    async def take(self, api: Api, step: Step) -> Any:
        """Take one step and return its result. Raises ``ApiError`` and `NotDoneError`."""
        if step.local:
            action = self._local.get(step.local)
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
        return not expected.differences(await self.answer(api, expected.read))

    async def obstacle(self, api: Api, past: Past, *, again: bool = False) -> Obstacle | None:
        """Return why a write cannot simply be undone (or redone, ``again``); None when it can."""
        expected = past.reversal.before if again else past.reversal.still
        if expected is None:
            return None
        answer = await self.answer(api, expected.read)
        why = expected.explain(answer)
        after = past.reversal.still if again else past.reversal.before
        done = (
            answer is not None
            and after is not None
            and after.read == expected.read
            and not after.differences(answer)
        )
        return Obstacle(past, why, answer is None and not expected.gone, done) if why else None

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
        expectations = [each for each in (reversal.still, reversal.before) if each is not None]
        for step in (*reversal.back, *reversal.forth, *(each.read for each in expectations)):
            if step.local:
                if step.local not in self._local:
                    raise StepError(f"there is no local step {step.local!r}")
                continue
            operation = operation_of(step)
            given = dict(step.arguments)
            if operation.body is not None:
                given["body"] = operation.body.adapter.validate_python(step.body)
            operation.signature.bind(**given)


def operation_of(step: Step) -> Any:
    """Return the declared operation of a step. Raises `StepError` when there is none."""
    from copydesk.contract.operations import CATALOGUE

    found = CATALOGUE.get(step.operation)
    if found is None:
        raise StepError(f"there is no operation {step.operation!r}")
    return found
