"""What stays in memory of reviews that were opened and closed again: the real program, the sample.

What is loaded for the first reviews is not counted: their code, and what is kept on purpose.
"""

from __future__ import annotations

from benchmarks.homes import COPYDESK, home
from benchmarks.targets import Figure
from benchmarks.terminal import Program, table

FIRST = 10
OPENED = 50, 100, 200
QUIET = 0.2
"""Seconds without output after which a screen is taken to be there."""


def run(*, quick: bool = False) -> dict[str, Figure]:
    """Measure and print the memory after each so many reviews."""
    counts = OPENED[:1] if quick else OPENED
    with home() as lent, Program(COPYDESK, lent.environment) as program:
        program.until("Platform guide")
        program.settle(2.0)
        program.press("\r")  # the change requests of the first space
        program.until("All open")
        program.settle(2.0)
        taken = []
        for turn in range(1, FIRST + counts[-1] + 1):
            _visit(program, "k" if turn // 5 % 2 else "j")
            if turn - FIRST in (0, *counts):
                program.settle(1.0)
                taken.append((turn - FIRST, program.memory, program.files))
    begun = taken[0][1]
    table(
        "PSS after reviews were opened and closed",
        ("reviews", "MiB", "more than at first", "kB for each", "files"),
        [
            (
                str(count),
                f"{now:.1f}",
                f"{now - begun:.1f}",
                f"{1024 * (now - begun) / count:.0f}" if count else "",
                str(files),
            )
            for count, now, files in taken
        ],
    )
    return {} if quick else {"pss.growth": Figure(taken[-1][1] - begun)}


def _visit(program: Program, key: str) -> None:
    """Open the review under the cursor, leave it, and go to another row."""
    program.press("\r")
    program.until("Overview")
    program.settle(QUIET, most=2.0)
    program.press("q")
    program.until("All open")
    program.press(key)
    program.settle(QUIET, most=2.0)
