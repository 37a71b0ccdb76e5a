"""Sites and the structure of one: ordered, changed and sent on a real desk."""

from __future__ import annotations

import json
from dataclasses import dataclass

import httpx
import pytest

from copydesk.client.api import Api
from copydesk.contract import operations as ops
from copydesk.contract.models.position import SiteSectionAnchor, SiteSectionPosition
from copydesk.contract.models.site_section import SiteSection, SiteSectionMove
from copydesk.domain.site_tree import structure_of
from copydesk.server import seeding_sites as seed
from copydesk.server.store import Tx
from copydesk.tui.app import CopydeskApp
from copydesk.tui.drafts import DraftStore, MemoryDrafts
from copydesk.tui.places import Target
from copydesk.tui.screens.site_structure import SiteStructurePlace
from copydesk.tui.session import Session
from copydesk.tui.widgets.sheet import typable
from tests.drive import Driver, drive, eventually
from tests.world import BASE_URL, World

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
        group = seed.add_section_group(tx, site, "Products") if grouped else None
        for title in SECTIONS:
            inside = group if title in ("API reference", "Changelog") else None
            ids[title] = seed.add_section(tx, site, title, group=inside)
            for name, space in spaces.items():
                if name == "English" or title == "Guides":
                    ids[f"{title}/{name}"] = seed.add_site_space(
                        tx, site, space, section=ids[title]
                    )
        return site

    return Published(world, world.write(write), ids)


def open_app(
    world: World,
    site: str | None = None,
    *,
    user: str | None = None,
    drafts: DraftStore | None = None,
    first: str = "site-structure",
) -> CopydeskApp:
    """Return the program, opened on a site."""

    async def connect() -> Api:
        return world.api(user)

    session = Session(
        connect, drafts=drafts or MemoryDrafts(), clock=lambda: world.clock.now, host="desk"
    )
    return CopydeskApp(session, first, Target(organization=world.home, site=site))


async def sheet_gone(driver: Driver) -> None:
    """Wait until the sheet that sends has closed."""
    await eventually(lambda: driver.app.screen is driver.place, driver.idle)
    await driver.idle()


async def test_both_sizes(world: World, update_golden: bool) -> None:
    published = publish(world, grouped=True)
    for size in ((80, 24), (140, 40)):
        async with drive(open_app(world, published.site), size=size) as driver:
            driver.golden("structure", update=update_golden)
            await driver.press("G", "K")
            structure = driver.place
            assert isinstance(structure, SiteStructurePlace)
            structure.keep_staged()  # now and not in half a second: the screen counts drafts
            driver.golden("structure-staged", update=update_golden)
            await driver.press("ctrl+s")
            driver.golden("structure-plan", update=update_golden)
        async with drive(open_app(world, first="sites"), size=size) as driver:
            driver.golden("sites", update=update_golden)


async def test_a_staged_order_is_sent_with_the_fewest_moves(world: World) -> None:
    published = publish(world)
    async with drive(open_app(world, published.site), "G", "k") as driver:
        assert driver.line("Status")
        driver.place.query_one("#structure")
        await select(driver, published.ids["Status"])
        await driver.press("K", "K", "K")
        assert "1 move staged, nothing sent" in driver.screen
        assert await published.order() == list(SECTIONS)
        assert "Status after Guides" in driver.screen
        await driver.press("ctrl+s")
        assert "send 1 request" in driver.screen
        await driver.press("enter")
        assert "Enter confirms nothing" in driver.screen
        assert await published.order() == list(SECTIONS)
        await driver.press("y")
        await sheet_gone(driver)
        wanted = ["Guides", "Status", "API reference", "Changelog", "Legal"]
        assert await published.order() == wanted
        assert "1 move sent" in driver.screen
        assert driver.selected == published.ids["Status"]
        await driver.press("u")
        assert await published.order() == list(SECTIONS)
        assert "Taken back: Move Status after Guides" in driver.screen


async def select(driver: Driver, row: str) -> None:
    """Put the cursor on a row of the structure."""
    place = driver.place
    assert isinstance(place, SiteStructurePlace)
    assert place.rows.reveal(row)
    await driver.idle()


async def test_undo_redo_and_drop_what_is_staged(world: World) -> None:
    published = publish(world)
    async with drive(open_app(world, published.site)) as driver:
        await select(driver, published.ids["Legal"])
        await driver.press("K", "J", "J")
        assert "1 move staged" in driver.screen
        assert driver.selected == published.ids["Legal"]
        await driver.press("J")
        assert "It is the last of its level." in driver.screen
        await driver.press("u", "u", "u")
        assert "published order" in driver.screen
        await driver.press("u")
        assert "Nothing to undo." in driver.screen
        await driver.press("ctrl+r", "ctrl+r", "ctrl+r")
        assert "1 move staged" in driver.screen
        await driver.press("X")
        assert "Drop what is staged?" in driver.screen
        await driver.press("y")
        assert "u brings it back" in driver.screen
        await driver.press("j")
        assert "published order" in driver.screen
        await driver.press("u")
        assert "1 move staged" in driver.screen
        assert await published.order() == list(SECTIONS)


async def test_what_is_particular_about_a_row_is_not_cut(world: World) -> None:
    published = publish(world)
    world.write(
        lambda tx: tx.update(
            "site_section",
            published.ids["Legal"],
            condition="visitor.claims.eu",
            path="imprint-and-terms",
        )
    )
    async with drive(open_app(world, published.site)) as driver:
        row = driver.line("Legal")
        assert "if visitor.claims.eu" in row
        assert "/imprint-and-" in row


async def test_an_order_that_another_program_staged_is_told_before_it_is_lost(
    world: World,
) -> None:
    published, drafts = publish(world), MemoryDrafts()
    app = open_app(world, published.site, drafts=drafts)
    async with drive(app, size=(100, 40)) as driver:
        await select(driver, published.ids["Legal"])
        await driver.press("K")
        ordering = driver.place
        assert isinstance(ordering, SiteStructurePlace)
        ordering.keep_staged()
        await driver.press("X")
        assert "Another copydesk" not in driver.screen
        await driver.press("escape")
        (key,) = drafts.texts
        drafts.save(key, "- Status before Guides\n{}")
        await driver.press("X")
        assert "Another copydesk staged this meanwhile" in driver.screen
        assert "Status before Guides" in driver.screen
        await driver.press("escape", "ctrl+s")
        assert "Status before Guides" in driver.screen
        await driver.press("escape")
        drafts.drop(key)
        await driver.press("ctrl+s")
        assert "Another copydesk has sent or dropped" in driver.screen
        await driver.press("escape")
        ordering.keep_staged()
        assert "yours now" in driver.line("Another copydesk")


async def test_staged_moves_outlive_the_program(world: World) -> None:
    published, drafts = publish(world), MemoryDrafts()
    async with drive(open_app(world, published.site, drafts=drafts)) as driver:
        await select(driver, published.ids["Legal"])
        await driver.press("K")
    async with drive(open_app(world, published.site, drafts=drafts)) as driver:
        assert "1 staged move of last time restored. X drops them." in driver.screen
        await driver.press("u")
        assert "published order" in driver.screen
    assert drafts.texts == {}


async def test_a_change_by_others_is_shown_before_anything_is_sent(world: World) -> None:
    published = publish(world)
    async with drive(open_app(world, published.site)) as driver:
        await select(driver, published.ids["Status"])
        await driver.press("K")
        async with world.api() as api:
            position = SiteSectionPosition(
                before=SiteSectionAnchor(site_section=published.ids["Guides"])
            )
            await api(
                ops.move_site_section, world.home, published.site, published.ids["Changelog"],
                SiteSectionMove(position=position),
            )  # fmt: skip
        await driver.press("ctrl+s")
        assert "Others changed the structure meanwhile; nothing was sent." in driver.screen
        assert (await published.order())[0] == "Changelog"
        await driver.press("ctrl+s", "y")
        await sheet_gone(driver)
        assert await published.order() == [
            "Changelog", "Guides", "API reference", "Status", "Legal"
        ]  # fmt: skip


async def test_a_failure_stops_says_why_and_keeps_the_rest(world: World) -> None:
    published = publish(world)
    async with drive(open_app(world, published.site)) as driver:
        await select(driver, published.ids["Status"])
        await driver.press("K", "K", "K")
        await select(driver, published.ids["API reference"])
        await driver.press("J", "J")
        assert "2 moves staged" in driver.screen
        await driver.press("ctrl+s")
        world.write(lambda tx: tx.run("DELETE FROM site_section WHERE title = 'Legal'"))
        await driver.press("y")
        assert "Gone" in driver.screen
        assert "keep the rest staged" in driver.screen
        await driver.press("r")
        await driver.press("k")
        await sheet_gone(driver)
        assert (await published.order())[:2] == ["Guides", "Status"]
        assert "1 of 2 sent" in driver.screen


async def test_groups_stay_where_they_are(world: World) -> None:
    published = publish(world, grouped=True)
    async with drive(open_app(world, published.site)) as driver:
        assert "Group 1" in driver.screen
        await select(driver, published.ids["Legal"])
        await driver.press("K")
        assert driver.line("Legal").index("Legal") > 0
        await driver.press("ctrl+s", "y")
        await sheet_gone(driver)
        assert await published.order() == [
            "Guides", "Legal", "API reference", "Changelog", "Status"
        ]  # fmt: skip
        await select(driver, published.ids["Changelog"])
        await driver.press("K", "ctrl+s", "y")
        await sheet_gone(driver)
        assert (await published.order())[2:4] == ["Changelog", "API reference"]
        async with world.api() as api:
            found = await api.page(ops.list_site_sections, world.home, published.site)
        grouped = [each.title for each in found.items if each.section_group]
        assert grouped == ["Changelog", "API reference"]
        await driver.press("h", "h")
        await driver.press("K")
        assert "no operation that moves a group" in driver.screen
        await driver.press("e")
        assert "no operation on a group" in driver.screen


async def test_a_section_is_renamed_and_the_rename_taken_back(world: World) -> None:
    published = publish(world)
    async with drive(open_app(world, published.site)) as driver:
        await select(driver, published.ids["Legal"])
        await driver.press("e")
        assert "Edit Legal" in driver.screen
        await driver.press("ctrl+s")
        assert "Nothing is changed yet." in driver.screen
        await driver.type(" notes")
        await driver.press("tab")
        await driver.type("-2")
        assert "the address changes" in driver.screen
        await driver.press("ctrl+s")
        assert "Legal notes" in driver.line("/legal-2")
        row = world.row("site_section", published.ids["Legal"])
        assert (row["title"], row["path"]) == ("Legal notes", "legal-2")
        await driver.press("u")
        assert world.row("site_section", published.ids["Legal"])["title"] == "Legal"


async def test_what_was_typed_outlives_esc_and_a_refusal(world: World) -> None:
    published = publish(world)
    async with drive(open_app(world, published.site)) as driver:
        await select(driver, published.ids["Legal"])
        await driver.press("e", "tab")
        await driver.type("/x")
        await driver.press("ctrl+s")
        assert "The service did not accept the path." in driver.screen
        assert "body" not in driver.line("Path   ")
        await driver.type("y")
        assert "the address changes" in driver.line("Path   "), "another text may be fine"
        await driver.press("backspace")
        assert "the address changes" not in driver.line("Path   ")
        await driver.press("escape", "e")
        assert "legal/x" in driver.screen
        assert "what you typed before is back" in driver.screen
        await driver.press("escape")
        assert world.row("site_section", published.ids["Legal"])["path"] == "legal"


async def test_hide_default_add_and_remove(world: World) -> None:
    published = publish(world)
    async with drive(open_app(world, published.site)) as driver:
        await select(driver, published.ids["Guides/French"])
        await driver.press("x")
        assert await published.spaces("Guides") == ["English", "(French)", "German"]
        assert "hidden" in driver.line("French")
        await driver.press("x")
        assert await published.spaces("Guides") == ["English", "French", "German"]
        await driver.press("H")
        assert "default" in driver.line("French")
        section = world.row("site_section", published.ids["Guides"])
        assert section["default_site_space_id"] == published.ids["Guides/French"]
        await select(driver, published.ids["Legal"])
        await driver.press("x")
        assert "A section cannot be hidden" in driver.screen
        await driver.press(":")
        await driver.type("default")
        await driver.press("enter")
        site = world.row("site", published.site)
        assert site["default_section_id"] == published.ids["Legal"]
        await driver.press("u")
        assert world.row("site", published.site)["default_section_id"] == published.ids["Guides"]

        await driver.press("ctrl+n")
        assert "a space in Legal" in driver.screen
        await driver.press("enter")
        await driver.type("Fr")
        await driver.press("tab", "ctrl+s")
        assert await published.spaces("Legal") == ["English", "French"]
        await driver.press("D")
        await driver.type("French")
        await driver.press("ctrl+s")
        assert await published.spaces("Legal") == ["English"]
        await select(driver, published.ids["Legal/English"])
        await driver.press("D")
        assert "Remove the section instead" in driver.screen
        await select(driver, published.ids["Legal"])
        await driver.press("D")
        await driver.type("Legal")
        await driver.press("ctrl+s")
        assert await published.order() == ["Guides", "API reference", "Changelog", "Status"]


async def test_who_may_not_change_it_is_told_why(world: World) -> None:
    published = publish(world)
    reader = world.user("rita", "read")
    async with drive(open_app(world, published.site, user=reader)) as driver:
        assert "read-only" in driver.screen
        await driver.press("J")
        assert "You may only look" in driver.screen


async def test_a_site_without_sections_orders_its_spaces(world: World) -> None:
    spaces = [world.space(title) for title in ("One", "Two", "Three")]

    def write(tx: Tx) -> str:
        site = seed.add_site(tx, world.home, "Plain")
        for space in spaces:
            seed.add_site_space(tx, site, space)
        return site

    world.write(write)
    async with drive(open_app(world)) as driver:
        await driver.press("J", "J", "ctrl+s", "y")
        await sheet_gone(driver)
        async with world.api() as api:
            [site] = (await api.page(ops.list_sites, world.home)).items
            found = await api.page(ops.list_site_spaces, world.home, site.id)
        assert [each.title for each in found.items] == ["Two", "Three", "One"]


async def test_the_list_of_sites_opens_a_structure(world: World) -> None:
    published = publish(world)
    world.write(lambda tx: seed.add_site(tx, world.home, "Draft\x1b[31m site"))
    async with drive(open_app(world, first="sites")) as driver:
        assert "not yet" in driver.line("Draft site")
        await driver.press("]")
        assert "Draft" not in driver.screen
        world.write(lambda tx: tx.run("UPDATE site SET published = 1"))
        await driver.press("]")
        assert "Every site is published." in driver.screen
        await driver.press("[", "G")
        await driver.press("enter")
        assert "Acme docs > Structure" in driver.screen
        await select(driver, published.ids["Guides"])
        await driver.press("q")
        assert "Sites" in driver.screen


async def test_a_filter_hides_rows_so_nothing_moves(world: World) -> None:
    published = publish(world)
    async with drive(open_app(world, published.site), "/") as driver:
        await driver.type("legal")
        await driver.press("enter", "J")
        assert "Clear the filter to move" in driver.screen


@pytest.mark.parametrize("size", [(60, 18), (30, 10), (132, 43)])
async def test_any_size(world: World, size: tuple[int, int]) -> None:
    published = publish(world)
    async with drive(open_app(world, published.site), size=size) as driver:
        await driver.press("J", "K", "tab", "tab")
        assert "Guides" in driver.screen


async def test_a_row_that_moves_stays_in_sight(world: World) -> None:
    def write(tx: Tx) -> str:
        site = seed.add_site(tx, world.home, "Long")
        for number in range(40):
            seed.add_section(tx, site, f"Section {number}")
        return site

    assert world.home
    site = world.write(write)
    async with drive(open_app(world, site)) as driver:
        for _ in range(20):
            await driver.press("J")
        assert driver.line("Section 0 ").startswith("┃>")
        assert driver.line("Section 0 ")[5:].startswith("21   1 ")
        await driver.press(":")
        await driver.type("move 39")
        await driver.press("enter")
        assert driver.line("Section 0 ").startswith("┃>")
        assert "1 move staged" in driver.screen
        await driver.press(":")
        await driver.type("move 77")
        await driver.press("enter")
        assert "Positions here are 1 to 40." in driver.screen


async def test_hostile_titles_are_harmless(world: World) -> None:
    def write(tx: Tx) -> str:
        site = seed.add_site(tx, world.home, "S\x1b[2J[red]ite[/]")
        seed.add_section(
            tx, site, "\x1b]0;t\x07[b]A\u202e[/b]", condition="[link]\x1b[m", description="\x9b1m"
        )
        seed.add_section(tx, site, "[/nothing]")
        return site

    assert world.home
    site = world.write(write)
    async with drive(open_app(world, site), "J") as driver:
        assert "S[red]ite[/]" in driver.screen
        assert "[b]A[/b]" in driver.screen
        assert "\x1b" not in driver.screen
        for key in ("ctrl+s", "escape", "e", "escape", "D", "escape", "X", "escape"):
            await driver.press(key)
        assert "[/nothing]" in driver.screen


async def test_what_cannot_be_read_says_what_to_do(world: World) -> None:
    async with drive(open_app(world, "nowhere")) as driver:
        assert "Gone. Removed by someone, or moved." in driver.screen
        await driver.press("J")
        assert "not been read yet" in driver.screen
    async with drive(open_app(world)) as driver:
        assert "Which site? gt lists them" in driver.screen
        world.write(lambda tx: seed.add_site(tx, world.home, "Empty"))
        await driver.press("R")
        assert "This site shows nothing yet. ctrl+n adds" in driver.screen
        await driver.press("J")
        assert "There is no row here." in driver.screen


async def test_a_quiet_refresh_moves_nothing(world: World) -> None:
    published = publish(world)
    async with drive(open_app(world, published.site)) as driver:
        world.write(lambda tx: tx.update("site_section", published.ids["Legal"], title="Terms"))
        driver.place.read_again(by_hand=False)
        await driver.idle()
        assert "Terms" in driver.screen
        async with world.api() as api:
            position = SiteSectionPosition(
                before=SiteSectionAnchor(site_section=published.ids["Guides"])
            )
            await api(
                ops.move_site_section, world.home, published.site, published.ids["Status"],
                SiteSectionMove(position=position),
            )  # fmt: skip
        driver.place.read_again(by_hand=False)
        await driver.idle()
        assert "changed by others: R shows it" in driver.screen
        assert driver.line("Status").startswith("┃    5    5 ")
        await driver.press("R")
        assert "changed by others" not in driver.screen
        assert driver.line("Status").startswith("┃    1    1 ")


async def test_drafts_lead_back_to_the_structure(world: World) -> None:
    published = publish(world)
    async with drive(open_app(world, published.site), size=(110, 30)) as driver:
        await select(driver, published.ids["Legal"])
        await driver.press("K", "e")
        await driver.type(" notes")
        await driver.press("escape", "g d")
        assert "1 move staged" in driver.line("order of a site")
        assert "row of a site" in driver.screen
        await driver.press("q")
    assert "structure" in " ".join(driver.app.session.drafts.kept())


async def test_leaving_staged_moves_says_that_they_are_kept_and_marks_the_site(
    world: World,
) -> None:
    published, drafts = publish(world), MemoryDrafts()
    world.write(lambda tx: seed.add_site(tx, world.home, "Other site"))
    async with drive(open_app(world, first="sites", drafts=drafts)) as driver:
        await driver.press("G")
        assert driver.line("Acme docs  ").startswith("┃>   Acme")
        await driver.press("enter")
        await select(driver, published.ids["Legal"])
        await driver.press("K", "ctrl+s", "escape")
        assert "Kept" not in driver.screen, "a sheet is no leaving"
        await driver.press("escape")
        assert "Kept: 1 move staged in Acme docs; nothing was sent." in driver.screen
        assert driver.line("Acme docs  ").startswith("┃>*  Acme")
        assert driver.line("Other site").startswith("┃    Other")
        assert "1 move, nothing sent" in driver.line("staged  ")
        await driver.press("k", "j")
        assert "* moves staged, not sent" in driver.line("2 sites")
        assert list(SECTIONS) == await published.order()
        # From there, and to a place that opens only now.
        await driver.press("enter", "g s")
        assert "Kept: 1 move staged in Acme docs" in driver.screen
        await driver.press("-", "X", "y", "escape")
        assert "Kept" not in driver.screen
        assert driver.line("Acme docs  ").startswith("┃>   Acme")
        assert "staged" not in driver.screen


@pytest.mark.parametrize(
    ("site", "address", "opened"),
    [
        ("..", "javascript:alert(1)", None),
        ("a/b?c#d\x1b[31m", "https://docs.test/~x y;'`id`", "https://docs.test/~x%20y;%27%60id%60"),
        ("", "https://docs.acme.test@evil.test/", None),
    ],
)
async def test_hostile_ids_and_addresses(
    world: World, site: str, address: str, opened: str | None
) -> None:
    published = publish(world)
    asked: list[str] = []

    class Hostile(httpx.ASGITransport):
        async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
            asked.append(request.url.raw_path.decode())
            answer = await super().handle_async_request(request)
            said = json.loads(await answer.aread())
            for item in said.get("items", ()):
                if item.get("id") == published.site:
                    item.update(id=site, urls={"published": address}, hostname=None)
            return httpx.Response(answer.status_code, json=said, request=request)

    async def connect() -> Api:
        return Api(BASE_URL, world.token(world.ana), transport=Hostile(world.app))

    session = Session(connect, clock=lambda: world.clock.now, host="desk")
    went: list[str] = []
    app = CopydeskApp(session, "sites", Target(organization=world.home))
    async with drive(app) as driver:
        assert app._driver is not None
        app._driver.open_url = lambda url, new_tab=True: went.append(url)  # type: ignore[method-assign]
        await driver.press("o", "y")
        assert went == ([opened] if opened else [])
        assert app.clipboard == (opened or "")
        assert opened or "none of the web" in driver.screen or "no address" in driver.screen
        await driver.press("enter")
        assert "Gone." in driver.screen
        await driver.press("J", "escape", "R")
        assert "Acme docs" in driver.screen
    assert all("a/b" not in path and "/.." not in path for path in asked)


async def test_what_is_removed_has_a_name_that_can_be_typed(world: World) -> None:
    published = publish(world)
    row = world.write(lambda tx: seed.add_section(tx, published.site, "👩\u200d👧  flags 🏳"))
    async with drive(open_app(world, published.site)) as driver:
        await select(driver, row)
        await driver.press("D")
        assert "to go on: flags" in driver.line("Type the name")
        await driver.type("flags")
        await driver.press("ctrl+s")
    assert await published.order() == list(SECTIONS)
    assert typable("支払い ガイド") == "支払い ガイド"
    assert typable("🏳") == ""
    assert typable("A name of more words than anybody wants to type").endswith(" anybody")
    assert len(typable("x" * 99)) < 50


async def test_a_field_says_what_it_is_also_where_the_form_scrolls(world: World) -> None:
    published = publish(world)
    async with drive(open_app(world, published.site), "e", size=(40, 12)) as driver:
        assert "Title" in driver.line("Title")
        await driver.press("tab", "tab")
        assert "Description" in driver.line("Description")
        assert "ctrl+s save" in driver.screen


async def test_leaving_moves_that_cannot_be_kept_says_so(world: World) -> None:
    class Full(MemoryDrafts):
        full = True

        def save(self, key: str, text: str) -> None:
            if self.full:
                raise OSError(28, "No space left on device")
            super().save(key, text)

    published, drafts = publish(world), Full()
    async with drive(open_app(world, first="sites", drafts=drafts), "enter") as driver:
        await select(driver, published.ids["Legal"])
        await driver.press("K", "g s")
        assert "Not kept: 1 move staged in Acme docs: No space left" in driver.screen
        await driver.press("escape")
        drafts.full = False
        await driver.press("escape")
        assert "Kept: 1 move staged in Acme docs" in driver.screen
        assert len(drafts.texts) == 1


def test_ids_that_are_empty_or_shared_make_no_endless_tree() -> None:
    def section(row: str, *shown: str, group: str | None = None) -> SiteSection:
        def space(each: str) -> dict[str, object]:
            about = {"object": "space", "id": "s", "title": "S", "visibility": "public"}
            stamps = {"createdAt": "2026-01-01T00:00:00Z", "updatedAt": "2026-01-01T00:00:00Z"}
            return {"object": "site-space", "id": each, "title": each, "space": about | stamps}

        spaces = [space(each) for each in shown]
        found = {"object": "site-section", "id": row, "title": row, "siteSpaces": spaces}
        return SiteSection.model_validate(found | {"sectionGroup": group})

    for sections in (
        [section(""), section("a", "")],
        [section("a", "a", "b"), section("b", "a", "c"), section("a", "d")],
        [section("a", "group:g"), section("group:g", "a", group="g"), section("c", group="g")],
    ):
        structure = structure_of(sections)
        tree = structure.tree()
        assert [node.id for node in tree] == list(structure.levels[""])
        assert structure.sections()
