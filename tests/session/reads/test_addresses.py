"""What a service says is at an address is opened, whatever the address looks like."""

from __future__ import annotations

from typing import Any

from copydesk.server import site_writes as seed
from copydesk.server.store import Tx
from copydesk.session.reads.addresses import Published, find_published, published
from copydesk.session.target import Target
from tests.tui.strange import strange
from tests.world import BASE_URL, World


async def test_an_address_that_the_service_knows_is_opened(world: World) -> None:
    space = world.space("Guide", {"intro": "# Intro\n"})
    shelf = world.collection("Shelf")
    number = world.change_request(space, {"intro": "# Other\n"})
    page = world.page_id(space, "intro")
    top = f"{BASE_URL}/app/o/{world.home}"
    ids = Target(organization=world.home)
    async with world.api() as api:
        for address, found in (
            (f"{top}/s/{space}", ("pages", ids.but(space=space))),
            (f"{top}/s/{space}/intro", ("pages", ids.but(space=space, page=page))),
            (
                f"{top}/s/{space}/~/changes/1",
                ("review", ids.but(space=space, change_request=number)),
            ),
            (f"{top}/c/{shelf}", ("collection-spaces", ids.but(item=shelf))),
            (f"{top}/s/none", None),
            ("docs.example.org/x", None),
            (f"https://docs.example.org/{'x' * 3000}", None),
        ):
            assert await published(api, address) == found, address


async def test_a_space_is_where_the_service_says_that_it_is(world: World) -> None:
    space = world.space("Guide")

    def write(tx: Tx) -> str:
        site = seed.add_site(tx, world.home, "Docs", hostname="docs.test", published=True)
        seed.add_site_space(tx, site, space)
        return site

    def moved(answer: Any) -> None:
        for each in answer["items"]:
            each["urls"]["published"] = "https://docs.test/odd/place"

    site = world.write(write)
    async with strange(world, "/site-spaces", moved) as api:
        found = await find_published(api, "https://docs.test/odd/place/deep/page?x#y")
    assert found == Published(world.home, site, space, "deep/page")
