"""The server of the windows: its links, its pages, and the sockets behind them."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import secrets
import socket
import sys
from collections.abc import Awaitable, Callable, Mapping
from contextlib import ExitStack, suppress
from dataclasses import field
from ipaddress import ip_address
from typing import Any

from starlette.applications import Starlette
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Mount, Route, WebSocketRoute
from starlette.staticfiles import StaticFiles
from starlette.websockets import WebSocket, WebSocketDisconnect

from copydesk.cli import log_file
from copydesk.cli.connection import Service
from copydesk.cli.embedded import open_store
from copydesk.cli.errors import UsageError
from copydesk.cli.output import put
from copydesk.cli.serve import ending_on_termination, listen
from copydesk.cli.terminal import why_no_theme
from copydesk.cli.tokens import TOKEN_VARIABLE
from copydesk.cli.web.gate import LINK_SECONDS, Gate, Receive, Scope, Send
from copydesk.cli.web.page import STATIC, static_files, window_page
from copydesk.cli.web.screens import Screens
from copydesk.domain.address import APP, web_address
from copydesk.domain.late_dataclass import dataclass
from copydesk.local.paths import find_paths
from copydesk.server import app_address
from copydesk.server.store import DeskError, Store
from copydesk.server.web_page import page

MOST_WINDOWS = 4
"""So many windows are open at once: each is a process."""

MOST_LEFT = 64
"""Of so many windows is kept what they were left on."""

MOST_BYTES = 4 * 1024 * 1024
"""A longer message of a browser ends its window."""

PING_SECONDS = 15.0
"""How often a browser is asked whether it is there, and how long it may take to say so."""

BACKGROUND_SECONDS = 1.0
"""How often is looked whether the terminal, which another program has, is this one's again."""

ANOTHER = "Press Enter in the terminal where <code>copydesk serve --web</code> runs: it prints one."

_LOG = logging.getLogger(__name__)


def serve_web(
    *, service: Service, host: str = "127.0.0.1", port: int = 8485, theme: str | None = None
) -> int:
    """Serve the screens to browsers on this machine until interrupted."""
    files = _installed()
    if theme is not None and (wrong := why_no_theme(theme)):
        raise UsageError(wrong)
    connection = service.connection()
    with ExitStack() as ending:
        listener = ending.enter_context(listen(host, port))
        gate = Gate(_browser_address(host, listener))
        connection.make()
        store = None
        if connection.desk is not None:
            try:
                store = open_store(service.desk, reads=service.read_only)
            except DeskError as error:
                raise UsageError(str(error)) from error
            ending.callback(store.close)
        log_file.begin(find_paths().log)
        windows = Windows(
            gate,
            arguments=[*service.arguments, *([f"--theme={theme}"] if theme else [])],
            token=os.environ.get(TOKEN_VARIABLE, "").strip(),
        )
        asyncio.run(_answer(listener, gate, guarded(gate, _app(gate, windows, store, files))))
    return 0


def _installed() -> StaticFiles:
    """Return what the pages load. Raises ``UsageError`` where the extra is not installed."""
    try:
        import websockets  # noqa: F401 - the HTTP server looks for it when the first socket comes

        return static_files()
    except ImportError as error:
        raise UsageError(f"--web needs {error.name}: pip install 'copydesk[web]'") from error


def _browser_address(host: str, listener: socket.socket) -> str:
    """Return the name and port that browsers use. Raises ``UsageError`` for another machine's."""
    address, number = listener.getsockname()[:2]
    if not ip_address(address.partition("%")[0]).is_loopback:
        raise UsageError(
            f"--host {host} can be reached from other machines, and --web is for this one alone: "
            "leave it out"
        )
    return f"[{address}]:{number}" if ":" in address else f"{address}:{number}"


async def _answer(listener: socket.socket, gate: Gate, app: Any) -> None:
    from copydesk.cli.serve_protocol import bounded_server

    server = bounded_server(
        app,
        ws="websockets-sansio",
        ws_max_size=MOST_BYTES,
        ws_ping_interval=PING_SECONDS,
        ws_ping_timeout=PING_SECONDS,
        ws_per_message_deflate=False,
    )
    with ending_on_termination(server):
        put(f"The screens, in a browser on this machine:\n{gate.link()}", now=True)
        put(
            f"The link works once, for {LINK_SECONDS / 60:.0f} minutes. "
            "Enter prints another, ctrl+c ends all windows.",
            now=True,
        )
        on_enter(lambda: put(gate.link(), now=True))
        await server.serve(sockets=[listener])


def on_enter(act: Callable[[], None]) -> None:
    """Do something whenever a line is typed here; nothing where nobody can type."""
    loop = asyncio.get_running_loop()
    if sys.stdin is None:
        return
    typed = sys.stdin.fileno()

    def watch() -> None:
        with suppress(OSError, ValueError):  # a file, which has nothing to wait for
            loop.add_reader(typed, read)

    def read() -> None:
        if os.isatty(typed) and os.tcgetpgrp(typed) != os.getpgrp():
            # Another program has the terminal: who reads it now is stopped for that.
            loop.remove_reader(typed)
            loop.call_later(BACKGROUND_SECONDS, watch)
            return
        try:
            data = os.read(typed, 4096)
        except OSError:
            data = b""
        if not data:
            loop.remove_reader(typed)
        elif b"\n" in data:
            act()

    watch()


def guarded(gate: Gate, app: Callable[[Scope, Receive, Send], Awaitable[None]]) -> Any:
    """Return an app that only answers who has the cookie, but for what gives it or needs none."""

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        refused = ""
        if said := gate.why_strange(scope):
            refused = f"<p>{said}</p>"
        elif not scope["path"].startswith(("/enter/", f"{APP}/")) and not gate.knows(
            Headers(scope=scope)
        ):
            refused = f"<p>This takes a link that works once. {ANOTHER}</p>"
        if not refused:
            await app(scope, receive, send)
        elif scope["type"] == "websocket":
            await WebSocket(scope, receive, send).close()
        else:
            await page("Not here", refused, 403)(scope, receive, send)

    return answer


def _app(gate: Gate, windows: Windows, store: Store | None, files: StaticFiles) -> Starlette:
    """Return what answers browsers that may come in."""

    async def enter(request: Request) -> Response:
        # Who looks what is behind a link, or fetches it before it is clicked, does not use it up.
        clicks = request.method == "GET" and "sec-purpose" not in request.headers
        cookie = gate.enter(request.path_params["secret"]) if clicks else None
        if cookie is None and not gate.knows(request.headers):
            return page(
                "This link no longer works", f"<p>It was used, or is too old. {ANOTHER}</p>", 403
            )
        answer = RedirectResponse("/", 303, {"cache-control": "no-store"})
        if cookie is not None:
            answer.set_cookie(gate.cookie, cookie, httponly=True, samesite="lax", path="/")
        return answer

    async def pointed(request: Request) -> Response:
        if gate.knows(request.headers):
            return windows.opened(f"{gate.address}{request.url.path}")
        if store is None:
            return page("Not here", f"<p>This takes a link that works once. {ANOTHER}</p>", 403)
        return await app_address.answer(store, request, has_api=False)

    async def opened(request: Request) -> Response:
        return windows.opened()

    return Starlette(
        routes=[
            Route("/enter/{secret}", enter, methods=["GET"]),
            Route(app_address.PATH, pointed, methods=["GET"]),
            Route("/", opened, methods=["GET"]),
            Route("/w/{window}", windows.shown, methods=["GET"]),
            WebSocketRoute("/w/{window}/screens", windows.connected),
            Mount(STATIC, files),
        ],
        exception_handlers={404: _missing, Exception: _failed},
    )


async def _missing(request: Request, error: Exception) -> Response:
    return page("Not found", "<p>Nothing is here.</p>", 404)


async def _failed(request: Request, error: Exception) -> Response:
    _LOG.error("A page could not be made", exc_info=error)
    return page("Failed", "<p>copydesk log --file says where more of it is.</p>", 500)


@dataclass(eq=False)
class Window:
    """A window: the address that it ``begins`` with, and the screen that it was ``left`` on.

    Its socket has its ``turn``; it is told that it is ``over`` when the same page is loaded again.
    ``comers`` counts the sockets.
    """

    begins: str = ""
    left: object = None
    turn: asyncio.Lock = field(default_factory=asyncio.Lock)
    over: asyncio.Event = field(default_factory=asyncio.Event)
    comers: int = 0


class Windows:
    """The windows of a server, each with a process of its own while it is open."""

    def __init__(self, gate: Gate, *, arguments: list[str], token: str) -> None:
        self._gate, self._arguments, self._token = gate, arguments, token
        self._known: dict[str, Window] = {}

    def opened(self, begins: str = "") -> Response:
        """Lead a browser to a new window."""
        idle = [name for name, each in self._known.items() if not each.turn.locked()]
        for name in idle[: max(0, len(self._known) - MOST_LEFT + 1)]:
            del self._known[name]
        name = secrets.token_urlsafe(8)
        self._known[name] = Window(begins)
        return RedirectResponse(f"/w/{name}", 303, {"cache-control": "no-store"})

    async def shown(self, request: Request) -> Response:
        """Answer with the page of a window; one that is not known any more begins anew."""
        name = request.path_params["window"]
        window = self._known.get(name)
        if window is None:
            return self.opened()
        if self._too_many(window):
            said = f"{MOST_WINDOWS} windows are open. Close one, and load this again."
            return page("One window too many", f"<p>{said}</p>", 503)
        return window_page(f"ws://{self._gate.host}/w/{name}/screens")

    async def connected(self, websocket: WebSocket) -> None:
        """Show the screens of a window for as long as the browser's socket is there."""
        window = self._known.get(websocket.path_params["window"])
        if window is None or self._too_many(window):
            await websocket.close()
            return
        window.comers += 1
        mine = window.comers
        window.over.set()
        async with window.turn:
            if mine != window.comers:
                await websocket.close()
                return
            window.over.clear()
            try:
                await websocket.accept()
                await self._show(websocket, window)
            except (OSError, RuntimeError, WebSocketDisconnect) as error:
                _LOG.warning("A window could not be opened: %s", error)

    def _too_many(self, window: Window) -> bool:
        others = (each for each in self._known.values() if each is not window)
        return sum(each.turn.locked() for each in others) >= MOST_WINDOWS

    async def _show(self, websocket: WebSocket, window: Window) -> None:
        begins = [window.begins] if window.begins and window.left is None else []
        greeting = {"address": self._gate.address, "token": self._token, "left": window.left}
        size = _size(websocket.query_params)
        screens = await Screens.start([*self._arguments, *begins], greeting, size)
        hearing = asyncio.create_task(_hear(websocket, window, screens))
        tasks = [
            asyncio.create_task(_draw(websocket, screens)),
            asyncio.create_task(_type(websocket, screens)),
            asyncio.create_task(window.over.wait()),
        ]
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for each in tasks:
                each.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            with suppress(OSError, RuntimeError, WebSocketDisconnect):  # it has gone already
                await websocket.close()
            await screens.end()
            await hearing
            screens.forget()


async def _draw(websocket: WebSocket, screens: Screens) -> None:
    async for data in screens.draw():
        await websocket.send_bytes(data)


async def _type(websocket: WebSocket, screens: Screens) -> None:
    while (message := await websocket.receive())["type"] == "websocket.receive":
        match _read(message.get("text")):
            case ["stdin", str(text)]:
                await screens.type(text)
            case ["resize", {"width": int(columns), "height": int(rows)}]:
                screens.resize((columns, rows))
            case ["ping", str(sent)]:
                await websocket.send_text(json.dumps(["pong", sent]))


async def _hear(websocket: WebSocket, window: Window, screens: Screens) -> None:
    async for kind, value in screens.words():
        match kind, value:
            case "left", dict():
                window.left = value
            case "open_url", {"url": str(url), "new_tab": bool(new_tab)} if web_address(url):
                told = ["open_url", {"url": web_address(url), "new_tab": new_tab}]
                with suppress(OSError, RuntimeError, WebSocketDisconnect):
                    await websocket.send_text(json.dumps(told))


def _read(text: str | None) -> object:
    try:
        return json.loads(text or "null")
    except (ValueError, RecursionError):
        return None


def _size(asked: Mapping[str, str]) -> tuple[int, int]:
    """Return the columns and rows that a browser asked for."""

    def number(name: str, usual: int) -> int:
        text = asked.get(name, "")
        return int(text) if text.isascii() and text.isdigit() and len(text) < 6 else usual

    return number("width", 80), number("height", 24)
