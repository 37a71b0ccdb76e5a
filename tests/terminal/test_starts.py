"""Where the program opens: on a real terminal, at the next start."""

from __future__ import annotations

import signal
from functools import partial
from pathlib import Path

import pytest

from copydesk.present.background import FOLLOWS, QUESTION
from tests.terminal.conftest import Service
from tests.terminal.program import Program

MANUAL = "UTKqrH3Z7rUHzUyS8UDk"
"""A space of the sample."""

SPACES = b"sort: open change requests"
"""What only the list of spaces shows."""


@pytest.mark.long
def test_a_start_goes_on_where_a_killed_run_was_unless_an_address_says_where(
    home: Path, service: Service
) -> None:
    def kept(place: bytes) -> bool:
        name = b'"name": "%b"' % place
        return any(name in each.read_bytes() for each in home.rglob("*.json"))

    with Program(home) as program:
        program.until("live")
        program.press("g", "t")
        program.until("> Sites")
        program.wait(lambda: kept(b"sites"), "screen that is kept")
        program.send(signal.SIGKILL)
        program.ended()
    # Each service has its own.
    with Program(home, environment=service.environment) as program:
        program.until("live")
        assert "> Sites" not in program.screen
    with Program(home, size=(140, 40)) as program:
        program.until("> Sites")
        assert SPACES not in program.written  # at once, and not by way of the first screen
        program.wait(lambda: "● live" in program.screen, "sites")
        program.press("g", "n")
        program.until("> Change requests")
        program.wait(lambda: "● live" in program.screen, "requests")
        program.press("enter")
        program.wait(lambda: kept(b"review"), "review that is kept")
        program.send(signal.SIGKILL)
        program.ended()
    with Program(home) as program:
        program.until("March 2026")
        program.until("● live")
        assert SPACES not in program.written
        program.press("ctrl+q")
        program.ended()
    # An address says where to open.
    with Program(home, f"https://desk.test/s/{MANUAL}") as program:
        program.until("live")
        assert "March 2026" not in program.screen
        program.send(signal.SIGKILL)
        program.ended()


@pytest.mark.long
def test_the_manual_is_opened_over_the_screens_and_left_for_them(home: Path) -> None:
    with Program(home) as program:
        program.until("live")
        program.press("g", "t")
        program.until("> Sites")
        program.wait(lambda: "● live" in program.screen, "sites")
        program.press(":", *"manual", "enter")
        program.until("manual read-only")
        program.until("Ten minutes on the sample")
        program.until("q goes back to where you were")
        program.wait(lambda: "● live" in program.screen, "manual")
        program.press("q")
        program.until("> Sites")
        program.wait(lambda: "● live" in program.screen, "sites")
        program.press(":", *"manual", "enter")
        program.until("manual read-only")
        program.wait(lambda: "● live" in program.screen, "manual")
        program.press("Q")
        assert program.ended() == 0


@pytest.mark.long
@pytest.mark.parametrize(("told", "named"), [(b"fb/fa/f7", "light"), (b"14/17/1c", "dark")])
def test_the_answer_on_the_background_is_kept_and_no_key(
    home: Path, told: bytes, named: str
) -> None:
    answer = b"\x1b]11;rgb:" + told + b"\x1b\\"
    with Program(home, answers={QUESTION.encode(): answer}) as program:
        program.until("● live")
        program.press("j")
        screen = program.screen
        assert "rgb" not in screen
        assert "does nothing here" not in screen
        program.press("q")
        assert program.ended() == 0
        assert (home / "state" / "background").read_text().startswith(named)
    colours = {"light": {"fbfaf7", "f3f1ec"}, "dark": {"14171c", "191d24"}}
    with Program(home) as again:
        again.until("● live")
        assert {cell.bg for cell in again.cells[12].values()} & colours.pop(named)
    # Another one, which never answers, has what it says itself.
    others = {"TERM": "rxvt", "COLORFGBG": "15;0" if named == "light" else "0;15"}
    with Program(home, environment=others) as other:
        other.until("● live")
        assert {cell.bg for cell in other.cells[12].values()} & colours.popitem()[1]


@pytest.mark.long
def test_the_theme_follows_colours_that_change_until_one_is_chosen(home: Path) -> None:
    def backgrounds() -> set[str]:
        return {cell.bg for cell in program.cells[12].values()}

    with Program(home, answers={QUESTION.encode(): b"\x1b]11;rgb:14/17/1c\x1b\\"}) as program:
        program.until("● live")
        program.type(b"\x1b[?997;2n")
        program.wait(lambda: bool(backgrounds() & {"fbfaf7", "f3f1ec"}), "light")
        program.type(b"\x1b[?997;1n")
        program.wait(lambda: bool(backgrounds() & {"14171c", "191d24"}), "dark")
        assert "does nothing here" not in program.screen
        program.press("q")
        assert program.ended() == 0
        assert b"\x1b[?2031l" in program.written


@pytest.mark.long
def test_the_theme_follows_again_once_it_is_auto_again(home: Path) -> None:
    light, dark = {"fbfaf7", "f3f1ec"}, {"14171c", "191d24"}

    def drawn(colours: set[str]) -> bool:
        return bool({cell.bg for cell in program.cells[12].values()} & colours)

    def asked(times: int) -> bool:
        return program.written.count(FOLLOWS.encode()) == times

    (home / "config").mkdir(exist_ok=True)
    (home / "config" / "config.toml").write_text('theme = "dark"\n')
    answers = {QUESTION.encode(): b"\x1b]11;rgb:14/17/1c\x1b\\"}
    with Program(home, answers=answers) as program:
        program.until("● live")
        assert FOLLOWS.encode() not in program.written
        program.press("g", ",")
        program.until("recall_seconds")
        for times, key in enumerate(("x", "\x12"), 1):  # the default, and that again
            program.type(key.encode())
            program.wait(partial(asked, times), "question")
            program.type(b"\x1b[?997;2n")
            program.wait(lambda: drawn(light), "light")
            program.press("u")
            program.wait(lambda: drawn(dark), "dark, as it was chosen")
            program.type(b"\x1b[?997;2n")
        program.press("j")
        program.until(">   glyphs")
        assert drawn(dark)


def test_a_chosen_theme_asks_nothing(home: Path) -> None:
    with Program(home, "--theme", "dark") as program:
        program.until("● live")
        assert QUESTION.encode() not in program.written


@pytest.mark.long
@pytest.mark.parametrize(("asked", "taken"), [("true", True), ("false", False)])
def test_a_setting_leaves_the_mouse_to_the_terminal(home: Path, asked: str, taken: bool) -> None:
    with Program(home, environment={"COPYDESK_MOUSE": asked}) as program:
        program.until("live")
        assert (b"\x1b[?1000h" in program.written) is taken
        program.press("ctrl+q")
        program.ended()
