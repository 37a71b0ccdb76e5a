"""Operations on change requests."""

from __future__ import annotations

from copydesk.contract.enumerations import ChangeRequestStatus
from copydesk.contract.models.base import Limit, Page
from copydesk.contract.models.change_request import (
    PDF,
    ChangeRequest,
    ChangeRequestCreate,
    ChangeRequestUpdate,
    Changes,
    FilesTaken,
    MergeResult,
    UpdateResult,
)
from copydesk.contract.operation import operation


@operation("GET", "/spaces/{space_id}/change-requests")
def list_space_change_requests(
    space_id: str,
    *,
    page: str | None = None,
    limit: Limit | None = None,
    status: ChangeRequestStatus = "open",
    creator: str | None = None,
    contributor: str | None = None,
    requested_reviewer: str | None = None,
    conversations_issues_cluster: str | None = None,
) -> Page[ChangeRequest]:
    """List the change requests of a space that have one status, filtered by people or cluster."""
    ...


@operation("POST", "/spaces/{space_id}/change-requests", status=201)
def create_change_request(space_id: str, body: ChangeRequestCreate) -> ChangeRequest:
    """Open a change request in a space."""
    ...


@operation("GET", "/spaces/{space_id}/change-requests/{change_request_id}")
def get_change_request(space_id: str, change_request_id: str) -> ChangeRequest:
    """Get a change request by its id or its number."""
    ...


@operation("PATCH", "/spaces/{space_id}/change-requests/{change_request_id}")
def update_change_request(
    space_id: str, change_request_id: str, body: ChangeRequestUpdate
) -> ChangeRequest:
    """Change the subject, status or description of a change request."""
    ...


@operation("POST", "/spaces/{space_id}/change-requests/{change_request_id}/merge")
def merge_change_request(space_id: str, change_request_id: str) -> MergeResult:
    """Merge a change request into main."""
    ...


@operation("POST", "/spaces/{space_id}/change-requests/{change_request_id}/update")
def pull_change_request_updates(space_id: str, change_request_id: str) -> UpdateResult:
    """Pull main into a change request."""
    ...


@operation(
    "POST", "/spaces/{space_id}/change-requests/{change_request_id}/update/files", extension="E21"
)
def pull_change_request_updates_with_files(
    space_id: str, change_request_id: str, body: FilesTaken
) -> UpdateResult:
    """Pull main into a change request, with a side for each file that both changed."""
    ...


@operation("GET", "/spaces/{space_id}/change-requests/{change_request_id}/pdf", secret=True)
def get_change_request_pdf(
    space_id: str,
    change_request_id: str,
    *,
    only: bool | None = None,
    page: str | None = None,
) -> PDF:
    """Make a PDF of a change request, or with ``only`` of one ``page`` of it."""
    ...


@operation("GET", "/spaces/{space_id}/change-requests/{change_request_id}/changes", extension="E6")
def get_change_request_changes(
    space_id: str,
    change_request_id: str,
    *,
    limit: Limit | None = None,
) -> Changes:
    """Get what a change request changes."""
    ...


@operation("GET", "/orgs/{organization_id}/change-requests")
def list_organization_change_requests(
    organization_id: str,
    *,
    page: str | None = None,
    limit: Limit | None = None,
    status: ChangeRequestStatus = "open",
    creator: str | None = None,
    contributor: str | None = None,
    requested_reviewer: str | None = None,
    conversations_issues_cluster: str | None = None,
) -> Page[ChangeRequest]:
    """List the change requests of an organization, filtered as those of a space."""
    ...
