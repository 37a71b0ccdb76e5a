"""The embedded desk as an ASGI app: routes from the catalogue, one path for every request.

A request is matched, authenticated, checked against the operation's signature, run whole in one
transaction off the event loop, and answered. What was answered to a read is answered again at once
for as long as nobody writes. Nothing here knows what any operation does.
"""

from __future__ import annotations

import asyncio
import logging
import re
import secrets
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from functools import cache, cached_property, lru_cache, partial
from hashlib import sha256
from pathlib import Path
from types import NoneType
from typing import TYPE_CHECKING, Any, ParamSpec

from pydantic import BaseModel
from starlette.types import ASGIApp, Receive, Scope, Send

from copydesk.contract.models.base import Page
from copydesk.contract.operation import Operation
from copydesk.contract.operations import CATALOGUE
from copydesk.domain.clustering import Clustering
from copydesk.server.answer import JSON, Answer, failed, no_method, refused
from copydesk.server.arguments import ClientGoneError, header, read_arguments, read_body
from copydesk.server.audit import Audit, is_audited
from copydesk.server.background import Worker
from copydesk.server.desk_file import is_damage
from copydesk.server.editions import Edition, operations_of
from copydesk.server.errors import Refusal, unauthorized
from copydesk.server.handlers import implementation_of
from copydesk.server.implementation import Call, Implementation, OutdatedError
from copydesk.server.pagination import mark_place, read_place
from copydesk.server.request_ids import OPERATION, said_with
from copydesk.server.routing import Endpoint, Tree
from copydesk.server.shared_models import all_written, to_json
from copydesk.server.store import LONG, Store, Tx

if TYPE_CHECKING:
    from copydesk.server.openapi_jobs import Fetch

P = ParamSpec("P")

DAMAGED = "This desk's file is damaged; `copydesk desk check` says where."
_LOG = logging.getLogger(__name__)


def create_app(
    store: Store,
    *,
    sessions: Mapping[str, str] | None = None,
    fetch: Fetch | None = None,
    edition: Edition = "all",
    repositories: Path | None = None,
    clustering: Clustering | None = None,
) -> DeskServer:
    """Return the desk's ASGI app over a store.

    ``sessions`` are bearer tokens that live only in memory, each with its user's id: how a program
    that holds the desk in process signs in without a token on disk. ``fetch`` reads documents that
    are somewhere else; without it the desk connects to nothing. ``edition`` leaves operations out,
    as the services do that it is named after. ``repositories`` is the folder below which are the
    git repositories that spaces are imported from and exported to; without it there are none.
    ``clustering`` says how clusters are found in conversations; without it nobody looks for them.
    """
    return DeskServer(store, dict(sessions or {}), fetch, edition, repositories, clustering)


class DeskServer:
    """The app: reads that were answered before, operations, and what a desk has besides.

    ``worker`` does what goes on after an answer.
    """

    def __init__(
        self,
        store: Store,
        sessions: Mapping[str, str],
        fetch: Fetch | None,
        edition: Edition,
        repositories: Path | None,
        clustering: Clustering | None,
    ) -> None:
        finder = None if clustering is None else Worker(store, _late(_clusterer, clustering))
        self.worker = Worker(store, _late(_jobs, fetch, repositories), finder)
        if store.reads:
            # Whatever they did would have to be written.
            self.worker.close()
            if finder is not None:
                finder.close()
        self._store = store
        met: dict[str, None] = {}
        self._operations = Tree(
            operations_of(edition),
            lambda name: _endpoint(store, self.worker, CATALOGUE[name], sessions, met),
        )
        self._sessions = sessions
        self._edition = edition

    @cached_property
    def _extra_routes(self) -> ASGIApp:
        """What a desk has besides operations, loaded when somebody asks for it."""
        from copydesk.server.extra_routes import extra_routes

        check = partial(_authenticate, sessions=self._sessions)
        return extra_routes(self._store, self._edition, check)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "http":
            await self._extra_routes(scope, receive, send)
            return
        method, path = scope["method"], scope["path"]
        if method == "GET" and (answers := await self._store.answers()) is not None:
            asked = path, scope["query_string"], *_caller(scope)
            if (known := answers.get(asked)) is not None:
                await known(scope, receive, send)
                return
            scope[_KEEP] = partial(answers.keep, asked)
        found = self._operations.find(method, path)
        if found is not None:
            endpoint, scope["path_params"] = found
            await endpoint(scope, receive, send)
        elif methods := self._operations.methods(path):
            await no_method(method, methods)(scope, receive, send)
        else:
            await self._extra_routes(scope, receive, send)


_Job = Callable[[Worker], bool]


def _late(load: Callable[P, Sequence[_Job]], *args: P.args, **kwargs: P.kwargs) -> tuple[_Job]:
    """Return jobs as one, which loads them when it is first asked."""
    loaded = cache(partial(load, *args, **kwargs))
    return (lambda worker: any(job(worker) for job in loaded()),)


def _jobs(fetch: Fetch | None, repositories: Path | None) -> Sequence[_Job]:
    """Return what goes on after answers."""
    from copydesk.server.findings import scan_next
    from copydesk.server.git_jobs import run_next_git_job
    from copydesk.server.openapi_jobs import read_next_spec
    from copydesk.server.translation_jobs import run_next_translation

    return (
        partial(read_next_spec, fetch=fetch),
        run_next_translation,
        partial(run_next_git_job, repositories=repositories),
        scan_next,
    )


def _clusterer(settings: Clustering) -> Sequence[_Job]:
    from copydesk.server.clustering.job import Clusterer

    return (Clusterer(settings),)


_MOST_MET = 1000
"""Of how many tokens it is remembered that they were valid once."""

_CALLER = "copydesk.caller"
"""Where the scope has who sent a request, and to which address, once somebody looked."""

_KEEP = "copydesk.keep"
"""Where the scope of a read has what keeps its answer."""


class _Answer(Answer):
    """What an operation answers; a read's is sent again for as long as nobody writes.

    ``wake`` is called once it is sent.
    """

    __slots__ = ("_operation", "_wake")

    def __init__(
        self,
        operation: str,
        status: int,
        headers: list[tuple[bytes, bytes]],
        body: bytes,
        wake: Callable[[], None] | None,
    ) -> None:
        super().__init__(status, headers, body)
        self._operation = operation
        self._wake = wake

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send it."""
        scope[OPERATION] = self._operation
        await super().__call__(scope, receive, send)
        if self._wake is not None:
            self._wake()


def _caller(scope: Scope) -> tuple[str, str]:
    """Return the credential of a request, and the address of the desk as it knows it."""
    found: tuple[str, str] | None = scope.get(_CALLER)
    if found is None:
        found = scope[_CALLER] = header(scope, b"authorization"), _base_url(scope)
    return found


def mint_token(tx: Tx, user_id: str, label: str) -> str:
    """Make a bearer token for a user and return it; only its hash is kept."""
    token = "desk_" + secrets.token_urlsafe(32)
    tx.insert("token", hash=_digest(token), user_id=user_id, label=label, created_at=tx.now)
    return token


def _digest(token: str) -> str:
    return sha256(token.encode()).hexdigest()


def _endpoint(
    store: Store,
    worker: Worker,
    op: Operation[..., Any],
    sessions: Mapping[str, str],
    met: dict[str, None],
) -> Endpoint:
    implementation: Implementation | None = None

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        nonlocal implementation
        scope[OPERATION] = op.name
        response: Answer
        try:
            if implementation is None:  # not between two keys
                implementation = await asyncio.to_thread(_loaded, op)
            body: bytes | Refusal | dict[str, Any] = b""
            if op.body is not None:
                await _sign_in(store, _caller(scope)[0], sessions, met)
                body = await _body(scope, receive)
                if isinstance(body, bytes) and len(body) > LONG:
                    # Not on the thread that writes: others wait for it.
                    read = partial(_arguments, op, scope, body)
                    body = await store.in_thread(read, writes=False)
            work = partial(_answer, store, worker, implementation, sessions, scope, body)
            if implementation.short:
                response = await store.soon(work)
            else:
                response = await store.in_thread(work, writes=implementation.writes)
            if (keep := scope.get(_KEEP)) is not None:
                keep(response, len(response.body))
        except Refusal as refusal:
            response = refused(refusal)
        except sqlite3.DatabaseError as error:
            response = _troubled(store, op, error)
        except ClientGoneError:
            response = Answer(400, [(b"content-length", b"0")])
        except Exception as error:  # noqa: BLE001 - whatever it is, it is answered and logged here
            response = failed(op.name, error)
        await response(scope, receive, send)

    return answer


def _loaded(op: Operation[..., Any]) -> Implementation:
    """Load the models of an operation and its handler, and return that."""
    op.load()
    return implementation_of(op)


def _troubled(store: Store, op: Operation[..., Any], error: sqlite3.DatabaseError) -> Answer:
    """Return the answer to a problem of the file or its disk, or to any other failure.

    Nothing was written by a request that is answered so. What SQLite quotes is in no sentence.
    """
    if is_damage(error):
        _LOG.error("%s failed: the file is damaged", op.name, extra=said_with())
        return refused(Refusal(500, DAMAGED))
    # The low byte is the kind; Python's own complaints, about a closed desk say, have none.
    match getattr(error, "sqlite_errorcode", 0) & 0xFF:
        case sqlite3.SQLITE_BUSY:
            return refused(Refusal(503, "Another program is writing to this desk; try again."))
        case sqlite3.SQLITE_FULL:
            return refused(Refusal(507, "The disk of this desk is full: nothing was written."))
        case sqlite3.SQLITE_READONLY if store.reads:
            return refused(Refusal(403, "This desk was opened read-only: nothing was written."))
        case sqlite3.SQLITE_IOERR | sqlite3.SQLITE_READONLY | sqlite3.SQLITE_CANTOPEN:
            _LOG.error("%s failed: %s", op.name, error, extra=said_with())
            sentence = f"This desk's file cannot be used ({error}). Check its disk and permissions."
            return refused(Refusal(500, sentence))
        case _:
            return failed(op.name, error)


def _answer(
    store: Store,
    worker: Worker,
    implementation: Implementation,
    sessions: Mapping[str, str],
    scope: Scope,
    body: bytes | Refusal | dict[str, Any],
) -> _Answer:
    op = implementation.operation
    # Read before the transaction, which others wait for; who calls is still the first question.
    arguments = _arguments(op, scope, body) if isinstance(body, bytes) else body
    credential, base_url = _caller(scope)

    def work(tx: Tx, *, settled: bool = True) -> _Answer:
        user_id = _authenticate(tx, credential, sessions)
        if isinstance(arguments, Refusal):
            raise arguments
        call = Call(tx, user_id, base_url, op.status, settled=settled)
        audit = Audit(call, op, arguments) if is_audited(implementation) else None
        result = implementation.handler(call, **arguments)
        if audit is not None:
            audit.record(result)
        mark_place(op, arguments, result)
        wake = partial(worker.wake, hurry=call.hurries) if call.goes_on else None
        response = _response(op, call, result, wake)
        if call.goes_on or tx.timed or implementation.writes:
            scope.pop(_KEEP, None)
        return response

    if implementation.writes:
        return store.write(work)
    try:
        return store.read(partial(work, settled=store.reads))
    except OutdatedError as outdated:
        store.write(outdated.work)
        return store.read(work)


def _base_url(scope: Scope) -> str:
    server = scope.get("server")
    return _address(
        scope.get("scheme", "http"),
        header(scope, b"host"),
        None if server is None else tuple(server),
        scope.get("app_root_path", scope.get("root_path", "")),
    )


_PLAIN_HOST = re.compile(r"[a-z0-9]([a-z0-9.-]*[a-z0-9])?(:[1-9][0-9]{0,3})?")
"""Hosts that need no reading: names and numbers in small letters, with a port that there is."""


@lru_cache(maxsize=64)  # bounded: a host is whatever the request says
def _address(scheme: str, host: str, server: tuple[str, int] | None, root: str) -> str:
    """Return the address of the desk as a request knows it, without a slash at the end."""
    if not root and _PLAIN_HOST.fullmatch(host):
        return f"{scheme}://{host}"
    from starlette.requests import HTTPConnection

    headers = [(b"host", host.encode("latin-1"))] if host else []
    scope = {"type": "http", "scheme": scheme, "server": server, "root_path": root}
    connection = HTTPConnection({**scope, "path": root, "headers": headers})
    return str(connection.base_url).rstrip("/")


async def _sign_in(
    store: Store, credential: str, sessions: Mapping[str, str], met: dict[str, None]
) -> None:
    """Raise a 401 before the body of a request is read: a stranger's may be long, or never come.

    ``met`` are digests of tokens that were valid once. Who calls is asked again in the transaction,
    which a token may be revoked before.
    """
    token = _bearer(credential)
    if token in sessions or (digest := _digest(token)) in met:
        return
    check = partial(_authenticate, credential=credential, sessions=sessions)
    await store.soon(partial(store.read, check))
    if len(met) >= _MOST_MET:
        del met[next(iter(met))]
    met[digest] = None


async def _body(scope: Scope, receive: Receive) -> bytes | Refusal:
    try:
        return await read_body(scope, receive)
    except Refusal as refusal:
        return refusal


def _arguments(op: Operation[..., Any], scope: Scope, body: bytes) -> dict[str, Any] | Refusal:
    try:
        query = str(scope["query_string"], "latin-1")
        arguments = read_arguments(op, scope["path_params"], query, body)
        read_place(op, arguments)
        return arguments
    except Refusal as refusal:
        return refusal


def _authenticate(tx: Tx, credential: str, sessions: Mapping[str, str]) -> str:
    """Return the id of the user whose credential this is; without a valid one it is a 401."""
    token = _bearer(credential)
    if token in sessions:
        return sessions[token]
    digest = _digest(token)
    user_id: str | None = tx.kept(
        digest, lambda: tx.value("SELECT user_id FROM token WHERE hash = ?", digest), ("token",)
    )
    if user_id is None:
        raise unauthorized("This token is not valid here.")
    return user_id


def _bearer(credential: str) -> str:
    scheme, _, token = credential.partition(" ")
    if scheme.lower() != "bearer" or not token:
        raise unauthorized("Send a bearer token in the Authorization header.")
    return token


def _response(
    op: Operation[..., Any], call: Call, result: object, wake: Callable[[], None] | None
) -> _Answer:
    headers: list[tuple[bytes, bytes]] = []
    if call.status == 201:
        location = call.location or getattr(getattr(result, "urls", None), "location", None)
        if location:
            headers.append((b"location", str(location).encode("latin-1")))
    content = b""
    if result is None or op.result is NoneType:
        if call.status != 204:  # it has no content to have a length
            headers.append((b"content-length", b"0"))
        return _Answer(op.name, call.status, headers, content, wake)
    if isinstance(result, BaseModel) and not isinstance(result, Page):
        content = to_json(result)
    elif isinstance(result, Page) and (items := all_written(result.items)) is not None:
        content = _page_json(result, items)
    else:
        # A page's own writer would have to find out what each item is.
        content = op.result_adapter.dump_json(result, by_alias=True, exclude_none=True)
    headers.append((b"content-length", b"%d" % len(content)))
    headers.append((b"content-type", JSON))
    return _Answer(op.name, call.status, headers, content, wake)


def _page_json(page: Page[Any], items: list[bytes]) -> bytes:
    """Return the JSON of a page whose items are JSON already."""
    rest = page.model_copy(update={"items": []})
    start, end = to_json(rest).split(b"[]", 1)
    return b"%b[%b]%b" % (start, b",".join(items), end)
