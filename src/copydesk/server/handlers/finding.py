"""Findings of a site: their subjects, their sources, and the change requests for them."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Unpack

from copydesk.contract import operations as ops
from copydesk.contract.enumerations import FindingOrder
from copydesk.contract.finding import PageOfFindings, WantedFindings
from copydesk.contract.models.base import Page, Paging
from copydesk.contract.models.change_request import ChangeRequest
from copydesk.contract.models.context_record import ContextRecord
from copydesk.contract.models.finding import (
    FindingPagePart,
    SiteFinding,
    SiteFindingPage,
    SiteFindingStats,
    SiteFindingUpdate,
)
from copydesk.contract.models.question import SiteQuestion
from copydesk.server import change_requests
from copydesk.server.errors import Refusal, blocked
from copydesk.server.findings import SEVERITIES
from copydesk.server.implementation import Call, implements
from copydesk.server.pagination import Conditions, paginate, slice_page
from copydesk.server.queries.change_request import change_request_model, prepare_models, space_row
from copydesk.server.queries.context_record import record_page
from copydesk.server.queries.finding import (
    counted_requests,
    filtered,
    find_finding,
    finding_model,
    findings_view,
    hidden,
    requests_of,
)
from copydesk.server.queries.page import find_page
from copydesk.server.queries.publication import SHOWN_KEYS
from copydesk.server.queries.question import paragraphs, question_page, site_to_change
from copydesk.server.queries.site import SiteView
from copydesk.server.store import Row

_KEYS: dict[FindingOrder, str] = {
    "updatedAt": "updated_at",
    "severity": "severity",
    "sources": "sources",
}

_SUBJECT_LENGTH = 100


@implements(ops.list_site_findings, takes="read")
def list_site_findings(
    call: Call,
    organization_id: str,
    site_id: str,
    *,
    question: str | None = None,
    updated_after: datetime | None = None,
    updated_before: datetime | None = None,
    order_by: FindingOrder = "updatedAt",
    **wanted: Unpack[PageOfFindings],
) -> Page[SiteFinding]:
    view = findings_view(call, organization_id, site_id)
    which = filtered(view, wanted)
    which.also("cluster_id IN (SELECT cluster_id FROM issue WHERE question_id = ?)", question)
    which.also("updated_at > ?", updated_after)
    which.also("updated_at < ?", updated_before)
    return paginate(
        call.tx,
        lambda row: finding_model(view, row),
        source="finding",
        which=which,
        keys=(_KEYS[order_by], "id"),
        paging=wanted,
    )


@implements(ops.get_site_finding, takes="read")
def get_site_finding(
    call: Call, organization_id: str, site_id: str, site_finding_id: str
) -> SiteFinding:
    view = findings_view(call, organization_id, site_id)
    return finding_model(view, find_finding(view, site_finding_id))


@implements(ops.update_site_finding, takes="createContent")
def update_site_finding(
    call: Call, organization_id: str, site_id: str, site_finding_id: str, body: SiteFindingUpdate
) -> SiteFinding:
    """Give a finding another status, which stays whatever is found out later.

    One that is made a candidate again opens like others.
    """
    view = SiteView(call, site_to_change(call, organization_id, site_id))
    row = find_finding(view, site_finding_id)
    decided = body.status != "candidate"
    call.tx.update(
        "finding", row["id"], status=body.status, decided=decided, updated_at=call.tx.now
    )
    return finding_model(view, call.tx.row("finding", row["id"]))


@implements(ops.list_site_finding_change_requests, takes="read")
def list_site_finding_change_requests(
    call: Call, organization_id: str, site_id: str, site_finding_id: str, **paging: Unpack[Paging]
) -> Page[ChangeRequest]:
    view = findings_view(call, organization_id, site_id)
    which = requests_of(view, find_finding(view, site_finding_id))
    return paginate(
        call.tx,
        lambda row: change_request_model(call, space_row(call, row["space_id"]), row),
        source="change_request",
        which=which,
        keys=("updated_at", "id"),
        paging=paging,
        prepare=lambda rows: prepare_models(call, rows),
    )


@implements(ops.begin_site_finding_change_requests, takes="read")
def begin_site_finding_change_requests(
    call: Call, organization_id: str, site_id: str, site_finding_id: str
) -> None:
    """Begin a draft, without edits, in the space that a finding is most about.

    That is the one with its first page, or else that of its latest change request, or else the one
    that readers get first, of those in which the caller may edit. The desk has nobody who would
    write.
    """
    view = findings_view(call, organization_id, site_id)
    row = find_finding(view, site_finding_id)
    space = _space_for(view, row)
    made = change_requests.open_branch(
        call.tx,
        space["id"],
        call.user_id,
        row["title"][:_SUBJECT_LENGTH],
        status="draft",
        description=paragraphs([row["title"]]).to_dict(),
        cluster=row["cluster_id"],
    )
    call.tx.insert("finding_request", change_request_id=made, finding_id=row["id"])


@implements(ops.list_site_finding_pages, takes="read")
def list_site_finding_pages(
    call: Call, organization_id: str, site_id: str, site_finding_id: str, **paging: Unpack[Paging]
) -> Page[SiteFindingPage]:
    """List the pages that a finding is about and that are there, the best first."""
    view = findings_view(call, organization_id, site_id)
    row = find_finding(view, site_finding_id)
    found = call.tx.all(
        "SELECT * FROM finding_page WHERE finding_id = ? "
        "AND space_id NOT IN (SELECT value FROM json_each(?)) ORDER BY position",
        row["id"],
        hidden(view),
    )
    pages = slice_page(found, lambda each: str(each["position"]), paging=paging)
    return Page[SiteFindingPage](
        items=[model for each in pages.items if (model := _page(call, each)) is not None],
        next=pages.next,
        count=pages.count,
    )


@implements(ops.list_site_finding_questions, takes="read")
def list_site_finding_questions(
    call: Call, organization_id: str, site_id: str, site_finding_id: str, **paging: Unpack[Paging]
) -> Page[SiteQuestion]:
    """List the questions that the issues of a finding ask; none tells of a broken link."""
    view = findings_view(call, organization_id, site_id)
    row = find_finding(view, site_finding_id)
    which = Conditions(
        "id IN (SELECT question_id FROM issue WHERE cluster_id = ?)", row["cluster_id"]
    )
    return question_page(
        call, view.site, which, Conditions(), "asked_at", descending=True, paging=paging
    )


@implements(ops.list_site_finding_records, takes="read")
def list_site_finding_records(
    call: Call, organization_id: str, site_id: str, site_finding_id: str, **paging: Unpack[Paging]
) -> Page[ContextRecord]:
    """List the conversations that tell of a finding; none tells of a broken link."""
    view = findings_view(call, organization_id, site_id)
    row = find_finding(view, site_finding_id)
    which = Conditions(
        "id IN (SELECT conversation_id FROM issue WHERE cluster_id = ?)", row["cluster_id"]
    )
    return record_page(call, view.site, which, paging=paging)


@implements(ops.get_site_finding_stats, takes="read")
def get_site_finding_stats(
    call: Call, organization_id: str, site_id: str, **wanted: Unpack[WantedFindings]
) -> SiteFindingStats:
    view = findings_view(call, organization_id, site_id)
    which = filtered(view, wanted)
    rows = call.tx.all(which.after("SELECT * FROM finding WHERE 1"), *which.values)
    connectors = call.tx.all(
        "SELECT c.connector AS connector, count(DISTINCT i.cluster_id) AS findings "
        "FROM issue i JOIN conversation c ON c.organization_id = i.organization_id "
        "AND c.id = i.conversation_id WHERE i.cluster_id IN (SELECT value FROM json_each(?)) "
        "GROUP BY c.connector ORDER BY findings DESC, c.connector",
        json.dumps([row["cluster_id"] for row in rows if row["cluster_id"] is not None]),
    )
    return SiteFindingStats.model_validate(
        {
            "total": len(rows),
            "statuses": {
                name: sum(row["status"] == name for row in rows)
                for name in ("open", "done", "canceled")
            },
            "severities": {
                name: sum(row["severity"] == number for row in rows)
                for number, name in enumerate(SEVERITIES)
            },
            "connectors": {row["connector"]: row["findings"] for row in connectors},
            "questions": sum(row["questions"] for row in rows),
            "merged_change_requests": sum(_merged(view, row) for row in rows),
        }
    )


def _merged(view: SiteView, row: Row) -> int:
    which = requests_of(view, row)
    which.also("status = 'merged'")
    found: int = view.call.tx.value(
        which.after("SELECT count(*) FROM change_request WHERE 1"), *which.values
    )
    return found


def _space_for(view: SiteView, row: Row) -> Row:
    call = view.call
    pages = call.tx.all(
        "SELECT space_id FROM finding_page WHERE finding_id = ? ORDER BY position", row["id"]
    )
    which = counted_requests(view, row)
    begun = call.tx.all(
        which.after("SELECT space_id FROM change_request WHERE 1", " ORDER BY created_at DESC, id"),
        *which.values,
    )
    first = [each["space_id"] for each in (*pages, *begun)]
    order = ", ".join(("shown_default DESC", *SHOWN_KEYS))
    shown = [each["id"] for each in view.seen_rows(f"1 ORDER BY {order}")]
    for space_id in dict.fromkeys([*first, *shown]):
        try:
            return call.access.space(space_id, "edit")
        except Refusal as refusal:
            last = refusal
            continue
    if not shown:
        raise blocked("This site shows no space in which a change request could be begun.")
    raise last


def _page(call: Call, row: Row) -> SiteFindingPage | None:
    space = call.tx.row("space", row["space_id"])
    try:
        placed = find_page(call, space["revision_id"], row["page_id"])
    except Refusal:
        return None
    data = placed.data
    part = FindingPagePart(id=data.id, type=data.type, title=data.title, path=placed.path)
    return SiteFindingPage(space_id=row["space_id"], page=part)
