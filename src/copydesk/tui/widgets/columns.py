"""Columns: what they show, how wide they are on a given width, and how a cell is cut to fit."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Generic, Literal, TypeVar

from rich.cells import cell_len, set_cell_size
from rich.console import Console
from rich.segment import Segment
from rich.style import Style
from rich.text import Text

from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.text import clean
from copydesk.session.glyphs import glyphs

T = TypeVar("T")


@dataclass(frozen=True)
class Column(Generic[T]):
    """A column: ``render`` gives its text; ``width`` cells, or a share ``flex`` of the rest.

    When the list is too narrow, columns with the highest ``drop`` go first; 0 stays. ``minimum`` is
    the least width of a flexible column before others are dropped for it. A column with ``most``
    grows to that many cells where flexible ones keep their minimum and none is dropped for it;
    ``fitted`` gives its text for a width, where cutting the end would lose what matters.
    """

    key: str
    title: str
    render: Callable[[T], str | Text]
    width: int = 0
    flex: int = 0
    align: Literal["left", "right"] = "left"
    drop: int = 0
    minimum: int = 12
    most: int = 0
    fitted: Callable[[T, int], str | Text] | None = None

    def cell(self, row: T, cells: int) -> str | Text:
        """Return what it shows of a row in so many cells."""
        return self.render(row) if self.fitted is None else self.fitted(row, cells)


GROWS_TO = 12
"""Cells that a column grows to at most for a number."""

_NUMBER = re.compile(r"[^\W\d_]")


def needs(column: Column[T], content: str | Text, cells: int) -> int:
    """Return how many cells a number needs that would be cut; 0 for one that fits, and for words.

    A number that is cut reads as another number.
    """
    text = content if isinstance(content, str) else content.plain
    if column.flex or len(text) <= cells or len(text) > GROWS_TO:
        return 0
    number = any(map(str.isdigit, text)) and not _NUMBER.search(text)
    if not number and not (column.align == "right" and text.lstrip("+-~ ")[:1].isdigit()):
        return 0
    length = cell_len(text)
    return length if length > cells else 0


def by_content(column: Column[T], items: Iterable[T], most: int) -> Column[T]:
    """Return a column as wide as its longest cell: at least ``column.width``, at most ``most``."""
    cells = (column.render(item) for item in items)
    longest = max(
        (cell_len(cell) if isinstance(cell, str) else cell.cell_len for cell in cells), default=0
    )
    return replace(column, width=max(column.width, min(longest, most)))


def lay_out(columns: Sequence[Column[T]], width: int) -> list[tuple[Column[T], int]]:
    """Return the columns that fit ``width`` cells with their widths; one blank between columns."""
    shown = list(columns)
    while True:
        fixed = sum(column.width for column in shown if not column.flex) + max(0, len(shown) - 1)
        flexible = [column for column in shown if column.flex]
        least = sum(max(column.minimum, column.width) for column in flexible)
        if fixed + least <= width or not any(column.drop for column in shown):
            break
        shown.remove(max(shown, key=lambda column: column.drop))
    spare = max(0, width - fixed - least)
    grown: dict[str, int] = {}
    for column in shown:
        grown[column.key] = min(spare, max(0, column.most - column.width))
        spare -= grown[column.key]
    left = max(0, width - fixed - sum(grown.values()))
    shares = sum(column.flex for column in flexible)
    widths: list[tuple[Column[T], int]] = []
    for column in shown:
        if column.flex:
            cells = left * column.flex // shares
            left, shares = left - cells, shares - column.flex
        else:
            cells = column.width + grown[column.key]
        widths.append((column, cells))
    return widths


_BRIGHT = Style(dim=False)


def over(style: Style, own: Style) -> Style:
    """Return a style laid over that of its row.

    In a row that is drawn reversed colours would be blocks, each behind its own word: there the
    row has one colour, and weight and lines alone tell things apart.
    """
    return style + (own.without_color + _BRIGHT if style.reverse else own)


def fit(
    content: str | Text, width: int, align: str, style: Style, console: Console
) -> list[Segment]:
    """Return segments exactly ``width`` cells wide, cut with an ellipsis when too long.

    What strangers wrote is made safe here at the latest, for every list.
    """
    if width <= 0:
        return []
    if isinstance(content, str):
        content = clean(content)
        length = len(content) if content.isascii() else cell_len(content)
        if length > width:
            more = glyphs().more
            cut = content[: width - 1] if content.isascii() else set_cell_size(content, width - 1)
            return [Segment(cut + more, style)]
        space = " " * (width - length)
        return [Segment(space + content if align == "right" else content + space, style)]
    if (safe := clean(content.plain)) != content.plain:
        content = Text(safe, content.style)
    length = content.cell_len
    if length > width:
        content = content.copy()
        content.truncate(width - 1)
        content.append(glyphs().more)
        length = content.cell_len
    if content.style:  # Rich leaves it out where a text has no spans
        style = over(style, console.get_style(content.style))
    segments = [
        Segment(cell, over(style, own) if own else style)
        for cell, own, _ in content.render(console)
        if cell
    ]
    if length < width:
        at = 0 if align == "right" else len(segments)
        segments.insert(at, Segment(" " * (width - length), style))
    return segments
