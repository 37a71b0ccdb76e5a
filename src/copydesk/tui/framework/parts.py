"""The parts of a place, and what shows of them and of the frame on a terminal of some size.

A base of `Place`, apart from it for length.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from textual.containers import Container
from textual.geometry import Size
from textual.widget import Widget

FOOT_LINES = 7
"""Below this many lines of the terminal there is no footer."""

HEAD_LINES = 5
"""Below this many there is no header either."""

SMALLEST = Size(20, 3)
"""The smallest terminal in which a row can still be read."""


@dataclass(frozen=True, slots=True)
class View:
    """One way to look at a place, shown in the line of views; ``count`` None is unknown.

    ``short`` is what it is called where there is little room.
    """

    id: str
    title: str
    count: int | None = None
    short: str = ""


class Part(Container):
    """A column of panes.

    ``main`` is always there; ``side`` is at the right, or a drawer below on a narrow terminal;
    ``left`` shows on a wide terminal, and elsewhere while it has the focus.
    """

    def __init__(self, role: Literal["left", "main", "side"], *panes: Widget) -> None:
        super().__init__(*panes, classes=f"part -{role}")
        self.role = role
