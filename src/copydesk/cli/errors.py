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
    import sqlite3

    from copydesk.local.state import State

DONE, FAILED, USAGE, NOT_ALLOWED, CONFLICT, OFFLINE, LACKING, DIFFERS = range(8)
"""Exit statuses, one meaning each, for scripts. A missing object is a failure, no wrong usage.

`LACKING`: the service does not have the operation; to try again is of no use. `DIFFERS`: it was
only looked, and something would be sent.
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
    from copydesk.cli.output import put_stderr

    put_stderr(message)


def asked(question: str) -> str:
    """Ask a person at the terminal and return the line as it was typed; "" where input has ended.

    Nothing else goes on meanwhile, so that ctrl+c has to end it here and not at the next turn of
    the event loop.
    """
    import signal
    from threading import current_thread, main_thread

    from copydesk.cli.output import last_line, put_stderr, redraw

    redraw()  # how far it is was said on this line
    put_stderr(f"{question} ", end="")
    before = signal.getsignal(signal.SIGINT) if current_thread() is main_thread() else None
    try:
        if callable(before):
            signal.signal(signal.SIGINT, signal.default_int_handler)
        line = sys.stdin.readline()
        if not line.endswith("\n"):  # ctrl+d: what is said next has a line of its own
            put_stderr("")
        return line
    except KeyboardInterrupt:
        put_stderr("")
        raise
    finally:
        if callable(before):
            signal.signal(signal.SIGINT, before)
        last_line.clear()


def agreed(question: str, typed: str = "") -> bool:
    """Ask a person at the terminal; True for a yes, or for ``typed`` where that is asked for."""
    answer = asked(f"{question} type {typed}" if typed else f"{question} y/N")
    return answer.strip().lower() in ({typed} if typed else {"y", "yes"})


def need_answer(*, said: bool, done: str = "sent", plans: bool = False, free: bool = True) -> None:
    """Raise ``UsageError`` where a yes was not ``said`` and no one can be asked for it.

    ``plans``: the command has ``--plan``. ``free``: standard input is not what it reads.
    """
    if not (said or (free and sys.stdin.isatty())):
        look = " (or --plan to look)" if plans else ""
        raise UsageError(f"nothing was {done}: no one can be asked here, so add --yes{look}")


def ask_first(question: str, *, said: bool = False, done: str = "sent", typed: str = "") -> None:
    """Ask as `agreed` does unless the person ``said`` yes. Raises ``UsageError`` for a no."""
    try:
        if said or agreed(question, typed):
            return
    except KeyboardInterrupt as error:
        raise UsageError(f"nothing was {done}.", INTERRUPTED) from error
    raise UsageError(f"nothing was {done}.", FAILED)


def guarded(command: Callable[[], int], *, as_json: bool = False) -> int:
    """Run a command; turn what goes wrong into one sentence and an exit status.

    ``as_json``: the sentence is also printed as JSON, on a line, where a script reads the output.
    """
    _COMPLAINTS.clear()
    _UNPRINTED.clear()
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


def not_printed() -> None:
    """Remember that something could not be printed: the command ends with that."""
    _UNPRINTED.append(True)


_UNPRINTED: list[bool] = []


def _print_complaint(status: int) -> None:
    if _COMPLAINTS:
        from copydesk.cli.output import plain_json, put

        with suppress(OSError, ValueError):
            put(plain_json({"error": {"message": _COMPLAINTS[-1], "exitStatus": status}}))
            _flush()


def _guarded(command: Callable[[], int]) -> int:
    try:
        status = _status(command)
        _flush()  # a full disk is told here, and not after the end
        _tell_misread()
        if _UNPRINTED and status == DONE:
            complain("standard output is closed: what this command prints was lost")
            return FAILED
        return status
    except UsageError as complaint:
        complain(str(complaint))
        return complaint.status
    except KeyboardInterrupt:
        if not _COMPLAINTS:  # else what was under way has told what became of it
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


def _status(command: Callable[[], int]) -> int:
    """Run a command and return its exit status, also where it ends the program as --help does."""
    try:
        return command()
    except SystemExit as ended:
        if ended.code:
            raise
        return DONE


def _tell_misread() -> None:
    """Say how many items of lists could not be read, where something was read at all."""
    if "copydesk.client.api" not in sys.modules:
        return
    from copydesk.domain.request_context import ELSEWHERE

    if ELSEWHERE.said:
        left = "It was" if len(ELSEWHERE.items) == 1 else "They were"
        say(f"copydesk: {ELSEWHERE.said} {left} left out.")
        _name_log()
    ELSEWHERE.forget()


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
    told = {401: NOT_ALLOWED, 403: NOT_ALLOWED, 409: CONFLICT, 412: CONFLICT}
    told |= dict.fromkeys((405, 501), LACKING) | dict.fromkeys((429, 502, 503, 504), OFFLINE)
    return OFFLINE if answer is None else told.get(answer, FAILED)


def status_for(error: BaseException) -> int:
    """Return the exit status for a request that failed."""
    from copydesk.client.errors import ApiError, OperationMissing, ReadOnly, Unreachable
    from copydesk.session.writes.merges import ConflictedError

    match error:
        case Unreachable():
            return OFFLINE
        case ReadOnly():
            return NOT_ALLOWED
        case ConflictedError():  # both sides changed the same things
            return CONFLICT
        case OperationMissing():
            return LACKING
        case ApiError():
            return status_of(error.status or 0)
    return FAILED


def said_of(error: BaseException) -> str:
    """Return what a failure says. The words of a service do not always tell that it failed.

    What is not found was often typed: nobody says of that that it was deleted.
    """
    from copydesk.client.errors import ApiError, NotFound, Unreachable
    from copydesk.session.errors import sentence

    plain = isinstance(error, NotFound | Unreachable) or not isinstance(error, ApiError)
    return str(error) if plain else sentence(error, "")


def _expected(error: Exception) -> int | None:
    """Explain the errors that the parts raise for a person; None when it is not one of them."""
    import sqlite3

    if isinstance(error, sqlite3.DatabaseError):
        return _of_database(error)
    if isinstance(error, OSError):
        return _of_system(error)
    # A command without a desk or a client imports neither, unless it fails.
    from copydesk.client.errors import ApiError
    from copydesk.local.settings import SettingsError
    from copydesk.server.sources.model import SourceError
    from copydesk.server.store import DeskError
    from copydesk.session.errors import NotDoneError
    from copydesk.session.writes.log import WriteError

    match error:
        case DeskError() | SourceError() | SettingsError():
            status = USAGE
        case ApiError() | NotDoneError():
            status = status_for(error)
        case WriteError():  # what it failed of stands behind it
            status = status_for(error.__cause__ or error)
        case _:
            return None
    complain(said_of(error))
    if status != USAGE:
        _name_log()
    return status


def _of_system(error: OSError) -> int:
    from copydesk.domain.text import shorten
    from copydesk.local.paths import NoHomeError

    try:
        _flush()
    except (OSError, ValueError):
        _give_up_output()
    name = f"{shorten(str(error.filename), 200)}: " if error.filename else ""
    complain(f"{name}{error.strerror or error}")
    # No file can be called so: that was typed.
    typed = error.errno == errno.ENAMETOOLONG or isinstance(error, NoHomeError)
    return USAGE if typed else FAILED


def _of_database(error: sqlite3.DatabaseError) -> int | None:
    """Explain a fault of a desk's file or disk; return its exit status, None for others."""
    from copydesk.server.desk_file import is_damage

    if is_damage(error):
        complain("the desk's file is damaged; `copydesk desk check` says where.")
        return FAILED
    import sqlite3

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

    note("this is an error of copydesk; standard error says more")
    say(explain_crash(error))
    if "copydesk.server.store" in sys.modules:
        say("`copydesk desk check` says whether the desk's file is damaged.")
    return FAILED
