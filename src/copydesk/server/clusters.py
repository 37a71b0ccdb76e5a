"""Writing clusters: what is in them, joining them, ending them and bringing them back.

By hand and by machine both write through these functions, which keep the counts of clusters right.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Literal

from copydesk.contract.enumerations import ClusterChange
from copydesk.server.store import Row, Tx, to_json

Placed = Literal["waiting", "machine", "none", "hand"]
"""Who put an issue where it is; what a person put somewhere stays there."""

REMEMBERED = ("label", "icon", "summary", "created_at", "named", "closed_at")
"""What a cluster has besides its issues, and gets back when it is restored."""


def place(tx: Tx, issues: Iterable[str], cluster_id: str | None, placed: Placed) -> int:
    """Put issues into a cluster, or into none, and return how many were somewhere else before.

    They are suggested to no other cluster from then on.
    """
    wanted = to_json(list(issues))
    before = tx.all(
        # Joined in this order, or SQLite would walk all issues by their clusters.
        "SELECT cluster_id, count(*) AS issues FROM json_each(?) AS wanted "
        "CROSS JOIN issue ON issue.id = wanted.value AND cluster_id IS NOT ? GROUP BY cluster_id",
        wanted,
        cluster_id,
    )
    tx.run(
        "UPDATE issue SET cluster_id = ?, placed = ? WHERE id IN (SELECT value FROM json_each(?))",
        cluster_id,
        placed,
        wanted,
    )
    tx.run("DELETE FROM suggestion WHERE issue_id IN (SELECT value FROM json_each(?))", wanted)
    if before:
        recount(tx, [row["cluster_id"] for row in before] + [cluster_id])
    return sum(row["issues"] for row in before)


def recount(tx: Tx, clusters: Iterable[str | None]) -> None:
    """Count anew what is in some clusters that were changed just now."""
    tx.run(
        "UPDATE cluster SET issues = (SELECT count(*) FROM issue WHERE cluster_id = cluster.id), "
        "conversations = "
        "(SELECT count(DISTINCT conversation_id) FROM issue WHERE cluster_id = cluster.id), "
        "updated_at = max(updated_at, ?) WHERE id IN (SELECT value FROM json_each(?))",
        tx.now,
        to_json(sorted({each for each in clusters if each is not None})),
    )


def tell(tx: Tx, cluster_id: str, kind: ClusterChange, other: str, label: str) -> None:
    """Note in the history of a cluster what became of it."""
    tx.insert(
        "cluster_event", cluster_id=cluster_id, at=tx.now, kind=kind, other=other, label=label
    )


def join(tx: Tx, cluster: Row, into: str, placed: Placed | None = None) -> None:
    """Put what a cluster has into another one, where its change requests go too, and end it.

    ``placed`` is who did; without it each issue stays what it was.
    """
    _remember(tx, cluster, into)
    tx.run(
        "UPDATE issue SET cluster_id = ?, placed = coalesce(?, placed) WHERE cluster_id = ?",
        into,
        placed,
        cluster["id"],
    )
    tx.run(
        "UPDATE OR IGNORE suggestion SET cluster_id = ? WHERE cluster_id = ?", into, cluster["id"]
    )
    tx.run("UPDATE change_request SET cluster_id = ? WHERE cluster_id = ?", into, cluster["id"])
    tx.run("DELETE FROM cluster WHERE id = ?", cluster["id"])
    tell(tx, into, "joined", cluster["id"], cluster["label"])
    recount(tx, [into])


def end(tx: Tx, cluster: Row, placed: Placed) -> None:
    """End a cluster. Its issues stay, in none, and its change requests answer none."""
    _remember(tx, cluster, None)
    tx.run(
        "UPDATE issue SET cluster_id = NULL, placed = ? WHERE cluster_id = ?", placed, cluster["id"]
    )
    tx.run("UPDATE change_request SET cluster_id = NULL WHERE cluster_id = ?", cluster["id"])
    tx.run("DELETE FROM cluster WHERE id = ?", cluster["id"])


def restore(tx: Tx, ended: Row) -> None:
    """Bring back a cluster that ended, with those of its issues that nobody moved since."""
    key, joined = ended["id"], ended["joined"]
    tx.insert(
        "cluster",
        id=key,
        organization_id=ended["organization_id"],
        updated_at=tx.now,
        **json.loads(ended["data"]),
    )
    tx.run(
        "UPDATE issue SET cluster_id = ?1, placed = had.placed FROM "
        "(SELECT value ->> 0 AS id, value ->> 1 AS placed FROM json_each(?2)) AS had "
        "WHERE issue.id = had.id AND issue.organization_id = ?3 AND issue.cluster_id IS ?4",
        key,
        ended["issues"],
        ended["organization_id"],
        joined,
    )
    tx.run(
        "DELETE FROM suggestion WHERE issue_id IN (SELECT id FROM issue WHERE cluster_id = ?)", key
    )
    tx.run(
        "UPDATE change_request SET cluster_id = ? "
        "WHERE id IN (SELECT value FROM json_each(?)) AND cluster_id IS ?",
        key,
        ended["requests"],
        joined,
    )
    if joined is not None:
        tx.run(
            "DELETE FROM cluster_event WHERE cluster_id = ? AND kind = 'joined' AND other = ?",
            joined,
            key,
        )
    tx.run("DELETE FROM ended_cluster WHERE id = ?", key)
    recount(tx, [key, joined])


def _remember(tx: Tx, cluster: Row, joined: str | None) -> None:
    issues = tx.all("SELECT id, placed FROM issue WHERE cluster_id = ?", cluster["id"])
    requests = tx.all("SELECT id FROM change_request WHERE cluster_id = ?", cluster["id"])
    tx.insert(
        "ended_cluster",
        id=cluster["id"],
        organization_id=cluster["organization_id"],
        ended_at=tx.now,
        joined=joined,
        data=to_json({name: cluster[name] for name in REMEMBERED}),
        issues=to_json([[row["id"], row["placed"]] for row in issues]),
        requests=to_json([row["id"] for row in requests]),
    )


def sources_of(tx: Tx, issues: Sequence[str]) -> list[str]:
    """Return the clusters that some issues are in."""
    return [
        row["cluster_id"]
        for row in tx.all(
            "SELECT DISTINCT cluster_id FROM issue WHERE cluster_id IS NOT NULL "
            "AND id IN (SELECT value FROM json_each(?)) ORDER BY cluster_id",
            to_json(list(issues)),
        )
    ]
