"""The journal of writes: request, time, subject and outcome of each.

A write is noted before it is sent and again when it has ended, so that after a crash the next start
knows which writes were under way. Its reversal is stored as JSON (`copydesk.domain.reversal`); an
undo is noted like any other write. The outbox are the entries that wait.
"""

from __future__ import annotations

import json
import sqlite3
from dataclasses import asdict, replace
from datetime import UTC, datetime
from typing import Any, Literal, get_args

from copydesk.domain.late_dataclass import dataclass
from copydesk.local.state import State as Store
from copydesk.local.state import token

State = Literal["sending", "done", "failed", "unknown", "queued", "dropped"]
"""``unknown``: no answer came, so the write may have taken effect or not. ``queued``: it is known
not to have arrived, and waits in the outbox. ``dropped``: it was taken out of there."""

Kind = Literal["", "undo", "redo", "gone"]
"""The relation of an entry to the one that it is ``of``; "gone" means that nothing is left to
undo."""

Held = Literal["", "changed", "untold", "refused", "other", "lost"]
"""Why a queued write is not sent automatically: its object was changed since; no read tells whether
it was; the service refused it; somebody else wrote it. "lost" is a dropped write whose outcome was
unknown."""


LAST_MOMENT = 253_402_000_000
"""The end of the calendar (year 9999) in epoch seconds, a few days before it in any zone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Notes:
    """The notes on a write besides its name.

    ``reversal`` and ``trace`` are those of `copydesk.domain.reversal` as JSON. ``draft`` is the key
    of the draft of its text, ``group`` the common name of the writes of one action. ``kind`` and
    ``of`` name the entry that an undo or redo is about; ``progress`` is the number of its steps
    that were taken. ``known`` are the ids of what was like the thing that an undo is about to make
    again; None before it is.

    ``request`` is the one request of a write that may wait in the outbox, as the client noted it;
    ``text`` is the text of the draft, ``by`` the id of its author, ``expects`` what must hold
    before it is sent (an expectation as JSON). ``since`` is the start of the oldest try that may
    have arrived, by the clock of the service; None for a queued write without such a try.
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
    known: list[str] | None = None


NO_NOTES = Notes()


@dataclass(frozen=True, slots=True)
class Entry(Notes):
    """One write. ``at`` is its start, ``ended`` its noted end, in epoch seconds.

    ``what`` names the action or operation, ``target`` the object, ``sentence`` is the result for a
    person. ``run`` identifies the start of copydesk. ``held`` is why it is not sent automatically,
    ``tried`` the start of the newest try to send it later, ``made`` the id of the created object.
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

    def is_sent_elsewhere(self, run: str) -> bool:
        """Whether another copydesk than ``run`` is sending it."""
        return self.state == "sending" and self.run != run

    @property
    def waits(self) -> bool:
        """Whether it is in the outbox: unsent, or with an unknown outcome."""
        return self.request is not None and self.state in ("queued", "unknown")


KEPT = 20_000
"""The number of writes kept; beyond it, the oldest settled ones go that are too old to be
undone."""

UNDOABLE_SECONDS = 30 * 24 * 3600.0
"""How long a write can be undone."""

STARTS = 200
"""The number of starts of the program kept."""


class Journal:
    """The writes to one desk, or to all desks without one.

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
        """Note durably that a write is about to be sent."""
        entry = Entry(
            token(), self.run, self.now(), what, target, "sending",
            self._desk or "", **{name: getattr(notes, name) for name in Notes.__dataclass_fields__},
        )  # fmt: skip
        self._add(entry)
        return entry

    def settle(self, entry: Entry, state: State, **changes: Any) -> Entry:
        """Note the new state of a write, and return the entry.

        ``changes`` are other changed fields of the entry.
        """
        entry = settled(entry, state, self.now(), changes)
        self._add(entry)
        return entry

    def owe(self, entry: Entry) -> None:
        """Take over a state that the disk refused.

        It holds for this run, and is written with the next note.
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
        """Note the regular end of this run."""
        self._add()
        self.store.write(
            lambda database: database.execute(
                "UPDATE start SET closed = 1 WHERE run = ?", (self.run,)
            )
        )

    def crashed(self) -> bool:
        """Whether the last run on the desk before this one crashed."""
        last = self.store.rows(
            "SELECT run, closed FROM start WHERE desk = ? AND run != ?"
            " ORDER BY number DESC LIMIT 1",
            json.dumps(self._desk or ""), self.run,
        )  # fmt: skip
        return bool(last) and not last[0][1] and not self.store.lives(last[0][0])

    def entries(self, *, since: float = 0.0) -> list[Entry]:
        """Return the writes begun at ``since`` or later, oldest first, each in its last state.

        Unreadable entries are passed over. A write that an earlier run left as "sending" is
        "unknown": that run ended without its answer. One of another running copydesk is "sending".
        """
        return self._read(since)

    def is_empty(self) -> bool:
        """Whether no write is noted, without reading any."""
        desk = None if self._desk is None else json.dumps(self._desk)
        return not self.store.rows(
            "SELECT 1 FROM entry WHERE desk = ? OR ? IS NULL LIMIT 1", desk, desk
        )

    def interrupted(self) -> list[Entry]:
        """Return the writes that were under way when an earlier run ended.

        Each is reported until it is settled. The writes of another running copydesk are its own to
        settle.
        """
        return [each for each in self._read(opened=True) if _is_under_way(each)]

    def waiting(self) -> list[Entry]:
        """Return the outbox, oldest first, without writes that another program is sending."""
        return [each for each in self._read(opened=True) if each.waits]

    def claim(self) -> bool:
        """Take the outbox for this process until `release`; False while another has it."""
        return self.store.claim(f"outbox {self._desk!r}")

    def release(self) -> None:
        """Give the outbox back."""
        self.store.release(f"outbox {self._desk!r}")

    def _read(self, since: float = 0.0, *, opened: bool = False) -> list[Entry]:
        """Return the writes begun since; with ``opened`` only unsettled ones."""
        desk = None if self._desk is None else json.dumps(self._desk)
        rows = self.store.rows(
            "SELECT value FROM entry WHERE at >= ? AND (open OR NOT ?)"
            " AND (desk = ? OR ? IS NULL) ORDER BY number",
            since, opened, desk, desk,
        )  # fmt: skip
        read = (entry_of(_json(value)) for (value,) in rows)
        found = {each.id: each for each in read if each is not None}
        found |= {key: owed for key, owed in self._owed.items() if key in found}
        going = {each.run for each in found.values() if each.state == "sending"}
        ended = {run for run in going if run != self.run and not self.store.lives(run)}
        return [
            replace(entry, state="unknown")
            if entry.state == "sending" and entry.run in ended
            else entry
            for entry in found.values()
        ]

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
    """Return an entry in its new state; one that is sending has no end."""
    if state == "sending":
        return replace(entry, state=state, ended=None, tried=now, **changes)
    return replace(entry, state=state, ended=now, **changes)


def row_of(entry: Entry) -> tuple[str, str, float, bool, str]:
    """Return an entry as its row; empty fields are left out of its JSON."""
    written = {name: value for name, value in asdict(entry).items() if value not in ("", None)}
    if not entry.progress:
        del written["progress"]
    open_still = entry.waits or entry.state == "sending" or _is_under_way(entry)
    return entry.id, json.dumps(entry.desk), entry.at, open_still, json.dumps(written)


def _is_under_way(entry: Entry) -> bool:
    """Whether it has no known end."""
    return entry.state == "unknown" and entry.ended is None


def _json(value: object) -> Any:
    try:
        return json.loads(value) if isinstance(value, str) else None
    except (ValueError, RecursionError):
        return None


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
                    known["held"] = (
                        "untold"  # an unknown reason of a newer copydesk: a person decides
                    )
                return Entry(**{**known, **_dated(known)})
    return None


def _dated(known: dict[str, Any]) -> dict[str, float]:
    """Return its times within the calendar: one of a damaged clock becomes the first moment."""
    times = {name: known[name] for name in ("at", "ended", "tried") if name in known}
    return {name: each if 0 <= each < LAST_MOMENT else 0.0 for name, each in times.items()}


_KINDS: tuple[tuple[str, tuple[Any, Any]], ...] = (
    *((name, (str, "")) for name in ("desk", "request_id", "sentence")),
    *((name, (str, "")) for name in ("draft", "group", "kind", "of", "text", "by", "held", "made")),
    *((name, (dict, {})) for name in ("reversal", "trace", "request", "expects")),
    *((name, (int | float, 0)) for name in ("ended", "tried", "since")),
    ("progress", (int, 0)),
    ("known", (list, [])),
)
"""The types of the optional fields of an entry, with a default."""
