"""Files of a space or of a change request, as a list."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from copydesk.domain.address import web_address
from copydesk.domain.text import size_words
from copydesk.tui.resource.resource import Asked, Resource, Shown

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.contract.models.base import Page
    from copydesk.contract.models.content import File
    from copydesk.session.target import Target


async def _files(api: Api, target: Target, asked: Asked) -> Page[File]:
    from copydesk.contract import operations as ops

    space, request = target.space or "", target.change_request
    if request is None:
        return await api.page(ops.list_space_files, space, metadata=False, **asked.paging)
    return await api.page(
        ops.list_change_request_files, space, request, metadata=False, **asked.paging
    )


def _dimensions(file: File, now: datetime) -> str | None:
    of = file.dimensions
    if of is None or of.width is None or of.height is None:
        return None
    return f"{of.width:g} by {of.height:g} pixels"


def _exact(file: File, now: datetime) -> list[tuple[str, str]]:
    return [("bytes", f"{file.size:,}")] if file.size is not None and file.size >= 1000 else []


FILES: Resource[File] = Resource(
    noun="file",
    title="Files",
    pages=_files,
    key=lambda file: file.id,
    label=lambda file: file.name,
    shown=(
        Shown("name", "NAME", lambda file, now: file.name, flex=1, minimum=20, detail=False,
              sort=lambda file: file.name),
        Shown("type", "TYPE", lambda file, now: file.content_type, 24, drop=2,
              sort=lambda file: file.content_type),
        Shown("size", "SIZE", lambda file, now: size_words(file.size) or None, 9, align="right",
              drop=1, sort=lambda file: file.size),
        Shown("picture", "PICTURE", _dimensions),
        Shown("id", "ID", lambda file, now: file.id, detail=False),
    ),
    empty="There are no files here: pictures and attachments of pages would be.",
    of="space",
    get="get_space_file",
    arguments=lambda target, file: (target.space or "", file.id),
    url=lambda file: web_address(file.download_url) or None,
    copies=lambda file: [("type", file.content_type)],
    more=_exact,
)  # fmt: skip
"""Files, as the service lists them; their contents are never fetched."""
