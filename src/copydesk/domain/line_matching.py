"""Which lines of two texts belong together: the same, edited, or in one of them only."""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

from patiencediff import PatienceSequenceMatcher
from rapidfuzz.distance import Indel

PAIRED_FROM = 0.34
"""Share of common words (0 to 1) from which two lines are one line edited.

Below it nearly every word would be marked, which reads worse than two whole lines.
"""

PAIRING_BUDGET = 120_000
"""How many pairs of lines are weighed at most in one diff: about 0.2 s of work."""

PAIRING_WINDOW = 48
"""Lines on each side among which a partner is sought."""

SAMPLE = 120
"""Words at each end of a long line by which it is recognized."""

# Words: single characters where a script has no spaces between words, else runs without ASCII
# punctuation and the punctuation of Unicode's general and CJK blocks; then space; then signs.
_CJK = "\u0e00-\u0eff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_TOKEN = re.compile(
    rf"[{_CJK}]|\s+|[^\s!-/:-@\[-`{{-~\u2000-\u206f\u3000-\u303f\uff00-\uff0f{_CJK}]+|."
)


class Segment(NamedTuple):
    """A run of equal treatment: ``size`` lines from ``before`` and ``after`` (both count from 0).

    ``edited`` is one line before and one after, shown as two rows.
    """

    kind: Literal["same", "added", "removed", "edited"]
    before: int
    after: int
    size: int


def tokens(line: str) -> list[str]:
    """Return a line cut into words, runs of space, and single signs; joined they are the line."""
    return _TOKEN.findall(line)


def match_lines(old: list[str], new: list[str]) -> list[Segment]:
    """Return how two lists of lines go together, covering every line of both once, in order."""
    opcodes = PatienceSequenceMatcher(None, old, new).get_opcodes()
    contested = sum(max(i2 - i1, j2 - j1) for tag, i1, i2, j1, j2 in opcodes if tag == "replace")
    window = min(PAIRING_WINDOW, PAIRING_BUDGET // max(contested, 1))
    found = _Segments()
    for tag, i1, i2, j1, j2 in opcodes:
        if tag == "equal":
            found.add("same", i1, j1, i2 - i1)
        elif tag != "replace" or window < 2:
            found.add("removed", i1, j1, i2 - i1)
            found.add("added", i2, j1, j2 - j1)
        else:
            _pair(found, old, new, (i1, i2, j1, j2), window)
    return found.done


class _Segments:
    """Collects segments, joining neighbours of one kind."""

    def __init__(self) -> None:
        self.done: list[Segment] = []

    def add(
        self,
        kind: Literal["same", "added", "removed", "edited"],
        before: int,
        after: int,
        count: int,
    ) -> None:
        if not count:
            return
        if self.done and self.done[-1].kind == kind:
            last = self.done[-1]
            self.done[-1] = last._replace(size=last.size + count)
        else:
            self.done.append(Segment(kind, before, after, count))


def _pair(
    found: _Segments,
    old: list[str],
    new: list[str],
    block: tuple[int, int, int, int],
    window: int,
) -> None:
    """Pair the lines of a replaced block, cut into windows of bounded size."""
    i1, i2, j1, j2 = block
    whole = (i2 - i1) * (j2 - j1) <= window * window
    parts = 1 if whole else -(-max(i2 - i1, j2 - j1) // window)
    for part in range(parts):
        a1, a2 = (i1 + (i2 - i1) * at // parts for at in (part, part + 1))
        b1, b2 = (j1 + (j2 - j1) * at // parts for at in (part, part + 1))
        at_old, at_new = a1, b1
        for a, b in [*_partners(old[a1:a2], new[b1:b2]), (a2 - a1, b2 - b1)]:
            found.add("removed", at_old, at_new, a1 + a - at_old)
            found.add("added", a1 + a, at_new, b1 + b - at_new)
            if a1 + a < a2:
                same = old[a1 + a] == new[b1 + b]
                found.add("same" if same else "edited", a1 + a, b1 + b, 1)
            at_old, at_new = a1 + a + 1, b1 + b + 1


def _partners(old: list[str], new: list[str]) -> list[tuple[int, int]]:
    """Return the pairs of lines, in order and uncrossed, that together share the most.

    The classic alignment table: ``best[i][j]`` is the most that the lines from i and j on share.
    """
    words = [_sample(line) for line in old], [_sample(line) for line in new]
    best = [[0.0] * (len(new) + 1) for _ in range(len(old) + 1)]
    worth = [[0.0] * len(new) for _ in old]
    for i in range(len(old) - 1, -1, -1):
        row, below, line, mine = best[i], best[i + 1], old[i], words[0][i]
        for j in range(len(new) - 1, -1, -1):
            if line == new[j]:
                # Equal lines hold together, empty ones only where nothing better does.
                share = 1.0 if mine else 0.1
            else:
                share = Indel.normalized_similarity(mine, words[1][j]) * 0.99
                share = 0.0 if share < PAIRED_FROM or not mine else share
            worth[i][j] = share
            row[j] = max(below[j], row[j + 1], below[j + 1] + share if share else 0.0)
    pairs: list[tuple[int, int]] = []
    i = j = 0
    while i < len(old) and j < len(new):
        if worth[i][j] and best[i][j] == best[i + 1][j + 1] + worth[i][j]:
            pairs.append((i, j))
            i, j = i + 1, j + 1
        elif best[i][j] == best[i + 1][j]:
            i += 1
        else:
            j += 1
    return pairs


def _sample(line: str) -> list[str]:
    """Return the words and signs by which a line is recognized, of a long line its two ends."""
    if len(line) > SAMPLE * 20:
        line = line[: SAMPLE * 10] + " " + line[-SAMPLE * 10 :]
    words = [token for token in tokens(line) if not token.isspace()]
    return words if len(words) <= SAMPLE * 2 else words[:SAMPLE] + words[-SAMPLE:]
