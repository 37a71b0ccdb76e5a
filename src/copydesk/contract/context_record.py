"""Operations on the context records of a site."""

from __future__ import annotations

from typing import Annotated

from copydesk.contract.enumerations import RecordType
from copydesk.contract.models.base import Limit, Page
from copydesk.contract.models.context_record import Connector, ContextRecord, ContextRecordBatch
from copydesk.contract.operation import Wire, operation


@operation("GET", "/orgs/{organization_id}/sites/{site_id}/context-records", extension="E14")
def list_site_context_records(
    organization_id: str,
    site_id: str,
    *,
    page: str | None = None,
    limit: Limit | None = None,
    kind: Annotated[RecordType | None, Wire("type")] = None,
    connector: Connector | None = None,
    connection: str | None = None,
    topic: str | None = None,
) -> Page[ContextRecord]:
    """List the context records of a site, the latest first."""
    ...


@operation(
    "PUT",
    "/orgs/{organization_id}/sites/{site_id}/context-records",
    status=204,
    extension="E14",
)
def upsert_site_context_records(
    organization_id: str, site_id: str, body: ContextRecordBatch
) -> None:
    """Send tickets and documents; one whose id is known replaces what it was."""
    ...


@operation(
    "GET",
    "/orgs/{organization_id}/sites/{site_id}/context-records/{site_context_record_id}",
    extension="E14",
)
def get_site_context_record(
    organization_id: str, site_id: str, site_context_record_id: str
) -> ContextRecord:
    """Get a context record of a site."""
    ...
