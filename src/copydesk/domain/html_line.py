"""Lines of HTML that hold other blocks, as ``<details>`` and ``<figure>``: what each says to a
reader.

Like a tag of the platform (`copydesk.domain.block_tags`) such a line is told in words of ours and
in parts of it, so that these keep the marks that they have where two versions are compared.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from copydesk.domain.block_tags import Kind, Piece, Tag

_KINDS = {
    "details": Kind("expandable", "folded", holds=True),
    "summary": Kind("title", "folded"),
    "table": Kind("table"),
    "figure": Kind("figure", "embed"),
    "img": Kind("picture", "embed"),
    "figcaption": Kind("caption", "embed"),
    "thead": Kind("head"),
    "tbody": Kind("rows"),
    "tfoot": Kind("foot"),
}
"""The tags that tell what a line is: the first of them that it has, in this order."""

_CARDS = Kind("cards", "card")
_HOLDS = frozenset({"p", "div", "picture", "tr", "colgroup"})
"""Tags that say nothing themselves; a line that has no others stays as it was written."""

_STYLES = frozenset(
    {"strong", "b", "em", "i", "code", "del", "s", "u", "mark", "span", "sub", "sup"}
)
"""Tags that style words: they part no two of them."""

_TAG = re.compile(r"<(/?)([a-z]+)((?:\s(?:[^<>\"']|\"[^\"]*\"|'[^']*')*)?)/?>", re.IGNORECASE)
_ATTRIBUTE = re.compile(r"([a-z][\w:-]*)(?:=(?:\"([^\"]*)\"|'([^']*)'))?", re.IGNORECASE)

_MOST = 4_000
"""Characters of a line that is read; a longer one stays as it was written."""


class _Said(NamedTuple):
    """A tag of a line: ``start`` and ``stop`` are where it stands."""

    start: int
    stop: int
    ends: bool
    name: str
    given: tuple[tuple[str, tuple[int, int], tuple[int, int]], ...]
    """Its attributes: each name, where it stands, and where its value does."""


def read_html(line: str) -> Tag | None:
    """Return what a line of HTML says; None for one that stays as it was written."""
    if len(line) > _MOST or "<" not in line:
        return None
    tags = [_said(line, found) for found in _TAG.finditer(line)]
    known = {each.name for each in tags}
    if not known or not known <= _KINDS.keys() | _HOLDS | _STYLES:
        return None
    begun = {each.name for each in tags if not each.ends}
    first = next((name for name in _KINDS if name in begun), None)
    ends = first is None
    if first is None:
        first = next((name for name in _KINDS if name in known), None)
        if first is None:
            return None
    if any(each.ends and each.name not in begun and each.name in ("details", "summary", "table",
           "figure") and (not ends or each.name != first) for each in tags):  # fmt: skip
        return None  # it ends one block and is another
    about = _about(line, tags)
    if about is None or (ends and about):
        return None
    kind = _KINDS[first]
    if first == "table" and any(
        name == "data-view" and line[slice(*value)] == "cards"
        for each in tags
        for name, _, value in each.given
    ):
        kind = _CARDS
    return Tag(first, kind, ends, about)


def _said(line: str, found: re.Match[str]) -> _Said:
    given = tuple(
        (each[1].lower(), each.span(1), each.span(each.lastindex or 1) if each.lastindex != 1 else
         (each.end(), each.end()))
        for each in _ATTRIBUTE.finditer(line, *found.span(3))
    )  # fmt: skip
    return _Said(*found.span(), bool(found[1]), found[2].lower(), given)


def _about(line: str, tags: list[_Said]) -> tuple[Piece, ...] | None:
    """Return the texts and the attributes of a line, and the pictures in it as pages have them.

    None where something between the tags looks like one more.
    """
    pieces: list[Piece] = []
    rest: list[Piece] = []
    at = 0
    apart = False
    for tag in [*tags, None]:
        stop = len(line) if tag is None else tag.start
        text = line[at:stop]
        if "<" in text or ">" in text:
            return None
        if text.strip():
            start, end = at + len(text) - len(text.lstrip()), at + len(text.rstrip())
            pieces += [*([" "] if pieces and (apart or start > at) else []), (start, end)]
            apart = end < stop
        elif text:
            apart = True
        if tag is None:
            break
        at = tag.stop
        apart = apart or tag.name not in _STYLES
        told = {name: value for name, _, value in tag.given}
        if tag.name == "img":
            alt, src = told.get("alt"), told.get("src", (0, 0))
            words: Piece = alt if alt is not None and alt[0] < alt[1] else "no text"
            pieces += [*([" "] if pieces else []), "[image: ", words, "] (", src, ")"]
            apart = True
        for name, place, value in tag.given:
            if tag.name == "img" and name in ("alt", "src"):
                continue
            if tag.name == "table" and name == "data-view" and line[slice(*value)] == "cards":
                continue
            rest += [", ", place]
            rest += [" ", value] if value[0] < value[1] else []
    if rest and not pieces:
        del rest[0]
    return (*pieces, *rest)
