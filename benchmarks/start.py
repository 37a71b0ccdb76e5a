"""From process start to the first useful row, beside a bare hello-world.

Three ways: the sample, the desk of 100,000 change requests, and that desk as a service over the
loopback. Each was opened before, as with anybody who starts the program every day, and shows what
it kept. The screen as it was left, drawn before the program is loaded, is measured once and
switched off for the rest. A key pressed at the first row is timed too, until the cursor moves.
"""

from __future__ import annotations

import shutil
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.homes import BARE, COPYDESK, HELLO, SCALE, home, log_in, served
from benchmarks.targets import Figure
from benchmarks.terminal import Program, middle, table
from copydesk.local.preface import SWITCH

TURNS, QUICK_TURNS = 15, 5
VISITS = 2
"""Starts before any is measured: the first leaves where to open, the second its rows and screen."""

NO_PREFACE = {SWITCH: "0"}
PREFACE = "sample, its screen as it was left"

QUIET = 2.0
"""Seconds without output after which such a start has read what it shows, and is left."""

FRAME_SECONDS = 0.05
"""How long a frame may take to come."""


@dataclass
class Starts:
    """What the starts of a program took: seconds to the first row and to a key, PSS, lines.

    ``begun`` is the PSS at the first row, ``memory`` that of a while later.
    """

    command: tuple[str, ...]
    environment: dict[str, str]
    row: str
    first: list[float] = field(default_factory=list)
    key: list[float] = field(default_factory=list)
    begun: list[float] = field(default_factory=list)
    memory: list[float] = field(default_factory=list)
    changed: list[int] = field(default_factory=list)


def run(*, quick: bool = False) -> dict[str, Figure]:
    """Measure and print the ratios."""
    turns = QUICK_TURNS if quick else TURNS
    with ExitStack() as stack:
        small, large, remote, away = (
            stack.enter_context(home(scale)) for scale in (0, SCALE, SCALE, 0)
        )
        log_in(away, stack.enter_context(served(remote)))
        programs = {
            "hello-world": Starts(HELLO, {}, "Hello, world"),
            "bare list": Starts(BARE, {}, "#30"),
            PREFACE: Starts(COPYDESK, small.environment, "Handbook"),
            "large": Starts(COPYDESK, large.environment, "Space 297"),
            "service": Starts(COPYDESK, away.environment, "Space 297"),
        }
        for name, starts in list(programs.items())[2:]:
            for visit in range(VISITS):
                address = [] if visit or name == PREFACE else [large.organization]
                with Program([*starts.command, *address], starts.environment) as program:
                    program.until(starts.row)
                    program.until(lambda text: "● live" in text and "eading" not in text)
                    program.settle(QUIET)
                    program.quit()
            left = Path(starts.environment["COPYDESK_HOME"])
            shutil.copytree(left / "cache", left / "left")
        sample = Starts(COPYDESK, small.environment, "Handbook")
        programs["sample"] = sample
        for starts in (sample, programs["large"], programs["service"]):
            starts.environment = starts.environment | NO_PREFACE
        for _ in range(turns):
            for name, starts in programs.items():
                _start(starts, pressed=name != "hello-world")
    base, bare = (programs[name] for name in ("hello-world", "bare list"))
    table(
        f"Start to the first useful row (medians of {turns})",
        (
            "program",
            "ratio",
            "ms",
            "key ratio",
            "ms",
            "PSS ratio",
            "then",
            "PSS MiB",
            "then",
            "lines later",
        ),
        [
            (
                name,
                f"{middle(starts.first) / middle(base.first):.2f}",
                f"{middle(starts.first) * 1000:.0f}",
                f"{middle(starts.key) / middle(bare.key):.2f}" if starts.key else "",
                f"{middle(starts.key) * 1000:.0f}" if starts.key else "",
                f"{middle(starts.begun) / middle(base.begun):.2f}",
                f"{middle(starts.memory) / middle(base.memory):.2f}",
                f"{middle(starts.begun):.1f}",
                f"{middle(starts.memory):.1f}",
                f"{middle(starts.changed):.0f}" if starts.changed else "",
            )
            for name, starts in programs.items()
        ],
    )
    measured = {
        f"start.{name}": Figure(middle(programs[name].first) / middle(base.first))
        for name in ("sample", "large", "service")
    }
    measured["start.preface"] = Figure(middle(programs[PREFACE].first) / middle(base.first))
    return measured | {
        "pss.first": Figure(middle(sample.begun) / middle(base.begun)),
        "pss.started": Figure(middle(sample.memory) / middle(base.memory)),
    }


def _start(starts: Starts, *, pressed: bool) -> None:
    if lent := starts.environment.get("COPYDESK_HOME"):
        # Each start finds what the last visit left: the one before was killed in the middle.
        shutil.rmtree(Path(lent, "cache"))
        shutil.copytree(Path(lent, "left"), Path(lent, "cache"))
    with Program(starts.command, starts.environment) as program:
        starts.first.append(program.sight(starts.row))
        starts.begun.append(program.memory)
        if pressed:
            answered, shown = _press(program)
            starts.key.append(answered - program.started)
        program.settle(1.0, most=4.0)
        starts.memory.append(program.memory)
        if pressed:
            lines = zip(_lines(shown), _lines(program.draw()), strict=True)
            starts.changed.append(sum(before != after for before, after in lines))


def _press(program: Program) -> tuple[float, str]:
    """Press a key; return when the cursor was first seen on another line, and the first frame."""
    program.press("j")
    begun, frames = program.screen.cursor, []
    while True:
        for piece in program.replay():
            begun = program.screen.cursor if begun is None else begun
            if program.screen.cursor not in (None, begun):
                return piece.at, (*frames, program.screen.text)[min(1, len(frames))]
        frames.append(program.screen.text)
        program.read(FRAME_SECONDS)


def _lines(screen: str) -> list[str]:
    """Return the lines below the head, without the mark of the cursor."""
    return [line[:2].replace(">", " ") + line[2:] for line in screen.split("\n")[1:]]
