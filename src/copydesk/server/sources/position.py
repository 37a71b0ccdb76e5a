"""The place that a new page gets in its front matter, where those beside it have theirs there."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from copydesk.domain.late_dataclass import dataclass
from copydesk.server.sources.document import read_document
from copydesk.server.sources.model import Blob, SourcePage

_WHOLE = "weight"
"""The word of Hugo for it, which takes whole numbers only, and 0 for none."""


@dataclass(frozen=True, slots=True)
class _Place:
    word: str
    number: float


def new_places(pages: Sequence[SourcePage], new: set[str]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield what front matter must say for the places of ``new`` pages, by path, if it can."""
    before: list[_Place | None] = []
    for at, page in enumerate(pages):
        yield from new_places(page.children, new)
        if page.source_path not in new:
            before.append(_place(page))
            continue
        after = _place(pages[at + 1]) if at + 1 < len(pages) else None
        place = _between(before, after)
        before.append(place)
        if place is not None and page.source_path is not None:
            outer, _, inner = place.word.rpartition(".")
            yield (
                page.source_path,
                {outer: {inner: place.number}} if outer else {inner: place.number},
            )


def _place(page: SourcePage) -> _Place | None:
    if page.type != "document" or not page.front_matter:
        return None
    document = read_document(Blob.of(page.content()))
    return None if document.position is None else _Place(document.placed_by, document.position)


def _between(before: Sequence[_Place | None], after: _Place | None) -> _Place | None:
    """Return a place behind the last one and ahead of the next, a whole number if there is one."""
    last = before[-1] if before else None
    if last is None:
        number = 0.0 if after is None else after.number - 1
    elif after is None:
        second = before[-2] if before[1:] else None
        step = 1.0 if second is None else last.number - second.number
        number = last.number + (step if step > 0 else 1.0)
    else:
        number = (last.number + after.number) / 2
        if after.number - last.number >= 2:
            number = float(int(number))
    near = last or after
    if near is None or (near.word == _WHOLE and (number == 0 or number % 1)):
        return None
    return _Place(near.word, int(number) if number % 1 == 0 else number)
