"""What is kept across writes: what is read from tables whose writes are noted, as it is now."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable, Hashable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from copydesk.client.calls import Outgoing
from copydesk.client.carrier import Timeouts
from copydesk.client.in_process import AppTransport, InProcess
from copydesk.contract.models.user import User
from copydesk.server import shared_models
from copydesk.server.app import create_app
from copydesk.server.store import Store
from copydesk.server.transaction import Tables, Tx
from tests.server.everything import Everything, everything
from tests.world import BASE_URL, World

SUFFIX = "_table"

WRITES = (
    "UPDATE user SET display_name = display_name || '.' WHERE id = {lee}",
    "UPDATE member SET role = CASE role WHEN 'read' THEN 'create' ELSE 'read' END "
    "WHERE user_id = {lee}",
    "UPDATE member SET disabled = 1 - disabled WHERE user_id = {lee}",
    "UPDATE organization SET title = title || '.'",
    "UPDATE collection SET default_level = CASE WHEN default_level IS NULL THEN 'inherit' END",
    "UPDATE space SET default_level = CASE WHEN default_level IS NULL THEN 'inherit' END",
    "UPDATE space SET deleted_at = CASE WHEN deleted_at IS NULL THEN '2026-03-01' END",
    "UPDATE space SET title = title || '.', change_requests_open = change_requests_open + 1",
    "INSERT OR REPLACE INTO access_grant VALUES ({space}, {lee}, 'admin')",
    "INSERT OR REPLACE INTO access_grant VALUES ({space}, {lee}, 'read')",
    "DELETE FROM access_grant WHERE subject_id = {lee}",
    "DELETE FROM team_member WHERE user_id = {lee}",
    "INSERT OR IGNORE INTO team_member (team_id, user_id) VALUES ({team}, {lee})",
    "DELETE FROM token WHERE user_id = {lee}",
    "UPDATE change_request SET subject = subject || '.', comments = comments + 1",
    "UPDATE change_request SET created_by = {lee}",
    "UPDATE change_request SET status = CASE status WHEN 'open' THEN 'merged' ELSE 'open' END",
    "UPDATE comment SET body = body || '.', posted_by = {lee}",
    "UPDATE review SET status = 'changes-requested'",
    "UPDATE site SET published = 1 - published",
    "UPDATE site SET visibility = CASE visibility WHEN 'public' THEN 'unlisted' ELSE 'public' END",
    "UPDATE site_section SET path = path || 'x', position = -position",
    "UPDATE site_space SET path = path || 'x', hidden = 1 - hidden, title = title || '.'",
    "DELETE FROM site_space",
)
"""What other programs write; each names rows by what is in ``Everything``."""


def reads(desk: Everything) -> list[str]:
    """Return what is read: most of what a reviewer's screens ask for."""
    return [
        "/user",
        "/orgs",
        desk.org(),
        desk.org("members"),
        desk.org("spaces"),
        desk.org("collections"),
        desk.org("change-requests"),
        desk.org("change-requests?status=merged"),
        desk.org("sites"),
        desk.at_site(),
        desk.at_site("sections"),
        desk.at_site("site-spaces"),
        desk.at_space(),
        desk.at_space("content/pages"),
        desk.at_space("comments"),
        desk.at_space("change-requests"),
        desk.at_change(),
        desk.at_change("changes"),
        desk.at_change("comments"),
        desk.at_change("reviews"),
        desk.at_change("requested-reviewers"),
        desk.at_space("change-requests", desk.waiting, "changes"),
    ]


@pytest.fixture
def desk(tmp_path: Path) -> Everything:
    """One of everything, in a file."""
    return asyncio.run(everything(World(tmp_path / "desk.db")))


def noted(connection: sqlite3.Connection) -> dict[str, int]:
    connection.row_factory = sqlite3.Row
    row = dict(connection.execute("SELECT * FROM written").fetchone())
    return {
        name.removesuffix(SUFFIX): count for name, count in row.items() if name.endswith(SUFFIX)
    }


def test_writes_to_every_table_are_noted(desk: Everything) -> None:
    assert desk.world.store.path is not None
    desk.world.close()
    with closing(sqlite3.connect(desk.world.store.path, isolation_level=None)) as connection:
        for table in noted(connection):
            for statement in (
                f"UPDATE {table} SET rowid_of = rowid_of",
                f"INSERT OR REPLACE INTO {table} SELECT * FROM {table} LIMIT 1",
                f"DELETE FROM {table}",
            ):
                columns = connection.execute(f"SELECT * FROM {table}").description
                before = noted(connection)[table]
                connection.execute(statement.replace("rowid_of", columns[-1][0]))
                assert noted(connection)[table] > before, statement


def test_what_follows_from_a_deletion_is_noted(desk: Everything) -> None:
    assert desk.world.store.path is not None
    desk.world.close()
    with closing(sqlite3.connect(desk.world.store.path, isolation_level=None)) as connection:
        connection.execute("PRAGMA foreign_keys = ON")
        before = noted(connection)
        connection.execute("DELETE FROM site")
        after = noted(connection)
    gone = {table for table in after if after[table] > before[table]}
    assert gone == {"site", "site_section", "site_space"}


async def test_what_is_kept_is_read_from_the_tables_that_it_names(
    desk: Everything, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: dict[Hashable, tuple[set[str], set[str]]] = {}
    keep, keep_all = Tx.kept, Tx.kept_all

    def watched(tx: Tx, key: Hashable, of: Tables, read: Callable[..., Any]) -> Callable[..., Any]:
        def work(*arguments: Any) -> Any:
            found: set[str] = set()

            def note(action: int, table: str | None, *_: object) -> int:
                # It reads its own schema where it has not yet.
                if action == sqlite3.SQLITE_READ and table and not table.startswith("sqlite_"):
                    found.add(table)
                return sqlite3.SQLITE_OK

            tx.connection.set_authorizer(note)
            try:
                return read(*arguments)
            finally:
                tx.connection.set_authorizer(None)
                if of:
                    told[key] = found - {"json_each"}, set(of)

        return work

    def kept(tx: Tx, key: Hashable, read: Callable[[], Any], of: Tables = ()) -> Any:
        return keep(tx, key, watched(tx, key, of, read), of)

    def kept_all(tx: Tx, kind: Hashable, keys: Any, read: Any, of: Tables = ()) -> Any:
        return keep_all(tx, kind, keys, watched(tx, kind, of, read), of)

    monkeypatch.setattr(Tx, "kept", kept)
    monkeypatch.setattr(Tx, "kept_all", kept_all)
    for user in (desk.ana, desk.lee):
        async with desk.world.client(user) as client:
            for path in reads(desk):
                await client.get(path)
    assert len(told) > 10
    for key, (found, named) in told.items():
        assert found <= named, key
    desk.world.close()


class Asked:
    """A desk on a file, asked by two people."""

    def __init__(self, path: Path, tokens: list[str]) -> None:
        self.store = Store(path, durable=False)
        way = AppTransport(create_app(self.store), raise_app_exceptions=True)
        self._people = [
            InProcess(way, f"{BASE_URL}/v1", {"authorization": f"Bearer {token}"})
            for token in tokens
        ]

    async def answers(self, paths: list[str]) -> list[tuple[str, int, bytes]]:
        found = []
        for person in self._people:
            for path in paths:
                status, _, content = await person.ask(Outgoing("read", "GET", path), Timeouts())
                found.append((path, status, content))
        return found


@pytest.mark.long
@settings(
    max_examples=8,
    deadline=None,
    phases=[Phase.generate],  # to find shorter writes takes minutes
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(writes=st.lists(st.integers(0, len(WRITES) - 1), min_size=8, max_size=14))
def test_answers_after_any_writes_are_those_of_a_desk_that_kept_nothing(
    desk: Everything, monkeypatch: pytest.MonkeyPatch, writes: list[int]
) -> None:
    world = desk.world
    assert world.store.path is not None
    tokens = [world.token(desk.ana), world.token(desk.lee)]
    path = world.store.path.with_name("copy.db")
    with closing(sqlite3.connect(world.store.path)) as source, closing(sqlite3.connect(path)) as to:
        source.backup(to)
    names = {name: f"'{getattr(desk, name)}'" for name in ("lee", "space", "team")}
    paths = reads(desk)

    async def run() -> None:
        kept = Asked(path, tokens)
        with closing(sqlite3.connect(path, isolation_level=None)) as other:
            for each in (None, *writes):
                if each is not None:
                    other.execute(WRITES[each].format(**names))
                found = await kept.answers(paths)
                assert await kept.answers(paths) == found
                with monkeypatch.context() as without:
                    without.setattr(shared_models, "_MADE", {})
                    without.setattr(shared_models, "_WRITTEN", {})
                    bare = Asked(path, tokens)
                    assert found == await bare.answers(paths), each and WRITES[each]
                    bare.store.close()
        kept.store.close()

    asyncio.run(run())
    for file in path.parent.glob("copy.db*"):
        file.unlink()


def test_models_that_are_large_are_not_kept() -> None:
    def model(size: int) -> User:
        return shared_models.shared(f"a test of {size}", lambda: User(id="x" * size))

    assert shared_models.all_written([model(10)]) is not None
    assert shared_models.all_written([model(10), model(100_000)]) is None
