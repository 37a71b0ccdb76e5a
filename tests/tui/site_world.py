"""A published site of a world."""

from __future__ import annotations

from dataclasses import dataclass

from copydesk.contract import operations as ops
from copydesk.server import site_writes as seed
from copydesk.server.store import Tx
from tests.world import World

SECTIONS = ("Guides", "API reference", "Changelog", "Legal", "Status")


@dataclass
class Published:
    """A site of a world, and ids by title."""

    world: World
    site: str
    ids: dict[str, str]

    async def order(self) -> list[str]:
        """Return the titles of its sections as the service lists them."""
        async with self.world.api() as api:
            found = await api.page(ops.list_site_sections, self.world.home, self.site)
        return [section.title for section in found.items]

    async def spaces(self, section: str) -> list[str]:
        """Return the titles of what a section shows, hidden ones in brackets."""
        async with self.world.api() as api:
            found = await api.page(ops.list_site_sections, self.world.home, self.site)
        shown = next(each for each in found.items if each.title == section).site_spaces
        return [f"({each.title})" if each.hidden else each.title for each in shown]


def publish(world: World, *, grouped: bool = False) -> Published:
    """Make a site with sections; ``grouped`` puts two of them into a group."""
    spaces = {title: world.space(title) for title in ("English", "French", "German")}
    ids: dict[str, str] = {}

    def write(tx: Tx) -> str:
        site = seed.add_site(tx, world.home, "Acme docs", hostname="docs.acme.test", published=True)
        group = None
        for title in SECTIONS:
            if grouped and title == "API reference":
                group = ids["Products"] = seed.add_section_group(tx, site, "Products")
            inside = group if title in ("API reference", "Changelog") else None
            ids[title] = seed.add_section(tx, site, title, group=inside)
            for name, space in spaces.items():
                if name == "English" or title == "Guides":
                    ids[f"{title}/{name}"] = seed.add_site_space(
                        tx, site, space, section=ids[title]
                    )
        return site

    return Published(world, world.write(write), ids)
