"""Waiting for a lock: looked for every few milliseconds, however often others write."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from copydesk.database_lock import when_free
from copydesk.local.state import State
from copydesk.server.store import Store

LONGEST_PAUSE = 0.002


@pytest.fixture
def pauses(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The pauses made between two attempts; the time passes with nothing else."""
    made: list[float] = []
    now = [0.0]

    def pause(seconds: float) -> None:
        made.append(seconds)
        now[0] += seconds

    monkeypatch.setattr(time, "sleep", pause)
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    return made


@pytest.fixture
def other(tmp_path: Path) -> Iterator[sqlite3.Connection]:
    """A connection of another process, that holds the lock of a database."""
    with closing(_connect(tmp_path)) as other:
        other.execute("PRAGMA journal_mode = WAL")
        other.execute("BEGIN IMMEDIATE")
        yield other


def _connect(folder: Path) -> sqlite3.Connection:
    return sqlite3.connect(folder / "some.db", timeout=7.5, isolation_level=None)


def test_a_lock_is_taken_as_soon_as_it_is_free(
    tmp_path: Path,
    other: sqlite3.Connection,
    pauses: list[float],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def pause(seconds: float) -> None:
        pauses.append(seconds)
        if len(pauses) == 3:
            other.execute("COMMIT")

    monkeypatch.setattr(time, "sleep", pause)
    with closing(_connect(tmp_path)) as connection:
        when_free(connection, "BEGIN IMMEDIATE", 1.0)
        assert connection.in_transaction
        assert len(pauses) == 3
        assert connection.execute("PRAGMA busy_timeout").fetchone() == (7500,)
    assert 0 < max(pauses) <= LONGEST_PAUSE


def test_it_is_waited_for_only_so_long(
    tmp_path: Path, other: sqlite3.Connection, pauses: list[float]
) -> None:
    with closing(_connect(tmp_path)) as connection:
        with pytest.raises(sqlite3.OperationalError, match="locked"):
            when_free(connection, "BEGIN IMMEDIATE", 1.0)
        assert connection.execute("PRAGMA busy_timeout").fetchone() == (7500,)
    assert 1.0 < sum(pauses) < 1.0 + 2 * LONGEST_PAUSE


def test_another_error_is_raised_at_once(tmp_path: Path, pauses: list[float]) -> None:
    with closing(_connect(tmp_path)) as connection, pytest.raises(sqlite3.OperationalError):
        when_free(connection, "BEGIN NEVER", 1.0)
    assert pauses == []


@pytest.mark.parametrize("name", ["state.db", "desk.db"])
def test_state_and_desk_wait_so(tmp_path: Path, name: str, pauses: list[float]) -> None:
    path = tmp_path / name
    held = State(path) if name == "state.db" else Store(path)
    held.write(lambda _: None)
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises((OSError, sqlite3.OperationalError)):
            held.write(lambda _: None)
    held.close()
    assert len(pauses) > 1000
    assert max(pauses) <= LONGEST_PAUSE
