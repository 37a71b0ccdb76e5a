"""Conversations that were handed in, and the issues found in them.

Each makes an issue, which joins the cluster that its words fit best. The desk has no language
model. It reads a conversation's subject and what its users say, and looks for the cluster whose
label has most of its words in there; when none has enough, the issue stays without a cluster. The
same conversation always ends up in the same place.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime

from copydesk.contract import operations as ops
from copydesk.contract.models.base import Page
from copydesk.contract.models.conversation import (
    Conversation,
    ConversationBatch,
    ConversationDetail,
    ConversationIngest,
    ConversationIssueItem,
    IngestBody,
)
from copydesk.domain.ingest_rules import why_unfit
from copydesk.domain.source_name import source_id
from copydesk.server.errors import invalid, not_found
from copydesk.server.implementation import Call, implements
from copydesk.server.pagination import paginate
from copydesk.server.queries.cluster import (
    conversation_detail,
    conversation_model,
    find_conversation,
    issue_item,
    reading_organization,
)
from copydesk.server.site_seed import add_conversation, add_issue, remove_issues
from copydesk.server.store import Tx


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
    where, values = ["organization_id = ?"], [organization_id]
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
    for conversation in conversations:
        for (field, *_), sentence in why_unfit(conversation):
            raise invalid(f"body.{field}: conversation {conversation.id[:100]!r}: {sentence}")
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


FIT = 70.0
"""How well a label must fit, out of 100: more than half of its letters are in shared words."""


SOURCE_ATTRIBUTE = "source"
"""The attribute by which a sender may name where a conversation is from."""


DEFAULT_SOURCE = "api"
"""The source of a conversation whose sender does not name one."""


TITLE_LENGTH = 120
"""The longest title of an issue, in characters."""


SUMMARY_LENGTH = 400
"""The longest summary of an issue, in characters."""


_READ_LENGTH = 4_000  # characters of a conversation that are compared with labels


def ingest(tx: Tx, organization_id: str, conversations: Iterable[ConversationIngest]) -> None:
    """Take in conversations; one whose id is known replaces what it was, under its issue's id."""
    labels = labels_of(tx, organization_id)
    for conversation in conversations:
        metadata = conversation.metadata
        attributes = (metadata.attributes if metadata else None) or {}
        created_at = metadata.created_at if metadata else None
        if created_at is None:
            created_at = _held_at(tx, organization_id, conversation.id)
        add_conversation(
            tx,
            organization_id,
            [(part.role, part.body) for part in conversation.parts],
            source=_source(attributes),
            subject=conversation.subject or "",
            conversation_id=conversation.id,
            source_url=metadata.url if metadata else None,
            attributes=attributes,
            created_at=created_at,
        )
        said = [part.body for part in conversation.parts if part.role == "user"] or [
            part.body for part in conversation.parts
        ]
        before = remove_issues(tx, organization_id, conversation.id)
        known_id, known_cluster = before[0] if before else (None, None)
        fitting = best_cluster(labels, [conversation.subject or "", *said])
        add_issue(
            tx,
            organization_id,
            conversation.id,
            title_of(conversation.subject or "", said),
            summary=shorten(next((text for text in said if text.strip()), ""), SUMMARY_LENGTH),
            # What has once been put into a cluster stays there for want of a better one.
            cluster_id=fitting or known_cluster,
            created_at=created_at,
            issue_id=known_id,
        )


def _held_at(tx: Tx, organization_id: str, conversation: str) -> datetime | None:
    """Return when a conversation was held that is handed in once more; None for a new one."""
    known = tx.value(
        "SELECT created_at FROM conversation WHERE organization_id = ? AND id = ?",
        organization_id,
        conversation,
    )
    return None if known is None else datetime.fromisoformat(known)


def labels_of(tx: Tx, organization_id: str) -> dict[str, str]:
    """Return the label of each cluster of an organization, ready to be compared."""
    from rapidfuzz import utils  # a desk opens without it

    rows = tx.all("SELECT id, label FROM cluster WHERE organization_id = ?", organization_id)
    return {row["id"]: utils.default_process(row["label"]) for row in rows}


def best_cluster(labels: Mapping[str, str], texts: Iterable[str]) -> str | None:
    """Return the cluster whose label shares the most words with some texts, None below ``FIT``."""
    from rapidfuzz import fuzz, process, utils

    text = utils.default_process("\n".join(texts)[:_READ_LENGTH])
    found = process.extract(
        text, labels, scorer=fuzz.token_set_ratio, processor=None, score_cutoff=FIT, limit=None
    )
    # Of labels that fit equally the longest shares the most words; the id makes it one answer.
    ranked = sorted((score, len(label), key) for label, score, key in found)
    return ranked[-1][2] if ranked else None


def title_of(subject: str, said: Iterable[str]) -> str:
    """Return an issue's title: the subject, or the first line of what was said."""
    lines = (line for text in (subject, *said) for line in text.splitlines())
    return shorten(next((line for line in lines if line.strip()), ""), TITLE_LENGTH)


def shorten(text: str, length: int) -> str:
    """Return a text on one line of at most ``length`` characters, cut between words."""
    line = " ".join(text.split())
    if len(line) <= length:
        return line
    cut = line[: length - 1]
    space = cut.rfind(" ")
    return (cut[:space] if space > length // 2 else cut) + "…"


def _source(attributes: Mapping[str, str]) -> str:
    """Return the source that a sender names, as an identifier."""
    return source_id(attributes.get(SOURCE_ATTRIBUTE, "")) or DEFAULT_SOURCE
