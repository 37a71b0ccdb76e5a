"""The real program in linear mode: on pipes, and on a terminal that cannot move its cursor."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from tests.terminal.program import ORDINARY, PATIENCE, Program

PLAIN = {"TERM": "dumb"}


def talk(
    home: Path, lines: Sequence[str], environment: Mapping[str, str], *arguments: str
) -> subprocess.CompletedProcess[bytes]:
    """Run copydesk with lines on a pipe, to its end."""
    given = {name: value for name, value in os.environ.items() if name != "NO_COLOR"}
    given |= {"TERM": "xterm-256color", "LANG": "C.UTF-8", "LC_ALL": ""}
    return subprocess.run(
        [sys.executable, "-m", "copydesk", *arguments],
        input="".join(f"{line}\n" for line in lines).encode(),
        env={**given, "COPYDESK_HOME": str(home), **environment},
        capture_output=True,
        timeout=PATIENCE,
        check=False,
    )


MERGING = [
    "g c", "/number:12", "open", "2", "next", "c", "Looks right to me: é", ".", "yes", "back",
    "m", "yes", "back", "where", "quit",
]  # fmt: skip
"""Opens the change request that is ready, reads it, comments on it, merges it."""


def test_a_change_request_is_reviewed_commented_and_merged_by_lines_on_a_pipe(home: Path) -> None:
    ended = talk(home, MERGING, PLAIN)
    told = ended.stdout.decode()
    assert (ended.returncode, ended.stderr) == (0, b""), told
    assert b"\x1b" not in ended.stdout
    assert b"\r" not in ended.stdout
    assert "#12 Fix the refresh sample of OAuth" in told
    assert "Change 1 of " in told
    assert "Done: comment #12 “Looks right to me: é”" in told
    assert "Type yes to merge; anything else goes back." in told
    assert "Done: merge #12 Fix the refresh sample of OAuth" in told
    assert "shows it in the browser" not in told, "none reaches this desk"


@pytest.mark.long
@pytest.mark.parametrize(
    ("environment", "arguments"),
    [
        ({"ACCESSIBLE": "1"}, ()),
        ({"LANG": "C", "NO_COLOR": "1"}, ("--linear",)),
    ],
)
def test_it_is_asked_for_in_several_ways_and_ends_with_its_lines(
    home: Path, environment: dict[str, str], arguments: Sequence[str]
) -> None:
    ended = talk(home, ["g c"], environment, *arguments)
    assert (ended.returncode, ended.stderr) == (0, b"")
    assert b"\x1b" not in ended.stdout
    lines = ended.stdout.decode().splitlines()
    assert lines[0].startswith("copydesk, linear mode.")
    assert "Quayside, Change requests. View All open, 7 of 10." in lines
    if environment.get("LANG") == "C":
        assert ended.stdout.isascii()


@pytest.mark.long
def test_the_settings_ask_for_it_and_a_variable_says_no(home: Path) -> None:
    settings = home / "config" / "config.toml"
    settings.write_text("linear = true\nrecall_seconds = 0\n")
    assert b"linear mode" in talk(home, [], {}).stdout
    ended = talk(home, [], {"COPYDESK_LINEAR": "0"})
    assert ended.returncode == 2
    assert b"the screens need a terminal" in ended.stderr
    settings.write_text("linear = 1\n")
    told = talk(home, [":settings", "back"], PLAIN).stdout.decode()
    assert "linear must be true or false" in told
    assert "View Spaces" in told.rpartition("> back")[2], "there is no line of status to hide first"


@pytest.mark.long
def test_lines_on_a_pipe_do_not_stop_it_for_a_shell_that_is_not_there(home: Path) -> None:
    ended = talk(home, ["ctrl+z", "where", "quit"], PLAIN)
    told = ended.stdout.decode()
    assert ended.returncode == 0, told
    assert "There is no shell here to go back to." in told


@pytest.mark.long
def test_on_a_terminal_it_asks_with_a_prompt_and_changes_no_mode(home: Path) -> None:
    with Program(home, environment=PLAIN) as program:
        program.wait(lambda: program.written.endswith(b"> "), "the first prompt")
        program.press("g c\n")
        program.until("Change requests")
        program.press("c\n")
        program.wait(lambda: program.written.count(b"> ") > 2, "the third prompt")
        assert b"\x1b" not in program.written
        assert program.modes == ORDINARY
        program.send(signal.SIGINT)
        assert program.ended() == 128 + signal.SIGINT
        program.assert_restored()
        assert "\n>\ncopydesk: ended by SIGINT." in program.screen


@pytest.mark.long
def test_a_text_is_on_the_disk_line_by_line_and_an_editor_has_it(
    home: Path, tmp_path: Path
) -> None:
    editor = tmp_path / "editor"
    editor.write_text("#!/bin/sh\nsed -i '1i Written outside.' \"$1\"\n")
    editor.chmod(0o755)
    lines = ["g c", "/number:12", "open", "2", "c", "First line", "~e", "~read"]
    told = talk(home, lines, {**PLAIN, "VISUAL": str(editor)}).stdout.decode()
    assert told.endswith("> ~read\nWritten outside.\nFirst line\n"), told
    # The lines ended in the middle of it: it goes on as a draft.
    told = talk(home, [*lines[:5], "~read"], PLAIN).stdout.decode()
    assert told.endswith("> ~read\nWritten outside.\nFirst line\n"), told
