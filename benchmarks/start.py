"""From process start to the first useful row, beside a bare hello-world.

Three ways: the sample, the desk of 100,000 change requests, and that desk as a service over the
loopback. Each was opened before, as with anybody who starts the program every day. The starts are
taken in turns, so that the machine's mood hits all of them alike.
"""

from __future__ import annotations

from contextlib import ExitStack

from benchmarks.homes import COPYDESK, HELLO, SCALE, home, served
from benchmarks.terminal import Program, middle, table

TURNS = 15
SAMPLE_ROW, LARGE_ROW = "Handbook", "Space 2"
"""What the first row is known by: in the spaces of the sample, and of the large organization."""


def run() -> dict[str, float]:
    """Measure and print the ratios."""
    times: dict[str, list[float]] = {"hello-world": []}
    memory: dict[str, list[float]] = {"hello-world": []}
    with ExitStack() as stack:
        small, large = (stack.enter_context(home(scale)) for scale in (0, SCALE))
        remote = stack.enter_context(home(SCALE))
        service = stack.enter_context(served(remote)) | remote.environment
        ways = {
            "sample": ([*COPYDESK], small.environment, SAMPLE_ROW),
            "large": ([*COPYDESK], large.environment, LARGE_ROW),
            "service": ([*COPYDESK], service, LARGE_ROW),
        }
        for name, (command, environment, row) in ways.items():
            times[name], memory[name] = [], []
            address = [] if name == "sample" else [large.organization]
            # Two starts before: the first leaves where to open, the second its rows.
            for given in (address, []):
                with Program([*command, *given], environment) as program:
                    program.until(row)
                    program.read(4.0)
        for _ in range(TURNS):
            with Program(HELLO) as program:
                times["hello-world"].append(program.sight("Hello, world"))
                memory["hello-world"].append(program.memory)
            for name, (command, environment, row) in ways.items():
                with Program(command, environment) as program:
                    times[name].append(program.sight(row))
                    memory[name].append(program.memory)
    base, least = middle(times["hello-world"]), middle(memory["hello-world"])
    table(
        f"Start to first useful row (median of {TURNS})",
        ("program", "ratio", "ms", "PSS ratio", "PSS MiB"),
        [
            (
                name,
                f"{middle(taken) / base:.2f}",
                f"{middle(taken) * 1000:.0f}",
                f"{middle(memory[name]) / least:.2f}",
                f"{middle(memory[name]):.1f}",
            )
            for name, taken in times.items()
        ],
    )
    measured = {f"start.{name}": middle(times[name]) / base for name in ways}
    return measured | {"pss.first": middle(memory["sample"]) / least}
