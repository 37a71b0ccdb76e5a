"""What a service says is at an address is opened, whatever the address looks like."""

from __future__ import annotations

from typing import Any

import pytest

from copydesk.server import site_writes as seed
from copydesk.server.store import Tx
from copydesk.session.reads.addresses import (
    PublishedContent,
    find_published,
    is_address,
    no_address,
    pointed,
    published,
)
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
    assert found == PublishedContent(world.home, site, space, "deep/page")


def test_an_address_of_the_application_leads_to_what_it_names() -> None:
    ids = Target(organization="acme")
    top = "https://app.test/o/acme"
    for address, found in (
        (top, ("spaces", ids)),
        (f"{top}/s/guide/limits", ("pages", ids.but(space="guide", page="limits"))),
        (f"{top}/s/guide/~/changes/7/limits",
         ("review", ids.but(space="guide", page="limits", change_request="7"))),
        (f"{top}/c/shelf", ("collection-spaces", ids.but(item="shelf"))),
        (f"{top}/sites/docs", ("site-structure", ids.but(site="docs"))),
        (f"{top}/openapi/pets", ("openapi-specs", ids)),
        (f"{top}/integrations/slack", ("integration", ids.but(item="slack"))),
        ("https://docs.test/x", None),
    ):  # fmt: skip
        assert pointed(address) == found, address


async def test_a_published_address_leads_to_the_site_or_to_the_page_in_its_space(
    world: World,
) -> None:
    guide, legal = world.space("Guide"), world.space("Legal")

    def write(tx: Tx) -> str:
        site = seed.add_site(tx, world.home, "Docs", hostname="docs.test", published=True)
        for title, space in (("Guides", guide), ("Law", legal)):
            seed.add_site_space(tx, site, space, section=seed.add_section(tx, site, title))
        return seed.add_site(tx, world.home, "Empty", hostname="docs.test", basename="empty")

    empty = world.write(write)
    ids = Target(organization=world.home)
    async with world.api() as api:
        for address, found in (
            ("https://docs.test/", ("pages", ids.but(space=guide))),
            ("docs.test/a/b?x#y", ("pages", ids.but(space=guide, page="a/b"))),
            ("docs.test/law/terms#top", ("pages", ids.but(space=legal, page="terms"))),
            ("HTTPS://Docs.Test/law/", ("pages", ids.but(space=legal))),
            ("docs.test/empty/deep", ("site-structure", ids.but(site=empty))),
            ("docs.tests/x", None),
        ):
            assert await published(api, address) == found, address

    def untold(answer: Any) -> None:
        for each in answer["items"]:
            each["urls"]["published"] = None

    async with strange(world, "/site-spaces", untold) as api:
        for address, space, page in (
            ("a/b", guide, "a/b"), ("law/terms", legal, "terms"), ("law/legal/x", legal, "x"),
        ):  # fmt: skip
            found = ("pages", ids.but(space=space, page=page))
            assert await published(api, f"docs.test/{address}") == found, address

    def behind(answer: Any) -> None:
        for each in answer["items"]:
            each["proxy"] = {"target": "https://in.test/docs", "origin": "https://out.test/d"}
            each["hostname"] = each["urls"] = None

    def odd(answer: Any) -> None:
        for each in answer["items"]:
            each["hostname"] = None
            each["urls"] = {"published": "https://new.test", "app": "https://app.test/x"}

    for change, bases in ((behind, ("in.test/docs", "out.test/d")), (odd, ("new.test",))):
        async with strange(world, "/sites", change) as api:
            for base in bases:
                there = await find_published(api, f"{base}/law/terms")
                assert there is not None, base
                assert there.organization == world.home
            assert await find_published(api, "docs.test/law") is None


def test_an_address_that_names_nothing_is_said_shortly() -> None:
    said = no_address(f"docs.test/\x07{'x' * 200}")
    assert said.startswith("docs.test/xxx")
    assert "\x07" not in said
    assert " names no organization (/o/…), space (/s/…) or site (/sites/…) of " in said


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("http://x", True), (" https://x/y ", True), ("app.test/o/acme", True), ("words", False),
        ("two words/s/a", False), ("a/b", False), ("https://a b", False), ("", False),
    ],
)  # fmt: skip
def test_an_address_is_one_word_that_leads_somewhere(text: str, *, address: bool) -> None:
    assert is_address(text) is address
