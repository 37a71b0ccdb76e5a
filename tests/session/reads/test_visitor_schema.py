"""The draft of a schema: a text and what it is based on."""

from __future__ import annotations

from typing import Any, cast

import pytest

from copydesk.client.api import Api
from copydesk.contract import operations as ops
from copydesk.contract.models.site import AdaptiveSchema, TemplateCondition
from copydesk.contract.models.site_section import SiteSectionUpdate
from copydesk.server import site_writes
from copydesk.server.store import Tx
from copydesk.session.errors import NotDoneError
from copydesk.session.reads.visitor_schema import (
    SchemaDraft,
    find_sent,
    read_schema,
    schema_draft,
    send_schema,
)
from copydesk.session.site_rows import schema_rows
from tests.tui.strange import strange
from tests.world import World


def test_a_draft_is_kept_with_its_original() -> None:
    for base in (None, {"type": "object", "properties": {}}, ["odd"]):
        draft = SchemaDraft('{"type": ', base)
        assert schema_draft(draft.to_text()) == draft


def test_ready_made_conditions_of_no_attribute_stand_together() -> None:
    conditions = [TemplateCondition(condition="true", description="Everyone")]
    [heading] = schema_rows({}, conditions, {})
    assert (heading.title, len(heading.children)) == ("Ready-made conditions", 1)
    *_, heading = schema_rows({}, conditions, {(False, "plan"): ("Guide",)})
    assert heading.title == "Other ready-made conditions"


@pytest.mark.parametrize("text", [None, "", "{", "[]", '{"text": 1, "base": {}}', '{"text": "a"}'])
def test_other_texts_are_no_draft(text: str | None) -> None:
    assert schema_draft(text) is None


SCHEMA = {"type": "object", "properties": {"plan\u200b": {"type": "boolean"}}}


async def test_a_schema_is_read_with_the_conditions_that_use_it(world: World) -> None:
    english = world.space("English")

    def write(tx: Tx) -> str:
        made = site_writes.add_site(tx, world.home, "Docs", adaptive_schema=SCHEMA)
        section = site_writes.add_section(tx, made, "Beta\x07")
        site_writes.add_site_space(tx, made, english, section=section)
        return made

    ids = (world.home, world.write(write))
    async with world.api() as api:
        [section] = (await api.page(ops.list_site_sections, *ids)).items
        condition = SiteSectionUpdate.model_validate({"condition": "visitor.claims.beta"})
        await api(ops.update_site_section, *ids, section.id, condition)
        site = await api(ops.get_site, *ids)
        found = await read_schema(api, world.home, site, "Only admins.")
        assert (found.schema, found.refused, found.site.title) == (SCHEMA, "Only admins.", "Docs")
        assert found.updated is not None
        assert found.used == {(False, "beta"): ("Beta",)}
        assert '"plan\\u200b"' in found.text
        assert found.text.endswith("}\n")
        missing = next(row for row in found.rows if row.kind == "missing")
        assert (missing.title, missing.places) == ("beta", ("Beta",))
    lacking = strange(world, "/nothing", lambda answer: None, lacks="/template-conditions")
    async with lacking as api:
        found = await read_schema(api, world.home, site, "")
    assert {row.kind for row in found.rows} == {"attribute", "missing"}


async def test_a_schema_is_replaced_unless_someone_changed_it() -> None:
    now: Any = SCHEMA

    async def api(operation: object, *given: Any) -> AdaptiveSchema:
        nonlocal now
        *ids, body = given if len(given) == 3 else (*given, None)
        assert ids == ["o", "s"]
        expected = ops.get_adaptive_schema if body is None else ops.update_adaptive_schema
        assert operation is expected
        now = now if body is None else body.json_schema
        return AdaptiveSchema(json_schema=now)

    ids, changed, service = ("o", "s"), {"type": "object"}, cast("Api", api)
    assert await find_sent(service, ids, changed) is None
    assert (await send_schema(service, ids, changed, SCHEMA)).json_schema == changed
    assert (await find_sent(service, ids, changed)).json_schema == changed
    with pytest.raises(NotDoneError, match=r"^Someone changed the schema just now, and nothing"):
        await send_schema(service, ids, SCHEMA, SCHEMA)
    assert now == changed
