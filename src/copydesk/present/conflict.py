"""A conflict as text: its subject and its kind."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from rich.text import Text

from copydesk.domain.text import clean
from copydesk.session.glyphs import glyphs

if TYPE_CHECKING:
    from copydesk.contract.models.change_request import Conflict

SAID: Mapping[str, str] = {
    "edited": "both sides edited the same lines",
    "edited-deleted": "edited here, removed in main",
    "deleted-edited": "removed here, edited in main",
    "moved": "both sides moved it",
    "renamed": "both sides renamed it",
    "added": "both sides added it",
}
"""The meanings of the kinds of conflicts."""

HOW_TO_SETTLE = (
    "In its review U settles them. On a platform, edit these pages in the change request. What "
    "came from git: “copydesk desk export” into a checkout of its main branch, commit, merge that "
    "into the change request's branch (or rebase the branch on it), and “copydesk desk import” "
    "once more. An update does not help. Or archive it."
)
"""How to resolve a conflict."""


def conflict_name(conflict: Conflict) -> str:
    """Return the object of a conflict; "" where the service does not name it."""
    if conflict.page is not None:
        return clean(conflict.page.title or conflict.page.path or conflict.page.id)
    if conflict.file is not None:
        return clean(conflict.file.path or conflict.file.name or conflict.file.id)
    return ""


def conflict_head(conflict: Conflict) -> Text:
    """Return the object of a conflict and its kind."""
    return Text.assemble(
        (f"{glyphs().failed} ", "bad"),
        (conflict_name(conflict) or "something", "strong"),
        f": {SAID.get(conflict.kind, clean(conflict.kind))}",
    )
