"""What was acknowledged survives a kill at any moment. ``make durability`` runs 200 rounds."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROUNDS = int(os.environ.get("DURABILITY_ROUNDS", "4"))


@pytest.mark.timeout(120 + 4 * ROUNDS)
def test_a_killed_desk_has_lost_nothing(tmp_path: Path) -> None:
    ended = subprocess.run(
        [sys.executable, "-m", "tests.server.killing", str(tmp_path / "desk.db"), str(ROUNDS)],
        capture_output=True,
        text=True,
        timeout=100 + 3 * ROUNDS,
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert f"{ROUNDS} rounds" in ended.stdout
    assert ended.stderr == ""
    sys.stdout.write(ended.stdout)
