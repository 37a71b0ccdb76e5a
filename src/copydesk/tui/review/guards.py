"""What the commands of a review work on, and why an action is off there: sentences, or None."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, Protocol, TypeVar, cast

from copydesk.domain.text import clean
from copydesk.present.review import REVERTS
from copydesk.session.writes.requests import (
    NO_REVIEWS,
    ONLY_REVIEWS,
    right_missing,
    takes_no_content,
    why_no_change,
    why_no_edit,
    why_no_verdict,
)
from copydesk.tui.framework.actions import Commands, NoRowYet, NotYet
from copydesk.tui.merge.request_edits import takes_content
from copydesk.tui.threads.commands import ThreadCommands

if TYPE_CHECKING:
    from copydesk.session.reads.review import OpenedRequest
    from copydesk.session.session import Session
    from copydesk.tui.framework.place import Place
    from copydesk.tui.review.diff import DiffView
    from copydesk.tui.review.discussion import Discussion
    from copydesk.tui.review.edits import ReviewPageTree
    from copydesk.tui.review.model import ReviewModel
    from copydesk.tui.review.tabs import RequestTabs


C = TypeVar("C", bound=Commands)


class HasReview(Protocol):
    """A place with a change request under review."""

    model: ReviewModel
    page_tree: ReviewPageTree
    diff: DiffView
    request_tabs: RequestTabs
    discussion: Discussion
    view: str

    @property
    def session(self) -> Session:
        """What the whole run shares."""

    def commands_of(self, kind: type[C]) -> C:
        """Return those of its commands that are of a class."""


class ReviewCommands(Commands):
    """Commands of a review."""

    place: Place

    @property
    def here(self) -> HasReview:
        """The place with what it has of a review."""
        return cast("HasReview", self.place)

    @property
    def model(self) -> ReviewModel:
        """What is known of the request."""
        return self.here.model

    async def takes_content(self) -> bool:
        """Whether the service has a way to write content; where not, that is said."""
        return await takes_content(self.place)

    @property
    def writing(self) -> ThreadCommands:
        """What sends messages."""
        return self.place.commands_of(ThreadCommands)


def not_read(here: HasReview) -> str | None:
    """Say so while the change request has not been read."""
    if here.model.opened is not None:
        return None
    return NotYet("The change request is not read yet.")


def once_read(
    guard: Callable[[HasReview, OpenedRequest], str | None],
) -> Callable[[HasReview], str | None]:
    """Make a guard of a function that also takes the change request, once that is read."""

    @wraps(guard)
    def guarded(here: HasReview) -> str | None:
        opened = here.model.opened
        return not_read(here) if opened is None else guard(here, opened)

    return guarded


@once_read
def may_not_comment(here: HasReview, opened: OpenedRequest) -> str | None:
    """Say so when I may not comment in the space."""
    return right_missing(opened.space, lambda granted: granted.comment, "comment")


def no_line(here: HasReview) -> str | None:
    """Say so when the cursor is on nothing that can be commented on."""
    known, change = here.model.opened is not None, here.model.change
    if (
        here.view == "changes"
        and here.diff.page is None
        and not (known and (change is None or change.thing))
    ):
        return NoRowYet("The page is not read yet.")
    if here.view != "changes" or here.diff.page is None:
        return (
            "There is no line to comment on here. 2 goes to the changes, C is for the change "
            "request."
        )
    if here.model.edit is not None:
        return "This is what you staged: = shows the page as it is sent, to comment on."
    if here.diff.line is None:
        return "Put the cursor on a line with text first, or press C for the page."
    if here.diff.text_line is None:
        return "There are no words here to comment on. C comments on the page."
    return None


def none_open(here: HasReview) -> str | None:
    """Say so when no thread is open."""
    if not here.model.threads_read:
        return NotYet("The threads are not read yet.")
    return None if here.model.threads.open_count else "No thread is open."


def no_reviews(here: HasReview) -> str | None:
    """Say so once it is known that the service has no reviews."""
    rules = here.model.rules
    return NO_REVIEWS if rules is not None and rules.reviews is None else None


@once_read
def may_not_review(here: HasReview, opened: OpenedRequest) -> str | None:
    """Say so when I may not give a verdict here, or there are none."""
    return no_reviews(here) or why_no_verdict(opened.request, opened.space)


def no_reviewers(here: HasReview) -> str | None:
    """Say so when nobody can be asked for a review."""
    if (why := not_read(here)) is not None:
        return why
    if here.model.rules is None:
        return NotYet("The reviewers are not read yet.")
    if here.model.rules.requested is None:
        return "This service does not ask people for reviews."
    return None


@once_read
def is_merged(here: HasReview, opened: OpenedRequest) -> str | None:
    """Say so when the request is merged: then its status can no longer change."""
    merged = opened.request.status == "merged"
    return f"{here.model.numbered} is merged: {REVERTS}" if merged else None


@once_read
def may_not_edit(here: HasReview, opened: OpenedRequest) -> str | None:
    """Say so when I may not edit the request."""
    return right_missing(opened.space, lambda granted: granted.edit, "edit")


@once_read
def may_not_change(here: HasReview, opened: OpenedRequest) -> str | None:
    """Say so when I may not change what the request says of itself."""
    return why_no_change(opened.request, opened.space, here.session.me)


@once_read
def up_to_date(here: HasReview, opened: OpenedRequest) -> str | None:
    """Say so when there is nothing to pull in."""
    if opened.request.status not in ("open", "draft"):
        return f"{here.model.numbered} is {clean(opened.request.status)}."
    if opened.request.outdated or here.model.unsettled:
        return None
    return f"{here.model.numbered} is up to date with main."


@once_read
def may_not_write(here: HasReview, opened: OpenedRequest) -> str | None:
    """Say so when the pages of the request cannot be edited here."""
    why = why_no_edit(opened.request, opened.space)
    said = f"{why} s suggests the change." if why == ONLY_REVIEWS else why
    return said or takes_no_content(here.session)


def no_page(here: HasReview) -> str | None:
    """Say so when no changed page is in front."""
    if here.view != "changes":
        return "Only in Changes. Press 2."
    return None if here.model.change is not None else "No changed page is open."


def never_seen(here: HasReview) -> str | None:
    """Say so when the page was never marked as seen, so that there is no text to compare with."""
    if (why := no_text(here)) is not None:
        return why
    if here.model.page_id in here.model.edits:
        return None
    if here.model.since or here.model.seen_state(here.model.page_id) != "unseen":
        return None
    return "You have not marked this page as read, so there is nothing to compare with."


def no_text(here: HasReview) -> str | None:
    """Say so when the text of the page is not there."""
    if (why := no_page(here)) is not None:
        return why
    return None if here.diff.page is not None else NotYet("The page is not read yet.")


@once_read
def may_not_apply(here: HasReview, opened: OpenedRequest) -> str | None:
    """Say so when suggestions cannot be applied here."""
    if opened.request.status not in ("open", "draft"):
        return f"{here.model.numbered} is {clean(opened.request.status)}."
    permissions = opened.space.permissions
    if permissions is not None and not permissions.edit:
        return "You may not edit here; its author can."
    return takes_no_content(here.session)


def not_suggested(here: HasReview) -> str | None:
    """Say so when no suggestion is marked, and none is under the cursor."""
    if not here.model.threads_read:
        return NotYet("The threads are not read yet.")
    suggestions = here.discussion.suggestions
    if suggestions.ticked or suggestions.current() is not None:
        return None
    if not suggestions.found:
        return "No one suggests anything here: s suggests other words for a line."
    return "Put the cursor on a suggestion first: } goes to the next thread."


def while_suggested(here: HasReview) -> str:
    """Return the label of the key that applies, or "" while nobody suggests anything."""
    suggestions = here.discussion.suggestions
    if not suggestions.found:
        return ""
    return f"apply {len(suggestions.ticked)}" if suggestions.ticked else "apply"


def no_suggestion_here(here: HasReview) -> str | None:
    """Say so when the thread under the cursor suggests nothing."""
    if not here.model.threads_read:
        return NotYet("The threads are not read yet.")
    if here.discussion.suggestions.current() is None:
        return "This thread suggests nothing."
    return None


def does_not_fit(here: HasReview) -> str | None:
    """Say why the suggestion under the cursor does not fit."""
    suggestions = here.discussion.suggestions
    each = suggestions.current()
    fit = None if each is None else suggestions.fits.get(each.thread)
    return None if fit is None or fit.fits else fit.why


def none_suggested(here: HasReview) -> str | None:
    """Say so when nobody suggests anything."""
    if not here.model.threads_read:
        return NotYet("The threads are not read yet.")
    return None if here.discussion.suggestions.found else "No one suggests anything here."


def while_any(label: str) -> Callable[[HasReview], str]:
    """Return a function that gives ``label``, or "" while nobody suggests anything."""
    return lambda here: label if here.discussion.suggestions.found else ""
