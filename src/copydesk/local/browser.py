"""The window of a browser that shows this process, where one does (`copydesk serve --web`).

The screens are on a terminal of their own then, and beside it there is a wire to the server: it
tells this process once what it has to know, and is told what is no part of the screen. So neither a
token nor the screen that a window was left on is in an environment or on a command line.
"""

from __future__ import annotations

import json
import os
import socket
import threading
from contextlib import suppress
from typing import Any

VARIABLE = "COPYDESK_BROWSER"
"""Names the descriptor of the wire; the server alone sets it."""

TOKEN_VARIABLE = "COPYDESK_TOKEN"  # noqa: S105 - the name of a variable


class Window:
    """A window of a browser: ``address`` is that of the server, ``left`` the screen it was on."""

    def __init__(self, wire: socket.socket, told: dict[str, Any]) -> None:
        self._wire, self._turn = wire, threading.Lock()
        self.address = str(told["address"])
        self.left: Any = told["left"]

    def open_url(self, url: str, *, new_tab: bool) -> None:
        """Have the browser open an address."""
        self._tell("open_url", {"url": url, "new_tab": new_tab})

    def keep(self, left: object) -> None:
        """Have the screen kept that the window is on, for when its page is loaded again."""
        self.left = left
        self._tell("left", left)

    def _tell(self, kind: str, value: object) -> None:
        line = json.dumps([kind, value]).encode() + b"\n"
        # A window that is gone ends the program by its terminal.
        with self._turn, suppress(OSError):
            self._wire.sendall(line)


window: Window | None = None
"""The window that shows this process; None in a terminal."""


def begin() -> None:
    """Take the terminal and the wire that the server made; nothing where it did not start this.

    Raises ``ValueError`` with a sentence for a variable that the server did not set.
    """
    global window
    named = os.environ.pop(VARIABLE, None)
    if named is None:
        return
    try:
        wire = socket.socket(fileno=int(named))
        wire.set_inheritable(False)
        with wire.makefile("rb") as lines:
            told = json.loads(lines.readline())
        _take_terminal()
        if token := told["token"]:
            os.environ[TOKEN_VARIABLE] = token
        window = Window(wire, told)
    except (OSError, OverflowError, ValueError, LookupError, TypeError) as error:
        raise ValueError(
            f"{VARIABLE} is for copydesk serve --web alone, which sets it: unset it"
        ) from error


def _take_terminal() -> None:
    """Have the end of the terminal end this process, as a closed window of a terminal does."""
    if os.name == "posix":
        import fcntl
        import termios

        fcntl.ioctl(0, termios.TIOCSCTTY, 0)
