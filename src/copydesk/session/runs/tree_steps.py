"""Steps that put things back where they were, which depend on how they are now.

Collections are ordered relative to a space, and no answer has their place among spaces
(`copydesk.domain.tree_moves`): so a request may be refused because nothing would change (409), and
the requests that restore an old order are known only once the present one was read.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from copydesk.client.errors import Conflict, Invalid, NotFound, OperationMissing
from copydesk.session.errors import NotDoneError
from copydesk.session.operations import ops

if TYPE_CHECKING:
    from copydesk.client.api import Api

Ready = Callable[[], Awaitable["Api"]]


def tree_steps(ready: Ready) -> Mapping[str, Callable[..., Awaitable[Any]]]:
    """Return the steps by their names; ``ready`` gives the client."""

    async def line_up(collection_id: str, parent: str, anchor: str) -> None:
        """Put a collection directly before a space. Raises ``ApiError``."""
        await _before(await ready(), collection_id, parent, anchor)

    async def order_collections(organization_id: str, parent: str, order: Sequence[str]) -> None:
        """Bring the collections of a level into this ``order``. Raises ``ApiError``.

        Without a space in the level that is impossible, which is raised before any request.
        """
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

    async def put_space(
        organization_id: str, space_id: str, parent: str, order: Sequence[str]
    ) -> None:
        """Put a space back into its place in ``order``, the spaces of a level. Raises ``ApiError``.

        If its neighbours are gone, it goes beside the nearest one that is there. Raises
        `NotDoneError` where the level itself is gone.
        """
        api = await ready()
        at = order.index(space_id)
        sides = [("after", row) for row in reversed(order[:at])]
        sides += [("before", row) for row in order[at + 1 :]]
        try:
            await _beside(api, space_id, parent, sides[:1])
        except Conflict:
            return  # it stands there already
        except Invalid:
            there = await _spaces_in(api, organization_id, parent)
            sides = [(side, row) for side, row in sides if row in there]
            with suppress(Conflict):
                await _beside(api, space_id, parent, sides[:1])
        except NotFound:
            await api(ops.get_space, space_id)  # raises when the space itself is gone
            raise NotDoneError("What it was in is gone: it stays where it is.") from None

    async def came_along(organization_id: str, site_id: str, row: str, group: str) -> None:
        """Look whether an entry of a site came back with its group. Raises ``ApiError``.

        Raises `NotDoneError` where it did not, or was moved on.
        """
        found = await (await ready())(ops.get_site_structure, organization_id, site_id)
        if all((each["id"], each.get("sectionGroup")) != (row, group) for each in found.rows()):
            raise NotDoneError("Not in its group: that was not made again, or it was moved.")

    return {
        "line_up": line_up,
        "order_collections": order_collections,
        "put_space": put_space,
        "came_along": came_along,
    }


async def _beside(api: Api, space_id: str, parent: str, sides: Sequence[tuple[str, str]]) -> None:
    """Move a space into a level, beside another space, or last without one."""
    from copydesk.contract.models.position import SpaceAnchor, SpacePosition
    from copydesk.contract.models.space import SpaceMove

    where: dict[str, Any] = {"parent": parent or None}
    for side, row in sides:
        anchor = SpaceAnchor(space=row)
        where["position"] = SpacePosition(**{side: anchor})
    await api(ops.move_space, space_id, SpaceMove(**where))


async def _spaces_in(api: Api, organization_id: str, parent: str) -> set[str]:
    """Return the ids of the spaces of a level; none where the service does not list them."""
    if parent:
        return {each.id async for each in api.pages(ops.list_collection_spaces, parent)}
    try:
        pages = api.pages(ops.list_organization_spaces, organization_id)
        return {each.id async for each in pages if each.parent is None}
    except OperationMissing:
        return set()


async def _before(api: Api, collection_id: str, parent: str, anchor: str) -> None:
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
    if parent:
        page = await api.page(ops.list_collection_spaces, parent, limit=1)
        return page.items[0].id if page.items else None
    try:
        async for space in api.pages(ops.list_organization_spaces, organization_id):
            if space.parent is None:
                return space.id
    except OperationMissing:
        pass
    return None
