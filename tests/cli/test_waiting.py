"""What a command waits for, on a terminal: said after a while, and taken away before all else."""

from __future__ import annotations

import json
import signal
import sys
import threading
from collections.abc import Iterator

import pytest

from copydesk.cli import main, output, waiting
from tests import faults
from tests.cli.script_desk import Screen, ScriptDesk
from tests.faulty import Asked, Fault, FaultyServer, always

AWAY = output.ERASE


@pytest.fixture
def service(scripts: ScriptDesk, monkeypatch: pytest.MonkeyPatch) -> Iterator[FaultyServer]:
    """A service whose answers come late, and a terminal on which that is said at once."""
    monkeypatch.setattr(output, "SILENCE", 0.0)
    monkeypatch.setattr(waiting, "EVERY", 0.001)
    monkeypatch.setattr(output.LastLine, "passed_on", False)
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
    assert first == "Waiting for 127.0.0.1: 0 of 1 call answered"
    assert rest[-1] == "", "nothing is left there"
    assert all(each.startswith("Waiting for 127.0.0.1: ") for each in rest if each)


def test_a_failure_is_said_in_its_place(
    service: FaultyServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    terminal = looked_at(monkeypatch)
    assert main(["cr", "show", "77", "--space", "API reference"]) == 1
    said = terminal.text().split(AWAY)
    assert said[-2].startswith("Waiting for 127.0.0.1: ")
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
    monkeypatch.setattr(output.LastLine, "passed_on", False)
    output.make_way()
    output.redraw("3 of 9 sent")
    assert output.put_waiting("Waiting", "") == ""
    output.redraw()
    assert output.put_waiting("Waiting", "") == "Waiting"
    assert output.put_waiting("", "Waiting for another one") == "Waiting"
    output.tell("Go on? ", end="")
    assert output.put_waiting("Waiting", "Waiting") == "", "the question stays"
    output.make_way()
    assert output.put_waiting("Waiting", "") == "Waiting"
    output.put("for a program or a file")
    assert output.put_waiting("Waiting", "Waiting") == "", "it may have the terminal by now"
    assert terminal.text() == (
        f"{AWAY}3 of 9 sent{AWAY}{AWAY}Waiting{AWAY}Go on? {AWAY}Waiting{AWAY}"
    )
