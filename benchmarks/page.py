"""Opening a page of 1 MB, and scrolling in it.

Targets: opens within twice hello-world's start, and scrolls within 1.2 times a key press
in a bare virtual list.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from benchmarks.start import HELLO
from benchmarks.terminal import Program, first_sight, middle, table, tail

TURNS, PRESSES = 9, 200
FIRST_WORDS = "The first words"
SECTION = """
## Part {n}

Deliveries are retried when your endpoint fails, with **growing** pauses and a [limit](limits.md).

| Field | Type | Meaning |
|---|---|---|
| attempt | int | 1 to 8 |

```bash
curl -s https://api.example.com/v1/deliveries/{n}
```

* one thing
* another thing, `{n}`
"""


def run() -> None:
    """Measure and print the ratios."""
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "page.md"
        text = f"# {FIRST_WORDS}\n"
        parts = (1 << 20) // len(SECTION)
        page.write_text(text + "".join(SECTION.format(n=n) for n in range(parts)))
        command = [sys.executable, "-m", "benchmarks.programs.desk_page", str(page)]
        hello = [first_sight(HELLO, "Hello, world") for _ in range(TURNS)]
        opened = [first_sight(command, FIRST_WORDS) for _ in range(TURNS)]
        bare = [sys.executable, "-m", "benchmarks.programs.bare_list", "1000000"]
        keys: dict[str, list[float]] = {}
        for name, program_command, ready in (
            ("bare list", bare, "Change request number 9"),
            ("1 MB page", command, FIRST_WORDS),
        ):
            with Program(program_command) as program:
                program.until(ready)
                program.settle(2.0)
                for _ in range(60):
                    program.press("j")
                keys[name] = [program.press("j") for _ in range(PRESSES)]
        size = page.stat().st_size
    table(
        f"A page of {size / (1 << 20):.2f} MB (median of {TURNS} starts, {PRESSES} presses of j)",
        ("what", "ratio", "ms"),
        [
            ("hello-world, start", "1.00", f"{middle(hello) * 1000:.0f}"),
            (
                "page, start to first words",
                f"{middle(opened) / middle(hello):.2f}",
                f"{middle(opened) * 1000:.0f}",
            ),
            ("bare list, key p95", "1.00", f"{tail(keys['bare list']) * 1000:.1f}"),
            (
                "page, key p95",
                f"{tail(keys['1 MB page']) / tail(keys['bare list']):.2f}",
                f"{tail(keys['1 MB page']) * 1000:.1f}",
            ),
        ],
    )
