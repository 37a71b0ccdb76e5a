"""Where the pages of a change request stand, where they are staged to stand, and the moves.

A place is the page above (None at the top) and how many pages stand before it there once all is
sent. What is sent is done step by step, so each step counts the pages that stand there by then.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from copydesk.domain.page_edits import PageEdit
    from copydesk.domain.page_tree import PageNode

PageLevels: TypeAlias = Mapping[str | None, Sequence[str]]
"""Ids of pages in their order, by the page above them."""


class Placing(NamedTuple):
    """A step: put a page below ``into``, with ``at`` pages before it by then."""

    page: str
    into: str | None
    at: int


def levels_of(tree: Iterable[PageNode]) -> dict[str | None, list[str]]:
    """Return where pages stand that were laid flat in reading order."""
    found: dict[str | None, list[str]] = {None: []}
    for node in tree:
        found.setdefault(node.parent, []).append(node.id)
        found.setdefault(node.id, [])
    return found


def staged_levels(levels: PageLevels, edits: Mapping[str, PageEdit]) -> dict[str | None, list[str]]:
    """Return where pages stand once edits are sent: without deleted ones, new and moved ones put.

    What stands below a deleted page is in no level that the top leads to.
    """
    taken = {page for page, edit in edits.items() if edit.kind != "update" or edit.moved}
    found = {level: [row for row in rows if row not in taken] for level, rows in levels.items()}
    put = [(page, edit) for page, edit in edits.items() if page in taken and edit.kind != "delete"]
    for page, edit in sorted(put, key=lambda each: _last_if_none(each[1].at)):
        rows = found.setdefault(edit.into, [])
        rows.insert(len(rows) if edit.at is None else edit.at, page)
        found.setdefault(page, [])
    return found


def place_of(page: str, into: str | None, levels: PageLevels, names: Mapping[str, str]) -> str:
    """Say where a page stands: "first in FAQ", "after Support, at the top"; "" for nowhere."""
    rows = levels.get(into, ())
    if page not in rows:
        return ""
    at = rows.index(page)
    above = "at the top" if into is None else f"in {names.get(into, '')}"
    return f"after {names.get(rows[at - 1], '')}, {above}" if at else f"first {above}"


def _last_if_none(at: int | None) -> float:
    return float("inf") if at is None else at


def walk(levels: PageLevels) -> Iterator[tuple[str, str | None]]:
    """Yield pages with the page above each, as the tree reads. Any depth is taken."""
    waiting: list[tuple[str, str | None]] = [(page, None) for page in reversed(levels[None])]
    while waiting:
        page, above = waiting.pop()
        yield page, above
        waiting += [(each, page) for each in reversed(levels.get(page, ()))]


def placings(levels: PageLevels, wanted: PageLevels, moving: Collection[str]) -> list[Placing]:
    """Return the steps that give pages other places, in their order.

    ``moving`` are the new pages and those that change their places; the others stand in the same
    order on both sides. What is in no level that the top leads to is left out. New pages come
    first, and what stands below new ones comes last. Pages above come before those below, so that
    no step puts a page below itself.
    """
    now = {level: list(rows) for level, rows in levels.items()}
    above = {page: level for level, rows in levels.items() for page in rows}
    waiting = set(moving)
    new_above: dict[str | None, int] = {None: 0}
    steps: list[tuple[str, str | None]] = []
    for page, level in walk(wanted):
        new_above[page] = new_above[level] + (level is not None and level not in above)
        if page in waiting:
            steps.append((page, level))
    steps.sort(key=lambda step: (new_above[step[0]], step[0] in above))
    found: list[Placing] = []
    for page, level in steps:
        if page in above:
            now[above[page]].remove(page)
        rows = now.setdefault(level, [])
        before = wanted[level][: wanted[level].index(page)]
        there = {each for each in rows if each not in waiting}
        last = next((each for each in reversed(before) if each in there), None)
        at = 0 if last is None else rows.index(last) + 1
        rows.insert(at, page)
        waiting.discard(page)
        found.append(Placing(page, level, at))
    return found


def placed(levels: PageLevels, steps: Iterable[Placing]) -> dict[str | None, list[str]]:
    """Return where pages stand after some steps."""
    now = {level: list(rows) for level, rows in levels.items()}
    above = {page: level for level, rows in levels.items() for page in rows}
    for page, into, at in steps:
        if page in above:
            now[above[page]].remove(page)
        now.setdefault(into, []).insert(at, page)
        above[page] = into
    return now
