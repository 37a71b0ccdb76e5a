"""Keys pressed by chance over a real desk, and over one whose network is bad.

``make monkey KEYS=20000`` presses as many over each, on desks of 2,000 keys; ``SEED`` is where it
begins. Forty are pressed by every run of the tests.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.monkey import press_keys

KEYS = int(os.environ.get("COPYDESK_MONKEY_KEYS", "40"))
SEED = int(os.environ.get("COPYDESK_MONKEY_SEED", "1"))
ON_ONE_DESK = 2000


@pytest.mark.long
@pytest.mark.timeout(120 + KEYS // 4)
@pytest.mark.parametrize("faulty", [False, True], ids=["desk", "faulty"])
async def test_keys_by_chance_end_nothing_and_lose_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, faulty: bool
) -> None:
    folder = tmp_path / "a" / "b" / "here"  # where what is saved by a relative name goes
    folder.mkdir(parents=True)
    monkeypatch.chdir(folder)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("EDITOR", "true")
    left, seed = KEYS, SEED
    while left > 0:
        now = min(left, ON_ONE_DESK)
        await press_keys(tmp_path / f"home{seed}", seed, now, faulty=faulty)
        left, seed = left - now, seed + 1
