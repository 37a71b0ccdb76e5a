"""A desk whose file is damaged: each command ends in a sentence, and nothing of its texts leaks."""

from __future__ import annotations

import asyncio
import random
import re
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from copydesk.cli import main
from copydesk.cli.connection import Service
from copydesk.cli.embedded import OWNER
from copydesk.local.paths import find_paths
from copydesk.local.snapshot import Snapshots
from copydesk.session.session import Session
from copydesk.session.target import Target
from copydesk.tui.app import CopydeskApp
from copydesk.tui.framework import navigation
from copydesk.tui.system.reference import load_everything
from tests.drive import drive
from tests.rings import using
from tests.server.everything import Everything, everything
from tests.tui import conftest as of_screens
from tests.world import World

# Screens are drawn here as in their own tests.
styles_parsed_once = of_screens.styles_parsed_once
drawn_when_asked = of_screens.drawn_when_asked

PAGE = 4096


class Damaged:
    """A desk with one of everything, and copies of it in which texts are damaged."""

    def __init__(self, folder: Path) -> None:
        made = folder / "made.db"
        world = World(made)
        self.there: Everything = asyncio.run(everything(world))
        world.write(lambda tx: tx.insert("meta", key=OWNER, value=world.ana))
        world.close()
        with closing(sqlite3.connect(made)) as desk:
            desk.execute("PRAGMA journal_mode = DELETE")
            self.texts = {text for text in _texts(desk) if " " in text and len(text) > 12}
        self._content = made.read_bytes()
        declared = {found.start() // PAGE for found in re.finditer(b"NOT NULL", self._content)}
        found = (each.start() for each in re.finditer(rb"[ -~]{8}", self._content))
        self._in_texts = [at for at in found if at // PAGE not in declared]

    def damage(self, path: Path, seed: int) -> None:
        """Write a copy with flipped bits: in texts and other bytes, not in the declaration."""
        chance = random.Random(seed)
        content = bytearray(self._content)
        texts = [at + chance.randrange(8) for at in self._in_texts]
        for at in chance.sample(texts, min(len(texts), (5, 60, 400)[seed % 3])):
            content[at] ^= 0x80 if seed % 2 else 1 << chance.randrange(7)
        for suffix in ("", "-wal", "-shm"):
            path.with_name(path.name + suffix).unlink(missing_ok=True)
        path.write_bytes(content)


def _texts(desk: sqlite3.Connection) -> set[str]:
    found: set[str] = set()
    for (table,) in desk.execute("SELECT name FROM sqlite_schema WHERE type = 'table'").fetchall():
        for row in desk.execute(f"SELECT * FROM {table}").fetchall():
            found.update(value for value in row if isinstance(value, str))
    return found


@pytest.fixture(scope="module")
def damaged(tmp_path_factory: pytest.TempPathFactory) -> Damaged:
    """A desk to be damaged: each test has copies of it."""
    return Damaged(tmp_path_factory.mktemp("damaged"))


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Where the damaged copies of a test are. No keyring is asked, which may not answer."""
    monkeypatch.setenv("COPYDESK_HOME", str(tmp_path / "home"))
    with using():
        yield tmp_path / "desk.db"


@pytest.mark.long
@pytest.mark.parametrize("seed", range(7))
def test_every_command_ends_in_a_sentence_without_a_text_of_the_desk(
    damaged: Damaged, path: Path, seed: int, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    there = damaged.there
    at = ("--space", there.space)
    out = tmp_path / "out"
    for command in (
        ("cr", "list"),
        ("cr", "show", "2", *at),
        ("cr", "diff", "2", *at, "--json"),
        ("cr", "comment", "2", "Well", *at),
        ("cr", "merge", "2", *at, "--yes"),
        ("clusters",),
        ("clusters", "show", there.cluster),
        ("sites", "show", there.site),
        ("structure", "export", there.site),
        ("api", "GET", f"/orgs/{there.organization}/spaces"),
        ("doctor",),
        ("desk", "check"),
        ("desk", "token"),
        ("desk", "export", there.space, str(out), "--force"),
        ("desk", "backup", str(tmp_path / "copy.db"), "--force"),
    ):
        damaged.damage(path, seed)
        status = main([*command, "--desk", str(path)])
        printed, told = capfd.readouterr()
        assert status in range(6), command
        assert "Traceback" not in printed + told, (command, told)
        if status and command[0] not in ("doctor", "desk"):
            assert told.startswith("copydesk: "), (command, told)
        log = find_paths().log
        logged = log.read_text() if log.exists() else ""
        if "its log says why" in told or "unexpected" in told:
            assert f"Details: {log}" in told
            assert logged
        for text in damaged.texts:
            assert text not in logged, command
            assert text not in told or len(text) < 40, command
        assert "with text" not in told + logged
    shutil.rmtree(out, ignore_errors=True)


@pytest.mark.long
@pytest.mark.parametrize("seed", [1, 4])
async def test_every_screen_survives_it(
    damaged: Damaged, path: Path, seed: int, capfd: pytest.CaptureFixture[str]
) -> None:
    load_everything()
    damaged.damage(path, seed)
    there = damaged.there
    at = Target(there.organization, there.space, site=there.site, cluster=there.cluster)
    connection = Service(desk=path).connection()
    session = Session(connection.connect, snapshot=Snapshots(), host="own desk")
    app = CopydeskApp(session, "spaces")
    try:
        async with drive(app) as driver:
            for name, entry in sorted(navigation.ENTRIES.items()):
                if name != entry.place.PLACE or not entry.place.__module__.startswith("copydesk."):
                    continue
                await app.go(name, at)
                await driver.idle()
                assert not app._exit, name
                assert driver.screen.strip(), name
                while len(app.screen_stack) > 2:
                    app.pop_screen()
                await driver.idle()
    finally:
        connection.close()
    printed, told = capfd.readouterr()
    assert "Traceback" not in printed + told
