"""Reading answers that are not quite as the contract has them: by one rule, for every model.

An optional field of a shape that is not known is dropped, and its object stays. An object that
lacks what it cannot do without is dropped, and the list that it is an item of stays. Where nothing
is left the answer is refused.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple, TypeAlias, TypeVar

from pydantic import TypeAdapter, ValidationError
from pydantic_core import ErrorDetails, from_json, to_json

T = TypeVar("T")

Way: TypeAlias = tuple[str | int, ...]
"""The names and numbers that lead to a part of a JSON value."""

LENIENT = {"lenient": True}
"""The context of a model that is read without parts that did not fit: some say what is missing."""

MOST_ROUNDS = 40
"""How often an answer is tried without the parts that did not fit; each try goes a level up."""


class Dropped(NamedTuple):
    """A part that was dropped: its path, the reason, and its value."""

    way: Way
    why: str
    value: Any

    @property
    def item(self) -> bool:
        """Whether it is an item of the list, or of the tree, that was asked for."""
        names = {step for step in self.way if isinstance(step, str)}
        return isinstance(self.way[-1], int) and len(names) <= 1

    @property
    def place(self) -> str:
        """Where it stood, such as ``items.3``."""
        return ".".join(map(str, self.way))

    @property
    def field(self) -> str:
        """Where it stood, in whichever item of a list, such as ``items.*.icon``."""
        return ".".join("*" if isinstance(step, int) else step for step in self.way)


def read_leniently(adapter: TypeAdapter[T], content: bytes) -> tuple[T, list[Dropped]]:
    """Return what JSON says, and what of it had to be left out.

    Raises ``ValidationError``, for the whole, where it is no JSON or nothing of it fits.
    """
    try:
        return adapter.validator.validate_json(content), []
    except ValidationError as error:
        failed = first = error
    try:
        value, whole = from_json(content), from_json(content)
    except ValueError:
        raise first from None
    came = dict(_pairs(value, whole))
    dropped: list[Dropped] = []
    for _ in range(MOST_ROUNDS):
        faults = _deepest(value, failed.errors(include_url=False, include_context=False))
        # From the end: what stands before it in a list keeps its number.
        for way in sorted(faults, key=_place, reverse=True):
            part = _take_out(value, way)
            dropped.append(Dropped(way, faults[way], came.get(id(part), part)))
        if not faults:
            break
        try:
            left = to_json(value, inf_nan_mode="constants")
            return adapter.validate_json(left, context=LENIENT), dropped
        except ValidationError as error:
            failed = error
    raise first


def _pairs(value: Any, whole: Any) -> Iterator[tuple[int, Any]]:
    """Yield each object and list in a value, by its id, with the same one in its copy."""
    if isinstance(value, dict | list):
        yield id(value), whole
        steps = value if isinstance(value, dict) else range(len(value))
        for step in steps:
            yield from _pairs(value[step], whole[step])


def _deepest(value: Any, errors: Iterable[ErrorDetails]) -> dict[Way, str]:
    """Return the parts that errors are about, with the reason, but for those that hold others.

    What holds another part may fit without that.
    """
    found = {_way(value, error["loc"]): error["msg"] for error in errors}
    above = {way[:length] for way in found for length in range(len(way))}
    return {way: why for way, why in found.items() if way and way not in above}


def _way(value: Any, location: Way) -> Way:
    """Return the way to the part with an error.

    For a missing field that is the object without it. A location also names the kinds of a union,
    which the value does not have: they are left out.
    """
    way: list[str | int] = []
    for step in location:
        known = isinstance(value, dict) and step in value
        if known or (isinstance(value, list) and isinstance(step, int) and step < len(value)):
            way.append(step)
            value = value[step]
    return tuple(way)


def _place(way: Way) -> tuple[str, ...]:
    return tuple(f"{step:012}" if isinstance(step, int) else step for step in way)


def _take_out(value: Any, way: Way) -> Any:
    for step in way[:-1]:
        value = value[step]
    return value.pop(way[-1])
