"""Checks of the pages of a change request: what a command answers, as findings at their lines.

Four formats are read: ``lines`` (``file:line:column: text``, as compilers write it), ``rdjson`` and
``rdjsonl`` (reviewdog's `proto/rdf/reviewdog.proto`), and the JSON of Vale.
"""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field
from hashlib import sha256
from typing import Any, Literal, TypeAlias

from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.text import clean

Format: TypeAlias = Literal["lines", "rdjson", "rdjsonl", "vale"]
When: TypeAlias = Literal["asked", "open"]

FILES = "{files}"
"""The word of a command in whose place the names of the files go."""

BUILT_IN = "copydesk"
"""The name of the checks that need no setting."""

MOST = 5_000
"""Findings of one run that are kept."""

LONGEST = 500
"""Characters of what a finding says."""

_LINE = re.compile(
    r"(?P<path>[^:]+):(?P<line>[0-9]{1,9})(?::[0-9]{1,9})?(?:[:\s]\s*|$)(?P<text>.*)"
)


@dataclass(frozen=True, slots=True)
class Check:
    """A command of the settings: what it ``reads`` as, when it runs, and for how long at most."""

    name: str
    command: tuple[str, ...]
    reads: Format = "lines"
    when: When = "asked"
    seconds: int = 20


@dataclass(frozen=True, slots=True)
class Fix:
    """Other words for a stretch of a page, by characters.

    Lines and columns count from 0; what stands at ``end`` of the ``last`` line is not in it.
    """

    line: int
    column: int
    last: int
    end: int
    text: str

    def lines(self, old: Sequence[str]) -> tuple[int, int, list[str]] | None:
        """Return the first and last line that it changes, and what they become.

        None where the page has no such place.
        """
        if not 0 <= self.line <= self.last < len(old):
            return None
        first, last = old[self.line], old[self.last]
        if not (0 <= self.column <= len(first) and 0 <= self.end <= len(last)):
            return None
        if self.line == self.last and self.end < self.column:
            return None
        text = f"{first[: self.column]}{self.text}{last[self.end :]}"
        return self.line, self.last, re.split(r"\r\n|\r|\n", text)


@dataclass(frozen=True, slots=True)
class Finding:
    """What a check says of a line (from 1) of a page; texts are clean."""

    page: str
    line: int
    check: str
    rule: str
    text: str
    fix: Fix | None = None

    @property
    def said(self) -> str:
        """The finding as one line: who says it, by which rule, and what."""
        lead = f"{self.check} {self.rule}" if self.rule else self.check
        return f"{lead}: {self.text}"

    def key(self, lines: Sequence[str]) -> str:
        """Return what tells it from others as long as its line, one of ``lines``, is as it is."""
        line = lines[self.line - 1] if self.line <= len(lines) else ""
        parts = (self.page, self.check, self.rule, self.text, line)
        return sha256(json.dumps(parts).encode()).hexdigest()[:32]


@dataclass(frozen=True, slots=True)
class CheckedFile:
    """A page as a command gets it: its id, and its lines without their ends."""

    page: str
    lines: Sequence[str]


@dataclass
class Answer:
    """What was read of the output of a command.

    ``unread`` are lines, or parts, that say nothing of a page. ``trouble`` says why the output as a
    whole cannot be read.
    """

    findings: list[Finding] = field(default_factory=list)
    unread: list[str] = field(default_factory=list)
    trouble: str = ""


def read_answer(check: Check, output: str, files: Mapping[str, CheckedFile]) -> Answer:
    """Read what a command has said of some files, by their names. Any text is taken."""
    reader = _Reader(check.name, files)
    output = output.removeprefix("\ufeff")
    try:
        _READERS[check.reads](reader, output)
    except (ValueError, RecursionError):
        reader.answer.trouble = f"what it says cannot be read as {check.reads}"
    except _EnoughError:
        reader.answer.trouble = f"more than {MOST:,} findings: the rest is left out"
    return reader.answer


class _EnoughError(Exception):
    """There are more findings than are kept."""


class _Reader:
    """Takes in what a command says, piece by piece."""

    def __init__(self, check: str, files: Mapping[str, CheckedFile]) -> None:
        self._check, self._files = check, files
        self._depth = 1 + max((name.count("/") for name in files), default=0)
        self.answer = Answer()

    def file(self, path: str) -> CheckedFile | None:
        """Return the file that a path names: relative, or below any folder."""
        path = posixpath.normpath(path.strip().replace("\\", "/"))
        parts = path.split("/")[-self._depth :]
        for at in range(len(parts)):
            if (name := "/".join(parts[at:])) in self._files:
                return self._files[name]
        return None

    def add(self, path: str, line: int, text: str, rule: str = "", fix: Fix | None = None) -> None:
        """Keep a finding; of no file that was checked it is told as not read."""
        file = self.file(path)
        said = clean(text, limit=LONGEST).strip()
        if file is None or not said:
            self.left_out(f"{path}: {text}")
            return
        if len(self.answer.findings) == MOST:
            raise _EnoughError
        line = min(max(line, 1), max(len(file.lines), 1))
        if fix is not None and fix.lines(file.lines) is None:
            fix = None
        rule = clean(rule, limit=80).strip()
        self.answer.findings.append(Finding(file.page, line, self._check, rule, said, fix))

    def left_out(self, part: str) -> None:
        """Note what says nothing of a page."""
        if said := clean(part, limit=LONGEST).strip():
            self.answer.unread.append(said)


def _lines(reader: _Reader, output: str) -> None:
    for line in output.splitlines():
        found = _LINE.fullmatch(clean(line, limit=2_000).strip())
        if found is None:
            reader.left_out(line)
        else:
            reader.add(found["path"], int(found["line"]), found["text"])


def _rdjson(reader: _Reader, output: str) -> None:
    if not output.strip():
        return
    told = json.loads(output)
    if not isinstance(told, dict):
        raise ValueError(output[:20])
    for each in _list(told.get("diagnostics")):
        _diagnostic(reader, each, _text(_dict(told.get("source")).get("name")))


def _rdjsonl(reader: _Reader, output: str) -> None:
    for line in output.splitlines():
        if not line.strip():
            continue
        try:
            _diagnostic(reader, json.loads(line), "")
        except (ValueError, RecursionError):
            reader.left_out(line)


def _diagnostic(reader: _Reader, value: object, source: str) -> None:
    told = _dict(value)
    location = _dict(told.get("location"))
    path, message = _text(location.get("path")), _text(told.get("message"))
    if not path or not message:
        reader.left_out(json.dumps(value))
        return
    start = _dict(_dict(location.get("range")).get("start"))
    rule = _text(_dict(told.get("code")).get("value")) or source
    file = reader.file(path)
    fixes = () if file is None else (_rdf_fix(each, file.lines) for each in _list(
        told.get("suggestions")
    ))  # fmt: skip
    fix = next((each for each in fixes if each is not None), None)
    reader.add(path, _number(start.get("line")), message, rule, fix)


def _rdf_fix(value: object, lines: Sequence[str]) -> Fix | None:
    """Return a suggestion of the format as a fix: its columns count the bytes of UTF-8."""
    told = _dict(value)
    span, text = _dict(told.get("range")), told.get("text", "")
    start, end = _dict(span.get("start")), _dict(span.get("end") or span.get("start"))
    first, last = _number(start.get("line")) - 1, _number(end.get("line")) - 1
    if not (isinstance(text, str) and 0 <= first <= last < len(lines)):
        return None
    if not start.get("column") and not end.get("column"):  # whole lines, the last among them
        return Fix(first, 0, last, len(lines[last]), _text(text).removesuffix("\n"))
    columns = (
        _character(lines[first], _number(start.get("column")) or 1),
        _character(lines[last], _number(end.get("column")) or 1),
    )
    if columns[0] is None or columns[1] is None:
        return None
    return Fix(first, columns[0], last, columns[1], _text(text))


def _character(line: str, column: int) -> int | None:
    """Return the character at a byte (from 1) of a line; None within one, or past the end."""
    data = line.encode(errors="replace")
    if not 0 < column <= len(data) + 1:
        return None
    try:
        return len(data[: column - 1].decode())
    except UnicodeDecodeError:
        return None


def _vale(reader: _Reader, output: str) -> None:
    if not output.strip():
        return
    told = json.loads(output)
    if not isinstance(told, dict):
        raise ValueError(output[:20])
    if isinstance(told.get("Text"), str) and "Code" in told:  # what it says of itself
        reader.answer.trouble = clean(_text(told["Text"]), limit=LONGEST).strip()
        return
    for path, alerts in told.items():
        for each in map(_dict, _list(alerts)):
            line, file = _number(each.get("Line")), reader.file(path)
            fix = None if file is None else _vale_fix(each, line - 1, file.lines)
            reader.add(path, line, _text(each.get("Message")), _text(each.get("Check")), fix)


def _vale_fix(alert: Mapping[str, Any], line: int, lines: Sequence[str]) -> Fix | None:
    """Return what an alert would do, where its columns are those of the words that it means.

    They are none in some formats, and a fix would break the line then.
    """
    span, action = _list(alert.get("Span")), _dict(alert.get("Action"))
    name, given = action.get("Name"), _list(action.get("Params"))
    if len(span) != 2 or not 0 <= line < len(lines) or name not in ("replace", "remove"):
        return None
    start, end = _number(span[0]) - 1, _number(span[1])
    text = _text(given[0]) if given and name == "replace" else ""
    match = alert.get("Match")
    if not 0 <= start < end <= len(lines[line]) or lines[line][start:end] != match:
        return None
    return None if name == "replace" and not text else Fix(line, start, line, end, text)


_READERS: Mapping[Format, Callable[[_Reader, str], None]] = {
    "lines": _lines,
    "rdjson": _rdjson,
    "rdjsonl": _rdjsonl,
    "vale": _vale,
}
"""What reads each format."""

FORMATS = tuple(_READERS)


def _dict(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _list(value: object) -> Sequence[Any]:
    return value if isinstance(value, list) else ()


def _text(value: object) -> str:
    """Return a text, without halves of characters, which JSON may say and no file can hold."""
    return value.encode(errors="replace").decode() if isinstance(value, str) else ""


def _number(value: object) -> int:
    return value if type(value) is int and 0 <= value < 10**9 else 0


def commands_with(command: Sequence[str], files: Sequence[str]) -> Iterator[str]:
    """Yield a command with the names of files in the place of ``{files}``, else at its end.

    Somebody else chose the names: one that a program may take for an option, or for a file of
    options, is told as one of the working directory.
    """
    files = [name if name[:1].isalnum() else f"./{name}" for name in files]
    for word in command:
        if word == FILES:
            yield from files
        else:
            yield word
    if FILES not in command:
        yield from files
