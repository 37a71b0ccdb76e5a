"""What was looked at and kept in a file: ``--update-golden`` writes it, look at the difference."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent


def compare(name: str, told: Mapping[str, Any], *, update: bool, folder: str = "domain") -> None:
    """Assert that each part of ``told`` is as the file of that name in a folder has it."""
    path = HERE / folder / f"{name}.json"
    text = json.dumps(told, indent=1, ensure_ascii=False) + "\n"
    if update:
        path.write_text(text, encoding="utf-8")
    kept = json.loads(path.read_text(encoding="utf-8"))
    assert told.keys() == kept.keys()
    for part, each in json.loads(text).items():
        assert each == kept[part], part


def remade(kind: str, make: Callable[[Any], Any], *, update: bool, folder: str = "domain") -> None:
    """Assert that of each example of a kind the same is made as it is kept beside it.

    To add an example to ``examples/KIND.json``, write what is given and null, and update.
    """
    path = HERE / folder / "examples" / f"{kind}.json"
    examples = json.loads(path.read_text(encoding="utf-8"))
    found = [[json.dumps(each, ensure_ascii=False) for each in (given, make(given))]
             for given, _ in examples]  # fmt: skip
    if update:
        pairs = ",\n".join(f"[{given},\n {made}]" for given, made in found)
        path.write_text(f"[\n{pairs}\n]\n", encoding="utf-8")
        examples = json.loads(path.read_text(encoding="utf-8"))
    for (given, made), (_, kept) in zip(found, examples, strict=True):
        assert json.loads(made) == kept, given
