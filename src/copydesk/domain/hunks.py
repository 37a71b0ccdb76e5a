"""Two changes of one text, hunk by hunk: merged automatically, or chosen by a person.

The stretches (`Hunk`) follow each other without a gap: joined, what they say of a side is its text.
What one side changed, and what both changed alike, is merged. Where both changed the same lines
differently, what they did to other blocks, rows of a table or items of a list is told apart.
Nothing is put in another order.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from hashlib import sha256
from itertools import pairwise
from typing import Literal, TypeAlias

from copydesk.domain.blocks import CELLS, BlockText
from copydesk.domain.changed_words import common, words
from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.sequence_matches import equal_runs, gaps
from copydesk.domain.text_merge import lines_of, regions

Side: TypeAlias = Literal["before", "request", "main", "both", "turned", "text"]
"""What stands in the result: one of the three texts; both, the request's first or (``turned``)
main's; or a text of its own."""

ALIKE = 0.5
"""The share of words from which on an edited block, row or item is taken for the same one."""


@dataclass(frozen=True, slots=True)
class Hunk:
    """A stretch of a page: what the three texts have there, with their line ends.

    ``field`` names the setting that it is instead of text. ``near`` says that line by line both
    sides changed it. ``apart`` says that both sides have whole paragraphs there, which would become
    one without a blank line between them. ``key`` names it among the hunks of a page as long as its
    texts are the same.
    """

    before: str
    main: str
    request: str
    field: str = ""
    near: bool = False
    apart: bool = False
    key: str = ""

    @property
    def by_itself(self) -> str | None:
        """What it is merged to; None where a person has to choose."""
        if self.request in (self.main, self.before):
            return self.main
        return self.request if self.main == self.before else None

    @property
    def conflicts(self) -> bool:
        """Whether a person has to choose."""
        return self.by_itself is None

    @property
    def same(self) -> bool:
        """Whether nobody changed it."""
        return self.before == self.main == self.request


@dataclass(frozen=True, slots=True)
class Choice:
    """What a person chose of a hunk; ``text`` is there for the side "text"."""

    side: Side
    text: str = ""


def chosen(hunk: Hunk, choice: Choice | None) -> str | None:
    """Return what stands in the result for a hunk; None where nothing is chosen that has to be."""
    if choice is None:
        return hunk.by_itself
    match choice.side:
        case "text":
            return choice.text
        case "both":  # a setting has one value
            return hunk.request if hunk.field else _both(hunk, hunk.request, hunk.main)
        case "turned":
            return hunk.main if hunk.field else _both(hunk, hunk.main, hunk.request)
        case side:
            return str(getattr(hunk, side))


def _both(hunk: Hunk, first: str, second: str) -> str:
    end = "\r\n" if "\r\n" in first + second else "\n"
    return joined((first, end, second) if hunk.apart else (first, second))


def joined(parts: Sequence[str]) -> str:
    """Join stretches of lines: one that has no line end gets it where another follows."""
    found: list[str] = []
    for part in parts:
        if part and found and not found[-1].endswith("\n"):
            found.append("\r\n" if any("\r\n" in each for each in parts) else "\n")
        if part:
            found.append(part)
    return "".join(found)


def result_of(hunks: Sequence[Hunk], choices: Mapping[str, Choice]) -> str | None:
    """Return the text that choices by the keys of hunks make; None while one is missing."""
    parts: list[str] = []
    for hunk in hunks:
        part = chosen(hunk, choices.get(hunk.key))
        if part is None:
            return None
        parts.append(part)
    return joined(parts)


def text_hunks(before: str, main: str, request: str) -> tuple[Hunk, ...]:
    """Return the hunks of three texts."""
    texts = [before, main, request]
    lines = [lines_of(text) for text in texts]
    starts: list[list[int]] | None = None
    found: list[Hunk] = []
    for region in regions(*lines):
        said = list(map(_stretch, lines, region))
        hunk = _hunk(said)
        if not any(said):
            continue
        if not hunk.conflicts:
            found.append(hunk)
            continue
        if starts is None:
            starts = list(map(_starts, texts, lines))
        for cell in _cells(*map(_units, lines, region, starts)):
            found += _peeled(*cell)
    return named(found if starts is None else _set_apart(found, main, request))


def _set_apart(hunks: Sequence[Hunk], main: str, request: str) -> Iterator[Hunk]:
    """Yield hunks, and tell where both sides have whole paragraphs."""
    ours, theirs = _paragraphs(request), _paragraphs(main)
    a = b = 0
    for hunk in hunks:
        mine, other = (a, a + len(hunk.request)), (b, b + len(hunk.main))
        whole = all(
            span[0] in first and span[1] in last
            for span, (first, last) in ((mine, ours), (other, theirs))
        )
        yield replace(hunk, apart=True) if whole and hunk.conflicts else hunk
        a, b = mine[1], other[1]


def _paragraphs(text: str) -> tuple[set[int], set[int]]:
    """Return where the paragraphs of a text begin, and where they end."""
    blocks = BlockText(text)
    found = [block for block in blocks.blocks if block.kind == "paragraph"]
    return (
        {blocks.span(block.first)[0] for block in found},
        {blocks.span(block.stop - 1)[1] for block in found},
    )


def _hunk(said: Iterable[str], *, near: bool = False) -> Hunk:
    before, main, request = said
    return Hunk(before, main, request, near=near)


def named(hunks: Iterable[Hunk], page: str = "") -> tuple[Hunk, ...]:
    """Return the hunks of a page with their keys: the same texts elsewhere have another."""
    seen: Counter[str] = Counter()
    found: list[Hunk] = []
    for hunk in hunks:
        said = "\0".join((page, hunk.field, hunk.before, hunk.main, hunk.request))
        digest = sha256(said.encode(errors="surrogatepass")).hexdigest()[:16]
        seen[digest] += 1
        found.append(replace(hunk, key=f"{digest}.{seen[digest]}"))
    return tuple(found)


def _starts(text: str, lines: Sequence[str]) -> list[int]:
    """Return the lines (from 0) with which a block, a row or an item begins."""
    blocks = BlockText(text)
    offsets = {0}
    for at in range(len(blocks)):
        block = blocks.block_of(at)
        known = None if block is None else blocks.blocks[block]
        in_front = known is not None and known.kind == "front"
        if (
            known is None
            or at == known.first
            or blocks.row(at).kind in CELLS
            or (in_front and not blocks.source(at)[:1].isspace())
        ):
            offsets.add(blocks.span(at)[0])
    found, here = [], 0
    for number, line in enumerate(lines):
        if here in offsets:
            found.append(number)
        here += len(line)
    return found


def _stretch(lines: Sequence[str], span: tuple[int, int]) -> str:
    return "".join(lines[slice(*span)])


def _units(lines: Sequence[str], span: tuple[int, int], starts: Sequence[int]) -> list[str]:
    """Return the blocks, rows and items that lines of a text are of, each as one text."""
    start, stop = span
    cuts = [start, *(at for at in starts if start < at < stop), stop]
    return [_stretch(lines, cut) for cut in pairwise(cuts) if cut[0] < cut[1]]


def _cells(
    before: Sequence[str], main: Sequence[str], request: Sequence[str]
) -> Iterator[tuple[str, str, str]]:
    """Yield the three texts of each stretch that both sides tell apart from those beside it."""
    sides = [_cuts(before, main), _cuts(before, request)]
    common = sorted(sides[0].keys() & sides[1].keys())
    at = [0, 0]
    last = 0
    for cut in common:
        low = [side[cut][0] for side in sides]
        high = [side[cut][1] for side in sides]
        for start, stop, (a1, a2), (b1, b2) in (
            (last, cut, (at[0], low[0]), (at[1], low[1])),
            (cut, cut, (low[0], high[0]), (low[1], high[1])),
        ):
            texts = (before[start:stop], main[a1:a2], request[b1:b2])
            if any(texts):
                yield "".join(texts[0]), "".join(texts[1]), "".join(texts[2])
        last, at = cut, high


def _cuts(before: Sequence[str], after: Sequence[str]) -> dict[int, tuple[int, int]]:
    """Return where ``before`` can be cut, by index, with the span of ``after`` at each cut.

    A cut is known where the unit before or behind it has its place in the other text.
    """
    pairs = _pairs(before, after)
    pairs[-1], pairs[len(before)] = -1, len(after)
    found: dict[int, tuple[int, int]] = {}
    for cut in range(len(before) + 1):
        left, right = pairs.get(cut - 1), pairs.get(cut)
        if left is not None and right is not None:
            found[cut] = left + 1, right
        elif left is not None:
            found[cut] = left + 1, left + 1
        elif right is not None:
            found[cut] = right, right
    return found


def _pairs(before: Sequence[str], after: Sequence[str]) -> dict[int, int]:
    """Return which unit became which: equal ones, and edited ones that stand in one place."""
    runs = equal_runs(before, after)
    found = {a + n: b + n for a, b, size in runs for n in range(size)}
    known = {*before} & {*after}
    for gap in gaps(runs, len(before), len(after)):
        if gap.a2 - gap.a1 != gap.b2 - gap.b1:
            continue
        pairs = [(a, a - gap.a1 + gap.b1) for a in range(gap.a1, gap.a2)]
        if all(
            before[a] not in known and after[b] not in known and _alike(before[a], after[b])
            for a, b in pairs
        ):
            found.update(pairs)
    return found


def _alike(one: str, other: str) -> bool:
    """Whether two units share so many words that one is the other, edited."""
    counts = [Counter(words(text)) for text in (one, other)]
    total = sum(map(Counter.total, counts))
    return total > 0 and 2 * (counts[0] & counts[1]).total() >= ALIKE * total


def _peeled(before: str, main: str, request: str) -> Iterator[Hunk]:
    """Yield a stretch without the lines that both sides begin and end with, and those lines."""
    hunk = Hunk(before, main, request, near=True)
    if not hunk.conflicts:
        yield hunk
        return
    old, one, other = (lines_of(text) for text in (before, main, request))
    start = common(one, other)
    end = common(one[start:][::-1], other[start:][::-1])
    # Lines that were there before stay with what is the same on all sides.
    kept = common(old, one[:start])
    kept_end = common(old[kept:][::-1], one[len(one) - end :][::-1])
    a, b, c = len(old) - kept_end, len(one) - kept_end, len(other) - kept_end
    cuts = [
        (old[:kept], one[:kept], other[:kept]),
        ([], one[kept:start], other[kept:start]),
        (old[kept:a], one[start : len(one) - end], other[start : len(other) - end]),
        ([], one[len(one) - end : b], other[len(other) - end : c]),
        (old[a:], one[b:], other[c:]),
    ]
    for cut in cuts:
        if any(cut):
            yield _hunk(("".join(each) for each in cut), near=True)


# In an editor

_MARKER = re.compile(r"^(<+|\|+|=+|>+)", re.MULTILINE)


def marked(hunk: Hunk) -> tuple[str, tuple[str, ...]]:
    """Return a hunk as people settle it in an editor, and the lines that must not stay in it.

    Its markers are longer than anything like them in the texts.
    """
    texts = (hunk.request, hunk.before, hunk.main)
    found = [len(each) for text in texts for each in _MARKER.findall(text)]
    size = max([6, *found]) + 1
    end = "\r\n" if any("\r\n" in text for text in texts) else "\n"
    markers = ("<" * size + " request", "|" * size + " before", "=" * size, ">" * size + " main")
    lines = [markers[0] + end, hunk.request, markers[1] + end, hunk.before]
    lines += [markers[2] + end, hunk.main, markers[3] + end]
    return joined(lines), markers


def marker_left(text: str, markers: Sequence[str]) -> int:
    """Return the line (from 1) where a marker still stands; 0 for none."""
    for number, line in enumerate(text.splitlines(), 1):
        if line.rstrip() in markers:
            return number
    return 0
