"""Schemas of visitor attributes: what they declare, what changed, what is wrong with them."""

from __future__ import annotations

from typing import Any

import pytest

from copydesk.domain.visitor_schema import (
    ATTRIBUTE_LIMIT,
    CHOICES,
    EMPTY_SCHEMA,
    Attribute,
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
    assert f"\"{'x' * 38}… is not a type in JSON Schema draft 07, as 'boolean' is" in told
    (short,) = [each.said for each in draft_problems(schema(a={"description": 3}))]
    assert short == "must be of the type string in JSON Schema draft 07, not 3"


@pytest.mark.parametrize(
    ("name", "expression"),
    [
        ("plan", "visitor.claims.plan"), ("_p1", "visitor.claims._p1"),
        ("a b", 'visitor.claims["a b"]'), ("1a", 'visitor.claims["1a"]'),
        ("", 'visitor.claims[""]'),
        ('"', 'visitor.claims["\\""]'), ("é", 'visitor.claims["é"]'),
        ("a\u200b", 'visitor.claims["a\\u200b"]'),
    ],
)  # fmt: skip
def test_a_condition_calls_an_attribute_by_a_dot_or_in_quotes(name: str, expression: str) -> None:
    attribute = Attribute(name)
    assert attribute.expression == expression
    assert claims_in(expression) == {attribute.key} == {(False, name)}
    free = Attribute(name, unsigned=True)
    assert claims_in(free.expression) == {free.key} == {(True, name)}


@pytest.mark.parametrize(
    ("condition", "names"),
    [
        ("visitor . claims ?. plan", {(False, "plan")}), ("visitor?.claims?.['a']", {(False, "a")}),
        ("visitor.claims['it\\'s']", {(False, "it's")}), ("myvisitor.claims.a", set()),
        ("visitor.claims.a.b && visitor.claims.c", {(False, "a"), (False, "c")}),
        ("visitor.claims.unsigned.a.b", {(True, "a")}), ('visitor.claims[ "a" ]', {(False, "a")}),
    ],
)  # fmt: skip
def test_a_condition_is_read_however_it_is_spelled(
    condition: str, names: set[tuple[bool, str]]
) -> None:
    assert claims_in(condition) == names


def test_only_so_many_choices_are_named() -> None:
    def holds(**value: Any) -> str:
        (found,) = attributes(schema(a=value))
        return found.holds

    some = [f"v{number}" for number in range(CHOICES + 1)]
    assert holds(type="string", enum=some[:-1]) == f"string: {', '.join(some[:-1])}"
    assert holds(type="string", enum=some) == f"string: {', '.join(some[:-1])}, …"
    assert holds(type=["a"], enum=[]) == "not said"
    assert holds(enum=[1, None]) == "not said: 1, None"
    assert holds(type="boolean", enum=[True]) == ""
    assert holds(type="string", title=3, description=4) == "string"


OBJECT = {"type": "object", "properties": {}, "additionalProperties": False}


@pytest.mark.parametrize(
    ("value", "told"),
    [
        (EMPTY_SCHEMA, []),
        ({**OBJECT, "$schema": "http://json-schema.org/draft-07/schema#", "title": "T",
          "description": "D", "required": []}, []),
        ({}, [("type", "must be 'object'"),
              ("properties", "must be an object, one entry per attribute"),
              ("additionalProperties", "must be false")]),
        ({**OBJECT, "additionalProperties": 0}, [("additionalProperties", "must be false")]),
        ({**OBJECT, "b": 1, "a": 2}, [("a", "'a' is not understood here"),
                                      ("b", "'b' is not understood here")]),
        ({**OBJECT, "$schema": 7}, [("$schema", "only JSON Schema draft 07 is understood")]),
        (schema(a=3), [("properties.a.type", "must be 'boolean', the only type known")]),
        (schema(a={"type": "string"}),
         [("properties.a.type", "must be 'boolean', the only type known")]),
        (schema(a={**FLAG, "description": 3, "default": True, "title": "T", "x": 1}),
         [("properties.a.x", "'x' is not understood here"),
          ("properties.a.description", "must be a text")]),
        (schema(unsigned={}) | {"properties": {"unsigned": 3}},
         [("properties.unsigned", "must be the schema of an object of booleans")]),
        (schema({"a": 3}),
         [("properties.unsigned.additionalProperties", "must be false"),
          ("properties.unsigned.properties.a.type", "must be 'boolean', the only type known")]),
        (schema(**{f"a{n}": FLAG for n in range(ATTRIBUTE_LIMIT)}), []),
        (schema(**{f"a{n}": FLAG for n in range(ATTRIBUTE_LIMIT + 1)}),
         [("", "more than 200 attributes")]),
    ],
)  # fmt: skip
def test_every_problem_of_a_schema_is_told_with_its_place(
    value: dict[str, Any], told: list[tuple[str, str]]
) -> None:
    assert [(each.where, each.said) for each in problems(value)] == told


@pytest.mark.parametrize(
    ("value", "told"),
    [
        ([], [("", "must be a JSON Schema, an object in braces", True)]),
        (schema(a={"type": "bool"}),
         [("properties.a.type", "\"bool\" is not a type in JSON Schema draft 07, as 'boolean' is",
           True)]),
        (schema(a={"type": "boolean", "minLength": -1}),
         [("properties.a.minLength", "-1 is not allowed here in JSON Schema draft 07", True)]),
        (schema(a={"type": "boolean", "default": 1, "x": 2}),
         [("properties.a.x", "'x' is not understood here", False)]),
        ({**OBJECT, "required": "a"},
         [("required", 'must be of the type array in JSON Schema draft 07, not "a"', True)]),
        ({**OBJECT, "properties": 3},
         [("properties", "must be of the type object in JSON Schema draft 07, not 3", True)]),
    ],
)  # fmt: skip
def test_where_it_is_no_json_schema_that_alone_is_told(
    value: Any, told: list[tuple[str, str, bool]]
) -> None:
    assert [(each.where, each.said, each.certain) for each in all_problems(value)] == told
