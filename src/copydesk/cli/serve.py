"""``copydesk serve``: the embedded desk over HTTP."""

from __future__ import annotations

import socket
from pathlib import Path

from copydesk.cli.edge import UsageError, say
from copydesk.cli.embedded import open_store
from copydesk.server.app import create_app

_LOOPBACK = ("127.0.0.1", "::1", "localhost")


def serve(*, host: str, port: int, desk: Path | None = None) -> int:
    """Listen on ``host`` and ``port`` until interrupted; the address is printed once it is open."""
    import uvicorn

    if not 0 <= port <= 65535:
        raise UsageError(f"--port {port}: a port is a number from 0 to 65535")
    store = open_store(desk)
    listener = _listen(host, port)
    shown = f"[{host}]" if ":" in host else host
    print(f"Listening on http://{shown}:{listener.getsockname()[1]}", flush=True)
    if host not in _LOOPBACK:
        say(
            f"copydesk: {host} can be reached from other machines, over plain HTTP. "
            "Anyone with a token of this desk can read and change it."
        )
    server = uvicorn.Server(
        uvicorn.Config(
            create_app(store),
            log_level="warning",
            access_log=False,
            server_header=False,
            lifespan="off",
        )
    )
    try:
        server.run(sockets=[listener])
    finally:
        store.close()
    return 0


def _listen(host: str, port: int) -> socket.socket:
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        listener = socket.socket(family, kind, protocol)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
    except OSError as error:
        raise UsageError(
            f"cannot listen on {host} port {port}: {error.strerror}. Choose another with --port."
        ) from error
    listener.listen(128)
    return listener
