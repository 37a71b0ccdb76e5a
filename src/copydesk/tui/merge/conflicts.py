"""Conflicts in full, page by page: what both sides say, and how they are settled."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.text import Text
from textual import events
from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.widgets import Label, Static

from copydesk.contract.models.change_request import Conflict, ConflictLines
from copydesk.present.conflict import HOW_TO_SETTLE, both_sides, conflict_head
from copydesk.session.glyphs import glyphs
from copydesk.session.reads.conflicts import ConflictedError, read_both
from copydesk.tui.dialogs.dialog import Sheet
from copydesk.tui.framework.actions import action
from copydesk.tui.framework.place import place_of

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.tui.framework.place import Place

WIDE = 104
"""From how many cells of the terminal on the sheet is wide enough for two texts."""

EDGES = 6
"""Cells that the frame of a sheet and its padding take."""

PAGE = "page "
"""Begins what the sheet answers with when a page is to be read; its id follows."""


def page_wanted(answer: str | None) -> str | None:
    """Return the page that the reader of a sheet wants to read in the review, by its id."""
    return answer.removeprefix(PAGE) if answer and answer.startswith(PAGE) else None


class Scrolling(Sheet[str]):
    """A sheet of lines that may be longer than the screen."""

    DANGER = 2

    def body(self) -> ComposeResult:
        """The lines, then the keys."""
        with VerticalScroll(classes="facts", can_focus=False):
            yield Static(id="merge-facts")
        yield Label(id="merge-keys", classes="keys")

    @property
    def stands(self) -> bool:
        """Whether it is there to be drawn on; not while it is taken down."""
        return self.is_attached and self in self.app.screen_stack

    def show(self, lines: Sequence[Text | str], keys: Text) -> None:
        """Show other lines and keys."""
        text = Text("\n").join(line if isinstance(line, Text) else Text(line) for line in lines)
        self.query_one("#merge-facts", Static).update(self.paint(text))
        self.query_one("#merge-keys", Label).update(self.paint(keys))

    def show_keys(self, keys: Text) -> None:
        """Show other keys."""
        self.query_one("#merge-keys", Label).update(self.paint(keys))

    def scroll(self, by: int) -> None:
        """Scroll the lines."""
        self.query_one(VerticalScroll).scroll_relative(y=by, animate=False)

    @property
    def place(self) -> Place:
        """The place that the sheet stands on."""
        return place_of(self)


def no_text_to_read(sheet: ConflictSheet) -> str | None:
    """Say so when there is no page to go to."""
    return None if sheet.page is not None else "The service does not say which page it is."


class ConflictSheet(Scrolling, scope="conflict_sheet"):
    """Shows conflicts one page at a time, under a sentence that says what happened.

    The result is `PAGE` and the id of a page to read, or None. Where the service does not tell the
    lines, both texts are read and what differs between them is shown.
    """

    def __init__(
        self, title: str, said: str, conflicts: Sequence[Conflict], *, space: str, request: str
    ) -> None:
        super().__init__(title)
        self._said = said
        self._conflicts = list(conflicts)
        self._space, self._request = space, request
        self._at = 0
        self._read: dict[str, Sequence[ConflictLines] | str] = {}
        """What was read of pages, or why it could not be."""

    @classmethod
    def of_update(cls, label: str, clash: ConflictedError) -> ConflictSheet:
        said = "Not updated: both sides changed the same things.\nNothing was changed."
        if not clash.request.outdated:
            said = "Updated, with conflicts: they are in the change request now and need hands."
        return cls._of(f"Update {label}", said, clash)

    @classmethod
    def of_merge(cls, label: str, clash: ConflictedError) -> ConflictSheet:
        said = "Not merged: both sides changed the same things.\nNothing was changed."
        return cls._of(f"Merge {label}", said, clash)

    @classmethod
    def _of(cls, title: str, said: str, clash: ConflictedError) -> ConflictSheet:
        request = clash.request
        return cls(title, said, clash.conflicts, space=request.space, request=request.id)

    @property
    def conflict(self) -> Conflict | None:
        """The one that is shown."""
        return self._conflicts[self._at] if self._conflicts else None

    @property
    def page(self) -> str | None:
        """The id of the page that it is on."""
        conflict = self.conflict
        return conflict.page.id if conflict is not None and conflict.page is not None else None

    def on_mount(self) -> None:
        self._fit()
        self._show()

    def on_resize(self, event: events.Resize) -> None:
        """Put both sides beside or below each other, as the room now is."""
        self._fit()
        self._show()

    def _fit(self) -> None:
        self.set_class(self.app.size.width >= WIDE, "wide")

    def _show(self) -> None:
        lines: list[Text | str] = [Text(self._said, style="bad")]
        lines += [Text(HOW_TO_SETTLE, style="muted"), ""]
        conflict = self.conflict
        if conflict is None:
            lines.append("The service does not say which.")
        else:
            head = conflict_head(conflict)
            if len(self._conflicts) > 1:
                at = f"{self._at + 1} of {len(self._conflicts)}  "
                head = Text.assemble((at, "muted"), head)
            lines += [head, *self._sides(conflict)]
        self.show(lines, self._keys())
        self.query_one(VerticalScroll).scroll_home(animate=False)

    def _sides(self, conflict: Conflict) -> list[Text]:
        if conflict.lines:
            return both_sides(conflict.lines, self._room)
        page = self.page
        if page is None:
            return []
        read = self._read.get(page)
        if read is None:
            self._begin(page)
            return [Text(f"Reading both texts{glyphs().more}", style="muted")]
        if isinstance(read, str):
            return [Text(read, style="bad")]
        if not read:
            return [Text("Both texts are the same.", style="muted")]
        known = "The service does not tell which lines clash; the two texts differ here:"
        return [Text(known, style="muted"), *both_sides(read, self._room)]

    @property
    def _room(self) -> int:
        return min(self.app.size.width, 100 if self.has_class("wide") else 72) - EDGES

    def _begin(self, page: str) -> None:
        async def read(api: Api) -> Sequence[ConflictLines]:
            return await read_both(api, self._space, self._request, page)

        def came(found: Sequence[ConflictLines] | str) -> None:
            self._read[page] = found
            if self.stands and page == self.page:
                self._show()

        self.place.reads.load(
            "conflict", read, came, what="Reading both texts", failed=came, kept="never"
        )

    def _keys(self) -> Text:
        keys = Text()
        if len(self._conflicts) > 1:
            keys.append("[ ]", style="accent").append(" page   ")
        keys.append("j k", style="accent").append(" scroll   ")
        if self.page is not None:
            keys.append("enter", style="accent").append(" reads it in the review   ")
        return keys.append("esc", style="accent").append(" close")

    @action("]", "next page", show=False)
    def next_page(self) -> None:
        """Show the next page that conflicts."""
        self._step(1)

    @action("[", "previous page", show=False)
    def previous_page(self) -> None:
        """Show the page before."""
        self._step(-1)

    def _step(self, by: int) -> None:
        at = self._at + by
        if 0 <= at < len(self._conflicts):
            self._at = at
            self._show()
        else:
            said = Text(f"This is the {'last' if by > 0 else 'first'}.  ", style="warn")
            self.show_keys(said.append_text(self._keys()))

    @action("enter", "read the page", unless=no_text_to_read, show=False)
    def open_page(self) -> None:
        """Close it and read the page in the review."""
        self.dismiss(f"{PAGE}{self.page}")

    @action("j", "down", show=False, also=("down",))
    def down(self) -> None:
        """Scroll down."""
        self.scroll(1)

    @action("k", "up", show=False, also=("up",))
    def up(self) -> None:
        """Scroll up."""
        self.scroll(-1)

    @action("q", "close", show=False)
    def close_sheet(self) -> None:
        """Close it."""
        self.dismiss(None)
