"""The views of the list of change requests: those that are given, and a person's own."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.saved_view import SavedView
from copydesk.domain.text import clean

if TYPE_CHECKING:
    from copydesk.domain.reversal import Reversal
    from copydesk.local.saved_views import SavedViews
    from copydesk.session.writes.undo import LocalStep


SERVED = "updated"
"""The service's order; any other needs the whole list."""

COUNTED_ROWS = 400
"""The largest list on which views are counted that the service cannot count."""

MOST_THREADS = 500
"""The largest number of open threads of a request that are read before somebody asks for them."""

THREADS_READ = 48
"""The largest number of rows whose threads are read to count what waits on the reader."""

COUNT_SECONDS = 60
"""The age at which the counts of views are read again."""

OWN = "own:"
"""The prefix of ids of a person's own views."""


@dataclass(frozen=True, slots=True)
class Listing:
    """One view: its change requests, and the sentence for an empty list.

    The lists of several ``statuses`` follow one another. ``who`` is the query parameter for the
    reader's own id, empty for none; ``who_filter`` says the same as a filter, for a view that is
    saved. ``filter`` keeps only some rows; ``personal`` views need a service that names the caller.
    ``short`` is the title where there is little room.
    """

    id: str
    title: str
    statuses: tuple[str, ...]
    empty: str
    who: str = ""
    who_filter: str = ""
    filter: str = ""
    personal: bool = False
    short: str = ""
    sort: str = SERVED
    backwards: bool = False
    columns: tuple[str, ...] = ()
    line: int = 0

    @property
    def own(self) -> bool:
        """Whether a person made it."""
        return self.id.startswith(OWN)


LISTINGS: Sequence[Listing] = (
    Listing(
        "needs-me", "Needs me", ("open",),
        "Nothing waits on you.", filter="waiting:me", personal=True,
    ),
    Listing(
        "ready", "Ready to merge", ("open",),
        "Nothing is ready that you may merge.", filter="rule:ready can:merge", short="Ready",
    ),
    Listing(
        "mine", "Mine", ("open", "draft"),
        "You have nothing open and no drafts. ctrl+n starts a change request.", "creator",
        who_filter="is:mine", personal=True,
    ),
    Listing(
        "waiting", "Waiting on author", ("open",),
        "Nothing waits on its author.", filter="waiting:author", short="Waiting",
    ),
    Listing(
        "outdated", "Out of date", ("open",),
        "Everything that is open is up to date.", filter="is:outdated", short="Outdated",
    ),
    Listing(
        "stale", "Stale", ("open",),
        "Nothing open has been left alone for 14 days.", filter="idle:>=14d",
    ),
    Listing(
        "open", "All open", ("open",), "Nothing is open. ctrl+n starts a change request.",
        short="Open",
    ),
    Listing("draft", "Draft", ("draft",), "No drafts. ctrl+n starts a change request."),
    Listing("merged", "Merged", ("merged",), "Nothing has been merged yet."),
    Listing("archived", "Archived", ("archived",), "Nothing is archived."),
)  # fmt: skip
"""The views, in the order of their keys."""

FIRST = "open"
"""The first view of a list."""

STATUSES: Sequence[str] = tuple(dict.fromkeys(s for each in LISTINGS for s in each.statuses))
"""The statuses of a change request."""


def views_steps(store: SavedViews) -> Mapping[str, LocalStep]:
    """Return the local steps of reversals with own views, by name."""

    async def put(name: str, view: dict[str, Any] | None) -> None:
        if view is None:
            await asyncio.to_thread(store.remove, name)
        else:
            await asyncio.to_thread(store.save, _read(view))

    async def tell(name: str) -> dict[str, Any]:
        found = await asyncio.to_thread(store.read)
        return {"view": _write(next((view for view in found if view.name == name), None))}

    return {"view": put, "viewed": tell}


def view_reversal(name: str, before: SavedView | None, after: SavedView | None) -> Reversal:
    """Return the reversal of saving or removing an own view."""
    from copydesk.domain.reversal import put_here

    was, now = {"view": _write(before)}, {"view": _write(after)}
    return put_here("view", "viewed", was, now, "it was saved again or forgotten", name=name)


def _write(view: SavedView | None) -> dict[str, Any] | None:
    if view is None:
        return None
    return {
        "name": view.name,
        "statuses": list(view.statuses),
        "filter": view.filter,
        "sort": view.sort,
        "reverse": view.reverse,
        "columns": list(view.columns),
    }


def _read(value: dict[str, Any]) -> SavedView:
    return SavedView(
        value["name"],
        tuple(value["statuses"]),
        value["filter"],
        value["sort"],
        value["reverse"],
        tuple(value["columns"]),
    )


def listing_of(view: SavedView) -> Listing:
    """Return a person's own view as one of the list."""
    return Listing(
        OWN + view.name,
        clean(view.name).strip() or "(no name)",
        view.statuses,
        "Nothing is in this view.",
        filter=view.filter,
        sort=view.sort or SERVED,
        backwards=view.reverse,
        columns=view.columns,
        line=view.line,
    )
