"""A desk on a file, for the commands that scripts use."""

from __future__ import annotations

import io
import json
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from copydesk.cli import main
from copydesk.cli.embedded import OWNER
from copydesk.client.api import Api
from copydesk.server.app import create_app
from copydesk.server.editions import Edition
from copydesk.server.store import Tx
from tests.faulty import FaultyServer, served
from tests.world import BASE_URL, World

HOSTILE = "\u202eevil\u202c \x1b]0;owned\x07end"
"""A title that rewrites terminals; ``evil end`` is what may be seen of it."""


class ScriptDesk:
    """A desk with two organizations, whose owner is an administrator of the first."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.path = folder / "desk.db"
        self.world = World(self.path)
        self._capsys = capsys
        self._where: tuple[str, ...] = ("--desk", str(self.path))
        self.sign_in(self.world.ana)
        self.space = self.world.space(
            "API reference", {"retries": "# Retries\n\nWe try three times.\n\nThen we stop.\n"}
        )

    def sign_in(self, user: str) -> None:
        """Make somebody the owner of the desk: the commands act as they do."""

        def work(tx: Tx) -> None:
            tx.run("DELETE FROM meta WHERE key = ?", OWNER)
            tx.insert("meta", key=OWNER, value=user)

        self.world.write(work)

    def run(self, *arguments: str) -> int:
        """Run a command on the desk."""
        return main([*arguments, *self._where])

    @contextmanager
    def served(self, edition: Edition, patch: pytest.MonkeyPatch) -> Iterator[FaultyServer]:
        """Run commands on the desk as a service of an edition, over HTTP, in the block."""
        world, before = self.world, (self.world.app, self._where)
        world.app = create_app(world.store, edition=edition)
        with served(world) as server, patch.context() as within:
            within.setenv("COPYDESK_BASE_URL", server.url)
            within.setenv("COPYDESK_TOKEN", world.token(world.ana))
            self._where = ()
            yield server
        world.app, self._where = before

    def said(self) -> tuple[str, str]:
        """Return what was printed since, for scripts and for people."""
        found = self._capsys.readouterr()
        return found.out, found.err

    def out(self, *arguments: str, status: int = 0) -> str:
        """Run a command and return what it prints."""
        self.said()
        assert self.run(*arguments) == status
        return self.said()[0]

    def err(self, *arguments: str, status: int) -> str:
        """Run a command that fails, and return what it says; nothing is printed for scripts."""
        self.said()
        assert self.run(*arguments) == status
        out, err = self.said()
        assert out == ""
        assert "Traceback" not in err
        return err

    def json(self, *arguments: str, status: int = 0) -> Any:
        """Run a command with ``--json`` and return what it prints."""
        return json.loads(self.out(*arguments, "--json", status=status))

    def log(self) -> list[tuple[str, str]]:
        """Return what was written from this machine, and how it ended."""
        self.said()
        assert main(["log", "--json"]) == 0
        return [(entry["what"], entry["state"]) for entry in json.loads(self.said()[0])]


class Typed(io.TextIOWrapper):
    """What is piped to a command, or typed where it is a terminal."""

    def __init__(self, text: str = "", *, terminal: bool = False) -> None:
        super().__init__(io.BytesIO(text.encode()), encoding="utf-8")
        self._terminal = terminal

    def isatty(self) -> bool:
        """Whether somebody can be asked."""
        return self._terminal


class Interrupting(Typed):
    """A terminal at which ctrl+c is pressed at a question, and the answer typed all the same."""

    def readline(self, size: int | None = -1, /) -> str:  # type: ignore[override]
        """Press ctrl+c, then answer."""
        signal.raise_signal(signal.SIGINT)
        return "y\n"


class Screen(io.TextIOWrapper):
    """A terminal that is printed on."""

    def __init__(self) -> None:
        self._bytes = io.BytesIO()
        super().__init__(self._bytes, encoding="utf-8", write_through=True)

    def isatty(self) -> bool:
        """Somebody looks."""
        return True

    def text(self) -> str:
        """Return what is on it."""
        return self._bytes.getvalue().decode()


class Losing(httpx.AsyncBaseTransport):
    """A way to a desk on which the answers to writes are lost, and then more or nothing.

    Where the service is ``busy`` no write reaches it.
    """

    def __init__(self, world: World, *, gone: bool = False, busy: bool = False) -> None:
        self._way = httpx.ASGITransport(world.app, raise_app_exceptions=False)
        self._gone, self._busy = gone, busy
        self._lost = False

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        if self._lost and self._gone:
            raise httpx.ReadTimeout("nothing more comes", request=request)
        if self._busy and request.method == "POST":
            return httpx.Response(503, json={"error": {"code": 503, "message": "busy"}})
        answer = await self._way.handle_async_request(request)
        if request.method == "POST":
            self._lost = True
            raise httpx.ReadError("the line is dead", request=request)
        return answer

    @staticmethod
    def api(world: World, *, gone: bool = False, busy: bool = False) -> Api:
        """Return a client that goes this way."""
        way = Losing(world, gone=gone, busy=busy)
        return Api(BASE_URL, world.token(world.ana), transport=way)
