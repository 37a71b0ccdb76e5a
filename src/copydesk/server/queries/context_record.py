"""Context records as resources: the conversations of an organization, and documents beside them."""

from __future__ import annotations

import json
from collections.abc import Sequence

from copydesk.contract.models.base import Page, Paging, Urls
from copydesk.contract.models.context_record import ContextRecord
from copydesk.server.implementation import Call
from copydesk.server.pagination import Conditions, paginate
from copydesk.server.queries.question import site_url
from copydesk.server.store import Row, columns

_TITLE_LENGTH = 256
_DESCRIPTION_LENGTH = 512


def record_page(call: Call, site: Row, which: Conditions, paging: Paging) -> Page[ContextRecord]:
    """Return a page of records, the latest first, by conditions on ``conversation``."""
    issues: dict[str, list[Row]] = {}
    which.also("organization_id = ?", site["organization_id"])

    def prepare(rows: Sequence[Row]) -> None:
        issues.update(record_issues(call, site, [row["id"] for row in rows]))

    return paginate(
        call.tx,
        lambda row: record_model(call, site, row, issues.get(row["id"], [])),
        source="conversation",
        which=which,
        prepare=prepare,
        paging=paging,
    )


def record_issues(call: Call, site: Row, ids: Sequence[str]) -> dict[str, list[Row]]:
    """Return the issues found in some conversations, oldest first."""
    found: dict[str, list[Row]] = {}
    for row in call.tx.all(
        "SELECT conversation_id, title, summary, cluster_id FROM issue WHERE organization_id = ? "
        "AND conversation_id IN (SELECT value FROM json_each(?)) ORDER BY created_at, id",
        site["organization_id"],
        json.dumps(list(ids)),
    ):
        found.setdefault(row["conversation_id"], []).append(row)
    return found


def record_model(call: Call, site: Row, row: Row, issues: Sequence[Row]) -> ContextRecord:
    """Return the record of a row of ``conversation`` with its issues."""
    title = row["subject"] or next((each["title"] for each in issues), "")
    description = row["description"] or next((each["summary"] for each in issues), "")
    return ContextRecord.model_validate(
        {
            **columns(row, "id", "type", "created_at", "processed_at", "connector"),
            "title": title[:_TITLE_LENGTH] or row["id"],
            "description": description[:_DESCRIPTION_LENGTH] or None,
            "connection": row["source"],
            "topics": list(
                dict.fromkeys(each["cluster_id"] for each in issues if each["cluster_id"])
            ),
            "urls": Urls(
                location=site_url(call, site, "context-records", row["id"]),
                source=row["source_url"],
            ),
        }
    )
