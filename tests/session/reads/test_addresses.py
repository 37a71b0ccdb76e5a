"""What a service says is at an address is opened, whatever the address looks like."""

from __future__ import annotations

from copydesk.session.reads.addresses import published
from copydesk.session.target import Target
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
