"""Matching items of two sequences: equal ones first, then those that share the most words.

Items can be anything that is comparable and hashable: keys of blocks, lines, words. The sequences
are held together by what each has once, again in every gap that this leaves (patience diff), which
keeps headings and paragraphs together; where nothing is there once, the longest common subsequence
decides (rapidfuzz, bit-parallel in C++). That is asked for slices of bounded size, so that no call
keeps the other threads of the program waiting. The patience diff that is there as a library
(patiencediff) is one call, and panics on long texts of few words.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from typing import NamedTuple, TypeVar

Item = TypeVar("Item", bound=Hashable)

PAIRING_BUDGET = 60_000
"""How many pairs are weighed at most in one comparison: about 0.2 s of work."""

PAIRING_WINDOW = 48
"""Items on each side among which a partner is sought."""

SLICE = 4_096
"""Items on each side that are handed to the matcher at once."""

LEVELS = 12
"""How often gaps are cut at what each side has once; it bounds the time on texts made for that."""


class Run(NamedTuple):
    """``size`` equal items, from ``before`` and ``after`` on (both count from 0)."""

    before: int
    after: int
    size: int


class Gap(NamedTuple):
    """The lines between equal runs: items ``a1`` up to ``a2``, and ``b1`` up to ``b2``."""

    a1: int
    a2: int
    b1: int
    b2: int


def equal_runs(old: Sequence[Item], new: Sequence[Item], *, held: bool = False) -> list[Run]:
    """Return the runs of equal items, in order and uncrossed, neighbours joined.

    With ``held`` only what something holds in place is matched, one that each side has once or a
    neighbour of it: a merge must not take one blank line for another.
    """
    runs: list[Run] = []
    waiting = [(Gap(0, len(old), 0, len(new)), 0)]
    while waiting:
        (a1, a2, b1, b2), level = waiting.pop()
        start = 0
        while a1 + start < a2 and b1 + start < b2 and old[a1 + start] == new[b1 + start]:
            start += 1
        if start:
            runs.append(Run(a1, b1, start))
            a1, b1 = a1 + start, b1 + start
        end = 0
        while a1 < a2 - end and b1 < b2 - end and old[a2 - end - 1] == new[b2 - end - 1]:
            end += 1
        if end:
            runs.append(Run(a2 - end, b2 - end, end))
            a2, b2 = a2 - end, b2 - end
        if a1 == a2 or b1 == b2:
            continue
        cut = _cut(old, new, Gap(a1, a2, b1, b2), anchored=level < LEVELS)
        if cut and not (held and level >= LEVELS):
            waiting.extend((gap, level + 1) for gap in cut)
        elif not held:
            runs.extend(
                Run(a1 + a, b1 + b, size)
                for a, b, size in shortest_edit(old[a1:a2], new[b1:b2])
                if size
            )
    return _joined(sorted(runs))


def shortest_edit(old: Sequence[Item], new: Sequence[Item]) -> list[Run]:
    """Return the runs that the shortest edit keeps, and an empty one at the end.

    Takes time with the product of the lengths: for slices of bounded size.
    """
    from rapidfuzz.distance import Indel  # screens that may compare texts are loaded without it

    found = Indel.opcodes(old, new).as_matching_blocks()
    return [Run(block.a, block.b, block.size) for block in found]


def likeness(old: Sequence[str], new: Sequence[str]) -> float:
    """Return what two sequences have in common, in order: from 0.0 to 1.0."""
    from rapidfuzz.distance import Indel  # as above

    return Indel.normalized_similarity(old, new)


def gaps(runs: Sequence[Run], old: int, new: int) -> list[Gap]:
    """Return the gaps between the runs of two sequences of these lengths; no gap is empty."""
    found: list[Gap] = []
    a = b = 0
    for run in [*runs, Run(old, new, 0)]:
        if run.before > a or run.after > b:
            found.append(Gap(a, run.before, b, run.after))
        a, b = run.before + run.size, run.after + run.size
    return found


def window_for(contested: int) -> int:
    """Return among how many items partners are sought, when so many items want one."""
    return min(PAIRING_WINDOW, PAIRING_BUDGET // max(contested, 1))


def partners(
    old: Sequence[int], new: Sequence[int], share: Callable[[int, int], float], window: int
) -> list[tuple[int, int]]:
    """Return the pairs of items, in order and uncrossed, that together share the most.

    ``share`` says how much two items have in common, 0 for nothing. Long sequences are cut into
    windows, in which partners are sought.
    """
    if not old or not new or window < 2:
        return []
    whole = len(old) * len(new) <= window * window
    parts = 1 if whole else -(-max(len(old), len(new)) // window)
    found: list[tuple[int, int]] = []
    for part in range(parts):
        a1, a2 = (len(old) * at // parts for at in (part, part + 1))
        b1, b2 = (len(new) * at // parts for at in (part, part + 1))
        found += _aligned(old[a1:a2], new[b1:b2], share)
    return found


def _aligned(
    old: Sequence[int], new: Sequence[int], share: Callable[[int, int], float]
) -> list[tuple[int, int]]:
    """Align two short sequences; the classic table: ``best[i][j]`` is what i and j on share."""
    best = [[0.0] * (len(new) + 1) for _ in range(len(old) + 1)]
    worth = [[0.0] * len(new) for _ in old]
    for i in range(len(old) - 1, -1, -1):
        row, below = best[i], best[i + 1]
        for j in range(len(new) - 1, -1, -1):
            shared = share(old[i], new[j])
            worth[i][j] = shared
            row[j] = max(below[j], row[j + 1], below[j + 1] + shared if shared else 0.0)
    pairs: list[tuple[int, int]] = []
    i = j = 0
    while i < len(old) and j < len(new):
        if worth[i][j] and best[i][j] == best[i + 1][j + 1] + worth[i][j]:
            pairs.append((old[i], new[j]))
            i, j = i + 1, j + 1
        elif best[i][j] == best[i + 1][j]:
            i += 1
        else:
            j += 1
    return pairs


def _cut(old: Sequence[Item], new: Sequence[Item], gap: Gap, *, anchored: bool) -> list[Gap]:
    """Cut a gap at items that each side has once; without such, into slices, or not at all."""
    a1, a2, b1, b2 = gap
    if anchored:
        places = _once(old, a1, a2)
        crossing = [(b, places[item]) for item, b in _once(new, b1, b2).items() if item in places]
        cuts: list[Gap] = []
        for b, a in _rising(crossing):
            cuts.append(Gap(a1, a, b1, b))
            a1, b1 = a, b
        if cuts:
            # An anchor begins the gap after it, where it is found as a common start.
            return [*cuts, Gap(a1, a2, b1, b2)]
    parts = -(-max(a2 - a1, b2 - b1) // SLICE)
    if parts == 1:
        return []
    return [
        Gap(
            a1 + (a2 - a1) * part // parts,
            a1 + (a2 - a1) * (part + 1) // parts,
            b1 + (b2 - b1) * part // parts,
            b1 + (b2 - b1) * (part + 1) // parts,
        )
        for part in range(parts)
    ]


def _once(items: Sequence[Item], start: int, stop: int) -> dict[Item, int]:
    """Return the place of every item that is there once, in order."""
    counts = Counter(items[start:stop])
    return {item: at for at, item in enumerate(items[start:stop], start) if counts[item] == 1}


def _rising(pairs: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the most of some pairs, in the order of their first, whose second rises too."""
    ends: list[int] = []
    places: list[int] = []
    before: list[int] = []
    for at, (_, b) in enumerate(pairs):
        rank = bisect_left(ends, b)
        before.append(places[rank - 1] if rank else -1)
        if rank == len(ends):
            ends.append(b)
            places.append(at)
        else:
            ends[rank], places[rank] = b, at
    found: list[tuple[int, int]] = []
    at = places[-1] if places else -1
    while at >= 0:
        found.append(pairs[at])
        at = before[at]
    return found[::-1]


def _joined(runs: Sequence[Run]) -> list[Run]:
    found: list[Run] = []
    for run in runs:
        last = found[-1] if found else None
        if last and (last.before + last.size, last.after + last.size) == run[:2]:
            found[-1] = last._replace(size=last.size + run.size)
        else:
            found.append(run)
    return found
