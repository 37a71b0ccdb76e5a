"""``python -m benchmarks [NAME…] [FILE…] [--quick]``: measure, and hold it against the targets."""

from __future__ import annotations

import argparse
import compileall
import importlib
from inspect import signature
from pathlib import Path

from benchmarks.targets import Figure, show

PARTS = {
    "keys": "keys:run",
    "screens": "keys:run_other",
    "start": "start:run",
    "memory": "memory:run",
    "idle": "idle:run",
    "end": "end:run",
    "desk": "desk:run",
    "structure": "structure:run",
    "diff": "diff:run",
    "importing": "importing:run",
    "ingesting": "ingesting:run",
    "files": "files:run",
    "clusters": "clusters:run",
}
"""The module and the function of each part. The first seven measure what there are targets for."""


def main() -> None:
    """Run the parts that were named, or all, and print the targets they measured."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument(
        "parts", nargs="*", metavar="NAME", help=f"{', '.join(PARTS)}; or a file that one reads"
    )
    parser.add_argument("--quick", action="store_true", help="fewer turns: a first look")
    options = parser.parse_args()
    files = [name for name in options.parts if name not in PARTS and Path(name).is_file()]
    names = [name for name in options.parts if name not in files]
    if unknown := [name for name in names if name not in PARTS]:
        parser.error(f"no benchmark is called {', '.join(unknown)}; there are {', '.join(PARTS)}")
    # As an installed program is: a source file that was edited would be compiled at every start.
    for folder in ("src", "benchmarks"):
        compileall.compile_dir(Path(folder), quiet=1)
    measured: dict[str, Figure] = {}
    for name in names or PARTS:
        module, function = PARTS[name].split(":")
        run = getattr(importlib.import_module(f"benchmarks.{module}"), function)
        given = {"quick": options.quick, "files": files}
        taken = {key: value for key, value in given.items() if key in signature(run).parameters}
        measured |= run(**taken) or {}
    show(measured)


if __name__ == "__main__":
    main()
