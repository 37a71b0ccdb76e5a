"""The pages of a review: which is in front, reading it and the next ones, and the tabs."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from rich.cells import cell_len

from copydesk.domain.filter import fold
from copydesk.domain.page_edits import PageEdit, settings_lines
from copydesk.domain.page_source import body_of
from copydesk.domain.page_text import PageText, page_text
from copydesk.domain.sure import sure
from copydesk.domain.text import clean, plural
from copydesk.present.blame import ONLY, authors
from copydesk.present.diff import SIDES
from copydesk.present.page_changes import place_of, place_within, sign
from copydesk.present.passages import Passage, line_passages
from copydesk.session.marks import seen_reversal
from copydesk.session.page_changes import ReviewChange
from copydesk.session.reads import review as reading
from copydesk.session.reads.history import MINE, BlameRow, read_blame, request_row
from copydesk.session.reads.review import OpenedRequest
from copydesk.tui.framework.actions import action, command
from copydesk.tui.framework.pane import went_on
from copydesk.tui.review.diff import SEEN_BEFORE
from copydesk.tui.review.guards import ReviewCommands, never_seen, no_text, not_read
from copydesk.tui.review.model import Showing, StagedPage
from copydesk.tui.widgets.wrapped_list import WrappedList

if TYPE_CHECKING:
    from copydesk.client.api import Api

FRAME = 4
"""Cells that the frame of a pane and its scroll bar take."""

REST_SECONDS = 0.12
"""How long the cursor rests on a page of the tree before it is read."""

ALL_THREE = 190
"""From how many cells on the tree and the threads stay beside two texts side by side."""

SHOWN_AS: dict[Showing, str] = {
    "mine": "staged, not sent",
    "staged": "only what I staged",
    "sent": "as it is sent",
}
"""What the title says of a page with something staged."""

MIN_PLACE = 12
"""Cells of a page's place that are always shown above it."""


def staged_texts(edit: PageEdit, text: PageText) -> dict[Showing, PageText]:
    """Compare what is staged of a page with main, and with what is sent. Takes a while."""
    after = body_of(edit.text) if edit.of_text else text.source
    after = "" if edit.kind == "delete" else after
    settings = [] if edit.kind == "delete" else settings_lines(edit)
    notes = [*(["Staged: this page is deleted."] if edit.kind == "delete" else ()), *settings]
    told = [note for note in text.notes if note not in (reading.UNCHANGED, SEEN_BEFORE)]
    mine, staged = (
        page_text(text.source_before, after, [*told, *notes]),
        page_text(text.source, after, notes),
    )
    mine.mine = staged.mine = staged.diff.new_rows
    return {"mine": mine, "staged": staged}


def has_words(page: PageText, wanted: str) -> bool:
    """Return whether a line of a page has what is searched for, in folded letters."""
    return any(wanted in fold(page.line_text(at)) for at in range(len(page.diff)))


class PageReader(ReviewCommands, scope="review"):
    """Reads the changed pages of a review one after the other, and walks through their changes."""

    came: Callable[[], None] = staticmethod(lambda: None)
    """Called when the text of the page in front has come."""
    look_again: Callable[[str], None] = staticmethod(lambda page: None)
    """Reads again a page that was marked as seen while others changed the request."""

    def show_first(self) -> None:
        """Show the page that was in front, or the first that was not seen."""
        model = self.model
        if not model.shown:
            self.here.diff.empty = model.no_changes
            self.here.diff.show(None, {})
            return
        page = model.page_id or self.place.begins_at or self.place.target.page
        sent = (c.id for c in model.shown if model.inserted and c.node.title == model.inserted)
        if (inserted := next(sent, None)) is not None:  # it has an id by now
            page, model.inserted = inserted, ""
        if page is not None and model.find(page) is None:
            # An address names a page by its path.
            path = page.strip("/")
            page = next((c.id for c in model.shown if c.node.path == path), page)
        if model.find(page) is None:
            unseen = (c.id for c in model.shown if model.seen_state(c.id) != "seen")
            page = next(unseen, model.shown[0].id)
        assert page is not None
        self.show_page(page, keep_place=page == model.page_id)

    def show_page(
        self,
        page: str,
        then: Callable[[], None] | None = None,
        *,
        keep_place: bool = False,
        after: float = 0.0,
    ) -> None:
        """Show a changed page; ``then`` is called once its text is there."""
        opened = self.model.opened
        change = self.model.find(page)
        if opened is None or change is None:
            return
        if page != self.model.page_id:
            self.model.showing = "mine"
        self.model.page_id, self.model.since = page, False
        self.retitle()
        if self.here.page_tree.selected_id != page:
            self.here.page_tree.follow(page)
        text = self.model.texts.get(page)
        if text is not None and not self.place.reads.left_behind("page", page):
            self.place.reads.cancel("page")
            self._page_read(page, text, then, keep_place)
            return
        if text is None and not keep_place:
            self.here.diff.empty = "Reading…"
            self.here.diff.show(None, {})
            self.here.discussion.show_beside()
        self.place.reads.load(
            "page",
            lambda api: self._read_page(api, opened, change),
            lambda read: self._page_read(page, read, then, keep_place),
            what=f"Reading {clean(change.node.title)}",
            of=page,
            failed=self._page_failed,
            after=after,
        )

    async def _read_page(self, api: Api, opened: OpenedRequest, change: ReviewChange) -> PageText:
        edit = self.model.edits.get(change.id)
        if edit is not None and edit.kind == "insert":
            text = page_text("", "")
        else:
            text = await reading.read_page(api, opened, change)
        await self.take_mine(change.id, text)
        # Where the former text cannot be read, less is shown than was seen: that is no change.
        if self.model.seen is not None and not opened.untold and edit is None:
            await self.model.seen.compare(change.id, text.now)
        return text

    async def take_mine(self, page: str, text: PageText) -> None:
        """Compare what is staged of a page with its texts, in a thread."""
        edit = self.model.edits.get(page)
        if edit is None:
            self.model.mine.pop(page, None)
        elif self.model.mine_of(page, text) is None:
            shown = await asyncio.to_thread(staged_texts, edit, text)
            self.model.mine[page] = StagedPage(edit, text, shown)

    def compare_with_seen(self) -> None:
        """Compare the page in front with what it was when it was marked as seen."""
        page, seen, text = self.model.page_id, self.model.seen, self.model.text
        if page is None or seen is None or text is None:
            return

        async def read(api: Api) -> PageText:
            before = await seen.text(page)
            return await asyncio.to_thread(page_text, before or "", text.now)

        def show(since: PageText) -> None:
            if page == self.model.page_id:
                self.model.since = True
                self._show(since, keep_place=False)
                self.retitle()
                if since.before == since.after:
                    self.place.say("The page is as you read it. = goes back.")

        self.place.reads.load("since", read, show, what="Comparing", local=True)

    def read_authors(self) -> None:
        """Find out who wrote the blocks of the page in front, and say so beside them."""
        opened, page, sent = self.model.opened, self.model.page_id, self.model.text
        diff = self.here.diff
        shown = diff.page
        if opened is None or page is None or sent is None or shown is None:
            return
        newer = [(shown.after, MINE)] if shown is not sent else []
        newer.append((sent.after, request_row(opened.request)))

        def came(rows: list[BlameRow]) -> None:
            said = authors(rows, self.place.session.now)
            diff.beside.tell(shown, [row.place + 1 for row in rows], said)
            if all(row.revision in (newer[-1][1], MINE) for row in rows):
                self.place.say(ONLY)

        self.place.reads.load(
            "authors",
            lambda api: read_blame(api, opened.space.id, page, None, newer),
            came,
            what="Reading who wrote it",
            of=page,
        )

    def _page_failed(self, said: str) -> None:
        self.here.diff.empty = said
        self.here.diff.refresh()

    def _page_read(
        self, page: str, text: PageText, then: Callable[[], None] | None, keep_place: bool
    ) -> None:
        self._keep(page, text)
        if page != self.model.page_id:
            return
        self._note_seen(text)
        self._show(self.model.as_shown(page, text), keep_place=keep_place)
        self.retitle()
        self.here.discussion.show_beside()
        if then is not None:
            then()
        self.came()
        self._prefetch()

    def _show(self, text: PageText, *, keep_place: bool) -> None:
        """Show the page in front alone, with this text."""
        marks, page = self.here.discussion.marks(text), self.model.page_id or ""
        self.here.diff.show(text, marks, keep_place=keep_place, key=page, head=self._head())

    def _head(self) -> str:
        """Return the line above the page in front, where another is above it."""
        change = self.model.change
        if change is None:
            return ""
        mark, _ = sign(change)
        return f"{self.model.page_at + 1}/{len(self.model.shown)} {mark} {place_of(change)}"

    # Over the ends of pages

    def go_on(self, by: int, *, to_change: bool = False) -> bool:
        """Go over the end (1) or the beginning (-1) of the page in front; False at the last.

        With ``to_change`` to the nearest change there. What is not read yet is read first.
        """
        at, left = self.model.page_at + by, self.model.page_id
        if not 0 <= at < len(self.model.shown) or self.here.diff.page is None:
            return False
        opened, change = self.model.known, self.model.shown[at]

        def came(text: PageText) -> None:
            self._keep(change.id, text)
            if self.model.page_id == left and self.here.diff.page is not None:
                self._enter(change.id, text, by, to_change)

        text = self.model.texts.get(change.id)
        if text is not None and not self.place.reads.left_behind("page", change.id):
            came(text)
        elif not self.place.reads.under_way("page"):
            self.place.reads.load(
                "page",
                lambda api: self._read_page(api, opened, change),
                came,
                what=f"Reading {clean(change.node.title)}",
                of=change.id,
            )
        return True

    def find_on(self, by: int) -> bool:
        """Look for a search in the pages after (1) or before (-1) those that are held.

        They are read for it, around the end. False where all pages are held.
        """
        model, diff = self.model, self.here.diff
        opened, wanted, held = model.known, diff.found, {each.key for each in diff.held}
        changed = {change.id for change in model.changes} - held
        ordered = [*model.shown[model.page_at :], *model.shown[: model.page_at]][::by]
        others = [change for change in ordered if change.id in changed]
        if not others:
            return False

        async def read(api: Api) -> tuple[dict[str, PageText], str | None]:
            new: dict[str, PageText] = {}
            for change in others:
                text = model.texts.get(change.id)
                if text is None:
                    text = new[change.id] = await self._read_page(api, opened, change)
                shown = model.as_shown(change.id, text)
                if await asyncio.to_thread(has_words, shown, wanted):
                    return new, change.id
            return new, None

        def came(found: tuple[dict[str, PageText], str | None]) -> None:
            for page, text in found[0].items():
                self._keep(page, text)
            if diff.found != wanted:
                return
            if found[1] is not None:
                before = model.page_at
                self.show_page(found[1], lambda: self._found_on(before, by))
            elif (there := WrappedList.find_next(diff, by)) == "":
                self.place.say(f"No match in {plural(len(model.changes), 'changed page')}.", "warn")
            elif there == "around":
                self.place.say(went_on(by))

        what = f"Searching {plural(len(others), 'page')}"
        self.place.reads.load("search", read, came, what=what, kept="never")
        return True

    def _found_on(self, before: int, by: int) -> None:
        """Go to the first (1) or last (-1) match of the page that came to the front."""
        self.here.diff.move_first()
        self.here.diff.find(self.here.diff.found)
        if by < 0:
            WrappedList.find_next(self.here.diff, by)
        if (self.model.page_at - before) * by < 0:
            self.place.say(went_on(by))

    def _enter(self, page: str, text: PageText, by: int, to_change: bool) -> None:
        """Show a page below or above the one in front, and put the cursor at its near end."""
        self._in_front(page)
        self._note_seen(text)
        shown = self.model.as_shown(page, text)
        marks, diff = self.here.discussion.marks(shown), self.here.diff
        diff.join(shown, marks, key=page, head=self._head(), by=by)
        if to_change and (changes := shown.diff.changes):
            diff.go_to_line(changes[0 if by > 0 else -1])
        self._entered()

    def come_to(self, page: str) -> None:
        """Take a page as the one in front, because the cursor came to it."""
        text = self.model.texts.get(page)
        if text is None:
            self.show_page(page, keep_place=True)  # it is long ago that it was read
            return
        self._in_front(page)
        self.here.diff.mark(self.here.discussion.marks(self.model.as_shown(page, text)))
        self._entered()

    def _in_front(self, page: str) -> None:
        self.place.reads.cancel("page")
        self.model.page_id, self.model.since, self.model.showing = page, False, "mine"
        if self.here.page_tree.selected_id != page:
            self.here.page_tree.follow(page)

    def _entered(self) -> None:
        self.retitle()
        self.here.discussion.show_beside()
        self.came()
        self._prefetch()

    def _note_seen(self, text: PageText) -> bool:
        """Say above the page in front whether it changed since it was seen; True when new."""
        changed = self.model.seen_state(self.model.page_id) == "changed"
        notes = [note for note in text.notes if note != SEEN_BEFORE]
        before, text.notes = text.notes, tuple([SEEN_BEFORE, *notes] if changed else notes)
        return text.notes != before

    def show_seen(self) -> None:
        """Show the marks of pages as they are now, and what they say above the one in front."""
        self.here.page_tree.refresh_rows()
        self.here.request_tabs.show()
        self.place.refresh_frame()
        self._show_seen_note()

    def _show_seen_note(self) -> None:
        """Bring what stands above the page in line with its mark."""
        text = self.model.text
        if text is not None and not self.model.since and self._note_seen(text):
            shown = self.model.as_shown(self.model.page_id or "", text)
            self._show(shown, keep_place=True)

    def _keep(self, page: str, text: PageText) -> None:
        self.model.keep_text(page, text)
        if self.place.view != "threads":
            # Not in the list of all threads: there nothing changes its name before one's eyes.
            self.here.discussion.renumber()
        self.here.page_tree.fit()

    def _prefetch(self) -> None:
        """Read the next page that will be asked for, while this one is read by a person."""
        opened = self.model.opened
        at = self.model.page_at
        following = self.model.shown[at + 1 : at + 3] if at >= 0 else []
        change = next((c for c in following if c.id not in self.model.texts), None)
        if opened is None or change is None:
            return
        self.place.reads.load(
            "prefetch",
            lambda api: self._read_page(api, opened, change),
            lambda text: self._prefetched(change.id, text),
            what="Reading ahead",
            failed=lambda said: None,
            kept="never",
        )

    def _prefetched(self, page: str, text: PageText) -> None:
        self._keep(page, text)
        self._prefetch()

    def retitle(self) -> None:
        """Say which page is in front, which of its changes, and how it is shown."""
        change = self.model.change
        if change is None:
            self.here.diff.title = ""
            return
        mark, _ = sign(change)
        lead = f"{self.model.page_at + 1}/{len(self.model.shown)} {mark} "
        parts = [""]
        if self.model.since:
            parts.append("since you read it")
        if change.id in self.model.edits:
            parts.append(SHOWN_AS[self.model.showing])
        if self.here.diff.sides:
            parts.append(
                "side by side" if self.here.diff.fits else f"side by side takes {SIDES} cells"
            )
        at, of = self.here.diff.change_at
        if of:
            parts.append(f"change {at} of {of}" if at else plural(of, "change"))
        if self.here.diff.page is not None and reading.SINCE in self.here.diff.page.notes:
            parts.append("main wrote it too")
        title = "   ".join(parts)
        # The place gives way: how many changes there are is told nowhere else.
        room = max(MIN_PLACE, self.here.diff.line_width - cell_len(lead + title) - 4)
        self.here.diff.title = lead + place_within(change, room) + title
        self.here.diff.empty = "This page has no text."

    def make_room(self, width: int) -> None:
        """Hide the tree and put the threads below while there is no room for all three."""
        self.place.set_class(self.here.diff.sides and width < ALL_THREE, "-sides")
        if self.here.diff.sides:
            self.place.call_after_refresh(self.retitle)

    def show_sides(self, sides: bool) -> None:
        """Show the two texts side by side, or one above the other."""
        self.here.diff.sides = sides
        self.make_room(self.app.size.width)
        if self.place.focused is self.here.page_tree:
            self.here.diff.focus()
        self.place.call_after_refresh(self._sides_shown, sides)

    def _sides_shown(self, sides: bool) -> None:
        self.here.diff.show_sides(sides)
        self.retitle()

    def step_page(self, by: int) -> None:
        """Go to the next or previous changed page."""
        at = self.model.page_at + by
        if not 0 <= at < len(self.model.shown):
            word = "last" if by > 0 else "first"
            self.place.say(f"This is the {word} changed page.", "warn")
            return
        self.show_page(self.model.shown[at].id)
        self.here.diff.focus()

    # What is done with the page in front

    def passages(self) -> Sequence[Passage]:
        """Return the hunk and the table that the line under the cursor is in."""
        diff, change = self.here.diff, self.model.change
        if self.place.pane is not diff or not diff.page or change is None or diff.line is None:
            return ()
        return line_passages(change, diff.page, diff.line)

    @action("J", "next change", word="next", unless=no_text, show=20, group="Read")
    def next_change(self) -> None:
        """Go to the next changed lines, after those of a page to the next page."""
        if not self.here.diff.step_change(1) and not self.go_on(1, to_change=True):
            self.place.say("No further change on this page. space marks it read.")

    @action("K", "previous change", word="previous", unless=no_text, show=False, group="Read")
    def previous_change(self) -> None:
        """Go to the previous changed lines, before those of a page to the page before it."""
        if not self.here.diff.step_change(-1) and not self.go_on(-1, to_change=True):
            self.place.say("No earlier change on this page.")

    @action("space", "mark read", unless=no_text, show=15, group="Read",
            uses=("get_change_request_page", "get_space_page", "get_revision_page"))  # fmt: skip
    async def mark_read(self) -> None:
        """Mark the page as read and go to the next one that is not; again takes the mark away."""
        change, page, seen = sure(self.model.change), sure(self.model.text), sure(self.model.seen)
        title = clean(change.node.title)
        before = await seen.held(change.id)
        if seen.state(change.id) == "seen":
            done = f"“{title}” is not marked as read now."
            await self._put_mark("Mark unread", change.id, before, done)
            return
        at = self.model.page_at
        order = [
            each
            for each in (*self.model.shown[at + 1 :], *self.model.shown[: max(0, at)])
            if each in self.model.changes
        ]
        following = next((c for c in order if seen.state(c.id) != "seen"), None)
        count = seen.count(c.id for c in self.model.changes) + 1
        done = f"“{title}” is read. {count} of {len(self.model.changes)}."
        if following is None:
            every = f"All {count} read" if count > 1 else f"“{title}” is read"
            done = f"{every}. a approves, m merges."
        await self._put_mark("Mark read", change.id, before, done, page.now)
        if self.model.behind:
            # What was read may not be what it is by now.
            self.look_again(change.id)
        if following is not None:
            self.show_page(following.id)

    async def _put_mark(
        self, what: str, page: str, before: str | None, done: str, text: str | None = None
    ) -> None:
        """Mark a page with a text, or with None not at all; ``u`` takes it back."""
        change, seen, opened = self.model.change, self.model.seen, self.model.opened
        assert change is not None
        assert seen is not None
        assert opened is not None

        async def send(api: Api) -> str | None:
            if text is None:
                await seen.unmark(page)
            else:
                await seen.mark(page, text)
            return await seen.held(page)

        await self.place.writer.perform(
            what,
            f"{self.model.numbered} {clean(change.node.title)}",
            send,
            reversal=lambda after: seen_reversal(opened.request.id, page, before, after),
            done=done,
        )
        self.show_seen()

    @action("=", "since I read it", word="since_read", unless=never_seen, show=2, group="Look")
    def toggle_since(self) -> None:
        """Compare the page with what I read when I marked it; again compares with main.

        A page with something staged is shown with it, then that alone, then as it is sent.
        """
        page = self.model.page_id
        if page is not None and page in self.model.edits:
            order = list(SHOWN_AS)
            at = order.index(self.model.showing) + 1
            self.model.showing = order[at % len(order)]
            self.show_page(page, keep_place=True)
            return
        if self.model.since and self.model.page_id is not None:
            self.show_page(self.model.page_id)
        else:
            self.compare_with_seen()

    @action("|", "side by side", word="side_by_side", unless=no_text, show=1, group="Look")
    def toggle_sides(self) -> None:
        """Show the page as it was and as it is side by side; again one above the other.

        The tree gives its room to it, and the threads go below; Tab and h still go there.
        """
        if not self.here.diff.sides and self.app.size.width < SIDES + FRAME:
            self.place.say(
                f"Side by side takes {SIDES + FRAME} cells, and here are {self.app.size.width}: "
                "both are one above the other.",
                "warn",
            )
            return
        self.show_sides(not self.here.diff.sides)

    @action("t", "all pages", word="all_pages", show=2, group="Look")
    def toggle_everything(self) -> None:
        """Show all pages in the tree, or only those that changed."""
        if self.model.opened is None:
            self.place.say("The change request is not read yet.", "warn")
            return
        self.here.page_tree.everything = not self.here.page_tree.everything
        self.here.page_tree.show()
        self.place.say(
            "The tree shows all pages." if self.here.page_tree.everything else "Only changed pages."
        )

    @action("l", "right pane", word="right", show=False, group="Move", also=("right",))
    def pane_right(self) -> None:
        """Go to the pane at the right."""
        self.place.desk.step_pane(1)

    @action("h", "left pane", word="left", show=False, group="Move", also=("left",))
    def pane_left(self) -> None:
        """Go to the pane at the left."""
        self.place.desk.step_pane(-1)

    @command(
        "page",
        "TITLE",
        complete=lambda here: [clean(change.node.title) for change in here.model.shown],
    )
    def go_page(self, rest: str) -> None:
        """Go to a changed page by a part of its name."""
        if why := not_read(self.here):
            self.place.say(why, "warn")
            return
        wanted = fold(rest.strip())
        found = next((c for c in self.model.shown if wanted in fold(place_of(c))), None)
        if found is None:
            self.place.say(f"No changed page has the name {clean(rest)!r}.", "warn")
            return
        self.place.choose_view("changes")
        self.show_page(found.id)
        self.here.diff.focus()
