"""From process start to the first useful row, against a bare Textual hello-world.

Targets: 1.6 times hello-world on the sample desk, 1.65 on one of 100,000 change
requests. The starts are taken in turns, so that the machine's mood hits all of them alike.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.terminal import Program, first_sight, middle, table

TURNS = 15
HELLO = [sys.executable, "-m", "benchmarks.programs.hello"]
COPYDESK = [sys.executable, "-m", "copydesk"]
FIRST_ROW = "Handbook"
SCALE = 100_000


def run() -> None:
    """Measure and print the ratios."""
    with tempfile.TemporaryDirectory() as folder:
        homes = {"sample desk": Path(folder) / "sample", "100,000 requests": Path(folder) / "big"}
        for name, home in homes.items():
            if name != "sample desk":
                grow = [*COPYDESK, "desk", "sample", "--scale", str(SCALE)]
                subprocess.run(grow, env=_environment(home), check=True, capture_output=True)
            # The first start makes the desk and leaves the rows for the next start's first frame.
            with Program(COPYDESK, _only(home)) as program:
                program.until(FIRST_ROW)
                program.settle(1.0)
        times: dict[str, list[float]] = {"hello-world": []}
        for _ in range(TURNS):
            times["hello-world"].append(first_sight(HELLO, "Hello, world"))
            for name, home in homes.items():
                taken = first_sight(COPYDESK, FIRST_ROW, _only(home))
                times.setdefault(name, []).append(taken)
    hello = middle(times["hello-world"])
    table(
        f"Start to first useful row (median of {TURNS})",
        ("program", "ratio", "ms"),
        [
            (name, f"{middle(taken) / hello:.2f}", f"{middle(taken) * 1000:.0f}")
            for name, taken in times.items()
        ],
    )


def _only(home: Path) -> dict[str, str]:
    return {"COPYDESK_HOME": str(home)}


def _environment(home: Path) -> dict[str, str]:
    import os

    return {**os.environ, **_only(home)}
