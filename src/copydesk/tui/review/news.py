"""What others do while a review is read: announced quietly, shown when ``.`` asks for it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from copydesk.contract import operations as ops
from copydesk.contract.models.comment import CommentReply
from copydesk.domain.page_tree import PageNode, Version, flatten
from copydesk.domain.sure import sure
from copydesk.domain.text import clean
from copydesk.session.page_changes import ReviewChange
from copydesk.session.reads import review as reading
from copydesk.tui.framework.actions import action
from copydesk.tui.review.guards import HasReview, ReviewCommands
from copydesk.tui.review.model import ThreadNews, answered, news_of
from copydesk.tui.review.pages import PageReader

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.contract.models.change_request import ChangeRequest
    from copydesk.session.reads.review import OpenedRequest
    from copydesk.tui.framework.place import Place


def nothing_new(here: HasReview) -> str | None:
    """Say so when others did nothing since it was read."""
    return None if here.model.behind or here.model.news is not None else "Nothing new waits."


class NewsCommands(ReviewCommands, scope="review"):
    """Reads threads, and the pages that were marked as seen, again by itself."""

    def __init__(self, place: Place) -> None:
        super().__init__(place)
        self._news_at = 0
        """How much had been written here when that was read."""
        self._versions: dict[str, Version] = {}
        """What the pages of the request were when their marks were last looked at."""
        self._followed = ""
        """The revision of the request that this was at."""
        self._began: tuple[str, int | None] | None = None
        """The page that stood first unasked, and the line on it."""

    @action(".", "show new", unless=nothing_new, show=False, group="Look", override=True)
    def show_new(self) -> None:
        """Show what others wrote and changed; the cursor stays on its message and its line."""
        self._fold_threads()
        if self.model.behind:
            self.place.read_again()

    def _fold_threads(self) -> None:
        news, self.model.news = self.model.news, None
        if news is None:
            return
        self.here.discussion.fresh.clear()
        self.here.discussion.fresh.update(news.messages)
        if self._news_at != len(self.place.session.log):
            # It lacks what was written here since.
            self.here.discussion.read()
            return
        self.model.threads.take(news.comments)
        for thread_id, replies in news.replies.items():
            thread = self.model.threads.get(thread_id)
            if thread is not None:
                thread.replies = list(replies)
        self.here.discussion.show()

    # Reading again by itself

    def poll(self) -> None:
        """Ask what others wrote and edited. Nothing moves: ``.`` shows it."""
        opened = self.model.opened
        if opened is None or not self.model.threads_read:
            return
        written = len(self.place.session.log)

        async def read(api: Api) -> ThreadNews | None:
            space, request = opened.space.id, opened.request.id
            comments = await reading.read_threads(api, space, request)
            more = answered(self.model.threads, comments)
            replies: dict[str, list[CommentReply]] = {}
            if more:
                replies = await reading.read_replies(api, space, request, more)
            return news_of(self.model.threads, comments, replies)

        def arrived(news: ThreadNews | None) -> None:
            # What was written here meanwhile may be missing in the answer: the next poll tells.
            if (
                written == len(self.place.session.log)
                and not self.place.session.writes.writes_pending
            ):
                if news is not None and self.model.news is None:
                    self.place.session.contact.changed_at = self.place.session.clock()
                self.model.news, self._news_at = news, written
                self.here.request_tabs.name()

        self.place.reads.load("poll threads", read, arrived, what="Reading threads again")

    def polled(self, now: ChangeRequest) -> None:
        """Look again at pages that were marked as seen, if they are others now."""
        opened = self.model.opened
        if opened is None or now.status == "merged" or now.revision == self._followed:
            return

        async def read(api: Api) -> None:
            tree = await api(ops.list_change_request_pages, opened.space.id, opened.request.id)
            await self._compare(api, opened, flatten(tree.pages))
            self._followed = now.revision

        self.place.reads.load(
            "marks",
            read,
            lambda _: self.place.commands_of(PageReader).show_seen(),
            what="Comparing what was read",
            kept="away",
        )

    def compare_seen(self, *, unasked: bool) -> None:
        """Find out which marked pages are others now than when they were seen.

        ``unasked`` says that the page in front is none that somebody asked for.
        """
        opened, chosen = self.model.known, self.model.page_id
        self._followed = opened.request.revision
        if opened.merged or self.model.seen is None or not self.place.session.may_spend:
            return

        async def read(api: Api) -> None:
            await self._compare(api, opened, opened.pages)

        def compared(_: None) -> None:
            self.place.commands_of(PageReader).show_seen()
            if unasked and chosen is not None:
                self._begin_with_changed(chosen)

        self.place.reads.load("marks", read, compared, what="Comparing what was read", kept="away")

    def begin(self) -> None:
        """Know where reading began."""
        if self._began is None and self.model.page_id is not None:
            self._began = self.model.page_id, self.here.diff.line

    def _begin_with_changed(self, chosen: str) -> None:
        """Show the first page that is to be read, if it is one that was seen before.

        It stands before the ``chosen`` one, which was shown while that was not known. Who has begun
        to read stays and is told.
        """
        seen = self.model.seen
        first = next((c for c in self.model.changes if seen and seen.state(c.id) != "seen"), None)
        if first is None or first.id == chosen:
            return
        said = f"“{clean(first.node.title, limit=60)}” changed since you read it."
        came = self._began is None or self._began == (self.model.page_id, self.here.diff.line)
        if self.model.page_id == chosen and came and self.app.screen is self.place:
            self.place.commands_of(PageReader).show_page(first.id)
            said = f"{said} = shows what is new."
        self.place.say(said)

    def forget_versions(self) -> None:
        """Compare every marked page anew at the next reading."""
        self._versions.clear()
        self._followed = ""

    def look_again(self, page: str) -> None:
        """Compare a page that has just been marked with what it is by now."""
        self._versions.pop(page, None)
        self._followed = ""
        self.place.read_again(by_hand=False)

    async def _compare(self, api: Api, opened: OpenedRequest, pages: Iterable[PageNode]) -> None:
        """Compare the marked pages whose version changed since the last comparison."""
        seen = sure(self.model.seen)
        now = {node.id: node for node in pages}
        for change in self._marked(self.model.changes):
            node = now.get(change.id)
            version = None if node is None else node.version
            if version is not None and self._versions.get(change.id) == version:
                continue
            text = "" if node is None else await reading.read_now(api, opened, change)
            if text or node is None:
                await seen.compare(change.id, text)
            if version is not None and any(version):
                self._versions[change.id] = version

    def _marked(self, changes: Sequence[ReviewChange]) -> list[ReviewChange]:
        """Return the marked pages whose text now can be read."""
        seen = sure(self.model.seen)
        return [
            change
            for change in changes
            if change.after is not None and not change.thing and seen.state(change.id) != "unseen"
        ]
