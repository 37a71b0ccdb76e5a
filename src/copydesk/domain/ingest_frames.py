"""Where conversations begin and end in a file of any size and shape, and on which line.

A file may be larger than memory: it is read piece by piece, and no more is held than a few
conversations take. A broken conversation hides no other: reading goes on with the next element.

Streaming parsers such as ijson do not serve: they tell no line, and end at the first mistake.
"""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from itertools import pairwise
from typing import Any, Protocol

from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.text import clean, shorten

LARGEST = 8 * 1024 * 1024
"""The most bytes that one conversation may take in a file; a request holds no more."""

ROOM = 8
"""An element may be so many times larger for its end to be found; then it is passed over."""

PIECE = 1024 * 1024
"""Bytes read at once."""

FIRST_LOOK = 4096
"""Bytes of a candidate that are read first to see whether it is a conversation."""

DEEPEST = 8
"""So many brackets that stand open say that one of them has no end; a conversation needs three."""

_BOM = b"\xef\xbb\xbf"
_BLANK = re.compile(rb"[ \t\r\n]*+(?:\xef\xbb\xbf[ \t\r\n]*+)*")
_QUOTED = rb'"[^"\\]*+(?:(?=(?P<part>(?:\\.[^"\\]*+){1,1000}))(?P=part))*"'
"""What is looked ahead to keeps no place of each escape: a text may be as long as a file."""

_TEXT = re.compile(_QUOTED, re.DOTALL)
_TOKEN = re.compile(_QUOTED + rb'|["{}\[\]]', re.DOTALL)
_BEGINNING = re.compile(rb'\{[ \t\r\n]*+"(?:id|subject|metadata|parts)"[ \t\r\n]*+:')
"""What a conversation begins with, and what parts of one hardly ever do."""

_PARTS = re.compile(rb'"parts"[ \t\r\n]*+:')
"""What every conversation has, and no part of one."""

_OPENING = re.compile(rb"[{\[]")

_WORD = re.compile(rb'[^,\[\]{"\n]*+')
_WORD_OF_MEMBER = re.compile(rb'[^,\[\]{}"\s]*+')
_NEITHER = "a conversation begins with { and a list of them with [, and here is neither"

_OF_A_PART = frozenset({"role", "body"})
_LONGEST_WORD = 16
"""Bytes from the end of a piece within which JSON may be broken for being cut: -Infinity, \\u12."""

_OPENED_BY = {b"}": b"{", b"]": b"["}
_CUT = 200
"""More bytes than what a conversation begins with takes."""


class Readable(Protocol):
    """A file that bytes are read from."""

    def read(self, size: int, /) -> bytes:
        """Return at most ``size`` bytes, none at the end."""


@dataclass(frozen=True, slots=True)
class Complaint:
    """Something that is wrong in a file, and why. ``number`` is 0 where it is no conversation.

    ``id`` is the conversation's, as it was written, where it can be read. ``loses``: something is
    left out for it.
    """

    line: int
    sentence: str
    number: int = 0
    id: str = ""
    loses: bool = True

    def __str__(self) -> str:
        which = f", conversation {self.number}" if self.number else ""
        named = f" ({shorten(clean(self.id))})" if self.id else ""
        return f"line {self.line}{which}{named}: {self.sentence}"


@dataclass(frozen=True, slots=True)
class Frame:
    """An element that should be a conversation. ``line`` and ``number`` count from 1.

    ``within`` names the list of a page that it stands in, "" where there are no pages.
    """

    line: int
    number: int
    data: bytes
    within: str = ""

    def value(self) -> dict[str, Any] | Complaint:
        """Return its JSON object, or a complaint that says why it has none."""
        try:
            value = json.loads(self.data.decode("utf-8-sig", errors="replace"))
        except (ValueError, RecursionError):
            value = None
        if isinstance(value, dict):
            return value
        said = "not an object" if value is not None else "this is broken or cut off"
        return Complaint(self.line, said, self.number)


class _Pieces:
    """A file read in pieces: the bytes held now, unread from ``at`` on."""

    def __init__(self, file: Readable, line: int = 1, number: int = 0) -> None:
        self._file = file
        self.held = b""
        self.at = 0
        self.line = line
        self.number = number
        self._ended = False
        self._gone = 0
        """How many bytes of the file come before the held ones. Positions include them."""
        self._broken: list[int]
        """How far off the broken conversations begin that the last look ahead passed."""
        self._ends: dict[int, int | None] = {}
        """Where conversations end that a look ahead passed, None for no end, by positions in the
        file: what is broken is often looked past to the end of the file, and no more than once."""
        self._looked = 0
        """The position in the file up to which that is known."""

    def more(self) -> bool:
        """Hold another piece; False at the end of the file."""
        piece = b"" if self._ended else self._file.read(PIECE)
        # Of a large element twice as much each time: all that is held is gone through again.
        while piece and len(piece) < len(self.held) - self.at - PIECE:
            if not (further := self._file.read(PIECE)):
                break
            piece += further
        self._ended = not piece
        if piece:
            self._gone += self.at
            self.held, self.at = self.held[self.at :] + piece, 0
        return bool(piece)

    def hold(self, size: int) -> None:
        """Hold so many unread bytes, or what is left of the file."""
        while len(self.held) - self.at < size and self.more():
            pass

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

    def take(self, end: int) -> bytes:
        """Return the text up to ``end``, and go there."""
        data = self.held[self.at : end]
        self._go(end)
        return data

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

    def skip_to_bracket(self) -> None:
        """Go to the next bracket that opens."""
        while (found := _OPENING.search(self.held, self.at)) is None:
            self._go(len(self.held))
            if not self.more():
                return
        self._go(found.start())

    def elements(self) -> Iterator[Frame | Complaint]:
        """Take what begins here, up to its end or to where the next whole conversation begins.

        Several where other broken ones begin before that.
        """
        self.number += 1
        self._broken = []
        if self._gone + self.at >= self._looked:
            self._ends.clear()
        line, end = self.line, self._end()
        length = None if end is None else end - self.at
        if end is None or holds_more(self.held, self.at, end):
            length, known = self._next_conversation(length), end is not None
        else:
            known = True
        if length is None:
            sentence = (
                f"the conversation that begins here is larger than {LARGEST // 2**20} MiB, "
                "or a bracket or a quotation mark is missing in it"
            )
            yield Complaint(line, sentence, self.number)
            return
        ends = [each for each in self._broken if each < length]
        for begin, until in pairwise([0, *ends, length]):
            line, data = self.line, self.take(self.at + until - begin)
            if begin:
                self.number += 1
            if until < length:
                data = data.rstrip().removesuffix(b",")
            if until == length and not known and not self.sign():
                sentence = (
                    "the conversation that begins here has no end (a bracket or a quotation mark?)"
                )
                yield Complaint(line, sentence, self.number)
            elif len(data) > LARGEST:
                sentence = f"this is larger than {LARGEST // 2**20} MiB"
                yield Complaint(line, sentence, self.number)
            else:
                yield Frame(line, self.number, data)

    def name(self) -> str | None:
        """Take the name of a member with the colon behind it; None where there is none."""
        end = self._matched(_TEXT)
        if end is None:
            return None
        text = self.take(end)
        if self.sign() != b":":
            return None
        self.take(self.at + 1)
        return text[1:-1].decode(errors="replace")

    def skip_value(self) -> bool:
        """Go behind a value that is no list; False where it has no end."""
        is_word = self.held[self.at : self.at + 1] not in (b"{", b'"')
        end = self._matched(_WORD_OF_MEMBER) if is_word else self._end()
        if end is None or end == self.at:
            return False
        self._go(end)
        return True

    def skip_rest(self) -> None:
        """Go to the end of the file."""
        self.at = len(self.held)
        while self.more():
            self.at = len(self.held)

    def _end(self) -> int | None:
        """Return where the element ends that begins here; None where the file or the room does."""
        match self.held[self.at : self.at + 1]:
            case b"{":
                return self._end_of_brackets()
            case b'"':
                return self._end_of_text()
            case _:
                return self._matched(_WORD)

    def _matched(self, pattern: re.Pattern[bytes]) -> int | None:
        while True:
            found = pattern.match(self.held, self.at)
            if found and found.end() < len(self.held):
                return found.end()
            if not self._makes_room():
                return found.end() if found else None

    def _makes_room(self) -> bool:
        """Hold more of the element that begins here; False where it or the file is at its end."""
        return len(self.held) - self.at <= ROOM * LARGEST and self.more()

    def _end_of_text(self) -> int | None:
        """Return where a text ends; None where what follows says that a quotation mark lacks."""
        end = self._matched(_TEXT)
        while end is not None:
            length, blank = end - self.at, _BLANK.match(self.held, end)
            after = blank.end() if blank else end
            if after < len(self.held) or not self.more():
                return end if self.held[after : after + 1] in (b",", b"]", b"") else None
            end = self.at + length
        return None

    def _end_of_brackets(self) -> int | None:
        """The same for an object. A bracket without an end of its own ends with one around it."""
        known, end = self._known_end(self._gone + self.at)
        if known:
            return None if end is None else end - self._gone
        opened: list[tuple[bytes, int]] = []
        counts = {b"{": 0, b"[": 0}
        scanned = 0
        while True:
            start, passed = self.at + scanned, False
            for token in _TOKEN.finditer(self.held, start):
                start = token.end()
                match token[0]:
                    case b"{" | b"[" as bracket:
                        passed, end = self._known_end(self._gone + start - 1)
                        if passed:
                            start = start if end is None else end - self._gone
                            break
                        begins = bracket == b"{" and _BEGINNING.match(self.held, start - 1)
                        opened.append((bracket, self._gone + start - 1 if begins else -1))
                        counts[bracket] += 1
                    case b"}" | b"]" as bracket:
                        wanted = _OPENED_BY[bracket]
                        if not counts[wanted]:  # it ends what is around all this
                            self._note(opened, start - 1)
                            return start - 1
                        while (last := opened.pop())[0] != wanted:
                            counts[last[0]] -= 1
                            self._note([last], start - 1)
                        counts[wanted] -= 1
                        self._note([last], start)
                        if not opened:
                            return start
                    case b'"':  # a text that ends in a later piece
                        start -= 1
                        break
            else:
                start = len(self.held)
            scanned = start - self.at
            if passed and end is None:  # what is around that has no end either
                self._note(opened, None)
                return None
            if not passed and not self._makes_room():
                self._note(opened, None)
                self._looked = self._gone + len(self.held)
                return None

    def _known_end(self, begin: int) -> tuple[bool, int | None]:
        """Return whether an earlier look ahead passed what begins there, and where it ends."""
        if begin not in self._ends:
            return False, None
        end, held = self._ends[begin], self._gone + len(self.held)
        # What is larger than a conversation may be has no end that matters.
        all_looked = self._looked - begin > LARGEST or (self._ended and self._looked >= held)
        return end is not None or all_looked, end

    def _note(self, opened: Iterable[tuple[bytes, int]], end: int | None) -> None:
        """Keep where conversations end that were looked past."""
        position = None if end is None else self._gone + end
        self._ends.update((begin, position) for _, begin in opened if begin >= 0)
        self._looked = max(self._looked, position or 0)

    def _next_conversation(self, length: int | None) -> int | None:
        """Return how far it is to the next whole conversation, ``length`` at most.

        All of the file is looked through without a ``length``, and of one that is too far to hold
        all up to the last that begins. None where none does; one stands there then.
        """
        far, offset = False, 1
        while True:
            limit = len(self.held) if length is None else self.at + length
            found = _BEGINNING.search(self.held, self.at + offset, limit)
            if found is not None:
                offset = found.start() - self.at
                self.hold(offset + LARGEST)
                begin = self.at + offset
                before = self.held[max(self.at, begin - _CUT) : begin].rstrip()
                if not before.endswith(b":"):
                    value = _value_at(self.held, begin)
                    if value is not None and not value.keys() & _OF_A_PART:
                        break
                    following = _BEGINNING.search(self.held, begin + 1)
                    end = following.start() if following else begin + LARGEST
                    if value is None and _PARTS.search(self.held, begin, end):
                        self._broken.append(offset)
                offset += 1
                continue
            if length is not None:
                return length
            # What a conversation begins with may be cut in two by the end of a piece.
            offset = max(offset, len(self.held) - self.at - _CUT)
            if offset > ROOM * LARGEST:
                if self._broken:
                    return self._broken[-1]
                self._go(self.at + offset)
                far, offset = True, 0
            if not self.more():
                offset = len(self.held) - self.at
                break
        passed = self.held[self.at : self.at + offset].rstrip(b" \t\r\n")
        # A comma before it stands between the two.
        offset = len(passed) - passed.endswith(b",")
        if far:
            self._go(self.at + offset)
            return None
        return offset


def holds_more(held: bytes, begin: int, end: int) -> bool:
    """Whether something broken may have whole conversations in it."""
    found = _BEGINNING.search(held, begin + 1, end)
    return found is not None and not _is_json(held, begin, end)


def _is_json(held: bytes, begin: int, end: int) -> bool:
    """Whether JSON stands there. No more is read than up to a mistake: many may follow it."""
    size = FIRST_LOOK
    while begin + size < end:
        text = held[begin : begin + size].decode(errors="replace")
        try:
            json.loads(text)
        except json.JSONDecodeError as error:
            if not _is_cut(error, text):
                return False
        except (ValueError, RecursionError):
            return False
        size *= 4
    try:
        json.loads(held[begin:end])
    except (ValueError, RecursionError):
        return False
    return True


def _is_cut(error: json.JSONDecodeError, text: str) -> bool:
    """Whether a mistake may only be that a text ends before its JSON does."""
    return error.pos >= len(text) - _LONGEST_WORD or error.msg.startswith("Unterminated")


def _value_at(held: bytes, begin: int) -> dict[str, Any] | None:
    """Return the object that begins there; None where it is broken, or no conversation is so large.

    No more is read than it takes to tell: very many may be broken, one after the other.
    """
    size = FIRST_LOOK
    value: dict[str, Any]
    while True:
        piece = held[begin : begin + size]
        text = piece.decode(errors="replace")
        try:
            value, _ = json.JSONDecoder().raw_decode(text)
        except json.JSONDecodeError as error:
            cut = len(piece) == size < LARGEST and _is_cut(error, text)
            if not cut or _depth(piece) > DEEPEST:
                return None
            size = min(LARGEST, 2 * size)
        except (ValueError, RecursionError):
            return None
        else:
            return value


def _depth(data: bytes) -> int:
    """Return how many brackets stand open at the end of something that is right up to there."""
    tokens = [token[0] for token in _TOKEN.finditer(data)]
    opened = sum(token in (b"{", b"[") for token in tokens)
    return opened - sum(token in (b"}", b"]") for token in tokens)


def frames(file: Readable) -> Iterator[Frame | Complaint]:
    """Yield the frames of a file that should hold conversations, in order, and anything else in
    it."""
    yield from _frames(_Pieces(file))


def pages(file: Readable, lists: Collection[str]) -> Iterator[Frame | Complaint]:
    """Yield the frames of a file that may hold pages, as programs answer with them.

    A page is an object with one of ``lists`` in it (or in its ``_embedded``), of any length, beside
    other members, which are left out. One or several pages may stand there, also in a list. A file
    without pages is read as `frames` reads it.
    """
    pieces = _Pieces(file)
    listed = pieces.sign() == b"[" and _is_page(pieces, lists)
    if not listed and not _is_page(pieces, lists):
        yield from _frames(pieces)
        return
    if listed:
        pieces.take(pieces.at + 1)
    while sign := pieces.sign():
        if sign == b"{" and _is_page(pieces, lists):
            yield from _page(pieces, lists)
        elif sign in b",]":
            pieces.take(pieces.at + 1)
        else:
            yield Complaint(pieces.line, "not a further page of an export")
            return


def page_list(file: Readable, speaks: Callable[[Mapping[str, Any]], bool]) -> str:
    """Return which list of a page has what people said, by its first object; "" for no page.

    ``speaks`` tells by the names of its fields whether an object says something. A page does not
    say anything itself.
    """
    pieces = _Pieces(file)
    if pieces.sign() == b"[":
        return ""
    pieces.hold(_HEAD)
    names, found = dict[str, None](), ""
    for _, name, at in _keys(pieces.held, pieces.at, deepest=1):
        names[name] = None
        if not found and (list_at := _LIST.match(pieces.held, at)):
            first = _value_at(pieces.held, list_at.end() - 1)
            if first is not None and speaks(first):
                found = name
    return "" if speaks(names) else found


_HEAD = 1024 * 1024
"""Bytes within which a page names its first list."""

_OF_AN_ELEMENT = frozenset({"id", "subject", "parts", "ticket", "helpdesk_ticket"})
"""What a conversation has, and no page of them."""

_LIST = re.compile(rb"\[[ \t\r\n]*+\{")
_KEY = re.compile(rb"[ \t\r\n]*+:[ \t\r\n]*+")


def _keys(held: bytes, begin: int, *, deepest: int) -> Iterator[tuple[int, str, int]]:
    """Yield the keys of the object that begins there: how deep, the name, where its value begins.

    They are looked for within ``_HEAD`` bytes.
    """
    depth = 0
    for token in _TOKEN.finditer(held, begin, begin + _HEAD):
        match token[0]:
            case b"{" | b"[":
                depth += 1
            case b"}" | b"]":
                depth -= 1
                if depth <= 0:
                    return
            case text if depth <= deepest and (after := _KEY.match(held, token.end())):
                yield depth, text[1:-1].decode(errors="replace"), after.end()


def _is_page(pieces: _Pieces, lists: Collection[str]) -> bool:
    """Whether the object that begins here, or as the first of a list, is a page."""
    pieces.hold(_HEAD)
    begin = pieces.at
    if pieces.held[begin : begin + 1] == b"[":
        blank = _BLANK.match(pieces.held, begin + 1)
        begin = blank.end() if blank else begin + 1
    if pieces.held[begin : begin + 1] != b"{":
        return False
    for depth, name, at in _keys(pieces.held, begin, deepest=2):
        if depth == 1 and name in _OF_AN_ELEMENT:
            return False
        if name in lists and pieces.held[at : at + 1] == b"[":
            return True
    return False


def _page(pieces: _Pieces, lists: Collection[str]) -> Iterator[Frame | Complaint]:
    """Yield what is in the lists of the page that begins here, and go behind it."""
    pieces.take(pieces.at + 1)
    opened = 1
    while sign := pieces.sign():
        if sign in b",}":
            opened -= sign == b"}"
            pieces.take(pieces.at + 1)
            if not opened:
                return
            continue
        name = pieces.name()
        if name is None:
            break
        sign = pieces.sign()
        if sign == b"[":
            counted = pieces.number
            for found in _list(pieces):
                if name in lists:
                    yield (
                        Frame(found.line, found.number, found.data, name)
                        if isinstance(found, Frame)
                        else found
                    )
            if name not in lists:
                pieces.number = counted
        elif sign == b"{" and name == "_embedded":
            pieces.take(pieces.at + 1)
            opened += 1
        elif not pieces.skip_value():
            break
    yield Complaint(pieces.line, "the file ends inside a page: a part of it is missing")
    pieces.skip_rest()


def _list(pieces: _Pieces) -> Iterator[Frame | Complaint]:
    """Yield the elements of the list that begins here, and go behind it."""
    depth = 0
    while sign := pieces.sign():
        if sign in b"[],":
            depth += (sign == b"[") - (sign == b"]")
            pieces.take(pieces.at + 1)
            if not depth:
                return
        else:
            yield from pieces.elements()


def _frames(pieces: _Pieces) -> Iterator[Frame | Complaint]:
    sign = pieces.sign()
    if (sign and sign in b"\xff\xfe\0") or b"\0" in pieces.held[pieces.at : pieces.at + 2]:
        yield Complaint(1, "this is not UTF-8 text (UTF-16, perhaps). Save it as UTF-8.")
    elif sign and sign < b" ":
        yield Complaint(1, "not text (compressed, perhaps). Give the JSON that is in it.")
    else:
        if sign and sign not in b"{[":
            yield Complaint(pieces.line, _NEITHER)
            pieces.skip_to_bracket()
        if pieces.sign() == b"{" and _one_a_line(pieces):
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
    """Return the text after the one value of a line, "" for none; None if it is whole."""
    try:
        json.loads(line)
    except json.JSONDecodeError as error:
        return error.doc[error.pos :] if error.msg == "Extra data" else ""
    except (ValueError, RecursionError):
        return ""
    return None


def _goes_on(line: bytes) -> bool:
    """Whether what begins on a line ends on another, as in a file that others were added to."""
    line = line.strip()
    if not line.startswith(b"{") or line.endswith(b"}"):
        return False
    try:
        json.loads(line)
    except json.JSONDecodeError as error:
        return error.pos >= len(error.doc)  # nothing is wrong before its end
    except (ValueError, RecursionError):
        pass
    return False


def _lines(pieces: _Pieces) -> Iterator[Frame | Complaint]:
    while pieces.sign():
        line, end = pieces.line, pieces.end_of_line()
        if end is None:
            pieces.number += 1
            sentence = f"this line is longer than {LARGEST // 2**20} MiB"
            yield Complaint(line, sentence, pieces.number)
            pieces.skip_line()
            continue
        if _goes_on(pieces.held[pieces.at : end]):
            yield from pieces.elements()
            continue
        data = pieces.take(end)
        if holds_more(data, 0, len(data)):
            several = _Pieces(io.BytesIO(data), line, pieces.number)
            yield from _values(several)
            pieces.number = several.number
        else:
            pieces.number += 1
            yield Frame(line, pieces.number, data)


def _values(pieces: _Pieces) -> Iterator[Frame | Complaint]:
    depth, separated, told = 0, True, False
    while sign := pieces.sign():
        if sign == b"," and (separated or not depth):
            where = "too many" if depth else "here, outside any list"
            yield Complaint(pieces.line, f"there is a comma {where}", loses=False)
        elif sign == b",":
            separated = True
        elif sign == b"]" and depth:
            depth -= 1
            separated = not depth
        elif sign == b"[":
            depth += 1
            separated = True
            if depth > 1 and not told:
                said = "here is a list inside a list: put all conversations into one list"
                yield Complaint(pieces.line, said, loses=False)
                told = True
        elif sign == b"{" or depth:
            if not separated:
                said = "a comma is missing before this conversation"
                yield Complaint(pieces.line, said, loses=False)
            for found in pieces.elements():
                yield found
            separated = not depth
            if isinstance(found, Complaint) and not pieces.sign():
                return
            continue
        else:
            yield Complaint(pieces.line, _NEITHER)
            pieces.skip_to_bracket()
            continue
        pieces.take(pieces.at + 1)
    if depth:
        yield Complaint(pieces.line, "the file ends inside its list: a part of it is missing")
