"""Where errors become sentences: nothing below prints, nothing above sees a traceback."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Callable
from contextlib import suppress
from io import TextIOWrapper
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from copydesk.local.state import State

DONE, FAILED, USAGE, NOT_ALLOWED, CONFLICT, OFFLINE = range(6)
DIFFERS = 7
"""Exit statuses, one meaning each, for scripts: what is not there is a failure, no usage.

`DIFFERS`: it was only looked, and something would be sent.
"""

INTERRUPTED = 130

PIPE_CLOSED = 141
"""What a shell says of a program that wrote to a pipe whose reader had gone."""


class UsageError(Exception):
    """Something that a person can mend. The message says what is wrong, where, and what to do."""

    def __init__(self, message: str, status: int = USAGE) -> None:
        super().__init__(message)
        self.status = status


def kept_state() -> State:
    """Return what this machine keeps of its user; that it was damaged is said to them."""
    from copydesk.local.paths import find_paths
    from copydesk.local.state import State

    return State(
        find_paths().store,
        tell=lambda said: say(f"{said} Look in copydesk whether a draft is missing (:drafts)."),
    )


def say(message: str) -> None:
    """Print for a person, beside the output that a script reads; what strangers wrote made safe."""
    from copydesk.cli.output import tell

    tell(message)


def agreed(question: str) -> bool:
    """Ask a person at the terminal; True for a yes."""
    from copydesk.cli.output import tell

    tell(f"{question} y/N ", end="")
    return sys.stdin.readline().strip().lower() in {"y", "yes"}


def guarded(command: Callable[[], int], *, as_json: bool = False) -> int:
    """Run a command; turn what goes wrong into one sentence and an exit status.

    ``as_json``: the sentence is also printed as JSON, on a line, where a script reads the output.
    """
    _COMPLAINTS.clear()
    try:
        status = _guarded(command)
    except SystemExit as ended:
        if as_json and isinstance(ended.code, int):
            _print_complaint(ended.code)
        raise
    if as_json:
        _print_complaint(status)
    return status


def complain(message: str) -> None:
    """Say what went wrong."""
    note(message)
    say(f"copydesk: {message}")


def note(message: str) -> None:
    """Remember what went wrong, for a script that reads JSON; somebody else tells people."""
    _COMPLAINTS.append(message)


_COMPLAINTS: list[str] = []
"""What went wrong in this run, for `guarded` to print."""


def _print_complaint(status: int) -> None:
    if _COMPLAINTS:
        from copydesk.cli.output import plain_json, put

        with suppress(OSError, ValueError):
            put(plain_json({"error": {"message": _COMPLAINTS[-1], "exitStatus": status}}))
            _flush()


def _guarded(command: Callable[[], int]) -> int:
    try:
        status = command()
        _flush()  # a full disk is told here, and not after the end
        return status
    except UsageError as complaint:
        complain(str(complaint))
        return complaint.status
    except KeyboardInterrupt:
        complain("stopped")
        return INTERRUPTED
    except BrokenPipeError:
        # The reader of a pipe went away, as `| head` does. Python would complain again at exit.
        _give_up_output()
        _COMPLAINTS.clear()
        return PIPE_CLOSED
    except Exception as error:  # noqa: BLE001 - the edge of the program
        told = _expected(error)
        return _unexpected(error) if told is None else told


def own_streams() -> None:
    """Make the three streams of the process safe to use; call it before any file is opened.

    One that was closed gets the null device: otherwise the next file would take its number, and
    what is written to the stream. What a stream cannot encode is escaped.
    """
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _flush() -> None:
    if sys.stdout is not None and not sys.stdout.closed:
        sys.stdout.flush()


def _give_up_output() -> None:
    """Keep Python from writing again, at the end, what could not be written."""
    with suppress(OSError, ValueError, AttributeError):
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, sys.stdout.fileno())
        os.close(null)


def status_of(answer: int | None) -> int:
    """Return the exit status for the HTTP status of an answer; None when no answer came."""
    if answer is None:
        return OFFLINE
    return {401: NOT_ALLOWED, 403: NOT_ALLOWED, 409: CONFLICT, 412: CONFLICT}.get(answer, FAILED)


def status_for(error: BaseException) -> int:
    """Return the exit status for a request that failed.

    What failed is known by name, so that a command without a client imports none.
    """
    names = {cls.__name__ for cls in type(error).__mro__}
    if "Unreachable" in names:
        return OFFLINE
    if "ReadOnly" in names:
        return NOT_ALLOWED
    if "ConflictedError" in names:  # both sides changed the same things
        return CONFLICT
    return status_of(getattr(error, "status", None) or 0)


def _expected(error: Exception) -> int | None:
    """Explain the errors that the parts raise for a person; None when it is not one of them.

    They are known by name, so that a command without a desk or a client imports neither.
    """
    names = {cls.__name__ for cls in type(error).__mro__}
    if "DeskError" in names or "SourceError" in names or "SettingsError" in names:
        complain(str(error))
        return USAGE
    if "ApiError" in names or "NotDoneError" in names:
        complain(str(error))
        _name_log()
        return status_for(error)
    if "WriteError" in names:  # a write of the screens, with what it failed of behind it
        complain(str(error))
        _name_log()
        return status_for(error.__cause__ or error)
    if "DatabaseError" in names:  # of sqlite3
        return _of_database(error)
    if isinstance(error, OSError):
        try:
            _flush()
        except (OSError, ValueError):
            _give_up_output()
        from copydesk.domain.text import shorten

        name = f"{shorten(str(error.filename), 200)}: " if error.filename else ""
        complain(f"{name}{error.strerror or error}")
        # No file can be called so: that was typed.
        return USAGE if error.errno == errno.ENAMETOOLONG else FAILED
    return None


def _of_database(error: Exception) -> int | None:
    """Explain what is wrong with a desk's file, or with its disk; None for any other mistake."""
    import sqlite3

    from copydesk.server.desk_file import is_damage

    assert isinstance(error, sqlite3.DatabaseError)
    if is_damage(error):
        complain("the desk's file is damaged; `copydesk desk check` says where.")
        return FAILED
    if isinstance(error, sqlite3.OperationalError):
        complain(f"the desk file cannot be used ({error}). Check its disk and permissions.")
        return FAILED
    return None


def _name_log() -> None:
    """Say where the log is, if this run wrote to it."""
    from copydesk.cli import log_file

    if (path := log_file.noted()) is not None:
        say(f"Details: {path}")


def _unexpected(error: Exception) -> int:
    from copydesk.local.log import explain_crash

    note("the program made a mistake; standard error says more")
    say(explain_crash(error))
    if "copydesk.server.store" in sys.modules:
        say("`copydesk desk check` says whether the desk's file is damaged.")
    return FAILED
