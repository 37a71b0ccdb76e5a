"""Reads of a site as its readers see it: everybody, or holders of a share link."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import field
from typing import TYPE_CHECKING

from copydesk.client.errors import ApiError, Forbidden, Invalid, NotFound
from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.site_readers import ReaderNode, readers_tree, reading_of
from copydesk.domain.site_tree import structure_in, with_titles
from copydesk.session.operations import ops
from copydesk.session.reads.sites import list_links, read_structure
from copydesk.session.site_rows import ShareLinkRow, SiteRow, no_address, no_effect, site_row
from copydesk.session.site_rows import audience as readers

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.contract.models.site import PublishedSite, Site
    from copydesk.domain.site_tree import Structure


@dataclass(frozen=True)
class Audience:
    """The readers: everybody, holders of a ``link`` (its id), or of a typed key.

    A key is a secret: it is in no ``repr``.
    """

    link: str = ""
    key: str = field(default="", repr=False)

    @property
    def public(self) -> bool:
        """Whether the readers are everybody."""
        return not self.link and not self.key


@dataclass(frozen=True)
class ReadersRead:
    """The content for an audience. ``said`` is why that is nothing, or a remark.

    ``links`` is None where the caller may not see them; ``who`` names the audience.
    """

    site: SiteRow
    who: str
    tree: tuple[ReaderNode, ...] = ()
    said: str = ""
    links: tuple[ShareLinkRow, ...] | None = None
    key: str = field(default="", repr=False)


def nobody_special(site: SiteRow) -> str:
    """Return the readers of a site without a link."""
    return "without a link" if site.visibility == "share-link" else f"by {readers(site)}"


async def read_as(api: Api, organization: str, site: Site, audience: Audience) -> ReadersRead:
    """Return the content of a site for an audience. Raises ``ApiError``, never with the key."""
    row = site_row(site)
    links: tuple[ShareLinkRow, ...] | None = None
    try:
        links = await list_links(api, organization, site.id)
    except (Forbidden, NotFound):
        if audience.link:
            said = "You may not see the share links of this site. :key KEY reads with a key."
            return ReadersRead(row, "with a link", (), said)
    key, who = audience.key, nobody_special(row)
    if key:
        opened = next((link.title for link in links or () if link.key == key), "")
        who = f"with {opened}, by the key you typed" if opened else "with the key you typed"
    if audience.link:
        link = next((each for each in links or () if each.id == audience.link), None)
        if link is None:
            return ReadersRead(row, "with a link", (), "That share link is gone. f chooses.", links)
        who, key = f"with {link.title}", link.key
        if not link.active:
            said = (
                "is switched off: its key opens nothing. Among the share links, x switches it on."
            )
            return ReadersRead(row, who, (), f"{link.title} {said}", links)
        if row.published and not key:
            return ReadersRead(row, who, (), no_address(link, row), links)
    if not row.published:
        return ReadersRead(row, who, (), NOT_PUBLISHED, links)
    published, seen, titles = await asyncio.gather(
        _published(api, organization, site.id, key),
        _seen(api, organization, site.id),
        _group_titles(api, organization, site.id),
    )
    wrong = ""
    if isinstance(published, str) and key and row.visibility != "share-link":
        # Nobody needs a link there: a wrong one shows the site all the same.
        wrong = f"No link of this site that is on has that key. {no_effect(row)}"
        who, key, published = nobody_special(row), "", await _published(api, organization, site.id)
    if isinstance(published, str):
        return ReadersRead(row, who, (), published, links)
    reading = reading_of(published)
    said = wrong or layout(reading.unknown)
    if not key and row.visibility == "share-link":
        said = "Without a link no one gets this. f chooses a link to read with."
    theirs = with_titles(reading.structure, titles, UNTITLED)
    if seen is not None:
        seen = None if reading.unknown else with_titles(seen, titles, UNTITLED)
    tree = readers_tree(theirs, seen, adaptive=row.adaptive)
    return ReadersRead(row, who, tree, said, links, key)


async def _published(api: Api, organization: str, site: str, key: str = "") -> PublishedSite | str:
    """Return the published content, or why there is none."""
    try:
        return await api(ops.get_published_site, organization, site, share_key=key or None)
    except (NotFound, Invalid) as error:
        if key:
            return (
                "No link of this site that is on has that key: it was switched off, deleted or "
                "mistyped. f chooses a link."
            )
        if isinstance(error, Invalid):
            raise
        return NOT_PUBLISHED
    except ApiError as error:
        if key:
            # A message of the service may quote the request.
            error.message = error.message.replace(key, "…")
            error.args = (error.message,)
        raise


async def _seen(api: Api, organization: str, site: str) -> Structure | None:
    """Return the content for a member; None where it is forbidden."""
    try:
        return await read_structure(api, organization, site)
    except (Forbidden, NotFound):
        return None


async def _group_titles(api: Api, organization: str, site: str) -> Mapping[str, str]:
    """Return the titles of groups by their ids: what readers get has the ids alone."""
    if not api.has(ops.get_site_structure):
        return {}
    try:
        found = structure_in(await api(ops.get_site_structure, organization, site))
    except (Forbidden, NotFound):
        return {}
    return {row: node.title for row, node in found.nodes.items() if node.kind == "group"}


UNTITLED = "group, title not told"
"""What a group is called whose title the service gives to readers alone."""

NOT_PUBLISHED = "Not published: readers get nothing. W publishes it."


def layout(unknown: str) -> str:
    """Return the remark on an unknown layout; "" for known ones."""
    if not unknown:
        return ""
    return f"The site is laid out as “{unknown}”, which this copydesk does not know."
