"""The columns of the tree of a site's structure, as wide as what the site has in them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from copydesk.domain.layout import Layout
from copydesk.tui.arrange import cells as staged
from copydesk.tui.arrange.cells import Row
from copydesk.tui.sites import structure_cells as present
from copydesk.tui.widgets.columns import by_content
from copydesk.tui.widgets.list import Column

if TYPE_CHECKING:
    from copydesk.tui.sites.structure import SiteStructurePlace

TITLE_CELLS = 24
"""Cells that titles take before anything else is shown of a row."""

STATE_CELLS = 44
"""Cells that a row's states may take where there is room."""


def site_columns(here: SiteStructurePlace, layout: Layout) -> list[Column[Row]]:
    """Return the columns; what a site has in them says how wide they are. Titles come first."""
    nodes = here.structure.nodes
    rows = [Row(item, layout.level_of(row)) for row, item in layout.items.items()]
    longest = max((present.name_cells(layout, row.id) for row in rows), default=0)
    titles = max(18, min(longest, TITLE_CELLS))
    path: Column[Row] = Column("path", "PATH", lambda row: present.path(row, here.shown), 5, drop=2)
    state: Column[Row] = Column(
        "state", "VISIBLE", lambda row: present.state(row, here.shown, nodes), 7, drop=1
    )
    # What is particular about a row is not cut while the titles have blanks to give.
    longest = by_content(state, rows, most=STATE_CELLS).width
    state = replace(
        state,
        render=lambda row: present.state(row, here.shown, here.structure.nodes),
        width=min(longest, 16),
        most=longest,
    )
    return [
        Column("now", "NOW", lambda row: staged.now_cell(row, here.shown), 4),
        Column("was", "WAS", lambda row: staged.was_cell(row, here.shown), 4),
        Column(
            "title", "SECTION",
            lambda row: present.name(row, here.shown, here.structure.nodes),
            flex=1, minimum=titles,
        ),
        Column("shift", "", lambda row: staged.shift(row, here.shown), 4),
        by_content(path, rows, most=12),
        Column("variants", "HOLDS", lambda row: present.variants(row, here.shown), 5, drop=3),
        state,
    ]  # fmt: skip
