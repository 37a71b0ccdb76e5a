"""Why an action on change requests is off, as sentences."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from copydesk.tui.present.change_request import ChangeRow
    from copydesk.tui.screens.changes_actions import ChangesActions


def _row(here: ChangesActions) -> ChangeRow | None:
    return here.rows.selected


def nothing_selected(here: ChangesActions) -> str | None:
    """Say so when the cursor is on no change request."""
    return None if _row(here) is not None else "Put the cursor on a change request first."


def is_merged(here: ChangesActions) -> str | None:
    """Say so when it is merged: that is the end of it."""
    row = _row(here)
    return f"{row.label} is merged: that cannot change." if row and row.status == "merged" else None


def is_archived(here: ChangesActions) -> str | None:
    """Say so when it is archived."""
    row = _row(here)
    return f"{row.label} is archived: x reopens it." if row and row.status == "archived" else None


def is_draft(here: ChangesActions) -> str | None:
    """Say so when it is a draft, which cannot merge."""
    row = _row(here)
    return f"{row.label} is a draft: W makes it open." if row and row.status == "draft" else None


def is_current(here: ChangesActions) -> str | None:
    """Say so when there is nothing to pull in."""
    row = _row(here)
    return f"{row.label} is up to date." if row is not None and not row.outdated else None


def is_stuck(here: ChangesActions) -> str | None:
    """Say so when an update conflicted and would again."""
    row = _row(here)
    if row is None or not here.stuck(row):
        return None
    return f"{row.label} conflicts with primary content; to update it again changes nothing."


def _lacks(here: ChangesActions, right: str) -> bool:
    row = _row(here)
    info = None if row is None else here.space_of(row)
    return info is not None and info.rights is not None and right not in info.rights


def may_not_edit(here: ChangesActions) -> str | None:
    """Say so when the reader may not edit in its space."""
    return "You may not edit in this space." if _lacks(here, "edit") else None


def may_not_merge(here: ChangesActions) -> str | None:
    """Say so when the reader may not merge in its space."""
    return "You may not merge in this space." if _lacks(here, "merge") else None


def may_not_change(here: ChangesActions) -> str | None:
    """Say so when it is not the reader's own, and the reader may not merge either."""
    row, me = _row(here), here.session.me
    own = row is not None and me is not None and row.author_id == me.id
    if own:
        return may_not_edit(here)
    if _lacks(here, "merge"):
        return "It is not yours, and you may not merge in this space."
    return None


def no_rows(here: ChangesActions) -> str | None:
    """Say so when there is nothing to order."""
    return None if here.rows.length else "There is nothing to sort."
