"""``copydesk serve --web`` as it is started, and who opens its pages as a browser does.

with served(tmp_path) as server:
    browser = Browser(server)
    browser.enter()
    with browser.window() as window:
        window.until("live")
        window.press("g", "c")
"""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect

from copydesk.cli.embedded import OWNER
from copydesk.server.store import Tx
from tests.terminal.program import KEYS, PATIENCE, Display
from tests.world import World

LINK = re.compile(r"http://\S+/enter/\S+")

SIZE = (120, 40)


class Server:
    """The command, and what it printed."""

    def __init__(self, home: Path, arguments: list[str], environment: Mapping[str, str]) -> None:
        given = {**os.environ, "COPYDESK_HOME": str(home), "EDITOR": "false", **environment}
        self.process = subprocess.Popen(
            [sys.executable, "-m", "copydesk", "serve", "--web", "--port", "0", *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env=given,
        )
        self.link = self.next_link()
        self.address = self.link.partition("/enter/")[0]

    def next_link(self) -> str:
        """Return the link that is printed next."""
        assert self.process.stdout is not None
        for line in self.process.stdout:
            if found := LINK.search(line.decode()):
                return found[0]
        raise AssertionError("no link was printed")

    def press_enter(self) -> str:
        """Press Enter where it runs, and return the link that it prints."""
        assert self.process.stdin is not None
        self.process.stdin.write(b"\n")
        self.process.stdin.flush()
        return self.next_link()

    def windows(self) -> list[int]:
        """Return the processes of its windows."""
        path = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children")
        return [int(each) for each in path.read_text().split()]

    def until_windows(self, count: int) -> None:
        """Wait until it has so many windows."""
        waited(lambda: len(self.windows()) == count, f"{count} windows: {self.windows()}")


def waited(there: Any, what: str) -> None:
    """Wait until something is so."""
    end = time.monotonic() + PATIENCE
    while not there():
        assert time.monotonic() < end, f"no {what}"
        time.sleep(0.05)


@contextmanager
def served(
    folder: Path, *arguments: str, environment: Mapping[str, str] | None = None
) -> Iterator[Server]:
    """Serve the screens with a home of their own."""
    server = Server(folder / "home", list(arguments), environment or {})
    try:
        yield server
    finally:
        server.process.send_signal(signal.SIGINT)
        server.process.communicate(timeout=PATIENCE)


class Browser:
    """A browser, with its cookies."""

    def __init__(self, server: Server) -> None:
        self.server = server
        self.http = httpx.Client(base_url=server.address, trust_env=False)

    def __enter__(self) -> Browser:
        return self

    def __exit__(self, *_: object) -> None:
        self.http.close()

    def enter(self) -> httpx.Response:
        """Follow the link that was printed."""
        return self.http.get(self.server.link, follow_redirects=False)

    def opened(self, path: str = "/") -> str:
        """Open an address, and return that of the window that it led to."""
        answer = self.http.get(path, follow_redirects=True)
        assert answer.status_code == 200, answer.text
        assert "/w/" in str(answer.url)
        return answer.url.path

    def window(self, at: str = "") -> Window:
        """Connect to a window, or to a new one."""
        return Window(self.socket(at or self.opened()))

    def socket(self, at: str, **headers: str | None) -> ClientConnection:
        """Connect as the page of a window does; ``headers`` are in place of its own."""
        cookie = "; ".join(f"{name}={value}" for name, value in self.http.cookies.items())
        own = {"Origin": self.server.address, "Cookie": cookie, **headers}
        return connect(
            f"ws{self.server.address.removeprefix('http')}{at}/screens"
            f"?width={SIZE[0]}&height={SIZE[1]}",
            additional_headers={name: value for name, value in own.items() if value},
            max_size=None,
            proxy=None,
        )


class Window(Display):
    """A window that is open: what its terminal shows, and what else it was told."""

    def __init__(self, socket: ClientConnection) -> None:
        super().__init__(SIZE)
        self.socket = socket
        self.told: list[Any] = []

    def __enter__(self) -> Window:
        self.socket.__enter__()
        return self

    def __exit__(self, *_: object) -> None:
        self.socket.close()

    def send(self, *message: object) -> None:
        """Send a message as the page does."""
        self.socket.send(json.dumps(message))

    def press(self, *keys: str) -> None:
        """Press keys, by their names, or type text."""
        for key in keys:
            self.send("stdin", KEYS.get(key, key))

    def read(self, seconds: float = 0.05) -> bool:
        """Take in a message; False where none comes."""
        try:
            message = self.socket.recv(seconds)
        except TimeoutError:
            return False
        if isinstance(message, bytes):
            self.show(message)
        else:
            self.told.append(json.loads(message))
        return True

    def until(self, text: str, *, gone: bool = False) -> str:
        """Wait until it shows ``text`` (or no more), and return what it shows."""
        return self.wait(lambda: (text in self.shown) != gone, repr(text))

    def wait(self, there: Any, what: str) -> str:
        """Wait until something is so, and return what it shows."""
        end = time.monotonic() + PATIENCE
        while not there():
            assert time.monotonic() < end, f"no {what} in\n{self.shown}"
            self.read(0.2)
        return self.shown

    def answer(self, key: str, there: Any, what: str) -> None:
        """Press a key that answers a question, again where it came before that was drawn."""

        def answered() -> bool:
            self.press(key)
            self.read(0.5)
            return bool(there())

        self.wait(answered, what)

    def closed(self) -> int:
        """Wait until the server closes it, and return the code with which it does."""
        try:
            while True:
                self.read(PATIENCE)
        except ConnectionClosed:
            return self.socket.close_code or 0

    def lose(self) -> None:
        """Lose it, as where a browser is killed: nobody says good-bye."""
        self.socket.socket.shutdown(socket.SHUT_RDWR)


class Desk:
    """A desk with a change request that can be reviewed, and its file."""

    def __init__(self, folder: Path) -> None:
        # A name that a shell would make something else of.
        self.path = folder / "a desk; $(touch owned) 'q'.db"
        self.world = world = World(self.path)
        self.space = world.space(
            "Guide", {"retries": "# Retries\n\nWe try three times.\n\nThen we stop.\n"}
        )
        self.request = world.change_request(
            self.space, {"retries": "# Retries\n\nWe try nine times.\n\nThen we stop.\n"},
            subject="Nine times",
        )  # fmt: skip

        def work(tx: Tx) -> None:
            tx.insert("meta", key=OWNER, value=world.ana)

        world.write(work)

    @property
    def status(self) -> str:
        """The status of the change request."""
        return str(self.world.row("change_request", self.request)["status"])

    @property
    def comments(self) -> list[str]:
        """What was said about it."""
        return self.world.store.read(
            lambda tx: [
                row["body"]
                for row in tx.all(
                    "SELECT body FROM comment WHERE change_request_id = ?", self.request
                )
            ]
        )

    @property
    def app_url(self) -> str:
        """The path of the change request in the application."""
        number = self.world.row("change_request", self.request)["number"]
        return f"/app/o/{self.world.home}/s/{self.space}/~/changes/{number}"
