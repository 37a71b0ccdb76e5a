"""Why an action of a review is off: sentences for the reader, or None when it can be used."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from copydesk.domain.text import clean
from copydesk.tui.framework.actions import NoRowYet, NotYet

if TYPE_CHECKING:
    from copydesk.contract.models.space import SpacePermissions
    from copydesk.tui.review.screen import Review


def not_read(here: Review) -> str | None:
    """Say so while the change request has not been read."""
    if here.opened_request is not None:
        return None
    return NotYet("The change request is not read yet.")


def may_not_comment(here: Review) -> str | None:
    """Say so when I may not comment in the space."""
    return _may_not(here, lambda granted: granted.comment, "comment")


def _may_not(here: Review, may: Callable[[SpacePermissions], bool], do: str) -> str | None:
    opened = here.opened_request
    if opened is None:
        return not_read(here)
    permissions = opened.space.permissions
    if permissions is not None and not may(permissions):
        return f"You may not {do} in {clean(opened.space.title)}."
    return None


def no_line(here: Review) -> str | None:
    """Say so when the cursor is on nothing that can be commented on."""
    known, change = here.opened_request is not None, here.change
    if (
        here.view == "changes"
        and here.diff.page is None
        and not (known and (change is None or change.file))
    ):
        return NoRowYet("The page is not read yet.")
    if here.view != "changes" or here.diff.page is None:
        return "There is no line to comment on here. 2 goes to the changes, C is for the request."
    if here.diff.line is None:
        return "Put the cursor on a line with text first, or press C for the page."
    if here.diff.text_line is None:
        return "There are no words here to comment on. C comments on the page."
    return None


def none_open(here: Review) -> str | None:
    """Say so when no thread is open."""
    if not here.threads_read:
        return NotYet("The threads are not read yet.")
    return None if here.threads.open_count else "No thread is open."


def may_not_review(here: Review) -> str | None:
    """Say so when I may not give a verdict here, or there are none."""
    opened = here.opened_request
    if opened is None:
        return not_read(here)
    if here.rules is not None and here.rules.reviews is None:
        return "This service offers no reviews."
    if opened.request.status not in ("open", "draft"):
        return f"{here.numbered} is {clean(opened.request.status)} and takes no review."
    return _may_not(here, lambda granted: granted.review, "review")


def while_reviewed(label: str) -> Callable[[Review], str]:
    """Return what gives ``label``, and nothing once it is known that there are no reviews here."""
    return lambda here: label if here.rules is None or here.rules.reviews is not None else ""


def while_asked(label: str) -> Callable[[Review], str]:
    """Return what gives ``label``, and nothing once it is known that nobody is asked here."""
    return lambda here: label if here.rules is None or here.rules.requested is not None else ""


def no_reviewers(here: Review) -> str | None:
    """Say so when nobody can be asked for a review."""
    if here.opened_request is None:
        return not_read(here)
    if here.rules is None:
        return NotYet("The reviewers are not read yet.")
    return "This service does not ask people for reviews." if here.rules.requested is None else None


def settled(here: Review) -> str | None:
    """Say so when the request is merged: then its status can no longer change."""
    opened = here.opened_request
    if opened is None:
        return not_read(here)
    return f"{here.numbered} is merged." if opened.request.status == "merged" else None


def may_not_edit(here: Review) -> str | None:
    """Say so when I may not edit the request."""
    return _may_not(here, lambda granted: granted.edit, "edit")


def up_to_date(here: Review) -> str | None:
    """Say so when there is nothing to pull in."""
    opened = here.opened_request
    if opened is None:
        return not_read(here)
    if opened.request.status not in ("open", "draft"):
        return f"{here.numbered} is {clean(opened.request.status)}."
    if (opened.request.id, *opened.version) in here.session.stuck:
        return f"{here.numbered} conflicts with main; to update it again changes nothing."
    return None if opened.request.outdated else f"{here.numbered} is up to date with main."


def no_page(here: Review) -> str | None:
    """Say so when no changed page is in front."""
    if here.view != "changes":
        return "This works on the changes: 2 goes there."
    return None if here.change is not None else "No changed page is open."


def never_seen(here: Review) -> str | None:
    """Say so when the page was never marked as seen, so that there is no text to compare with."""
    if (why := no_text(here)) is not None:
        return why
    if here.reader.since or (
        here.seen is not None and here.seen.state(here.page_id or "") != "unseen"
    ):
        return None
    return "You have not marked this page as seen, so there is nothing to compare with."


def no_text(here: Review) -> str | None:
    """Say so when the text of the page is not there."""
    if (why := no_page(here)) is not None:
        return why
    return None if here.diff.page is not None else NotYet("The page is not read yet.")
