"""The preface: the screen as it was left, drawn before the program is loaded.

What a start without arguments will show is kept as lines for the terminal, next to the last rows
(`copydesk.local.snapshot`), one file for each service and size. The next start draws it with one
write before anything is imported that takes time, and the first frame of the screens replaces it.
It is only drawn where all is as it was when it was kept (`conditions`). What is typed meanwhile
waits in the terminal for the screens, and is not shown there; also where there is no preface
(`quiet`). This module imports nothing that a start has not imported.
"""

from __future__ import annotations

import _signal as signal  # type: ignore[import-not-found]  # the module without its enumerations
import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path
    from types import FrameType
    from typing import Any

SWITCH = "COPYDESK_PREFACE"
"""The variable that switches it off, when it is "0"."""

ENDING = ".screen"
"""How the names of these files end."""

MOST_BYTES = 512 * 1024
"""A larger file is neither kept nor drawn."""

_TAKE = b"\x1b[?1049h\x1b[?25l"
_HOME = b"\x1b[1;1H"
"""Where nothing that a terminal does not understand could move the lines."""

_GIVE_BACK = b"\x1b[0m\x1b[2J\x1b[?1049l\x1b[?25h"
"""It is cleared for terminals without a second screen; the cursor is at its beginning."""

_before: list[Any] | None = None
"""How the terminal was before it was made `quiet`, until the screens have it."""

drawn = False
"""Whether the preface is on the terminal."""


def conditions() -> str:
    """Return in a line the conditions under which a kept screen may open; "" for none at all.

    The service is said by the settings, which must not have changed, and by the environment. A
    token in the environment may be anybody's: then nothing is kept.
    """
    from copydesk import __version__

    told = os.environ
    if os.name != "posix" or told.get(SWITCH) == "0" or "COPYDESK_TOKEN" in told:
        return ""
    named = {"ACCESSIBLE", "TERM", "COLORTERM", "NO_COLOR", "LANG", "LC_ALL", "LC_CTYPE"}
    words = sorted(
        (name, value)
        for name, value in told.items()
        if name != SWITCH and (name in named or name.startswith(("COPYDESK_", "TEXTUAL")))
    )
    try:
        files = [_mark(_folder("config", "config.toml")), _mark(_folder("data", "desk.db"))[:1]]
    except OSError:
        return ""  # the folder in which it is begun is gone, and a path is relative to it
    return repr((__version__, sys.prefix, words, files))


def _mark(path: str) -> tuple[int, ...]:
    """Return what changes with a file: which it is, its size and when it was written."""
    try:
        found = os.stat(path)
    except OSError:
        return ()
    return found.st_ino, found.st_size, found.st_mtime_ns


def _folder(kind: str, *inside: str) -> str:
    """Return a path in one of the folders of `copydesk.local.paths`, which takes time to import."""
    told = os.environ.get
    if home := told("COPYDESK_HOME"):
        return os.path.join(os.path.abspath(os.path.expanduser(home)), kind, *inside)
    if sys.platform == "darwin":
        usual = "~/Library/Caches" if kind == "cache" else "~/Library/Application Support"
        return os.path.join(os.path.expanduser(usual), "copydesk", *inside)
    variable, usual = {
        "config": ("XDG_CONFIG_HOME", "~/.config"),
        "data": ("XDG_DATA_HOME", "~/.local/share"),
        "cache": ("XDG_CACHE_HOME", "~/.cache"),
    }[kind]
    base = told(variable, "").strip() or os.path.expanduser(usual)
    return os.path.join(base, "copydesk", *inside)


def folder() -> str:
    """Return the folder of the kept screens."""
    return _folder("cache", "snapshots")


# At a start


def show() -> None:
    """Draw the kept screen, where there is one for a start as this is; keys are quiet anyway."""
    global drawn
    if not quiet() or not (wanted := conditions()):
        return
    try:
        frame = _kept(os.get_terminal_size(1), wanted)
    except OSError:
        return
    if frame is None:
        return
    drawn = True
    try:
        left = memoryview(_TAKE + frame + _HOME)
        while left:
            left = left[os.write(1, left) :]
    except OSError:
        leave()


def quiet() -> bool:
    """Have keys wait in the terminal, unseen, for the screens that are about to open.

    False where there is no terminal for them. `leave` puts it back.
    """
    global _before
    if _before is not None:
        return True
    if os.name != "posix" or not (os.isatty(0) and os.isatty(1)):
        return False
    import termios

    try:
        if os.tcgetpgrp(0) != os.getpgrp():
            return False  # it is begun in the background
        attributes = termios.tcgetattr(0)
    except (OSError, termios.error):
        return False
    _before = attributes
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _ended)
    try:
        termios.tcsetattr(0, termios.TCSANOW, _silent(attributes))
    except (OSError, termios.error):
        leave()
    return _before is not None


def _kept(size: os.terminal_size, wanted: str) -> bytes | None:
    """Return the frame that was kept for such a start on a terminal of this size."""
    ends = f"-{size.columns}x{size.lines}{ENDING}"
    with os.scandir(folder()) as found:
        paths = [each.path for each in found if each.name.endswith(ends)]
    for path in paths:
        with open(path, "rb") as file:
            about = os.fstat(file.fileno())
            own = about.st_uid == os.getuid() and not about.st_mode & 0o077
            if not own or about.st_size > MOST_BYTES:
                continue
            first, _, frame = file.read().partition(b"\n")
        if first == wanted.encode("utf-8", "backslashreplace") and _is_frame(frame):
            return frame
    return None


def _is_frame(frame: bytes) -> bool:
    """Whether it is text with nothing but colours in it, and where its lines begin."""
    try:
        first, *rest = frame.decode("utf-8").split("\x1b[")
    except UnicodeDecodeError:
        return False
    if first or not rest:
        return False
    for piece in rest:
        said = piece.lstrip("0123456789;")
        if said[:1] not in ("m", "H") or not said.isprintable():
            return False
    return True


def _silent(attributes: list[Any]) -> list[Any]:
    """Return settings under which keys are not shown, and come to the screens as they are typed.

    As the screens want them, but that ctrl+c still stops the program: it is not listening yet.
    """
    import termios

    iflag, oflag, cflag, lflag, ispeed, ospeed, cc = attributes
    keys = [*cc]
    keys[termios.VSUSP] = keys[termios.VQUIT] = b"\0"
    keys[termios.VMIN], keys[termios.VTIME] = 1, 0
    iflag &= ~(termios.IXON | termios.IXOFF | termios.ICRNL | termios.INLCR | termios.IGNCR)
    lflag &= ~(termios.ECHO | termios.ICANON | termios.IEXTEN)
    return [iflag, oflag, cflag, lflag, ispeed, ospeed, keys]


def hand_over() -> list[Any] | None:
    """Return how the terminal was before the start, now that the screens have the terminal.

    None where nothing was changed.
    """
    global _before, drawn
    attributes, _before, drawn = _before, None, False
    return attributes


def leave() -> None:
    """Give the terminal back as it was, if the screens do not have it yet.

    What was typed was meant for screens that do not come, and not for the shell.
    """
    was_drawn = drawn
    if (attributes := hand_over()) is None:
        return
    import termios

    try:
        if was_drawn:
            os.write(1, _GIVE_BACK)
        termios.tcflush(0, termios.TCIFLUSH)
        termios.tcsetattr(0, termios.TCSANOW, attributes)
    except (OSError, termios.error):
        pass  # there is no terminal any more


def _ended(number: int, frame: FrameType | None) -> None:
    leave()
    signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)


# While the program runs


def keep(path: Path, wanted: str, frame: str) -> None:
    """Keep a frame for starts under these conditions; a disk that refuses leaves no frame."""
    from copydesk.local.durable import write_file
    from copydesk.local.paths import private_folder

    content = f"{wanted}\n{frame}".encode("utf-8", "backslashreplace")
    if len(content) > MOST_BYTES or not _is_frame(frame.encode("utf-8", "replace")):
        return
    try:
        private_folder(path.parent)
        write_file(path, content)
    except OSError:
        pass
