"""A minute in which nobody does anything: the list of 45,000 open, with and without focus."""

from __future__ import annotations

import time
from contextlib import ExitStack

from benchmarks.homes import BARE, SCALE, Home, home
from benchmarks.keys import LIST, go, quiet, start
from benchmarks.targets import Figure
from benchmarks.terminal import Program, table

MINUTE, QUICK_MINUTE = 60.0, 20.0
SETTLED = 180.0
"""The longest wait for the reads of a list that opens, in seconds."""

AWAY = "\x1b[O"
"""What a terminal sends when its window loses the focus."""


def run(*, quick: bool = False) -> dict[str, Figure]:
    """Measure and print what it takes to do nothing."""
    minute = QUICK_MINUTE if quick else MINUTE
    rows = []
    with home(SCALE) as lent, home(SCALE) as logged, ExitStack() as stack:
        bare = stack.enter_context(Program(BARE))
        ours = stack.enter_context(start(lent, LIST))
        # The requests are counted in another, so that writing them down is not counted.
        counted = stack.enter_context(start(logged, LIST, "--debug"))
        programs = {"bare list": bare, LIST.title: ours, "the same, away": counted}
        bare.until("#30")
        for program in (ours, counted):
            go(program, LIST)
        quiet(counted, logged, 10.0, most=SETTLED)
        for program in programs.values():
            program.settle(3.0, most=SETTLED)
        here, _ = _sent(logged, *programs.values(), seconds=minute)
        counted.press(AWAY)
        counted.read(5.0)
        before = {name: (each.cpu, each.output) for name, each in programs.items()}
        begun = time.perf_counter()
        away, read = _sent(logged, *programs.values(), seconds=minute)
        taken = time.perf_counter() - begun
        for name, program in programs.items():
            cpu, output = before[name]
            part = 100 * (program.cpu - cpu) / taken
            written = (program.output - output) * 60 / taken / 1000
            rows.append((name, part, written))
    news = away - read
    sent = ["", f"{here * 60 / minute:.0f}", f"{read * 60 / minute:.0f}, news {news}"]
    table(
        f"Idle, for a minute (measured: {minute:.0f} s)",
        ("program", "CPU %", "kB written", "requests"),
        [
            (name, f"{part:.2f}", f"{written:.1f}", count)
            for (name, part, written), count in zip(rows, sent, strict=True)
        ],
    )
    return {
        "idle.cpu": Figure(rows[1][1], rows[0][1]),
        "idle.bytes": Figure(rows[1][2], rows[0][2]),
        "idle.requests": Figure(read),
    }


def _sent(logged: Home, *programs: Program, seconds: float) -> tuple[int, int]:
    """Return how many requests are sent in a time, in which the programs do what they do: all, and
    those that are not for notices of news, which somebody who is away wants to be given.
    """
    end = time.perf_counter() + seconds
    before = [logged.sent(polling=True, news=news).total() for news in (True, False)]
    while time.perf_counter() < end:
        for program in programs:
            program.read(0.05)
    after = [logged.sent(polling=True, news=news).total() for news in (True, False)]
    return after[0] - before[0], after[1] - before[1]
