"""Taking in conversations and records, and finding the issues in each.

An issue is a problem that users tell in a conversation; which cluster it belongs to is found out
later, in the background (`copydesk.server.clustering.job`). A conversation that is handed in once
more keeps its issues: their ids, where they are, and who put them there.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from copydesk.contract.models.context_record import ContextRecordInput
from copydesk.contract.models.conversation import ConversationIngest, MetadataIngest, PartIngest
from copydesk.domain.ingest_rules import why_unfit
from copydesk.domain.source_name import source_id
from copydesk.server.conversation_writes import add_conversation, add_issue, remove_issues
from copydesk.server.errors import invalid
from copydesk.server.store import Row, Tx

if TYPE_CHECKING:
    from copydesk.server.clustering.problems import Problem

SOURCE_ATTRIBUTE = "source"
"""The attribute by which a sender may name where a conversation is from."""

DEFAULT_SOURCE = "api"
"""The source of a conversation whose sender does not name one."""

TELLS = {"user": "user", "assistant": "bot", "team-member": "team"}
"""What those who look for problems call who said something."""


def ingest(tx: Tx, organization_id: str, conversations: Iterable[ConversationIngest]) -> None:
    """Take in conversations; one whose id is known replaces what it was, under its issue's id.

    Raises a 400 for one that cannot be kept.
    """
    wanted = list(conversations)
    for conversation in wanted:
        for (field, *_), sentence in why_unfit(conversation):
            raise invalid(f"body.{field}: conversation {conversation.id[:100]!r}: {sentence}")
    for conversation, problems in zip(wanted, _problems(tx, wanted), strict=True):
        _ingest(tx, organization_id, conversation, problems)


def _problems(tx: Tx, conversations: Sequence[ConversationIngest]) -> Sequence[Sequence[Problem]]:
    """Return what problems each of the conversations of a request tells."""
    from copydesk.server.clustering.problems import problems_of  # a desk opens without it

    told = [
        (each.subject or "", tuple((TELLS[part.role], part.body) for part in each.parts))
        for each in conversations
    ]
    size = sum(len(words) for _, parts in told for _, words in parts)
    return tx.apart(("problems", *told), size, lambda _: [problems_of(*each) for each in told])


def _ingest(
    tx: Tx, organization_id: str, conversation: ConversationIngest, problems: Sequence[Problem]
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
    before = remove_issues(tx, organization_id, conversation.id)
    for problem, known in zip(problems, _known(problems, before), strict=True):
        kept = known is not None and (known["placed"] == "hand" or known["cluster_id"] is not None)
        add_issue(
            tx,
            organization_id,
            conversation.id,
            problem.title,
            summary=problem.summary,
            cluster_id=None if known is None else known["cluster_id"],
            created_at=created_at,
            issue_id=None if known is None else known["id"],
            placed=known["placed"] if known is not None and kept else "waiting",
            told=problem.text,
        )


def _known(problems: Sequence[Problem], before: Sequence[Row]) -> list[Row | None]:
    """Return for each problem the issue that it was: of the same title, or else the next one."""
    left = list(before)
    found: list[Row | None] = []
    for problem in problems:
        same = next((row for row in left if row["title"] == problem.title), None)
        found.append(same)
        if same is not None:
            left.remove(same)
    return [row if row is not None else left.pop(0) if left else None for row in found]


def ingest_records(tx: Tx, organization_id: str, records: Iterable[ContextRecordInput]) -> None:
    """Take in the tickets among some records as conversations; documents are kept as they are.

    Raises a 400 for one that cannot be kept.
    """
    wanted = [(record, _conversation(record)) for record in records]
    for record, conversation in wanted:
        for (field, *_), sentence in why_unfit(conversation):
            raise invalid(f"body.{field}: {record.type} {record.id[:100]!r}: {sentence}")
    tickets = [told for record, told in wanted if record.type == "ticket"]
    problems = iter(_problems(tx, tickets))
    for record, conversation in wanted:
        if record.type == "ticket":
            _ingest(tx, organization_id, conversation, next(problems))
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


def _source(attributes: Mapping[str, str]) -> str:
    """Return the source that a sender names, as an identifier."""
    return source_id(attributes.get(SOURCE_ATTRIBUTE, "")) or DEFAULT_SOURCE
