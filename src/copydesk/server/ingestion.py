"""Taking in conversations and records, and finding an issue in each.

An issue joins the cluster that its words fit best. The desk has no language model. It reads a
conversation's subject and what its users say, and looks for the cluster whose label has most of its
words in there; when none has enough, the issue stays without a cluster. The same conversation
always ends up in the same place.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime

from copydesk.contract.models.context_record import ContextRecordInput
from copydesk.contract.models.conversation import ConversationIngest, MetadataIngest, PartIngest
from copydesk.domain.ingest_rules import why_unfit
from copydesk.domain.source_name import source_id
from copydesk.server.errors import invalid
from copydesk.server.site_seed import add_conversation, add_issue, remove_issues
from copydesk.server.store import Tx

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
    """Take in conversations; one whose id is known replaces what it was, under its issue's id.

    Raises a 400 for one that cannot be kept.
    """
    wanted = list(conversations)
    for conversation in wanted:
        for (field, *_), sentence in why_unfit(conversation):
            raise invalid(f"body.{field}: conversation {conversation.id[:100]!r}: {sentence}")
    labels = labels_of(tx, organization_id)
    for conversation in wanted:
        _ingest(tx, organization_id, conversation, labels)


def _ingest(
    tx: Tx, organization_id: str, conversation: ConversationIngest, labels: Mapping[str, str]
) -> None:
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


def ingest_records(tx: Tx, organization_id: str, records: Iterable[ContextRecordInput]) -> None:
    """Take in the tickets among some records as conversations; documents are kept as they are.

    Raises a 400 for one that cannot be kept.
    """
    wanted = list(records)
    tickets = any(record.type == "ticket" for record in wanted)
    labels = labels_of(tx, organization_id) if tickets else {}
    for record in wanted:
        conversation = _conversation(record)
        for (field, *_), sentence in why_unfit(conversation):
            raise invalid(f"body.{field}: {record.type} {record.id[:100]!r}: {sentence}")
        if record.type == "ticket":
            _ingest(tx, organization_id, conversation, labels)
            if record.description is not None:
                tx.run(
                    "UPDATE conversation SET description = ? WHERE organization_id = ? AND id = ?",
                    record.description,
                    organization_id,
                    record.id,
                )
            continue
        remove_issues(tx, organization_id, record.id)
        attributes = _attributes(record)
        add_conversation(
            tx,
            organization_id,
            [("user", record.body or record.title)],
            source=_source(attributes),
            subject=record.title,
            conversation_id=record.id,
            source_url=record.url,
            attributes=attributes,
            created_at=record.created_at or _held_at(tx, organization_id, record.id),
            kind="document",
            description=record.description,
        )


def _conversation(record: ContextRecordInput) -> ConversationIngest:
    return ConversationIngest.model_construct(
        id=record.id,
        subject=record.title,
        parts=[PartIngest(type="message", role="user", body=record.body or record.title)],
        # An address of any kind: who reads it sees to that.
        metadata=MetadataIngest.model_construct(
            url=record.url, attributes=_attributes(record), created_at=record.created_at
        ),
    )


def _attributes(record: ContextRecordInput) -> dict[str, str]:
    return {name: str(value) for name, value in (record.metadata or {}).items()}


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
