"""The words that differ between two versions of a row: of prose, of a line of code, of a table."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal, NamedTuple, TypeAlias

from copydesk.domain.blocks import cells, even
from copydesk.domain.sequence_matches import Run, equal_runs, shortest_edit

SpanKind: TypeAlias = Literal["same", "added", "removed"]

WORD_CELLS = 4_000_000
"""Word pairs up to which two rows are matched exactly; longer ones are matched like lines."""

SAMPLE = 120
"""Words at each end of a long row that identify it."""

_MARKUP = frozenset("#*_`~|>-+=<[]{}\\/")

_PIECE = 32_768
"""Characters cut into words at once."""

CJK = "\u0e00-\u0eff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
"""Characters of scripts that have no spaces between words, for a class of a pattern."""

MARKS = "\u0e31\u0e34-\u0e3a\u0e47-\u0e4e\u0eb1\u0eb4-\u0ebc\u0ec8-\u0ece\u3099\u309a"
"""Those that belong to the one before them."""

# Words: single characters where a script has no spaces between words, else runs without ASCII
# punctuation and the punctuation of Unicode's general and CJK blocks; then space; then signs.
_TOKEN = re.compile(
    rf"[{CJK}][{MARKS}]*|\s+|[^\s!-/:-@\[-`{{-~\u2000-\u206f\u3000-\u303f\uff00-\uff0f{CJK}]+|.",
    re.DOTALL,
)


class Span(NamedTuple):
    """A part of a row, and whether it is in both texts or in one of them."""

    text: str
    kind: SpanKind


Spans: TypeAlias = tuple[Span, ...]


def tokens(text: str) -> list[str]:
    """Return text cut into words, runs of space, and single signs; joined they are the text."""
    if len(text) <= _PIECE:
        return _TOKEN.findall(text)
    found: list[str] = []
    at = 0
    while at < len(text):
        stop = text.find(" ", at + _PIECE, at + 2 * _PIECE) + 1 or at + _PIECE
        found += _TOKEN.findall(text[at:stop])
        at = stop
    return found


def words(text: str) -> list[str]:
    """Return the words that identify a row: of a long one those of its two ends.

    The signs of Markdown are left out, unless there is nothing else: every heading has them.
    """
    if len(text) > SAMPLE * 20:
        text = text[: SAMPLE * 10] + " " + text[-SAMPLE * 10 :]
    signs = [token for token in _TOKEN.findall(text) if not token.isspace()]
    found = [token for token in signs if token not in _MARKUP] or signs
    return found if len(found) <= SAMPLE * 2 else found[:SAMPLE] + found[-SAMPLE:]


def matching_tokens(old: Sequence[str], new: Sequence[str]) -> list[Run]:
    """Return the runs of equal tokens, in order."""
    start = common(old, new)
    end = common(old[start:][::-1], new[start:][::-1])
    inner_old, inner_new = old[start : len(old) - end], new[start : len(new) - end]
    if len(inner_old) * len(inner_new) <= WORD_CELLS:
        inner = shortest_edit(inner_old, inner_new)
    else:
        inner = equal_runs(inner_old, inner_new)
    runs = [Run(0, 0, start), *(Run(start + a, start + b, size) for a, b, size in inner)]
    runs.append(Run(len(old) - end, len(new) - end, end))
    return [run for run in runs if run.size]


def compare_words(before: str, after: str, *, exact: bool = True) -> tuple[Spans, Spans]:
    """Mark the words that differ between two versions of a row: its spans before and after.

    Unless ``exact``, blanks of any number are one blank.
    """
    old, new = tokens(before), tokens(after)
    if exact:
        runs = matching_tokens(old, new)
    else:
        runs = matching_tokens(
            [" " if token.isspace() else token for token in old],
            [" " if token.isspace() else token for token in new],
        )
    was, now = _Spans("removed"), _Spans("added")
    at_old = at_new = 0
    for a, b, size in runs:
        was.differ(old[at_old:a])
        now.differ(new[at_new:b])
        lonely = (at_old, at_new) != (a, b) and a + size < len(old) and size == 1
        # A space between two changed words belongs to the change: "[-one hour-]{+24 hours+}".
        if lonely and b + size < len(new) and old[a].isspace():
            was.differ(old[a : a + 1])
            now.differ(new[b : b + 1])
        else:
            was.same(old[a : a + size])
            now.same(new[b : b + size])
        at_old, at_new = a + size, b + size
    was.differ(old[at_old:])
    now.differ(new[at_new:])
    return was.done(), now.done()


def compare_cells(before: str, after: str) -> tuple[Spans, Spans]:
    """Mark what differs between two rows of a table, cell by cell.

    Blanks that only make a column as wide as another row's are no change. Where the rows have not
    the same number of cells, those that are equal hold the others in place.
    """
    old, new = cells(before), cells(after)
    if len(old) == len(new):
        pairs = [(at, at) for at in range(len(old))]
    else:
        keys = [even(cell).strip() for cell in old], [even(cell).strip() for cell in new]
        pairs = [
            (a + step, b + step) for a, b, size in matching_tokens(*keys) for step in range(size)
        ]
    was, now = _Spans("removed"), _Spans("added")
    at_old = at_new = 0
    for a, b in [*pairs, (len(old), len(new))]:
        was.differ([_barred(cell, at) for at, cell in enumerate(old[at_old:a], at_old)])
        now.differ([_barred(cell, at) for at, cell in enumerate(new[at_new:b], at_new)])
        if a == len(old):
            break
        if a and b:
            was.same(["|"])
            now.same(["|"])
        else:
            was.differ(["|"] if a else [])
            now.differ(["|"] if b else [])
        for spans, cell, marks in zip(
            (was, now), (old[a], new[b]), _cell(old[a], new[b]), strict=True
        ):
            spans.same([cell[: len(cell) - len(cell.lstrip())]])
            spans.take(marks)
            spans.same([cell[len(cell.rstrip()) :] if cell.strip() else ""])
        at_old, at_new = a + 1, b + 1
    return was.done(), now.done()


def count_words(spans: Spans) -> int:
    """Return how many words the changed spans hold."""
    return sum(
        any(sign.isalnum() for sign in token)
        for span in spans
        if span.kind != "same"
        for token in tokens(span.text)
    )


def _barred(cell: str, at: int) -> str:
    return f"|{cell}" if at else cell


def _cell(before: str, after: str) -> tuple[Spans, Spans]:
    old, new = before.strip(), after.strip()
    if old.split() == new.split():
        return (Span(old, "same"),), (Span(new, "same"),)
    return compare_words(old, new, exact=False)


class _Spans:
    """Collects tokens into the fewest spans."""

    def __init__(self, difference: SpanKind) -> None:
        self._difference = difference
        self._runs: list[tuple[SpanKind, list[str]]] = []

    def same(self, tokens: Sequence[str]) -> None:
        self._put(tokens, "same")

    def differ(self, tokens: Sequence[str]) -> None:
        self._put(tokens, self._difference)

    def take(self, spans: Spans) -> None:
        for text, kind in spans:
            self._put([text], kind)

    def _put(self, tokens: Sequence[str], kind: SpanKind) -> None:
        tokens = [token for token in tokens if token]
        if not tokens:
            return
        if self._runs and self._runs[-1][0] == kind:
            self._runs[-1][1].extend(tokens)
        else:
            self._runs.append((kind, list(tokens)))

    def done(self) -> Spans:
        return tuple(Span("".join(tokens), kind) for kind, tokens in self._runs)


def common(one: Sequence[str], other: Sequence[str]) -> int:
    """Return with how many equal items two sequences begin."""
    for place, (a, b) in enumerate(zip(one, other, strict=False)):
        if a != b:
            return place
    return min(len(one), len(other))
