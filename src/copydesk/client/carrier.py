"""What carries a request to a service: an HTTP client, or a call in this process.

``Wire`` knows only this, so that a desk in this process is asked without an HTTP client loaded.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple, Protocol

from copydesk.client.calls import Outgoing
from copydesk.domain.late_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Timeouts:
    """Time-outs in seconds: for a connection, for the next bytes, for the whole answer."""

    connect: float = 5.0
    read: float = 30.0
    whole: float = 180.0


class Reply(NamedTuple):
    """An answer, successful or not. Header names are in small letters.

    A tuple, as each request makes one: it is made in a quarter of the time.
    """

    status: int
    headers: Mapping[str, str]
    content: bytes


class Carrier(Protocol):
    """Carries requests to one service."""

    @property
    def headers(self) -> Mapping[str, str]:
        """What is sent with every request."""

    @property
    def secrets(self) -> Sequence[str]:
        """What is never shown, besides the tokens."""

    def use_headers(self, headers: Mapping[str, str]) -> None:
        """Send these headers with every request from now on, as somebody else."""

    async def ask(self, request: Outgoing, timeouts: Timeouts) -> Reply:
        """Send a request once. Raises ``ApiError`` where no answer comes."""

    def was_slow(self, error: BaseException | None) -> bool:
        """Whether a request failed with this error because its answer took too long."""

    async def aclose(self) -> None:
        """Close the connections, after the requests under way."""
