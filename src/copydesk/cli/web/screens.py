"""The process of a window: the same program as in a terminal, on a terminal that this server holds.

It is started from a list and by no shell, with the few variables of the environment that it needs.
Once the terminal is closed it saves everything and ends, as it does when a terminal's window is
closed: also when this server is killed.
"""

from __future__ import annotations

import asyncio
import fcntl
import json
import os
import socket
import struct
import sys
import termios
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import suppress

from copydesk.cli.terminal import LINEAR_VARIABLE
from copydesk.client.network import TRUST_VARIABLES
from copydesk.local.browser import VARIABLE
from copydesk.local.settings_in_use import variables

PATIENCE_SECONDS = 8.0
"""How long a process may take to end; it ends itself before that, whatever it waits for."""

LARGEST = (600, 200)
"""The most columns and rows of a window: as many as are drawn."""

PIECE_BYTES = 1 << 16
"""What is read at once of what is drawn."""

PROXIES = tuple(
    name
    for kind in ("http", "https", "all", "no")
    for name in (f"{kind}_proxy", f"{kind.upper()}_PROXY")
)

HANDED_ON = (
    "HOME", "PATH", "TZ",
    "COPYDESK_HOME", "COPYDESK_BASE_URL", "COPYDESK_ALLOW_HTTP", "COPYDESK_DEBUG",
    *(name for name in variables() if name != LINEAR_VARIABLE),
    "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME",
    "XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS",
    *TRUST_VARIABLES, *PROXIES,
)  # fmt: skip
"""What a process is handed on of the environment: where its files are, which service is meant,
settings, the keyring, whom it trusts, and proxies. No editor, no display, and no token, which the
wire carries.
"""

OF_BROWSERS = {
    "TERM": "xterm-256color",
    "COLORTERM": "truecolor",
    "LANG": "C.UTF-8",
    "UNICODE_VERSION": "12.1.0",
}
"""What the terminal in the page is. It takes emoji that are younger for one cell wide."""


def of_window(wire: int) -> dict[str, str]:
    """Return the environment of a window's process: what is named of that of the server."""
    kept = {name: os.environ[name] for name in HANDED_ON if name in os.environ}
    return {**kept, **OF_BROWSERS, VARIABLE: str(wire)}


class Screens:
    """A process, its terminal and its wire. `end` it, whatever happens."""

    def __init__(
        self,
        process: asyncio.subprocess.Process,
        drawing: tuple[asyncio.ReadTransport, asyncio.StreamReader],
        typing: tuple[asyncio.WriteTransport, _Flow],
        wire: tuple[asyncio.StreamReader, asyncio.StreamWriter],
    ) -> None:
        self._process = process
        self._drawing, self._drawn = drawing
        self._typing, self._flow = typing
        self._told, self._wire = wire

    @classmethod
    async def start(
        cls, arguments: Sequence[str], greeting: Mapping[str, object], size: tuple[int, int]
    ) -> Screens:
        """Start copydesk with these arguments, and tell it ``greeting``.

        Raises ``OSError`` where the machine starts nothing more.
        """
        terminal, side = os.openpty()
        ours, theirs = socket.socketpair()
        try:
            _resize(terminal, size)
            process = await asyncio.create_subprocess_exec(
                # -P: what happens to be in the folder that it is started from is not imported.
                *(sys.executable, "-P", "-m", "copydesk", *arguments),
                stdin=side,
                stdout=side,
                stderr=side,
                env=of_window(theirs.fileno()),
                pass_fds=(theirs.fileno(),),
                start_new_session=True,
            )
        except BaseException:
            os.close(terminal)
            ours.close()
            raise
        finally:
            os.close(side)
            theirs.close()
        loop, drawn = asyncio.get_running_loop(), asyncio.StreamReader()
        typed = os.fdopen(os.dup(terminal), "wb", 0)
        drawing, _ = await loop.connect_read_pipe(
            lambda: asyncio.StreamReaderProtocol(drawn), os.fdopen(terminal, "rb", 0)
        )
        wire = await asyncio.open_connection(sock=ours)
        wire[1].write(json.dumps(greeting).encode() + b"\n")
        typing = await loop.connect_write_pipe(_Flow, typed)
        return cls(process, (drawing, drawn), typing, wire)

    async def draw(self) -> AsyncIterator[bytes]:
        """Yield what it draws, until it ends."""
        with suppress(OSError):  # that is how a terminal says that nobody is on it any more
            while data := await self._drawn.read(PIECE_BYTES):
                yield data

    async def words(self) -> AsyncIterator[tuple[str, object]]:
        """Yield what it tells beside that, until it ends: a kind, and a value of that kind."""
        with suppress(OSError, ValueError):
            while line := await self._told.readline():
                kind, value = json.loads(line)
                yield str(kind), value

    async def type(self, text: str) -> None:
        """Type a text; it waits where a long one is not taken at once."""
        self._typing.write(text.encode("utf-8", "replace"))
        await self._flow.ready.wait()

    def resize(self, size: tuple[int, int]) -> None:
        """Give it another size."""
        if not self._typing.is_closing():
            with suppress(OSError):
                _resize(self._typing.get_extra_info("pipe").fileno(), size)

    async def end(self) -> None:
        """Close its terminal, and wait until it has saved everything and ended."""
        self._typing.abort()
        self._drawing.close()
        try:
            await asyncio.wait_for(self._process.wait(), PATIENCE_SECONDS)
        except TimeoutError:
            self._process.kill()
            await self._process.wait()

    def forget(self) -> None:
        """Close the wire, once all was heard that was told by the end."""
        self._wire.close()


class _Flow(asyncio.BaseProtocol):
    """Says when more may be typed."""

    def __init__(self) -> None:
        self.ready = asyncio.Event()
        self.ready.set()

    def pause_writing(self) -> None:
        """Wait: what was typed is not read yet."""
        self.ready.clear()

    def resume_writing(self) -> None:
        """Go on."""
        self.ready.set()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait for nothing any more."""
        self.ready.set()


def _resize(terminal: int, size: tuple[int, int]) -> None:
    columns, rows = (max(1, min(given, most)) for given, most in zip(size, LARGEST, strict=True))
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
