"""The impact of a change request as rows: broken links first, then links to its changes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rich.text import Text

from copydesk.domain.impact import Impact
from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.text import plural, shown_title
from copydesk.present.page_changes import sign
from copydesk.session.glyphs import glyphs
from copydesk.session.page_changes import ReviewChange

BROKEN, POINTS = "broken", "points"
"""The views: links that break, and links to changes."""


@dataclass(frozen=True, slots=True)
class ImpactRow:
    """One link: its page, and its relation to the request.

    ``change`` is the target; None for a breaking link, which has none. ``here`` says that its page
    is in the space of the request.
    """

    id: str
    kind: str
    title: str
    page: str
    space: str
    space_title: str
    here: bool
    leads: str
    change: ReviewChange | None


def impact_rows(impact: Impact, changes: Sequence[ReviewChange], space: str) -> list[ImpactRow]:
    """Return the rows: breaking links, then links to each change, in the order of the tree.

    A link to a deleted page is listed only among the breaking ones.
    """
    rows = [
        ImpactRow(
            f"{BROKEN} {at}", BROKEN, broken.title, broken.page, space, "", True, broken.leads, None
        )
        for at, broken in enumerate(impact.broken)
    ]
    by_id: Mapping[str, ReviewChange] = {change.id: change for change in changes}
    places = {change.id: at for at, change in enumerate(changes)}
    ordered = sorted(impact.pointers, key=lambda pointer: places[pointer.changed])
    rows.extend(
        ImpactRow(
            f"{POINTS} {at}",
            POINTS,
            pointer.title,
            pointer.page,
            pointer.space,
            "" if pointer.here else pointer.space_title,
            pointer.here,
            shown_title(by_id[pointer.changed].node.title),
            by_id[pointer.changed],
        )
        for at, pointer in enumerate(ordered)
        if not (
            pointer.here and pointer.page in impact.known and by_id[pointer.changed].after is None
        )
    )
    return rows


def impact_line(impact: Impact) -> str:
    """Return a summary: "12 pages link here, 0 links broken"."""
    if impact.lacks:
        return impact.lacks
    said = f"{plural(impact.linking, 'page')} link{'s' if impact.linking == 1 else ''} here"
    said += f", {plural(len(impact.broken), 'link')} broken"
    return said + (f", {impact.unread} not read" if impact.unread else "")


def leads_to(row: ImpactRow) -> Text:
    """Return the target of the link: a change with its sign, or none."""
    if row.change is None:
        return Text.assemble((f"{glyphs().failed} ", "bad"), (row.leads, "bad"))
    mark, tone = sign(row.change)
    gone = row.change.after is None
    return Text.assemble((f"{mark} ", tone), (row.leads, "removed" if gone else ""))


def what_happens(row: ImpactRow) -> Text:
    """Return the effect on the link."""
    if row.change is None:
        return Text("breaks", style="bad")
    if row.change.after is None:
        return Text(f"its target is {row.change.kinds[0]}", style="bad")
    moved = [kind for kind in row.change.kinds if kind in ("moved", "renamed")]
    if moved:
        return Text(f"its target is {' and '.join(moved)}", style="moved")
    return Text("its target is edited", style="muted")
