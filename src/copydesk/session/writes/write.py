"""A write as a value: what screens and commands send alike."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Generic, TypeVar

from copydesk.domain.late_dataclass import dataclass

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.domain.reversal import Expectation, Reversal, Trace

T = TypeVar("T")


@dataclass(frozen=True)
class Write(Generic[T]):
    """A write that is ready to be sent; the fields are those of `WriteSender.perform`.

    ``done`` is the sentence for a reader once it has arrived.
    """

    what: str
    target: str
    send: Callable[[Api], Awaitable[T]]
    done: str = ""
    reversal: Reversal | Callable[[T], Reversal | None] | None = None
    expects: Expectation | None = None
    trace: Trace | None = None
    look: Callable[[Api], Awaitable[T | None]] | None = None
