"""The record of writes: what was sent, when, to what, and how it ended (interaction.md 3.8).

One JSON object a line, only ever added to. A write is noted before it is sent and again when it has
ended, so that after a crash the next start knows which writes were under way.
"""

from __future__ import annotations

import json
import secrets
import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Literal, get_args

from copydesk.local.durable import append_file
from copydesk.local.paths import private_folder

State = Literal["sending", "done", "failed", "unknown"]
"""``unknown``: no answer came, so the write may have taken effect or not."""

ROTATE_BYTES = 8 * 1024 * 1024
"""A journal larger than this becomes the ``.1`` file at the next start; no older one is kept."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One write. ``at`` is when it began, ``ended`` when its end was noted, in epoch seconds.

    ``what`` names the action or operation, ``target`` the object, ``body`` is what was sent, for
    a retry; ``sentence`` what a person reads about the end. ``run`` tells starts of copydesk
    apart.
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
    body: str = ""
    ended: float | None = None


class Journal:
    """The journal at ``path``; its folder is created.

    Safe to use from several threads and processes. ``clock`` gives seconds since the epoch. Noting
    raises ``OSError`` when the disk refuses.
    """

    def __init__(self, path: Path, *, clock: Callable[[], float] = time.time) -> None:
        private_folder(path.parent)
        self._path = path
        self._older = path.with_name(f"{path.name}.1")
        self._clock = clock
        self._lock = threading.Lock()
        self.run = secrets.token_hex(6)
        if path.exists() and path.stat().st_size > ROTATE_BYTES:
            path.replace(self._older)

    def begin(self, what: str, target: str, *, desk: str = "", body: str = "") -> Entry:
        """Note that a write is about to be sent; it is on the disk when this returns."""
        entry = Entry(
            secrets.token_hex(8), self.run, self._clock(), what, target, "sending", desk, body=body
        )
        self._note(entry)
        return entry

    def settle(
        self, entry: Entry, state: State, *, request_id: str = "", sentence: str = ""
    ) -> Entry:
        """Note how a write ended, and return the entry as it is now."""
        entry = replace(
            entry, state=state, request_id=request_id, sentence=sentence, ended=self._clock()
        )
        self._note(entry)
        return entry

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

    def entries(self, *, since: float = 0.0, desk: str | None = None) -> list[Entry]:
        """Return the writes begun at ``since`` or later, oldest first, each in its last state.

        Lines that cannot be read are passed over. A write that an earlier run left as "sending" is
        "unknown": that run ended without hearing how it ended.
        """
        found: dict[str, Entry] = {}
        for path in (self._older, self._path):
            for entry in _entries(path):
                found[entry.id] = entry
        return [
            replace(entry, state="unknown")
            if entry.state == "sending" and entry.run != self.run
            else entry
            for entry in found.values()
            if entry.at >= since and (desk is None or entry.desk == desk)
        ]

    def interrupted(self) -> list[Entry]:
        """Return the writes that were under way when an earlier run ended without hearing of them.

        Each is reported until it is settled. (Another copydesk that is running at the moment
        counts as an earlier run: its writes show here for the second that they take.)
        """
        return [
            entry for entry in self.entries() if entry.state == "unknown" and entry.ended is None
        ]

    def _note(self, entry: Entry) -> None:
        written = {name: value for name, value in asdict(entry).items() if value not in ("", None)}
        with self._lock:
            append_file(self._path, json.dumps(written).encode("ascii") + b"\n")


def _entries(path: Path) -> Iterable[Entry]:
    try:
        file = path.open("rb")
    except FileNotFoundError:
        return
    with file:
        for line in file:
            entry = _entry(line)
            if entry is not None:
                yield entry


def _entry(line: bytes) -> Entry | None:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return None
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
            texts = ("desk", "request_id", "sentence", "body")
            ended = known.get("ended")
            if all(isinstance(known.get(name, ""), str) for name in texts) and (
                ended is None or isinstance(ended, int | float)
            ):
                return Entry(**known)
    return None
