"""When garbage is looked for, sharing memory among threads, and giving back what was freed."""

from __future__ import annotations

import gc
import subprocess
import sys
from itertools import count

import pytest

from copydesk.local import memory
from copydesk.local.memory import COLLECTED_AT_LAST, Garbage

PROBE = """
import platform
from pathlib import Path
from copydesk.local.memory import trim

def taken():
    return int(Path("/proc/self/smaps_rollup").read_text().split("Pss:")[1].split()[0])

if platform.libc_ver()[0] == "glibc":
    # What lies between what stays is freed, and the C library keeps it.
    parts = [bytearray(8192) for _ in range(8000)]
    freed = sum(map(len, parts[1::2])) // 1024
    del parts[1::2]
    before = taken()
    trim()
    assert before - taken() > freed / 4, (before, taken(), freed)
else:
    trim()
"""


def test_what_was_freed_between_what_stays_is_given_back() -> None:
    subprocess.run([sys.executable, "-c", PROBE], check=True)


ARENAS = """
import ctypes
import platform
from threading import Barrier, Thread
from copydesk.local.memory import share_memory

def parts():
    # Each part is mapped on a boundary of 64 MiB, at which the C library looks for its head.
    library = ctypes.CDLL(None)
    library.malloc.restype = ctypes.c_void_p
    together, found = Barrier(8), set()

    def take():
        together.wait()
        found.add(library.malloc(4096) >> 26)
        together.wait()

    threads = [Thread(target=take) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return len(found)

share_memory()
if platform.libc_ver()[0] == "glibc":
    assert parts() == 1, "a thread has a part of its own"
"""


def test_threads_take_memory_from_one_part() -> None:
    subprocess.run([sys.executable, "-c", ARENAS], check=True)


def test_the_more_screens_were_left_the_shorter_a_pause_will_do(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    garbage, clock, before = Garbage(), count(step=0.2), gc.get_threshold()
    monkeypatch.setattr(memory, "thread_time", lambda: next(clock))
    gc.set_threshold(*before[:2], COLLECTED_AT_LAST)
    try:
        garbage.left = 1
        garbage.collect(still=0.16)
        assert not garbage.left, "how long a look takes is not known yet"
        waited = []
        for _ in range(10):
            garbage.left += 1
            garbage.collect(still=0.16)
            waited.append(garbage.left)
        assert waited == [1, 2, 3, 0, 1, 2, 3, 0, 1, 2]
        garbage.left = 100
        garbage.collect(still=0.05)
        assert garbage.left, "a key may come at any moment"
    finally:
        gc.set_threshold(*before)
