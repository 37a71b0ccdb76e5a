"""One change request, reviewed page by page."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar

from rich.text import Text
from textual import events
from textual.app import ComposeResult

from copydesk.contract.models.comment import Comment, CommentReply
from copydesk.domain.address import markdown_link, web_address
from copydesk.domain.page_text import PageText
from copydesk.domain.text import clean
from copydesk.present import page_changes as tree
from copydesk.present.facts import Fact
from copydesk.present.json_views import Raw, message_raw, request_raw
from copydesk.present.page_changes import Entry, page_signs
from copydesk.present.review import overview
from copydesk.present.threads import (
    Thread,
    Threads,
)
from copydesk.session.change_rows import ChangeRow
from copydesk.session.content import Content
from copydesk.session.glyphs import glyphs
from copydesk.session.page_changes import Changed
from copydesk.session.readiness import Readiness, readiness
from copydesk.session.reads import review as reading
from copydesk.session.reads.merge import RulesRead, read_rules
from copydesk.session.reads.review import Opened
from copydesk.session.seen_pages import SeenPages
from copydesk.session.target import Target, Visit
from copydesk.tui.content.commands import ContentCommands, PageCommands
from copydesk.tui.framework.frame import NOTE_GAP
from copydesk.tui.framework.navigation import place
from copydesk.tui.framework.pane import Pane
from copydesk.tui.framework.place import Part, Place, View
from copydesk.tui.framework.styles import style_path
from copydesk.tui.framework.trees import TreeSource
from copydesk.tui.review.commands import RequestCommands
from copydesk.tui.review.diff import DiffView
from copydesk.tui.review.discussion import Discussion
from copydesk.tui.review.drafts import DraftCommands
from copydesk.tui.review.guards import may_not_comment, no_line
from copydesk.tui.review.impact_tab import ImpactCommands
from copydesk.tui.review.listed_request import listed, listed_facts
from copydesk.tui.review.news import NewsCommands
from copydesk.tui.review.pages import REST_SECONDS, PageReader
from copydesk.tui.review.tabs import RequestTabs
from copydesk.tui.review.threads import WalkCommands
from copydesk.tui.threads.commands import MessageCommands, ThreadCommands, draft_key
from copydesk.tui.threads.pane import ThreadView
from copydesk.tui.widgets.columns import by_content
from copydesk.tui.widgets.facts import Facts
from copydesk.tui.widgets.list import Column, VirtualList
from copydesk.tui.widgets.tree import TreeList
from copydesk.tui.widgets.wrapped_list import WrappedList

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.contract.models.change_request import ChangeRequest


@place(
    "review",
    title="Review",
    uses=(
        "get_change_request",
        "get_change_request_changes",
        "get_revision",
        "get_revision_page",
        "list_change_request_pages",
        "list_change_request_comments",
        "list_space_page_backlinks",
        "list_change_request_page_links",
    ),
)
class Review(Place):
    """The changed pages of a request, the lines of one of them, and the threads on it."""

    COMMAND_CLASSES = (
        PageReader,
        ImpactCommands,
        ContentCommands,
        PageCommands,
        RequestCommands,
        DraftCommands,
        NewsCommands,
        WalkCommands,
        ThreadCommands,
        MessageCommands,
    )

    RAW = (
        "get_change_request",
        "get_change_request_comment",
        "get_change_request_comment_reply",
    )
    CSS_PATH: ClassVar = style_path("review")

    def __init__(self, target: Target) -> None:
        super().__init__(target)
        self.request_tabs = RequestTabs(self)
        self.news = self.commands_of(NewsCommands)
        self.reader = self.commands_of(PageReader)
        self.discussion = Discussion(self)
        self.opened_request: Opened | None = None
        self.listed: ChangeRow | None = None
        """What a list says of the request, once that could not be read itself."""
        self.changes: list[Changed] = []
        """Changed pages and files as they stand in the tree."""
        self.rules: RulesRead | None = None
        self.threads = Threads()
        self.threads_read = False
        self.open_counts: dict[str | None, int] = {}
        """Open threads by page; counted when they change, not when they are drawn."""
        self.behind = False
        """Whether others changed the request since it was read."""
        self.merged_since = False
        """Whether they merged it."""
        self.cluster = ""
        """What the cluster is called that the request answers, once that is read."""
        self.page_id: str | None = None
        self.texts: dict[str, PageText] = {}
        self.everything = False
        """Whether the tree shows unchanged pages too."""
        self.seen: SeenPages | None = None
        self.following = False
        """Whether the cursor of the tree was moved by the page, and not by the reader."""
        self.drafts: dict[str, str] = {}
        """What was written about this request and not sent, by key."""

    def panes(self) -> ComposeResult:
        """The tree of pages, the change of one page, and the threads on it."""
        self.tree_source: TreeSource[Entry] = TreeSource(
            key=lambda entry: entry.id,
            children=lambda entry: entry.children,
            foldable=lambda entry: bool(entry.children),
        )
        self.page_tree: TreeList[Entry] = TreeList(
            self.tree_source,
            self._tree_columns(),
            indent=1,
            title="Pages",
            empty="Reading…",
            sign=self._seen_sign,
            header=False,
            id="pages",
        )
        self.diff = DiffView(id="diff")
        self.facts = Facts(title="Overview", empty="Reading…", id="overview")
        self.facts.leads = "Request"
        self.all_threads = ThreadView(title="Threads", empty="Reading…", id="all-threads")
        self.beside = ThreadView(title="Threads", empty="Reading…", id="beside")
        self.tabs: dict[str, Pane] = {
            "overview": self.facts,
            "threads": self.all_threads,
            **self.request_tabs.panes(),
        }
        for pane in self.tabs.values():
            pane.display = False
        yield Part("left", self.page_tree)
        yield Part("main", self.diff, *self.tabs.values())
        yield Part("side", self.beside)

    def _tree_columns(self) -> list[Column[Entry]]:
        """Return the columns of the tree: the counts take what they need, the names the rest."""
        entries = [each for each in self._walk(self.tree_source.roots) if each.change is not None]
        threads: Column[Entry] = Column("threads", "", self._thread_count, 1, align="right")
        lines: Column[Entry] = Column("lines", "", self._line_counts, 1, align="right", drop=1)
        return [
            Column("title", "", tree.entry_title, flex=1, minimum=14),
            by_content(threads, entries, most=3),
            by_content(lines, entries, most=10),
        ]

    def fit_tree(self) -> None:
        """Draw the tree again: what is counted in it is another number now."""
        self.page_tree.show_columns(self._tree_columns())
        self.page_tree.refresh_rows()

    def _thread_count(self, entry: Entry) -> Text:
        count = self.open_counts.get(entry.id, 0)
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
        if page.diff.moves and not text:
            text.append("--", style="moved")
        return text

    def _seen_sign(self, entry: Entry) -> str:
        if entry.change is None or self.seen is None:
            return ""
        signs = {"seen": glyphs().passed, "changed": glyphs().changed}
        return signs.get(self.seen.state(entry.id), "")

    def trail(self) -> Iterable[str]:
        """Organization, space, and the request with its subject."""
        yield self.session.organization_title or "no organization"
        opened = self.opened_request
        if opened is None:
            listed = self.listed
            yield f"change request{glyphs().more}" if listed is None else listed.named
            return
        yield clean(opened.space.title)
        yield f"#{opened.request.number} {clean(opened.request.subject) or '(no subject)'}"

    def views_note(self) -> str:
        """How far the reading has come."""
        opened = self.opened_request
        if opened is None:
            return ""
        if self.behind:
            what = "merged" if self.merged_since else "changed"
            return f"{what} by others: R reads it"
        ready = self.readiness
        parts = [clean(opened.request.status) if ready is None else ready.word]
        if opened.request.outdated and opened.request.status in ("open", "draft"):
            parts[0] += f" {glyphs().outdated}"
        if self.changes:
            parts.append(f"seen {self.seen_count}/{len(self.changes)}")
        return NOTE_GAP.join(parts)

    def url(self) -> str | None:
        """Return the address of the thread, the page or the request in the platform."""
        opened = self.opened_request
        return None if opened is None else web_address(opened.request.urls.app) or None

    def copies(self) -> Sequence[tuple[str, str]]:
        """Return what ``Y`` offers."""
        opened = self.opened_request
        if opened is None:
            return []
        request = opened.request
        found = [("number", f"#{request.number}"), ("subject", clean(request.subject))]
        if url := web_address(request.urls.app):
            link = markdown_link(f"#{request.number} {clean(request.subject)}", url)
            found = [("URL", url), ("Markdown link", link), *found]
        return [*found, ("id", request.id)]

    @property
    def seen_count(self) -> int:
        """How many changed pages are marked as seen and have not changed since."""
        return 0 if self.seen is None else self.seen.count(change.id for change in self.changes)

    @property
    def readiness(self) -> Readiness | None:
        """Whether the request can be merged; None while its rules are not read."""
        opened, rules = self.opened_request, self.rules
        if opened is None or rules is None:
            return None
        request = opened.request
        return readiness(
            request.status,
            rules.results,
            outdated=request.outdated,
            stuck=(request.id, *opened.version) in self.session.stuck,
            against=rules.against,
            losing=opened.losses,
            unlooked=opened.unlooked,
            both_sides=rules.both_sides,
            empty=not opened.changes and not opened.unlooked,
            keys=not self.session.read_only,
        )

    @property
    def numbered(self) -> str:
        """What the request is called in sentences: "#118"."""
        opened = self.opened_request
        return f"#{opened.request.number}" if opened is not None else "the change request"

    def opened(self) -> None:
        """Name the tabs, and begin on the changes."""
        self.view = self.view if self.view in self.tabs else "changes"
        for view in (self.beside, self.all_threads):
            view.fresh = self.discussion.fresh
        self.name_tabs()
        self.view_changed()

    def reload(self) -> None:
        """Read the request, its trees and its threads again; the cursor stays where it is."""
        space, request = self.target.space, self.target.change_request
        if space is None or request is None:
            for pane in (self.diff, self.facts, self.all_threads, self.beside):
                pane.empty = "No change request is chosen. Open one from a list: gs goes there."
                pane.refresh()
            return
        self.reads.load(
            "request",
            lambda api: self._read_request(api, space, request),
            self._request_read,
            what="Reading the change request",
            failed=self.request_failed,
        )

    async def _read_request(self, api: Api, space: str, request: str) -> Opened:
        opened = await reading.read_request(api, space, request)
        if self.seen is None:
            self.seen = SeenPages(self.session.seen, opened.request.id)
        await self.seen.read()
        await self.read_drafts(opened)
        return opened

    async def read_drafts(self, opened: Opened) -> None:
        """Find out which texts about this request wait to be sent."""
        prefix = f"{opened.space.id}/{opened.request.id}/"
        kept = await asyncio.to_thread(self.session.drafts.texts)
        self.drafts = {
            key.removeprefix(prefix): text
            for key, text in kept.items()
            if key.startswith(prefix) and not self.session.writes.is_on_its_way(key, text)
        }

    def poll(self) -> None:
        """Ask what others did: their verdicts and a status are shown at once, as they move nothing.

        What they edited waits for R. This takes a request for itself, and one each for the
        reviews, for who was asked and, where the rules are those of the organization, for these.
        """
        opened = self.opened_request
        if opened is None:  # whatever kept it from being read
            self.reload()
            return

        async def read(api: Api) -> tuple[ChangeRequest, RulesRead]:
            from copydesk.contract import operations as ops

            now = await api(ops.get_change_request, opened.space.id, opened.request.id)
            # What both sides wrote is the same until R reads it.
            compare = self.rules is None
            return now, await read_rules(api, now, opened.space, compare=compare)

        def arrived(found: tuple[ChangeRequest, RulesRead]) -> None:
            now, rules = found
            if self.opened_request is opened:
                before = opened.request
                self.merged_since = now.status == "merged" != before.status
                self.behind = self.merged_since or (now.revision, now.outdated) != (
                    before.revision, before.outdated,
                )  # fmt: skip
                if not self.behind:
                    if self.rules is not None:
                        rules = replace(rules, both_sides=self.rules.both_sides)
                    self._take_in(replace(opened, request=now), rules)
                self.news.polled(now)

        self.reads.load("poll", read, arrived, what="Reading again")
        self.news.poll()

    def _take_in(self, opened: Opened, rules: RulesRead) -> None:
        """Show what is not about its text as it is now; its pages are the same."""
        if opened != self.opened_request or rules != self.rules:
            self.opened_request = opened
            self._rules_read(rules)
            self.refresh_frame()

    def request_failed(self, said: str) -> None:
        """Say why the request is not there, unless it was read before."""
        if self.opened_request is None:
            for pane in (self.diff, self.facts, self.all_threads):
                pane.empty = said
                pane.refresh_rows()
            self.listed = listed(self)
            if self.listed is not None:
                self.facts.show([*listed_facts(self.listed, said, self.session.now)])
            self.page_tree.empty = self.beside.empty = "Not read."
            self.page_tree.refresh_rows()
            self.beside.refresh_rows()
            self.request_tabs.failed(said)
            if self.resuming:
                self.resuming = ""
                self.desk.soon(self._back_to_drafts, said)

    async def _back_to_drafts(self, said: str) -> None:
        """Stay with the drafts: what the one is about can neither be read nor is kept."""
        await self.desk.go("drafts")
        if (here := self.desk.here) is not None:
            here.say(f"The draft stays here: what it is about cannot be read. {said}", "warn")

    def _request_read(self, opened: Opened) -> None:
        before = self.opened_request
        if before is not None and opened.merged and not opened.changes:
            # What it changed was read before it was merged; not every service tells it after.
            opened = replace(opened, changes=before.changes)
        self.opened_request = opened
        if before is None and self.seen is not None and self.seen.trouble:
            self.say(f"Without marks of what was seen: {self.seen.trouble}.", "warn")
        self.behind = False
        if before is not None and before.version != opened.version:
            self.texts.clear()
        self._show_tree()
        self.read_rules()
        self._read_cluster()
        self.show_overview()
        self.request_came()
        self.session.snoozed.look(opened.request.id, self.session.now)

    def _read_cluster(self) -> None:
        """Read what the cluster is called that the request answers."""
        from copydesk.session.reads.clusters import read_label

        opened = self.opened_request
        cluster = opened.request.conversations_issues_cluster if opened else None
        if opened is None or cluster is None:
            return
        organization = opened.space.organization or self.session.organization or ""

        def arrived(label: str) -> None:
            self.cluster = label
            self.show_overview()

        self.reads.load(
            "cluster", lambda api: read_label(api, organization, cluster), arrived,
            what="Reading the cluster",
        )  # fmt: skip

    @property
    def no_changes(self) -> str:
        """What stands where changed pages would."""
        opened = self.opened_request
        if opened is not None and opened.merged:
            return "Merged. The service does not tell which pages it changed; t lists all pages."
        return "This change request changes nothing yet."

    def _show_tree(self) -> None:
        opened = self.opened_request
        assert opened is not None
        self.page_tree.empty = self.no_changes
        roots = tree.entries(opened.pages, opened.changes, everything=self.everything)
        self.changes = tree.in_order(roots)
        here = self.page_tree.selected_id
        self.tree_source.unfolded |= {entry.id for entry in self._walk(roots) if entry.children}
        self.tree_source.set_roots(roots)
        self.fit_tree()
        if here is not None:
            self.reveal(here)

    def reveal(self, entry: str) -> None:
        """Put the cursor of the tree on an entry, without going there."""
        self.following = True
        self.page_tree.reveal(entry)

    @staticmethod
    def _walk(roots: Sequence[Entry]) -> Iterable[Entry]:
        waiting = list(roots)
        while waiting:
            entry = waiting.pop()
            yield entry
            waiting.extend(entry.children)

    def read_rules(self) -> None:
        """Read the merge rules, and who was asked for a review, again."""
        opened = self.opened_request
        assert opened is not None
        self.reads.load(
            "rules",
            lambda api: read_rules(api, opened.request, opened.space),
            self._rules_read,
            what="Reading the merge rules",
            failed=self.request_tabs.rules_failed,
        )

    def _rules_read(self, rules: RulesRead) -> None:
        self.rules = rules
        self.show_overview()
        self.name_tabs()

    def show_overview(self) -> None:
        """Bring the first tab up to date."""
        opened = self.opened_request
        if opened is None:
            return
        threads = (self.threads.open_count, self.threads.count) if self.threads_read else None
        facts = overview(
            opened.request,
            opened.space,
            self.changes,
            self.rules,
            threads,
            (self.seen_count, len(self.changes)),
            self.session.now,
            self.readiness,
            self.request_tabs.impact_said,
            self.cluster,
        )
        self.facts.show([Fact(label, text) for label, text in facts], about=opened.request.id)
        self.request_tabs.show()

    # Pages, threads and tabs

    def request_came(self) -> None:
        """Read the threads, and show the page that was in front, or the first that was not seen."""
        asked = self.page_id or self.begins_at or self.target.page or self.target.thread
        self.discussion.read()
        self._show_first_page()
        self.news.compare_seen(unasked=not asked)

    def _show_first_page(self) -> None:
        """Show the page that was in front, or the first that was not seen."""
        if not self.changes:
            self.diff.empty = self.no_changes
            self.diff.show(None, {})
            return
        known = {change.id for change in self.changes}
        page = self.page_id or self.begins_at or self.target.page
        if page not in known and page is not None:
            # An address names a page by its path.
            path = page.strip("/")
            page = next((c.id for c in self.changes if c.node.path == path), page)
        if page not in known:
            seen = self.seen
            unseen = (c.id for c in self.changes if seen is None or seen.state(c.id) != "seen")
            page = next(unseen, self.changes[0].id)
        self.reader.show_page(page, keep_place=page == self.page_id)

    def page_came(self) -> None:
        """Go on once a page is shown."""
        self.discussion.page_came()
        self.news.begin()
        self.commands_of(DraftCommands).go_on()

    def text_kept(self) -> None:
        """Number the threads of a page by its lines, once those are known.

        Not in the list of all threads: there nothing changes its name before one's eyes.
        """
        if self.view != "threads":
            self.discussion.renumber()

    def on_wrapped_list_moved(self, event: WrappedList.Moved) -> None:
        """Count the changes as the cursor comes to them, and show the thread on its line."""
        if event.rows is self.diff:
            self.reader.retitle()
            self.discussion.follow_line()
        self.frame_soon()

    def view_changed(self) -> None:
        """Show another tab."""
        self.discussion.renumber()
        shown = self.tabs.get(self.view, self.diff)
        for pane in (self.diff, *self.tabs.values()):
            pane.display = pane is shown
        self.set_class(self.view not in ("changes", "overview"), "-all-threads")
        self.discussion.show_beside()
        shown.focus()
        if shown is self.diff:
            self.call_after_refresh(self.reader.retitle)  # only now it is known how wide it is
        self.discussion.put_in_order()
        self.request_tabs.turned_to()

    def show_threads(self, *, same: bool = False) -> None:
        """Show the threads everywhere; ``same`` when none came or went, only one changed."""
        self.discussion.show(same=same)

    def visit(self) -> Visit | None:
        """Return what it shows now, with its page."""
        visit = super().visit()
        return None if visit is None else replace(visit, cursor=self.page_id or "")

    def start_at(self, id: str) -> None:
        """Begin with a page; it is known to `request_came`."""

    @property
    def change(self) -> Changed | None:
        """The page in front."""
        return next((c for c in self.changes if c.id == self.page_id), None)

    @property
    def page_at(self) -> int:
        """Its place among the changed ones."""
        return next((at for at, c in enumerate(self.changes) if c.id == self.page_id), -1)

    def on_resize(self, event: events.Resize) -> None:
        """Give two texts side by side the room they need, or take it back."""
        self.reader.make_room(event.size.width)

    def open_view(self, view: str) -> None:
        """Go to a tab, unless it is the one in front."""
        if self.view != view:
            self.choose_view(view)

    def step_view(self, by: int) -> None:
        """On the changes go to the next or previous page, else to the next or previous tab."""
        if self.view == "changes" and self.changes:
            self.reader.step_page(by)
        else:
            super().step_view(by)

    def on_virtual_list_highlighted(self, event: VirtualList.Highlighted) -> None:
        """Show the page under the cursor of the tree, once it rests there."""
        if event.list is self.request_tabs.happened:
            self.request_tabs.read_answers()
        if event.list is not self.page_tree:
            return
        if self.following or self.focused is not self.page_tree:
            self.following = False
            return
        entry = self.page_tree.selected_item
        if entry is not None and entry.change is not None and entry.id != self.page_id:
            self._open_view_behind("changes")
            self.reader.show_page(entry.id, after=REST_SECONDS)

    def _open_view_behind(self, view: str) -> None:
        """Change the tab without taking the focus from the tree."""
        if self.view != view:
            self.choose_view(view)
            self.page_tree.focus()

    def on_virtual_list_opened(self, event: VirtualList.Opened) -> None:
        """Read the page that was opened in the tree; fold or unfold one that only leads there."""
        if event.list is self.request_tabs.happened:
            self.request_tabs.open_row()
        if event.list is not self.page_tree:
            return
        entry = self.page_tree.selected_item
        if entry is None:
            return
        if entry.change is None:
            self.page_tree.toggle()
            return
        self.open_view("changes")
        if entry.id != self.page_id or entry.id not in self.texts:
            self.reader.show_page(entry.id)
        self.diff.focus()

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

    def on_wrapped_list_seen(self, event: WrappedList.Seen) -> None:
        """Read the replies of threads that have come into view."""
        if isinstance(event.rows, ThreadView):
            self.discussion.read_replies(event.rows)

    def on_thread_view_opened(self, event: ThreadView.Opened) -> None:
        """Show what a thread is about."""
        if isinstance(event.rows, ThreadView) and event.rows.thread is not None:
            self.discussion.go_to(event.rows.thread)

    def current_thread(self) -> Thread | None:
        """Return the thread under the cursor: beside the text, in the list, or on the line."""
        if self.focused in (self.beside, self.all_threads):
            assert isinstance(self.focused, ThreadView)
            return self.focused.thread
        if self.focused is self.request_tabs.happened:
            return self.request_tabs.thread
        if self.focused is not self.diff:
            return None
        here = self.discussion.on_line()
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
            self.discussion.show()

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
        self.discussion.show()

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

    def content(self) -> Content | None:
        """Return the request, and the page in front."""
        opened, change = self.opened_request, self.change
        if opened is None:
            return None
        permissions, title = opened.space.permissions, clean(opened.space.title)
        may = permissions is None or permissions.edit
        on_page = change is not None and not change.file
        return Content(
            opened.space.id,
            title,
            opened.request.id,
            numbered=self.numbered,
            page=change.id if change is not None and on_page else "",
            page_title=clean(change.node.title) if change is not None and on_page else "",
            refused="" if may else f"Editing {title} takes the role editor in it.",
        )

    def turned(self, results: Sequence[Any]) -> None:
        """Read again what a write taken back was about, and which pages are marked."""
        self.news.forget_versions()
        super().turned(results)

    def status_left(self) -> str:
        """Say what others did, or what the signs mean."""
        said = [] if self.news.waiting is None else [self.news.waiting.sentence]
        if self.behind:
            said.append(f"{self.numbered} changed")
        if said:
            return f"{', '.join(said)} (press . to fold them in)"
        if self.pane is self.page_tree:
            return "   ".join(f"{sign} {means}" for sign, means in page_signs())
        if self.discussion.fresh and self.pane in (self.beside, self.all_threads):
            return f"{glyphs().changed} new since you opened this"
        return ""

    def signs(self) -> Sequence[tuple[str, str]]:
        """Return the signs beside pages, threads and rows, and what they mean."""
        return [
            *page_signs(),
            (glyphs().outdated, "out of date with main"),
            ("[1] [2]", "threads, numbered in the order in which } visits them"),
            ("[-x-]", "words that are gone"),
            ("{+x+}", "words that are new"),
            (f"-- {glyphs().right}", "blocks that stand elsewhere now: from where, and where to"),
            (glyphs().gap, "unchanged blocks, folded: z unfolds them"),
        ]

    def page_titles(self) -> list[str]:
        """Return the titles of the changed pages, for completion."""
        return [clean(change.node.title) for change in self.changes]
