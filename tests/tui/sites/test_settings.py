"""The settings of a site, publishing it, making and deleting sites: pressed on a real desk."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import httpx
import pytest

from copydesk.client.api import Api
from copydesk.contract import operations as ops
from copydesk.contract.models.share_link import ShareLink
from copydesk.contract.models.site import Site, SiteUpdate
from copydesk.server import site_writes as seed
from copydesk.server.store import Tx
from copydesk.session.session import Session
from copydesk.session.target import Target
from copydesk.tui.app import CopydeskApp
from copydesk.tui.dialogs import form
from copydesk.tui.dialogs.choice import OrderedChoices
from copydesk.tui.sites import settings_cells as present
from copydesk.tui.sites.list import NEW_KEY, kept_plan
from copydesk.tui.sites.settings_cells import HELP, settings_of
from copydesk.tui.sites.tabs import publication_of
from tests.drive import Driver, drive, eventually
from tests.tui.review_world import Faults
from tests.tui.steps import words
from tests.world import BASE_URL, World


def make_site(world: World, title: str = "Acme docs", **settings: Any) -> str:
    """Make a site that shows a space and has two share links, one of them switched on."""
    assert world.home
    space = world.space(f"Guide of {title}")

    def write(tx: Tx) -> str:
        about: dict[str, Any] = {"hostname": "docs.acme.test", "published": True, **settings}
        site = seed.add_site(tx, world.home, title, **about)
        seed.add_section(tx, site, "Guides", condition="visitor.claims.partner")
        seed.add_site_space(tx, site, space)
        for name in ("Press", "Partners"):
            seed.add_share_link(tx, site, name, active=name == "Press")
        return site

    return world.write(write)


def open_app(
    world: World,
    site: str | None = None,
    *,
    first: str = "site-settings",
    user: str | None = None,
    transport: httpx.AsyncBaseTransport | None = None,
) -> CopydeskApp:
    """Return the program, opened on the settings of a site."""

    async def connect() -> Api:
        if transport is not None:
            return Api(BASE_URL, world.token(world.ana), transport=transport)
        return world.api(user)

    session = Session(connect, clock=lambda: world.clock.now, host="desk")
    return CopydeskApp(session, first, Target(organization=world.home, site=site))


async def elsewhere(world: World, site: str, **changes: Any) -> None:
    """Change settings of a site as somebody else does."""
    async with world.api() as api:
        await api(ops.update_site, world.home, site, SiteUpdate(**changes))


def stored(world: World, site: str) -> dict[str, Any]:
    """Return what the desk keeps of a site."""
    return dict(world.row("site", site))


async def on(driver: Driver, setting: str, *keys: str) -> None:
    """Put the cursor on a setting, then press keys."""
    rows: Any = driver.place.query_one("#settings")
    assert rows.select(setting)
    await driver.press(*keys)


async def fill(driver: Driver, text: str, *keys: str, anew: bool = False) -> None:
    """Type a text (``anew`` for what is in the field), then press keys."""
    if anew:
        await driver.send("ctrl+u")
    if text:
        await driver.burst(*text)
    await driver.press(*keys)


async def test_a_setting_is_one_request_with_a_way_back(world: World) -> None:
    site = make_site(world)
    async with drive(open_app(world, site), "enter") as driver:
        await fill(driver, "A", "ctrl+s", anew=True)
        assert "at least 2 characters" in driver.screen
        assert "Mend “Title” first." in driver.screen
        # Somebody else sets the same one meanwhile: that is told before anything is sent.
        await elsewhere(world, site, title="Theirs")
        await fill(driver, "-2", "ctrl+s")
        assert "Someone changed it meanwhile: it is Theirs by now." in driver.screen
        assert "“A-2”" in driver.line("then  ")
        assert stored(world, site)["title"] == "Theirs"
        await driver.press("y")
        assert "Title is “A-2” now." in driver.screen
        assert stored(world, site)["title"] == "A-2"
        await driver.press("u")
        assert stored(world, site)["title"] == "Theirs"
        # What decides who sees what is agreed to; nothing is sent that is so already.
        await on(driver, "adaptiveContent", "e")
        assert "Only visitors who meet its condition see: Guides." in driver.screen
        await driver.press("y")
        assert stored(world, site)["adaptive_content"] == 1
        assert "visitors are shown different things" in driver.line("Adaptive content on")
        await elsewhere(world, site, agents_context="excluded")
        await on(driver, "agentsContext", "e")
        await driver.burst("up", "enter")
        assert "Someone else has set it to that already." in driver.screen
        assert "are kept out" in driver.line("Assistants")
        await on(driver, "customization", "e")
        assert "in the web application (o opens it)." in words(driver)


async def test_what_alters_an_address_or_an_audience_is_said_first(world: World) -> None:
    site = make_site(world, basename="docs")
    async with drive(open_app(world, site)) as driver:
        await on(driver, "visibility", "enter")
        await driver.burst("down", "down", "enter")
        assert "then  share-link: whoever has a share link" in driver.screen
        assert "Everyone else loses it at once." in driver.screen
        assert "1 share link switched on, of 2." in driver.screen
        await elsewhere(world, site, visibility="visitor-auth")
        await driver.press("y")
        assert "Someone changed it meanwhile: it is visitor-auth" in driver.screen
        assert "More people can read it at once" in driver.screen
        assert stored(world, site)["visibility"] == "visitor-auth"
        await driver.press("y")
        assert stored(world, site)["visibility"] == "share-link"
        await driver.press("y")
        assert "It opens nothing without the key of a share link." in driver.screen
        await driver.press("u")
        assert stored(world, site)["visibility"] == "visitor-auth"

        await on(driver, "basename", "e")
        await fill(driver, "/", "ctrl+s")
        assert "Mend “Base name” first." in driver.screen
        await driver.press("backspace")
        await fill(driver, "2", "ctrl+s")
        assert "docs.acme.test/docs2" in driver.line("then  ")
        await driver.press("escape")
        assert "Nothing was sent." in driver.screen
        await driver.press("escape")
        assert stored(world, site)["basename"] == "docs"

        await on(driver, "proxy", "e")
        await fill(driver, "a.b")
        assert "Write a host plus path" in driver.line("Proxy   ")
        await fill(driver, "/c", "ctrl+s")
        assert "https://docs.acme.test/docs" in driver.line("now   ")
        assert "https://a.b/c" in driver.line("then  ")
        await driver.press("y")
        assert stored(world, site)["proxy"] == "a.b/c"
        await driver.press("u")
        assert stored(world, site)["proxy"] is None
        await driver.press("ctrl+r", "e")
        await fill(driver, "", "ctrl+s", "y", anew=True)
        assert stored(world, site)["proxy"] is None


async def test_a_proxy_is_the_outside_address_and_names_the_inner_one(world: World) -> None:
    site = make_site(world, proxy="www.acme.test/docs")
    api = world.api()
    shown = await api(ops.get_site, world.home, site)
    assert shown.proxy is not None
    assert shown.proxy.origin == "www.acme.test/docs"
    assert shown.proxy.target == "https://docs.acme.test"
    await api.aclose()
    async with drive(open_app(world, site)) as driver:
        assert "www.acme.test/docs" in driver.line("Proxy   ")
        await on(driver, "basename", "j")
        assert "https://docs.acme.test" in driver.line("passes on to")
        await driver.press("e")
        await fill(driver, "help.acme.test/d", "ctrl+s", anew=True)
        assert "https://www.acme.test/docs" in driver.line("now   ")
        assert "https://help.acme.test/d" in driver.line("then  ")
        assert "pass its calls on to the site" in driver.screen
        await driver.press("y")
        assert stored(world, site)["proxy"] == "help.acme.test/d"
        await driver.press("u")
        assert stored(world, site)["proxy"] == "www.acme.test/docs", driver.screen


def test_what_is_said_of_an_audience_and_of_addresses() -> None:
    def site(**fields: Any) -> Site:
        about = {"object": "site", "id": "s", "title": "Acme docs", "siteSpaces": 3}
        return Site.model_validate(about | fields)

    def said(facts: Sequence[object]) -> str:
        return "\n".join(map(str, facts))

    link = ShareLink.model_validate({"object": "share-link", "id": "l", "active": False})
    public = site(visibility="public", published=True)
    assert "no search engine lists it" in said(present.visibility_facts(public, "unlisted", None))
    assert "no share link yet" in said(present.visibility_facts(public, "share-link", []))
    assert "None of its 1" in said(present.visibility_facts(public, "share-link", [link]))
    keyed = site(visibility="share-link", published=True)
    opened = said(present.visibility_facts(keyed, "public", [link]))
    assert "all of its 3 spaces" in opened
    assert "open nothing meanwhile" in opened
    assert "not published" in said(present.visibility_facts(site(), "visitor-auth", None))
    new = said(present.visibility_facts(site(visibility="by-rank"), "visitor-auth", None))
    assert "by-rank" in new
    assert "no host yet" in said(present.basename_facts(site(), "docs"))
    assert "this cannot be undone" in said(present.basename_facts(site(), "docs"))
    hosted = site(hostname="docs.acme.test", basename="a b", published=True)
    assert "docs.acme.test/a%20b" in said(present.basename_facts(hosted, "c"))
    assert "may break" in said(present.proxy_facts(hosted, "www.acme.test/docs"))
    assert "no space yet" in said(present.publish_facts(site(siteSpaces=0), None))


async def test_publish_and_unpublish_from_a_tab_and_from_the_list(world: World) -> None:
    site = make_site(world, published=False, visibility="share-link")
    line = Faults(world)
    async with drive(open_app(world, first="sites", transport=line), ":") as driver:
        await fill(driver, "site-settings", "enter")
        assert driver.place.target.site == site
        assert "not published: no one reads it yet" in driver.screen
        # Tabs take the place of one another.
        depth = len(driver.app.screen_stack)
        await driver.press("1")
        assert "Acme docs > Structure" in driver.screen
        assert publication_of(driver.place).at_hand() is False
        assert len(driver.app.screen_stack) == depth
        await driver.press("-")
        line.slow = "GET"
        for key in ("D", "W"):
            await driver.send(key)
            await eventually(
                lambda: "Reading the site… Esc stops it." in driver.screen, driver.turn
            )
            if key == "D":
                await driver.send("escape")
        line.let.set()
        await driver.idle()
        assert "whoever has a share link" in driver.line("read by  ")
        assert "https://docs.acme.test" in driver.line("where    ")
        assert "1 share link switched on" in driver.screen
        await elsewhere(world, site, visibility="public")
        await driver.press("y")
        assert "Someone changed it meanwhile" in driver.screen
        assert "everyone" in driver.line("read by  ")
        await driver.press("y")
        assert stored(world, site)["published"] == 1
        assert "“Acme docs” is published at https://docs.acme.test" in driver.screen
        assert "W unpublish" in driver.screen
        await driver.press("u", "g t", ":")
        assert stored(world, site)["published"] == 0
        await fill(driver, "unpublish", "enter")
        assert "Acme docs is not published already." in driver.screen
        for way, published in (("publish", 1), ("unpublish", 0), ("W", 1), ("W", 0), ("W", 1)):
            if way == "W":
                await driver.press(way, "y")
            else:
                await driver.press(":")
                await fill(driver, way, "enter", "y")
            assert stored(world, site)["published"] == published
        assert "published" in driver.line("Acme docs  ")


async def test_a_service_without_publishing_says_so_once_it_is_known(world: World) -> None:
    site = make_site(world, published=False)

    class Without(httpx.ASGITransport):
        down = False

        async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
            if self.down:
                raise httpx.ConnectError("refused", request=request)
            if request.url.path.endswith("/publish"):
                return httpx.Response(405, request=request)
            return await super().handle_async_request(request)

    way = Without(world.app)
    async with drive(open_app(world, site, transport=way)) as driver:
        assert "W publish" in driver.screen
        await driver.press("W", "y")
        assert "publishes sites in the web application only" in driver.screen
        assert "W publish" not in driver.screen
        await driver.press("W")
        assert "publishes sites in the web application only" in driver.screen
        assert stored(world, site)["published"] == 0
        # Where the service is not reached, what is known stays known, and it says so once.
        way.down = True
        await driver.press("2")
        assert "Acme docs > " in driver.screen
        assert "R reads it again" not in driver.screen
        await driver.press("g t")
        assert "offline" in driver.line("copydesk")


async def test_who_may_only_look_is_told_why(world: World) -> None:
    site = make_site(world)
    eve = world.user("eve", "edit")
    async with drive(open_app(world, site, user=eve)) as driver:
        assert "read-only" in driver.line("copydesk")
        assert "Changing a site needs the role create or admin, yours is edit." in driver.screen
        await driver.press("e")
        assert "Changing a site needs" in driver.screen
        await driver.press("W")
        assert "Publishing a site needs the role admin" in driver.screen
        await driver.press("g t", "ctrl+n")
        assert "Making a site needs the role create or admin" in driver.screen
        await driver.press("D")
        assert "Deleting a site needs the role admin" in driver.screen
    assert stored(world, site)["title"] == "Acme docs"


async def test_a_site_is_made_and_deleted(
    world: World, update_golden: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert world.home
    monkeypatch.setattr(form, "KEEP_SECONDS", 0.001)
    for title in ("English", "French", "German"):
        world.space(title)
    async with drive(open_app(world, first="sites")) as driver:
        assert "No sites here yet. ctrl+n makes one." in driver.screen
        await driver.burst("ctrl+n")
        await driver.burst("down", "enter")
        await driver.burst("down", "enter")
        assert isinstance(driver.app.screen, OrderedChoices)
        await driver.burst("down", "down", "space", "up", "space")
        driver.golden("new-site-spaces", update=update_golden)
        await driver.burst("ctrl+s")
        assert "German and French" in driver.line("shows    ")
        await fill(driver, "x")
        # What was chosen is kept with the title, also if the program ends here.
        plan = kept_plan(driver.app.session.drafts.load(NEW_KEY))
        assert plan is not None
        assert (plan["type"], plan["visibility"], len(plan["spaces"])) == ("premium", "unlisted", 2)
        assert kept_plan("x") is kept_plan('{"title": "x"}') is None
        # Esc goes one step back, always.
        await driver.burst("escape")
        assert "New site, 3 of 4" in driver.screen
        await driver.burst("ctrl+s")
        assert "German and French" in driver.line("shows    ")
        await fill(driver, "yz", "enter")
        assert "Enter sends nothing: ctrl+s does (make it)." in driver.screen
        await driver.burst("ctrl+s")
        assert "“xyz” is made, with 2 spaces, and not published." in driver.screen
        assert "xyz > Structure" in driver.screen
        (row,) = sites(world)
        assert (row["type"], row["visibility"], row["published"]) == ("premium", "unlisted", 0)
        # Taking that back deletes it: that is asked, and there is nothing left to stay at.
        await driver.burst("u")
        assert "This deletes the site" in driver.screen
        await driver.burst("y")
        assert sites(world) == []
        assert "No sites here yet" in driver.screen
        assert "Undone: Make site xyz" in driver.screen

        site = make_site(world)
        await driver.press("R", ".")
        assert "no one; once published" not in driver.screen
        await driver.burst("enter")
        await driver.burst("5")
        await driver.burst("D")
        assert "1 section, 1 space" in driver.line("structure")
        assert "2, 1 switched on" in driver.line("share links")
        assert "https://docs.acme.test" in driver.line("address")
        assert "This cannot be undone." in driver.screen
        await fill(driver, "Acme", "ctrl+s")
        assert "That is not the title." in driver.screen
        await driver.press("space")
        await fill(driver, "docs", "ctrl+s")
        assert sites(world) == []
        assert "“Acme docs” is deleted. Its content is kept." in driver.screen
        assert driver.place.PLACE == "sites"
        assert world.row("space", world.space("English")) is not None
        await driver.burst("u")
        assert "cannot be undone" in driver.screen
        assert site not in driver.screen


def sites(world: World) -> Sequence[dict[str, Any]]:
    """Return what the desk keeps of all sites."""
    return world.write(lambda tx: [dict(row) for row in tx.all("SELECT * FROM site")])


async def test_both_sizes_and_hostile_texts(world: World, update_golden: bool) -> None:
    site = make_site(world, basename="docs")
    async with drive(open_app(world, site), size=(140, 40)) as driver:
        for size in ((140, 40), (80, 24)):
            await driver.resize(*size)
            driver.golden("site-settings", update=update_golden)
            await on(driver, "visibility", "e")
            await driver.burst("down", "down", "enter")
            driver.golden("site-audience", update=update_golden)
            await driver.burst("escape")
            await on(driver, "title")
        hostile = {"title": "S\x1b[2J[red]i\u202ete[/]", "basename": "\x1b[31m/../[b]"}
        world.write(lambda tx: tx.update("site", site, proxy="a\x9b1m/b", **hostile))
        await driver.burst("R")
        assert "S[red]ite[/]" in driver.line("Title")
        for key in ("e", "escape", "W", "escape"):
            await driver.burst(key)
            assert "\x1b" not in driver.screen
    async with drive(open_app(world, "nowhere")) as driver:
        assert "Not found: deleted or moved." in driver.screen
        await driver.press("e")
        assert "The settings have not been read yet." in driver.screen


def test_what_a_service_does_not_tell_is_not_set() -> None:
    kinds = {each.name: each.kind for each in settings_of(Site(id="s"))}
    assert kinds["agentsContext"] == "fixed"
    told = {each.name: each.kind for each in settings_of(Site(id="s", agents_context="included"))}
    assert told["agentsContext"] == "choice"


def test_each_setting_says_what_it_is_for() -> None:
    assert {each.name for each in settings_of(Site(id="s"))} == HELP.keys()
