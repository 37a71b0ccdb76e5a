"""The people of an organization: listed, given roles, taken in and removed on a real desk."""

from __future__ import annotations

from typing import Any

import pytest

from copydesk.client.api import Api
from copydesk.client.calls import SentRequest
from copydesk.session.target import Target
from copydesk.tui.organization.members import MembersPlace
from copydesk.tui.resource import place as resource_place
from copydesk.tui.resource.place import ResourcePlace
from tests.drive import Driver, drive, eventually
from tests.tui.lossy import Lossy
from tests.tui.opening import open_world, typed
from tests.world import BASE_URL, World

HOSTILE = "Gus\x1b[2J\u202e [bold]ﬁlm\n🦊" + "o" * 300


def people(world: World) -> dict[str, str]:
    """Make a desk with a member of each kind."""
    names = {"lee": "Lee Park", "rui": "Rui Costa", "gus": HOSTILE}
    roles = {"lee": "edit", "rui": "read", "gus": None}
    made = {
        name: world.user(name, roles[name], display_name=display) for name, display in names.items()
    }
    world.team("Writers", made["lee"])
    world.space("Handbook", {"index": "Welcome."})
    return made


def membership(world: World, user: str) -> dict[str, Any] | None:
    """Return the membership of a person in ``home`` as the desk keeps it."""
    found = world.store.read(
        lambda tx: tx.one(
            "SELECT * FROM member WHERE organization_id = ? AND user_id = ?", world.home, user
        )
    )
    return None if found is None else dict(found)


def members(driver: Driver) -> MembersPlace:
    """Return the place in front."""
    place = driver.place
    assert isinstance(place, MembersPlace)
    return place


def names(driver: Driver) -> list[str]:
    """Return what those are called who are listed."""
    return [each.user.display_name for each in members(driver).rows.source.base.shown()]


def role_of(world: World, user: str) -> str | None:
    """Return the role of a member; fails for who is none."""
    found = membership(world, user)
    assert found is not None
    role: str | None = found["role"]
    return role


async def test_members_are_listed_described_and_given_roles(
    world: World, update_golden: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = people(world)
    api, asked = world.api(), list[SentRequest]()
    api.recorder = asked.append
    app = open_world(world, "organizations", api=api)
    async with drive(app, "escape", "g w", "j", size=(140, 40)) as driver:
        driver.golden("members", update=update_golden)
        assert driver.selected == made["rui"]
        await driver.press("e")
        driver.golden("member-role", update=update_golden)
        await driver.press("escape")
        await driver.resize(80, 24)
        driver.golden("members", update=update_golden)
        # What the service lists by: a role, words, an order.
        await driver.press("8")
        assert driver.selected == made["gus"]
        assert "\x1b" not in driver.screen
        assert "Rui" not in driver.screen
        await driver.press("2", "]")
        assert "There is nothing in “Create”." in driver.screen
        await driver.press("1", ":")
        await driver.burst(*typed("where search=LEE@"), "enter")
        assert driver.selected == made["lee"]
        assert "search=LEE@" in driver.screen
        await driver.press(":")
        await driver.burst(*typed("where"), "enter")
        await driver.press("S")
        assert driver.selected == world.ana
        # An order that is made here holds for what else is asked for, too.
        await driver.press("s")
        await driver.burst(*"name", "enter")
        await driver.press(":")
        await driver.burst(*typed("where search=example"), "enter")
        assert "search=example   sort: name" in driver.screen
        assert names(driver) == sorted(names(driver))
        # A list of more than a page that is sorted here is read again by hand only.
        now = f"as of {world.clock.now.astimezone():%H:%M}"
        for whole, by_itself, note in ((1_000, 1, "sort: name"), (2, 0, f"sort: name   {now}")):
            monkeypatch.setattr(resource_place, "WHOLE", whole)
            await driver.press("R")
            assert members(driver).rows.note.endswith(note)
            asked.clear()
            driver.place.read_again(by_hand=False)
            await driver.idle()
            assert len(asked) == by_itself
        await driver.press(":")
        await driver.burst(*typed("where"), "enter")
        await driver.press("s")
        await driver.burst(*"joined", "enter")
        await driver.press("s")
        await driver.burst("down", "enter")
        assert "“last seen” lists only those" in driver.screen
        await driver.press("s")
        await driver.burst("up", "enter")
        await driver.burst("/", *typed("role:read"), "enter")
        assert driver.selected == made["rui"]
        await driver.press("g j")
        assert '"object": "member"' in driver.screen
        await driver.press("escape", "Y")
        await driver.burst(*"e-mail", "enter")
        assert driver.app.clipboard == "rui@example.org"
        # A role, and none.
        await driver.press("e")
        driver.golden("member-role", update=update_golden)
        await driver.press("ctrl+s")
        assert "Nothing is changed yet." in driver.screen
        await driver.press("right")
        assert "was read" in driver.screen
        await driver.press("escape", "e")
        assert "what you typed before is back" in driver.screen
        await driver.press("ctrl+s")
        assert role_of(world, made["rui"]) is None
        await driver.press("u")
        assert role_of(world, made["rui"]) == "read"
        await driver.press("ctrl+r")
        assert role_of(world, made["rui"]) is None
        # The last administrator stays one: the service says so in the form.
        await driver.press("escape", "G")
        assert driver.selected == world.ana
        await driver.press("e")
        assert "That is you" in driver.screen
        await driver.press("left", "ctrl+s")
        assert "only administrator" in driver.screen
        assert role_of(world, world.ana) == "admin"
        await driver.press("escape", ":")
        await driver.burst(*typed("drafts"), "enter")
        await driver.press("enter")
        assert "Role of Ana Silva" in driver.screen


async def test_what_a_member_reaches_and_who_may_not_look(
    world: World, update_golden: bool
) -> None:
    made = people(world)
    app = open_world(world, "members")
    async with drive(app, "j", "j", "enter", size=(140, 40)) as driver:
        assert driver.place.target == Target(organization=world.home, item=made["lee"])
        driver.golden("member-spaces", update=update_golden)
        await driver.press("g j")
        assert '"object": "space"' in driver.screen
        await driver.press("escape", "]")
        await driver.resize(80, 24)
        driver.golden("member-teams", update=update_golden)
        await driver.press("g j")
        assert '"object": "team"' in driver.screen
        await driver.press("escape", "[", "enter")
        assert driver.place.PLACE == "pages"
        await driver.press("escape", "escape", "k", "k", "enter")
        assert "There is no space that both of you reach." in driver.screen
        await driver.press("]")
        assert "In no team." in driver.screen
    reader = made["rui"]
    async with drive(open_world(world, "members", user=reader), "e", size=(80, 24)) as driver:
        assert "That takes the role admin in Acme." in driver.screen
        await driver.press("ctrl+n")
        assert "That takes the role admin in Acme." in driver.screen
        await driver.press("G", "D", "k", "D")
        assert "That takes the role admin in Acme." in driver.screen
        await driver.press("k")
        assert driver.selected == reader
        await driver.press("D")
        assert "Leave Acme" in driver.screen
        await driver.burst(*typed("Rui Costa"), "ctrl+s")
        assert driver.place.PLACE == "organizations"
        assert "You are in no organization yet." in driver.screen
        assert membership(world, reader) is None
    async with drive(open_world(world, "members", user=made["gus"]), size=(80, 24)) as driver:
        assert "Not allowed" in driver.screen


async def test_a_very_wide_screen_shows_what_members_reach_and_who_is_in_teams(
    world: World,
) -> None:
    people(world)

    async def held(*lines: str) -> None:
        place = driver.place
        assert isinstance(place, ResourcePlace)
        await eventually(lambda: place.contents.plain.splitlines() == [*lines], driver.idle)

    async with drive(open_world(world), "g w", size=(200, 60)) as driver:
        await held("Teams", "none", "", "Spaces", "none")
        await driver.press("j", "j")
        await held("Teams", "member Writers", "", "Spaces", "edit Handbook")
        await driver.resize(140, 40)
        assert "Teams and spaces" not in driver.screen
        await driver.resize(200, 60)
        await driver.press("g T")
        await held("member Lee Park")
        await driver.press("enter")
        await held("Teams", "member Writers", "", "Spaces", "edit Handbook")


async def test_people_are_taken_in_and_removed(world: World, update_golden: bool) -> None:
    made = people(world)
    beta = world.organization("Beta", admin=world.ana)
    zoe = world.user("zoe", member=False, display_name="Zoë Hill")
    world.member(beta, zoe)
    way = Lossy(world)
    api = Api(BASE_URL, world.token(world.ana), transport=way)
    async with drive(open_world(world, "members", api=api), "ctrl+n", size=(80, 24)) as driver:
        driver.golden("member-new", update=update_golden)
        await driver.press("escape")
        await driver.resize(140, 40)
        await driver.press("ctrl+n")
        driver.golden("member-new", update=update_golden)
        await driver.press("ctrl+s")
        assert "it has to be filled in" in driver.screen
        await driver.burst(*"zoe@example.org")
        assert "not an id: ctrl+o offers people" in driver.screen
        await driver.press("ctrl+o")
        assert "of Beta" in driver.line("Zoë Hill")
        await driver.burst(*"Zo")
        await driver.press("enter", "ctrl+s")
        assert "There is no user" in driver.screen
        assert "Not found." not in driver.screen
        admits(world, "example.org")
        await driver.press("ctrl+s")
        assert driver.selected == zoe
        assert (membership(world, zoe) or {})["sso"]
        await driver.press("u")
        assert "They also lose the teams and spaces" in driver.screen
        await driver.press("y")
        assert membership(world, zoe) is None
        await driver.press("ctrl+r")
        assert membership(world, zoe) is not None
        # A member signs in that way from now on; the answer is lost, and it is read again.
        way.losing = True
        await driver.press("ctrl+n", "ctrl+o")
        await driver.burst(*"Rui")
        await driver.press("enter", "ctrl+s")
        way.losing = False
        assert driver.selected == made["rui"]
        assert (membership(world, made["rui"]) or {})["sso"]
        assert driver.app.session.drafts.texts() == {}
        await driver.press("/")
        await driver.burst(*"Lee", "enter")
        await driver.press("D")
        assert "Lee Park loses 1 space, 1 team" in driver.screen
        await remove(driver, "Lee", "That is not the name.")
        assert membership(world, made["lee"]) is not None
        await driver.burst(*typed(" Park"), "ctrl+s")
        assert membership(world, made["lee"]) is None
        await driver.press("u")
        assert "cannot be undone" in driver.screen


async def remove(driver: Driver, name: str, said: str) -> None:
    """Type a name to confirm, and expect what is said."""
    await driver.burst(*name, "ctrl+s")
    assert said in driver.screen


def admits(world: World, *domains: str) -> None:
    """Let an organization admit e-mail addresses of some domains."""
    from copydesk.server.store import to_json

    world.write(lambda tx: tx.update("organization", world.home, email_domains=to_json(domains)))
