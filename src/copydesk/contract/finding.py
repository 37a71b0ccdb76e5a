"""Operations on the findings of a site."""

from __future__ import annotations

from typing import Annotated, TypedDict, Unpack

from copydesk.contract import models
from copydesk.contract.enumerations import FindingOrder, FindingSeverity, FindingStatus, FindingType
from copydesk.contract.models.base import Page, Paging
from copydesk.contract.operation import Wire, operation
from copydesk.contract.successors import CLUSTERS

_FINDING = "/orgs/{organization_id}/sites/{site_id}/findings/{site_finding_id}"


class WantedFindings(TypedDict, total=False):
    """Which findings are listed and counted: those that are all that is said."""

    topic: str | None
    status: FindingStatus | None
    kind: Annotated[list[FindingType] | None, Wire("type")]
    severity: FindingSeverity | None
    has_change_requests: bool | None
    source: list[models.finding.TriageSource] | None


class PageOfFindings(Paging, WantedFindings, total=False):
    """Which findings are listed, and which page of them."""


@operation(
    "GET", "/orgs/{organization_id}/sites/{site_id}/findings", extension="E14", successor=CLUSTERS
)
def list_site_findings(
    organization_id: str,
    site_id: str,
    *,
    question: str | None = None,
    updated_after: models.base.Timestamp | None = None,
    updated_before: models.base.Timestamp | None = None,
    order_by: FindingOrder = "updatedAt",
    **wanted: Unpack[PageOfFindings],
) -> Page[models.finding.SiteFinding]:
    """List the findings of a site."""


@operation("GET", _FINDING, extension="E14")
def get_site_finding(
    organization_id: str, site_id: str, site_finding_id: str
) -> models.finding.SiteFinding:
    """Get a finding of a site."""


@operation("PATCH", _FINDING, extension="E14")
def update_site_finding(
    organization_id: str, site_id: str, site_finding_id: str, body: models.finding.SiteFindingUpdate
) -> models.finding.SiteFinding:
    """Give a finding another status."""


@operation("GET", _FINDING + "/change-requests", extension="E14")
def list_site_finding_change_requests(
    organization_id: str, site_id: str, site_finding_id: str, **paging: Unpack[Paging]
) -> Page[models.change_request.ChangeRequest]:
    """List the change requests that were begun for a finding."""


@operation("POST", _FINDING + "/change-requests", status=202, extension="E14")
def begin_site_finding_change_requests(
    organization_id: str, site_id: str, site_finding_id: str
) -> None:
    """Have the service begin change requests for a finding."""


@operation("GET", _FINDING + "/pages", extension="E14")
def list_site_finding_pages(
    organization_id: str, site_id: str, site_finding_id: str, **paging: Unpack[Paging]
) -> Page[models.finding.SiteFindingPage]:
    """List the pages that a finding is about."""


@operation("GET", _FINDING + "/questions", extension="E14")
def list_site_finding_questions(
    organization_id: str, site_id: str, site_finding_id: str, **paging: Unpack[Paging]
) -> Page[models.question.SiteQuestion]:
    """List the questions that tell of a finding."""


@operation("GET", _FINDING + "/records", extension="E14")
def list_site_finding_records(
    organization_id: str, site_id: str, site_finding_id: str, **paging: Unpack[Paging]
) -> Page[models.context_record.ContextRecord]:
    """List the context records that tell of a finding."""


@operation("GET", "/orgs/{organization_id}/sites/{site_id}/stats/findings", extension="E14")
def get_site_finding_stats(
    organization_id: str, site_id: str, **wanted: Unpack[WantedFindings]
) -> models.finding.SiteFindingStats:
    """Get the numbers of a site's findings."""
