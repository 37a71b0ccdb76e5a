"""Keys in the real program: pressed one by one, and held, beside a bare list of a million rows.

Each screen is open beside the bare list, and both are pressed in turns, so that the machine's mood
hits them alike. A key is answered when the cursor is seen where the key puts it.
"""

from __future__ import annotations

import random
import sys
import time
from contextlib import ExitStack
from dataclasses import dataclass, field

from benchmarks.homes import BARE, COPYDESK, SCALE, Home, home
from benchmarks.terminal import Program, middle, table, tail

TURNS, PRESSES = 10, 20
"""Turns of single presses, and the presses of each."""

HELD_TURNS, HELD, HELD_SECONDS = 3, 90, 1 / 30
"""Turns of a key that is held, the presses of each, and the seconds between two."""

PAUSES = 0.05, 0.35
"""The shortest and the longest pause between two single presses, in seconds."""

WARM_UP = 60
RESTED, REST_SECONDS = 8, 2.0
"""Rows rested on, and for how long."""

LIST_PAGES = "list_organization_change_requests"


@dataclass(frozen=True)
class Screen:
    """A screen to press keys in: how to get there, and what tells its rows apart."""

    title: str
    row: str
    keys: tuple[tuple[str, str], ...] = ()
    """Keys to press, each with the text that is waited for afterwards."""
    first: str = ""
    """The text that is waited for at first."""
    space: bool = False
    """Whether it opens at the large space, not at its organization."""
    back: bool = False
    """Whether every second turn goes back up, for the rows are too few."""


LIST = Screen(
    "list of 45,000 with details",
    r"\d+ +\w.*?(?:Writer \d+|Mara L)",
    first="Space 297",
    keys=(("gc", " read "),),
)
SCREENS = {"list": LIST}


@dataclass
class Figures:
    """What the turns of one program gave; times in seconds."""

    first: list[float] = field(default_factory=list)
    last: list[float] = field(default_factory=list)
    cpu: list[float] = field(default_factory=list)
    bytes: list[int] = field(default_factory=list)
    overshoot: list[float] = field(default_factory=list)
    frames: list[int] = field(default_factory=list)
    held_cpu: list[float] = field(default_factory=list)


def run() -> dict[str, float]:
    """Press keys in every screen; print what it took, and return what there are targets for."""
    measured: dict[str, float] = {}
    with home(SCALE) as lent:
        for name, screen in SCREENS.items():
            figures = _beside(lent, screen)
            if name == "list":
                measured |= figures
        measured |= _requests(lent, LIST)
    return measured


def start(lent: Home, screen: Screen, *options: str) -> Program:
    """Start copydesk at a screen."""
    address = lent.space if screen.space else lent.organization
    return Program([*COPYDESK, *options, address], lent.environment, row=screen.row)


def go(program: Program, screen: Screen) -> None:
    """Press the keys that lead to a screen, and wait until nothing more comes."""
    program.until(screen.first)
    program.settle(1.0)
    for keys, text in screen.keys:
        for key in keys.split():
            program.press(key)
        program.until(text)
        program.settle(1.0)


def _beside(lent: Home, screen: Screen) -> dict[str, float]:
    with ExitStack() as stack:
        bare = stack.enter_context(Program(BARE, row=r"#\d+"))
        ours = stack.enter_context(start(lent, screen))
        bare.until("#30")
        go(ours, screen)
        both = {"bare list": bare, screen.title: ours}
        figures = {name: Figures() for name in both}
        chance = random.Random(1)
        pauses = [chance.uniform(*PAUSES) for _ in range(PRESSES)]
        for program in both.values():
            single(program, "j", pauses * (WARM_UP // PRESSES), Figures())
        for turn in range(TURNS):
            key = "k" if screen.back and turn % 2 else "j"
            chance.shuffle(pauses)
            for name, program in both.items():
                single(program, key, pauses, figures[name])
        for turn in range(HELD_TURNS):
            key = "k" if screen.back and turn % 2 else "j"
            for name, program in both.items():
                hold(program, key, figures[name])
        memory = {name: program.memory for name, program in both.items()}
        files = {name: program.files for name, program in both.items()}
    table(
        f"{screen.title}: {TURNS * PRESSES} single presses at random pauses, "
        f"{HELD_TURNS} times {HELD} of a held key",
        (
            "program", "p50 ms", "p95", "p99", "max", "last cell", "CPU ms", "bytes",
            "overshoot ms", "frames", "CPU ms held", "PSS MiB", "files",
        ),
        [
            (
                name,
                *(f"{1000 * tail(each.first, percent):.1f}" for percent in (50, 95, 99)),
                f"{1000 * max(each.first):.1f}",
                f"{1000 * middle(each.last):.1f}",
                f"{1000 * sum(each.cpu) / len(each.first):.1f}",
                f"{sum(each.bytes) / len(each.first):,.0f}",
                "/".join(f"{1000 * taken:.0f}" for taken in sorted(each.overshoot)),
                "/".join(str(count) for count in sorted(each.frames)),
                f"{1000 * middle(each.held_cpu) / HELD:.1f}",
                f"{memory[name]:.1f}",
                str(files[name]),
            )
            for name, each in figures.items()
        ],
    )  # fmt: skip
    yardstick, mine = figures.values()
    return {
        "key.p95": tail(mine.first) / tail(yardstick.first),
        "key.p99": tail(mine.first, 99) / tail(yardstick.first, 99),
        "key.cpu": sum(mine.cpu) / sum(yardstick.cpu),
        "key.overshoot": 1000 * middle(mine.overshoot),
        "key.frames": middle(mine.frames),
        "pss.list": memory[screen.title] / memory["bare list"],
    }


def single(program: Program, key: str, pauses: list[float], into: Figures) -> None:
    """Press a key at pauses, and note how each press was answered."""
    begun = _here(program)
    cpu, output = program.cpu, program.output
    presses = []
    for pause in pauses:
        presses.append(program.press(key))
        program.read(pause)
    program.settle(0.5, most=3.0)
    into.cpu.append(program.cpu - cpu)
    into.bytes.append(program.output - output)
    answers = _answers(program, key, presses, begun)
    into.first.extend(each - pressed for each, pressed in zip(answers.first, presses, strict=True))
    into.last.append(answers.last - presses[-1])


def hold(program: Program, key: str, into: Figures) -> None:
    """Hold a key, let it go, and note how long the cursor went on."""
    begun = _here(program)
    cpu = program.cpu
    presses = press_held(program, key)
    program.settle(0.5, most=5.0)
    into.held_cpu.append(program.cpu - cpu)
    answers = _answers(program, key, presses, begun)
    into.overshoot.append(answers.first[-1] - presses[-1])
    into.frames.append(answers.frames)


def press_held(program: Program, key: str) -> list[float]:
    """Press a key as the keyboard does while it is held; return when each press was."""
    presses = []
    begun = time.perf_counter()
    for number in range(HELD):
        program.read(begun + number * HELD_SECONDS - time.perf_counter())
        presses.append(program.press(key))
    return presses


@dataclass(frozen=True)
class _Answers:
    first: list[float]
    last: float
    frames: int


def _here(program: Program) -> int:
    program.draw()
    place = program.screen.place()
    if place is None:
        raise RuntimeError(f"no row is under the cursor:\n{program.screen.text}")
    return place


def _answers(program: Program, key: str, presses: list[float], begun: int) -> _Answers:
    """Return when the cursor was seen where each press puts it, and in how many frames it moved."""
    way = -1 if key == "k" else 1
    first: list[float] = []
    before, last, frames = begun, presses[-1], 0
    for piece in program.replay():
        if piece.at < presses[0]:
            continue
        last = max(last, piece.at)
        place = program.screen.place()
        if place is None or place == before:
            continue
        frames, before = frames + 1, place
        while len(first) < len(presses) and (place - begun) * way > len(first):
            first.append(piece.at)
    if len(first) < len(presses):
        raise RuntimeError(
            f"{len(presses) - len(first)} of {len(presses)} presses were not answered:\n"
            f"{program.screen.text}"
        )
    return _Answers(first, last, frames)


def _requests(lent: Home, screen: Screen) -> dict[str, float]:
    """Count what is sent, by the log of a program that logs its requests."""
    with start(lent, screen, "--debug") as program:
        go(program, screen)
        quiet(program, lent)
        before = lent.requests
        single(program, "j", [sum(PAUSES) / 2] * 2 * PRESSES, Figures())
        quiet(program, lent)
        pressed = (lent.requests - before) / (2 * PRESSES)
        names = lent.operations()
        press_held(program, "j")
        held = {
            name: count - names.get(name, 0)
            for name, count in lent.operations().items()
            if count > names.get(name, 0)
        }
        quiet(program, lent)
        unknown, known = (_rested(program, lent, key) for key in "jk")
    table(
        "Requests sent in the list of 45,000",
        ("when", "requests"),
        [
            (f"{2 * PRESSES} presses at a pause, for each", f"{pressed:.1f}"),
            (f"{HELD} presses of a held key, together", str(sum(held.values()))),
            *((f"  {name}", str(count)) for name, count in held.items()),
            (
                f"a row rested on {REST_SECONDS:g} s, details unknown",
                "/".join(map(str, sorted(unknown))),
            ),
            ("the same, details known", "/".join(map(str, sorted(known)))),
        ],
    )
    return {
        "requests.held": sum(count for name, count in held.items() if name != LIST_PAGES),
        "requests.unknown": middle(unknown),
        "requests.known": middle(known),
    }


def _rested(program: Program, lent: Home, key: str) -> list[int]:
    """Rest on rows, one after the other; return how many requests were sent for each."""
    taken = []
    for _ in range(RESTED):
        before = lent.requests
        program.press(key)
        program.read(REST_SECONDS)
        taken.append(lent.requests - before)
    return taken


def quiet(program: Program, lent: Home, seconds: float = 3.0, most: float = 60.0) -> None:
    """Wait until nothing was sent for a while, beyond what is asked at intervals."""
    end = time.perf_counter() + most
    while time.perf_counter() < end:
        before = lent.requests
        program.read(seconds)
        if lent.requests - before <= 1:
            return
    print(f"requests did not end within {most:g} s", file=sys.stderr)
