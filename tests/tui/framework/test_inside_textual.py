"""What screens and the program do otherwise than Textual does, beside what that does by itself.

What they do so for is held elsewhere: the end in tests/tui/test_sudden_end.py, memory in
tests/tui/test_memory.py, the terminal in tests/terminal/test_ends.py.
"""

from __future__ import annotations

import asyncio
from contextlib import nullcontext
from random import Random
from typing import TYPE_CHECKING, Any, cast

import pytest
from rich.segment import Segment
from textual import events
from textual._compositor import ChopsUpdate, Compositor, CompositorUpdate, LayoutUpdate
from textual.app import App, ComposeResult
from textual.containers import VerticalScroll
from textual.geometry import Region, Size
from textual.screen import Screen
from textual.strip import Strip
from textual.widgets import Label

from copydesk.domain.text import clean
from copydesk.tui.framework.inside_textual import (
    LaidOutOnce,
    PartCompositor,
    SteadyScreen,
    give_way,
    hurry,
    terminal_parser,
)
from tests.drive import drive, eventually
from tests.tui.opening import open_world
from tests.world import World

if TYPE_CHECKING:
    from rich.console import RenderableType


class Theirs(Screen[None]):
    """A screen of Textual that tells what it is asked for."""

    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (100, "-wide")]
    composed: frozenset[str] = frozenset()
    layouts = 0

    def compose(self) -> ComposeResult:
        self.composed = self.classes
        yield Label("What is clicked")

    def _refresh_layout(self, *args: Any, **kwargs: Any) -> None:
        self.layouts += 1
        super()._refresh_layout(*args, **kwargs)


class Ours(Theirs, SteadyScreen[None]):
    """One of ours that tells the same."""

    drawings = 0

    def before_drawing(self) -> None:
        self.drawings += 1


async def test_a_frame_that_is_asked_for_does_not_wait_for_a_tick(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with App[None]().run_test() as pilot:
        screen = Ours()
        await pilot.app.push_screen(screen)
        await pilot.pause()

        async def sleep(_: float) -> None:
            await asyncio.get_running_loop().create_future()

        monkeypatch.setattr("textual.timer.sleep", sleep)
        for _ in range(2):  # Textual's timer sleeps before what comes after its first tick
            screen.drawings = 0
            screen.prepare_drawing()
            await eventually(lambda: screen.drawings > 0, lambda: asyncio.sleep(0))


@pytest.mark.parametrize("by_key", [True, False])
async def test_a_key_waits_for_no_frame_but_that_of_another_key(by_key: bool) -> None:
    async with App[None]().run_test() as pilot:
        screen = Ours()
        await pilot.app.push_screen(screen)
        await pilot.pause()

        async def drawn(by_key: bool) -> bool:
            screen.drawings = 0
            if by_key:
                hurry(screen)
            screen.prepare_drawing()
            for _ in range(20):
                await asyncio.sleep(0)
            return screen.drawings > 0

        await eventually(lambda: screen.drawings > 0, lambda: drawn(False))
        assert await drawn(by_key) is by_key, "two frames at once, and none of a key"
        assert not await drawn(True), "a frame for each key of many"


@pytest.mark.parametrize(("kind", "known"), [(Theirs, False), (Ours, True)])
async def test_the_shape_for_a_size_is_known_before_anything_is_styled(
    kind: type[Theirs], known: bool
) -> None:
    app, screen = App[None](), kind()
    async with app.run_test(size=(120, 30)):
        await app.push_screen(screen)
        assert ("-wide" in screen.composed) == known
        assert screen.has_class("-wide")


@pytest.mark.parametrize(("kind", "more"), [(Theirs, 1), (Ours, 0)])
async def test_a_size_that_is_told_twice_is_laid_out_once(kind: type[Theirs], more: int) -> None:
    app, screen = App[None](), kind()
    async with app.run_test() as pilot:
        await app.push_screen(screen)
        await pilot.pause()
        before = screen.layouts
        screen._screen_resized(screen.size)
        assert screen.layouts == before + more


class OurLabel(LaidOutOnce, Label):
    """A label whose size changes nothing around it."""


@pytest.mark.parametrize(("kind", "layouts"), [(Label, 2), (OurLabel, 1)])
async def test_what_became_larger_is_laid_out_once(kind: type[Label], layouts: int) -> None:
    app, screen, label = App[None](), Ours(), kind("One line")
    label.styles.height = 1
    async with app.run_test() as pilot:
        await app.push_screen(screen)
        await screen.mount(label)
        await pilot.pause()
        before = screen.layouts
        label.styles.height = 3
        await pilot.pause()
        await pilot.pause()
        assert label.size.height == 3
        assert screen.layouts == before + layouts


async def test_what_is_prepared_for_a_drawing_is_prepared_once() -> None:
    app, screen = App[None](), Ours()
    async with app.run_test() as pilot:
        await app.push_screen(screen)
        await pilot.pause()
        for _ in range(3):
            screen.prepare_drawing()
        screen._refresh_layout()  # which stops the clock of the screen
        assert screen.drawings == 0
        await eventually(lambda: screen.drawings > 0, pilot.pause)
        await pilot.pause()
        assert screen.drawings == 1


@pytest.mark.parametrize(("kind", "harmless"), [(Theirs, False), (Ours, True)])
async def test_a_click_on_what_is_gone_and_still_drawn_hits_nothing(
    kind: type[Theirs], harmless: bool
) -> None:
    app, screen = App[None](), kind()
    async with app.run_test() as pilot:
        await app.push_screen(screen)
        await pilot.pause()
        label = screen.query_one(Label)
        label._detach()
        assert screen.get_widget_at(1, 0)[0] is label
        click = events.MouseDown(None, 1, 0, 0, 0, 1, False, False, False, 1, 0)
        with nullcontext() if harmless else pytest.raises(AttributeError):
            screen._forward_event(click)
        label._attach(screen)


class Counted(Label):
    """A label that counts how often its lines are drawn."""

    drawn = 0

    def render_lines(self, crop: Region) -> list[Strip]:
        self.drawn += 1
        return super().render_lines(crop)


@pytest.mark.parametrize(("kind", "drawn"), [(Theirs, 1), (Ours, 0)])
async def test_what_lies_between_two_that_changed_is_not_drawn(
    kind: type[Theirs], drawn: int
) -> None:
    app, screen = App[None](), kind()
    async with app.run_test() as pilot:
        await app.push_screen(screen)
        first, between, last = labels = [Counted("What is drawn") for _ in range(3)]
        await screen.mount(*labels)
        await pilot.pause()
        counts = [each.drawn for each in labels]
        screen._compositor._dirty_regions = {first.region, last.region}
        assert screen._compositor.render_partial_update() is not None
        now = [each.drawn - before for each, before in zip(labels, counts, strict=True)]
        assert now == [1, drawn, 1]
        assert between.region.y == first.region.y + 1


class Overlapping(App[None]):
    """Docked lines, rows that scroll, and what lies over them and beyond the edge."""

    CSS = """
    Screen { layers: base over; }
    #top { dock: top; }
    #bottom { dock: bottom; height: 2; }
    VerticalScroll { border: round white; }
    .over { layer: over; width: 20; height: 5; border: solid white; }
    #dialog { offset: 12 4; }
    #toast { offset: 24 7; }
    #before { offset: -8 -2; }
    #beyond { offset: 32 11; }
    #empty { width: 0; height: 0; offset: 5 5; }
    """

    def compose(self) -> ComposeResult:
        yield Label("top " * 9, id="top")
        with VerticalScroll():
            yield from (Label(f"row {at}\n{'x' * at}") for at in range(20))
        yield Label("bottom " * 9, id="bottom")
        for name in ("dialog", "toast", "before", "beyond", "empty"):
            yield Label(f"{name}\n" * 5, id=name, classes="over")


def cells_of(compositor: Compositor, size: Size, parts: set[Region]) -> list[tuple[object, ...]]:
    """Return what a compositor draws for parts that changed: each cell, with its place."""
    compositor._dirty_regions = parts
    update = compositor.render_partial_update()
    assert isinstance(update, ChopsUpdate)
    found: list[tuple[object, ...]] = []
    for y, first, stop in update.spans:
        line = [""] * size.width
        for x, strip in update.chops[y].items():
            if strip is not None:
                line[x : x + strip.cell_length] = strip.text
        found += [(x, y, line[x]) for x in range(first, stop)]
    return found


async def test_a_part_of_a_frame_is_drawn_as_the_whole_of_it() -> None:
    app, chance, size = Overlapping(), Random(7), Size(44, 14)
    async with app.run_test(size=(size.width, size.height)) as pilot:
        rows, compositor = app.query_one(VerticalScroll), app.screen._compositor
        for line in (0, 3, 17):
            rows.scroll_to(y=line, animate=False)
            await pilot.pause()
            for _ in range(40):
                at = chance.randrange(size.width), chance.randrange(size.height)
                wide = chance.randrange(1, 20), chance.randrange(1, 4)
                part = Region(*at, *wide).intersection(size.region)
                parts = {part, Region(chance.randrange(size.width), 0, 1, 1)}
                drawn = []
                for kind in (PartCompositor, Compositor):
                    compositor.__class__ = kind
                    drawn.append(cells_of(compositor, size, set(parts)))
                assert drawn[0] == drawn[1], parts
        assert rows.scroll_y == 17


BAD = Strip([Segment("a\x1b[2Jb")])


@pytest.mark.parametrize(
    "frame",
    [LayoutUpdate([[BAD]], Region(0, 0, 6, 1)), ChopsUpdate([{0: BAD}], [(0, 0, 6)], [[6]])],
)
async def test_a_frame_for_a_terminal_is_looked_through(
    frame: CompositorUpdate, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = open_world(world, "spaces")
    async with drive(app):
        drawn: list[CompositorUpdate] = []
        with monkeypatch.context() as patch:
            patch.setattr(App, "is_headless", property(lambda _: False))
            patch.setattr(App, "_display", lambda _, screen, found: drawn.append(found))
            app._display(app.screen, cast("RenderableType", frame))
        written = drawn[0].render_segments(app.console)
        assert "a" in written
        assert "b" in written
        assert "\x1b[2J" not in written


async def test_what_only_waited_for_what_was_stopped_does_not_end_the_program(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    app, noted = open_world(world, "spaces"), list[BaseException]()
    monkeypatch.setattr(app.sudden_end, "note", noted.append)

    async def stopped() -> None:
        raise asyncio.CancelledError

    async with drive(app) as driver:
        app.call_later(stopped)
        await eventually(lambda: bool(noted), driver.turn)
        await driver.press("?")
        assert app.is_running
    assert [type(each) for each in noted] == [asyncio.CancelledError]


async def test_what_is_to_be_done_next_is_done_though_its_worker_is_stopped(world: World) -> None:
    app, gate, done = open_world(world, "spaces"), asyncio.Event(), list[str]()

    async def next_one() -> None:
        done.append("begun")
        await gate.wait()
        done.append("done")

    async def work() -> None:
        app.call_next(next_one)
        await app._flush_next_callbacks()

    async with drive(app) as driver:
        worker = app.run_worker(work())
        await eventually(lambda: done == ["begun"], lambda: asyncio.sleep(0))
        worker.cancel()
        gate.set()
        await eventually(lambda: done == ["begun", "done"], driver.turn)


async def test_a_screen_gives_way_whole_though_the_worker_that_asked_is_stopped(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    app, noted = open_world(world, "spaces"), list[BaseException]()
    monkeypatch.setattr(app.sudden_end, "note", noted.append)
    async with drive(app) as driver:
        former, other = app.screen, Ours()
        worker = app.run_worker(give_way(former, other))
        await eventually(lambda: app.screen is other, lambda: asyncio.sleep(0))
        worker.cancel()
        await eventually(lambda: not former.is_attached, driver.turn)
        await driver.turn()
        assert (app.screen, other.is_running) == (other, True)
    assert noted == []


class Busy(Ours):
    """One that is told something else after each size."""

    told = 0

    def on_resize(self) -> None:
        self.told += 1
        if self.told < 20:
            self.call_after_refresh(self.refresh)


async def test_two_sizes_do_not_take_turns_without_end() -> None:
    app, screen = App[None](), Busy()
    async with app.run_test(size=(80, 24)) as pilot:
        await app.push_screen(screen)
        await pilot.pause()
        screen.told = 0
        for size in (Size(140, 40), Size(80, 24)):
            screen.post_message(events.Resize(size, size))
            screen.call_later(screen.refresh)
        await pilot.pause()
        await pilot.pause()
        assert (screen.size, screen.told) == (Size(80, 24), 2)


@pytest.mark.parametrize(
    ("read", "keys"),
    [
        ("\x1b[7^\x1b[8^", ["ctrl+home", "ctrl+end"]),  # rxvt
        ("\x1b[R\x1b[1;129R\x1b[1;2R", ["f3", "f3", "shift+f3"]),  # 129: with NumLock, in Kitty
        ("g\x1b[57441;130uS", ["g", "S"]),  # the shift of a letter, in Kitty
        ("\x1b[57358;65u\x1b[57360;129u\x1b[57442u", []),
        ("\x1b[28~\x1b[33~\x1b[99~", ["f15", "f19"]),  # their numbers are no characters
        ("\x1b[Jj\x1b[4hj\x1b[?62;cj\x1b[3@j\x1b[0nj", ["j"] * 5),  # unknown
        ("\x1b[1;1:3Aj\x1b[97;1:3uj", ["j", "j"]),  # let go, which nobody asked for
        ("\x1b[[A\x1b[3$\x1b[Z\x1b[97;5u", ["f1", "shift+delete", "shift+tab", "ctrl+a"]),
    ],
)
def test_a_key_is_the_same_in_every_terminal(read: str, keys: list[str]) -> None:
    together = "R" in read  # known by what is read with it
    for size in (len(read),) if together else (1, len(read)):
        parser = terminal_parser()
        found = [each for at in range(0, len(read), size) for each in parser.feed(read[at:][:size])]
        assert [each.key for each in found if isinstance(each, events.Key)] == keys
        assert len(found) == len(keys)


@pytest.mark.parametrize(
    ("term", "read", "keys"),
    [
        # The Enter beside the numbers, which is sent as ctrl+j is.
        ("alacritty", "\n", ["enter"]),
        ("xterm-256color", "\n", ["ctrl+j"]),
        # With alt; elsewhere Escape, and then a key that was typed ahead.
        (
            "rxvt-unicode-256color",
            "\x1b\x1b[A\x1b\x1bOB\x1b\x1b[5~",
            ["alt+up", "alt+down", "alt+pageup"],
        ),
        ("xterm-256color", "\x1b\x1b[B", ["escape", "down"]),
    ],
)
def test_what_terminals_send_alike_is_told_apart_by_their_names(
    term: str, read: str, keys: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TERM", term)
    monkeypatch.delenv("TERM_PROGRAM", raising=False)
    found = list(terminal_parser().feed(read))
    assert [each.key for each in found if isinstance(each, events.Key)] == keys


def test_a_click_and_what_a_terminal_tells_are_no_unknown_sequences() -> None:
    read = "\x1b[<0;3;4M\x1b[32;3;4M\x1b[I\x1b[O\x1b[?2026;2$y\x1b[<0;3;4m"
    told = [type(each).__name__ for each in terminal_parser().feed(read)]
    assert told == [
        *("MouseDown", "AppFocus", "AppBlur", "TerminalSupportsSynchronizedOutput", "MouseUp"),
    ]


@pytest.mark.parametrize("size", [1, 2, 3, 7, 4096])
def test_an_escape_in_what_is_pasted_presses_no_key(size: int) -> None:
    typed = "a\x1b[200~one \x1b[31mred\x1b[0m \x1b two\x1b\x1b[201~b\x1b[200~more\x1b[201~"
    parser = terminal_parser()
    found: list[Any] = []
    for at in range(0, len(typed), size):
        found += parser.feed(typed[at : at + size])
    assert [type(each) for each in found] == [
        *(events.Key, events.Paste, events.Key, events.Paste),
    ]
    assert [each.key for each in found if isinstance(each, events.Key)] == ["a", "b"]
    pasted = [each.text for each in found if isinstance(each, events.Paste)]
    # The controls are those that a field takes out, with what belongs to them.
    assert [clean(each) for each in pasted] == ["one red  two", "more"]
    assert "\x1b" not in "".join(pasted)
