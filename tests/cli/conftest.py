"""Fixtures of the tests of commands."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.script_desk import ScriptDesk, Typed


@pytest.fixture
def scripts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Iterator[ScriptDesk]:
    """A desk that is nobody's own, and nobody at a terminal."""
    monkeypatch.setenv("COPYDESK_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("COPYDESK_TOKEN", raising=False)
    monkeypatch.delenv("COPYDESK_BASE_URL", raising=False)
    monkeypatch.setattr(sys, "stdin", Typed())
    found = ScriptDesk(tmp_path, capsys)
    yield found
    found.world.close()
