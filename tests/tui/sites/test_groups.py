"""Groups and links among the sections of a site: made, filled, moved, changed and removed."""

from __future__ import annotations

import pytest

from copydesk.contract import operations as ops
from copydesk.server import site_writes as seed
from copydesk.server.editions import Edition
from copydesk.server.store import Tx
from tests.drive import Driver, drive
from tests.tui.site_world import Published, publish
from tests.tui.sites.test_structure import asked, here, move_before, open_app, select, sheet_gone
from tests.world import World

START = "Guides Products(API reference Changelog) Legal Status Forum Empty()"


def with_links(world: World) -> Published:
    """Publish a site with a group, a link with a hostile title, and a group of nothing."""
    published = publish(world, grouped=True)

    def write(tx: Tx) -> None:
        published.ids["Forum"] = seed.add_link(
            tx, published.site, "\x1b[31mForum‮", "https://forum.acme.test/<b>"
        )
        published.ids["Empty"] = seed.add_section_group(tx, published.site, "Empty")

    world.write(write)
    return published


async def tree(published: Published) -> str:
    """Return the structure as the service has it."""
    async with published.world.api() as api:
        found = await api(ops.get_site_structure, published.world.home, published.site)

    def drawn(group: str | None) -> str:
        return " ".join(
            each["title"].removeprefix("\x1b[31m").removesuffix("‮")
            + (f"({drawn(each['id'])})" if each["object"] == "site-section-group" else "")
            for each in found.rows()
            if each.get("sectionGroup") == group
        )

    return drawn(None)


async def send(driver: Driver, *, removing: int = 0) -> None:
    """Send what is staged."""
    await driver.press("ctrl+s", "y")
    if removing:
        await driver.type(str(removing))
        await driver.press("ctrl+s")
    await sheet_gone(driver)


@pytest.mark.long
async def test_a_group_and_a_link_are_made_filled_sent_and_taken_back(update_golden: bool) -> None:
    world = World(edition="today")
    published = with_links(world)
    ids = published.ids
    for size in ((80, 24), (140, 40)):
        async with drive(open_app(world, published.site), size=size) as driver:
            await select(driver, ids["Forum"])
            assert "\x1b" not in driver.screen
            assert "Forum" in driver.line("┃>")
            await select(driver, ids["Changelog"])
            await driver.press("ctrl+n")
            await driver.type("a group")
            await driver.press("enter")
            assert "in Products" in driver.screen
            await driver.type("More")
            driver.golden("structure-group-new", update=update_golden)
            await driver.press("ctrl+s")
            await select(driver, ids["Legal"])
            await driver.press("<")
            assert "at the top already" in driver.screen
            await driver.press(">", ">")
            await select(driver, ids["Status"])
            await driver.press("ctrl+n")
            await driver.type("a link")
            await driver.press("enter")
            await driver.type("Roadmap")
            await driver.press("tab")
            await driver.type("javascript:alert(1)")
            await driver.press("ctrl+s")
            assert "begins with https://" in " ".join(driver.screen.split())
            await driver.press("ctrl+u")
            await driver.type("https://acme.test/next")
            await driver.press("ctrl+s")
            here(driver).draft.keep_due()
            driver.golden("structure-groups", update=update_golden)
            await driver.press("ctrl+s")
            driver.golden("structure-groups-plan", update=update_golden)
            await driver.press("y")
            await sheet_gone(driver)
            assert await tree(published) == START.replace(
                "Changelog) Legal Status", "Changelog More(Legal)) Status Roadmap"
            )
            assert "u undoes them" in driver.screen
            await driver.press("u", "y")
            await asked(driver, "Undone")
            assert await tree(published) == START


async def test_groups_and_links_are_changed_moved_and_removed(world: World) -> None:
    published = with_links(world)
    ids = published.ids
    async with drive(open_app(world, published.site), size=(140, 40)) as driver:
        await select(driver, ids["Products"])
        await driver.press("g j")
        assert "site-section-group" in driver.screen
        await driver.press("escape", "K", "x", "e")
        await driver.type(" and more")
        await driver.press("tab")
        await driver.type("Big star!")
        assert "an icon has a name such as compass or life-ring" in " ".join(driver.screen.split())
        await driver.press("ctrl+u")
        await driver.type("life-ring")
        assert "an icon has a name" not in driver.screen
        await driver.press("ctrl+s", "H")
        assert "Readers land on a section, and not on a group." in driver.screen
        await select(driver, ids["Forum"])
        await driver.press("g j")
        assert "link Forum among all" in driver.screen
        await driver.press("escape", "e", "tab", "ctrl+u")
        await driver.type("http://talk.acme.test")
        await driver.press("ctrl+s", "x", "K", "K")
        assert "draft" in driver.line("talk.acme.test")
        await select(driver, ids["Empty"])
        await driver.press("K", "K", "K")
        await select(driver, ids["Forum"])
        await driver.press(">")
        assert "Forum into Empty" in driver.screen, "only that puts it there"
        await select(driver, ids["Legal"])
        await driver.press(">")
        await select(driver, ids["Guides/French"])
        await driver.press("K")
        await send(driver)
        done = "Products and more(API reference Changelog) Guides Empty(Forum Legal) Status"
        assert await tree(published) == done
        assert world.row("site_link", ids["Forum"])["url"] == "http://talk.acme.test"
        assert world.row("section_group", ids["Products"])["icon"] == "life-ring"
        drafts = [world.row("site_link", ids["Forum"])["draft"]]
        drafts.append(world.row("section_group", ids["Products"])["draft"])
        assert drafts == [1, 1]
        assert await published.spaces("Guides") == ["French", "English", "German"]
        # What is in a group that is removed stays; all comes back but the link, which is gone.
        await select(driver, ids["Products"])
        await driver.press("space")
        await select(driver, ids["Forum"])
        await driver.press("space", "D")
        assert "API reference before Guides, out of" in driver.screen
        await driver.press("ctrl+s")
        assert "1 of these is final" in driver.screen
        await driver.press("y")
        assert "1 call for good" in driver.screen
        await driver.type("1")
        await driver.press("ctrl+s")
        await sheet_gone(driver)
        left = "API reference Changelog Guides Empty(Legal) Status"
        assert await tree(published) == left
        await select(driver, ids["Legal"])
        await driver.press("<")
        assert "it leaves its group empty" in " ".join(driver.screen.split())


async def test_new_drafts_are_told_as_such_and_the_cursor_follows_what_was_new(
    world: World,
) -> None:
    published = with_links(world)
    async with drive(open_app(world, published.site), size=(80, 24)) as driver:
        await select(driver, published.ids["Status"])
        await driver.press("ctrl+n")
        await driver.type("a group")
        await driver.press("enter")
        await driver.type("More")
        await driver.press("ctrl+s", "ctrl+n")
        await driver.type("a link")
        await driver.press("enter")
        await driver.type("Roadmap")
        await driver.press("tab")
        await driver.type("https://acme.test/a/long/way/to/what/comes/next/year")
        await driver.press("ctrl+s", ">", "x")
        assert "draft" in driver.line("{+Roadmap+}")
        link = here(driver).rows.selected_id
        await select(driver, published.ids["Legal"])
        await driver.press("D")
        await select(driver, str(link))
        await driver.press("ctrl+s")
        said = " ".join(driver.screen.replace("┃", " ").split())
        assert ", as a draft" in said
        assert "Readers see it at once, except what is sent as a draft." in said
        await driver.press("y")
        await driver.type("1")
        await driver.press("ctrl+s")
        await sheet_gone(driver)
        assert "More(Roadmap)" in await tree(published)
        assert "Roadmap" in driver.line("┃>")


async def test_an_undo_that_changes_nothing_says_so(world: World) -> None:
    published = with_links(world)
    ids = published.ids
    async with drive(open_app(world, published.site), size=(140, 40)) as driver:
        await select(driver, ids["Status"])
        await driver.press("K")
        await send(driver)
        assert "Products(API reference Changelog) Status Legal" in await tree(published)
        await move_before(published, "Legal", "Status")
        await move_before(published, "Changelog", "Guides")
        before = await tree(published)
        await driver.press("u", "y")
        await asked(driver, "changed since")
        await driver.press("y")
        await asked(driver, "Sent, but nothing changed")
        assert "Undone" not in driver.screen
        assert await tree(published) == before


async def test_a_failure_in_the_middle_is_asked_about_and_gone_on_with(world: World) -> None:
    published = with_links(world)
    ids = published.ids
    async with drive(open_app(world, published.site), size=(140, 40)) as driver:
        await select(driver, ids["Status"])
        await driver.press("ctrl+n")
        await driver.type("a group")
        await driver.press("enter")
        await driver.type("Late")
        await driver.press("ctrl+s")
        await select(driver, ids["Forum"])
        await driver.press(">")
        # The group is made, and then no link can be put anywhere.
        refuse = "BEFORE UPDATE OF group_id ON site_link BEGIN SELECT RAISE(ABORT, 'no'); END"
        world.write(lambda tx: tx.run(f"CREATE TRIGGER refuse {refuse}"))
        await driver.press("ctrl+s", "y")
        await asked(driver, "pause, the rest stays staged")
        assert "Late()" in await tree(published)
        world.write(lambda tx: tx.run("DROP TRIGGER refuse"))
        await driver.press("r")
        await sheet_gone(driver)
        assert "Late(Forum)" in await tree(published)


@pytest.mark.parametrize("edition", ["earlier", "document"])
async def test_a_service_without_groups_says_so_in_one_sentence(edition: Edition) -> None:
    world = World(edition=edition)
    published = publish(world, grouped=True)
    async with drive(open_app(world, published.site, first="sites"), "enter") as driver:
        assert driver.place.PLACE == "site-structure"
        said = "This service has no section groups, and no links among the sections."
        for kind in ("group", "link"):
            await select(driver, published.ids["Legal"])
            await driver.press("ctrl+n")
            assert "this service has none" in driver.line(f"a {kind}")
            await driver.type(f"a {kind}")
            await driver.press("enter")
            assert said in driver.screen
        await select(driver, published.ids["API reference"])
        await driver.press("J")
        await select(driver, published.ids["Guides/French"])
        await driver.press("K")
        await send(driver)
        assert (await published.order())[1:3] == ["Changelog", "API reference"]
        assert await published.spaces("Guides") == ["French", "English", "German"]
        for _ in range(9):
            if driver.place.PLACE != "site-readers":
                await driver.press("]")
        await driver.press("R")
        assert "group, title not told" in driver.screen


async def test_an_earlier_service_is_asked_for_its_lists() -> None:
    world = World(edition="earlier")
    alone = world.space("Alone")

    def write(tx: Tx) -> str:
        site = seed.add_site(tx, world.home, "Bare docs")
        seed.add_site_space(tx, site, alone)
        return site

    async with drive(open_app(world, world.write(write), first="sites"), "enter") as driver:
        assert driver.place.PLACE == "site-structure"
        assert "Alone" in driver.screen


async def test_a_space_of_a_site_is_copied_as_a_draft_and_that_is_taken_back(world: World) -> None:
    published = publish(world)
    before = world.store.read(lambda tx: tx.value("SELECT count(*) FROM site_space"))

    def copies() -> list[tuple[str, bool]]:
        rows = world.store.read(
            lambda tx: tx.all(
                "SELECT space.title, deleted_at, draft FROM space "
                "JOIN site_space ON space_id = space.id ORDER BY space.created_at DESC"
            )
        )
        assert all(row["draft"] == 1 for row in rows[: len(rows) - before])
        return [(row["title"], bool(row["deleted_at"])) for row in rows[: len(rows) - before]]

    async with drive(open_app(world, published.site), size=(80, 24)) as driver:
        await select(driver, published.ids["Guides"])
        await driver.press("C")
        assert "Only a space that the site shows is copied" in driver.screen
        await select(driver, published.ids["Guides/French"])
        await driver.press("C")
        assert "Readers do not get the copy: it is a draft." in driver.screen
        await driver.press("y")
        [(title, deleted)] = copies()
        assert ("French" in title, deleted) == (True, False)
        await driver.press("u")
        assert "The copy of the space is deleted" in " ".join(driver.screen.split())
        assert driver.screen.count("it goes") == 1
        await driver.press("y")
        await asked(driver, "Undone")
        assert copies() == []
        trashed = world.store.read(
            lambda tx: tx.all("SELECT title FROM space WHERE deleted_at IS NOT NULL")
        )
        assert [row["title"] for row in trashed] == [title]
