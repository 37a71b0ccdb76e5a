"""copydesk's own list in a place of its own, header, footer and all, over rows that page lazily."""

from __future__ import annotations

import gc
import sys
from dataclasses import dataclass
from typing import Any

from textual.app import ComposeResult

from copydesk.session.session import Session
from copydesk.tui.app import CopydeskApp
from copydesk.tui.framework.navigation import place
from copydesk.tui.framework.place import Part, Place
from copydesk.tui.framework.sources import PagedSource
from copydesk.tui.widgets.list import Column, VirtualList


@dataclass(frozen=True, slots=True)
class Row:
    id: str
    subject: str


async def page(token: str | None, limit: int) -> tuple[list[Row], str | None, int]:
    start, total = int(token or 0), int(sys.argv[1])
    end = min(total, start + limit)
    rows = [Row(str(n), f"Change request number {n}") for n in range(start, end)]
    return rows, str(end) if end < total else None, total


@place("bench", title="Bench")
class Bench(Place, scope="bench"):
    """A long list."""

    def panes(self) -> ComposeResult:
        rows: VirtualList[Row] = VirtualList(
            PagedSource(page, key=lambda row: row.id, limit=100),
            [
                Column("number", "#", lambda row: row.id, width=9),
                Column("subject", "SUBJECT", lambda row: row.subject, flex=1),
            ],
            title="Rows",
        )
        yield Part("main", rows)


async def connect() -> Any:
    raise NotImplementedError("nothing here asks a service")


gc.disable()  # as copydesk starts; the application turns it on when it is ready
CopydeskApp(Session(connect), "bench").run()
