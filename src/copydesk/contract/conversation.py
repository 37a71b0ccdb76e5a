"""Operations on support conversations and the issues found in them."""

from __future__ import annotations

from copydesk.contract.models.base import Limit, Page
from copydesk.contract.models.conversation import (
    Conversation,
    ConversationDetail,
    ConversationIssueItem,
    IngestBody,
)
from copydesk.contract.operation import operation
from copydesk.contract.successors import FINDINGS, RECORDS


@operation("GET", "/orgs/{organization_id}/conversations", ended=True, successor=FINDINGS)
def list_conversations(
    organization_id: str,
    *,
    page: str | None = None,
    limit: Limit | None = None,
    source: str | None = None,
) -> Page[Conversation]:
    """List conversations, those from one source if ``source`` names it."""
    ...


@operation(
    "POST",
    "/orgs/{organization_id}/conversations",
    status=204,
    ended=True,
    successor=RECORDS,
)
def ingest_conversation(organization_id: str, body: IngestBody) -> None:
    """Hand in one conversation or several."""
    ...


@operation(
    "GET",
    "/orgs/{organization_id}/conversations/{conversation_id}",
    ended=True,
    successor=FINDINGS,
)
def get_conversation(organization_id: str, conversation_id: str) -> ConversationDetail:
    """Get a conversation with its parts."""
    ...


@operation("GET", "/orgs/{organization_id}/conversations-issues", ended=True, successor=FINDINGS)
def list_conversation_issues(
    organization_id: str,
    *,
    page: str | None = None,
    limit: Limit | None = None,
    cluster: str | None = None,
    conversation: str | None = None,
) -> Page[ConversationIssueItem]:
    """List issues: those of a cluster, or those found in a conversation."""
    ...


@operation(
    "GET",
    "/orgs/{organization_id}/conversations-issues/{issue_id}",
    ended=True,
    successor=FINDINGS,
)
def get_conversation_issue(organization_id: str, issue_id: str) -> ConversationIssueItem:
    """Get an issue with its conversation."""
    ...
