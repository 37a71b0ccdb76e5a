"""The log: one JSON object per line, private, without tokens and without typed text.

Unexpected errors are in it with their tracebacks, and with ``--debug`` every request. Messages of
errors may quote typed text, so only those made by code alone are kept; tracebacks have the lines of
the program, and no values.
"""

from __future__ import annotations

import json
import logging
import os
import re
import sqlite3
import tempfile
import threading
from collections.abc import Collection, Iterator
from contextlib import suppress
from datetime import UTC, datetime
from io import TextIOWrapper
from logging.handlers import RotatingFileHandler
from pathlib import Path
from types import TracebackType
from typing import Any

from copydesk.local.durable import append_file, private_file
from copydesk.local.paths import find_paths, private_folder

NAME = "copydesk"
"""The logger of copydesk."""

DEBUG_VARIABLE = "COPYDESK_DEBUG"
"""When set to anything but "" and "0", requests are logged as with ``--debug``."""

FILE_BYTES = 1024 * 1024
FILES_KEPT = 3

FRAMES = 60
"""Frames kept of a traceback: of more the outermost and innermost halves."""

CAUSES = 5
"""Errors kept of a chain of causes, the last one first."""

_BEARER = re.compile(
    r"(?i)\b(bearer|authorization|token)\b(['\"]?\s*[:=]?\s*['\"]?)(bearer\s+)?[\w.~+/=-]{8,}"
)
_SAID_BY_CODE: tuple[type[BaseException], ...] = (
    AttributeError,
    NameError,
    ImportError,
    TypeError,
    IndexError,
    ArithmeticError,
    RecursionError,
    RuntimeError,
    MemoryError,
)
"""Errors whose message is made by code. Others, as ``ValueError``, quote values."""

_QUOTED = re.compile(r"(['\"])(?:(?!\1).)*?\s(?:(?!\1).)*?\1", re.DOTALL)
_NAMED = re.compile(r"(['\"]).*\1", re.DOTALL)
_HIDDEN = "'…'"
_GIVEN = frozenset(
    vars(logging.LogRecord("", 0, "", 0, "", None, None)) | {"message": 0, "asctime": 0}
)
_hidden: list[Collection[str]] = []
_appending = threading.Lock()


def hide(secrets: Collection[str]) -> None:
    """Remove secrets from everything that is logged from now on, also in crashes.

    Secrets added to the collection later are removed too.
    """
    if not any(secrets is known for known in _hidden):
        _hidden.append(secrets)


def debugging() -> bool:
    """Whether the environment asks for requests in the log."""
    return os.environ.get(DEBUG_VARIABLE, "") not in ("", "0")


class _Private(RotatingFileHandler):
    """A private log file, which goes without lines that the disk refuses."""

    def _open(self) -> TextIOWrapper:
        return open(
            self.baseFilename,
            "a",
            encoding=self.encoding,
            errors=self.errors,
            opener=lambda path, flags: os.open(private_file(Path(path)), flags),
        )

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802 - logging calls it so
        """Drop a line that the disk refuses: there is nowhere to say so, and work goes on."""


class _Lines(logging.Formatter):
    """A record as one line of JSON: its message, its extra fields, and its error."""

    def format(self, record: logging.LogRecord) -> str:
        value: dict[str, Any] = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "said": record.getMessage(),
            "process": record.process,
        }
        value.update((name, given) for name, given in vars(record).items() if name not in _GIVEN)
        if record.exc_info and record.exc_info[1] is not None:
            value["errors"] = list(told(record.exc_info[1]))
        return json.dumps(_redacted(value), default=lambda other: type(other).__name__)


def told(error: BaseException) -> Iterator[dict[str, Any]]:
    """Return an error and its causes, the last one first, without any value in them."""
    seen: set[int] = set()
    following: BaseException | None = error
    while following is not None and id(following) not in seen and len(seen) < CAUSES:
        seen.add(id(following))
        yield {
            "type": type(following).__qualname__,
            "said": _said(following),
            "frames": _frames(following.__traceback__),
        }
        following = following.__cause__ or (
            None if following.__suppress_context__ else following.__context__
        )


def _said(error: BaseException) -> str:
    """Return the message of an error where nobody can have typed a part of it."""
    if isinstance(error, OSError):
        parts = (error.strerror, error.filename, error.filename2)
        return ": ".join(str(part) for part in parts if part is not None)
    if isinstance(error, sqlite3.Error):
        # Values may be quoted in it; only SQLite's own errors have a code.
        code = getattr(error, "sqlite_errorname", None)
        return "" if code is None else f"{code}: {_NAMED.sub(_HIDDEN, str(error))}"[:500]
    if isinstance(error, _SAID_BY_CODE) and type(error).__module__ == "builtins":
        return _QUOTED.sub(_HIDDEN, str(error))[:500]
    return ""


def _frames(traceback: TracebackType | None) -> list[str]:
    import linecache

    frames = []
    while traceback is not None:
        code, line = traceback.tb_frame.f_code, traceback.tb_lineno
        source = linecache.getline(code.co_filename, line).strip()
        frames.append(f"{code.co_filename}:{line} {code.co_qualname}: {source}")
        traceback = traceback.tb_next
    if len(frames) > FRAMES:
        half = FRAMES // 2
        frames[half:-half] = [f"({len(frames) - FRAMES} more)"]
    return frames


def _redacted(value: Any) -> Any:
    """Return a value without the credentials in its texts."""
    if isinstance(value, str):
        known = {secret for secrets in _hidden for secret in tuple(secrets)}
        for secret in sorted(
            {*known, os.environ.get("COPYDESK_TOKEN", "").strip()} - {""}, key=len, reverse=True
        ):
            value = value.replace(secret, "…")
        return _BEARER.sub(r"\1\2…", value)
    if isinstance(value, dict):
        return {_redacted(key): _redacted(each) for key, each in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [_redacted(each) for each in value]
    return value


def open_log(path: Path, *, secrets: Collection[str] = (), debug: bool = False) -> logging.Logger:
    """Write the log to ``path`` and nowhere else, and return the logger.

    ``secrets`` are hidden (`hide`), and so is what looks like a bearer token. With ``debug``
    requests are logged too. The file is rotated at 1 MiB, three old ones are kept. Another call
    replaces the file. Raises ``OSError`` when the file cannot be created.
    """
    hide(secrets)
    private_folder(path.parent)
    handler = _Private(
        path,
        maxBytes=FILE_BYTES,
        backupCount=FILES_KEPT,
        encoding="utf-8",
        errors="backslashreplace",
    )
    handler.setFormatter(_Lines())
    close_log()
    logger = logging.getLogger(NAME)
    logger.addHandler(handler)
    logger.setLevel(logging.DEBUG if debug else logging.INFO)
    # The terminal belongs to the screens: nothing may reach the handlers of the root logger.
    logger.propagate = False
    return logger


def close_log() -> None:
    """Close the log's file."""
    logger = logging.getLogger(NAME)
    for handler in tuple(logger.handlers):
        logger.removeHandler(handler)
        with suppress(OSError):  # what a full disk refused before, it refuses again
            handler.close()


def write_crash(error: BaseException, path: Path | None = None) -> Path:
    """Log an unexpected error with its traceback, and return the file.

    ``path`` is the log (default: this user's). Where it cannot be written, a new temporary file is;
    raises ``OSError`` when that fails too.
    """
    path = path or find_paths().log
    try:
        private_folder(path.parent)
        _add_crash(error, path)
    except OSError:
        descriptor, name = tempfile.mkstemp(prefix="copydesk-", suffix=".log")
        os.close(descriptor)
        path = Path(name)
        _add_crash(error, path)
    return path


def explain_crash(error: BaseException, path: Path | None = None, *, kept: str = "") -> str:
    """Log an unexpected error, and return the sentence for a person.

    ``kept`` says what became of typed text. Never raises: where no file can be written, the
    sentence names the place in the program.
    """
    name = type(error).__name__
    said = f"copydesk: something unexpected went wrong ({name}). {kept}".strip()
    try:
        return f"{said} Details: {write_crash(error, path)}"
    except OSError as refused:
        last = next(iter(told(error)))["frames"][-1:] or [name]
        return f"{said} No log could be written ({refused.strerror}). It was at {last[0]}"


def _add_crash(error: BaseException, path: Path) -> None:
    # Not through the logger: it may be closed, or the very thing that failed.
    record = logging.LogRecord(
        NAME,
        logging.CRITICAL,
        __file__,
        0,
        "unexpected error",
        None,
        (type(error), error, error.__traceback__),
    )
    with _appending:
        append_file(path, _Lines().format(record).encode("ascii") + b"\n")
