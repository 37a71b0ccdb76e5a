"""What is shown of the items of a list, where the list is long."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

from copydesk.tui.resource_shown import OFFERED, ShowsItems
from copydesk.tui.resources import Resource, Shown
from copydesk.tui.sources import FilteredSource, ListSource
from copydesk.tui.widgets.virtual_list import VirtualList


@dataclass(frozen=True)
class Thing:
    """A thing of a list."""

    id: str
    name: str


class Things(ShowsItems[Thing]):
    """A list of things, with how often it was asked what is shown of one."""

    session: Any = SimpleNamespace(clock=lambda: datetime(2026, 3, 1, tzinfo=UTC))

    def __init__(self) -> None:
        super().__init__()
        self.asked = 0
        self.resource: Resource[Thing] = Resource(
            noun="thing", title="Things", pages=self.pages, key=lambda thing: thing.id,
            label=lambda thing: thing.name, empty="None.",
            shown=[Shown("name", "NAME", self.name_of, flex=1), Shown("kind", "KIND", kind_of)],
        )  # fmt: skip
        things = [Thing(str(each), f"Thíng {each % 3_000} X\x1b[2J") for each in range(6_000)]
        self.source = ListSource(things, key=self.resource.key)
        self.rows = VirtualList(self.source, self.columns_of(self.resource))
        self.rows.fields = self.fields_of()

    async def pages(self, *_: Any) -> Any:
        raise AssertionError("the list is there")

    def name_of(self, thing: Thing, now: datetime) -> str:
        self.asked += 1
        return thing.name

    async def filter(self, text: str) -> FilteredSource[Thing]:
        """Filter as somebody does who waits for it."""
        found = FilteredSource(self.source)
        found.where(self.matching(text), text)
        while found.running is not None:
            await found.running
        return found


def kind_of(thing: Thing, now: datetime) -> str | None:
    return None if thing.id == "7" else "odd" if int(thing.id) % 2 else "even"


async def test_what_a_letter_of_a_filter_costs_does_not_grow_with_the_list() -> None:
    things = Things()
    fields = things.rows.fields
    assert fields is not None
    assert fields.following("kind:") == []
    await things.filter("kind:")
    assert fields.following("kind:") == ["kind:even", "kind:odd"]
    assert len(fields.following("name:")) == OFFERED, "not one for each that there is"
    assert fields.following("name:thing") == fields.following("name:")
    assert things.asked == 6_000
    assert (await things.filter('"THING 12 x"')).count == 2
    assert (await things.filter("kind:odd -even thíng")).count == 2_999
    assert things.asked == 6_000, "each is asked for once"
    things.forget_texts()
    assert fields.following("kind:o") == ["kind:odd"], "offered until they are looked at again"
    assert things.asked == 6_000
    things.source.update(Thing("7", "Other"))
    assert [each.id for each in (await things.filter("other")).shown()] == ["7"]
    assert things.asked == 12_000
