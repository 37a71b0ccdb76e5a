"""How a handler is tied to the operation that it implements."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Concatenate, ParamSpec, TypeVar
from urllib.parse import quote

from copydesk.contract.operation import PREFIX, Operation
from copydesk.domain.address import APP
from copydesk.server.access import Access
from copydesk.server.errors import or_not_found
from copydesk.server.store import Row, Tx

P = ParamSpec("P")
R = TypeVar("R")
S = TypeVar("S")


class OutdatedError(Exception):
    """What an answer is made of has to be brought up to date first, which ``work`` does."""

    def __init__(self, work: Callable[[Tx], None]) -> None:
        super().__init__()
        self.work = work


@dataclass
class Call:
    """One request being answered: who calls, in which transaction, and how the answer goes out.

    ``status`` starts as the operation's documented success code; a handler changes it where the
    outcome decides (an update instead of a creation, a deletion that found nothing). ``location``
    is the Location header of a 201. ``goes_on`` says that something was left to the desk's worker,
    which is woken once the answer is out; with ``hurries`` it does not wait for more to come.
    ``settled``: the answer says what there is; else a read
    may raise ``OutdatedError``, once. ``remembered`` keeps what queries found, under their own
    keys, so that a list that names one person fifty times reads them once. ``noted`` is what the
    audit says of the call besides.
    """

    tx: Tx
    user_id: str
    base_url: str
    status: int
    location: str | None = field(default=None)
    goes_on: bool = False
    hurries: bool = False
    settled: bool = True
    remembered: dict[tuple[str, str], Any] = field(default_factory=dict)
    noted: dict[str, str] = field(default_factory=dict)
    # Not a cached property, whose lock costs more than what it keeps.
    _access: Access | None = field(default=None, init=False, repr=False)

    @property
    def access(self) -> Access:
        """What the caller may do."""
        if self._access is None:
            self._access = Access(self.tx, self.user_id)
        return self._access

    @access.deleter
    def access(self) -> None:
        """Forget what the caller may do, after a change of it."""
        self._access = None

    def changed(self, table: str, key: str) -> Row:
        """Return a row after this call changed it, with the rights the caller has now.

        A change may have taken the caller's own rights, which is no reason to refuse the answer.
        """
        del self.access
        return self.tx.row(table, key)

    def find(self, kind: str, table: str, key: str, **belongs: str) -> Row:
        """Return the row with an id that belongs where its columns say, or raise a 404."""
        return or_not_found(self.tx.get(table, id=key, **belongs), kind, key)

    def url(self, *segments: str) -> str:
        """Return the absolute URL of a path below /v1, each segment quoted."""
        return "/".join((self.base_url + PREFIX, *map(_quoted, segments)))

    def app_url(self, *segments: str) -> str:
        """Return the absolute URL of a screen, each segment quoted (`copydesk.domain.address`)."""
        return "/".join((self.base_url + APP, *map(_quoted, segments)))

    def was_missing(self) -> None:
        """Answer a deletion that found nothing: 204 (docs/api-notes.md, Success codes)."""
        self.status = 204


@lru_cache(maxsize=4096)  # a page of a list asks for the same few again and again
def _quoted(segment: str) -> str:
    return quote(segment, safe="")


Handler = Callable[..., Any]


@dataclass(frozen=True)
class Implementation:
    """A handler with what the dispatcher must know: whether it writes, whether it is short.

    ``takes`` is the permission that it checks; reading that says none takes ``view``.
    """

    operation: Operation[..., Any]
    handler: Handler
    writes: bool
    short: bool = False
    takes: str = ""


HANDLERS: dict[str, Implementation] = {}
"""The operations by name whose handlers are loaded (`copydesk.server.handlers`)."""


def implements(
    operation: Operation[P, R], *, takes: str = "", writes: bool | None = None, short: bool = False
) -> Callable[[Callable[Concatenate[Call, P], R]], Callable[Concatenate[Call, P], R]]:
    """Tie a handler to an operation. It takes the ``Call`` and then what the stub takes.

    ``takes`` is the permission that it checks, on what the path names first.
    What reads runs on a snapshot, everything else in a write transaction, unless ``writes`` says
    otherwise. ``short`` is a read of a few rows by their keys, whatever is asked: it is over before
    another thread would have begun it, and is answered on the event loop. Raises ``ValueError`` at
    import when an operation is implemented twice.
    """

    def tie(handler: Callable[Concatenate[Call, P], R]) -> Callable[Concatenate[Call, P], R]:
        _register(operation, handler, takes, writes=writes, short=short)
        return handler

    return tie


def implements_on_space(
    operation: Operation[Concatenate[str, P], R], find: Callable[[Call, str], S], *, takes: str = ""
) -> Callable[[Callable[Concatenate[Call, S, P], R]], Callable[Concatenate[Call, S, P], R]]:
    """Tie a handler to an operation on a space, or on something else that its path names first.

    It takes what ``find`` makes of the id: so one handler serves an operation and its twins.
    """
    (name,) = re.findall(r"\{(\w+)\}", operation.path)[:1]

    def tie(handler: Callable[Concatenate[Call, S, P], R]) -> Callable[Concatenate[Call, S, P], R]:
        answer: Handler = handler

        def work(call: Call, **others: Any) -> Any:
            return answer(call, find(call, others.pop(name)), **others)

        _register(operation, work, takes)
        return handler

    return tie


def implements_on_branch(
    operation: Operation[Concatenate[str, str, P], R],
    find: Callable[[Call, str, str], S],
    *,
    takes: str = "",
) -> Callable[[Callable[Concatenate[Call, S, P], R]], Callable[Concatenate[Call, S, P], R]]:
    """Tie a handler to an operation on what two ids name, such as a space and a change request.

    ``find`` takes both, as it takes the one of a space.
    """
    outer, name = re.findall(r"\{(\w+)\}", operation.path)[:2]

    def tie(handler: Callable[Concatenate[Call, S, P], R]) -> Callable[Concatenate[Call, S, P], R]:
        answer: Handler = handler

        def work(call: Call, **others: Any) -> Any:
            return answer(call, find(call, others.pop(outer), others.pop(name)), **others)

        _register(operation, work, takes)
        return handler

    return tie


def _register(
    operation: Operation[..., Any],
    handler: Handler,
    takes: str,
    *,
    writes: bool | None = None,
    short: bool = False,
) -> None:
    if operation.name in HANDLERS:
        raise ValueError(f"operation {operation.name} is implemented twice")
    writing = not operation.reads if writes is None else writes
    HANDLERS[operation.name] = Implementation(operation, handler, writing, short, takes)
