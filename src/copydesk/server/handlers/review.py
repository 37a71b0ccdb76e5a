"""Reviews of change requests (extension E4) and requests for them (extension E5)."""

from __future__ import annotations

from typing import Unpack

from copydesk.contract import operations as ops
from copydesk.contract.enumerations import ContentFormat
from copydesk.contract.models.base import Page, Paging
from copydesk.contract.models.change_request import ChangeRequestUpdate
from copydesk.contract.models.review import (
    AskedReviewers,
    RequestedReviewer,
    Review,
    ReviewCreate,
    ReviewersRequest,
)
from copydesk.server import threads
from copydesk.server.errors import blocked, invalid
from copydesk.server.handlers.change_request import update_change_request
from copydesk.server.implementation import Call, implements, implements_on_branch
from copydesk.server.pagination import Conditions, paginate
from copydesk.server.queries.change_request import find_change_request
from copydesk.server.queries.comment import Place, find_place, written_markdown
from copydesk.server.queries.member import access_of, resolve_user
from copydesk.server.queries.review import requested_reviewer_model, review_model
from copydesk.server.queries.user import user_by_id
from copydesk.server.store import Row


@implements_on_branch(ops.list_change_request_reviews, find_place)
def list_change_request_reviews(
    call: Call,
    place: Place,
    *,
    format: ContentFormat | None = None,
    outdated: bool | None = None,
    **paging: Unpack[Paging],
) -> Page[Review]:
    row = place.change_request
    assert row is not None
    which = Conditions("change_request_id = ?", row["id"])
    if outdated is not None:
        which.also(f"revision_id {'<>' if outdated else '='} ?", row["revision_id"])
    return paginate(
        call.tx,
        lambda review: review_model(call, place, review, format),
        source="review",
        which=which,
        paging=paging,
    )


@implements_on_branch(ops.get_change_request_review, find_place)
def get_change_request_review(
    call: Call, place: Place, review_id: str, *, format: ContentFormat | None = None
) -> Review:
    assert place.change_request is not None
    row = call.find("review", "review", review_id, change_request_id=place.change_request["id"])
    return review_model(call, place, row, format)


@implements(ops.create_change_request_review, takes="review")
def create_change_request_review(
    call: Call, space_id: str, change_request_id: str, body: ReviewCreate
) -> Review:
    """Approve a change request or ask for changes. Its text also starts a thread.

    One that is merged or archived takes no review (412).
    """
    space, row = find_change_request(call, space_id, change_request_id, "review")
    if row["status"] not in ("draft", "open"):
        raise blocked(f"This change request is {row['status']} and takes no review.")
    text = None if body.comment is None else written_markdown(body.comment)
    key = threads.add_review(call.tx, row["id"], call.user_id, body.status, text)
    if text is not None:
        threads.add_comment(
            call.tx, space["id"], call.user_id, text, change_request=row["id"], review=key
        )
    _changed(call, row)
    place = find_place(call, space_id, change_request_id)
    return review_model(call, place, call.tx.row("review", key))


@implements(ops.list_requested_reviewers)
def list_requested_reviewers(
    call: Call, space_id: str, change_request_id: str, **paging: Unpack[Paging]
) -> Page[RequestedReviewer]:
    _, row = find_change_request(call, space_id, change_request_id)
    return _requested(call, row, paging=paging)


@implements(ops.request_reviewers, takes="edit")
def request_reviewers(
    call: Call, space_id: str, change_request_id: str, body: ReviewersRequest
) -> AskedReviewers:
    """Ask members who can see the space for a review; who was asked already stays asked.

    Takes the permission edit, or being the creator. One that is merged or archived takes no review
    (412). A subject and a description are given to the change request itself.
    """
    space, row = _reviewers_to_change(call, space_id, change_request_id)
    if row["status"] not in ("draft", "open"):
        raise blocked(f"This change request is {row['status']} and takes no review.")
    for name in body.users:
        user_id = resolve_user(call, space["organization_id"], name, "users")
        if user_id == row["created_by"]:
            person = user_by_id(call, user_id).display_name
            raise invalid(f"body.users: {person} is the author and cannot be the reviewer")
        if access_of(call, user_id).level(space) is None:
            person = user_by_id(call, user_id).display_name
            raise invalid(f"body.users: {person} cannot see the space {space['title']!r}")
        threads.request_review(call.tx, row["id"], user_id, call.user_id)
    _changed(call, row)
    said = body.model_dump(include=body.model_fields_set - {"users"})
    if said:
        update_change_request(call, space_id, change_request_id, ChangeRequestUpdate(**said))
    asked = _requested(call, row, {})
    return AskedReviewers(
        items=asked.items, next=asked.next, count=asked.count, users=[*asked.items]
    )


@implements(ops.remove_requested_reviewer, takes="edit")
def remove_requested_reviewer(
    call: Call, space_id: str, change_request_id: str, user_id: str
) -> None:
    _, row = _reviewers_to_change(call, space_id, change_request_id)
    removed = call.tx.run(
        "DELETE FROM requested_reviewer WHERE change_request_id = ? AND user_id = ?",
        row["id"],
        user_id,
    )
    if not removed:
        call.was_missing()
    else:
        _changed(call, row)


def _changed(call: Call, row: Row) -> None:
    """Let a change request count as updated: whoever reads only the list sees that it is news."""
    call.tx.update("change_request", row["id"], updated_at=call.tx.now)


def _reviewers_to_change(call: Call, space_id: str, change_request_id: str) -> tuple[Row, Row]:
    space, row = find_change_request(call, space_id, change_request_id)
    if row["created_by"] != call.user_id:
        call.access.space(space_id, "edit")
    return space, row


def _requested(call: Call, row: Row, paging: Paging) -> Page[RequestedReviewer]:
    return paginate(
        call.tx,
        lambda asked: requested_reviewer_model(call, asked),
        source="requested_reviewer",
        which=Conditions("change_request_id = ?", row["id"]),
        keys=("created_at", "user_id"),
        descending=False,
        paging=paging,
    )
