"""The rules of the outbox: which writes may wait, how long they are checked; their sentences."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from copydesk.domain.cause import CAUSE
from copydesk.session.declarations import DANGERS
from copydesk.session.errors import WAITS

if TYPE_CHECKING:
    from copydesk.client.request import Outgoing
    from copydesk.session.writes.log import Written

MOMENTARY = frozenset(
    {"merge", "pull", "publish", "unpublish", "delete", "remove", "ping", "run", "join", "transfer",
     "install", "apply", "ingest", "duplicate", "set"}
)  # fmt: skip
"""The first words of names of operations that make sense only at once."""

QUIET_SECONDS = 60.0
"""How long a creating request may still be under way after its answer was lost: until then an
object that is not found may still appear."""

NOT_ARRIVED = f"{WAITS}: no answer had come, and it had not arrived."
GONE = "It waits no more: it was sent, or dropped, meanwhile."
OTHERS = "Another copydesk is sending what waits at the moment."
UNCONFIRMED = "Nothing is sent: the service has not said yet who you are."
READ_ONLY = "Read-only: nothing is sent."
OTHERS_WRITE = "Held: it was written by somebody else, with another token. It goes with theirs."
OTHER_TEXT = (
    "Held: no answer came, and another text was sent from there since. s asks, and sends it."
)
UNREADABLE = "Held: what was noted of it cannot be read. D takes it out."
THERE_ALREADY = "It was so already when it was to be sent: nothing was sent."
NOT_YET = (
    f"{WAITS}: no answer came. It is not there yet; it is looked for again before it is sent again."
)
NOT_THERE = f"{WAITS}: no answer came, and it was not there when it was read again."
UNTOLD = "Held: nothing can be read that tells whether it is still wanted. s sends it."
UNKNOWN = (
    "No answer came, and reading does not tell whether it arrived. s asks, and sends it again."
)


LASTING = frozenset({"remove_requested_reviewer"})
"""The exceptions."""


def is_momentary(operation: str) -> bool:
    """Whether an operation makes sense only at once, by its name."""
    return operation.partition("_")[0] in MOMENTARY and operation not in LASTING


def may_wait(line: Written, outgoing: Outgoing) -> bool:
    """Whether a write may be sent later unchanged: none that makes sense only at once, and no
    secret.
    """
    off = line.now or line.several or line.kind or outgoing.secret
    return not (off or is_momentary(outgoing.name))


def creates(request: Mapping[str, Any] | None) -> bool:
    """Whether a request creates an object each time that it arrives, even late."""
    return request is not None and bool(request.get("creates") or request.get("method") == "POST")


def danger() -> int:
    """Return the highest danger (0 to 3) of the actions that led to the current write."""
    return max((DANGERS.get(name, 0) for name in CAUSE.get()), default=0)
