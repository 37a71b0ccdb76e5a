"""Operations on reviews of change requests, and on who is asked for one."""

from __future__ import annotations

from typing import Unpack

from copydesk.contract import models
from copydesk.contract.enumerations import ContentFormat
from copydesk.contract.models.base import Page, Paging
from copydesk.contract.operation import operation

_REVIEWS = "/spaces/{space_id}/change-requests/{change_request_id}/reviews"
_REVIEWERS = "/spaces/{space_id}/change-requests/{change_request_id}/requested-reviewers"


@operation("GET", _REVIEWS, extension="E4")
def list_change_request_reviews(
    space_id: str,
    change_request_id: str,
    *,
    format: ContentFormat | None = None,
    outdated: bool | None = None,
    **paging: Unpack[Paging],
) -> Page[models.review.Review]:
    """List the reviews of a change request, or only those that are outdated, or not."""


@operation("GET", _REVIEWS + "/{review_id}", extension="E4")
def get_change_request_review(
    space_id: str, change_request_id: str, review_id: str, *, format: ContentFormat | None = None
) -> models.review.Review:
    """Get a review of a change request."""


@operation("POST", _REVIEWS, status=201, extension="E4")
def create_change_request_review(
    space_id: str, change_request_id: str, body: models.review.ReviewCreate
) -> models.review.Review:
    """Approve a change request, or ask for changes."""


@operation("GET", _REVIEWERS, extension="E5")
def list_requested_reviewers(
    space_id: str, change_request_id: str, **paging: Unpack[Paging]
) -> Page[models.review.RequestedReviewer]:
    """List the people who were asked to review a change request."""


@operation("POST", _REVIEWERS, extension="E5")
def request_reviewers(
    space_id: str, change_request_id: str, body: models.review.ReviewersRequest
) -> models.review.AskedReviewers:
    """Ask people to review a change request, and list all who were asked."""


@operation("DELETE", _REVIEWERS + "/{user_id}", extension="E5")
def remove_requested_reviewer(space_id: str, change_request_id: str, user_id: str) -> None:
    """Withdraw a request for a review."""
