"""The revisions of a space, or those that changed one page, the newest first."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from rich.text import Text

from copydesk.domain.moments import ago
from copydesk.domain.moments import moment as short_moment
from copydesk.domain.sure import sure
from copydesk.domain.text import clean, plural, shown_subject, shown_title
from copydesk.session.names import first_words, person_name
from copydesk.session.operations import ops
from copydesk.session.reads.history import (
    AT_ONCE,
    BLAME_REQUESTS,
    BLAMED,
    BlameReading,
    BlameRow,
    RevisionRow,
    read_blame,
    read_revisions,
)
from copydesk.session.target import Target
from copydesk.tui.content.commands import NO_PAGE, page_in_front
from copydesk.tui.framework.actions import action
from copydesk.tui.framework.navigation import place
from copydesk.tui.framework.place import Place, View
from copydesk.tui.resource.place import ResourcePlace, nothing_selected
from copydesk.tui.resource.resource import Facet, ListQuery, Resource, pages_of

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.contract.models.base import Page
    from copydesk.contract.models.comment import Comment
    from copydesk.contract.models.review import Review

PAGE, SPACE = "page", "space"
"""The views of the history of a page: its own revisions, and all of its space."""

MADE = {
    "edits": "edited",
    "merge": "merged",
    "rollback": "undone",
    "update": "updated",
    "computed": "computed",
}
"""How a revision was made, in a word."""

HELD_WORDS = 200
"""So much of a comment is shown beside the revision that it led to."""

SHOWN = 20
"""So many names of what a revision changes are among its details."""


async def _revisions(api: Api, target: Target, asked: ListQuery) -> Page[RevisionRow]:
    page = target.page if asked.view != SPACE else None
    return await read_revisions(api, target.space or "", asked.token, asked.limit, page)


def request_of(row: RevisionRow) -> str:
    """Return the change request that a revision merged; else how it was made."""
    if row.number is None:
        return row.message.partition("\n")[0] or MADE.get(row.kind, row.kind)
    return f"#{row.number} {shown_subject(row.subject)}"


def changed_by(row: RevisionRow) -> str:
    """Return what a revision changes: names, and how many more."""
    if row.changed is None:
        return "not told"
    if not row.changed:
        return "nothing"
    rest = len(row.changed) - 1 + row.more
    return f"{row.changed[0]} and {rest:,} more" if rest else row.changed[0]


def _request(row: RevisionRow, now: datetime) -> Text | str:
    said = request_of(row)
    return said if row.number is not None else Text(said, style="muted")


def _changed(row: RevisionRow, now: datetime) -> list[tuple[str, str | Text]]:
    told = row.changed or ()
    names = list(told[:SHOWN])
    more = len(told) - SHOWN + row.more if len(told) > SHOWN else row.more
    if more > 0:
        names.append(f"and {more:,} more: enter shows them")
    return [("changes", "\n".join(names))] if names else []


_NO_TIME = datetime.min.replace(tzinfo=UTC)

HISTORY: Resource[RevisionRow] = Resource(
    noun="revision",
    title="History",
    pages=_revisions,
    key=lambda row: row.id,
    label=request_of,
    shown=(
        Facet("when", "WHEN", lambda row, now: short_moment(row.at, now), 14),
        Facet("who", "WHO", lambda row, now: row.who or None, 16, drop=1),
        Facet("request", "CHANGE REQUEST", _request, flex=3, minimum=18),
        Facet(
            "pages", "PAGES", lambda row, now: changed_by(row), flex=2, drop=2, detail=False,
            middle=lambda row: changed_by(row).endswith(" more"),
        ),
        Facet("age", "AGE", lambda row, now: ago(row.at, now) or None),
    ),
    empty="No revision selected.",
    of="space",
    get="get_revision",
    arguments=lambda target, row: (target.space or "", row.id),
    more=_changed,
    contents=lambda: (REVIEWS, COMMENTS),
    inside=lambda row: row.request,
)  # fmt: skip
"""Revisions, each with what it changed."""


REVIEWS: Resource[Review] = Resource(
    noun="review",
    title="Reviews",
    pages=pages_of("list_change_request_reviews", "space", "item"),
    key=lambda review: review.id,
    label=lambda review: person_name(review.reviewer),
    shown=(Facet("status", "STATUS", lambda review, now: review.status),),
    empty="No one reviewed it.",
    of="item",
    beside=0,
)
"""The reviews of the change request that a revision merged."""

COMMENTS: Resource[Comment] = Resource(
    noun="comment",
    title="Comments",
    pages=pages_of("list_change_request_comments", "space", "item", format="markdown"),
    key=lambda comment: comment.id,
    label=lambda comment: first_words(comment, HELD_WORDS),
    shown=(Facet("by", "BY", lambda comment, now: person_name(comment.posted_by)),),
    empty="No one commented on it.",
    of="item",
    beside=0,
)
"""The comments on it."""

VIEWS = (View(PAGE, "This page"), View(SPACE, "The whole space"))


async def read_titles(api: Api, space: str, page: str | None) -> tuple[str, str]:
    """Return the titles of a space and of a page in it, clean. Raises ``ApiError``."""
    title = shown_title((await api(ops.get_space, space)).title)
    if page is None:
        return title, ""
    found = await api.find(ops.get_space_page, space, page, metadata=False)
    if found is None:
        return title, "a page that is not in main"
    return title, shown_title(found.title)


def of_no_page(here: HistoryPlace) -> str | None:
    """Say so where it is the history of a space: blocks are those of a page."""
    if here.target.page is not None:
        return None
    return "Blocks are those of a page: gh on a page, then b there."


def spent(place: Place, requests: int) -> str:
    """Return how many requests something takes, of how many that are left."""
    budget = place.session.budget
    return f"({requests} calls{'' if budget is None else f' of your {budget.remaining:,}'})"


@place(
    "history",
    key="h",
    title="History of a space",
    uses=(
        "get_space", "get_revision", "get_revision_changes", "list_change_request_reviews",
        "list_change_request_comments",
    ),
)  # fmt: skip
class HistoryPlace(ResourcePlace[RevisionRow], scope="history"):
    """The revisions of a space: when, who, which change request, and what changed."""

    RESOURCE = HISTORY

    def __init__(self, target: Target) -> None:
        super().__init__(target)
        self._titles = ("", "")
        """Those of the space and of the page, once they are known."""

    def within(self) -> Iterable[str]:
        space, page = self._titles
        yield from filter(None, (space, page if self.view != SPACE else ""))

    def opened(self) -> None:
        super().opened()
        if self.target.page is not None:
            self.set_views(VIEWS)

    def reload(self) -> None:
        super().reload()
        space, page = self.target.space, self.target.page
        if space is None:
            return

        def came(titles: tuple[str, str]) -> None:
            self._titles = titles
            self.refresh_frame()

        self.reads.load(
            "titles", lambda api: read_titles(api, space, page), came, what="Reading the space"
        )

    def nothing(self) -> str:
        if self.target.page is not None and self.view != SPACE and not self.limits.chosen:
            return "No revision that is kept changed this page. ] goes on to the whole space."
        return super().nothing()

    def status_left(self) -> str:
        """Say what is chosen to be compared."""
        chosen = len(self.rows.marks)
        if not chosen:
            said, base = super().status_left(), self.rows.source.base
            if said or base.complete or not base.loaded:
                return said
            more = f"at the end {AT_ONCE} more are read"
            return f"{plural(base.loaded, 'revision')}: {more} {spent(self, 2 * AT_ONCE)}"
        other = "= compares them" if chosen > 1 else "space chooses another, = compares them"
        return f"{plural(chosen, 'revision')} chosen: {other}"

    # Comparing

    def open_item(self, item: RevisionRow) -> None:
        self.desk.go_soon("comparison", self._compared(item.parent, item.id))

    @action("space", "choose", word="mark", unless=nothing_selected, show=12, group="Look")
    def choose(self) -> None:
        """Choose a revision to compare, two at most; again leaves it out."""
        item = sure(self.item)
        marked = self.rows.marks ^ {item.id}
        if len(marked) > 2:
            self.say("Two revisions are chosen already. = compares them.", "warn")
            return
        self.rows.set_marks(marked)
        self.refresh_frame()

    @action("=", "compare", unless=nothing_selected, show=14, group="Look", takes="marked",
            uses=("get_revision", "get_revision_page", "get_space"))  # fmt: skip
    async def compare(self) -> None:
        """Compare the two chosen revisions; with one or none chosen, with what the space has now.

        What is compared with the newest is the chosen one, or the one under the cursor.
        """
        # Of a long list not all rows are held: a chosen one may have no position any more.
        rows = sorted(self.rows.chosen(), key=lambda row: row.at or _NO_TIME, reverse=True)
        chosen = [row.id for row in rows]
        before, after = (chosen[1], chosen[0]) if len(chosen) == 2 else (chosen[0], None)
        await self.desk.go("comparison", self._compared(before, after))

    def _compared(self, before: str | None, after: str | None) -> Target:
        """Return a comparison: without ``before`` all is new, without ``after`` it is of now.

        It is about the page where its own revisions are listed, not those of the whole space.
        """
        page = None if self.view == SPACE else self.target.page
        target = Target(self.organization, self.target.space, page=page)
        return target.but(item=before, revision=after)

    @action("b", "blame", unless=of_no_page, show=10, group="Look")
    async def blame(self) -> None:
        """Show for each block of the page who brought it, with which change request."""
        target = Target(self.organization, self.target.space, page=self.target.page)
        await self.desk.go("blame", target)


async def _blocks(api: Api, target: Target, asked: ListQuery) -> Page[BlameRow]:
    return _page_of(await read_blame(api, target.space or "", target.page or "", target.revision))


def _page_of(rows: list[Any]) -> Page[Any]:
    from copydesk.contract.models.base import Page

    return Page[Any].model_construct(items=rows, next=None, count=len(rows))


def _older(row: BlameRow, now: datetime) -> str:
    """Say of a block that nobody is known to have brought from when it is at the latest."""
    oldest = row.oldest
    kept = "imported" if oldest is not None and oldest.imported_first else "read"
    before = short_moment(oldest.at, now) if oldest is not None else ""
    return f"older than what was {kept}" + (f" (before {before})" if before else "")


def _brought_by(row: BlameRow, now: datetime) -> Text | str:
    if row.revision is None:
        return Text(_older(row, now), style="muted")
    return _request(row.revision, now)


BLAME: Resource[BlameRow] = Resource(
    noun="block",
    title="Blame",
    pages=_blocks,
    key=lambda row: str(row.place),
    label=lambda row: row.text or "(no words)",
    shown=(
        Facet("block", "BLOCK", lambda row, now: row.text or "(no words)", flex=3, minimum=24,
              detail=False),
        Facet("who", "WHO", lambda row, now: row.revision.who or None if row.revision else None,
              14, drop=1),
        Facet("request", "CHANGE REQUEST", _brought_by, flex=2, minimum=18),
        Facet("when", "WHEN", lambda row, now: short_moment(row.revision.at, now)
              if row.revision else None, 14, drop=2),
    ),
    empty="There is no text on this page.",
    of="space",
    more=lambda row, now: [("text", clean(row.source, lines=True).strip())],
)  # fmt: skip
"""The blocks of a page, each with the revision that brought it as it is now."""


def nothing_before(here: BlamePlace) -> str | None:
    """Say so when it is not known what stood there before the block under the cursor."""
    if (why := nothing_selected(here)) is not None:
        return why
    item = sure(here.item)
    if item.revision is None:
        return f"This block is {_older(item, here.session.now)}."
    if item.former is None or item.revision.parent is None:
        return f"No one wrote it before: {request_of(item.revision)} began the page."
    return None


def no_request(here: BlamePlace) -> str | None:
    """Say so when no change request is known to have brought the block under the cursor."""
    item = here.item
    if item is None or item.revision is None:
        return nothing_before(here)
    return None if item.revision.request else "No change request brought it: enter shows the edit."


def nothing_older(here: BlamePlace) -> str | None:
    """Say so when older revisions would tell no more."""
    return None if here.goes_on else "Every revision that tells of these blocks was read."


@place(
    "blame",
    title="Who brought each block of a page",
    at=page_in_front,
    uses=(
        "get_space_page", "get_space", "get_revision", "get_revision_changes", "get_revision_page",
    ),
)  # fmt: skip
class BlamePlace(ResourcePlace[BlameRow], scope="blame"):
    """The blocks of a page: who brought each, when, and which change request.

    The page is as it is in main, or with ``target.revision`` as it was then.
    """

    RESOURCE = BLAME

    def __init__(self, target: Target) -> None:
        super().__init__(target)
        self._titles = ("", "")
        """Those of the space and of the page, once they are known."""
        self._reading: BlameReading | None = None
        self._most = BLAMED

    def resource_of(self, view: str) -> Resource[BlameRow]:
        return replace(BLAME, pages=self._blocks)

    async def _blocks(self, api: Api, target: Target, asked: ListQuery) -> Page[BlameRow]:
        reading = self._reading
        if reading is None:
            reading = BlameReading(target.space or "", target.page or "", target.revision)
        await reading.read_on(api, self._most)
        self._reading = reading
        return _page_of(reading.rows())

    @property
    def goes_on(self) -> bool:
        """Whether older revisions may tell more."""
        return self._reading is not None and self._reading.goes_on

    @action(
        "+", f"read {BLAMED} more", unless=nothing_older, show=16, group="Look",
        uses=("get_revision", "get_revision_changes"),
    )  # fmt: skip
    def read_more(self) -> None:
        """Read older revisions, to tell who wrote the blocks that are still older than what was
        read; the line at the bottom says how many calls that takes.
        """
        self._most += BLAMED
        super().reload()

    def within(self) -> Iterable[str]:
        space, page = self._titles
        before = "before" if self.target.revision is not None else ""
        yield from filter(None, (space, page or "blocks of a page", before))

    def reload(self) -> None:
        self._reading, self._most = None, BLAMED
        super().reload()
        space, page = self.target.space, self.target.page
        if space is None or page is None:
            return

        def came(titles: tuple[str, str]) -> None:
            self._titles = titles
            self.refresh_frame()

        self.reads.load(
            "titles", lambda api: read_titles(api, space, page), came, what="Reading the page"
        )

    def missing(self) -> str | None:
        said = super().missing()
        return said or (None if self.target.page else NO_PAGE)

    def poll(self) -> None:
        """Read nothing: it takes many revisions. R reads them again."""

    def open_item(self, item: BlameRow) -> None:
        """Go to the change request that brought the block, or to what else its revision changed."""
        found = item.revision
        target = Target(self.organization, self.target.space, page=self.target.page)
        if found is None:
            self.say(f"This block is {_older(item, self.session.now)}.", "warn")
        elif found.request:
            target = target.but(change_request=found.request, view="changes")
            self.desk.go_soon("review", target)
        else:
            self.desk.go_soon("comparison", target.but(item=found.parent, revision=found.id))

    def status_left(self) -> str:
        """Say that the page is not as it is now, and that older revisions were not read."""
        said = super().status_left()
        if self._reading is not None and self._reading.goes_on:
            said += (
                f", from {plural(self._reading.read, 'revision')}: + reads {BLAMED} more "
                f"{spent(self, BLAME_REQUESTS)}"
            )
        return said if self.target.revision is None else f"{said}, as it was before; - goes back"

    @action("g r", "its change request", word="change_request",
            unless=no_request, show=12, group="Go")  # fmt: skip
    async def show_request(self) -> None:
        """Go to the change request that brought the block."""
        assert self.item is not None
        assert self.item.revision is not None
        target = Target(self.organization, self.target.space, page=self.target.page)
        request = self.item.revision.request
        await self.desk.go("review", target.but(change_request=request, view="changes"))

    @action(",", "before that", word="before", unless=nothing_before, show=14, group="Look",
            uses=("get_revision", "get_revision_changes", "get_revision_page"))  # fmt: skip
    async def show_before(self) -> None:
        """Show who wrote what was there before the block was brought; - goes back to it."""
        assert self.item is not None
        assert self.item.revision is not None
        at = self.item.former
        target = Target(self.organization, self.target.space, page=self.target.page)
        await self.desk.go("blame", target.but(revision=self.item.revision.parent))
        here = self.desk.here
        if isinstance(here, BlamePlace) and here is not self:
            here.start_at(str(at))
