"""Reviews of change requests, and who was asked for one (extensions E4 and E5)."""

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, ConfigDict, Field

from copydesk.contract.enumerations import ReviewStatus
from copydesk.contract.models.base import Always, Body, Open, Page, Resource, Timestamp, Urls
from copydesk.contract.models.change_request import Subject
from copydesk.contract.models.comment import CommentBody, WrittenBody
from copydesk.contract.models.document import WrittenDocument
from copydesk.contract.models.team import Team
from copydesk.contract.models.user import User


def _as_text(value: Any) -> Any:
    # Services differ in what they call the comment of a review: its text, or a whole comment.
    if isinstance(value, str):
        return {"markdown": value}
    if isinstance(value, dict) and isinstance(value.get("body"), dict):
        return value["body"] | value
    return value


class ReviewComment(CommentBody):
    """The text of a review, and what else there is to know of the comment that holds it."""

    model_config = ConfigDict(extra="allow")


class Review(Resource):
    """A verdict on a revision of a change request; ``outdated`` once there is a newer revision."""

    object: Open[Literal["change-request-review"]] = "change-request-review"
    id: str
    revision: str = ""
    reviewer: User
    status: Open[ReviewStatus]
    outdated: bool = False
    comment: Annotated[ReviewComment, BeforeValidator(_as_text)] | None = None
    created_at: Always[Timestamp] = None
    updated_at: Always[Timestamp] = None
    urls: Urls = Field(default_factory=Urls)


class ReviewCreate(Body):
    """A new verdict, with a comment or without."""

    status: ReviewStatus
    comment: WrittenBody | None = None


class RequestedReviewer(Resource):
    """A person, or a team, who was asked for a review of a revision, by whom and when.

    ``kind`` says which of ``user`` and ``team`` it is.
    """

    object: Open[Literal["change-request-requested-reviewer"]] = "change-request-requested-reviewer"
    revision: Always[str] = None

    kind: Open[Literal["user", "team"]] = "user"
    user: User | None = None
    team: Team | None = None
    requested_by: Always[User] = None
    created_at: Always[Timestamp] = None


class AskedReviewers(Page[RequestedReviewer]):
    """Who is asked for a review once more were: as the list has them, or only ``users``."""

    items: list[RequestedReviewer] = []
    users: list[RequestedReviewer | User | str] | None = None


class ReviewersRequest(Body):
    """The people to ask for a review, by user id; the rest is said of the change request."""

    users: Annotated[list[str], Field(min_length=1)]
    subject: Subject | None = None
    description: WrittenDocument | None = None
