"""Writing clusters, conversations and their issues, with every count kept right."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from hashlib import sha256

from copydesk.contract.enumerations import ClusterNaming, PartRole, RecordType
from copydesk.server.store import Row, Tx, Value, timestamp, to_json


def add_cluster(
    tx: Tx,
    organization_id: str,
    label: str,
    *,
    icon: str | None = None,
    summary: str = "",
    named: ClusterNaming = "hand",
) -> str:
    """Add a cluster without issues and return its id."""
    return tx.add(
        "cluster",
        organization_id=organization_id,
        label=label,
        icon=icon,
        summary=summary,
        named=named,
        created_at=tx.now,
        updated_at=tx.now,
    )


def add_conversation(
    tx: Tx,
    organization_id: str,
    parts: Iterable[tuple[PartRole, str]],
    *,
    source: str,
    subject: str = "",
    conversation_id: str | None = None,
    source_url: str | None = None,
    attributes: Mapping[str, str] | None = None,
    created_at: datetime | None = None,
    kind: RecordType = "ticket",
    description: str | None = None,
) -> str:
    """Add a conversation of (role, words) and return its id.

    It was processed at the transaction's moment and held then too, unless ``created_at`` says
    otherwise. ``conversation_id`` is the sender's own id; what the organization has under it
    is replaced. A document is only listed among the context records of a site.
    """
    key = tx.new_id() if conversation_id is None else conversation_id
    tx.put(
        "conversation",
        {"organization_id": organization_id, "id": key},
        subject=subject,
        source=source,
        source_url=source_url,
        created_at=tx.now if created_at is None else timestamp(created_at),
        processed_at=tx.now,
        attributes=to_json(dict(attributes or {})),
        parts=to_json([{"type": "message", "role": role, "body": body} for role, body in parts]),
        type=kind,
        description=description,
    )
    return key


def add_issue(
    tx: Tx,
    organization_id: str,
    conversation_id: str,
    title: str,
    *,
    summary: str = "",
    cluster_id: str | None = None,
    created_at: datetime | None = None,
    issue_id: str | None = None,
    placed: str = "hand",
    told: str | None = None,
) -> str:
    """Add an issue found in a conversation and return its id.

    The counts of its cluster and of the question that it asks follow. ``placed`` says who put it
    into its cluster, ``told`` is what its user says of it where that is more than the summary.
    """
    key = tx.new_id() if issue_id is None else issue_id
    when = tx.now if created_at is None else timestamp(created_at)
    said = tx.one(
        "SELECT answered, channel, language FROM conversation WHERE organization_id = ? AND id = ?",
        organization_id,
        conversation_id,
    )
    words = title.casefold()
    known: dict[str, Value] = {} if said is None else dict(said)
    tx.run(
        "INSERT INTO question (id, organization_id, words, title, created_at, asked_at, answers, "
        "answered) VALUES (?1, ?2, ?3, ?4, ?5, ?5, 1, ?6) "
        "ON CONFLICT (organization_id, words) DO UPDATE SET "
        "created_at = min(created_at, excluded.created_at), "
        "asked_at = max(asked_at, excluded.asked_at), answers = answers + 1, "
        "answered = answered + excluded.answered",
        sha256(f"{organization_id}\n{words}".encode()).hexdigest()[:20],
        organization_id,
        words,
        title,
        when,
        known.get("answered") == "yes",
    )
    tx.insert(
        "issue",
        id=key,
        organization_id=organization_id,
        conversation_id=conversation_id,
        cluster_id=cluster_id,
        title=title,
        summary=summary,
        created_at=when,
        ingested_at=tx.now,
        placed=placed,
        told=told,
        question_id=tx.value(
            "SELECT id FROM question WHERE organization_id = ? AND words = ?",
            organization_id,
            words,
        ),
        **known,
    )
    if cluster_id is not None:
        _count(tx, organization_id, conversation_id, cluster_id, +1)
    return key


def remove_issues(tx: Tx, organization_id: str, conversation_id: str) -> list[Row]:
    """Remove the issues of a conversation and return their rows, oldest first."""
    rows = tx.all(
        "SELECT * FROM issue "
        "WHERE organization_id = ? AND conversation_id = ? ORDER BY created_at, id",
        organization_id,
        conversation_id,
    )
    for row in rows:
        tx.run("DELETE FROM issue WHERE id = ?", row["id"])
        if row["cluster_id"] is not None:
            _count(tx, organization_id, conversation_id, row["cluster_id"], -1)
        _ask_again(tx, row["question_id"])
    return rows


def _ask_again(tx: Tx, question_id: str) -> None:
    """Update a question after one of its issues is gone; delete it without any."""
    left = tx.one(
        "SELECT min(created_at) AS created_at, max(created_at) AS asked_at, count(*) AS answers, "
        "sum(answered = 'yes') AS answered FROM issue WHERE question_id = ?",
        question_id,
    )
    if left is None or not left["answers"]:
        tx.run("DELETE FROM question WHERE id = ?", question_id)
    else:
        tx.update("question", question_id, **dict(left))


def _count(
    tx: Tx, organization_id: str, conversation_id: str, cluster_id: str, change: int
) -> None:
    """Note in a cluster's counts that an issue of a conversation has just come or gone."""
    present: int = tx.value(
        "SELECT count(*) FROM issue WHERE organization_id = ? AND conversation_id = ? "
        "AND cluster_id = ?",
        organization_id,
        conversation_id,
        cluster_id,
    )
    # A conversation counts once: it comes with its first issue here and goes with its last.
    counts = present == (1 if change > 0 else 0)
    tx.run(
        "UPDATE cluster SET issues = issues + ?, conversations = conversations + ?, "
        "updated_at = max(updated_at, ?) WHERE id = ?",
        change,
        change if counts else 0,
        tx.now,
        cluster_id,
    )
