"""The saved replies of a person: each a Markdown file in a folder beside the settings."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from copydesk.domain.saved_reply import SavedReply
from copydesk.domain.text import clean, typed

ENDING = ".md"

MOST_BYTES = 65_536
"""Bytes of a file that is read."""

MOST_FILES = 200
"""Files that are read, in the order of their names."""

LOOKED_AT = 5_000
"""Entries of the folder that are looked at."""

NAME = 40
"""Characters of a name that are shown."""


class SavedReplies:
    """The files in ``folder`` (None: there are none)."""

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = folder

    def read(self) -> Sequence[SavedReply]:
        """Return the replies by name; one that cannot be used says why.

        Raises ``OSError`` when the folder cannot be read.
        """
        if self.folder is None:
            return []
        try:
            with os.scandir(self.folder) as entries:
                found = [
                    entry.name
                    for _, entry in zip(range(LOOKED_AT), entries, strict=False)
                    # Neither folders nor pipes and devices, which may have no end.
                    if entry.name.endswith(ENDING) and entry.is_file()
                ]
        except (FileNotFoundError, NotADirectoryError):
            return []
        return [self._reply(self.folder / name) for name in sorted(found)[:MOST_FILES]]

    def _reply(self, path: Path) -> SavedReply:
        name = clean(path.name.removesuffix(ENDING), limit=NAME) or "?"
        try:
            with path.open("rb") as file:
                content = file.read(MOST_BYTES + 1)
            text = content.decode("utf-8-sig") if len(content) <= MOST_BYTES else ""
        except UnicodeDecodeError:
            return SavedReply(name, "", "not UTF-8 text")
        except OSError as error:
            return SavedReply(name, "", f"cannot be read: {error.strerror or error}")
        if len(content) > MOST_BYTES:
            return SavedReply(name, "", f"longer than {MOST_BYTES // 1024} KB")
        said = typed(text, lines=True).strip()
        return SavedReply(name, said, "" if said else "empty")
