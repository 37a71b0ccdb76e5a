"""The files of a plain folder, as they are on disk."""

from __future__ import annotations

import os
from itertools import islice
from pathlib import Path

from copydesk.server.sources.config import CONFIG
from copydesk.server.sources.model import (
    MAX_DEPTH,
    MAX_FILE,
    NAMED_LIKE_A_PAGE,
    Blob,
    Files,
    Problem,
    SourceError,
)
from copydesk.server.sources.paths import is_markdown

_KEPT_HIDDEN = frozenset({".gitbook", CONFIG})
"""Hidden names that are part of documentation; the others belong to tools."""

_TOOLS = frozenset({"node_modules", "__pycache__"})

LEFT_OUT = "is hidden or of a tool: its Markdown is left out"

_SEARCHED = 200
"""So many folders of one that is left out are searched for Markdown."""


def working_files(folder: Path, problems: list[Problem]) -> Files:
    """Return the files below a folder, read when asked for.

    Symbolic links are named and not followed; hidden files and folders of tools are left out. What
    cannot be read, is no file, is a folder called like a page, or is left out with its Markdown is
    named in ``problems``. A hidden file of Markdown is kept, and is no page, as in git.
    Raises ``SourceError`` where the folder itself cannot be listed.
    """

    def unreadable(error: OSError) -> None:
        where = Path(error.filename or folder)
        reason = f"cannot be listed: {error.strerror or error}"
        if where == folder:
            raise SourceError(f"{folder} {reason}. Make it readable for you.") from error
        problems.append(Problem(where.relative_to(folder).as_posix(), reason, unread=True))

    effective = os.access in os.supports_effective_ids
    found: dict[str, Blob] = {}
    for base, folders, names in os.walk(folder, onerror=unreadable):
        here = Path(base)
        kept = [name for name in folders if _wanted(name)]
        problems.extend(
            Problem((here / name).relative_to(folder).as_posix(), LEFT_OUT)
            for name in sorted({*folders} - {*kept, ".git"})
            if utf8(name) and _has_markdown(here / name)
        )
        folders[:] = sorted(name for name in kept if not (here / name).is_symlink())
        if folders and len(here.parts) - len(folder.parts) >= MAX_DEPTH:
            problems.append(Problem(base, f"is more than {MAX_DEPTH} folders deep"))
            folders.clear()
        problems.extend(
            Problem((here / name).relative_to(folder).as_posix(), NAMED_LIKE_A_PAGE)
            for name in folders
            if is_markdown(name) and utf8(name)
        )
        linked = [name for name in kept if (here / name).is_symlink()]
        for name in sorted([*filter(_wanted_file, names), *linked]):
            path = here / name
            relative = path.relative_to(folder).as_posix()
            if not utf8(relative):
                problems.append(Problem(ascii(relative), "has a name that is not UTF-8"))
            elif path.is_symlink():
                found[relative] = Blob(lambda: b"", kind="symlink")
            elif path.is_file():
                if not os.access(path, os.R_OK, effective_ids=effective):
                    problems.append(Problem(relative, "is not readable for you", unread=True))
                elif path.stat().st_size > MAX_FILE:
                    problems.append(Problem(relative, "is larger than 1 GB; no desk keeps that"))
                else:
                    found[relative] = Blob(path.read_bytes)
            else:
                problems.append(Problem(relative, "is not a regular file (a pipe, or a device)"))
    return found


def utf8(path: str) -> bool:
    """Whether a path is text, as a desk keeps it."""
    return not any("\ud800" <= char <= "\udfff" for char in path)


def _has_markdown(folder: Path) -> bool:
    """Whether a hidden folder has Markdown in one of the first `_SEARCHED` folders below it."""
    walked = () if folder.is_symlink() else islice(os.walk(folder), _SEARCHED)
    return any(is_markdown(name) for _, _, names in walked for name in names)


def _wanted_file(name: str) -> bool:
    return _wanted(name) or is_markdown(name)


def _wanted(name: str) -> bool:
    return name in _KEPT_HIDDEN or not (name.startswith(".") or name in _TOOLS)
