"""Steps that order collections, which are more than one call that is known beforehand.

Collections are ordered with the help of a space, and where each stands among spaces is in no answer
(`copydesk.domain.tree_moves`): so a request may be refused because nothing would change (409), and
what brings back an old order is only known once the present one was read.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from copydesk.client.api import Api

Ready = Callable[[], Awaitable["Api"]]


def tree_steps(ready: Ready) -> Mapping[str, Callable[..., Awaitable[Any]]]:
    """Return the steps by their names; ``ready`` gives the client."""

    async def line_up(collection_id: str, parent: str, anchor: str) -> None:
        """Put a collection directly before a space. Raises ``ApiError``."""
        await _before(await ready(), collection_id, parent, anchor)

    async def order_collections(organization_id: str, parent: str, order: Sequence[str]) -> None:
        """Bring those of ``order`` that are in a level into that order. Raises ``ApiError``.

        Without a space there nothing can be done, which is said before.
        """
        from copydesk.contract import operations as ops

        api = await ready()
        there = [
            found.id
            async for found in api.pages(ops.list_organization_collections, organization_id)
            if (found.parent or "") == parent
        ]
        wanted = [row for row in order if row in there]
        if [row for row in there if row in wanted] == wanted:
            return
        anchor = await _some_space(api, organization_id, parent)
        if anchor is not None:
            for row in wanted:
                await _before(api, row, parent, anchor)

    return {"line_up": line_up, "order_collections": order_collections}


async def _before(api: Api, collection_id: str, parent: str, anchor: str) -> None:
    from copydesk.client.errors import Conflict
    from copydesk.contract import operations as ops
    from copydesk.contract.models.collection import CollectionMove
    from copydesk.contract.models.position import SpaceAnchor, SpacePosition

    position = SpacePosition(before=SpaceAnchor(space=anchor))
    try:
        await api(
            ops.move_collection,
            collection_id,
            CollectionMove(parent=parent or None, position=position),
        )
    except Conflict:
        return  # it stands there already


async def _some_space(api: Api, organization_id: str, parent: str) -> str | None:
    from copydesk.client.errors import ExtensionMissing
    from copydesk.contract import operations as ops

    if parent:
        page = await api.page(ops.list_collection_spaces, parent, limit=1)
        return page.items[0].id if page.items else None
    try:
        async for space in api.pages(ops.list_organization_spaces, organization_id):
            if space.parent is None:
                return space.id
    except ExtensionMissing:
        pass
    return None
