"""What is drawn of a place, for the next start (`copydesk.local.preface`)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.widgets import Input, TextArea

from copydesk.tui.framework.drawn import finished
from copydesk.tui.framework.frame import FrameLine
from copydesk.tui.framework.inside_textual import whole_frame

if TYPE_CHECKING:
    from copydesk.tui.framework.place import Place


def lines_of(place: Place) -> str:
    """Return a place as it is written to a terminal, line by line; "" where it is not to be kept.

    What the lines of the frame say of this moment is left out: nothing of it is live at a start.
    Not kept is a place that shows a secret, was not read yet, or is typed into.
    """
    typed_into = isinstance(place.focused, Input | TextArea) or bool(place.query("Prompt"))
    unread = place.reads.read_at is None and place.reads.unread_yet
    if not place.framed or place.shows_secret or unread or typed_into:
        return ""
    update = whole_frame(place)
    for line in place.query(FrameLine):
        begun = line.at_start()
        if begun is not None:
            for row in line.region.line_range:
                update.strips[row] = [begun]
    console = place.app.console
    finished(update, console)
    return "".join(
        f"\x1b[{row};1H" + "".join(strip.render(console) for strip in strips)
        for row, strips in enumerate(update.strips, 1)
    )
