"""Operations on change requests."""

from __future__ import annotations

from typing import Annotated, Unpack

from copydesk.contract import models
from copydesk.contract.enumerations import ChangeRequestStatus
from copydesk.contract.models.base import Limit, Page, Paging
from copydesk.contract.operation import Default, operation


class WantedRequests(Paging, total=False):
    """Which change requests are listed, and which page of them."""

    status: Annotated[ChangeRequestStatus, Default("open")]
    creator: str | None
    contributor: str | None
    requested_reviewer: str | None
    conversations_issues_cluster: str | None


@operation("GET", "/spaces/{space_id}/change-requests")
def list_space_change_requests(
    space_id: str, **wanted: Unpack[WantedRequests]
) -> Page[models.change_request.ChangeRequest]:
    """List the change requests of a space that have one status, filtered by people or cluster."""


@operation("POST", "/spaces/{space_id}/change-requests", status=201)
def create_change_request(
    space_id: str, body: models.change_request.ChangeRequestCreate
) -> models.change_request.ChangeRequest:
    """Open a change request in a space."""


@operation("GET", "/spaces/{space_id}/change-requests/{change_request_id}")
def get_change_request(
    space_id: str, change_request_id: str
) -> models.change_request.ChangeRequest:
    """Get a change request by its id or its number."""


@operation("PATCH", "/spaces/{space_id}/change-requests/{change_request_id}")
def update_change_request(
    space_id: str, change_request_id: str, body: models.change_request.ChangeRequestUpdate
) -> models.change_request.ChangeRequest:
    """Change the subject, status or description of a change request."""


@operation("POST", "/spaces/{space_id}/change-requests/{change_request_id}/merge")
def merge_change_request(
    space_id: str, change_request_id: str
) -> models.change_request.MergeResult:
    """Merge a change request into main."""


@operation("POST", "/spaces/{space_id}/change-requests/{change_request_id}/update")
def pull_change_request_updates(
    space_id: str, change_request_id: str
) -> models.change_request.UpdateResult:
    """Pull main into a change request."""


@operation(
    "POST", "/spaces/{space_id}/change-requests/{change_request_id}/update/files", extension="E21"
)
def pull_change_request_updates_with_files(
    space_id: str, change_request_id: str, body: models.change_request.FilesTaken
) -> models.change_request.UpdateResult:
    """Pull main into a change request, with a side for each file that both changed."""


@operation("GET", "/spaces/{space_id}/change-requests/{change_request_id}/changes", extension="E6")
def get_change_request_changes(
    space_id: str, change_request_id: str, *, limit: Limit | None = None
) -> models.change_request.Changes:
    """Get what a change request changes."""


@operation("GET", "/orgs/{organization_id}/change-requests")
def list_organization_change_requests(
    organization_id: str, **wanted: Unpack[WantedRequests]
) -> Page[models.change_request.ChangeRequest]:
    """List the change requests of an organization, filtered as those of a space."""


@operation(
    "GET", "/spaces/{space_id}/change-requests/{change_request_id}/contributors", extension="E10"
)
def list_change_request_contributors(
    space_id: str, change_request_id: str
) -> Page[models.change_request.Contributor]:
    """List who wrote a change request, and who commented on it."""
