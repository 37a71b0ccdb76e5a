"""Reading the pages of a space: their tree, the text of one, and where its links lead."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, cast

from rich.text import Text
from textual.app import ComposeResult

from copydesk.domain.address import LONGEST
from copydesk.domain.filter import fold
from copydesk.domain.own_command import Thing
from copydesk.domain.page_edits import PageEdit
from copydesk.domain.page_source import body_of
from copydesk.domain.picture import pictures_of
from copydesk.domain.sure import sure
from copydesk.domain.text import clean, plural, shorten_middle, shown_subject
from copydesk.local.page_edits import StagedElsewhereError
from copydesk.present.blame import authors
from copydesk.present.emoji import before
from copydesk.present.passages import Passage, table_text
from copydesk.present.raw_json import Raw, page_raw
from copydesk.present.threads import Thread, ThreadGroup
from copydesk.present.traffic import per_week, short_count, week_words
from copydesk.session.content import ContentOwner
from copydesk.session.draft_keys import NEW_REQUEST, SEND, new_request_key
from copydesk.session.glyphs import glyphs
from copydesk.session.operations import ops
from copydesk.session.options import Option
from copydesk.session.page_edits import (
    ELSEWHERE,
    StagedPages,
    empty_requests,
    read_main_source,
)
from copydesk.session.page_rows import LinkRow, PageRow, with_facts
from copydesk.session.reads import pages as reading
from copydesk.session.reads.history import MINE, BlameRow, read_blame, request_row
from copydesk.session.reads.inbox import read_comment, read_thread
from copydesk.session.reads.pages import PageTrail, PageWithLinks, SpacePages, Version
from copydesk.session.reads.spaces import read_only_space
from copydesk.session.reads.traffic import USUAL, read_views
from copydesk.session.target import Target, Visit
from copydesk.session.writes.requests import (
    begin_request,
    subject_wrong,
    takes_no_content,
)
from copydesk.tui.content.commands import ContentCommands, PageCommands
from copydesk.tui.dialogs.ask import Ask
from copydesk.tui.dialogs.choice import Choice
from copydesk.tui.dialogs.pictures import PictureKeys, Pictures, PictureSides
from copydesk.tui.framework.actions import Commands, NotYet, action, command
from copydesk.tui.framework.commands import no_last_place, nothing_to_redo, nothing_to_undo
from copydesk.tui.framework.editor import has_editor
from copydesk.tui.framework.navigation import place
from copydesk.tui.framework.pane import Pane
from copydesk.tui.framework.place import Part, Place, style_path
from copydesk.tui.framework.source import ListSource, TreeSource
from copydesk.tui.merge.request_edits import takes_content
from copydesk.tui.resource.rich_text import SourceEditor, kept, stage_edits, why_not_sent
from copydesk.tui.threads.pane import ThreadView
from copydesk.tui.widgets.list import Column, VirtualList
from copydesk.tui.widgets.text import TextView
from copydesk.tui.widgets.tree_list import TreeList

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.contract.models.change_request import ChangeRequest
    from copydesk.contract.models.comment import Comment, CommentReply
    from copydesk.tui.framework.place import Place

REST_SECONDS = 0.12
"""How long the cursor rests on a page before its text is read."""

FEW = 50
"""Change requests of mine that are offered, of each status."""

KEPT_TEXTS = 24
"""Texts kept in memory, so that going back to a page is instant."""

UNFOLD_LIMIT = 300
"""A tree of at most so many pages opens unfolded."""


def page_name(page: PageRow) -> Text | str:
    """Return the title; groups stand out, and a hidden or computed page says so."""
    shown = before(page.emoji, page.title)
    if page.type == "group":
        return Text(shown, style="strong")
    if page.type == "link":
        text = Text(f"{shown} {glyphs().right}", style="link")
        text.append(f" {page.target}", style="muted")
        return text
    about = {"hidden": page.hidden, "auto": page.type == "computed"}
    said = [word for word, true in about.items() if true]
    if not said:
        return shown
    text = Text(shown)
    text.append(f"  {' '.join(said)}", style="muted")
    return text


def no_text(page: PageRow) -> str:
    """Return, as Markdown, what to show of a page without a text of its own."""
    if page.type == "group":
        count = len(page.children)
        return f"*A group of {count} {'page' if count == 1 else 'pages'}, without text.*"
    where = page.target or "a place that the service does not name"
    return f"*A link. It leads to {where}*"


def link_text(link: LinkRow, cells: int = LONGEST) -> Text:
    """Return where a link leads, in at most so many cells."""
    said = shorten_middle(link.text, cells, glyphs().more)
    return Text(said, style="bad" if link.broken else "")


def link_note(link: LinkRow) -> Text:
    """Return what kind of link it is, or that it is broken."""
    return Text("broken", style="bad") if link.broken else Text(link.kind, style="muted")


def no_pages(here: PagesPlace) -> str | None:
    """Say so when there is nothing to read."""
    return None if here.order.readable else "This space has no pages to read."


def no_text_in_front(here: PagesPlace) -> str | None:
    """Say so when no text of a page is in front."""
    page = here.shown_page
    if page is None:
        return NotYet("The page is not read yet.")
    return None if page.readable else "This has no text that someone wrote."


def links_label(here: PagesPlace) -> str:
    """Return what ``i`` goes to: the links of the page, or from them the links to it."""
    return "links here" if here.pane is here.links else "links"


def nowhere_back(here: PagesPlace) -> str | None:
    """Say so when no link was followed and there is no last place either."""
    return None if here.on_trail else no_last_place(here)


class PageOrder:
    """All rows of a tree by id, from its top; those with text can be read one after the other."""

    def __init__(self, rows: Iterable[PageRow] = ()) -> None:
        self.rows = {row.id: row for row in rows}
        self.readable: Sequence[str] = [row.id for row in self.rows.values() if row.readable]
        """Ids of the pages with text."""
        self._places = {row_id: at for at, row_id in enumerate(self.readable)}

    def place_of(self, page: str) -> int | None:
        """Return the place of a page among those with text, from 0; None when it has none."""
        return self._places.get(page)

    def named(self, wanted: str) -> str | None:
        """Return the id of the row with an id or a path, if there is one."""
        if wanted in self.rows:
            return wanted
        path = wanted.strip("/")
        return next((row.id for row in self.rows.values() if row.path == path), None)

    def with_words(self, text: str) -> str | None:
        """Return the first page with text whose title or path has these words."""
        words = fold(text).split()
        for row_id in self.readable:
            row = self.rows[row_id]
            if all(word in fold(f"{row.where} {row.path}") for word in words):
                return row_id
        return None

    def beside(self, row: str, by: int) -> str | None:
        """Return the page with text after a row (``by`` 1) or before it (-1), if there is one.

        From a group or a link it is the next one in the tree.
        """
        at = self._places.get(row)
        if at is not None:
            return self.readable[at + by] if 0 <= at + by < len(self.readable) else None
        ids = list(self.rows)
        start = ids.index(row) if row in self.rows else 0
        way = ids[start:] if by > 0 else ids[start::-1]
        return next((row_id for row_id in way if row_id in self._places), None)


class ThreadAbove:
    """Shows the thread that a place's target names, while the page it is about is in front."""

    def __init__(self, place: Place) -> None:
        self._place = place
        self.pane = ThreadView(title="Thread", empty="Reading…", id="page-thread")
        self.pane.display = False

    def read(self) -> None:
        """Read the thread and its replies again; where the target names none, nothing."""
        target = self._place.target
        space, request, wanted = target.space, target.change_request or "", target.thread
        if space is None or wanted is None:
            return

        async def read(api: Api) -> tuple[Comment, list[CommentReply]] | None:
            comment = await read_comment(api, space, request, wanted)
            if comment is None:
                return None
            return comment, await read_thread(api, space, request, wanted)

        def came(found: tuple[Comment, list[CommentReply]] | None) -> None:
            if found is None:
                self._failed("This thread is gone.")
                return
            comment, replies = found
            self.pane.show([ThreadGroup("", [Thread(comment, 0, replies)])])

        self._place.reads.load("thread", read, came, what="Reading the thread", failed=self._failed)

    def _failed(self, said: str) -> None:
        self.pane.empty = said
        self.pane.show([])

    def show_at(self, page: str) -> None:
        """Show the thread above its own page, and above no other."""
        target = self._place.target
        self.pane.display = target.thread is not None and page == target.page

    @property
    def shown(self) -> bool:
        """Whether the page in front is the one that the thread is about."""
        return self.pane.display


def no_document(here: PagesPlace) -> str | None:
    """Say so when no page with a text of its own is under the cursor, or in front."""
    page = here.page_at_hand
    if page is None:
        return NotYet("The pages are not read yet.") if not here.order.rows else "No page is here."
    return None if page.readable else "This has no text of its own."


def no_content(here: PagesPlace) -> str | None:
    """Say so where the service is known to have no way to write content."""
    return takes_no_content(here.session)


def nothing_back(here: PagesPlace) -> str | None:
    """Say so when there is neither a staged step nor a write to take back."""
    return None if here.staged is not None and here.staged.steps else nothing_to_undo(here)


def nothing_again(here: PagesPlace) -> str | None:
    """Say so when neither a staged step nor a write was taken back."""
    return None if here.staged is not None and here.staged.undone else nothing_to_redo(here)


def page_not_staged(here: PagesPlace) -> str | None:
    """Say so when nothing is staged of the page for a new change request."""
    page = here.page_at_hand
    known = page is not None and page.id in here.new_edits
    return None if known else "Nothing is staged of this page for a new change request."


def while_staged(label: str) -> Callable[[PagesPlace], str]:
    """Return a function that gives ``label``, or "" while nothing is staged."""
    return lambda here: label if here.new_edits else ""


class EditInRequest(Commands, scope="pages"):
    """Editing a page that is read: in a change request, for main itself takes no edits.

    What is edited for a new one is staged on this machine; it is made when that is sent.
    """

    place: PagesPlace

    @property
    def _staged(self) -> StagedPages:
        """What is staged for a new change request of the space."""
        return StagedPages.of(self.place.session, self.place.target.space or "", NEW_REQUEST)

    def things(self) -> Sequence[Thing]:
        page, content = self.place.page_at_hand, self.place.content()
        if page is None or content is None:
            return []
        named = {"id": page.id, "title": page.title, "url": page.url or "", "path": page.path}
        return [Thing("page", {**named, "space": content.title})]

    def passages(self) -> Sequence[Passage]:
        """Return the first table in view of the page in front."""
        text = self.place.text
        if not text.tables_in_view():
            return ()

        async def table() -> str:
            return await asyncio.to_thread(table_text, text.table_blocks())

        return [Passage("table", "the first table in view, as Markdown", table)]

    def resume_draft(self, part: str) -> bool:
        """Go on with a text that was typed for a new change request."""
        word, _, page = part.partition(" ")
        if word != "source":
            return False
        self.place.start_at(page)
        self.place.do_soon("edit_page")
        return True

    @action(
        "e",
        "edit",
        word="edit",
        unless=(no_document, no_content),
        danger=1,
        show=12,
        group="Write",
        uses=("list_space_change_requests", "get_space", "get_space_page"),
        types=True,
    )
    async def edit_page(self) -> None:
        """Edit the page in a change request: in this one, in one of mine, or in a new one.

        For a new one it is staged here; ctrl+s makes that.
        """
        page, target, session = sure(self.place.page_at_hand), self.place.target, self.place.session
        assert target.space is not None
        if not await takes_content(self.place):
            return
        request = target.change_request or await self._choose(target.space)
        if request is None:
            return
        if request == NEW_REQUEST:
            await self._write(page)
            return
        there = target.but(change_request=request, page=page.id, view="changes")
        await self.place.desk.go("review", there.but(organization=session.organization))
        here, part = self.place.desk.here, f"source {page.id}"
        if not isinstance(here, Place) or here is self.place:
            return
        if has_editor():
            any(each.resume_draft(part) for each in here.commands)
        else:  # what is typed until its field is there is for that
            self.place.desk.keyboard.ahead.resume(here, part)

    async def _choose(self, space: str) -> str | None:
        """Return which change request a page is edited in, or `NEW_REQUEST`. None: none."""
        api, me = await self.place.session.ready(), self.place.session.me
        mine = None if me is None else me.id

        async def read() -> list[ChangeRequest]:
            open_ones = await api.page(
                ops.list_space_change_requests, space, status="open", creator=mine, limit=FEW
            )
            drafts = await api.page(
                ops.list_space_change_requests, space, status="draft", creator=mine, limit=FEW
            )
            return [*open_ones.items, *drafts.items]

        requests = await self.place.reads.now("plan", read, "Reading your change requests")
        if requests is None:
            return None
        count = len(self.place.new_edits)
        note = f"{plural(count, 'page')} staged" if count else "made by ctrl+s"
        options = [Option(NEW_REQUEST, "In a new change request", note)]
        for each in sorted(requests, key=lambda each: each.updated_at, reverse=True):
            title = f"In #{each.number} {shown_subject(each.subject)}"
            options.append(Option(each.id, title, clean(each.status)))
        sheet = Choice("Where is it edited?", options)
        return cast("str | None", await self.place.desk.push_screen_wait(sheet))

    async def _write(self, page: PageRow) -> None:
        """Let a person edit a page for a new change request, and stage what comes of it."""
        staged, place = self._staged, self.place
        await staged.read()
        edit = staged.edits.get(page.id)
        if edit is None:
            api = await place.session.ready()
            found = await place.reads.now(
                "plan", lambda: read_main_source(api, staged.space, page.id), "Reading the page"
            )
            if found is None:
                return
            edit = PageEdit("update", found[0], found[1], found[1], title=page.title)
        sources = SourceEditor(place, staged.space, NEW_REQUEST)
        written = await sources.write(page.id, edit)
        if written is None:
            return
        if written == edit and page.id not in staged.edits:
            sources.forget(page.id, edit)
            place.tell("Nothing changed, nothing staged.")
            return
        if not await stage_edits(place, staged, {page.id: written}):
            return
        sources.forget(page.id, edit)
        place.show_staged()
        why = why_not_sent(written)
        place.tell(
            f"Staged, but it cannot be sent like this: {why}. e edits it."
            if why
            else f"Staged: “{page.title}”. Nothing is sent; ctrl+s makes the change request."
        )

    @action("X", "discard staged", unless=page_not_staged, show=5, group="Write",
            now=while_staged("discard staged"), stages=True)  # fmt: skip
    async def discard_staged(self) -> None:
        """Discard the staged edit of the page for a new change request. u brings it back."""
        page = sure(self.place.page_at_hand)
        if await stage_edits(self.place, self._staged, {page.id: None}):
            self.place.show_staged()
            self.place.tell(f"Discarded what was staged of “{page.title}”. u brings it back.")

    @action("u", "undo", unless=nothing_back, show=False, group="Write", override=True,
            takes="none")  # fmt: skip
    async def undo(self) -> None:
        """Undo the last step staged for a new change request, else the last write."""
        staged = self._staged
        if not staged.steps:
            await self.place.desk.undo()
            return
        try:
            await staged.take_back()
        except StagedElsewhereError:
            self.place.tell(ELSEWHERE, "warn")
            return
        self.place.show_staged()
        self.place.tell("Undone: it was only staged. ctrl+r stages it again.")

    @action(
        "ctrl+r", "redo", unless=nothing_again, show=False, group="Write", also=("Z",),
        override=True, takes="none",
    )  # fmt: skip
    async def redo(self) -> None:
        """Redo the staged step undone last, else the write undone last."""
        staged = self._staged
        if not staged.undone:
            await self.place.desk.redo()
            return
        try:
            await staged.take_again()
        except StagedElsewhereError:
            self.place.tell(ELSEWHERE, "warn")
            return
        self.place.show_staged()
        self.place.tell("Staged again. Nothing is sent; u undoes it.")

    @action(
        "ctrl+s",
        "send",
        word="send",
        unless=lambda here: (
            None if here.new_edits else "Nothing is staged for a new change request."
        ),
        danger=1,
        show=18,
        group="Write",
        now=while_staged("send"),
        uses=("list_space_change_requests", "create_change_request"),
        types=True,
        takes="none",
    )
    async def send_staged(self) -> None:
        """Make the change request for the staged pages; its review shows them before they are sent.

        Where one of mine has no pages yet it is asked whether that is the one.
        """
        staged, place = self._staged, self.place
        session = place.session
        if session.offline:
            place.tell("A new change request takes the service: it all stays staged.", "warn")
            return
        request = await self._begun(staged)
        if request == NEW_REQUEST:
            request = await self._make(staged)
        if request is None:
            return
        page = next(iter(staged.edits))
        if not await kept(place, staged.move_to(request)):
            return
        place.show_staged()
        there = place.target.but(change_request=request, page=page, view="changes")
        await place.desk.go("review", there.but(organization=session.organization))
        here = place.desk.here
        if isinstance(here, Place) and here is not place:
            any(each.resume_draft(SEND) for each in here.commands)

    async def _begun(self, staged: StagedPages) -> str | None:
        """Return the change request that was begun for it, or `NEW_REQUEST`; None when left.

        Where copydesk ended after one was made and before it had pages, it is still there.
        """
        place, api = self.place, await self.place.session.ready()
        counts = await asyncio.to_thread(place.session.staged.counts)
        found = await place.reads.now(
            "plan",
            lambda: empty_requests(api, staged.space, place.session.me),
            "Reading your change requests",
        )
        if found is None:
            return None
        options = [
            Option(each.id, f"In #{each.number} {clean(each.subject)}", "has no pages yet")
            for each in found
            if (staged.space, each.id) not in counts
        ]
        if not options:
            return NEW_REQUEST
        options.append(Option(NEW_REQUEST, "In a new change request"))
        sheet = Choice("Where does it go?", options)
        return cast("str | None", await place.desk.push_screen_wait(sheet))

    async def _make(self, staged: StagedPages) -> str | None:
        """Ask what a new change request is about, and make it; None when that was left."""
        place, space, me = self.place, staged.space, self.place.session.me
        made: list[ChangeRequest] = []

        async def send(subject: str) -> None:
            from copydesk.contract.models.change_request import ChangeRequestCreate

            body = ChangeRequestCreate(subject=subject)
            made.append(await begin_request(place.writer.send, space, body, me, draft=key))

        key = new_request_key(space, None)
        count = plural(len(staged.edits), "staged page")
        asking = Ask(
            f"New change request with {count}", "What is it about?", draft_key=key,
            check=subject_wrong, send=send,
        )  # fmt: skip
        await place.desk.push_screen_wait(asking)
        return made[0].id if made else None


def take_only_space(here: PagesPlace) -> None:
    """Read the pages of the only space of the organization, or say how one is chosen."""
    home = here.organization

    async def read(api: Api) -> str | None:
        return None if home is None else await read_only_space(api, home)

    def came(space: str | None) -> None:
        if space is None:
            here.rows.say_instead("No space is chosen. gs lists them; gp there reads one.")
        else:
            here.target = here.target.but(organization=home, space=space)
            here.reload()

    here.reads.load("space", read, came, what="Reading spaces")


@place(
    "pages",
    key="p",
    title="Pages",
    uses=("get_space", "list_space_pages", "list_sites", "aggregate_site_events",
          "list_organization_spaces"),
)  # fmt: skip
class PagesPlace(Place, scope="pages"):
    """The page tree at the left, the page in the middle, its links at the right."""

    OF_SPACE = True
    RAW = ("get_space_page", "get_change_request_page")
    COMMAND_CLASSES = (EditInRequest, ContentCommands, PageCommands)

    CSS_PATH = style_path("pages")
    AUTO_FOCUS = "#pages"

    def __init__(self, target: Target) -> None:
        super().__init__(target)
        self.add_class("-in-left")
        self.order = PageOrder()
        """The pages, in reading order."""
        self.shown_page: PageRow | None = None
        self._texts: OrderedDict[str, PageWithLinks] = OrderedDict()
        self._space_title = ""
        self._views: dict[str, int] = {}
        """The views of pages in four weeks, by page; only those read so far."""
        self._counted = False
        self._wanted = target.page
        self._written = 0
        """How many writes there were when the tree was read."""
        self._wanted_section = target.section
        self._revision = ""
        self._behind = False
        """Whether the pages changed since they were read, by others or from another place."""
        self._followed = PageTrail()
        self.thread = ThreadAbove(self)
        self.tells_authors = False
        """Whether it says beside the text who wrote it."""
        self.staged: StagedPages | None = None
        """What is staged for a new change request; None in the pages of one."""

    def visit(self) -> Visit | None:
        visit = super().visit()
        return None if visit is None else replace(visit, cursor=self.rows.selected_id or "")

    def start_at(self, id: str) -> None:
        self._wanted = id

    def panes(self) -> ComposeResult:
        self.rows: TreeList[PageRow] = TreeList(
            TreeSource(
                key=lambda page: page.id,
                children=lambda page: page.children,
            ),
            self._columns(),
            title="Pages",
            empty="",
            header=False,
            dim=lambda page: page.hidden,
            id="pages",
        )
        self.text = TextView(empty="", id="page-text")
        self.text.below = self.pictures = Pictures(
            self, self.text.draw_again, lambda: self.staged if self.new_edits else None
        )
        keys = PictureKeys(self, self.text, self._pictures, self.pictures)
        self.text.first = (*self.text.first, keys)
        self.links: VirtualList[LinkRow] = VirtualList(
            ListSource(key=lambda link: link.id),
            [
                Column("text", "LINKS TO", link_text, flex=1, fitted=link_text),
                Column("kind", "", link_note, 6),
            ],
            title="Links",
            empty="No links.",
            header=False,
            id="page-links",
        )
        yield Part("left", self.rows)
        yield Part("main", self.thread.pane, self.text)
        yield Part("side", self.links)

    def _columns(self) -> list[Column[PageRow]]:
        views = Column("views", "VIEWS", self._views_cell, 6, align="right", drop=1)
        return [
            Column("title", "PAGE", page_name, flex=1, minimum=16),
            *([views] if any(self._views.values()) else []),
        ]

    def _views_cell(self, page: PageRow) -> Text:
        views = self._views.get(page.id)
        return Text("" if views is None else short_count(per_week(views, USUAL.days)), "muted")

    def _count_views(self) -> None:
        """Count the views of the pages, once, when there is time."""
        home, space = self.organization, self.target.space
        if home is None or space is None or self._counted:
            return

        def came(found: dict[str, int]) -> None:
            self._views, self._counted = found, True
            self.rows.show_columns(self._columns())
            self.rows.refresh_rows()
            self.refresh_frame()

        self.reads.load(
            "views",
            lambda api: read_views(api, home, self.session.now, space),
            came,
            what="Counting views",
            quiet=True,
            after=REST_SECONDS,
        )

    def trail(self) -> Iterable[str]:
        yield self._space_title or "space"
        yield "Pages"
        if self.target.change_request is not None:
            yield "change request"

    @property
    def page_at_hand(self) -> PageRow | None:
        """The page under the cursor of the tree, else the one in front."""
        return self.rows.selected_item if self.pane is self.rows else self.shown_page

    def raw(self) -> Raw | None:
        page = self.page_at_hand
        if page is None or self.target.space is None:
            return None
        return page_raw(self.target.space, self.target.change_request, page.id, page.title)

    def content(self) -> ContentOwner | None:
        page = self.page_at_hand
        space, request = self.target.space, self.target.change_request
        if space is None:
            return None
        return ContentOwner(
            space,
            self._space_title or "the space",
            request,
            numbered="the change request" if request is not None else "",
            page=page.id if page is not None else "",
            page_title=page.where if page is not None else "",
        )

    def url(self) -> str | None:
        if self.pane is self.links and (link := self.links.selected) is not None:
            there = self.order.rows.get(link.page)
            return link.url or (there.url if there is not None else "") or None
        page = self.page_at_hand
        return (page.url or None) if page is not None else None

    def copies(self) -> Sequence[tuple[str, str]]:
        page = self.shown_page
        if page is None:
            return super().copies()
        choices = [("address", self.url() or "")]
        if self.pane is self.links and (link := self.links.selected) is not None:
            choices.append(("link", link.text))
        else:
            choices += [("path", page.path), ("title", page.title), ("id", page.id)]
        return [(name, text) for name, text in choices if text]

    def status_left(self) -> str:
        waiting = super().status_left()
        if waiting or not self.order.readable:
            return waiting
        if self._behind:
            return "These pages changed since they were read: R reads them again"
        if self.pane is self.links and (link := self.links.selected) is not None:
            return link.text
        page, count = self.shown_page, len(self.order.readable)
        if page is not None and (at := self.order.place_of(page.id)) is not None:
            views = self._views.get(page.id)
            viewed = "" if views is None else f"   viewed {week_words(views, USUAL.days)}"
            return f"page {at + 1} of {count}   {page.path}{viewed}"
        return plural(count, "page")

    # What is staged for a new change request

    @property
    def new_edits(self) -> Mapping[str, PageEdit]:
        """What is staged for a new change request of the space, by page."""
        return {} if self.staged is None else self.staged.edits

    def show_staged(self) -> None:
        """Show the page in front with its staged edit, and the number of staged pages."""
        self._say_behind()
        self.rows.refresh_rows()
        page = self.shown_page
        if page is not None and page.id in self._texts:
            self._show(page, self._texts[page.id])
        self.refresh_frame()

    # Reading

    def reload(self) -> None:
        self._texts.clear()
        self.pictures.forget()
        if self.target.space is None:
            take_only_space(self)
            return
        if not self.order.readable:
            self.rows.empty = "Reading pages…"
        self.thread.read()
        version = self._version
        self.reads.load(
            "tree",
            lambda api: self._read_tree(api, version),
            self._arrived,
            what="Reading pages",
            failed=self._unread,
        )

    async def _read_tree(self, api: Api, version: Version) -> SpacePages:
        if version.change_request is None:
            self.staged = StagedPages.of(self.session, version.space, NEW_REQUEST)
            await self.staged.read()
        return await reading.read_tree(api, version)

    @property
    def _version(self) -> Version:
        return Version(self.target.space or "", self.target.change_request)

    def poll(self) -> None:
        """Ask whether others wrote another revision; it is read by hand, so nothing moves."""
        if not self._revision:
            super().poll()
            return

        version = self._version

        def arrived(revision: str) -> None:
            self._behind = revision != self._revision
            self._say_behind()

        self.reads.load(
            "poll",
            lambda api: reading.read_revision(api, version),
            arrived,
            what="Reading again",
        )

    def _say_behind(self) -> None:
        notes = [f"STAGED {len(self.new_edits)}"] if self.new_edits else []
        self.rows.note = "   ".join(notes + ["changed since: R reads it"] * self._behind)
        self.rows.retitle()

    def _arrived(self, tree: SpacePages) -> None:
        first = not self.order.rows
        self._revision, self._behind = tree.revision, False
        self._say_behind()
        self._space_title = tree.title
        self.order = PageOrder(reading.walk(tree.pages))
        self.rows.empty = "This space has no pages yet."
        source = self.rows.tree_source
        if first:
            if len(self.order.rows) <= UNFOLD_LIMIT:
                source.unfolded |= {row.id for row in self.order.rows.values() if row.children}
            source.set_roots(tree.pages)
        elif source.filtering:
            source.set_roots(tree.pages)
        else:
            source.merge_roots(tree.pages)
        if len(self.session.log) != self._written:
            # What was written here is shown at once; what others did waits to be folded in.
            source.fold()
            self._written = len(self.session.log)
        if self._wanted is not None:
            if self.show_page(self._wanted) and self._wanted == self.target.page:
                self._read_on()
            self._wanted = None
        self._look(after=0)
        self._count_views()

    def _unread(self, text: str) -> None:
        if not self.order.readable:
            self.rows.say_instead(text)

    def follow_cursor(self, rows: Pane) -> None:
        if rows is self.rows:
            self._look(after=REST_SECONDS)

    def _look(self, *, after: float) -> None:
        page = self.rows.selected_item
        self.reads.cancel("page")
        if page is None:
            return
        known = page.id in self._texts and not self.reads.left_behind("page", page.id)
        if known and page == self.shown_page:
            return
        if not page.readable:
            self._show(page, PageWithLinks(no_text(page), []))
        elif known:
            self._texts.move_to_end(page.id)
            self._show(page, self._texts[page.id])
        else:
            version = self._version
            titles = {row_id: row.where for row_id, row in self.order.rows.items()}
            self.reads.load(
                "page",
                lambda api: reading.read_page(api, version, page.id, titles),
                lambda read: self._keep(page, read),
                what=f"Reading {page.title}",
                of=page.id,
                failed=lambda text: self._show(page, PageWithLinks(f"*{text}*", None)),
                after=after,
            )

    def _keep(self, page: PageRow, read: PageWithLinks) -> None:
        self._texts[page.id] = read
        while len(self._texts) > KEPT_TEXTS:
            self._texts.popitem(last=False)
        self._show(page, read)

    def _show(self, page: PageRow, read: PageWithLinks) -> None:
        same = self.shown_page is not None and self.shown_page.id == page.id
        if not same:
            self.pictures.leave()
        self.shown_page = page
        self.thread.show_at(page.id)
        self.text.empty = "This page is empty."
        self.text.title = page.where + ("   hidden" if page.hidden else "")
        edit = self.new_edits.get(page.id)
        if edit is not None:
            self.text.title += "   staged, not sent"
            self.text.set_text(body_of(edit.text), top=not same)
        else:
            text = with_facts(page, read.markdown) if page.readable else read.markdown
            self.text.set_text(text, top=not same)
        if page.id == self.target.page and read.links is not None and self._wanted_section:
            section, self._wanted_section = self._wanted_section, None
            self.call_after_refresh(self.text.go_to_heading, section)
        source = self.links.source.listed
        links = read.links or ()
        source.set(links)
        if not same:
            self.links.move_first()
        lacking = self.session.without(("list_space_page_links", "list_change_request_page_links"))
        unread = lacking or "Its links could not be read."
        self.links.empty = "No links." if read.links is not None else unread
        broken = sum(link.broken for link in links)
        self.links.title = f"Links {len(links)}" + (f", {broken} broken" if broken else "")
        self.refresh_frame()
        if self.tells_authors:
            self._read_authors(page)

    # Who wrote

    @action("#", "who wrote", word="who_wrote", unless=no_text_in_front, show=8, group="Look",
            uses=("get_space", "get_space_page", "get_revision", "get_revision_changes",
                  "get_revision_page"))  # fmt: skip
    def tell_who_wrote(self) -> None:
        """Tell beside the text who wrote each block, and with which change request; or hide it.

        Initials and a number, on wide screens names and ages too. b in the history (gh) lists them.
        """
        self.tells_authors = not self.tells_authors
        assert self.shown_page is not None
        if self.tells_authors:
            self._read_authors(self.shown_page)
        else:
            self.text.tell_authors((), None)

    def _read_authors(self, page: PageRow) -> None:
        """Find out who wrote the page in front, and say so beside it."""
        read, space = self._texts.get(page.id), self.target.space
        if read is None or space is None or not page.readable:
            return
        edit = self.new_edits.get(page.id)
        mine = [] if edit is None else [(body_of(edit.text), MINE)]
        # What is set of a page stands above its text.
        above = (
            0 if mine else with_facts(page, read.markdown).count("\n") - read.markdown.count("\n")
        )
        request = self.target.change_request

        async def blame(api: Api) -> list[BlameRow]:
            newer = list(mine)
            if request is not None:
                changed = await api(ops.get_change_request, space, request)
                newer.append((read.markdown, request_row(changed)))
            return await read_blame(api, space, page.id, None, newer)

        def came(rows: list[BlameRow]) -> None:
            if self.tells_authors and self.shown_page is not None and self.shown_page.id == page.id:
                lines = [row.line + above for row in rows]
                self.text.tell_authors(lines, authors(rows, self.session.now))
                if rows and all(row.revision is None for row in rows):
                    self.say("Every block is older than what was read: :blame says from when.")

        self.reads.load("authors", blame, came, what="Reading who wrote it", of=page.id)

    # Moving

    def gone_to(self) -> None:
        if self.target.page is not None and self.order.rows and self.show_page(self.target.page):
            self._look(after=0)
            self._read_on()

    def _read_on(self) -> None:
        """Go to the text of the page under the cursor, which was asked for; a group has none."""
        page = self.rows.selected_item
        if page is not None and page.type not in ("group", "link"):
            self.text.focus()

    def _pictures(self) -> list[PictureSides]:
        """Return the pictures of the page that are in view."""
        texts = self.text.texts_in_view()
        return [PictureSides(None, each) for text in texts for each in pictures_of(text)]

    def show_page(self, page_id: str) -> bool:
        """Put the cursor on a page, by id or by path; False when it is not in the tree."""
        found = self.order.named(page_id)
        if found is None:
            self.say("Not found: the page was deleted or moved.", "warn")
            return False
        self.rows.find_clear()
        return self.rows.reveal(found)

    def on_virtual_list_opened(self, event: VirtualList.Opened) -> None:
        if event.list is self.links:
            self._follow(event.row)
            return
        page = self.rows.selected_item
        if page is None:
            return
        if page.type == "group":
            self.rows.toggle()
        elif page.type == "link":
            self.say(f"“{page.title}” leads to “{page.target}”.")
        else:
            self._look(after=0)
            self.text.focus()

    def on_thread_view_opened(self, event: ThreadView.Opened) -> None:
        self.text.focus()

    def _follow(self, link: LinkRow) -> None:
        if link.page:
            page, on_trail = self.shown_page, self.on_trail
            if self.show_page(link.page):
                there = self.rows.selected_id
                if page is not None and there is not None:
                    self._followed.follow(page.id, there, further=on_trail)
                self._look(after=0)
                self.text.focus()
        elif link.broken and self.text.find(link.text):
            self.text.focus()
            self.say(f"“{link.text}” is a broken link; the text shows where. e edits it.", "warn")
        elif link.broken:
            self.text.find_clear()
            self.say(f"“{link.text}” is a broken link.", "warn")
        elif link.url:
            self.say(f"“{link.url}” is elsewhere: o opens it, y copies it.")
        else:
            self.say(f"This leads to “{link.text}”, which has no text to read.")

    @property
    def on_trail(self) -> bool:
        """Whether the page in front is one that a link led to, or from."""
        return self._followed.here is not None and self._followed.here == self.rows.selected_id

    @action("-", "last page", unless=nowhere_back, show=False, group="Go", override=True)
    async def last_screen(self) -> None:
        """Go to the page that a link led here from, step by step, and back to where it led.

        Where no link was followed it goes to the last screen.
        """
        if not self.on_trail:
            await self.common.last_screen()
            return
        if self.show_page(self._followed.before):
            self._followed.step_back()
            self._look(after=0)

    @action("]", "next page", unless=no_pages, override=True, show=15, group="Views")
    def next_view(self) -> None:
        """Read the next page, in the order of the tree."""
        self._step(1)

    @action("[", "previous page", unless=no_pages, override=True, show=14, group="Views")
    def previous_view(self) -> None:
        """Read the previous page, in the order of the tree."""
        self._step(-1)

    def _step(self, by: int) -> None:
        target = self.order.beside(self.rows.selected_id or "", by)
        if target is None:
            self.say("This is the last page." if by > 0 else "This is the first page.")
            return
        self.show_page(target)
        self._look(after=0 if target in self._texts else REST_SECONDS / 2)

    @action("i", "links", word="page_links", unless=no_pages, show=7, group="Look", now=links_label,
            uses="list_space_page_backlinks")  # fmt: skip
    async def show_links(self) -> None:
        """Go to the links of the page, and from there to the pages that link here.

        Enter follows one, Esc comes back.
        """
        page = self.shown_page
        if self.pane is self.links and page is not None:
            target = Target(self.organization, self.target.space, item=page.id)
            await self.desk.go("backlinks", target)
            return
        self.remove_class("-no-side")
        self.show_pane(self.links)

    @action("h", "tree", word="left", show=False, group="Move", also=("left",))
    def to_tree(self) -> None:
        """Go to the page tree."""
        self.rows.focus()

    @action("l", "text", word="right", show=False, group="Move", also=("right",))
    def to_text(self) -> None:
        """Go to the text of the page."""
        self.text.focus()

    @command(
        "page", "NAME", complete=lambda here: here.titles(),
        uses=("get_space_page", "list_space_page_links", "get_space_page_by_path",
              "get_change_request_page_by_path"),
    )  # fmt: skip
    async def go_page(self, rest: str) -> None:
        """Go to the page whose title or path has these words, or that the service has there."""
        found = self.order.with_words(rest)
        if found is None and rest.strip() and self.target.space is not None:
            version, path = self._version, rest.strip()

            async def read() -> str | None:
                return await reading.find_path(await self.session.ready(), version, path)

            found = await self.reads.now("path", read, "Looking for the page")
        if found is None:
            self.say(f"No page here has the name {clean(rest)!r}.", "warn")
        elif self.order.named(found) is None:
            self._wanted, self._written = found, -1  # it came since, and is to be seen at once
            self.read_again()
        else:
            self.show_page(found)
            self._look(after=0)

    def titles(self) -> Sequence[str]:
        """Return the titles of the pages that can be read."""
        return [self.order.rows[row_id].title for row_id in self.order.readable]

    def step_within(self, *, closes: bool) -> bool:
        """Step back from the text or its links to the tree; q to the list of threads at once."""
        return not (closes and self.thread.shown) and self._back_to_tree()

    def _back_to_tree(self) -> bool:
        pane = self.pane
        if pane is None or pane is self.rows or pane.found or self.status.slow:
            return False
        self.rows.focus()
        return True
