"""A folder with a desk for each test, and the same desk as a service."""

from __future__ import annotations

import asyncio
import shutil
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.faulty import Asked, FaultyServer, serving


@pytest.fixture(scope="session")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample's file, made once and closed."""
    from copydesk.cli.embedded import open_store

    path = tmp_path_factory.mktemp("sample") / "desk.db"
    open_store(path).close()
    return path


def make_home(sample: Path, folder: Path) -> Path:
    """Make a home of copydesk with a copy of a desk."""
    (folder / "data").mkdir(parents=True)
    shutil.copy(sample, folder / "data" / "desk.db")
    (folder / "config").mkdir()
    (folder / "config" / "config.toml").write_text("recall_seconds = 0\n")
    return folder


@pytest.fixture
def home(sample: Path, tmp_path: Path) -> Path:
    """A home of copydesk with a desk that this test may change."""
    return make_home(sample, tmp_path / "home")


@dataclass(frozen=True)
class Service:
    """A service on this machine, what points copydesk at it, and what it was asked."""

    environment: dict[str, str]
    asked: list[Asked]


@pytest.fixture
def service(sample: Path, tmp_path: Path) -> Iterator[Service]:
    """The sample behind HTTP, served by a thread of this process."""
    from copydesk.cli.embedded import owner_of
    from copydesk.server.app import create_app, mint_token
    from copydesk.server.store import Store

    file = tmp_path / "service.db"
    shutil.copy(sample, file)
    store = Store(file)
    token = store.write(lambda tx: mint_token(tx, owner_of(tx), "test"))
    servers: list[FaultyServer] = []
    served, over = threading.Event(), asyncio.Event()
    loop = asyncio.new_event_loop()

    async def serve() -> None:
        async with serving(create_app(store)) as server:
            servers.append(server)
            served.set()
            await over.wait()

    thread = threading.Thread(target=loop.run_until_complete, args=(serve(),))
    thread.start()
    served.wait()
    try:
        (server,) = servers
        yield Service({"COPYDESK_BASE_URL": server.url, "COPYDESK_TOKEN": token}, server.asked)
    finally:
        loop.call_soon_threadsafe(over.set)
        thread.join()
        loop.close()
        store.close()
