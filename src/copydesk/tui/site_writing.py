"""Changing the rows of a site's structure, and what the contract allows in their fields."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from copydesk.domain.site_tree import TOP, SiteNode

if TYPE_CHECKING:
    from copydesk.client.api import Api


def check(node: SiteNode, name: str) -> Callable[[str], str | None]:
    """Return a check by the limits that the contract declares for a field."""

    def check(text: str) -> str | None:
        from pydantic import ValidationError

        if text == getattr(node, name):
            return None
        try:
            body_of(node, {name: text})
        except ValidationError as error:
            said = str(error.errors()[0]["msg"])
            return said.replace("String should have", "has to have")
        return None

    return check


def body_of(node: SiteNode, changes: dict[str, Any]) -> Any:
    """Return the body that changes fields of a row. Raises what pydantic does for a bad value."""
    from copydesk.contract.models.site_section import SiteSectionUpdate
    from copydesk.contract.models.site_space import SiteSpaceUpdate

    model = SiteSectionUpdate if node.kind == "section" else SiteSpaceUpdate
    return model(**changes)


async def update(api: Api, ids: tuple[str, str], node: SiteNode, changes: dict[str, Any]) -> None:
    """Change fields of a section or a site space. Raises ``ApiError``."""
    from copydesk.contract import operations as ops

    body = body_of(node, changes)
    if node.kind == "section":
        await api(ops.update_site_section, *ids, node.id, body)
    else:
        await api(ops.update_site_space, *ids, node.id, body)


async def set_default(api: Api, ids: tuple[str, str], node: SiteNode) -> None:
    """Make readers land on a row first, on the site or in its section. Raises ``ApiError``."""
    from copydesk.contract import operations as ops
    from copydesk.contract.models.site import SiteUpdate
    from copydesk.contract.models.site_section import SiteSectionUpdate

    if node.kind == "section":
        await api(ops.update_site, *ids, SiteUpdate(default_site_section=node.id))
    elif node.level != TOP:
        body = SiteSectionUpdate(default_site_space=node.id)
        await api(ops.update_site_section, *ids, node.level, body)
    else:
        await api(ops.update_site, *ids, SiteUpdate(default_site_space=node.id))
