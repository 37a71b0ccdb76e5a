"""A desk file: transactions, files that are no desk, and what survives whom."""

from __future__ import annotations

import asyncio
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable
from datetime import UTC, datetime, timedelta, timezone
from functools import partial
from pathlib import Path

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from copydesk.server import desk_writes
from copydesk.server.app import create_app
from copydesk.server.desk_file import APPLICATION_ID
from copydesk.server.migrations import VERSION
from copydesk.server.store import DeskError, Store, Tx, random_id, timestamp, to_json
from tests.world import World


def people(store: Store) -> int:
    count: int = store.read(lambda tx: tx.value("SELECT count(*) FROM user"))
    return count


def test_a_write_is_kept_and_a_failed_one_leaves_nothing(tmp_path: Path) -> None:
    store = Store(tmp_path / "new" / "desk.db")

    def fail(tx: Tx) -> None:
        desk_writes.add_user(tx, "Half", "half@example.org")
        raise KeyError("stop")

    store.write(lambda tx: desk_writes.add_user(tx, "Ana", "ana@example.org"))
    with pytest.raises(KeyError):
        store.write(fail)
    with pytest.raises(sqlite3.IntegrityError):
        store.write(lambda tx: desk_writes.add_user(tx, "Twin", "ANA@example.org"))
    assert people(store) == 1
    store.close()
    again = Store(tmp_path / "new" / "desk.db")
    assert people(again) == 1
    again.close()


async def test_a_desk_that_is_only_read_follows_who_writes_it_and_leaves_nothing_beside(
    tmp_path: Path,
) -> None:
    path = tmp_path / "desk.db"
    with pytest.raises(DeskError, match="cannot be opened"):
        Store(path, reads=True)
    world = World(path)
    home = world.home
    world.close()
    before = path.read_bytes()
    reading = Store(path, reads=True)
    app = create_app(reading, sessions={"t": world.ana})
    async with httpx.AsyncClient(
        transport=httpx.ASGITransport(app=app),
        base_url="http://desk.test/v1",
        headers={"authorization": "Bearer t"},
    ) as client:
        refused = await client.post(f"/orgs/{home}/spaces", json={"title": "New"})
        assert refused.status_code == 403
        assert "opened read-only" in refused.json()["error"]["message"]
        assert (path.read_bytes(), beside(path)) == (before, ["desk.db"])
        there = people(reading)
        # Somebody else may write it all the same: while they do, and once they are gone.
        writing = Store(path)
        for more in (1, 2):
            writing.write(partial(add_person, name=f"new{more}"))
            assert people(reading) == there + more
        writing.close()
        assert people(reading) == there + 2
    # What takes its place and is no desk is told each time, and forgotten once the desk is back.
    path.rename(tmp_path / "away")
    path.write_bytes(b"no desk")
    for _ in range(2):
        with pytest.raises(sqlite3.DatabaseError, match="not a database"):
            people(reading)
    (tmp_path / "away").replace(path)
    assert people(reading) == there + 2
    reading.close()


def beside(path: Path) -> list[str]:
    return sorted(each.name for each in path.parent.iterdir())


def add_person(tx: Tx, name: str) -> None:
    desk_writes.add_user(tx, name, f"{name}@example.org")


def test_a_commit_that_fails_leaves_a_desk_that_can_be_written(tmp_path: Path) -> None:
    store = Store(tmp_path / "desk.db")

    def dangle(tx: Tx) -> None:
        tx.run("PRAGMA defer_foreign_keys = ON")  # so that the commit fails and not the statement
        tx.insert("token", hash="h", user_id="nobody", label="", created_at=tx.now)

    with pytest.raises(sqlite3.IntegrityError, match="FOREIGN KEY"):
        store.write(dangle)
    store.write(lambda tx: desk_writes.add_user(tx, "Ana", "ana@example.org"))
    assert people(store) == 1
    store.close()


def test_a_connection_that_reads_caches_little_of_the_file(tmp_path: Path) -> None:
    store = Store(tmp_path / "desk.db")
    size: int = store.read(lambda tx: tx.value("PRAGMA cache_size"))
    assert -1024 <= size < 0  # in KiB: there are five of them
    store.close()


async def test_reads_go_on_while_many_writes_wait(tmp_path: Path) -> None:
    store = Store(tmp_path / "desk.db")
    other = sqlite3.connect(tmp_path / "desk.db", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")

    def add(number: int) -> str:
        email = f"p{number}@example.org"
        return store.write(lambda tx: desk_writes.add_user(tx, "P", email))

    waiting = [
        asyncio.create_task(store.in_thread(partial(add, number), writes=True))
        for number in range(20)
    ]
    async with asyncio.timeout(10):
        assert await store.in_thread(lambda: people(store), writes=False) == 0
        assert not any(task.done() for task in waiting)
    other.execute("ROLLBACK")
    await asyncio.gather(*waiting)
    assert people(store) == 20
    other.close()
    store.close()


async def test_writes_that_wait_share_a_commit_and_nothing_else(tmp_path: Path) -> None:
    store = Store(tmp_path / "desk.db")
    statements: list[str] = []
    store._writer.set_trace_callback(statements.append)

    def add(name: str) -> str:
        return store.write(
            lambda tx: desk_writes.add_user(tx, "P", f"{name.removeprefix('again ')}@example.org")
        )

    def dangle() -> None:
        def work(tx: Tx) -> None:
            tx.run("PRAGMA defer_foreign_keys = ON")  # so that the commit fails and no statement
            tx.insert("token", hash="h", user_id="nobody", label="", created_at=tx.now)

        store.write(work)

    async def all_at_once(*works: Callable[[], object]) -> list[object]:
        """Do several works that wait for the same writer; return what each came to."""
        other = sqlite3.connect(tmp_path / "desk.db", isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        waiting = [asyncio.create_task(store.in_thread(work, writes=True)) for work in works]
        await asyncio.sleep(0)
        waiting[2].cancel()
        other.execute("ROLLBACK")
        other.close()
        del statements[:]
        return await asyncio.gather(*waiting, return_exceptions=True)

    # One that fails, and one that nobody waits for any more, leave nothing; the others are there.
    names = ["a", "again a", "gone", *"bcdefgh"]
    came = await all_at_once(*(partial(add, name) for name in names))
    assert [type(each) for each in came[:3]] == [
        str,
        sqlite3.IntegrityError,
        asyncio.CancelledError,
    ]
    assert all(isinstance(each, str) for each in came[3:])
    assert people(store) == 8
    assert 1 <= statements.count("COMMIT") < len(names) - 2
    # Where the commit itself fails, only who is the reason hears of it.
    came = await all_at_once(*(partial(add, name) for name in "ijkl"), dangle, partial(add, "m"))
    assert isinstance(came[4], sqlite3.IntegrityError)
    assert people(store) == 12
    # A failure that no future takes keeps nobody waiting.
    came = await all_at_once(partial(next, iter(())), *(partial(add, name) for name in "nop"))
    assert isinstance(came[0], RuntimeError)
    assert people(store) == 14
    store.close()


def test_the_file_is_private_and_says_what_it_is(tmp_path: Path) -> None:
    path = tmp_path / "desk.db"
    store = Store(path)
    assert path.stat().st_mode & 0o077 == 0
    with sqlite3.connect(path) as connection:
        assert connection.execute("PRAGMA application_id").fetchone() == (APPLICATION_ID,)
        assert connection.execute("PRAGMA user_version").fetchone() == (VERSION,)
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    connection.close()
    store.close()


def test_a_file_that_is_no_desk_is_left_as_it_is(tmp_path: Path) -> None:
    text = tmp_path / "notes.txt"
    text.write_text("Not a database, but long enough to be looked at. " * 100)
    other = tmp_path / "other.db"
    with sqlite3.connect(other) as connection:
        connection.execute("CREATE TABLE mine (x)")
    connection.close()
    newer = tmp_path / "newer.db"
    Store(newer).close()
    with sqlite3.connect(newer) as connection:
        connection.execute(f"PRAGMA user_version = {VERSION + 1}")
    connection.close()
    for path, reason in ((text, "not a usable"), (other, "another program"), (newer, "newer")):
        before = path.read_bytes()
        with pytest.raises(DeskError, match=reason) as failure:
            Store(path)
        assert path.name in str(failure.value)
        assert path.read_bytes() == before


def test_a_folder_is_no_desk(tmp_path: Path) -> None:
    with pytest.raises(DeskError, match="--desk"):
        Store(tmp_path)


def test_a_reader_sees_one_moment(tmp_path: Path) -> None:
    store = Store(tmp_path / "desk.db")
    seen: list[int] = []

    def look(tx: Tx) -> None:
        seen.append(tx.value("SELECT count(*) FROM user"))
        writer = threading.Thread(
            target=lambda: store.write(lambda w: desk_writes.add_user(w, "New", "new@example.org"))
        )
        writer.start()
        writer.join()
        seen.append(tx.value("SELECT count(*) FROM user"))

    store.read(look)
    assert seen == [0, 0]
    assert people(store) == 1
    store.close()


def test_many_writers_in_two_processes_lose_nothing(tmp_path: Path) -> None:
    path = tmp_path / "desk.db"
    store = Store(path)
    script = (
        "import sys; from pathlib import Path\n"
        "from copydesk.server import desk_writes\n"
        "from copydesk.server.store import Store\n"
        "store = Store(Path(sys.argv[1]))\n"
        "for n in range(20):\n"
        "    store.write(lambda tx: desk_writes.add_user(tx, 'P', f'there{n}@example.org'))\n"
    )
    other = subprocess.Popen([sys.executable, "-c", script, str(path)])

    def write(thread: int) -> None:
        for n in range(10):
            email = f"here{thread}-{n}@example.org"
            store.write(partial(desk_writes.add_user, display_name="P", email=email))

    threads = [threading.Thread(target=write, args=(thread,)) for thread in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert other.wait(timeout=60) == 0
    assert people(store) == 40
    store.close()


@given(st.datetimes(timezones=st.just(UTC)), st.datetimes(timezones=st.just(UTC)))
def test_times_sort_as_text_as_they_do_in_time(one: datetime, other: datetime) -> None:
    assert (timestamp(one) < timestamp(other)) == (one < other)


def test_times_are_kept_in_utc() -> None:
    there = datetime(2026, 1, 1, 1, tzinfo=timezone(timedelta(hours=2)))
    assert timestamp(there) == "2025-12-31T23:00:00.000000Z"


def test_ids_are_letters_and_digits_and_differ() -> None:
    ids = {random_id() for _ in range(1000)}
    assert len(ids) == 1000
    assert all(len(key) == 20 and key.isascii() and key.isalnum() for key in ids)


def test_equal_values_have_equal_json() -> None:
    assert to_json({"b": [1, "é"], "a": None}) == '{"a":null,"b":[1,"é"]}'


async def test_what_is_kept_of_a_state_is_read_anew_after_any_commit(tmp_path: Path) -> None:
    path = tmp_path / "desk.db"
    store, elsewhere = Store(path), Store(path)
    reads: list[int] = []

    def look() -> int:
        def read(tx: Tx) -> int:
            count: int = tx.kept("people", lambda: tx.value("SELECT count(*) FROM user"))
            assert count == tx.value("SELECT count(*) FROM user")
            return count

        reads.append(threading.get_ident())
        return store.read(read)

    for writer, email in ((store, "a@example.org"), (elsewhere, "b@example.org")):
        before = look()
        assert look() == before
        writer.write(partial(desk_writes.add_user, display_name="P", email=email))
        assert look() == before + 1

    # A transaction that writes sees what it wrote, and a reader can write nothing.
    def add(tx: Tx) -> list[int]:
        seen = [tx.kept("people", lambda: tx.value("SELECT count(*) FROM user"))]
        desk_writes.add_user(tx, "P", "c@example.org")
        return [*seen, tx.kept("people", lambda: tx.value("SELECT count(*) FROM user"))]

    assert store.write(add) == [2, 3]
    with pytest.raises(sqlite3.OperationalError, match="readonly"):
        store.read(lambda tx: tx.run("DELETE FROM user"))

    # A short read runs in the thread that asks, beside a writer of another process.
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    assert await store.soon(look) == 3
    assert await store.soon(look) == 3
    assert set(reads) == {threading.get_ident()}
    other.close()
    elsewhere.close()
    store.close()


def test_what_a_writer_keeps_is_what_is_written(tmp_path: Path) -> None:
    path = tmp_path / "desk.db"
    store = Store(path)
    ana = store.write(lambda tx: desk_writes.add_user(tx, "Ana", "ana@example.org"))
    asked: list[str] = []

    def name(tx: Tx) -> str:
        def read() -> str:
            asked.append(tx.value("SELECT display_name FROM user WHERE id = ?", ana))
            return asked[-1]

        return tx.kept("name", read, ("user",))

    def rename(tx: Tx) -> None:
        assert name(tx) == "Ana"
        tx.update("user", ana, display_name="Bea")
        assert name(tx) == "Bea"
        raise KeyError("stop")

    # What others write is seen, also where it is counted as what was undone had been.
    with pytest.raises(KeyError):
        store.write(rename)
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("UPDATE user SET display_name = 'Cleo'")
    other.close()
    assert store.write(name) == store.write(name) == "Cleo"
    # A write to other tables leaves it.
    store.write(lambda tx: tx.insert("meta", key="a", value="b"))
    assert store.write(name) == "Cleo"
    assert asked == ["Ana", "Bea", "Cleo"]
    store.close()


async def test_a_short_read_that_would_wait_goes_to_a_thread(tmp_path: Path) -> None:
    store = Store(tmp_path / "desk.db")
    threads: list[int] = []

    def busy_here() -> str:
        threads.append(threading.get_ident())
        if threads[-1] == threading.main_thread().ident:
            locked = sqlite3.connect(tmp_path / "locked.db", timeout=0, isolation_level=None)
            holder = sqlite3.connect(tmp_path / "locked.db", isolation_level=None)
            try:
                holder.execute("BEGIN EXCLUSIVE")
                locked.execute("SELECT * FROM sqlite_schema").fetchall()
            finally:
                holder.close()
                locked.close()
        return "read"

    assert await store.soon(busy_here) == "read"
    assert len(threads) == 2
    assert threads[0] == threading.main_thread().ident != threads[1]
    store.close()


async def test_a_closed_desk_begins_nothing(tmp_path: Path) -> None:
    store = Store(tmp_path / "desk.db")
    assert await store.in_thread(lambda: store.read(lambda tx: 1), writes=False) == 1
    store.close()
    for writes in (False, True):
        with pytest.raises(asyncio.CancelledError):
            await store.in_thread(lambda: store.read(lambda tx: 1), writes=writes)
