"""What others did that concerns the reader, since they last looked: verdicts, mentions, requests.

It is kept on this machine, so that nothing is news twice, also after a restart.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import asdict, field
from datetime import UTC, datetime
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal, get_args

from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.moments import instant
from copydesk.domain.request_context import ASKER, Asker, Why
from copydesk.domain.sure import sure
from copydesk.domain.text import clean
from copydesk.session.errors import failure_types

if TYPE_CHECKING:
    from copydesk.session.session import Session

Kind = Literal["approved", "changes", "asked", "named", "answered", "merged", "unread", "stopped"]
"""``approved`` and ``changes``: a verdict on a request of the reader; ``asked``: the reader's
review of a request is asked for; ``named``: somebody wrote @ and their name; ``answered``: somebody
replied in a thread that they began; ``merged``, ``unread`` and ``stopped``: what a request came to
that waited for its rules; ``unread`` was merged with an edit that had not been read."""

KEPT = 150
"""How many news are kept, the newest. Events older than the oldest of these are not news."""


@dataclass(frozen=True, slots=True)
class NewsItem:
    """One thing that somebody did. ``at`` is the service's time; all text is clean."""

    id: str
    kind: Kind
    who: str
    at: datetime
    space: str
    request: str
    number: int
    subject: str
    thread: str = ""


@dataclass
class KnownNews:
    """What earlier reads have told, by ids of requests.

    ``began`` is the service's time of the first read: nothing before it is news. ``marks`` change
    when something was done to a request, ``asked`` are those whose review the reader is asked for;
    None before the first read. ``turns`` is in what order the others are read, as no list tells of
    a reply.
    """

    began: datetime | None = None
    marks: dict[str, str] = field(default_factory=dict)
    asked: frozenset[str] | None = None
    ids: set[str] = field(default_factory=set)
    turns: dict[str, None] = field(default_factory=dict)

    def is_news(self, id: str, at: datetime | None) -> bool:
        """Whether something is news that was done at a time."""
        return id not in self.ids and at is not None and self.began is not None and at > self.began


class News:
    """The news of a session: read as often as the screen in front is, and kept."""

    _of: str | None = None
    """The organization and the reader that this is about."""
    unseen = 0
    """How many of them came since the reader looked: the first ones."""
    looked_at: datetime | None = None
    """When the reader last looked."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self.items: list[NewsItem] = []
        """The newest first."""
        self._known = KnownNews()

    def look(self) -> tuple[int, datetime | None]:
        """Return how many came since the reader last looked, and when that was; they look now."""
        found = self.unseen, self.looked_at
        self.unseen, self.looked_at = 0, self._session.clock()
        return found

    async def keep(self) -> None:
        """Keep it on this machine."""
        if self._of is not None:
            await asyncio.to_thread(self._session.snapshot.write, self._of, self._rows())

    async def read(self) -> None:
        """Read them; who watches the session is told of what came."""
        from copydesk.session.reads.news import read_news

        session = self._session
        me, organization = sure(session.me), sure(session.organization)
        ASKER.set(Asker("news", Why.POLLING))
        await self._recall(f"news {organization} {me.id}")
        try:
            api = await session.ready()
            if self._known.began is None:
                self._known.began = session.now
            found = await read_news(api, organization, me, session.members, self._known)
            found += await self._ended()
        except failure_types():
            return  # the screen in front says that the service is away
        if session.organization != organization or session.me is not me:
            return
        self._known.ids.update(item.id for item in found)
        self.items = sorted([*found, *self.items], key=lambda item: item.at, reverse=True)[:KEPT]
        self.unseen = min(len(self.items), self.unseen + len(found))
        # Before it is told: what was told once is never told again.
        await self.keep()
        for item in found:
            fields = {
                "id": item.request, "number": str(item.number), "title": item.subject,
                "author": item.who, "status": item.kind,
            }  # fmt: skip
            session.happened("on_news", fields)
        if found:
            session.touched()

    async def _ended(self) -> list[NewsItem]:
        """Return what requests came to that waited for their rules, whichever program merged."""
        session, found = self._session, []
        try:
            if not await asyncio.to_thread(session.waiting_runs.any):
                return []
            await asyncio.to_thread(import_module, "copydesk.session.runs.waiting")
            runs = await session.waiting_merges.ended()
        except OSError:
            return []
        from copydesk.domain.merge_run import UNREAD  # the screens start without it

        for run in runs:
            item = run.items[0]
            # By the clock of this machine, which the service's may be ahead of.
            at = datetime.fromtimestamp(item.ended or 0.0, UTC) + (session.now - session.clock())
            kind: Kind = "merged" if run.state == "finished" else "stopped"
            if UNREAD in item.said:
                kind = "unread"
            ended, number = f"{run.id} {kind} {item.ended}", item.label.removeprefix("#")
            if self._known.is_news(ended, at) and number.isdecimal():
                found.append(
                    NewsItem(
                        ended, kind, "copydesk", at, item.space, item.request, int(number),
                        item.subject,
                    )
                )  # fmt: skip
        return found

    async def _recall(self, name: str) -> None:
        """Load the kept news, once for each organization and reader."""
        if self._of == name:
            return
        rows = await asyncio.to_thread(self._session.snapshot.read, name)
        self._of, self.items, self.unseen, self.looked_at = name, [], 0, None
        self._known = KnownNews()
        if not rows:
            return
        head, *rest = rows
        self._known.began = _moment(head.get("began"))
        self.looked_at = _moment(head.get("looked_at"))
        asked, marks = head.get("asked"), head.get("marks")
        if isinstance(asked, list):
            self._known.asked = frozenset(each for each in asked if isinstance(each, str))
        if isinstance(marks, dict):
            self._known.marks = {str(key): str(mark) for key, mark in marks.items()}
        self.items = [item for item in map(_item, rest) if item is not None]
        unseen = head.get("unseen")
        self.unseen = min(len(self.items), unseen) if isinstance(unseen, int) else 0
        self._known.ids = {item.id for item in self.items}
        if len(self.items) == KEPT:
            self._known.began = self.items[-1].at

    def _rows(self) -> Sequence[Mapping[str, Any]]:
        known = self._known
        head = {
            "began": known.began and known.began.isoformat(),
            "looked_at": self.looked_at and self.looked_at.isoformat(),
            "asked": None if known.asked is None else sorted(known.asked),
            "marks": known.marks,
            "unseen": self.unseen,
        }
        return [head, *(asdict(item) | {"at": item.at.isoformat()} for item in self.items)]


def _moment(value: object) -> datetime | None:
    return instant(value) if isinstance(value, str) else None


def _item(row: Mapping[str, Any]) -> NewsItem | None:
    """Return a kept item; None for an unreadable one."""
    at, number = _moment(row.get("at")), row.get("number")
    kind = next((each for each in get_args(Kind) if each == row.get("kind")), None)
    names = ("id", "who", "space", "request", "subject", "thread")
    texts = {name: row.get(name) for name in names}
    if at is None or kind is None or type(number) is not int:
        return None
    if not all(isinstance(text, str) for text in texts.values()):
        return None
    told = {name: clean(str(text)) for name, text in texts.items()}
    return NewsItem(kind=kind, at=at, number=number, **told)
