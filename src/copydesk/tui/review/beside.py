"""The threads of a review: which belong to the page in front, their replies, going to one."""

from __future__ import annotations

from copydesk.contract.models.comment import Comment, CommentReply
from copydesk.domain.page_text import PageText
from copydesk.domain.text import clean
from copydesk.present.json_views import Raw, message_raw, request_raw
from copydesk.present.page_changes import place_of
from copydesk.present.threads import (
    GONE,
    Group,
    Thread,
    all_groups,
    mark_of,
    page_groups,
)
from copydesk.session.glyphs import glyphs
from copydesk.session.reads import review as reading
from copydesk.session.target import Target
from copydesk.tui.framework.place import View
from copydesk.tui.review.diff import Mark
from copydesk.tui.review.drafts import DraftCommands
from copydesk.tui.review.guards import may_not_comment, no_line
from copydesk.tui.review.pages import ReviewPages
from copydesk.tui.threads.commands import ThreadCommands, draft_key
from copydesk.tui.threads.pane import ThreadView
from copydesk.tui.widgets.wrapped_list import WrappedList


class ReviewBeside(ReviewPages):
    """Shows threads beside the lines they are about, and in a list of their own."""

    RAW = (
        "get_change_request",
        "get_change_request_comment",
        "get_change_request_comment_reply",
    )

    def __init__(self, target: Target) -> None:
        super().__init__(target)
        self._wanted_thread = target.thread
        self._by_line: dict[int, list[Thread]] = {}
        """Threads on the page in front, by the line of the diff."""
        self._listed: dict[str, None] = {}
        """Threads at the top of the list of all; one that is resolved there stays where it is."""
        self.fresh: set[str] = set()
        """Comments and replies of others that came while this was read."""
        self._replies_asked: dict[str, set[str]] = {}
        """Threads whose replies were last asked for, by the read that asks."""

    def opened(self) -> None:
        """Let the panes of threads show what is new."""
        for view in (self.beside, self.all_threads):
            view.fresh = self.fresh
        super().opened()

    def request_came(self) -> None:
        """Show the page, and read the threads."""
        asked = self.page_id or self.begins_at or self.target.page or self.target.thread
        self.read_threads()
        super().request_came()
        self.news.compare_seen(unasked=not asked)

    def page_came(self) -> None:
        """Go to the thread that the review was opened for, else to the one on the line."""
        if self._wanted_thread is not None:
            self._go_to_wanted()
        self._follow_line()
        self.news.begin()
        self.commands_of(DraftCommands).go_on()

    def read_threads(self) -> None:
        """Read all threads of the request again."""
        opened = self.opened_request
        assert opened is not None
        self.load(
            "threads",
            lambda api: reading.read_threads(api, opened.space.id, opened.request.id),
            self._threads_came,
            what="Reading threads",
            failed=self._threads_failed,
        )

    def _threads_failed(self, said: str) -> None:
        if not self.threads_read:
            self.all_threads.empty, self.beside.empty = said, "Not read."
            self.all_threads.refresh_rows()
            self.beside.refresh_rows()

    def _threads_came(self, comments: list[Comment]) -> None:
        self.news.waiting = None
        self.threads.take(comments)
        self.threads_read = True
        self.all_threads.empty = "No threads yet. C starts one on a page or on the request."
        self.show_threads()
        if self._wanted_thread is not None and self.diff.page is not None:
            self._go_to_wanted()
        self.commands_of(DraftCommands).go_on()

    def _go_to_wanted(self) -> None:
        thread = self.threads.get(self._wanted_thread)
        if thread is not None:
            self._wanted_thread = None
            self.go_to_thread(thread)

    def show_threads(self, *, same: bool = False) -> None:
        """Show the threads everywhere; ``same`` when none came or went, only one changed."""
        self.open_counts = self.threads.open_by_page()
        self._renumber()
        if self.diff.page is not None:
            self.diff.mark(self.marks(self.diff.page))
        if same:
            self._retitle_beside()
            self.beside.changed()
            self.all_threads.changed()
        else:
            self.show_beside()
            if self.view == "threads":
                self.all_threads.show(self._all_groups(), answers=self._answers)
        self.fit_tree()
        self.show_overview()
        self.name_tabs()

    def name_tabs(self) -> None:
        """Name the tabs, with what they hold; a sign says that something waits to be shown."""
        count = self.threads.open_count if self.threads_read else None
        new = f"{glyphs().changed} " if self.news.waiting is not None else ""
        self.set_views(
            [
                View("overview", "Overview"),
                View("changes", "Changes", len(self.changes) or None),
                View("threads", f"{new}Threads", count),
                View("rules", f"Rules {self.rules_met}" if self.rules_met else "Rules"),
                View("activity", "Activity"),
            ]
        )

    @property
    def rules_met(self) -> str:
        """How many of the merge rules pass: "1/3"; empty without rules and while not read."""
        rules = self.rules
        return f"{rules.passed}/{len(rules.results)}" if rules and rules.results else ""

    def _renumber(self) -> None:
        """Number the threads in the order in which they are read and walked through."""
        self.threads.renumber([change.id for change in self.changes], self.line_of)

    def text_kept(self) -> None:
        """Number the threads of a page by its lines, once those are known.

        Not in the list of all threads: there nothing changes its name before one's eyes.
        """
        if self.view != "threads":
            self._renumber()

    def line_of(self, thread: Thread) -> int | None:
        """Return the line of the diff that a thread is on; None elsewhere, or not known yet."""
        text = self.texts.get(thread.page or "")
        return None if text is None or thread.node is None else text.find(thread.node)

    def marks(self, text: PageText) -> dict[int, Mark]:
        """Return the threads, and what waits to be sent, by the line they are on."""
        self._by_line = {}
        for thread in self.threads.on_page(self.page_id):
            line = None if thread.node is None else text.find(thread.node)
            if line is not None:
                self._by_line.setdefault(line, []).append(thread)
        marks = {line: mark_of(threads) for line, threads in self._by_line.items()}
        for key in self.drafts:
            page, _, node = key.partition("/")
            line = text.find(node) if page == self.page_id else None
            answered = self._answered(key)
            if answered is not None and answered.page == self.page_id and answered.node:
                line = text.find(answered.node)
            if line is not None:
                marks[line] = (marks.get(line, ("", True))[0] + "[draft]", True)
        return marks

    def _answered(self, part: str) -> Thread | None:
        """Return the thread that a draft answers; None for a draft of another kind."""
        what, _, thread = part.partition(" ")
        return self.threads.get(thread) if what == "reply" else None

    @property
    def _answers(self) -> dict[str, str]:
        """The replies that wait to be sent, by the id of their thread."""
        found = ((self._answered(part), text) for part, text in self.drafts.items())
        return {thread.id: text for thread, text in found if thread is not None}

    def show_beside(self) -> None:
        """Fill the pane beside the text: the page as a whole, line by line, then what is gone."""
        if self.view == "overview":
            none = "No threads on the request as a whole. C starts one."
            left = [("C", self.drafts["request"])] if "request" in self.drafts else []
            groups = [Group("", self.threads.on_page(None))]
        else:
            none = "No threads on this page. c comments on the line."
            here = self.threads.on_page(self.page_id)
            whole = self.drafts.get(f"{self.page_id}/page")
            left = [("C", whole)] if whole is not None else []
            groups = page_groups(here, self.texts.get(self.page_id or ""))
        if self.threads_read:
            self.beside.empty = none
        self.beside.show(groups, left=left, answers=self._answers)
        self._retitle_beside()

    def _retitle_beside(self) -> None:
        whole = self.view == "overview"
        here = self.threads.on_page(None if whole else self.page_id)
        threads = [thread for thread in here if not thread.verdict]
        count = sum(thread.open for thread in threads)
        where = "the request" if whole else "this page"
        self.beside.title = f"{count} open of {len(threads)} on {where}" if threads else "Threads"

    def _all_groups(self) -> list[Group]:
        titles = {c.id: place_of(c) for c in self.changes}
        if self.opened_request is not None:
            for node in self.opened_request.pages:
                titles.setdefault(node.id, clean(node.place))
        order = self.threads.walk([c.id for c in self.changes], self.line_of)
        if self.view != "threads":
            self._listed = {}
        self._listed.update((thread.id, None) for thread in order)
        waiting = [t for t in map(self.threads.get, self._listed) if t is not None]
        return all_groups(self.threads, sorted(waiting, key=lambda t: t.number), titles, self._gone)

    def _gone(self, thread: Thread) -> bool:
        """Whether the text that a thread is about is known to be gone from its page."""
        return thread.page in self.texts and thread.height(self.line_of) == GONE

    def go_to_thread(self, thread: Thread) -> None:
        """Show a thread where it belongs: beside its line, its page, or the request."""
        if thread.page is None:
            self.open_view("overview")
            self.beside.select_thread(thread.id)
            self.beside.focus()
            return
        self.open_view("changes")
        if thread.page == self.page_id and thread.page in self.texts:
            self._go_to_line_of(thread)
        elif any(change.id == thread.page for change in self.changes):
            self.show_page(thread.page, lambda: self._go_to_line_of(thread))
        else:
            self.open_view("threads")
            self.all_threads.select_thread(thread.id)
            self.all_threads.focus()

    def _go_to_line_of(self, thread: Thread) -> None:
        line = self.line_of(thread)
        self.beside.select_thread(thread.id)
        if line is None:
            self.beside.focus()
        else:
            self.diff.go_to_line(line)
            self.beside.select_thread(thread.id)
            self.diff.focus()

    def threads_on_line(self) -> list[Thread]:
        """Return the threads on the line under the cursor of the diff."""
        line, page = self.diff.line, self.diff.page
        if line is None or page is None:
            return []
        return [thread for row in page.pair(line) for thread in self._by_line.get(row, ())]

    def on_wrapped_list_moved(self, event: WrappedList.Moved) -> None:
        """Follow the cursor of the diff: the thread on its line comes to the top beside it."""
        if event.rows is self.diff:
            self._follow_line()
        self.frame_soon()

    def _follow_line(self) -> None:
        here = self.threads_on_line()
        if here and self.beside.thread not in here:
            self.beside.select_thread(next((t for t in here if t.open), here[0]).id)

    def on_wrapped_list_seen(self, event: WrappedList.Seen) -> None:
        """Read the replies of threads that have come into view."""
        if isinstance(event.rows, ThreadView):
            self._read_replies(event.rows)

    def _read_replies(self, view: ThreadView) -> None:
        opened = self.opened_request
        if opened is None or not view.is_attached:
            return
        waiting = [thread.id for thread in view.waiting]
        group = f"replies {view.id}"
        asked = self._replies_asked.get(group, set()) if self.is_loading(group) else set()
        if asked.issuperset(waiting):
            return  # a second read would cancel the first, whose requests have gone
        self._replies_asked[group] = set(waiting)
        self.load(
            group,
            lambda api: reading.read_replies(api, opened.space.id, opened.request.id, waiting),
            self.replies_came,
            what="Reading replies",
        )

    def replies_came(self, replies: dict[str, list[CommentReply]]) -> None:
        """Show the replies of threads."""
        for thread_id, read in replies.items():
            thread = self.threads.get(thread_id)
            if thread is not None:
                thread.replies = read
        for view in (self.beside, self.all_threads):
            view.put_replies(replies)
            self.call_after_refresh(self._read_replies, view)
        self.request_tabs.replies_came()

    def view_changed(self) -> None:
        """Show another tab; the list of threads is put in order when it is opened."""
        self._renumber()
        super().view_changed()
        self._listed = {}
        if self.view == "threads":
            self.all_threads.show(self._all_groups(), answers=self._answers)
        self.request_tabs.turned_to()

    def on_thread_view_opened(self, event: ThreadView.Opened) -> None:
        """Show what a thread is about."""
        if isinstance(event.rows, ThreadView) and event.rows.thread is not None:
            self.go_to_thread(event.rows.thread)

    def current_thread(self) -> Thread | None:
        """Return the thread under the cursor: beside the text, in the list, or on the line."""
        if self.focused in (self.beside, self.all_threads):
            assert isinstance(self.focused, ThreadView)
            return self.focused.thread
        if self.focused is self.request_tabs.happened:
            return self.request_tabs.thread
        if self.focused is not self.diff:
            return None
        here = self.threads_on_line()
        if self.beside.thread in here:
            return self.beside.thread
        return next((thread for thread in here if thread.open), here[0] if here else None)

    def current_message(self) -> Comment | CommentReply | None:
        """Return the comment or reply under the cursor; on a line, the thread's comment."""
        if self.focused in (self.beside, self.all_threads):
            assert isinstance(self.focused, ThreadView)
            return self.focused.message
        thread = self.current_thread()
        return None if thread is None else thread.comment

    # What the actions on threads ask for

    @property
    def no_thread_here(self) -> str:
        """Why there is none, with the keys that work in this tab."""
        goes = "} goes to the next open one; " if self.threads.open_count else ""
        starts = "c starts one on this line" if no_line(self) is None else "C starts one"
        return f"No thread here. {goes}{starts}."

    @property
    def thread_ids(self) -> tuple[str, str]:
        """The space and the change request."""
        opened = self.opened_request
        assert opened is not None
        return opened.space.id, opened.request.id

    @property
    def closed(self) -> bool:
        """Whether the request is merged or archived."""
        opened = self.opened_request
        return opened is not None and opened.request.status in ("merged", "archived")

    @property
    def threads_known(self) -> bool:
        """Whether the threads of the request have been read."""
        return self.threads_read

    def raw(self) -> Raw | None:
        """Return where the JSON of the message comes from, else that of the request."""
        opened, thread = self.opened_request, self.current_thread()
        if opened is None:
            return None
        if thread is not None:
            return message_raw(self.thread_ids, thread.id, self.current_message())
        return request_raw(*self.thread_ids, f"#{opened.request.number}")

    def commenting_refused(self) -> str | None:
        """Return why I may not comment in this space, or None."""
        return may_not_comment(self)

    def called(self, words: str) -> str:
        """Return what a message is called in the log that begins with these words."""
        return f"{self.numbered} “{words}”"

    async def drafts_changed(self) -> None:
        """Show what waits to be sent as it is now."""
        opened = self.opened_request
        if opened is not None:
            await self.read_drafts(opened)
            self.show_threads()

    def forget_draft(self, key: str) -> None:
        """Show a draft no more, because its text has arrived."""
        self.drafts.pop(key.removeprefix(draft_key(self, "")), None)

    def show_sent(self, message: Comment | CommentReply) -> None:
        """Go to a message of mine in the lists that are shown."""
        if isinstance(message, Comment):
            self.beside.select_thread(message.id)
            return
        for view in (self.beside, self.all_threads):
            if view.display:
                view.select(message.id)

    def message_arrived(self, thread: str) -> None:
        """Show a message that has come."""
        self.show_threads()

    def message_removed(self, thread: Thread, message: Comment | CommentReply) -> None:
        """A message is gone: what waits to be sent is looked up, and all is shown, after that."""

    def thread_name(self, thread: Thread) -> str:
        """Return how the screen names a thread."""
        return thread.label

    @property
    def writing(self) -> ThreadCommands:
        """What sends messages."""
        return self.commands_of(ThreadCommands)

    def waits_changed(self) -> None:
        """Show what left the outbox as the draft that it is again, and what waits there as none."""
        self.writing.waits_changed()

    def on_screen_resume(self) -> None:
        """Show what was due while something was written over it."""
        self.writing.show_drafts_soon()
