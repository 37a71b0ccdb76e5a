"""What was looked at and kept in a file: ``--update-golden`` writes it, look at the difference."""

from __future__ import annotations

import json
from collections.abc import Mapping
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
