"""Searching the pages of an organization, a space or a site: results section by section."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from copydesk.contract.models.base import Page, ShownUrls
from copydesk.contract.models.search import (
    OrganizationSearchItem,
    SearchSection,
    SiteSearch,
    SpaceSearchItem,
)
from copydesk.domain.address import web_address
from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.text import shown_title
from copydesk.session.operations import ops

if TYPE_CHECKING:
    from copydesk.client.api import Api


LONGEST = 512
"""Characters of a query that a service takes."""


@dataclass(frozen=True)
class Hit:
    """A section of a page that was found, or the page where the service names no section.

    ``number`` counts the sections of its page, ``words`` are what was looked for.
    """

    space: str
    space_title: str
    page: SpaceSearchItem
    section: SearchSection | None
    number: int
    words: str

    @property
    def id(self) -> str:
        """What tells it from the other results."""
        return f"{self.space} {self.page.id} {self.number}"

    @property
    def anchor(self) -> str:
        """What its section is called in an address; "" for the page from its top."""
        if self.section is None:
            return ""
        return (self.section.path or self.section.id).partition("#")[2]

    @property
    def where(self) -> str:
        """The titles of the pages above it and its own."""
        titles = [each.title for each in self.page.ancestors] + [self.page.title]
        return " / ".join(shown_title(title) for title in titles)

    @property
    def url(self) -> str | None:
        """The address of the section, else of the page."""
        of_section = web_address(self.section.urls.app) if self.section is not None else ""
        return of_section or web_address(self.page.urls.app) or None


def hits_of_space(
    space: str, title: str, pages: Sequence[SpaceSearchItem], words: str
) -> Iterator[Hit]:
    """Yield the results of one space in the order of the service."""
    for page in pages:
        for number, section in enumerate(page.sections or [None]):
            yield Hit(space, title, page, section, number, words)


def hits_of_items(found: Sequence[OrganizationSearchItem], words: str) -> Iterator[Hit]:
    """Yield the results of several spaces, space by space; a record is one of its own, in none."""
    for item in found:
        if item.type == "space":
            yield from hits_of_space(item.id, item.title, item.pages, words)
        else:
            record = SpaceSearchItem(id=item.id, title=item.title, urls=ShownUrls(app=item.url))
            yield Hit("", "", record, None, 0, words)


def unfit(words: str) -> str | None:
    """Return why nothing can be looked for with these words, or None."""
    if not words.strip():
        return "Type what to look for: e opens a line for that."
    if len(words) > LONGEST:
        return f"{len(words)} characters; a search takes at most {LONGEST}."
    if re.search(r"[^\W_]", words) is None:
        return "There is no letter and no digit in it, so no page can be found by it."
    return None


def nothing_found(words: str, where: str) -> str:
    """Return what stands where results would."""
    short = [word for word in words.split() if len(word) < 3 and word.isascii()]
    said = f"No page {where} has {'all of these words' if len(words.split()) > 1 else 'this word'}."
    if short:
        said += " One or two letters are found as a whole word only."
    return said


async def read_hits(
    api: Api, words: str, organization: str, *, space: str = "", site: str = "", **paging: Any
) -> Page[Hit]:
    """Return a page of what has these words: in a space, in a site, else in an organization.

    Raises ``ApiError``.
    """
    if space:
        found = await api.page(ops.search_space, space, query=words, **paging)
        hits = hits_of_space(space, "", found.items, words)
        return Page[Hit](items=list(hits), next=found.next)
    shown = await (
        api.page(
            ops.search_site_content, organization, site, SiteSearch(query=words, mode="all"),
            **paging,
        )
        if site
        else api.page(ops.search_organization, organization, query=words, **paging)
    )  # fmt: skip
    return Page[Hit](items=list(hits_of_items(shown.items, words)), next=shown.next)
