"""Teams and who is in them: made, renamed, filled, deleted and taken back on a real desk."""

from __future__ import annotations

from typing import Any

from copydesk.client.api import Api
from copydesk.contract import operations as ops
from copydesk.session.target import Target
from tests.drive import Driver, drive
from tests.tui.lossy import Lossy
from tests.tui.opening import open_world, typed
from tests.tui.steps import at_size, fill, on
from tests.world import BASE_URL, World

HOSTILE = "Bank\x1b[2J\u202e [bold]film\n🦊 and more of it"


def at(world: World, team: str | None = None) -> Target:
    return Target(organization=world.home, item=team)


def roles(world: World, team: str) -> dict[str, str]:
    """Return who is in a team, by id."""

    def read(tx: Any) -> dict[str, str]:
        found = tx.all("SELECT user_id, role FROM team_member WHERE team_id = ?", team)
        return {row["user_id"]: row["role"] for row in found}

    return world.store.read(read)


def titles(world: World) -> list[str]:
    return [str(row["title"]) for row in world.store.read(lambda tx: tx.all("SELECT * FROM team"))]


def own(world: World, team: str, person: str) -> None:
    """Make somebody an owner of a team."""
    world.write(
        lambda tx: tx.run(
            "UPDATE team_member SET role = 'owner' WHERE team_id = ? AND user_id = ?", team, person
        )
    )


async def send(driver: Driver, line: str) -> None:
    await driver.press(":")
    await driver.burst(*typed(line))
    await driver.press("enter")


async def test_teams_are_made_renamed_deleted_and_taken_back(
    world: World, update_golden: bool
) -> None:
    lee, sam = world.user("lee"), world.user("sam", display_name="Sam Ortiz")
    docs = world.team("Documentation", lee, sam)
    world.team(HOSTILE)
    own(world, docs, lee)
    world.grant(world.space("Fees"), docs, "edit")
    way = Lossy(world)
    api = Api(BASE_URL, world.token(world.ana), transport=way)
    app = open_world(world, "drafts", at(world), api=api)
    async with drive(app, "g T", size=(80, 24)) as driver:
        await driver.press("down")
        driver.golden("teams", update=update_golden)
        # What the service lists by.
        await driver.press("&", "down", "enter")
        await driver.burst(*"Lee")
        await driver.press("enter")
        assert driver.selected == docs
        await send(driver, "where title=ument owner=nobody")
        assert "None with owner=nobody title=ument." in driver.screen
        await send(driver, "where")
        await driver.press("g j")
        assert '"object": "team"' in driver.screen
        await driver.press("escape", "ctrl+n")
        driver.golden("team-new", update=update_golden)
        await driver.press("ctrl+s")
        assert "it has to be filled in" in driver.line("Name")
        await fill(driver, "x" * 65)
        assert "64 characters at most, this has 65" in driver.line("Name")
        await fill(driver, "Web")
        await driver.press("tab")
        await fill(driver, "nobody")
        await driver.press("ctrl+s")
        assert "the organization has no member 'nobody'" in driver.line("People")
        await fill(driver, "")
        await driver.press("ctrl+o")
        await driver.burst(*"Lee", "space", "ctrl+s")
        await driver.press("ctrl+s")
        made = driver.selected or ""
        assert roles(world, made) == {lee: "member"}
        assert driver.line("Web").split()[2:4] == ["1", "0"]
        await driver.press("u")
        assert "This deletes the team and all that it was given." in driver.screen
        await driver.press("y")
        assert "Web" not in titles(world)
        # No answer comes: it is looked for, and made once.
        way.losing = True
        await driver.press("ctrl+n")
        await fill(driver, "Web")
        await driver.press("ctrl+s")
        way.losing = False
        assert titles(world).count("Web") == 1
        await driver.press("e")
        driver.golden("team-rename", update=update_golden)
        await driver.press("ctrl+s")
        assert "Nothing is changed yet." in driver.screen
        await fill(driver, "Web site")
        await driver.press("ctrl+s")
        assert "Web site" in titles(world)
        await driver.press("u")
        assert "Web" in titles(world)
        await driver.press("ctrl+r")
        assert "Web site" in titles(world)
        await driver.resize(140, 40)
        driver.golden("teams", update=update_golden)
        await at_size(driver, {"ctrl+n": "team-new", "e": "team-rename"}, update=update_golden)
        await driver.press("g g", "D")
        assert "This cannot be undone" in driver.screen
        await driver.burst(*typed("Web sit"))
        await driver.press("ctrl+s")
        assert "That is not the name." in driver.screen
        await driver.burst("e")
        await driver.press("ctrl+s")
        assert "Web site" not in titles(world)
        await driver.press("u")
        assert "cannot be undone" in driver.screen


async def test_people_come_into_a_team_own_it_and_leave(world: World, update_golden: bool) -> None:
    lee, sam, kim = world.user("lee"), world.user("sam"), world.user("kim", display_name=HOSTILE)
    docs = world.team("Documentation", world.ana, lee)
    before = roles(world, docs)
    app = open_world(world, "teams", at(world))
    async with drive(app, "enter", size=(80, 24)) as driver:
        assert "Teams" in driver.screen
        await driver.press("ctrl+n")
        driver.golden("team-add", update=update_golden)
        await driver.press("ctrl+s")
        assert "no one is named yet" in driver.line("People")
        await fill(driver, "LEE@Example.org")
        await driver.press("ctrl+s")
        assert "Lee is in the team already" in driver.line("People")
        await fill(driver, "x@example.org")
        await driver.press("ctrl+s")
        assert "the organization has no member" in driver.line("People")
        # An address in other letters is the same person, whoever takes it back.
        await fill(driver, "SAM@example.ORG")
        await driver.press("ctrl+s")
        assert roles(world, docs) == {**before, sam: "member"}
        await driver.press("u")
        assert roles(world, docs) == before
        await driver.press("ctrl+n", "ctrl+o")
        assert "lee@example.org" not in driver.screen
        await driver.burst("space", "space", "ctrl+s")
        await driver.press("ctrl+s")
        assert roles(world, docs) == {**before, sam: "member", kim: "member"}
        await driver.press("u")
        assert roles(world, docs) == before
        await driver.press("ctrl+r")
        # One, then several.
        await on(driver, lee)
        await driver.press("e")
        driver.golden("team-role", update=update_golden)
        await driver.press("o")
        await driver.press("ctrl+s")
        assert roles(world, docs)[lee] == "owner"
        driver.golden("team-members", update=update_golden)
        await driver.press("u")
        assert roles(world, docs)[lee] == "member"
        await driver.press("ctrl+r")
        await on(driver, kim)
        await driver.burst("space", "space")
        await driver.press("e")
        await driver.burst("o", "escape", "ctrl+\\")
        await driver.press("g d", "enter")
        assert "what you typed before is back" in driver.screen
        await driver.press("ctrl+s")
        assert roles(world, docs) == {**before, lee: "owner", sam: "owner", kim: "owner"}
        await driver.press("u")
        whole = {**before, lee: "owner", sam: "member", kim: "member"}
        assert roles(world, docs) == whole
        await on(driver, kim)
        await driver.burst("space", "space")
        await driver.press("D")
        assert "Remove 2 people from Documentation" in driver.screen
        await driver.press("y")
        assert roles(world, docs) == {**before, lee: "owner"}
        await driver.press("u")
        assert roles(world, docs) == whole
        await on(driver, lee)
        await driver.press("D", "y")
        assert lee not in roles(world, docs)
        await driver.press("u")
        assert roles(world, docs) == whole
        await driver.resize(140, 40)
        driver.golden("team-members", update=update_golden)
        await at_size(driver, {"ctrl+n": "team-add", "e": "team-role"}, update=update_golden)
        await driver.press("enter")
        assert driver.place.PLACE == "member"


async def test_who_manages_no_team_reads_them_and_may_leave(world: World) -> None:
    rui, lee = world.user("rui", "create"), world.user("lee")
    docs = world.team("Documentation", rui, lee)
    app = open_world(world, "teams", at(world), user=rui)
    async with drive(app, "ctrl+n", size=(80, 24)) as driver:
        assert "That takes the permission ownTeam in Acme." in driver.screen
        await driver.press("e")
        assert "That takes the role admin in Acme." in driver.screen
        await driver.press("D")
        assert "cannot be undone" not in driver.screen
        await driver.press("enter", "ctrl+n")
        assert "That takes an owner of the team or an administrator" in driver.screen
        await on(driver, lee)
        await driver.press("D")
        assert "That takes an owner of the team or an administrator" in driver.screen
        await on(driver, rui)
        await driver.press("D")
        assert "an owner has to add you" in driver.screen
        await driver.press("y")
        assert roles(world, docs) == {lee: "member"}
        await driver.press("u")
        assert "cannot be undone" in driver.screen
    guest = world.user("eva", None)
    app = open_world(world, "team-members", at(world, docs), user=guest)
    async with drive(app, size=(80, 24)) as driver:
        assert "Not allowed: You need the permission 'listTeams'" in driver.screen
        assert "Documentation" not in driver.screen
    async with world.api() as api:
        assert (await api(ops.get_team, world.home, docs)).members == 1
