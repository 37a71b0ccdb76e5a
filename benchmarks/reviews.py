"""What stays in memory of reviews that were opened and closed again.

The real program on the sample, on a pseudo-terminal: 200 times a review is opened, drawn and left.
Target: under 200 kB for each, all of it what is kept on purpose (what was read of the rows, and
what Textual remembers of the last thousand widgets). A screen that stays would take 850 kB.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from benchmarks.terminal import Program, table

OPENED = (0, 20, 50, 100, 150, 200)
QUIET = 0.2
"""Seconds without output after which a screen is taken to be there."""


def run() -> None:
    """Measure and print the memory after each so many reviews."""
    command = [sys.executable, "-m", "copydesk"]
    with (
        tempfile.TemporaryDirectory() as home,
        Program(command, {"COPYDESK_HOME": home}) as program,
    ):
        program.until("Platform guide")
        program.settle(2.0)
        program.press("\r", quiet=1.0)  # the change requests of the first space
        taken = []
        for before, after in zip((0, *OPENED), OPENED, strict=False):
            for turn in range(before, after):
                for key in ("\r", "q", "k" if turn // 5 % 2 else "j"):
                    program.press(key, quiet=QUIET)
            program.settle(1.0)
            taken.append(memory(program.pid))
    begun = taken[0]
    table(
        "Memory (PSS) after reviews were opened and closed",
        ("reviews", "MB", "more than at first, MB", "for each, kB"),
        [
            (
                str(count),
                f"{now / 1024:.1f}",
                f"{(now - begun) / 1024:.1f}",
                f"{(now - begun) / count:.0f}" if count else "",
            )
            for count, now in zip(OPENED, taken, strict=True)
        ],
    )


def memory(pid: int) -> int:
    """Return what a process takes of the memory, in kB: its own, and its share of what is shared.

    Linux tells that; raises ``OSError`` where the system does not.
    """
    rollup = Path(f"/proc/{pid}/smaps_rollup").read_text()
    return int(rollup.split("Pss:", 1)[1].split()[0])
