"""Which pages a change request and primary content have both changed since they parted.

Where there are none the two go together: that is for a list to say without asking the service to
merge. Where there are some they may still go together, by line, which only the merge finds out.
"""

from __future__ import annotations

from collections.abc import Sequence

from copydesk.domain.page_tree import PageChange


def on_both_sides(mine: Sequence[PageChange], main: Sequence[PageChange]) -> list[PageChange]:
    """Return the changes of a request that may not go together with those of primary content.

    These are pages that both have changed, pages whose new place primary content has moved, removed
    or taken, and pages that the request removes while primary content has put others below them.
    """
    pages = {change.id: change for change in main}
    placed = [change.after for change in main if change.after and _places(change)]
    addresses = {node.path: node.id for node in placed if node.path}
    parents = {node.parent for node in placed}

    def meets(change: PageChange) -> bool:
        if change.id in pages:
            return True
        if change.after is None:
            return change.id in parents
        if not _places(change):
            return False
        if addresses.get(change.after.path, change.id) != change.id:
            return True
        above = pages.get(change.after.parent or "")
        return above is not None and bool({"deleted", "moved"} & set(above.kinds))

    return [change for change in mine if meets(change)]


def _places(change: PageChange) -> bool:
    """Whether a change gives a page a place or an address."""
    return bool({"added", "moved", "renamed"} & set(change.kinds))
