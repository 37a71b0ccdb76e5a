"""Who may do what in spaces, collections and sites: shown, explained, staged, sent, taken back."""

from __future__ import annotations

import httpx
import pytest

from copydesk.client.api import Api
from copydesk.contract import operations as ops
from copydesk.server import site_writes
from copydesk.server.rate_limit import RateLimit, limited
from copydesk.session.target import Target
from tests.drive import Driver, drive
from tests.tui.opening import open_world, typed
from tests.tui.steps import fill, on, words
from tests.world import BASE_URL, World

HOSTILE = "Gus\x1b[2J\u202e [bold]film\n🦊 and more of it"

KINDS = ("space", "collection", "site")


def granted(world: World, place: str) -> dict[str, str]:
    """Return what was given in a place, by the ids of people and teams."""
    rows = world.store.read(
        lambda tx: tx.all("SELECT * FROM access_grant WHERE container_id = ?", place)
    )
    return {row["subject_id"]: row["level"] for row in rows}


def a_place(world: World, kind: str) -> tuple[str, Target]:
    """Make a place of a kind; return its id, and the target that shows who may do what there."""
    home = world.home
    if kind == "site":
        made = world.write(lambda tx: site_writes.add_site(tx, home, "Manual"))
        return made, Target(home, site=made)
    if kind == "space":
        made = world.space("Manual")
        return made, Target(home, space=made)
    made = world.collection("Manual")
    return made, Target(home, item=made)


async def choose(driver: Driver, level: str) -> None:
    await driver.press("e")
    await driver.burst(*level)
    await driver.press("enter")


@pytest.mark.parametrize("kind", KINDS)
async def test_levels_are_staged_sent_as_a_plan_and_taken_back(
    world: World, kind: str, update_golden: bool
) -> None:
    bo, cy = world.user("bo", "comment"), world.user("cy", None, display_name=HOSTILE)
    dee = world.user("dee", "read")
    web, docs = world.team("Web", dee), world.team("Documentation", bo)
    place, target = a_place(world, kind)
    before = {bo: "edit", cy: "review", web: "edit", docs: "review"}
    for subject, level in before.items():
        world.grant(place, subject, level)
    app = open_world(world, "access", target)
    size = (140, 40) if kind == "space" else (80, 24)
    async with drive(app, size=size) as driver:
        assert "Acme > Manual > Access" in driver.line("Access")
        await on(driver, bo)
        await choose(driver, "admin")
        assert "1 change staged: ctrl+s shows the plan." in driver.screen
        await driver.press("]")
        await on(driver, cy)
        await driver.press("D", "]")
        await on(driver, web)
        await choose(driver, "create")
        await on(driver, docs)
        await driver.press("D")
        # What is staged and given its former level again is staged no more.
        await choose(driver, "review")
        assert "3 changes staged" in driver.screen
        await driver.press("D", "ctrl+n")
        assert "item at least" not in words(driver)
        if kind == "space":  # the other forms scroll
            assert "Role (read if left out)" in driver.screen
        await driver.burst(*typed("nobody"))
        await driver.press("ctrl+s")
        assert "nobody is not a member" in words(driver)
        # Who is named is found by name as well as by address, and is ticked in the list.
        await fill(driver, "dee, zoe@example.org")
        await driver.press("tab")
        await fill(driver, "web")
        await driver.press("ctrl+o")
        assert "* 1 Web" in words(driver)
        await driver.press("escape")
        await fill(driver, "")
        await driver.press("ctrl+s")
        assert "6 changes staged" in driver.screen
        assert granted(world, place) == before
        # Whom nothing was given yet is listed where it will be, and can be taken out there.
        await driver.press("[")
        assert "none → read" in driver.line("zoe@example.org")
        await on(driver, "zoe@example.org")
        await driver.press("enter")
        assert driver.place.PLACE == "access"
        await driver.press("D")
        assert "zoe" not in driver.screen
        assert "5 changes staged" in driver.screen
        await driver.press("ctrl+n")
        await fill(driver, "zoe@example.org")
        await driver.press("ctrl+s")
        assert "6 changes staged" in driver.screen
        assert "none → read" in driver.line("zoe@example.org")
        if kind != "site":
            driver.golden("access-given", update=update_golden)
        await driver.press("]")
        if kind == "space":
            driver.golden("access-staged", update=update_golden)
            await driver.press("[", "[")
            driver.golden("access", update=update_golden)
            await driver.resize(80, 24)
            driver.golden("access", update=update_golden)
        await driver.press("ctrl+s")
        driver.golden(f"access-plan-{kind}", update=update_golden)
        await driver.press("escape")
        assert granted(world, place) == before
        await driver.press("ctrl+s", "y")
        assert "Change access: 6 done." in driver.screen
        after = granted(world, place)
        newcomer = world.store.read(
            lambda tx: tx.value("SELECT id FROM user WHERE email = 'zoe@example.org'")
        )
        assert after == {bo: "admin", web: "create", dee: "read", newcomer: "read"}
        await driver.press("escape", "u", "y")
        assert granted(world, place) == before
        await driver.press("ctrl+s")
        assert "Nothing is staged yet." in driver.screen


async def test_where_a_level_comes_from_is_told_step_by_step(
    world: World, update_golden: bool
) -> None:
    bo, gus = world.user("bo", "comment"), world.user("gus", None)
    eve = world.user("eve", "admin")
    web = world.team("Web", bo, gus)
    shelf = world.collection("Shelf", default_level="review")
    inner = world.collection("Inner", parent=shelf)
    space = world.space("Manual", parent=inner)
    world.grant(shelf, web, "edit")
    world.grant(shelf, world.user("dee", "read"), "create")
    world.grant(space, bo, "read")
    site = world.write(lambda tx: site_writes.add_site(tx, world.home, "Docs"))
    app = open_world(world, "spaces")
    async with drive(app, size=(140, 40)) as driver:
        await on(driver, space)
        await driver.press("g P")
        await on(driver, bo)
        driver.golden("access-sources", update=update_golden)
        assert "admin organization ana@" in words(driver)
        assert "edit team Web bo@" in words(driver)
        assert "create collection Shelf dee@" in words(driver)
        await on(driver, gus)
        assert "team Web" in driver.screen
        # A guest gets nothing of what everyone gets.
        assert "everyone nothing Shelf" in words(driver)
        await driver.press("D")
        assert "Nothing was given to them here" in driver.screen
        await on(driver, eve)
        assert "their role admin Acme" in words(driver)
        await driver.press("enter")
        assert driver.place.PLACE == "member"
        await driver.press("escape", "g j")
        assert '"permission"' in driver.screen
        # Of the collection above it, and of the list of the spaces by its key.
        await driver.press("escape", "g s")
        await on(driver, shelf)
        await driver.press("g P")
        assert "Shelf > Access" in driver.screen
        await driver.press("&", "enter")
        await driver.burst(*"edit")
        await driver.press("enter")
        assert driver.selected == bo
        await driver.press("g t")
        await on(driver, site)
        await driver.press("g P")
        assert "Docs > Access" in driver.screen
        await on(driver, bo)
        assert "organization" in driver.line("bo@").split()
        world.grant(site, web, "create")
        await driver.press("R")
        assert "create team Web bo@" in words(driver)


async def test_who_is_in_teams_is_read_with_requests_to_spare_only(world: World) -> None:
    gus = world.user("gus", None)
    space = world.space("Manual")
    world.grant(space, world.team("Web", gus), "edit")
    service = limited(world.app, RateLimit(200, clock=lambda: 0.0))
    transport = httpx.ASGITransport(service)
    api = Api(BASE_URL, world.token(world.ana), transport=transport, clock=lambda: 0.0)
    read: list[str] = []
    api.recorder = lambda sent: read.append(sent.name)
    target = Target(world.home, space=space)
    for spare in (True, False):
        while not spare and api.budget.share > 0.45:
            await api(ops.get_space, space)
        read.clear()
        async with drive(open_world(world, "access", target, api=api), size=(140, 40)) as driver:
            await driver.press("j")
            assert ("list_team_members" in read) is spare
            await on(driver, gus)
            assert "team Web" in driver.screen, (
                "of the row under the cursor it is told all the same"
            )


async def test_what_is_staged_is_kept_dropped_and_brought_back(world: World) -> None:
    bo = world.user("bo", "comment")
    space = world.space("Manual")
    app = open_world(world, "access", Target(world.home, space=space))
    async with drive(app, size=(80, 24)) as driver:
        await driver.press("ctrl+n", "tab", "ctrl+o")
        assert "There is no team yet: g T makes one." in words(driver)
        assert "type it" not in words(driver)
        await driver.press("escape")
        await on(driver, bo)
        await choose(driver, "edit")
        await driver.press("g d")
        assert "Bo: edit, had nothing of their own here" in words(driver)
        await driver.press("enter")
        assert driver.place.PLACE == "access"
        await on(driver, bo)
        assert "edit" in driver.line("Bo")
        await driver.press("X", "y")
        assert "Discarded. u brings it back." in driver.screen
        await driver.press("u")
        assert "edit" in driver.line("Bo")
        # What others did meanwhile is told, and what is so by now is not sent.
        world.grant(space, bo, "review")
        await driver.press("ctrl+s")
        assert "Change access: 1 change" in driver.screen
        assert "Bo: edit, had review" in words(driver)
        assert "Others changed the role of Bo since." in words(driver)
        await driver.press("escape")
        world.grant(space, bo, "edit")
        await driver.press("ctrl+s")
        assert "Nothing is left to send: it is so already." in driver.screen
        # What they have from elsewhere stays; and what u took back cannot be lost any more.
        await driver.press("R", "D")
        assert "edit → comment" in driver.line("Bo ")
        await driver.press("ctrl+s")
        assert "Bo: loses edit, keeps comment" in words(driver)
        await driver.press("escape")
        world.write(lambda tx: tx.run("DELETE FROM access_grant WHERE subject_id = ?", bo))
        await driver.press("R")
        assert "staged" not in driver.screen
        await choose(driver, "admin")
        # A plan that fails leaves what did not arrive staged.
        world.write(lambda tx: tx.run("DELETE FROM member WHERE user_id = ?", bo))
        await driver.press("ctrl+s", "y")
        assert "1 failed" in driver.screen
        await driver.press("escape")
        assert "1 change staged" in driver.screen


async def test_who_does_not_administer_it_is_told_so(world: World) -> None:
    bo, gus = world.user("bo", "edit"), world.user("gus", None)
    space = world.space("Manual")
    world.grant(space, gus, "read")
    target = Target(world.home, space=space)
    async with drive(open_world(world, "access", target, user=bo), size=(80, 24)) as driver:
        for key in ("e", "D", "ctrl+n", "ctrl+s"):
            await driver.press(key)
            assert "That takes the role admin in Manual." in driver.screen, key
    site = world.write(lambda tx: site_writes.add_site(tx, world.home, "Docs"))
    of_site = Target(world.home, site=site)
    async with drive(open_world(world, "access", of_site, user=bo), size=(80, 24)) as driver:
        await driver.press("e")
        assert "That takes the role admin in Docs." in driver.screen
    async with drive(open_world(world, "access", target, user=gus), size=(80, 24)) as driver:
        assert "listMembers" in driver.screen
        await driver.press("g n", "g P")
        assert "Put the cursor on a space, a collection or a site" in driver.screen


async def test_who_was_given_a_role_on_a_site_may_change_it(world: World) -> None:
    bo = world.user("bo", "read")
    docs, portal = a_place(world, "site")[0], a_place(world, "site")[0]
    world.grant(docs, bo, "create")
    for site, may in ((docs, True), (portal, False)):
        target = Target(world.home, site=site)
        app = open_world(world, "site-settings", target, user=bo)
        async with drive(app, size=(80, 24)) as driver:
            await driver.press("e")
            assert ("Changing a site needs the role create" in driver.screen) != may


async def test_an_earlier_service_says_what_it_lacks() -> None:
    world = World(edition="earlier")
    space = world.space("Manual")
    app = open_world(world, "spaces", api=world.api(elsewhere=True))
    async with drive(app, size=(80, 24)) as driver:
        await on(driver, space)
        await driver.press("g P")
        assert "This service has no permissions." in driver.screen
        assert driver.place.PLACE == "spaces"
        await driver.press("g P")
        assert "This service has no permissions." in driver.screen
        await driver.press("g w", "[")
        assert "This service has no invitations." in driver.screen
    # Where it is the first screen, all that it would change is off.
    here = Target(world.home, space=space)
    async with drive(open_world(world, "access", here, api=world.api(elsewhere=True))) as driver:
        await driver.press("ctrl+n")
        assert "This service has no permissions." in driver.line("no permissions")
        assert driver.place is driver.app.screen
        await driver.press("g s")
        assert driver.place.PLACE == "spaces"
    world.close()
