"""The text of a page, line by line: on a very wide screen it is beside what leads to the page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from copydesk.domain.slug import named, slugify
from copydesk.session.operations import ops
from copydesk.session.page_rows import page_rows
from copydesk.session.reads.pages import walk
from copydesk.tui.resource.resource import Facet, ListQuery, Resource

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.contract.models.base import Page
    from copydesk.session.target import Target


FIRST, ELSEWHERE = "first", "elsewhere: not read"
"""In place of a page: the first one of a space, and one that no space has."""


def lines_from(space: str, page: str, at: str = "") -> str:
    """Return what `LINES` are asked for by: a page, and an anchor or words of a line to begin at.

    Without a page there are none.
    """
    return f"{space} {page} {at}" if space and page else ""


async def _lines(api: Api, target: Target, asked: ListQuery) -> Page[str]:
    from copydesk.contract.models.base import Page

    space, _, rest = (target.item or "").partition(" ")
    page, _, at = rest.partition(" ")
    if target.item == ELSEWHERE:
        return Page[str](items=[ELSEWHERE])
    if page == FIRST:
        rows = walk(page_rows((await api(ops.list_space_pages, space)).pages))
        page = next((row.id for row in rows if row.readable), "")
    if not page:
        return Page[str](items=[])
    found = await api(ops.get_space_page, space, page, format="markdown", metadata=False)
    lines = (found.markdown or "").splitlines()
    here = (n for n, line in enumerate(lines) if at and _begins(line, at))
    first = next(here, 0)
    return Page[str](items=lines[first : first + asked.limit])


def _begins(line: str, at: str) -> bool:
    """Whether a line is the heading of an anchor, or a link with such words in its address."""
    if line.startswith("#"):
        words, name = named(line.strip("# "))
        return at in (name, slugify(words))
    return at in line and "](" in line


LINES: Resource[str] = Resource(
    noun="line",
    title="Text",
    pages=_lines,
    key=lambda line: line,
    label=lambda line: line,
    shown=(Facet("none", "", lambda line, now: None),),
    empty="This page has no text.",
    of="item",
    beside=0,
)
"""The lines of a page."""
