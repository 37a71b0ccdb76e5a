"""Single sign-on: providers added, changed, deleted and taken back on a real desk."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest

from copydesk.client.api import Api
from copydesk.server.desk_writes import add_saml_provider
from copydesk.session.target import Target
from copydesk.tui.app import CopydeskApp
from tests.drive import drive
from tests.tui.lossy import Lossy
from tests.tui.opening import open_world
from tests.tui.steps import at_size, fill, on
from tests.world import BASE_URL, World

HOSTILE = "Okta\x1b[2J\u202e [bold]film\n🦊"

CERTIFICATE = "-----BEGIN CERTIFICATE-----\nMIIC\nabcd\n-----END CERTIFICATE-----"

ACTIVE = {
    "entity_id": "https://idp.acme.test/metadata",
    "sso_url": "https://idp.acme.test/sso",
    "certificate": CERTIFICATE,
}


def seed(world: World, label: str, **columns: Any) -> str:
    home = world.home
    return world.write(lambda tx: add_saml_provider(tx, home, label=label, **columns))


def labels(world: World) -> list[str]:
    rows = world.store.read(lambda tx: tx.all("SELECT label FROM saml_provider"))
    return [str(row["label"]) for row in rows]


def at(world: World) -> Target:
    return Target(organization=world.home)


@dataclass
class Providers:
    """A desk with a provider that is in use, by a team's newcomers, and a hostile one."""

    world: World
    writers: str
    okta: str
    way: Lossy

    def open(self) -> CopydeskApp:
        """Return the program, opened where `g S` comes from."""
        api = Api(BASE_URL, self.world.token(self.world.ana), transport=self.way)
        return open_world(self.world, "drafts", at(self.world), api=api)


@pytest.fixture
def providers(world: World) -> Providers:
    writers = world.team("Writers")
    okta = seed(world, "Okta", default_role="read", default_team=writers, **ACTIVE)
    seed(world, HOSTILE, entity_id=HOSTILE, certificate=HOSTILE)
    return Providers(world, writers, okta, Lossy(world))


async def test_providers_are_shown_and_what_they_give_is_copied(
    providers: Providers, update_golden: bool
) -> None:
    okta = providers.okta
    async with drive(providers.open(), "g S", size=(80, 24)) as driver:
        driver.golden("saml-providers-hostile", update=update_golden)
        await driver.press("down")
        assert driver.selected == okta
        driver.golden("saml-providers", update=update_golden)
        await driver.press("Y")
        await driver.burst(*"ACS")
        await driver.press("enter")
        assert driver.app.clipboard == f"{BASE_URL}/saml/{okta}/acs"
        await driver.press("Y")
        await driver.burst(*"cert")
        await driver.press("enter")
        assert driver.app.clipboard == CERTIFICATE
        await driver.press("g j")
        assert '"object": "saml-provider"' in driver.screen
        await driver.press("escape", "]")
        driver.golden("sso-logins", update=update_golden)
        await driver.press("ctrl+n")
        assert "These follow from the providers: [ shows those." in driver.screen
        await driver.press("y")
        assert driver.app.clipboard == f"{BASE_URL}/saml/{okta}/start"


async def test_a_new_provider_is_checked_while_it_is_typed(
    providers: Providers, update_golden: bool
) -> None:
    async with drive(providers.open(), "g S", "down", "ctrl+n", size=(80, 24)) as driver:
        driver.golden("saml-provider-new", update=update_golden)
        await driver.press("ctrl+s")
        assert "it has to be filled in" in driver.line("Name")
        await fill(driver, "x" * 31)
        assert "30 characters at most, this has 31" in driver.line("Name")
        await fill(driver, "Entra")
        await driver.burst("tab", "tab")
        await fill(driver, "idp.acme.test")
        assert "it has to look like" in driver.line("Sign-in address")
        await fill(driver, "https://e.test/sso")
        await driver.press("tab")
        await fill(driver, CERTIFICATE.replace("CERTIFICATE", "PRIVATE KEY"))
        assert "this is a private key" in driver.line("Certificate")
        await driver.press("escape")
        assert "Entra" in repr(driver.app.session.drafts.texts())
        assert "MIIC" not in repr(driver.app.session.drafts.texts())
        await driver.press("ctrl+n", "tab", "tab", "tab")
        for text in ("abc", CERTIFICATE.replace("MIIC", "abcd"), "MIIC&"):
            await fill(driver, text)
            assert "not a certificate" in driver.line("Certificate")
        await fill(driver, CERTIFICATE)
        await driver.press("tab")
        await fill(driver, "nothing")
        await driver.press("ctrl+s")
        assert "the organization has no team" in driver.line("Team they join")


async def test_a_provider_is_added_though_the_answer_is_lost_and_taken_back(
    providers: Providers,
) -> None:
    world, way = providers.world, providers.way
    async with drive(providers.open(), "g S", "down", "ctrl+n", size=(80, 24)) as driver:
        await fill(driver, "Entra")
        await driver.press("tab", "tab")
        await fill(driver, "https://e.test/sso")
        await driver.press("tab")
        await fill(driver, CERTIFICATE)
        await driver.press("tab", "ctrl+o", "enter")
        assert driver.line("   Writers   ")
        await driver.press("tab", "r")
        way.losing = True
        await driver.press("ctrl+s")
        way.losing = False
        assert labels(world).count("Entra") == 1
        row = world.row("saml_provider", driver.selected or "")
        assert (row["default_team"], row["default_role"]) == (providers.writers, "review")
        assert "pending" in driver.line("Entra")
        assert "No one signs in by it yet: it lacks its provider id." in driver.screen
        await driver.press("u")
        assert "People can no longer sign in with it." in driver.screen
        await driver.press("y")
        assert "Entra" not in labels(world)


async def test_a_provider_is_changed_and_taken_back(
    providers: Providers, update_golden: bool
) -> None:
    world, okta = providers.world, providers.okta
    async with drive(providers.open(), "g S", size=(80, 24)) as driver:
        await on(driver, okta)
        await driver.press("e")
        driver.golden("saml-provider-edit", update=update_golden)
        assert "People sign in by it" in driver.screen
        await fill(driver, "Okta SSO")
        await driver.burst("tab", "tab", "tab", "tab", "tab")
        await driver.press("g")
        assert "was read" in driver.line("Role they get")
        await driver.press("shift+tab")
        assert driver.line("   Writers   ")
        await fill(driver, "")
        assert "it cannot be empty" in driver.line("Team they join")
        await driver.press("ctrl+o", "enter")
        await driver.burst("shift+tab", "shift+tab", "shift+tab")
        await fill(driver, "")
        await driver.press("ctrl+s")
        row = world.row("saml_provider", okta)
        assert (row["label"], row["default_role"], row["entity_id"]) == ("Okta SSO", None, None)
        assert row["certificate"] == CERTIFICATE
        await driver.press("u")
        row = world.row("saml_provider", okta)
        assert (row["label"], row["default_role"]) == ("Okta", "read")
        assert row["entity_id"] == ACTIVE["entity_id"]
        await driver.press("ctrl+r")
        assert world.row("saml_provider", okta)["default_role"] is None
        await driver.resize(140, 40)
        driver.golden("saml-providers", update=update_golden)
        forms = {"ctrl+n": "saml-provider-new", "e": "saml-provider-edit"}
        await at_size(driver, forms, update=update_golden)


async def test_a_provider_is_deleted_for_good_and_others_may_not_look(
    world: World, update_golden: bool
) -> None:
    okta = seed(world, "Okta", **ACTIVE)
    old = seed(world, "Old")
    home = world.home
    world.write(lambda tx: tx.update("organization", home, sso=True))
    app = open_world(world, "saml-providers", at(world))
    async with drive(app, size=(80, 24)) as driver:
        await on(driver, old)
        await driver.press("e")
        assert "Setting its sign-in address or team cannot be undone:" in driver.screen
        await driver.burst("tab", "tab")
        await fill(driver, "https://old.test")
        await driver.press("ctrl+s")
        assert world.row("saml_provider", old)["sso_url"] == "https://old.test"
        await driver.press("u")
        assert "cannot be undone" in driver.screen
        await on(driver, okta)
        await driver.press("D")
        assert "no one gets in." in driver.screen
        driver.golden("saml-provider-delete", update=update_golden)
        await driver.burst(*"Okta")
        await driver.press("ctrl+s")
        assert labels(world) == ["Old"]
        await driver.press("D")
        assert "No one signs in by it yet." in driver.screen
        await driver.burst(*"Old")
        await driver.press("ctrl+s")
        assert "No one signs in by a provider here. ctrl+n adds one." in driver.screen
        await driver.press("]")
        assert "There is no single sign-on: no provider is active." in driver.screen
    rui = world.user("rui", "create")
    async with drive(open_world(world, "saml-providers", at(world), user=rui)) as driver:
        assert "Not allowed: You need the permission 'admin'" in driver.screen
        await driver.press("ctrl+n")
        assert "That takes the role admin in Acme." in driver.screen
