"""Which file each page of a space is written to."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from copydesk.server.sources.model import SourcePage, SourceSpace
from copydesk.server.sources.paths import folder_of, is_readme, join, stem_of


def placed(space: SourceSpace) -> tuple[SourcePage, ...]:
    """Return the pages of a space, each document with the file that it is written to."""
    taken = {file.path for file in space.files}
    taken |= {page.source_path for page in space.walk() if page.source_path}
    return _placed(space.pages, space.folder, taken)


def _placed(pages: Iterable[SourcePage], folder: str, taken: set[str]) -> tuple[SourcePage, ...]:
    """Give every document a file: its slug, in the folder of the page above it."""
    found: list[SourcePage] = []
    for page in pages:
        path = page.source_path
        if page.type == "document" and path is None:
            name = f"{page.slug}/README.md" if page.children else f"{page.slug}.md"
            path = join(folder, name) or name
            count = 0
            while path in taken:
                count += 1
                path = join(folder, f"{page.slug}-{count}.md") or path
            taken.add(path)
        below = join(folder, page.slug) or folder
        if path is not None:
            place = folder_of(path)
            below = place if is_readme(path) else join(place, stem_of(path)) or place
        found.append(replace(page, source_path=path, children=_placed(page.children, below, taken)))
    return tuple(found)
