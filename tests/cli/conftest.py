"""Fixtures of the tests of commands."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from copydesk.server import sample
from copydesk.server.sources.model import Progress
from copydesk.server.store import Store
from tests.cli.script_desk import ScriptDesk, Typed


@pytest.fixture(scope="session", autouse=True)
def sample_made_once() -> Iterator[None]:
    """Copy the sample into new desks of this process: to build it takes most of a test's time."""
    made: list[tuple[Store, str]] = []
    build = sample.build_sample

    def copied(store: Store, *, progress: Progress | None = None) -> str:
        if progress is not None:
            return build(store, progress=progress)
        if not made:
            first = Store(durable=False)
            made.append((first, build(first)))
        made[0][0]._writer.backup(store._writer)
        return made[0][1]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sample, "build_sample", copied)
        yield
    for first, _ in made:
        first.close()


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
