"""Reads of sites: their structure, share links, and the rights on them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING

from copydesk.client.errors import Forbidden, NotFound, OperationMissing
from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.request_context import whole_answers
from copydesk.domain.site_arrangement import layout_of
from copydesk.domain.site_tree import Structure, structure_in, structure_of
from copydesk.domain.text import clean, shown_title
from copydesk.session.operations import ops
from copydesk.session.options import Option
from copydesk.session.site_rows import ShareLinkRow, SiteRow, link_of, site_row

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.contract.models.site import Site
    from copydesk.contract.models.site_section import SiteSection
    from copydesk.domain.layout import Layout


PAGE = 250
"""Rows between two reports of progress."""

Progress = Callable[[int], None]
"""Takes the number of sections read so far."""

WRITERS = ("admin", "create")
"""Roles in an organization that may change its sites."""


@dataclass(frozen=True)
class SiteRead:
    """A site, its structure, and why the reader may not change it ("" when they may)."""

    site: SiteRow
    structure: Structure
    refused: str = ""

    @property
    def layout(self) -> Layout:
        """Its structure, as rows to be arranged."""
        return layout_of(self.structure)


async def read_only_site(api: Api, organization: str) -> Site | None:
    """Return the only site of an organization; None for several, or none."""
    page = await api.page(ops.list_sites, organization, limit=2)
    return page.items[0] if len(page.items) == 1 and page.next is None else None


async def read_site_options(api: Api, organization: str) -> list[Option]:
    """Return the sites of an organization, to choose from. Raises ``ApiError``."""
    return [
        Option(each.id, shown_title(each.title))
        async for each in api.pages(ops.list_sites, organization)
    ]


async def read_site(
    api: Api,
    organization: str,
    site: str,
    me: str | None,
    *,
    known: Callable[[SiteRow], None] = lambda site: None,
    progress: Progress = lambda read: None,
    arranging: bool = False,
) -> SiteRead:
    """Return a site with its structure; ``known`` is given the site first.

    ``arranging``: with groups and links, where the service has them, as `read_arranged` does.

    Raises ``ApiError``.
    """

    async def itself() -> SiteRow:
        found = site_row(await api(ops.get_site, organization, site))
        known(found)
        return found

    found, structure, rights = await asyncio.gather(
        itself(),
        (read_arranged if arranging else read_structure)(api, organization, site, progress),
        read_rights(api, organization, me, site),
    )
    return SiteRead(found, structure, rights.change)


async def read_conditions(api: Api, organization: str, site: str) -> list[Option]:
    """Return the ready-made conditions of a site, as options. Raises ``ApiError``."""
    found = await api(ops.list_adaptive_template_conditions, organization, site)
    return [
        Option(
            clean(each.condition),
            clean(each.description) or clean(each.condition),
            clean(each.condition),
        )
        for each in found.items
        if each.condition
    ]


async def read_arranged(
    api: Api, organization: str, site: str, progress: Progress = lambda read: None
) -> Structure:
    """Return the structure of a site with its groups and links, where the service has those.

    On others it is that of `read_structure`. Raises ``ApiError``.
    """
    if api.has(ops.sort_site_structure):
        with whole_answers():
            try:
                return structure_in(await api(ops.get_site_structure, organization, site))
            except OperationMissing:
                pass
    return await read_structure(api, organization, site, progress)


async def read_structure(
    api: Api, organization: str, site: str, progress: Progress = lambda read: None
) -> Structure:
    """Return the current structure of a site, in the published order.

    Raises ``ApiError``, also where a part of it is not understood: without that part it would be
    another structure, and the requests that change it follow from it.
    """
    with whole_answers():
        return await _read_structure(api, organization, site, progress)


async def _read_structure(api: Api, organization: str, site: str, progress: Progress) -> Structure:
    sections: list[SiteSection] = []
    async for section in api.pages(ops.list_site_sections, organization, site):
        sections.append(section)
        if len(sections) % PAGE == 0:
            progress(len(sections))
    if sections:
        return structure_of(sections)
    shown = await api.every(ops.list_site_spaces, organization, site)
    return structure_of((), shown)


async def list_links(api: Api, organization: str, site: str) -> tuple[ShareLinkRow, ...]:
    """Return all share links of a site. Raises ``ApiError``."""
    pages = api.pages(ops.list_share_links, organization, site)
    return tuple([link_of(link) async for link in pages])


@dataclass(frozen=True, slots=True)
class Rights:
    """Why sites may not be changed, created, published, deleted; "" where they may be."""

    change: str = ""
    make: str = ""
    publish: str = ""
    delete: str = ""


ANY = Rights()
"""The rights for an unknown role: the service decides."""


async def read_rights(
    api: Api, organization: str, me: str | None, site: str | None = None
) -> Rights:
    """Return a person's rights on the sites of an organization, or on one that they may have been
    given a role on. Raises ``ApiError``.
    """
    if me is None:
        return ANY
    try:
        member = await api(ops.get_member, organization, me)
    except (Forbidden, NotFound):
        return ANY
    role, named = member.role, member.user.email or member.user.display_name
    if site is not None and role != "admin":
        with suppress(Forbidden, NotFound, OperationMissing):
            if (told := (await api(ops.get_site, organization, site)).permissions) is not None:
                looks = "read" if role in WRITERS else role
                return rights_of("admin" if told.admin else "create" if told.create else looks)
            async for each in api.pages(
                ops.list_site_permissions, organization, site, search=named
            ):
                if each.user.id == me:
                    role = each.permission
    return rights_of(role)


def rights_of(role: str | None) -> Rights:
    """Return the rights of a role on the sites of its organization; None is a guest."""
    if role == "admin":
        return ANY
    yours = f"yours is {clean(role or 'guest')}."
    looks = role not in WRITERS
    needs = f"needs the role create or admin, {yours}"
    return Rights(
        f"Changing a site {needs}" if looks else "",
        f"Making a site {needs}" if looks else "",
        f"Publishing a site needs the role admin, {yours}",
        f"Deleting a site needs the role admin, {yours}",
    )
