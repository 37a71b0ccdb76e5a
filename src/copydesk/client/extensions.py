"""The operations that a service lacks, by its answers."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from typing import Any

from copydesk.client import request as requests
from copydesk.client.errors import ApiError, ExtensionMissing, NotFound
from copydesk.client.request import Outgoing
from copydesk.contract.operation import Operation
from copydesk.contract.operations import CATALOGUE

Send = Callable[[Outgoing], Awaitable[object]]


class Extensions:
    """The missing operations of one service. ``base_url`` names it in errors, ``send`` asks it."""

    def __init__(self, base_url: str, send: Send) -> None:
        self._base_url = base_url
        self._send = send
        self._missing: set[str] = set()

    def has(self, extension: str | Operation[..., Any]) -> bool:
        """Whether the service offers an extension or an operation: see ``Api.has``."""
        if isinstance(extension, Operation):
            if extension.extension is None:
                return True
            return extension.name not in self._missing and self.has(extension.extension)
        family = [known for known in CATALOGUE.values() if known.extension == extension]
        reads = [known for known in family if known.method == "GET"]
        return not any(known.name in self._missing for known in reads or family)

    def check(self, operation: Operation[..., Any]) -> None:
        """Raise ``ExtensionMissing`` for an operation known to be missing."""
        if operation.name in self._missing:
            raise self.lacks(operation)

    async def learn(
        self,
        operation: Operation[..., Any],
        error: ApiError,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
    ) -> None:
        """Raise ``ExtensionMissing`` where a call failed because the operation is missing."""
        if operation.extension is not None and await self._is_lacking(
            operation, error, args, kwargs
        ):
            self._missing.add(operation.name)
            raise self.lacks(operation, error) from error

    def lacks(
        self, operation: Operation[..., Any], error: ApiError | None = None
    ) -> ExtensionMissing:
        """Return the error for a missing operation."""
        return ExtensionMissing(
            f"{self._base_url} does not offer {operation.name} ({operation.extension}).",
            status=error.status if error else None,
            operation=operation.name,
            request_id=error.request_id if error else "",
        )

    async def _is_lacking(
        self,
        operation: Operation[..., Any],
        error: ApiError,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
    ) -> bool:
        """Whether the service lacks this endpoint, as against the thing that a call named.

        405 says so. 404 without the API's error body comes from a router that knows no such path.
        404 with it may mean either, so the thing that the path hangs on is asked for: where that is
        there, the endpoint is what is missing. Not so where something else may be missing: an id at
        the end of the path, or one inside a body.
        """
        if error.status == 405:
            return True
        if not isinstance(error, NotFound):
            return False
        if not error.from_service:
            return True
        if operation.path.endswith("}") or operation.body is not None:
            return False
        if not operation.path_parameters:
            return True
        parent = _parent(operation)
        if parent is None:
            return False
        given = operation.signature.bind(*args, **kwargs).arguments
        ids = [given[parameter.name] for parameter in operation.path_parameters]
        try:
            await self._send(requests.outgoing(parent, *ids))
        except ApiError:
            return False
        return True


def _parent(operation: Operation[..., Any]) -> Operation[..., Any] | None:
    """Return the published read of an operation's parent object, if there is one."""
    thing = _shape(operation.path[: operation.path.rindex("}") + 1])
    for known in CATALOGUE.values():
        if known.method == "GET" and known.extension is None and _shape(known.path) == thing:
            return known
    return None


def _shape(path: str) -> str:
    return re.sub(r"\{\w+\}", "{}", path)
