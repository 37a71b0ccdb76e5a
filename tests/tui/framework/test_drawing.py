"""Lines that are used again are those that Textual would draw anew."""

from __future__ import annotations

from random import Random

import pytest
from rich.segment import Segment
from rich.text import Text
from textual.geometry import Region, Size
from textual.scroll_view import ScrollView

from copydesk.present.facts import Fact
from copydesk.tui.framework.pane import Pane, SteadyScrollBar
from copydesk.tui.theme import THEMES
from copydesk.tui.widgets.facts import LONGEST, bounded
from tests.drive import Driver, drive
from tests.tui.desk_place import DeskApp, Request
from tests.tui.review_world import ReviewWorld, furnish
from tests.world import World

ROWS = [Request(str(number), f"Subject {number % 7}", "ana") for number in range(300)]


def compare(driver: Driver) -> None:
    """Hold every pane on the screen against what it would be without memory."""
    for pane in driver.app.screen.query(Pane):
        whole = pane.outer_size.region
        if not pane.display or not whole:
            continue
        for crop in (whole, Region(2, 1, max(1, whole.width - 4), max(1, whole.height - 2))):
            drawn = pane.render_lines(crop)
            pane._styles_cache.clear()
            anew = ScrollView.render_lines(pane, crop)
            assert [list(Segment.simplify(line)) for line in drawn] == [
                list(Segment.simplify(line)) for line in anew
            ]


@pytest.mark.parametrize("what", ["list", "review"])
async def test_what_is_drawn_again_is_what_would_be_drawn_anew(what: str, world: World) -> None:
    chance = Random(what)
    review = ReviewWorld(world)
    furnish(review)
    app = DeskApp(ROWS) if what == "list" else review.app()
    async with drive(app, size=(90, 26), draws=True) as driver:
        for _ in range(20):
            match chance.randrange(6):
                case 0:
                    await driver.press("tab")
                case 1:
                    await driver.resize(chance.randint(40, 150), chance.randint(10, 45))
                case 2:
                    driver.app.theme = chance.choice(THEMES).name
                    await driver.idle()
                case 3:
                    pane = driver.place.pane
                    assert pane is not None
                    pane.title = f"Title {chance.randrange(3)}"
                    await driver.idle()
                case _:
                    await driver.press(chance.choice(["j", "k", "J", "G", "g g", "ctrl+d", "v"]))
            compare(driver)


def test_a_bar_of_one_cell_has_no_steps() -> None:
    for cells, rows in ((1, 50), (1, 2), (3, 3), (3, 100_000)):
        bar = SteadyScrollBar()
        bar.set_reactive(SteadyScrollBar.window_size, cells)
        bar.set_reactive(SteadyScrollBar.window_virtual_size, rows)
        bar._size = Size(1, cells)
        places = [bar.validate_position(at) for at in range(rows - cells + 1)]
        assert places == sorted(places)
        assert places[0] == 0
        assert places[-1] == rows - cells


def test_details_draw_no_more_than_there_is_any_use_for() -> None:
    facts = [Fact("title", "x" * 50_000), Fact("", "more"), Fact("by", Text("Lee"))]
    title, rest = bounded(facts)
    assert title == Fact("title", "x" * LONGEST)
    assert isinstance(rest.text, Text)
    assert rest.text.plain.endswith("10,007 characters more")
    assert list(bounded(facts[1:])) == facts[1:]
