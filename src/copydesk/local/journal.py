"""The record of writes: what was sent, when, to what, and how it ended (interaction.md 3.8).

One JSON object a line, only ever added to. A write is noted before it is sent and again when it has
ended, so that after a crash the next start knows which writes were under way. With it goes how it
is taken back, as JSON (`copydesk.domain.reversal`); an undo is a write as any other, and noted as
one.
"""

from __future__ import annotations

import hashlib
import json
import os
import secrets
import threading
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from copydesk.local.claim import Claim
from copydesk.local.durable import append_file
from copydesk.local.journal_entry import NO_NOTES as NO_NOTES
from copydesk.local.journal_entry import Entry as Entry
from copydesk.local.journal_entry import Kind as Kind
from copydesk.local.journal_entry import Notes as Notes
from copydesk.local.journal_entry import State as State
from copydesk.local.journal_entry import WriteJournal as WriteJournal
from copydesk.local.journal_entry import entry_of, fields_of
from copydesk.local.paths import private_folder

ROTATE_BYTES = 8 * 1024 * 1024
"""A journal larger than this becomes the ``.1`` file at the next start; no older one is kept."""

UNDOABLE_SECONDS = 30 * 24 * 3600.0
"""For how long a write that can be taken back outlives the file that it was noted in."""


class Journal:
    """The journal at ``path``; its folder is created.

    Safe to use from several threads and processes. ``clock`` gives seconds since the epoch. Noting
    raises ``OSError`` when the disk refuses.
    """

    def __init__(self, path: Path, *, clock: Callable[[], float] = time.time) -> None:
        self._path = path
        self._older = path.with_name(f"{path.name}.1")
        self._clock = clock
        self._lock = threading.Lock()
        self._owed: dict[str, Entry] = {}
        self.run = secrets.token_hex(6)
        with suppress(OSError):  # where nothing can be noted, noting says so
            private_folder(path.parent)
            if self._is_long():
                self._turn_over()

    def _turn_over(self) -> None:
        """Begin a new file; what can be taken back, or is not settled, goes on into it.

        Others may note something meanwhile, into either file: that is newer than what goes on.
        """
        turning = Claim(self._path.with_name(f"{self._path.name}.lock"))
        if not turning.take():
            return
        try:
            if self._is_long():
                self._go_on()
        finally:
            turning.release()

    def _is_long(self) -> bool:
        return self._path.exists() and self._path.stat().st_size > ROTATE_BYTES

    def _go_on(self) -> None:
        entries = self.entries()
        self._path.replace(self._older)
        about = {entry.id: entry for entry in entries}
        since = self._clock() - UNDOABLE_SECONDS
        for entry in entries:
            first = about.get(entry.of, entry)
            open_still = entry.state == "unknown" and entry.ended is None
            dropped = entry.state == "dropped" and entry.at >= since
            if (
                open_still
                or entry.waits
                or dropped
                or (first.reversal is not None and first.at >= since)
            ):
                # What is left open was under way when its run ended: it stays so.
                carried = replace(entry, state="sending") if open_still else entry
                self._add({**_written(carried), "carried": True})

    def begin(
        self, what: str, target: str, *, desk: str = "", body: str = "", notes: Notes = NO_NOTES
    ) -> Entry:
        """Note that a write is about to be sent; it is on the disk when this returns."""
        entry = Entry(
            secrets.token_hex(8), self.run, self._clock(), what, target, "sending", desk,
            body=body, **fields_of(notes),
        )  # fmt: skip
        self._note(entry)
        return entry

    def settle(self, entry: Entry, state: State, **changes: Any) -> Entry:
        """Note how a write ended (or that it goes on), and return the entry as it is now.

        ``changes`` are other fields of the entry that are known by now.
        """
        now = self._clock()
        entry = replace(entry, state=state, ended=now, **changes)
        if state == "sending":
            entry = replace(entry, ended=None, tried=now)
        self._note(entry)
        return entry

    def owe(self, entry: Entry) -> None:
        """Take how a write stands that the disk refused.

        For this run it stands so, and it is noted before whatever is noted next.
        """
        with self._lock:
            self._owed[entry.id] = entry

    def finished(
        self,
        what: str,
        target: str,
        state: State,
        *,
        at: float | None = None,
        desk: str = "",
        request_id: str = "",
        sentence: str = "",
        body: str = "",
    ) -> Entry:
        """Note a write that has ended already. ``at`` is when it began (default: now)."""
        now = self._clock()
        entry = Entry(
            secrets.token_hex(8),
            self.run,
            now if at is None else at,
            what,
            target,
            state,
            desk,
            request_id,
            sentence,
            body,
            now,
        )
        self._note(entry)
        return entry

    def opened(self, desk: str) -> None:
        """Note that this run has begun on a desk."""
        process = os.getpid()
        self._add(
            {"run": self.run, "opened": self._clock(), "desk": desk, "process": process,
             "started": _started(process)}
        )  # fmt: skip

    def closed(self) -> None:
        """Note that this run ends as it should."""
        self._add({"run": self.run, "closed": self._clock()})

    def crashed(self, desk: str) -> bool:
        """Whether the last run on a desk before this one ended without saying so."""
        runs = [run for run in self._runs() if run.desk == desk and run.id != self.run]
        return bool(runs) and not runs[-1].closed and not runs[-1].going

    def _runs(self) -> list[_Run]:
        found: dict[str, _Run] = {}
        for path in (self._older, self._path):
            for value in _lines(path):
                match value:
                    case {"run": str(run), "opened": _, "desk": str(desk), "process": int(process)}:
                        found[run] = _Run(run, desk, process, str(value.get("started", "")))
                    case {"run": str(run), "closed": _} if run in found:
                        found[run] = replace(found[run], closed=True)
        return list(found.values())

    def entries(self, *, since: float = 0.0, desk: str | None = None) -> list[Entry]:
        """Return the writes begun at ``since`` or later, oldest first, each in its last state.

        Lines that cannot be read are passed over. A write that an earlier run left as "sending" is
        "unknown": that run ended without hearing how it ended.
        """
        found: dict[str, Entry] = {}
        for path in (self._older, self._path):
            for entry, carried in _entries(path):
                if not (carried and entry.id in found):
                    found[entry.id] = entry
        with self._lock:
            found |= self._owed
        return [
            replace(entry, state="unknown")
            if entry.state == "sending" and entry.run != self.run
            else entry
            for entry in found.values()
            if entry.at >= since and (desk is None or entry.desk == desk)
        ]

    def interrupted(self) -> list[Entry]:
        """Return the writes that were under way when an earlier run ended without hearing of them.

        Each is reported until it is settled. The writes of another copydesk that is running at the
        moment are its own to settle.
        """
        going = {run.id for run in self._runs() if run.going}
        return [
            entry
            for entry in self.entries()
            if entry.state == "unknown" and entry.ended is None and entry.run not in going
        ]

    def waiting(self) -> list[Entry]:
        """Return what is in the outbox, oldest first; not what another program is sending now."""
        going = {run.id for run in self._runs() if run.going}
        return [
            entry
            for entry in self.entries()
            if entry.waits
            and not (entry.state == "unknown" and entry.ended is None and entry.run in going)
        ]

    def claim_of(self, desk: str) -> Claim:
        """Return what lets one process at a time send what waits for a desk."""
        name = hashlib.sha256(desk.encode("utf-8", "surrogatepass")).hexdigest()[:16]
        return Claim(self._path.with_name(f"outbox-{name}.lock"))

    def now(self) -> float:
        """Return the time by the clock of the journal, in epoch seconds."""
        return self._clock()

    def _note(self, entry: Entry) -> None:
        self._add(_written(entry))

    def _add(self, value: dict[str, Any]) -> None:
        with self._lock:
            values = [*map(_written, self._owed.values()), value]
            append_file(self._path, b"".join(json.dumps(v).encode("ascii") + b"\n" for v in values))
            self._owed.clear()


class DeskJournal:
    """The journal of one desk: what those who write need to know of it."""

    def __init__(self, journal: Journal, desk: str) -> None:
        self._journal = journal
        self._desk = desk
        self._claim = journal.claim_of(desk)
        self.run = journal.run

    def now(self) -> float:
        """Return the time by the clock of the journal, in epoch seconds."""
        return self._journal.now()

    def begin(self, what: str, target: str, notes: Notes = NO_NOTES) -> Entry:
        """Note that a write is about to be sent; it is on the disk when this returns."""
        return self._journal.begin(what, target, desk=self._desk, notes=notes)

    def settle(self, entry: Entry, state: State, **changes: Any) -> Entry:
        """Note how a write stands, and return the entry as it is now."""
        return self._journal.settle(entry, state, **changes)

    def owe(self, entry: Entry) -> None:
        """Take how a write stands that the disk refused: it is noted as soon as it can be."""
        self._journal.owe(entry)

    def entries(self) -> list[Entry]:
        """Return the writes of the desk, oldest first, each in its last state."""
        return self._journal.entries(desk=self._desk)

    def interrupted(self) -> list[Entry]:
        """Return the writes of ended runs of which it is not known how they ended."""
        return [each for each in self._journal.interrupted() if each.desk == self._desk]

    def waiting(self) -> list[Entry]:
        """Return what is in the outbox, oldest first; not what another program is sending now."""
        return [each for each in self._journal.waiting() if each.desk == self._desk]

    def claim(self) -> bool:
        """Take the outbox for this process until `release`; False while another has it."""
        return self._claim.take()

    def release(self) -> None:
        """Give the outbox back."""
        self._claim.release()


class MemoryJournal:
    """The journal of a run that keeps nothing on disk. ``clock`` gives seconds since the epoch."""

    def __init__(self, clock: Callable[[], float] = time.time) -> None:
        self.run = secrets.token_hex(6)
        self._clock = clock
        self._kept: dict[str, Entry] = {}

    def begin(self, what: str, target: str, notes: Notes = NO_NOTES) -> Entry:
        """Note that a write is about to be sent."""
        number = f"{self.run}-{len(self._kept)}"
        entry = Entry(number, self.run, self._clock(), what, target, "sending", **fields_of(notes))
        self._kept[entry.id] = entry
        return entry

    def settle(self, entry: Entry, state: State, **changes: Any) -> Entry:
        """Note how a write stands, and return the entry as it is now."""
        now = self._clock()
        entry = replace(entry, state=state, ended=now, **changes)
        if state == "sending":
            entry = replace(entry, ended=None, tried=now)
        self._kept[entry.id] = entry
        return entry

    def owe(self, entry: Entry) -> None:
        """Take how a write stands."""
        self._kept[entry.id] = entry

    def entries(self) -> list[Entry]:
        """Return the writes of this run, oldest first, each in its last state."""
        return list(self._kept.values())

    def interrupted(self) -> list[Entry]:
        """Return nothing: there was no run before."""
        return []

    def now(self) -> float:
        """Return the time by the clock of the journal, in epoch seconds."""
        return self._clock()

    def waiting(self) -> list[Entry]:
        """Return what is in the outbox, oldest first."""
        return [entry for entry in self._kept.values() if entry.waits]

    def claim(self) -> bool:
        """Nobody else can have it."""
        return True

    def release(self) -> None:
        """There is nothing to give back."""


@dataclass(frozen=True, slots=True)
class _Run:
    """One start of the program, as the journal tells of it."""

    id: str
    desk: str
    process: int
    started: str = ""
    closed: bool = False

    @property
    def going(self) -> bool:
        """Whether it is still running, as far as the system tells."""
        if self.closed or os.name == "nt":  # Windows has no signal that only asks.
            return False
        try:
            os.kill(self.process, 0)
        except PermissionError:
            return True
        except (OSError, OverflowError):
            return False
        # After a crash its number may be another's.
        now = _started(self.process)
        return not (now and self.started and now != self.started)


def _started(process: int) -> str:
    """Return what tells a process from others of its number; empty where the system does not."""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text("ascii").strip()
        stat = Path(f"/proc/{process}/stat").read_text("utf-8", "replace")
        return f"{boot} {stat.rpartition(')')[2].split()[19]}"
    except (OSError, IndexError):
        return ""


def _written(entry: Entry) -> dict[str, Any]:
    """Return what is written of an entry: not what says nothing."""
    written = {name: value for name, value in asdict(entry).items() if value not in ("", None)}
    if not entry.progress:
        del written["progress"]
    return written


def _lines(path: Path) -> Iterable[Any]:
    try:
        file = path.open("rb")
    except (FileNotFoundError, NotADirectoryError):
        return
    with file:
        for line in file:
            try:
                yield json.loads(line)
            except (ValueError, RecursionError):
                continue


def _entries(path: Path) -> Iterable[tuple[Entry, bool]]:
    """Yield the entries of a file, and of each whether it was only carried over from another."""
    for value in _lines(path):
        entry = entry_of(value)
        if entry is not None:
            yield entry, "carried" in value
