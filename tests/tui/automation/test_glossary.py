"""The glossary of an organization: terms added, changed, removed and taken back."""

from __future__ import annotations

import json

import pytest

from copydesk.contract import operations as ops
from copydesk.contract.models.glossary import GlossaryUpdate
from copydesk.contract.models.openapi_spec import OpenAPISourceText
from copydesk.server import site_writes
from copydesk.server.queries.openapi_spec import add_spec
from copydesk.session.target import Target
from copydesk.tui.automation.glossary import read_terms, wrong_terms
from tests.drive import drive
from tests.tui.opening import open_world, typed
from tests.world import World

HOSTILE = "fee [bold]\x1b[2J‮$(reboot)"


def test_terms_are_read_from_a_line_for_each_language() -> None:
    assert read_terms("en: refund\n\n DE :  Erstattung: ganz \n") == {
        "en": "refund",
        "de": "Erstattung: ganz",
    }
    wrong = {
        "": "one language",
        "refund": "line 1: a language and a colon",
        "en: a\nxx: b": "line 2: 'xx' is not one of the languages: ar, bg",
        "en:": "line 1: there is no term",
        "en: a\nEN: b": "line 2: en is there twice",
        "en: " + "a" * 256: "256 characters; at most 255",
    }
    for text, said in wrong.items():
        assert said in (wrong_terms(text) or ""), text
    assert wrong_terms("zh-tw: " + "a" * 255) is None


async def add(world: World, *terms: dict[str, str]) -> None:
    body = {"operations": [{"type": "insert", "translations": each} for each in terms]}
    async with world.api() as api:
        await api(ops.update_glossary_entries, world.home, GlossaryUpdate.model_validate(body))


def held(world: World) -> list[dict[str, str]]:
    """Return the terms of the entries."""
    rows = world.store.read(lambda tx: tx.all("SELECT translations FROM glossary_entry"))
    return [json.loads(row["translations"]) for row in rows]


async def test_terms_are_added_changed_removed_and_taken_back(
    world: World, update_golden: bool
) -> None:
    await add(world, {"en": "refund", "de": "Erstattung", "fr": "remboursement"})
    await add(world, {"de": "Entgelt", "en": HOSTILE})
    app = open_world(world, "translations", Target(world.home))
    async with drive(app, "]", size=(140, 40)) as driver:
        assert driver.place.PLACE == "glossary"
        assert "\x1b" not in driver.screen
        assert "fee [bold]" in driver.screen
        await driver.press("ctrl+n")
        await driver.burst(*typed("payout"))
        await driver.press("ctrl+s")
        assert "a language and a colon come first" in driver.screen
        await driver.burst(*["backspace"] * 6)
        await driver.burst(*typed("en: payout"), "enter", *typed("de: Zahlung"))
        driver.golden("glossary-add", update=update_golden)
        await driver.press("ctrl+s")
        assert {"en": "payout", "de": "Zahlung"} in held(world)
        assert "┃>" in driver.line("de: Zahlung")
        driver.golden("glossary", update=update_golden)

        await driver.press("e")
        await driver.press("down", "end")
        await driver.burst(*["backspace"] * 7)
        await driver.burst(*typed("Auszahlung"))
        await driver.press("ctrl+s")
        assert {"en": "payout", "de": "Auszahlung"} in held(world)
        assert "de: Auszahlung" in driver.screen
        await driver.press("u")
        assert {"en": "payout", "de": "Zahlung"} in held(world)
        await driver.press("u")
        assert len(held(world)) == 2

        await driver.press("R")
        await driver.resize(80, 24)
        driver.golden("glossary", update=update_golden)
        await driver.press("s")
        await driver.burst(*typed("term in de"))
        await driver.press("enter", "g g")
        assert driver.selected is not None
        assert "Entgelt" in driver.screen
        first = next(terms for terms in held(world) if terms["de"] == "Entgelt")
        await driver.press("D")
        assert "In 2 languages." in driver.screen
        await driver.press("y")
        assert first not in held(world)
        await driver.press("u")
        assert first in held(world)
        await driver.press("g j")
        assert '"object": "glossary-entry"' in driver.screen


async def test_who_may_not_write_reads_the_glossary_and_is_told_why(world: World) -> None:
    await add(world, {"en": "refund"})
    reader = world.user("lee", "read")
    app = open_world(world, "spaces", Target(world.home), user=reader)
    async with drive(app, size=(80, 24)) as driver:
        await driver.app.go("glossary", Target(world.home))
        await driver.idle()
        assert "refund" in driver.screen
        for key in ("ctrl+n", "e", "D"):
            await driver.press(key)
            assert driver.place.PLACE == "glossary"
            assert (
                "That takes the role create in Acme." in driver.screen or "may not" in driver.screen
            )


@pytest.mark.parametrize(
    ("first", "said"),
    [
        ("glossary", "This service has no glossary."),
        ("openapi-versions", "This service has no versions of specifications."),
        ("site-sign-in", "This service has no sign-in of readers."),
    ],
)
async def test_a_service_that_lacks_it_is_told_so(first: str, said: str) -> None:
    world = World(edition="earlier")
    home, source = world.home, OpenAPISourceText(text="{}")
    world.write(lambda tx: add_spec(tx, home, "pets", source))
    site = world.write(lambda tx: site_writes.add_site(tx, home, "Docs"))
    target = Target(home, site=site, item="pets")
    api = world.api(elsewhere=True)
    async with drive(open_world(world, first, target, api=api), size=(80, 24)) as driver:
        assert said in driver.screen
        assert "Removed by someone" not in driver.screen
    world.close()
