from __future__ import annotations

import sqlite3
import stat
from pathlib import Path

import pytest

from copydesk.domain.cached_answers import Held, Kept
from copydesk.local import answer_cache
from copydesk.local.answer_cache import Answers, all_answers, answers_file


class Now:
    """A clock that a test sets."""

    def __init__(self) -> None:
        self.at = 0.0

    def __call__(self) -> float:
        self.at += 1
        return self.at


def put(store: Answers, now: Now, *targets: str, size: int = 1000) -> None:
    for target in targets:
        store.keep({target: Kept(target[:1].encode() * size, now())})


def test_what_is_kept_is_there_for_others_and_for_this_user_alone(tmp_path: Path) -> None:
    path = answers_file(tmp_path / "answers", "service:a")
    assert answers_file(tmp_path / "answers", "service:b") != path
    one, other = Answers(path, desk="service:a"), Answers(path)
    assert one.read("/v1/user?q=typed%20words") is None
    assert not path.exists()
    assert one.held() == Held("service:a", 0, 0)

    one.keep({"/v1/user?q=typed%20words": Kept(b"first", 5.0), "/v1/b": Kept(b"second", 7.0)})
    one.keep({"/v1/user?q=typed%20words": Kept(b"third", 9.0)})
    assert other.read("/v1/user?q=typed%20words") == Kept(b"third", 9.0)
    assert other.read("/v1/c") is None
    held = other.held()
    assert (held.desk, held.count, held.oldest, held.newest) == ("service:a", 2, 7.0, 9.0)
    assert [each.held().count for each in all_answers(path.parent)] == [2]
    for file in path.parent.iterdir():
        assert stat.S_IMODE(file.stat().st_mode) == 0o600, file
        assert b"typed" not in file.read_bytes()
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700

    one.forget()
    assert other.read("/v1/b") is None
    one.close()
    other.close()
    assert not any(b"second" in file.read_bytes() for file in path.parent.iterdir())


def test_what_was_not_used_for_longest_goes_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = Now()
    limit = 10 * (1000 + answer_cache.ROW_BYTES)
    store = Answers(tmp_path / "a.db", limit_bytes=limit, clock=now)
    put(store, now, *"abcdefghij")
    assert store.held().count == 10
    assert store.read("a") is not None
    put(store, now, "k", "l")
    assert [target for target in "abcdefghijkl" if store.read(target) is None] == ["b", "c"]
    # However much is kept, the file stays about as large.
    for number in range(60):
        put(store, now, f"{number}")
    assert store.held().size <= limit
    assert (tmp_path / "a.db").stat().st_size < 4 * limit
    put(store, now, "x", size=3 * limit)
    assert store.read("x") is None
    monkeypatch.setattr(answer_cache, "ANSWER_BYTES", 2000)
    put(store, now, "y", size=2001)
    assert store.read("y") is None
    store.close()


@pytest.mark.parametrize("damage", ["text", "cut", "version", "tables"])
def test_a_broken_file_is_begun_anew(tmp_path: Path, damage: str) -> None:
    now, path = Now(), tmp_path / "a.db"
    store = Answers(path, desk="d", clock=now)
    put(store, now, *"abc", size=20_000)
    store.close()
    if damage == "text":
        path.write_text("no database at all " * 500)
    elif damage == "cut":
        path.write_bytes(path.read_bytes()[:9000])
    else:
        database = sqlite3.connect(path)
        change = "PRAGMA user_version = 99" if damage == "version" else "DROP TABLE answer"
        database.execute(change)
        database.close()
    for target in "abc":
        store.read(target)
    put(store, now, *"de")
    kept = store.read("d")
    assert kept is not None
    assert kept.content == b"d" * 1000
    store.forget()
    assert store.held().count == 0
    store.close()


def test_where_a_disk_refuses_nothing_is_kept_and_nothing_fails(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    now, path = Now(), tmp_path / "folder" / "a.db"
    (tmp_path / "folder").write_text("a file in the way")
    store = Answers(path, clock=now)
    put(store, now, "a")
    assert store.read("a") is None
    assert store.held().count == 0
    store.forget()
    (tmp_path / "folder").unlink()

    put(store, now, "a")
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    waiting = Answers(path, clock=now, wait_seconds=0)
    put(waiting, now, "b")
    with pytest.raises(OSError, match="cannot be cleared"):
        waiting.forget()
    other.execute("ROLLBACK")
    other.close()
    put(waiting, now, "c")
    assert [target for target in "abc" if waiting.read(target)] == ["a", "c"]
    assert {record.levelname for record in caplog.records} == {"WARNING"}

    # A cache may be deleted at any time, also under a program that runs.
    for file in path.parent.iterdir():
        file.unlink()
    assert store.read("a") is None
    put(store, now, "d")
    assert store.read("d") is not None
    store.close()
    waiting.close()
