"""The tree of an organization: staged, compared with what others did, sent, taken back."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

import httpx
import pytest

from copydesk.client.api import Api
from copydesk.contract import operations as ops
from copydesk.contract.models.space import SpaceMove, SpaceUpdate
from copydesk.domain.space_tree import TRASH
from copydesk.local.drafts import DeskDrafts
from copydesk.local.state import State
from copydesk.server.site_writes import add_site, add_site_space
from copydesk.session.reads.tree import read_tree
from copydesk.session.session import Session
from copydesk.session.target import Target
from copydesk.tui.app import CopydeskApp
from copydesk.tui.spaces.tree import OrganizationStructurePlace
from tests.drive import Driver, drive
from tests.tui.opening import open_world
from tests.world import BASE_URL, World


@dataclass
class Tree:
    """An organization of a world, and the ids in it by title."""

    world: World
    ids: dict[str, str]

    async def told(self) -> dict[str, list[str]]:
        """Return what its lists say: titles by the title of what they are in, folders first."""
        async with self.world.api() as api:
            folders = await api.page(ops.list_organization_collections, self.world.home, limit=99)
            spaces = await api.page(ops.list_organization_spaces, self.world.home, limit=99)
        rows = [(each.id, each.title, each.parent) for each in folders.items]
        rows += [(each.id, each.title, each.parent) for each in spaces.items]
        name = {row: title for row, title, _ in rows}
        found: dict[str, list[str]] = {}
        for _, title, parent in rows:
            found.setdefault(name[parent] if parent else "", []).append(title)
        return found

    def app(self, *, user: str | None = None, drafts: DeskDrafts | None = None) -> CopydeskApp:
        client = self.world.api(user)

        async def connect() -> Api:
            return client

        session = Session(connect, draft_store=drafts or DeskDrafts(State()), host="desk.test")
        session.clock = lambda: self.world.clock.now
        target = Target(organization=self.world.home)
        return CopydeskApp(session, "organization-structure", target)


@pytest.fixture
def tree(world: World) -> Tree:
    """Product (SDKs (Web SDK), Guide, Reference), Support, and at the top Handbook, Legal."""
    ids: dict[str, str] = {}
    ids["Product"] = world.collection("Product")
    ids["Handbook"] = world.space("Handbook", emoji="📘")
    ids["Support"] = world.collection("Support")
    ids["SDKs"] = world.collection("SDKs", parent=ids["Product"])
    ids["Web SDK"] = world.space("Web SDK", parent=ids["SDKs"])
    ids["Guide"] = world.space("Guide", {"start": "# Start"}, parent=ids["Product"])
    ids["Reference"] = world.space("Reference", parent=ids["Product"], edit_mode="locked")
    ids["Legal"] = world.space("Legal", merge_rules={"type": "none"})
    site = world.write(lambda tx: add_site(tx, world.home, "Acme Docs", published=True))
    world.write(lambda tx: add_site_space(tx, site, ids["Guide"]))
    return Tree(world, ids)


START = {
    "": ["Product", "Support", "Handbook", "Legal"],
    "Product": ["SDKs", "Guide", "Reference"],
    "SDKs": ["Web SDK"],
}


def here(driver: Driver) -> OrganizationStructurePlace:
    assert isinstance(driver.place, OrganizationStructurePlace)
    return driver.place


def plan(driver: Driver) -> list[str]:
    return [call.line for call in here(driver).draft.calls]


def go(driver: Driver, tree: Tree, title: str) -> None:
    assert here(driver).rows.reveal(tree.ids[title])


async def transfer(driver: Driver, tree: Tree, title: str) -> None:
    go(driver, tree, title)
    await driver.press(":")
    await driver.type("transfer")
    await driver.press("enter", "enter")


async def test_a_tree_is_rearranged_sent_with_what_others_did_and_taken_back(
    tree: Tree, update_golden: bool
) -> None:
    drafts = DeskDrafts(State())
    async with drive(tree.app(drafts=drafts), size=(140, 40)) as driver:
        go(driver, tree, "Legal")
        await driver.press(">")  # into the collection above
        go(driver, tree, "Handbook")
        await driver.press("space")
        go(driver, tree, "Guide")
        await driver.press("enter", "x", "e")
        await driver.type(" two")
        await driver.press("tab", "ctrl+u")
        await driver.type(":rocket:")
        await driver.press("ctrl+s")
        assert plan(driver) == [
            "Handbook: title Handbook → Handbook two, emoji 📘 → 🚀, locked",
            "Handbook two into Product, after Guide",
            "Legal into Support",
        ]
        driver.golden("tree-staged", update=update_golden)
    # What is staged outlives the program; meanwhile somebody renames, moves and locks.
    async with tree.world.api() as api:
        await api(ops.update_space, tree.ids["Guide"], SpaceUpdate(title="Platform guide"))
        await api(ops.update_space, tree.ids["Handbook"], SpaceUpdate(title="Our handbook"))
        await api(ops.move_space, tree.ids["Web SDK"], SpaceMove(parent=None))
    theirs = await tree.told()
    async with drive(tree.app(drafts=drafts)) as driver:
        for said in ("BOTH CHANGED", "Our handbook", "Web SDK: after Legal", "OURS"):
            assert said in driver.screen
        await driver.press("escape")  # nothing is decided: it is asked again, as after a start
        assert "title Handbook → Handbook two" in plan(driver)[0]
        await driver.press("R")
        assert "BOTH CHANGED" in driver.screen
        await driver.press("t")  # theirs, where both changed the same
        assert plan(driver) == [
            "Our handbook: emoji 📘 → 🚀, locked",
            "Our handbook into Product, after Platform guide",
            "Legal into Support",
        ]
        driver.golden("tree-staged", update=update_golden)
        await driver.press("ctrl+s", "y")
        told = await tree.told()
        assert told[""] == ["Product", "Support", "Web SDK"]
        assert told["Product"] == ["SDKs", "Platform guide", "Our handbook", "Reference"]
        assert told["Support"] == ["Legal"]
        # Nothing is staged any more: what u would take back now was sent, so that it asks.
        await driver.press("u")
        assert "Undo 3 writes" in driver.screen
        assert "Undo Move Legal from the top into Support" in driver.screen
        await driver.press("escape")
        assert await tree.told() == told
        await driver.press("u", "y")
        assert await tree.told() == theirs
        await driver.press("ctrl+r")
        assert "Redo Move Legal from the top into Support" in driver.screen
        await driver.press("y")
        assert await tree.told() == told
        # What one of them stood beside is elsewhere by now: beside the next, or alone.
        async with tree.world.api() as api:
            await api(ops.move_space, tree.ids["Web SDK"], SpaceMove(parent=tree.ids["SDKs"]))
        await driver.press("u", "y")
        assert (await tree.told())[""] == [*START[""][:2], "Our handbook", "Legal"]
        # And where what it was in is gone, it says so and takes nothing for done.
        go(driver, tree, "Web SDK")
        await driver.press(":")
        await driver.type("into the top")
        await driver.press("enter")
        go(driver, tree, "Support")
        await driver.press("e")
        await driver.type(" desk")
        await driver.press("ctrl+s", "ctrl+s", "y")
        assert tree.world.row("collection", tree.ids["Support"])["title"] == "Support desk"
        async with tree.world.api() as api:
            await api(ops.delete_collection, tree.ids["SDKs"])
        await driver.press("u", "y")
        assert "What it was in is gone: it stays where it is." in driver.screen


async def test_what_takes_a_move_back_says_where_to(tree: Tree) -> None:
    async with drive(tree.app(), size=(140, 40)) as driver:
        go(driver, tree, "Reference")
        await driver.press("K")  # within its collection
        go(driver, tree, "Support")
        await driver.press("K", "ctrl+s", "y")
        assert (await tree.told())["Product"] == ["SDKs", "Reference", "Guide"]
        await driver.press("u")
        assert "Undo Move Reference: after Guide in Product" in driver.screen
        assert "in the order Product and Support" in driver.screen
        await driver.press("y")
        assert await tree.told() == START
        await driver.press("ctrl+r")
        assert "Redo Move Reference: into Product, before Guide" in driver.screen


async def test_what_is_made_nested_copied_and_put_in_order(tree: Tree) -> None:
    async with drive(tree.app()) as driver:
        go(driver, tree, "Support")
        await driver.press("K")
        # Nobody knows how collections stand among spaces: both are lined up before one.
        assert plan(driver) == ["Support first of the collections", "Product after Support"]
        await driver.press("ctrl+n", "enter")
        await driver.type("Archive")
        await driver.press("ctrl+s", "ctrl+n", "down", "enter")  # a space in it
        await driver.type("Old")
        await driver.press("tab", "tab")
        await driver.type("xx")
        await driver.press("ctrl+s")
        assert "Not a language code" in driver.screen
        await driver.press("ctrl+u")
        await driver.type("de")
        await driver.press("ctrl+s")
        go(driver, tree, "Guide")
        await driver.press(":")
        await driver.type("duplicate")
        await driver.press("enter", ":")
        await driver.type("into archive")
        await driver.press("enter", ":")
        await driver.type("rules")
        await driver.press("enter", "j", "j", "j", "j", "space", "ctrl+s")
        go(driver, tree, "SDKs")
        await driver.press("ctrl+n")
        for where in ("in SDKs", "in Product", "at the top"):
            assert f"a space {where}" in driver.screen
        await driver.press("escape")
        go(driver, tree, "Legal")
        await driver.press("e", "tab", "tab", "space", "ctrl+s")
        assert "Merge rules of Legal" in driver.screen
        await driver.press("ctrl+s")  # what is there says the same: no rules at all
        assert " none " in driver.line("Legal")
        await driver.press("e", "tab", "ctrl+u")
        await driver.type(":no such")
        await driver.press("tab", "space", "ctrl+s")
        assert "No emoji has the name :no such" in driver.screen
        await driver.press("escape")
        assert "Merge rules of Legal" not in driver.screen
        assert plan(driver)[:4] == [
            "New collection Archive in Support",
            "New space Old in Archive, language de",
            "A copy of Guide, with its pages and files",
            "Guide (copy): merge rules: at least one review",
        ]
        await driver.press("ctrl+s", "y")
        made = await tree.told()
        assert made[""] == ["Support", "Product", "Handbook", "Legal"]
        assert made["Support"] == ["Archive"]
        assert made["Archive"] == ["Old", "Guide (copy)"]
        await driver.press("u", "y")
        assert await tree.told() == START
        await driver.press("ctrl+r")  # what was made is gone: the rest was about that
        assert "and 2 more are gone since u. Stage it again." in driver.screen
        assert "Trash (2 known, kept 7 days)" in driver.screen


async def test_the_trash_keeps_what_is_deleted_and_others_may_be_given_the_rest(
    tree: Tree,
) -> None:
    world = tree.world
    other = world.organization("Other", admin=world.ana)
    elsewhere = world.space("Shown still")
    site = world.write(lambda tx: add_site(tx, world.home, "Portal", published=True))
    world.write(lambda tx: add_site_space(tx, site, elsewhere))
    async with world.api() as api:
        await api(ops.delete_space, elsewhere)
    world.clock.now += timedelta(days=3)
    async with drive(tree.app()) as driver:
        assert "4 days left" in driver.line("Shown still")
        go(driver, tree, "SDKs")
        await driver.press("D")
        assert "SDKs holds 1 space: move or delete what is in it first." in driver.screen
        go(driver, tree, "Guide")
        await driver.press("D")
        assert "Acme Docs stops showing Guide." in driver.screen
        go(driver, tree, "Web SDK")
        await driver.press("D", ">")
        assert "The row is going to be removed; u brings it back." in driver.screen
        go(driver, tree, "SDKs")
        await driver.press("D", "ctrl+s")
        assert "Acme Docs stops showing Guide." in driver.screen
        await driver.press("y")  # a collection that is deleted never comes back: the count
        await driver.type("1")
        await driver.press("ctrl+s")
        assert (await tree.told())["Product"] == ["Reference"]
        assert "Trash (3 known, kept 7 days)" in driver.screen
        go(driver, tree, "Reference")
        await driver.press("x")
        go(driver, tree, "Guide")
        assert "7 days left" in driver.line("  Guide")
        await driver.press("J")
        assert "D restores it" in driver.screen
        await driver.press("D")
        assert "Readers of Acme Docs get it again." in driver.screen
        await driver.press("y")
        assert (await tree.told())["Product"] == ["Guide", "Reference"]
        assert "Trash (2 known, kept 7 days)" in driver.screen
        # What came last: the restoring, not the step staged before it.
        await driver.press("u")
        assert "Undo Restore Guide: it goes" in driver.screen
        await driver.press("y")
        assert (await tree.told())["Product"] == ["Reference"]
        assert plan(driver) == ["Reference: unlocked"]
        await driver.press("u")
        assert plan(driver) == []
        go(driver, tree, "Guide")
        await driver.press(":")
        await driver.type("restore")
        await driver.press("enter", "y")
        assert (await tree.told())["Product"] == ["Guide", "Reference"]
        await transfer(driver, tree, "Product")
        assert "Guide: the site Acme Docs shows it; remove it there first." in driver.screen
        await driver.press("escape", "u", "y")
        assert (await tree.told())["Product"] == ["Reference"]
        await transfer(driver, tree, "Support")
        assert "cannot be undone" in driver.screen
        await driver.type("Support")
        await driver.press("ctrl+s")
        async with world.api() as api:
            found = await api.page(ops.list_organization_collections, other)
        assert [each.title for each in found.items] == ["Support"]
        await transfer(driver, tree, "Handbook")
        await driver.type("Handbook")
        await driver.press("ctrl+s")
        assert tree.world.row("space", tree.ids["Handbook"])["organization_id"] == other
        await driver.press("g s", "G")
        assert "Trash (3 known, kept 7 days)" in driver.screen
        await driver.press("enter")
        assert driver.selected == TRASH


async def test_the_list_of_spaces_leads_there_and_who_may_not_is_told(tree: Tree) -> None:
    world = tree.world
    async with drive(open_world(world), "G", "K") as driver:
        assert driver.place.PLACE == "organization-structure"
        assert plan(driver) == ["Legal before Handbook"]
        await driver.press("g s", "g a")
        assert plan(driver) == ["Legal before Handbook"]
        await driver.press("/")
        await driver.type("web")
        await driver.press("enter")
        assert driver.selected == tree.ids["Web SDK"]  # and not what it is in
    editor = world.user("editor", "edit")
    world.grant(tree.ids["Legal"], editor, "admin")
    async with drive(tree.app(user=editor)) as driver:
        go(driver, tree, "Handbook")
        await driver.press("e")
        assert "Changing Handbook takes the role admin in it." in driver.screen
        await driver.press("J")
        assert "Moving or changing Handbook takes the role admin in it." in driver.screen
    real = world.client()

    async def hosted(request: httpx.Request) -> httpx.Response:
        if (
            request.url.path.endswith(f"/orgs/{world.home}/spaces")
            or request.url.path == "/v1/user"
        ):
            return httpx.Response(405)
        answer = await real.request(request.method, str(request.url))
        return httpx.Response(answer.status_code, content=answer.content)

    async with Api(BASE_URL, "token", transport=httpx.MockTransport(hosted)) as api:
        lacking = await read_tree(api, world.home)
        assert not lacking.listed
        assert not any(item.title == "Legal" for item in lacking.layout.items.values())
    await real.aclose()
    async with world.api(world.user("reader", "read")) as api:
        assert "You may only look" in (await read_tree(api, world.home)).refused
