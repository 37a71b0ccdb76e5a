"""What a PDF of a revision prints, gathered from the desk."""

from __future__ import annotations

from copydesk.domain.documents import links_of
from copydesk.domain.picture import image_size
from copydesk.server import content
from copydesk.server.content import FileData
from copydesk.server.implementation import Call
from copydesk.server.pdf import MOST_PIXELS, PrintedPage
from copydesk.server.pdf_address import pages_to_print
from copydesk.server.queries.file import revision_files
from copydesk.server.queries.link import LinkReader
from copydesk.server.queries.page import PlacedPage

_MOST_BYTES = 5 * 1024 * 1024
_MOST_PICTURES = 50 * 1024 * 1024
"""So many bytes of different pictures are in one PDF; the others are named only."""

_PICTURES = ("image/png", "image/jpeg", "image/gif")


def printed_pages(
    call: Call, space_id: str, revision_id: str, *, page_id: str | None = None, only: bool = False
) -> list[PrintedPage]:
    """Return the pages of a revision as they are printed. Raises as ``pages_to_print`` does."""
    reader = LinkReader(call, space_id, revision_id)
    files = {file.id: file for file in revision_files(call, revision_id)}
    chosen = pages_to_print(call, reader.pages, page_id, only=only)
    top = len(chosen[0].ancestors) if chosen else 0
    shown: dict[str, bytes | None] = {}

    def picture(file: FileData) -> bytes | None:
        if file.blob not in shown:
            data = content.blob(call.tx, file.blob)
            size = image_size(data[: 64 * 1024])
            held = sum(len(one) for one in shown.values() if one is not None)
            fits = size and 0 < size[0] * size[1] <= MOST_PIXELS
            shown[file.blob] = data if fits and held + len(data) <= _MOST_PICTURES else None
        return shown[file.blob]

    def printed(page: PlacedPage) -> PrintedPage:
        text = content.text(call.tx, page.data.text)
        links: dict[str, str] = {}
        pictures: dict[str, bytes] = {}
        for url in dict.fromkeys(links_of(text)):
            kind, target, status = reader.resolve(page, url)
            if kind == "page" and status == "ok":
                links[url] = target
            file = files.get(target) if kind == "file" else None
            if file and file.content_type in _PICTURES and file.size <= _MOST_BYTES:
                data = picture(file)
                if data is not None:
                    pictures[url] = data
        return PrintedPage(
            id=page.data.id,
            title=page.data.title,
            depth=len(page.ancestors) - top,
            description=page.data.description or "",
            markdown=text or (page.data.href or ""),
            links=links,
            pictures=pictures,
        )

    return [printed(page) for page in chosen]
