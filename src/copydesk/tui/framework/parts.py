"""The parts of a place, and what shows of them and of the frame on a terminal of some size.

A base of `Place`, apart from it for length.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from textual import events
from textual.containers import Container
from textual.geometry import Size
from textual.widget import Widget

from copydesk.tui.framework.base_screen import SteadyScreen
from copydesk.tui.framework.pane import HEIGHTS, is_bare

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


class Shaped(SteadyScreen[None]):
    """A screen of parts that takes the shape for its terminal."""

    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (100, "-medium"), (132, "-wide")]
    VERTICAL_BREAKPOINTS = HEIGHTS

    def __init__(self) -> None:
        super().__init__()
        self.add_class("-in-main")

    def fit(self, size: Size) -> None:
        """Take the shape for a size before the first frame; Textual does so after it."""
        shapes: dict[str, bool] = {}
        for steps, cells in (
            (self.HORIZONTAL_BREAKPOINTS, size.width),
            (self.VERTICAL_BREAKPOINTS, size.height),
        ):
            shape = max(step for step in steps if step[0] <= cells)
            shapes.update((step[1], step == shape) for step in steps)
        self._spare_lines(size, shapes)

    def _spare_lines(self, size: Size, shapes: Mapping[str, bool] | None = None) -> None:
        """Leave out of the frame what would take the last lines from the rows."""
        # All at once: every change of classes applies the styles of the whole screen.
        self.update_classes(
            {
                **(shapes or {}),
                "-bare": is_bare(size),
                "-no-foot": size.height < FOOT_LINES,
                "-no-head": size.height < HEAD_LINES,
                "-too-small": size.width < SMALLEST.width or size.height < SMALLEST.height,
            }
        )

    def on_resize(self, event: events.Resize) -> None:
        """Take the shape for the terminal."""
        self._spare_lines(event.size)

    def bring_forward(self, widget: Widget) -> None:
        """Have the part show that a widget is in, where one shows at a time."""
        for node in widget.ancestors_with_self:
            if isinstance(node, Part):
                roles = ("left", "main", "side")
                self.update_classes({f"-in-{role}": node.role == role for role in roles})
                break
