"""Lines that are used again are those that Textual would draw anew."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from rich.segment import Segment
from rich.text import Text
from textual.geometry import Region, Size
from textual.scroll_view import ScrollView
from textual.strip import Strip
from textual.widget import Widget

from copydesk.present.facts import Fact
from copydesk.tui.framework.frame import Foot
from copydesk.tui.framework.pane import Pane, SteadyScrollBar
from copydesk.tui.framework.theme import THEMES
from copydesk.tui.widgets.facts import LONGEST, Facts, bounded
from copydesk.tui.widgets.list import VirtualList
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


async def test_a_bar_that_stays_is_what_a_layout_would_make_of_it() -> None:
    async with drive(DeskApp(ROWS), size=(90, 26)) as driver:
        pane, screen = driver.place.pane, driver.app.screen
        assert isinstance(pane, VirtualList)
        layouts = list[object]()
        screen.screen_layout_refresh_signal.subscribe(pane, layouts.append)

        def shown() -> object:
            bar = pane.vertical_scrollbar
            length = bar.window_virtual_size if bar.display else 0
            return pane.show_vertical_scrollbar, length, pane.scroll_y, pane.virtual_size

        for lines, laid_out in (200, False), (60, False), (5, True), (8, False), (90, True):
            pane.scroll_to(y=pane.max_scroll_y, animate=False)
            await driver.idle()
            layouts.clear()
            pane.resize_lines(lines)
            await driver.idle()
            assert bool(layouts) == laid_out, lines
            before = shown()
            screen.refresh(layout=True)
            await driver.idle()
            assert shown() == before, lines


@pytest.mark.long
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


class Lines(Pane):
    """A pane of empty lines."""

    def render_line(self, y: int) -> Strip:
        """Return an empty line."""
        return Strip.blank(self.line_width)


async def test_the_thumb_stands_where_its_pane_is_though_the_bar_came_after_the_scroll() -> None:
    async with drive(DeskApp(ROWS)) as driver:
        pane = Lines()
        pane.styles.height = 10
        await driver.place.mount(pane)
        await driver.idle()
        pane.resize_lines(100)
        pane.scroll_to(y=50, animate=False, force=True)
        assert not pane.show_vertical_scrollbar, "it comes with the next layout"
        await driver.idle()
        assert pane.scroll_y == 50
        assert driver.screen
        assert 49 < pane.vertical_scrollbar.position < 51
        pane.resize_lines(5_000)
        await driver.idle()
        assert driver.screen
        before = pane.vertical_scrollbar.position
        pane.scroll_to(y=0, animate=False, force=True)
        pane.scroll_to(y=50, animate=False, force=True)
        assert before == pane.vertical_scrollbar.position, "no matter what it was before"


def test_details_draw_no_more_than_there_is_any_use_for() -> None:
    facts = [Fact("title", "x" * 50_000), Fact("", "more"), Fact("by", Text("Lee"))]
    title, rest = bounded(facts)
    assert title == Fact("title", "x" * LONGEST)
    assert isinstance(rest.text, Text)
    assert rest.text.plain.endswith("10,007 characters more")
    assert list(bounded(facts[1:])) == facts[1:]


async def test_a_part_of_a_frame_draws_only_what_it_shows(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[Widget] = []

    def note(kind: type[Widget]) -> None:
        draw = kind.render_lines

        def noted(widget: Any, crop: Region) -> list[Strip]:
            drawn.append(widget)
            return draw(widget, crop)

        monkeypatch.setattr(kind, "render_lines", noted)

    async with drive(DeskApp(ROWS), size=(90, 26), draws=True) as driver:
        head, rows = driver.place.query_one("#head"), driver.place.pane
        assert isinstance(rows, VirtualList)
        note(Widget)
        note(Pane)
        rows.refresh_line(3)
        driver.place.query_one("#foot").refresh()
        await driver.idle()
        assert {type(each) for each in drawn} >= {VirtualList, Foot}
        assert head not in drawn


async def test_other_details_draw_the_lines_that_differ() -> None:
    facts = Facts(title="one")
    async with drive(DeskApp(ROWS), size=(90, 26), draws=True) as driver:
        await driver.place.mount(facts)
        facts.show([Fact("by", "Lee"), Fact("at", "noon"), Fact("of", "long " * 40)])
        await driver.idle()
        before = [facts.render_line(y) for y in range(4)]
        facts.show([Fact("by", "Ana"), Fact("at", "noon"), Fact("of", "long " * 40)], title="two")
        lines = {y for region in facts._repaint_regions for y in region.line_range}
        assert lines == {0, facts.gutter.top}, "the title, and one fact"
        after = [facts.render_line(y) for y in range(4)]
        assert [old is new for old, new in zip(before, after, strict=True)] == [
            False, True, True, True,
        ]  # fmt: skip
        facts.show([Fact("by", Text("Ana", style="bad"))])
        tones = {segment.style for segment in facts.render_line(0) if "Ana" in segment.text}
        facts.show([Fact("by", Text("Ana", style="good"))])
        others = {segment.style for segment in facts.render_line(0) if "Ana" in segment.text}
        assert tones != others, "another tone is another fact"
