"""What happened to a change request, as far as the service tells; nothing is made up."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Literal

from rich.text import Text

from copydesk.domain.text import clean, plural, shorten
from copydesk.present.threads import Thread
from copydesk.session.glyphs import glyphs
from copydesk.session.members import first_words, name_of

if TYPE_CHECKING:
    from copydesk.contract.models.change_request import ChangeRequest
    from copydesk.contract.models.review import RequestedReviewer, Review
    from copydesk.session.reads.review import Side

Leads = Literal["overview", "changes", "rules", "thread"]

WORDS = 160
"""Cells of a message that a row shows."""


BEGUN = "begun"
"""The id of the first row."""


@dataclass(frozen=True, slots=True)
class Happening:
    """One thing that happened. ``leads`` is where it is shown: a tab, or ``thread``.

    ``about`` is true where the moment is not told, and this is the latest that it can have been.
    """

    id: str
    at: datetime
    who: str
    what: Text
    leads: Leads
    thread: str | None = None
    about: bool = False


def history(
    request: ChangeRequest,
    threads: Iterable[Thread],
    reviews: Sequence[Review] | None,
    requested: Sequence[RequestedReviewer] | None,
    newest: Side | None,
    titles: Mapping[str, str],
) -> list[Happening]:
    """Return all that is told, newest first. ``titles`` are of pages, by id.

    The API tells no history. This is what its objects say of themselves: when a request was begun,
    its newest revision, every review, who is asked now, and of each thread who wrote, answered,
    edited and resolved. Earlier revisions and changes of status are in none of them.
    """
    known = list(threads)
    found = [*_own(request, newest)]
    verdicts = {t.comment.target.review: t for t in known if t.verdict}
    found += [
        _review(review, review.created_at, verdicts.get(review.id))
        for review in reviews or ()
        if review.created_at is not None
    ]
    for asked in requested or ():
        if asked.created_at is not None:
            what = Text.assemble("asked ", (name_of(asked.user), "who"), " for a review")
            by = name_of(asked.requested_by) if asked.requested_by else ""
            found.append(Happening(f"asked {asked.user.id}", asked.created_at, by, what, "rules"))
    for thread in known:
        found += _thread(thread, titles)
    # What has the same second as the beginning came after it.
    return sorted(found, key=lambda each: (each.at, each.id != BEGUN, each.id), reverse=True)


def _own(request: ChangeRequest, newest: Side | None) -> Iterator[Happening]:
    subject = shorten(clean(request.subject), WORDS, glyphs().more) or "(no subject)"
    by = name_of(request.created_by) if request.created_by else ""
    began = Text.assemble((f"#{request.number} ", "muted"), "begun: ", (subject, "strong"))
    yield Happening(BEGUN, request.created_at, by, began, "overview")
    edited = newest is not None and newest.revision != request.revision_initial
    if newest is not None and newest.at is not None and edited:
        words = {"update": "updated from main", "rollback": "brought back to what it was"}
        what = Text(words.get(newest.kind, "edited"), style="changed")
        what.append(f"   revision {newest.revision[:12]}, the newest", style="muted")
        if newest.message:
            what.append(f"   {shorten(newest.message.splitlines()[0], 60, glyphs().more)}")
        yield Happening(f"revision {newest.revision}", newest.at, "", what, "changes")
    if request.status == "merged":
        what = Text("merged into main", style="good")
        if request.revision_merged:
            what.append(f"   revision {clean(request.revision_merged)[:12]}", style="muted")
        yield Happening("merged", request.updated_at, "", what, "overview", about=True)
    elif request.status == "archived":
        what = Text("archived", style="muted")
        yield Happening("archived", request.updated_at, "", what, "overview", about=True)


def _review(review: Review, at: datetime, thread: Thread | None) -> Happening:
    good = review.status == "approved"
    said = {"approved": "approved", "changes-requested": "asked for changes"}
    what = Text(said.get(review.status, clean(review.status)), style="good" if good else "bad")
    if review.outdated:
        what.append("   before the latest change", style="muted")
    words = review.comment.markdown if review.comment is not None else None
    if words:
        what.append(f"   {shorten(clean(words, limit=400), WORDS, glyphs().more)}")
    return Happening(
        f"review {review.id}",
        at,
        name_of(review.reviewer),
        what,
        "thread" if thread is not None else "rules",
        thread.id if thread is not None else None,
    )


def _thread(thread: Thread, titles: Mapping[str, str]) -> Iterator[Happening]:
    comment, name = thread.comment, thread.label
    where = f" on {titles.get(thread.page, 'a page')}" if thread.page else ""

    def row(id: str, at: datetime, who: str, *parts: str | tuple[str, str]) -> Happening:
        what = Text.assemble((f"{name} ", "muted"), *parts)
        return Happening(f"{id} {thread.id}", at, who, what, "thread", thread.id)

    by = name_of(comment.posted_by)
    words = first_words(comment, WORDS)
    if not thread.verdict:
        yield row("comment", comment.posted_at, by, (f"commented{where}", "muted"), f"   {words}")
    if comment.edited_at is not None:
        yield row("edit", comment.edited_at, by, ("edited a comment", "muted"), f"   {words}")
    if thread.replies is not None:
        for reply in thread.replies:
            said = first_words(reply, WORDS)
            who = name_of(reply.posted_by)
            yield row(f"reply {reply.id}", reply.posted_at, who, ("replied", "muted"), f"   {said}")
    else:
        # Replies are read where they are shown; here it is enough who answered, and when last.
        for replier in comment.repliers:
            if replier.updated_at is not None:
                often = f", the last of {plural(replier.count, 'reply')}"
                said = f"replied{often if replier.count > 1 else ''}   {glyphs().more}"
                who = name_of(replier.user)
                yield row(f"replies {replier.user.id}", replier.updated_at, who, (said, "muted"))
    if comment.resolved_at is not None:
        who = name_of(comment.resolved_by) if comment.resolved_by else ""
        yield row("resolve", comment.resolved_at, who, ("resolved", "good"), f"   {words}")
