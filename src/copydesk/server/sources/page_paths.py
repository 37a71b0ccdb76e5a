"""Which file each page of a space is written to."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import chain, count

from copydesk.domain.late_dataclass import dataclass
from copydesk.server.sources.config import README
from copydesk.server.sources.model import SourcePage, SourceSpace
from copydesk.server.sources.paths import (
    folder_of,
    introduces,
    is_page_of_next,
    join,
    last_part,
    stem_of,
)


def placed(space: SourceSpace) -> tuple[SourcePage, ...]:
    """Return the pages of a space, each document with the file that it is written to.

    A page without one gets it beside the pages that are beside it, or in the folder of the page
    above it.
    """
    paths = [page.source_path for page in space.walk() if page.source_path]
    first = Counter(
        last_part(path) for path in paths if introduces(path) and not is_page_of_next(path)
    )
    # With a summary no other name says that a file introduces its folder.
    name = README if space.summary_path or not first else first.most_common(1)[0][0]
    taken = {*paths, *(file.path for file in space.files)}
    return _Paths(space.folder, name, taken).placed(space.pages, space.folder)


@dataclass(frozen=True, slots=True)
class _Paths:
    """The files of the space at ``top``; one that introduces its folder has the name ``first``."""

    top: str
    first: str
    taken: set[str]

    def placed(self, pages: tuple[SourcePage, ...], folder: str) -> tuple[SourcePage, ...]:
        homes = Counter(self.home(page.source_path) for page in pages if page.source_path)
        home = homes.most_common(1)[0][0] if homes else folder
        found: list[SourcePage] = []
        for page in pages:
            path = page.source_path
            if page.type == "document" and path is None:
                name = f"{page.slug}/{self.first}" if page.children else f"{page.slug}.md"
                path = self.free(home, name, page.slug)
            below = join(home, page.slug) or home
            if path is not None:
                place = folder_of(path)
                below = place if introduces(path) else join(place, stem_of(path)) or place
            children = self.placed(page.children, below)
            found.append(replace(page, source_path=path, children=children))
        return tuple(found)

    def free(self, folder: str, name: str, slug: str) -> str:
        """Return a path that no other file has, and take it."""
        names = (f"{slug}-{number}.md" for number in count(1))
        paths = (join(folder, each) or each for each in chain([name], names))
        path = next(path for path in paths if path not in self.taken)
        self.taken.add(path)
        return path

    def home(self, path: str) -> str:
        """Return the folder that a page is in; one that introduces a folder is beside that."""
        folder = folder_of(path)
        return folder_of(folder) if introduces(path) and folder != self.top else folder
