"""A small web server for tests, on loopback: what each path answers, and what was asked."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass
class Answer:
    """What a path answers. It waits for ``when`` before the body, after ``asked`` was set."""

    body: bytes = b""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    when: threading.Event | None = None
    asked: threading.Event = field(default_factory=threading.Event)


class Web(ThreadingHTTPServer):
    """The server; ``requests`` are the headers of every request, in order."""

    daemon_threads = False
    block_on_close = True

    def __init__(self, answers: Mapping[str, Answer]) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.answers = dict(answers)
        self.requests: list[dict[str, str]] = []

    def url(self, path: str = "/", host: str = "127.0.0.1") -> str:
        """Return the address of a path."""
        return f"http://{host}:{self.server_address[1]}{path}"


class _Handler(BaseHTTPRequestHandler):
    server: Web

    def do_GET(self) -> None:
        self.server.requests.append({k.lower(): v for k, v in self.headers.items()})
        answer = self.server.answers.get(self.path, Answer(status=404))
        answer.asked.set()
        self.send_response(answer.status)
        for name, value in answer.headers.items():
            self.send_header(name, value)
        self.send_header("content-length", str(len(answer.body)))
        self.end_headers()
        if answer.when is not None:
            self.wfile.flush()
            answer.when.wait(10)
        try:
            self.wfile.write(answer.body)
        except OSError:  # whoever asked has gone
            self.close_connection = True

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


@contextmanager
def serving(answers: Mapping[str, Answer]) -> Iterator[Web]:
    """Serve answers until the block ends; whoever still waits for one gets it then."""
    web = Web(answers)
    thread = threading.Thread(target=web.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield web
    finally:
        for answer in web.answers.values():
            if answer.when is not None:
                answer.when.set()
        web.shutdown()
        thread.join()
        web.server_close()
