"""Reading the structure of a site, and sending what moves or changes it."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING

from copydesk.domain.site_tree import SiteNode, Structure, structure_of
from copydesk.tui.present.site import SiteRow, site_row

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.contract.models.site import Site
    from copydesk.domain.staged import Step

PAGE = 250
"""Rows asked for at once."""

WRITERS = ("admin", "create")
"""Roles in an organization that may change what its sites show."""


@dataclass(frozen=True)
class SiteRead:
    """A site, what it shows, and why the reader may not change it (empty when they may)."""

    site: SiteRow
    structure: Structure
    refused: str = ""


async def read_only_site(api: Api, organization: str) -> Site | None:
    """Return the site of an organization that has one; None when there are more, or none."""
    from copydesk.contract import operations as ops

    page = await api.page(ops.list_sites, organization, limit=2)
    return page.items[0] if len(page.items) == 1 and page.next is None else None


async def read_site(api: Api, organization: str, site: str, me: str | None) -> SiteRead:
    """Return a site with its structure. Raises ``ApiError``."""
    from copydesk.contract import operations as ops

    found, structure, refused = await asyncio.gather(
        api(ops.get_site, organization, site),
        read_structure(api, organization, site),
        _refusal(api, organization, me),
    )
    return SiteRead(site_row(found), structure, refused)


async def read_structure(api: Api, organization: str, site: str) -> Structure:
    """Return what a site shows now, in the published order. Raises ``ApiError``."""
    from copydesk.contract import operations as ops

    sections = [
        section
        async for section in api.pages(ops.list_site_sections, organization, site, limit=PAGE)
    ]
    if sections:
        return structure_of(sections)
    shown = [each async for each in api.pages(ops.list_site_spaces, organization, site, limit=PAGE)]
    return structure_of((), shown)


async def _refusal(api: Api, organization: str, me: str | None) -> str:
    """Return why the reader may not change sites, as far as their role says."""
    from copydesk.client.errors import Forbidden, NotFound
    from copydesk.contract import operations as ops

    if me is None:
        return ""
    try:
        member = await api(ops.get_member, organization, me)
    except (Forbidden, NotFound):
        return ""
    if member.role in WRITERS:
        return ""
    role = member.role or "guest"
    return f"You may only look: changing a site needs the role create or admin, yours is {role}."


async def send_step(api: Api, organization: str, site: str, step: Step, node: SiteNode) -> None:
    """Move one section or site space next to another. Raises ``ApiError``."""
    from copydesk.contract import operations as ops
    from copydesk.contract.models.position import (
        SiteSectionAnchor,
        SiteSectionPosition,
        SiteSpaceAnchor,
        SiteSpacePosition,
    )
    from copydesk.contract.models.site_section import SiteSectionMove
    from copydesk.contract.models.site_space import SiteSpaceMove

    move = step.move
    if node.kind == "section":
        beside = SiteSectionAnchor(site_section=move.anchor)
        where = (
            SiteSectionPosition(after=beside)
            if move.side == "after"
            else SiteSectionPosition(before=beside)
        )
        await api(
            ops.move_site_section, organization, site, move.id, SiteSectionMove(position=where)
        )
    else:
        anchor = SiteSpaceAnchor(site_space=move.anchor)
        place = (
            SiteSpacePosition(after=anchor)
            if move.side == "after"
            else SiteSpacePosition(before=anchor)
        )
        await api(ops.move_site_space, organization, site, move.id, SiteSpaceMove(position=place))
