"""Opening desk files: of the first schema, of none, of newer ones, damaged and foreign ones."""

from __future__ import annotations

import os
import shutil
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from hashlib import sha256
from importlib import resources
from pathlib import Path

import pytest

from copydesk.cli import doctor_checks, main
from copydesk.server import desk_writes, migrations, store
from copydesk.server.desk_file import APPLICATION_ID
from copydesk.server.migrations import MIGRATIONS, VERSION, script
from copydesk.server.store import DeskError, Store
from tests.somebody import somebody
from tests.world import World

NEXT = "CREATE TABLE later (id TEXT PRIMARY KEY);\nINSERT INTO later VALUES ('made');\n"
"""A step that may come one day."""

KILLED = """
import os, signal, sys
from pathlib import Path
from copydesk.server import migrations, store

class Dying(store.Store):
    def _connect(self):
        connection = super()._connect()
        connection.create_function("die", 0, lambda: os.kill(os.getpid(), signal.SIGKILL))
        return connection

known = migrations.script
migrations.script = lambda name: (
    sys.argv[2] + "SELECT die();\\n" if name == "later" else known(name)
)
migrations.MIGRATIONS = (*migrations.MIGRATIONS, "later")
migrations.VERSION = store.VERSION = len(migrations.MIGRATIONS)
Dying(Path(sys.argv[1]))
"""

OPENED = """
import sys
from pathlib import Path
from copydesk.server.store import Store
print("ready", flush=True)
sys.stdin.readline()
Store(Path(sys.argv[1])).close()
"""


def first_version(path: Path) -> None:
    """Write a desk as the first version of copydesk did, with rows in it."""
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.executescript(script(MIGRATIONS[0]))
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute("PRAGMA user_version = 1")
        connection.executescript(
            """
            INSERT INTO user VALUES ('u1', 'Ana', 'first@example.org', NULL, '2026-01-01');
            INSERT INTO organization (id, title, created_at) VALUES ('o1', 'Acme', '2026-01-01');
            INSERT INTO member (organization_id, user_id, role, joined_at)
                VALUES ('o1', 'u1', 'admin', '2026-01-02');
            INSERT INTO cluster (id, organization_id, label, created_at, updated_at)
                VALUES ('k1', 'o1', 'Unclear errors', '2026-01-03', '2026-01-03');
            """
        )


def rows(path: Path) -> dict[str, list[dict[str, object]]]:
    """Return what is in the tables that ``first_version`` fills."""
    with closing(sqlite3.connect(path)) as connection:
        connection.row_factory = sqlite3.Row
        return {
            table: [dict(row) for row in connection.execute(f"SELECT * FROM {table}")]
            for table in ("user", "organization", "member", "cluster")
        }


def version(path: Path) -> int:
    with closing(sqlite3.connect(path)) as connection:
        found: int = connection.execute("PRAGMA user_version").fetchone()[0]
    return found


def next_step(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setattr(migrations, "MIGRATIONS", (*MIGRATIONS, "later"))
    monkeypatch.setattr(
        migrations, "script", lambda name: text if name == "later" else script(name)
    )
    for module in (migrations, store):
        monkeypatch.setattr(module, "VERSION", VERSION + 1)


def files(folder: Path) -> dict[str, bytes]:
    """Return every file below a folder that a database may have touched, and its bytes."""
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


def test_every_script_is_a_step_and_those_that_desks_have_taken_are_never_changed() -> None:
    assert len(MIGRATIONS) == VERSION
    scripts = resources.files("copydesk.server") / "schema"
    assert sorted(f"{name}.sql" for name in MIGRATIONS) == sorted(f.name for f in scripts.iterdir())
    taken = "".join(script(name) for name in MIGRATIONS[:11])
    assert (
        sha256(taken.encode()).hexdigest()
        == "6d240cade60000982d7fae58b91a08a29c4d53b2a9b87800e9474ba3de33b114"
    )


def test_a_desk_of_the_first_version_is_migrated_with_its_rows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "desk.db"
    first_version(path)
    before = rows(path)
    next_step(monkeypatch, NEXT)
    opened = Store(path)
    assert opened.read(lambda tx: tx.value("SELECT id FROM later")) == "made"
    opened.close()
    assert version(path) == VERSION + 1
    for table, were in before.items():  # columns may have been added
        assert [{**now, **was} for now, was in zip(rows(path)[table], were, strict=True)] == rows(
            path
        )[table]
    again = Store(path)
    again.write(lambda tx: desk_writes.add_user(tx, "Bo", "bo@example.org"))
    again.close()


async def test_a_desk_that_grew_up_is_like_a_new_one(tmp_path: Path) -> None:
    first_version(tmp_path / "old.db")
    Store(tmp_path / "old.db").close()
    Store(tmp_path / "new.db").close()
    schemas = []
    for name in ("old.db", "new.db"):
        with closing(sqlite3.connect(tmp_path / name)) as connection:
            schemas.append(
                connection.execute(
                    "SELECT type, name, sql FROM sqlite_schema ORDER BY 1, 2"
                ).fetchall()
            )
    assert schemas[0] == schemas[1]
    world = World(tmp_path / "old.db")
    async with world.client() as client:
        assert (await client.get(f"/orgs/{world.home}")).status_code == 200
    world.close()


def test_documents_of_specifications_are_taken_out_of_the_content(tmp_path: Path) -> None:
    path = tmp_path / "desk.db"
    first_version(path)
    with closing(sqlite3.connect(path)) as connection:
        for name in MIGRATIONS[1 : MIGRATIONS.index("09_openapi_documents")]:
            connection.executescript(script(name))
        connection.executescript(
            f"""
            PRAGMA user_version = {MIGRATIONS.index("09_openapi_documents")};
            INSERT INTO blob VALUES
                ('old', 1, 'o'), ('new', 1, 'n'), ('page', 1, 'p'), ('x', 1, 'x');
            INSERT INTO openapi_spec (id, organization_id, slug, created_at, updated_at,
                source_text, state, version_id) VALUES ('s1', 'o1', 'pets', '', '', 'page',
                'complete', 'v2');
            INSERT INTO openapi_version VALUES ('v1', 's1', 'old', ''), ('v2', 's1', 'new', '');
            INSERT INTO space (id, organization_id, position, title, created_at, updated_at,
                revision_id) VALUES ('p1', 'o1', 1, 'Docs', '', '', '');
            INSERT INTO page (id, space_id, created_at) VALUES ('g1', 'p1', '');
            INSERT INTO page_version VALUES ('h', 'g1', '{{"text":"page"}}', '');
            INSERT INTO tree VALUES ('t', '{{"pages":[],"files":[{{"blob":"x"}}]}}');
            INSERT INTO revision (id, space_id, type, tree_hash, parents, created_at)
                VALUES ('r1', 'p1', 'edits', 't', '[]', '');
            """
        )
    Store(path).close()
    with closing(sqlite3.connect(path)) as connection:
        kept = {
            table: sorted(key for (key,) in connection.execute(f"SELECT hash FROM {table}"))
            for table in ("blob", "openapi_document")
        }
        named = sorted(connection.execute("SELECT hash, space_id FROM blob_name"))
    assert named == [("page", "p1"), ("x", "p1")]
    # What a page says too stays there, and what nobody named before is not looked for.
    assert kept == {"blob": ["page", "x"], "openapi_document": ["new", "page"]}


def test_a_step_that_fails_or_dies_leaves_the_old_version(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "desk.db"
    Store(path).close()
    killed = subprocess.run([sys.executable, "-c", KILLED, str(path), NEXT], timeout=60)
    assert killed.returncode == -signal.SIGKILL
    assert version(path) == VERSION
    opened = Store(path)
    assert opened.read(lambda tx: tx.value("SELECT 1 FROM sqlite_schema WHERE name = 'later'")) is (
        None
    )
    opened.close()
    with monkeypatch.context() as patch:
        next_step(patch, NEXT + "INSERT INTO later VALUES ('made');\n")
        with pytest.raises(DeskError, match="UNIQUE"):
            Store(path)
    assert version(path) == VERSION
    # A step that leaves rows pointing nowhere is no step either.
    with monkeypatch.context() as patch:
        next_step(patch, "INSERT INTO token VALUES ('h', 'nobody', '', '');\n")
        with pytest.raises(DeskError, match="do not fit together"):
            Store(path)
    assert version(path) == VERSION


@pytest.mark.long
@pytest.mark.parametrize("made", [False, True])
def test_processes_that_open_one_file_at_once_take_turns(tmp_path: Path, made: bool) -> None:
    path = tmp_path / "desk.db"
    if made:
        first_version(path)
    others = [
        subprocess.Popen(
            [sys.executable, "-c", OPENED, str(path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for _ in range(3)
    ]
    for other in others:
        assert other.stdout is not None
        assert other.stdout.readline() == "ready\n"
    for other in others:
        assert other.stdin is not None
        other.stdin.write("\n")
        other.stdin.flush()
    Store(path).close()
    for other in others:
        other.communicate(timeout=60)
    assert [other.returncode for other in others] == [0, 0, 0]
    assert version(path) == VERSION


def flip(path: Path, *places: int) -> None:
    data = bytearray(path.read_bytes())
    for place in places:
        data[place] ^= 0xFF
    path.write_bytes(bytes(data))


def newer(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"PRAGMA user_version = {VERSION + 7}")


def newer_and_killed(path: Path) -> None:
    """Leave a newer desk as a crash does: what it wrote last is in the log only."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute(f"PRAGMA user_version = {VERSION + 7}")
        copies = {name: data for name, data in files(path.parent).items() if "-shm" not in name}
    for name, data in copies.items():
        (path.parent / name).write_bytes(data)


def foreign(path: Path) -> None:
    path.unlink()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE mine (x)")


SPOILS = {
    "not a SQLite": lambda path: path.write_text("Not a database, but long enough. " * 100),
    "(file is not": lambda path: path.write_bytes(b"SQLite format 3\0" + bytes(8000)),
    "not a SQLite database": lambda path: path.write_bytes(bytes(8192)),
    "not a SQLite database)": lambda path: path.write_bytes(b"SQL"),
    "(it is damaged)": lambda path: os.truncate(path, path.stat().st_size // 2),
    "usable desk (it is damaged)": lambda path: os.truncate(path, 60),
    "it is damaged)": lambda path: flip(path, *range(110, 200)),
    "damaged": lambda path: flip(path, *range(8192 + 5, 8192 + 200)),
    "newer": newer,
    "newer copydesk": newer_and_killed,
    "another program": foreign,
}


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A desk file with nothing wrong with it."""
    path = tmp_path_factory.mktemp("sound") / "desk.db"
    world = World(path)
    world.change_request(world.space("Handbook", {"intro": "One.\n"}), {"intro": "Two.\n"})
    world.close()
    return path


@pytest.mark.parametrize("reason", SPOILS)
def test_a_file_that_is_no_good_desk_is_refused_and_not_changed(
    sound: Path, tmp_path: Path, reason: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "desk.db"
    shutil.copy(sound, path)
    SPOILS[reason](path)
    before = files(tmp_path)
    for arguments in (["serve", "--port", "0"], ["desk", "token"], ["desk", "sample"]):
        assert main([*arguments, "--desk", str(path)]) == 2
        said = capsys.readouterr().err
        assert said.startswith(f"copydesk: {path} ")
        assert reason in said
        assert "left as it is" in said
        assert "--desk" in said
    after = files(tmp_path)
    after.pop("desk.db-shm", None)  # an index of the log that holds nothing by itself
    assert after == before


def test_a_folder_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["serve", "--port", "0", "--desk", str(tmp_path)]) == 2
    assert "is a folder" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_must_not_be_written_is_refused(
    sound: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    desk = sound.read_bytes()
    with somebody() as folder:
        path = folder / "desk.db"
        path.write_bytes(desk)
        for mode in (0o400, 0o200, 0o000):
            path.chmod(mode)
            assert main(["desk", "token", "--desk", str(path)]) == 2
            assert str(path) in capsys.readouterr().err
            found = doctor_checks.desk(path)
            assert ("copydesk --read-only shows it" in found.advice) == (mode == 0o400)
            assert main(["desk", "check", "--desk", str(path)]) == (0 if mode == 0o400 else 1)
            assert str(path) in capsys.readouterr().err
        path.chmod(0o600)
        folder.chmod(0o500)
        assert main(["desk", "token", "--desk", str(path)]) == 2
        assert "in a folder that is not writable for you" in capsys.readouterr().err
        assert main(["desk", "check", "--desk", str(path)]) == 0
        folder.chmod(0o700)
        assert files(folder) == {"desk.db": desk}


def test_an_empty_file_becomes_a_desk(tmp_path: Path) -> None:
    path = tmp_path / "desk.db"
    path.touch()
    Store(path).close()
    assert version(path) == VERSION


def test_the_tables_of_a_new_desk_are_in_its_file_before_anything_is_written(
    tmp_path: Path,
) -> None:
    path = tmp_path / "desk.db"
    with closing(Store(path)) as store:
        pages = store.read(lambda tx: tx.value("PRAGMA page_count"))
        assert path.stat().st_size == pages * store.read(lambda tx: tx.value("PRAGMA page_size"))


FILLED = """
import resource, sys
from pathlib import Path
from copydesk.cli.errors import guarded
from copydesk.server.desk_writes import add_user
from copydesk.server.store import Store

def write():
    store = Store(Path(sys.argv[1]))
    try:
        store.write(lambda tx: add_user(tx, "B" * 9000, "b@example.org"))
    finally:
        store.close()
    return 0

for room in (0, 2048, 4096, 20_000):
    resource.setrlimit(resource.RLIMIT_FSIZE, (room, resource.RLIM_INFINITY))
    assert guarded(write) in (1, 2), room
"""


def test_a_full_disk_is_told_and_loses_nothing(sound: Path, tmp_path: Path) -> None:
    path = tmp_path / "desk.db"
    shutil.copy(sound, path)
    before = rows(path)
    ended = subprocess.run(
        [sys.executable, "-c", FILLED, str(path)], capture_output=True, text=True, timeout=60
    )
    assert ended.returncode == 0, ended.stderr
    said = ended.stderr.splitlines()
    assert len(said) == 4
    assert all("disk" in line for line in said)
    assert rows(path) == before
    opened = Store(path)
    assert opened.read(lambda tx: tx.value("PRAGMA integrity_check")) == "ok"
    opened.write(lambda tx: desk_writes.add_user(tx, "Bo", "bo@example.org"))
    opened.close()
