"""What is installed: listed, changed, taken out and taken back, on desks that have that or not."""

from __future__ import annotations

import json
from typing import Any

import pytest

from copydesk.client.api import Api
from copydesk.contract.models.integration import Installation, Integration
from copydesk.server import site_writes
from copydesk.session.target import Target
from copydesk.tui.automation.installation_settings import InstallationForm, update_of
from copydesk.tui.automation.installations import InstalledPlace
from tests.drive import drive
from tests.tui.automation.test_integrations import HOSTILE, SECRET, at, seed, send, told
from tests.tui.opening import open_world
from tests.tui.review_world import Faults
from tests.world import BASE_URL, World

ACCOUNT = {
    "properties": {
        "region": {"type": "string", "title": "Region", "enum": ["eu", "us"]},
        "channel": {"type": "string", "title": HOSTILE, "description": "Where messages go"},
        "signing_key": {"type": "string"},
    },
    "required": ["region"],
}


async def test_what_is_installed_is_changed_taken_out_and_taken_back(
    world: World, update_golden: bool
) -> None:
    fees = world.space("Fees", {"index": "F."})
    world.space("Terms", {"index": "T."})
    site = world.write(lambda tx: site_writes.add_site(tx, world.home, "Portal"))
    seed(world, "acme-status", into=world.home, title="Status", configuration={"region": "eu"},
         configurations={"account": ACCOUNT}, scopes=["space:content:read"])  # fmt: skip
    seed(world, "odd", into=world.home, visibility="public", title=HOSTILE, target="space",
         configuration={"signing_key": SECRET, "note": HOSTILE, "zone": "eu"})  # fmt: skip
    app = open_world(world, "integrations", at(world))

    def held() -> dict[str, Any]:
        row = world.row("installation", key)
        return {**dict(row), "configuration": json.loads(row["configuration"])}

    def found(name: str) -> list[str]:
        return asked("SELECT id FROM installation WHERE integration_id = ?", name)

    def asked(statement: str, *values: str) -> list[str]:
        return [row[0] for row in world.store.read(lambda tx: tx.all(statement, *values))]

    [key] = found("acme-status")
    async with drive(app, "]", size=(140, 40)) as driver:
        assert driver.place.PLACE == "installations"
        driver.golden("installed", update=update_golden)
        await driver.resize(80, 24)
        driver.golden("installed", update=update_golden)
        assert SECRET not in driver.screen
        await send(driver, "where search=STATUS")
        assert driver.selected == key

        await driver.press("e")
        driver.golden("installation-edit", update=update_golden)
        await driver.press("right", "tab", "tab", "enter")
        await driver.burst(*"T-2")
        await driver.press("tab", "right", "ctrl+s")
        assert held()["space_selection"] == "selected"
        assert held()["configuration"] == {"region": "us"}
        assert json.loads(held()["external_ids"]) == ["T-1", "T-2"]
        assert "some" in driver.line("active")
        await driver.press("u")
        assert (held()["space_selection"], held()["external_ids"]) == ("all", '["T-1"]')
        assert held()["configuration"] == {"region": "eu"}

        await driver.press("enter", "]")
        assert driver.place.PLACE == "integration"
        await driver.press("e")
        assert "Configured for all spaces at once" in driver.screen
        await driver.press("D")
        assert "On all spaces now: the integration stays on others" in driver.screen
        await driver.press("y")
        assert asked("SELECT space_id FROM space_installation") == [fees]
        assert held()["space_selection"] == "selected"
        await driver.press("u")
        assert "Terms" in driver.screen
        assert held()["space_selection"] == "all"
        await driver.press("]", "D")
        assert "Take Status out of Portal" in driver.screen
        await driver.press("y")
        assert asked("SELECT site_id FROM site_installation WHERE site_id = ?", site) == []
        assert held()["site_selection"] == "selected"

        await driver.press("q", "D")
        assert "no longer works on 2 spaces" in driver.screen
        assert "u installs it as for the first time: the service decides" in driver.screen
        await driver.press("y")
        assert found("acme-status") == []
        assert "None with search=STATUS" in driver.screen
        await driver.press("u")
        assert len(found("acme-status")) == 1
        assert "The integration is installed as for the first time" in driver.screen
        await send(driver, "where")

        # What may be secret is neither asked for nor kept, and stays.
        await driver.app.go("installations", at(world))
        await driver.idle()
        assert isinstance(driver.place, InstalledPlace)
        assert driver.place.rows.select(found("odd")[0])
        await driver.press("e")
        assert "signing_key" in driver.line("Not asked for here")
        assert "does not undo a setting" in driver.screen
        await driver.press("tab", "tab", "2", "ctrl+s")
        row = world.row("installation", found("odd")[0])
        configuration = {"signing_key": SECRET, "note": HOSTILE, "zone": "eu2"}
        assert json.loads(row["configuration"]) == configuration
        assert SECRET not in told(driver)


async def test_what_one_place_takes_out_the_lists_under_it_know_at_once(world: World) -> None:
    seed(world, "login", into=world.home, title="Partner login", target="site")
    async with drive(open_world(world, "integrations", at(world)), size=(140, 40)) as driver:
        assert "in Acme" in driver.line("installed")
        await driver.press("enter", "D")
        assert "Uninstall Partner login" in driver.screen
        await driver.press("y", "escape")
        assert driver.place.PLACE == "integrations"
        assert "not in Acme" in driver.line("installed")
        await driver.press("ctrl+n")
        assert "Install Partner login" in driver.screen
        await driver.press("y", "]")
        assert "Partner login" in driver.line("active")
        await driver.press("enter", "D", "y", "escape")
        assert driver.place.PLACE == "installations"
        assert "Nothing is installed." in driver.screen


async def test_what_is_taken_out_while_one_leaves_is_known_with_the_next_poll(
    world: World,
) -> None:
    seed(world, "lamp", into=world.home)
    way = Faults(world)
    api = Api(BASE_URL, world.token(world.ana), transport=way)
    async with drive(open_world(world, "integrations", at(world), api=api)) as driver:
        assert "in Acme" in driver.line("installed")
        await driver.press("enter", "D")
        way.slow = "DELETE"
        await driver.send("y")
        await driver.send("escape")
        assert driver.place.PLACE == "integrations"
        way.let.set()
        await driver.idle()
        driver.place.read_again(by_hand=False)
        await driver.idle()
        assert "not in Acme" in driver.line("installed")


@pytest.mark.parametrize(
    ("target", "spaces", "sites"),
    [("organization", "none", "none"), ("site", "none", "some"), ("all", "some", "some")],
)
async def test_both_lists_say_the_same_of_where_it_works(
    world: World, target: str, spaces: str, sites: str
) -> None:
    seed(world, "lamp", into=world.home, target=target)
    selected = "UPDATE installation SET space_selection = 'selected', site_selection = 'selected'"
    world.write(lambda tx: tx.run(selected))
    async with drive(open_world(world, "installations", at(world)), size=(140, 40)) as driver:
        for place in ("installations", "integration"):
            assert place == driver.place.PLACE
            assert driver.line("on spaces").split()[-2] == spaces
            assert driver.line("on sites").split()[-2] == sites
            await driver.press("enter")


async def test_who_may_install_may_uninstall_and_an_installed_one_is_taken_out_again(
    world: World,
) -> None:
    seed(world, "lamp", visibility="public")
    other = world.organization("Lantern", hostname="lantern")
    async with drive(open_world(world, "integrations", at(world)), "ctrl+n") as driver:
        assert "u takes it out again." in driver.screen
        await driver.press("y")
        assert "in Acme" in driver.line("installed")
        await driver.press("u")
        assert "not in Acme" in driver.line("installed")
    seed(world, "theirs", owner=other, into=world.home, visibility="private")
    async with drive(open_world(world, "installations", at(world)), "D") as driver:
        assert "This cannot be undone: it is private to its owner." in driver.screen
    target = Target(organization=world.home, item="theirs")
    async with drive(open_world(world, "integration", target), "D") as driver:
        assert "This cannot be undone: it is private to its owner." in driver.screen
    app = open_world(world, "installations", at(world), user=world.user("rui", "read"))
    async with drive(app) as driver:
        for each in "eD":
            await driver.press(each)
            assert "That takes the permission installIntegration in Acme." in driver.screen


@pytest.mark.parametrize("edition", ["earlier", "today"])
async def test_a_service_has_what_is_installed_or_says_so(edition: Any) -> None:
    world = World(edition=edition)
    seed(world, "acme-status", into=world.home)
    has = edition == "today"
    app = open_world(world, "integration", at(world, "acme-status"), api=world.api(elsewhere=True))
    async with drive(app) as driver:
        await driver.press("D")
        assert ("Uninstall Acme-Status" in driver.screen) is has
        assert ("This service has no changes to installations." in driver.screen) is not has
        await driver.press("escape", "e")
        assert ("Acme-Status in Acme" in driver.screen) is has
        assert ("This service has no changes to installations." in driver.screen) is not has
        await driver.press("escape")
        await driver.app.go("installations", Target(world.home))
        await driver.idle()
        assert ("Acme-Status" in driver.screen) is has
        assert ("This service has no list of installations." in driver.screen) is not has
        await driver.press(":")
        await driver.burst(*"whoami")
        await driver.press("enter")
        assert ("the service does not say" in driver.line("version")) is not has
        assert "Ana Silva" in driver.screen
    world.close()


def form_of(asked: Any, held: Any, **more: Any) -> InstallationForm:
    integration = Integration.model_validate(
        {"object": "integration", "name": "lamp", "configurations": {"account": asked}, **more}
    )
    return InstallationForm(
        Installation.model_validate({"id": "i", "configuration": held}), integration
    )


def test_settings_are_asked_for_by_their_types_and_no_secret_is() -> None:
    properties = {
        "port": {"type": "number"},
        "on": {"type": "boolean"},
        "api_key": {"type": "string"},
        "connect": {"type": "button"},
        **{f"more{number}": {"type": "string"} for number in range(40)},
    }
    held = {
        "port": 80,
        "on": False,
        "url": f"https://me:{SECRET}@x.test",
        "list": [1],
        "said": HOSTILE,
    }
    form = form_of({"properties": properties}, held, target="site")
    names = [each.name for each in form.fields()]
    assert names[:4] == ["site_selection", "externalIds", "configuration.port", "configuration.on"]
    assert {"api_key", "connect", "url", "list", "said"} <= set(form.left)
    assert len(names) < 30
    assert not form.keeps
    facts = "\n".join(map(str, form.facts()))
    assert "\x1b" not in facts
    assert SECRET not in facts
    texts = {each.name: each.value for each in form.fields()}
    assert (form.plain(texts), form.configured(texts)) == ({}, {})
    port, on = form.settings[:2]
    assert port.check("many") == "it has to be a number"
    assert port.check("8.5") is None
    assert port.check("nan") == "it has to be a number"
    texts |= {"configuration.port": "", "configuration.on": "true", "site_selection": "all"}
    assert on.field().options[0].id == "true"
    body = update_of(form.plain(texts), form.configured(texts), {**held, "theirs": 1})
    kept = {name: each for name, each in held.items() if name != "port"}
    assert json.loads(body.to_json()) == {
        "site_selection": "all",
        "configuration": {**kept, "on": True, "theirs": 1},
    }
