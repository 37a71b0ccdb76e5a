"""Topics of a site: the clusters of its organization."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from copydesk.contract import operations as ops
from copydesk.contract.models.base import Page, Urls
from copydesk.contract.models.question import QuestionStats
from copydesk.contract.models.topic import SiteTopic, SiteTopicUpdate
from copydesk.server.implementation import Call, implements
from copydesk.server.pagination import Conditions
from copydesk.server.queries.finding import findings_view, hidden
from copydesk.server.queries.question import (
    NONE_ASKED,
    asked,
    paragraphs,
    site_to_change,
    site_url,
    statistics,
)
from copydesk.server.queries.site import SiteView
from copydesk.server.store import Row, columns


@implements(ops.list_site_topics, takes="read")
def list_site_topics(
    call: Call,
    organization_id: str,
    site_id: str,
    *,
    since: datetime | None = None,
    to: datetime | None = None,
) -> Page[SiteTopic]:
    """List the topics of a site, the latest changed first."""
    view = findings_view(call, organization_id, site_id)
    rows = call.tx.all(
        "SELECT * FROM cluster WHERE organization_id = ? ORDER BY updated_at DESC, id DESC",
        organization_id,
    )
    return Page[SiteTopic](items=_models(view, rows, asked({"since": since, "to": to})))


@implements(ops.get_site_topic, takes="read")
def get_site_topic(call: Call, organization_id: str, site_id: str, site_topic_id: str) -> SiteTopic:
    view = findings_view(call, organization_id, site_id)
    return _models(view, [_find(view, site_topic_id)], Conditions())[0]


@implements(ops.update_site_topic, takes="createContent")
def update_site_topic(
    call: Call, organization_id: str, site_id: str, site_topic_id: str, body: SiteTopicUpdate
) -> SiteTopic:
    """Keep what a topic shall be used for. This desk has nobody who would begin change requests."""
    view = SiteView(call, site_to_change(call, organization_id, site_id))
    row = _find(view, site_topic_id)
    call.tx.put(
        "topic_usage",
        {"site_id": site_id, "cluster_id": row["id"]},
        change_requests=body.usage_settings.change_requests,
    )
    return _models(view, [row], Conditions())[0]


def _find(view: SiteView, topic_id: str) -> Row:
    return view.call.find(
        "topic", "cluster", topic_id, organization_id=view.site["organization_id"]
    )


def _models(view: SiteView, rows: Sequence[Row], which: Conditions) -> list[SiteTopic]:
    call, site = view.call, view.site
    stats = statistics(call, "topic", [row["id"] for row in rows], which)
    findings = {
        row["cluster_id"]: row
        for row in call.tx.all(
            "SELECT cluster_id, count(*) AS total, sum(status = 'open') AS open, "
            "(SELECT count(*) FROM finding_page WHERE finding_id = finding.id "
            "AND finding_page.space_id NOT IN (SELECT value FROM json_each(?))) AS pages "
            "FROM finding WHERE site_id = ? AND cluster_id IS NOT NULL GROUP BY cluster_id",
            hidden(view),
            site["id"],
        )
    }
    used = {
        row["cluster_id"]: bool(row["change_requests"])
        for row in call.tx.all("SELECT * FROM topic_usage WHERE site_id = ?", site["id"])
    }
    return [
        _model(view, row, findings.get(row["id"]), used.get(row["id"], False), stats.get(row["id"]))
        for row in rows
    ]


def _model(
    view: SiteView, row: Row, findings: Row | None, used: bool, stats: QuestionStats | None
) -> SiteTopic:
    return SiteTopic.model_validate(
        {
            **columns(row, "id", "label", "created_at", "updated_at"),
            "icon": row["icon"] or "",
            "summary": paragraphs([row["summary"]]),
            "usage_settings": {"change_requests": used},
            "pages": 0 if findings is None else findings["pages"],
            "records": row["conversations"],
            "findings": {}
            if findings is None
            else {"open": findings["open"], "total": findings["total"]},
            "questions": stats or NONE_ASKED,
            "urls": Urls(location=site_url(view.call, view.site, "topics", row["id"])),
        }
    )
