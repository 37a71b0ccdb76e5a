"""The columns of lists that the settings choose."""

from __future__ import annotations

import pytest

from copydesk.domain.list_columns import ListColumns
from copydesk.domain.saved_view import SavedView
from copydesk.session.declarations import known_columns
from copydesk.tui.app import CopydeskApp
from copydesk.tui.widgets.list import VirtualList
from tests.drive import drive
from tests.tui.opening import open_world
from tests.tui.review_world import ReviewWorld
from tests.world import World


def showing(world: World, name: str, *columns: str) -> CopydeskApp:
    """Return a program whose settings choose the columns of a list, on its screen."""
    app = open_world(world, name)
    app.session.lists = {name: ListColumns(name, columns)}
    return app


async def test_a_list_has_the_columns_that_are_wanted_in_their_order(world: World) -> None:
    review = ReviewWorld(world)
    async with drive(showing(review.world, "changes", "age", "subject"), size=(140, 40)) as driver:
        titles = driver.line("SUBJECT").split("│")[0].split()
        assert titles[1:3] == ["UPDATED", "SUBJECT"]
        assert "RULES" not in driver.screen


@pytest.mark.parametrize("name", ["teams", "members"])
async def test_a_list_of_a_resource_has_them_too(world: World, name: str) -> None:
    async with drive(open_world(world, name), size=(140, 40)) as driver:
        place = driver.place
        keys = [column.key for column in place.rows.columns]  # type: ignore[attr-defined]
    wanted = tuple(reversed(keys[:2]))
    async with drive(showing(world, name, *wanted), size=(140, 40)) as driver:
        rows = driver.place.rows  # type: ignore[attr-defined]
        assert rows.columns_shown == set(wanted)
        await rows.remove()  # a read that goes on may ask a screen that was left
        assert rows.columns_shown == set(wanted)


async def test_a_column_that_there_is_not_is_said_with_the_one_that_is_meant(world: World) -> None:
    review = ReviewWorld(world)
    app = showing(review.world, "changes", "subjekt", "zzzz", "age")
    async with drive(app, size=(140, 40)) as driver:
        assert "lists.changes has no column subjekt. Did you mean subject?" in driver.screen
        assert "lists.changes has no column zzzz. It has number, subject," in driver.screen
        assert "UPDATED" in driver.screen
        assert "SUBJECT" not in driver.screen


async def test_the_columns_of_a_view_go_before_those_of_its_list(world: World) -> None:
    review = ReviewWorld(world)
    app = showing(review.world, "changes", "number")
    app.session.views.save(SavedView("Short", columns=("by",), statuses=("open",)))
    async with drive(app, size=(140, 40)) as driver:
        assert "SUBJECT" not in driver.screen
        while driver.place.view != "own:Short":
            await driver.press("[")
        assert "SUBJECT" in driver.screen
        assert " BY" in driver.screen


@pytest.mark.long
@pytest.mark.parametrize("name", sorted(known_columns()))
async def test_no_list_has_a_column_that_the_settings_could_not_name(
    world: World, name: str
) -> None:
    async with drive(open_world(world, name), size=(140, 40)) as driver:
        main = next(iter(driver.place.query(".-main VirtualList").results(VirtualList)), None)
        shown = () if main is None else main.columns
        assert {column.key for column in shown} <= {*known_columns()[driver.place.PLACE]}
