"""Editing the pages of a change request: staged here, shown as mine, sent all together."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING, Any, cast

from rich.text import Text

from copydesk.domain.page_edits import (
    NEW,
    PageEdit,
    Side,
    Standing,
    below,
    settings_lines,
    settled,
    slug_taken,
    unsettled_line,
)
from copydesk.domain.page_places import levels_of, place_of, staged_levels
from copydesk.domain.page_source import body_of
from copydesk.domain.page_tree import ChangeKind, PageNode
from copydesk.domain.staged_files import file_block, is_picture, with_block
from copydesk.domain.sure import sure
from copydesk.domain.text import clean, plural, shorten
from copydesk.domain.yaml_lines import FileError
from copydesk.local.page_edits import StagedElsewhereError
from copydesk.local.state import token
from copydesk.present import page_changes as present
from copydesk.present.facts import hint
from copydesk.present.page_changes import PageTreeLine
from copydesk.session import merge_revert
from copydesk.session.draft_keys import SEND, insertion_key, source_key
from copydesk.session.errors import NotDoneError
from copydesk.session.glyphs import glyphs
from copydesk.session.options import Option
from copydesk.session.page_changes import ReviewChange
from copydesk.session.page_edits import (
    ELSEWHERE,
    EditCheck,
    StagedPages,
    check_edits,
    read_source,
    requests_for,
    send_edits,
    unchecked,
    waits,
)
from copydesk.session.page_files import (
    FileRefusedError,
    StagedFiles,
    keep,
    pick,
    send_files,
    staged_files,
)
from copydesk.session.writes.log import WriteError
from copydesk.tui.dialogs.ask import Ask
from copydesk.tui.dialogs.choice import Choice
from copydesk.tui.dialogs.dialog import Confirm, Fact
from copydesk.tui.dialogs.run import RunSheet
from copydesk.tui.framework.actions import NotYet, action, away, command, refusal, while_free
from copydesk.tui.framework.commands import nothing_to_redo, nothing_to_undo
from copydesk.tui.framework.desk_app import begin
from copydesk.tui.framework.keyboard import because, tell_failures
from copydesk.tui.framework.source import TreeSource
from copydesk.tui.resource.rich_text import (
    SourceEditor,
    change_lines,
    stage_edits,
    why_not_sent,
)
from copydesk.tui.review.guards import HasReview, ReviewCommands, is_merged, may_not_write, not_read
from copydesk.tui.widgets.list import Column, by_content
from copydesk.tui.widgets.tree_list import TreeList

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.tui.framework.place import Place
    from copydesk.tui.review.model import ReviewModel

DOING = {"new": "new_page", "insert": "insert_file", SEND: "send_staged"}
"""The action that goes on once the change request is read, by what was under way as it was left."""

READS = ("get_change_request", "get_change_request_page")
SENDS = (
    "update_change_request_content",
    "get_change_request",
    "get_change_request_revision",
    "get_change_request_page",
)


def page_at(here: HasReview) -> str | None:
    """Return the page that is meant: under the cursor of the tree, else the one in front."""
    if here.page_tree.has_focus:
        entry = here.page_tree.selected_item
        return None if entry is None else entry.id
    return here.model.page_id


def no_page_here(here: HasReview) -> str | None:
    """Say so when no page is under the cursor."""
    if here.model.opened is None:
        return not_read(here)
    page = page_at(here)
    change = here.model.find(page)
    if page is None or page.startswith("branch:"):
        return "Put the cursor on a page first."
    return None if change is None or not change.thing else "Not a page."


def not_staged(here: HasReview) -> str | None:
    """Say so when nothing is staged of the page."""
    if here.model.opened is None:
        return not_read(here)
    return None if page_at(here) in here.model.edits else "Nothing is staged of this page."


def not_as_staged(here: HasReview) -> str | None:
    """Say so while a page with something staged is shown as it is sent."""
    page = page_at(here)
    if here.model.showing != "sent" or page != here.model.page_id or page not in here.model.edits:
        return None
    return "This is the page as it is sent: = shows what you staged, to insert there."


def path_wrong(typed: str) -> str | None:
    """Say so where no path is typed."""
    return None if typed else "A path, please: “~/diagram.png”."


def nothing_staged(here: HasReview) -> str | None:
    """Say so when nothing is staged of the request."""
    if here.model.staged is None:
        return NotYet("The change request is not read yet.")
    return None if here.model.edits else "Nothing is staged."


def while_staged(label: str) -> Callable[[HasReview], str]:
    """Return a function that gives ``label``, or "" while nothing is staged."""
    return lambda here: label if here.model.edits else ""


def nothing_back(here: HasReview) -> str | None:
    """Say so when there is neither a staged step nor a write to take back."""
    staged = here.model.staged
    known = (staged is not None and staged.steps) or merge_is_meant(here)
    return None if known else nothing_to_undo(here)


def nothing_again(here: HasReview) -> str | None:
    """Say so when neither a staged step nor a write was taken back."""
    staged = here.model.staged
    return None if staged is not None and staged.undone else nothing_to_redo(here)


def merge_is_meant(here: HasReview) -> bool:
    """Whether undo means the merge of the request: nothing was sent since."""
    opened, newest = here.model.opened, here.session.reversals.final()
    if opened is None or opened.request.status != "merged":
        return False
    if newest is None:
        return nothing_to_undo(here) is not None
    number = newest.target.partition(" ")[0]
    return newest.what == "Merge" and number == f"#{opened.request.number}"


def with_staged(
    changes: Sequence[ReviewChange], pages: Sequence[PageNode], edits: Mapping[str, PageEdit]
) -> list[ReviewChange]:
    """Return the changes of a request together with what is staged of its pages."""
    nodes = {node.id: node for node in pages}
    found = {change.id: change for change in changes}
    for page, edit in edits.items():
        known, node = found.get(page), nodes.get(page)
        kinds: tuple[ChangeKind, ...] = () if known is None else known.kinds
        if edit.kind == "insert":
            node = PageNode(page, edit.named, parent=edit.into, position=edit.at or 0)
            found[page] = ReviewChange(page, ("added",), None, node)
        elif node is None:
            continue
        elif edit.kind == "delete":
            found[page] = ReviewChange(page, ("deleted",), node, None)
        else:
            more: tuple[ChangeKind, ...] = ("moved",) if edit.moved else ()
            kinds = tuple(dict.fromkeys((*kinds, *more, "edited")))
            change = ReviewChange(page, kinds, node, node) if known is None else known
            title = edit.titled if edit.of_text else ""
            after = replace(change.after or node, title=title or change.node.title)
            found[page] = replace(change, kinds=kinds, after=after)
    return list(found.values())


class PageEditing(ReviewCommands, scope="review"):
    """What one does with the page under the cursor of the tree, or in front of the reader."""

    async def _begin(self, page: str) -> PageEdit | None:
        """Return what is staged of a page, else the page as it is now.

        None when that was left, and where the service takes no content.

        A page that is only staged to be moved is read, too: its text is not kept with that.
        """
        if not await self.takes_content():
            return None
        known = self.model.edits.get(page)
        if known is not None and (known.kind != "update" or known.base_text):
            return known
        space, request = self.model.ids
        api = await self.place.session.ready()
        node = next((each for each in self.model.known.pages if each.id == page), None)
        found = await self.place.reads.now(
            "plan", lambda: read_source(api, space, request, page), "Reading the page"
        )
        if found is None:
            return None
        title = "" if node is None else node.title
        revision, text = found
        if known is not None:
            return replace(known, base_revision=revision, base_text=text, text=text)
        return PageEdit("update", revision, text, text, title=title)

    @property
    def _all(self) -> PageEditCommands:
        return self.place.commands_of(PageEditCommands)

    @action(
        "e",
        "edit",
        word="edit",
        unless=(may_not_write, no_page_here),
        show=13,
        group="Pages",
        uses=(*READS, "get_change_request_revision"),
        stages=True,
        types=True,
        override=True,
        now=while_free("edit", is_merged),
    )
    async def edit_page(self) -> None:
        """Edit the page as Markdown, its settings above: in $EDITOR, or here where none is set.

        What is saved is staged on this machine, not sent.
        """
        page = sure(page_at(self.here))
        await self.edit(page, self._line() if page == self.model.page_id else 0)

    async def edit(self, page: str, line: int = 0) -> None:
        """Edit a page, from a line of its Markdown on."""
        edit = await self._begin(page)
        if edit is not None:
            await self._all.write(page, edit, line)

    def _line(self) -> int:
        """Return the line of the page's Markdown that the cursor is on, from 1; 0 for none.

        Of one that was removed it is the next that is there, else the last before it.
        """
        diff = self.here.diff
        if diff.page is None or diff.line is None:
            return 0
        lines, at = diff.page.diff, diff.line
        near = chain(range(at, len(lines)), reversed(range(at)))
        return next((line for row in near if (line := lines[row].after_number)), 0)

    @action("D", "delete", word="delete", unless=(may_not_write, no_page_here), show=4,
            group="Pages", uses=READS, stages=True, override=True,
            now=while_free("delete", is_merged))  # fmt: skip
    async def delete_page(self) -> None:
        """Stage that the page is deleted, with those below it. u undoes it."""
        page = sure(page_at(self.here))
        edit = await self._begin(page)
        if edit is None:
            return
        if edit.kind == "insert":
            await self._all.stage({page: None}, f"{clean(edit.named)} is not made.")
            return
        more = len(below(self.model.known.pages, page))
        gone = replace(edit, kind="delete", text="", moved=False)
        inside = f" with {plural(more, 'page')} below it" if more else ""
        await self._all.stage(
            {page: gone}, f"Staged: {clean(edit.named)} is deleted{inside}. Nothing is sent."
        )

    @action(
        "I",
        "insert file",
        unless=(may_not_write, no_page_here, not_as_staged),
        show=2,
        group="Pages",
        uses=READS,
        stages=True,
        types=True,
        now=while_free("insert file", is_merged),
    )
    async def insert_file(self) -> None:
        """Insert a picture or a file of this machine below the block of the cursor; it is staged.

        Pictures are shown with their alt text, other files are offered.
        """
        page = sure(page_at(self.here))
        if not await self.takes_content():
            return
        key = insertion_key(*self.model.ids, page, "path")

        async def picked(path: str) -> None:
            try:
                await asyncio.to_thread(pick, path)
            except FileRefusedError as error:
                raise NotDoneError(str(error)) from error

        sheet = Ask("Insert a file", "Path:", draft_key=key, check=path_wrong, send=picked)
        typed = cast("str | None", await self.place.desk.push_screen_wait(sheet))
        if typed is not None:
            await self._insert(typed)

    @command("insert", "PATH", stages=True, uses=READS)
    async def insert_path(self, rest: str) -> None:
        """Insert a picture or a file of this machine, as I does: ``:insert ~/diagram.png``."""
        guards = (may_not_write, no_page_here, not_as_staged)
        why = next((why for guard in guards if (why := guard(self.here)) is not None), None)
        if why is not None or not rest.strip():
            self.place.say(why or "Say which file: “:insert ~/diagram.png”.", "warn")
        else:
            await self._insert(rest)

    async def _insert(self, typed: str) -> None:
        """Stage a file, and the block that shows it."""
        page, staged = sure(page_at(self.here)), sure(self.model.staged)
        line = self._line() if page == self.model.page_id else 0
        try:
            file = await asyncio.to_thread(pick, typed)
        except FileRefusedError as error:
            self.place.tell(str(error), "warn")
            return
        edit = await self._begin(page)
        if edit is None:
            return
        title = clean(edit.named)
        if edit.kind == "delete":
            self.place.tell(f"“{title}” is staged to be deleted: u or X undoes that.", "warn")
            return
        asked = "Alt text:" if is_picture(file.name) else "The words of the link:"
        key = insertion_key(*self.model.ids, page, "words")
        words = cast(
            "str | None",
            await self.place.desk.push_screen_wait(Ask(file.said, asked, draft_key=key)),
        )
        if words is None:
            return
        try:
            name = await asyncio.to_thread(keep, staged.files(), file)
        except OSError as error:
            self.place.tell(f"Not staged: {error.strerror or error}.", "bad")
            return
        text = with_block(edit.text, file_block(name, words), line)
        said = f"Staged: {file.said} in “{title}”. Nothing is sent."
        if await self._all.stage({page: replace(edit, text=text)}, said):
            self.place.session.drafts.drop(key)

    @action("X", "discard staged", unless=not_staged, show=5, group="Pages",
            now=while_staged("discard staged"), stages=True)  # fmt: skip
    async def discard_staged(self) -> None:
        """Discard what is staged of the page. u brings it back."""
        page = sure(page_at(self.here))
        title = clean(self.model.edits[page].named)
        await self._all.stage(
            {page: None}, f"Discarded what was staged of “{title}”. u brings it back."
        )


class PageEditCommands(ReviewCommands, scope="review"):
    """Stages edits of the pages of a request, and sends them all with one request."""

    shows: Callable[[str], None] = staticmethod(lambda page: None)
    """Shows a page, with what is staged of it."""
    takes_back: Callable[[], Awaitable[None]]
    """Takes back the merge of the request."""
    takes: Callable[[str], Awaitable[None]]
    """Compares what is staged of a page with its texts, before it is shown."""

    def __init__(self, place: Place) -> None:
        super().__init__(place)
        self.on_page = PageEditing(place)
        self._written = 0
        """How many writes there were when something was staged last."""
        self._stepped_back = 0
        """How many writes there were when a staged step was taken back last."""
        self._shown: dict[str, PageEdit] = {}
        """What was staged when that was shown last."""
        self._resuming = ""
        """The page whose draft is opened once the request is read."""

    # Staging

    async def read(self, space: str, request: str) -> None:
        """Read what is staged of the request that was read."""
        if self.model.staged is None:
            self.model.staged = StagedPages.of(self.place.session, space, request)
            self._written = len(self.place.session.log)
        await self.model.staged.read()
        self._shown = dict(self.model.staged.edits)

    async def stage(self, edits: Mapping[str, PageEdit | None], said: str) -> bool:
        """Stage edits by page, or drop them, and show that; False where it could not be kept."""
        staged = sure(self.model.staged)
        if not await stage_edits(self.place, staged, edits):
            return False
        self._written = len(self.place.session.log)
        await self._changed(list(edits))
        self.place.tell(said)
        return True

    async def _changed(self, pages: Sequence[str]) -> None:
        """Show the tree and the page in front with what is staged by now."""
        if not self.place.is_attached or self.model.opened is None:
            return
        self._shown = dict(self.model.edits)
        for page in pages:
            await self.takes(page)
        self.model.showing = "mine"
        self.here.page_tree.show()
        front = self.model.page_id
        wanted = next((page for page in pages if self.model.find(page) is not None), front)
        if wanted is None or self.model.find(wanted) is None:
            wanted = next((change.id for change in self.model.shown), None)
        if wanted is not None:
            self.shows(wanted)
        self.here.request_tabs.name()
        self.place.refresh_frame()

    async def write(self, page: str, edit: PageEdit, line: int = 0) -> None:
        """Let a person edit what is staged of a page, and stage what comes of it."""
        title = clean(edit.named)
        if edit.kind == "delete":
            self.place.tell(f"“{title}” is staged to be deleted: u or X undoes that.", "warn")
            return
        sources = SourceEditor(self.place, *self.model.ids)
        written = await sources.write(page, edit, line)
        if written is None:
            return
        if written == edit and page not in self.model.edits:
            sources.forget(page, edit)
            self.place.tell("Nothing changed, nothing staged.")
            return
        said = f"Staged: “{title}”. Nothing is sent; ctrl+s shows all and sends it."
        both = await self._with_other_window(page, edit, written)
        if both is not None:
            written = both
            said = f"Staged, with what another window staged of “{title}” meanwhile."
        if line := unsettled_line(written):
            said = f"Staged, but both sides are still in line {line}: e edits it."
        elif why := why_not_sent(written) or self._taken(page, written):
            said = f"Staged, but it cannot be sent like this: {why}. e edits it."
        if await self.stage({page: written}, said):
            sources.forget(page, edit)
            if not self.place.session.offline:
                self._tell_of_others(page, written)

    async def _with_other_window(
        self, page: str, began: PageEdit, written: PageEdit
    ) -> PageEdit | None:
        """Return what was written with what another window has staged since it began.

        None where none has. Lines that both changed stand there as both have them.
        """
        staged = sure(self.model.staged)
        await staged.read()
        there = staged.edits.get(page)
        if there is None or there == began or there.kind == "delete":
            return None
        ours = replace(written, base_text=began.text)
        return replace(there, text=settled(ours, there.text, there.base_revision, "both").text)

    def _taken(self, page: str, edit: PageEdit) -> str:
        return slug_taken(page, edit, self.model.known.pages, self.model.edits)

    def _tell_of_others(self, page: str, edit: PageEdit) -> None:
        """Say whether somebody else edited a page while it was edited here."""

        async def read(api: Api) -> EditCheck:
            return await check_edits(api, *self.model.ids, {page: edit})

        def came(check: EditCheck) -> None:
            standing = check.standings[page]
            who, title = check.who or "Someone", clean(edit.named)
            if standing.open:
                said = f"{who} changed the same of “{title}” meanwhile: ctrl+s asks about it."
                self.place.say(said, "warn")
            elif standing.how == "merged":
                self.place.say(f"{who} changed “{title}” too: both go along (ctrl+s).", "warn")

        self.place.reads.load("others", read, came, what="Reading what others did", kept="never")

    def resume_draft(self, part: str) -> bool:
        """Open the text of a page again that was typed here."""
        word, _, page = part.partition(" ")
        if word not in ("source", "insert", SEND):
            return False
        self._resuming = page if word == "source" else word
        self.go_on()
        return True

    async def look_again(self) -> None:
        """Show what another screen staged of the request, or another window by the last poll."""
        edits = self.model.edits
        if self.model.opened is not None and edits != self._shown:
            await self._changed([*{**edits, **self._shown}])

    def go_on(self) -> None:
        """Open what waits for the request, now that it is read."""
        page, self._resuming = self._resuming, ""
        known = self.model.opened is not None
        if not page or not known:
            self._resuming = page
            return
        if page in DOING:
            self.place.do_soon(DOING[page])
            return
        doing = PageEditing.ACTIONS["edit_page"]
        why = may_not_write(self.here)
        if away(self.place.session, doing):
            why = refusal(self.place.session, doing.label)
        if why is not None:
            self.place.say(why, "warn")
            return

        async def edit() -> None:
            await tell_failures(self.place, self.on_page.edit(page))

        with because(self.on_page, doing.id):
            begin(self.place, edit, name="resume draft")

    @action("ctrl+n", "new page", unless=(may_not_write, not_read), show=6, group="Pages",
            word="new", stages=True, types=True, now=while_free("new page", is_merged))  # fmt: skip
    async def new_page(self) -> None:
        """Write a new page, after the one under the cursor; it is staged, not sent."""
        staged, opened = sure(self.model.staged), self.model.known
        if not await self.takes_content():
            return
        levels = staged_levels(levels_of(opened.pages), self.model.edits)
        beside = page_at(self.here)
        into = next((level for level, rows in levels.items() if beside in rows), None)
        at = levels[into].index(beside) + 1 if beside in levels[into] else None
        key = source_key(*self.model.ids, "new")
        sheet = Ask(
            "New page",
            "Title:",
            draft_key=key,
            check=lambda text: None if text else "A title, please.",
        )
        title = cast("str | None", await self.place.desk.push_screen_wait(sheet))
        if title is None:
            return
        new = PageEdit(
            "insert",
            opened.request.revision,
            text=f"# {title}\n\n",
            into=into,
            at=at,
        )
        page = staged.new_page()
        self.place.session.drafts.drop(key)
        if await self.stage({page: new}, f"Staged: {clean(title)} is new. e writes it."):
            await self.write(page, new, 3)

    @action(
        "g p",
        "arrange",
        unless=(may_not_write, not_read),
        show=3,
        group="Pages",
        uses=("get_change_request", "get_space", "get_change_request_revision"),
        now=while_free("arrange", is_merged),
    )
    async def arrange(self) -> None:
        """Go to the tree of all pages, to move them and to change title, address and icon."""
        if not await self.takes_content():
            return
        target = self.place.target.but(
            space=self.model.ids[0], change_request=self.model.ids[1], page=page_at(self.here)
        )
        await self.place.desk.go("page-arrangement", target)

    @action(
        "u", "undo", unless=nothing_back, show=25, group="Write", override=True, types=True,
        now=lambda here: "revert" if merge_is_meant(here) else "",
        uses=(*merge_revert.USES, *merge_revert.SENDS, "get_current_user"),
    )  # fmt: skip
    async def undo(self) -> None:
        """Undo the last staged step; what was sent since it as everywhere.

        The merge of this change request, if nothing was sent since: a change request reverts it, as
        `:revert` does later.
        """
        staged = self.model.staged
        if staged is not None and self._written >= len(self.place.session.log):
            try:
                pages = await staged.take_back()
            except StagedElsewhereError:
                self.place.tell(ELSEWHERE, "warn")
                return
            if pages:
                self._stepped_back = len(self.place.session.log)
                await self._changed(pages)
                self.place.tell("Undone: it was only staged. ctrl+r stages it again.")
                return
        if merge_is_meant(self.here):
            await self.takes_back()
            return
        await self.place.desk.undo()
        if staged is not None:
            before = dict(staged.edits)
            await staged.read()
            if staged.edits != before:  # what was sent is staged again: u goes on with its steps
                self._written = len(self.place.session.log)
                await self._changed(list(before | staged.edits))

    @action(
        "ctrl+r", "redo", unless=nothing_again, show=False, group="Write", also=("Z",),
        override=True, types=True,
    )  # fmt: skip
    async def redo(self) -> None:
        """Redo the staged step undone last, else the write undone last."""
        staged, session = self.model.staged, self.place.session
        newest = self._stepped_back >= len(session.log) or not session.reversals.redoable()
        if staged is None or not staged.undone or not newest:
            await self.place.desk.redo()
            return
        try:
            pages = await staged.take_again()
        except StagedElsewhereError:
            self.place.tell(ELSEWHERE, "warn")
            return
        self._written = self._stepped_back = len(session.log)
        await self._changed(pages)
        self.place.tell("Staged again. Nothing is sent; u undoes it.")

    # Sending

    @action("ctrl+s", "send", word="send", unless=(may_not_write, nothing_staged), danger=1,
            show=18, group="Pages", now=while_staged("send"), uses=SENDS, takes="none")  # fmt: skip
    async def send_staged(self) -> None:
        """Show all that is staged as a diff, and send it with one call; u undoes it."""
        staged, session = sure(self.model.staged), self.place.session
        if waits(session, staged.request):
            self.place.tell("What is staged waits in the outbox already (g x).", "warn")
            return
        check = await self._checked(staged)
        if check is None:
            return
        files = await asyncio.to_thread(staged_files, staged.files(), check.ready)
        if why := self._why_no_files(files):
            self.place.tell(why, "warn")
            return
        try:
            parts = requests_for(check)
        except FileError as error:
            self.place.tell(f"Not sent: {clean(str(error), limit=200)}. e edits it.", "warn")
            return
        if not parts:
            self.place.tell("The service has it so already: nothing is to be sent.")
            return
        sheet = await self._sheet(check, parts, files)
        if not await self.place.desk.push_screen_wait(sheet):
            return
        note = ""
        if files.sizes:
            await send_files(staged, target=self.model.numbered)
            count = plural(len(files.sizes), "file")
            stays = "stays" if len(files.sizes) == 1 else "stay"
            note = f"{count} {stays} in {self.model.numbered}."
            check = await self._checked(staged)
            if check is None:
                return
        count, front = plural(len(check.ready), "page"), self.model.find(self.model.page_id)
        if len(parts) == 1:
            await send_edits(
                staged, check, target=self.model.numbered, note=note, again="ctrl+s shows both"
            )
        elif not await self._send_parts(staged, check, parts, note):
            return
        if front is not None and front.id.startswith(NEW):
            self.model.inserted = front.node.title
        self.place.tell(f"Sent: {count} of {self.model.numbered}. u undoes it.", "good")
        self.place.read_again()

    def _why_no_files(self, files: StagedFiles) -> str:
        """Say why the files that staged pages name cannot be sent now; "" where they can."""
        if files.gone:
            name = files.gone[0]
            return f"{name} is no longer saved here: I inserts it again, e takes it out."
        if files.sizes and self.place.session.offline:
            return "Files go only while the service is there: all of it stays staged."
        return ""

    async def _send_parts(
        self,
        staged: StagedPages,
        check: EditCheck,
        parts: Sequence[Sequence[Mapping[str, Any]]],
        note: str,
    ) -> bool:
        """Send what takes several requests; False where not all of it was sent."""
        group, api = token(), await self.place.session.ready()

        async def send(at: int) -> None:
            now = check
            if at:
                now = await check_edits(api, staged.space, staged.request, staged.edits)
            if now.open:
                raise WriteError("Someone changed the same meanwhile: ctrl+s asks about it.")
            await send_edits(
                staged, now, target=self.model.numbered, now=True, group=group,
                note="" if at else note,
            )  # fmt: skip

        async def back() -> None:
            await self.place.session.reversals.undo()
            await staged.read()

        lines = [plural(len(part), "change") for part in parts]
        title = f"Send {plural(len(parts), 'call')} to {self.model.numbered}"
        sheet = RunSheet(title, lines, send, verb="send them", back=back, agreed=True)
        sent = await self.place.desk.push_screen_wait(sheet)
        if sent == len(parts):
            return True
        await self._changed(list(staged.edits))
        self.place.tell(
            f"{sent or 0} of {plural(len(parts), 'call')} sent; the rest is staged: ctrl+s "
            "goes on.",
            "warn",
        )
        self.place.read_again()
        return False

    async def _checked(self, staged: StagedPages) -> EditCheck | None:
        """Return what is staged, compared and settled; None where something is to be done first."""
        check = await self._check(staged)
        if check is None:
            return None
        if check.unsettled:
            page, line = next(iter(check.unsettled.items()))
            title = clean(check.ready[page].named)
            self.place.tell(f"Both sides are still in “{title}”, line {line}: e edits it.", "warn")
            return None
        return check

    async def _check(self, staged: StagedPages) -> EditCheck | None:
        """Compare what is staged with what others did, until nothing is left to decide."""
        from copydesk.client.errors import Unreachable

        session, opened = self.place.session, self.model.known
        as_read = unchecked(staged.edits, opened.request.revision, opened.pages)
        if session.offline:
            return as_read
        api = await session.ready()
        while True:

            async def read() -> EditCheck:
                return await check_edits(api, staged.space, staged.request, staged.edits)

            try:
                check = await self.place.reads.now("plan", read, "Reading what others did")
            except Unreachable as error:
                session.learn(error, quiet=True)
                return as_read
            if check is None:
                return None
            fresh = {
                page: edit
                for page, edit in check.rebased.items()
                if check.standings[page].how != "same"
            }
            if fresh and not await self.stage(fresh, "What others changed is in it now."):
                return None
            if not check.open:
                return check
            for page, standing in check.open.items():
                if not await self._settle(page, standing, check):
                    return None

    async def _settle(self, page: str, standing: Standing, check: EditCheck) -> bool:
        """Ask what becomes of an edit that cannot be sent so; False where that was left."""
        edit, title = standing.edit, shorten(clean(standing.edit.named), 40)
        who = check.who or "Someone"
        if standing.how == "clash":
            told = f"{who} changed {plural(len(standing.clashes), 'place')} of {title} too"
            options = [
                Option("both", "edit it, with both in it"),
                Option("mine", "take mine there"),
                Option("theirs", "take theirs there"),
            ]
        elif standing.how == "edited":
            told = f"{who} edited {title}, which you delete"
            options = [Option("mine", "delete it all the same"), Option("discard", "leave it")]
        else:
            told = (
                f"{title} is gone" if edit.kind == "update" else f"The page above {title} is gone"
            )
            options = [
                Option("discard", "discard mine"),
                Option("insert", "make it again, at the top"),
            ]
        sheet = Choice(told, options)
        chosen = cast("str | None", await self.place.desk.push_screen_wait(sheet))
        if chosen is None:
            return False
        if chosen == "discard":
            return await self.stage({page: None}, f"Discarded what was staged of “{title}”.")
        if chosen == "insert":
            new = PageEdit("insert", check.revision, text=edit.text)
            staged = sure(self.model.staged)
            return await self.stage({page: None, staged.new_page(): new}, f"Staged: {title}.")
        api = await self.place.session.ready()
        revision, theirs = await read_source(api, *self.model.ids, page)
        if edit.kind == "delete":
            again = replace(edit, base_revision=revision, base_text=theirs)
            return await self.stage({page: again}, f"Staged: {title} is deleted.")
        on_top = settled(edit, theirs, revision, cast("Side", chosen))
        if not await self.stage({page: on_top}, f"Staged: {title}."):
            return False
        if chosen == "both":
            await self.write(page, on_top)
            return False
        return True

    async def _sheet(
        self, check: EditCheck, parts: Sequence[Sequence[Mapping[str, Any]]], files: StagedFiles
    ) -> Confirm:
        """Return the sheet with all that is sent, as a diff."""
        facts: list[Fact] = []
        if len(parts) > 1:
            changes = plural(sum(map(len, parts)), "change")
            said = f"{changes}: {plural(len(parts), 'call')}; b undoes the first."
            facts += [hint(said, "warn"), ""]
        if files.line:
            facts += [Text(files.line), ""]
        for page in check.merged:
            said = f"{check.who or 'Someone'} changed “{clean(check.ready[page].named)}” too: "
            facts += [Text(f"{said}both are in it.", style="warn"), ""]
        rules = self.model.rules
        reviews = () if rules is None else rules.reviews or ()
        approved = sum(each.status == "approved" and not each.outdated for each in reviews)
        if approved:
            verb = "becomes" if approved == 1 else "become"
            facts += [Text(f"{plural(approved, 'approval')} {verb} outdated.", style="warn"), ""]
        at = {change.id: place for place, change in enumerate(self.model.shown)}
        levels = staged_levels(levels_of(check.tree), check.ready)
        names = {node.id: node.title for node in check.tree}
        names |= {page: edit.named for page, edit in check.ready.items()}
        for page in sorted(check.ready, key=lambda page: at.get(page, -1)):
            edit = check.ready[page]
            sign, tone = SIGNS[edit.kind]
            facts.append(Text.assemble((f"{sign} ", tone), (clean(edit.named), "strong")))
            facts += settings_lines(edit, clean(place_of(page, edit.into, levels, names)))
            if edit.kind != "delete":
                before, after = (body_of(text) for text in (edit.base_text, edit.text))
                if before != after and edit.of_text:
                    facts += await asyncio.to_thread(change_lines, before, after)
            facts.append("")
        count = plural(len(check.ready), "page")
        title = f"Send {count} of {self.model.numbered}?"
        return Confirm(title, facts, verb="send", leaves="leave it staged")


SIGNS = {"update": ("~", "changed"), "insert": ("+", "good"), "delete": ("-", "bad")}


def titles(model: ReviewModel) -> Callable[[PageTreeLine], Text]:
    """Return how the tree names a page; beside its sign an m says that something is staged."""

    def title(entry: PageTreeLine) -> Text:
        shown = present.entry_title(entry)
        if entry.id not in model.edits:
            return shown
        return Text.assemble(shown[:1], ("m", "accent"), shown[1:])

    return title


class ReviewPageTree(TreeList[PageTreeLine]):
    """Shows the changed pages, or all, with their open threads and changed lines."""

    def __init__(self, model: ReviewModel) -> None:
        self._model = model
        self._pages: TreeSource[PageTreeLine] = TreeSource(
            key=lambda entry: entry.id,
            children=lambda entry: entry.children,
        )
        self.everything = False
        """Whether it shows unchanged pages too."""
        self.following = False
        """Whether the cursor was moved by the page in front, and not by the reader."""
        super().__init__(
            self._pages,
            self._page_columns(),
            indent=1,
            title="Pages",
            empty="Reading…",
            sign=self._seen_sign,
            header=False,
            id="pages",
        )

    def show(self) -> None:
        """Show the pages as they were read and staged; the cursor stays on its page."""
        model, opened = self._model, self._model.known
        self.empty = model.no_changes
        changes = with_staged(opened.changes, opened.pages, model.edits)
        roots = present.entries(opened.pages, changes, everything=self.everything)
        model.order(present.in_order(roots))
        here = self.selected_id
        self._pages.unfolded |= {entry.id for entry in _walk(roots) if entry.children}
        self._pages.set_roots(roots)
        self.fit()
        if here is not None:
            self.follow(here)

    def fit(self) -> None:
        """Fit the columns to its pages."""
        self.show_columns(self._page_columns())
        self.refresh_rows()

    def follow(self, page: str) -> None:
        """Put the cursor on a page, without going there."""
        self.following = True
        self.reveal(page)

    def _page_columns(self) -> list[Column[PageTreeLine]]:
        """Return the columns: the counts take what they need, the names the rest."""
        entries = [each for each in _walk(self._pages.roots) if each.change is not None]
        threads: Column[PageTreeLine] = Column("threads", "", self._thread_count, 1, align="right")
        lines: Column[PageTreeLine] = Column(
            "lines", "", self._line_counts, 1, align="right", drop=1
        )
        return [
            Column("title", "", titles(self._model), flex=1, minimum=14),
            by_content(threads, entries, most=3),
            by_content(lines, entries, most=10),
        ]

    def _thread_count(self, entry: PageTreeLine) -> Text:
        count = self._model.open_counts.get(entry.id, 0)
        return Text(str(count), style="accent") if count else Text("")

    def _line_counts(self, entry: PageTreeLine) -> Text:
        page = self._model.newest(entry.id)
        if entry.change is None or entry.change.thing:
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

    def _seen_sign(self, entry: PageTreeLine) -> str:
        if entry.change is None:
            return ""
        signs = {"seen": glyphs().passed, "changed": glyphs().changed}
        return signs.get(self._model.seen_state(entry.id), "")


def _walk(roots: Sequence[PageTreeLine]) -> Iterable[PageTreeLine]:
    waiting = [*roots]
    while waiting:
        entry = waiting.pop()
        yield entry
        waiting.extend(entry.children)
