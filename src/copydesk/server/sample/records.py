"""Writing what the sample's desk noted meanwhile: audit events, traffic of sites, a git repository.

Audit events tell what is on the desk, who did it and when.
"""

from __future__ import annotations

import random
import uuid
from collections.abc import Callable
from datetime import timedelta

from copydesk.server import content, site_writes
from copydesk.server.store import Tx, timestamp, to_json

_DAYS = 28
"""For how many days traffic is told."""

_AUDITED = """
    SELECT organization_id, created_at AS at, 'create_change_request' AS action,
        created_by AS who, 'change-request' AS type, id, subject AS label, space_id
    FROM change_request
    UNION ALL
    SELECT c.organization_id, c.merged_at, 'merge_change_request', r.author_id,
        'change-request', c.id, c.subject, c.space_id
    FROM change_request c JOIN revision r ON r.id = c.revision_merged
    UNION ALL
    SELECT c.organization_id, v.created_at, 'create_change_request_review', v.reviewer,
        'change-request', c.id, c.subject, c.space_id
    FROM review v JOIN change_request c ON c.id = v.change_request_id
    ORDER BY at, id, action
"""


def write_records(
    ago: Callable[[float], Tx], spaces: dict[str, str], synced: str, seed: str
) -> None:
    """Write them; ``synced`` is the key of the space that is kept in a git repository."""
    tx = ago(0)
    for row in tx.all(_AUDITED):
        if row["at"] < timestamp(tx.moment - timedelta(days=365)):
            continue
        tx.insert(
            "audit_event",
            id=str(uuid.uuid5(uuid.NAMESPACE_OID, f"{row['action']} {row['id']} {row['at']}")),
            organization_id=row["organization_id"],
            occurred_at=row["at"],
            action=row["action"],
            actor_id=row["who"],
            target_type=row["type"],
            target_id=row["id"],
            target_label=row["label"],
            payload=to_json({"spaceId": row["space_id"], "changeRequestId": row["id"]}),
        )
    began, ended = ago(2.01), ago(2)
    state = {
        "repoName": "pebblebox/docs",
        "installationProvider": "github",
        "url": "https://git.pebblebox.example/pebblebox/docs",
        "operation": {
            "state": "success",
            "direction": "import",
            "startedAt": began.now,
            "endedAt": ended.now,
        },
        "updatedAt": ended.now,
    }
    tx.update("space", spaces[synced], git_sync=to_json(state))
    _write_traffic(tx, random.Random(f"{seed} traffic"))  # noqa: S311 - to be the same each time


def _write_traffic(tx: Tx, chance: random.Random) -> None:
    """Write what readers of published sites did: some pages are read daily, most now and then."""
    today = tx.moment.date()
    for shown in tx.all(
        "SELECT v.site_id, v.space_id, space.revision_id FROM site_space v "
        "JOIN site ON site.id = v.site_id JOIN space ON space.id = v.space_id "
        "WHERE published AND NOT hidden GROUP BY v.site_id, v.space_id "
        "ORDER BY site.created_at, v.position, v.id"
    ):
        nodes = list(content.load(tx, shown["revision_id"]).nodes())
        data = content.versions(tx, (node.version for node in nodes))
        pages = [node.page for node in nodes if data[node.version].type == "document"]
        often = pages[:1]  # where readers of a space arrive
        for page in pages:
            usual, step = (chance.randrange(60, 400), 1) if page in often else (
                chance.randrange(3, 40), 7,
            )  # fmt: skip
            for days in range(chance.randrange(step), _DAYS, step):
                day = today - timedelta(days=days)
                # Fewer people read on weekends, and a few more each week.
                busy = (0.4 if day.weekday() >= 5 else 1.0) * (1.0 - days / (_DAYS * 4))
                events = max(1, round(usual * busy * chance.uniform(0.8, 1.2)))
                site_writes.add_events(
                    tx, shown["site_id"], shown["space_id"], page, day.isoformat(),
                    events=events, visitors=max(1, events * 2 // 3),
                )  # fmt: skip
