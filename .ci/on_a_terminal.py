"""Open the installed program on a pseudo-terminal, as a person would, and see its first rows.

Then its manual, which comes along with it.
"""

from __future__ import annotations

import fcntl
import os
import pty
import select
import struct
import sys
import termios
import time

import pyte

COLUMNS, ROWS, PATIENCE = 100, 30, 120.0


def main() -> int:
    """Open the program that is named, and its manual; 0 when both show theirs, and end on Q."""
    return shows("Spaces", "Handbook") or shows("Manual", "A week of tickets", "manual")


def shows(title: str, row: str, *words: str) -> int:
    """Run the program with some words; 0 when it shows others, quits on Q and exits with 0."""
    program = sys.argv[1]
    screen = pyte.Screen(COLUMNS, ROWS)
    stream = pyte.ByteStream(screen)
    pid, terminal = pty.fork()
    if pid == 0:
        os.environ["TERM"] = "xterm-256color"
        os.execv(program, [program, *words])
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
    shown = False
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        if not select.select([terminal], [], [], 0.2)[0]:
            continue
        try:
            data = os.read(terminal, 65536)
        except OSError:
            break
        if not data:
            break
        stream.feed(data)
        there = "\n".join(screen.display)
        if not shown and title in there and row in there:
            shown = True
            os.write(terminal, b"Q")
    _, status = os.waitpid(pid, 0)
    print("\n".join(line.rstrip() for line in screen.display if line.strip()))
    code = os.waitstatus_to_exitcode(status)
    print(f"its rows were shown: {shown}; exit status {code}")
    return 0 if shown and code == 0 else 1


if __name__ == "__main__":
    sys.exit(main())
