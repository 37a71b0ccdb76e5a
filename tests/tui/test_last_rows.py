"""``G`` reads the last rows first where the service lists the other way round as well."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from copydesk.client.calls import SentRequest
from copydesk.server import conversation_writes
from copydesk.session.target import Target
from copydesk.tui.widgets.list import VirtualList
from tests.drive import drive
from tests.tui.opening import open_world
from tests.world import World

MANY = 260


def clusters(world: World) -> Target:
    home = world.home  # made by the first who asks, so before anything is written

    def write(tx: Any) -> None:
        for n in range(MANY):
            conversation_writes.add_cluster(tx, home, f"Thing {n:03}")

    world.write(write)
    return Target(home)


def comments(world: World) -> Target:
    space = world.space("Guide", {"a": "# A\n\nOne.\n"})
    for n in range(MANY):
        world.comment(space, f"Thing {n:03}")
    return Target(world.home, space)


@pytest.mark.parametrize(
    ("name", "fill", "operation"),
    [
        ("clusters", clusters, "list_issues_clusters"),
        ("space-comments", comments, "list_space_comments"),
    ],
)
async def test_the_last_rows_come_without_those_before_them(
    world: World, name: str, fill: Any, operation: str
) -> None:
    target = fill(world)
    sent: list[SentRequest] = []
    async with drive(open_world(world, name, target), size=(140, 40)) as driver:
        rows = driver.place.pane
        assert isinstance(rows, VirtualList)
        (await driver.app.session.ready()).recorder = sent.append
        await driver.press("G")
        assert Counter(each.name for each in sent)[operation] == 1
        last = driver.selected
        assert rows.cursor == MANY - 1
        assert last is not None
        await driver.press("k", "j")
        assert driver.selected == last
        # Read again, the cursor stays where it is; and all of it, read for a filter, ends the same.
        driver.place.read_again(by_hand=False)
        await driver.idle()
        assert (driver.selected, rows.cursor) == (last, MANY - 1)
        await driver.press("/")
        await driver.burst(*"Thing")
        await driver.press("enter", "escape", "G")
        assert rows.source.base.complete
        assert (driver.selected, rows.cursor) == (last, MANY - 1)
