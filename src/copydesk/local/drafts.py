"""The drafts on this machine: on the disk before ``save`` returns.

A dropped draft can be restored for a month, also after a restart.

Several windows may use one desk. A text that another window saved later is never replaced: this
window's text is saved beside it, under a key of its own (`ALSO`), and this window goes on with
that. So is a text that comes back where something else was typed since. The list of drafts shows
both.
"""

from __future__ import annotations

import json
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from copydesk.local.state import token

if TYPE_CHECKING:
    from copydesk.local.state import State

KEPT_SECONDS = 30 * 24 * 3600.0
"""How long a dropped draft can be restored."""

ALSO = "also "
"""The prefix of keys of other texts for the same field."""


def field_of(key: str) -> str:
    """Return the key of the field that a draft is for."""
    return key.split(" ", 2)[2] if key.startswith(ALSO) and key.count(" ") > 1 else key


class DeskDrafts:
    """The drafts of one desk. Safe to use from several threads and processes.

    Everything raises ``OSError`` when the disk refuses; the draft is then unchanged.
    """

    def __init__(self, store: State, desk: str = "") -> None:
        self._store = store
        self._desk = json.dumps(desk)  # which SQLite takes, whatever is in it
        self._taken: dict[str, str] = {}
        """The versions that this window has read, by key."""
        self._own: dict[str, str] = {}
        """This window's key for each field."""
        self._writing = threading.RLock()
        """Held from a write until its version is noted above; reads do not wait for it."""
        self._noting = threading.Lock()
        self._noted = 0
        """The number of notes, by which a concurrent read recognizes a change and repeats."""

    def save(self, key: str, text: str) -> None:
        """Save ``text`` under ``key`` durably. Empty text drops the draft."""
        if not text:
            self.drop(key)
            return
        version, written = token(), json.dumps(text)

        def keep(database: sqlite3.Connection) -> tuple[str, str]:
            own = self.key_of(key)
            there = self._row(own)
            if there is not None and there[0] != self._taken.get(own):
                if there[1] == written:
                    return own, there[0]
                own = f"{ALSO}{version} {key}"
            database.execute(
                "INSERT OR REPLACE INTO draft (desk, key, field, text, saved, version) "
                "VALUES (?, ?, ?, ?, ?, ?)",
                (self._desk, json.dumps(own), json.dumps(field_of(key)), written,
                 self._store.clock(), version),
            )  # fmt: skip
            return own, version

        with self._writing:
            own, version = self._store.write(keep)
            with self._note():
                self._taken[own] = version
                if own != key:
                    self._own[key] = own

    def load(self, key: str) -> str | None:
        """Return the newest text under ``key`` and go on from it; None where there is none."""
        while True:
            before, own = self._noted, self.key_of(key)
            rows = self._store.rows(
                "SELECT key, version, text FROM draft WHERE desk = ? AND field = ?"
                " ORDER BY key = ? DESC, key = field DESC, saved DESC LIMIT 1",
                self._desk, json.dumps(key), json.dumps(own),
            ) or self._store.rows(
                "SELECT key, version, text FROM draft WHERE desk = ? AND key = ?",
                self._desk, json.dumps(key),
            )  # fmt: skip
            with self._noting:
                if self._noted == before:
                    return self._take_up(key, own, rows)

    def _take_up(self, key: str, own: str, rows: list[tuple[str, str, str]]) -> str | None:
        if not rows:
            self._taken.pop(own, None)
            return None
        own = json.loads(rows[0][0])
        if own == key:
            self._own.pop(key, None)
        else:
            self._own[key] = own
        self._taken[own] = rows[0][1]
        return str(json.loads(rows[0][2]))

    def own_text(self, key: str) -> str | None:
        """Return this window's text under ``key``, not another window's."""
        own = self.key_of(key)
        there = self._row(own)
        if there is None or there[0] != self._taken.get(own, there[0]):
            return None
        return str(json.loads(there[1]))

    def key_of(self, key: str) -> str:
        """Return this window's key for a field."""
        return self._own.get(key, key)

    def choose(self, key: str) -> None:
        """Go on with the text under ``key`` in its field, where several windows typed."""
        with self._note():
            self._own[field_of(key)] = key

    def others(self, key: str) -> int:
        """Return how many other texts there are for the same field."""
        others = "SELECT key FROM draft WHERE desk = ? AND field = ? AND key != ?"
        field, own = json.dumps(field_of(key)), json.dumps(self.key_of(key))
        return len(self._store.rows(others, self._desk, field, own))

    def drop(self, key: str) -> None:
        """Drop the text under ``key``; ``restore`` brings it back.

        A later text of another window stays.
        """
        own = key

        def put_aside(database: sqlite3.Connection) -> None:
            nonlocal own
            own = self.key_of(key)
            there = self._row(own)
            if there is None or there[0] != self._taken.get(own, there[0]):
                return
            now = self._store.clock()
            database.execute(
                "INSERT INTO dropped (desk, key, text, at) VALUES (?, ?, ?, ?)",
                (self._desk, json.dumps(key), there[1], now),
            )
            database.execute("DELETE FROM dropped WHERE at < ?", (now - KEPT_SECONDS,))
            database.execute(
                "DELETE FROM draft WHERE desk = ? AND key = ?", (self._desk, json.dumps(own))
            )

        with self._writing:
            self._store.write(put_aside)
            with self._note():
                self._own.pop(key, None)
                self._taken.pop(own, None)

    def discard(self, key: str) -> None:
        """Drop the text under ``key``, of any window."""
        with self._writing:
            with self._note():
                self._taken.pop(self.key_of(key), None)
            self.drop(key)

    def restore(self, key: str, text: str = "") -> tuple[str, str] | None:
        """Undo the last drop under ``key``, or that of ``text``; return the key and what is back.

        What has been typed there since stays, and the other is beside it. None when nothing was
        dropped and no text is given, or when the same is there, of whatever window.
        """
        version, wanted = token(), json.dumps(text)

        def bring_back(database: sqlite3.Connection) -> tuple[str, str] | None:
            last = database.execute(
                "SELECT number, text FROM dropped WHERE desk = ? AND key = ? AND (? OR text = ?)"
                " ORDER BY number DESC LIMIT 1",  # which no clock that is set back changes
                (self._desk, json.dumps(key), not text, wanted),
            ).fetchone()
            there = self._row(key)
            back = wanted if text else last[1] if last else None
            same = "SELECT 1 FROM draft WHERE desk = ? AND field = ? AND text = ?"
            field = json.dumps(field_of(key))
            if back is None or database.execute(same, (self._desk, field, back)).fetchone():
                return None
            if last is not None:
                database.execute("DELETE FROM dropped WHERE number = ?", last[:1])
            own = key if there is None else f"{ALSO}{version} {field_of(key)}"
            database.execute(
                "INSERT INTO draft (desk, key, field, text, saved, version) "
                "VALUES (?, ?, ?, ?, ?, ?)",
                (self._desk, json.dumps(own), field, back,
                 self._store.clock(), version),
            )  # fmt: skip
            return own, str(json.loads(back))

        with self._writing:
            found = self._store.write(bring_back)
            if found is not None:
                with self._note():
                    if found[0] == key:
                        self._own.pop(key, None)
                    self._taken[found[0]] = version
            return found

    def texts(self) -> dict[str, str]:
        """Return all texts of the desk by key, newest first."""
        return {key: text for key, text, _ in self.dated()}

    def keys(self) -> set[str]:
        """Return the keys of all texts of the desk."""
        rows = self._store.rows("SELECT key FROM draft WHERE desk = ?", self._desk)
        return {json.loads(key) for (key,) in rows}

    def dated(self) -> list[tuple[str, str, float]]:
        """Return (key, text, when it was saved in seconds since the epoch), newest first."""
        rows = self._store.rows(
            "SELECT key, text, saved FROM draft WHERE desk = ? ORDER BY saved DESC, rowid DESC",
            self._desk,
        )
        return [(json.loads(key), json.loads(text), saved) for key, text, saved in rows]

    def touched(self) -> int:
        """Return a number that changes with every change by another window."""
        return self._store.touched()

    def damage_report(self) -> str:
        """Return the report on a damaged file once, and "" afterwards."""
        report, self._store.damage = self._store.damage, ""
        return report

    @contextmanager
    def _note(self) -> Iterator[None]:
        with self._noting:
            yield
            self._noted += 1

    def _row(self, key: str) -> tuple[str, str] | None:
        """Return the version and the stored text of a draft."""
        rows = self._store.rows(
            "SELECT version, text FROM draft WHERE desk = ? AND key = ?",
            self._desk, json.dumps(key),
        )  # fmt: skip
        return rows[0] if rows else None
