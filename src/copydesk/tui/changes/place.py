"""The list of change requests as one goes to it: the screen, and all that can be done there.

They are joined here: the actions import the type of their screen, which must not import them.
"""

from __future__ import annotations

from copydesk.tui.changes.commands import (
    ChangeCommands,
    MergeCommands,
    PeopleCommands,
    SnoozeCommands,
)
from copydesk.tui.changes.edits import RequestEditCommands
from copydesk.tui.changes.screen import ChangesPlace
from copydesk.tui.changes.views import ViewCommands
from copydesk.tui.framework.navigation import Jump, place

LISTED = (
    "list_organization_change_requests", "list_organization_spaces", "get_change_request_changes",
    "get_revision", "list_change_request_comments", "list_change_request_reviews",
    "list_requested_reviewers",
)  # fmt: skip
"""The operations that every list of change requests is read with."""


@place(
    "changes",
    key="c",
    title="Change requests",
    jumps=(Jump("n", "needs-me", "Needs me", "needs-me", LISTED),),
    uses=(*LISTED, "list_space_change_requests", "get_issues_cluster"),
)
class ChangeRequestsPlace(ChangesPlace):
    """Change requests of a space or of a whole organization, and what can be done with them."""

    COMMAND_CLASSES = (
        ChangeCommands,
        MergeCommands,
        RequestEditCommands,
        SnoozeCommands,
        ViewCommands,
        PeopleCommands,
    )
