"""``-f`` and ``-F`` of ``copydesk api``: fields as they are typed, and the JSON that they make.

``a=1`` is a member, ``a[b]=1`` one inside another, ``a[]=1`` an item of a list, ``a[][b]=1`` a
member of an item, which begins a new item once the last one has it. ``a[]`` alone is a list without
items. That is how people know it from `gh api`.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from copydesk.cli.errors import UsageError

STANDARD_INPUT = "-"

MOST_PARTS = 32
"""How deep a field may reach into others."""

_KEY = re.compile(r"(?P<name>[^\[\]]+)(?P<rest>(?:\[[^\[\]]*\])*)")
_WHOLE_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]{0,18})")
_WORDS: dict[str, bool | None] = {"true": True, "false": False, "null": None}


@dataclass(frozen=True, slots=True)
class Field:
    """A field as it was typed. A ``typed`` one says numbers, true, false, null, and @files."""

    text: str
    typed: bool = False


class _Empty:
    """What ``a[]`` alone is given: nothing, in a list."""


def query_of(fields: Iterable[Field]) -> list[tuple[str, str]]:
    """Return fields as parts of a query; those of ``a[]`` repeat the name (the API's arrays).

    Raises ``UsageError`` for a field that cannot be there.
    """
    pairs: list[tuple[str, str]] = []
    for field in fields:
        key, sign, value = field.text.partition("=")
        if not sign:
            raise UsageError(f"-f {field.text}: in a query it takes a value: {key or 'key'}=value")
        parts = _parts(key, field)
        if len(parts) > 1 and parts[1:] != [""]:
            raise UsageError(f"-f {key}: a query has no fields inside of others")
        reads = field.typed and value.startswith("@")
        pairs.append((parts[0], _read(value[1:], field) if reads else value))
    return pairs


def body_of(fields: Iterable[Field]) -> dict[str, Any]:
    """Return the JSON object that fields make. Raises ``UsageError`` for those that make none."""
    body: dict[str, Any] = {}
    for field in fields:
        key, sign, text = field.text.partition("=")
        parts = _parts(key, field)
        value: Any = text
        if not sign:
            if parts[-1] != "" or len(parts) == 1:
                raise UsageError(f"-f {field.text}: it takes a value: {key or 'key'}=value")
            value = _Empty()
        elif field.typed:
            value = _typed(text, field)
        _put(body, parts, value, key)
    return body


def _parts(key: str, field: Field) -> list[str]:
    found = _KEY.fullmatch(key)
    if found is None:
        raise UsageError(f"-f {field.text}: {key!r} is no name: write a=1, a[b]=1 or a[]=1")
    inside = re.findall(r"\[([^\[\]]*)\]", found["rest"])
    if len(inside) > MOST_PARTS:
        raise UsageError(f"-f {found['name']}…: it reaches more than {MOST_PARTS} deep")
    return [found["name"], *inside]


def _typed(text: str, field: Field) -> Any:
    if text in _WORDS:
        return _WORDS[text]
    if _WHOLE_NUMBER.fullmatch(text):
        return int(text)
    return _read(text[1:], field) if text.startswith("@") else text


def _read(name: str, field: Field) -> str:
    try:
        content = sys.stdin.buffer.read() if name == STANDARD_INPUT else Path(name).read_bytes()
        return content.decode()
    except UnicodeDecodeError as error:
        raise UsageError(f"-F {field.text}: {name} is not UTF-8 text") from error
    except (OSError, ValueError) as error:
        said = getattr(error, "strerror", None) or str(error)
        raise UsageError(f"-F {field.text}: {name} cannot be read: {said}") from error


def _put(into: dict[str, Any], parts: Sequence[str], value: Any, key: str) -> None:
    """Put a value where the parts of a key lead."""
    name, *rest = parts
    if not rest:
        if name in into:
            raise UsageError(f"-f {key} is given twice; {key}[]=… makes a list")
        into[name] = value
        return
    wanted = list if rest[0] == "" else dict
    there = into.setdefault(name, wanted())
    if type(there) is not wanted:
        raise UsageError(f"-f {key}: {name} is something else already")
    if isinstance(there, dict):
        _put(there, rest, value, key)
        return
    more = rest[1:]
    if not more:
        if not isinstance(value, _Empty):
            there.append(value)
        return
    if more[0] == "":
        raise UsageError(f"-f {key}: there are no lists right inside of lists")
    if not there or not isinstance(there[-1], dict) or _taken(there[-1], more):
        there.append({})
    _put(there[-1], more, value, key)


def _taken(item: dict[str, Any], parts: Sequence[str]) -> bool:
    """Whether an item has a member already, so that another item begins."""
    if parts[0] not in item:
        return False
    inside = item[parts[0]]
    if len(parts) == 1:
        return True
    return isinstance(inside, dict) and parts[1] != "" and _taken(inside, parts[1:])
