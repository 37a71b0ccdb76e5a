"""The threads of a review: which belong to the page in front, their replies, going to one."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from typing import TYPE_CHECKING

from copydesk.contract.models.comment import Comment, CommentReply
from copydesk.domain.page_text import PageText
from copydesk.domain.suggestion import Fit
from copydesk.domain.text import clean, plural
from copydesk.present.page_changes import place_of
from copydesk.present.threads import GONE, Thread, ThreadGroup, all_groups, mark_of, page_groups
from copydesk.session.draft_keys import review_key
from copydesk.session.errors import failure_types
from copydesk.session.reads import review as reading
from copydesk.session.suggestions import (
    OpenSuggestion,
    SuggestionTexts,
    finish_applying,
    judged,
    read_texts,
    suggested_in,
)
from copydesk.session.writes.outbox import waiting_threads
from copydesk.tui.framework.desk_app import begin
from copydesk.tui.threads.pane import ThreadView

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.tui.framework.place import Place
    from copydesk.tui.review.diff import DiffView, Mark
    from copydesk.tui.review.edits import ReviewPageTree
    from copydesk.tui.review.model import ReviewModel
    from copydesk.tui.review.tabs import RequestTabs


class Suggestions:
    """The suggestions in the open threads of a review: whether they fit, and which are marked."""

    def __init__(
        self, place: Place, model: ReviewModel, current: Callable[[], Thread | None]
    ) -> None:
        self.place, self.model = place, model
        self._current = current
        self.found: dict[str, OpenSuggestion] = {}
        """By thread."""
        self.fits: dict[str, Fit] = {}
        """Whether they fit, of those that were judged."""
        self.ticked: set[str] = set()
        self.texts: SuggestionTexts | None = None
        """What they were judged by last."""
        self.views: Sequence[ThreadView] = ()
        self._judged: object = None
        self._finished = False

    def show_in(self, *views: ThreadView) -> None:
        """Show them in these panes."""
        self.views = views
        for view in views:
            view.fits, view.ticked = self.fits, self.ticked

    def current(self) -> OpenSuggestion | None:
        """Return the suggestion under the cursor."""
        thread = self._current()
        return None if thread is None else self.found.get(thread.id)

    def look(self) -> None:
        """Judge the suggestions again, if they or what they are about changed."""
        if self.model.opened is None:
            return
        known = ((thread.id, suggested_in(thread.comment)) for thread in self.model.threads)
        self.found = {thread: each for thread, each in known if each is not None}
        self.ticked.intersection_update(self.found)
        for thread in self.fits.keys() - self.found.keys():
            del self.fits[thread]
        edits = dict(self.model.edits)
        asked = (self.found, edits, self.model.opened.request.revision)
        if not self.found or asked == self._judged:
            return
        self._judged = asked
        found, ids = list(self.found.values()), self.model.ids

        async def read(api: Api) -> tuple[SuggestionTexts, dict[str, Fit]]:
            texts = await read_texts(api, *ids, found, self.texts)
            now = self.place.session.now
            return texts, await asyncio.to_thread(judged, texts, found, edits, now)

        self.place.reads.load(
            "suggestions", read, self._came, what="Reading what is suggested", kept="away"
        )

    def _came(self, result: tuple[SuggestionTexts, dict[str, Fit]]) -> None:
        self.texts, fits = result
        self.fits.clear()
        self.fits.update(fits)
        self.ticked.difference_update(thread for thread, fit in fits.items() if not fit.fits)
        self.changed()

    def changed(self) -> None:
        """Draw them again."""
        for view in self.views:
            view.changed()
        self.place.refresh_frame()

    def tick(self, threads: AbstractSet[str]) -> None:
        """Mark these, and no others."""
        self.ticked.clear()
        self.ticked.update(threads)
        self.changed()
        fitting = sum(fit.fits for fit in self.fits.values())
        of, verb = plural(len(self.found), "suggestion"), "fits" if fitting == 1 else "fit"
        self.place.say(f"{len(self.ticked)} marked of {of}; {fitting} {verb}. S applies.")

    def misfit(self, why: Mapping[str, str]) -> None:
        """Show why some do not fit by now, by thread."""
        for thread, said in why.items():
            self.fits[thread] = replace(self.fits.get(thread, Fit()), why=said)
        self.ticked.difference_update(why)
        self.changed()

    def finish(self) -> None:
        """Go on with what was being applied when an earlier start ended, once."""
        session = self.place.session
        if self._finished or session.read_only or self.model.opened is None:
            return
        self._finished = True
        ids = self.model.ids

        async def go_on() -> None:
            try:
                said = await finish_applying(session, *ids)
            except failure_types():
                self._finished = False  # the next look at the request tries again
                return
            if said and self.place.is_attached:
                self.place.say(said)
                self.place.read_again(by_hand=False)

        begin(self.place, go_on, name="finish applying")


class Discussion:
    """Reads the threads of a review; shows them beside the lines they are about, and in a list."""

    def __init__(
        self,
        place: Place,
        model: ReviewModel,
        page_tree: ReviewPageTree,
        diff: DiffView,
        tabs: RequestTabs,
        *,
        show_page: Callable[[str, Callable[[], None]], None],
        came: Callable[[], None],
    ) -> None:
        self.place, self.model = place, model
        self.page_tree, self.diff, self.tabs = page_tree, diff, tabs
        self.all_threads = ThreadView(title="Threads", empty="Reading…", id="all-threads")
        self.beside = ThreadView(title="Threads", empty="Reading…", id="beside")
        self._show_page, self._came_all = show_page, came
        self._wanted_thread = place.target.thread
        self._by_line: dict[int, list[Thread]] = {}
        """Threads on the page in front, by the line of the diff."""
        self._listed: dict[str, None] = {}
        """Threads at the top of the list of all; one that is resolved there stays where it is."""
        self.fresh: set[str] = set()
        """Comments and replies of others that came while this was read."""
        self._waited = 0
        """How many comments waited in the outbox when that was shown last."""
        self._replies_asked: dict[str, set[str]] = {}
        """Threads whose replies were last asked for, by the read that asks."""
        for view in (self.beside, self.all_threads):
            view.fresh = self.fresh
        self.suggestions = Suggestions(place, model, self.current_thread)
        self.suggestions.show_in(self.beside, self.all_threads)

    def page_came(self) -> None:
        """Go to the thread that the review was opened for, else to the one on the line."""
        if self._wanted_thread is not None:
            self._go_to_wanted()
        self.follow_line()

    def put_in_order(self) -> None:
        """Put the list of all threads in order, where it is in front."""
        self._listed = {}
        if self.place.view == "threads":
            self._show_all()

    def read(self) -> None:
        """Read all threads of the request again."""
        opened = self.model.known
        self.place.reads.load(
            "threads",
            lambda api: reading.read_threads(api, opened.space.id, opened.request.id),
            self._came,
            what="Reading threads",
            failed=self._failed,
        )

    def _failed(self, said: str) -> None:
        if not self.model.threads_read:
            self.all_threads.empty, self.beside.empty = said, "Not read."
            self.all_threads.refresh_rows()
            self.beside.refresh_rows()

    def _came(self, comments: list[Comment]) -> None:
        self.model.news = None
        self.model.threads.take(comments)
        self.model.threads_read = True
        self.all_threads.empty = "No threads yet. C starts one on a page or on the change request."
        self.show()
        self.suggestions.finish()
        if self._wanted_thread is not None and self.diff.page is not None:
            self._go_to_wanted()
        self._came_all()

    def _go_to_wanted(self) -> None:
        thread = self.model.threads.get(self._wanted_thread)
        if thread is not None:
            self._wanted_thread = None
            self.go_to(thread)

    def show(self, *, same: bool = False) -> None:
        """Show the threads everywhere; ``same`` when none came or went, only one changed."""
        self.model.open_counts = self.model.threads.open_by_page()
        self.renumber()
        if self.diff.page is not None:
            self.diff.mark(self.marks(self.diff.page))
        if same:
            self._retitle_beside()
            self.beside.changed()
            self.all_threads.changed()
        else:
            self.show_beside()
            if self.place.view == "threads":
                self._show_all()
        self.page_tree.fit()
        self.tabs.show()
        self.tabs.name()
        self.suggestions.look()

    def renumber(self) -> None:
        """Number the threads in the order in which they are read and walked through."""
        self.model.threads.renumber([change.id for change in self.model.changes], self.line_of)

    def line_of(self, thread: Thread) -> int | None:
        """Return the line of the diff that a thread is on; None elsewhere, or not known yet."""
        text = self.model.texts.get(thread.page or "")
        return None if text is None or thread.node is None else text.find(thread.node)

    def marks(self, text: PageText) -> dict[int, Mark]:
        """Return the threads, and what waits to be sent, by the line they are on."""
        self._by_line = {}
        for thread in self.model.threads.on_page(self.model.page_id):
            line = None if thread.node is None else text.find(thread.node)
            if line is not None:
                self._by_line.setdefault(line, []).append(thread)
        marks = {line: mark_of(threads) for line, threads in self._by_line.items()}
        for key in self.model.drafts:
            page, _, node = key.partition("/")
            line = text.find(node) if page == self.model.page_id else None
            answered = self._answered(key)
            if answered is not None and answered.page == self.model.page_id and answered.node:
                line = text.find(answered.node)
            if line is not None:
                marks[line] = (marks.get(line, ("", True))[0] + "[draft]", True)
        for on, at in self._waiting:
            line = text.find(at) if on == self.model.page_id and at else None
            if line is not None:
                marks[line] = (marks.get(line, ("", True))[0] + "[waits]", True)
        return marks

    @property
    def _waiting(self) -> list[tuple[str | None, str | None]]:
        """The page and the node of each comment that waits in the outbox to begin a thread."""
        known = self.model.opened is not None
        return waiting_threads(self.place.session.outbox, *self.model.ids) if known else []

    def _answered(self, part: str) -> Thread | None:
        """Return the thread that a draft answers; None for a draft of another kind."""
        what, _, thread = part.partition(" ")
        return self.model.threads.get(thread) if what == "reply" else None

    @property
    def _answers(self) -> dict[str, str]:
        """The replies that wait to be sent, by the id of their thread."""
        found = ((self._answered(part), text) for part, text in self.model.drafts.items())
        return {thread.id: text for thread, text in found if thread is not None}

    def show_beside(self) -> None:
        """Fill the pane beside the text: the whole page, its lines in order, then lost lines."""
        if self.place.view == "overview":
            none = "No threads on the change request as a whole. C starts one."
            left = [("C", self.model.drafts["request"])] if "request" in self.model.drafts else []
            groups = [ThreadGroup("", self.model.threads.on_page(None))]
            page = None  # the whole
        else:
            none = "No threads on this page. c comments on the line."
            here = self.model.threads.on_page(self.model.page_id)
            whole = self.model.drafts.get(f"{self.model.page_id}/page")
            left = [("C", whole)] if whole is not None else []
            groups = page_groups(here, self.model.texts.get(self.model.page_id or ""))
            page = self.model.page_id or ""
        if self.model.threads_read:
            self.beside.empty = none
        waits = sum(on == page for on, _ in self._waiting)
        self.beside.show(groups, left=left, waits=waits, answers=self._answers)
        self._retitle_beside()

    def _retitle_beside(self) -> None:
        whole = self.place.view == "overview"
        threads = self.model.threads.on_page(None if whole else self.model.page_id)
        count = sum(thread.open for thread in threads)
        where = "The change request" if whole else "This page"
        self.beside.title = f"{where}: {count} open of {len(threads)}" if threads else "Threads"

    def _show_all(self) -> None:
        waits = len(self._waiting)
        self.all_threads.show(self._all_groups(), waits=waits, answers=self._answers)

    def _all_groups(self) -> list[ThreadGroup]:
        titles = {c.id: place_of(c) for c in self.model.changes}
        if self.model.opened is not None:
            for node in self.model.opened.pages:
                titles.setdefault(node.id, clean(node.place))
        order = self.model.threads.walk([c.id for c in self.model.changes], self.line_of)
        if self.place.view != "threads":
            self._listed = {}
        self._listed.update((thread.id, None) for thread in order)
        waiting = [t for t in map(self.model.threads.get, self._listed) if t is not None]
        return all_groups(
            self.model.threads, sorted(waiting, key=lambda t: t.number), titles, self._gone
        )

    def _gone(self, thread: Thread) -> bool:
        """Whether the text that a thread is about is known to be gone from its page."""
        return thread.page in self.model.texts and thread.height(self.line_of) == GONE

    def go_to(self, thread: Thread) -> None:
        """Show a thread where it belongs: beside its line, its page, or the request."""
        if thread.page is None:
            self.place.choose_view("overview")
            self.beside.select_thread(thread.id)
            self.beside.focus()
            return
        self.place.choose_view("changes")
        if thread.page == self.model.page_id and thread.page in self.model.texts:
            self._go_to_line_of(thread)
        elif any(change.id == thread.page for change in self.model.changes):
            self._show_page(thread.page, lambda: self._go_to_line_of(thread))
        else:
            self.place.choose_view("threads")
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

    def on_line(self) -> list[Thread]:
        """Return the threads on the line under the cursor of the diff."""
        line, page = self.diff.line, self.diff.page
        if line is None or page is None:
            return []
        return [thread for row in page.pair(line) for thread in self._by_line.get(row, ())]

    def follow_line(self) -> None:
        """Bring the thread on the line under the cursor to the top beside it."""
        here = self.on_line()
        if here and self.beside.thread not in here:
            self.beside.select_thread(next((t for t in here if t.open), here[0]).id)

    def read_replies(self, view: ThreadView) -> None:
        """Read the replies of the threads that a pane has come to show."""
        opened = self.model.opened
        if opened is None or not view.is_attached:
            return
        waiting = [thread.id for thread in view.waiting]
        group = f"replies {view.id}"
        asked = (
            self._replies_asked.get(group, set()) if self.place.reads.under_way(group) else set()
        )
        if asked.issuperset(waiting):
            return  # a second read would cancel the first, whose requests have gone
        self._replies_asked[group] = set(waiting)
        self.place.reads.load(
            group,
            lambda api: reading.read_replies(api, opened.space.id, opened.request.id, waiting),
            self.replies_came,
            what="Reading replies",
        )

    def replies_came(self, replies: dict[str, list[CommentReply]]) -> None:
        """Show the replies of threads."""
        for thread_id, read in replies.items():
            thread = self.model.threads.get(thread_id)
            if thread is not None:
                thread.replies = read
        for view in (self.beside, self.all_threads):
            view.put_replies(replies)
            self.place.call_after_refresh(self.read_replies, view)
        self.tabs.replies_came()

    # The thread under the cursor

    def current_thread(self) -> Thread | None:
        """Return the thread under the cursor: beside the text, in the list, or on the line."""
        focused = self.place.focused
        if isinstance(focused, ThreadView):
            return focused.thread
        if focused is self.tabs.happened:
            return self.tabs.thread
        if focused is not self.diff:
            return None
        here = self.on_line()
        if self.beside.thread in here:
            return self.beside.thread
        return next((thread for thread in here if thread.open), here[0] if here else None)

    def current_message(self) -> Comment | CommentReply | None:
        """Return the comment or reply under the cursor; on a line, the thread's comment."""
        focused = self.place.focused
        if isinstance(focused, ThreadView):
            return focused.message
        thread = self.current_thread()
        return None if thread is None else thread.comment

    def show_sent(self, message: Comment | CommentReply) -> None:
        """Go to a message of mine in the lists that are shown."""
        if isinstance(message, Comment):
            self.beside.select_thread(message.id)
            return
        for view in (self.beside, self.all_threads):
            if view.display:
                view.select(message.id)

    # Texts that wait to be sent

    async def read_drafts(self, space: str, request: str) -> None:
        """Find out which texts about the request wait to be sent."""
        session, prefix = self.place.session, review_key(space, request, "")
        kept = await asyncio.to_thread(session.drafts.texts)
        self.model.drafts = {
            key.removeprefix(prefix): text
            for key, text in kept.items()
            if key.startswith(prefix) and not session.writes.is_on_its_way(key, text)
        }

    async def drafts_changed(self) -> None:
        """Show the texts that wait to be sent as they are now."""
        if self.model.opened is not None:
            await self.read_drafts(*self.model.ids)
            before, self._waited = self._waited, len(self._waiting)
            if self._waited < before and not self.place.session.offline:
                self.read()  # one may have been sent that an earlier run wrote
            self.show()

    def forget_draft(self, key: str) -> None:
        """Show a draft no more, because its text has arrived."""
        self.model.drafts.pop(key.removeprefix(review_key(*self.model.ids, "")), None)
