"""The screen as it was left, drawn before the program is loaded: on a real terminal."""

from __future__ import annotations

import signal
from pathlib import Path

import pyte
import pytest

from tests.terminal.conftest import Service
from tests.terminal.program import Program

TAKEN = b"\x1b[?1004h"
"""What the screens write when they take the terminal."""

PREFACE = b"\x1b[?1049h\x1b[?25l\x1b[1;1H"

START = """
import sys
sys.argv = ["copydesk"]
{}
from copydesk.cli import main
sys.exit(main())
"""


def leave(home: Path, *keys: str, shows: str = "● live") -> None:
    """Start the program, press keys, and quit it from the screen that shows something."""
    with Program(home) as program:
        program.until("● live")
        program.press(*keys)
        program.until(shows)
        program.wait(lambda: "reading…" not in program.screen, "all of it")
        program.press("q")
        assert program.ended() == 0
        program.assert_restored()


def begins_with_preface(program: Program) -> bool:
    """Wait until the screens take the terminal, and return whether something was drawn before."""
    program.wait(lambda: TAKEN in program.written, "screens")
    return PREFACE in program.written.partition(TAKEN)[0]


def test_the_screen_that_was_left_is_there_before_anything_heavy_is_loaded(home: Path) -> None:
    leave(home, "j", "j")
    probe = START.format(
        "from copydesk.local import preface\n"
        "show = preface.show\n"
        "def told():\n"
        "    show()\n"
        "    heavy = {'textual', 'rich', 'asyncio', 'sqlite3', 'json'} & set(sys.modules)\n"
        "    print('LOADED', sorted(heavy), file=sys.stderr, flush=True)\n"
        "preface.show = told"
    )
    with Program(home, code=probe) as program:
        program.wait(lambda: b"LOADED" in program.written, "word of what is loaded")
        before, _, after = program.written.partition(b"LOADED ")
        assert before.startswith(PREFACE)
        assert b"Handbook" in before
        assert b"live" not in before  # nothing of it is
        assert after.startswith(b"[]")


def test_it_is_replaced_without_a_blank_moment_and_ends_as_without_it(home: Path) -> None:
    leave(home)
    with Program(home) as program:
        assert begins_with_preface(program)
        program.until("● live")
        program.press("q")
        assert program.ended() == 0
        program.assert_restored()
        drawn = program.written.partition(b"\x1b[?1049l")[0]
    assert drawn.count(b"\x1b[?1049h") == 1  # which would clear it
    screen = pyte.Screen(80, 24)
    stream = pyte.ByteStream(screen)
    lines = drawn.split(b"\x1b[")
    seen = False
    for line in lines[1:]:
        if line[:1] not in b"?<>=":
            stream.feed(b"\x1b[" + line)
        shown = any("Handbook" in each for each in screen.display)
        assert shown or not seen
        seen = seen or shown


def test_keys_typed_while_it_stands_are_about_what_it_shows(home: Path) -> None:
    leave(home, "j", "j", "j", shows="Mobile SDKs ─")
    with Program(home) as program:
        program.press("j")
        assert begins_with_preface(program)
        program.until("Web SDK ─")


def test_another_screen_than_the_first_is_opened_with_it(home: Path) -> None:
    with Program(home) as program:
        program.until("● live")
        program.press("g", "t")
        program.until("> Sites")
        program.wait(lambda: "● live" in program.screen, "sites")
        program.press("ctrl+q")
        assert program.ended() == 0
    with Program(home) as program:
        assert begins_with_preface(program)
        assert "> Sites" in program.screen
        program.until("● live")
        assert "> Sites" in program.screen


@pytest.mark.parametrize(
    ("arguments", "environment", "size"),
    [
        ((), {}, (100, 30)),
        ((), {"NO_COLOR": "1"}, (80, 24)),
        ((), {"TERM": "xterm"}, (80, 24)),
        ((), {"COPYDESK_PREFACE": "0"}, (80, 24)),
        (("--read-only",), {}, (80, 24)),
        (("--profile", "desk"), {}, (80, 24)),
    ],
    ids=lambda value: str(value),
)
def test_what_begins_otherwise_has_none(
    home: Path, arguments: tuple[str, ...], environment: dict[str, str], size: tuple[int, int]
) -> None:
    leave(home)
    with Program(home, *arguments, environment=environment, size=size) as program:
        assert not begins_with_preface(program)
        program.until("Handbook")


def test_another_service_has_none_and_a_token_of_the_environment_leaves_none(
    home: Path, service: Service
) -> None:
    leave(home)
    for _ in range(2):
        with Program(home, environment=service.environment) as program:
            assert not begins_with_preface(program)
            program.until("● live")
            program.press("q")
            assert program.ended() == 0


def test_other_settings_have_none(home: Path) -> None:
    leave(home)
    (home / "config" / "config.toml").write_text('theme = "no such theme"\n')
    with Program(home) as program:
        assert program.ended() == 2
        assert "there is no such theme" in program.said
        program.assert_restored()


def test_a_start_that_fails_behind_it_gives_the_terminal_back_first(home: Path) -> None:
    leave(home)
    with Program(home, code=START.format("sys.modules['textual'] = None")) as program:
        program.press("j")
        assert program.ended() == 1
        assert PREFACE in program.written
        assert "went wrong" in program.said
        program.assert_restored()
        assert program.unread == 0


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_gives_the_terminal_back(home: Path, number: signal.Signals) -> None:
    leave(home)
    waits = "from copydesk.local import preface\npreface.show()\nimport signal\nsignal.pause()"
    with Program(home, code=START.format(waits)) as program:
        program.until("Handbook")
        program.press("j")
        program.send(number)
        assert program.ended() == -number
        program.assert_restored()
        assert program.unread == 0
