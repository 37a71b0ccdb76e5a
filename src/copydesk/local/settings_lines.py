"""The tables of the settings file, their keys, and their lines, which no reader tells."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeAlias, TypeVar

from copydesk.domain.nearest_word import did_you_mean

T = TypeVar("T")

Keys: TypeAlias = Mapping[str, tuple[tuple[type, ...], str]]
"""The keys of a table, with their types and how they are written."""


def wrong_key(key: str, value: object, keys: Keys, noun: str) -> str:
    """Return what is wrong with a key of a table, or with its type; "" for nothing."""
    if key not in keys:
        from copydesk.domain.text import clean  # only mistakes need it

        meant = did_you_mean(key, keys, f"the keys are {', '.join(keys)}")
        return f"{clean(key, limit=60)} is not a key of a {noun}: {meant}"
    kinds, written = keys[key]
    texts = not isinstance(value, list) or all(isinstance(each, str) for each in value)
    return "" if type(value) in kinds and texts else f"{key} must be {written}"


def runs(words: Sequence[str]) -> bool:
    """Whether words can be a command."""
    return bool(words and words[0].strip()) and not any("\0" in word for word in words)


def read_tables(
    table: str,
    value: object,
    text: str,
    mistakes: Callable[[str, object], Iterable[str]],
    make: Callable[[str, Mapping[str, Any]], T],
) -> tuple[tuple[T, ...], list[tuple[int, str]]]:
    """Return what the tables below ``table`` say, and every mistake with its line.

    ``value`` is the content under it, ``text`` the whole file. One with a mistake is left out, and
    no other; each of them is made before the next is looked at.
    """
    if not isinstance(value, dict):
        said = f"{table} are tables: each begins with [{table}.NAME]"
        return (), [(line_in_table(table, "", text), said)]
    made: list[T] = []
    wrong: list[tuple[int, str]] = []
    for name, given in value.items():
        unnamed = f"a table of {table} has no name: it begins with [{table}.NAME]"
        found = list(mistakes(name, given)) if name.strip() else [unnamed]
        wrong += [(line_in_table(table, name, text), sentence) for sentence in found]
        if not found:
            made.append(make(name, given))
    return tuple(made), wrong


def line_in_table(table: str, name: str, text: str) -> int:
    """Return the line of an entry of a top-level table, else that of the table; 0 for none."""
    above = rf"[\"']?{re.escape(table)}[\"']?"
    one = rf"[\"']?{re.escape(name)}[\"']?"
    begins = re.compile(rf"\s*\[?\s*{above}\s*[\].=]")
    names = re.compile(rf"\s*(?:\[\s*{above}\s*\.\s*)?(?:{above}\s*\.\s*)?{one}\s*[\].=]")
    found = 0
    for at, line in enumerate(text.splitlines(), 1):
        if found and name and names.match(line):
            return at
        if begins.match(line):
            found = found or at
            if name and names.match(line):
                return at
    return found


def lines_in_list(table: str, count: int, text: str) -> list[int]:
    """Return the lines at which so many tables of a top-level list begin; 0 for none.

    Those that are written within ``table = […]`` are on the line of that.
    """
    name = rf"[\"']?{re.escape(table)}[\"']?"
    begins = re.compile(rf"\s*(?:\[\[\s*{name}\s*\]\]|{name}\s*=)")
    lines = [at for at, line in enumerate(text.splitlines(), 1) if begins.match(line)] or [0]
    return [lines[min(at, len(lines) - 1)] for at in range(count)]
