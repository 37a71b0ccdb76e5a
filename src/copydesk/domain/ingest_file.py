"""Conversations in a file: an object, a list, objects one after another, or one on every line.

A file may be larger than memory: it is read piece by piece, and no more is held than one
conversation takes. Every conversation is checked against what the API accepts, and what is wrong is
said with its line and its field, never with what the conversation says.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NoReturn, Protocol

from pydantic import ValidationError

from copydesk.contract.models.conversation import ConversationDetail, ConversationIngest
from copydesk.domain.json_text import LONGEST, JsonText, JsonTextError, read_json
from copydesk.domain.text import clean, listed, shorten

LARGEST = 8 * 1024 * 1024
"""The most bytes that one conversation may take in a file; a request holds no more."""

PIECE = 1024 * 1024
"""Bytes read at once."""

SAID = 5
"""So many problems of one conversation are named; the rest are counted."""

_BOM = b"\xef\xbb\xbf"
_BLANK = re.compile(rb"(?:[ \t\r\n]|\xef\xbb\xbf)*+")
_TOKEN = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"|["{}\[\]]', re.DOTALL)
_NOT_READ = "the rest of this file was not read"
_NAME_CELLS = 60


class Readable(Protocol):
    """A file that bytes are read from."""

    def read(self, size: int, /) -> bytes:
        """Return at most ``size`` bytes, none at the end."""


@dataclass(frozen=True, slots=True)
class Item:
    """A conversation that can be sent. ``line`` and ``number`` (in its file) count from 1.

    ``digest`` tells contents apart; ``size`` is how many bytes a request needs for it.
    """

    line: int
    number: int
    conversation: ConversationIngest
    digest: bytes
    size: int

    @property
    def id(self) -> str:
        """The sender's own id."""
        return self.conversation.id


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
        named = f" ({shorten(clean(self.id), _NAME_CELLS)})" if self.id else ""
        return f"line {self.line}{which}{named}: {self.sentence}"


def read_items(file: Readable) -> Iterator[Item | Complaint]:
    """Yield the conversations of a file in their order, and what is wrong where it is."""
    number = 0
    for found in _frames(_Pieces(file)):
        if isinstance(found, Complaint):
            yield found
        else:
            number += 1
            yield _checked(number, *found)


def is_there(sent: ConversationIngest, found: ConversationDetail) -> bool:
    """Whether what a service has is what was sent, as far as it gives that back."""
    if (sent.subject or "") != (found.conversation.subject or ""):
        return False
    words = [(part.type, part.role, part.body) for part in sent.parts]
    if words != [(part.type, part.role, part.body) for part in found.parts]:
        return False
    known, had = sent.metadata, found.metadata
    if known is None:
        return True
    attributes = (had.attributes if had else None) or {}
    return (
        (known.url is None or (had is not None and known.url == had.url))
        and (known.attributes or {}).items() <= attributes.items()
        and (known.created_at is None or (had is not None and known.created_at == had.created_at))
    )


# Finding where conversations begin and end

_Frame = tuple[int, bytes]
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

    def take(self, end: int) -> _Frame:
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


def _frames(pieces: _Pieces) -> Iterator[_Frame | Complaint]:
    sign = pieces.sign()
    if (sign and sign in b"\xff\xfe\0") or b"\0" in pieces.held[pieces.at : pieces.at + 2]:
        yield Complaint(1, "this is not UTF-8 text (UTF-16, perhaps). Save it as UTF-8.")
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


def _lines(pieces: _Pieces) -> Iterator[_Frame | Complaint]:
    while pieces.sign():
        end = pieces.end_of_line()
        if end is None:
            yield Complaint(pieces.line, f"this line is longer than {LARGEST // 2**20} MiB")
            pieces.skip_line()
        else:
            yield pieces.take(end)


def _values(pieces: _Pieces) -> Iterator[_Frame | Complaint]:
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


# Checking one


def _checked(number: int, line: int, data: bytes) -> Item | Complaint:
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        at = line + data.count(b"\n", 0, error.start)
        return Complaint(at, "this is not UTF-8 text. Save it as UTF-8.", number)
    try:
        json.loads(text, object_pairs_hook=_object, parse_constant=_no_number)
        conversation = ConversationIngest.model_validate_json(text, strict=True)
    except ValidationError as error:
        return _complaint(number, line, text, error)
    except (ValueError, RecursionError):
        return _complaint(number, line, text, None)
    if conversation.metadata is not None and conversation.metadata.attributes:
        # Their order says nothing, and must not make one content look like two.
        attributes = conversation.metadata.attributes
        conversation.metadata.attributes = {name: attributes[name] for name in sorted(attributes)}
    sent = conversation.to_json()
    return Item(line, number, conversation, hashlib.sha256(sent).digest(), len(sent))


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a name stands twice in one object")
    return found


def _no_number(word: str) -> NoReturn:
    raise ValueError(f"{word} is no number in JSON")


def _complaint(number: int, line: int, text: str, error: ValidationError | None) -> Complaint:
    """Return what is wrong with a conversation; the line is that of the first problem."""
    try:
        read = read_json(text)
    except JsonTextError as wrong:
        if len(text) <= LONGEST:
            at = line + wrong.line - 1
            return Complaint(at, f"column {wrong.column}: this is no JSON: {wrong}", number)
        # Too long to be walked through: the line on which it begins has to do.
        if error is None:
            return Complaint(line, f"this is no JSON: {_why_no_json(text)}", number)
        read = JsonText(None, "")
    except RecursionError:
        return Complaint(line, "this is nested too deep", number)
    value = read.value
    named = value.get("id") if isinstance(value, dict) else None
    problems = [
        (path, f"{_field(path)}this stands twice in one object: keep one") for path, _ in read.twice
    ]
    if error is not None:
        problems.extend(
            (each["loc"], _field(each["loc"]) + _sentence(each))
            for each in error.errors(include_url=False, include_input=False)
        )
    if not problems:
        return Complaint(line, "this is no JSON that can be sent", number)
    first = line + read.where(problems[0][0])[0] - 1
    sentences = [
        _at(line + read.where(path)[0] - 1, first) + said for path, said in problems[:SAID]
    ]
    if len(problems) > SAID:
        sentences.append(f"and {len(problems) - SAID} more")
    return Complaint(first, "; ".join(sentences), number, named if isinstance(named, str) else "")


def _why_no_json(text: str) -> str:
    try:
        json.loads(text, object_pairs_hook=_object, parse_constant=_no_number)
    except RecursionError:
        return "it is nested too deep"
    except ValueError as error:
        return str(error)
    return "it holds what no text can"


def _at(line: int, first: int) -> str:
    return f"line {line}: " if line != first else ""


def _field(path: tuple[str | int, ...]) -> str:
    said = ""
    for part in path:
        if isinstance(part, int):
            said += f"[{part}]"
        else:
            said += f"{'.' if said else ''}{shorten(clean(part), _NAME_CELLS)}"
    return f"{said}: " if said else ""


def _sentence(problem: Any) -> str:
    """Return what is wrong in words for people, without the value that is wrong."""
    context = problem.get("ctx", {})
    match problem["type"]:
        case "missing":
            return "this is missing"
        case "extra_forbidden":
            return "there is no such field"
        case "string_type":
            return "this has to be a text, in quotation marks"
        case "string_too_short":
            return "this is empty"
        case "string_too_long":
            return f"this is longer than {context['max_length']} characters"
        case "string_pattern_mismatch":
            return "this has to be a web address (http or https)"
        case "literal_error":
            choices = re.findall(r"'([^']*)'", str(context.get("expected", "")))
            return f"this has to be {listed(choices, 'or')}"
        case "list_type":
            return "this has to be a list"
        case "dict_type" | "model_type":
            return "this has to be an object"
        case "datetime_type" | "datetime_parsing" | "datetime_from_date_parsing":
            return "this has to be a moment, such as 2026-03-02T09:00:00Z"
        case "value_error":
            return str(context.get("error", "this cannot be sent"))
    return str(problem["msg"])
