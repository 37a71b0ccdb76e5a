"""Giving freed memory back to the system."""

from __future__ import annotations

import subprocess
import sys

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
