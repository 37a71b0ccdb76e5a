"""Schemas of visitor attributes: what they declare, what changed, what is wrong with them."""

from __future__ import annotations

from typing import Any

import pytest

from copydesk.domain.visitor_schema import (
    all_problems,
    attributes,
    changes,
    claims_in,
    draft_problems,
    problems,
)


def schema(unsigned: dict[str, Any] | None = None, **signed: Any) -> dict[str, Any]:
    properties = dict(signed)
    if unsigned is not None:
        properties["unsigned"] = {"type": "object", "properties": unsigned}
    return {"type": "object", "properties": properties, "additionalProperties": False}


FLAG = {"type": "boolean", "description": "Whether."}


def test_attributes_are_signed_ones_first_with_what_they_hold() -> None:
    plan = {"type": "string", "enum": ["a", "b"], "title": "Plan", "default": "a"}
    found = attributes(schema({"beta": FLAG}, plan=plan, odd={}, none=3))
    assert [(each.name, each.unsigned, each.holds) for each in found] == [
        ("plan", False, "string: a, b"), ("odd", False, "not said"), ("beta", True, ""),
    ]  # fmt: skip
    assert (found[0].title, found[0].description, found[0].default) == ("Plan", "", "a")
    assert found[2].description == "Whether."
    assert [each.expression.rpartition("claims")[2] for each in found] == [
        ".plan", ".odd", ".unsigned.beta",
    ]  # fmt: skip
    assert attributes([]) == attributes({"properties": []}) == []


def test_what_changed_is_told_attribute_by_attribute() -> None:
    before = schema({"beta": FLAG}, a=FLAG, b=FLAG)
    after = schema({"beta": {**FLAG, "title": "Beta"}}, b=FLAG, c=FLAG)
    found = changes(before, after)
    assert [each.name for each in found.added] == ["c"]
    assert [each.name for each in found.removed] == ["a"]
    assert [(was.name, now.title) for was, now in found.changed] == [("beta", "Beta")]
    assert not found.elsewhere
    assert not changes(before, before)
    assert changes(before, {**before, "title": "New"}).elsewhere
    outer = schema({"beta": FLAG}, a=FLAG, b=FLAG)
    outer["properties"]["unsigned"]["title"] = "Free"
    assert changes(before, outer).elsewhere
    assert changes({}, []).elsewhere


@pytest.mark.parametrize(
    ("condition", "names"),
    [
        ("visitor.claims.plan == 'a'", {(False, "plan")}),
        ("visitor.claims.unsigned.beta", {(True, "beta")}),
        ("visitor.claims['a b'] && visitor.claims.unsigned[\"c\"]", {(False, "a b"), (True, "c")}),
        ("visitor.claims.unsigned", set()),
        ("true", set()),
    ],
)
def test_conditions_name_attributes(condition: str, names: set[tuple[bool, str]]) -> None:
    assert claims_in(condition) == names


def test_what_is_no_schema_is_told() -> None:
    assert [(each.said, each.certain) for each in problems([])] == [
        ("must be a JSON Schema, an object in braces", True)
    ]
    draft = {**schema(a=FLAG), "$schema": "https://json-schema.org/draft/2020-12/schema"}
    (wrong,) = [each for each in problems(draft) if each.path == ("$schema",)]
    assert (wrong.said, wrong.certain) == ("only JSON Schema draft 07 is understood", True)
    assert wrong.where == "$schema"
    free = schema({"beta": FLAG}, a=FLAG)
    free["properties"]["unsigned"]["additionalProperties"] = False
    assert list(problems(free)) == []
    long = "x" * 60
    told = [each.said for each in all_problems(schema(a={"type": long}))]
    assert f"\"{'x' * 38}… is no type in JSON Schema draft 07, as 'boolean' is" in told
    (short,) = [each.said for each in draft_problems(schema(a={"description": 3}))]
    assert short == "must be of the type string in JSON Schema draft 07, not 3"
