"""Files of a revision, as readers may see them."""

from __future__ import annotations

import struct

from copydesk.contract.models.content import Dimensions, File, GitObject
from copydesk.server import content
from copydesk.server.content import FileData
from copydesk.server.errors import not_found
from copydesk.server.implementation import Call

_HEAD = 64 * 1024
"""How much of an image is read to find its size: JPEG puts it after its metadata."""


def revision_files(call: Call, revision_id: str) -> list[FileData]:
    """Return the files of a revision by path, without those that are only kept for export."""
    return [file for file in content.load(call.tx, revision_id).files if file.kind == "file"]


def find_file(call: Call, revision_id: str, file_id: str) -> FileData:
    """Return one file of a revision; raises a 404 when it has none with this id."""
    for file in revision_files(call, revision_id):
        if file.id == file_id:
            return file
    raise not_found("file", file_id)


def file_model(
    call: Call, space_id: str, revision_id: str, file: FileData, *, metadata: bool = True
) -> File:
    """Return a file of a revision as the API shows it."""
    return File(
        id=file.id,
        name=file.name,
        content_type=file.content_type,
        download_url=f"{call.base_url}/files/{space_id}/{revision_id}/{file.id}",
        size=file.size,
        dimensions=_dimensions(call, file),
        git=GitObject(oid=file.git_oid or file.blob, path=file.path) if metadata else None,
    )


def _dimensions(call: Call, file: FileData) -> Dimensions | None:
    if not file.content_type.startswith("image/"):
        return None
    head: bytes = call.tx.value(
        "SELECT substr(data, 1, ?) FROM blob WHERE hash = ?", _HEAD, file.blob
    )
    size = image_size(head)
    return size and Dimensions(width=size[0], height=size[1])


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
