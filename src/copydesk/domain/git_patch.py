"""Changes of files as a patch that ``git apply`` takes, with every byte."""

from __future__ import annotations

import re
import zlib
from base64 import b85encode
from collections.abc import Iterator, Sequence
from hashlib import sha1
from typing import NamedTuple

from copydesk.domain.sequence_matches import Gap, equal_runs, gaps

CONTEXT = 3
"""Unchanged lines around a change, as in git."""

NO_FILE = "0" * 40
"""What git calls the contents of a file that is not there."""

_TO_QUOTE = re.compile(r"[\x00-\x1f\x7f\"\\]")

_BINARY_LINE = 52
"""Bytes that a line of a binary patch holds."""


class Side(NamedTuple):
    """A file on one side of a patch: its path and its content; None where it does not exist."""

    path: str
    data: bytes | None


def file_patch(was: Side, now: Side) -> Iterator[bytes]:
    """Yield the patch of one file, as git writes it; nothing where both sides are the same."""
    if was == now or (was.data is None and now.data is None):
        return
    old, new = was.path or now.path, now.path or was.path
    yield _line(f"diff --git {_quoted('a/' + old)} {_quoted('b/' + new)}")
    if was.data is None:
        yield b"new file mode 100644\n"
    elif now.data is None:
        yield b"deleted file mode 100644\n"
    elif old != new:
        yield _line(f"rename from {_quoted(old)}\nrename to {_quoted(new)}")
    before, after = was.data or b"", now.data or b""
    if before == after:
        return
    if _is_binary(before) or _is_binary(after):
        yield from _binary(was.data, now.data)
        return
    # The ids let git fall back on merging, where the lines around a change are others.
    mode = " 100644" if was.data is not None and now.data is not None else ""
    yield _line(f"index {_oid(was.data)}..{_oid(now.data)}{mode}")
    yield _line(f"--- {'/dev/null' if was.data is None else _named('a/' + old)}")
    yield _line(f"+++ {'/dev/null' if now.data is None else _named('b/' + new)}")
    yield from _hunks(_lines(before), _lines(after))


def _line(text: str) -> bytes:
    return f"{text}\n".encode(errors="surrogatepass")


def _quoted(name: str) -> str:
    """Return a name as git writes it: in quotes where it has signs that would end it."""
    if _TO_QUOTE.search(name) is None:
        return name
    inside = _TO_QUOTE.sub(
        lambda sign: f"\\{sign[0]}" if sign[0] in '"\\' else f"\\{ord(sign[0]):03o}", name
    )
    return f'"{inside}"'


def _named(name: str) -> str:
    """Return a name as it stands in a header: a tab ends one that has blanks."""
    return f"{_quoted(name)}\t" if " " in name else _quoted(name)


def _is_binary(data: bytes) -> bool:
    """Whether git would take a file for no text."""
    return b"\0" in data[:8000]


def _binary(was: bytes | None, now: bytes | None) -> Iterator[bytes]:
    yield _line(f"index {_oid(was)}..{_oid(now)}")
    yield b"GIT binary patch\n"
    for data in (now or b"", was or b""):
        yield _line(f"literal {len(data)}")
        packed = zlib.compress(data)
        for at in range(0, len(packed), _BINARY_LINE):
            part = packed[at : at + _BINARY_LINE]
            size = len(part)
            sign = chr(ord("A") + size - 1) if size <= 26 else chr(ord("a") + size - 27)
            yield sign.encode() + b85encode(part, pad=True) + b"\n"
        yield b"\n"


def _oid(data: bytes | None) -> str:
    if data is None:
        return NO_FILE
    return sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()


def _lines(data: bytes) -> list[bytes]:
    """Return the lines of a file with their ends; the last may have none."""
    *whole, last = data.split(b"\n")
    return [*(line + b"\n" for line in whole), *([last] if last else [])]


def _hunks(old: Sequence[bytes], new: Sequence[bytes]) -> Iterator[bytes]:
    groups: list[list[Gap]] = []
    for gap in gaps(equal_runs(old, new), len(old), len(new)):
        if groups and gap.a1 - groups[-1][-1].a2 <= 2 * CONTEXT:
            groups[-1].append(gap)
        else:
            groups.append([gap])
    for group in groups:
        first, last = group[0], group[-1]
        a1 = max(0, first.a1 - CONTEXT)
        b1 = first.b1 - (first.a1 - a1)
        a2 = min(len(old), last.a2 + CONTEXT)
        b2 = last.b2 + (a2 - last.a2)
        yield _line(f"@@ -{_range(a1, a2)} +{_range(b1, b2)} @@")
        at = a1
        for gap in group:
            yield from _signed(b" ", old[at : gap.a1])
            yield from _signed(b"-", old[gap.a1 : gap.a2])
            yield from _signed(b"+", new[gap.b1 : gap.b2])
            at = gap.a2
        yield from _signed(b" ", old[at:a2])


def _range(start: int, stop: int) -> str:
    return f"{start + 1 if stop > start else start},{stop - start}"


def _signed(sign: bytes, lines: Sequence[bytes]) -> Iterator[bytes]:
    for line in lines:
        yield sign + line
        if not line.endswith(b"\n"):
            yield b"\n\\ No newline at end of file\n"
