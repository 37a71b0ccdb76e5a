"""What is shown of the items of a list, where the list is long or the service odd."""

from __future__ import annotations

import random
import re
import sys
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import httpx
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from copydesk.client.api import Api
from copydesk.contract import operations as _operations  # noqa: F401 - declares them
from copydesk.contract.operations import CATALOGUE
from copydesk.session.errors import failure_types
from copydesk.session.target import Target
from copydesk.tui.framework.place import VAST
from copydesk.tui.framework.source import FilteredSource, ListSource
from copydesk.tui.resource.columns import OFFERED, ItemTexts, shown_text
from copydesk.tui.resource.place import ResourcePlace
from copydesk.tui.resource.resource import Facet, ListQuery, Resource
from copydesk.tui.system.reference import load_everything
from tests.contract.odd import odd_answer


@dataclass(frozen=True)
class Thing:
    """A thing of a list."""

    id: str
    name: str


class Things:
    """A list of things, with how often it was asked what is shown of one."""

    def __init__(self) -> None:
        self.asked = 0
        self.resource: Resource[Thing] = Resource(
            noun="thing", title="Things", pages=self.pages, key=lambda thing: thing.id,
            label=lambda thing: thing.name, empty="None.",
            shown=[Facet("name", "NAME", self.name_of, flex=1), Facet("kind", "KIND", kind_of)],
        )  # fmt: skip
        things = [Thing(str(each), f"Thíng {each % 3_000} X\x1b[2J") for each in range(6_000)]
        self.source = ListSource(things, key=self.resource.key)
        now = datetime(2026, 3, 1, tzinfo=UTC)
        self.texts: ItemTexts[Thing] = ItemTexts(
            self.resource, lambda shown, thing: shown_text(shown, thing, now)
        )

    async def pages(self, *_: Any) -> Any:
        raise AssertionError("the list is there")

    def name_of(self, thing: Thing, now: datetime) -> str:
        self.asked += 1
        return thing.name

    async def filter(self, text: str) -> FilteredSource[Thing]:
        """Filter as somebody does who waits for it."""
        found = FilteredSource(self.source)
        found.where(self.texts.matching(text), text)
        while found.running is not None:
            await found.running
        return found


def kind_of(thing: Thing, now: datetime) -> str | None:
    return None if thing.id == "7" else "odd" if int(thing.id) % 2 else "even"


async def test_what_a_letter_of_a_filter_costs_does_not_grow_with_the_list() -> None:
    things = Things()
    fields = things.texts.fields
    assert fields.following("kind:") == []
    await things.filter("kind:")
    assert fields.following("kind:") == ["kind:even", "kind:odd"]
    assert len(fields.following("name:")) == OFFERED, "not one for each that there is"
    assert fields.following("name:thing") == fields.following("name:")
    assert things.asked == 6_000
    assert (await things.filter('"THING 12 x"')).count == 2
    assert (await things.filter("kind:odd -even thíng")).count == 2_999
    assert things.asked == 6_000, "each is asked for once"
    things.texts.forget()
    assert fields.following("kind:o") == ["kind:odd"], "offered until they are looked at again"
    assert things.asked == 6_000
    things.source.update(Thing("7", "Other"))
    assert [each.id for each in (await things.filter("other")).shown()] == ["7"]
    assert things.asked == 12_000


NOW = datetime(2026, 3, 1, tzinfo=timezone(timedelta(hours=-11)))
ANYWHERE = Target("o", "s", "c", "w", "x", "p", "r", "t", "k", "i")


def odd_service(seed: int) -> httpx.MockTransport:
    """Return a service that answers each operation with something odd in it, always the same."""
    ways = [
        (each.method, re.compile(re.sub(r"\{\w+\}", "[^/]+", each.path)), each)
        for each in sorted(CATALOGUE.values(), key=lambda each: each.path.count("{"))
    ]

    def answer(request: httpx.Request) -> httpx.Response:
        for method, path, operation in ways:
            if method == request.method and path.fullmatch(request.url.path):
                chance = random.Random(f"{seed} {request.url}")
                return httpx.Response(operation.status, content=odd_answer(operation, chance))
        return httpx.Response(404)

    return httpx.MockTransport(answer)


def resources() -> list[Resource[Any]]:
    """Return everything that lists show."""
    load_everything()
    modules = [each for name, each in sys.modules.items() if name.startswith("copydesk.tui")]
    found = (each for module in modules for each in vars(module).values())
    return list({id(each): each for each in found if isinstance(each, Resource)}.values())


def test_what_a_list_says_that_its_items_hold_has_a_pane_that_can_show_it() -> None:
    for resource in resources():
        for kind in resource.contents() if resource.contents else ():
            assert kind.beside < len(kind.shown), kind.title
    for shown in ResourcePlace.__subclasses__():
        held = shown.RESOURCE.contents
        assert (held is not None) == (shown.HORIZONTAL_BREAKPOINTS is VAST), shown.PLACE


def all_of(resource: Resource[Any], item: Any) -> list[Any]:
    """Return all that is shown of an item, copied of it and sorted by."""
    return [
        resource.key(item),
        resource.label(item),
        resource.url(item),
        resource.dim is not None and resource.dim(item),
        *(each.of(item, NOW) for each in resource.shown),
        *(each.sort(item) for each in resource.shown if each.sort is not None),
        *resource.copies(item),
        *resource.more(item, NOW),
        resource.raw(ANYWHERE, item),
    ]


@pytest.mark.long
@given(st.integers(0, 2**32))
@settings(max_examples=max(8, settings().max_examples // 3), deadline=None)
async def test_whatever_is_understood_is_shown(seed: int) -> None:
    every = resources()
    assert len(every) > 15
    shown = 0
    async with Api("http://odd", transport=odd_service(seed)) as api:
        for resource in every:
            view = resource.views[0].id if resource.views else ""
            try:
                page = await resource.pages(api, ANYWHERE, ListQuery(None, 50, view=view))
            except failure_types():
                continue
            for item in page.items:
                shown += len(all_of(resource, item))
    assume(shown)  # of one odd service nothing at all may be understood, not of all of them
