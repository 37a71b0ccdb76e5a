"""What there is to know of the field in focus, below the fields of a form."""

from __future__ import annotations

from collections.abc import Sequence

from rich.cells import cell_len
from rich.text import Text
from textual.content import Content
from textual.widgets import Static

from copydesk.domain.text import shorten
from copydesk.session.glyphs import glyphs
from copydesk.tui.dialogs.form_fields import Field

SMALLEST_WITH_HELP = 16
"""The lines that a terminal has more of where help is shown."""

ROOMY = 20
"""Terminals of fewer lines have `FEWEST` for it."""

FEWEST, MOST = 2, 4
"""How many lines it has: of whole sentences, as many as any field of the form needs."""


class FormHelp(Static):
    """The words of help of a field, and its limits; of a height that stays from field to field."""

    DEFAULT_CSS = f"FormHelp {{ height: {FEWEST}; margin: 1 0 0 0; }}"

    def show(self, field: Field, fields: Sequence[Field], screen: int) -> bool:
        """Show the help of a field on a screen of so many lines; True if the height is another."""
        self.display = screen > SMALLEST_WITH_HELP
        width = max(20, self.size.width)
        needed = max(self._count(each.help, each.limits, width) for each in fields)
        lines = min(max(FEWEST, needed), MOST if screen >= ROOMY else FEWEST)
        told = self._fitting(field, width, lines)
        said = Text(told, style="muted").append(" " if told and field.limits else "")
        said.append(field.limits, style="emphasis")
        self.update(Content.from_rich_text(said, console=self.app.console))
        height = self.styles.height
        other = height is None or height.value != lines
        if other:
            self.styles.height = lines
        return other

    def _fitting(self, field: Field, width: int, lines: int) -> str:
        """Return as much of the help as there is room for; the limits come first."""
        told = field.help
        while told and self._count(told, field.limits, width) > lines:
            before = told.rpartition(". ")[0]
            told = f"{before}." if before else ""
        if told or not field.help:
            return told
        room = (width - 6) * lines - cell_len(field.limits)
        return shorten(field.help, max(0, room), glyphs().more)

    def _count(self, told: str, limits: str, width: int) -> int:
        return len(Text(f"{told} {limits}".strip()).wrap(self.app.console, width))
