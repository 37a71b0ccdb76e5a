"""Pictures as half blocks: two pixels a cell, one above the other.

Only what can be told from the first bytes is decoded: their size is checked before any pixel is
made, so that a small file that unfolds to gigabytes is refused.
"""

from __future__ import annotations

import struct
from io import BytesIO
from itertools import groupby, zip_longest
from typing import TYPE_CHECKING

from copydesk.domain.picture import LARGEST, image_size, too_large

if TYPE_CHECKING:
    from PIL.Image import Image

    from copydesk.present.markdown import Line

MOST_PIXELS = 40_000_000
"""Pixels of a picture; one that has more is not decoded."""

KEPT = (320, 240)
"""Pixels across and down that are kept of a decoded picture: no terminal shows more as cells."""

KEPT_LARGE = (1280, 960)
"""The same of one that may be shown with its own pixels (`copydesk.present.graphics`)."""

HALF = "\u2580"
"""The upper half of a cell: its colour is the upper pixel, that of the ground the lower one."""

BROKEN = "The picture cannot be shown: its file is cut off or damaged."


class PictureRefusedError(Exception):
    """Why a picture cannot be shown, as a sentence."""


class Picture:
    """A decoded picture: how large it was, and as much of it as a terminal can show."""

    def __init__(self, size: tuple[int, int], image: Image) -> None:
        self.size = size
        self._image = image

    def fitted(self, width: int, height: int) -> Image:
        """Return the picture in at most so many pixels, never larger than it is."""
        across, down = self._image.size
        part = min(width / across, height / down, 1.0)
        return self._image.resize((max(1, int(across * part)), max(1, int(down * part))))

    def lines(self, width: int, rows: int) -> list[Line]:
        """Return the picture in at most so many cells across and rows, never larger than it is."""
        small = self.fitted(width, 2 * rows)
        across, down = small.size
        data = small.tobytes()
        pixels = [f"#{data[at : at + 3].hex()}" for at in range(0, len(data), 3)]
        lines: list[Line] = []
        for top in range(0, down, 2):
            upper = pixels[top * across : (top + 1) * across]
            lower = pixels[(top + 1) * across : (top + 2) * across]
            pairs = zip_longest(upper, lower)  # an odd last row has nothing below it
            tones = (one if two is None else f"{one} on {two}" for one, two in pairs)
            lines.append([(HALF * len(list(run)), tone) for tone, run in groupby(tones)])
        return lines


def decode(data: bytes, kept: tuple[int, int] = KEPT) -> Picture:
    """Decode a PNG, GIF, JPEG or WebP, of which so many pixels are kept.

    It takes long: call it in a thread. Raises `PictureRefusedError`.
    """
    size = checked_size(data)
    try:
        from PIL import Image  # an extra, and only pictures need it
    except ImportError as error:
        raise PictureRefusedError(
            "Pictures need Pillow: pip install 'copydesk[pictures]'."
        ) from error
    try:
        with Image.open(BytesIO(data), formats=("PNG", "GIF", "JPEG", "WEBP")) as file:
            _check_pixels(file.size)  # a frame of a GIF may be larger than its header says
            file.draft("RGB", kept)
            file.load()
            _check_pixels(file.size)
            image = file.convert("RGBA")
        image.thumbnail(kept)
        # What lets a page through was made for a white one.
        ground = Image.new("RGBA", image.size, "white")
        ground.alpha_composite(image)
        return Picture(size, ground.convert("RGB"))
    except (
        OSError, SyntaxError, ValueError, EOFError, IndexError, struct.error, MemoryError,
        Image.DecompressionBombError,
    ) as error:  # fmt: skip
        raise PictureRefusedError(BROKEN) from error


def checked_size(data: bytes) -> tuple[int, int]:
    """Return width and height in pixels of what can be shown. Raises `PictureRefusedError`."""
    if len(data) > LARGEST:
        raise PictureRefusedError(too_large(len(data)))
    size = image_size(data)
    if size is None:
        raise PictureRefusedError("Not a PNG, JPEG, GIF or WebP: others are not shown.")
    _check_pixels(size)
    return size


def _check_pixels(size: tuple[int, int]) -> None:
    width, height = size
    if width < 1 or height < 1:
        raise PictureRefusedError(BROKEN)
    if width * height > MOST_PIXELS:
        raise PictureRefusedError(
            f"The picture has {width:,} x {height:,} pixels: "
            f"more than {MOST_PIXELS // 1_000_000} million are not shown."
        )
