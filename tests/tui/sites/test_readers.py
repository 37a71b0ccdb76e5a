"""A site as its readers get it, with what is kept from them and why."""

from __future__ import annotations

from typing import Any

import httpx

from copydesk.client.api import Api
from copydesk.contract.models.site import PublishedSite
from copydesk.domain.address import share_key
from copydesk.domain.site_readers import readers_tree, reading_of, standings
from copydesk.server import site_writes as seed
from copydesk.server.store import Tx
from copydesk.session.target import Target
from tests.drive import drive
from tests.tui.opening import open_world, typed
from tests.world import BASE_URL, World


def publish(world: World, *, sections: bool = True, **settings: Any) -> tuple[str, dict[str, str]]:
    """Make a site with something of every standing."""
    spaces = {title: world.space(title, {"a": "A."}) for title in ("Guide", "Old", "Fees")}
    ids: dict[str, str] = {}

    def write(tx: Tx) -> str:
        site = seed.add_site(tx, world.home, "Docs", hostname="docs.acme.test", **settings)
        tx.update("site", site, adaptive_content=True)
        inside: str | None = None
        for title, shown, more in (
            ("Guides", ("Guide", "Old"), {}),
            ("Archive", ("Old",), {}),
            ("Part\x1b[2Jners \u202e[b]", ("Fees",), {"condition": "visitor.claims.partner"}),
        ):
            if sections:
                inside = ids[title] = seed.add_section(tx, site, title, **more)
            for name in shown if sections else spaces if title == "Guides" else ():
                ids[f"{title}/{name}"] = seed.add_site_space(
                    tx, site, spaces[name], section=inside, hidden=name == "Fees"
                )
        ids["link"] = seed.add_share_link(tx, site, "Northgate Bank")
        ids["off"] = seed.add_share_link(tx, site, "Old evaluation", active=False)
        return site

    site = world.write(write)
    world.write(lambda tx: tx.update("space", spaces["Old"], deleted_at=tx.now))
    return site, ids | spaces


class Telltale(httpx.ASGITransport):
    """A way to the desk that fails, while ``failing``, with an answer that quotes the request."""

    failing = False

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        if self.failing and "published" in request.url.path:
            error = {"code": 500, "message": f"Cannot GET {request.url}"}
            return httpx.Response(500, json={"error": error})
        return await super().handle_async_request(request)


async def test_what_everybody_gets_and_what_is_kept_from_them(
    world: World, update_golden: bool
) -> None:
    site, ids = publish(world, published=True)
    target = Target(organization=world.home, site=site)
    async with drive(open_world(world, "site-readers", target), size=(140, 40)) as driver:
        driver.golden("site-readers", update=update_golden)
        await driver.resize(80, 24)
        driver.golden("site-readers", update=update_golden)
        assert "no: shows nothing" in driver.line("Archive")
        assert "if visitor.claims.partner" in driver.line("Partners")
        assert "not in the navigation" in driver.line("Fees")
        assert "3 kept from readers" in driver.screen
        await driver.press("j")
        assert driver.selected == ids["Guides/Guide"]
        await driver.press("enter")
        assert driver.place.PLACE == "pages"
        assert driver.place.target.space == ids["Guide"]
        await driver.press("q", "j")
        assert "Its space is in the trash: readers do not get it." in driver.screen
        world.write(lambda tx: tx.update("site", site, adaptive_content=False))
        await driver.press("R")
        assert "shown, condition off" in driver.line("Partners")
        await driver.press(":")
        await driver.burst(*typed("key nonsense"), "enter")
        assert "Links have no effect" in driver.screen
        assert "Guides" in driver.screen
        world.write(lambda tx: tx.update("site", site, published=False))
        await driver.press("R")
        assert "Not published: readers get nothing. W publishes it." in driver.screen


async def test_a_site_is_read_with_a_link_or_a_key(world: World) -> None:
    site, ids = publish(world, sections=False, published=True, visibility="share-link")
    target = Target(organization=world.home, site=site)
    key = str(world.row("share_link", ids["link"])["key"])
    way = Telltale(world.app, raise_app_exceptions=False)
    api = Api(BASE_URL, world.token(world.ana), transport=way)
    async with drive(open_world(world, "site-readers", target, api=api), size=(80, 30)) as driver:
        assert "Without a link no one gets this." in driver.screen
        await driver.press("f")
        assert "switched off" in driver.line("Old evaluation")
        await driver.burst(*"Northgate")
        await driver.press("enter")
        assert "Read with Northgate Bank" in driver.screen
        assert driver.line("Guide").split()[-2] == "/"
        assert key not in driver.screen
        await driver.press("f")
        await driver.burst(*typed("Old ev"))
        await driver.press("enter")
        assert "Old evaluation is switched off: its key opens nothing." in driver.screen
        await driver.press(":")
        await driver.burst(*typed("key nonsense"))
        await driver.press("enter")
        assert "No link of this site that is on has that key" in driver.screen
        await driver.press("f")
        await driver.burst(*f"https://docs.acme.test/{key}")
        assert "with this key, or the address that has it" in driver.screen
        await driver.burst("enter")
        assert "Read with Northgate Bank, by the key you typed" in driver.screen
        await driver.press("y")
        assert "The address holds the key of the link" in driver.screen
        way.failing = True
        await driver.press("R")
        assert "Cannot GET" in driver.screen
        way.failing = False
        assert key not in driver.screen
        assert key not in repr((driver.app.session.log, driver.app.session.messages, driver.place))
        await driver.press(":", "up")
        assert key not in driver.screen, "a key is not offered again"
        await driver.press("escape")
        world.write(lambda tx: tx.run("DELETE FROM share_link"))
        await driver.press("R")
        assert "No link of this site that is on has that key" in driver.screen
    # A reader may not list the links, and reads what everybody gets.
    reader = world.user("rui", "read")
    async with drive(open_world(world, "site-readers", target, user=reader), "f") as driver:
        assert ":key KEY reads with a key" in driver.screen


def test_every_layout_is_shown() -> None:
    site = {"object": "site", "id": "s", "title": "Docs", "visibility": "public"}

    def layout(kind: str, parts: list[Any]) -> PublishedSite:
        structure = {"type": kind, "structure": parts}
        return PublishedSite.model_validate({"site": site, "structure": structure})

    odd = reading_of(layout("car\x1b[2Jousel", [{"id": "a", "title": "A\x1b[2J"}, 7, {}]))
    assert odd.unknown == "carousel"
    tree = readers_tree(odd.structure, None)
    assert [row.node.title for row in tree] == ["A", "Untitled", "Untitled"]
    assert standings(tree) == {"shown": 3}
    empty = reading_of(layout("siteSpaces", []))
    assert readers_tree(empty.structure, None) == ()
    # What only readers get is theirs; what only admins see stands behind its neighbour.
    both = layout("sections", [{"id": "x", "title": "X"}, {"id": "z", "title": "Z"}])
    mine = layout("sections", [{"id": "x", "title": "X"}, {"id": "y", "title": "Y"}])
    tree = readers_tree(reading_of(both).structure, reading_of(mine).structure)
    assert [(row.id, row.standing) for row in tree] == [
        ("x", "shown"), ("y", "empty"), ("z", "unseen")
    ]  # fmt: skip


def test_keys_are_found_in_addresses() -> None:
    assert share_key("https://docs.acme.test/base/k%20ey/") == "k ey"
    assert share_key("http://desk/v1/orgs/o/sites/s/published?shareKey=abc") == "abc"
    assert share_key("http://[broken") == ""
