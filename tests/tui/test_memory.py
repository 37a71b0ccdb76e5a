"""What was left is let go of: no screen stays in memory because of another one, or of its reads."""

from __future__ import annotations

import asyncio
import gc
import heapq
from time import monotonic
from typing import Any
from weakref import ref

import pytest
from textual._styles_cache import StylesCache
from textual.screen import Screen
from textual.widget import Widget

from copydesk.contract.models.content import ContentPage
from copydesk.local.memory import STILL_SECONDS
from copydesk.session.reads.base_revision import RevisionOutline
from copydesk.session.target import Target
from copydesk.tui.framework import navigation
from copydesk.tui.framework.pane import KEPT_FRAMED
from copydesk.tui.widgets.list import KEPT_STRIPS, VirtualList
from tests.drive import Driver, drive, eventually
from tests.tui.opening import open_world, typed
from tests.world import World


def drop_stopped_timers() -> None:
    """Let the event loop forget the timers that were stopped, as it does by and by."""
    loop: Any = asyncio.get_running_loop()
    for timer in loop._scheduled:
        timer._scheduled = not timer.cancelled()
    loop._scheduled = [timer for timer in loop._scheduled if timer._scheduled]
    loop._timer_cancelled_count = 0
    heapq.heapify(loop._scheduled)


async def still_there(driver: Driver, left: dict[str, ref[Screen[Any]]]) -> list[str]:
    """Return which of the screens that were left are in memory."""
    await driver.press("j", "k")
    drop_stopped_timers()
    gc.collect()
    return [name for name, screen in left.items() if screen() is not None]


@pytest.mark.long
async def test_a_review_that_was_left_is_let_go_of(world: World) -> None:
    space = world.space("Handbook", {"a": "# A\n\nOne.\n", "b": "# B\n\nTwo.\n"})
    for number in range(3):
        request = world.change_request(space, {"a": f"# A\n\nOne and {number}.\n"})
        world.comment(space, "A word", change_request=request)
    left: dict[str, ref[Screen[Any]]] = {}
    async with drive(open_world(world, "changes")) as driver:
        for turn in range(6):
            await driver.press("enter", "]", "1", "2", "3", "tab")
            assert driver.place.PLACE == "review"
            left[f"review {turn}"] = ref(driver.place)
            for sheet in ("?", "C"):
                await driver.press(sheet)
                left[f"{sheet} {turn}"] = ref(driver.app.screen)
                await driver.press("escape")
            await driver.press("q", "j" if turn % 2 else "k")
            assert driver.place.PLACE == "changes"
        # What is under way began in the one that was left last, and keeps that for a while.
        assert {name[-1] for name in await still_there(driver, left)} <= {str(turn)}


async def test_a_screen_that_was_left_is_freed_in_the_next_pause(world: World) -> None:
    request = world.change_request(world.space("Handbook", {"a": "# A"}), {"a": "# B"})
    target = Target(space=world.row("change_request", request)["space_id"])
    before = gc.get_threshold()
    async with drive(open_world(world, "changes", target)) as driver:
        gc.disable()
        try:
            driver.app.garbage.settle()
            gc.set_threshold(0, *gc.get_threshold()[1:])  # what it does by itself is not meant
            await driver.press("enter", "2")
            left = {"review": ref[Screen[Any]](driver.place)}
            await driver.press("q", "j")
            drop_stopped_timers()
            driver.app.keyboard.key_at = monotonic()  # however long this machine took since
            driver.app.collect_garbage()
            assert left["review"]() is not None

            async def pause() -> None:
                await driver.turn()
                drop_stopped_timers()
                driver.app.garbage.left = 1
                driver.app.keyboard.key_at = monotonic() - STILL_SECONDS / 2
                driver.app.collect_garbage()
                assert not driver.app.garbage.left

            # On a busy machine its last task may end a turn of the event loop later.
            await eventually(lambda: left["review"]() is None, pause)
        finally:
            gc.set_threshold(*before)  # what is frozen stays so: it is all that was imported too
            gc.enable()


async def test_no_line_that_was_drawn_of_a_screen_stays_when_that_is_left(world: World) -> None:
    # Those of tests before it, which end with screens open: kept, so that no id comes again.
    earlier = [each for each in gc.get_objects() if isinstance(each, StylesCache)]
    space = world.space("Handbook", {"a": "# A\n\nOne.\n"})
    for number in range(2):
        world.change_request(space, {"a": f"# A\n\nOne and {number}.\n"})
    async with drive(open_world(world, "changes"), draws=True) as driver:
        for key in "jkj":
            await driver.press("enter", "2", "?", "escape", "C", "escape", "q", key)
        assert driver.place.PLACE == "changes"
        gc.collect()
        shown = {
            id(part._styles_cache)
            for screen in driver.app.screen_stack
            for widget in screen.walk_children(Widget, with_self=True)
            for part in (widget, *widget._get_virtual_dom())
        }
        kept = [each for each in gc.get_objects() if isinstance(each, StylesCache) and each._cache]
        assert {id(each) for each in kept} <= shown | {id(each) for each in earlier}


async def test_a_long_way_through_a_list_keeps_few_drawn_lines(world: World) -> None:
    space = world.space("Handbook", {"a": "# A"})
    for number in range(200):
        world.change_request(space, subject=f"Edit {number}")
    async with drive(open_world(world, "changes"), draws=True) as driver:
        rows = driver.place.pane
        assert isinstance(rows, VirtualList)
        while rows.cursor < 190:
            await driver.press("pagedown")
        assert len(rows._framed) <= KEPT_FRAMED + rows.size.height
        assert len(rows._strips) <= KEPT_STRIPS


async def test_a_revision_that_requests_are_compared_with_is_kept_without_its_models(
    world: World,
) -> None:
    space = world.space("Handbook", {f"page-{number}": "# A" for number in range(40)})
    world.change_request(space, {"page-1": "# B"})
    world.commit(space, {"page-2": "# C"})
    async with drive(open_world(world, "changes"), "j") as driver:
        assert driver.line("A change")
        gc.collect()
        models = [each for each in gc.get_objects() if isinstance(each, ContentPage)]
        trees = [each for each in gc.get_objects() if isinstance(each, RevisionOutline)]
        assert trees
        assert len(models) < 40


@pytest.mark.long
async def test_every_screen_that_was_left_is_let_go_of(world: World) -> None:
    space = world.space("Handbook", {"a": "# A\n\nOne.\n"})
    request = world.change_request(space, {"a": "# A\n\nTwo.\n"})
    navigation.load_all()
    target = Target(organization=world.home, space=space, change_request=request)
    left: dict[str, ref[Screen[Any]]] = {}
    async with drive(open_world(world, "organizations", target)) as driver:
        ours = [
            name
            for name, entry in navigation.ENTRIES.items()
            if entry.place.__module__.startswith("copydesk.")
        ]

        async def visit(names: list[str]) -> None:
            for name in names:
                await driver.press(":")
                await driver.burst(*typed(name), "enter")
                if len(driver.app.screen_stack) > 1:
                    left.setdefault(name, ref(driver.place))
                    await driver.press("q")
                for _ in driver.app.screen_stack[1:]:
                    await driver.press("escape", "q")

        await visit(ours)
        assert len(left) > len(ours) / 2
        # Of those that were left last, the event loop may keep one for a while: what was left
        # before another one of its kind was opened is looked at.
        await visit(await still_there(driver, left))
        assert await still_there(driver, left) == []
