"""The requests of a run, and what became of each.

A run is a value that changes with every request of it. `Requests` keeps them in blocks that are
shared between these values: the next value costs one block anew, however long the plan is.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, overload

from copydesk.domain.call import Call
from copydesk.domain.late_dataclass import dataclass

if TYPE_CHECKING:
    from pydantic import GetCoreSchemaHandler
    from pydantic_core import CoreSchema

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
