"""Which pictures a text shows, which files they are, and what the first bytes of one say of it."""

from __future__ import annotations

import posixpath
import re
import struct
from collections.abc import Mapping
from typing import NamedTuple
from urllib.parse import unquote

from copydesk.domain.text import size_words

LARGEST = 8_000_000
"""Bytes of a picture that is shown; a larger one is not."""

_PAIR = struct.Struct("<HH")
"""Two numbers of two bytes each, as GIF and WebP have them."""


def too_large(size: int) -> str:
    """Say that a picture has too many bytes to be shown."""
    return f"The picture has {size_words(size)}: more than {size_words(LARGEST)} are not shown."


def image_size(head: bytes) -> tuple[int, int] | None:
    """Return width and height in pixels from the start of a picture, None where it is none.

    Known are PNG, GIF, JPEG and WebP.
    """
    try:
        if head.startswith(b"\x89PNG\r\n\x1a\n"):
            width, height = struct.unpack_from(">II", head, 16)
            return width, height
        if head.startswith((b"GIF87a", b"GIF89a")):
            width, height = _PAIR.unpack_from(head, 6)
            return width, height
        if head.startswith(b"\xff\xd8"):
            return _jpeg_size(head)
        if head.startswith(b"RIFF") and head[8:12] == b"WEBP":
            return _webp_size(head)
    except struct.error:
        # The image ends before its header does.
        return None
    return None


def _jpeg_size(head: bytes) -> tuple[int, int] | None:
    at = 2
    while True:
        mark, kind, length = struct.unpack_from(">BBH", head, at)
        if mark != 0xFF:
            return None
        # Start of frame: C0 to CF without the tables C4, C8 and CC.
        if 0xC0 <= kind <= 0xCF and kind not in (0xC4, 0xC8, 0xCC):
            height, width = struct.unpack_from(">HH", head, at + 5)
            return width, height
        at += 2 + length


def _webp_size(head: bytes) -> tuple[int, int] | None:
    match head[12:16]:
        case b"VP8 ":  # a frame of VP8, after its start code
            width, height = _PAIR.unpack_from(head, 26)
            return width & 0x3FFF, height & 0x3FFF
        case b"VP8L":
            low, high = _PAIR.unpack_from(head, 21)
            return (low & 0x3FFF) + 1, ((low >> 14 | high << 2) & 0x3FFF) + 1
        case b"VP8X":
            a, b, c, d, e, f = struct.unpack_from("6B", head, 24)
            return (a | b << 8 | c << 16) + 1, (d | e << 8 | f << 16) + 1
    return None


class Shown(NamedTuple):
    """A picture that a text shows: its address as it is written, and the words for it."""

    address: str
    words: str


_PICTURE = re.compile(
    r"!\[(?P<alt>[^\]]{0,500}+)\]\((?P<image><[^>]{0,2000}+>|[^\s)]{0,2000}+)[^)]{0,500}+\)"
    r"|<img\b(?P<img>[^>]{0,4000}+)>",
    re.IGNORECASE,
)
_ATTRIBUTE = re.compile(r"(?<![\w-])(\w+)=(?:\"([^\"]*)\"|'([^']*)')")

READ = 20_000
"""Characters of a block in which pictures are looked for."""


def may_show(text: str) -> bool:
    """Whether a text may show pictures, told quickly."""
    return any(mark in text for mark in ("![", "<img", "<IMG"))


def pictures_of(text: str) -> list[Shown]:
    """Return the pictures that a Markdown text shows, in their order."""
    found: list[Shown] = []
    for match in _PICTURE.finditer(text, 0, READ):
        if match["img"] is None:
            found.append(Shown(match["image"].strip("<>"), match["alt"]))
        else:
            given = {
                name.lower(): one or two for name, one, two in _ATTRIBUTE.findall(match["img"])
            }
            found.append(Shown(given.get("src", ""), given.get("alt", "")))
    return [each for each in found if each.address]


def files_named(address: str, paths: Mapping[str, str]) -> list[str]:
    """Return the ids of the files that a relative address may name: of one, where it is plain.

    ``paths`` are those of the files in their repository, by id. From which folder an address counts
    is told nowhere, so it is compared with the end of each path.
    """
    wanted = posixpath.normpath("/" + re.sub(r"^(?:\.{0,2}/)+", "", unquote(address)))[1:]
    ends = [key for key, path in paths.items() if f"/{path}".endswith(f"/{wanted}")]
    whole = [key for key in ends if paths[key] == wanted]
    return whole or ends
