"""Reading JSON typed by a person: its faults, and the position of each part."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import field
from typing import Any, NoReturn, TypeAlias

from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.text import clean, shorten

JSON: TypeAlias = Any
"""What JSON can say."""

Path: TypeAlias = tuple[str | int, ...]
"""The names and positions that lead to a part of a value."""


def where(path: Path) -> str:
    """Return the place of a part in words: ``blocks[0].title``."""
    said = ""
    for part in path:
        if isinstance(part, int):
            said += f"[{part}]"
        else:
            said += f"{'.' if said else ''}{shorten(clean(part))}"
    return said


LONGEST = 1_000_000
"""Characters of a text that are read."""

DEEPEST = 64
"""How deep objects and lists may be inside one another."""

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\],:]|[^\s{}\[\],:"]+')

_PLAIN = {
    "Expecting property name enclosed in double quotes": (
        "a name in double quotes is missing (or a comma before it is one too many)"
    ),
    "Expecting value": "a value is missing",
    "Expecting ',' delimiter": "a comma is missing",
    "Expecting ':' delimiter": "a colon is missing",
    "Extra data": "there is more after the end",
    "Unterminated string starting at": "this text has no closing quote",
    "Invalid control character at": "a line end or a tab in a text has to be written as \\n or \\t",
    "Illegal trailing comma before end of object": "there is a comma too many before the end",
    "Illegal trailing comma before end of array": "there is a comma too many before the end",
}
"""What the reader of JSON says, in words for people."""


class JsonTextError(ValueError):
    """A text that is no JSON; the message says why, ``line`` and ``column`` (from 1) say where."""

    def __init__(self, said: str, line: int, column: int) -> None:
        super().__init__(said)
        self.line, self.column = line, column


@dataclass(frozen=True)
class JsonText:
    """A value with the text that says it.

    ``twice`` are members that an object has more than once: only the last of them counts.
    """

    value: JSON
    text: str
    twice: tuple[tuple[Path, int], ...] = ()
    _starts: Mapping[Path, int] = field(default_factory=dict, repr=False)

    def where(self, path: Path) -> tuple[int, int]:
        """Return the line and the column (from 1) of a part, or of the part that would hold it."""
        while path and path not in self._starts:
            path = path[:-1]
        return place_of(self.text, self._starts.get(path, 0))


def place_of(text: str, offset: int) -> tuple[int, int]:
    """Return the line and the column (from 1) of a character."""
    line = text.count("\n", 0, offset) + 1
    return line, offset - (text.rfind("\n", 0, offset) + 1) + 1


def read_json(text: str) -> JsonText:
    """Read a text. Raises `JsonTextError` with the first thing that makes it no JSON."""
    if len(text) > LONGEST:
        raise JsonTextError(f"it is longer than {LONGEST:,} characters", 1, 1)
    starts, twice = _walk(text)
    try:
        value = json.loads(text, parse_constant=_no_number)
    except json.JSONDecodeError as error:
        said = _PLAIN.get(error.msg, error.msg[:1].lower() + error.msg[1:])
        raise JsonTextError(said, error.lineno, error.colno) from error
    except ValueError as error:  # NaN, or more digits than a number may have
        word = str(error) if str(error) in _CONSTANTS else "a number too long"
        at = text.find(word) if word in _CONSTANTS else 0
        raise JsonTextError(f"{word} is not a JSON value", *place_of(text, at)) from error
    if (half := _HALF.search(text)) is not None and not _whole(value):
        said = f"{half[0]}: incomplete character, its other half is missing"
        raise JsonTextError(said, *place_of(text, half.start()))
    return JsonText(value, text, tuple(twice), starts)


_HALF = re.compile(r"\\u[dD][89a-fA-F][0-9a-fA-F]{2}")


def _whole(value: JSON) -> bool:
    """Whether a value can be sent: half a character cannot."""
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return False
    return True


_CONSTANTS = ("NaN", "Infinity", "-Infinity")


def _no_number(word: str) -> NoReturn:
    raise ValueError(word)


@dataclass(slots=True)
class _Level:
    path: Path
    is_list: bool
    at: int = 0
    name: str | None = None

    @property
    def here(self) -> Path:
        return (*self.path, self.at if self.is_list else (self.name or ""))


def _walk(text: str) -> tuple[dict[Path, int], list[tuple[Path, int]]]:
    """Return where the parts of a JSON text begin, and the names it has twice.

    It is read up to its first error.

    Raises `JsonTextError` for JSON that is nested too deep.
    """
    starts: dict[Path, int] = {}
    twice: list[tuple[Path, int]] = []
    levels: list[_Level] = []
    for match in _TOKEN.finditer(text):
        part = match[0]
        level = levels[-1] if levels else None
        if level is not None and not level.is_list and level.name is None and part[0] == '"':
            level.name = _name(part)
            if level.here in starts:
                twice.append((level.here, match.start()))
            starts[level.here] = match.start()
            continue
        if part in "]}":
            del levels[-1:]
        elif part == ",":
            if level is not None:
                level.at, level.name = level.at + 1, None
        elif part != ":":
            path = level.here if level is not None else ()
            if level is None or level.is_list:
                starts.setdefault(path, match.start())
            if part in "{[":
                if len(levels) == DEEPEST:
                    said = f"it is nested more than {DEEPEST} deep"
                    raise JsonTextError(said, *place_of(text, match.start()))
                levels.append(_Level(path, part == "["))
    return starts, twice


def _name(token: str) -> str:
    try:
        return str(json.loads(token))
    except ValueError:
        return token
