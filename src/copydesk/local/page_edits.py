"""The staged edits of pages on this machine: on the disk before ``stage`` returns.

Each is kept under its change request and page. Every change of one is a step, which can be taken
back; what was taken back, dropped or sent can be staged again for a month, also after a restart. An
edit that another window changed since is never replaced.
"""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Mapping
from pathlib import Path
from shutil import rmtree
from typing import TYPE_CHECKING

from copydesk.local.drafts import KEPT_SECONDS
from copydesk.local.paths import private_folder
from copydesk.local.state import token

if TYPE_CHECKING:
    from copydesk.local.state import State


_OPEN, _SENT, _UNDONE = 0, 1, 2
"""The state of a step, in the column ``ended``; undone steps are kept for redo."""


class StagedElsewhereError(Exception):
    """Another window changed the edit since it was read; nothing was done."""


class DeskEdits:
    """The staged edits of one desk, as texts. Safe to use from several threads and processes.

    Everything raises ``OSError`` when the disk refuses; what is staged is then unchanged.
    """

    def __init__(self, store: State, desk: str = "") -> None:
        self._store = store
        self._desk = desk

    def of(self, space: str, request: str) -> dict[str, str]:
        """Return the edits of a change request by page, in the order in which they were begun."""
        rows = self._store.rows(
            "SELECT page, value FROM staged WHERE desk = ? AND space = ? AND request = ?"
            " ORDER BY number",
            self._desk, space, request,
        )  # fmt: skip
        return dict(rows)

    def editor_file(self, space: str, request: str, page: str, base: str) -> Path:
        """Return the path at which an editor has the text of a page; its folder is there.

        What a killed program leaves there is found again at the same path, as long as the page has
        the text that it had (``base``).
        """
        folder = private_folder(self._store.folder / "editing")
        return folder / f"{_digest(self._desk, space, request, page, base)}.md"

    def files_folder(self, space: str, request: str) -> Path:
        """Return the folder of the files that staged pages of a change request name; it is there.

        Folders of requests with nothing staged are removed after ``KEPT_SECONDS``.
        """
        used = {self._folder_name(*of) for of in {*self.counts(), (space, request)}}
        above = private_folder(self._store.folder / "staged")
        for each in above.iterdir():
            old = self._store.clock() - each.stat().st_mtime > KEPT_SECONDS
            if old and each.name not in used:
                rmtree(each, ignore_errors=True)
        return private_folder(above / self._folder_name(space, request))

    def _folder_name(self, space: str, request: str) -> str:
        return _digest(self._desk, space, request)

    def counts(self) -> dict[tuple[str, str], int]:
        """Return how many pages are staged, by space and change request."""
        rows = self._store.rows(
            "SELECT space, request, count(*) FROM staged WHERE desk = ? GROUP BY space, request",
            self._desk,
        )
        return {(space, request): count for space, request, count in rows}

    def stage(
        self, space: str, request: str, changes: Mapping[str, tuple[str | None, str | None]]
    ) -> None:
        """Replace edits by page: each as it is known, and as it is to be (None for none).

        It is one step for `undo`. Raises `StagedElsewhereError`.
        """
        self._step(space, request, changes, batch=token(), ended=_OPEN)

    def sent(
        self,
        space: str,
        request: str,
        edits: Mapping[str, str],
        batch: str,
        others: Mapping[str, tuple[str, str]] | None = None,
    ) -> None:
        """Take away edits that were sent; ``batch`` names them for `stage_again`.

        An edit that was changed while it was sent stays. With them go other forms of ``others``:
        each as it is known, and as it is to be.
        """
        kept = self.of(space, request)
        gone: dict[str, tuple[str | None, str | None]] = {
            page: (edit, None) for page, edit in edits.items() if kept.get(page) == edit
        }
        self._step(space, request, {**gone, **(others or {})}, batch=batch, ended=_SENT)

    def move(self, space: str, request: str, other: str, edits: Mapping[str, str]) -> None:
        """Stage edits of a change request for another one instead, all of them or none.

        `undo` takes them back there, and nothing here. Raises `StagedElsewhereError`.
        """

        def put(database: sqlite3.Connection) -> None:
            gone = {page: (edit, None) for page, edit in edits.items()}
            come = {page: (None, edit) for page, edit in edits.items()}
            self._note(database, (space, request), gone, token(), ended=_SENT)
            self._note(database, (space, other), come, token(), ended=_OPEN)

        self._store.write(put)

    def _step(
        self,
        space: str,
        request: str,
        changes: Mapping[str, tuple[str | None, str | None]],
        *,
        batch: str,
        ended: int,
    ) -> None:
        def put(database: sqlite3.Connection) -> None:
            self._note(database, (space, request), changes, batch, ended=ended)

        self._store.write(put)

    def _note(
        self,
        database: sqlite3.Connection,
        ids: tuple[str, str],
        changes: Mapping[str, tuple[str | None, str | None]],
        batch: str,
        *,
        ended: int,
    ) -> None:
        now = self._store.clock()
        for page, (known, wanted) in changes.items():
            self._put(database, (*ids, page), known, wanted)
            database.execute(
                "INSERT INTO staged_step"
                " (batch, desk, space, request, page, before, after, ended, at)"
                " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (batch, self._desk, *ids, page, known, wanted, ended, now),
            )
        database.execute("DELETE FROM staged_step WHERE at < ?", (now - KEPT_SECONDS,))

    def _put(
        self,
        database: sqlite3.Connection,
        key: tuple[str, str, str],
        known: str | None,
        wanted: str | None,
    ) -> None:
        row = database.execute(
            "SELECT value FROM staged WHERE desk = ? AND space = ? AND request = ? AND page = ?",
            (self._desk, *key),
        ).fetchone()
        if (None if row is None else row[0]) != known:
            raise StagedElsewhereError
        if wanted is None:
            database.execute(
                "DELETE FROM staged WHERE desk = ? AND space = ? AND request = ? AND page = ?",
                (self._desk, *key),
            )
        else:
            database.execute(
                "INSERT INTO staged (desk, space, request, page, value) VALUES (?, ?, ?, ?, ?)"
                " ON CONFLICT (desk, space, request, page) DO UPDATE SET value = excluded.value",
                (self._desk, *key, wanted),
            )

    def step(self, space: str, request: str) -> str:
        """Return the name of the newest step that can be taken back; "" for none.

        None can before what was sent.
        """
        rows = self._store.rows(
            "SELECT batch, ended FROM staged_step WHERE desk = ? AND space = ? AND request = ?"
            " AND ended <> ? ORDER BY number DESC LIMIT 1",
            self._desk, space, request, _UNDONE,
        )  # fmt: skip
        return str(rows[0][0]) if rows and rows[0][1] == _OPEN else ""

    def undone(self, space: str, request: str) -> str:
        """Return the name of the step that `redo` takes again; "" for none.

        It was taken back last of those whose pages still are as that left them, and later than
        anything was sent.
        """
        of = (self._desk, space, request)
        rows = self._store.rows(
            "SELECT batch FROM staged_step AS step WHERE desk = ? AND space = ? AND request = ?"
            " AND ended = ? AND number > coalesce((SELECT max(number) FROM staged_step"
            "  WHERE desk = ? AND space = ? AND request = ? AND ended = ?), 0)"
            " GROUP BY batch HAVING min(after IS (SELECT value FROM staged WHERE"
            "  desk = step.desk AND space = step.space AND request = step.request"
            "  AND page = step.page)) ORDER BY max(number) DESC LIMIT 1",
            *of, _UNDONE, *of, _SENT,
        )  # fmt: skip
        return str(rows[0][0]) if rows else ""

    def undo(self, space: str, request: str) -> list[str]:
        """Take back the newest step and return its pages; none where there is no step.

        Raises `StagedElsewhereError` when another window changed one of them since.
        """
        step = self.step(space, request)
        return self._back(step, _UNDONE) if step else []

    def redo(self, space: str, request: str) -> list[str]:
        """Redo the step undone last and return its pages; empty where there is none.

        Raises `StagedElsewhereError` when another window changed one of them since.
        """
        step = self.undone(space, request)
        return self._back(step, _OPEN) if step else []

    def stage_again(self, batch: str) -> list[str]:
        """Stage the edits of a sent step again and return its pages.

        Raises `StagedElsewhereError` where one of them was staged anew since.
        """
        return self._back(batch)

    def _back(self, batch: str, becomes: int | None = None) -> list[str]:
        """Do the opposite of a step; with ``becomes`` that is kept in its place."""

        def back(database: sqlite3.Connection) -> list[str]:
            steps = database.execute(
                "SELECT space, request, page, before, after FROM staged_step"
                " WHERE desk = ? AND batch = ? ORDER BY number DESC",
                (self._desk, batch),
            ).fetchall()
            database.execute(
                "DELETE FROM staged_step WHERE desk = ? AND batch = ?", (self._desk, batch)
            )
            for space, request, page, before, after in steps:
                if becomes is None:
                    self._put(database, (space, request, page), after, before)
                else:
                    change = {page: (after, before)}
                    self._note(database, (space, request), change, batch, ended=becomes)
            return [page for _, _, page, _, _ in steps]

        return self._store.write(back)


def _digest(*parts: str) -> str:
    """Return a name for a file or a folder of some ids."""
    return hashlib.sha256("\n".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:20]
