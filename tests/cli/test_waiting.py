"""What a command waits for, on a terminal: said after a while, and taken away before all else."""

from __future__ import annotations

import fcntl
import io
import json
import os
import pty
import signal
import struct
import sys
import termios
import threading
from collections.abc import Iterator

import pytest

from copydesk.cli import main, output, waiting
from copydesk.cli.errors import agreed
from tests import faults
from tests.cli.script_desk import Screen, ScriptDesk
from tests.faulty import Asked, Fault, FaultyServer, always

AWAY = output.ERASE


@pytest.fixture
def service(scripts: ScriptDesk, monkeypatch: pytest.MonkeyPatch) -> Iterator[FaultyServer]:
    """A service whose answers come late, and a terminal on which that is said at once."""
    monkeypatch.setattr(output, "SILENCE", 0.0)
    monkeypatch.setattr(waiting, "EVERY", 0.001)
    monkeypatch.setattr(output.last_line, "passed_on", False)
    monkeypatch.setenv("TERM", "xterm")
    with scripts.served("all", monkeypatch) as server:
        server.plan = always(faults.delay(0.05))
        yield server


def looked_at(monkeypatch: pytest.MonkeyPatch) -> Screen:
    """Return the terminal on which people are told things from now on."""
    screen = Screen()
    monkeypatch.setattr(sys, "stderr", screen)
    return screen


def test_what_is_waited_for_is_said_and_taken_away_before_the_output(
    service: FaultyServer, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    terminal = looked_at(monkeypatch)
    assert main(["sites", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == []
    first, *rest = terminal.text().split(AWAY)[1:]
    where = service.url.removeprefix("http://")
    assert first == f"Waiting for {where}: 0 of 1 call answered"
    assert rest[-1] == "", "nothing is left there"
    assert all(each.startswith(f"Waiting for {where}: ") for each in rest if each)


def test_a_failure_is_said_in_its_place(
    service: FaultyServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    terminal = looked_at(monkeypatch)
    assert main(["cr", "show", "77", "--space", "API reference"]) == 1
    said = terminal.text().split(AWAY)
    where = service.url.removeprefix("http://")
    assert said[-2].startswith(f"Waiting for {where}: ")
    assert said[-1].startswith("copydesk: ")


def test_ctrl_c_leaves_nothing_of_it_behind(
    service: FaultyServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    terminal = looked_at(monkeypatch)

    def pressed(asked: Asked) -> Fault:
        if len(service.asked) == 2:
            signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
        return faults.delay(0.05)

    service.plan = pressed
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        assert main(["sites"]) == 130
    finally:
        signal.signal(signal.SIGINT, before)
    assert terminal.text().endswith(f"{AWAY}copydesk: stopped\n")


@pytest.mark.parametrize("poor", ["no terminal", "dumb", "linear"])
def test_nothing_is_said_where_no_line_can_be_drawn_again(
    service: FaultyServer,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    poor: str,
) -> None:
    screen = Screen() if poor == "no terminal" else looked_at(monkeypatch)
    if poor != "no terminal":
        name, value = ("TERM", "dumb") if poor == "dumb" else ("COPYDESK_LINEAR", "1")
        monkeypatch.setenv(name, value)
    assert main(["sites", "--json"]) == 0
    assert (screen.text(), capsys.readouterr().err) == ("", "")


def test_what_others_put_on_the_line_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = looked_at(monkeypatch)
    monkeypatch.setattr(output, "SILENCE", 0.0)
    monkeypatch.setattr(output.last_line, "passed_on", False)
    output.last_line.clear()
    output.redraw("3 of 9 sent")
    assert output.last_line.say_waiting("Waiting", "") == ""
    output.redraw()
    assert output.last_line.say_waiting("Waiting", "") == "Waiting"
    assert output.last_line.say_waiting("", "Waiting for another one") == "", "it is another's"
    output.put_stderr("Go on? ", end="")
    assert output.last_line.say_waiting("Waiting", "Waiting") == "", "the question stays"
    output.last_line.clear()
    assert output.last_line.say_waiting("Waiting", "") == "Waiting"
    output.put("for a program or a file")
    assert output.last_line.say_waiting("Waiting", "Waiting") == "", (
        "it may have the terminal by now"
    )
    assert terminal.text() == (
        f"{AWAY}3 of 9 sent{AWAY}{AWAY}Waiting{AWAY}Go on? {AWAY}Waiting{AWAY}"
    )


def test_two_that_wait_do_not_write_over_each_other(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = looked_at(monkeypatch)
    monkeypatch.setattr(output, "SILENCE", 0.0)
    monkeypatch.setattr(output, "last_line", line := output.LastLine())
    one = line.say_waiting("One", "")
    other = line.say_waiting("Other", "")
    assert (one, other) == ("One", "")
    assert (line.say_waiting("One!", one), line.say_waiting("Other", other)) == ("One!", "")
    assert line.say_waiting("", "One!") == ""
    assert line.say_waiting("Other", other) == "Other"
    assert terminal.text() == f"{AWAY}One{AWAY}One!{AWAY}{AWAY}Other"


def test_the_line_fits_the_terminal_that_it_is_said_on(monkeypatch: pytest.MonkeyPatch) -> None:
    main_end, end = pty.openpty()
    fcntl.ioctl(end, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 30, 0, 0))
    with os.fdopen(end, "w", encoding="utf-8") as narrow:
        monkeypatch.setattr(sys, "stderr", narrow)
        output.redraw("Looking for an address among your sites")
    assert os.read(main_end, 1000).decode() == f"{AWAY}Looking for an address among…"
    os.close(main_end)


def test_a_question_has_the_line_to_itself(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("n\n"))
    output.last_line.clear()
    output.redraw("4,000 checked")
    assert not agreed("Send 4,000 conversations?")
    assert capsys.readouterr().err == f"{AWAY}4,000 checked{AWAY}Send 4,000 conversations? y/N "


def test_a_line_is_taken_away_only_where_there_is_one(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COPYDESK_LINEAR", "1")
    output.last_line.clear()
    output.redraw()
    output.redraw("3 of 9 sent")
    output.redraw()
    assert capsys.readouterr().err == "3 of 9 sent\n"
    output.put("Making it…", end="")
    output.redraw(beside=False)
    assert capsys.readouterr().out == "Making it…\n"


@pytest.mark.parametrize(
    "given", [["spaces"], ["spaces", "--json"], ["search", "retries"], ["doctor"]]
)
def test_a_command_says_where_its_output_is_closed_and_does_its_work(
    scripts: ScriptDesk, monkeypatch: pytest.MonkeyPatch, given: list[str]
) -> None:
    with scripts.served("all", monkeypatch):
        screen = looked_at(monkeypatch)
        monkeypatch.setattr(sys, "stdout", None)
        assert main(given) == 1
    told = screen.text()
    assert "unexpected" not in told
    assert "copydesk: standard output is closed: what this command prints was lost\n" in told


@pytest.mark.parametrize("pager", ['less "', "", "no-such-pager-here"])
def test_what_no_pager_can_show_is_printed(monkeypatch: pytest.MonkeyPatch, pager: str) -> None:
    terminal = Screen()
    monkeypatch.setattr(sys, "stdout", terminal)
    monkeypatch.setenv("PAGER", pager)
    monkeypatch.setenv("TERM", "xterm")
    output.put_paged("line\n" * 200)
    assert terminal.text() == "line\n" * 200 + "\n"
