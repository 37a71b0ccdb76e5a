"""``python -m benchmarks [NAME…]``: measure all, or some parts, and hold it against the targets."""

from __future__ import annotations

import compileall
import importlib
import sys
from pathlib import Path

from benchmarks.targets import show

NAMES = ("start", "keys", "structure", "diff", "importing", "ingesting", "desk", "files")


def main() -> int:
    """Run the parts that were named, or all; 2 for a name that is none."""
    chosen = sys.argv[1:] or list(NAMES)
    if unknown := [name for name in chosen if name not in NAMES]:
        print(f"no benchmark is called {', '.join(unknown)}; there are {', '.join(NAMES)}")
        return 2
    # As an installed program is: a source file that was edited would be compiled at every start.
    for folder in ("src", "benchmarks"):
        compileall.compile_dir(Path(folder), quiet=1)
    measured: dict[str, float] = {}
    for name in chosen:
        measured |= importlib.import_module(f"benchmarks.{name}").run() or {}
    show(measured)
    return 0


if __name__ == "__main__":
    sys.exit(main())
