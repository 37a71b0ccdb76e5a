"""The share links of a site: made, renamed, switched, deleted and copied on a real desk."""

from __future__ import annotations

from copydesk.client.api import Api
from copydesk.contract import operations as ops
from copydesk.server import site_writes as seed
from copydesk.server.store import Tx
from copydesk.session.target import Target
from copydesk.tui.sites.links import check_name
from tests.drive import Driver, drive
from tests.tui.lossy import Lossy
from tests.tui.opening import open_world, typed
from tests.world import BASE_URL, World

HOSTILE = "Bank\x1b[2J\u202e [bold]ﬁlm\n🦊 and 50 letters of it, no more"


def publish(world: World, *names: str, visibility: str = "share-link") -> tuple[str, list[str]]:
    """Make a site that is read with share links; the last of them is switched off."""
    space = world.space("Fees", {"index": "Fees."})

    def write(tx: Tx) -> tuple[str, list[str]]:
        site = seed.add_site(
            tx, world.home, "Partner portal", hostname="partners.acme.test", published=True,
            visibility=visibility,  # type: ignore[arg-type]
        )  # fmt: skip
        seed.add_site_space(tx, site, space)
        links = [
            seed.add_share_link(tx, site, name, active=name is not names[-1]) for name in names
        ]
        return site, links

    return world.write(write)


def at(world: World, site: str) -> Target:
    return Target(organization=world.home, site=site)


def key_of(world: World, link: str) -> str:
    return str(world.row("share_link", link)["key"])


def told(driver: Driver) -> str:
    """Return all that the run keeps of what it wrote and said."""
    session = driver.app.session
    entries = [past.entry for past in session.history.known.values()]
    lines = [(n.what, n.target, n.message, n.entry) for n in (*session.log, *session.messages)]
    return repr((lines, entries, dict(session.drafts.texts()), driver.place))


async def test_links_are_made_renamed_switched_and_taken_back(
    world: World, update_golden: bool
) -> None:
    site, (bank, ferry, old) = publish(world, "Northgate Bank", HOSTILE, "Old evaluation")
    app = open_world(world, "share-links", at(world, site))
    async with drive(app, size=(140, 40)) as driver:
        driver.golden("share-links", update=update_golden)
        await driver.resize(80, 24)
        driver.golden("share-links", update=update_golden)
        assert key_of(world, bank) not in driver.screen
        assert "hidden" in driver.line("Northgate Bank")
        assert "3 links, 2 on; addresses are hidden" in driver.screen
        # The newest first: the one that is off has no address.
        assert driver.selected == old
        await driver.press("enter")
        assert "x switches it on" in driver.screen
        await driver.press("y")
        assert "Switched off, so no address works" in driver.screen
        await driver.press("x")
        assert "on" in driver.line("Old evaluation").split()
        assert world.row("share_link", old)["active"]
        await driver.press("enter")
        assert key_of(world, old) in driver.screen.replace("\n", "")
        await driver.press("y")
        assert "Copied the address of Old evaluation" in driver.screen
        assert driver.app.clipboard == f"https://partners.acme.test/{key_of(world, old)}"
        await driver.press("j")
        assert key_of(world, old) not in driver.screen
        await driver.press("Y")
        assert "hidden" in driver.line("address")
        assert key_of(world, ferry) not in driver.screen
        await driver.press("down", "enter")
        assert driver.app.clipboard.startswith("Bank [bold]")
        await driver.press("u")
        assert not world.row("share_link", old)["active"]
        await driver.press("ctrl+r")
        assert world.row("share_link", old)["active"]

        assert check_name("x" * 51) == "51 characters; at most 50"
        await driver.press("ctrl+n", "ctrl+s")
        assert "Mend “Name” first." in driver.screen
        await driver.burst(*"Auditors")
        await driver.press("escape", "ctrl+n")
        assert "what you typed before is back" in driver.screen
        await driver.press("ctrl+s")
        made = driver.selected
        assert made not in (None, bank, ferry, old)
        assert "Auditors" in driver.line("just now")
        await driver.press("e")
        await driver.burst(*typed(" 2026"))
        await driver.press("ctrl+s")
        assert world.row("share_link", made or "")["name"] == "Auditors 2026"
        keys = [key_of(world, link) for link in (bank, ferry, old, made or "")]
        await driver.press("u")
        assert world.row("share_link", made or "")["name"] == "Auditors"
        await driver.press("u")
        assert "People who have its address can no longer open it." in driver.screen
        await driver.press("y")
        assert "Auditors" not in driver.screen.partition("Undone")[0]
        assert not any(key in told(driver) for key in keys)
    async with world.api() as api:
        page = await api.page(ops.list_share_links, world.home, site)
        assert {link.id for link in page.items} == {bank, ferry, old}


async def test_a_link_is_deleted_by_its_name_and_its_key_opens_nothing(world: World) -> None:
    site, (_, old) = publish(world, "Northgate Bank", "Old")
    way = Lossy(world)
    api = Api(BASE_URL, world.token(world.ana), transport=way)
    app = open_world(world, "share-links", at(world, site), api=api)
    async with drive(app, "j", "D", size=(80, 24)) as driver:
        assert "Whoever has its address gets nothing any more." in driver.screen
        assert "cannot be undone" in driver.screen
        await driver.burst(*"Northgate")
        await driver.press("ctrl+s")
        assert "That is not the name." in driver.screen
        await driver.burst(*typed(" Bank"))
        await driver.press("ctrl+s")
        assert "Northgate" not in driver.screen.partition("Done")[0]
        assert driver.selected == old
        await driver.press("u")
        assert "cannot be undone" in driver.screen
        # No answer comes: it is looked for, and made once.
        way.losing = True
        await driver.press("ctrl+n")
        await driver.burst(*"Ferry")
        await driver.press("ctrl+s")
        way.losing = False
        assert driver.line("Ferry").split()[2] == "on"
        assert app.session.drafts.texts() == {}
        # Gone while the cursor is on it: told, and nothing breaks.
        world.write(lambda tx: tx.run("DELETE FROM share_link"))
        await driver.press("x")
        assert "Not found" in driver.screen
        await driver.press("R", ".")
        assert "This site has no share links. ctrl+n makes one." in driver.screen
        await driver.press("x")
        assert "Put the cursor on a link first." in driver.screen


async def test_links_of_a_public_site_have_no_effect_and_readers_may_not_see_them(
    world: World,
) -> None:
    site, (link, _) = publish(world, "Auditors", "Press", visibility="public")
    app = open_world(world, "share-links", at(world, site))
    async with drive(app, "j", "l", size=(80, 24)) as driver:
        assert "[Readers]" in driver.screen
        await driver.press("[")
        assert "no effect: the site is public" in driver.screen
        assert "Links have no effect: the site is for everyone (public)." in driver.screen
        await driver.press("ctrl+n")
        assert "Links have no effect" in driver.screen.partition("New share link")[2]
    reader = world.user("rui", "read")
    app = open_world(world, "share-links", at(world, site), user=reader)
    async with drive(app, "ctrl+n", size=(100, 24)) as driver:
        assert "You may not see the share links of this site." in driver.screen
        assert "needs the role create or admin, yours is read." in driver.screen
        assert "read-only" in driver.screen
        assert "New share link" not in driver.screen
    assert world.row("share_link", link)["active"]


async def test_of_several_sites_one_is_chosen_for_its_tabs(world: World) -> None:
    home = world.home

    def build(tx: Tx) -> list[str]:
        return [seed.add_site(tx, home, title) for title in ("Docs", "Portal")]

    docs, portal = world.write(build)
    async with drive(open_world(world, "share-links")) as driver:
        assert "Of which site?" in driver.screen
        await driver.burst(*typed("portal"), "enter")
        assert driver.place.target.site == portal
        assert "Portal" in driver.screen
        await driver.press("]", ":")
        await driver.burst(*"site")
        await driver.press("enter")
        await driver.burst(*typed("docs"), "enter")
        assert (driver.place.PLACE, driver.place.target.site) == ("site-readers", docs)
    async with drive(open_world(world, "share-links")) as driver:
        await driver.press("escape", "R")
        assert "Which site? :site chooses one." in driver.screen
