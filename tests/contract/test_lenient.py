"""Answers with something in them that no model knows: a list stays readable whatever it is."""

from __future__ import annotations

import json
from collections.abc import Iterator
from copy import copy
from typing import Any

import pytest
from pydantic import TypeAdapter, ValidationError

from copydesk.contract import operations as ops
from copydesk.contract.models.base import Page, Shape, Way, read_leniently
from copydesk.contract.models.site import PublishedSite, SectionsStructure, Site, SiteIcon
from copydesk.contract.operation import Operation
from copydesk.contract.operations import CATALOGUE
from tests.contract.examples import READ, example, wire_name
from tests.contract.odd import answer_of

ABSENT: Any = object()

MUTATIONS: tuple[Any, ...] = (
    None,
    True,
    7,
    "never heard of",
    {},
    {"emoji": "1f600"},
    [],
    [7],
    ABSENT,
)
"""What stands in place of a part: another type, null, an object, a list, a value of an enumeration
that nobody knows, and nothing."""


DEPTH = 2
"""A field, and a number in its list, or a field of it."""


def ways(value: Any, way: Way = ()) -> Iterator[Way]:
    """Yield the way to every part of a JSON value, at any depth."""
    for step in (
        value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    ):
        yield (*way, step)
        yield from ways(value[step], (*way, step))


def mutated(value: Any, way: Way, put: Any) -> Any:
    """Return a JSON value as it is, but that something else stands in one place."""
    step, *further = way
    other = copy(value)
    if further:
        other[step] = mutated(value[step], tuple(further), put)
    elif put is ABSENT:
        other.pop(step)
    else:
        other[step] = put
    return other


BY_MODULE = {
    module: [each for each in READ if each.__module__ == module]
    for module in dict.fromkeys(each.__module__ for each in READ)
}


@pytest.mark.long
@pytest.mark.parametrize(
    "models", BY_MODULE.values(), ids=[name.rsplit(".", 1)[-1] for name in BY_MODULE]
)
def test_whatever_stands_in_a_field_the_list_stays(models: list[type[Shape]]) -> None:
    page_of: Any = Page
    for model in models:
        adapter = TypeAdapter(page_of[model])
        whole = example(model)
        text = json.dumps(whole)
        read = model.model_validate_json(text)
        required = {
            wire_name(model, name)
            for name, field in model.model_fields.items()
            if field.is_required()
        }
        # What lies deeper is a field of another model here.
        for way in (way for way in ways(whole) if len(way) <= DEPTH):
            others = [json.dumps(mutated(whole, way, put)) for put in MUTATIONS]
            content = f'{{"items": [{", ".join((text, *others, text))}], "count": 3}}'
            page, dropped = read_leniently(adapter, content.encode())
            assert page.items[0] == page.items[-1] == read, way
            left_out = [part.value for part in dropped if len(part.way) == 2 and part.item]
            assert len(page.items) + len(left_out) == len(MUTATIONS) + 2, way
            # Each was left out as it came, and once.
            for value in left_out:
                others.remove(json.dumps(value))
            assert way[0] in required or not left_out, f"{model.__name__}: {way} {left_out!r}"


LISTS = [each for each in CATALOGUE.values() if each.pages]


@pytest.mark.parametrize("operation", LISTS, ids=[each.name for each in LISTS])
def test_an_item_without_what_it_needs_is_left_out_as_it_came(
    operation: Operation[..., Any],
) -> None:
    answer = answer_of(operation)
    strange = {"object": "never heard of", "reason": ["none"]}
    answer["items"] = [*answer["items"], strange, *answer["items"]]
    page, dropped = read_leniently(operation.result_adapter, json.dumps(answer).encode())
    left = [part.value for part in dropped if part.item]
    assert len(page.items) + len(left) == 3
    assert left in ([], [strange])


def test_a_part_that_does_not_fit_leaves_all_else_as_it_is() -> None:
    sites: dict[str, Any] = {
        "items": [
            {
                "id": "a",
                "title": "Manual",
                "icon": {"emoji": ["1f600"], "icon": 7},
                "features": [{}, {"id": "f"}],
            },
            {"title": "No id", "icon": 7},
            {"id": "c", "siteSpaces": None, "proxy": "none", "urls": []},
        ],
        "count": "many",
        "next": None,
    }
    page, dropped = read_leniently(ops.list_sites.result_adapter, json.dumps(sites).encode())
    assert [(site.id, site.title, site.icon) for site in page.items] == [
        ("a", "Manual", SiteIcon()), ("c", "", None)
    ]  # fmt: skip
    assert [feature.id for feature in page.items[0].features] == ["f"]
    assert page.count is None
    assert [part.value for part in dropped if part.item] == [sites["items"][1]]
    assert {part.field for part in dropped} >= {"items.*.icon.icon", "items.*.siteSpaces", "count"}


def test_a_tree_stays_without_the_branch_that_does_not_fit() -> None:
    section = {"id": "s", "title": "Guides"}
    published = {
        "site": {"id": "a"},
        "structure": {"type": "sections", "structure": [section, {"title": 7}, section]},
    }
    content = json.dumps(published).encode()
    read, dropped = read_leniently(ops.get_published_site.result_adapter, content)
    assert isinstance(read, PublishedSite)
    assert isinstance(read.structure, SectionsStructure)
    assert [each.id for each in read.structure.structure] == ["s", "s"]
    assert [part.value for part in dropped if part.item] == [{"title": 7}]


@pytest.mark.parametrize("content", [b"", b"[", b"[]", b"7", b'{"items": 7}', b'{"count": 3}'])
def test_an_answer_of_which_nothing_is_left_is_refused(content: bytes) -> None:
    with pytest.raises(ValidationError):
        read_leniently(ops.list_sites.result_adapter, content)


def test_a_single_object_without_what_it_needs_is_refused() -> None:
    with pytest.raises(ValidationError, match="id"):
        read_leniently(TypeAdapter(Site), b'{"title": "No id", "icon": 7}')
