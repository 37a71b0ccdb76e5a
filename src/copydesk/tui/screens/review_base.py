"""What a review shows, and how it gets there: reading, pages, threads, tabs.

Trees come first, then the texts of the page in front, then its threads' replies, then the next
page. Nothing here writes; the actions are in the classes that build on this one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, ClassVar

from rich.text import Text
from textual.app import ComposeResult

from copydesk.contract.models.comment import Comment, CommentReply
from copydesk.domain.text import clean, plural
from copydesk.tui import review_reading as reading
from copydesk.tui.app import style_path
from copydesk.tui.glyphs import glyphs
from copydesk.tui.merge_facts import RulesRead, read_rules
from copydesk.tui.place import Part, Place, View
from copydesk.tui.places import Target
from copydesk.tui.present import review as present
from copydesk.tui.present.comment import (
    Group,
    Thread,
    Threads,
    all_groups,
    first_words,
    page_groups,
)
from copydesk.tui.present.diff import PageText
from copydesk.tui.present.review import Changed, Entry
from copydesk.tui.review_reading import Opened
from copydesk.tui.seen import SeenPages
from copydesk.tui.trees import TreeSource
from copydesk.tui.widgets.diff_view import DiffView, Mark
from copydesk.tui.widgets.facts import Fact, Facts
from copydesk.tui.widgets.thread_view import ThreadView
from copydesk.tui.widgets.tree_list import TreeList
from copydesk.tui.widgets.virtual_list import Column, VirtualList
from copydesk.tui.widgets.wrapped_list import WrappedList

if TYPE_CHECKING:
    from copydesk.client.api import Api

REST_SECONDS = 0.12
"""How long the cursor rests on a page of the tree before it is read."""

KEPT_PAGES = 24
"""Pages whose texts are kept; the others are read again."""


class ReviewBase(Place):
    """The panes of a review and what fills them."""

    CSS_PATH: ClassVar = style_path("review")

    def __init__(self, target: Target) -> None:
        super().__init__(target)
        self.opened_request: Opened | None = None
        self.changes: list[Changed] = []
        """Changed pages and files as they stand in the tree."""
        self.rules: RulesRead | None = None
        self.threads = Threads()
        self.threads_read = False
        self.page_id: str | None = None
        self.texts: dict[str, PageText] = {}
        self.everything = False
        """Whether the tree shows unchanged pages too."""
        self.seen: SeenPages | None = None
        self._wanted_thread = target.thread
        self._following = False

    # What it is made of

    def panes(self) -> ComposeResult:
        """The tree of pages, the change of one page, and the threads on it."""
        self.tree_source: TreeSource[Entry] = TreeSource(
            key=lambda entry: entry.id,
            children=lambda entry: entry.children,
            foldable=lambda entry: bool(entry.children),
        )
        self.page_tree: TreeList[Entry] = TreeList(
            self.tree_source,
            [
                Column("title", "", present.entry_title, flex=1, minimum=14),
                Column("threads", "", self._thread_count, width=2, align="right"),
                Column("lines", "", self._line_counts, width=8, align="right", drop=1),
            ],
            title="Pages",
            empty="This change request changes nothing yet.",
            sign=self._seen_sign,
            header=False,
            id="pages",
        )
        self.diff = DiffView(id="diff")
        self.facts = Facts(title="Overview", empty="Reading…", id="overview")
        self.all_threads = ThreadView(
            title="Threads", empty="No threads yet. C starts one on a page or on the request.",
            id="all-threads",
        )
        self.beside = ThreadView(
            title="Threads", empty="No threads on this page. c comments on the line.", id="beside"
        )
        self.facts.display = self.all_threads.display = False
        yield Part("left", self.page_tree)
        yield Part("main", self.diff, self.facts, self.all_threads)
        yield Part("side", self.beside)

    def _thread_count(self, entry: Entry) -> Text:
        count = self._open_counts.get(entry.id, 0)
        return Text(str(count), style="accent") if count else Text("")

    def _line_counts(self, entry: Entry) -> Text:
        page = self.texts.get(entry.id)
        if entry.change is None or entry.change.file:
            return Text("")
        if page is None:
            return Text(glyphs().dot, style="muted")
        text = Text()
        if page.diff.added:
            text.append(f"+{page.diff.added}", style="good")
        if page.diff.removed:
            text.append(" " if text else "").append(f"-{page.diff.removed}", style="bad")
        return text

    def _seen_sign(self, entry: Entry) -> str:
        if entry.change is None or self.seen is None:
            return ""
        signs = {"seen": glyphs().passed, "changed": glyphs().changed}
        return signs.get(self.seen.state(entry.id), "")

    @property
    def _open_counts(self) -> dict[str | None, int]:
        return self.threads.open_by_page()

    # What the frame says

    def trail(self) -> Iterable[str]:
        """Organization, space, and the request with its subject."""
        yield self.session.organization_title or "no organization"
        opened = self.opened_request
        if opened is None:
            yield f"change request {clean(self.target.change_request or '')}".rstrip()
            return
        yield clean(opened.space.title)
        yield f"#{opened.request.number} {clean(opened.request.subject) or '(no subject)'}"

    def views_note(self) -> str:
        """How far the reading has come."""
        opened = self.opened_request
        if opened is None:
            return ""
        parts = [clean(opened.request.status)]
        if opened.request.outdated and opened.request.status in ("open", "draft"):
            parts[0] += f" {glyphs().outdated}"
        if self.rules is not None and self.rules.results:
            parts.append(f"rules {self.rules.passed}/{len(self.rules.results)}")
        if self.changes:
            parts.append(f"seen {self.seen_count}/{len(self.changes)}")
        return "   ".join(parts)

    def url(self) -> str | None:
        """Return the address of the thread, the page or the request in the platform."""
        opened = self.opened_request
        return None if opened is None else opened.request.urls.app

    def copies(self) -> Sequence[tuple[str, str]]:
        """Return what ``Y`` offers."""
        opened = self.opened_request
        if opened is None:
            return []
        request = opened.request
        found = [("number", f"#{request.number}"), ("subject", clean(request.subject))]
        if request.urls.app:
            link = f"[#{request.number} {clean(request.subject)}]({request.urls.app})"
            found = [("URL", request.urls.app), ("Markdown link", link), *found]
        return [*found, ("id", request.id)]

    @property
    def seen_count(self) -> int:
        """How many changed pages are marked as seen and have not changed since."""
        return 0 if self.seen is None else self.seen.count(change.id for change in self.changes)

    @property
    def numbered(self) -> str:
        """What the request is called in sentences: "#118"."""
        opened = self.opened_request
        return f"#{opened.request.number}" if opened is not None else "the change request"

    # Reading

    def opened(self) -> None:
        """Name the tabs, and begin on the changes."""
        start = self.view if self.view in ("overview", "changes", "threads") else "changes"
        self.set_views(
            [View("overview", "Overview"), View("changes", "Changes"), View("threads", "Threads")],
            start,
        )
        self.view_changed()

    def reload(self) -> None:
        """Read the request, its trees and its threads again; the cursor stays where it is."""
        space, request = self.target.space, self.target.change_request
        if space is None or request is None:
            self.diff.empty = "No change request is chosen. Open one from a list: gs goes there."
            self.diff.refresh()
            return
        self.load(
            "request",
            lambda api: self._read_request(api, space, request),
            self._request_read,
            what="Reading the change request",
            failed=self._request_failed,
        )

    async def _read_request(self, api: Api, space: str, request: str) -> Opened:
        opened = await reading.read_request(api, space, request)
        if self.seen is None:
            self.seen = SeenPages(self.session.seen, opened.request.id)
        await self.seen.read()
        return opened

    def _request_failed(self, said: str) -> None:
        if self.opened_request is None:
            self.diff.empty = said
            self.facts.empty = said
            self.diff.refresh()
            self.facts.refresh()

    def _request_read(self, opened: Opened) -> None:
        before = self.opened_request
        self.opened_request = opened
        if before is not None and before.version != opened.version:
            self.texts.clear()
        self._show_tree()
        self._read_threads()
        self._read_rules()
        self._show_overview()
        if not self.changes:
            self.diff.empty = "This change request changes nothing yet."
            self.diff.show(None, {})
            return
        known = {change.id for change in self.changes}
        page = self.page_id or self.target.page
        if page not in known:
            seen = self.seen
            unseen = (c.id for c in self.changes if seen is None or seen.state(c.id) != "seen")
            page = next(unseen, self.changes[0].id)
        self.show_page(page, keep_place=page == self.page_id)

    def _show_tree(self) -> None:
        opened = self.opened_request
        assert opened is not None
        roots = present.entries(opened.pages, opened.changes, everything=self.everything)
        self.changes = present.in_order(roots)
        here = self.page_tree.selected_id
        self.tree_source.unfolded |= {
            entry.id for entry in self._walk(roots) if entry.children
        }
        self.tree_source.set_roots(roots)
        if here is not None:
            self._following = True
            self.page_tree.reveal(here)

    @staticmethod
    def _walk(roots: Sequence[Entry]) -> Iterable[Entry]:
        waiting = list(roots)
        while waiting:
            entry = waiting.pop()
            yield entry
            waiting.extend(entry.children)

    def _read_rules(self) -> None:
        opened = self.opened_request
        assert opened is not None
        self.load(
            "rules",
            lambda api: read_rules(api, opened.request, opened.space),
            self._rules_read,
            what="Reading the merge rules",
        )

    def _rules_read(self, rules: RulesRead) -> None:
        self.rules = rules
        self._show_overview()

    def _show_overview(self) -> None:
        opened = self.opened_request
        if opened is None:
            return
        threads = (self.threads.open_count, len(self.threads)) if self.threads_read else None
        facts = present.overview(
            opened.request, opened.space, self.changes, self.rules, threads,
            (self.seen_count, len(self.changes)), self.session.clock(),
        )
        self.facts.show([Fact(label, text) for label, text in facts])

    # Pages

    @property
    def change(self) -> Changed | None:
        """The page in front."""
        return next((c for c in self.changes if c.id == self.page_id), None)

    @property
    def page_at(self) -> int:
        """Its place among the changed ones."""
        return next((at for at, c in enumerate(self.changes) if c.id == self.page_id), -1)

    def show_page(
        self,
        page: str,
        then: Callable[[], None] | None = None,
        *,
        keep_place: bool = False,
        after: float = 0.0,
    ) -> None:
        """Show a changed page; ``then`` is called once its text is there."""
        opened = self.opened_request
        change = next((c for c in self.changes if c.id == page), None)
        if opened is None or change is None:
            return
        self.page_id = page
        self._retitle()
        if self.page_tree.selected_id != page:
            self._following = True
            self.page_tree.reveal(page)
        text = self.texts.get(page)
        if text is not None:
            self.cancel_load("page")
            self._page_read(page, text, then, keep_place)
            return
        if not keep_place:
            self.diff.empty = "Reading…"
            self.diff.show(None, {})
            self._show_beside()
        self.load(
            "page",
            lambda api: self._read_page(api, opened, change),
            lambda read: self._page_read(page, read, then, keep_place),
            what=f"Reading {clean(change.node.title)}",
            failed=self._page_failed,
            after=after,
        )

    async def _read_page(self, api: Api, opened: Opened, change: Changed) -> PageText:
        text = await reading.read_page(api, opened, change)
        if self.seen is not None:
            await self.seen.compare(change.id, text.now)
        return text

    def _page_failed(self, said: str) -> None:
        self.diff.empty = said
        self.diff.refresh()

    def _page_read(
        self, page: str, text: PageText, then: Callable[[], None] | None, keep_place: bool
    ) -> None:
        self._keep(page, text)
        if page != self.page_id:
            return
        self.diff.show(text, self._marks(text), keep_place=keep_place)
        self._retitle()
        self._show_beside()
        if then is not None:
            then()
        elif self._wanted_thread is not None:
            self._go_to_wanted()
        self._follow_line()
        self._prefetch()

    def _keep(self, page: str, text: PageText) -> None:
        self.texts.pop(page, None)
        self.texts[page] = text
        while len(self.texts) > KEPT_PAGES:
            self.texts.pop(next(iter(self.texts)))
        self.page_tree.refresh_rows()

    def _prefetch(self) -> None:
        """Read the next page that will be asked for, while this one is read by a person."""
        opened = self.opened_request
        at = self.page_at
        following = self.changes[at + 1 : at + 3] if at >= 0 else []
        change = next((c for c in following if c.id not in self.texts), None)
        if opened is None or change is None:
            return
        self.load(
            "prefetch",
            lambda api: self._read_page(api, opened, change),
            lambda text: self._prefetched(change.id, text),
            what="Reading ahead",
            failed=lambda said: None,
        )

    def _prefetched(self, page: str, text: PageText) -> None:
        self._keep(page, text)
        self._prefetch()

    def _retitle(self) -> None:
        change = self.change
        if change is None:
            self.diff.title = ""
            return
        mark, _ = present.sign(change)
        self.diff.title = (
            f"{self.page_at + 1}/{len(self.changes)} {mark} {present.place_of(change)}"
        )
        self.diff.empty = "This page has no text."

    def step_page(self, by: int) -> None:
        """Go to the next or previous changed page."""
        at = self.page_at + by
        if not 0 <= at < len(self.changes):
            word = "last" if by > 0 else "first"
            self.say(f"This is the {word} changed page.", "warn")
            return
        self.show_page(self.changes[at].id)
        self.diff.focus()

    # Threads

    def _read_threads(self) -> None:
        opened = self.opened_request
        assert opened is not None
        self.load(
            "threads",
            lambda api: reading.read_threads(api, opened.space.id, opened.request.id),
            self._threads_came,
            what="Reading threads",
        )

    def _threads_came(self, comments: list[Comment]) -> None:
        self.threads.take(comments)
        self.threads_read = True
        self.show_threads()
        if self._wanted_thread is not None and self.diff.page is not None:
            self._go_to_wanted()

    def _go_to_wanted(self) -> None:
        thread = self.threads.get(self._wanted_thread)
        if thread is not None:
            self._wanted_thread = None
            self.go_to_thread(thread)

    def show_threads(self) -> None:
        """Show the threads everywhere after one of them changed."""
        text = self.texts.get(self.page_id or "")
        if text is not None and self.diff.page is text:
            self.diff.mark(self._marks(text))
        self._show_beside()
        self.all_threads.show(self._all_groups())
        self.page_tree.refresh_rows()
        self._show_overview()
        count = self.threads.open_count if self.threads_read else None
        self.set_views(
            [
                View("overview", "Overview"),
                View("changes", "Changes", len(self.changes) or None),
                View("threads", "Threads", count),
            ]
        )

    def line_of(self, thread: Thread) -> int | None:
        """Return the line of the diff that a thread is on; None elsewhere, or not known yet."""
        text = self.texts.get(thread.page or "")
        return None if text is None or thread.node is None else text.find(thread.node)

    def _marks(self, text: PageText) -> dict[int, Mark]:
        marks: dict[int, Mark] = {}
        for thread in self.threads.on_page(self.page_id):
            line = None if thread.node is None else text.find(thread.node)
            if line is not None:
                label, is_open = marks.get(line, ("", False))
                marks[line] = (label + thread.label, is_open or thread.open)
        return marks

    def _show_beside(self) -> None:
        """Fill the pane beside the text: the page as a whole, line by line, then what is gone."""
        if self.view == "overview":
            whole = [thread for thread in self.threads if thread.page is None]
            self.beside.empty = "No threads on the request as a whole. C starts one."
            self.beside.title = self._beside_title(whole, "the request")
            self.beside.show([Group("", whole)])
            return
        here = self.threads.on_page(self.page_id)
        self.beside.empty = "No threads on this page. c comments on the line."
        self.beside.title = self._beside_title(here, "this page")
        self.beside.show(page_groups(here, self.texts.get(self.page_id or "")))

    def _beside_title(self, threads: Sequence[Thread], where: str) -> str:
        if not threads:
            return "Threads"
        count = sum(thread.open for thread in threads)
        return f"{count} open of {plural(len(threads), 'thread')} on {where}"

    def _all_groups(self) -> list[Group]:
        titles = {c.id: present.place_of(c) for c in self.changes}
        if self.opened_request is not None:
            for node in self.opened_request.pages:
                titles.setdefault(node.id, clean(node.place))
        waiting = self.threads.walk([c.id for c in self.changes], self.line_of)
        return all_groups(self.threads, waiting, titles)

    def go_to_thread(self, thread: Thread) -> None:
        """Show a thread where it belongs: beside its line, its page, or the request."""
        if thread.page is None:
            self._open_view("overview")
            self.beside.select_thread(thread.id)
            self.beside.focus()
            return
        self._open_view("changes")
        if thread.page == self.page_id and thread.page in self.texts:
            self._go_to_line_of(thread)
        elif any(change.id == thread.page for change in self.changes):
            self.show_page(thread.page, lambda: self._go_to_line_of(thread))
        else:
            self._open_view("threads")
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
        rows = page.pair(line)
        return [
            thread for thread in self.threads.on_page(self.page_id) if self.line_of(thread) in rows
        ]

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
        waiting = [thread.id for thread in view.waiting]
        if opened is None or not waiting:
            return
        self.load(
            f"replies {view.id}",
            lambda api: reading.read_replies(api, opened.space.id, opened.request.id, waiting),
            self._replies_came,
            what="Reading replies",
        )

    def _replies_came(self, replies: dict[str, list[CommentReply]]) -> None:
        for thread_id, read in replies.items():
            thread = self.threads.get(thread_id)
            if thread is not None:
                thread.replies = read
        for view in (self.beside, self.all_threads):
            view.again()
            self.call_after_refresh(self._read_replies, view)

    def on_thread_view_opened(self, event: ThreadView.Opened) -> None:
        """Show what a thread is about."""
        if isinstance(event.rows, ThreadView) and event.rows.thread is not None:
            self.go_to_thread(event.rows.thread)

    # Tabs

    def view_changed(self) -> None:
        """Show another tab."""
        shown = {"overview": self.facts, "threads": self.all_threads}.get(self.view, self.diff)
        for pane in (self.diff, self.facts, self.all_threads):
            pane.display = pane is shown
        self.set_class(self.view == "threads", "-all-threads")
        self._show_beside()
        shown.focus()

    def _open_view(self, view: str) -> None:
        if self.view != view:
            self.choose_view(view)

    def step_view(self, by: int) -> None:
        """On the changes go to the next or previous page, else to the next or previous tab."""
        if self.view == "changes" and self.changes:
            self.step_page(by)
        else:
            super().step_view(by)

    def on_virtual_list_highlighted(self, event: VirtualList.Highlighted) -> None:
        """Show the page under the cursor of the tree, once it rests there."""
        if event.list is not self.page_tree:
            return
        if self._following or self.focused is not self.page_tree:
            self._following = False
            return
        entry = self.page_tree.selected_item
        if entry is not None and entry.change is not None and entry.id != self.page_id:
            self._open_view_behind("changes")
            self.show_page(entry.id, after=REST_SECONDS)

    def _open_view_behind(self, view: str) -> None:
        """Change the tab without taking the focus from the tree."""
        if self.view != view:
            self.choose_view(view)
            self.page_tree.focus()

    def on_virtual_list_opened(self, event: VirtualList.Opened) -> None:
        """Read the page that was opened in the tree; fold or unfold one that only leads there."""
        if event.list is not self.page_tree:
            return
        entry = self.page_tree.selected_item
        if entry is None:
            return
        if entry.change is None:
            self.page_tree.toggle()
            return
        self._open_view("changes")
        if entry.id != self.page_id or entry.id not in self.texts:
            self.show_page(entry.id)
        self.diff.focus()

    # The thread that an action means

    def current_thread(self) -> Thread | None:
        """Return the thread under the cursor: beside the text, in the list, or on the line."""
        if self.focused in (self.beside, self.all_threads):
            assert isinstance(self.focused, ThreadView)
            return self.focused.thread
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

    def describe(self, message: Comment | CommentReply) -> str:
        """Return what a message is called in the log."""
        return f"{self.numbered} “{first_words(message, 40)}”"
