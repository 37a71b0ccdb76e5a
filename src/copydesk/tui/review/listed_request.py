"""What the list below a review says of a request that could not be read itself."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import TYPE_CHECKING

from rich.text import Text

from copydesk.domain.age import age
from copydesk.present.facts import Fact
from copydesk.session.change_rows import ChangeRow
from copydesk.session.glyphs import glyphs
from copydesk.tui.widgets.list import VirtualList

if TYPE_CHECKING:
    from copydesk.tui.framework.place import Place


def listed(place: Place) -> ChangeRow | None:
    """Return the row of the request that a place is about, where a list below it has one."""
    wanted = place.target.change_request
    for screen in reversed(place.app.screen_stack):
        for rows in screen.query(VirtualList):
            source = rows.source
            at = None if wanted is None else source.index_of(wanted)
            row = None if at is None else source.row(at)
            if isinstance(row, ChangeRow):
                return row
    return None


def listed_facts(row: ChangeRow, said: str, now: datetime) -> Iterator[Fact]:
    """Yield what a list knows of a request; ``said`` is why it was not read itself."""
    yield Fact("", Text(row.subject, style="strong"))
    yield Fact("", "")
    status = Text(row.status)
    if row.outdated and row.status in ("open", "draft"):
        status.append(f"  {glyphs().outdated} out of date", style="warn")
    yield Fact("status", status)
    times = [("opened", row.created), ("changed", row.updated)]
    ages = [(word, age(at, now)) for word, at in times]
    told = "".join(f", {word} {ago}{'' if ago == 'now' else ' ago'}" for word, ago in ages)
    yield Fact("author", Text.assemble((row.author, "who"), told))
    yield Fact("", "")
    yield Fact("", Text(said, style="muted"))
    yield Fact("", Text("This is what the list said.", style="muted"))
