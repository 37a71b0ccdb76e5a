"""Editing the pages of a change request: staged here, shown as mine, sent all together."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, cast

from rich.text import Text

from copydesk.domain.page_edits import (
    PageEdit,
    Side,
    Standing,
    below,
    content_changes,
    settings_lines,
    settled,
)
from copydesk.domain.page_source import body_of, page_update, read_page_source
from copydesk.domain.page_tree import ChangeKind, PageNode
from copydesk.domain.text import clean, plural, shorten, typed
from copydesk.domain.yaml_lines import FileError
from copydesk.local.durable import private_file
from copydesk.local.page_edits import StagedElsewhereError
from copydesk.present import page_changes as present
from copydesk.present.page_changes import Entry
from copydesk.session.draft_keys import source_key
from copydesk.session.glyphs import glyphs
from copydesk.session.options import Option
from copydesk.session.page_changes import Changed
from copydesk.session.page_edits import (
    ELSEWHERE,
    Check,
    StagedPages,
    check_edits,
    read_source,
    send_edits,
    too_many,
    unchecked,
    waits,
)
from copydesk.tui.dialogs.ask import Ask
from copydesk.tui.dialogs.choice import Choice
from copydesk.tui.dialogs.composer import WriteSheet
from copydesk.tui.dialogs.dialog import Confirm, Fact
from copydesk.tui.framework.actions import NotYet, action, away, refusal
from copydesk.tui.framework.commands import nothing_to_undo
from copydesk.tui.framework.editor import EditorError, has_editor, run_editor
from copydesk.tui.framework.keyboard import because, tell_failures
from copydesk.tui.framework.trees import TreeSource
from copydesk.tui.framework.workers import begin
from copydesk.tui.resource.rich_text import change_lines
from copydesk.tui.review.guards import HasReview, ReviewCommands, may_not_write, not_read
from copydesk.tui.widgets.columns import by_content
from copydesk.tui.widgets.list import Column
from copydesk.tui.widgets.tree import TreeList

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.tui.framework.place import Place
    from copydesk.tui.review.model import ReviewModel

READS = ("get_change_request", "get_change_request_page")
SENDS = ("update_change_request_content", "get_change_request_revision", "get_change_request_page")


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
    return None if change is None or not change.thing else "This is no page."


def not_staged(here: HasReview) -> str | None:
    """Say so when nothing is staged of the page."""
    if here.model.opened is None:
        return not_read(here)
    return None if page_at(here) in here.model.edits else "Nothing is staged of this page."


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
    return None if staged is not None and staged.steps else nothing_to_undo(here)


def with_staged(
    changes: Sequence[Changed], pages: Sequence[PageNode], edits: Mapping[str, PageEdit]
) -> list[Changed]:
    """Return the changes of a request together with what is staged of its pages."""
    nodes = {node.id: node for node in pages}
    found = {change.id: change for change in changes}
    for page, edit in edits.items():
        known, node = found.get(page), nodes.get(page)
        kinds: tuple[ChangeKind, ...] = () if known is None else known.kinds
        if edit.kind == "insert":
            node = PageNode(page, edit.named, parent=edit.into, position=edit.at or 0)
            found[page] = Changed(page, ("added",), None, node)
        elif node is None:
            continue
        elif edit.kind == "delete":
            found[page] = Changed(page, ("deleted",), node, None)
        else:
            more: tuple[ChangeKind, ...] = ("moved",) if edit.moved else ()
            kinds = tuple(dict.fromkeys((*kinds, *more, "edited")))
            change = Changed(page, kinds, node, node) if known is None else known
            found[page] = replace(change, kinds=kinds)
    return list(found.values())


class PageEditing(ReviewCommands, scope="review"):
    """What one does with the page under the cursor of the tree, or in front of the reader."""

    async def _begin(self, page: str) -> PageEdit | None:
        """Return what is staged of a page, else the page as it is now; None when that was left."""
        if (known := self.model.edits.get(page)) is not None:
            return known
        space, request = self.model.ids
        api = await self.place.session.ready()
        node = next((each for each in self.model.known.pages if each.id == page), None)

        async def read() -> tuple[str, str]:
            return await read_source(api, space, request, page)

        found = await self.place.reads.now("plan", read, "Reading the page")
        if found is None:
            return None
        title = "" if node is None else node.title
        return PageEdit("update", found[0], found[1], found[1], title=title)

    @property
    def _all(self) -> EditCommands:
        return self.place.commands_of(EditCommands)

    @action(
        "e",
        "edit",
        unless=(may_not_write, no_page_here),
        show=13,
        group="Pages",
        uses=(*READS, "get_change_request_revision"),
        stages=True,
        types=True,
        override=True,
    )
    async def edit_page(self) -> None:
        """Edit the page as Markdown, its settings above: in $EDITOR, or here where none is set.

        What is saved is staged on this machine, not sent.
        """
        page = page_at(self.here)
        assert page is not None
        await self.edit(page, self._line() if page == self.model.page_id else 0)

    async def edit(self, page: str, line: int = 0) -> None:
        """Edit a page, from a line of its Markdown on."""
        edit = await self._begin(page)
        if edit is not None:
            await self._all.write(page, edit, line)

    def _line(self) -> int:
        """Return the line of the page's Markdown that the cursor is on, from 1; 0 for none."""
        diff = self.here.diff
        if diff.page is None or diff.line is None:
            return 0
        return diff.page.diff[diff.line].after_number or 0

    @action(
        "D",
        "delete",
        unless=(may_not_write, no_page_here),
        show=4,
        group="Pages",
        uses=READS,
        stages=True,
        override=True,
    )
    async def delete_page(self) -> None:
        """Stage that the page is deleted, with those below it. u takes it back."""
        page = page_at(self.here)
        assert page is not None
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
        "X",
        "drop staged",
        unless=not_staged,
        show=5,
        group="Pages",
        now=while_staged("drop staged"),
        stages=True,
    )
    async def drop_staged(self) -> None:
        """Drop what is staged of the page. u brings it back."""
        page = page_at(self.here)
        assert page is not None
        title = clean(self.model.edits[page].named)
        await self._all.stage(
            {page: None}, f"Dropped what was staged of {title}. u brings it back."
        )


class EditCommands(ReviewCommands, scope="review"):
    """Stages edits of the pages of a request, and sends them all with one request."""

    shows: Callable[[str], None] = staticmethod(lambda page: None)
    """Shows a page, with what is staged of it."""
    takes: Callable[[str], Awaitable[None]]
    """Compares what is staged of a page with its texts, before it is shown."""

    def __init__(self, place: Place) -> None:
        super().__init__(place)
        self.on_page = PageEditing(place)
        self._written = 0
        """How many writes there were when something was staged last."""
        self._resuming = ""
        """The page whose draft is opened once the request is read."""

    # Staging

    async def read(self, space: str, request: str) -> None:
        """Read what is staged of the request that was read."""
        if self.model.staged is None:
            self.model.staged = StagedPages(self.place.session, space, request)
            self._written = len(self.place.session.log)
        await self.model.staged.read()

    async def stage(self, edits: Mapping[str, PageEdit | None], said: str) -> bool:
        """Stage edits by page, or drop them, and show that; False where it could not be kept."""
        staged = self.model.staged
        assert staged is not None
        try:
            await staged.stage(edits)
        except StagedElsewhereError:
            self.place.tell(ELSEWHERE, "warn")
            return False
        except OSError as error:
            self.place.tell(f"Not staged: {error.strerror or error}.", "bad")
            return False
        self._written = len(self.place.session.log)
        await self._changed(list(edits))
        self.place.tell(said)
        return True

    async def _changed(self, pages: Sequence[str]) -> None:
        """Show the tree and the page in front with what is staged by now."""
        if not self.place.is_attached or self.model.opened is None:
            return
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
            self.place.tell(f"{title} is staged to be deleted: u or X takes that back.", "warn")
            return
        front = edit.text.count("\n") - body_of(edit.text).count("\n")
        try:
            text = await (
                self._in_editor(self._file(page, edit), edit.text, line and line + front)
                if has_editor()
                else self._in_field(page, edit.text, title)
            )
        except EditorError as error:
            self.place.tell(str(error), "warn")
            return
        except OSError as error:
            self.place.tell(f"Not staged: {error.strerror or error}.", "bad")
            return
        if text is None:
            return
        written = replace(edit, text=text)
        if written == edit and page not in self.model.edits:
            self._forget(page, edit)
            self.place.tell("Nothing changed, nothing staged.")
            return
        said = f"Staged: {title}. Nothing is sent; ctrl+s shows all and sends it."
        try:
            read_page_source(text) if edit.kind == "insert" else page_update(edit.base_text, text)
        except FileError as error:
            said = f"Staged, but it cannot be sent so: {clean(str(error), limit=160)}. e edits it."
        if await self.stage({page: written}, said):
            self._forget(page, edit)
            if not self.place.session.offline:
                self._tell_of_others(page, written)

    def _tell_of_others(self, page: str, edit: PageEdit) -> None:
        """Say whether somebody else edited a page while it was edited here."""

        async def read(api: Api) -> Check:
            return await check_edits(api, *self.model.ids, {page: edit})

        def came(check: Check) -> None:
            standing = check.standings[page]
            who, title = check.who or "Somebody", clean(edit.named)
            if standing.open:
                said = f"{who} changed the same of {title} meanwhile: ctrl+s asks about it."
                self.place.say(said, "warn")
            elif standing.how == "merged":
                self.place.say(f"{who} changed {title} too: both go along (ctrl+s).", "warn")

        self.place.reads.load("others", read, came, what="Reading what others did", kept="never")

    async def _in_editor(self, path: Path, text: str, line: int) -> str:
        """Return a text as the editor left it, to the byte. Raises `EditorError`, ``OSError``.

        The file is there until what is in it is staged: the next start goes on with it.
        """
        if not await asyncio.to_thread(path.exists):
            await asyncio.to_thread(_put, path, text.encode("utf-8", "surrogatepass"))
        run_editor(self.place.desk, path, line)
        data = await asyncio.to_thread(path.read_bytes)
        try:
            return data.decode("utf-8", "surrogatepass")
        except UnicodeDecodeError as error:
            at = data.count(b"\n", 0, error.start) + 1
            raise EditorError(f"Line {at} is not UTF-8: e edits it again.") from error

    async def _in_field(self, page: str, text: str, title: str) -> str | None:
        """Return a text as it was typed here; None where it is kept for later."""
        end = "\r\n" if "\r\n" in text else "\n"
        lines = text.replace("\r\n", "\n")
        if typed(lines, lines=True) != lines or lines.replace("\n", end) != text:
            raise EditorError("It has signs that no field here shows: set $EDITOR to edit it.")
        key = source_key(*self.model.ids, page)
        sheet = WriteSheet(
            f"Edit {title}", key, text=lines, verb="stages it", at_start=True, exact=True
        )
        found = cast("str | None", await self.place.desk.push_screen_wait(sheet))
        return None if found is None else found.replace("\n", end)

    def _file(self, page: str, edit: PageEdit) -> Path:
        return self.place.session.staged.editor_file(*self.model.ids, page, edit.base_text)

    def _forget(self, page: str, edit: PageEdit) -> None:
        """Drop what was typed, now that it is staged."""
        self.place.session.drafts.drop(source_key(*self.model.ids, page))
        path = self._file(page, edit)
        path.unlink(missing_ok=True)
        with suppress(OSError):  # another page is in an editor
            path.parent.rmdir()

    def resume_draft(self, part: str) -> bool:
        """Open the text of a page again that was typed here."""
        word, _, page = part.partition(" ")
        if word != "source":
            return False
        self._resuming = page
        self.go_on()
        return True

    def go_on(self) -> None:
        """Open what waits for the request, now that it is read."""
        page, self._resuming = self._resuming, ""
        known = self.model.opened is not None
        if not page or not known:
            self._resuming = page
            return
        if page == "new":
            self.place.do_soon("new_page")
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

    @action(
        "ctrl+n",
        "new page",
        unless=(may_not_write, not_read),
        show=6,
        group="Pages",
        stages=True,
        types=True,
    )
    async def new_page(self) -> None:
        """Write a new page, after the one under the cursor; it is staged, not sent."""
        staged, opened = self.model.staged, self.model.known
        assert staged is not None
        pages = {node.id: node for node in opened.pages}
        beside = pages.get(page_at(self.here) or "")
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
            into=None if beside is None else beside.parent,
            at=None if beside is None else beside.position + 1,
        )
        page = staged.new_page()
        self.place.session.drafts.drop(key)
        if await self.stage({page: new}, f"Staged: {clean(title)} is new. e writes it."):
            await self.write(page, new, 3)

    @action("u", "undo", unless=nothing_back, show=False, group="Write", override=True)
    async def undo(self) -> None:
        """Take back the last staged step; what was sent since it as everywhere."""
        staged = self.model.staged
        if staged is not None and self._written >= len(self.place.session.log):
            try:
                pages = await staged.take_back()
            except StagedElsewhereError:
                self.place.tell(ELSEWHERE, "warn")
                return
            if pages:
                await self._changed(pages)
                self.place.tell("Taken back: it was only staged.")
                return
        await self.place.desk.undo()
        if staged is not None:
            before = dict(staged.edits)
            await staged.read()
            if staged.edits != before:  # what was sent is staged again: u goes on with its steps
                self._written = len(self.place.session.log)
                await self._changed(list(before | staged.edits))

    # Sending

    @action(
        "ctrl+s",
        "send",
        unless=(may_not_write, nothing_staged),
        danger=1,
        show=18,
        group="Pages",
        now=while_staged("send"),
        uses=SENDS,
        takes="none",
    )
    async def send_staged(self) -> None:
        """Show all that is staged as a diff, and send it with one request; u takes it back."""
        staged, session = self.model.staged, self.place.session
        assert staged is not None
        if waits(session, staged.request):
            self.place.tell("What is staged waits in the outbox already (g x).", "warn")
            return
        check = await self._check(staged)
        if check is None:
            return
        if check.unsettled:
            page, line = next(iter(check.unsettled.items()))
            title = clean(check.ready[page].named)
            self.place.tell(f"Both sides still stand in {title}, line {line}: e edits it.", "warn")
            return
        try:
            changes = content_changes(check.ready, check.tree)
        except FileError as error:
            self.place.tell(f"Not sent: {clean(str(error), limit=200)}. e edits it.", "warn")
            return
        if not changes:
            self.place.tell("It is so already: nothing is to be sent.")
        elif said := too_many(changes):
            self.place.tell(said, "warn")
        elif await self.place.desk.push_screen_wait(await self._sheet(check)):
            await send_edits(staged, check, target=self.model.numbered)
            count = plural(len(changes), "page")
            self.place.tell(f"Sent: {count} of {self.model.numbered}. u takes it back.", "good")
            self.place.read_again()

    async def _check(self, staged: StagedPages) -> Check | None:
        """Compare what is staged with what others did, until nothing is left to decide."""
        session, opened = self.place.session, self.model.known
        if session.offline:
            return unchecked(staged.edits, opened.request.revision, opened.pages)
        api = await session.ready()
        while True:

            async def read() -> Check:
                return await check_edits(api, staged.space, staged.request, staged.edits)

            check = await self.place.reads.now("plan", read, "Reading what others did")
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

    async def _settle(self, page: str, standing: Standing, check: Check) -> bool:
        """Ask what becomes of an edit that cannot be sent so; False where that was left."""
        edit, title = standing.edit, shorten(clean(standing.edit.named), 40)
        who = check.who or "Somebody"
        if standing.how == "clash":
            told = f"{who} changed {plural(len(standing.clashes), 'place')} of {title} too"
            options = [
                Option("both", "edit it, with both in it"),
                Option("mine", "take mine there"),
                Option("theirs", "take theirs there"),
            ]
        elif standing.how == "edited":
            told = f"{who} edited {title}, which you delete"
            options = [Option("mine", "delete it all the same"), Option("drop", "leave it")]
        else:
            told = (
                f"{title} is gone" if edit.kind == "update" else f"The page above {title} is gone"
            )
            options = [Option("drop", "drop mine"), Option("insert", "make it again, at the top")]
        sheet = Choice(told, options)
        chosen = cast("str | None", await self.place.desk.push_screen_wait(sheet))
        if chosen is None:
            return False
        if chosen == "drop":
            return await self.stage({page: None}, f"Dropped what was staged of {title}.")
        if chosen == "insert":
            new = PageEdit("insert", check.revision, text=edit.text)
            staged = self.model.staged
            assert staged is not None
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

    async def _sheet(self, check: Check) -> Confirm:
        """Return the sheet with all that is sent, as a diff."""
        facts: list[Fact] = []
        for page in check.merged:
            said = f"{check.who or 'Somebody'} changed {clean(check.ready[page].named)} too: "
            facts += [Text(f"{said}both are in it.", style="warn"), ""]
        rules = self.model.rules
        reviews = () if rules is None else rules.reviews or ()
        approved = sum(each.status == "approved" and not each.outdated for each in reviews)
        if approved:
            verb = "becomes" if approved == 1 else "become"
            facts += [Text(f"{plural(approved, 'approval')} {verb} outdated.", style="warn"), ""]
        at = {change.id: place for place, change in enumerate(self.model.shown)}
        for page in sorted(check.ready, key=lambda page: at.get(page, -1)):
            edit = check.ready[page]
            sign, tone = SIGNS[edit.kind]
            facts.append(Text.assemble((f"{sign} ", tone), (clean(edit.named), "strong")))
            facts += settings_lines(edit)
            if edit.kind != "delete":
                before, after = (body_of(text) for text in (edit.base_text, edit.text))
                if before != after:
                    facts += await asyncio.to_thread(change_lines, before, after)
            facts.append("")
        count = plural(len(check.ready), "page")
        title = f"Send {count} of {self.model.numbered}?"
        return Confirm(title, facts, verb="send", leaves="leave it staged")


SIGNS = {"update": ("~", "changed"), "insert": ("+", "good"), "delete": ("-", "bad")}


def _put(path: Path, data: bytes) -> None:
    private_file(path)
    path.write_bytes(data)


def titles(model: ReviewModel) -> Callable[[Entry], Text]:
    """Return how the tree names a page; beside its sign an m says that something is staged."""

    def title(entry: Entry) -> Text:
        shown = present.entry_title(entry)
        if entry.id not in model.edits:
            return shown
        return Text.assemble(shown[:1], ("m", "accent"), shown[1:])

    return title


class PageTree(TreeList[Entry]):
    """Shows the changed pages, or all, with their open threads and changed lines."""

    def __init__(self, model: ReviewModel) -> None:
        self._model = model
        self._pages: TreeSource[Entry] = TreeSource(
            key=lambda entry: entry.id,
            children=lambda entry: entry.children,
            foldable=lambda entry: bool(entry.children),
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
        """Fit the columns to the counts as they are now."""
        self.show_columns(self._page_columns())
        self.refresh_rows()

    def follow(self, page: str) -> None:
        """Put the cursor on a page, without going there."""
        self.following = True
        self.reveal(page)

    def _page_columns(self) -> list[Column[Entry]]:
        """Return the columns: the counts take what they need, the names the rest."""
        entries = [each for each in _walk(self._pages.roots) if each.change is not None]
        threads: Column[Entry] = Column("threads", "", self._thread_count, 1, align="right")
        lines: Column[Entry] = Column("lines", "", self._line_counts, 1, align="right", drop=1)
        return [
            Column("title", "", titles(self._model), flex=1, minimum=14),
            by_content(threads, entries, most=3),
            by_content(lines, entries, most=10),
        ]

    def _thread_count(self, entry: Entry) -> Text:
        count = self._model.open_counts.get(entry.id, 0)
        return Text(str(count), style="accent") if count else Text("")

    def _line_counts(self, entry: Entry) -> Text:
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

    def _seen_sign(self, entry: Entry) -> str:
        if entry.change is None:
            return ""
        signs = {"seen": glyphs().passed, "changed": glyphs().changed}
        return signs.get(self._model.seen_state(entry.id), "")


def _walk(roots: Sequence[Entry]) -> Iterable[Entry]:
    waiting = list(roots)
    while waiting:
        entry = waiting.pop()
        yield entry
        waiting.extend(entry.children)
