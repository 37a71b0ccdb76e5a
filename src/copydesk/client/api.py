"""``Api``: send a declared operation, get its typed result.

    async with Api("https://api.example.com", token) as api:
        space = await api(ops.get_space, space_id)
        async for request in api.pages(ops.list_space_change_requests, space_id):
            ...

Every call goes the same way: arguments bound by the operation's signature, identical reads shared,
sent by ``wire``, the answer validated from its bytes in one pass. A broken or hostile service says
with each page that there is another: whoever reads a whole list has a `PageGuard`.
"""

from __future__ import annotations

import asyncio
import copy
import logging
import time
from collections.abc import (
    AsyncIterator,
    Awaitable,
    Callable,
    Coroutine,
    Hashable,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, ParamSpec, Self, TypeVar

from copydesk.client import calls
from copydesk.client.cached_answers import AnswerStore, Keeping
from copydesk.client.calls import (
    THREAD_BYTES,
    Answer,
    Budget,
    Outgoing,
    Recorder,
    RequestTally,
    Scalar,
    Secret,
    not_understood,
    read_answer,
)
from copydesk.client.carrier import Timeouts
from copydesk.client.errors import ApiError, Forbidden, Garbled, NotCached, NotFound, ReadOnly
from copydesk.client.in_process import AppTransport
from copydesk.client.routes import Routes
from copydesk.client.wire import Wire
from copydesk.contract.models.base import Limit, Page
from copydesk.contract.operation import Operation
from copydesk.domain.cached_answers import Held
from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.moments import service_time
from copydesk.domain.request_context import (
    ASKER,
    MISREAD,
    NOT_SHOWN,
    WHOLE,
    CachedReading,
    Why,
    current_reading,
)
from copydesk.domain.text import clean

if TYPE_CHECKING:
    import httpx

EMPTY_PAGES = 100
"""Empty pages in a row that make a list endless."""

MOST_PAGES = 20_000
"""The most pages of a list that a person scrolls through; one with more has no end."""

WHOLE_PAGES = 1_000
"""The most pages of a list that is read whole at once: nobody waits for more."""


class EmptyPagesError(Garbled):
    """So many pages had nothing that a list of them may have no end; whoever waits may go on."""


class PageGuard:
    """Checks the pages of one list, and ends one that goes on for ever.

    ``operation`` is named in the error. ``most`` is how many pages it may have: `WHOLE_PAGES`, as
    for a list that is read whole at once, where nothing is said.
    """

    def __init__(self, operation: str = "", most: int | None = None) -> None:
        self._operation = operation
        self._most = WHOLE_PAGES if most is None else most
        self._tokens: set[str] = set()
        self._before: Sequence[object] = ()
        self._empty = 0

    def check(self, items: Sequence[object], following: str | None) -> None:
        """Note a page: its items, and the token of the next page (None: it is the last).

        Raises ``Garbled`` where the list has no end: it comes back to a page, has the same items
        under another token, or goes on without any items (`EmptyPagesError`, counted anew
        after that).
        """
        if following is None:
            return
        self._empty = 0 if items else self._empty + 1
        said = "the list has no end"
        if (
            following in self._tokens
            or (items and items == self._before)
            or len(self._tokens) + 1 >= self._most
        ):
            raise Garbled(said, field="next.page", operation=self._operation)
        if self._empty >= EMPTY_PAGES:
            self._empty = 0
            raise EmptyPagesError(said, field="next.page", operation=self._operation)
        self._before = items
        self._tokens.add(following)


P = ParamSpec("P")
R = TypeVar("R")
T = TypeVar("T")

_LOG = logging.getLogger(__name__)

PAGE = 250
"""How many items of a list are read with one request."""

MOST_POLLED = 8
"""The last answers to polls that are kept as they were read: most polls bring the same again."""

MOST_POLLED_BYTES = 2 * THREAD_BYTES
"""The largest such answer."""

MOST_LOGGED = 500
"""How many kinds of parts that were left out of answers are logged: where and why, not what."""

ROUTES = "routes"
"""The cache key of what the service has, which no target of a read is."""

USUAL_TIMEOUTS = Timeouts()
"""5 s for a connection, 30 s for the next bytes, 3 minutes for the whole answer."""


class Api:
    """One service, seen through the contract.

    ``base_url`` is the service, with or without ``/v1``. ``token`` is sent as a bearer token.
    ``transport`` carries the requests: None for the network, an ``AppTransport`` for the
    embedded desk. ``clock`` gives seconds since the epoch and is there for tests. ``store`` caches
    answers (``cached_answers``). ``read_only``: every write raises ``ReadOnly`` and is not sent.
    ``ca_file`` holds certificates (PEM) of further trusted authorities.

    Raises ``ValueError``, with a sentence, for an unusable base URL, token, certificate or proxy.
    Calls raise ``ApiError`` and its kinds. A result may be shared between callers of the same read:
    do not change it. Cancelling a read ends it; cancelling a write leaves open whether it took
    effect.

    Construction takes about 100 ms without ``transport`` (certificates): do it in a thread where
    keys are read.
    """

    def __init__(
        self,
        base_url: str,
        token: str | Secret | None = None,
        *,
        transport: AppTransport | httpx.AsyncBaseTransport | None = None,
        timeouts: Timeouts = USUAL_TIMEOUTS,
        clock: Callable[[], float] = time.time,
        store: AnswerStore | None = None,
        read_only: bool = False,
        ca_file: Path | None = None,
    ) -> None:
        secret = Secret(token) if isinstance(token, str) else token
        self._wire = Wire(base_url, secret, transport, clock, ca_file)
        self._clock = clock
        self._keeping: Keeping | None = None
        self.cache_in(store)
        self.read_only = read_only
        self._way = transport, ca_file, clock
        self._flights = SharedReads()
        self.routes = Routes(
            self._send, clock, self._keep_routes, described=not self._wire.in_process
        )
        """What the service has and lacks."""
        self._recalled = False
        self._timeouts = timeouts
        self._left_out: set[tuple[str, str, str]] = set()
        """What was left out of answers and is in the log: operation, field, reason."""
        self._polled: dict[str, tuple[bytes, tuple[Any, Sequence[Any]]]] = {}
        """What polls brought and how it was read, by target, the newest last."""

    def __repr__(self) -> str:
        return f"<Api {self.base_url}>"

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Cancel reads under way, write cached answers, and close the connections."""
        await self._flights.ground()
        if self._keeping is not None:
            await self._keeping.aclose()
        await self._wire.aclose()

    @property
    def base_url(self) -> str:
        """The service, without a slash at the end and without ``/v1``."""
        return self._wire.base_url

    @property
    def budget(self) -> Budget:
        """How many requests may still be sent; all of them once the period is over."""
        return self._wire.budget.by(datetime.fromtimestamp(self._clock(), UTC))

    @property
    def skew(self) -> timedelta:
        """How far the service's clock is ahead of this one, by its last answers (half a second more
        or less); zero where unknown, and in this process.
        """
        return self._wire.skew

    @property
    def now(self) -> datetime:
        """The time by the service's clock, which its times are compared with."""
        return service_time(datetime.fromtimestamp(self._clock(), UTC), self.skew)

    def at(self, moment: float) -> datetime:
        """Return the service's time at a moment of this machine (seconds since the epoch): what the
        service creates after that has no earlier time.
        """
        here = datetime.fromtimestamp(moment, UTC)
        return service_time(here, self.skew, same=timedelta())

    @property
    def answers(self) -> int:
        """The number of answers, refusals too: if it grows, the service is there."""
        return self._wire.answers

    @property
    def calls(self) -> tuple[int, int]:
        """How many calls are over, and how many were begun."""
        return self._wire.ended, self._wire.begun

    @property
    def caches(self) -> bool:
        """Whether answers are cached on this machine, for ``cached_reading``."""
        return self._keeping is not None

    def cache_in(self, store: AnswerStore | None) -> None:
        """Cache answers in this store from now on; None: nowhere. The client closes it."""
        self._keeping = None if store is None else Keeping(store, self._clock)

    async def held(self) -> Held | None:
        """Return the size and age of the cache; None without a cache."""
        return None if self._keeping is None else await self._keeping.held()

    async def forget_cached(self) -> None:
        """Empty the cache, as when its answers were for somebody else."""
        if self._keeping is not None:
            await self._keeping.forget()

    def use_token(self, token: str | Secret) -> None:
        """Use another token from the next request on; requests under way keep theirs.

        Raises ``ValueError`` for an unusable one.
        """
        self._wire.use_token(Secret(token) if isinstance(token, str) else token)
        # Requests under way may still be refused because of the old token.
        self._flights.part()

    def trying(self, token: str | Secret) -> Api:
        """Return another client of the same service, to find out the owner of a token.

        It caches nothing and writes nothing. Construction takes as long as any; close it. Raises
        ``ValueError`` for an unusable token.
        """
        transport, ca_file, clock = self._way
        return Api(
            self.base_url, token, transport=transport, timeouts=self._timeouts, clock=clock,
            read_only=True, ca_file=ca_file,
        )  # fmt: skip

    @property
    def tally(self) -> RequestTally:
        """What was sent in the last minutes, retries included, counted."""
        return self._wire.tally

    @property
    def recorder(self) -> Recorder | None:
        """Called with a ``SentRequest`` after each request, also retries; None for no recorder."""
        return self._wire.recorder

    @recorder.setter
    def recorder(self, recorder: Recorder | None) -> None:
        self._wire.recorder = recorder

    def within(self, timeouts: Timeouts) -> Api:
        """Return the same client with other time-outs, for a slow call."""
        other = copy.copy(self)
        other._timeouts = timeouts
        return other

    def stranger(self, url: str, seconds: float) -> httpx.AsyncClient:
        """Return an HTTP client for an address outside of the service.

        It trusts the same authorities, and has no token; redirects are followed, but from a service
        elsewhere none leads to this machine. ``seconds`` is the time-out. Raises ``ValueError`` for
        an unusable proxy.
        """
        return self._wire.stranger(url, seconds)

    def has(self, extension: str | Operation[..., Any]) -> bool:
        """Whether the service offers an extension ("E4") or an operation.

        True until it is known otherwise (``routes``). An extension counts as missing when one of
        its reads is, or one of its writes where it has no reads.
        """
        return self.routes.has(extension)

    async def __call__(self, operation: Operation[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
        """Send ``operation`` with the arguments of its stub and return its result.

        Raises ``ApiError``; ``OperationMissing`` for what the service lacks, without a request
        where that is known already; ``TypeError`` and ``ValueError`` for arguments that do
        not fit the stub or cannot stand in a path.
        """
        result: R = await self._call(operation, args, kwargs)
        return result

    async def find(self, operation: Operation[P, R], *args: P.args, **kwargs: P.kwargs) -> R | None:
        """Call an operation as above; None where there is no such thing, or no longer."""
        try:
            return await self(operation, *args, **kwargs)
        except NotFound:
            return None

    async def gone(
        self, operation: Operation[P, R], *args: P.args, **kwargs: P.kwargs
    ) -> bool | None:
        """Return True if `find` finds nothing, else None: whether a removal took effect."""
        return True if await self.find(operation, *args, **kwargs) is None else None

    async def done(self, operation: Operation[P, Any], *args: P.args, **kwargs: P.kwargs) -> bool:
        """Call an operation whose answer says nothing, and return True: it took effect."""
        await self(operation, *args, **kwargs)
        return True

    async def page(
        self, operation: Operation[P, Page[T]], *args: P.args, **kwargs: P.kwargs
    ) -> Page[T]:
        """Return one page of a list; pass ``page=found.next.page`` for the one after ``found``."""
        result: Page[T] = await self._call(operation, args, kwargs)
        return result

    async def pages(
        self, operation: Operation[P, Page[T]], *args: P.args, **kwargs: P.kwargs
    ) -> AsyncIterator[T]:
        """Yield the items of a list; each page is read when its first item is needed.

        A page has `PAGE` items where no ``limit`` is given and the operation takes so many.
        Raises ``Garbled`` for a list that repeats a page or goes on without new items.
        """
        guard = PageGuard(operation.name)
        given: dict[str, Any] = dict(kwargs)
        limit = operation.signature.parameters.get("limit")
        if limit is not None and limit.annotation == Limit | None:
            given.setdefault("limit", PAGE)
        while True:
            found: Page[T] = await self._call(operation, args, given)
            following = None if found.next is None else found.next.page
            guard.check(found.items, following)
            for item in found.items:
                yield item
            if following is None:
                return
            given["page"] = following

    async def every(
        self, operation: Operation[P, Page[T]], *args: P.args, **kwargs: P.kwargs
    ) -> list[T]:
        """Return all items of a list, read as `pages` does."""
        return [item async for item in self.pages(operation, *args, **kwargs)]

    async def answer(self, operation: Operation[P, R], *args: P.args, **kwargs: P.kwargs) -> Answer:
        """Send ``operation`` and return the raw successful answer.

        Raises what a call raises.
        """
        return await self._send(calls.outgoing(operation, *args, **kwargs))

    async def raw(
        self,
        method: str,
        path: str,
        query: Iterable[tuple[str, Scalar]] = (),
        body: bytes | None = None,
    ) -> Answer:
        """Send an undeclared request, such as ``raw("GET", "/v1/user")``.

        ``body`` is JSON. Returns the raw successful answer. Raises ``ApiError``, and ``ValueError``
        for an invalid path.
        """
        return await self._send(calls.raw(method, path, query, body))

    async def again(self, noted: Mapping[str, Any]) -> Answer:
        """Send a noted request (``noting``) again, as ``Outgoing.to_dict`` gives it.

        Returns the raw successful answer, which must be valid for its operation. Raises
        ``ApiError``, and ``ValueError`` for an invalid request.
        """
        from copydesk.contract import operations

        outgoing = calls.outgoing_of(noted)
        answer = await self._send(outgoing)
        operation = getattr(operations, outgoing.name, None)
        if isinstance(operation, Operation):
            await self._validated(operation, answer)
        return answer

    async def _call(
        self, operation: Operation[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Any:
        await self.recall_routes()
        reading = current_reading()
        self.routes.check(operation, offline=reading is not None)
        if not operation.loaded:  # not between two keys
            await asyncio.to_thread(operation.load)
        outgoing = calls.outgoing(operation, *args, **kwargs)

        async def run() -> tuple[Any, Sequence[Any]]:
            asked = self._clock()
            answer = await self._send(outgoing)
            read = await self._read(operation, outgoing.kept_as, answer)
            # Only valid answers are cached: a Wi-Fi that wants a password answers in the
            # service's place.
            if reading is None and self._keeping is not None and outgoing.keepable:
                self._keeping.keep(outgoing.kept_as, answer.content, asked)
            return read

        try:
            if reading is not None:
                result, misread = await self._kept(operation, run)
            # In this process, sharing a read costs more than repeating it.
            elif not operation.reads or self._wire.in_process:
                result, misread = await run()
            else:
                flight = outgoing.kept_as, self._timeouts, WHOLE.get()
                result, misread = await self._flights.join(flight, run)
        except ApiError as error:
            if reading is not None:
                raise
            await self.routes.learn(operation, error, args, kwargs)
            if (
                self._keeping is not None
                and isinstance(error, (Forbidden, NotFound))
                and error.from_service
            ):
                # Cached answers that are forbidden now must not be shown. An answer in the
                # service's place does not count.
                self._keeping.drop(outgoing.kept_as)
            raise
        if reading is None:
            self.routes.answered(operation)
        MISREAD.get().note(outgoing.target, misread)  # each who shares the read is told
        return result

    async def _send(self, outgoing: Outgoing) -> Answer:
        reading = current_reading()
        if outgoing.reads:
            if reading is not None:
                return await self._from_store(outgoing, reading)
            return await self._wire.send(outgoing, self._timeouts)
        if reading is not None:
            raise RuntimeError(f"{outgoing.name} writes, and only what is kept is to be read here")
        if self.read_only:
            raise ReadOnly("This profile is read-only: nothing was sent.", operation=outgoing.name)
        if (note := NOTED.get()) is not None:
            await note(outgoing)
        # Before: a read that is under way may miss the write. After: so may one that began
        # meanwhile.
        self._flights.part()
        try:
            return await self._wire.send(outgoing, self._timeouts)
        finally:
            self._flights.part()

    async def _from_store(self, outgoing: Outgoing, reading: CachedReading) -> Answer:
        kept = None
        if self._keeping is not None and outgoing.keepable:
            kept = await self._keeping.read(outgoing.kept_as)
        if kept is None:
            reading.lacked = True
            raise NotCached("Nothing of this is saved on this machine.", operation=outgoing.name)
        reading.used(kept)
        return Answer(200, kept.content)

    async def _kept(
        self, operation: Operation[..., Any], run: Callable[[], Coroutine[Any, Any, Any]]
    ) -> Any:
        try:
            return await run()
        except Garbled as error:
            # Cached by another version, or damaged: it counts as missing.
            raise NotCached(
                "The saved answer is not understood.", operation=operation.name
            ) from error

    async def recall_routes(self) -> None:
        """Load the cached list of the service's operations, once."""
        if self._recalled or self._keeping is None:
            return
        self._recalled = True
        if (kept := await self._keeping.read(ROUTES)) is not None:
            self.routes.recall(kept.content)

    def _keep_routes(self, content: bytes) -> None:
        if self._keeping is not None:
            self._keeping.keep(ROUTES, content)

    async def _read(
        self, operation: Operation[..., Any], target: str, answer: Answer
    ) -> tuple[Any, Sequence[Any]]:
        """Return the result as `_validated` does; a poll that brings the same bytes again gets the
        result from before.
        """
        polls = ASKER.get().why is Why.POLLING and not WHOLE.get()
        if not polls or operation.secret or len(answer.content) > MOST_POLLED_BYTES:
            return await self._validated(operation, answer)
        content, read = self._polled.pop(target, (None, (None, ())))
        if content != answer.content:
            read = await self._validated(operation, answer)
        self._polled[target] = answer.content, read
        if len(self._polled) > MOST_POLLED:
            del self._polled[next(iter(self._polled))]
        return read

    async def _validated(
        self, operation: Operation[..., Any], answer: Answer
    ) -> tuple[Any, Sequence[Any]]:
        """Return the result, and the items of it that were left out, to be shown as they came."""
        # An operation's reader is built when first used, which takes milliseconds: not between two
        # keys.
        first = "result_adapter" not in operation.__dict__
        if first or len(answer.content) > THREAD_BYTES:
            result, dropped = await asyncio.to_thread(read_answer, operation, answer)
        else:
            result, dropped = read_answer(operation, answer)
        for part in dropped:
            told = operation.name, part.field, part.why
            if told not in self._left_out and len(self._left_out) < MOST_LOGGED:
                self._left_out.add(told)
                _LOG.warning("%s: left out %s: %s", *map(clean, told))
        if dropped and WHOLE.get():
            raise not_understood(operation, answer, dropped[0].field, dropped[0].why)
        items = [part for part in dropped if part.item]
        if operation.secret:
            return result, [{NOT_SHOWN: f"{operation.name} {part.place}"} for part in items]
        return result, [part.value for part in items]


@dataclass(eq=False, slots=True)
class _Flight:
    task: asyncio.Task[Any]
    waiting: int = 0


class SharedReads:
    """The reads in flight, by key.

    Cancelling one waiter leaves the read to the others; cancelling the last one cancels the read.
    """

    def __init__(self) -> None:
        self._shared: dict[Hashable, _Flight] = {}
        self._tasks: set[asyncio.Task[Any]] = set()

    def __len__(self) -> int:
        """The number of reads in flight."""
        return len(self._tasks)

    async def join(self, key: Hashable, start: Callable[[], Coroutine[Any, Any, Any]]) -> Any:
        """Return the answer of the read ``key``; ``start`` begins it if none is in flight.

        Raises what the read raises, in every waiter.
        """
        flight = self._shared.get(key)
        if flight is None:
            flight = self._shared[key] = _Flight(asyncio.create_task(start()))
            self._tasks.add(flight.task)
            flight.task.add_done_callback(lambda _: self._landed(key, flight))
        flight.waiting += 1
        try:
            return await asyncio.shield(flight.task)
        finally:
            flight.waiting -= 1
            if not flight.waiting and not flight.task.done():
                self._unshare(key, flight)
                flight.task.cancel()

    def part(self) -> None:
        """Do not share the reads in flight from now on: called around writes.

        A read that began before a write may answer with the old state, and a caller after the write
        wants the new one.
        """
        self._shared.clear()

    async def ground(self) -> None:
        """Cancel all reads and wait until they have ended."""
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _landed(self, key: Hashable, flight: _Flight) -> None:
        self._tasks.discard(flight.task)
        self._unshare(key, flight)
        if not flight.task.cancelled():
            # Retrieved, so that a failure without a waiter is not reported as lost.
            flight.task.exception()

    def _unshare(self, key: Hashable, flight: _Flight) -> None:
        if self._shared.get(key) is flight:
            del self._shared[key]


Note = Callable[[Outgoing], Awaitable[None]]
"""Awaited once before each write, not again for a retry."""

NOTED: ContextVar[Note | None] = ContextVar("noted", default=None)
"""The current note. It follows tasks, as context variables do."""


@contextmanager
def noting(note: Note) -> Iterator[None]:
    """Call ``note`` before every write of this block, and of tasks begun in it."""
    token = NOTED.set(note)
    try:
        yield
    finally:
        NOTED.reset(token)
