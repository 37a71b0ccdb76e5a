"""Writing what is listed to a file on this machine: asked before one is replaced."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING

from copydesk.domain.text import clean
from copydesk.local.durable import write_file, write_new_file
from copydesk.local.paths import NoHomeError, expanded
from copydesk.session.errors import failure_types, sentence
from copydesk.tui.dialogs.dialog import Confirm

if TYPE_CHECKING:
    from copydesk.tui.framework.place import Place


def path_of(name: str) -> Path:
    """Return where a file goes that was named so.

    A link is followed: what it leads to is written, and the link stays. Raises `NoHomeError`
    where ``~`` is one's own home folder and that is not known.
    """
    return Path(os.path.realpath(expanded(name)))


def _other_than_a_file(path: Path) -> str:
    """Return what stands at a path where that is no file."""
    return "" if path.is_file() else "a folder" if path.is_dir() else "not a regular file"


async def put_asking(place: Place, path: Path, content: bytes) -> bool:
    """Write a file, asking before one is replaced; say why where it is not written."""
    where = clean(str(path))
    try:
        try:
            await asyncio.to_thread(write_new_file, path, content)
        except FileExistsError:
            if what := await asyncio.to_thread(_other_than_a_file, path):
                place.tell(f"Not written to {where}: it is {what}.", "bad")
                return False
            sheet = Confirm(
                "Replace the file?", [where, "There is a file of that name."], verb="replace"
            )
            if not await place.desk.push_screen_wait(sheet):
                return False
            await asyncio.to_thread(write_file, path, content)
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or str(error)
        place.tell(f"Not written to {where}: {clean(why)}.", "bad")
        return False
    return True


Read = Callable[[], Awaitable[tuple[bytes, str]]]
"""Returns the content of a file, and what it is."""


def table_named(place: Place, rest: str) -> str | None:
    """Return the name of a file after ``csv``, "" for the usual one.

    None where another form is asked for, which is said.
    """
    form, _, name = rest.partition(" ")
    if form == "csv":
        return name.strip()
    place.say("Say :export csv, or :export csv FILE.", "warn")
    return None


async def write_asked(place: Place, name: str, usual: str, read: Read, *, masked: bool) -> None:
    """Read what goes to a file of a name, write it, and say how that ended.

    Without a name it is the ``usual`` one, with the date for ``{}``. Where it is not ``masked``,
    that is said.
    """
    today = place.session.clock().astimezone()
    try:
        path = path_of(name.strip() or usual.format(f"{today:%Y-%m-%d}"))
    except NoHomeError as error:
        place.say(f"{clean(name.strip())}: {error.strerror}.", "warn")
        return
    where = clean(str(path))
    try:
        found = await place.reads.now("export", read, f"Reading for {clean(path.name)}")
    except failure_types() as error:
        place.tell(f"Not written to {where}. {sentence(error)}", "bad")
        return
    if found is None:
        place.say("Stopped. Nothing was written.")
        return
    content, what = found
    if await put_asking(place, path, content):
        in_clear = "" if masked else ", e-mails and phone numbers in clear"
        place.tell(f"Wrote {what} to {where}{in_clear}.", "good")
