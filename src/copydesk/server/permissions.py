"""Which permission each operation takes, and on what.

A handler says it (``implements(…, takes="edit")``) and checks it where it finds the first thing
that the path names. The description tells it to readers, and a test walks operations and callers to
hold both together.
"""

from __future__ import annotations

from typing import Any, Literal

from copydesk.contract import operations as ops
from copydesk.contract.operation import Operation
from copydesk.domain.late_dataclass import dataclass
from copydesk.server.handlers import implementation_of

Scope = Literal["space", "collection", "organization", "integration"]
"""What a permission is had on."""


@dataclass(frozen=True)
class Requirement:
    """A permission on what the path names first.

    ``besides`` names exceptions that depend on the thing itself.
    """

    permission: str
    scope: Scope
    besides: str | None = None

    @property
    def sentence(self) -> str:
        """The requirement in words."""
        sentence = f"Needs the permission `{self.permission}` on the {self.scope}"
        return f"{sentence}; {self.besides}." if self.besides else f"{sentence}."


_SCOPES: dict[str, Scope] = {
    "space_id": "space",
    "collection_id": "collection",
    "organization_id": "organization",
    "integration_name": "integration",
}

_INSTALLED = "in the organization that has it installed"
_READERS = "whoever may read a published site gets what it shows"
_OWN = "one's own needs `view`"

_EDITS = "and `edit` on the space of the change request"

_BESIDES: dict[Operation[..., Any], str] = {
    ops.delete_space_comment: _OWN,
    ops.delete_space_comment_reply: _OWN,
    ops.delete_change_request_comment: _OWN,
    ops.delete_change_request_comment_reply: _OWN,
    ops.update_change_request: "its creator needs `edit`",
    ops.request_reviewers: "the creator of the change request may, too",
    ops.remove_requested_reviewer: "the creator of the change request may, too",
    ops.get_member: "one's own membership needs `view`",
    ops.list_member_spaces: "one's own need `view`",
    ops.list_member_teams: "one's own need `view`",
    ops.remove_member: "everyone may leave",
    ops.get_team: "its members may, too",
    ops.list_team_members: "its members may, too",
    ops.update_team_members: "its owners may, too",
    ops.put_team_member: "its owners may, too",
    ops.remove_team_member: "its owners may, too",
    ops.get_space: _READERS,
    ops.get_published_site: _READERS,
    ops.list_site_sections: _READERS,
    ops.list_site_spaces: _READERS,
    ops.get_site_redirect: _READERS,
    ops.get_site_structure: _READERS,
    ops.begin_site_finding_change_requests: "and `edit` on a space of the site",
    ops.link_cluster_change_request: _EDITS,
    ops.unlink_cluster_change_request: _EDITS,
    **dict.fromkeys(
        (ops.update_site_finding, ops.update_site_topic),
        "on the site is enough with `read` in the organization",
    ),
    ops.get_translation: "and on the space that it is of",
    **dict.fromkeys(
        (ops.list_site_permissions, ops.list_site_user_permissions, ops.list_site_team_permissions),
        "whoever administers the site may, too",
    ),
    ops.duplicate_site_space: "the copy of its space needs `create` where that is",
    ops.duplicate_space: "the copy needs `create` where the space is",
    ops.move_space: "the new place needs `create`",
    ops.move_collection: "the new place needs `create`",
    ops.transfer_space: "the other organization needs `createContent`",
    ops.transfer_collection: "the other organization needs `createContent`",
    ops.update_integration_installation: _INSTALLED,
    ops.uninstall_integration: _INSTALLED,
    ops.uninstall_integration_from_site: _INSTALLED,
    ops.uninstall_integration_from_space: "on the space",
    ops.install_integration: "the organization in the body needs `installIntegration`",
}

_LISTS_PEOPLE = "and `listMembers` in its organization, or `admin` on it"
_LISTS_TEAMS = "and `listTeams` in its organization, or `admin` on it"
_BESIDES |= {
    ops.list_collection_permissions: _LISTS_PEOPLE,
    ops.list_collection_user_permissions: _LISTS_PEOPLE,
    ops.list_collection_team_permissions: _LISTS_TEAMS,
    ops.list_space_permissions: _LISTS_PEOPLE,
    ops.list_space_user_permissions: _LISTS_PEOPLE,
    ops.list_space_team_permissions: _LISTS_TEAMS,
}


def requirement(op: Operation[..., Any]) -> Requirement | None:
    """Return what an operation takes; None when a valid token is enough. Loads its handler.

    Raises ``LookupError`` where one that does more than read does not say it.
    """
    if op in (ops.join_organization, ops.get_user) or not op.path_parameters:
        return None
    scope = _SCOPES[op.path_parameters[0].name]
    permission = implementation_of(op).takes or ("view" if op.reads else "")
    if not permission:
        raise LookupError(f"{op.name} does not say what it takes")
    besides = _BESIDES.get(op)
    if (
        besides is None
        and permission not in ("view", "read", "ingestConversations")
        and "{site_id}" in op.path
        and scope != "integration"
    ):
        besides = "on the site is enough"
    return Requirement(permission, scope, besides)
