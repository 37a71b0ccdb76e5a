"""Sites and the structure of one: staged, compared with what others did, sent on a real desk."""

from __future__ import annotations

import asyncio
import json
import sys
from functools import partial
from pathlib import Path
from typing import Any

import httpx
import pytest

from copydesk.client.api import Api
from copydesk.contract import operations as ops
from copydesk.contract.models.position import SiteSectionAnchor, SiteSectionPosition
from copydesk.contract.models.site import SiteUpdate
from copydesk.contract.models.site_section import SiteSection, SiteSectionMove
from copydesk.domain.arrange_run import identity
from copydesk.domain.layout import Item, Kind, Layout
from copydesk.domain.own_command import Hook
from copydesk.domain.site_inverses import setting_changed
from copydesk.domain.site_tree import structure_of
from copydesk.local.drafts import DeskDrafts
from copydesk.local.journal import Notes
from copydesk.local.runs import Arrangements
from copydesk.local.state import State
from copydesk.present.site import address as address_cell
from copydesk.server import site_writes as seed
from copydesk.server.store import Tx
from copydesk.session.drafts import TWO_WINDOWS
from copydesk.session.reads import sites as site_reading
from copydesk.session.session import Session
from copydesk.session.target import Target
from copydesk.session.writes.log import LogEntry
from copydesk.tui.app import CopydeskApp
from copydesk.tui.arrange.cells import written_facts
from copydesk.tui.dialogs.dialog import typable
from copydesk.tui.sites.structure import SiteStructurePlace, navigation_facts
from copydesk.tui.widgets.facts import heights
from copydesk.tui.widgets.list import VirtualList
from tests.drive import Driver, drive, eventually
from tests.tui.site_world import SECTIONS, Published, publish
from tests.world import BASE_URL, World


def open_app(
    world: World,
    site: str | None = None,
    *,
    user: str | None = None,
    drafts: DeskDrafts | None = None,
    runs: Arrangements | None = None,
    first: str = "site-structure",
) -> CopydeskApp:
    """Return the program, opened on a site."""

    async def connect() -> Api:
        return world.api(user)

    session = Session(
        connect,
        draft_store=drafts or DeskDrafts(State()),
        arrangements=runs or Arrangements(State()),
        clock=lambda: world.clock.now,
        host="desk",
    )
    return CopydeskApp(session, first, Target(organization=world.home, site=site))


async def sheet_gone(driver: Driver) -> None:
    """Wait until the sheet that sends has closed."""
    await eventually(lambda: driver.app.screen is driver.place, driver.idle)
    await driver.idle()


async def asked(driver: Driver, words: str) -> None:
    """Wait until a sheet, or the place, says something."""
    try:
        await eventually(lambda: words in driver.screen, driver.idle)
    except AssertionError:
        raise AssertionError(f"{words!r} never came:\n{driver.screen}") from None


def here(driver: Driver) -> SiteStructurePlace:
    """Return the structure in front."""
    assert isinstance(driver.place, SiteStructurePlace)
    return driver.place


async def select(driver: Driver, row: str) -> None:
    """Put the cursor on a row of the structure."""
    assert here(driver).rows.reveal(row)
    await driver.idle()


async def said(driver: Driver, command: str) -> None:
    """Give a command."""
    await driver.press(":")
    await driver.type(command)
    await driver.press("enter")


async def move_before(published: Published, title: str, anchor: str) -> None:
    """Move a section as somebody else would."""
    ids = published.ids
    position = SiteSectionPosition(before=SiteSectionAnchor(site_section=ids[anchor]))
    async with published.world.api() as api:
        await api(
            ops.move_site_section, published.world.home, published.site, ids[title],
            SiteSectionMove(position=position),
        )  # fmt: skip


async def test_both_sizes(world: World, update_golden: bool) -> None:
    published = publish(world, grouped=True)
    for size in ((80, 24), (140, 40)):
        async with drive(open_app(world, published.site), size=size, linear=True) as driver:
            driver.golden("structure", update=update_golden)
            await driver.press("G", "K")
            await select(driver, published.ids["Guides/French"])
            await driver.press("x", "j", "D")
            await select(driver, published.ids["Legal"])
            await driver.press("space", "ctrl+n", "down", "enter", "enter")
            here(driver).draft.keep_due()  # now and not in half a second: the screen counts drafts
            driver.golden("structure-staged", update=update_golden)
            await driver.press("ctrl+s")
            driver.golden("structure-plan", update=update_golden)
            await driver.press("escape")
            world.write(lambda tx: tx.update("site_section", published.ids["Legal"], title="Terms"))
            await driver.press("ctrl+s")
            driver.golden("structure-others", update=update_golden)
            assert driver.walk is not None
            told = driver.walk.text
            assert "Level 1, 5 of 5. English, path later, 1 variant" in told
            assert "• Terms: title Legal → Terms\nOURS" in told, "no line has something of both"
            world.write(lambda tx: tx.update("site_section", published.ids["Legal"], title="Legal"))
        async with drive(open_app(world, first="sites"), size=size) as driver:
            driver.golden("sites", update=update_golden)


async def test_an_order_is_staged_sent_with_the_fewest_requests_and_taken_back(
    world: World,
) -> None:
    published = publish(world)
    ids = published.ids
    async with drive(open_app(world, published.site), size=(140, 40)) as driver:
        await driver.press("=")
        assert "Nothing is staged" in driver.screen
        await select(driver, ids["Legal"])
        await driver.burst("K", "J", "J")
        assert "1 call staged, nothing sent" in driver.screen
        assert driver.selected == ids["Legal"]
        await driver.press("alt+down")
        assert "The row is the last of its level." in driver.screen
        await driver.press("u", "u", "u")
        assert "current order" in driver.screen
        await driver.press("u")
        assert "Nothing to undo." in driver.screen
        await driver.press("ctrl+r", "Z", "ctrl+r")
        assert "1 call staged" in driver.screen
        await driver.press("X")
        assert "Discard what is staged?" in driver.screen
        await driver.press("y")
        assert "u brings it back" in driver.screen
        await driver.press("u")
        assert "1 call staged" in driver.screen
        # What is compared: the published order, and only what changed.
        await driver.press("=")
        assert driver.line("Legal   ").startswith("┃>⇅  4    4")
        await driver.press("J")
        assert "= goes back to the staged order" in driver.screen
        await driver.press("=")
        assert "Structure   only what changed" in driver.screen
        assert "Changelog  " not in driver.screen.split("AFTER")[0].split("Top navigation")[0]
        await driver.press("=", "u")
        await said(driver, "sort title")
        await said(driver, "sort reverse")
        assert [row.title for row in here(driver).rows.tree_source.roots] == sorted(
            SECTIONS, reverse=True
        )
        await driver.press("u", "u")
        await said(driver, "sort colour")
        assert "Sort by what? :sort title" in driver.screen
        await select(driver, ids["Status"])
        await said(driver, "move 77")
        assert "Positions here are 1 to 5." in driver.screen
        await said(driver, "move 2")
        assert await published.order() == list(SECTIONS)
        assert "BEFORE" in driver.screen
        assert "Guides │ Status │ API reference" in driver.screen
        # As soon as it is sent somebody gives another one another path.
        law = f"UPDATE site_section SET path = 'law' WHERE id = '{ids['Legal']}'"
        first = "AFTER UPDATE OF position ON site_section WHEN NEW.title = 'Status'"
        world.write(lambda tx: tx.run(f"CREATE TRIGGER other {first} BEGIN {law}; END"))
        await driver.press("ctrl+s")
        await asked(driver, "send 1 call")
        await driver.press("enter")
        assert "Enter confirms nothing" in driver.screen
        assert "Status after Guides" in driver.screen
        assert "u undoes all of it afterwards" in driver.screen
        await driver.press("y")
        await sheet_gone(driver)
        assert await published.order() == [
            "Guides",
            "Status",
            "API reference",
            "Changelog",
            "Legal",
        ]
        assert "1 call sent" in driver.screen
        assert "Others changed it meanwhile: Legal: path /legal → /law." in driver.screen
        assert driver.selected == ids["Status"]
        assert "move Status" in driver.screen.split("Changes made from")[1].split("╰")[0]
        await driver.press("u")
        assert "Undo Move Status: after Legal" in driver.screen
        await driver.press("y")
        assert await published.order() == list(SECTIONS)
        assert "Undone: Move Status" in driver.screen
        # It is a plan on every other screen too: it is shown and asked about first.
        await driver.press("g t", "ctrl+r", "y")
        assert (await published.order())[1] == "Status"
        await driver.press("u")
        assert "Undo Move Status: after another" in driver.screen
        await driver.press("y")
        assert await published.order() == list(SECTIONS)
        assert "Undone: Move Status" in driver.screen


async def test_a_filter_looks_for_words_and_not_for_places_in_the_order(world: World) -> None:
    published = publish(world, grouped=True)
    async with drive(open_app(world, published.site), size=(40, 12)) as driver:
        source = here(driver).rows.tree_source
        await driver.press("/")
        for text, matches in (("Legal", True), ("Legal 3", False)):
            await driver.press("ctrl+u")
            await driver.type(text)
            assert (source.matches > 0) == matches, text
        await driver.press("escape", "tab")
        for _ in range(3):
            assert driver.app.focused is not None
            assert driver.app.focused.content_size.height >= 2, "one sees what one is in"
            await driver.press("tab")


async def test_picked_rows_are_dropped_as_one_block() -> None:
    world = World(edition="earlier")
    published = publish(world, grouped=True)
    ids = published.ids
    async with drive(open_app(world, published.site)) as driver:
        await select(driver, ids["Legal"])
        await driver.press("v", "j", "v")
        assert "2 picked: J K move them as one block" in driver.screen
        await driver.press("g g", "enter")
        assert [row.title for row in here(driver).rows.tree_source.roots] == [
            "Guides", "Legal", "Status", "Group 1"
        ]  # fmt: skip
        assert "picked" not in driver.screen
        await driver.press("space", "space", "ctrl+\\", "O")
        assert "Nothing is picked" in driver.screen
        # The same again as one block, by one key for both.
        await select(driver, ids["Legal"])
        await driver.press("*")
        assert "3 picked" in driver.screen, "a group cannot be picked"
        await driver.press("ctrl+\\")
        await select(driver, ids["Legal"])
        await driver.press("space", "space", "K")
        assert [row.title for row in here(driver).rows.tree_source.roots][:2] == ["Legal", "Status"]
        await driver.press("u", "u", "ctrl+\\")
        # Of several levels all move, or none. The row and the navigation are within reach.
        await select(driver, ids["Status"])
        await driver.press("space")
        await select(driver, ids["Guides/French"])
        await driver.press("space", "K", "K")
        assert "Nothing moves, as French cannot: The row is the first already." in driver.screen
        await driver.press("ctrl+\\")
        await select(driver, ids["Guides/French"])
        await driver.press("i", "tab", "p", "tab", "i")
        assert "moved from place 2 to 1" in driver.screen
        await driver.press("tab")
        assert "Guides ▾  English (first), French, German → French" in driver.screen
        await driver.press("escape", "u", "u")
        # Groups stay where they are, and nothing goes in or out.
        for key, words in ((">", "does not put a section into"), ("<", "at the top")):
            await select(driver, ids["Legal"])
            await driver.press(key)
            assert words in driver.screen
        await select(driver, ids["Changelog"])
        await driver.press("<")
        assert "does not put a section into a group, or take it out" in driver.screen
        await driver.press("h", "h", "K")
        assert "does not move groups" in driver.screen
        await driver.press("e")
        assert "has no section groups" in driver.screen
        await driver.press("space")
        assert "does not move groups" in driver.screen
        await select(driver, ids["Legal"])
        await driver.press("K")
        await select(driver, ids["Changelog"])
        await driver.press("K", "ctrl+s", "y")
        await sheet_gone(driver)
    order = ["Guides", "Legal", "Changelog", "API reference", "Status"]
    assert await published.order() == order
    async with world.api() as api:
        found = await api.page(ops.list_site_sections, world.home, published.site)
    assert [each.title for each in found.items if each.section_group] == order[2:4]


async def test_a_section_is_edited_and_made_the_default(world: World) -> None:
    published = publish(world)
    ids = published.ids

    def adapt(tx: Tx) -> None:
        claim = {"type": "boolean", "description": "Lives in the EU"}
        schema = {"type": "object", "properties": {"eu": claim}, "additionalProperties": False}
        tx.update("site", published.site, adaptive_schema=json.dumps(schema))

    world.write(adapt)
    async with drive(open_app(world, published.site), size=(100, 40)) as driver:
        await select(driver, ids["Legal"])
        await driver.press("e")
        assert "Edit Legal" in driver.screen
        await driver.press("ctrl+s")
        assert "Nothing is changed yet." in driver.screen
        await driver.burst(*["backspace"] * 4)
        assert "at least 2 characters" in driver.screen
        await driver.type("egal notes")
        await driver.press("tab")
        await driver.type("/x")
        assert "A path is letters" in driver.line("Path")
        await driver.press("backspace", "backspace")
        await driver.type("-2")
        assert "/legal becomes /legal-2; links" in driver.line("the address changes")
        await driver.press("tab", "tab")
        await driver.type("gear")
        await driver.press("tab", "tab")
        await driver.type("visitor.claims.eu =")
        assert "= is not a comparison here: write ==." in driver.line("Condition")
        await driver.press("ctrl+s")
        assert "Edit Legal" in driver.screen  # nothing was staged
        await driver.press(*["backspace"] * 19, "ctrl+o")
        assert "Lives in the EU: yes" in driver.screen
        await driver.press("enter", "escape", "e")
        assert "what you typed before is back" in driver.screen
        assert "visitor.claims.eu == true" in driver.screen
        await driver.press("ctrl+s")
        assert "if visitor.claims." in driver.line("▸ Legal notes")
        assert world.row("site_section", ids["Legal"])["title"] == "Legal"
        await driver.press("x")
        assert "A section cannot be hidden" in driver.screen
        await said(driver, "default")
        await driver.press("ctrl+s", "y")
        await sheet_gone(driver)
        legal = world.row("site_section", ids["Legal"])
        assert (legal["title"], legal["path"], legal["icon"]) == ("Legal notes", "legal-2", "gear")
        assert legal["condition"] == "visitor.claims.eu == true"
        assert world.row("site", published.site)["default_section_id"] == ids["Legal"]
        assert not here(driver).draft.arrangement.dirty
        await driver.press("u", "y")
        await sheet_gone(driver)
        assert world.row("site_section", ids["Legal"])["path"] == "legal"


async def test_spaces_are_hidden_added_removed_and_made_the_default(world: World) -> None:
    published = publish(world)
    ids = published.ids
    async with drive(open_app(world, published.site), size=(100, 40)) as driver:
        await select(driver, ids["Guides/French"])
        await driver.burst("x", "x", "x")
        assert "hidden" in driver.line(" French  ")
        await select(driver, ids["Guides/German"])
        await driver.press("H", "H")
        assert "German is the default already." in driver.screen
        # Added and removed: shown as such until it is sent.
        await select(driver, ids["Status"])
        await driver.press("ctrl+n")
        assert "a space in Status" in driver.screen
        await driver.press("enter")
        await driver.type("Fr")
        await driver.press("tab", "ctrl+s")
        assert driver.line("{+French+}").startswith("┃>+")
        await select(driver, ids["Status"])
        await driver.press("ctrl+n", "down", "enter", "enter")
        assert driver.line("{+English+}").startswith("┃>+  6    new")
        await select(driver, ids["Changelog"])
        await driver.press("D")
        assert "[-Changelog-]" in driver.line("┃>-")
        await driver.press("D")
        assert "is going to be removed. u brings it back." in driver.screen
        await driver.press("u")
        assert "[-Changelog-]" not in driver.screen
        await driver.press("D")
        await select(driver, ids["Guides/English"])
        await driver.press("D")
        await select(driver, ids["Legal/English"])
        await driver.press("D")
        assert "Remove the section instead" in driver.screen
        await driver.press("ctrl+s")
        assert "3 of these are final" in driver.screen
        await driver.press("y")
        assert "3 calls for good" in driver.screen
        assert "Type the number of these" in driver.screen
        await driver.type("3")
        await driver.press("ctrl+s")
        await sheet_gone(driver)
        guides = world.row("site_section", ids["Guides"])
        assert guides["default_site_space_id"] == ids["Guides/German"]
        assert await published.spaces("Guides") == ["(French)", "German"]
        assert await published.spaces("Status") == ["English", "French"]
        order = ["Guides", "API reference", "Legal", "Status", "English"]
        assert await published.order() == order
        assert not here(driver).draft.arrangement.dirty
        lasting = here(driver).session.history.lasting_in(published.site)
        gone = [("Default", "Guides"), ("Remove", "English"), ("Remove", "Changelog")]
        assert [(each.what, each.target) for each in lasting] == gone
        now = here(driver).session.clock()
        (fact,) = written_facts((), now, lasting)
        assert str(fact.text) == "remove Changelog and 2 more"
        await driver.press("u", "y")
        await sheet_gone(driver)
        assert await published.order() == ["Guides", "API reference", "Legal", "Status"]


class Held(httpx.AsyncBaseTransport):
    """The way to the desk of a world, on which further pages of sections wait for a gate."""

    def __init__(self, world: World) -> None:
        self.way = httpx.ASGITransport(world.app, raise_app_exceptions=False)
        self.gate = asyncio.Event()

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        if request.url.path.endswith("/sections") and "page" in request.url.params:
            await self.gate.wait()
        return await self.way.handle_async_request(request)


async def test_a_slow_reading_says_how_far_it_is_and_can_be_stopped(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    world = World(edition="earlier")
    monkeypatch.setattr(site_reading, "PAGE", 2)
    monkeypatch.setattr("copydesk.client.api.PAGE", 2)
    published, held = publish(world), Held(world)
    api = Api(BASE_URL, world.token(world.ana), transport=held)

    async def connect() -> Api:
        return api

    session = Session(
        connect, draft_store=DeskDrafts(State()), clock=lambda: world.clock.now, host="desk"
    )
    app = CopydeskApp(session, "site-structure", Target(world.home, site=published.site))
    async with app.run_test(size=(140, 40)) as pilot:
        driver = Driver(app, pilot)
        await eventually(lambda: "Reading sections, 2 so far…" in driver.screen, driver.turn)
        await eventually(lambda: "Acme docs > Structure" in driver.screen, driver.turn)
        assert "reading the structure" in driver.screen.splitlines()[0]
        await driver.send("J")
        assert "has not been read yet" in driver.screen
        held.gate.set()
        await driver.idle()
        assert "has not been read yet" not in driver.screen
        assert "structure read now" in driver.screen.splitlines()[0]
        await driver.press("J")
        held.gate.clear()
        await driver.send("ctrl+s")
        await eventually(
            lambda: "Reading sections, 2 so far… Esc stops it." in driver.screen, driver.turn
        )
        await driver.send("escape")
        await driver.idle()
        assert "Stopped reading: nothing was sent; it stays staged." in driver.screen
        assert here(driver).draft.arrangement.dirty
        held.gate.set()
        await driver.send("ctrl+s")
        await asked(driver, "send 1 call")


async def test_what_others_change_is_shown_beside_ours(world: World) -> None:
    published = publish(world)
    ids = published.ids
    async with drive(open_app(world, published.site)) as driver:
        await select(driver, ids["Status"])
        await driver.press("K")
        await move_before(published, "Changelog", "Guides")
        await driver.press("ctrl+s")
        await asked(driver, "THEIRS")
        assert "Changelog: first" in driver.screen
        assert "Status after" in driver.screen.split("OURS")[1]
        await driver.press("escape")
        assert "Nothing was sent; it stays staged, on top of what others changed." in driver.screen
        assert (await published.order())[0] == "Changelog"
        await driver.press("e")
        await driver.type("!")
        await driver.press("ctrl+s")
        world.write(lambda tx: tx.update("site_section", ids["Status"], title="Health"))
        await driver.press("ctrl+s")
        await asked(driver, "BOTH CHANGED")
        assert "Health, title: was Status; theirs Health; ours Status!" in " ".join(
            driver.screen.split()
        )
        await driver.press("enter")
        assert "Enter confirms nothing" in driver.screen
        await driver.press("t")
        await asked(driver, "send 1 call")
        # While that is looked at somebody removes what is beside it: theirs again, and a new plan.
        world.write(lambda tx: tx.run("DELETE FROM site_section WHERE title = 'API reference'"))
        await driver.press("y")
        await asked(driver, "API reference: gone")
        await driver.press("y")
        await asked(driver, "Others changed it meanwhile: this is the plan now.")
        # In the middle of sending it is not allowed any more.
        world.write(lambda tx: tx.run("UPDATE member SET role = 'read'"))
        await driver.press("y")
        await asked(driver, "pause, the rest stays staged")
        world.write(lambda tx: tx.run("UPDATE member SET role = 'admin'"))
        await driver.press("p")
        await sheet_gone(driver)
        await asked(driver, "Nothing was sent; it stays staged.")
        assert await published.order() == ["Changelog", "Guides", "Legal", "Health"]
        # A quiet refresh moves nothing.
        await driver.press("X", "y")
        await move_before(published, "Health" if "Health" in ids else "Status", "Changelog")
        here(driver).read_again(by_hand=False)
        await driver.idle()
        assert "changed by others: R shows it" in driver.screen
        assert driver.line("Health").startswith("┃>   4")
        await driver.press("R")
        assert driver.line("Health").startswith("┃>   1")


async def test_what_is_undone_elsewhere_is_not_told_as_done_by_others(world: World) -> None:
    published = publish(world)
    async with drive(open_app(world, published.site)) as driver:
        await select(driver, published.ids["Status"])
        await driver.press("K", "ctrl+s", "y")
        await sheet_gone(driver)
        assert driver.line("Status").split()[1] == "4"
        await said(driver, "undo")
        await driver.press("u", "y")
        await driver.idle()
        await driver.press("q")
        here(driver).read_again(by_hand=False)
        await driver.idle()
        assert "changed by others" not in driver.screen
        assert driver.line("Status").split()[1] == "5", "its own place again"
        # What somebody else moves waits for R as ever.
        await move_before(published, "Status", "Guides")
        here(driver).read_again(by_hand=False)
        await driver.idle()
        assert "changed by others: R shows it" in driver.screen


async def test_what_another_window_sends_is_not_staged_here_too(
    world: World, tmp_path: Path
) -> None:
    published = publish(world)
    path = tmp_path / "state.db"

    def window() -> CopydeskApp:
        store = State(path)
        return open_app(world, published.site, drafts=DeskDrafts(store), runs=Arrangements(store))

    async with drive(window(), size=(140, 40)) as driver:
        await select(driver, published.ids["Status"])
        await driver.press("K")
        assert "1 call staged" in driver.screen
    other, run = Arrangements(State(path)), identity("site-structure", published.site)
    assert other.claim(run)
    async with drive(window(), size=(140, 40)) as driver:
        assert "Another copydesk is sending what was staged here. R reads" in driver.screen
        assert "staged order" not in driver.screen
        await select(driver, published.ids["Legal"])
        await driver.press("K", "ctrl+s")
        assert "nothing was sent; it stays staged." in driver.screen
        other.release(run)
        await driver.press("ctrl+s", "y")
        await sheet_gone(driver)
        assert "1 call sent." in driver.screen


async def test_a_write_of_ours_that_moves_no_row_lets_no_one_else_move_one(world: World) -> None:
    published = publish(world)
    ids = (world.home, published.site)
    way = setting_changed(ids, "visibility", "public", "unlisted")
    async with drive(open_app(world, published.site)) as driver:

        async def hide(api: Api) -> Any:
            return await api(ops.update_site, *ids, SiteUpdate(visibility="unlisted"))

        async with world.api() as api:
            await here(driver).session.writes.perform("Set", "It", partial(hide, api), reversal=way)
        here(driver).read_again(by_hand=False)
        await driver.idle()
        await move_before(published, "Status", "Guides")
        here(driver).read_again(by_hand=False)
        await driver.idle()
        assert "changed by others: R shows it" in driver.screen


async def test_a_write_that_was_on_its_way_is_among_the_latest_once_it_arrived(
    world: World,
) -> None:
    published = publish(world)
    way = setting_changed((world.home, published.site), "visibility", "public", "unlisted")
    async with drive(open_app(world, published.site)) as driver:
        session, written = here(driver).session, here(driver).written
        entry = session.journal.begin("Set", "It", Notes(reversal=way.to_dict()))
        session.log.append(LogEntry(1, session.clock(), "Set", "It", entry=entry))
        assert written.newest(session) == 0
        session.history.take(session.journal.settle(entry, "done"))
        assert written.newest(session) > 0


async def test_a_failure_asks_and_so_does_the_next_start(world: World) -> None:
    published = publish(world)
    ids, drafts, runs = published.ids, DeskDrafts(State()), Arrangements(State())
    async with drive(open_app(world, published.site, drafts=drafts, runs=runs)) as driver:
        await select(driver, ids["Status"])
        await driver.press("K", "K", "K")
        await select(driver, ids["API reference"])
        await driver.press("J", "J")
        assert "2 calls staged" in driver.screen
        # As soon as the first is sent somebody removes what the second is to stand beside.
        removes = "DELETE FROM site_section WHERE title = 'Legal'"
        first = "AFTER UPDATE OF position ON site_section WHEN NEW.title = 'Status'"
        world.write(lambda tx: tx.run(f"CREATE TRIGGER other {first} BEGIN {removes}; END"))
        await driver.press("ctrl+s", "y")
        await asked(driver, "pause, the rest stays staged")
        assert "Not done: someone deleted what this changes, or moved it away." in driver.screen
        assert (await published.order())[:2] == ["Guides", "Status"]
    async with drive(open_app(world, published.site, drafts=drafts, runs=runs)) as driver:
        await asked(driver, "Cut off: rearranging Acme docs")
        await driver.press("escape")
        await sheet_gone(driver)
        await driver.press("ctrl+s")
        await asked(driver, "Cut off: rearranging Acme docs")
        await driver.press("p")
        await asked(driver, "1 of 2 sent")
        assert await published.order() == ["Guides", "Status", "API reference", "Changelog"]
        await driver.press("X", "y")
    assert drafts.texts() == {}
    async with drive(open_app(world, published.site, drafts=drafts, runs=runs)) as driver:
        assert "Cut off" not in driver.screen


async def test_two_windows_that_stage_in_one_site_keep_both_and_say_so(
    world: World, tmp_path: Path
) -> None:
    published = publish(world)
    drafts, other = (DeskDrafts(State(tmp_path / "state.db"), "desk") for _ in "ab")
    key, ids = f"structure {published.site}", published.ids
    async with drive(open_app(world, published.site, drafts=drafts), size=(100, 40)) as driver:
        await select(driver, ids["Legal"])
        await driver.press("K")
        here(driver).draft.keep_due()
        await driver.idle()
        mine = drafts.texts()[key]
        assert other.load(key) == mine
        other.save(key, "- Status before Guides\n{}")
        await driver.press("K")
        here(driver).draft.keep_due()
        await driver.idle()
        assert f"{TWO_WINDOWS}." in driver.screen
        assert len(other.texts()) == 2
        assert other.texts()[key] == "- Status before Guides\n{}"
        await driver.press("q")
    async with drive(open_app(world, published.site, drafts=drafts), size=(100, 40)) as driver:
        assert f"{TWO_WINDOWS}." in driver.screen


async def test_what_is_staged_outlives_the_program(world: World, tmp_path: Path) -> None:
    published = publish(world)
    drafts, other = (DeskDrafts(State(tmp_path / "state.db"), "desk") for _ in "ab")
    ids = published.ids
    key = f"structure {published.site}"
    async with drive(open_app(world, published.site, drafts=drafts)) as driver:
        await select(driver, ids["Legal"])
        await driver.press("K", "e")
        await driver.type(" notes")
        await driver.press("escape", "g d")
        assert "1 change staged" in driver.line("staged for a site")
        assert "row of a site" in driver.screen
        await driver.press("q")
    async with drive(open_app(world, published.site, drafts=drafts), size=(100, 40)) as driver:
        assert "1 staged change of last time restored. X discards them." in driver.screen
        # Another program stages something too.
        await driver.press("X")
        assert "Another copydesk" not in driver.screen
        await driver.press("escape")
        kept = drafts.texts()[key]
        other.save(key, "- Status before Guides\n{}")
        for way in ("X", "ctrl+s"):
            await driver.press(way)
            assert "Another copydesk staged this meanwhile" in driver.screen
            assert "Status before Guides" in driver.screen
            await driver.press("escape")
        other.drop(key)
        other.discard(key)
        await driver.press("ctrl+s")
        assert "Another copydesk sent or discarded" in driver.screen
        await driver.press("escape")
        here(driver).draft.keep_due()
        await driver.idle()
        assert drafts.texts()[key] == kept
        await driver.press("u")
        assert "current order" in driver.screen
    assert key not in drafts.texts()
    # An order that an earlier version kept, and what is none.
    rows = [ids[title] for title in SECTIONS]
    old = {"base": {"": [*rows, "gone"]}, "now": {"": [*rows[:3], rows[4], "gone", rows[3]]}}
    drafts.save(key, f"- Status after Changelog\n\n{json.dumps(old)}")
    async with drive(open_app(world, published.site, drafts=drafts)) as driver:
        assert driver.line("Status  ")[5:14].split() == ["4", "5"]
        assert "1 staged" in driver.line("Structure")
    drafts.save(key, "- Something\n[]")
    async with drive(open_app(world, published.site, drafts=drafts)) as driver:
        assert "kept as text: g d shows it" in " ".join(driver.screen.split())
    assert [text for text in drafts.texts().values() if "Something" in text] == ["- Something\n[]"]


async def test_what_another_window_sent_of_the_same_draft_is_told_before_it_is_sent_again(
    world: World, tmp_path: Path
) -> None:
    published = publish(world)
    ids, key = published.ids, f"structure {published.site}"
    drafts, other = (DeskDrafts(State(tmp_path / "state.db"), "desk") for _ in "ab")
    async with drive(open_app(world, published.site, drafts=drafts)) as driver:
        await select(driver, ids["Legal"])
        await driver.press("K")
    async with drive(open_app(world, published.site, drafts=drafts), size=(100, 40)) as driver:
        assert "1 staged change of last time restored." in driver.screen
        # The other window sends it, and more.
        await move_before(published, "Status", "Guides")
        other.drop(key)
        other.discard(key)
        await driver.press("ctrl+s")
        assert "THEIRS, by now on the service" in driver.screen
        assert "Another copydesk sent or discarded what was saved" in driver.screen


async def test_leaving_says_what_is_kept_and_marks_the_site(world: World) -> None:
    class Full(DeskDrafts):
        full = False

        def save(self, key: str, text: str) -> None:
            if self.full:
                raise OSError(28, "No space left on device")
            super().save(key, text)

    published, drafts = publish(world), Full(State())
    world.write(lambda tx: seed.add_site(tx, world.home, "Draft\x1b[31m site"))
    async with drive(open_app(world, first="sites", drafts=drafts)) as driver:
        assert "not published" in driver.line("Draft site")
        await driver.press("]")
        assert "Draft" not in driver.screen
        await driver.press("[", "G")
        assert driver.line("Acme docs  ").startswith("┃>   Acme")
        await driver.press("enter")
        assert "Acme docs > Structure" in driver.screen
        await select(driver, published.ids["Legal"])
        await driver.press("K", "ctrl+s", "escape")
        assert "Kept" not in driver.screen, "a sheet is not a leaving"
        await driver.press("escape")
        assert "Kept, not sent: 1 change staged in Acme docs." in driver.screen
        assert driver.line("Acme docs  ").startswith("┃>*  Acme")
        assert driver.line("Draft site").startswith("┃    Draft")
        assert "1 change, nothing sent" in driver.line("staged  ")
        await driver.press("k", "j")
        assert "* changes staged, not sent" in driver.line("2 sites")
        # From there, and to a place that opens only now.
        await driver.press("enter", "g s")
        assert "Kept, not sent: 1 change staged in Acme docs" in driver.screen
        drafts.full = True
        await driver.press("-")
        await select(driver, published.ids["Legal"])
        await driver.press("K", "g s")
        driver.app.tick()  # what it means for everything typed is not said in its place
        assert "Not kept: 1 change staged in Acme docs: No space left" in driver.screen
        drafts.full = False
        await driver.press("-", "X", "y", "escape")
        assert "Kept" not in driver.screen
        assert driver.line("Acme docs  ").startswith("┃>   Acme")
        assert "staged" not in driver.screen
    assert list(SECTIONS) == await published.order()


async def test_a_long_structure_and_a_hostile_one(world: World) -> None:
    def write(tx: Tx) -> str:
        site = seed.add_site(tx, world.home, "S\x1b[2J[red]ite[/]")
        seed.add_section(
            tx, site, "\x1b]0;t\x07[b]A\u202e[/b]", condition="[link]\x1b[m", description="\x9b1m"
        )
        seed.add_section(tx, site, "[/nothing]", icon="\x1b[31mgear")
        for number in range(2, 40):
            seed.add_section(tx, site, f"Section {number}")
        return site

    assert world.home
    site = world.write(write)
    async with drive(open_app(world, site), "J") as driver:
        assert "S[red]ite[/]" in driver.screen
        assert "[b]A[/b]" in driver.screen
        for key in ("ctrl+s", "escape", "e", "escape", "D", "X", "escape", "=", "=", "=", "?"):
            await driver.press(key)
            assert "\x1b" not in driver.screen
        await driver.press("escape", "u")
        await driver.burst(*"J" * 20)
        assert driver.line("[b]A[/b]")[5:].startswith("22   1 ")
        await said(driver, "move 39")
        assert driver.line("[b]A[/b]").startswith("┃>")
        assert "1 call staged" in driver.screen
        await driver.press("/")
        await driver.type("section 7")
        await driver.press("enter", "J")
        assert "Clear the filter to move" in driver.screen
        await driver.press("escape", "G")
        await driver.resize(30, 10)
        await driver.resize(132, 43)
        assert "Section 38 │ [b]A[/b]" not in driver.screen.split("AFTER")[0]
        assert "if [link]" in driver.screen


async def test_what_cannot_be_done_says_why(world: World) -> None:
    async with drive(open_app(world, "nowhere")) as driver:
        assert "Not found: deleted or moved." in driver.screen
        await driver.press("J")
        assert "not been read yet" in driver.screen
    async with drive(open_app(world)) as driver:
        assert "Which site? :site chooses one." in driver.screen
        assert "There is no site in this organization." in driver.screen
        spaces = [world.space(title) for title in ("One", "Two", "Three")]
        site = world.write(lambda tx: seed.add_site(tx, world.home, "Plain"))
        await driver.press("R")
        assert "This site has no sections. ctrl+n adds one." in driver.screen
        await driver.press("J")
        assert "No row selected." in driver.screen

        world.write(lambda tx: seed.add_site_space(tx, site, spaces[0]))
        await driver.press("R", "J")
        assert "Nothing to order." in driver.screen

        def more(tx: Tx) -> None:
            for space in spaces[1:]:
                seed.add_site_space(tx, site, space)

        world.write(more)
        await driver.press("R", "J", "J", "ctrl+s", "y")
        await sheet_gone(driver)
        async with world.api() as api:
            found = await api.page(ops.list_site_spaces, world.home, site)
        assert [each.title for each in found.items] == ["Two", "Three", "One"]
        await driver.press("ctrl+n")
        told = " ".join(driver.screen.split())
        assert "no space left to add here. Groups and links go beside sections" in told
    async with drive(open_app(world, site, user=world.user("rita", "read"))) as driver:
        assert "read-only" in driver.line("Structure")
        for key in ("J", "e", "ctrl+n", "D", "enter"):
            await driver.press(key)
            assert key == "enter" or "needs the role create or admin" in driver.screen


async def test_hostile_ids_and_addresses(world: World) -> None:
    hostile: tuple[tuple[str, str, str | None], ...] = (
        ("..", "javascript:alert(1)", None),
        (
            "a/b?c#d\x1b[31m",
            "https://docs.test/~x y;'`id`",
            "https://docs.test/~x%20y;%27%60id%60",
        ),
        ("", "https://docs.acme.test@evil.test/", None),
    )

    def write(tx: Tx) -> list[str]:
        return [seed.add_site(tx, world.home, f"Site {n}", published=True) for n in range(3)]

    assert world.home
    wrong = dict(zip(world.write(write), hostile, strict=True))
    asked: list[str] = []

    class Hostile(httpx.ASGITransport):
        async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
            asked.append(request.url.raw_path.decode())
            answer = await super().handle_async_request(request)
            said = json.loads(await answer.aread())
            for item in said.get("items", ()):
                if item.get("id") in wrong:
                    site, address, _ = wrong[item["id"]]
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
        for site, _, opened in hostile:
            rows = driver.place.query_one(VirtualList)
            assert rows.select(site)
            assert rows.selected is not None
            assert (address_cell(rows.selected).plain == "-") == (opened is None)
            went.clear()
            app.copy_to_clipboard("")
            await driver.press("o", "y")
            assert went == ([opened] if opened else [])
            assert app.clipboard == (opened or "")
            assert opened or "none of the web" in driver.screen or "no address" in driver.screen
            await driver.press("enter")
            assert "Not found: deleted or moved." in driver.screen
            await driver.press("J", "escape", "R")
            assert "Site 1" in driver.screen
    assert all("a/b" not in path and "/.." not in path for path in asked)


def test_the_navigation_is_told_as_readers_see_it() -> None:
    def item(row: str, kind: Kind, **values: object) -> Item:
        return Item(row, kind, {"title": row.title(), **values})

    items = [
        item("guides", "section", default=True), item("group:1", "group"), item("pay", "section"),
        item("legal", "section", condition="visitor.claims.eu"), item("old", "section"),
        item("en", "site-space", default=True), item("fr", "site-space", hidden=True),
        item("bin", "site-space", trashed=True), item("hollow", "group"),
    ]  # fmt: skip
    levels = {
        "": ("guides", "group:1", "legal", "old"), "group:1": ("hollow", "pay"),
        "guides": ("en", "fr"), "hollow": (), "pay": (), "legal": (), "old": ("bin",),
    }  # fmt: skip
    base = Layout({each.id: each for each in items}, levels)
    now = base.ordered({"": ("guides", "legal", "group:1", "old")})
    assert heights(30, [(5, 9), (5, 20), (4, 4), (3, 9)]) == [9, 14, 4, 3]
    assert heights(9, [(5, 9), (5, 20), (4, 4)]) == [5, 0, 4]
    told = [str(fact.text) for fact in navigation_facts(base, now, changed={"legal"})]
    assert told == [
        "BEFORE", "Guides │ Group:1 ▾ │ Legal", "AFTER", "Guides │ Legal │ Group:1 ▾", "",
        "Readers land on Guides first.",
        "Guides keeps Fr out of its menu.",
        "Legal is shown only when its condition (visitor.claims.eu) is true.",
        "Group:1 ▾  Pay",
        "Old is not shown: what it holds is hidden.",
    ]  # fmt: skip
    hidden = [item(f"n{at}", "site-space", hidden=True) for at in range(9)]
    inside = {**levels, "guides": ("en", *(each.id for each in hidden))}
    many = Layout({each.id: each for each in [*items, *hidden]}, inside)
    said = [str(fact.text) for fact in navigation_facts(many, many, changed={"guides"})]
    assert "Guides keeps N0, N1, N2, N3, N4, N5, N6, N7 and 1 more out of its menu." in said
    # The order in a group is one that readers see too.
    levels |= {"": ("legal", "group:1"), "group:1": ("hollow", "pay", "guides", "old")}
    base = Layout(base.items, levels)
    now = base.ordered({"group:1": ("hollow", "guides", "pay", "old")})
    told = [str(fact.text) for fact in navigation_facts(base, now, changed={"guides"})]
    assert told[:3] == [
        "THE TOP IS AS BEFORE", "Legal │ Group:1 ▾", "Group:1 ▾  Pay, Guides → Guides, Pay",
    ]  # fmt: skip
    assert "Group:1 ▾  Guides, Pay" not in told


def test_names_that_are_typed() -> None:
    assert typable("支払い ガイド") == "支払い ガイド"
    assert typable("🏳") == ""
    assert typable("A name of more words than anybody wants to type").endswith(" anybody")
    assert len(typable("x" * 99)) < 50


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
        assert structure.sectioned


async def test_a_plan_that_was_sent_whole_runs_the_hooks_of_that(
    world: World, tmp_path: Path
) -> None:
    published = publish(world)
    file = tmp_path / "told"
    app = open_app(world, published.site)
    script = "import sys; open(sys.argv[1], 'w').write(sys.stdin.read())"
    app.session.hooks = (Hook("after_apply", (sys.executable, "-c", script, str(file))),)
    async with drive(app) as driver:
        await select(driver, published.ids["Status"])
        await driver.press("K", "ctrl+s")
        assert not file.exists()
        await driver.press("y")
        await sheet_gone(driver)
        await eventually(lambda: not app.session.hooked and file.exists(), driver.idle)
        told = json.loads(file.read_text())
        assert (told["event"], told["number"], told["id"]) == ("after_apply", "1", published.site)
