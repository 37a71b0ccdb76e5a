"""Names that are as long as books: cut before anything has to measure them.

A service limits titles to a line. One that does not, or whose limits somebody got around, may send
a megabyte of accents for one, and every row, header and sheet that shows it would have to find out
how wide it is. What is content (a text, a description) is left as it is.
"""

from __future__ import annotations

import re

LONGEST_NAME = 4096
"""Bytes of JSON that a name may have."""

MORE = "…".encode()

_NAME = re.compile(
    rb'"(?:title|subject|displayName|name|label|email|slug|hostname|basename)"\s*:\s*"'
    rb'(?P<name>(?:[^"\\]++|\\.)*+)"',
    re.DOTALL,
)
_WHOLE = re.compile(rb'(?:[^"\\]++|\\u[0-9a-fA-F]{4}|\\[^u])*+', re.DOTALL)


def with_short_names(content: bytes) -> bytes:
    """Return JSON in which no name is longer than ``LONGEST_NAME``; the rest of one is left out."""
    return _NAME.sub(_cut, content)


def _cut(found: re.Match[bytes]) -> bytes:
    name = found["name"]
    if len(name) <= LONGEST_NAME:
        return found[0]
    whole = _WHOLE.match(name[:LONGEST_NAME])
    start = b"" if whole is None else whole[0].decode(errors="ignore").encode()
    return found[0][: found.start("name") - found.start()] + start + MORE + b'"'
