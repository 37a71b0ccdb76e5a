"""The frame, the keys and the sheets, driven as a person would."""

from __future__ import annotations

import asyncio

import pytest
from textual.widgets import Input

from copydesk.client.errors import Forbidden, Unreachable
from copydesk.session.errors import NOT_CACHED
from copydesk.tui.dialogs.dialog import TypeToConfirm
from copydesk.tui.framework.frame import ends_with_an_answer
from copydesk.tui.framework.pane import offered
from copydesk.tui.system.activity import Activity
from copydesk.tui.system.help import HelpView
from tests.drive import drive
from tests.tui.desk_place import REQUESTS, DeskApp, DeskPlace, Request


async def test_the_screen_at_both_sizes(update_golden: bool) -> None:
    for size in ((80, 24), (140, 40)):
        async with drive(DeskApp(), "j", size=size) as driver:
            driver.golden("framework", update=update_golden)


async def test_moving_and_chords() -> None:
    rows = [Request(str(i), f"Change {i}", "lee") for i in range(500)]
    async with drive(DeskApp(rows)) as driver:
        await driver.press("j", "j", "k")
        assert driver.selected == "1"
        await driver.press("G")
        assert driver.selected == "499"
        await driver.pilot.press("g")
        assert "gg first" in driver.screen
        await driver.press("g")
        assert driver.selected == "0"
        await driver.press("z R")
        assert "unfolded all" in driver.screen
        await driver.press("g z")
        assert "gz means nothing here. g shows what does." in driver.screen


async def test_rows_that_come_to_a_list_that_was_taken_away_move_its_cursor() -> None:
    async with drive(DeskApp()) as driver:
        place = driver.app.screen
        assert isinstance(place, DeskPlace)
        await place.rows.remove()
        assert place.rows.select(REQUESTS[1].id)
        assert place.rows.place_reads is None


async def test_a_begun_chord_shows_all_that_it_may_become() -> None:
    for width, height in ((80, 24), (140, 40)):
        async with drive(DeskApp(), size=(width, height)) as driver:
            await driver.send("g")
            await driver.idle()
            for said in ("gc Change requests", "gO Organization settings", "gL Translations"):
                assert said in driver.screen, "a key and what it does are on one line"
            await driver.press("escape")
            assert "gc Change requests" not in driver.screen


async def test_a_key_that_is_off_says_why_and_a_foreign_key_that_it_does_nothing() -> None:
    async with drive(DeskApp(), "a") as driver:
        assert "You may not approve here." in driver.screen
        await driver.press("%")
        assert "% does nothing here. ? lists the keys." in driver.screen
        await driver.press("ctrl+s")
        assert "confirm" not in driver.screen
        await driver.press("@", "escape", "r")
        assert "r does nothing here. R is “refresh”." in driver.screen


async def test_a_long_message_takes_the_lines_that_it_needs() -> None:
    words = " ".join(f"word{number}" for number in range(25))
    async with drive(DeskApp(), size=(80, 24)) as driver:
        driver.place.say(words, "warn")
        await driver.idle()
        assert "word24" in driver.screen
        await driver.resize(100, 24)
        assert "word24" in driver.screen
        await driver.press("j")
        assert "word" not in driver.screen
        await driver.resize(80, 24)
        driver.golden("framework")


async def test_a_jump_opens_a_view_and_dash_returns() -> None:
    async with drive(DeskApp()) as driver:
        await driver.press("g 2")
        assert driver.place.view == "mine"
        assert "[Mine]" in driver.screen
        await driver.press("1")
        assert driver.place.view == "all"
        await driver.press("]")
        assert driver.place.view == "mine"


async def test_a_view_is_gone_to_by_what_it_is_called_on_the_screen() -> None:
    async with drive(DeskApp()) as driver:
        for name, view in (("Mine", "mine"), ("ALL", "all"), ("2", "mine"), ("²", "mine")):
            await driver.press(":")
            await driver.type(f"view {name}")
            await driver.press("enter")
            assert driver.place.view == view


async def test_a_merge_is_asked_logged_and_undone() -> None:
    app = DeskApp()
    async with drive(app, "j", "m") as driver:
        assert "Merge #118" in driver.screen
        await driver.press("z")
        assert "z does nothing here." in driver.screen
        await driver.press("enter")
        assert "does nothing here" not in driver.screen
        assert "Enter confirms nothing" in driver.screen
        await driver.press("ctrl+c")
        assert "Press ctrl+c again" in driver.screen
        assert app.service.merged == []
        await driver.press("y")
        assert app.service.merged == ["118"]
        assert "u undo" in driver.screen
        await driver.press(":", *"log", "enter")
        assert "done" in driver.line("#118")
        await driver.press("escape", "u")
        assert app.service.merged == []


async def test_the_last_write_is_told_with_own_keys_and_what_it_is_about_as_it_is() -> None:
    app = DeskApp()
    app.use_keys({"place.undo": ("z",), "go.log": ("f4",)})
    async with drive(app, "j", "m", "y") as driver:
        done = app.session.reversals.undoable()
        assert done is not None
        assert app.here is not None
        done.target = "Keys (u): u undoes it"
        app.here.status.update()
        await driver.idle()
        assert "last: merge Keys (u): u undoes it   z undo" in driver.screen


async def test_who_only_reads_is_told_all_that_a_service_said() -> None:
    app = DeskApp()
    async with drive(app) as driver:
        app.session.read_only = True
        refused = "Not allowed: a pass is needed; m sits at the desk."
        assert offered(driver.place, f"{refused} R tries again.") == f"{refused} R tries again."
        assert (
            offered(driver.place, "“a; m merges” is here. m merges it.") == "“a; m merges” is here."
        )


async def test_a_refused_write_is_told_and_can_be_retried() -> None:
    app = DeskApp()
    async with drive(app, "m") as driver:
        app.service.failure = Forbidden("You need the editor role.", status=403)
        await driver.press("y")
        assert "You need the editor role." in driver.screen
        app.service.failure = None
        await driver.press("@", "r")
        assert app.service.merged == ["121"]


async def test_a_danger_of_three_takes_the_typed_name() -> None:
    async with drive(DeskApp(), "D") as driver:
        await driver.type("12")
        await driver.press("ctrl+s")
        assert "That is not the name." in driver.screen
        await driver.type("1")
        await driver.press("ctrl+s")
        assert "deleted" in driver.screen


async def test_a_sheet_does_not_open_over_what_its_user_went_on_to() -> None:
    app = DeskApp()
    app.service.slow = asyncio.Event()
    async with drive(app) as driver:
        for key in ("D", "@"):
            await driver.send(key)
        assert isinstance(app.screen, Activity)
        app.service.slow.set()
        await driver.idle()
        assert isinstance(app.screen, Activity)
        assert "“Delete #121” was not opened" in driver.screen
        await driver.press("escape", "D")
        assert "Delete #121" in driver.screen


async def test_filter_as_you_type_and_esc() -> None:
    async with drive(DeskApp(), "/") as driver:
        await driver.press(*"webhook")  # drawn after each letter
        assert "1 of 4 match" in driver.screen
        assert "Rate limit" not in driver.screen
        await driver.press("enter")
        assert "filter: webhook" in driver.screen
        await driver.press("escape")
        assert "Rate limit" in driver.screen
        await driver.press("escape")
        assert "This is the first screen." in driver.screen


async def test_command_line_completes_and_names_the_nearest() -> None:
    async with drive(DeskApp(), ":") as driver:
        await driver.type("pi")
        await driver.press("tab")
        await driver.type("114")
        await driver.press("enter")
        assert driver.selected == "114"
        await driver.press(":")
        await driver.type("pik")
        await driver.press("enter")
        assert "Nearest: :pick" in driver.screen


async def test_help_lists_reasons() -> None:
    async with drive(DeskApp(), "?") as driver:
        await driver.type("approve")
        assert "off: You may not approve here." in driver.screen
        await driver.press("escape")
        assert "Keys here" not in driver.screen


async def test_help_is_read_whole() -> None:
    for size in ((80, 24), (140, 40)):
        async with drive(DeskApp(), "?", size=size) as driver:
            assert "Open the row under the cursor" in driver.screen
            await driver.press("down", "pagedown", "pageup")
            view = driver.app.screen.query_one(HelpView)
            await driver.type("again")
            for row in range(view.rows):
                drawn = "\n".join(
                    "".join(text for text, _ in line) for line in view.draw(row, size[0] - 8)
                )
                assert "…" not in drawn.replace("token…", "").replace("copy…", ""), drawn
            await driver.resize(30, 12)
            assert "…" not in driver.screen


async def test_facts_above_what_is_typed_are_moved_through_beside_it() -> None:
    async with drive(DeskApp(), size=(60, 12)) as driver:
        facts = [f"Page {number}" for number in range(30)]
        sheet = TypeToConfirm("Delete", facts, expect="jGk", verb="delete")
        driver.app.push_screen(sheet)
        await driver.idle()
        assert "↑ more (up, down)" in driver.screen
        await driver.press("pageup", "pageup")
        assert "↑↓ more" in driver.screen
        await driver.type("jGk")
        await driver.press("pagedown", "pagedown", "pagedown")
        assert sheet.query_one(Input).value == "jGk"
        assert "↑ more (up, down)" in driver.screen
        await driver.press("ctrl+s")
        assert driver.app.screen is not sheet


async def test_an_error_of_a_list_is_a_line_with_another_try() -> None:
    app = DeskApp()
    app.service.failure = Unreachable("No answer from desk.test.")
    async with drive(app) as driver:
        assert "Offline: No answer from desk.test." in driver.screen
        app.service.failure = None
        await driver.press("enter")
        assert "Rate limit page rewrite" in driver.screen


async def test_user_keys_replace_the_declared_ones() -> None:
    app = DeskApp(keymap={"desk.merge": ("M", "z m")})
    async with drive(app, "m") as driver:
        assert "Merge #121" not in driver.screen
        assert "M merge" in driver.screen
        await driver.press("z m")
        assert "Merge #121" in driver.screen


@pytest.mark.parametrize(
    ("keys", "shown"),
    [
        ((*":mine",), ":mine"),
        ((*"/merge",), "/merge"),
    ],
)
async def test_what_is_typed_at_once_goes_into_the_line(keys: tuple[str, ...], shown: str) -> None:
    app = DeskApp()
    async with drive(app) as driver:
        await driver.burst(*keys)
        line = app.focused
        assert isinstance(line, Input)
        assert line.value == shown[1:]
        assert app.screen is driver.place
        assert not app.service.merged
        await driver.press("escape", "j")
        assert driver.selected == REQUESTS[1].id


@pytest.mark.parametrize(
    ("text", "over"),
    [
        ("Offline: no route.", True), (f"{NOT_CACHED}Offline: no route.", True),
        ("Token refused. x", True), ("API limit reached. x", True), ("Still reading.", True),
        ("Gone. Removed.", False), ("It is Offline: x", False), ("", False),
    ],
)  # fmt: skip
def test_a_sentence_on_the_connection_is_untrue_after_an_answer(text: str, over: bool) -> None:
    assert ends_with_an_answer(text) is over
