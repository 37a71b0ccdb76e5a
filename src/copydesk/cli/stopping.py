"""Ctrl+c in the middle of sending: the request under way is let end first."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from copydesk.cli.edge import say


@contextmanager
def stopping(stop: Callable[[], None]) -> Iterator[None]:
    """Stop after the request under way at the first ctrl+c, instead of in the middle of it."""
    loop = asyncio.get_running_loop()

    def stop_once() -> None:
        loop.remove_signal_handler(signal.SIGINT)
        say("Stopping after the request under way; ctrl+c again stops at once.")
        stop()

    try:
        loop.add_signal_handler(signal.SIGINT, stop_once)
    except (NotImplementedError, ValueError, RuntimeError):
        yield  # no such handlers on this system, or in this thread
        return
    try:
        yield
    finally:
        loop.remove_signal_handler(signal.SIGINT)
