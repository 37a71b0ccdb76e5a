"""Context records of a site: tickets become conversations, documents are kept beside them."""

from __future__ import annotations

from typing import Unpack

from copydesk.contract import operations as ops
from copydesk.contract.enumerations import RecordType
from copydesk.contract.models.base import Page, Paging
from copydesk.contract.models.context_record import ContextRecord, ContextRecordBatch
from copydesk.server.implementation import Call, implements
from copydesk.server.ingestion import ingest_records
from copydesk.server.pagination import Conditions
from copydesk.server.queries.context_record import record_issues, record_model, record_page
from copydesk.server.queries.question import site_to_triage


@implements(ops.list_site_context_records, takes="read")
def list_site_context_records(
    call: Call,
    organization_id: str,
    site_id: str,
    *,
    kind: RecordType | None = None,
    connector: str | None = None,
    connection: str | None = None,
    topic: str | None = None,
    **paging: Unpack[Paging],
) -> Page[ContextRecord]:
    site = site_to_triage(call, organization_id, site_id)
    which = Conditions()
    which.also("type = ?", kind)
    which.also("connector = ?", connector)
    which.also("source = ?", connection)
    which.also("id IN (SELECT conversation_id FROM issue WHERE cluster_id = ?)", topic)
    return record_page(call, site, which, paging=paging)


@implements(ops.upsert_site_context_records, takes="ingestConversations")
def upsert_site_context_records(
    call: Call, organization_id: str, site_id: str, body: ContextRecordBatch
) -> None:
    # They are the organization's, whichever site they come by.
    call.access.organization(organization_id, "ingestConversations")
    call.access.site(organization_id, site_id)
    ingest_records(call.tx, organization_id, body.root)
    call.goes_on = True


@implements(ops.get_site_context_record, takes="read")
def get_site_context_record(
    call: Call, organization_id: str, site_id: str, site_context_record_id: str
) -> ContextRecord:
    site = site_to_triage(call, organization_id, site_id)
    row = call.find(
        "context record", "conversation", site_context_record_id, organization_id=organization_id
    )
    return record_model(call, site, row, record_issues(call, site, [row["id"]]).get(row["id"], []))
