"""The screen as it was left, drawn before the program is loaded: on a real terminal."""

from __future__ import annotations

import os
import signal
from dataclasses import dataclass
from pathlib import Path

import pyte
import pytest

from copydesk.tui.terminal_driver import EMPTY
from tests.terminal.conftest import Service, make_home
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


@dataclass(frozen=True)
class Left:
    """A home as the program left it."""

    home: Path
    files: dict[Path, tuple[bytes, os.stat_result]]

    def put_back(self) -> None:
        """Have every file as it was; a preface is for the same settings and the same desk alone."""
        for path in [*self.home.rglob("*")]:
            if path.is_file() and path not in self.files:
                path.unlink()
        for path, (data, was) in self.files.items():
            path.write_bytes(data)
            path.chmod(was.st_mode)
            os.utime(path, ns=(was.st_atime_ns, was.st_mtime_ns))
            if path.name in ("config.toml", "desk.db"):
                assert path.stat().st_ino == was.st_ino


@pytest.fixture(scope="module")
def left_once(sample: Path, tmp_path_factory: pytest.TempPathFactory) -> Left:
    """Start the program, go to the fourth row, and quit it from there."""
    home = make_home(sample, tmp_path_factory.mktemp("left") / "home")
    with Program(home) as program:
        program.until("● live")
        program.press("j", "j", "j")
        program.until("Mobile SDKs ─")
        program.wait(lambda: "reading…" not in program.screen, "all of it")
        program.press("q")
        assert program.ended() == 0
        program.assert_restored()
    paths = [path for path in home.rglob("*") if path.is_file()]
    return Left(home, {path: (path.read_bytes(), path.stat()) for path in paths})


@pytest.fixture
def left(left_once: Left) -> Path:
    """A home that was left from the fourth row of the first screen."""
    left_once.put_back()
    return left_once.home


def begins_with_preface(program: Program) -> bool:
    """Wait until the screens take the terminal, and return whether something was drawn before."""
    program.wait(lambda: TAKEN in program.written, "screens")
    return PREFACE in program.written.partition(TAKEN)[0]


def test_the_screen_that_was_left_is_there_before_anything_heavy_is_loaded(left: Path) -> None:
    probe = START.format(
        "from copydesk.local import preface\n"
        "show = preface.show\n"
        "def told():\n"
        "    show()\n"
        "    heavy = {'textual', 'rich', 'asyncio', 'sqlite3', 'json'} & set(sys.modules)\n"
        "    print('LOADED', sorted(heavy), file=sys.stderr, flush=True)\n"
        "preface.show = told"
    )
    with Program(left, code=probe) as program:
        program.wait(lambda: b"LOADED" in program.written, "word of what is loaded")
        before, _, after = program.written.partition(b"LOADED ")
        assert before.startswith(PREFACE)
        assert b"Handbook" in before
        assert b"live" not in before  # nothing of it is
        assert after.startswith(b"[]")


@pytest.mark.long
def test_it_is_replaced_without_a_blank_moment_and_keys_are_about_what_it_shows(left: Path) -> None:
    with Program(left) as program:
        program.press("j")
        assert begins_with_preface(program)
        program.until("Web SDK ─")
        program.until("● live")
        program.press("q")
        assert program.ended() == 0
        program.assert_restored()
        drawn = program.written.partition(EMPTY.encode())[0]  # with which it is left
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


@pytest.mark.long
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


@pytest.mark.long
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
    left: Path, arguments: tuple[str, ...], environment: dict[str, str], size: tuple[int, int]
) -> None:
    with Program(left, *arguments, environment=environment, size=size) as program:
        assert not begins_with_preface(program)
        program.until("Handbook")


@pytest.mark.long
def test_another_service_has_none_and_a_token_of_the_environment_leaves_none(
    left: Path, service: Service
) -> None:
    for _ in range(2):
        with Program(left, environment=service.environment) as program:
            assert not begins_with_preface(program)
            program.until("● live")
            program.press("q")
            assert program.ended() == 0


@pytest.mark.long
def test_other_settings_have_none(left: Path) -> None:
    (left / "config" / "config.toml").write_text('theme = "no such theme"\n')
    with Program(left) as program:
        assert not begins_with_preface(program)
        program.until("there is no such theme")
        program.press("q")
        assert program.ended() == 0


def test_a_start_that_fails_behind_it_gives_the_terminal_back_first(left: Path) -> None:
    with Program(left, code=START.format("sys.modules['textual'] = None")) as program:
        program.press("j")
        assert program.ended() == 1
        assert PREFACE in program.written
        assert "went wrong" in program.said
        program.assert_restored()
        assert program.unread == 0


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_gives_the_terminal_back(left: Path, number: signal.Signals) -> None:
    waits = "from copydesk.local import preface\npreface.show()\nimport signal\nsignal.pause()"
    with Program(left, code=START.format(waits)) as program:
        program.until("Handbook")
        program.press("j")
        program.send(number)
        assert program.ended() == -number
        program.assert_restored()
        assert program.unread == 0


@pytest.mark.long
def test_keys_typed_while_nothing_is_drawn_yet_are_not_shown_and_are_for_the_screens(
    home: Path,
) -> None:
    probe = START.format(
        "from copydesk.local import preface\n"
        "show = preface.show\n"
        "def told():\n"
        "    show()\n"
        "    print('QUIET', file=sys.stderr, flush=True)\n"
        "preface.show = told"
    )
    with Program(home, code=probe) as program:
        program.wait(lambda: b"QUIET" in program.written, "quiet terminal")
        program.press("g", "n")
        assert not begins_with_preface(program)
        assert b"gn" not in program.written.partition(TAKEN)[0]
        program.until("> Change requests")
        program.press("ctrl+q")
        assert program.ended() == 0
        program.assert_restored()


def test_a_start_that_fails_before_anything_is_drawn_gives_the_terminal_back(home: Path) -> None:
    with Program(home, code=START.format("sys.modules['textual'] = None")) as program:
        program.press("j")
        assert program.ended() == 1
        assert b"\x1b[?1049l" not in program.written
        assert "went wrong" in program.screen
        program.assert_restored()
        assert program.unread == 0
