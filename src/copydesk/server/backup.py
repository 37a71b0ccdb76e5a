"""Copying a desk that is in use into one file that is whole by itself."""

from __future__ import annotations

import contextlib
import os
import sqlite3
import tempfile
from contextlib import closing
from pathlib import Path

from copydesk.server.desk_file import (
    BUSY_SECONDS,
    MOST_LOOKS,
    complaint,
    damage,
    log_of,
    open_unchanging,
    state_of,
    unwritable,
)
from copydesk.server.migrations import VERSION
from copydesk.server.store import DeskError


def back_up(desk: Path, target: Path, *, replace: bool = False) -> int:
    """Copy one moment of a desk to ``target``, for this user only; return its size in bytes.

    The copy is read for damage and is on disk before it gets its name, so that there is either a
    whole one or none. Others may write to the desk meanwhile; one that cannot be written is only
    read. Raises ``DeskError`` when the desk is no good one, when ``target`` is there (unless
    ``replace``), and when it is a folder, a pipe or a device, or is or was a desk in use. Raises
    ``OSError`` and ``sqlite3.OperationalError`` when the disk does not take it.
    """
    if (reason := complaint(desk, VERSION, writes=False)) is not None:
        raise DeskError(f"{desk} {reason}. Nothing was copied.")
    _check_target(desk, target, replace)
    try:
        handle, name = tempfile.mkstemp(f".{target.name}.part", ".", target.parent)
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(target)) from error
    os.close(handle)
    part = Path(name)
    try:
        _copy(desk, part)
        size = part.stat().st_size
        _name(part, target, replace)
    finally:
        part.unlink(missing_ok=True)
    return size


def _check_target(desk: Path, target: Path, replace: bool) -> None:
    if target.is_dir():
        raise DeskError(f"{target} is a folder: name a file to copy the desk to.")
    if target.exists() and not target.is_file():
        raise DeskError(f"{target} is a pipe or a device: name a file to copy the desk to.")
    if target.exists() and target.samefile(desk):
        raise DeskError(f"{target} is the desk itself: name another file to copy it to.")
    for log in (log_of(target), target.with_name(target.name + "-journal")):
        if log.exists():
            # SQLite would take it for the copy's own and replay it there.
            raise DeskError(
                f"{target} is a database in use, or one that was not closed ({log.name} is beside "
                "it): name another file to copy the desk to."
            )
    if target.exists() and not replace:
        raise DeskError(f"{target} is there already: name a new file, or add --force.")


def _copy(desk: Path, part: Path) -> None:
    if unwritable(desk) is None:
        _copy_from(sqlite3.connect(desk, isolation_level=None, timeout=BUSY_SECONDS), desk, part)
        return
    for _ in range(MOST_LOOKS):
        *_, in_use = before = state_of(desk)
        _copy_from(open_unchanging(desk), desk, part)
        # Of one in use it is one moment; who opened another in between may have shown a torn file.
        if in_use or state_of(desk) == before:
            return
    raise DeskError(f"{desk} was written while it was read: try again. Nothing was copied.")


def _copy_from(connection: sqlite3.Connection, desk: Path, part: Path) -> None:
    with (
        closing(connection) as source,
        closing(sqlite3.connect(part, isolation_level=None)) as copy,
    ):
        source.backup(copy)  # in one step, so of one moment
        # One file, without a log beside it; opening it as a desk gives it one again.
        copy.execute("PRAGMA journal_mode = DELETE")
        of_file, _ = damage(copy)
        if of_file:
            raise DeskError(f"{desk} is damaged (SQLite: {of_file[0]}). Nothing was copied.")
    with part.open("rb") as file:
        os.fsync(file.fileno())


def _name(part: Path, target: Path, replace: bool) -> None:
    """Give the copy its name at once, and write that to disk."""
    if replace:
        part.replace(target)
    else:
        try:
            target.hardlink_to(part)  # unlike a rename this never takes the place of a file
        except FileExistsError:
            raise DeskError(f"{target} was made by another program meanwhile.") from None
        except OSError:  # a file system without links
            part.rename(target)
    with contextlib.suppress(PermissionError):  # where folders cannot be opened
        folder = os.open(target.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
