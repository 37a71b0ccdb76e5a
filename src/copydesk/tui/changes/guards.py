"""Why an action on change requests is off, as sentences."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias

from copydesk.tui.widgets.list import no_row

if TYPE_CHECKING:
    from copydesk.session.change_rows import ChangeRow
    from copydesk.tui.changes.screen import ChangesPlace

Why: TypeAlias = "Callable[[ChangesPlace, ChangeRow | None], str | None]"
"""Why an action on a row is off, or None; without a row it is asked of the one under the cursor."""


def nothing_selected(here: ChangesPlace) -> str | None:
    """Say so when the cursor is on no change request."""
    return no_row(here.rows, "Put the cursor on a change request first.")


def is_merged(here: ChangesPlace, row: ChangeRow | None = None) -> str | None:
    """Say so when it is merged: that is the end of it."""
    row = row or here.rows.selected
    return f"{row.label} is merged: that cannot change." if row and row.status == "merged" else None


def is_archived(here: ChangesPlace, row: ChangeRow | None = None) -> str | None:
    """Say so when it is archived."""
    row = row or here.rows.selected
    return f"{row.label} is archived: x reopens it." if row and row.status == "archived" else None


def is_draft(here: ChangesPlace, row: ChangeRow | None = None) -> str | None:
    """Say so when it is a draft, which cannot merge."""
    row = row or here.rows.selected
    return f"{row.label} is a draft: W makes it open." if row and row.status == "draft" else None


def is_current(here: ChangesPlace, row: ChangeRow | None = None) -> str | None:
    """Say so when there is nothing to pull in."""
    row = row or here.rows.selected
    return f"{row.label} is up to date." if row is not None and not row.outdated else None


def is_stuck(here: ChangesPlace, row: ChangeRow | None = None) -> str | None:
    """Say so when an update conflicted and would again."""
    row = row or here.rows.selected
    if row is None or not here.details.stuck(row):
        return None
    return f"{row.label} conflicts with main; to update it again changes nothing."


def _lacks(here: ChangesPlace, right: str, row: ChangeRow | None) -> bool:
    row = row or here.rows.selected
    return row is not None and here.known.may(row, right) is False


def may_not_edit(here: ChangesPlace, row: ChangeRow | None = None) -> str | None:
    """Say so when the reader may not edit in its space."""
    return "You may not edit in this space." if _lacks(here, "edit", row) else None


def may_not_merge(here: ChangesPlace, row: ChangeRow | None = None) -> str | None:
    """Say so when the reader may not merge in its space."""
    return "You may not merge in this space." if _lacks(here, "merge", row) else None


def may_not_change(here: ChangesPlace, row: ChangeRow | None = None) -> str | None:
    """Say so when it is not the reader's own, and the reader may not merge either."""
    row, me = row or here.rows.selected, here.session.me
    own = row is not None and me is not None and row.author_id == me.id
    if own:
        return may_not_edit(here, row)
    if _lacks(here, "merge", row):
        return "It is not yours, and you may not merge in this space."
    return None


def no_rows(here: ChangesPlace) -> str | None:
    """Say so when there is nothing to order."""
    return None if here.rows.length else "There is nothing to sort."


def is_open(here: ChangesPlace, row: ChangeRow | None = None) -> str | None:
    """Say so when it is open already."""
    row = row or here.rows.selected
    return f"{row.label} is open already." if row and row.status == "open" else None
