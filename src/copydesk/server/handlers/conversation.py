"""Conversations that were handed in, and the issues found in them."""

from __future__ import annotations

from copydesk.contract import operations as ops
from copydesk.contract.models.base import Page
from copydesk.contract.models.conversation import (
    Conversation,
    ConversationBatch,
    ConversationDetail,
    ConversationIssueItem,
    IngestBody,
)
from copydesk.server.errors import not_found
from copydesk.server.implementation import Call, implements
from copydesk.server.ingestion import ingest
from copydesk.server.pagination import paginate
from copydesk.server.queries.cluster import (
    conversation_detail,
    conversation_model,
    find_conversation,
    issue_item,
    reading_organization,
)


@implements(ops.list_conversations)
def list_conversations(
    call: Call,
    organization_id: str,
    *,
    page: str | None = None,
    limit: int | None = None,
    source: str | None = None,
) -> Page[Conversation]:
    """List the conversations of an organization, the latest first."""
    reading_organization(call, organization_id)
    where, values = ["organization_id = ?", "type = 'ticket'"], [organization_id]
    if source is not None:
        where.append("source = ?")
        values.append(source)
    return paginate(
        call.tx,
        lambda row: conversation_model(call, row),
        source="conversation",
        where=where,
        values=values,
        keys=("created_at", "id"),
        page=page,
        limit=limit,
    )


@implements(ops.ingest_conversation)
def ingest_conversation(call: Call, organization_id: str, body: IngestBody) -> None:
    """Take in one conversation or several; one whose id is known replaces what it was."""
    call.access.organization(organization_id, "ingestConversations")
    conversations = body.root if isinstance(body, ConversationBatch) else [body]
    ingest(call.tx, organization_id, conversations)


@implements(ops.get_conversation)
def get_conversation(call: Call, organization_id: str, conversation_id: str) -> ConversationDetail:
    return conversation_detail(call, find_conversation(call, organization_id, conversation_id))


@implements(ops.list_conversation_issues)
def list_conversation_issues(
    call: Call,
    organization_id: str,
    *,
    page: str | None = None,
    limit: int | None = None,
    cluster: str | None = None,
    conversation: str | None = None,
) -> Page[ConversationIssueItem]:
    """List the issues of an organization, the latest first."""
    reading_organization(call, organization_id)
    # A plus sign keeps SQLite from walking all issues where those of a cluster are asked for.
    sign = "" if cluster is None else "+"
    where, values = [f"{sign}organization_id = ?"], [organization_id]
    if cluster is not None:
        where.append("cluster_id = ?")
        values.append(cluster)
    if conversation is not None:
        where.append("conversation_id = ?")
        values.append(conversation)
    return paginate(
        call.tx,
        lambda row: issue_item(call, row),
        source="issue",
        where=where,
        values=values,
        keys=("created_at", "id"),
        page=page,
        limit=limit,
    )


@implements(ops.get_conversation_issue)
def get_conversation_issue(
    call: Call, organization_id: str, issue_id: str
) -> ConversationIssueItem:
    reading_organization(call, organization_id)
    row = call.tx.one(
        "SELECT * FROM issue WHERE id = ? AND organization_id = ?", issue_id, organization_id
    )
    if row is None:
        raise not_found("issue", issue_id)
    return issue_item(call, row)
