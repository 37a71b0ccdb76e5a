"""From key press to the changed screen, in lists of 100,000 and 1,000,000 rows.

The yardstick is a bare virtual list of 1,000,000 rows on the same Textual. Target: p95
within 1.2 times it while pages load as the cursor goes, no press over 50 ms. The programs are open
side by side and pressed in turns, so that the machine's mood hits all of them alike.
"""

from __future__ import annotations

import sys
from contextlib import ExitStack

from benchmarks.terminal import Program, middle, table, tail

PRESSES, TURN, WARM_UP = 400, 40, 60


def run() -> None:
    """Measure and print the ratios."""
    programs = {
        "bare list, 1,000,000": ("bare_list", "1000000"),
        "copydesk, 100,000": ("desk_list", "100000"),
        "copydesk, 1,000,000": ("desk_list", "1000000"),
    }
    times: dict[str, list[float]] = {name: [] for name in programs}
    with ExitStack() as stack:
        running: dict[str, Program] = {}
        for name, (module, rows) in programs.items():
            command = [sys.executable, "-m", f"benchmarks.programs.{module}", rows]
            program = running[name] = stack.enter_context(Program(command))
            program.until("Change request number 9")
            program.settle(1.0)
            for _ in range(WARM_UP):
                program.press("j")
        for _ in range(PRESSES // TURN):
            for name, program in running.items():
                times[name].extend(program.press("j") for _ in range(TURN))
    bare = times["bare list, 1,000,000"]
    table(
        f"Key press to changed screen, scrolling ({PRESSES} presses of j)",
        ("list", "p50 ratio", "p95 ratio", "p50 ms", "p95 ms", "max ms"),
        [
            (
                name,
                f"{middle(taken) / middle(bare):.2f}",
                f"{tail(taken) / tail(bare):.2f}",
                f"{middle(taken) * 1000:.1f}",
                f"{tail(taken) * 1000:.1f}",
                f"{max(taken) * 1000:.1f}",
            )
            for name, taken in times.items()
        ],
    )
