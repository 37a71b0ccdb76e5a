"""Where conversations begin and end in a file of any size and shape, and on which line.

A file may be larger than memory: it is read piece by piece, and no more is held than one
conversation takes.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

from copydesk.domain.text import clean, shorten

LARGEST = 8 * 1024 * 1024
"""The most bytes that one conversation may take in a file; a request holds no more."""

PIECE = 1024 * 1024
"""Bytes read at once."""

NAME_CELLS = 60
"""How much of an id or a name is shown where it is complained about."""

_BOM = b"\xef\xbb\xbf"
_BLANK = re.compile(rb"(?:[ \t\r\n]|\xef\xbb\xbf)*+")
_TOKEN = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"|["{}\[\]]', re.DOTALL)
_NOT_READ = "the rest of this file was not read"


class Readable(Protocol):
    """A file that bytes are read from."""

    def read(self, size: int, /) -> bytes:
        """Return at most ``size`` bytes, none at the end."""


@dataclass(frozen=True, slots=True)
class Complaint:
    """Something that cannot be sent, and why. ``number`` is 0 where it is no conversation.

    ``id`` is that of the conversation as far as it can be read, and as it was written.
    """

    line: int
    sentence: str
    number: int = 0
    id: str = ""

    def __str__(self) -> str:
        which = f", conversation {self.number}" if self.number else ""
        named = f" ({shorten(clean(self.id), NAME_CELLS)})" if self.id else ""
        return f"line {self.line}{which}{named}: {self.sentence}"


Frame = tuple[int, bytes]
"""The line on which a conversation begins, and its bytes."""


class _Pieces:
    """A file of which a piece is held: what was not taken yet, from ``at`` on."""

    def __init__(self, file: Readable) -> None:
        self._file = file
        self.held = b""
        self.at = 0
        self.line = 1
        self._ended = False

    def more(self) -> bool:
        """Hold another piece; False at the end of the file."""
        piece = b"" if self._ended else self._file.read(PIECE)
        self._ended = not piece
        if piece:
            self.held, self.at = self.held[self.at :] + piece, 0
        return bool(piece)

    def sign(self) -> bytes:
        """Go to the next byte that is not blank and return it; b"" at the end of the file."""
        while True:
            blank = _BLANK.match(self.held, self.at)
            self._go(blank.end() if blank else self.at)
            # The mark that a text may begin with must not be cut in two by the end of a piece.
            if len(self.held) - self.at >= len(_BOM) or not self.more():
                return self.held[self.at : self.at + 1]

    def _go(self, end: int) -> None:
        self.line += self.held.count(b"\n", self.at, end)
        self.at = end

    def take(self, end: int) -> Frame:
        """Return what there is up to ``end`` with its line, and go there."""
        line, data = self.line, self.held[self.at : end]
        self._go(end)
        return line, data

    def end_of_line(self, begin: int = 0) -> int | None:
        """Return where the line ends that is ``begin`` bytes further; None where it is too long."""
        while (found := self.held.find(b"\n", self.at + begin)) < 0:
            if len(self.held) - self.at > LARGEST:
                return None
            if not self.more():
                return len(self.held)
        return found if found - self.at <= LARGEST else None

    def skip_line(self) -> None:
        """Go to the end of a line however long it is."""
        while (found := self.held.find(b"\n", self.at)) < 0:
            self.at = len(self.held)
            if not self.more():
                return
        self._go(found)

    def end_of_object(self) -> int | None:
        """Return where the object ends that begins here; None where the file or the room does."""
        depth, scanned = 0, 0
        while True:
            start = self.at + scanned
            for token in _TOKEN.finditer(self.held, start):
                start = token.end()
                match token[0]:
                    case b"{" | b"[":
                        depth += 1
                    case b"}" | b"]":
                        depth -= 1
                        if not depth:
                            return start if start - self.at <= LARGEST else None
                    case b'"':  # a text that ends in a later piece
                        start -= 1
                        break
            else:
                start = len(self.held)
            scanned = start - self.at
            if len(self.held) - self.at > LARGEST or not self.more():
                return None

    def whole(self) -> bool:
        """Whether the file ended before there was no more room."""
        return self._ended


def frames(file: Readable) -> Iterator[Frame | Complaint]:
    """Yield where conversations stand in a file, in their order, and what is in the way."""
    pieces = _Pieces(file)
    sign = pieces.sign()
    if (sign and sign in b"\xff\xfe\0") or b"\0" in pieces.held[pieces.at : pieces.at + 2]:
        yield Complaint(1, "this is not UTF-8 text (UTF-16, perhaps). Save it as UTF-8.")
    elif sign and sign < b" ":
        yield Complaint(1, "this is no text (compressed, perhaps). Give the JSON that is in it.")
    elif sign == b"{" and _one_a_line(pieces):
        yield from _lines(pieces)
    else:
        yield from _values(pieces)


def _one_a_line(pieces: _Pieces) -> bool:
    """Whether the first line is an object of its own, be there a mistake in it or not."""
    end = pieces.end_of_line()
    if end is None:
        return False
    first = pieces.held[pieces.at : end].rstrip()
    if not first.endswith(b"}"):
        return False
    broken = _break_of(first)
    if broken is None or broken.startswith("{"):
        return broken is None  # several of them on one line are values
    length = end - pieces.at
    after = pieces.end_of_line(length + 1)
    return after is None or pieces.held[pieces.at + length : after].strip()[:1] in (b"{", b"")


def _break_of(line: bytes) -> str | None:
    """Return what follows the one value of a line, "" where there is none; None if it is whole."""
    try:
        json.loads(line)
    except json.JSONDecodeError as error:
        return error.doc[error.pos :].lstrip() if error.msg == "Extra data" else ""
    except (ValueError, RecursionError):
        return ""
    return None


def _lines(pieces: _Pieces) -> Iterator[Frame | Complaint]:
    while pieces.sign():
        end = pieces.end_of_line()
        if end is None:
            yield Complaint(pieces.line, f"this line is longer than {LARGEST // 2**20} MiB")
            pieces.skip_line()
        else:
            yield pieces.take(end)


def _values(pieces: _Pieces) -> Iterator[Frame | Complaint]:
    in_list, separated = False, True
    while sign := pieces.sign():
        if sign == b"{":
            if not separated:
                yield Complaint(pieces.line, "a comma is missing before this conversation")
            end = pieces.end_of_object()
            if end is None:
                yield Complaint(pieces.line, f"{_why_endless(pieces)}; {_NOT_READ}")
                return
            separated = not in_list
            yield pieces.take(end)
            continue
        if sign == b"[" and not in_list:
            in_list = True
        elif sign == b"[":
            yield Complaint(
                pieces.line,
                "a list stands in a list here; conversations stand in one list, and in no other; "
                f"{_NOT_READ}",
            )
            return
        elif sign == b"]" and in_list:
            in_list, separated = False, True
        elif sign == b"," and in_list and not separated:
            separated = True
        else:
            yield Complaint(
                pieces.line,
                "a conversation begins with { and a list of them with [, and here is neither; "
                f"{_NOT_READ}",
            )
            return
        pieces.take(pieces.at + 1)
    if in_list:
        yield Complaint(pieces.line, "the file ends inside its list: a part of it is missing")


def _why_endless(pieces: _Pieces) -> str:
    if pieces.whole():
        return "the conversation that begins here has no end (a bracket or a quotation mark?)"
    return (
        f"the conversation that begins here is larger than {LARGEST // 2**20} MiB, "
        "or a bracket or a quotation mark is missing in it"
    )
