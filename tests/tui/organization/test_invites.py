"""Invitations: links that are listed, made, changed and deleted, and people invited by e-mail."""

from __future__ import annotations

from typing import Any

from copydesk.session.target import Target
from tests.drive import Driver, drive
from tests.tui.opening import open_world, typed
from tests.tui.steps import fill, on, words
from tests.world import World


def links(world: World) -> dict[str, tuple[str | None, str | None]]:
    """Return what each link gives, and to which space or collection, by its id."""

    def read(tx: Any) -> dict[str, tuple[str | None, str | None]]:
        rows = tx.all("SELECT * FROM invite_link ORDER BY created_at, id")
        return {row["id"]: (row["role"], row["space_id"] or row["collection_id"]) for row in rows}

    return world.store.read(read)


def members(world: World) -> dict[str, str | None]:
    """Return the roles of members by their e-mail addresses."""
    rows = world.store.read(
        lambda tx: tx.all("SELECT email, role FROM member JOIN user ON user.id = user_id")
    )
    return {row["email"]: row["role"] for row in rows}


async def make(driver: Driver, kind: str, *more: str) -> None:
    """Make an invitation: of a kind, and what is chosen then."""
    await driver.press("ctrl+n", *["down"] * ("people", "role", "level").index(kind), "enter")
    for each in more:
        await driver.burst(*typed(each))
        await driver.press("enter")


async def test_links_are_made_changed_and_deleted(world: World, update_golden: bool) -> None:
    space, shelf = world.space("Handbook"), world.collection("Shelf")
    app = open_world(world, "members", Target(world.home))
    async with drive(app, "[", size=(80, 24)) as driver:
        assert driver.place.PLACE == "invites"
        assert "There are no invite links." in driver.screen
        await make(driver, "role", "edit")
        await make(driver, "role", "read")
        await make(driver, "level", "Handbook", "guest")
        await make(driver, "level", "Shelf", "review")
        made = links(world)
        assert list(made.values()) == [
            ("edit", None), ("read", None), (None, space), ("review", shelf),
        ]  # fmt: skip
        driver.golden("invites", update=update_golden)
        await driver.resize(140, 40)
        driver.golden("invites", update=update_golden)
        ids = list(made)
        await on(driver, ids[2])
        await driver.press("g j")
        assert "invite link guest in Handbook > JSON" in driver.screen
        await driver.press("escape", "e")
        await driver.burst(*"admin")
        await driver.press("enter")
        assert links(world)[ids[2]] == ("admin", space)
        await driver.press("u")
        assert links(world) == made
        await on(driver, ids[1])
        await driver.press("e")
        await driver.burst(*"comment")
        await driver.press("enter")
        assert links(world)[ids[1]] == ("comment", None)
        await driver.press("D")
        assert "This cannot be undone" in driver.screen
        await driver.press("y")
        assert ids[1] not in links(world)
        await make(driver, "role", "create")
        await driver.press("u")
        assert "People who have the link can no longer join with it." in words(driver)
        await driver.press("y")
        assert len(links(world)) == 3
        # Back to the members by the tab, and from their roles as well.
        await driver.press("[")
        assert driver.place.PLACE == "members"


async def test_people_are_invited_by_e_mail(world: World, update_golden: bool) -> None:
    world.user("bo", "edit")
    app = open_world(world, "invites", Target(world.home))
    async with drive(app, size=(80, 24)) as driver:
        await make(driver, "people")
        driver.golden("invite-people", update=update_golden)
        await fill(driver, "no address")
        await driver.press("ctrl+s")
        assert "no is not an e-mail address" in words(driver)
        assert "no" not in members(world)
        await fill(driver, "zoe@example.org\nbo@example.org")
        await driver.press("ctrl+s")
        assert "1 person invited; the others are members already." in driver.screen
        assert members(world)["zoe@example.org"] == "read"
        await driver.press("u", "y")
        assert set(members(world)) == {"ana@example.org", "bo@example.org"}


async def test_the_form_is_as_before_after_a_smaller_screen(world: World) -> None:
    async with drive(open_world(world, "invites"), "ctrl+n", size=(80, 24)) as driver:
        await driver.press("enter")
        before = driver.screen
        assert "Invite people" in before
        await driver.resize(30, 6)
        assert driver.screen != before
        await driver.resize(80, 24)
        assert driver.screen == before


async def test_only_administrators_see_and_make_links(world: World) -> None:
    bo = world.user("bo", "edit")
    app = open_world(world, "invites", Target(world.home), user=bo)
    async with drive(app, size=(80, 24)) as driver:
        assert "admin" in driver.screen
        await driver.press("ctrl+n")
        assert "That takes the role admin in Acme." in driver.screen
