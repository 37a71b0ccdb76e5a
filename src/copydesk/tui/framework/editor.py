"""Writing in the editor that the user has, outside of copydesk: ``$VISUAL`` or ``$EDITOR``."""

from __future__ import annotations

import asyncio
import os
import shlex
import tempfile
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from textual.app import SuspendNotSupported

from copydesk.domain.text import clean
from copydesk.local import browser
from copydesk.local.child_processes import beside_another, run_on_terminal
from copydesk.local.durable import private_file

if TYPE_CHECKING:
    from copydesk.tui.framework.desk_app import DeskApp

SCISSORS = "<!-- Everything below this line is only for reading and is not sent. -->"


class EditorError(Exception):
    """Why nothing came back from an editor, as a sentence; the text is as it was.

    It never ``started`` where there is no such program, or it may not be started.
    """

    def __init__(self, said: str, *, started: bool = True) -> None:
        super().__init__(said)
        self.started = started


LINE = frozenset(
    {"vi", "vim", "nvim", "nano", "emacs", "micro", "kak", "joe", "ne", "pico", "mg", "jed"}
)
"""Editors that begin at the line that ``+LINE`` names before the file."""


IN_BROWSER = "In a browser there is no editor: open copydesk in a terminal for that."


def has_editor() -> bool:
    """Whether an editor is set, and can be opened."""
    named = (os.environ.get(name, "").strip() for name in ("VISUAL", "EDITOR"))
    return browser.window is None and any(named)


def run_editor(app: DeskApp, path: Path, line: int = 0) -> None:
    """Let the user edit a file, from a line (from 1) on where that is given.

    The file is left as the editor leaves it. Raises `EditorError`.
    """
    if browser.window is not None:
        raise EditorError(IN_BROWSER)
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
        status = run_in_terminal(app, lambda: run_on_terminal([*editor, *at, str(path)]))
    except SuspendNotSupported as error:
        raise EditorError("This terminal cannot be left for an editor.") from error
    except OSError as error:
        said = f"{shown} cannot be started: {error.strerror}. ${name} names it."
        raise EditorError(said, started=False) from error
    if status != 0:
        raise EditorError(f"{shown} ended with status {status}: nothing was taken from it.")


def run_in_terminal(app: DeskApp, work: Callable[[], int]) -> int:
    """Leave the terminal to a program until it ends; return its exit status.

    Raises ``SuspendNotSupported`` where that cannot be, and ``OSError`` of ``work``.
    """
    status, failed = 0, None
    with app.suspend(), beside_another("SIGINT", "SIGTSTP"):  # ctrl+c, ctrl+z
        try:
            status = work()
        except OSError as error:  # raised here, it would leave the terminal to nobody
            failed = error
    app.redraw()
    if failed is not None:
        raise failed
    return status


EditHere: TypeAlias = Callable[[str, str], Awaitable[str | None]]
"""Lets a text be edited in copydesk, below a sentence that says why; None where it is kept."""


async def edit_file(
    app: DeskApp, path: Path, text: str, edit_here: EditHere, line: int = 0
) -> str | None:
    """Let the user edit a text in a file that stays, from a line (from 1) on; return it exactly.

    ``edit_here`` has the text where no editor is set, or where it cannot be started.

    What is in the file already goes on: an earlier edit was cut off, or could not be taken. Whoever
    calls removes it once the text is kept elsewhere. Raises `EditorError`, ``OSError``.
    """
    if not has_editor():
        return await edit_here(text, "")
    if not await asyncio.to_thread(path.exists):
        await asyncio.to_thread(_put, path, text.encode("utf-8", "surrogatepass"))
    try:
        run_editor(app, path, line)
    except EditorError as error:
        if error.started:
            raise
        return await edit_here(await _left_in(path), str(error))
    return await _left_in(path)


async def _left_in(path: Path) -> str:
    """Return the text that an editor left in a file. Raises `EditorError`, ``OSError``."""
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
