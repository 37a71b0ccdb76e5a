"""Pictures with their own pixels, for terminals that show them: as Kitty or as Sixel graphics.

The terminal is asked once, when the first picture is opened: its answers come among the keys that
are read, and are taken out of them there. Nobody waits for an answer, and who gets none sees half
blocks. textual-image makes the Sixel; its widgets are not used, for they read the answers from
standard input themselves, and write past the frames of the screens.
"""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from io import BytesIO
from typing import TYPE_CHECKING, Protocol, runtime_checkable

if TYPE_CHECKING:
    from PIL.Image import Image

    from copydesk.present.pictures import Picture

QUESTION = "\x1b_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA\x1b\\\x1b[16t\x1b[c"
"""Asks for Kitty graphics, for the size of a cell, and for what else there is.

Every terminal answers the last part, and the parts in order: with its answer all are there.
"""

NO_SIXEL = "Sixel needs textual-image: pip install 'copydesk[pictures]'."

_ANSWER = re.compile(
    r"\x1b_G(?P<kitty>[^\x1b]{0,80})\x1b\\"
    r"|\x1b\[6;(?P<height>\d{1,4});(?P<width>\d{1,4})t"
    r"|\x1b\[\?(?P<can>[0-9;]{0,80})c"
)
_BEGUN = re.compile(r"\x1b(?:_G[^\x1b]{0,80}\x1b?|\[[?6][0-9;]{0,80})\Z")
"""What may be the beginning of an answer whose rest comes with what is read next."""

SMALL_CELL = (8, 16)
"""Pixels of a cell where the terminal does not tell: smaller than most, so that all fits."""

CHUNK = 4096
"""Bytes of a picture in one message to the terminal, at most: the Kitty protocol says so."""


@runtime_checkable
class GraphicsTerminal(Protocol):
    """What talks to a terminal that can be asked."""

    graphics: Graphics | None
    """What it shows beside text; None before it was asked."""

    def ask_for_graphics(self, wanted: str) -> None:
        """Ask it, once."""

    def write(self, data: str) -> None:
        """Write to it."""


class Graphics:
    """What the terminal can show beside text.

    ``wanted`` is the setting: with "kitty" or "sixel" that is taken for granted. ``cell`` is the
    size of a cell in pixels, if it is known without asking.
    """

    def __init__(self, wanted: str, cell: tuple[int, int] | None = None) -> None:
        self.protocol = wanted if wanted in ("kitty", "sixel") else ""
        """"kitty", "sixel", or "" for neither."""
        self.cell = cell or SMALL_CELL
        self.answers = 0
        """How many answers came: more of them may change what is drawn."""
        self.changed: Callable[[], None] = lambda: None
        """Called after answers came, by those who draw."""
        self.open = True
        """Whether the terminal is the screens', so that a picture may be put on it."""
        self.shown: set[int] = set()
        """The numbers of the pictures that the terminal may hold."""
        self._cell_known = cell is not None
        self._chooses = wanted == "auto"
        self._waits = True
        self._held = ""

    def take(self, text: str) -> str:
        """Return what was read without the answers in it."""
        if not self._waits:
            return text
        text, self._held = self._held + text, ""
        text = _ANSWER.sub(self._answered, text)
        if self._waits and (begun := _BEGUN.search(text)):
            text, self._held = text[: begun.start()], begun[0]
        return text

    def _answered(self, found: re.Match[str]) -> str:
        self.answers += 1
        if found["kitty"] is not None:
            if self._chooses and found["kitty"].endswith(";OK"):
                self.protocol = "kitty"
        elif found["can"] is not None:
            self._waits = False
            if self._chooses and not self.protocol and "4" in found["can"].split(";")[1:]:
                self.protocol = "sixel"
        elif not self._cell_known:
            self.cell = int(found["width"]) or 8, int(found["height"]) or 16
        return ""

    def drawing(self, picture: Picture, number: int, columns: int, rows: int) -> str:
        """Return what draws a picture at the cursor in at most so many cells, if anything does.

        It takes long: call it in a thread.
        """
        width, height = self.cell
        image = picture.fitted(columns * width, rows * height)
        if self.protocol == "kitty":
            return "".join(_kitty(image, number))
        return _sixel(image) if self.protocol == "sixel" else ""

    def removing(self, number: int) -> str:
        """Return what takes a picture off the terminal; a Sixel is written over."""
        return f"\x1b_Ga=d,d=I,i={number},q=2\x1b\\" if self.protocol == "kitty" else ""

    def closing(self) -> str:
        """Return what takes all pictures off the terminal, which is given back: none follows.

        It first ends one that was written in part, which would take in what comes after it.
        """
        self.open = False
        shown, self.shown = self.shown, set()
        return "\x1b\\" + "".join(map(self.removing, shown)) if shown else ""


def why_no_sixel() -> str:
    """Return why no Sixel can be made, as a sentence; "" where it can."""
    return "" if find_spec("textual_image") else NO_SIXEL


def _sixel(image: Image) -> str:
    if why_no_sixel():
        return ""
    # Its public modules ask the terminal as they are imported.
    from textual_image._sixel import image_to_sixels

    return image_to_sixels(image)


def _kitty(image: Image, number: int) -> Iterator[str]:
    """Send a picture and place it: the cursor stays (C), and nothing is answered (q)."""
    file = BytesIO()
    image.save(file, "PNG", compress_level=2)
    data = b64encode(file.getvalue()).decode()
    head = f"a=T,f=100,i={number},p=1,C=1,q=2,"
    for at in range(0, len(data), CHUNK):
        more = int(at + CHUNK < len(data))
        yield f"\x1b_G{head}m={more};{data[at : at + CHUNK]}\x1b\\"
        head = ""
