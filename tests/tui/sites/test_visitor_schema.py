"""The adaptive schema of a site: read, edited outside, checked, sent and taken back."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from copydesk.domain.json_text import JsonTextError, read_json
from copydesk.domain.visitor_schema import all_problems, attributes, changes, claims_in
from copydesk.server import site_writes as seed
from copydesk.server.store import Tx
from copydesk.session.draft_keys import belonging, schema_key
from copydesk.session.target import Target
from copydesk.tui.dialogs.dialog import ProblemsSheet
from copydesk.tui.sites.visitor_schema_cells import short_name
from tests.drive import drive
from tests.tui.opening import open_world
from tests.world import World

Write = Callable[[str], None]


def claim(about: str, **more: Any) -> dict[str, Any]:
    return {"type": "boolean", "description": about, **more}


def schema(*unsigned: str, **signed: str) -> dict[str, Any]:
    found: dict[str, Any] = {name: claim(about) for name, about in signed.items()}
    inner = {name: claim(f"Likes {name}") for name in unsigned}
    found["unsigned"] = {"type": "object", "properties": inner, "additionalProperties": False}
    return {"type": "object", "properties": found, "additionalProperties": False}


FIRST = schema("beta", partner="Signed in as a partner", staff="Works\x1b[2J \u202ehere [b]")


def publish(world: World) -> str:
    space = world.space("Guide")

    def write(tx: Tx) -> str:
        site = seed.add_site(tx, world.home, "Docs", published=True, adaptive_schema=FIRST)
        for title, condition in (
            ("Handbook", "visitor.claims.staff == true"),
            ("Fees", 'visitor.claims["partner"] && !visitor.claims.unsigned.beta'),
        ):
            section = seed.add_section(tx, site, title, condition=condition)
            seed.add_site_space(tx, site, space, section=section)
        return site

    return world.write(write)


def stored(world: World, site: str) -> Any:
    return json.loads(world.row("site", site)["adaptive_schema"])


async def test_the_schema_is_edited_shown_sent_and_put_back(
    world: World, editor: Write, tmp_path: Path, update_golden: bool
) -> None:
    site = publish(world)
    target = Target(organization=world.home, site=site)
    async with drive(open_world(world, "site-schema", target), size=(140, 40)) as driver:
        driver.golden("site-schema", update=update_golden)
        await driver.resize(80, 24)
        driver.golden("site-schema", update=update_golden)
        # Reading, copying, the JSON.
        assert "unsigned" in driver.line("beta")
        await driver.press("y")
        assert driver.app.clipboard == "visitor.claims.partner"
        await driver.press("j", "y")
        assert driver.app.clipboard == "visitor.claims.partner == true"
        await driver.press("g j")
        assert '"additionalProperties": false' in driver.screen or '"type"' in driver.screen
        await driver.press("g j", "g g")

        # No JSON: told with its place, kept, opened again.
        editor('{\n  "type": "object",\n3}')
        await driver.press("e")
        assert "line 3, column 1" in driver.screen
        assert "one too many" in driver.screen
        assert json.loads((tmp_path / "opened").read_text()) == FIRST
        # JSON, and no schema: every problem with its place.
        wrong = schema("beta", partner="P")
        wrong["properties"]["age"] = {"type": "integer", "description": 3}
        wrong["properties"]["eu"] = {"type": "bool"}
        editor(json.dumps(wrong, indent=1)[:-1] + ', "type": "object"}')
        await driver.press("r")
        sheet = driver.app.screen
        assert isinstance(sheet, ProblemsSheet)
        assert "3 problems" in driver.screen
        assert "type is there twice." in driver.screen
        assert "properties.age.description: must be of" in driver.screen
        assert 'properties.eu.type: "bool" is no' in driver.screen
        assert (tmp_path / "opened").read_text() == '{\n  "type": "object",\n3}'
        await driver.press("escape")
        assert "Your edit is kept, not sent" in driver.screen
        assert stored(world, site) == FIRST

        # A schema: what changes, and which conditions lose what they name.
        second = schema("dark", partner="Is a partner, signed", eu="Lives in the EU")
        editor(json.dumps(second))
        await driver.press("e")
        sent = driver.screen
        for said in ("eu and unsigned.dark", "staff and unsigned.beta", "changed  partner  Is a"):
            assert said in sent
        assert "Handbook: the condition names staff" in sent
        assert "Fees: the condition names unsigned.beta" in sent
        await driver.press("escape")
        assert stored(world, site) == FIRST
        # Somebody else was faster: told before anything is sent, and again if it is right then.
        third = schema("beta", partner="Signed in as a partner", vip="Pays more")
        world.write(lambda tx: tx.update("site", site, adaptive_schema=json.dumps(third)))
        await driver.press("ctrl+s")
        assert "Someone changed the schema since you began" in driver.screen
        assert "added    vip" in driver.screen
        world.write(lambda tx: tx.update("site", site, adaptive_schema=json.dumps(FIRST)))
        await driver.press("y")
        assert "Someone changed the schema just now" in driver.screen
        assert stored(world, site) == FIRST
        await driver.press("ctrl+s", "enter", "y")
        assert stored(world, site) == second
        assert "edit not sent" not in driver.screen
        assert "change schema Docs: +2 -2 ~1" in driver.screen
        assert driver.place.status_left() == "2 names in conditions are missing here"
        await driver.press("G")
        assert "missing" in driver.line("not in the schema")
        assert "Fees" in driver.line("named by")
        await driver.press("u")
        assert stored(world, site) == FIRST
        await driver.press("ctrl+r")
        assert stored(world, site) == second
        third = schema(partner="They sell it.")
        editor(json.dumps(third))
        await driver.press("e", "y")
        assert stored(world, site) == third
        # Nothing changed: nothing is sent, and nothing kept.
        editor(json.dumps(third, indent=4))
        await driver.press("e")
        assert "already like that" in driver.screen
        assert driver.app.session.drafts.texts() == {}


async def test_an_edit_outlives_the_program_and_a_refusal(world: World, editor: Write) -> None:
    site = publish(world)
    target = Target(organization=world.home, site=site)
    app = open_world(world, "site-schema", target)
    doubtful = schema(partner="P")
    doubtful["properties"]["partner"]["examples"] = [True]
    doubtful["properties"]["tier"] = {"type": "string", "enum": ["gold", "silver"]}
    editor(json.dumps(doubtful))
    async with drive(app, "e", size=(100, 30)) as driver:
        assert "The API document does not have this; the service may refuse it:" in driver.screen
        # What another service may know is not refused here.
        assert "properties.tier.type: must be 'boolean', the" in driver.screen
        assert "properties.partner.examples: 'examples' is not" in driver.screen
        await driver.press("y")
        assert "did not accept" in driver.screen
        assert stored(world, site) == FIRST
        kept = dict(app.session.drafts.texts())
        assert list(kept) == [schema_key(site)]
        found = belonging(schema_key(site))
        assert found is not None
        assert found.summary(kept[schema_key(site)]) == json.dumps(doubtful)
        await driver.press("X", "y")
        assert "Discarded. u brings it back." in driver.screen
        await driver.press("ctrl+s")
        assert "No edit of the schema is kept." in driver.screen
        await driver.press("u")
        assert "edit not sent" in driver.screen
    reader = world.user("rui", "read")
    async with drive(open_world(world, "site-schema", target, user=reader), "e") as driver:
        assert "needs the role create or admin, yours is read." in driver.screen
        assert "read-only" in driver.screen
        assert "partner" in driver.screen


@pytest.mark.parametrize(
    ("text", "said", "line", "column"),
    [
        ("", "a value is missing", 1, 1),
        ('{"a": 1 "b": 2}', "a comma is missing", 1, 9),
        ('{\n"a": [NaN]}', "NaN is not a JSON value", 2, 7),
        ("[" * 100, "nested more than 64 deep", 1, 65),
        ('{"a": "\\ud800"}', "incomplete character", 1, 8),
        ("1" * 5000, "a number too long", 1, 1),
    ],
)
def test_what_is_no_json_is_told_with_its_place(
    text: str, said: str, line: int, column: int
) -> None:
    with pytest.raises(JsonTextError, match=said) as told:
        read_json(text)
    assert (told.value.line, told.value.column) == (line, column)


def test_parts_are_found_and_problems_told_once() -> None:
    text = read_json('{"a": [1, {"b": 2,\n "b": 3}]}')
    assert [path for path, _ in text.twice] == [("a", 1, "b")]
    assert text.where(("a", 1, "b")) == (2, 2)
    assert text.where(("a", 1, "nowhere")) == (1, 11)
    assert [each.said for each in all_problems([])] == [
        "must be a JSON Schema, an object in braces"
    ]
    odd = schema(a="A") | {"required": "a", "$schema": "https://json-schema.org/draft/2020-12"}
    told = {each.where: each.said for each in all_problems(odd)}
    assert told["$schema"] == "only JSON Schema draft 07 is understood"
    assert "must be of the type array" in told["required"]
    assert not all_problems(
        schema("b", a="A") | {"$schema": "http://json-schema.org/draft-07/schema#"}
    )


def test_conditions_name_attributes_and_changes_are_told() -> None:
    assert claims_in('visitor.claims["in-eu"] && visitor?.claims?.unsigned.beta') == {
        (False, "in-eu"),
        (True, "beta"),
    }
    assert claims_in("visitor.claims.unsigned['x'] || visitor.claims || other.claims.y") == {
        (True, "x")
    }
    made = changes(FIRST, FIRST | {"title": "Visitors"})
    assert made.elsewhere
    assert (made.added, made.removed, made.changed) == ((), (), ())
    assert not changes(FIRST, json.loads(json.dumps(FIRST)))
    assert changes({}, FIRST).added
    # Names that no eye tells apart are, and what is copied of them names them.
    odd = attributes(schema(**{"a\x1b[1m\u202e": "A", 'b"\\': "B"}))
    assert [each.expression for each in odd] == [
        r'visitor.claims["a\u001b[1m\u202e"]', r'visitor.claims["b\"\\"]'
    ]  # fmt: skip
    assert [claims_in(each.expression) for each in odd] == [{each.key} for each in odd]
    tier = {"type": "string", "enum": ["gold", "silver"]}
    assert attributes({"properties": {"tier": tier}})[0].holds == "string: gold, silver"
    assert short_name(odd[0]) == "a<U+001B>[1m<U+202E>"
