"""What clusters, issues and conversations can be filtered by, as it may be seen now."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from itertools import islice
from typing import Protocol, TypeVar

from copydesk.domain.filter import UNKNOWN, Fields, Measure, Number, Query, Value, fold
from copydesk.session.cluster_rows import ClusterRow, IssueRow
from copydesk.tui.conversations.conversation_cells import ConversationRow

T = TypeVar("T")

OFFERED = 2_000
"""Rows that are looked through for values to offer after a key."""

TRENDS = ("growing", "falling", "steady", "new", "few")
"""Where a cluster goes; ``few`` are those with too few issues to tell."""


class Knowing(Protocol):
    """What a filter needs to know of its place."""

    @property
    def now(self) -> datetime:
        """The time of the service."""

    def shown(self, text: str) -> str:
        """Return text as it may be seen now."""

    def said_in(self, conversation: str) -> str:
        """Return what was said in a conversation that has been read, folded; else nothing."""


def filtering(fields: Fields[T]) -> Callable[[str], Callable[[T], bool]]:
    """Return what makes a filter of a text. That raises ValueError with a sentence."""

    def make(text: str) -> Callable[[T], bool]:
        query = Query.parse(text, fields)
        if query.wrong is not None:
            raise ValueError(query.wrong)
        return query.matches

    return make


def conversation_fields(
    of: Knowing, sources: Callable[[], Iterable[str]]
) -> Fields[ConversationRow]:
    """Return what conversations can be filtered by."""
    return Fields(
        words=lambda row: _folded(of, row.id, row.subject, row.source),
        keys={
            "source": lambda row: of.shown(row.source),
            "state": lambda row: "analysed" if row.analysed else "analysing",
        },
        values={"state": ("analysed", "analysing")},
        numbers={"age": _age(of, lambda row: row.created)},
        offers=lambda key: map(of.shown, sources()) if key == "source" else (),
        folded=True,
    )


def issue_fields(
    of: Knowing,
    rows: Callable[[], Iterable[IssueRow]],
    labels: Callable[[], Mapping[str, str]] | None = None,
) -> Fields[IssueRow]:
    """Return what issues can be filtered by; by cluster where the ``labels`` of these are known."""
    keys: dict[str, Callable[[IssueRow], Value]] = {"source": lambda row: of.shown(row.source)}
    if labels is not None:
        keys["cluster"] = lambda row: (
            of.shown(labels().get(row.cluster, "")) or UNKNOWN if row.cluster else None
        )

    def offers(key: str) -> Iterable[str]:
        if key == "cluster" and labels is not None:
            return sorted(map(of.shown, labels().values()))
        return sorted({of.shown(row.source) for row in islice(rows(), OFFERED)})

    def label(row: IssueRow) -> str:
        return "" if labels is None else labels().get(row.cluster, "")

    return Fields(
        words=lambda row: _folded(
            of, row.conversation, row.title, row.summary, row.source, label(row)
        ),
        keys=keys,
        numbers={"age": _age(of, lambda row: row.created)},
        offers=offers,
        folded=True,
    )


def cluster_fields(
    of: Knowing,
    rows: Callable[[], Iterable[ClusterRow]],
    talks: Callable[[str], Iterable[str]],
    requests: Callable[[str], Number],
) -> Fields[ClusterRow]:
    """Return what clusters can be filtered by.

    ``talks`` gives the conversations of a cluster whose issues were read, and ``requests`` how many
    open change requests it has.
    """

    def words(row: ClusterRow) -> str:
        said = fold(of.shown(f"{row.label}\n{row.summary}"))
        return "\n".join([said, *map(of.said_in, talks(row.id))])

    def offers(key: str) -> Iterable[str]:
        found = islice(rows(), OFFERED)
        return sorted({of.shown(name) for row in found for name, _ in row.sources})

    return Fields(
        words=words,
        keys={
            "source": lambda row: [of.shown(name) for name, _ in row.sources],
            "trend": lambda row: _trend(row),
        },
        values={"trend": TRENDS},
        numbers={
            "issues": Measure(lambda row: row.issues),
            "conversations": Measure(lambda row: row.conversations),
            "requests": Measure(lambda row: requests(row.id)),
            "age": _age(of, lambda row: row.created),
            "idle": _age(of, lambda row: row.updated),
        },
        offers=offers,
        folded=True,
    )


def _folded(of: Knowing, conversation: str, *texts: str) -> str:
    return f"{fold(of.shown(chr(10).join(texts)))}\n{of.said_in(conversation)}"


def _age(of: Knowing, began: Callable[[T], datetime | None]) -> Measure[T]:
    def age(row: T) -> Number:
        at = began(row)
        return None if at is None else (of.now - at).total_seconds()

    return Measure(age, "time")


def _trend(row: ClusterRow) -> str:
    found = row.trend
    if found.percent is None:
        return found.text or "few"
    return "growing" if found.percent > 0 else "falling" if found.percent else "steady"
