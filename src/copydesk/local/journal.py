"""The record of writes: what was sent, when, to what, and how it ended.

A write is noted before it is sent and again when it has ended, so that after a crash the next start
knows which writes were under way. With it goes how it is taken back, as JSON
(`copydesk.domain.reversal`); an undo is a write as any other, and noted as one. The outbox is those
entries that wait.
"""

from __future__ import annotations

import json
import secrets
import sqlite3
from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from typing import Any, Literal, get_args

from copydesk.local.state import State as Store

State = Literal["sending", "done", "failed", "unknown", "queued", "dropped"]
"""``unknown``: no answer came, so the write may have taken effect or not. ``queued``: it is known
not to have arrived, and waits in the outbox. ``dropped``: it was taken out of there."""

Kind = Literal["", "undo", "redo", "gone"]
"""What an entry is to the one that it is ``of``: "gone" says that there is nothing to take back."""

Held = Literal["", "changed", "untold", "refused", "other", "lost"]
"""Why a queued write is not sent by itself: its object was changed since; reading does not tell
whether it was; the service refused the write; somebody else wrote it. "lost" is a write that was
dropped while it was not known whether it had arrived."""


LAST_MOMENT = 253_402_000_000
"""The end of the calendar (year 9999) in epoch seconds, a few days before it in any zone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Notes:
    """What is noted of a write besides its name.

    ``reversal`` and ``trace`` are those of `copydesk.domain.reversal` as JSON. ``draft`` is the key
    of the draft that the text was sent from, ``group`` ties the writes of one action together.
    ``kind`` and ``of`` say of an undo or redo which entry it is about; ``progress`` how many of its
    steps are known to have been taken.

    ``request`` is the one request of a write that may wait in the outbox, as the client noted it;
    ``text`` is what the draft said, ``by`` the id of who wrote it, ``expects`` what must hold
    before it goes (an expectation as JSON). ``since`` is when the oldest try to send it began that
    may have arrived, by the clock of the service; of what is queued None says that there was none.
    """

    reversal: dict[str, Any] | None = None
    trace: dict[str, Any] | None = None
    draft: str = ""
    group: str = ""
    kind: Kind = ""
    of: str = ""
    progress: int = 0
    request: dict[str, Any] | None = None
    text: str = ""
    by: str = ""
    expects: dict[str, Any] | None = None
    since: float | None = None


NO_NOTES = Notes()


@dataclass(frozen=True, slots=True)
class Entry(Notes):
    """One write. ``at`` is when it began, ``ended`` when its end was noted, in epoch seconds.

    ``what`` names the action or operation, ``target`` the object,
    ``sentence`` what a person reads about the end. ``run`` tells starts of copydesk
    apart. ``held`` is why it does not go by itself, ``tried`` when the newest try to send it later
    began, ``made`` the id of what it made.
    """

    id: str
    run: str
    at: float
    what: str
    target: str
    state: State
    desk: str = ""
    request_id: str = ""
    sentence: str = ""
    ended: float | None = None
    held: Held = ""
    tried: float | None = None
    made: str = ""

    @property
    def moment(self) -> datetime:
        """When it began."""
        return datetime.fromtimestamp(self.at, UTC)

    @property
    def waits(self) -> bool:
        """Whether it is in the outbox: to be sent, or to be found out about."""
        return self.request is not None and self.state in ("queued", "unknown")


KEPT = 20_000
"""Writes that are kept; of more the oldest go that are settled and too old to be taken back."""

UNDOABLE_SECONDS = 30 * 24 * 3600.0
"""For how long a write can be taken back."""

STARTS = 200
"""Starts of the program that are remembered."""


class Journal:
    """The writes to one desk, or to all of them where none is named.

    Safe to use from several threads and processes. Noting raises ``OSError`` when the disk refuses.
    """

    def __init__(self, store: Store, desk: str | None = None) -> None:
        self.store = store
        self.run = store.run
        self._desk = desk
        self._owed: dict[str, Entry] = {}

    def now(self) -> float:
        """Return the time by the clock of the journal, in epoch seconds."""
        return self.store.clock()

    def begin(self, what: str, target: str, notes: Notes = NO_NOTES) -> Entry:
        """Note that a write is about to be sent; it is on the disk when this returns."""
        entry = Entry(
            secrets.token_hex(8), self.run, self.now(), what, target, "sending",
            self._desk or "", **fields_of(notes),
        )  # fmt: skip
        self._note(entry)
        return entry

    def settle(self, entry: Entry, state: State, **changes: Any) -> Entry:
        """Note how a write ended (or that it goes on), and return the entry as it is now.

        ``changes`` are other fields of the entry that are known by now.
        """
        entry = settled(entry, state, self.now(), changes)
        self._note(entry)
        return entry

    def owe(self, entry: Entry) -> None:
        """Take how a write stands that the disk refused.

        For this run it stands so, and it is noted before whatever is noted next.
        """
        self._owed[entry.id] = entry

    def opened(self) -> None:
        """Note that this run has begun on the desk."""
        self.store.live()
        since = self.now() - UNDOABLE_SECONDS

        def note(database: sqlite3.Connection) -> None:
            database.execute(
                "INSERT OR IGNORE INTO start (run, desk, closed) VALUES (?, ?, 0)",
                (self.run, json.dumps(self._desk or "")),
            )
            database.execute(
                "DELETE FROM start WHERE number <= (SELECT max(number) FROM start) - ?", (STARTS,)
            )
            database.execute(
                "DELETE FROM entry WHERE NOT open AND at < ? AND number <="
                " (SELECT max(number) FROM entry) - ?", (since, KEPT),
            )  # fmt: skip

        self.store.write(note)

    def closed(self) -> None:
        """Note that this run ends as it should."""
        self._add()
        self.store.write(
            lambda database: database.execute(
                "UPDATE start SET closed = 1 WHERE run = ?", (self.run,)
            )
        )

    def crashed(self) -> bool:
        """Whether the last run on the desk before this one ended without saying so."""
        last = self.store.rows(
            "SELECT run, closed FROM start WHERE desk = ? AND run != ?"
            " ORDER BY number DESC LIMIT 1",
            json.dumps(self._desk or ""), self.run,
        )  # fmt: skip
        return bool(last) and not last[0][1] and not self.store.lives(last[0][0])

    def entries(self, *, since: float = 0.0) -> list[Entry]:
        """Return the writes begun at ``since`` or later, oldest first, each in its last state.

        What cannot be read is passed over. A write that an earlier run left as "sending" is
        "unknown": that run ended without hearing how it ended.
        """
        return self._read(since)

    def is_empty(self) -> bool:
        """Whether no write is noted; which ones they are is not read for that."""
        desk = None if self._desk is None else json.dumps(self._desk)
        return not self.store.rows(
            "SELECT 1 FROM entry WHERE desk = ? OR ? IS NULL LIMIT 1", desk, desk
        )

    def interrupted(self) -> list[Entry]:
        """Return the writes that were under way when an earlier run ended without hearing of them.

        Each is reported until it is settled. The writes of another copydesk that is running at the
        moment are its own to settle.
        """
        return self._of_nobody(each for each in self._read(opened=True) if _is_under_way(each))

    def waiting(self) -> list[Entry]:
        """Return what is in the outbox, oldest first; not what another program is sending now."""
        return self._of_nobody(each for each in self._read(opened=True) if each.waits)

    def claim(self) -> bool:
        """Take the outbox for this process until `release`; False while another has it."""
        return self.store.claim(f"outbox {self._desk!r}")

    def release(self) -> None:
        """Give the outbox back."""
        self.store.release(f"outbox {self._desk!r}")

    def _of_nobody(self, entries: Iterable[Entry]) -> list[Entry]:
        """Return entries but those that another running copydesk is at."""
        going: dict[str, bool] = {}
        found = []
        for each in entries:
            if _is_under_way(each) and each.run not in going:
                going[each.run] = each.run != self.run and self.store.lives(each.run)
            if not (_is_under_way(each) and going[each.run]):
                found.append(each)
        return found

    def _read(self, since: float = 0.0, *, opened: bool = False) -> list[Entry]:
        """Return the writes begun since; with ``opened`` those alone that are not settled."""
        desk = None if self._desk is None else json.dumps(self._desk)
        rows = self.store.rows(
            "SELECT value FROM entry WHERE at >= ? AND (open OR NOT ?)"
            " AND (desk = ? OR ? IS NULL) ORDER BY number",
            since, opened, desk, desk,
        )  # fmt: skip
        read = (entry_of(_json(value)) for (value,) in rows)
        found = {each.id: each for each in read if each is not None}
        found |= {key: owed for key, owed in self._owed.items() if key in found}
        return [
            replace(entry, state="unknown")
            if entry.state == "sending" and entry.run != self.run
            else entry
            for entry in found.values()
        ]

    def _note(self, entry: Entry) -> None:
        self._add(entry)

    def _add(self, *entries: Entry) -> None:
        owed = dict(self._owed)
        rows = [row_of(each) for each in (*owed.values(), *entries)]
        self.store.write(
            lambda database: database.executemany(
                "INSERT INTO entry (id, desk, at, open, value) VALUES (?, ?, ?, ?, ?)"
                " ON CONFLICT (id) DO UPDATE SET open = excluded.open, value = excluded.value",
                rows,
            )
        )
        for key, entry in owed.items():
            if self._owed.get(key) is entry:
                del self._owed[key]


def settled(entry: Entry, state: State, now: float, changes: dict[str, Any]) -> Entry:
    """Return an entry as it stands now; one that goes on has no end."""
    if state == "sending":
        return replace(entry, state=state, ended=None, tried=now, **changes)
    return replace(entry, state=state, ended=now, **changes)


def row_of(entry: Entry) -> tuple[str, str, float, bool, str]:
    """Return an entry as its table has it; what says nothing is left out of its JSON."""
    written = {name: value for name, value in asdict(entry).items() if value not in ("", None)}
    if not entry.progress:
        del written["progress"]
    open_still = entry.waits or entry.state == "sending" or _is_under_way(entry)
    return entry.id, json.dumps(entry.desk), entry.at, open_still, json.dumps(written)


def _is_under_way(entry: Entry) -> bool:
    """Whether nobody has heard how it ended."""
    return entry.state == "unknown" and entry.ended is None


def _json(value: object) -> Any:
    try:
        return json.loads(value) if isinstance(value, str) else None
    except (ValueError, RecursionError):
        return None


def fields_of(notes: Notes) -> dict[str, Any]:
    """Return the fields of an entry that notes give."""
    return {name: getattr(notes, name) for name in Notes.__dataclass_fields__}


def entry_of(value: Any) -> Entry | None:
    """Return the entry that a line of the journal describes; None where it describes none."""
    match value:
        case {
            "id": str(),
            "run": str(),
            "at": float() | int(),
            "what": str(),
            "target": str(),
            "state": str(state),
        } if state in get_args(State):
            known = {name: value[name] for name in Entry.__dataclass_fields__ if name in value}
            if all(
                isinstance(known.get(name, default), kinds) for name, (kinds, default) in _KINDS
            ) and known.get("kind", "") in get_args(Kind):
                if known.get("held", "") not in get_args(Held):
                    known["held"] = "untold"  # a newer copydesk has more reasons: a person decides
                return Entry(**{**known, **_dated(known)})
    return None


def _dated(known: dict[str, Any]) -> dict[str, float]:
    """Return its times as a calendar has them: one of a damaged clock is the first moment."""
    times = {name: known[name] for name in ("at", "ended", "tried") if name in known}
    return {name: each if 0 <= each < LAST_MOMENT else 0.0 for name, each in times.items()}


_KINDS: tuple[tuple[str, tuple[Any, Any]], ...] = (
    *((name, (str, "")) for name in ("desk", "request_id", "sentence")),
    *((name, (str, "")) for name in ("draft", "group", "kind", "of", "text", "by", "held", "made")),
    *((name, (dict, {})) for name in ("reversal", "trace", "request", "expects")),
    *((name, (int | float, 0)) for name in ("ended", "tried", "since")),
    ("progress", (int, 0)),
)
"""What the fields of an entry must be where they are there, and something that is."""
