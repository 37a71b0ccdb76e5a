"""Which permission each operation takes, and on what.

What it is on is the first thing that the path names. Handlers check it where they find that thing;
the description tells it to readers, and a test walks operations and callers to hold both together.
"""

from __future__ import annotations

from typing import Any, Literal

from copydesk.contract import operations as ops
from copydesk.contract.operation import Operation
from copydesk.domain.late_dataclass import dataclass

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

_TAKES: dict[str, tuple[Operation[..., Any], ...]] = {
    # Reading takes view, unless it is named below.
    "view": (
        ops.ping_organization,
        ops.duplicate_space,
        ops.install_integration,
        ops.aggregate_site_events,
    ),
    "comment": (
        ops.create_space_comment,
        ops.update_space_comment,
        ops.create_space_comment_reply,
        ops.update_space_comment_reply,
        ops.create_change_request_comment,
        ops.update_change_request_comment,
        ops.create_change_request_comment_reply,
        ops.update_change_request_comment_reply,
    ),
    "review": (ops.create_change_request_review,),
    "edit": (
        ops.create_change_request,
        ops.pull_change_request_updates,
        ops.pull_change_request_updates_with_files,
        ops.update_change_request_content,
        ops.apply_space_template,
        ops.request_reviewers,
        ops.remove_requested_reviewer,
    ),
    "triggerGitSync": (ops.import_git_repository, ops.export_to_git_repository),
    "merge": (ops.merge_change_request, ops.update_change_request),
    "createContent": (
        ops.create_collection,
        ops.create_space,
        ops.create_site,
        ops.update_site,
        ops.update_adaptive_schema,
        ops.add_site_section,
        ops.update_site_section,
        ops.move_site_section,
        ops.delete_site_section,
        ops.add_site_space,
        ops.update_site_space,
        ops.move_site_space,
        ops.delete_site_space,
        ops.sort_site_structure,
        ops.add_site_section_group,
        ops.update_site_section_group,
        ops.delete_site_section_group,
        ops.add_site_external_link,
        ops.update_site_external_link,
        ops.delete_site_external_link,
        ops.duplicate_site_space,
        ops.create_site_redirect,
        ops.apply_site_redirects,
        ops.update_site_redirect,
        ops.delete_site_redirect,
        ops.update_site_finding,
        ops.update_site_topic,
        ops.create_issues_cluster,
        ops.update_issues_cluster,
        ops.delete_issues_cluster,
        ops.join_issues_clusters,
        ops.restore_issues_cluster,
        ops.move_conversation_issues,
        # A share link's address is a key, so reading it takes what making it does.
        ops.list_share_links,
        ops.create_share_link,
        ops.update_share_link,
        ops.delete_share_link,
        ops.create_translation,
        ops.update_translation,
        ops.delete_translation,
        ops.run_translation,
        ops.update_glossary_entries,
    ),
    "createOpenAPISpec": (
        ops.create_openapi_spec,
        ops.put_openapi_spec,
        ops.update_openapi_spec,
        ops.delete_openapi_spec,
    ),
    "ingestConversations": (ops.ingest_conversation, ops.upsert_site_context_records),
    # Conversations are people's own words: members with a role read them, guests do not.
    "read": (
        ops.list_conversations,
        ops.get_conversation,
        ops.list_conversation_issues,
        ops.get_conversation_issue,
        ops.list_issues_clusters,
        ops.get_issues_cluster,
        ops.list_cluster_suggestions,
        ops.get_conversations_analysis,
        ops.search_conversations,
        ops.search_issues_clusters,
        ops.link_cluster_change_request,
        ops.unlink_cluster_change_request,
        ops.list_site_findings,
        ops.get_site_finding,
        ops.list_site_finding_change_requests,
        ops.begin_site_finding_change_requests,
        ops.list_site_finding_pages,
        ops.list_site_finding_questions,
        ops.list_site_finding_records,
        ops.get_site_finding_stats,
        ops.list_site_topics,
        ops.get_site_topic,
        ops.list_site_questions,
        ops.get_site_question,
        ops.list_site_question_sources,
        ops.get_site_question_stats,
        ops.list_site_question_answers,
        ops.get_site_question_answer,
        ops.list_site_question_answer_sources,
        ops.get_site_question_answer_thread,
        ops.list_site_context_records,
        ops.get_site_context_record,
    ),
    "listMembers": (
        ops.list_site_permissions,
        ops.list_site_user_permissions,
        ops.list_members,
        ops.get_member,
        ops.list_member_spaces,
        ops.list_member_teams,
    ),
    "listTeams": (
        ops.list_site_team_permissions,
        ops.list_teams,
        ops.get_team,
        ops.list_team_members,
    ),
    "ownTeam": (ops.create_team,),
    "listInstallations": (ops.list_organization_installations,),
    "installIntegration": (
        ops.update_integration_installation,
        ops.uninstall_integration,
        ops.uninstall_integration_from_site,
        ops.uninstall_integration_from_space,
    ),
    "admin": (
        ops.update_organization,
        ops.invite_members,
        ops.list_invite_links,
        ops.create_invite_link,
        ops.get_invite_link,
        ops.update_invite_link,
        ops.list_organization_audit_event_actions,
        ops.list_organization_audit_events,
        ops.get_organization_audit_event,
        ops.delete_invite_link,
        ops.invite_to_collection,
        ops.update_collection_team_permission,
        ops.remove_team_from_collection,
        ops.update_collection_user_permission,
        ops.remove_user_from_collection,
        ops.invite_to_space,
        ops.update_space_team_permission,
        ops.remove_team_from_space,
        ops.update_space_user_permission,
        ops.remove_user_from_space,
        ops.invite_to_site,
        ops.update_site_team_permission,
        ops.remove_team_from_site,
        ops.update_site_user_permission,
        ops.remove_user_from_site,
        ops.update_agent_instructions,
        ops.update_member,
        ops.remove_member,
        ops.add_sso_member,
        ops.update_team,
        ops.delete_team,
        ops.update_team_members,
        ops.put_team_member,
        ops.remove_team_member,
        ops.list_saml_providers,
        ops.create_saml_provider,
        ops.get_saml_provider,
        ops.update_saml_provider,
        ops.delete_saml_provider,
        ops.delete_site,
        ops.publish_site,
        ops.unpublish_site,
        # The key that proves who a reader is: reading it takes what making it does.
        ops.get_site_publishing_auth,
        ops.update_site_publishing_auth,
        ops.regenerate_site_publishing_auth,
        ops.update_collection,
        ops.delete_collection,
        ops.move_collection,
        ops.transfer_collection,
        ops.update_space,
        ops.delete_space,
        ops.restore_space,
        ops.move_space,
        ops.transfer_space,
        ops.delete_space_comment,
        ops.delete_space_comment_reply,
        ops.delete_change_request_comment,
        ops.delete_change_request_comment_reply,
        ops.publish_integration,
        ops.delete_integration,
        ops.list_integration_events,
        ops.get_integration_event,
        ops.set_integration_dev_mode,
    ),
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

_PERMISSION = {op.name: permission for permission, those in _TAKES.items() for op in those}


def requirement(op: Operation[..., Any]) -> Requirement | None:
    """Return what an operation takes; None when a valid token is enough.

    Raises ``KeyError`` for an operation that is more than reading and is not in the table.
    """
    if op in (ops.join_organization, ops.get_user) or not op.path_parameters:
        return None
    scope = _SCOPES[op.path_parameters[0].name]
    permission = _PERMISSION.get(op.name, "view") if op.reads else _PERMISSION[op.name]
    besides = _BESIDES.get(op)
    if (
        besides is None
        and permission not in ("view", "read", "ingestConversations")
        and "{site_id}" in op.path
        and scope != "integration"
    ):
        besides = "on the site is enough"
    return Requirement(permission, scope, besides)
