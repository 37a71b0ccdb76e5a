"""Files and pictures of staged pages: kept on this machine, and sent before the pages that name
them."""

from __future__ import annotations

import asyncio
import os
import stat
from base64 import b64encode
from collections.abc import Mapping, Sequence
from dataclasses import replace
from mimetypes import guess_type
from pathlib import Path
from typing import TYPE_CHECKING, Any

from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.page_edits import PageEdit
from copydesk.domain.picture import image_size
from copydesk.domain.staged_files import FILES, file_name, names_in, with_addresses
from copydesk.domain.text import clean, plural, shorten, size_words
from copydesk.local.durable import write_file
from copydesk.local.paths import expanded
from copydesk.session.operations import ops
from copydesk.session.writes.log import UnansweredError

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.session.page_edits import StagedPages

LARGEST = 20 * 1000 * 1000
"""Bytes of a file that is inserted; a larger one is not read."""

BYTES = "application/octet-stream"
AT_ONCE = 20
"""Files that go with one request, which are `LARGEST` together."""


class FileRefusedError(Exception):
    """Why a file cannot be inserted, as a sentence."""


@dataclass(frozen=True, slots=True)
class PickedFile:
    """A file of this machine, as it is to be inserted; ``name`` is the one that texts use."""

    name: str
    data: bytes
    size: tuple[int, int] | None = None
    """Width and height of a picture, where its first bytes say them."""

    @property
    def said(self) -> str:
        """Its name, its bytes and its size: "diagram.png, 84 kB, 1200 x 800"."""
        shape = [] if self.size is None else ["{} x {}".format(*self.size)]
        return ", ".join([self.name, size_words(len(self.data)), *shape])


def pick(typed: str) -> PickedFile:
    """Read the file at a path that is to be inserted. Raises `FileRefusedError`."""
    typed = typed.strip()
    shown = shorten(clean(Path(typed).name or typed))
    try:
        path = expanded(typed)
        found = path.lstat()
        if stat.S_ISLNK(found.st_mode):
            raise FileRefusedError(f"{shown} is a symbolic link: name the file that it leads to.")
        if stat.S_ISDIR(found.st_mode):
            raise FileRefusedError(f"{shown} is a folder: name a file in it.")
        if not stat.S_ISREG(found.st_mode):
            raise FileRefusedError(f"{shown} is not a file that can be read as a whole.")
        if found.st_size > LARGEST:
            raise _too_large(shown, found.st_size)
        # It may have been replaced since: a link is not followed, and no more is read.
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0))
        with os.fdopen(descriptor, "rb") as file:
            data = file.read(LARGEST + 1)
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or "no file can have this path"
        raise FileRefusedError(f"{shown} cannot be read: {why}.") from error
    if len(data) > LARGEST:
        raise _too_large(shown, len(data))
    if not data:
        raise FileRefusedError(f"{shown} is empty.")
    return PickedFile(file_name(path.name), data, image_size(data))


def _too_large(shown: str, size: int) -> FileRefusedError:
    return FileRefusedError(
        f"{shown} has {size_words(size)}: more than {size_words(LARGEST)} are not taken."
    )


def keep(folder: Path, file: PickedFile) -> str:
    """Keep a file with the staged edits, and return the name for use in a text.

    Another file of that name stays: the name gets a number. Raises ``OSError``.
    """
    stem, dot, end = file.name.rpartition(".")
    number, name = 1, file.name
    while (path := folder / name).exists():
        if path.read_bytes() == file.data:
            return name
        number += 1
        name = f"{stem}-{number}{dot}{end}" if dot else f"{file.name}-{number}"
    write_file(path, file.data)
    return name


@dataclass(frozen=True, slots=True)
class StagedFiles:
    """The files that staged pages name: their sizes by name, and names of files that are gone."""

    sizes: Mapping[str, int]
    gone: Sequence[str] = ()

    @property
    def line(self) -> str:
        """What goes before the pages, as a line; empty where nothing does."""
        if not self.sizes:
            return ""
        count, size = plural(len(self.sizes), "file"), size_words(sum(self.sizes.values()))
        return f"{count} first, {size}: {', '.join(self.sizes)}"


def staged_files(folder: Path, edits: Mapping[str, PageEdit]) -> StagedFiles:
    """Find the files that edits name. Raises ``OSError``."""
    sizes: dict[str, int] = {}
    gone: list[str] = []
    for name in dict.fromkeys(name for edit in edits.values() for name in names_in(edit.text)):
        path = folder / name
        if path.is_file():
            sizes[name] = path.stat().st_size
        else:
            gone.append(name)
    return StagedFiles(sizes, gone)


def batches(sizes: Mapping[str, int]) -> list[list[str]]:
    """Return the names of files by the request that they go with."""
    found: list[list[str]] = []
    room = 0
    for name, size in sizes.items():
        if not found or len(found[-1]) == AT_ONCE or size > room:
            found.append([])
            room = LARGEST
        found[-1].append(name)
        room -= size
    return found


async def send_files(staged: StagedPages, *, target: str) -> None:
    """Send the files that staged pages name, and let these name them by what the service says.

    After each request the pages are staged anew: what has arrived is not sent twice. The files stay
    in the change request where what follows is taken back. Raises `WriteError` and ``OSError``.
    """
    folder = await asyncio.to_thread(staged.files)
    found = await asyncio.to_thread(staged_files, folder, staged.edits)
    for names in batches(found.sizes):
        data = [await asyncio.to_thread((folder / name).read_bytes) for name in names]
        ids = await _send(staged, names, data, target)
        addresses = {name: f"{FILES}{key}" for name, key in zip(names, ids, strict=True)}
        await staged.stage(
            {
                page: replace(edit, text=text)
                for page, edit in staged.edits.items()
                if (text := with_addresses(edit.text, addresses)) != edit.text
            }
        )


async def _send(
    staged: StagedPages, names: Sequence[str], data: Sequence[bytes], target: str
) -> list[str]:
    """Send some files with one request, and return their ids."""
    session, ids = staged.session, (staged.space, staged.request)
    api = await session.ready()
    before = await _known(api, ids)
    packed = await asyncio.to_thread(_packed, names, data)

    async def send() -> list[str]:
        from copydesk.contract.models.content_update import ContentWrite

        body = ContentWrite.model_validate({"changes": [packed]})
        now = await session.ready()
        answer: Any = await now(ops.update_change_request_content, *ids, body, compat=False)
        return [each.id for each in getattr(answer, "inserted_files", None) or ()]

    async def look() -> list[str] | None:
        now = await _known(await session.ready(), ids)
        new = {size: key for key, size in now.items() if key not in before}
        sizes = [len(each) for each in data]
        if not now.keys() - before.keys():
            return None
        if len({*sizes}) < len(sizes) or new.keys() != {*sizes}:
            raise UnansweredError
        return [new[size] for size in sizes]

    told = f"{names[0]} to {target}" if len(names) == 1 else f"{len(names)} files to {target}"
    return await session.writes.perform("Insert", told, send, look=look, now=True)


async def _known(api: Api, ids: tuple[str, str]) -> dict[str, int | None]:
    """Return the sizes of the files of a change request, by their ids."""
    return {file.id: file.size async for file in api.pages(ops.list_change_request_files, *ids)}


def _packed(names: Sequence[str], data: Sequence[bytes]) -> dict[str, Any]:
    files = [
        {
            "name": name,
            "contentType": guess_type(name)[0] or BYTES,
            "base64": b64encode(each).decode(),
        }
        for name, each in zip(names, data, strict=True)
    ]
    return {"operation": "insert_files", "files": files}
