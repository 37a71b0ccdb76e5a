"""Writing in the editor that the user has, outside of copydesk: ``$VISUAL`` or ``$EDITOR``."""

from __future__ import annotations

import asyncio
import os
import shlex
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from textual.app import SuspendNotSupported

from copydesk.domain.text import clean
from copydesk.local.child_processes import run
from copydesk.local.durable import private_file

if TYPE_CHECKING:
    from copydesk.tui.framework.desk_app import DeskApp

SCISSORS = "<!-- Everything below this line is only for reading and is not sent. -->"


class EditorError(Exception):
    """Why nothing came back from an editor, as a sentence; the text is as it was."""


LINE = frozenset(
    {"vi", "vim", "nvim", "nano", "emacs", "micro", "kak", "joe", "ne", "pico", "mg", "jed"}
)
"""Editors that begin at the line that ``+LINE`` names before the file."""


def has_editor() -> bool:
    """Whether an editor is set."""
    return any(os.environ.get(name, "").strip() for name in ("VISUAL", "EDITOR"))


def run_editor(app: DeskApp, path: Path, line: int = 0) -> None:
    """Let the user edit a file, from a line (from 1) on where that is given. Raises `EditorError`.

    The file is left as the editor leaves it.
    """
    name = "VISUAL" if os.environ.get("VISUAL", "").strip() else "EDITOR"
    try:
        editor = shlex.split(os.environ.get(name, ""))
    except ValueError as error:
        raise EditorError(f"${name} cannot be read as a command: {error}.") from error
    if not editor:
        raise EditorError("Neither $VISUAL nor $EDITOR is set: set one, and start copydesk again.")
    at = [f"+{line}"] if line and Path(editor[0]).name in LINE else []
    shown = clean(editor[0], limit=60)
    try:
        with app.suspend():
            status = run([*editor, *at, str(path)])
    except FileNotFoundError as error:
        raise EditorError(f"There is no {shown}, which ${name} names as the editor.") from error
    except OSError as error:
        raise EditorError(
            f"{shown}, which ${name} names, did not start: {error.strerror}."
        ) from error
    except SuspendNotSupported as error:
        raise EditorError("This terminal cannot be left for an editor.") from error
    if status != 0:
        raise EditorError(f"{shown} ended with status {status}: nothing was taken from it.")
    app.redraw()


async def edit_file(app: DeskApp, path: Path, text: str, line: int = 0) -> str:
    """Let the user edit a text in a file that stays, from a line (from 1) on; return it exactly.

    What is in the file already goes on: an earlier edit was cut off, or could not be taken. Whoever
    calls removes it once the text is kept elsewhere. Raises `EditorError`, ``OSError``.
    """
    if not await asyncio.to_thread(path.exists):
        await asyncio.to_thread(_put, path, text.encode("utf-8", "surrogatepass"))
    run_editor(app, path, line)
    data = await asyncio.to_thread(path.read_bytes)
    try:
        return data.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError as error:
        at = data.count(b"\n", 0, error.start) + 1
        raise EditorError(f"Line {at} is not UTF-8: e edits it again.") from error


def drop_file(path: Path) -> None:
    """Remove a file that was edited, and its folder where no other is there. Raises ``OSError``."""
    path.unlink(missing_ok=True)
    with suppress(OSError):  # another text is in an editor
        path.parent.rmdir()


def _put(path: Path, data: bytes) -> None:
    private_file(path)
    path.write_bytes(data)


def edit_in_editor(app: DeskApp, text: str, quote: str = "", suffix: str = ".md") -> str:
    """Let the user edit text in ``$VISUAL`` or ``$EDITOR``. Raises `EditorError`.

    ``suffix`` is what the name of the file ends with, by which editors know what they edit.
    """
    body = text
    if quote:
        quoted = "\n".join(f"> {line}" for line in quote.splitlines())
        body = f"{text}\n\n{SCISSORS}\n{quoted}\n"
    with tempfile.TemporaryDirectory(prefix="copydesk-") as folder:
        path = Path(folder) / f"text{suffix}"
        path.write_text(body, encoding="utf-8")
        run_editor(app, path)
        try:
            edited = path.read_text(encoding="utf-8", errors="replace")
        except OSError as error:
            raise EditorError("The editor left no file: the text is as it was.") from error
    return edited.split(SCISSORS, 1)[0].rstrip("\n")
