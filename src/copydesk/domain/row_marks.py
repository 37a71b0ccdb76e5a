"""Which words of a changed row are marked, on both of its sides at once.

What is unmarked on one side is unmarked on the other, up to blanks: a reader who sees a word
unmarked among the removed rows may rely on it that it is still there.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Sequence
from typing import NamedTuple

from copydesk.domain.block_scanner import CELLS
from copydesk.domain.blocks import BlockText
from copydesk.domain.row_matches import QUICK, Group, marks_of
from copydesk.domain.words import CJK, Span, SpanKind, Spans, compare_words

NEAR = 3
"""Fewer unchanged characters than this between two marks are marked with them."""

JOINS = 8
"""How many passes join marks: joining over one gap can make the next one small."""

GROWN = 2 * QUICK
"""Characters of a pair of rows up to which marks grow to whole words."""

BREAK = "\u23ce"
"""Stands for a forced line break that is made by blanks, which nobody sees."""

_LETTERS = rf"(?:(?![{CJK}])[\w@%+~-])+"
_WORD = re.compile(rf"{_LETTERS}(?:[.'’]{_LETTERS})*")
"""A word, or a part of an address between its slashes."""

_GAP = re.compile(b"\x00+")
_RUNS = re.compile(b"\x00+|\x01+")


class Marked(NamedTuple):
    """A row before and after: what exactly differs, and the same grown to whole words."""

    before: Spans
    after: Spans
    before_grown: Spans
    after_grown: Spans


class RowMarks:
    """The marks of two texts' changed rows, made when they are asked for."""

    def __init__(self, before: BlockText, after: BlockText, groups: Sequence[Group]) -> None:
        self._before, self._after = before, after
        self._groups = groups
        self._old = {row: nth for nth, g in enumerate(groups) for row in range(g.a1, g.a2)}
        self._new = {row: nth for nth, g in enumerate(groups) for row in range(g.b1, g.b2)}
        self._pairs: dict[tuple[int, int], Marked] = {}
        self._rows: dict[int, tuple[dict[int, Spans], ...]] = {}

    def grouped(self, old: int | None, new: int | None) -> bool:
        """Whether a row is compared with several at once."""
        return old in self._old if new is None else new in self._new

    def of_pair(self, old: int, new: int, *, wait: bool = False) -> Marked | None:
        """Return the marks of two rows that are one row edited; None when that takes long."""
        if (nth := self._old.get(old)) is not None:
            was, now, was_grown, now_grown = self._group(nth)
            return Marked(was[old], now[new], was_grown[old], now_grown[new])
        found = self._pairs.get((old, new))
        if found is None:
            before, after = self._before.said(old), self._after.said(new)
            if not wait and len(before) + len(after) > QUICK:
                return None
            kind = self._before.row(old).kind
            marks = marks_of(kind, before, after)
            found = Marked(*marks, *whole_words(*marks, table=kind in CELLS))
            self._pairs[old, new] = found
        return found

    def of_one(self, old: int | None, new: int | None) -> tuple[Spans, Spans] | None:
        """Return the marks of a row that is in one text only, exact and grown; None if it has
        nothing to be compared with.
        """
        if new is None and old is not None and (nth := self._old.get(old)) is not None:
            was, _, grown, _ = self._group(nth)
            return was[old], grown[old]
        if old is None and new is not None and (nth := self._new.get(new)) is not None:
            _, now, _, grown = self._group(nth)
            return now[new], grown[new]
        return None

    def _group(self, nth: int) -> tuple[dict[int, Spans], ...]:
        """Compare rows that are broken in other places as one."""
        found = self._rows.get(nth)
        if found is None:
            a1, a2, b1, b2 = self._groups[nth]
            marks = compare_words(
                _broken(self._before, a1, a2), _broken(self._after, b1, b2), exact=False
            )
            grown = whole_words(*marks)
            found = self._rows[nth] = (
                dict(zip(range(a1, a2), map(_unbroken, _cut(marks[0])), strict=True)),
                dict(zip(range(b1, b2), map(_unbroken, _cut(marks[1])), strict=True)),
                dict(zip(range(a1, a2), _cut(grown[0]), strict=True)),
                dict(zip(range(b1, b2), _cut(grown[1]), strict=True)),
            )
        return found


def _broken(text: BlockText, first: int, stop: int) -> str:
    """Return rows as one text, with a sign for the breaks that nobody would see."""
    said: list[str] = []
    for row in range(first, stop):
        last = text.lines[text.row(row).stop - 1]
        goes_on = row + 1 < len(text) and text.block_of(row) == text.block_of(row + 1)
        said.append(text.said(row) + (f" {BREAK}" if goes_on and last.endswith("  ") else ""))
    return "\n".join(said)


def _cut(spans: Spans) -> list[Spans]:
    """Return the spans of each line of a text."""
    lines: list[list[Span]] = [[]]
    for text, kind in spans:
        for nth, part in enumerate(text.split("\n")):
            if nth:
                lines.append([])
            if part:
                lines[-1].append(Span(part, kind))
    return [tuple(line) for line in lines]


def _unbroken(spans: Spans) -> Spans:
    """Return the spans of a row without the sign for its break."""
    over = 2 if "".join(span.text for span in spans).endswith(f" {BREAK}") else 0
    found = list(spans)
    while over and found:
        text, kind = found.pop()
        if len(text) > over:
            found.append(Span(text[:-over], kind))
        over -= min(over, len(text))
    return tuple(found)


def whole_words(before: Spans, after: Spans, *, table: bool = False) -> tuple[Spans, Spans]:
    """Let the marks of both sides grow to whole words, for words in shreds read badly.

    Marks close to each other become one. Where more than half is marked on both sides, all is one
    mark, but for a row of a table. What one side marks the other one marks as well.
    """
    sides = before, after
    texts = ["".join(span.text for span in spans) for spans in sides]
    if len(texts[0]) + len(texts[1]) > GROWN or not all(texts):
        return before, after
    marked = [
        bytearray(b"".join((b"\x00" if kind == "same" else b"\x01") * len(t) for t, kind in spans))
        for spans in sides
    ]
    if not table and all(sum(marks) * 2 > len(marks) for marks in marked):
        return (Span(texts[0], "removed"),), (Span(texts[1], "added"),)
    kept = [
        [at for at, sign in enumerate(text) if not marks[at] and not sign.isspace()]
        for text, marks in zip(texts, marked, strict=True)
    ]
    if len(kept[0]) == len(kept[1]):
        _Growth(texts, marked, kept).grow()
    return _spans(texts[0], marked[0], "removed"), _spans(texts[1], marked[1], "added")


class _Growth:
    """Grows marks. ``kept`` are the places of the unmarked characters of both texts, in order."""

    def __init__(self, texts: list[str], marked: list[bytearray], kept: list[list[int]]) -> None:
        self._texts, self._marked = texts, marked
        self._partner = [array("q", [-1]) * len(text) for text in texts]
        for old, new in zip(*kept, strict=True):
            self._partner[0][old], self._partner[1][new] = new, old
        self._words = [[match.span() for match in _WORD.finditer(text)] for text in texts]
        self._word = [array("q", [-1]) * len(text) for text in texts]
        for words, place in zip(self._words, self._word, strict=True):
            for nth, (first, last) in enumerate(words):
                place[first:last] = array("q", [nth]) * (last - first)

    def grow(self) -> None:
        """Grow until nothing more is to be marked, or it has been tried often enough."""
        for side in (0, 1):
            for first, last in self._words[side]:
                if b"\x01" in self._marked[side][first:last]:
                    self._mark(side, first, last)
        for _ in range(JOINS):
            if not any([self._join(0), self._join(1)]):
                break

    def _mark(self, side: int, first: int, last: int) -> None:
        """Mark a stretch, its equal on the other side, and the whole words around both."""
        waiting = [(side, first, last)]
        while waiting:
            side, first, last = waiting.pop()
            marks, partner, other = self._marked[side], self._partner[side], 1 - side
            for at in range(first, last):
                if marks[at]:
                    continue
                marks[at] = 1
                to = partner[at]
                if to >= 0 and not self._marked[other][to]:
                    word = self._word[other][to]
                    stretch = (to, to + 1) if word < 0 else self._words[other][word]
                    waiting.append((other, *stretch))

    def _join(self, side: int) -> bool:
        """Mark gaps that are too short to stay unmarked; True when there were any."""
        text, marks = self._texts[side], self._marked[side]
        found = [match.span() for match in _GAP.finditer(marks)]
        joined = False
        for first, last in found:
            if not (first > 0 and last < len(text)) or last - first >= NEAR or marks[first]:
                continue
            signs = [at for at in range(first, last) if not text[at].isspace()]
            places = [self._partner[side][at] for at in signs]
            if not places or self._between(1 - side, places[0], places[-1]):
                self._mark(side, first, last)
                joined = True
        return joined

    def _between(self, side: int, first: int, last: int) -> bool:
        """Whether a stretch stands between two marks, but for blanks."""
        text, marks = self._texts[side], self._marked[side]
        while first > 0 and text[first - 1].isspace() and not marks[first - 1]:
            first -= 1
        last += 1
        while last < len(text) and text[last].isspace() and not marks[last]:
            last += 1
        return first > 0 and last < len(text) and bool(marks[first - 1] and marks[last])


def _spans(text: str, marked: bytearray, kind: SpanKind) -> Spans:
    return tuple(
        Span(text[match.start() : match.end()], kind if match[0][0] else "same")
        for match in _RUNS.finditer(marked)
    )
