"""``copydesk serve``: the embedded desk over HTTP."""

from __future__ import annotations

import signal
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from ipaddress import ip_address
from pathlib import Path
from typing import TYPE_CHECKING

from copydesk.cli import log_file
from copydesk.cli.embedded import clustering, open_store
from copydesk.cli.errors import UsageError, say
from copydesk.cli.output import put
from copydesk.contract.operations import CATALOGUE
from copydesk.domain.text import plural
from copydesk.local.paths import find_paths
from copydesk.server.app import DeskServer, create_app
from copydesk.server.editions import EDITIONS, Edition, operations_of
from copydesk.server.handlers import load_all
from copydesk.server.rate_limit import RateLimit, limited
from copydesk.server.remote_document import Fetcher
from copydesk.server.request_ids import named
from copydesk.server.store import Store

if TYPE_CHECKING:
    import uvicorn


def serve(
    *,
    host: str = "127.0.0.1",
    port: int = 8484,
    desk: Path | None = None,
    fetch: bool = False,
    git: Path | None = None,
    limit: int | None = None,
    edition: Edition = "all",
) -> int:
    """Listen on ``host`` and ``port`` until interrupted; the address is printed once it is open.

    With ``fetch`` the desk reads OpenAPI specifications from the public addresses that they name.
    ``git`` is the folder below which are the repositories that spaces may go to and come from.
    ``limit`` is how many requests each token may send in an hour; None: any number. ``edition``
    leaves operations out.
    """
    if git is not None and not git.is_dir():
        raise UsageError(f"--git {git}: there is no such folder")
    # First what a typing error spoils, so that it makes no desk.
    with listen(host, port) as listener:
        store = open_store(desk)
        log_file.begin(find_paths().log)  # what goes wrong, without what people sent
        try:
            load_all()  # nobody waits yet, and nothing of a later version is loaded
            fetcher = Fetcher() if fetch else None
            app = create_app(
                store,
                fetch=fetcher,
                edition=edition,
                repositories=git,
                clustering=clustering(),
            )
            _answer(host, listener, store, app, fetch, RateLimit(limit), edition)
        finally:
            store.close()
    return 0


def _answer(
    host: str,
    listener: socket.socket,
    store: Store,
    app: DeskServer,
    fetch: bool,
    limit: RateLimit,
    edition: Edition,
) -> None:
    from copydesk.cli.serve_protocol import bounded_server

    server = bounded_server(named(limited(app, limit)))
    # Whoever has read where it listens may end it at once.
    with ending_on_termination(server):
        _tell(host, listener, store, limit.limit, fetches=fetch)
        if edition != "all":
            left_out = len(CATALOGUE) - len(operations_of(edition))
            put(f"As {EDITIONS[edition]}: {plural(left_out, 'operation')} left out.", now=True)
        server.run(sockets=[listener])


def _tell(
    host: str, listener: socket.socket, store: Store, limit: int | None, *, fetches: bool
) -> None:
    """Say where it listens, what it exposes, and to whom."""
    address, number = listener.getsockname()[:2]
    shown = f"[{host}]" if ":" in host else host
    put(f"Listening on http://{shown}:{number}", now=True)
    put(
        f"Serving {store.name}\n"
        "/v1 takes a token, which `copydesk desk token` makes; /v1/openapi.json takes none.",
        now=True,
    )
    # What was bound decides, whatever name it was asked for by.
    if ip_address(address.partition("%")[0]).is_loopback:
        put("Only this machine can reach it.", now=True)
    else:
        say(
            f"copydesk: {host} can be reached from other machines, over plain HTTP. "
            "Anyone with a token of this desk can read and change it."
        )
    if limit is not None:
        put(f"Each token may send {plural(limit, 'call')} in an hour.", now=True)
    if fetches:
        say(
            "copydesk: OpenAPI specifications are fetched from the public addresses that people "
            "of this desk give."
        )


@contextmanager
def ending_on_termination(server: uvicorn.Server) -> Iterator[None]:
    """Have SIGTERM end the program the way SIGINT does, with the desk closed.

    While uvicorn runs, it ends the requests under way and then sends itself the signal again. The
    handler raises nothing: an exception that comes up in the middle of anything may be lost there.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def end(signal_number: int, frame: object) -> None:
        server.should_exit = True

    before = signal.signal(signal.SIGTERM, end)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def listen(host: str, port: int) -> socket.socket:
    """Return what listens there. Raises ``UsageError`` where nothing can."""
    if not 0 <= port <= 65535:
        raise UsageError(f"--port {port}: a port is a number from 0 to 65535")
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        listener = socket.socket(family, kind, protocol)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        listener.listen(128)
    except (OSError, UnicodeError) as error:  # a host that is no name at all is the second
        reason = error.strerror if isinstance(error, OSError) else "not a host name"
        raise UsageError(
            f"cannot listen on {host} port {port}: {reason}. Choose another with --host or --port."
        ) from error
    return listener
