"""``copydesk sites``: the sites, and what one of them shows, for people and scripts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from copydesk.cli.connection import OWN, Service
from copydesk.cli.errors import DONE, say
from copydesk.cli.lookup import find_organizations, find_site, sites_of
from copydesk.cli.output import Column, put, put_facts, put_json, put_table
from copydesk.client.errors import OperationMissing
from copydesk.domain.text import plural
from copydesk.present.site import host, published, site_facts
from copydesk.session.operations import ops
from copydesk.session.reads.sites import read_arranged
from copydesk.session.site_rows import audience, site_row

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.contract.models.organization import Organization
    from copydesk.contract.models.site import Site
    from copydesk.domain.site_tree import SiteNode

Row = tuple["Site", "Organization"]


def list_sites(
    *,
    organization: str | None = None,
    as_json: bool = False,
    service: Service = OWN,
) -> int:
    """Print the sites of every organization, or of one."""

    async def run(api: Api) -> int:
        found: list[Row] = await sites_of(api, await find_organizations(api, organization))
        if as_json:
            put_json([{**site.to_dict(), "organization": place.id} for site, place in found])
            return DONE
        if not found:
            say("There are no sites.")
            return DONE
        columns = [
            Column[Row]("SITE", lambda row: site_row(row[0]).title, gives=True),
            Column("STATE", lambda row: published(site_row(row[0]))),
            Column("READ BY", lambda row: audience(site_row(row[0])), gives=True),
            Column("SPACES", lambda row: str(row[0].site_spaces), right=True),
            Column("ADDRESS", lambda row: host(site_row(row[0])), gives=True),
        ]
        if len({place.id for _, place in found}) > 1:
            columns.append(Column("ORGANIZATION", lambda row: row[1].title, gives=True))
        put_table([*columns, Column("ID", lambda row: row[0].id)], found)
        return DONE

    return service.connection().run(run)


def show_site(
    *,
    site: str,
    organization: str | None = None,
    as_json: bool = False,
    service: Service = OWN,
) -> int:
    """Print one site, and its sections and spaces in the published order."""

    async def run(api: Api) -> int:
        there = await find_site(api, site, organization)
        ids = there.organization, there.id
        model = await api(ops.get_site, *ids)
        if as_json:
            shows = await _shows(api, *ids)
            put_json({**model.to_dict(), "organization": there.organization, **shows})
            return DONE
        structure = await read_arranged(api, *ids)
        put(there.title, "strong")
        facts = [("organization", there.organization_title)]
        put_facts([*facts, *site_facts(site_row(model), api.now)])
        lines = list(_lines(structure.tree()))
        put("\n".join(["", "Structure", *lines]) if lines else "\nShows nothing yet.")
        return DONE

    return service.connection().run(run)


async def _shows(api: Api, *ids: str) -> dict[str, list[Any]]:
    """Return what a site shows as the service has it: sections, or its spaces, groups, links."""
    sections = await api.every(ops.list_site_sections, *ids)
    spaces = [] if sections else await api.every(ops.list_site_spaces, *ids)
    return {
        "sections": [each.to_dict() for each in sections],
        "siteSpacesShown": [each.to_dict() for each in spaces],
        **await _beside_sections(api, *ids),
    }


async def _beside_sections(api: Api, *ids: str) -> dict[str, list[Any]]:
    """Return the groups and links of a site in their order; none of a service without them."""
    try:
        rows = (await api(ops.get_site_structure, *ids)).rows()
    except OperationMissing:
        return {}
    kinds = {"sectionGroups": "site-section-group", "externalLinks": "site-external-link"}
    return {
        name: [row for row in rows if row.get("object") == kind] for name, kind in kinds.items()
    }


def _lines(nodes: Iterable[SiteNode], depth: int = 0) -> Iterator[str]:
    """Go through the rows of a structure, each with its facts."""
    for node in nodes:
        said = [f"/{node.path}"] if node.path else [f"to {node.url}"] if node.url else []
        said += ["default"] if node.default else []
        said += ["hidden"] if node.hidden else []
        said += ["draft"] if node.draft else []
        said += ["in the trash"] if node.trashed else []
        said += [f"shown if {node.condition}"] if node.condition else []
        if node.kind == "section":
            said.append(plural(len(node.children), "space"))
        yield f"{'  ' * depth}{node.title}   {', '.join(said)}".rstrip()
        yield from _lines(node.children, depth + 1)
