"""A file that a command is given to read, or standard input in its place (``-``)."""

from __future__ import annotations

import sys
from contextlib import nullcontext
from pathlib import Path

from copydesk.cli.errors import UsageError
from copydesk.domain.yaml_lines import LONGEST, FileError
from copydesk.local.paths import expanded

STANDARD_INPUT = "-"


def is_piped(file: Path | str | None) -> bool:
    """Whether that is standard input, so that no one can be asked there."""
    return str(file) == STANDARD_INPUT


def named(file: Path | str) -> str:
    """Return what messages call it."""
    return "standard input" if is_piped(file) else str(file)


def read_bytes(file: Path | str, most: int = -1) -> bytes:
    """Return what is in it, so many bytes at most. Raises ``OSError``."""
    path = file if isinstance(file, Path) else expanded(file)
    with nullcontext(sys.stdin.buffer) if is_piped(file) else path.open("rb") as source:
        return source.read(most)


def read_text(file: Path) -> str:
    """Return the text of a file that a person wrote. Raises ``UsageError`` if it is unreadable."""
    try:
        held = read_bytes(file, 4 * LONGEST + 1)
        return held.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = held.count(b"\n", 0, error.start) + 1
        raise UsageError(
            f"{named(file)}, line {line}: this is not UTF-8 text. Save it as UTF-8."
        ) from error
    except OSError as error:
        raise UsageError(f"{named(file)} cannot be read: {error.strerror or error}") from error


def mistaken(file: Path, error: Exception) -> UsageError:
    """Return the complaint about a file, one line for each problem."""
    problems = error.problems if isinstance(error, FileError) else ()
    said = [f"{named(file)}, {problem}" for problem in problems]
    lines = [line if line.endswith("?") else f"{line}." for line in said]
    return UsageError("\n".join([*lines, "Nothing was sent."]))
