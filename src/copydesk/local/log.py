"""The log of what should not have happened. It never holds a token."""

from __future__ import annotations

import logging
import os
import re
import tempfile
from collections.abc import Iterable
from io import TextIOWrapper
from logging.handlers import RotatingFileHandler
from pathlib import Path

from copydesk.local.durable import PRIVATE, append_file
from copydesk.local.paths import find_paths, private_folder

NAME = "copydesk"
"""The logger that all of copydesk writes to."""

FILE_BYTES = 1024 * 1024
FILES_KEPT = 3

_BEARER = re.compile(
    r"(?i)\b(bearer|authorization|token)\b(['\"]?\s*[:=]?\s*['\"]?)(bearer\s+)?[\w.~+/=-]{8,}"
)


class _Private(RotatingFileHandler):
    """Opens its files for this user only."""

    def _open(self) -> TextIOWrapper:
        return open(
            self.baseFilename,
            "a",
            encoding=self.encoding,
            errors=self.errors,
            opener=lambda path, flags: os.open(path, flags, PRIVATE),
        )


class _Redacted(logging.Formatter):
    """Takes credentials out of the finished text, tracebacks included."""

    def __init__(self, secrets: Iterable[str]) -> None:
        super().__init__("%(asctime)s %(levelname)s %(name)s: %(message)s")
        self._secrets = tuple(secret for secret in secrets if secret)

    def format(self, record: logging.LogRecord) -> str:
        text = super().format(record)
        for secret in self._secrets:
            text = text.replace(secret, "…")
        return _BEARER.sub(r"\1\2…", text)


def open_log(path: Path, *, secrets: Iterable[str] = ()) -> logging.Logger:
    """Write what copydesk logs to ``path`` and nowhere else, and return the logger.

    ``secrets`` are taken out of every line, and so is what looks like a bearer token. The file is
    turned over at 1 MiB, three old ones are kept. Calling it again replaces the file. Raises
    ``OSError`` when the file cannot be made.
    """
    private_folder(path.parent)
    handler = _Private(
        path,
        maxBytes=FILE_BYTES,
        backupCount=FILES_KEPT,
        encoding="utf-8",
        errors="backslashreplace",
    )
    handler.setFormatter(_Redacted(secrets))
    close_log()
    logger = logging.getLogger(NAME)
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    # The terminal belongs to the screens: nothing may reach the handlers of the root logger.
    logger.propagate = False
    return logger


def close_log() -> None:
    """Close the log's file."""
    logger = logging.getLogger(NAME)
    for handler in tuple(logger.handlers):
        logger.removeHandler(handler)
        handler.close()


def write_crash(error: BaseException, path: Path | None = None) -> Path:
    """Add an unexpected error with its traceback to the log and return where it is to be found.

    ``path`` is the log (default: this user's). Where it cannot be written, a new file in the folder
    for temporary files is; raises ``OSError`` when that fails too.
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
    text = _Redacted([os.environ.get("COPYDESK_TOKEN", "")]).format(record)
    append_file(path, text.encode("utf-8", "backslashreplace") + b"\n")
