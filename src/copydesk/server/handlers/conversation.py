"""Conversations that were handed in, and the issues found in them.

They are people's own words: members with a role read them, guests do not.
"""

from __future__ import annotations

from typing import Unpack

from copydesk.contract import operations as ops
from copydesk.contract.cluster import WantedConversations
from copydesk.contract.models.base import Page, Paging
from copydesk.contract.models.conversation import (
    Conversation,
    ConversationBatch,
    ConversationDetail,
    ConversationHit,
    ConversationIssueItem,
    ConversationsAnalysis,
    IngestBody,
    IssueMove,
    IssuesMoved,
)
from copydesk.server import clusters
from copydesk.server.errors import invalid
from copydesk.server.implementation import Call, implements
from copydesk.server.ingestion import ingest
from copydesk.server.pagination import Conditions, paginate
from copydesk.server.queries.cluster import (
    analysis,
    changing_organization,
    check_issues,
    conversation_detail,
    conversation_model,
    find_conversation,
    issue_item,
    reading_organization,
)
from copydesk.server.queries.conversation_search import Search


@implements(ops.list_conversations, takes="read")
def list_conversations(
    call: Call, organization_id: str, *, source: str | None = None, **paging: Unpack[Paging]
) -> Page[Conversation]:
    reading_organization(call, organization_id)
    given = Conditions("organization_id = ? AND type = 'ticket'", organization_id)
    given.also("source = ?", source)
    return paginate(
        call.tx,
        lambda row: conversation_model(call, row),
        source="conversation",
        which=given,
        paging=paging,
    )


@implements(ops.ingest_conversation, takes="ingestConversations")
def ingest_conversation(call: Call, organization_id: str, body: IngestBody) -> None:
    """Take in one conversation or several; one whose id is known replaces what it was."""
    call.access.organization(organization_id, "ingestConversations")
    conversations = body.root if isinstance(body, ConversationBatch) else [body]
    ingest(call.tx, organization_id, conversations)
    call.goes_on = True


@implements(ops.get_conversation, takes="read")
def get_conversation(call: Call, organization_id: str, conversation_id: str) -> ConversationDetail:
    return conversation_detail(call, find_conversation(call, organization_id, conversation_id))


@implements(ops.list_conversation_issues, takes="read")
def list_conversation_issues(
    call: Call,
    organization_id: str,
    *,
    cluster: str | None = None,
    conversation: str | None = None,
    **paging: Unpack[Paging],
) -> Page[ConversationIssueItem]:
    reading_organization(call, organization_id)
    # A plus sign keeps SQLite from walking all issues where those of a cluster are asked for.
    sign = "" if cluster is None else "+"
    given = Conditions(f"{sign}organization_id = ?", organization_id)
    given.also("cluster_id = ?", cluster)
    given.also("conversation_id = ?", conversation)
    return paginate(
        call.tx, lambda row: issue_item(call, row), source="issue", which=given, paging=paging
    )


@implements(ops.get_conversation_issue, takes="read")
def get_conversation_issue(
    call: Call, organization_id: str, issue_id: str
) -> ConversationIssueItem:
    reading_organization(call, organization_id)
    row = call.find("issue", "issue", issue_id, organization_id=organization_id)
    return issue_item(call, row)


@implements(ops.move_conversation_issues, takes="createContent")
def move_conversation_issues(call: Call, organization_id: str, body: IssueMove) -> IssuesMoved:
    """Put issues into a cluster or into none, where they stay.

    Also into a closed one: what was moved out of it can be taken back.
    """
    changing_organization(call, organization_id)
    issues = check_issues(call, organization_id, body.issues)
    if body.cluster is not None:
        row = call.tx.get("cluster", id=body.cluster, organization_id=organization_id)
        if row is None:
            raise invalid(f"body.cluster: there is no cluster {body.cluster[:100]!r}")
    return IssuesMoved(moved=clusters.place(call.tx, issues, body.cluster, "hand"))


@implements(ops.get_conversations_analysis, takes="read")
def get_conversations_analysis(
    call: Call, organization_id: str, *, hurry: bool | None = None
) -> ConversationsAnalysis:
    """Count what waits and what was found; whoever asks wakes what works on it."""
    reading_organization(call, organization_id)
    found = analysis(call, organization_id)
    call.goes_on = bool(found.waiting) or found.state == "running"
    call.hurries = bool(hurry)
    return found


@implements(ops.search_conversations, takes="read")
def search_conversations(
    call: Call,
    organization_id: str,
    *,
    cluster: str | None = None,
    **wanted: Unpack[WantedConversations],
) -> Page[ConversationHit]:
    """Find conversations by words, in any order and with other endings, and by their fields."""
    reading_organization(call, organization_id)
    search = Search(call, organization_id, wanted)
    search.of_cluster(cluster)
    return paginate(
        call.tx,
        search.hit,
        source="conversation_search",
        which=search,
        keys=("created_at", "conversation_id"),
        paging=wanted,
        prepare=search.prepare,
    )
