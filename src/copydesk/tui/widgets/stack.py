"""Panes one below the other, each as high as what it says needs, as far as there is room."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from copydesk.tui.widgets.facts import Facts

FRAME_LINES = 2
"""Lines of a pane that its frame takes."""


class Stacked(NamedTuple):
    """A pane and how many lines of it are seen at least, and at most where others need room.

    One that says something else at every step of the cursor is ``steady``: always as high.
    """

    pane: Facts
    least: int
    most: int
    steady: bool = False

    @property
    def wanted(self) -> int:
        """How many lines it wants."""
        return self.most if self.steady else min(self.pane.lines_wanted, self.most)


def heights(room: int, wants: Sequence[tuple[int, int]]) -> list[int]:
    """Share lines among panes, the most important first: the least of each, then what it wants.

    ``wants`` are pairs of both. What then is left goes to the first; where there is not even room
    for the least of all, the last get nothing.
    """
    given = [0] * len(wants)
    for at, (least, _) in enumerate(wants):
        if least <= room:
            given[at] = least
            room -= least
    for at, (least, wanted) in enumerate(wants):
        more = min(max(0, wanted - least), room) if given[at] else 0
        given[at] += more
        room -= more
    given[0] += room
    return given


def stack(room: int, stacked: Sequence[Stacked]) -> None:
    """Give panes their heights, the most important first, where there are ``room`` lines."""
    wants = [(each.least + FRAME_LINES, each.wanted + FRAME_LINES) for each in stacked]
    for at, (each, lines) in enumerate(zip(stacked, heights(room, wants), strict=True)):
        each.pane.styles.display = "block" if lines else "none"
        height = str(lines) if at else "1fr"  # the first fills what is left
        if lines and str(each.pane.styles.height) != height:
            each.pane.styles.height = height


def unstack(stacked: Sequence[Stacked]) -> None:
    """Leave the heights of panes to the style sheet again."""
    for each in stacked:
        each.pane.styles.clear_rule("height")
        each.pane.styles.clear_rule("display")
