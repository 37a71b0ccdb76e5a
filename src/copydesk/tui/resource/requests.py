"""What a list is limited by and put in order by, of what was typed or chosen; nothing is drawn."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeVar

from copydesk.domain.filter import fold
from copydesk.domain.text import clean, listed, shorten
from copydesk.tui.resource.resource import Condition

T = TypeVar("T")


def ways_to_ask(conditions: Sequence[Condition]) -> Sequence[str]:
    """Return what can be typed behind ``:where``: each condition with each of its values."""
    return [f"{each.name}={value}" for each in conditions for value in (each.values or ("",))]


def said_in(text: str, conditions: Sequence[Condition]) -> dict[str, str]:
    """Return what is typed behind ``:where``, by name. Raises ``ValueError`` for other words."""
    said: dict[str, str] = {}
    for word in _words(text):
        name, sign, value = word.partition("=")
        if not sign:
            raise ValueError(_none_such(re.split("[:<>]", word)[0], conditions))
        said[name] = value
    return said


def asked_with(said: Mapping[str, str], conditions: Sequence[Condition]) -> dict[str, Any]:
    """Return what the service is asked with; an empty text asks for nothing.

    Raises ``ValueError`` where there is no such condition, or none with such a value.
    """
    known = {each.name: each for each in conditions}
    asked: dict[str, Any] = {}
    for name, text in said.items():
        each = known.get(name)
        if each is None:
            raise ValueError(_none_such(name, conditions))
        if text and each.values and text not in each.values:
            raise ValueError(f"{name} is one of: {', '.join(each.values)}.")
        try:
            if text:
                asked[name] = each.read(text)
        except ValueError as error:
            raise ValueError(f"{name}: {error}") from error
    return asked


def _none_such(name: str, conditions: Sequence[Condition]) -> str:
    """Say that the service limits a list by other things than this."""
    known = [each.name for each in conditions]
    if name in known:
        return f":where {name}=VALUE asks the service for those."
    ways = " or ".join(f":where {each}=VALUE" for each in known[:2])
    return (
        f"The service limits this list by {listed(known)}, not by {shorten(clean(name), 24)}: "
        f"{ways}. / filters here by anything else."
    )


def in_order(rows: Iterable[T], by: Callable[[T], Any], *, backwards: bool) -> list[T]:
    """Return rows by something about them; those of which it is not told stand last either way."""

    def known(item: T) -> tuple[bool, Any]:
        value = by(item)
        return value is None, fold(value) if isinstance(value, str) else value

    found = [(known(item), item) for item in rows]
    there = sorted((e for e in found if not e[0][0]), key=lambda e: e[0][1])
    if backwards:
        there.reverse()
    return [item for _, item in there] + [item for (absent, _), item in found if absent]


def _words(text: str) -> list[str]:
    """Cut text at blanks; what stands in quotes stays together."""
    import shlex

    try:
        return shlex.split(text)
    except ValueError:
        return text.split()
