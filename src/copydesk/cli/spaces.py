"""``copydesk spaces``: the spaces, and the pages of one of them, for people and scripts."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from copydesk.cli.connection import OWN, Service
from copydesk.cli.errors import DONE, say
from copydesk.cli.lookup import find_organizations, find_space
from copydesk.cli.output import Column, put, put_facts, put_json, put_table
from copydesk.domain.address import web_address
from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.moments import ago, instant
from copydesk.domain.space_tree import SpaceNode, build_tree, walk
from copydesk.domain.text import clean, shown_title
from copydesk.session.operations import ops
from copydesk.session.reads.spaces import read_desk

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.contract.models.content import ContentPage
    from copydesk.contract.models.organization import Organization


@dataclass(frozen=True, slots=True)
class ListedSpace:
    """A space with its organization, and the titles of the collections that it is in."""

    node: SpaceNode
    organization: Organization
    collections: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return it for a script, named as in the API."""
        node = self.node
        return {
            "object": "space",
            "id": node.id,
            "title": node.raw.get("title", node.title),
            "organization": self.organization.id,
            "collections": list(self.collections),
            "visibility": node.visibility,
            "changeRequestsOpen": node.open,
            "changeRequestsDraft": node.draft,
            "comments": node.comments,
            "updatedAt": node.updated,
            "urls": {"app": node.app_url, "published": node.published_url},
        }


def list_spaces(
    *,
    organization: str | None = None,
    as_json: bool = False,
    service: Service = OWN,
) -> int:
    """Print the spaces of every organization, or of one, in published order."""

    async def run(api: Api) -> int:
        places = await find_organizations(api, organization)
        listed = await asyncio.gather(*(_spaces_of(api, place) for place in places))
        found = [space for spaces in listed for space in spaces]
        if as_json:
            put_json([space.to_dict() for space in found])
            return DONE
        if not found:
            say("There are no spaces.")
            return DONE
        columns = [
            Column[ListedSpace]("SPACE", lambda space: space.node.title, gives=True),
            Column("OPEN", lambda space: str(space.node.open), right=True),
            Column("DRAFT", lambda space: str(space.node.draft), right=True),
            Column("UPDATED", lambda space: ago(instant(space.node.updated), api.now)),
        ]
        if any(space.collections for space in found):
            columns.append(
                Column("COLLECTION", lambda space: " > ".join(space.collections), gives=True)
            )
        if len({space.organization.id for space in found}) > 1:
            columns.append(
                Column(
                    "ORGANIZATION", lambda space: shown_title(space.organization.title), gives=True
                )
            )
        put_table([*columns, Column("ID", lambda space: space.node.id)], found)
        return DONE

    return service.connection().run(run)


def show_space(
    *,
    space: str,
    organization: str | None = None,
    as_json: bool = False,
    service: Service = OWN,
) -> int:
    """Print one space, and its pages with their paths in the order of readers."""

    async def run(api: Api) -> int:
        there = await find_space(api, space, organization)
        model = await api(ops.get_space, there.id)
        pages = (await api(ops.list_space_pages, there.id)).pages
        if as_json:
            shown = [page.to_dict() for page in pages]
            put_json({**model.to_dict(), "organization": there.organization, "pages": shown})
            return DONE
        put(there.title, "strong")
        requests = f"{model.change_requests_open} open, {model.change_requests_draft} draft"
        put_facts(
            [
                ("organization", there.organization_title),
                ("change requests", requests),
                ("updated", ago(model.updated_at, api.now)),
                *([("app", app)] if (app := web_address(model.urls.app)) else []),
                ("id", there.id),
            ]
        )
        lines = list(_lines(pages))
        put("\n".join(["", "Pages", *lines]) if lines else "\nThere are no pages yet.")
        return DONE

    return service.connection().run(run)


async def _spaces_of(api: Api, place: Organization) -> list[ListedSpace]:
    found: list[ListedSpace] = []
    above: dict[str, tuple[str, ...]] = {}
    for node in walk(build_tree((await read_desk(api, place.id)).nodes, "published")):
        around = above.get(node.id, ())
        if node.kind == "space":
            found.append(ListedSpace(node, place, around))
        elif node.kind == "collection":
            around = (*around, node.title)
        above |= dict.fromkeys((each.id for each in node.children), around)
    return found


def _lines(pages: Sequence[ContentPage]) -> Iterator[str]:
    """Go through the pages, each with its path. Without recursion: a service says how deep."""
    waiting = [(page, 0) for page in reversed(pages)]
    while waiting:
        page, depth = waiting.pop()
        yield f"{'  ' * depth}{shown_title(page.title)}   {clean(page.path)}".rstrip()
        waiting.extend((below, depth + 1) for below in reversed(page.pages))
