"""The filter fields of the triage list, and the parts of a row that each needs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from typing import TYPE_CHECKING

from copydesk.domain.filter import UNKNOWN, Fields, Measure, Number, Query, States, Value
from copydesk.session.change_rows import ASKED, PAGES, RULES, THREADS
from copydesk.session.marks import STARRED, labels_of
from copydesk.session.readiness import READY, readiness_of
from copydesk.session.views import STATUSES

if TYPE_CHECKING:
    from copydesk.session.change_rows import ChangeRow, Details
    from copydesk.session.known_requests import KnownRequests


NEEDS: Mapping[str, frozenset[str]] = {
    "rule": frozenset({RULES, PAGES}),
    "review": frozenset({RULES}),
    "asked": frozenset({RULES}),
    "page": frozenset({PAGES}),
    "changed": frozenset({PAGES}),
    "threads": frozenset({THREADS}),
    "has": frozenset({THREADS}),
    "is": frozenset({THREADS}),
    "waiting": frozenset({RULES, THREADS, ASKED}),
}
"""The parts that each field needs. `needs` drops the ones a value can do without."""


_OF_THREADS = {"has": "threads", "is": "discussed"}


def needs(query: Query[ChangeRow]) -> frozenset[str]:
    """Return the parts of rows that a filter needs."""
    found: set[str] = set()
    for term in query.terms:
        asked = NEEDS.get(term.key or "", frozenset())
        if term.key == "waiting" and "me".startswith(term.value):
            asked -= {RULES}
        if term.key == "asked" and term.value == "me":
            asked = frozenset({ASKED})
        if term.key in ("has", "is") and term.value not in _OF_THREADS[term.key]:
            asked = frozenset()
        found |= asked
    return frozenset(found)


def fields(
    known: KnownRequests, offers: Callable[[str], Iterable[str]] = lambda key: ()
) -> Fields[ChangeRow]:
    """Return what a list can be filtered by; ``offers`` are the values worth typing for a key."""

    def details(row: ChangeRow, part: str) -> Details | None:
        found = known.last_details(row)
        return found if found is not None and part in found.parts else None

    def rule(row: ChangeRow) -> Value:
        found = details(row, RULES)
        if found is None:
            return UNKNOWN
        outcomes = {each.outcome for each in found.rules or ()}
        if "fail" in outcomes or row.status != "open" or found.stuck:
            return "failing"
        if found.rules is None or "unknown" in outcomes:
            return "unknown"
        if details(row, PAGES) is None:
            return UNKNOWN  # a page may be lost, or nothing changed
        return "ready" if readiness_of(row, found).word == READY else None

    def review(row: ChangeRow) -> Value:
        found = details(row, RULES)
        if found is None or found.verdicts is None:
            return UNKNOWN if found is None else None
        said = {"approved" if each.approved else "changes" for each in found.verdicts}
        return said or "none"

    def asked(row: ChangeRow) -> Value:
        found = details(row, RULES)
        return UNKNOWN if found is None else found.asked

    def page(row: ChangeRow) -> Value:
        found = details(row, PAGES)
        if found is None:
            return UNKNOWN
        return [f"{each.above}/{each.title}" for each in found.pages or ()]

    def changed(row: ChangeRow) -> Number:
        found = details(row, PAGES)
        if found is None:
            return UNKNOWN
        return None if found.pages is None else len(found.pages) + found.more_pages

    def threads(row: ChangeRow) -> Number:
        count = open_threads(row, known.last_details(row))
        return UNKNOWN if count is None else count

    return Fields(
        words=lambda row: " ".join(
            (row.label, row.subject, known.space_title(row.space), row.author)
        ),
        keys={
            "author": lambda row: row.author,
            "by": lambda row: row.author,
            "subject": lambda row: row.subject,
            "space": lambda row: known.space_title(row.space),
            "label": lambda row: labels_of(known.marks(row)),
            "status": lambda row: row.status,
            "is": lambda row: _marks(row, known),
            "has": lambda row: {"threads": _discussed(row, known), "cluster": row.cluster != ""},
            "can": lambda row: {"merge": known.may(row, "merge"), "edit": known.may(row, "edit")},
            "waiting": lambda row: waiting(row, known),
            "rule": rule,
            "review": review,
            "asked": asked,
            "page": page,
        },
        values={
            "status": STATUSES,
            "is": ("outdated", "discussed", "mine", "snoozed", "starred", *STATUSES),
            "has": ("threads", "cluster"),
            "can": ("merge", "edit"),
            "waiting": ("me", "author"),
            "rule": ("ready", "failing", "unknown"),
            "review": ("approved", "changes", "none"),
        },
        numbers={
            "number": Measure(lambda row: row.number),
            "age": Measure(lambda row: _seconds(row.created, known.now()), "time"),
            "idle": Measure(lambda row: _seconds(row.updated, known.now()), "time"),
            "threads": Measure(threads),
            "changed": Measure(changed),
        },
        offers=offers,
        me={"author": known.mine, "by": known.mine, "asked": known.asked_me},
    )


def waiting(row: ChangeRow, known: KnownRequests) -> States:
    """Return whether it waits on the reader, and on its author; None is not known."""
    if row.status != "open":
        return {"me": False, "author": False}
    found = known.last_details(row)
    waiting = None if found is None else found.waiting
    asked = known.asked_me(row)
    threads_me = False if not row.threads else None if waiting is None else waiting.mine is not None
    verdicts = found.verdicts if found is not None and RULES in found.parts else None
    sent_back: bool | None = None
    if found is not None and RULES in found.parts:
        sent_back = any(not each.approved and not each.outdated for each in verdicts or ())
    answer = False if not row.threads else None if waiting is None else waiting.author is not None
    return {"me": _either(asked, threads_me), "author": _either(sent_back, answer)}


def _either(one: bool | None, other: bool | None) -> bool | None:
    if one or other:
        return True
    return None if one is None or other is None else False


def open_threads(row: ChangeRow, details: Details | None) -> int | None:
    """Return the number of open threads as in the review; None until they were read.

    The service's own count may include comments of verdicts.
    """
    if not row.threads:
        return 0
    return None if details is None or details.waiting is None else details.waiting.open


def _discussed(row: ChangeRow, known: KnownRequests) -> bool | None:
    count = open_threads(row, known.last_details(row))
    return None if count is None else count > 0


def _marks(row: ChangeRow, known: KnownRequests) -> States:
    return {
        "outdated": row.outdated,
        "discussed": _discussed(row, known),
        "mine": known.mine(row),
        "snoozed": known.snoozed(row),
        "starred": STARRED in known.marks(row),
        row.status: True,
    }


def _seconds(then: datetime, now: datetime) -> Number:
    return max(0.0, (now - then).total_seconds())
