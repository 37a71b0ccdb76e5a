"""What can be known of a merge run before it starts: which requests meet, which will be behind."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.merge_run import RunItem

Touched: TypeAlias = Mapping[str, str]
"""The pages and files that a request changes, by id, with their titles."""


@dataclass(frozen=True, slots=True)
class Forecast:
    """What will happen to a request because of the others.

    ``same`` are requests that touch a page that it touches too, with the titles of those pages;
    ``behind`` is the first whose merge will leave it out of date.
    """

    same: tuple[tuple[RunItem, tuple[str, ...]], ...] = ()
    behind: RunItem | None = None


def forecast(items: Sequence[RunItem], touched: Mapping[str, Touched]) -> dict[str, Forecast]:
    """Return what to expect of each request that is not taken out, by its key.

    ``touched`` has the known changes of each, by key. Requests of different spaces have nothing to
    do with each other; one that is behind stays so.
    """
    spaces: dict[str, list[RunItem]] = {}
    users: dict[tuple[str, str], list[RunItem]] = {}
    for item in items:
        if item.state in ("removed", "skipped", "stopped"):
            continue
        spaces.setdefault(item.space, []).append(item)
        for page in touched.get(item.key, ()):
            users.setdefault((item.space, page), []).append(item)
    same: dict[str, dict[str, tuple[RunItem, list[str]]]] = {}
    for (_, page), sharing in users.items():
        for item in sharing:
            for other in sharing:
                if other is not item:
                    found = same.setdefault(item.key, {}).setdefault(other.key, (other, []))
                    found[1].append(touched[item.key][page])
    return {
        item.key: Forecast(
            tuple((other, tuple(titles)) for other, titles in same.get(item.key, {}).values()),
            ones[0] if at else None,
        )
        for ones in spaces.values()
        for at, item in enumerate(ones)
    }
