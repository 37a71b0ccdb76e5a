"""Conversations in JSON of any program, known by the names of its fields as tables are by theirs.

Each object is a row, with a column for each field, those of objects in it as "author.login"; so is
each message in a list of them, as the comments of an issue or the posts of a topic are. What is
written is a table that is read, and whose columns are named, as any other.
"""

from __future__ import annotations

import csv
import io
from array import array
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field, replace
from itertools import islice
from typing import Any, BinaryIO, TypeAlias

from copydesk.domain.ingest_conversation import digest_of, words_of
from copydesk.domain.ingest_file import Item
from copydesk.domain.ingest_frames import Complaint, Frame, page_list, pages
from copydesk.domain.ingest_table import LOOKED_AT, MOST_COLUMNS, Shape, guess
from copydesk.domain.late_dataclass import dataclass

Fields: TypeAlias = Mapping[str, Any]

BETWEEN = "\x1f"
"""Stands between the cells: what nobody writes."""

_OWN = frozenset({"id", "subject", "parts", "metadata"})
"""The fields of a conversation as the API takes it."""

_MESSAGES = frozenset(
    (
        "answers", "articles", "comments", "messages", "notes", "posts", "replies", "thread",
        "threads", "transcript",
    )
)  # fmt: skip
"""What programs call the list of what was said."""

_AROUND = frozenset({"fields", "properties", "attributes", "ticket", "issue", "conversation"})
"""What programs call an object that holds the fields of another one: its name says nothing."""

_SAID = ("body", "created", "author", "role")
"""What is read of a message."""

_DEEPEST = 3
_LONGEST_NAME = 200


@dataclass
class Records:
    """The table that was written. The places are those of its rows in the JSON."""

    shape: Shape
    whole: bool = False
    """Whether an object has all that was said: its messages are in it."""
    complaints: list[Complaint] = field(default_factory=list)
    begins: array[int] = field(default_factory=lambda: array("q"))
    lines: array[int] = field(default_factory=lambda: array("q"))
    numbers: array[int] = field(default_factory=lambda: array("q"))

    def items(self, found: Iterator[Item | Complaint]) -> Iterator[Item | Complaint]:
        """Yield what is read of the table with its place in the JSON, and what is wrong in that."""
        yield from self.complaints
        for each in found:
            at = bisect_right(self.begins, each.line) - 1
            yield replace(each, line=self.lines[at], number=self.numbers[at])


def are_records(file: BinaryIO) -> bool:
    """Whether JSON has objects of another program, and no conversations as the API takes them."""
    first = list(islice(_objects(file), LOOKED_AT))
    # Where the first is broken, what follows may be parts of it.
    return (
        bool(first)
        and not isinstance(first[0], Complaint)
        and not any(
            "parts" in each[1] or each[1].keys() <= _OWN
            for each in first
            if not isinstance(each, Complaint)
        )
    )


def write_table(file: BinaryIO, out: BinaryIO) -> Records:
    """Write the objects of a file into ``out`` as a table."""
    names: dict[str, None] = {}
    of_messages: dict[str, str] = {}
    for found in _objects(file):
        if not isinstance(found, Complaint):
            names |= dict.fromkeys(_flat(found[1]))
            for message in _messages(found[1]):
                for meaning, (name, _) in _told(message).items():
                    of_messages.setdefault(meaning, name)
        if len(names) > MOST_COLUMNS:
            break
    meant = guess(list(names)).meant
    header = list(names)
    columns = {meaning: header[at] for meaning, at in meant.items()}
    for meaning, name in of_messages.items():
        if meaning not in columns:
            columns[meaning] = name
            header.append(name)
    if of_messages and "id" not in columns:
        columns["id"] = "id"
        header.append("id")
    header = header[:MOST_COLUMNS]
    shape = Shape(BETWEEN, tuple(header))
    told = Records(shape, whole=bool(of_messages))
    first: list[tuple[str, ...]] = []
    line = 1 + _write(out, header)
    for found in _objects(file):
        if isinstance(found, Complaint):
            told.complaints.append(found)
            continue
        frame, value = found
        for row in _rows(value, columns):
            cells = [row.get(name, "") for name in header]
            told.begins.append(line)
            told.lines.append(frame.line)
            told.numbers.append(frame.number)
            line += _write(out, cells)
            if len(first) < LOOKED_AT:
                first.append(tuple(cells))
    told.shape = replace(shape, rows=tuple(first))
    return told


def _write(out: BinaryIO, cells: Sequence[str]) -> int:
    """Write a row, and return how many lines it takes."""
    text = io.StringIO()
    csv.writer(text, delimiter=BETWEEN, lineterminator="\n").writerow(cells)
    data = text.getvalue().encode(errors="replace")
    out.write(data)
    return data.count(b"\n")


def _objects(file: BinaryIO) -> Iterator[tuple[Frame, Fields] | Complaint]:
    """Yield the objects of a file that may be conversations, and what is wrong at its place."""
    file.seek(0)
    named = page_list(file, _speaks)
    file.seek(0)
    usual: frozenset[str] = frozenset()
    broken = False
    for found in pages(file, {named} if named else ()):
        if isinstance(found, Complaint):
            broken = True
            yield found
            continue
        value = found.value()
        if isinstance(value, Complaint):
            broken = True
            yield value
            continue
        usual = usual or frozenset(value)
        if broken and 2 * len(usual & value.keys()) < len(usual):
            why = "this has few of the fields of the first: part of what is broken above?"
            yield Complaint(found.line, why, found.number)
        else:
            yield found, value


def _speaks(value: Fields) -> bool:
    """Whether an object says something itself."""
    return not guess(list(_flat(value))).meant.keys().isdisjoint(("subject", "body"))


def _flat(value: Fields, before: str = "", depth: int = 1) -> dict[str, str]:
    """Return the fields of an object and of those in it as words, without lists of objects."""
    found: dict[str, str] = {}
    for name, each in value.items():
        path = f"{before}{' '.join(name.split())}"[:_LONGEST_NAME]
        if isinstance(each, dict) and depth < _DEEPEST:
            around = depth == 1 and name.casefold() in _AROUND
            inner = _flat(each, "" if around else f"{path}.", depth + 1)
            found |= {path: cell for path, cell in inner.items() if path not in found}
        if words := words_of(each).replace(BETWEEN, " "):  # of an object its name
            found[path] = words
        elif not isinstance(each, dict | list):
            found.setdefault(path, "")
    return found


def _messages(value: Fields, depth: int = 1, within: bool = False) -> list[Fields]:
    """Return what was said in an object, one message after another.

    ``within``: it is itself named as the list of them would be.
    """
    for name, each in value.items():
        named = within or name.casefold() in _MESSAGES
        if isinstance(each, dict) and depth < _DEEPEST:
            if inner := _messages(each, depth + 1, named):
                return inner
        elif isinstance(each, list) and named:
            said = [{"body": one} if isinstance(one, str) else one for one in each]
            told: list[Fields] = [
                one for one in said if isinstance(one, dict) and "body" in _told(one)
            ]
            if told:
                return told
    return []


def _told(value: Fields) -> dict[str, tuple[str, str]]:
    """Return name and words of the fields of an object that say something, by what is meant."""
    flat = {name: cell for name, cell in _flat(value).items() if cell}
    names = list(flat)
    meant = {meaning: names[at] for meaning, at in guess(names).meant.items()}
    return {meaning: (name, flat[name]) for meaning, name in meant.items() if meaning in _SAID}


def _rows(value: Fields, columns: Mapping[str, str]) -> Iterator[dict[str, str]]:
    """Yield the rows of an object: its own, and one for each message in it."""
    whole = _flat(value)
    messages = [
        {
            columns[meaning]: words
            for meaning, (_, words) in _told(message).items()
            if meaning in columns
        }
        for message in _messages(value)
    ]
    key = columns.get("id", "")
    if messages and not whole.get(key):
        begun = [whole.get(columns.get("subject", ""), ""), messages[0][columns["body"]]]
        whole[key] = f"row-{digest_of(begun)}"
    if messages and not whole.get(columns["body"]):
        whole |= messages.pop(0)
    yield whole
    yield from ({key: whole[key], **message} for message in messages)
