"""Typed text that never dies: one file per draft, whole on the disk before ``save`` returns.

A draft is kept under what it is about: the desk, the object and the place in it. A dropped draft
stays on the disk for a month, so that dropping can be undone, also after a restart.
"""

from __future__ import annotations

import hashlib
import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from copydesk.local.durable import rename_file, sync_folder, write_file
from copydesk.local.paths import private_folder

Key = tuple[str, str, str]
"""What a draft is about: desk, object, anchor, any text. An empty anchor is the object itself."""

KEPT_SECONDS = 30 * 24 * 3600.0
"""How long a dropped draft can be brought back."""


@dataclass(frozen=True, slots=True)
class Draft:
    """A text that was typed and not sent. ``saved`` is in seconds since the epoch.

    ``label`` says to a person what it is about ("reply to Priya, #118"), for lists.
    """

    key: Key
    text: str
    saved: float
    label: str = ""


class Drafts:
    """The drafts in ``folder``, which is created. Safe to use from several threads and processes.

    Every method that changes something raises ``OSError`` when the disk refuses; the draft is
    then as it was. ``clock`` gives seconds since the epoch.
    """

    def __init__(self, folder: Path, *, clock: Callable[[], float] = time.time) -> None:
        self._folder = folder
        self._clock = clock
        self._lock = threading.Lock()
        with suppress(OSError):  # where nothing can be kept, keeping says so
            private_folder(folder)
            self._prune()

    def save(self, key: Key, text: str, label: str = "") -> Draft | None:
        """Keep ``text`` under ``key``; it is on the disk when this returns.

        Empty text drops the draft. Returns the draft, or None when there is none now.
        """
        with self._lock:
            if not text:
                self._drop(key)
                return None
            draft = Draft(key, text, self._clock(), label)
            private_folder(self._folder)
            write_file(self._path(key), _written(draft))
            return draft

    def load(self, key: Key) -> str | None:
        """Return the text kept under ``key``, or None."""
        draft = self.draft(key)
        return None if draft is None else draft.text

    def draft(self, key: Key) -> Draft | None:
        """Return the draft kept under ``key`` with its time and label, or None."""
        return _read(self._path(key))

    def kept(self, desk: str | None = None) -> list[Draft]:
        """Return all drafts, of one desk if given, newest first."""
        drafts = [draft for path in self._folder.glob("*.json") if (draft := _read(path))]
        if desk is not None:
            drafts = [draft for draft in drafts if draft.key[0] == desk]
        return sorted(drafts, key=lambda draft: draft.saved, reverse=True)

    def drop(self, key: Key) -> Draft | None:
        """Put the draft under ``key`` aside and return it, or None when there is none."""
        with self._lock:
            return self._drop(key)

    def restore(self, key: Key) -> Draft | None:
        """Undo the last drop under ``key`` and return the draft that is back.

        None when nothing was dropped, or when something else has been typed there since: that
        stays, and the dropped one remains to be restored later.
        """
        with self._lock:
            path = self._path(key)
            dropped = sorted(self._dropped(path.stem), key=_dropped_at)
            if path.exists() or not dropped:
                return None
            rename_file(dropped[-1], path)
            return _read(path)

    def broken(self) -> list[Path]:
        """Return draft files that cannot be read. They are left for a person to look at."""
        return [path for path in sorted(self._folder.glob("*.json")) if _read(path) is None]

    def _drop(self, key: Key) -> Draft | None:
        path = self._path(key)
        draft = _read(path)
        if draft is None:
            return None
        last = max((_dropped_at(other) for other in self._dropped(path.stem)), default=0)
        moment = max(int(self._clock() * 1000), last + 1)
        rename_file(path, path.with_name(f"{path.stem}.{moment}.dropped"))
        return draft

    def _path(self, key: Key) -> Path:
        name = hashlib.sha256(json.dumps(key).encode()).hexdigest()[:32]
        return self._folder / f"{name}.json"

    def _dropped(self, stem: str = "*") -> Iterator[Path]:
        return self._folder.glob(f"{stem}.*.dropped")

    def _prune(self) -> None:
        oldest = (self._clock() - KEPT_SECONDS) * 1000
        old = [path for path in self._dropped() if 0 < _dropped_at(path) < oldest]
        for path in old:
            path.unlink(missing_ok=True)
        if old:
            sync_folder(self._folder)


class DeskDrafts:
    """The drafts of one desk, under keys of one text: what the screens need to know of drafts."""

    def __init__(self, drafts: Drafts, desk: str) -> None:
        self._drafts = drafts
        self._desk = desk

    def save(self, key: str, text: str) -> None:
        """Keep ``text`` under ``key``, on the disk before this returns. Empty text drops it."""
        self._drafts.save((self._desk, key, ""), text)

    def load(self, key: str) -> str | None:
        """Return the text kept under ``key``, or None."""
        return self._drafts.load((self._desk, key, ""))

    def drop(self, key: str) -> None:
        """Put the text under ``key`` aside; ``restore`` brings it back."""
        self._drafts.drop((self._desk, key, ""))

    def restore(self, key: str) -> str | None:
        """Undo the last drop under ``key`` and return the text that is back, or None."""
        back = self._drafts.restore((self._desk, key, ""))
        return None if back is None else back.text

    def kept(self) -> dict[str, str]:
        """Return all texts of the desk by key, newest first."""
        return {draft.key[1]: draft.text for draft in self._drafts.kept(self._desk)}

    def dated(self) -> list[tuple[str, str, float]]:
        """Return (key, text, when it was saved in seconds since the epoch), newest first."""
        return [(draft.key[1], draft.text, draft.saved) for draft in self._drafts.kept(self._desk)]


def _dropped_at(path: Path) -> int:
    moment = path.name.split(".")[1]
    return int(moment) if moment.isdecimal() else 0


def _written(draft: Draft) -> bytes:
    value = {
        "key": draft.key,
        "text": draft.text,
        "saved": draft.saved,
        "label": draft.label,
    }
    return json.dumps(value).encode("ascii")


def _read(path: Path) -> Draft | None:
    try:
        match json.loads(path.read_bytes()):
            case {
                "key": [str(desk), str(thing), str(anchor)],
                "text": str(text),
                "saved": float() | int() as saved,
                "label": str(label),
            }:
                return Draft((desk, thing, anchor), text, float(saved), label)
    except (FileNotFoundError, NotADirectoryError, ValueError, RecursionError):
        pass
    return None
