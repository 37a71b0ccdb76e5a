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
from benchmarks.targets import Figure
from benchmarks.terminal import COLUMNS, Program, middle, table, tail

TURNS, PRESSES = 10, 20
"""Turns of single presses, and the presses of each."""

HELD_TURNS, HELD, HELD_SECONDS = 3, 90, 1 / 30
"""Turns of a key that is held, the presses of each, and the seconds between two."""

PAUSES = 0.05, 0.35
"""The shortest and the longest pause between two single presses, in seconds."""

WARM_UP = 60
RESTED, REST_SECONDS = 8, 2.0
"""Rows rested on, and for how long."""

ATTEMPTS = 20
"""Seconds that are waited for a press to be answered, at most."""

LIST_PAGES = "list_organization_change_requests"


@dataclass(frozen=True)
class Screen:
    """A screen to press keys in: how to get there, and what tells its rows apart.

    ``at`` is the address of a home that it is opened at, ``first`` what is waited for there.
    ``keys`` lead on, each with the text that is waited for afterwards. ``row`` and ``pane`` are
    those of a `Program`. With ``back`` every second turn goes back up: the rows are too few.
    """

    title: str
    at: str
    first: str
    keys: tuple[tuple[str, str], ...] = ()
    row: str = ""
    pane: tuple[int, int] = (0, COLUMNS)
    back: bool = False


LIST = Screen(
    "list of 45,000 with details",
    "organization",
    "Space 297",
    (("gc", " read "),),
    row=r"(\d+) +(\w.{12}).*?(Writer \d+|Mara L)",
)
SCREENS = {
    "key": LIST,
    "review": Screen("review of a large request", "request", "Chapter 1", pane=(0, 72)),
    "structure": Screen("structure of 2,000 sections", "site", "Section 12", row=r"Section \d+"),
    "clusters": Screen(
        "clusters",
        "organization",
        "Space 297",
        (("gk", " read "),),
        row=r"(\w.{9}).*?([▁-█]{5,}) +(\d+) +(\d+)",
        back=True,
    ),
    "pages": Screen(
        "page of 1 MB",
        "space",
        "A long page",
        (("j", "Chapter 1"), ("\t", "Chapter 1")),
        pane=(38, COLUMNS),
    ),
}


@dataclass
class Taken:
    """What the turns of one program gave; times in seconds."""

    first: list[float] = field(default_factory=list)
    last: list[float] = field(default_factory=list)
    cpu: list[float] = field(default_factory=list)
    bytes: list[int] = field(default_factory=list)
    overshoot: list[float] = field(default_factory=list)
    frames: list[int] = field(default_factory=list)
    held_cpu: list[float] = field(default_factory=list)


def run(*, quick: bool = False) -> dict[str, Figure]:
    """Press keys in the list; print what it took, and return what there are targets for."""
    with home(SCALE) as lent:
        return _beside("key", lent, quick) | _requests(lent, LIST)


def run_other(*, quick: bool = False) -> dict[str, Figure]:
    """Press keys in the other screens."""
    measured: dict[str, Figure] = {}
    with home(SCALE) as lent:
        for name in SCREENS:
            if name != "key":
                measured |= _beside(name, lent, quick)
    return measured


def start(lent: Home, screen: Screen, *options: str) -> Program:
    """Start copydesk at a screen."""
    command = [*COPYDESK, *options, getattr(lent, screen.at)]
    return Program(command, lent.environment, row=screen.row, pane=screen.pane)


def go(program: Program, screen: Screen) -> None:
    """Press the keys that lead to a screen, and wait until nothing more comes."""
    program.until(screen.first)
    program.settle(1.0)
    for keys, text in screen.keys:
        for key in keys:
            program.press(key)
        program.until(text)
        program.settle(1.0)


def _beside(name: str, lent: Home, quick: bool) -> dict[str, Figure]:
    """Press keys in a screen and in a bare list, in turns."""
    screen = SCREENS[name]
    turns, held = (3, 1) if quick else (TURNS, HELD_TURNS)
    with ExitStack() as stack:
        bare = stack.enter_context(Program(BARE, row=r"#\d+"))
        ours = stack.enter_context(start(lent, screen))
        bare.until("#30")
        go(ours, screen)
        both = {"bare list": bare, screen.title: ours}
        figures = {title: Taken() for title in both}
        chance = random.Random(1)
        pauses = [chance.uniform(*PAUSES) for _ in range(PRESSES)]
        for program in both.values():
            single(program, "j", pauses * (WARM_UP // PRESSES), Taken())
        for turn in range(turns):
            key = "k" if screen.back and turn % 2 else "j"
            chance.shuffle(pauses)
            for title, program in both.items():
                single(program, key, pauses, figures[title])
        for turn in range(held):
            key = "k" if screen.back and turn % 2 else "j"
            for title, program in both.items():
                hold(program, key, figures[title])
        memory = {title: program.memory for title, program in both.items()}
        files = {title: program.files for title, program in both.items()}
    table(
        f"{screen.title}: {turns * PRESSES} single presses at random pauses, "
        f"{held} times {HELD} of a held key",
        (
            "program", "p50 ms", "p95", "p99", "max", "last cell", "CPU ms", "bytes",
            "overshoot ms", "frames", "CPU ms held", "PSS MiB", "files",
        ),
        [
            (
                title,
                *(f"{1000 * tail(each.first, percent):.1f}" for percent in (50, 95, 99)),
                f"{1000 * max(each.first):.1f}",
                f"{1000 * middle(each.last):.1f}",
                f"{1000 * sum(each.cpu) / len(each.first):.1f}",
                f"{sum(each.bytes) / len(each.first):,.0f}",
                "/".join(f"{1000 * taken:.0f}" for taken in sorted(each.overshoot)),
                "/".join(str(count) for count in sorted(each.frames)),
                f"{1000 * middle(each.held_cpu) / HELD:.1f}",
                f"{memory[title]:.1f}",
                str(files[title]),
            )
            for title, each in figures.items()
        ],
    )  # fmt: skip
    yardstick, mine = figures.values()
    overshoot, frames = (
        Figure(scale * middle(getattr(mine, each)), scale * middle(getattr(yardstick, each)))
        for each, scale in (("overshoot", 1000), ("frames", 1))
    )
    measured = {
        "p95": Figure(tail(mine.first) / tail(yardstick.first)),
        "p99": Figure(tail(mine.first, 99) / tail(yardstick.first, 99)),
        "cpu": Figure(sum(mine.cpu) / sum(yardstick.cpu)),
        "overshoot": overshoot,
        "frames": frames,
    }
    taken = {f"{name}.{each}": figure for each, figure in measured.items()}
    if screen is LIST:
        taken["pss.list"] = Figure(memory[screen.title] / memory["bare list"])
    return taken


def single(program: Program, key: str, pauses: list[float], into: Taken) -> None:
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


def hold(program: Program, key: str, into: Taken) -> None:
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
    for _ in range(ATTEMPTS):
        for piece in program.replay():
            place = program.screen.place()
            if piece.at < presses[0]:
                continue
            last = max(last, piece.at)
            if place is None or place == before:
                continue
            frames, before = frames + 1, place
            if program.screen.steps:
                pressed = sum(press < piece.at for press in presses)
                first += [piece.at] * (pressed - len(first))
            else:
                first += [piece.at] * ((place - begun) * way - len(first))
        if len(first) == len(presses):
            break
        program.read(1.0)
    else:
        raise RuntimeError(
            f"{len(presses) - len(first)} of {len(presses)} presses were not answered:\n"
            f"{program.screen.text}"
        )
    return _Answers(first, last, frames)


def _requests(lent: Home, screen: Screen) -> dict[str, Figure]:
    """Count what is sent, by the log of a program that logs its requests.

    Polling goes on by the clock, whatever is pressed; it is counted apart (`idle` measures it).
    """
    with start(lent, screen, "--debug") as program:
        go(program, screen)
        quiet(program, lent)
        before = lent.sent(polling=False)
        single(program, "j", [sum(PAUSES) / 2] * 2 * PRESSES, Taken())
        quiet(program, lent)
        after = lent.sent(polling=False)
        pressed = (after - before).total() / (2 * PRESSES)
        press_held(program, "j")
        held = lent.sent(polling=False) - after
        quiet(program, lent)
        begun, before = time.perf_counter(), lent.sent(polling=True)
        unknown, known = (_rested(program, lent, key) for key in "jk")
        polled = (lent.sent(polling=True) - before).total() - sum(unknown) - sum(known)
        taken = time.perf_counter() - begun
    table(
        "Requests sent in the list of 45,000",
        ("when", "requests"),
        [
            (f"{2 * PRESSES} presses at a pause, for each", f"{pressed:.1f}"),
            (f"{HELD} presses of a held key, together", str(held.total())),
            *((f"  {name}", str(count)) for name, count in held.items()),
            (
                f"a row rested on {REST_SECONDS:g} s, details unknown",
                "/".join(map(str, sorted(unknown))),
            ),
            ("the same, details known", "/".join(map(str, sorted(known)))),
            (f"polling in these {taken:.0f} s, not counted above", str(polled)),
        ],
    )
    beside = held.total() - held[LIST_PAGES]
    return {
        "requests.held": Figure(beside),
        "requests.unknown": Figure(middle(unknown)),
        "requests.known": Figure(middle(known)),
    }


def _rested(program: Program, lent: Home, key: str) -> list[int]:
    """Rest on rows, one after the other; return how many requests were sent for each."""
    taken = []
    for _ in range(RESTED):
        before = lent.sent(polling=False)
        program.press(key)
        program.read(REST_SECONDS)
        taken.append((lent.sent(polling=False) - before).total())
    return taken


def quiet(program: Program, lent: Home, seconds: float = 3.0, most: float = 60.0) -> None:
    """Wait until no request was sent for a while but those of polling."""
    end = time.perf_counter() + most
    while time.perf_counter() < end:
        before = lent.sent(polling=False)
        program.read(seconds)
        if lent.sent(polling=False) == before:
            return
    print(f"requests did not end within {most:g} s", file=sys.stderr)
