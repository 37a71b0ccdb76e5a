"""What a service has, operation by operation, as its answers and its description tell.

An operation is there, gone, or not known. It is there when it was answered, and gone when the
service has no such route: 405, 501, or a 404 that no missing thing explains. A refusal (401, 403),
a limit (429), a failure and no answer at all say nothing. What was found is cached for the profile
and address: that something is there for a week, that it is gone for a day, both until the service
says that it has another version.
"""

from __future__ import annotations

import asyncio
import json
import logging
import re
from collections.abc import Awaitable, Callable, Iterable
from typing import Any, Literal

from copydesk.client import calls
from copydesk.client.calls import Answer, Outgoing
from copydesk.client.errors import ApiError, NotFound, OperationMissing
from copydesk.contract import operations as ops
from copydesk.contract.operation import PREFIX, Operation
from copydesk.contract.operations import CATALOGUE
from copydesk.domain.service_parts import FALLS_BACK, successor_words, words
from copydesk.domain.text import clean

DAY = 86_400.0
THERE_SECONDS, GONE_SECONDS = 7 * DAY, DAY
"""How long a finding about an operation holds: that it exists, that it is gone."""

DESCRIPTIONS = (f"{PREFIX}/openapi.json", "/openapi.json")
"""Where a service may serve a description of itself (OpenAPI, JSON)."""

NO_ROUTE = frozenset({404, 405, 501})
"""The statuses that may mean that there is no such operation."""

DONE_ELSE = frozenset({400, 409, 412})
"""The refusals that only an operation that is there gives, with the API's error body."""

LONGEST_VERSION = 40

State = Literal["there", "gone", "unknown"]

Send = Callable[[Outgoing], Awaitable[Answer]]
Keep = Callable[[bytes], None]

_LOG = logging.getLogger(__name__)
_PLACEHOLDER = re.compile(r"\{[^{}/]*\}")


class Routes:
    """What is known of one service.

    ``send`` asks it, ``clock`` gives seconds since the epoch, ``keep`` caches what is known now as
    bytes, which `recall` takes. ``described``: whether its description may be asked for.
    """

    def __init__(
        self, send: Send, clock: Callable[[], float], keep: Keep, *, described: bool
    ) -> None:
        self._send = send
        self._clock = clock
        self._keep = keep
        self._found: dict[str, tuple[bool, float]] = {}
        self.lacks_any = False
        """Whether anything was ever found to be gone."""
        self._asks = described
        self._asking: asyncio.Task[bool] | None = None
        self.asked_at = 0.0
        """When its description was asked for last; 0 for never."""
        self.version = ""
        """The version that it told last; "" where it did not."""
        self.denied: set[str] = set()
        """The names of the operations that were refused to this token (403) in this run."""

    # What is known

    def state(self, operation: Operation[..., Any]) -> State:
        """Return whether the service has an operation."""
        return self.state_of(operation.route)

    def state_of(self, route: str) -> State:
        """Return whether the service has a route (`Operation.route`), declared or not."""
        found = self._found.get(route)
        if found is None:
            return "unknown"
        there, at = found
        age = self._clock() - at
        # A clock that was set back must not stop the question for long.
        if not -DAY <= age < (THERE_SECONDS if there else GONE_SECONDS):
            return "unknown"
        return "there" if there else "gone"

    def has(self, extension: str | Operation[..., Any]) -> bool:
        """Whether the service offers an extension or an operation: see ``Api.has``."""
        if isinstance(extension, Operation):
            # Where nothing can be read at a path, nothing can be written there either.
            read = f"GET {extension.route.partition(' ')[2]}"
            known = self.state(extension)
            return (self.state_of(read) if known == "unknown" else known) != "gone"
        family = [known for known in CATALOGUE.values() if known.extension == extension]
        reads = [known for known in family if known.method == "GET"]
        return not any(self.state(known) == "gone" for known in reads or family)

    def without(self, names: Iterable[str]) -> OperationMissing | None:
        """Return the error for some operations when all are gone and nothing can stand for them."""
        found = [CATALOGUE[name] for name in names if name in CATALOGUE]
        gone = [each for each in found if each.extension not in FALLS_BACK and not self.has(each)]
        return self.missing(gone[0]) if gone and len(gone) == len(found) else None

    def check(self, operation: Operation[..., Any], *, offline: bool) -> None:
        """Raise ``OperationMissing`` for an operation that is gone.

        What every service has to have is always asked for: what was found may be wrong.
        ``offline``: the service is not asked, so that what was found once holds for longer.
        """
        if not operation.optional:
            return
        old = offline and not self._found.get(operation.route, (True, 0.0))[0]
        if old or self.state(operation) == "gone":
            raise self.missing(operation)

    def missing(
        self, operation: Operation[..., Any], error: ApiError | None = None
    ) -> OperationMissing:
        """Return the error for an operation that is gone."""
        return OperationMissing(
            self.lack(operation),
            status=error.status if error else None,
            operation=operation.name,
            request_id=error.request_id if error else "",
            lacking=words(operation),
            successor=self.successor(operation),
        )

    def lack(self, operation: Operation[..., Any]) -> str:
        """Return the sentence for an operation that is gone, with what has taken its place."""
        if not operation.optional:
            return f"This service has no {operation.method} {operation.wire_path}."
        named = words(operation)
        if not (successor := self.successor(operation)):
            return f"This service has no {named}."
        return f"This service has no {named}, but {successor_words(successor)}."

    def successor(self, operation: Operation[..., Any]) -> str:
        """Return the route that has taken the place of an operation, "" where the service is not
        known to have it.
        """
        route = operation.successor
        return route if route and self.state_of(route) == "there" else ""

    # What answers tell

    def answered(self, operation: Operation[..., Any]) -> None:
        """Note that an operation was answered: it is there."""
        there, at = self._found.get(operation.route, (False, 0.0))
        if not there or not 0 <= self._clock() - at < DAY:
            self._note({operation.route: True})

    async def learn(
        self,
        operation: Operation[..., Any],
        error: ApiError,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
    ) -> None:
        """Raise ``OperationMissing`` where a call failed because the operation is gone."""
        if error.status == 403:
            self.denied.add(operation.name)
        elif error.status in DONE_ELSE and error.from_service:
            self.answered(operation)
        elif error.status in NO_ROUTE and await self._is_gone(operation, error, args, kwargs):
            await self._describe_if_due()  # what else is gone is told before it is asked for
            self._note({operation.route: False})
            raise self.missing(operation, error) from error
        if isinstance(error, NotFound) and self._asks and operation.optional:
            error.lacking = words(operation) if self.state(operation) == "unknown" else ""

    async def _is_gone(
        self,
        operation: Operation[..., Any],
        error: ApiError,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
    ) -> bool:
        """Whether the service lacks this route, as against the thing that a call named.

        405 and 501 say so, and so does a 404. Without the API's error body each of them may come
        from what stands before the service, which answers so while that is started: then it counts
        only if something else is answered. A 404 with the error body may mean a missing thing. So
        the thing that the path hangs on is asked for: where that is there, the route is what is
        missing; not so where something else may be missing, an id at the end of the path, or one
        inside a body or in a query that has to be there, or what the thing ``may_lack``. Then the
        description decides.
        """
        if not error.from_service:
            return await self._answers(ops.list_organizations, (), {"limit": 1})
        if error.status != 404:
            return True
        if operation.optional:
            if not operation.path_parameters:
                return True
            asked = any(each.required for each in operation.query_parameters)
            named = operation.path.endswith("}") or operation.body is not None or asked
            named = named or operation.may_lack
            parent = None if named else _parent(operation)
            if parent is not None:
                given = operation.signature.bind(*args, **kwargs).arguments
                ids = tuple(given[each.name] for each in operation.path_parameters)
                return await self._answers(parent, ids, {})
            if named and self._lacks_list(operation):
                return True
            if self.state(operation) == "unknown":
                await self._describe_if_due()
        return self.state(operation) == "gone"

    async def _answers(
        self, operation: Operation[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> bool:
        try:
            await self._send(calls.outgoing(operation, *args, **kwargs))
        except ApiError:
            return False
        return True

    def _lacks_list(self, operation: Operation[..., Any]) -> bool:
        """Whether the list that an operation is about one of is gone."""
        route = operation.route.partition(" ")[2]
        return route.endswith("/{}") and self.state_of(f"GET {route[:-3]}") == "gone"

    # What the service says of itself

    async def describe(self) -> bool:
        """Ask the service for its description; False where it serves none that can be used.

        Raises nothing for a service that does not answer. Calls at the same time ask once.
        """
        if self._asking is None:
            self._asking = asyncio.create_task(self._describe())
            self._asking.add_done_callback(self._described)
        return await asyncio.shield(self._asking)

    def _described(self, task: asyncio.Task[bool]) -> None:
        self._asking = None
        if not task.cancelled():
            task.exception()

    async def _describe(self) -> bool:
        await self.ask_version()
        self.asked_at = self._clock()
        self._save()
        for path in DESCRIPTIONS:
            try:
                answer = await self._send(calls.raw("GET", path))
            except ApiError as error:
                if error.status not in NO_ROUTE:
                    return False
                continue
            routes = await asyncio.to_thread(described_routes, answer.content)
            if ops.list_organizations.route not in routes:
                _LOG.warning("%s describes another API", path)
                continue
            wanted = {each.route for each in CATALOGUE.values()}
            wanted |= {each.successor for each in CATALOGUE.values() if each.successor}
            self._note({route: route in routes for route in wanted})
            return True
        return False

    async def ask_version(self) -> str:
        """Ask the service for its version and return it, "" where it does not tell.

        Another one than before: all that was known is forgotten.
        """
        try:
            answer = await self._send(calls.raw("GET", ops.get_api_information.path))
            told = json.loads(answer.content)
        except (ApiError, ValueError, RecursionError):
            return self.version
        version = told.get("version") if isinstance(told, dict) else None
        if isinstance(version, str) and version:
            version = clean(version, limit=LONGEST_VERSION)
            if self.version and version != self.version:
                self._found.clear()
                self.lacks_any = False
                self.asked_at = 0.0
            self.version = version
            self.answered(ops.get_api_information)
        return self.version

    async def lacks(self, operation: Operation[..., Any]) -> bool:
        """Whether an operation is gone, before somebody prepares a request in vain.

        Where it is not known the description is asked for, at most once a day.
        """
        if self.unsure(operation):
            await self.describe()
        return self.state(operation) == "gone"

    def unsure(self, operation: Operation[..., Any]) -> bool:
        """Whether `lacks` asks the service first, which takes several calls."""
        return self.state(operation) == "unknown" and self._due

    async def offers(self, operation: Operation[..., Any]) -> bool:
        """Whether an operation is known to be there.

        For what only the embedded desk has: no description, or one without it, counts as no.
        """
        if not self._asks:
            return self.state(operation) != "gone"
        return not await self.lacks(operation) and self.state(operation) == "there"

    @property
    def _due(self) -> bool:
        return self._asks and not 0 <= self._clock() - self.asked_at < GONE_SECONDS

    async def _describe_if_due(self) -> None:
        if self._due:
            await self.describe()

    # What is cached

    def _note(self, found: dict[str, bool]) -> None:
        now = self._clock()
        self._found.update((route, (there, now)) for route, there in found.items())
        self._save()

    def _save(self) -> None:
        self.lacks_any = not all(there for there, _ in self._found.values())
        kept = {"version": self.version, "asked": self.asked_at, "routes": self._found}
        self._keep(json.dumps(kept).encode())

    def recall(self, content: bytes) -> None:
        """Load cached findings; entries that do not fit are skipped."""
        try:
            kept = json.loads(content)
            found = {
                str(route): (bool(there), float(at))
                for route, (there, at) in kept["routes"].items()
            }
            version, asked = str(kept["version"]), float(kept["asked"])
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
            return
        self._found = found | self._found
        self.lacks_any = not all(there for there, _ in self._found.values())
        self.version, self.asked_at = self.version or version, max(asked, self.asked_at)


def described_routes(content: bytes) -> set[str]:
    """Return the routes that an OpenAPI document has; none for another document."""
    try:
        document = json.loads(content)
    except (ValueError, RecursionError):
        return set()
    paths = document.get("paths") if isinstance(document, dict) else None
    if not isinstance(paths, dict):
        return set()
    return {
        f"{method.upper()} {_below_prefix(path)}"
        for path, methods in paths.items()
        if isinstance(methods, dict)
        for method in methods
    }


def _below_prefix(path: str) -> str:
    shape = _PLACEHOLDER.sub("{}", path)
    return shape if shape.startswith(f"{PREFIX}/") else PREFIX + shape


def _parent(operation: Operation[..., Any]) -> Operation[..., Any] | None:
    """Return the published read of an operation's parent object, if there is one."""
    thing = operation.path[: operation.path.rindex("}") + 1]
    route = f"GET {_PLACEHOLDER.sub('{}', thing)}"
    for known in CATALOGUE.values():
        if known.route == route and known.extension is None:
            return known
    return None
