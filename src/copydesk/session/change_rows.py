"""Change requests as rows of a list, and the details of one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from copydesk.domain.address import web_address
from copydesk.domain.age import instant
from copydesk.domain.text import clean

if TYPE_CHECKING:
    from copydesk.contract.models.change_request import ChangeRequest
    from copydesk.contract.models.user import User
    from copydesk.domain.inbox import Why
    from copydesk.domain.merge_rules import RuleResult
    from copydesk.domain.reversal import Expectation
    from copydesk.local.snapshot import Snapshots
    from copydesk.session.target import Target


RULES, PAGES, THREADS, ASKED = "rules", "pages", "threads", "asked"
"""What is read of a change request beyond its row, in parts: its rules and reviews, the pages that
change, its threads; and, of all of them at once, which the reader was asked to review."""


PARTS = frozenset({RULES, PAGES, THREADS})
"""The parts that are read row by row."""


NO_SUBJECT = "(no subject)"
"""What stands for a subject that says nothing."""


@dataclass(frozen=True, slots=True)
class ChangeRow:
    """What a list keeps of a change request; its texts are clean."""

    id: str
    number: int
    subject: str
    status: str
    space: str
    author: str
    author_id: str
    created: datetime
    updated: datetime
    threads: int
    outdated: bool
    cluster: str
    url: str
    revision: str = ""

    @property
    def label(self) -> str:
        """How a sentence names it."""
        return f"#{self.number}"

    @property
    def judged_by(self) -> Expectation:
        """What must hold still of it before what was decided about it is done later."""
        from copydesk.domain.preconditions import still_named

        return still_named(self.space, self.id, subject=self.said, revision=self.revision)

    @property
    def said(self) -> str:
        """Its subject, or "" where it has none."""
        return "" if self.subject == NO_SUBJECT else self.subject

    @property
    def named(self) -> str:
        """How the log names it, which is read where no list is beside it."""
        return f"{self.label} {self.subject}".rstrip()


Titles = Callable[[str], str]
"""Takes the id of a space and returns its title, "" while that is not known."""


def row_of(request: ChangeRequest) -> ChangeRow:
    """Return a change request as a row."""
    return ChangeRow(
        id=request.id,
        number=request.number,
        subject=clean(request.subject).strip() or NO_SUBJECT,
        status=clean(request.status),
        space=request.space,
        author=person(request.created_by),
        author_id=request.created_by.id if request.created_by else "",
        created=request.created_at,
        updated=request.updated_at,
        threads=request.comments,
        outdated=request.outdated,
        cluster=request.conversations_issues_cluster or "",
        url=web_address(request.urls.app),
        revision=request.revision,
    )


def person(user: User | None) -> str:
    """Return what a person is called; nobody is known when an account is gone."""
    if user is None:
        return "someone"
    return clean(user.display_name or user.email or user.id).strip() or "someone"


@dataclass(frozen=True, slots=True)
class PageLine:
    """A page or file that a change request touches, and what happens to it.

    ``kinds`` are as in ``ChangeKind``; ``was`` is its former title or path, ``above`` the path of
    what it is in, ``out`` where it is that its space has no more, ``file`` where its file moves.
    """

    title: str
    kinds: tuple[str, ...]
    was: str = ""
    above: str = ""
    out: str = ""
    file: str = ""


@dataclass(frozen=True, slots=True)
class Verdict:
    """The newest review of one person."""

    name: str
    approved: bool
    outdated: bool
    at: datetime | None
    mine: bool = False
    """Whether the reader gave it."""


@dataclass(frozen=True, slots=True)
class OpenThreads:
    """Its open threads: since when one waits on the reader, and on its author; None for neither."""

    mine: datetime | None = None
    author: datetime | None = None
    words: Sequence[tuple[datetime, str]] = ()
    """When others had the last word in a thread, and who; the newest first."""
    whys: Sequence[Why] = ()
    """Why each thread waits on the reader that does."""
    open: int | None = None
    """How many there are without the comments of verdicts, where that was counted."""


TEXT = "text"
"""The part that is read only for the row under the cursor: the description and the cluster."""


ALL_PARTS = PARTS | {TEXT}


@dataclass(frozen=True)
class Details:
    """Details of a change request beyond its row; None where the service cannot say.

    ``parts`` are the ones that have been read (`copydesk.present.change_filter`).
    ``approximate`` is true when pages come from comparing with primary content as it is now, which
    for an outdated request shows more than it changes. ``asked`` are people who have not answered.
    """

    description: str = ""
    pages: Sequence[PageLine] | None = None
    more_pages: int = 0
    approximate: bool = False
    rules: Sequence[RuleResult] | None = None
    verdicts: Sequence[Verdict] | None = None
    asked: Sequence[str] | None = None
    against: Sequence[str] = ()
    """Who asked for changes after it was approved, by name."""
    both_sides: Sequence[str] | None = None
    """The titles of changed pages that main has changed too."""
    cluster: str = ""
    missing: str = ""
    """Why nothing of this is known: a sentence."""
    moment: tuple[str, str, str] | None = None
    """The change request, its revision and that of its space, when this was read."""
    stuck: bool = False
    """Whether an update conflicted at that moment."""
    parts: frozenset[str] = ALL_PARTS
    waiting: OpenThreads | None = None
    asked_since: datetime | None = None
    """When the first of those who have not answered was asked."""
    read_at: datetime | None = None
    losing: Sequence[str] = ()
    """The pages that readers would lose although their texts go on elsewhere, and where that is."""
    unlooked: str = ""
    """That not all changes were looked at for such pages, "" where they were."""
    impact: str = ""
    """What it does to the links around it, "" while that is not read."""

    @property
    def empty(self) -> bool:
        """Whether it is known to change neither a page nor a file."""
        return self.pages is not None and not (self.pages or self.more_pages or self.unlooked)

    @property
    def passed(self) -> int:
        """How many rules pass."""
        return sum(rule.outcome == "pass" for rule in self.rules or ())


KEPT = 100
"""Rows kept of a view: more than a screen shows."""


MOMENTS = ("created", "updated")


def name_of(target: Target, organization: str, view: str) -> str:
    """Return the name of the snapshot of a view."""
    return " ".join(["changes", organization, target.space or "-", target.cluster or "-", view])


def keep(snapshot: Snapshots, name: str, rows: Iterable[ChangeRow], title: Titles) -> None:
    """Keep the first rows of a view, with what their spaces are called. Raises ``OSError``."""
    kept: list[dict[str, Any]] = []
    for row in list(rows)[:KEPT]:
        value = asdict(row) | {name: getattr(row, name).isoformat() for name in MOMENTS}
        kept.append(value | {"title": title(row.space)})
    snapshot.write(name, kept)


def recall(snapshot: Snapshots, name: str) -> tuple[list[ChangeRow], dict[str, str]]:
    """Return the rows kept, and the titles of their spaces; what cannot be read is left out."""
    rows: list[ChangeRow] = []
    titles: dict[str, str] = {}
    for value in snapshot.read(name):
        row = _row(value)
        if row is not None:
            rows.append(row)
            titles[row.space] = clean(str(value.get("title", "")))
    return rows, titles


def _row(value: Mapping[str, Any]) -> ChangeRow | None:
    given: dict[str, Any] = {}
    for name, kind in ChangeRow.__annotations__.items():
        held: Any = value.get(name)
        if name in MOMENTS:
            held = instant(held) if isinstance(held, str) else None
        elif isinstance(held, str):
            held = clean(held)
        if type(held) is not KINDS[kind]:
            return None
        given[name] = held
    return ChangeRow(**given)


KINDS: Mapping[str, type] = {"str": str, "int": int, "bool": bool, "datetime": datetime}
"""The types of a row's fields by their annotations."""
