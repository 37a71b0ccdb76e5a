"""``python -m benchmarks [NAME…]``: run some or all, and print their ratios as tables."""

from __future__ import annotations

import compileall
import importlib
import sys
from pathlib import Path

NAMES = (
    "start",
    "keys",
    "reviews",
    "structure",
    "page",
    "diff",
    "importing",
    "ingesting",
    "desk",
    "files",
)


def main() -> int:
    """Run the benchmarks that were named, or all; 2 for a name that is none."""
    chosen = sys.argv[1:] or list(NAMES)
    if unknown := [name for name in chosen if name not in NAMES]:
        print(f"no benchmark is called {', '.join(unknown)}; there are {', '.join(NAMES)}")
        return 2
    # As an installed program is: a source file that was edited would be compiled at every start.
    for folder in ("src", "benchmarks"):
        compileall.compile_dir(Path(folder), quiet=1)
    for name in chosen:
        importlib.import_module(f"benchmarks.{name}").run()
    return 0


if __name__ == "__main__":
    sys.exit(main())
