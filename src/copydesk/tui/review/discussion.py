"""The threads of a review: which belong to the page in front, their replies, going to one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from copydesk.contract.models.comment import Comment, CommentReply
from copydesk.domain.page_text import PageText
from copydesk.domain.text import clean
from copydesk.present.page_changes import place_of
from copydesk.present.threads import (
    GONE,
    Group,
    Thread,
    all_groups,
    mark_of,
    page_groups,
)
from copydesk.session.reads import review as reading
from copydesk.tui.review.diff import Mark
from copydesk.tui.review.drafts import DraftCommands
from copydesk.tui.threads.pane import ThreadView

if TYPE_CHECKING:
    from copydesk.tui.review.screen import Review


class Discussion:
    """Reads the threads of a review; shows them beside the lines they are about, and in a list."""

    def __init__(self, review: Review) -> None:
        self.review = review
        self._wanted_thread = review.target.thread
        self._by_line: dict[int, list[Thread]] = {}
        """Threads on the page in front, by the line of the diff."""
        self._listed: dict[str, None] = {}
        """Threads at the top of the list of all; one that is resolved there stays where it is."""
        self.fresh: set[str] = set()
        """Comments and replies of others that came while this was read."""
        self._replies_asked: dict[str, set[str]] = {}
        """Threads whose replies were last asked for, by the read that asks."""

    def page_came(self) -> None:
        """Go to the thread that the review was opened for, else to the one on the line."""
        if self._wanted_thread is not None:
            self._go_to_wanted()
        self.follow_line()

    def put_in_order(self) -> None:
        """Put the list of all threads in order, where it is in front."""
        self._listed = {}
        if self.review.view == "threads":
            self.review.all_threads.show(self._all_groups(), answers=self._answers)

    def read(self) -> None:
        """Read all threads of the request again."""
        opened = self.review.opened_request
        assert opened is not None
        self.review.reads.load(
            "threads",
            lambda api: reading.read_threads(api, opened.space.id, opened.request.id),
            self._came,
            what="Reading threads",
            failed=self._failed,
        )

    def _failed(self, said: str) -> None:
        if not self.review.threads_read:
            self.review.all_threads.empty, self.review.beside.empty = said, "Not read."
            self.review.all_threads.refresh_rows()
            self.review.beside.refresh_rows()

    def _came(self, comments: list[Comment]) -> None:
        self.review.news.waiting = None
        self.review.threads.take(comments)
        self.review.threads_read = True
        self.review.all_threads.empty = "No threads yet. C starts one on a page or on the request."
        self.show()
        if self._wanted_thread is not None and self.review.diff.page is not None:
            self._go_to_wanted()
        self.review.commands_of(DraftCommands).go_on()

    def _go_to_wanted(self) -> None:
        thread = self.review.threads.get(self._wanted_thread)
        if thread is not None:
            self._wanted_thread = None
            self.go_to(thread)

    def show(self, *, same: bool = False) -> None:
        """Show the threads everywhere; ``same`` when none came or went, only one changed."""
        self.review.open_counts = self.review.threads.open_by_page()
        self.renumber()
        if self.review.diff.page is not None:
            self.review.diff.mark(self.marks(self.review.diff.page))
        if same:
            self._retitle_beside()
            self.review.beside.changed()
            self.review.all_threads.changed()
        else:
            self.show_beside()
            if self.review.view == "threads":
                self.review.all_threads.show(self._all_groups(), answers=self._answers)
        self.review.fit_tree()
        self.review.show_overview()
        self.review.name_tabs()

    def renumber(self) -> None:
        """Number the threads in the order in which they are read and walked through."""
        self.review.threads.renumber([change.id for change in self.review.changes], self.line_of)

    def line_of(self, thread: Thread) -> int | None:
        """Return the line of the diff that a thread is on; None elsewhere, or not known yet."""
        text = self.review.texts.get(thread.page or "")
        return None if text is None or thread.node is None else text.find(thread.node)

    def marks(self, text: PageText) -> dict[int, Mark]:
        """Return the threads, and what waits to be sent, by the line they are on."""
        self._by_line = {}
        for thread in self.review.threads.on_page(self.review.page_id):
            line = None if thread.node is None else text.find(thread.node)
            if line is not None:
                self._by_line.setdefault(line, []).append(thread)
        marks = {line: mark_of(threads) for line, threads in self._by_line.items()}
        for key in self.review.drafts:
            page, _, node = key.partition("/")
            line = text.find(node) if page == self.review.page_id else None
            answered = self._answered(key)
            if answered is not None and answered.page == self.review.page_id and answered.node:
                line = text.find(answered.node)
            if line is not None:
                marks[line] = (marks.get(line, ("", True))[0] + "[draft]", True)
        return marks

    def _answered(self, part: str) -> Thread | None:
        """Return the thread that a draft answers; None for a draft of another kind."""
        what, _, thread = part.partition(" ")
        return self.review.threads.get(thread) if what == "reply" else None

    @property
    def _answers(self) -> dict[str, str]:
        """The replies that wait to be sent, by the id of their thread."""
        found = ((self._answered(part), text) for part, text in self.review.drafts.items())
        return {thread.id: text for thread, text in found if thread is not None}

    def show_beside(self) -> None:
        """Fill the pane beside the text: the page as a whole, line by line, then what is gone."""
        if self.review.view == "overview":
            none = "No threads on the request as a whole. C starts one."
            left = [("C", self.review.drafts["request"])] if "request" in self.review.drafts else []
            groups = [Group("", self.review.threads.on_page(None))]
        else:
            none = "No threads on this page. c comments on the line."
            here = self.review.threads.on_page(self.review.page_id)
            whole = self.review.drafts.get(f"{self.review.page_id}/page")
            left = [("C", whole)] if whole is not None else []
            groups = page_groups(here, self.review.texts.get(self.review.page_id or ""))
        if self.review.threads_read:
            self.review.beside.empty = none
        self.review.beside.show(groups, left=left, answers=self._answers)
        self._retitle_beside()

    def _retitle_beside(self) -> None:
        whole = self.review.view == "overview"
        here = self.review.threads.on_page(None if whole else self.review.page_id)
        threads = [thread for thread in here if not thread.verdict]
        count = sum(thread.open for thread in threads)
        where = "the request" if whole else "this page"
        self.review.beside.title = (
            f"{count} open of {len(threads)} on {where}" if threads else "Threads"
        )

    def _all_groups(self) -> list[Group]:
        titles = {c.id: place_of(c) for c in self.review.changes}
        if self.review.opened_request is not None:
            for node in self.review.opened_request.pages:
                titles.setdefault(node.id, clean(node.place))
        order = self.review.threads.walk([c.id for c in self.review.changes], self.line_of)
        if self.review.view != "threads":
            self._listed = {}
        self._listed.update((thread.id, None) for thread in order)
        waiting = [t for t in map(self.review.threads.get, self._listed) if t is not None]
        return all_groups(
            self.review.threads, sorted(waiting, key=lambda t: t.number), titles, self._gone
        )

    def _gone(self, thread: Thread) -> bool:
        """Whether the text that a thread is about is known to be gone from its page."""
        return thread.page in self.review.texts and thread.height(self.line_of) == GONE

    def go_to(self, thread: Thread) -> None:
        """Show a thread where it belongs: beside its line, its page, or the request."""
        if thread.page is None:
            self.review.open_view("overview")
            self.review.beside.select_thread(thread.id)
            self.review.beside.focus()
            return
        self.review.open_view("changes")
        if thread.page == self.review.page_id and thread.page in self.review.texts:
            self._go_to_line_of(thread)
        elif any(change.id == thread.page for change in self.review.changes):
            self.review.reader.show_page(thread.page, lambda: self._go_to_line_of(thread))
        else:
            self.review.open_view("threads")
            self.review.all_threads.select_thread(thread.id)
            self.review.all_threads.focus()

    def _go_to_line_of(self, thread: Thread) -> None:
        line = self.line_of(thread)
        self.review.beside.select_thread(thread.id)
        if line is None:
            self.review.beside.focus()
        else:
            self.review.diff.go_to_line(line)
            self.review.beside.select_thread(thread.id)
            self.review.diff.focus()

    def on_line(self) -> list[Thread]:
        """Return the threads on the line under the cursor of the diff."""
        line, page = self.review.diff.line, self.review.diff.page
        if line is None or page is None:
            return []
        return [thread for row in page.pair(line) for thread in self._by_line.get(row, ())]

    def follow_line(self) -> None:
        """Bring the thread on the line under the cursor to the top beside it."""
        here = self.on_line()
        if here and self.review.beside.thread not in here:
            self.review.beside.select_thread(next((t for t in here if t.open), here[0]).id)

    def read_replies(self, view: ThreadView) -> None:
        """Read the replies of the threads that a pane has come to show."""
        opened = self.review.opened_request
        if opened is None or not view.is_attached:
            return
        waiting = [thread.id for thread in view.waiting]
        group = f"replies {view.id}"
        asked = (
            self._replies_asked.get(group, set()) if self.review.reads.under_way(group) else set()
        )
        if asked.issuperset(waiting):
            return  # a second read would cancel the first, whose requests have gone
        self._replies_asked[group] = set(waiting)
        self.review.reads.load(
            group,
            lambda api: reading.read_replies(api, opened.space.id, opened.request.id, waiting),
            self.replies_came,
            what="Reading replies",
        )

    def replies_came(self, replies: dict[str, list[CommentReply]]) -> None:
        """Show the replies of threads."""
        for thread_id, read in replies.items():
            thread = self.review.threads.get(thread_id)
            if thread is not None:
                thread.replies = read
        for view in (self.review.beside, self.review.all_threads):
            view.put_replies(replies)
            self.review.call_after_refresh(self.read_replies, view)
        self.review.request_tabs.replies_came()
