"""Findings as resources. What a caller may not see of a site is in no finding that they get."""

from __future__ import annotations

import json
from functools import partial

from copydesk.contract.finding import WantedFindings
from copydesk.contract.models.base import Urls
from copydesk.contract.models.finding import SiteFinding
from copydesk.server.errors import not_found
from copydesk.server.findings import SEVERITIES, is_current, scan
from copydesk.server.implementation import Call, OutdatedError
from copydesk.server.pagination import Conditions
from copydesk.server.queries.question import paragraphs, site_to_triage, site_url
from copydesk.server.queries.site import SiteView
from copydesk.server.store import Row, columns


def findings_view(call: Call, organization_id: str, site_id: str) -> SiteView:
    """Return a site with its findings up to date.

    Raises as ``site_to_triage`` does, and ``OutdatedError`` where they have to be made first. What
    takes longer is left to the desk's worker.
    """
    site = site_to_triage(call, organization_id, site_id)
    current, complete = is_current(call.tx, site)
    if not current and not call.settled:
        raise OutdatedError(partial(scan, site_id=site_id))
    if current and not complete:
        call.goes_on = True
    return SiteView(call, site)


def seen(view: SiteView) -> Conditions:
    """Return the conditions on ``finding`` for those of a site that the caller may see.

    What was found in a space that the site does not show any more is kept, and nobody sees it.
    """
    found = Conditions("site_id = ?", view.site["id"])
    found.also(
        "space_id IS NULL OR space_id IN (SELECT space_id FROM site_space WHERE site_id = ?)",
        view.site["id"],
    )
    if view.unseen:
        found.also(
            "space_id IS NULL OR space_id NOT IN (SELECT value FROM json_each(?))", hidden(view)
        )
    return found


def hidden(view: SiteView) -> str:
    """Return the ids of the spaces that the caller may not see, as JSON."""
    return json.dumps(sorted(view.unseen))


def filtered(view: SiteView, wanted: WantedFindings) -> Conditions:
    """Return the conditions on ``finding`` that lists and numbers share."""
    found = seen(view)
    found.also("cluster_id = ?", wanted["topic"])
    found.also("status = ?", wanted["status"])
    if kind := wanted["kind"]:
        found.also("type IN (SELECT value FROM json_each(?))", json.dumps(kind))
    if (severity := wanted["severity"]) is not None:
        found.also("severity = ?", SEVERITIES.index(severity))
    found.also(
        "EXISTS (SELECT 1 FROM change_request r WHERE (r.cluster_id = finding.cluster_id "
        "OR r.id IN (SELECT change_request_id FROM finding_request "
        "WHERE finding_id = finding.id)) "
        "AND r.status != 'archived' "
        "AND r.space_id IN (SELECT space_id FROM site_space WHERE site_id = ?) "
        "AND r.space_id NOT IN (SELECT value FROM json_each(?))) = ?",
        view.site["id"],
        hidden(view),
        wanted["has_change_requests"],
    )
    if source := wanted["source"]:
        connections = [each.removeprefix("connection:") for each in source if each != "questions"]
        found.also(
            "(? AND cluster_id IS NOT NULL) OR cluster_id IN (SELECT i.cluster_id FROM issue i "
            "JOIN conversation c ON c.organization_id = i.organization_id "
            "AND c.id = i.conversation_id WHERE i.organization_id = ? "
            "AND c.source IN (SELECT value FROM json_each(?)))",
            "questions" in source,
            view.site["organization_id"],
            json.dumps(connections),
        )
    return found


def find_finding(view: SiteView, finding_id: str) -> Row:
    """Return a finding of a site that the caller may see, or raise a 404."""
    which = seen(view)
    which.also("id = ?", finding_id)
    row = view.call.tx.one(which.after("SELECT * FROM finding WHERE 1"), *which.values)
    if row is None:
        raise not_found("finding", finding_id)
    return row


def requests_of(view: SiteView, finding: Row) -> Conditions:
    """Return the conditions on ``change_request`` for those begun for a finding of a site."""
    found = Conditions()
    if finding["cluster_id"] is None:
        found.also(
            "id IN (SELECT change_request_id FROM finding_request WHERE finding_id = ?)",
            finding["id"],
        )
    else:
        found.also("cluster_id = ?", finding["cluster_id"])
    found.also("space_id IN (SELECT space_id FROM site_space WHERE site_id = ?)", view.site["id"])
    found.also("space_id NOT IN (SELECT value FROM json_each(?))", hidden(view))
    return found


def counted_requests(view: SiteView, finding: Row) -> Conditions:
    """Return the conditions for requests that count: not the archived ones."""
    found = requests_of(view, finding)
    found.also("status != 'archived'")
    return found


def finding_model(view: SiteView, row: Row) -> SiteFinding:
    """Return the finding of a row of ``finding``."""
    call, site = view.call, view.site
    which = counted_requests(view, row)
    requests: int = call.tx.value(
        which.after("SELECT count(*) FROM change_request WHERE 1"), *which.values
    )
    pages: int = row["pages"]
    if view.unseen:
        pages = call.tx.value(
            "SELECT count(*) FROM finding_page WHERE finding_id = ? "
            "AND space_id NOT IN (SELECT value FROM json_each(?))",
            row["id"],
            hidden(view),
        )
    return SiteFinding.model_validate(
        {
            **columns(row, "id", "title", "records", "questions", "status", "type"),
            **columns(row, "created_at", "updated_at"),
            "scan": call.tx.kept(
                ("scan", site["id"]),
                lambda: call.tx.value("SELECT state FROM site_scan WHERE site_id = ?", site["id"]),
            ),
            "topic": row["cluster_id"],
            "change_requests": requests,
            "pages": pages,
            "severity": SEVERITIES[row["severity"]],
            "description": paragraphs([_description(call, row)]),
            "auto_fixable": False,
            "urls": Urls(location=site_url(call, site, "findings", row["id"])),
        }
    )


def _description(call: Call, row: Row) -> str:
    if row["cluster_id"] is not None:
        return str(call.tx.row("cluster", row["cluster_id"])["summary"])
    space = call.tx.row("space", row["space_id"])
    if row["gone"]:
        return f"No page of {space['title']} links to {row['target']} any more."
    return f"Pages of {space['title']} link to {row['target']}, where nothing is."
