"""A desk is read for damage and for rules that do not hold; a live one is copied whole."""

from __future__ import annotations

import os
import shutil
import sqlite3
import threading
from contextlib import closing
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from copydesk.cli import main
from copydesk.server import backup, desk_writes, site_writes
from copydesk.server.backup import back_up
from copydesk.server.desk_file import damage, open_unchanging
from copydesk.server.integrity import MOST, examine
from copydesk.server.sample import build_sample
from copydesk.server.store import DeskError, Store, Tx
from tests.somebody import somebody
from tests.world import World


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample, which has something of everything."""
    path = tmp_path_factory.mktemp("sound") / "desk.db"
    store = Store(path, durable=False)
    build_sample(store)
    store.close()
    return path


@pytest.fixture
def desk(sound: Path, tmp_path: Path) -> Path:
    """A copy of it."""
    path = tmp_path / "desk.db"
    shutil.copy(sound, path)
    return path


def spoil(path: Path, script: str) -> None:
    """Change rows behind the desk's back."""
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(script)


def files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


SPOILS = {
    "open comments": "UPDATE space SET comments = comments + 1",
    "count of 99 change requests": "UPDATE space SET change_requests = 99",
    "change requests (archived)": "UPDATE change_request SET status = 'archived'",
    "change requests (draft)": "UPDATE space SET change_requests_draft = change_requests_draft + 1",
    "change_request ": "UPDATE change_request SET comments = comments + 1",
    "replies": "DELETE FROM reply",
    "cluster ": "UPDATE cluster SET issues = issues - 1",
    "conversations": "UPDATE cluster SET conversations = 0",
    "spaces and collections are at the same": "UPDATE space SET position = 1.0, parent_id = NULL",
    "sections, groups and links are at the same": "UPDATE site_section SET position = 1.0",
    "site spaces are at the same": "UPDATE site_space SET position = 1.0",
    "is taken": "UPDATE space SET next_number = 1",
    "says that it is of organization": "UPDATE change_request SET organization_id = 'x'",
    "which is of another space": "UPDATE comment SET space_id = (SELECT max(id) FROM space)",
    "collection of another": "UPDATE collection SET organization_id = "
    "(SELECT id FROM organization WHERE id != collection.organization_id)",
    "below itself": "UPDATE collection SET parent_id = id",
    "names revision": "UPDATE change_request SET revision_id = 'x'",
    "but it says that it was merged": "UPDATE change_request SET revision_merged = revision_id",
    "resolved at": "UPDATE comment SET status = 'resolved', resolved_at = NULL",
    "reactions": "INSERT INTO reaction SELECT 'x', 'x', id, '' FROM user",
    "rights": "INSERT INTO access_grant VALUES ('x', 'y', 'read')",
    "has sections, but": "UPDATE site SET default_section_id = NULL",
    "beside them": "UPDATE site_space SET section_id = NULL",
    "has site spaces, but": "UPDATE site_section SET default_site_space_id = NULL",
    "that is not there": "UPDATE site SET default_section_id = 'x'",
    "section of another site": "UPDATE site_space SET site_id = "
    "(SELECT max(id) FROM site WHERE id != site_space.site_id)",
    "shows a space of another": "UPDATE site SET organization_id = "
    "(SELECT id FROM organization WHERE id != site.organization_id)",
    "in a cluster of another": "UPDATE cluster SET organization_id = 'x'",
    "suggested to a cluster": "INSERT INTO suggestion SELECT min(id), min(cluster_id), 0.5 "
    "FROM issue WHERE cluster_id IS NOT NULL",
    "no one put it there": "UPDATE issue SET placed = 'none'",
    "among those that ended": "INSERT INTO ended_cluster "
    "SELECT id, organization_id, '', NULL, '{}', '[]', '[]' FROM cluster",
    "of conversation x": "UPDATE issue SET conversation_id = 'x'",
    "rows of space name a collection": "UPDATE space SET parent_id = 'x'",
    "stored bytes": "UPDATE blob SET data = 'other'",
    "its hash says": "UPDATE page_version SET data = replace(data, 'title', 'titel')",
    "a text that is not there": "DELETE FROM blob",
    "names the bytes": "DELETE FROM blob_name WHERE hash = (SELECT min(hash) FROM blob_name)",
    "tree ": "UPDATE tree SET data = replace(data, 'pages', 'page')",
    "in a version that is not there": "DELETE FROM page_version",
    "not in its space": "UPDATE revision SET parents = '[\"x\"]'",
    "follows itself": "UPDATE revision SET parents = json_array(id)",
    "does not say": "UPDATE revision SET parents = 'x'",
    "not its own": "UPDATE page SET space_id = (SELECT max(id) FROM space)",
    "the document": "UPDATE openapi_document SET data = 'other'",
    "names the document": "UPDATE openapi_version SET document_hash = 'x'",
}


def test_a_sound_desk_has_no_problems_and_is_not_touched(
    desk: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = files(desk.parent)
    assert main(["desk", "check", "--desk", str(desk)]) == 0
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err == f"{desk} is sound\n"
    assert files(desk.parent) == before


@pytest.mark.parametrize("sections", [0, 1])
def test_a_small_desk_is_sound_too(tmp_path: Path, sections: int) -> None:
    world = World(tmp_path / "desk.db")

    def write(tx: Tx) -> None:
        site = site_writes.add_site(tx, world.home, "Docs")
        section = site_writes.add_section(tx, site, "Guides") if sections else None
        site_writes.add_site_space(tx, site, space, section=section)

    space = world.space("Guide")
    world.write(write)
    world.close()
    assert examine(tmp_path / "desk.db").all == []


@pytest.mark.long
@pytest.mark.parametrize("reason", SPOILS)
def test_every_problem_is_found(desk: Path, reason: str) -> None:
    spoil(desk, SPOILS[reason])
    found = examine(desk).all
    assert any(reason in problem for problem in found), found
    assert len(found) < 12 * (MOST + 1)


DRIFTS = {
    "has other facts of page": "UPDATE search_page SET path = 'elsewhere' WHERE id % 2",
    "other facts of page": "DELETE FROM search_page WHERE id % 2",
    "other words for": "UPDATE search SET body = 'lost' WHERE rowid % 3",
    "words of 1 page that it": "INSERT INTO search (rowid, title) VALUES (999999, 'stray')",
    "words for 1 conversation": "UPDATE conversation_words SET said = 'lost' "
    "WHERE rowid = (SELECT min(id) FROM conversation_search)",
    "1 conversation that is not": "INSERT INTO conversation_words (rowid, said) VALUES (99999, '')",
    "words for": "DELETE FROM search WHERE rowid % 2",
}


def test_an_index_that_drifted_is_found_and_made_anew(
    desk: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for reason, script in DRIFTS.items():
        spoil(desk, script)
        assert main(["desk", "check", "--desk", str(desk)]) == 1
        said = capsys.readouterr().out
        assert reason in said
        assert all("the search index" in line or "more like" in line for line in said.splitlines())
    assert main(["desk", "check", "--repair", "--desk", str(desk)]) == 0
    assert "was rebuilt" in capsys.readouterr().err
    # What else is wrong stays wrong, and is said.
    spoil(desk, "UPDATE space SET change_requests = 99; DELETE FROM search_data WHERE id > 10")
    assert main(["desk", "check", "--repair", "--desk", str(desk)]) == 1
    assert "the search index" not in capsys.readouterr().out
    with closing(sqlite3.connect(desk)) as connection:
        connection.execute("INSERT INTO search (search) VALUES ('integrity-check')")
    spoil(desk, "DELETE FROM page_version")
    before = files(desk.parent)
    assert main(["desk", "check", "--repair", "--desk", str(desk)]) == 1
    assert "left as it is" in capsys.readouterr().err
    assert files(desk.parent) == before


class _Sqlite:
    """What a newer SQLite says of a damaged search index; an older one looks at no index."""

    def execute(self, statement: str) -> list[tuple[str]]:
        assert statement == "PRAGMA integrity_check"
        said = "*** in database main ***\nTree 7 page 3: btreeInitPage() returns error code 11"
        return [(said,), ("malformed inverted index for FTS5 table main.search",), ("ok",)]


def test_damage_of_the_search_index_is_none_of_the_desk() -> None:
    told: Any = _Sqlite()
    assert damage(told) == (
        ["Tree 7 page 3: btreeInitPage() returns error code 11"],
        ["malformed inverted index for FTS5 table main.search"],
    )


def test_problems_are_printed_and_counted(desk: Path, capsys: pytest.CaptureFixture[str]) -> None:
    spoil(desk, "UPDATE space SET comments = comments + 5 WHERE id = (SELECT min(id) FROM space)")
    before = files(desk.parent)
    assert main(["desk", "check", "--desk", str(desk)]) == 1
    said = capsys.readouterr()
    assert said.out.startswith("space ")
    assert "keeps a count of" in said.out
    assert said.err == f"{desk}: 1 problem\n"
    assert files(desk.parent) == before


def test_damage_is_found_wherever_it_is(desk: Path, capsys: pytest.CaptureFixture[str]) -> None:
    whole = desk.read_bytes()
    data = bytearray(whole)
    leaves = (
        page
        for page in range(4096, len(data), 4096)
        # Of the schema nothing: without it SQLite reads nothing else.
        if data[page] in (0x0A, 0x0D) and b"CREATE " not in data[page : page + 4096]
    )
    for page in islice(leaves, 30, None, 7):
        data[page + 3 : page + 40] = b"\xff" * 37
    desk.write_bytes(bytes(data))
    assert main(["desk", "check", "--desk", str(desk)]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert 1 < len(lines) <= MOST + 2
    assert all(len(line) < 120 for line in lines)
    assert lines[0].startswith("SQLite: ")
    # SQLite quotes what it finds in its schema, which then is no text.
    desk.write_bytes(whole.replace(b"CREATE TABLE user (", b"CREATE T\xf2BLE user ("))
    assert main(["desk", "check", "--desk", str(desk)]) == 1
    for action in (["token"], ["backup", str(desk.with_name("copy.db"))]):
        assert main(["desk", *action, "--desk", str(desk)]) == 2
        assert "not a usable desk" in capsys.readouterr().err
    desk.write_bytes(bytes(data))
    os.truncate(desk, len(data) // 2)
    assert main(["desk", "check", "--desk", str(desk)]) == 1
    assert "SQLite cannot read on (it is damaged)" in capsys.readouterr().out
    assert desk.stat().st_size == len(data) // 2


@pytest.mark.parametrize("action", [["check"], ["backup", "copy.db"]])
def test_what_is_no_desk_is_said_to_be_none(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], action: list[str]
) -> None:
    (tmp_path / "notes.txt").write_text("Notes.")
    (tmp_path / "empty.db").touch()
    for name in ("notes.txt", "empty.db", "missing.db", "."):
        arguments = [*action[:1], *(str(tmp_path / part) for part in action[1:])]
        assert main(["desk", *arguments, "--desk", str(tmp_path / name)]) == 2
        assert "is " in capsys.readouterr().err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["empty.db", "notes.txt"]


def test_a_live_desk_is_checked_and_copied_while_it_is_written(
    desk: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store = Store(desk)
    stop = threading.Event()
    kept: list[str] = []

    def write() -> None:
        while not stop.is_set():
            email = f"p{len(kept)}@example.org"
            add = partial(desk_writes.add_user, display_name="P", email=email)
            kept.append(store.write(add))

    def users(path: Path) -> list[str]:
        with closing(sqlite3.connect(path)) as connection:
            return [key for (key,) in connection.execute("SELECT id FROM user")]

    writer = threading.Thread(target=write)
    writer.start()
    try:
        for number in range(3):
            before = list(kept)
            copy = desk.with_name(f"copy{number}.db")
            assert main(["desk", "backup", str(copy), "--desk", str(desk)]) == 0
            assert f"{copy} (" in capsys.readouterr().out
            assert set(before) <= set(users(copy))
            assert copy.stat().st_mode & 0o777 == 0o600
            assert examine(copy).all == []
            assert examine(desk).all == []
    finally:
        stop.set()
        writer.join()
        store.close()
    assert {path.name for path in desk.parent.iterdir()} == {
        "desk.db",
        *(f"copy{number}.db" for number in range(3)),
    }
    opened = Store(copy)
    opened.write(lambda tx: desk_writes.add_user(tx, "Q", "q@example.org"))
    opened.close()


def test_a_copy_takes_no_file_s_place_unless_told_so(
    desk: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    there = tmp_path / "there.db"
    there.write_bytes(b"mine")
    arguments = ["desk", "backup", str(there), "--desk", str(desk)]
    assert main(arguments) == 2
    assert "--force" in capsys.readouterr().err
    assert there.read_bytes() == b"mine"
    assert main([*arguments, "--force"]) == 0
    assert examine(there).all == []
    # The desk itself, under any name, and a database that somebody has open.
    (tmp_path / "alias.db").hardlink_to(desk)
    store = Store(there)
    store.write(lambda tx: desk_writes.add_user(tx, "Q", "q@example.org"))
    capsys.readouterr()
    for target, reason in ((desk, "itself"), (tmp_path / "alias.db", "itself"), (there, "in use")):
        before = target.read_bytes()
        assert main(["desk", "backup", str(target), "--desk", str(desk), "--force"]) == 2
        assert reason in capsys.readouterr().err
        assert target.read_bytes() == before
    store.close()
    for target in (tmp_path, tmp_path / "no" / "copy.db"):
        assert main(["desk", "backup", str(target), "--desk", str(desk)]) == 2
        assert "folder" in capsys.readouterr().err
    os.mkfifo(pipe := tmp_path / "pipe")
    assert main(["desk", "backup", str(pipe), "--desk", str(desk), "--force"]) == 2
    assert "a pipe or a device" in capsys.readouterr().err
    assert pipe.is_fifo()


def test_a_copy_that_cannot_be_begun_is_told_by_its_name(
    desk: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    content = desk.read_bytes()
    with somebody() as folder:
        own, closed = folder / "desk.db", folder / "closed"
        own.write_bytes(content)
        closed.mkdir(0o500)
        assert main(["desk", "backup", str(closed / "copy.db"), "--desk", str(own)]) == 1
    assert capsys.readouterr().err == f"copydesk: {closed}/copy.db: Permission denied\n"


@pytest.mark.parametrize("mode", [0o500, 0o700])
def test_a_desk_that_can_only_be_read_is_copied_and_exported(
    desk: Path, capsys: pytest.CaptureFixture[str], mode: int
) -> None:
    content = desk.read_bytes()
    with somebody() as folder:
        (kept := folder / "kept").mkdir()
        own, copy = kept / "desk.db", folder / "copy.db"
        own.write_bytes(content)
        own.chmod(0o400)
        kept.chmod(mode)
        assert main(["desk", "backup", str(copy), "--desk", str(own)]) == 0
        assert str(copy) in capsys.readouterr().out
        assert examine(copy).all == []
        assert main(["desk", "export", "Handbook", str(folder / "out"), "--desk", str(own)]) == 0
        assert [*(folder / "out").rglob("*.md")]
        assert [each.name for each in kept.iterdir()] == ["desk.db"]
        assert own.read_bytes() == content


def test_a_desk_that_is_written_while_it_is_only_read_is_copied_again(
    desk: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[Path] = []
    written = 1

    def open_(path: Path) -> sqlite3.Connection:
        found = open_unchanging(path)
        opened.append(path)
        if len(opened) <= written:
            os.utime(path, ns=(0, len(opened)))
        return found

    monkeypatch.setattr(backup, "unwritable", lambda path: "is not writable for you")
    monkeypatch.setattr(backup, "open_unchanging", open_)
    back_up(desk, tmp_path / "copy.db")
    assert len(opened) == 2
    written = 100
    with pytest.raises(DeskError, match="try again"):
        back_up(desk, tmp_path / "other.db")
    assert not (tmp_path / "other.db").exists()


def test_a_desk_that_is_damaged_is_not_copied(desk: Path, tmp_path: Path) -> None:
    os.truncate(desk, desk.stat().st_size - 4096)
    with pytest.raises(DeskError, match="Nothing was copied"):
        back_up(desk, tmp_path / "copy.db")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["desk.db"]


@pytest.fixture(autouse=True)
def _own_home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COPYDESK_HOME", str(tmp_path_factory.mktemp("home")))
