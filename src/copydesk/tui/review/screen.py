"""One change request, reviewed page by page."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar

from textual import events
from textual.app import ComposeResult

from copydesk.contract.models.comment import Comment, CommentReply
from copydesk.domain.address import markdown_link, web_address
from copydesk.domain.picture import Shown
from copydesk.domain.staged_files import is_picture
from copydesk.domain.text import clean, shown_subject
from copydesk.present.markdown import inline
from copydesk.present.page_changes import page_signs, place_of
from copydesk.present.raw_json import Raw, message_raw, request_raw
from copydesk.present.review import REVERTS
from copydesk.present.threads import (
    Thread,
    Threads,
)
from copydesk.session.content import ContentOwner
from copydesk.session.glyphs import glyphs
from copydesk.session.marks import SeenPages
from copydesk.session.merge_revert import waits_to_be_settled
from copydesk.session.operations import ops
from copydesk.session.page_changes import FILE
from copydesk.session.reads import review as reading
from copydesk.session.reads.merge import RulesRead, read_rules
from copydesk.session.reads.review import OpenedRequest
from copydesk.session.target import Target, Visit
from copydesk.tui.content.commands import ContentCommands, PageCommands
from copydesk.tui.dialogs.pictures import PictureKeys, Pictures, PictureSides, sides_of
from copydesk.tui.framework.desk_app import begin
from copydesk.tui.framework.frame import NOTE_GAP
from copydesk.tui.framework.navigation import NO_REQUEST, place
from copydesk.tui.framework.pane import Pane
from copydesk.tui.framework.place import Part, Place, style_path
from copydesk.tui.review.checks import CheckCommands
from copydesk.tui.review.commands import (
    DraftCommands,
    ImpactCommands,
    RequestCommands,
    WalkCommands,
)
from copydesk.tui.review.diff import DiffView, texts_here
from copydesk.tui.review.discussion import Discussion
from copydesk.tui.review.edits import PageEditCommands, ReviewPageTree, merge_is_meant
from copydesk.tui.review.guards import may_not_comment, no_line
from copydesk.tui.review.model import ReviewModel
from copydesk.tui.review.news import NewsCommands
from copydesk.tui.review.pages import REST_SECONDS, PageReader
from copydesk.tui.review.suggestions import SuggestCommands
from copydesk.tui.review.tabs import RequestTabs
from copydesk.tui.threads.commands import MessageCommands, ThreadCommands
from copydesk.tui.threads.pane import ThreadView
from copydesk.tui.widgets.list import VirtualList
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
        "get_site_finding",
        "list_change_request_contributors",
    ),
)
class ReviewPlace(Place):
    """The changed pages of a change request, the lines of one of them, and the threads on it."""

    COMMAND_CLASSES = (
        PageReader,
        PageEditCommands,
        ImpactCommands,
        ContentCommands,
        PageCommands,
        RequestCommands,
        SuggestCommands,
        CheckCommands,
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
        self.model = ReviewModel()
        self.page_tree = ReviewPageTree(self.model)
        self.diff = DiffView(id="diff")
        self.reader = self.commands_of(PageReader)
        self.request_tabs = RequestTabs(
            self,
            self.model,
            go_to=lambda thread: self.discussion.go_to(thread),
            take_replies=lambda replies: self.discussion.replies_came(replies),
        )
        self.discussion = Discussion(
            self,
            self.model,
            self.page_tree,
            self.diff,
            self.request_tabs,
            show_page=self.reader.show_page,
            came=self._go_on,
        )
        self.news = self.commands_of(NewsCommands)
        self.reader.came = self._page_came
        self.diff.goes_on, self.diff.enters = self.reader.go_on, self.reader.come_to
        self.diff.finds_on = self.reader.find_on
        self.editing = self.commands_of(PageEditCommands)
        self.editing.shows = lambda page: self.reader.show_page(page, keep_place=True)
        self.editing.takes = self._take_mine
        self.page_tree.first = (self.editing.on_page,)
        self.pictures = Pictures(self, self.diff.changed, lambda: self.model.staged, reviewed=True)
        self.diff.beside.wants_authors = self.reader.read_authors
        self.diff.pictures, self.diff.of_file = self.pictures, self._pictures_of_file
        keys = PictureKeys(self, self.diff, self._pictures, self.pictures)
        self.diff.first = (self.editing.on_page, *self.diff.first, keys)
        marking = (self.commands_of(SuggestCommands).marking,)
        self.discussion.beside.first = self.discussion.all_threads.first = marking
        checks = self.commands_of(CheckCommands)
        self.diff.findings.of, self.diff.findings.keys = checks.said_of, (checks.on_finding,)
        self.editing.takes_back = self.commands_of(RequestCommands).take_back
        self.reader.look_again = self.news.look_again
        self.commands_of(ThreadCommands).where = self._thread_is_on
        tabs = self.request_tabs
        self.tabs: dict[str, Pane] = {
            "overview": tabs.overview,
            "threads": self.discussion.all_threads,
            "rules": tabs.rules_pane,
            "activity": tabs.happened,
        }

    def _pictures(self) -> list[PictureSides]:
        """Return the pictures of the row under the cursor, or the changed file in front."""
        change = self.model.find(self.model.page_id)
        if change is not None and change.file:
            return self._pictures_of_file()
        return sides_of(texts_here(self.diff))

    def _pictures_of_file(self) -> list[PictureSides]:
        """Return the changed file in front as the picture that it is; nothing for any other."""
        change = self.model.find(self.model.page_id)
        if change is None or not change.file or not is_picture(change.node.title):
            return []
        shown = Shown(f"/files/{change.id.removeprefix(FILE)}", "")
        was = None if change.before is None else shown
        now = None if change.after is None else shown
        return [PictureSides(was, now, change.node.title)]

    def panes(self) -> ComposeResult:
        for pane in self.tabs.values():
            pane.display = False
        yield Part("left", self.page_tree)
        yield Part("main", self.diff, *self.tabs.values())
        yield Part("side", self.discussion.beside)

    def trail(self) -> Iterable[str]:
        opened = self.model.opened
        if opened is None:
            listed = self.model.listed
            yield f"change request{glyphs().more}" if listed is None else listed.named
            return
        yield clean(opened.space.title)
        yield f"#{opened.request.number} {shown_subject(opened.request.subject)}"

    def views_note(self) -> str:
        """How far the reading has come."""
        opened = self.model.opened
        if opened is None:
            return ""
        if self.model.behind:
            # A merge may be one's own, from another screen.
            what = "merged meanwhile" if self.model.merged_since else "changed by others"
            return f"{what}: R reads it"
        ready = self.request_tabs.readiness
        parts = [clean(opened.request.status) if ready is None else ready.word]
        if opened.request.outdated and opened.request.status in ("open", "draft"):
            parts[0] += f" {glyphs().outdated}"
        merged = opened.request.status == "merged" and not self.session.read_only
        if merged and not merge_is_meant(self):
            parts.insert(0, REVERTS)
        if self.model.edits:
            parts.append(f"STAGED {len(self.model.edits)}")
        if self.model.changes:
            parts.append(f"read {self.model.seen_count}/{len(self.model.changes)}")
        return NOTE_GAP.join(parts)

    def url(self) -> str | None:
        opened = self.model.opened
        return None if opened is None else web_address(opened.request.urls.app) or None

    def copies(self) -> Sequence[tuple[str, str]]:
        opened = self.model.opened
        if opened is None:
            return []
        request = opened.request
        found = [("number", f"#{request.number}"), ("subject", clean(request.subject))]
        if url := web_address(request.urls.app):
            link = markdown_link(f"#{request.number} {clean(request.subject)}", url)
            found = [("address", url), ("markdown link", link), *found]
        return [*found, ("id", request.id)]

    def _thread_is_on(self, thread: Thread) -> str:
        about = self.model.find(thread.page)
        if about is not None:
            return place_of(about)
        return self.model.numbered if thread.page is None else f"a page of {self.model.numbered}"

    def opened(self) -> None:
        """Name the tabs, and begin on the changes."""
        self.view = self.view if self.view in self.tabs else "changes"
        self.request_tabs.name()
        self.view_changed()

    def reload(self) -> None:
        """Read the request, its trees and its threads again; the cursor stays where it is."""
        space, request = self.target.space, self.target.change_request
        if space is None or request is None:
            threads = self.discussion
            for pane in (
                self.diff, self.request_tabs.overview, threads.all_threads, threads.beside,
            ):  # fmt: skip
                pane.empty = NO_REQUEST
                pane.refresh()
            self.page_tree.say_instead("No pages.")
            return
        self.reads.load(
            "request",
            lambda api: self._read_request(api, space, request),
            self._request_read,
            what="Reading the change request",
            failed=self._request_failed,
        )

    async def _read_request(self, api: Api, space: str, request: str) -> OpenedRequest:
        opened = await reading.read_request(api, space, request)
        if self.model.seen is None:
            self.model.seen = SeenPages(self.session.seen, opened.request.id)
        await self.model.seen.read()
        await self.discussion.read_drafts(opened.space.id, opened.request.id)
        await self.editing.read(opened.space.id, opened.request.id)
        self.model.unsettled = await waits_to_be_settled(self.session, opened.request)
        return opened

    async def _take_mine(self, page: str) -> None:
        text = self.model.texts.get(page)
        if text is not None:
            await self.reader.take_mine(page, text)

    def poll(self) -> None:
        """Ask what others did: their verdicts and a status are shown at once, as they move nothing.

        What they edited waits for R. This takes a request for itself, and one each for the
        reviews, for who was asked and, where the rules are those of the organization, for these.
        """
        opened = self.model.opened
        if opened is None:  # whatever kept it from being read
            self.reload()
            return

        async def read(api: Api) -> tuple[ChangeRequest, RulesRead]:
            if self.model.staged is not None:
                await self.model.staged.read()  # another window may have staged something
            now = await api(ops.get_change_request, opened.space.id, opened.request.id)
            # What both sides wrote is the same until R reads it.
            compare = self.model.rules is None
            return now, await read_rules(api, now, opened.space, compare=compare)

        def arrived(found: tuple[ChangeRequest, RulesRead]) -> None:
            now, rules = found
            if self.model.opened is opened:
                before = opened.request
                self.model.merged_since = now.status == "merged" != before.status
                self.model.edited_since = now.revision != before.revision
                self.model.behind = self.model.merged_since or (now.revision, now.outdated) != (
                    before.revision, before.outdated,
                )  # fmt: skip
                if not self.model.behind:
                    if self.model.rules is not None:
                        rules = replace(rules, both_sides=self.model.rules.both_sides)
                    self._take_in(replace(opened, request=now), rules)
                self.news.polled(now)
                begin(self, self.editing.look_again, group="staged")

        self.reads.load("poll", read, arrived, what="Reading again")
        self.news.poll()

    def _take_in(self, opened: OpenedRequest, rules: RulesRead) -> None:
        """Show the new status and verdicts; the pages are the same."""
        if opened != self.model.opened or rules != self.model.rules:
            self.model.opened = opened
            self.request_tabs.take_rules(rules)
            self.refresh_frame()

    def _request_failed(self, said: str) -> None:
        """Say why the request is not there, unless it was read before."""
        if self.model.opened is None:
            threads = self.discussion
            self.diff.empty = threads.all_threads.empty = said
            self.page_tree.empty = threads.beside.empty = "Not read."
            for pane in (self.diff, threads.all_threads, self.page_tree, threads.beside):
                pane.refresh_rows()
            self.request_tabs.failed(said)
            if self.resuming:
                self.resuming = ""
                self.desk.soon(self._back_to_drafts, said)

    async def _back_to_drafts(self, said: str) -> None:
        """Stay with the drafts: what the one is about can neither be read nor is kept."""
        await self.desk.go("drafts")
        if (here := self.desk.here) is not None:
            here.say(f"The draft stays here: what it is about cannot be read. {said}", "warn")

    def _request_read(self, opened: OpenedRequest) -> None:
        before = self.model.opened
        if before is not None and opened.untold and not opened.changes:
            # What it changed was read before it was merged; not every service tells it after.
            opened = replace(opened, changes=before.changes)
        self.model.opened = opened
        if before is None and self.model.seen is not None and self.model.seen.trouble:
            self.say(f"Without marks of what was read: {self.model.seen.trouble}.", "warn")
        self.model.behind = self.model.edited_since = False
        if before is not None and before.version != opened.version:
            self.model.texts.clear()
        self.page_tree.show()
        self.request_tabs.read_rules()
        self.request_tabs.read_cluster()
        self.request_tabs.read_finding()
        self.request_tabs.show()
        asked = self.model.page_id or self.begins_at or self.target.page or self.target.thread
        self.discussion.read()
        self.reader.show_first()
        self.editing.go_on()
        self.news.compare_seen(unasked=not asked)
        self.commands_of(CheckCommands).opened(first=before is None)
        self.session.snoozed.look(opened.request.id, self.session.now, opened.request.revision)

    # Pages, threads and tabs

    def _page_came(self) -> None:
        self.discussion.page_came()
        self.news.begin()
        self._go_on()

    def _go_on(self) -> None:
        self.commands_of(DraftCommands).go_on()
        self.commands_of(SuggestCommands).go_on()

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

    def visit(self) -> Visit | None:
        visit = super().visit()
        return None if visit is None else replace(visit, cursor=self.model.page_id or "")

    def start_at(self, id: str) -> None:
        """Do nothing: `_request_read` opens the page that ``begins_at`` names."""

    # What commands on threads ask of the place (`HasThreads`)

    @property
    def threads(self) -> Threads:
        return self.model.threads

    @property
    def thread_ids(self) -> tuple[str, str]:
        return self.model.ids

    @property
    def closed(self) -> bool:
        return self.model.closed

    @property
    def threads_known(self) -> bool:
        return self.model.threads_read

    @property
    def no_thread_here(self) -> str:
        goes = "} goes to the next open one; " if self.model.threads.open_count else ""
        starts = "c starts one on this line" if no_line(self) is None else "C starts one"
        return f"No thread here. {goes}{starts}."

    def commenting_refused(self) -> str | None:
        return may_not_comment(self)

    def current_thread(self) -> Thread | None:
        return self.discussion.current_thread()

    def current_message(self) -> Comment | CommentReply | None:
        return self.discussion.current_message()

    def called(self, words: str) -> str:
        return f"{self.model.numbered} “{inline(words).plain}”"

    def thread_name(self, thread: Thread) -> str:
        return thread.label

    def show_threads(self, *, same: bool = False) -> None:
        self.discussion.show(same=same)

    async def drafts_changed(self) -> None:
        await self.discussion.drafts_changed()

    def forget_draft(self, key: str) -> None:
        self.discussion.forget_draft(key)

    def show_sent(self, message: Comment | CommentReply) -> None:
        self.discussion.show_sent(message)

    def message_arrived(self, thread: str, *, read: bool) -> None:
        self.discussion.show()

    def message_removed(self, thread: Thread, message: Comment | CommentReply) -> None:
        """Do nothing: the drafts are read again after that, and all is shown then."""

    # Keys and clicks

    def on_resize(self, event: events.Resize) -> None:
        """Give two texts side by side the room they need, or take it back."""
        self.reader.make_room(event.size.width)

    def step_view(self, by: int) -> None:
        """On the changes go to the next or previous page, else to the next or previous tab."""
        if self.view == "changes" and self.model.shown:
            self.reader.step_page(by)
        else:
            super().step_view(by)

    def on_virtual_list_highlighted(self, event: VirtualList.Highlighted) -> None:
        """Show the page under the cursor of the tree, once it rests there."""
        if event.list is self.request_tabs.happened:
            self.request_tabs.read_answers()
        if event.list is not self.page_tree:
            return
        if self.page_tree.following or self.focused is not self.page_tree:
            self.page_tree.following = False
            return
        entry = self.page_tree.selected_item
        if entry is not None and entry.change is not None and entry.id != self.model.page_id:
            if self.view != "changes":
                self.choose_view("changes")
                self.page_tree.focus()  # not the text that comes to the front
            self.reader.show_page(entry.id, after=REST_SECONDS)

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
        self.choose_view("changes")
        if entry.id != self.model.page_id or entry.id not in self.model.texts:
            self.reader.show_page(entry.id)
        self.diff.focus()

    def on_wrapped_list_seen(self, event: WrappedList.Seen) -> None:
        """Read the replies of threads that have come into view."""
        if isinstance(event.rows, ThreadView):
            self.discussion.read_replies(event.rows)

    def on_thread_view_opened(self, event: ThreadView.Opened) -> None:
        """Show what a thread is about."""
        if isinstance(event.rows, ThreadView) and event.rows.thread is not None:
            self.discussion.go_to(event.rows.thread)

    def raw(self) -> Raw | None:
        """Return where the JSON of the message comes from, else that of the request."""
        opened, thread = self.model.opened, self.current_thread()
        if opened is None:
            return None
        if thread is not None:
            return message_raw(self.thread_ids, thread.id, self.current_message())
        return request_raw(*self.thread_ids, f"#{opened.request.number}")

    def waits_changed(self) -> None:
        """Show what left the outbox as the draft that it is again, and what waits there as none."""
        self.commands_of(ThreadCommands).waits_changed()

    def on_screen_resume(self) -> None:
        """Show what was due while something was written over it, and what was done elsewhere."""
        if self.model.left_to_settle:
            self.model.left_to_settle = False
            self.reload()
        self.commands_of(ThreadCommands).show_drafts_soon()
        begin(self, self.editing.look_again, group="staged")

    def content(self) -> ContentOwner | None:
        """Return the request, and the page in front."""
        opened, change = self.model.opened, self.model.change
        if opened is None:
            return None
        permissions, title = opened.space.permissions, clean(opened.space.title)
        may = permissions is None or permissions.edit
        on_page = change is not None and not change.thing
        return ContentOwner(
            opened.space.id,
            title,
            opened.request.id,
            numbered=self.model.numbered,
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
        said = [] if self.model.news is None else [self.model.news.sentence]
        if self.model.behind:
            said.append(f"{self.model.numbered} changed")
        if said:
            return f"{', '.join(said)} (press . to show them)"
        if self.pane is self.page_tree:
            return "   ".join(f"{sign} {means}" for sign, means in page_signs())
        if self.discussion.fresh and self.pane in (
            self.discussion.beside,
            self.discussion.all_threads,
        ):
            return f"{glyphs().changed} new since you opened this"
        return ""

    def signs(self) -> Sequence[tuple[str, str]]:
        return [
            *page_signs(),
            (glyphs().outdated, "out of date with main"),
            ("[1] [2]", "threads, numbered in the order in which } visits them"),
            ("[-x-]", "words that are gone"),
            ("{+x+}", "words that are new"),
            (f"-- {glyphs().right}", "blocks that are elsewhere now: from where, and where to"),
            (glyphs().gap, "unchanged blocks, collapsed: z shows them"),
        ]
