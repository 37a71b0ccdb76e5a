"""The pages of a review: which is in front, reading it and the next ones, and the tabs."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from rich.cells import cell_len
from textual import events

from copydesk.domain.page_text import PageText, page_text
from copydesk.domain.text import clean, plural, shorten
from copydesk.present.diff_rows import SIDES
from copydesk.present.page_changes import place_of, sign
from copydesk.session.glyphs import glyphs
from copydesk.session.page_changes import Changed
from copydesk.session.reads import review as reading
from copydesk.session.reads.review import Opened
from copydesk.session.visits import Visit
from copydesk.tui.review.base import ReviewBase
from copydesk.tui.review.diff import Mark
from copydesk.tui.widgets.list import VirtualList
from copydesk.tui.widgets.wrapped_list import WrappedList

if TYPE_CHECKING:
    from copydesk.client.api import Api

REST_SECONDS = 0.12
"""How long the cursor rests on a page of the tree before it is read."""

SEEN_BEFORE = "Edited after you marked it as seen: = shows what is new, space marks it again."
"""Stands above a page that is another one than when it was marked as seen."""

ALL_THREE = 190
"""From how many cells on the tree and the threads stay beside two texts side by side."""

MIN_PLACE = 12
"""Cells of a page's place that are always shown above it."""

KEPT_PAGES = 24
"""Pages whose texts are kept; the others are read again."""


class ReviewPages(ReviewBase):
    """Shows one changed page after the other."""

    since = False
    """Whether the page is compared with what it was when it was marked as seen."""

    # What stands beside a page is up to the class that builds on this one.

    def marks(self, text: PageText) -> dict[int, Mark]:
        """Return what is drawn beside lines of the page."""
        return {}

    def show_beside(self) -> None:
        """Fill the pane beside the page."""

    def page_came(self) -> None:
        """Go on once a page is shown."""

    def text_kept(self) -> None:
        """Go on once the text of a page is known, whether it is shown or not."""

    def request_came(self) -> None:
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
        self.show_page(page, keep_place=page == self.page_id)

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
        self.page_id, self.since = page, False
        self._retitle()
        if self.page_tree.selected_id != page:
            self.reveal(page)
        text = self.texts.get(page)
        if text is not None and not self.left_behind("page", page):
            self.cancel_load("page")
            self._page_read(page, text, then, keep_place)
            return
        if text is None and not keep_place:
            self.diff.empty = "Reading…"
            self.diff.show(None, {})
            self.show_beside()
        self.load(
            "page",
            lambda api: self._read_page(api, opened, change),
            lambda read: self._page_read(page, read, then, keep_place),
            what=f"Reading {clean(change.node.title)}",
            of=page,
            failed=self._page_failed,
            after=after,
        )

    async def _read_page(self, api: Api, opened: Opened, change: Changed) -> PageText:
        text = await reading.read_page(api, opened, change)
        # Of a merged request less can be read than was seen: that is no change.
        if self.seen is not None and not opened.merged:
            await self.seen.compare(change.id, text.now)
        return text

    def compare_with_seen(self) -> None:
        """Compare the page in front with what it was when it was marked as seen."""
        page, seen, text = self.page_id, self.seen, self.texts.get(self.page_id or "")
        if page is None or seen is None or text is None:
            return

        async def read(api: Api) -> PageText:
            before = await seen.text(page)
            return await asyncio.to_thread(page_text, before or "", text.now)

        def show(since: PageText) -> None:
            if page == self.page_id:
                self.since = True
                self.diff.show(since, self.marks(since))
                self._retitle()

        self.load("since", read, show, what="Comparing", local=True)

    def _page_failed(self, said: str) -> None:
        self.diff.empty = said
        self.diff.refresh()

    def _page_read(
        self, page: str, text: PageText, then: Callable[[], None] | None, keep_place: bool
    ) -> None:
        self._keep(page, text)
        if page != self.page_id:
            return
        self._note_seen(text)
        self.diff.show(text, self.marks(text), keep_place=keep_place)
        self._retitle()
        self.show_beside()
        if then is not None:
            then()
        self.page_came()
        self._prefetch()

    def _note_seen(self, text: PageText) -> bool:
        """Say above the page in front whether it changed since it was seen; True when new."""
        changed = self.seen is not None and self.seen.state(self.page_id or "") == "changed"
        notes = [note for note in text.notes if note != SEEN_BEFORE]
        before, text.notes = text.notes, tuple([SEEN_BEFORE, *notes] if changed else notes)
        return text.notes != before

    def show_seen(self) -> None:
        """Show the marks of pages as they are now, and what they say above the one in front."""
        self.page_tree.refresh_rows()
        self.show_overview()
        self.refresh_frame()
        self._show_seen_note()

    def _show_seen_note(self) -> None:
        """Bring what stands above the page in line with its mark."""
        text = self.texts.get(self.page_id or "")
        if text is not None and not self.since and self._note_seen(text):
            self.diff.show(text, self.diff.marks, keep_place=True)

    def _keep(self, page: str, text: PageText) -> None:
        self.texts.pop(page, None)
        self.texts[page] = text
        while len(self.texts) > KEPT_PAGES:
            self.texts.pop(next(iter(self.texts)))
        self.text_kept()
        self.fit_tree()

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
            kept="never",
        )

    def _prefetched(self, page: str, text: PageText) -> None:
        self._keep(page, text)
        self._prefetch()

    def _retitle(self) -> None:
        change = self.change
        if change is None:
            self.diff.title = ""
            return
        mark, _ = sign(change)
        lead = f"{self.page_at + 1}/{len(self.changes)} {mark} "
        parts = [""]
        if self.since:
            parts.append("since you saw it")
        if self.diff.sides:
            parts.append("side by side" if self.diff.fits else f"side by side takes {SIDES} cells")
        at, of = self.diff.change_at
        if of:
            parts.append(f"change {at} of {of}" if at else plural(of, "change"))
        if self.diff.page is not None and reading.SINCE in self.diff.page.notes:
            parts.append("main wrote it too")
        title = "   ".join(parts)
        # The place gives way: how many changes there are is told nowhere else.
        room = max(MIN_PLACE, self.diff.room - cell_len(lead + title) - 4)
        self.diff.title = lead + shorten(place_of(change), room, glyphs().more) + title
        self.diff.empty = "This page has no text."

    def on_wrapped_list_moved(self, event: WrappedList.Moved) -> None:
        """Count the changes as the cursor comes to them."""
        if event.rows is self.diff:
            self._retitle()

    def on_resize(self, event: events.Resize) -> None:
        """Give two texts side by side the room they need, or take it back."""
        self._make_room(event.size.width)

    def _make_room(self, width: int) -> None:
        """Hide the tree and put the threads below while there is no room for all three."""
        self.set_class(self.diff.sides and width < ALL_THREE, "-sides")

    def show_sides(self, sides: bool) -> None:
        """Show the two texts side by side, or one above the other."""
        self.diff.sides = sides
        self._make_room(self.app.size.width)
        if self.focused is self.page_tree:
            self.diff.focus()
        self.call_after_refresh(self._sides_shown, sides)

    def _sides_shown(self, sides: bool) -> None:
        self.diff.show_sides(sides)
        self._retitle()

    def step_page(self, by: int) -> None:
        """Go to the next or previous changed page."""
        at = self.page_at + by
        if not 0 <= at < len(self.changes):
            word = "last" if by > 0 else "first"
            self.say(f"This is the {word} changed page.", "warn")
            return
        self.show_page(self.changes[at].id)
        self.diff.focus()

    def view_changed(self) -> None:
        """Show another tab."""
        shown = self.tabs.get(self.view, self.diff)
        for pane in (self.diff, *self.tabs.values()):
            pane.display = pane is shown
        self.set_class(self.view not in ("changes", "overview"), "-all-threads")
        self.show_beside()
        shown.focus()
        if shown is self.diff:
            self.call_after_refresh(self._retitle)  # only now it is known how wide it is

    def open_view(self, view: str) -> None:
        """Go to a tab, unless it is the one in front."""
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
            self.show_page(entry.id, after=REST_SECONDS)

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
            self.show_page(entry.id)
        self.diff.focus()
