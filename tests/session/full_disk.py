"""Drafts on a disk that is full."""

from __future__ import annotations

from copydesk.local.drafts import DeskDrafts


class Full(DeskDrafts):
    """A store on a disk that may be full."""

    full = False

    def save(self, key: str, text: str) -> None:
        if self.full:
            raise OSError(28, "No space left on device")
        super().save(key, text)

    def drop(self, key: str) -> None:
        if self.full:
            raise OSError(30, "Read-only file system")
        super().drop(key)
