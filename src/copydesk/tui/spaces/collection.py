"""The spaces of a collection, as the service lists them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from copydesk.domain.address import web_address
from copydesk.domain.age import age
from copydesk.session.operations import ops
from copydesk.session.target import Target
from copydesk.tui.framework.navigation import place
from copydesk.tui.resource.place import ResourcePlace
from copydesk.tui.resource.resource import Asked, Resource, Shown

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.contract.models.base import Page
    from copydesk.contract.models.space import Space
    from copydesk.domain.space_tree import SpaceNode


async def _pages(api: Api, target: Target, asked: Asked) -> Page[Space]:
    return await api.page(ops.list_collection_spaces, target.item or "", **asked.paging)


COLLECTION_SPACES: Resource[Space] = Resource(
    noun="space",
    title="Spaces of a collection",
    pages=_pages,
    key=lambda space: space.id,
    label=lambda space: space.title,
    shown=(
        Shown("title", "NAME", lambda space, now: space.title or "Untitled", flex=1, minimum=20,
              detail=False, sort=lambda space: space.title),
        Shown("visibility", "VISIBILITY", lambda space, now: space.visibility, 12, drop=1),
        Shown("comments", "COMMENTS", lambda space, now: str(space.comments), 8, align="right",
              drop=2, sort=lambda space: space.comments),
        Shown("open", "OPEN", lambda space, now: str(space.change_requests_open), 5,
              align="right", sort=lambda space: space.change_requests_open),
        Shown("updated", "UPDATED", lambda space, now: age(space.updated_at, now), 8,
              sort=lambda space: space.updated_at),
    ),
    empty="This collection holds no space itself.",
    of="item",
    get="get_space",
    arguments=lambda target, space: (space.id,),
    url=lambda space: web_address(space.urls.app) or None,
)  # fmt: skip
"""Spaces that stand in a collection itself, not in one below it."""


def holder_of(node: SpaceNode | None) -> Target:
    """Return the space or the collection of a row, as what levels are given on."""
    if node is None or node.kind not in ("space", "collection"):
        return Target()
    return Target(space=node.id) if node.kind == "space" else Target(item=node.id)


@place("collection-spaces", title="Spaces of a collection", uses="list_collection_spaces")
class CollectionSpacesPlace(ResourcePlace["Space"], scope="collection_spaces"):
    """The spaces of one collection; :collection on its row in the spaces opens this."""

    RESOURCE = COLLECTION_SPACES

    def space_at_hand(self) -> str | None:
        return self.rows.selected_id

    def open_item(self, item: Space) -> None:
        target = Target(self.organization, item.id)
        self.desk.go_soon("pages", target)
