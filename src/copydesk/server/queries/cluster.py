"""Clusters, conversations and issues as resources, for members that may read (not guests)."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import timedelta

from copydesk.contract.models.base import Urls
from copydesk.contract.models.cluster import ClusterEvent, IssuesCluster
from copydesk.contract.models.conversation import (
    Conversation,
    ConversationDetail,
    ConversationIssue,
    ConversationIssueItem,
    ConversationsAnalysis,
)
from copydesk.domain.access import rank
from copydesk.server.errors import forbidden, invalid
from copydesk.server.implementation import Call
from copydesk.server.store import Row, columns, timestamp, to_json

HISTORY = 5
"""How many joins and splits of a cluster are told."""

WEEKS = 13
"""How many weeks a cluster's pulse shows, the latest last."""


def reading_organization(call: Call, organization_id: str) -> Row:
    """Return the organization if the caller may read its conversations.

    Raises a 404 when they are no member, a 403 when they are a guest.
    """
    organization = call.access.organization(organization_id)
    if rank(call.access.role(organization_id)) < rank("read"):
        raise forbidden("read", f"the organization {organization['title']!r}")
    return organization


def changing_organization(call: Call, organization_id: str) -> Row:
    """Return the organization if the caller may change its clusters, or raise a 404 or a 403."""
    return call.access.organization(organization_id, "createContent")


def go_on(call: Call, organization_id: str) -> None:
    """Have issues looked at that wait for it, unless clusters cannot be found here."""
    call.goes_on = bool(
        call.tx.value(
            "SELECT EXISTS (SELECT 1 FROM issue WHERE organization_id = ?1 AND placed = 'waiting') "
            "AND NOT EXISTS (SELECT 1 FROM clustering WHERE organization_id = ?1 "
            "AND state = 'unavailable') OR EXISTS (SELECT 1 FROM clustering "
            "WHERE organization_id = ?1 AND state = 'running')",
            organization_id,
        )
    )


def cluster_to_change(call: Call, organization_id: str, cluster_id: str) -> Row:
    """Return a cluster that the caller may change, or raise a 404 or a 403."""
    changing_organization(call, organization_id)
    return find_cluster(call, organization_id, cluster_id)


def check_issues(call: Call, organization_id: str, issues: Sequence[str]) -> list[str]:
    """Return the ids of a body, each once; raise a 400 for the first that is no issue."""
    wanted = list(dict.fromkeys(issues))
    there = {
        row["id"]
        for row in call.tx.all(
            "SELECT id FROM issue WHERE id IN (SELECT value FROM json_each(?)) "
            "AND +organization_id = ?",
            to_json(wanted),
            organization_id,
        )
    }
    for number, each in enumerate(issues):
        if each not in there:
            raise invalid(f"body.issues[{number}]: there is no issue {each[:100]!r}")
    return wanted


def find_cluster(call: Call, organization_id: str, cluster_id: str) -> Row:
    """Return a cluster of an organization that the caller may read, or raise a 404."""
    reading_organization(call, organization_id)
    return call.find("cluster", "cluster", cluster_id, organization_id=organization_id)


def cluster_model(call: Call, row: Row) -> IssuesCluster:
    """Return the cluster of a row of ``cluster``."""
    sources = call.tx.all(
        "SELECT c.source AS source, count(*) AS conversations FROM conversation c "
        "WHERE c.organization_id = ?1 AND c.id IN "
        "(SELECT conversation_id FROM issue WHERE cluster_id = ?2) "
        "GROUP BY c.source ORDER BY conversations DESC, c.source",
        row["organization_id"],
        row["id"],
    )
    organization_id = row["organization_id"]
    return IssuesCluster.model_validate(
        {
            **columns(row, "id", "label", "created_at", "updated_at", "icon", "summary"),
            **columns(row, "closed_at", "named"),
            "weekly_pulse": weekly_pulse(call, row["id"]),
            "sources": {source["source"]: source["conversations"] for source in sources},
            "stats": {
                "issues": row["issues"],
                "conversations": row["conversations"],
                "suggestions": call.tx.value(
                    "SELECT count(*) FROM suggestion WHERE cluster_id = ?", row["id"]
                ),
            },
            "first_seen_at": call.tx.value(
                "SELECT min(created_at) FROM issue WHERE cluster_id = ?", row["id"]
            ),
            "history": _history(call, row["id"]),
            "urls": Urls(
                location=call.url("orgs", organization_id, "conversations-clusters", row["id"])
            ),
        }
    )


def _history(call: Call, cluster_id: str) -> list[ClusterEvent]:
    rows = call.tx.all(
        # Without splits that were taken back: what came of them was emptied and deleted.
        "SELECT * FROM cluster_event WHERE cluster_id = ? AND NOT (kind = 'split' AND EXISTS "
        "(SELECT 1 FROM ended_cluster e WHERE e.id = other AND joined IS NULL "
        "AND issues = '[]')) ORDER BY id DESC LIMIT ?",
        cluster_id,
        HISTORY,
    )
    return [ClusterEvent.model_validate(dict(row)) for row in rows]


def analysis(call: Call, organization_id: str) -> ConversationsAnalysis:
    """Return how far the search for clusters in an organization's conversations is."""
    counts = call.tx.one(
        "SELECT total(placed = 'waiting') AS waiting, total(cluster_id IS NOT NULL) AS clustered, "
        "count(*) AS issues, (SELECT count(*) FROM suggestion JOIN issue i ON i.id = issue_id "
        "WHERE i.organization_id = ?1) AS suggestions "
        "FROM issue WHERE organization_id = ?1",
        organization_id,
    )
    assert counts is not None
    found = call.tx.get("clustering", organization_id=organization_id)
    waiting, clustered = int(counts["waiting"]), int(counts["clustered"])
    state = "idle" if found is None else found["state"]
    return ConversationsAnalysis(
        state="waiting" if waiting and state == "idle" else state,
        waiting=waiting,
        looked=0 if found is None else min(waiting, found["looked"]),
        clustered=clustered,
        unclustered=counts["issues"] - waiting - clustered,
        suggestions=counts["suggestions"],
        message=None if found is None else found["message"],
        finished_at=None if found is None else found["finished_at"],
    )


def weekly_pulse(call: Call, cluster_id: str) -> list[int]:
    """Return how many issues came up in each of the past 13 weeks, the last seven days last.

    An issue dated later than now, by the clock of whoever sent it, is of the latest week.
    """
    starts = [timestamp(call.tx.moment - timedelta(weeks=WEEKS - week)) for week in range(WEEKS)]
    # How many week starts an issue is later than is the number of its week.
    week = " + ".join(["(created_at > ?)"] * WEEKS)
    rows = call.tx.all(
        f"SELECT {week} AS week, count(*) AS issues FROM issue "  # noqa: S608 - marks only
        "WHERE cluster_id = ? AND created_at > ? GROUP BY 1",
        *starts,
        cluster_id,
        starts[0],
    )
    pulse = [0] * WEEKS
    for row in rows:
        pulse[row["week"] - 1] = row["issues"]
    return pulse


def find_conversation(call: Call, organization_id: str, conversation_id: str) -> Row:
    """Return a conversation of an organization that the caller may read, or raise a 404."""
    reading_organization(call, organization_id)
    return call.find(
        "conversation",
        "conversation",
        conversation_id,
        organization_id=organization_id,
        type="ticket",
    )


def conversation_model(call: Call, row: Row) -> Conversation:
    """Return the conversation of a row of ``conversation``."""
    return Conversation.model_validate(
        {
            **columns(row, "id", "subject", "created_at", "processed_at", "source"),
            "urls": Urls(
                location=call.url("orgs", row["organization_id"], "conversations", row["id"]),
                source=row["source_url"],
            ),
        }
    )


def conversation_detail(call: Call, row: Row) -> ConversationDetail:
    """Return a conversation with its messages and its sender's attributes."""
    return ConversationDetail.model_validate(
        {
            "conversation": conversation_model(call, row),
            "parts": json.loads(row["parts"]),
            "metadata": {
                "url": row["source_url"],
                "attributes": json.loads(row["attributes"]),
                "created_at": row["created_at"],
            },
        }
    )


def issue_item(call: Call, row: Row) -> ConversationIssueItem:
    """Return the issue of a row of ``issue`` with its conversation."""
    organization_id = row["organization_id"]
    conversation = call.tx.get(
        "conversation", organization_id=organization_id, id=row["conversation_id"]
    )
    issue = ConversationIssue.model_validate(
        {
            **columns(row, "id", "title", "summary", "created_at", "ingested_at"),
            "conversation": row["conversation_id"],
            "cluster": row["cluster_id"],
            "urls": Urls(
                location=call.url("orgs", organization_id, "conversations-issues", row["id"])
            ),
        }
    )
    return ConversationIssueItem(
        issue=issue,
        conversation=None if conversation is None else conversation_model(call, conversation),
    )
