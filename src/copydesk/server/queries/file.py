"""Files of a revision, as readers may see them."""

from __future__ import annotations

from copydesk.contract.models.content import Dimensions, File, GitObject
from copydesk.domain.picture import image_size
from copydesk.server import content
from copydesk.server.content import FileData
from copydesk.server.errors import not_found
from copydesk.server.implementation import Call

_HEAD = 64 * 1024
"""How much of an image is read to find its size: JPEG puts it after its metadata."""


def revision_files(call: Call, revision_id: str) -> list[FileData]:
    """Return the files of a revision by path, without those kept for export only."""
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
    head: bytes | None = call.tx.value(  # None of an empty file
        "SELECT substr(data, 1, ?) FROM blob WHERE hash = ?", _HEAD, file.blob
    )
    size = image_size(head or b"")
    return size and Dimensions(width=size[0], height=size[1])
