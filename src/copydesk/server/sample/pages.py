"""The sample's pages: Markdown folders that ship with the program."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from importlib.resources import files
from importlib.resources.abc import Traversable

from copydesk.server.sources.layout import LayoutReader
from copydesk.server.sources.model import Blob, SourceSpace


@lru_cache(maxsize=32)
def read_pages(folder: str) -> SourceSpace:
    """Return the pages of one folder below ``content``, as an import reads them.

    Raises ``ValueError`` when a file or a line there cannot be used, for then the sample is wrong.
    """
    top = files("copydesk.server.sample") / "content" / folder
    spaces = LayoutReader().read({path: Blob.of(file.read_bytes()) for path, file in _walk(top)})
    if len(spaces) != 1 or spaces[0].problems:
        raise ValueError(f"the sample's {folder} is not one clean space: {spaces}")
    return spaces[0]


def _walk(folder: Traversable, prefix: str = "") -> Iterator[tuple[str, Traversable]]:
    for entry in sorted(folder.iterdir(), key=lambda e: e.name):
        if entry.is_dir():
            yield from _walk(entry, f"{prefix}{entry.name}/")
        else:
            yield prefix + entry.name, entry
