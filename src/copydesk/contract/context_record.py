"""Operations on the context records of a site."""

from __future__ import annotations

from typing import Annotated, Unpack

from copydesk.contract import models
from copydesk.contract.enumerations import RecordType
from copydesk.contract.models.base import Page, Paging
from copydesk.contract.operation import Wire, operation

_RECORDS = "/orgs/{organization_id}/sites/{site_id}/context-records"


@operation("GET", _RECORDS, extension="E14")
def list_site_context_records(
    organization_id: str,
    site_id: str,
    *,
    kind: Annotated[RecordType | None, Wire("type")] = None,
    connector: models.context_record.Connector | None = None,
    connection: str | None = None,
    topic: str | None = None,
    **paging: Unpack[Paging],
) -> Page[models.context_record.ContextRecord]:
    """List the context records of a site, the latest first."""


@operation("PUT", _RECORDS, status=204, extension="E14")
def upsert_site_context_records(
    organization_id: str, site_id: str, body: models.context_record.ContextRecordBatch
) -> None:
    """Send tickets and documents; one whose id is known replaces what it was."""


@operation("GET", _RECORDS + "/{site_context_record_id}", extension="E14")
def get_site_context_record(
    organization_id: str, site_id: str, site_context_record_id: str
) -> models.context_record.ContextRecord:
    """Get a context record of a site."""
