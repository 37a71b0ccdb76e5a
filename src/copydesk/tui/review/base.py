"""What a review shows, and how the request and its trees are read.

Trees come first, then the texts of the page in front, then its threads' replies, then the next
page. The classes that build on this one add the pages, the threads beside them, and the actions.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar, cast

from rich.text import Text
from textual.app import ComposeResult

from copydesk.domain.address import markdown_link, web_address
from copydesk.domain.page_text import PageText
from copydesk.domain.text import clean
from copydesk.present import page_changes as tree
from copydesk.present.facts import Fact
from copydesk.present.page_changes import Entry
from copydesk.present.review import overview
from copydesk.present.threads import Threads
from copydesk.session.change_rows import ChangeRow
from copydesk.session.glyphs import glyphs
from copydesk.session.page_changes import Changed
from copydesk.session.readiness import Readiness, readiness
from copydesk.session.reads import review as reading
from copydesk.session.reads.merge import RulesRead, read_rules
from copydesk.session.reads.review import Opened
from copydesk.session.seen_pages import SeenPages
from copydesk.session.target import Target
from copydesk.tui.framework.frame import NOTE_GAP
from copydesk.tui.framework.pane import Pane
from copydesk.tui.framework.place import Part, Place
from copydesk.tui.framework.styles import style_path
from copydesk.tui.framework.trees import TreeSource
from copydesk.tui.review.diff import DiffView
from copydesk.tui.review.listed_request import listed, listed_facts
from copydesk.tui.review.news import NewsCommands
from copydesk.tui.review.tabs import RequestTabs
from copydesk.tui.threads.pane import ThreadView
from copydesk.tui.widgets.columns import by_content
from copydesk.tui.widgets.facts import Facts
from copydesk.tui.widgets.list import Column
from copydesk.tui.widgets.tree import TreeList

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.contract.models.change_request import ChangeRequest
    from copydesk.tui.review.screen import Review


class ReviewBase(Place):
    """The panes of a review, and the request they are about."""

    CSS_PATH: ClassVar = style_path("review")

    def __init__(self, target: Target) -> None:
        super().__init__(target)
        review = cast("Review", self)
        self.request_tabs = RequestTabs(review)
        self.news = self.commands_of(NewsCommands)
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
        self.name_tabs()
        self.view_changed()

    def name_tabs(self) -> None:
        """Name the tabs, with what they hold."""

    def reload(self) -> None:
        """Read the request, its trees and its threads again; the cursor stays where it is."""
        space, request = self.target.space, self.target.change_request
        if space is None or request is None:
            for pane in (self.diff, self.facts, self.all_threads, self.beside):
                pane.empty = "No change request is chosen. Open one from a list: gs goes there."
                pane.refresh()
            return
        self.load(
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
        kept = await asyncio.to_thread(self.session.drafts.kept)
        self.drafts = {
            key.removeprefix(prefix): text
            for key, text in kept.items()
            if key.startswith(prefix) and not self.session.is_on_its_way(key, text)
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

        self.load("poll", read, arrived, what="Reading again")
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
        self.session.sleepers.look(opened.request.id, self.session.now)

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

        self.load(
            "cluster", lambda api: read_label(api, organization, cluster), arrived,
            what="Reading the cluster",
        )  # fmt: skip

    def request_came(self) -> None:
        """Go on once the request has been read; what builds on this class shows its pages."""

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
        self.load(
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
