"""Three-way merge of one text, line by line."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, TypeAlias, cast

from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.sequence_matches import equal_runs

if TYPE_CHECKING:
    from merge3 import Merge3, SequenceMatcherProtocol


class _Matching:
    """Which lines stay, as ``Merge3`` asks for it."""

    def __init__(self, isjunk: object = None, a: Sequence[str] = (), b: Sequence[str] = ()) -> None:
        self._a, self._b = a, b

    def get_matching_blocks(self) -> list[tuple[int, int, int]]:
        """Return the runs of equal lines, and an empty one at the end."""
        runs = equal_runs(self._a, self._b, held=True)
        return [*((a, b, size) for a, b, size in runs), (len(self._a), len(self._b), 0)]


@dataclass(frozen=True, slots=True)
class Clash:
    """Lines that both sides changed, with their line ends, and where they start in each, from 1."""

    base: tuple[str, ...]
    ours: tuple[str, ...]
    theirs: tuple[str, ...]
    ours_start: int
    theirs_start: int


Settle: TypeAlias = Callable[[Clash], Iterable[str]]
"""Says which lines stand where two changes clash."""


def merge_text(
    base: str, ours: str, theirs: str, *, settle: Settle = lambda clash: ()
) -> tuple[str, tuple[Clash, ...]]:
    """Merge two changes of one text by line.

    Returns the merged text and the stretches that clash; in the merged text stands what ``settle``
    says, without it nothing.
    """
    before, mine, yours = (lines_of(text) for text in (base, ours, theirs))
    lines: list[str] = []
    clashes: list[Clash] = []
    for region in _merging(before, mine, yours).merge_regions():
        if region[0] == "conflict":
            _, *bounds = region
            z1, z2, a1, a2, b1, b2 = bounds
            clash = Clash(
                tuple(before[z1:z2]), tuple(mine[a1:a2]), tuple(yours[b1:b2]), a1 + 1, b1 + 1
            )
            clashes.append(clash)
            lines.extend(settle(clash))
            continue
        source = {"unchanged": before, "a": mine, "same": mine, "b": yours}[region[0]]
        lines.extend(source[region[1] : region[2]])
    return "".join(lines), tuple(clashes)


Span: TypeAlias = tuple[int, int]
"""Where lines begin and end in a text, from 0."""


def regions(
    base: Sequence[str], ours: Sequence[str], theirs: Sequence[str]
) -> Iterator[tuple[Span, Span, Span]]:
    """Yield the stretches of three texts, in lines: in turns what differs, and what all have."""
    at = (0, 0, 0)
    for z1, z2, a1, a2, b1, b2 in _merging(base, ours, theirs).find_sync_regions():
        yield (at[0], z1), (at[1], a1), (at[2], b1)
        yield (z1, z2), (a1, a2), (b1, b2)
        at = z2, a2, b2


def _merging(base: Sequence[str], ours: Sequence[str], theirs: Sequence[str]) -> Merge3[str]:
    from merge3 import Merge3  # a desk opens without it

    return Merge3(
        base, ours, theirs,
        sequence_matcher=cast("type[SequenceMatcherProtocol[str]]", _Matching),
    )  # fmt: skip


def lines_of(text: str) -> list[str]:
    """Split at line feeds only: other separators belong to the text of a line."""
    return re.findall(r"[^\n]*\n|[^\n]+", text)
