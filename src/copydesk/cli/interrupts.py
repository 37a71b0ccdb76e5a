"""Ctrl+c, or being asked to end, in the middle of sending: the work under way may end first."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from copydesk.cli.errors import say

_SIGNALS = (signal.SIGINT, signal.SIGTERM)


@contextmanager
def stopping(stop: Callable[[], None]) -> Iterator[None]:
    """Stop after the request under way at the first ctrl+c, instead of in the middle of it.

    So it does when the system, or who started the program, asks it to end. ``stop`` is called
    before anything is said.
    """
    loop = asyncio.get_running_loop()

    def listen_no_more() -> None:
        for number in _SIGNALS:
            loop.remove_signal_handler(number)

    def stop_once() -> None:
        listen_no_more()
        stop()
        say("Stopping after the call under way; ctrl+c again stops at once.")

    try:
        for number in _SIGNALS:
            loop.add_signal_handler(number, stop_once)
    except (NotImplementedError, ValueError, RuntimeError):
        yield  # no such handlers on this system, or in this thread
        return
    try:
        yield
    finally:
        listen_no_more()
