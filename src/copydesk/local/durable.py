"""Writing files so that a crash leaves the old content or the new one, never a mix."""

from __future__ import annotations

import errno
import os
from pathlib import Path

PRIVATE = 0o600
"""Mode of every file: private."""


def private_file(path: Path) -> Path:
    """Return ``path``, created as an empty private file where it is missing, whatever the umask.

    Raises ``OSError`` when it cannot be created.
    """
    try:
        path.touch(PRIVATE, exist_ok=False)
    except FileExistsError:
        return path
    path.chmod(PRIVATE)  # a umask may have taken what its owner needs
    return path


def write_file(path: Path, content: bytes) -> None:
    """Replace the content of ``path`` durably.

    The content goes to a file beside it, is flushed to the disk and takes the name in one step.
    Raises ``OSError`` when that fails, and where a pipe or a device has the name, which other
    programs count on; what was there is untouched then.
    """
    if path.exists() and not (path.is_file() or path.is_dir()):
        raise OSError(errno.EINVAL, "it is a pipe or a device, and is left as it is", str(path))
    beside = path.with_name(f".{path.name}.{os.urandom(6).hex()}.part")
    try:
        private_file(beside)
        descriptor = os.open(beside, os.O_WRONLY | os.O_TRUNC)
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        beside.replace(path)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise
    sync_folder(path.parent)


def write_new_file(path: Path, content: bytes) -> None:
    """Write a file durably where there is none, as `write_file` does.

    Raises ``FileExistsError`` where there is one, and ``OSError`` when it cannot be written;
    nothing is left behind then.
    """
    path.touch(PRIVATE, exist_ok=False)  # the name is ours from here on
    try:
        write_file(path, content)
    except BaseException:
        path.unlink(missing_ok=True)
        raise


def append_file(path: Path, line: bytes) -> None:
    """Append ``line`` to ``path`` durably, in one write.

    A last line that a crash left without an end is ended first, so that it cannot spoil the new
    one. Raises ``OSError`` when the disk refuses.
    """
    private_file(path)
    descriptor = os.open(path, os.O_RDWR | os.O_APPEND)
    try:
        size = os.lseek(descriptor, 0, os.SEEK_END)
        if size:
            os.lseek(descriptor, size - 1, os.SEEK_SET)
            if os.read(descriptor, 1) != b"\n":
                line = b"\n" + line
        left = memoryview(line)
        while left:
            left = left[os.write(descriptor, left) :]
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def sync_folder(folder: Path) -> None:
    """Flush the names in ``folder`` to the disk, where the platform can."""
    if os.name == "nt":  # Windows cannot open a folder; its renames are journalled.
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
