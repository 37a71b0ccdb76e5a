"""A run that rearranges a site or an organization: the requests of one plan, sent one by one.

A run is a value; every method returns the run as it is afterwards. Whoever drives it keeps each of
these values before and after every request, so that a run which was cut off says which request was
under way: what became of that one is read before anything else is sent.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field, fields, replace
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypeVar, overload

from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.reversal import Call, bind
from copydesk.domain.text import clean, few, plural

if TYPE_CHECKING:
    from pydantic import GetCoreSchemaHandler
    from pydantic_core import CoreSchema

    from copydesk.domain.arrangement import Arrangement
    from copydesk.domain.layout import Layout


CallState: TypeAlias = Literal[
    "waiting", "sending", "done", "failed", "unknown", "taking-back", "taken-back"
]
"""What became of one request. ``failed``: it did not happen; ``unknown``: it may have."""

BLOCK = 40
"""So many requests are kept, and drawn, as one."""


@dataclass(frozen=True, slots=True)
class RunCall:
    """One request of a run, and what became of it.

    ``said`` is what a person reads of it, ``entry`` the id of its write in the journal. ``known``
    are the ids from before something was made, so that the new one is told from them; None where
    that was not read. ``seconds`` is how long the answer took.
    """

    call: Call
    state: CallState = "waiting"
    said: str = ""
    entry: str = ""
    known: tuple[str, ...] | None = None
    seconds: float = 0.0

    @property
    def here(self) -> bool:
        """Whether the service is known to have it."""
        return self.state in ("done", "taking-back")

    @property
    def lasting(self) -> bool:
        """Whether nothing takes it back."""
        return self.call.lasting

    @property
    def passed_over(self) -> bool:
        """Whether it stands and has a message: in a roll back, the reason why it still does."""
        return self.state == "done" and bool(self.said)


class Block(tuple[RunCall, ...]):
    """Some requests in a row, and how many of them there are in each state."""

    states: Mapping[CallState, int]
    passed_over: bool

    def __new__(cls, items: Iterable[RunCall]) -> Block:
        """Return a block of these requests."""
        made = super().__new__(cls, items)
        made.states = Counter(each.state for each in made)
        made.passed_over = any(each.passed_over for each in made)
        return made


class Requests(Sequence[RunCall]):
    """The requests of a run in the order in which they are sent; a value."""

    __slots__ = ("_places", "blocks")

    def __init__(self, items: Iterable[RunCall] = ()) -> None:
        whole = tuple(items)
        self.blocks = tuple(Block(whole[at : at + BLOCK]) for at in range(0, len(whole), BLOCK))
        self._places = {each.call.key: at for at, each in enumerate(whole)}

    @classmethod
    def _sharing(cls, blocks: tuple[Block, ...], places: dict[str, int]) -> Requests:
        made = cls.__new__(cls)
        made.blocks, made._places = blocks, places
        return made

    def __len__(self) -> int:
        return BLOCK * (len(self.blocks) - 1) + len(self.blocks[-1]) if self.blocks else 0

    def __iter__(self) -> Iterator[RunCall]:
        for block in self.blocks:
            yield from block

    def __reversed__(self) -> Iterator[RunCall]:
        for block in reversed(self.blocks):
            yield from reversed(block)

    @overload
    def __getitem__(self, at: int) -> RunCall: ...
    @overload
    def __getitem__(self, at: slice) -> tuple[RunCall, ...]: ...
    def __getitem__(self, at: int | slice) -> RunCall | tuple[RunCall, ...]:
        if isinstance(at, slice):
            return tuple(self)[at]
        place = range(len(self))[at]
        return self.blocks[place // BLOCK][place % BLOCK]

    def __eq__(self, other: object) -> bool:
        return self.blocks == other.blocks if isinstance(other, Requests) else NotImplemented

    def __repr__(self) -> str:
        return f"Requests({list(self)!r})"

    def place(self, key: str) -> int:
        """Return the place of the request with that key. Raises ``KeyError``."""
        return self._places[key]

    def with_changes(self, key: str, changes: Mapping[str, Any]) -> Requests:
        """Return them with other fields of one of them. Raises ``KeyError``."""
        number, at = divmod(self._places[key], BLOCK)
        block = self.blocks[number]
        changed = Block((*block[:at], replace(block[at], **changes), *block[at + 1 :]))
        blocks = (*self.blocks[:number], changed, *self.blocks[number + 1 :])
        return self._sharing(blocks, self._places)

    def mapped(self, change: Callable[[RunCall], RunCall]) -> Requests:
        """Return them with each as ``change`` returns it; its key stays."""
        blocks = []
        for block in self.blocks:
            changed = [change(each) for each in block]
            same = all(new is old for new, old in zip(changed, block, strict=True))
            blocks.append(block if same else Block(changed))
        return self._sharing(tuple(blocks), self._places)

    def count(self, *states: CallState) -> int:
        """Return how many are in one of these states."""
        return sum(block.states.get(state, 0) for block in self.blocks for state in states)

    def first(self, *states: CallState) -> RunCall | None:
        """Return the first that is in one of these states."""
        for block in self.blocks:
            if any(state in block.states for state in states):
                return next(each for each in block if each.state in states)
        return None

    def passed_over(self, after: int = -1) -> Iterator[RunCall]:
        """Go through those behind a place that stand though a roll back came to them."""
        for number in range((after + 1) // BLOCK, len(self.blocks)):
            if self.blocks[number].passed_over:
                first = number * BLOCK
                for at, each in enumerate(self.blocks[number], first):
                    if at > after and each.passed_over:
                        yield each

    def changed_since(self, before: Requests) -> Iterator[tuple[RunCall, RunCall]]:
        """Yield the calls that changed since ``before``, as (then, now).

        Raises ``ValueError`` when these are not the same requests.
        """
        for old, new in zip(before.blocks, self.blocks, strict=True):
            if old is not new:
                for was, now in zip(old, new, strict=True):
                    if was is not now:
                        yield was, now

    @classmethod
    def __get_pydantic_core_schema__(
        cls, source: object, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        """Be kept as a plain list of requests."""
        from pydantic_core import core_schema

        items = handler.generate_schema(tuple[RunCall, ...])
        return core_schema.no_info_after_validator_function(
            cls,
            items,
            serialization=core_schema.plain_serializer_function_ser_schema(
                tuple, return_schema=items
            ),
        )


A = TypeVar("A", bound="Arrangement")

RunState: TypeAlias = Literal["asking", "running", "stopped", "rolling-back", "finished"]
"""``asking``: nothing was sent; ``stopped``: somebody has to say how it goes on."""

UNDER_WAY: frozenset[CallState] = frozenset({"sending", "taking-back"})

NAMED = 2
"""So many requests a sentence names."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a run came to.

    ``sent`` counts the requests that stand, ``rolled_back`` those that were taken back, ``left``
    those that were not sent (they stay staged). ``made`` are the ids that the service gave, by
    provisional id. ``lasting`` are the lines of the changes that cannot be taken back; after a roll
    back (``back``) of all that stands still. ``unknown`` are the lines of the requests that may
    have arrived.
    """

    sent: int
    rolled_back: int
    left: int
    made: Mapping[str, str]
    lasting: tuple[str, ...] = ()
    back: bool = False
    unknown: tuple[str, ...] = ()

    @property
    def complete(self) -> bool:
        """Whether all of the plan was sent, or all of it taken back."""
        return not self.unknown and (self.sent == 0 if self.back else not self.left)

    @property
    def sentence(self) -> str:
        """What a person reads of it."""
        if not self.unknown:
            return self._known
        more = len(self.unknown) - 1
        others = f" and {more} more" if more else ""
        line = f"“{self.unknown[0]}”{others}"
        return f"Whether {line} arrived is not known: look first. {self._known}"

    @property
    def _known(self) -> str:
        if self.back:
            back = f"{plural(self.rolled_back, 'call')} undone; "
            back += "that stays staged." if self.lasting else "it all stays staged."
            if not self.rolled_back:
                back = "Nothing was undone."
            if not self.lasting:
                return back
            return f"{back} Still sent: {few(self.lasting, NAMED)}."
        if not self.sent:
            known = "Nothing else was sent" if self.unknown else "Nothing was sent"
            return f"{known}; it stays staged."
        if self.left:
            return f"{self.sent} of {self.sent + self.left} sent, {self.left} kept staged."
        done = f"{plural(self.sent, 'call')} sent."
        if not self.lasting:
            return f"{done} u undoes {'it' if self.sent == 1 else 'them'}."
        if len(self.lasting) == self.sent:
            return f"{done} This cannot be undone."
        return f"{done} u undoes all but {len(self.lasting)}."


@dataclass(frozen=True, slots=True)
class ArrangeRun:
    """The requests of a plan in the order in which they are sent, and how far that is.

    ``place`` is the name of the place that it belongs to, ``target`` the id of the site or the
    organization; of one target there is one run at a time, which is its identity. ``group`` ties
    its writes together, so that one undo takes them all back. ``made`` are the ids that the service
    gave to what was staged under provisional ones. ``back`` says that it goes (or went) backwards,
    ``cut`` that the process ended in the middle. ``began`` is in seconds since the epoch.
    """

    id: str
    place: str
    target: str
    title: str
    calls: Requests = field(default_factory=Requests)
    organization: str = ""
    state: RunState = "asking"
    group: str = ""
    made: Mapping[str, str] = field(default_factory=dict)
    back: bool = False
    cut: bool = False
    said: str = ""
    """Why it stopped, where that is not about one of its requests."""
    began: float = 0.0
    staged: str = ""
    """What was staged before anything was sent, as text: it is so again after a roll back."""
    version: int = 0
    """How often it was kept: whoever knows another version does not know how it stands."""

    @classmethod
    def of(
        cls,
        place: str,
        target: str,
        title: str,
        calls: Iterable[Call],
        *,
        organization: str = "",
        staged: str = "",
    ) -> ArrangeRun:
        """Return the run of a plan before anything of it is sent.

        ``title`` names the target, ``staged`` is what was staged, as text.
        """
        return cls(
            identity(place, target),
            place,
            target,
            clean(title),
            Requests(RunCall(call) for call in calls),
            organization,
            staged=staged,
        )

    # How far it is

    @property
    def current(self) -> RunCall | None:
        """The request that is under way."""
        return self.calls.first(*UNDER_WAY)

    @property
    def following(self) -> RunCall | None:
        """The request that is sent next."""
        return self.calls.first("waiting")

    @property
    def failure(self) -> RunCall | None:
        """The request that it stopped at."""
        stopped = self.calls.first("failed", "unknown")
        if self.back and stopped is None:
            return next(self.calls.passed_over(), None)
        return stopped

    @property
    def why(self) -> str:
        """Why it stopped; empty where it was told to."""
        if self.said or self.failure is None:
            return self.said
        if self.back and self.failure.state == "done":
            left = list(self.calls.passed_over())
            told = [f"“{each.call.line}”: {each.said.removesuffix('.')}" for each in left[:NAMED]]
            more = f"; and {len(left) - NAMED} more" if len(left) > NAMED else ""
            return f"Not undone: {'; '.join(told)}{more}."
        return self.failure.said

    def count(self, *states: CallState) -> int:
        """Return how many requests are in one of these states."""
        return self.calls.count(*states)

    @property
    def sent(self) -> int:
        """How many requests the service has."""
        return self.calls.count("done", "taking-back")

    @property
    def far(self) -> str:
        """How far it is: "2 of 5"."""
        done = self.count("taken-back") if self.back else self.sent
        whole = self.sent + self.count("taken-back") if self.back else len(self.calls)
        return f"{done} of {whole}"

    @property
    def begun(self) -> bool:
        """Whether something was sent of it, or may have been, and it has not ended."""
        return self.state in ("running", "stopped", "rolling-back")

    @property
    def for_good(self) -> list[RunCall]:
        """What cannot be taken back, where something is removed with that."""
        lasting = [each for each in self.calls if each.lasting]
        removes = any(each.call.step.operation.startswith("delete_") for each in lasting)
        return lasting if removes else []

    def returning(self) -> list[RunCall]:
        """Return what a roll back takes back, in its order: the newest first."""
        return [each for each in reversed(self.calls) if each.here and not each.lasting]

    def lasting(self) -> list[RunCall]:
        """Return the requests that were sent and cannot be taken back."""
        return [each for each in self.calls if each.here and each.lasting]

    @property
    def arrived_whole(self) -> bool:
        """Whether all of it was sent, though it has not ended: there is nothing to go on with."""
        whole = self.count("done") == len(self.calls)
        return self.state == "stopped" and not self.back and whole

    def find(self, key: str) -> RunCall:
        """Return the request with that key. Raises ``KeyError``."""
        return self.calls[self.calls.place(key)]

    def bound(self, item: RunCall) -> Call:
        """Return a request with the ids that the service gave in it."""
        return bind(item.call, self.made)

    @property
    def outcome(self) -> Outcome:
        """What it came to so far."""
        return Outcome(
            self.sent,
            self.count("taken-back"),
            len(self.calls) - self.sent,
            dict(self.made),
            tuple(
                each.call.line for each in self.calls if each.here and (self.back or each.lasting)
            ),
            self.back,
            tuple(each.call.line for each in self.calls if each.state == "unknown"),
        )

    def still_staged(self, before: A, layout: Layout) -> A:
        """Return the changes staged ``before`` that are still staged now.

        ``layout`` is how its target is by now.
        """
        sent = [self.bound(each) for each in self.calls if each.here]
        left = [self.bound(each) for each in self.calls if not each.here]
        return before.after_sending(layout, sent, left, self.made)

    # Forth

    def go(self, group: str = "", at: float = 0.0) -> ArrangeRun:
        """Begin, or go on: what failed is tried again. ``at`` is the time of the beginning.

        A request that may have arrived is sent again, too: whoever goes on has been told, and has
        asked for it.
        """
        calls = self.calls.mapped(
            lambda each: (
                replace(each, state="waiting", said="")
                if each.state in ("failed", "unknown")
                else each
            )
        )
        return replace(
            self, calls=calls, state="running", back=False, cut=False, said="",
            group=self.group or group, began=self.began or at,
        )  # fmt: skip

    def sending(self, key: str, known: Iterable[str] | None = None) -> ArrangeRun:
        """Note that a request is about to be sent."""
        ids = None if known is None else tuple(known)
        return self._with(key, state="sending", known=ids)

    def arrived(
        self,
        key: str,
        *,
        entry: str = "",
        made: Mapping[str, str] | None = None,
        seconds: float = 0.0,
        said: str = "",
    ) -> ArrangeRun:
        """Note that a request has arrived, and the ids of the things that it made."""
        item = self.find(key)
        run = self._with(
            key, state="done", said=said, entry=entry or item.entry, known=None, seconds=seconds
        )
        return replace(run, made={**run.made, **made}) if made else run

    def failed(self, key: str, said: str, *, unknown: bool = False, entry: str = "") -> ArrangeRun:
        """Stop at a request that did not happen, or (``unknown``) may not have."""
        state: CallState = "unknown" if unknown else "failed"
        item = self.find(key)
        run = self._with(key, state=state, said=said, entry=entry or item.entry)
        return replace(run, state="stopped")

    def not_sent(self, key: str) -> ArrangeRun:
        """Note that a request that was about to be sent is known not to have happened."""
        return self._with(key, state="waiting", said="", known=None)

    def stop(self, said: str = "") -> ArrangeRun:
        """Stop between two requests."""
        return replace(self, state="stopped", said=said)

    def cut_off(self) -> ArrangeRun:
        """Return a run that nobody goes through any more, though it was being gone through."""
        if self.state in ("running", "rolling-back"):
            return replace(self, state="stopped", cut=True)
        return self

    def finish(self) -> ArrangeRun:
        """End it: all was sent or taken back, or the rest is kept staged."""
        return replace(self, state="finished", cut=False, said="")

    # Back

    def turn_back(self) -> ArrangeRun:
        """Begin (or go on) to take back the requests that were sent."""
        calls = self.calls.mapped(
            lambda each: (
                replace(each, said="")
                if each.passed_over
                else replace(each, state="waiting", said="")
                if each.state == "failed"
                else each
            )
        )
        return replace(self, calls=calls, state="rolling-back", back=True, cut=False, said="")

    def passed_over_with(self, item: RunCall) -> str:
        """Return why a request is not taken back: the same steps would have, of a later one.

        Empty where there is no such. Those that put collections in line go back together.
        """
        back = None if item.call.reversal is None else item.call.reversal.back
        alike = (
            each.said
            for each in self.calls.passed_over(self.calls.place(item.call.key))
            if each.call.reversal is not None and each.call.reversal.back == back
        )
        return next(alike, "")

    def taking(self, key: str) -> ArrangeRun:
        """Note that a request is about to be taken back."""
        return self._with(key, state="taking-back")

    def taken(self, key: str, said: str = "", anew: Mapping[str, str] | None = None) -> ArrangeRun:
        """Note that a request was taken back; what it had made is no more.

        ``anew`` is the id of what it had removed and what came back under another one.
        """
        call = self.find(key).call
        gone = {call.makes, *call.also}
        made = {name: each for name, each in self.made.items() if name not in gone}
        made |= anew or {}
        return replace(self._with(key, state="taken-back", said=said), made=made)

    def not_taken(self, key: str, said: str) -> ArrangeRun:
        """Note that a request stands still, and why."""
        return self._with(key, state="done", said=said)

    def _with(self, key: str, **changes: Any) -> ArrangeRun:
        return replace(self, calls=self.calls.with_changes(key, changes))

    # In words

    def standing(self) -> str:
        """Return the state of an interrupted run as a sentence: its progress and its open steps."""
        if self.arrived_whole:
            return f"Rearranging {self.title} had arrived whole when copydesk ended"
        verb = "Undoing the rearranging of" if self.back else "Rearranging"
        return f"{verb} {self.title} stopped at {self.far}"

    def lasting_sentence(self) -> str:
        """Return how many sent steps cannot be undone, as a sentence; empty when all can."""
        lasting = self.lasting()
        if not lasting:
            return ""
        named = few([each.call.line for each in lasting], NAMED)
        if len(lasting) == self.sent:
            return f"Nothing of what was sent can be undone: {named}."
        return f"{_final_ones(len(lasting))}: {named}."


def identity(place: str, target: str) -> str:
    """Return the id of the run of a target: there is one at a time."""
    return f"{place} {target}"


def lasting_fact(calls: Iterable[Call], undo: str = "u") -> str:
    """Say of a plan how far one undo, which ``undo`` names, takes it back again."""
    calls = list(calls)
    lasting = sum(call.lasting for call in calls)
    if not lasting:
        return f"{undo} undoes all of it afterwards."
    if lasting == len(calls):
        return "This cannot be undone." if lasting == 1 else "All of these are final."
    return f"{_final_ones(lasting)}; {undo} undoes the rest."


def _final_ones(count: int) -> str:
    return f"{count} of these {'is' if count == 1 else 'are'} final"


_OF_RUNS = tuple(each.name for each in fields(ArrangeRun) if each.name not in ("calls", "made"))

_OF_CALLS = tuple(each.name for each in fields(RunCall) if each.name != "call")


def changes_between(before: ArrangeRun, now: ArrangeRun) -> dict[str, Any]:
    """Return the changes of a run since ``before`` as JSON.

    ``made`` holds what was added to it, ``gone`` the names of what went from it, ``calls`` the
    fields that changed of requests, by their keys. Raises ``ValueError`` where it is another plan.
    """
    changed: dict[str, Any] = {
        name: value for name in _OF_RUNS if (value := getattr(now, name)) != getattr(before, name)
    }
    if now.made is not before.made:
        made = {name: real for name, real in now.made.items() if before.made.get(name) != real}
        gone = [name for name in before.made if name not in now.made]
        changed |= {"made": made} if made else {}
        changed |= {"gone": gone} if gone else {}
    calls = {}
    for was, item in now.calls.changed_since(before.calls):
        if item.call is not was.call:
            raise ValueError("this is another plan")
        told = {
            name: value
            for name in _OF_CALLS
            if (value := getattr(item, name)) != getattr(was, name)
        }
        if told:
            calls[item.call.key] = told
    return changed | {"calls": calls} if calls else changed


def with_changes(run: dict[str, Any], lines: Iterable[dict[str, Any]]) -> dict[str, Any]:
    """Return a run, as JSON, with later results of `changes_between`, the oldest first.

    Raises ``LookupError``, ``TypeError`` or ``AttributeError`` for what is not about this run.
    """
    now = dict(run)
    made = dict(now.get("made", {}))
    calls = list(now.get("calls", ()))
    places = {each["call"]["key"]: at for at, each in enumerate(calls)}
    for line in lines:
        for key, told in line.get("calls", {}).items():
            calls[places[key]] = {**calls[places[key]], **told}
        for name in line.get("gone", ()):
            made.pop(name, None)
        made.update(line.get("made", {}))
        now.update({name: line[name] for name in _OF_RUNS if name in line})
    return {**now, "made": made, "calls": calls}
