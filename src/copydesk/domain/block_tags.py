"""The tags of the platform, as ``{% hint style="warning" %}``, and what each says to a reader.

What is said is made of words of ours and of parts of the line, told by their places: where two
versions of a line are compared, a part keeps the marks that it has there.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple, TypeAlias

Piece: TypeAlias = str | tuple[int, int]
"""A word of ours, or from where to where a part of the line goes."""

_NAME = re.compile(r"-?\s*([A-Za-z@][\w@/.-]*)")
_ATTRIBUTE = re.compile(
    r"(?<!\S)([A-Za-z][\w-]*)=(?:\"((?:[^\"\\]|\\.)*)\"|'([^']*)'|([^\s\"'=][^\s\"']*))(?!\S)"
)


class Kind(NamedTuple):
    """A kind of block: ``word`` is its name, ``sign`` the name of its glyph.

    Values of the attributes ``told`` need no name. What a block ``holds`` carries a bar. The parts
    of one block are counted in it: ``inside`` names the tag of the whole.
    """

    word: str
    sign: str = "block"
    told: Sequence[str] = ()
    holds: bool = False
    inside: str = ""


_OPERATION = Kind("OpenAPI operation", told=("method", "path", "spec", "src"))

KINDS: Mapping[str, Kind] = {
    "hint": Kind("hint", "quote", ("style",), holds=True),
    "tabs": Kind("tabs", "tabs"),
    "tab": Kind("tab", "tabs", ("title",), holds=True, inside="tabs"),
    "stepper": Kind("steps", "step"),
    "step": Kind("step", "step", ("title",), holds=True, inside="stepper"),
    "columns": Kind("columns", "column"),
    "column": Kind("column", "column", holds=True, inside="columns"),
    "code": Kind("code", told=("title",)),
    "content-ref": Kind("page", "right", ("url",)),
    "page-ref": Kind("page", "right", ("page",)),
    "file": Kind("file", "embed", ("src",)),
    "embed": Kind("embed", "embed", ("url",)),
    "include": Kind("reusable content"),
    "openapi": _OPERATION,
    "openapi-operation": _OPERATION,
    "swagger": _OPERATION,
    "openapi-schemas": Kind("OpenAPI schemas", told=("schemas", "spec", "src")),
    "openapi-webhook": Kind("OpenAPI webhook", told=("name", "method", "spec", "src")),
    "updates": Kind("updates"),
    "update": Kind("update", told=("date",), holds=True),
    "prompt": Kind("prompt", told=("description",), holds=True),
    "if": Kind("only if", holds=True),
    "elif": Kind("otherwise if", holds=True, inside="if"),
    "else": Kind("otherwise", holds=True, inside="if"),
}
"""The blocks of the platform that are written as tags; of others the text stays as it is."""


class Tag(NamedTuple):
    """A line that is a tag. ``ends`` is one that ends what another began."""

    name: str
    kind: Kind
    ends: bool
    about: tuple[Piece, ...]
    """What is told beside its word."""


def is_tag(line: str) -> bool:
    """Whether a line is a tag, known or not."""
    said = line.strip()
    return said.startswith("{%") and said.endswith("%}") and len(said) > 3


def read_tag(line: str) -> Tag | None:
    """Return the tag that a line is; None for text, and for tags that are not known."""
    if not is_tag(line):
        return None
    start, stop = len(line) - len(line.lstrip()), len(line.rstrip())
    found = _NAME.match(line, start + 2, stop - 2)
    if found is None:
        return None
    name = found[1]
    ends = name.startswith("end") and name[3:] in KINDS
    kind = KINDS.get(name[3:] if ends else name)
    if kind is None:
        return None
    about = _about(line, found.end(), stop - 2, kind)
    if not ends:
        return Tag(name, kind, False, about)
    return None if about else Tag(name[3:], kind, True, ())


def _about(line: str, start: int, stop: int, kind: Kind) -> tuple[Piece, ...]:
    """Return what a tag tells: first what needs no name, then the rest as it stands there."""
    if line[stop - 1] == "-":
        stop -= 1
    told: dict[str, Piece] = {}
    rest: list[tuple[Piece, ...]] = []
    at = start
    for found in _ATTRIBUTE.finditer(line, start, stop):
        rest += _bare(line, at, found.start())
        at = found.end()
        value = found.span(found.lastindex or 0)
        if found[1] in kind.told and found[1] not in told:
            told[found[1]] = value
        else:
            rest.append((found.span(1), " ", value))
    rest += _bare(line, at, stop)
    pieces: list[Piece] = []
    for name in kind.told:
        if name in told:
            pieces += [*([" "] if pieces else []), told[name]]
    for part in rest:
        pieces += [*([", "] if pieces else []), *part]
    return tuple(pieces)


def _bare(line: str, start: int, stop: int) -> list[tuple[Piece, ...]]:
    """Return what stands between attributes, without the quotes around it."""
    part = line[start:stop]
    start, stop = start + len(part) - len(part.lstrip()), stop - len(part) + len(part.rstrip())
    if stop - start > 1 and line[start] == line[stop - 1] == '"':
        start, stop = start + 1, stop - 1
    return [((start, stop),)] if stop > start else []


def said_of(tag: Tag, line: str) -> str:
    """Return what a tag tells beside its word, as text."""
    return "".join(piece if isinstance(piece, str) else line[slice(*piece)] for piece in tag.about)
