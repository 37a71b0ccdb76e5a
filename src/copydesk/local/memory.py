"""When garbage is looked for, and giving memory that was freed back to the system.

What is looked through while a program starts is what it is about to use: none of it is garbage.
"""

from __future__ import annotations

import gc
import sys
from contextlib import suppress
from time import thread_time

STILL_SECONDS = 2.0
"""How long no key came when all objects are looked through for garbage."""

PAUSE_SECONDS = 0.1
"""How long no key came when that is done after a screen was left."""

TIMES = 3
"""How many times longer than the last look for garbage that pause must be, for one screen."""

YOUNG, MIDDLE = 700, 10
"""After how many new objects the young are looked through, and the middle after how many times."""

COLLECTED, COLLECTED_AT_LAST = 10, 300
"""After how many collections of young objects that is done, and is done although keys come."""

SELDOM = 50_000, 20, 20
"""The same three numbers for commands: most are over before they made garbage."""


def collect_seldom() -> None:
    """Begin to look for garbage, in a command: not in what was imported, and seldom."""
    gc.freeze()
    gc.set_threshold(*SELDOM)
    gc.enable()


class Garbage:
    """Looks for garbage while no key comes: all objects are looked through, and a key would wait.

    A screen that was left is thousands of objects that hold each other. They are freed in the first
    pause, before others lie around them: what they took could not be given back to the system. The
    more of them wait, the shorter a pause will do: each makes the next look longer, and who goes
    through reviews without a rest would make garbage for ever.
    """

    def __init__(self) -> None:
        self.left = 0
        """How many screens were left since all objects were looked through."""
        self._took = 0.0

    def settle(self) -> None:
        """Free the garbage of the start once, and look no more at what stays."""
        if not gc.isenabled():
            gc.collect()
            gc.freeze()
            gc.set_threshold(YOUNG, MIDDLE, COLLECTED_AT_LAST)
            gc.enable()

    def collect(self, still: float) -> None:
        """Look through all objects if that is due after ``still`` seconds without a key."""
        if gc.get_threshold()[2] != COLLECTED_AT_LAST:
            self.left = 0  # the interpreter looks by itself
        elif (self.left and still >= max(PAUSE_SECONDS, TIMES * self._took / self.left)) or (
            still >= STILL_SECONDS and gc.get_count()[2] >= COLLECTED
        ):
            begun = thread_time()
            gc.collect()
            self._took = thread_time() - begun
            self.left = 0


_ARENA_MAX = -8
"""The name of the setting of the C library (``M_ARENA_MAX``)."""


def share_memory() -> None:
    """Have the threads to come take memory from where the others do.

    Each would get a part of its own from the C library, most of which is soon free and of no use to
    the others: the list of a large organization was read by eight of them. Threads that have a part
    keep it. Most of their work holds the interpreter's lock, so that they seldom wait here.
    """
    _ask_library("mallopt", _ARENA_MAX, 1)


def trim() -> None:
    """Give back what the C library holds and nobody uses, where it is one that can be told to.

    It keeps most of what was freed, of each thread apart: what a large list was read with, or a
    page of models, would stay. Takes milliseconds, without the interpreter's lock.
    """
    _ask_library("malloc_trim", 0)


def _ask_library(function: str, *numbers: int) -> None:
    if sys.platform != "linux":
        return
    import ctypes

    with suppress(AttributeError, OSError):  # musl has none
        getattr(ctypes.CDLL(None), function)(*numbers)
