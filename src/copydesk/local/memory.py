"""Giving memory that was freed back to the system."""

from __future__ import annotations

import sys
from contextlib import suppress


def trim() -> None:
    """Give back what the C library holds and nobody uses, where it is one that can be told to.

    It keeps most of what was freed, of each thread apart: what a large list was read with, or a
    page of models, would stay. Takes milliseconds, without the interpreter's lock.
    """
    if sys.platform != "linux":
        return
    import ctypes

    with suppress(AttributeError, OSError):  # musl has none
        ctypes.CDLL(None).malloc_trim(0)
