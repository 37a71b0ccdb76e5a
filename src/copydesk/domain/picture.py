"""What the first bytes of a picture say of it."""

from __future__ import annotations

import struct


def image_size(head: bytes) -> tuple[int, int] | None:
    """Return width and height in pixels from the start of a PNG, GIF or JPEG, None otherwise."""
    try:
        if head.startswith(b"\x89PNG\r\n\x1a\n"):
            width, height = struct.unpack_from(">II", head, 16)
            return width, height
        if head.startswith((b"GIF87a", b"GIF89a")):
            width, height = struct.unpack_from("<HH", head, 6)
            return width, height
        if head.startswith(b"\xff\xd8"):
            return _jpeg_size(head)
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
