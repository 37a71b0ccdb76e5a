"""Which site an address is of, where several begin with the same words."""

from __future__ import annotations

import pytest

from copydesk.server.site_writes import add_site, add_site_space
from copydesk.server.store import Tx
from copydesk.session.reads.addresses import find_published
from tests.world import World

HOST = "docs.acme.example"


@pytest.mark.parametrize("turned", [False, True])
async def test_the_nearest_site_is_the_one_whose_address_is_the_longest(
    world: World, turned: bool
) -> None:
    basenames = (None, "internal", "internal-2")
    spaces = {each: world.space(f"Space {each}", {"a": "One.\n"}) for each in basenames}

    def build(tx: Tx) -> dict[str | None, str]:
        made: dict[str | None, str] = {}
        for each in reversed(basenames) if turned else basenames:
            site = add_site(
                tx, world.home, f"Site {each}", hostname=HOST, basename=each, published=True
            )
            add_site_space(tx, site, spaces[each], path="guide")
            made[each] = site
        return made

    sites = world.write(build)
    async with world.api(world.ana) as api:
        for path, basename, page in (
            ("", None, ""),
            ("/a", None, "a"),
            ("/internal", "internal", ""),
            ("/internal/a?q=1#top", "internal", "a"),
            ("/internal-2/guide/a", "internal-2", "a"),
            ("/internals/a", None, "internals/a"),
        ):
            found = await find_published(api, f"https://{HOST}{path}")
            assert found is not None
            assert (found.site, found.space, found.page) == (
                sites[basename], spaces[basename], page,
            ), path  # fmt: skip
        assert await find_published(api, "https://docs.acme.example.org/internal") is None
