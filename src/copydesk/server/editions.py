"""Desks that have fewer operations: those of services that copydesk works with.

They answer what they have as every desk does, and for the rest there is no such path.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal

from copydesk.contract.operation import Operation
from copydesk.contract.operations import CATALOGUE

Edition = Literal["all", "earlier", "today", "document"]

EDITIONS: Mapping[Edition, str] = {
    "all": "your own desk",
    "earlier": "the earlier service",
    "today": "today's service",
    "document": "a service of the document only",
}
"""What each is, in words."""

EARLIER = frozenset(f"E{number}" for number in range(1, 10))
"""The extensions of the earlier service; the others came since."""

OWN = frozenset({"E21", "E22"})
"""The extensions that no service has but the embedded desk."""

_HAS: Mapping[Edition, Callable[[Operation[..., Any]], bool]] = {
    "all": lambda _: True,
    "earlier": lambda each: each.extension is None or each.extension in EARLIER,
    "today": lambda each: not each.ended and each.extension not in OWN,
    "document": lambda each: each.extension is None,
}


def operations_of(edition: Edition) -> list[Operation[..., Any]]:
    """Return the operations of a desk: all; those of the earlier service or of today's; or only
    those of the document.
    """
    return [each for each in CATALOGUE.values() if _HAS[edition](each)]
