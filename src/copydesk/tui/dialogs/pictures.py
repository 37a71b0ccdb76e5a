"""The pictures of a page, in its text and large, and of a change beside those of main."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from hashlib import sha256
from itertools import count, islice, pairwise, zip_longest
from typing import TYPE_CHECKING, NamedTuple, TypeAlias, cast

from rich.cells import cell_len
from rich.control import Control
from rich.segment import Segment
from rich.style import Style
from rich.text import Text
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.geometry import Region
from textual.strip import Strip
from textual.widget import Widget
from textual.widgets import Label, Static

from copydesk.domain.address import web_address
from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.picture import Shown, may_show, pictures_of
from copydesk.domain.sure import sure
from copydesk.domain.text import clean, shorten, size_words
from copydesk.present.graphics import Graphics, GraphicsTerminal, why_no_sixel
from copydesk.present.markdown import wrap_exact
from copydesk.session.glyphs import ASCII, glyphs
from copydesk.session.options import Option
from copydesk.session.reads.pictures import PictureRead, PictureReader
from copydesk.tui.dialogs.choice import Choice
from copydesk.tui.dialogs.dialog import Sheet
from copydesk.tui.framework.actions import action
from copydesk.tui.framework.desk_app import begin, desk_of
from copydesk.tui.framework.pane import PaneActs
from copydesk.tui.framework.reader import REST_SECONDS

if TYPE_CHECKING:
    from textual.dom import DOMNode

    from copydesk.client.api import Api
    from copydesk.present.markdown import Line
    from copydesk.present.pictures import Picture
    from copydesk.session.page_edits import StagedPages
    from copydesk.tui.framework.pane import Pane
    from copydesk.tui.framework.place import Place

ROWS = 12
"""Rows of a picture in the text, at most."""

MOST = 40
"""Pictures that are kept, those drawn last. Of as many at once no more are read by themselves."""

APART = 3
"""Cells between two pictures beside each other."""

_numbers = count(1)

Key: TypeAlias = tuple[bool, str]
"""A picture of a place: whether it is that of the text in front, not of main, and its address."""


class PictureSides(NamedTuple):
    """A picture as main shows it, in a review, and as the text in front does; None for none."""

    before: Shown | None
    after: Shown | None
    file: str = ""
    """The name of a picture file that is shown itself: it has no alternative text to name it by."""

    @property
    def named(self) -> str:
        """What it is called where one is chosen."""
        shown = sure(self.after or self.before)
        return shorten(clean(self.file or shown.words or shown.address), 60)


@dataclass(frozen=True, slots=True)
class PictureSide:
    """One picture of the dialog: its side, its caption, and its drawing."""

    said: Sequence[Text]
    picture: Picture | None = None


def sides_of(texts: tuple[str | None, str | None]) -> list[PictureSides]:
    """Return the pictures that a row of a change showed and shows."""
    before, after = (pictures_of(text or "") for text in texts)
    return [PictureSides(*each) for each in zip_longest(before, after)]


class KnownPicture(NamedTuple):
    """A picture that was read: its caption and its drawing; ``digest`` is that of its file."""

    said: str
    digest: bytes
    picture: Picture | None = None


class Pictures:
    """The pictures of a place: how they are read, and those that stand in its text by now.

    ``changed`` is called when some came. Only files of the space are read by themselves: a whole
    address, also one of the service, is asked for when somebody opens it.
    """

    def __init__(
        self,
        place: Place,
        changed: Callable[[], None],
        staged: Callable[[], StagedPages | None],
        *,
        reviewed: bool = False,
        labels: tuple[str, str] = ("before", "after"),
        turned: bool = False,
    ) -> None:
        self._place, self._changed, self._staged = place, changed, staged
        self.reviewed = reviewed
        """Whether the text in front is a change of main, so that both are told apart."""
        self._labels = labels if reviewed else ("", "")
        self._turned = turned
        """Whether that of main is on the right."""
        self._known: dict[Key, KnownPicture] = {}
        self._wanted: dict[Key, Shown] = {}
        self._drawn: dict[Key, int] = {}
        """At which turn each that is known was drawn last; a turn ends when some came."""
        self._turn = 0
        self._reading: tuple[PictureReader, PictureReader] | None = None
        """What reads those of the text: it asks for the list of files once."""
        self._by_digest: dict[bytes, KnownPicture] = {}
        """Those that were decoded last, so that the same bytes are not decoded again."""

    def readers(self, api: Api) -> tuple[PictureReader, PictureReader]:
        """Return what reads the pictures of main, and those of the text in front."""
        target, staged = self._place.target, self._staged()
        space, files = target.space or "", None if staged is None else staged.files
        return (
            PictureReader(api, space, None),
            PictureReader(api, space, target.change_request, files),
        )

    def forget(self) -> None:
        """Have them read again: the text is read again too."""
        self._known.clear()
        self._wanted.clear()
        self._drawn.clear()
        self._reading = None

    def leave(self) -> None:
        """Let those of the text in front go for others: another one takes its place."""
        self._turn += 1

    def see(self, text: str) -> None:
        """Read the pictures of a text that came into view."""
        if may_show(text):
            self.see_sides([PictureSides(None, each) for each in pictures_of(text)])

    def lines(self, text: str, width: int) -> list[Line]:
        """Return the pictures of a text, as far as they are there."""
        if not self._known or not may_show(text):
            return []
        return self.lines_of([PictureSides(None, each) for each in pictures_of(text)], width)

    def see_sides(self, sides: Sequence[PictureSides]) -> None:
        """Read pictures that came into view, with those that are waited for."""
        place = self._place
        if why_not_drawn(place.desk.pictures):
            return
        in_view = sum(turn == self._turn for turn in self._drawn.values())
        room = MOST - in_view - len(self._wanted)
        new = {
            key: shown for key, shown in islice(_keys(sides), max(0, room))
            if key not in self._known and key not in self._wanted
            and not web_address(shown.address)
        }  # fmt: skip
        if new:
            self._wanted |= new
            place.reads.load(
                "pictures", self._read, self._came, what="Reading pictures", quiet=True,
                after=REST_SECONDS, kept="never",
            )  # fmt: skip

    async def _read(self, api: Api) -> None:
        """Read those that are waited for; what has come stays when the rest is cut short."""
        if self._reading is None:
            self._reading = self.readers(api)
        readers = self._reading
        for key, shown in list(self._wanted.items()):
            known = await self._decoded(await readers[key[0]].read(shown))
            if readers is self._reading and self._wanted.pop(key, None) is not None:
                self._known[key], self._drawn[key] = known, self._turn

    async def _decoded(self, read: PictureRead) -> KnownPicture:
        known = await _known(read, self._by_digest)
        if known.digest:
            self._by_digest.pop(known.digest, None)
            self._by_digest[known.digest] = known
            while len(self._by_digest) > MOST:
                del self._by_digest[next(iter(self._by_digest))]
        return known

    def _came(self, found: None) -> None:
        old = sorted((turn, key) for key, turn in self._drawn.items() if turn < self._turn)
        for _, key in old[: max(0, len(self._known) - MOST)]:
            del self._known[key], self._drawn[key]
        self._turn += 1
        self._changed()

    def lines_of(self, sides: Sequence[PictureSides], width: int) -> list[Line]:
        """Return pictures with their sizes, as far as they are there; both sides beside each other.

        What is the same on both sides is shown once.
        """
        found: list[Line] = []
        for each in sides:
            shown = [
                (after, side, self._known[after, side.address])
                for after, side in zip((False, True), each[:2], strict=True)
                if side is not None and (after, side.address) in self._known
            ]
            self._drawn.update({(after, side.address): self._turn for after, side, _ in shown})
            if len(shown) == 2 and shown[0][2].digest == shown[1][2].digest != b"":
                told = [("the same as before", shown[1][1], shown[1][2])]
            else:
                told = [(self._labels[after], side, known) for after, side, known in shown]
            why = {known.said for *_, known in told if known.picture is None}
            if len(told) == 2 and len(why) == 1 and all(each.picture is None for *_, each in told):
                both = " and ".join(filter(None, self._labels))
                found += _unshown(both, each, told[0][2], width)
                continue
            if self._turned:
                told.reverse()
            room = max(1, (width - APART * (len(told) - 1)) // max(1, len(told)))
            columns = [
                _column(label, side if self.reviewed and not each.file else None, known, room)
                for label, side, known in told
            ]
            found += [
                _beside(lines, room) for lines in zip_longest(*columns, fillvalue=cast("Line", []))
            ]
        return found


def _keys(sides: Sequence[PictureSides]) -> Iterator[tuple[Key, Shown]]:
    for each in sides:
        for after, shown in enumerate(each[:2]):
            if shown is not None:
                yield (bool(after), shown.address), shown


async def _known(read: PictureRead, decoded: Mapping[bytes, KnownPicture]) -> KnownPicture:
    from copydesk.present.pictures import PictureRefusedError, decode

    if read.wrong:
        return KnownPicture(read.wrong, b"")
    digest = await asyncio.to_thread(lambda: sha256(read.data).digest())
    if digest in decoded:
        return decoded[digest]
    try:
        picture = await asyncio.to_thread(decode, read.data)
    except PictureRefusedError as error:
        return KnownPicture(str(error), digest)
    width, height = picture.size
    return KnownPicture(f"{width:,} x {height:,}, {size_words(len(read.data))}", digest, picture)


def _alt_said(shown: Shown) -> str:
    words = clean(shown.words)
    return f'alt "{words}"' if words else "no alt text"


def _unshown(label: str, sides: PictureSides, known: KnownPicture, width: int) -> list[Line]:
    """Return why neither side can be shown, once, with the words of both."""
    said = [f"{label}: {known.said}"]
    if not sides.file and sides.before is not None and sides.after is not None:
        said += dict.fromkeys([_alt_said(sides.before), _alt_said(sides.after)])
    return [line for each in said for line in wrap_exact([(each, "muted")], width)]


def _column(label: str, shown: Shown | None, known: KnownPicture, width: int) -> list[Line]:
    """Return one picture: its size, with ``shown`` its alt text, and as many cells as there are."""
    said = [": ".join(filter(None, (label, known.said)))]
    said += [_alt_said(shown)] if shown is not None else []
    lines = [line for each in said for line in wrap_exact([(each, "muted")], width)]
    return lines if known.picture is None else lines + known.picture.lines(width, ROWS)


def _beside(lines: Sequence[Line], width: int) -> Line:
    """Return lines beside each other, each as wide as its column."""
    found: Line = list(lines[0])
    for before, line in pairwise(lines):
        used = sum(cell_len(text) for text, _ in before)
        found += [(" " * (width - used + APART), ""), *line]
    return found


class PictureKeys(PaneActs, scope="pictures"):
    """Opens the pictures that a pane shows by their words; the pane has it among its ``first``."""

    def __init__(
        self,
        place: Place,
        pane: Pane,
        pictures: Callable[[], Sequence[PictureSides]],
        of: Pictures,
    ) -> None:
        super().__init__(pane)
        self._place, self._of = place, of
        self.pictures = pictures
        """Returns the pictures that are there now."""

    @action(
        "enter",
        "picture",
        unless=lambda keys: None if keys.pictures() else "No picture is here.",
        show=False,
        group="Look",
        uses=(
            "get_space_file",
            "get_change_request_file",
            "list_space_files",
            "list_change_request_files",
        ),
    )
    async def open(self) -> None:
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
        undrawn = why_not_drawn(place.desk.pictures)
        if not undrawn and place.desk.pictures != "blocks":
            if (terminal := _graphics_terminal(place)) is not None:
                terminal.ask_for_graphics(place.desk.pictures)  # answered while it is read
            if place.desk.pictures == "sixel" and (why := why_no_sixel()):
                place.say(why, "warn")
        readers = self._of.readers(await place.session.ready())

        async def read() -> list[PictureRead | None]:
            return [
                None if shown is None else await reader.read(shown)
                for reader, shown in zip(readers, chosen[:2], strict=True)
            ]

        data = await place.reads.now("picture", read, "Reading the picture")
        if data is None:
            return
        sides = await _sides(chosen, data, undrawn, reviewed=self._of.reviewed)
        place.desk.push_screen(PictureSheet(chosen.named, sides))


def why_not_drawn(setting: str) -> str:
    """Return why a terminal draws no pictures, as a sentence; empty where it does."""
    if setting == "off":
        return "Pictures are off in the settings."
    if os.environ.get("NO_COLOR"):
        return "Pictures are not drawn without colours (NO_COLOR)."
    return "This terminal draws no pictures." if glyphs() is ASCII else ""


async def _sides(
    chosen: PictureSides, data: Sequence[PictureRead | None], undrawn: str, *, reviewed: bool
) -> list[PictureSide]:
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
    label: str, chosen: PictureSides, shown: Shown | None, read: PictureRead | None, undrawn: str
) -> PictureSide:
    from copydesk.present.pictures import KEPT_LARGE, PictureRefusedError, checked_size, decode

    said = [Text(label, style="strong")] if label else []
    if shown is None or read is None:
        return PictureSide([*said, Text("no picture", style="muted")])
    picture, wrong = None, read.wrong
    try:
        if not wrong:
            width, height = checked_size(read.data)
            said.append(Text(f"{width:,} x {height:,} pixels, {size_words(len(read.data))}"))
            picture = None if undrawn else await asyncio.to_thread(decode, read.data, KEPT_LARGE)
            wrong = undrawn
    except PictureRefusedError as error:
        wrong = str(error)
    if not chosen.file:
        said.append(Text(_alt_said(shown), style="" if clean(shown.words) else "warn"))
    if read.host:
        said.append(Text(f"from {clean(read.host)}", style="warn"))
    if wrong:
        said.append(Text(wrong, style="muted" if wrong == undrawn else "bad"))
    return PictureSide(said, picture)


def _graphics_terminal(node: DOMNode) -> GraphicsTerminal | None:
    terminal = desk_of(node).terminal
    return terminal if isinstance(terminal, GraphicsTerminal) else None


class Drawing(Widget):
    """A picture as large as there is room for it: in half blocks, or with its own pixels.

    Those lie on the terminal beside the frames, on cells that are left blank: they are written
    again after each frame that has these cells, and taken away with the dialog.
    """

    def __init__(self, picture: Picture) -> None:
        super().__init__()
        self._picture = picture
        self._room: tuple[int, int] | None = None
        self._cells: list[list[Segment]] = []
        self._number = (os.getpid() & 0xFFFF) << 12 | next(_numbers) & 0xFFF
        """Names it to the terminal."""
        self._made_for: object = None
        """The room, the place and the cells for which its pixels are made, or being made."""
        self._pixels = ""
        """What draws its pixels; empty while half blocks are drawn."""
        self._writes = False

    @property
    def _graphics(self) -> Graphics | None:
        terminal = _graphics_terminal(self)
        return None if terminal is None else terminal.graphics

    def render_line(self, y: int) -> Strip:
        """Draw one row of cells."""
        width, height = self.size
        if self._pixels:
            return Strip.blank(width, self.rich_style)
        if self._room != (width, height):
            self._room = width, height
            lines = self._picture.lines(max(1, width), max(1, height))
            self._cells = [
                [Segment(text, Style.parse(tone)) for text, tone in line] for line in lines
            ]
        cells = self._cells[y] if y < len(self._cells) else []
        return Strip(cells).adjust_cell_length(width, self.rich_style)

    def render_lines(self, crop: Region) -> list[Strip]:
        """Draw its cells for a frame, and have its pixels follow that."""
        if not self._writes:
            self._writes = True
            self.call_later(self._follow)
        return super().render_lines(crop)

    def _follow(self) -> None:
        """Write the pixels over the frame that has just been drawn, or make them."""
        self._writes = False
        graphics, terminal = self._graphics, _graphics_terminal(self)
        if (
            graphics is None
            or terminal is None
            or not graphics.open
            or not self.is_attached
            or not self.screen.is_active
        ):
            return
        at = self.screen.find_widget(self)
        region = at.region
        if at.visible_region != region or not region.area:
            wanted = None  # a part of it is scrolled away
        else:
            # A Sixel in the last row of a terminal scrolls it.
            rows = min(region.height, self.screen.size.height - 1 - region.y)
            wanted = (graphics.protocol, graphics.cell, region, rows) if rows > 0 else None
        if wanted is None or wanted != self._made_for:  # also what was being made meanwhile
            self.take_away()
            self._made_for = wanted
            if wanted is not None and graphics.protocol:
                begin(self, self._make, region.width, wanted[-1], name="pixels", exclusive=True)
        elif self._pixels:
            graphics.shown.add(self._number)
            place = Control.move_to(region.x, region.y).segment.text
            terminal.write(f"\x1b7{place}{self._pixels}\x1b8")

    async def _make(self, columns: int, rows: int) -> None:
        graphics = sure(self._graphics)
        self._pixels = await asyncio.to_thread(
            graphics.drawing, self._picture, self._number, columns, rows
        )
        self.refresh()

    def take_away(self) -> None:
        """Take its pixels off the terminal; its cells are half blocks again."""
        graphics, terminal = self._graphics, _graphics_terminal(self)
        if graphics is None or not self._pixels:
            return
        if terminal is not None and self._number in graphics.shown:
            terminal.write(graphics.removing(self._number))
            graphics.shown.discard(self._number)
        self._pixels, self._made_for = "", None
        self.refresh()

    def on_unmount(self) -> None:
        self.take_away()


class PictureSheet(Sheet[None], scope="picture"):
    """A picture, or two beside each other; esc closes it."""

    ASKS = False

    def __init__(self, title: str, sides: Sequence[PictureSide]) -> None:
        super().__init__(title)
        self.add_class("picture")
        self._sides = sides

    def on_mount(self) -> None:
        super().on_mount()
        terminal = _graphics_terminal(self)
        if terminal is not None and terminal.graphics is not None:
            terminal.graphics.changed = self._draw_again

    def on_unmount(self) -> None:
        terminal = _graphics_terminal(self)
        if terminal is not None and terminal.graphics is not None:
            terminal.graphics.changed = lambda: None

    def on_screen_suspend(self) -> None:
        """Leave no picture over what lies on it now."""
        for each in self.query(Drawing):
            each.take_away()

    def _draw_again(self) -> None:
        for each in self.query(Drawing):
            each.refresh()

    def body(self) -> ComposeResult:
        with Horizontal():
            for side in self._sides:
                with Vertical():
                    yield Static(self.paint(Text("\n").join(side.said)))
                    if side.picture is not None:
                        yield Drawing(side.picture)
        yield Label(self.paint(Text.assemble(("esc", "accent"), " close")), classes="keys")

    @action("escape", "close", word="back", show=False, override=True, also=("enter",))
    def cancel(self) -> None:
        """Close it."""
        self.dismiss(None)
