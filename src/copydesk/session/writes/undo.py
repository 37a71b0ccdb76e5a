"""Undo and redo: the history, the checks, the calls.

`History` follows the journal: which writes have a way back, and which were taken back. `Way` goes
it: it reads whether the thing is still as it was left, and sends the steps.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from copydesk.session.errors import NotDoneError

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.domain.reversal import JSON, Expectation, Reversal, Step
    from copydesk.local.journal import Entry

Standing = Literal["done", "undone", "undoing", "redoing", "open", "gone", "failed"]
"""How a write stands: "undoing" and "redoing" are under way or were cut off, "open" is a write of
which it is not known whether it happened, "gone" cannot be taken back any more."""

LocalStep = Callable[..., Awaitable[Any]]
"""A step on this machine. Read as an expectation, it returns JSON, or None for "gone"."""

LONGEST_LIST = 1000
"""How many things of a list are looked through for one of them."""

PAGE = 250
"""How many things of a list are asked for at once."""

LONGEST_ORDER = 5000
"""How many things of a list are read, to compare what is in it and in which order."""


class StepError(TypeError):
    """A reversal names an operation that there is not, or arguments that do not fit it."""


@dataclass(slots=True)
class Past:
    """A write that has a way back, as it stands by now.

    ``number`` orders writes by when they became known, ``when`` by what happened to them last.
    """

    entry: Entry
    reversal: Reversal
    number: int
    standing: Standing = "done"
    when: int = 0
    cut: Entry | None = None
    """The undo or redo that is under way, or was cut off."""
    by_others: bool = False
    """Whether what was asked for last had been done by somebody else."""

    @property
    def id(self) -> str:
        """The identity of the write."""
        return self.entry.id


class History:
    """What there is to take back and to do again, as the entries of the journal tell."""

    def __init__(self) -> None:
        self.known: dict[str, Past] = {}
        self._runs: dict[str, list[Past]] = {}
        self._groups: dict[str, list[Past]] = {}
        self._turns: set[str] = set()
        self._count = 0
        self.lasting: dict[str, Entry] = {}
        """Done writes of an action of several that have no way back, by their ids."""
        self.made: set[str] = set()
        """The ids of what was made by writes that were answered: no other write has made these."""

    def learn(self, entries: Iterable[Entry]) -> None:
        """Take in entries that are not known yet, oldest first."""
        for entry in entries:
            if entry.id not in self.known and entry.id not in self._turns:
                self.take(entry)

    def take(self, entry: Entry) -> Past | None:
        """Take in an entry in its newest state; return the write it is about, if it has a way back.

        A reversal that cannot be read is none.
        """
        # Not needed before the first paint, and the screens are.
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
            past = Past(entry, reversal, self._count, when=self._count)
            self.known[entry.id] = past
            self._runs.setdefault(entry.run, []).append(past)
            if entry.group:
                self._groups.setdefault(entry.group, []).append(past)
        past.entry, past.reversal = entry, reversal
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

    def lasting_in(self, target: str) -> list[Entry]:
        """Return the requests of a rearrangement that cannot be undone."""
        return [entry for entry in self.lasting.values() if entry.group.split(" ")[0] == target]

    def redoable(self, run: str) -> list[Past]:
        """Return what ``ctrl+r`` does again in a run, oldest first; nothing after a newer write."""
        mine = [past for past in self._runs.get(run, ()) if past.id in self.known]
        undone = [past for past in mine if past.standing == "undone" and past.reversal.forth]
        last = max(undone, key=_turned, default=None)
        newest = max((past for past in mine if past.standing == "done"), key=_turned, default=None)
        if last is None or (newest is not None and self._is_newer(newest, last)):
            return []
        alike = [past for past in self._alike(last) if past.id in self.known]
        if self._unmade(alike):
            return []  # it would have another id now, and the others were about it
        undone = [past for past in alike if past.standing == "undone" and past.reversal.forth]
        return self._whole(last, undone)[::-1]

    def unmade(self, run: str) -> list[Past]:
        """Return what the action that was taken back last had made, and which is gone now.

        Nothing after a newer write, as for `redoable`, which it keeps from doing that again.
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
        """Whether a write came after another was taken back, and is not that done again."""
        return past.when > undone.when and _began(past) > _began(undone)

    def with_group(self, past: Past) -> list[Past]:
        """Return a write and those of its group that stand as it does, newest first."""
        mine = [each for each in self._alike(past) if each.standing == past.standing]
        return self._whole(past, mine)

    def rest(self, past: Past) -> list[Past]:
        """Return those of the group of a write that can still be taken back, newest first."""
        mine = [
            each for each in self._alike(past) if each.id in self.known and each.standing == "done"
        ]
        return self._whole(past, mine) if past.entry.group else []

    def _alike(self, past: Past) -> Sequence[Past]:
        """Return the writes of the group of one, also those of an earlier run of the program."""
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
    """Whether a write made something that other writes of its group may have been about."""
    back = past.reversal.back
    return not past.reversal.forth and bool(back) and back[0].operation in _UNMADE


def _turned(past: Past) -> int:
    return past.when


_UNMADE = frozenset(
    {"delete_space", "delete_collection", "delete_site_section", "delete_site_space"}
)
"""What takes back that something was made which is arranged."""


@dataclass(frozen=True, slots=True)
class Obstacle:
    """Why a write is not simply taken back (or done again): the thing is another by now."""

    past: Past
    why: str
    gone: bool = False
    done: bool = False
    """Whether it is already as it would be afterwards: somebody else made it so."""


class Way:
    """Reads what reversals expect and takes their steps.

    ``local`` are the steps on this machine by their names.
    """

    def __init__(self, local: Mapping[str, LocalStep]) -> None:
        self._local = local

    async def answer(self, api: Api, read: Step) -> JSON:
        """Return what a read says as JSON, None when the thing is gone. Raises ``ApiError``."""
        from copydesk.client.errors import NotFound

        if read.local:
            return await self.take(api, read)
        operation = operation_of(read)
        try:
            if not operation.pages:
                return (await api(operation, **read.arguments)).to_dict()
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
        if operation.body is None:
            return await api(operation, **step.arguments)
        body = operation.body.adapter.validate_python(step.body)
        return await api(operation, **step.arguments, body=body)

    async def holds(self, api: Api, expected: Expectation | None) -> bool | None:
        """Whether an expectation holds; None when there is none. Raises ``ApiError``."""
        if expected is None:
            return None
        return not expected.differences(await self.answer(api, expected.read))

    async def obstacle(self, api: Api, past: Past, *, again: bool = False) -> Obstacle | None:
        """Return why a write is not simply taken back (or done ``again``); None when it can be."""
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
        """Find out by reading whether a write stands: True, False, or None when neither is so."""
        still = await self.holds(api, reversal.still)
        if still:
            return True
        before = await self.holds(api, reversal.before)
        if before:
            return False
        return None

    def usable(self, reversal: Reversal) -> bool:
        """Whether a reversal can be kept: not when the contract refuses what was there before.

        Raises `StepError` when it names what there is not.
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
