"""The pictures of a page, large, and of a change beside those of main."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from rich.segment import Segment
from rich.text import Text
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.strip import Strip
from textual.widget import Widget
from textual.widgets import Label, Static

from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.picture import Shown
from copydesk.domain.text import clean, shorten, size_words
from copydesk.session.glyphs import ASCII, glyphs
from copydesk.session.options import Option
from copydesk.session.reads.pictures import PictureRead, read_picture
from copydesk.tui.dialogs.choice import Choice
from copydesk.tui.dialogs.dialog import Sheet
from copydesk.tui.framework.actions import Acts, action

if TYPE_CHECKING:
    from copydesk.present.pictures import Picture
    from copydesk.tui.framework.base_app import BaseApp
    from copydesk.tui.framework.pane import Pane
    from copydesk.tui.framework.place import Place


class Sides(NamedTuple):
    """A picture as main shows it, in a review, and as the text in front does; None for none."""

    before: Shown | None
    after: Shown | None
    file: str = ""
    """The name of a file that is in front itself: it has no words for it."""

    @property
    def named(self) -> str:
        """What it is called where one is chosen."""
        shown = self.after or self.before
        assert shown is not None
        return shorten(clean(self.file or shown.words or shown.address), 60)


@dataclass(frozen=True, slots=True)
class Side:
    """One picture of the dialog: its side, its caption, and its drawing."""

    said: Sequence[Text]
    picture: Picture | None = None


def no_picture(keys: PictureKeys) -> str | None:
    """Say so when no picture is there."""
    return None if keys.pictures() else "No picture is here."


class PictureKeys(Acts, scope="pictures"):
    """Opens the pictures that a pane shows by their words; the pane has it among its ``first``."""

    def __init__(
        self,
        place: Place,
        pane: Pane,
        pictures: Callable[[], Sequence[Sides]],
        *,
        reviewed: bool = False,
    ) -> None:
        self._place, self._pane, self._reviewed = place, pane, reviewed
        self.pictures = pictures
        """Returns the pictures that are there now."""

    @property
    def screen(self) -> Any:
        """The screen that its pane is on, as what the keyboard asks of every owner of actions."""
        return self._pane.screen

    @property
    def app(self) -> BaseApp:
        """The program."""
        return cast("BaseApp", self._pane.app)

    @property
    def is_attached(self) -> bool:
        """Whether its pane is there."""
        return self._pane.is_attached

    @action(
        "enter",
        "picture",
        unless=no_picture,
        show=False,
        group="Look",
        uses=(
            "get_space_file",
            "get_change_request_file",
            "list_space_files",
            "list_change_request_files",
        ),
    )
    async def show_picture(self) -> None:
        """Show a picture that is here, large; in a review that of main as well.

        It is read now, one of another host too: its host is told beside it. Pictures of more than
        8 MB or 40 million pixels are not shown.
        """
        found, place = self.pictures(), self._place
        chosen = found[0]
        if len(found) > 1:
            options = [Option(str(at), each.named) for at, each in enumerate(found)]
            sheet = Choice("Which picture?", options)
            at = cast("str | None", await place.desk.push_screen_wait(sheet))
            if at is None:
                return
            chosen = found[int(at)]
        target = place.target
        space, request = target.space or "", target.change_request
        api = await place.session.ready()

        async def read() -> list[PictureRead | None]:
            return [
                None if shown is None else await read_picture(api, space, of, shown)
                for of, shown in zip((None, request), chosen[:2], strict=True)
            ]

        data = await place.reads.now("picture", read, "Reading the picture")
        if data is None:
            return
        undrawn = why_not_drawn(place.desk.pictures)
        sides = await _sides(chosen, data, undrawn, reviewed=self._reviewed)
        place.desk.push_screen(PictureSheet(chosen.named, sides))


def why_not_drawn(setting: str) -> str:
    """Return why a terminal draws no pictures, as a sentence; empty where it does."""
    if setting == "off":
        return "Pictures are off in the settings."
    if os.environ.get("NO_COLOR"):
        return "Pictures are not drawn without colours (NO_COLOR)."
    return "This terminal draws no pictures." if glyphs() is ASCII else ""


async def _sides(
    chosen: Sides, data: Sequence[PictureRead | None], undrawn: str, *, reviewed: bool
) -> list[Side]:
    """Return a picture before and after, or once where both are the same.

    Main is as it is now: that of a merged change request has its pictures already.
    """
    before, after = data
    alike = before is not None and before == after and not before.wrong
    if alike and chosen.before == chosen.after:
        return [await _side("the same in main", chosen, chosen.after, after, undrawn)]
    labels = ("main", "this change request") if reviewed else ("", "")
    return [
        await _side(label, chosen, shown, read, undrawn)
        for label, shown, read in zip(labels, chosen[:2], data, strict=True)
        if label or shown is not None
    ]


async def _side(
    label: str, chosen: Sides, shown: Shown | None, read: PictureRead | None, undrawn: str
) -> Side:
    from copydesk.present.pictures import PictureRefusedError, checked_size, decode

    said = [Text(label, style="strong")] if label else []
    if shown is None or read is None:
        return Side([*said, Text("no picture", style="muted")])
    picture, wrong = None, read.wrong
    try:
        if not wrong:
            width, height = checked_size(read.data)
            said.append(Text(f"{width:,} x {height:,} pixels, {size_words(len(read.data))}"))
            picture = None if undrawn else await asyncio.to_thread(decode, read.data)
            wrong = undrawn
    except PictureRefusedError as error:
        wrong = str(error)
    if not chosen.file:
        words = clean(shown.words)
        alt = f'alt "{words}"' if words else "no alt text"
        said.append(Text(alt, style="" if words else "warn"))
    if read.host:
        said.append(Text(f"from {clean(read.host)}", style="warn"))
    if wrong:
        said.append(Text(wrong, style="muted" if wrong == undrawn else "bad"))
    return Side(said, picture)


class Drawing(Widget):
    """A picture in half blocks, as large as there is room for it."""

    def __init__(self, picture: Picture) -> None:
        super().__init__()
        self._picture = picture
        self._room: tuple[int, int] | None = None
        self._cells: list[list[Segment]] = []

    def render_line(self, y: int) -> Strip:
        """Draw one row of cells."""
        width, height = self.size
        if self._room != (width, height):
            self._room = width, height
            self._cells = self._picture.cells(max(1, width), max(1, height))
        cells = self._cells[y] if y < len(self._cells) else []
        return Strip(cells).adjust_cell_length(width, self.rich_style)


class PictureSheet(Sheet[None], scope="picture"):
    """A picture, or two beside each other; esc closes it."""

    ASKS = False

    def __init__(self, title: str, sides: Sequence[Side]) -> None:
        super().__init__(title)
        self.add_class("picture")
        self._sides = sides

    def body(self) -> ComposeResult:
        with Horizontal():
            for side in self._sides:
                with Vertical():
                    yield Static(self.paint(Text("\n").join(side.said)))
                    if side.picture is not None:
                        yield Drawing(side.picture)
        yield Label(self.paint(Text.assemble(("esc", "accent"), " close")), classes="keys")

    @action("escape", "close", show=False, override=True, also=("enter",))
    def cancel(self) -> None:
        """Close it."""
        self.dismiss(None)
