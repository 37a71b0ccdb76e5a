"""The log of a run: opened behind the first paint, or at once where every request is asked for."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from copydesk.local.paths import Paths


def ask_for_requests() -> None:
    """Log the requests too, as ``--debug`` asks for; in this process, and in those it starts."""
    from copydesk.local.log import DEBUG_VARIABLE

    os.environ[DEBUG_VARIABLE] = "1"


def begin_debugging() -> None:
    """Open the log where every request is asked for, at once; else when there is need for it."""
    if os.environ.get("COPYDESK_DEBUG", "") not in ("", "0"):
        from copydesk.local.paths import find_paths

        begin(find_paths().log)
    else:
        begin_when_needed()


class _WhenNeeded(logging.Handler):
    """Opens the log at the first line for it: most commands have nothing to log."""

    def emit(self, record: logging.LogRecord) -> None:
        """Open the log, and have it written there."""
        from copydesk.local.paths import find_paths

        path = find_paths().log
        begin(path)
        _noted.append(path)
        logging.getLogger("copydesk").handle(record)


_noted: list[Path] = []


def begin_when_needed() -> None:
    """Open the log once there is something for it, and keep it from the terminal."""
    logger = logging.getLogger("copydesk")
    for handler in tuple(logger.handlers):
        logger.removeHandler(handler)
        handler.close()
    _noted.clear()
    logger.propagate = False
    logger.addHandler(_WhenNeeded(logging.WARNING))


def noted() -> Path | None:
    """Return the log, if something was written to it since it was opened when needed."""
    return _noted[-1] if _noted else None


def silence() -> None:
    """Keep log lines from the terminal that come before a log file, or without one."""
    logger = logging.getLogger("copydesk")
    logger.propagate = False
    if not logger.handlers:
        logger.addHandler(logging.NullHandler())


def begin(path: Path, secrets: Sequence[str] = ()) -> None:
    """Open the log. Where that cannot be, there is none, and work goes on."""
    from copydesk.local import log

    try:
        log.open_log(path, secrets=secrets, debug=log.debugging())
    except OSError:
        log.close_log()
        silence()


def background(paths: Paths) -> Callable[[BaseException], str]:
    """Return what logs an error that ends nothing, and says where it is to be found."""

    def explain(error: BaseException) -> str:
        from copydesk.local.log import NAME

        logging.getLogger(NAME).error("unexpected error in the background", exc_info=error)
        return (
            f"An unexpected error in the background ({type(error).__name__}): news and lists may "
            f"be out of date. Details: {paths.log}"
        )

    return explain


def crash(paths: Paths) -> Callable[[BaseException, str], str]:
    """Return what logs the error that ends the screens, and says where it is to be found."""

    def explain(error: BaseException, kept: str) -> str:
        from copydesk.local.log import explain_crash

        return explain_crash(error, paths.log, kept=kept)

    return explain
