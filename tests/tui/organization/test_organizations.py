"""An organization: its settings, joining it, greeting it, and ending an invite link of it."""

from __future__ import annotations

from pathlib import Path

import httpx

from copydesk.client.api import Api
from copydesk.local.drafts import DeskDrafts
from copydesk.local.state import State
from copydesk.server import desk_writes, site_writes
from copydesk.session.drafts import TWO_WINDOWS, CountedDrafts
from copydesk.tui.organization.organizations import OrganizationsPlace
from tests.drive import drive
from tests.tui.lossy import Lossy
from tests.tui.opening import open_world, typed
from tests.tui.steps import words
from tests.world import BASE_URL, World

TOKEN = "eyJhbGciOi.secret-claims"


class Greeting(Lossy):
    """A way to the desk on which an organization answers a ping with a token."""

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        if request.url.path.endswith("/ping"):
            return httpx.Response(200, json={"gitbookVisitorClaims": TOKEN})
        return await super().handle_async_request(request)


async def test_settings_are_changed_one_by_one_and_together(
    world: World, update_golden: bool
) -> None:
    home = world.home
    world.user("lee", display_name="Lee Park")
    site = world.write(lambda tx: site_writes.add_site(tx, home, "Partner portal"))
    app = open_world(world, "organizations")
    async with drive(app, "escape", "g O", size=(140, 40)) as driver:
        driver.golden("organization", update=update_golden)
        await driver.press("g j")
        assert '"object": "organization"' in driver.screen
        # One: its limits while it is typed, and the way back.
        await driver.press("escape", "e", "backspace", "backspace", "backspace")
        assert "2 characters at least, this has 1" in words(driver)
        await driver.press("escape", "enter")
        assert "what you typed before is back" in driver.screen
        await driver.burst(*typed("me & Co"), "ctrl+s")
        assert world.row("organization", home)["title"] == "Ame & Co"
        assert "Ame & Co > Settings" in driver.screen
        await driver.press("u")
        assert world.row("organization", home)["title"] == "Acme"
        await driver.press("x")
        assert "Title is not on or off: Enter changes it." in driver.screen
        # Several: what the service refuses is said at its field.
        await driver.press("ctrl+e", "tab")
        await driver.burst(*"nonsense", "tab", "tab", "right", "ctrl+s")
        driver.golden("organization-all", update=update_golden)
        assert "'nonsense' is not a domain such as example.org" in words(driver)
        await driver.press("end")
        await driver.burst(*".org", "tab", "tab", "tab")
        await driver.press("ctrl+o", "enter", "ctrl+s")
        row = world.row("organization", home)
        assert (row["email_domains"], row["default_role"]) == ('["nonsense.org"]', "admin")
        assert site in row["default_content"]
        assert "the site Partner portal" in driver.line("Default content")
        await driver.press("u")
        row = world.row("organization", home)
        assert (row["email_domains"], row["default_role"]) == ("[]", None)
        assert row["default_content"] is None
        await driver.press("ctrl+r")
        # Null: the content goes, and comes back.
        await driver.press("j", "j", "j", "j", "x")
        assert world.row("organization", home)["default_content"] is None
        await driver.press("u")
        assert site in world.row("organization", home)["default_content"]
        await driver.resize(80, 24)
        driver.golden("organization", update=update_golden)
        await driver.press("ctrl+e")
        driver.golden("organization-all", update=update_golden)
        await driver.press("escape", "e", "ctrl+o")
        await driver.burst("escape")
        await driver.press("escape")
        # What the service does not tell cannot be taken back, and is said before.
        await driver.press("j", "x")
        assert "a change cannot be undone" in words(driver)
        await driver.press("escape", "e")
        await driver.burst(*typed("/logo"), "ctrl+s")
        assert "may look like" in words(driver) or "such as https" in words(driver)
        await driver.press("escape", "e", "ctrl+u")
        await driver.burst(*"https://acme.test/logo.png", "ctrl+s")
        assert world.row("organization", home)["logo"] == "https://acme.test/logo.png"
        await driver.press("u")
        assert "cannot be undone." in driver.screen
        await driver.press("escape", "x")
        assert world.row("organization", home)["logo"] is None
        await driver.press("u")
        assert world.row("organization", home)["logo"] == "https://acme.test/logo.png"
        # A switch, and the rules with the people whom they name.
        await driver.press("j", "x")
        assert world.row("organization", home)["sso"]
        await driver.press("u", "G", "e", "j", "enter")
        await driver.burst(*"Lee")
        await driver.press("space", "ctrl+s", "ctrl+s")
        assert "approval by Lee Park" in driver.screen
        await driver.press("u")
        assert "approval by Lee Park" not in driver.screen
    reader = world.user("rui", "read")
    app = open_world(world, "organizations", user=reader)
    async with drive(app, "escape", "g O", "e", size=(80, 24)) as driver:
        assert "the site Partner portal" in driver.line("Default content")
        assert "read-only" in driver.screen
        assert "That takes the role admin in Acme." in driver.screen


async def test_an_organization_is_joined_and_left(world: World, update_golden: bool) -> None:
    home = world.home
    beta = world.organization("Beta", email_domains=["example.org"])
    shut = world.organization("Shut")
    way = Lossy(world)
    api = Api(BASE_URL, world.token(world.ana), transport=way)
    app = open_world(world, "organizations", api=api)
    async with drive(app, "escape", "ctrl+n", size=(80, 24)) as driver:
        driver.golden("organization-join", update=update_golden)
        await driver.press("escape")
        await driver.resize(140, 40)
        await driver.press("ctrl+n")
        driver.golden("organization-join", update=update_golden)
        await driver.burst(*"https://app.test/", "ctrl+s")
        assert "this is neither an id nor an address of an organization" in words(driver)
        await driver.burst(*f"o/{shut}/home", "ctrl+s")
        assert "does not admit the domain of your e-mail address" in words(driver)
        # No answer makes nobody join who is in it: taking that back would take them out of it.
        way.swallowing = True
        await driver.press("ctrl+u")
        await driver.burst(*home, "ctrl+s")
        way.swallowing = False
        assert "You are a member of this organization already" in words(driver)
        assert "Someone changed it first" not in words(driver)
        await driver.press("ctrl+u")
        await driver.burst(*f"o/{shut}/home")
        await driver.press("escape", ":")
        await driver.burst(*typed("drafts"), "enter")
        await driver.press("enter")
        assert "what you typed before is back" in driver.screen
        # The answer is lost: it is read whether it happened.
        way.losing = True
        await driver.press("ctrl+u")
        await driver.burst(*beta, "ctrl+s")
        way.losing = False
        assert driver.selected == beta
        assert "guest" in driver.line("●  Beta")
        await driver.press("u")
        assert "You leave it" in words(driver)
        await driver.press("y", ".")
        assert "Beta" not in driver.screen.partition("Undone")[0]
        await driver.press(":")
        await driver.burst(*typed(f"join {beta}"), "enter")
        await driver.press("ctrl+s", "g j")
        assert f'"id": "{beta}"' in driver.screen
        await driver.press("escape", ":")
        await driver.burst(*typed("end-invite"), "enter")
        assert "That takes the role admin in Beta." in driver.screen


async def test_the_token_of_a_ping_is_shown_and_copied_when_asked_for_and_kept_nowhere(
    world: World, update_golden: bool
) -> None:
    world.organization("Beta", world.ana)
    api = Api(BASE_URL, world.token(world.ana), transport=Greeting(world))
    app = open_world(world, "organizations", api=api)
    async with drive(app, "escape", size=(140, 40)) as driver:
        await driver.press(":")
        await driver.type("ping")
        await driver.press("enter")
        driver.golden("claims", update=update_golden)
        assert TOKEN not in driver.screen
        await driver.press("V")
        assert TOKEN in driver.screen
        await driver.press("V", "Y")
        assert TOKEN not in driver.screen
        assert app.clipboard == TOKEN
        await driver.press("escape", "@")
        assert TOKEN not in driver.screen
        session = app.session
        assert TOKEN not in repr([(n.what, n.target, n.message, n.entry) for n in session.log])


async def test_a_ping_that_gives_no_token_says_so(world: World) -> None:
    async with drive(open_world(world, "members"), ":", size=(80, 24)) as driver:
        await driver.burst(*"ping", "enter")
        assert "No token came back" in driver.screen


async def test_an_invite_link_is_ended_by_itself_or_its_id(
    world: World, update_golden: bool
) -> None:
    home = world.home
    invites = [world.write(lambda tx: desk_writes.add_invite_link(tx, home)) for _ in range(2)]
    app = open_world(world, "organizations")
    async with drive(app, "escape", size=(80, 24)) as driver:
        await driver.press(":")
        await driver.burst(*typed("end-invite"), "enter")
        driver.golden("end-invite", update=update_golden)
        await driver.burst(*"https://app.test", "ctrl+s")
        assert "this is neither a link nor the id of one" in words(driver)
        await driver.burst(*f"/invite/{home}/{invites[0]}/?by=mail", "ctrl+s")
        assert left(world) == [invites[1]]
        await driver.press(":")
        await driver.burst(*typed(f"end-invite {invites[0]}"), "enter")
        await driver.press("ctrl+s")
        assert "There was no such invite link: nothing changed." in driver.screen
        assert left(world) == [invites[1]]


async def test_a_list_and_a_draft_stay_those_of_their_organization(world: World) -> None:
    home = world.home
    beta = world.organization("Beta", world.ana)
    async with drive(open_world(world, "members"), size=(80, 24)) as driver:
        await driver.press("g o")
        assert isinstance(driver.place, OrganizationsPlace)
        driver.place.rows.select(beta)
        await driver.press("enter", "escape", "escape", "e")
        assert "Acme > Members" in driver.screen
        assert driver.place.session.organization == beta
        await driver.press("right", "escape", "g T", "g d", "enter")
        assert "Acme > Members" in driver.screen
        assert driver.place.target.organization == home
        assert "what you typed before is back" in driver.screen


def left(world: World) -> list[str]:
    """Return the ids of the invite links that there are."""
    rows = world.store.read(lambda tx: tx.all("SELECT id FROM invite_link ORDER BY id"))
    return [row["id"] for row in rows]


async def test_two_windows_that_type_in_one_form_keep_both_and_say_so(
    world: World, tmp_path: Path
) -> None:
    drafts, other = (DeskDrafts(State(tmp_path / "state.db"), "desk") for _ in "ab")
    app = open_world(world, "organizations")
    app.session.drafts = CountedDrafts(drafts, app.session.touched)
    async with drive(app, "escape", "g O", "e", size=(140, 40)) as driver:
        await driver.type(" & Co")
        await driver.press("escape")
        (key,) = other.texts()
        await driver.press("enter")
        assert other.load(key)
        other.save(key, "{}")
        await driver.type(", too")
        app.sudden_end.keep_typed()
        await driver.idle()
        assert f"{TWO_WINDOWS}." in driver.screen
        assert len(other.texts()) == 2
        await driver.press("escape", "enter")
        assert f"{TWO_WINDOWS}." in driver.screen
        await driver.press("ctrl+s")
        assert str(world.row("organization", world.home)["title"]).endswith(" & Co, too")
        assert other.texts() == {key: "{}"}
