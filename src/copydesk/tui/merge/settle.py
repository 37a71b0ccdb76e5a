"""Settling a change request with main: page by page, hunk by hunk, staged until it is sent."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import TYPE_CHECKING, cast

from rich.text import Text
from textual import events
from textual.app import ComposeResult
from textual.geometry import Region
from textual.strip import Strip

from copydesk.domain.hunks import Choice, Hunk, Side, marked, marker_left
from copydesk.domain.picture import Shown
from copydesk.domain.settlement import SettledPage
from copydesk.domain.staged_files import is_picture
from copydesk.domain.sure import sure
from copydesk.domain.text import clean, listed, plural, shown_subject
from copydesk.present.facts import hint
from copydesk.present.markdown import Line, wrap_exact
from copydesk.present.settlement import (
    NAMES,
    file_lines,
    hunk_lines,
    hunk_name,
    hunk_told,
    sides_said,
)
from copydesk.session.draft_keys import hunk_key
from copydesk.session.errors import IN_THE_LOG, NotDoneError, failure_types, sentence
from copydesk.session.glyphs import glyphs
from copydesk.session.settlement import SENDS, USES, EditedError, SettledFile, Settlement
from copydesk.session.target import Target
from copydesk.session.writes.log import RecalledError, WriteError
from copydesk.tui.dialogs.composer import WriteSheet
from copydesk.tui.dialogs.dialog import Confirm, Fact
from copydesk.tui.dialogs.pictures import PictureKeys, Pictures, PictureSides
from copydesk.tui.framework.actions import NotYet, action, command
from copydesk.tui.framework.commands import nothing_to_undo
from copydesk.tui.framework.editor import EditorError, drop_file, edit_file
from copydesk.tui.framework.navigation import NO_REQUEST, place
from copydesk.tui.framework.pane import offered
from copydesk.tui.framework.place import Part, Place
from copydesk.tui.merge.dialog import MergeSheet
from copydesk.tui.widgets.wrapped_list import SpanPane

if TYPE_CHECKING:
    from copydesk.client.api import Api

GOES_ON = "r goes on, b puts the change request's pages back."

MERGES = "merge"
"""The view of the target after which the merge goes on."""


def not_read(here: SettlePlace) -> str | None:
    """Say so while both sides are not read."""
    return None if here.read else NotYet("Both sides are not read yet.")


def no_hunk(here: SettlePlace) -> str | None:
    """Say so when there is nothing to choose."""
    if (why := not_read(here)) is not None:
        return why
    if here.hunk is None:
        return "Nothing conflicts here."
    return may_not_settle(here)


def may_not_settle(here: SettlePlace) -> str | None:
    """Say so when the request cannot be settled by this person, or not on this service."""
    if (why := not_read(here)) is not None:
        return why
    now = here.settlement.now
    if now is not None and now.status not in ("open", "draft"):
        return f"#{now.number} is {clean(now.status)}."
    if here.settlement.under_way:
        return "It is being sent."
    return here.refused or None


def whole_file(here: SettlePlace) -> str | None:
    """Say so where a file is taken from one side."""
    if (why := no_hunk(here)) is not None:
        return why
    return "A file is that of one side: 1 or 2." if isinstance(here.page, SettledFile) else None


def one_value(here: SettlePlace) -> str | None:
    """Say so where both cannot stand."""
    if (why := whole_file(here)) is not None:
        return why
    hunk = here.hunk
    return "It has one value: 1, 2 or 0." if hunk is not None and hunk.field else None


def no_text(here: SettlePlace) -> str | None:
    """Say so where there is no text to write."""
    if (why := whole_file(here)) is not None:
        return why
    hunk = here.hunk
    return "Not text: press 1, 2 or 0." if hunk is not None and hunk.field else None


def still_open(here: SettlePlace) -> str | None:
    """Say so while a choice is missing."""
    if (why := may_not_settle(here)) is not None:
        return why
    if here.settlement.others:
        return here.settlement.others[0].elsewhere
    if here.settlement.kept is not None and here.settlement.kept.state == "sent":
        return "It is sent."
    count = len(here.settlement.open)
    if count:
        return f"{plural(count, 'hunk')} {'is' if count == 1 else 'are'} open: J goes there."
    return "Offline: what is chosen stays here." if here.session.offline else None


def not_stopped(here: SettlePlace) -> str | None:
    """Say so where no run stopped."""
    if (why := may_not_settle(here)) is not None:
        return why
    return None if here.settlement.stopped else "Nothing was sent that stopped on its way."


def while_stopped(label: str) -> Callable[[SettlePlace], str]:
    """Return a function that gives ``label``, or "" while no run stopped."""
    return lambda here: label if here.settlement.stopped else ""


def nothing_back(here: SettlePlace) -> str | None:
    """Say so when there is neither a choice nor a write to take back."""
    return None if here.steps else nothing_to_undo(here)


WHOLE = 400
"""Cells in which a sentence is in one line."""


class SettleView(SpanPane, scope="settle_view"):
    """Draws the hunk in front, between what is beside it."""

    def __init__(
        self,
        lines: Callable[[int], list[Line]],
        turn: Callable[[], None],
        told: Callable[[], list[str]],
    ) -> None:
        super().__init__(id="settle")
        self._make = lines
        self.told = told
        """Returns what it draws in words: what is chosen, then each side."""
        self._turn = turn
        self.empty = "Reading both sides"
        self._shown: list[Line] = []
        self._room = 0
        """The width that they were made for."""

    def on_resize(self, event: events.Resize) -> None:
        """Draw for the new width."""
        self.draw()

    def draw(self, *, top: bool = False) -> None:
        """Draw what is in front by now."""
        width = self.scrollable_content_region.width
        if width <= 0:
            return
        self.forget_styles()
        self._shown, self._room = self._make(width), width
        self.resize_lines(len(self._shown))
        if top:
            self.scroll_to(y=0, animate=False)
        self.refresh()

    def refresh_rows(self) -> None:
        self.draw()

    @action("z R", "show merged", word="expand_all", show=False, group="Settle")
    def show_merged(self) -> None:
        """Show what was merged by itself too, or no longer."""
        self._turn()

    def render_lines(self, crop: Region) -> list[Strip]:
        """Draw what is visible, for another width where the scroll bar has come or gone since."""
        width = self.scrollable_content_region.width
        if self._room not in (0, width):
            self.forget_styles()
            self._shown, self._room = self._make(width), width
            self.call_later(self.resize_lines, len(self._shown))
        return super().render_lines(crop)

    def render_line(self, y: int) -> Strip:
        """Draw one visible line."""
        width, at = self.line_width, self.first_line + y
        if not self._shown:
            said = wrap_exact([(self.nothing_said(self.empty), "muted")], max(8, width))
            return self.strip_of(said[at] if at < len(said) else [], self.base, width)
        if at >= len(self._shown):
            return self.blank(width, self.base)
        return self.strip_of(self._shown[at], self.base, width)


@place(
    "settle", title="Settle with main", uses=USES,
    at=lambda here: Target(space=here.target.space, change_request=here.target.change_request),
)  # fmt: skip
class SettlePlace(Place, scope="settle"):
    """What a change request and main both changed, and what is chosen of each.

    What is chosen is staged on this machine until ctrl+s sends it.
    """

    def __init__(self, target: Target) -> None:
        super().__init__(target)
        self.begun: Settlement | None = None
        self.read = False
        self.refused = ""
        """Why nothing can be settled here, as a sentence."""
        self._said = "Reading both sides"
        self._page = self._hunk = 0
        self._side = "request"
        self._all = False
        self._back = ""
        """What was told of putting pages back, until both sides are read again."""
        self._asked = False
        """Whether it was asked already how a run goes on that was cut off."""

    @property
    def settlement(self) -> Settlement:
        """What is settled."""
        if self.begun is None:
            ids = self.target.space or "", self.target.change_request or ""
            self.begun = Settlement(self.session, *ids)
        return self.begun

    @property
    def page(self) -> SettledPage | SettledFile | None:
        """The page in front, or the file."""
        pages = self.settlement.parts
        return pages[min(self._page, len(pages) - 1)] if pages else None

    @property
    def hunks(self) -> list[Hunk]:
        """The hunks of the page that one goes to: those that conflict, with ``zR`` all changes."""
        page = self.page
        if page is None:
            return []
        return [
            hunk
            for hunk in page.hunks
            if hunk.conflicts
            or hunk.key in self.settlement.choices
            or (self._all and not hunk.same)
        ]

    @property
    def steps(self) -> bool:
        """Whether a choice can be taken back."""
        kept = self.settlement.kept
        return kept is not None and bool(kept.steps) and kept.state == "open"

    @property
    def hunk(self) -> Hunk | None:
        """The hunk in front."""
        hunks = self.hunks
        return hunks[min(self._hunk, len(hunks) - 1)] if hunks else None

    def panes(self) -> ComposeResult:
        """One text: what was before, both sides, and the result."""
        self.shown = SettleView(self._drawn, self.show_merged, self._told)
        self.pictures = Pictures(
            self, lambda: self._show(top=False), lambda: None,
            reviewed=True, labels=(NAMES["main"], NAMES["request"]), turned=True,
        )  # fmt: skip
        self.shown.first = (PictureKeys(self, self.shown, self._pictures, self.pictures),)
        yield Part("main", self.shown)

    def trail(self) -> Iterable[str]:
        yield clean(self.settlement.label) if self.read else f"change request{glyphs().more}"
        yield "settle with main"

    @property
    def _far(self) -> str:
        """How far it is."""
        work = self.settlement
        if work.kept is not None and work.kept.state == "sent":
            return "sent"
        merged = work.elsewhere + sum(page.merged for page in work.parts)
        sent = "stopped" if work.stopped else "nothing sent"
        rest = f"   {merged} merged cleanly" if merged else ""
        return f"{len(work.open)} open   {sent}{rest}"

    def url(self) -> str | None:
        now = self.settlement.now
        return None if now is None else now.urls.app

    # Reading

    def reload(self) -> None:
        work = self.settlement
        if self.target.space is None or self.target.change_request is None:
            self._failed(NO_REQUEST)
            return

        async def read(api: Api) -> Settlement:
            await work.read()
            return work

        self.reads.load(
            "settle", read, self._came, what="Reading both sides", failed=self._failed, kept="never"
        )

    def poll(self) -> None:
        """Read nothing: R does, and each write reads before it is sent."""

    def _failed(self, said: str) -> None:
        self._said = self.shown.empty = said
        self.shown.draw()

    def _came(self, work: Settlement) -> None:
        first = not self.read
        self.read, self._said = True, ""
        self.pictures.forget()
        self.refused = work.refused
        if first:
            self._to_open()
        elif work.new:
            said = self._back or "Read again"
            self.say(f"{said}: your choices stay, {plural(work.new, 'hunk')} open.", "warn")
        self._back = ""
        if work.stopped and not self._asked:
            self._asked = True
            self.say(f"Stopped on its way: {GOES_ON}", "warn")
        self._show(top=first)
        if self.resuming:
            self._resume()

    def _show(self, *, top: bool = True) -> None:
        if self.is_attached:
            self.shown.title = self._title()
            self.shown.draw(top=top)
            self.refresh_frame()

    def _title(self) -> str:
        page, hunks, work = self.page, self.hunks, self.settlement
        if page is None:
            return self._far if self.read else "Settle"
        said = [f"{self._page + 1}/{len(work.parts)} {page.title}"]
        if hunks and (hunk := self.hunk) is not None:
            said.append(f"{self._hunk + 1}/{len(hunks)} {hunk_name(hunk)}")
        return "   ".join([*said, self._far])

    def _drawn(self, width: int) -> list[Line]:
        page, hunk, work = self.page, self.hunk, self.settlement
        if self._said:
            return []
        lines: list[Line] = [
            part
            for each in work.others
            for part in wrap_exact([(each.elsewhere, "bad")], max(8, width))
        ]
        if self.refused:
            lines.append([(offered(self, self.refused), "warn")])
        if page is None or hunk is None:
            done = "Nothing conflicts: all is merged by itself."
            return [*lines, [(done, "muted")]]
        if isinstance(page, SettledFile):
            choice = work.choices.get(hunk.key)
            return [*lines, *file_lines(hunk, page.said, choice, width), [],
                    *self._drawn_pictures(width)]  # fmt: skip
        at = next(place for place, each in enumerate(page.hunks) if each.key == hunk.key)
        found = hunk_lines(page, at, work.choices, width, side=self._side, name=work.page_name)
        return [*lines, *found]

    def _told(self) -> list[str]:
        """Return the hunk in front in words."""
        page, hunk, work = self.page, self.hunk, self.settlement
        if self._said or page is None or hunk is None:
            drawn = self._drawn(WHOLE)
            return ["".join(text for text, _ in line) for line in drawn] or [self._said]
        texts = (
            page.said if isinstance(page, SettledFile) else sides_said(page, hunk, work.page_name)
        )
        refused = [self.refused] if self.refused else []
        return [*refused, *hunk_told(hunk, work.choices.get(hunk.key), texts)]

    def _pictures(self) -> list[PictureSides]:
        """Return the file in front as the picture that it is; nothing for any other."""
        file = self.page
        if not isinstance(file, SettledFile) or not is_picture(file.title):
            return []
        main, request = (
            Shown(f"/files/{file.ids[side]}", "") if side in file.ids else None
            for side in ("main", "request")
        )
        return [PictureSides(main, request, file.title)]

    def _drawn_pictures(self, width: int) -> list[Line]:
        """Return both pictures beside each other, as far as they are read by now."""
        sides = self._pictures()
        self.pictures.see_sides(sides)
        return self.pictures.lines_of(sides, width)

    def resume_draft(self, part: str) -> None:
        """Open the hunk again that was being written here."""
        self.resuming = part
        self._resume()

    def _resume(self) -> None:
        part, self.resuming = self.resuming, ""
        if not self.read:
            self.resuming = part
            return
        for at, page in enumerate(self.settlement.parts):
            if part in (keys := [hunk.key for hunk in page.conflicts]):
                self._page, self._hunk = at, keys.index(part)
                self._show()
                self.do_soon("write")

    # Moving

    def _to_open(self) -> None:
        """Go to the first hunk that is open."""
        work = self.settlement
        for at, page in enumerate(work.parts):
            if found := page.open(work.choices):
                self._page = at
                self._hunk = self.hunks.index(found[0])
                return

    @action("J", "hunk", word="next", unless=not_read, show=12, group="Settle")
    def next_hunk(self) -> None:
        """Go to the next hunk, on the next page after the last."""
        self._step(1)

    @action("K", "previous hunk", word="previous", unless=not_read, show=False, group="Settle")
    def previous_hunk(self) -> None:
        """Go to the hunk before, on the page before from the first."""
        self._step(-1)

    def _step(self, by: int) -> None:
        at = self._hunk + by
        if 0 <= at < len(self.hunks):
            self._hunk = at
            self._show()
        elif not self._turn(by):
            self.say(f"This is the {'last' if by > 0 else 'first'} hunk.")

    def _turn(self, by: int) -> bool:
        if not 0 <= self._page + by < len(self.settlement.parts):
            return False
        self._page += by
        self._hunk = 0 if by > 0 else max(0, len(self.hunks) - 1)
        self._show()
        return True

    @action("]", "page", unless=not_read, show=11, group="Settle", override=True)
    def next_view(self) -> None:
        """Go to the next page."""
        if not self._turn(1):
            self.say("This is the last page.")

    @action("[", "previous page", unless=not_read, show=False, group="Settle", override=True)
    def previous_view(self) -> None:
        """Go to the page before."""
        if not self._turn(-1):
            self.say("This is the first page.")

    @action("tab", "other side", show=False, group="Settle", override=True)
    def next_pane(self) -> None:
        """Show another of the three texts, where there is room for one."""
        sides = list(NAMES)
        self._side = sides[(sides.index(self._side) + 1) % len(sides)]
        self._show()

    def show_merged(self) -> None:
        """Show what was merged by itself too, or no longer."""
        self._all, self._hunk = not self._all, 0
        self._show()

    # Choosing

    @action("0", "before", unless=whole_file, show=14, group="Settle", stages=True, override=True)
    async def take_before(self) -> None:
        """Take what was before both changes."""
        await self._take("before")

    @action("1", "change request", unless=no_hunk, show=20, group="Settle", stages=True,
            override=True)  # fmt: skip
    async def take_request(self) -> None:
        """Take what this change request says."""
        await self._take("request")

    @action("2", "main", unless=no_hunk, show=19, group="Settle", stages=True, override=True)
    async def take_main(self) -> None:
        """Take what main says."""
        await self._take("main")

    @action("3", "both", unless=one_value, show=18, group="Settle", stages=True, override=True)
    async def take_both(self) -> None:
        """Take both, the change request's first; again: main's first."""
        hunk = self.hunk
        choice = None if hunk is None else self.settlement.choices.get(hunk.key)
        await self._take("turned" if choice is not None and choice.side == "both" else "both")

    async def _take(self, side: Side, text: str = "") -> bool:
        hunk = sure(self.hunk)
        again = hunk.key in self.settlement.choices
        if not await self._choose({hunk.key: Choice(side, text)}):
            return False
        if side != "turned" and not again:
            self._on(hunk)
        return True

    def _on(self, hunk: Hunk) -> None:
        """Stay at a hunk that was chosen: J goes on. Say how many are open."""
        count = len(self.settlement.open)
        said = f"{plural(count, 'hunk')} open." if count else "All is settled: ctrl+s sends it."
        self.say(said, "" if count else "good")

    async def _choose(self, choices: Mapping[str, Choice | None]) -> bool:
        try:
            await self.settlement.choose(choices)
        except OSError as error:
            self.tell(f"Not staged: {error.strerror or error}.", "bad")
            return False
        self._show(top=False)
        return True

    @command("all", "0|1|2|3", complete=lambda here: ("0", "1", "2", "3"), stages=True)
    async def take_all(self, rest: str) -> None:
        """Choose the same of every hunk of the page: :all 1."""
        page, why = self.page, no_hunk(self)
        sides: dict[str, Side] = {"0": "before", "1": "request", "2": "main", "3": "both"}
        side = sides.get(rest.strip())
        if why is not None or page is None or side is None:
            self.say(why or ":all 0, 1, 2 or 3.", "warn")
            return
        if side not in ("request", "main") and (why := whole_file(self)):
            self.say(why, "warn")
            return
        if await self._choose({hunk.key: Choice(side) for hunk in page.conflicts}):
            self._on(page.conflicts[0])

    @action(
        "e", "editor", unless=no_text, show=13, group="Settle", stages=True, types=True,
        word="edit", override=True,
    )  # fmt: skip
    async def write(self) -> None:
        """Write the hunk in the editor, with both sides between markers."""
        hunk = sure(self.hunk)
        known = self.settlement.choices.get(hunk.key)
        text, markers = marked(hunk)
        if known is not None and known.side == "text":
            text = known.text
        # Both texts are in its name: what a killed program leaves is of the same hunk.
        work = self.settlement
        path = self.session.staged.editor_file(work.space, work.request, hunk.key, text)
        try:
            written = await edit_file(self.desk, path, text, self._in_field)
        except (EditorError, OSError) as error:
            self.tell(str(error), "warn")
            return
        if written is None:
            return
        if line := marker_left(written, markers):
            self.tell(f"A marker is still in line {line}: e edits it again.", "warn")
            return
        if not await self._take("text", written):
            return
        self.session.drafts.drop(hunk_key(work.space, work.request, hunk.key))
        try:
            await asyncio.to_thread(drop_file, path)
        except OSError as error:
            self.tell(f"Staged, but its file stays: {error.strerror or error}.", "warn")

    async def _in_field(self, text: str, why: str) -> str | None:
        end = "\r\n" if "\r\n" in text else "\n"
        hunk, ids = sure(self.hunk), (self.settlement.space, self.settlement.request)
        key = hunk_key(*ids, hunk.key)
        sheet = WriteSheet(
            "Write the hunk", key, text=text.replace("\r\n", "\n"), why=why, verb="stage it",
            exact=True,
        )  # fmt: skip
        found = cast("str | None", await self.desk.push_screen_wait(sheet))
        return None if found is None else found.replace("\n", end)

    @action("u", "undo", unless=nothing_back, show=8, group="Write", override=True)
    async def undo(self) -> None:
        """Undo the last choice; once it is sent, the write, where that changed its text."""
        kept = self.settlement.kept
        if self.steps and kept is not None:
            await self.settlement.undo()
            self._go_to(kept.steps[-1])
            self._show(top=False)
            self.say("Undone: it was only staged.")
            return
        await self.desk.undo()

    def _go_to(self, keys: Collection[str]) -> None:
        """Go to the first of some hunks, unless one of them is in front."""
        if self.hunk is not None and self.hunk.key in keys:
            return
        for at, page in enumerate(self.settlement.parts):
            if any(hunk.key in keys for hunk in page.hunks):
                self._page = at
                places = [n for n, hunk in enumerate(self.hunks) if hunk.key in keys]
                self._hunk = min(places, default=0)
                return

    # Sending

    @action("ctrl+s", "send", unless=still_open, danger=2, show=17, group="Settle", uses=SENDS)
    async def send(self) -> None:
        """Bring the change request up to date with what is chosen; a merge goes on afterwards."""
        work = self.settlement
        now = sure(work.now)
        if mixed := work.mixed:
            self.say(f"{mixed}.", "warn")
            return
        counts = [(len(work.pages), "page"), (len(work.files), "file")]
        chosen = listed([plural(count, noun) for count, noun in counts if count] or ["0 pages"])
        facts: list[Fact] = [
            Text(shown_subject(now.subject), style="strong"),
            f"{chosen} as chosen here; the rest is merged by itself.",
            "The change request then has all of main. Nothing of main changes.",
        ]
        if work.files:
            facts.append(hint("Once it is sent, u does not bring back the other file.", ""))
        sheet = Confirm(f"Send what is settled of #{now.number}?", facts, verb="send")
        if await self.desk.push_screen_wait(sheet):
            await self._go(recall=True)

    @action(
        "r", "go on", unless=not_stopped, danger=2, show=16, group="Settle", uses=SENDS,
        now=while_stopped("go on"),
    )  # fmt: skip
    async def go_on(self) -> None:
        """Go on with what stopped on its way."""
        await self._go(recall=False)

    @action(
        "b", "put back", unless=not_stopped, danger=2, show=15, group="Settle",
        now=while_stopped("put back"),
        uses=("get_change_request", "get_change_request_revision", "get_change_request_page",
              "update_change_request_content"),
    )  # fmt: skip
    async def put_back(self) -> None:
        """Put its pages back as they were before any was sent; the choices stay."""
        try:
            await self.session.writes.whole(self._put_back())
        except NotDoneError as error:
            self.tell(str(error), "bad")
        else:
            self.reload()

    async def _put_back(self) -> None:
        """Put its pages back. Raises `NotDoneError` where that failed."""
        try:
            edited = await self.settlement.put_back()
        except failure_types() as error:
            raise NotDoneError(f"{self._label} not put back: {sentence(error)}") from error
        but = f", but for {listed(edited)}, edited meanwhile" if edited else ""
        self._back = f"The pages of {self._label} are as they were{but}"
        self._tell(f"{self._back}; the choices stay.", "warn" if edited else "good")

    async def _go(self, *, recall: bool) -> None:
        # It goes on where this is left: between its writes the request has pages of main.
        try:
            sent = await self.session.writes.whole(self._send(recall=recall))
        except NotDoneError as error:
            self.tell(str(error), "bad")
            self._show(top=False)
            return
        if sent and self.target.view == MERGES:
            sheet = MergeSheet(self.settlement.space, sure(self.settlement.now).id)
            await self.desk.push_screen_wait(sheet)
            await self.desk.step_back(quits=False)

    async def _send(self, *, recall: bool) -> bool:
        """Send the choices, or go on with it; False when it was recalled.

        Raises `NotDoneError` where it stopped, with what to do.
        """
        work = self.settlement
        try:
            await work.send(tell=self.refresh_frame, recall=recall)
        except RecalledError:
            self._show(top=False)
            self._tell("Recalled: nothing was sent, the choices stay.")
            return False
        except EditedError as error:
            raise NotDoneError(self._stopped(str(error), back="b puts the others back.")) from error
        except WriteError as error:
            raise NotDoneError(self._stopped(str(error))) from error
        except failure_types() as error:
            raise NotDoneError(self._stopped(sentence(error))) from error
        self._show()
        undo = " u restores its text." if work.restored else ""
        self._tell(f"{self._label} is settled: it has all of main.{undo}", "good")
        if not self.is_attached:
            await self.desk.merging.look_whether_settled()
        return True

    @property
    def _label(self) -> str:
        return self.settlement.label.partition(" ")[0]

    def _stopped(self, why: str, back: str = GOES_ON) -> str:
        """Return why it stopped, and how it goes on: ``back`` says by which key, if by any."""
        on = ""
        if self.settlement.stopped and self.is_attached:
            on = f" {back}"
        elif self.settlement.stopped:
            on = f" Open the review of {self._label}: U goes on there."
        said = why.partition(f" {IN_THE_LOG}")[0].removesuffix(".")  # here another key goes on
        return f"Stopped: {said}.{on}"

    def _tell(self, said: str, tone: str = "") -> None:
        (self.tell if self.is_attached else self.session.report)(said, tone)
