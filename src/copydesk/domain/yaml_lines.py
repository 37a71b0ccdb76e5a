"""YAML that people edit: read with the line of everything, written so that it is read back alike.

What is read is small: mappings, lists and texts, without anchors and tags. A text is what stands
there (``404`` is the text "404"), so that nobody has to know when YAML wants quotes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import field
from typing import TYPE_CHECKING, TypeAlias

from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.text import unseen

if TYPE_CHECKING:
    import yaml

LONGEST = 16 * 1024 * 1024
"""Longest text that is read, in characters."""

DEEPEST = 60
"""How deep things may be in one another: twice what groups of sections within each other take."""

EMPTY = frozenset({"", "~", "null", "Null", "NULL"})
"""Words that mean no value when they are not in quotes."""


@dataclass(frozen=True, slots=True)
class Problem:
    """A mistake in a file; ``line`` counts from 1, 0 where it is about the whole."""

    line: int
    sentence: str

    def __str__(self) -> str:
        return f"line {self.line}: {self.sentence}" if self.line else self.sentence


class FileError(ValueError):
    """A file that cannot be used. Its text is one line for each problem, in their order."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        self.problems = tuple(sorted(problems, key=lambda problem: problem.line))
        super().__init__("\n".join(str(problem) for problem in self.problems))


@dataclass(frozen=True, slots=True)
class Word:
    """A text and where it begins. ``plain`` says that it stands there without quotes."""

    line: int
    text: str
    plain: bool = True

    @property
    def empty(self) -> bool:
        """Whether nothing is meant."""
        return self.text in EMPTY if self.plain else not self.text


@dataclass(slots=True)
class Items:
    """A list and where it begins."""

    line: int
    items: list[Node] = field(default_factory=list)


@dataclass(slots=True)
class Fields:
    """A mapping and where it begins: the names with their values; a name may come twice."""

    line: int
    pairs: list[tuple[Node, Node]] = field(default_factory=list)


Node: TypeAlias = Word | Items | Fields


def read(text: str) -> Node:
    """Return the one thing that a text holds. Raises `FileError` with the line of the mistake."""
    import yaml

    if len(text) > LONGEST:
        raise FileError([Problem(0, f"it is longer than {LONGEST // 1024 // 1024} MB")])
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        # Events and not nodes: building nodes calls itself for what is inside of others, and a
        # file may be as deep as its writer likes.
        return _Builder().built(yaml.parse(text.removeprefix("\ufeff"), Loader=loader))
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        said = f"this is not YAML: {error.problem or error.context or 'it cannot be read'}"
        raise FileError([Problem(mark.line + 1 if mark else 0, said)]) from error
    except yaml.reader.ReaderError as error:
        at = error.position if isinstance(error.position, int) else 0
        line = text.count("\n", 0, at) + 1
        raise FileError([Problem(line, f"this is not YAML: {error.reason}")]) from error


class _Builder:
    """Makes nodes of the events of a parser."""

    def __init__(self) -> None:
        self._open: list[Items | Fields] = []
        self._names: list[Node | None] = []
        """For each mapping that is open the name that waits for its value."""
        self._found: Node | None = None

    def built(self, events: Iterable[yaml.Event]) -> Node:
        """Return the node that the events describe."""
        import yaml

        for event in events:
            line = _line(event)
            if isinstance(event, yaml.AliasEvent):
                _refuse(line, "*names of other parts are not read here")
            if isinstance(event, yaml.DocumentStartEvent) and self._found is not None:
                _refuse(line, "a second document begins; the file holds one")
            if getattr(event, "tag", None) is not None:
                _refuse(line, "!tags are not read here")
            if isinstance(event, yaml.ScalarEvent):
                self._put(self._word(event))
            elif isinstance(event, yaml.SequenceStartEvent):
                self._enter(Items(line))
            elif isinstance(event, yaml.MappingStartEvent):
                self._enter(Fields(line))
            elif isinstance(event, yaml.SequenceEndEvent | yaml.MappingEndEvent):
                self._open.pop()
                self._names.pop()
        return self._found if self._found is not None else Word(1, "")

    def _word(self, event: yaml.ScalarEvent) -> Word:
        # The last line end of a block is there for every block; nobody means it.
        text = event.value.removesuffix("\n") if event.style in ("|", ">") else event.value
        return Word(_line(event), text, plain=not event.style)

    def _enter(self, node: Items | Fields) -> None:
        if len(self._open) == DEEPEST:
            _refuse(node.line, f"this is more than {DEEPEST} levels deep")
        self._put(node)
        self._open.append(node)
        self._names.append(None)

    def _put(self, node: Node) -> None:
        if not self._open:
            self._found = node
            return
        inside = self._open[-1]
        if isinstance(inside, Items):
            inside.items.append(node)
        elif (name := self._names[-1]) is None:
            self._names[-1] = node
        else:
            inside.pairs.append((name, node))
            self._names[-1] = None


def _line(event: yaml.Event) -> int:
    return event.start_mark.line + 1 if event.start_mark is not None else 0


def _refuse(line: int, sentence: str) -> None:
    raise FileError([Problem(line, sentence)])


# Writing

_PLAIN = re.compile(r"""[^\W_](?:[\w ./()&+,;'"=<>!-]*[\w./()&+'"!-])?""")
"""What may go without quotes: it begins with a letter or a digit, and no sign in it is YAML's."""

_NUMBER = re.compile(r"\d[^g-np-wyzG-NP-WYZ]*")
"""What may be a number or a time to somebody who reads YAML: it has no letter of none of them."""

_WORDS = frozenset({"null", "true", "false", "yes", "no", "on", "off", "y", "n"})
"""Words that some readers of YAML take for something else than a text."""

_ESCAPED = re.compile(r'["\\]|[^ -~\xa0-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]')
_UNSEEN = re.compile("[\xa0\xad\u200b-\u200f\u2028-\u202f\u2060-\u206f]")

_LONE = re.compile("[\ud800-\udfff]")
"""Halves of characters: JSON can hold them, no file can."""

_SHORT = {"\n": "\\n", "\t": "\\t", "\r": "\\r", '"': '\\"', "\\": "\\\\"}


def writable(text: str) -> str:
    """Return a text as a file can hold it: half characters become replacement signs."""
    return _LONE.sub("\ufffd", text)


def word(text: str) -> str:
    """Return a text as it is written into a file, in quotes where they are needed."""
    text = writable(text)
    hidden = set(unseen(text))
    if hidden:
        text = _UNSEEN.sub(_number, _ESCAPED.sub(_number, text))
        return '"' + text.translate({ord(sign): _numbered(sign) for sign in hidden}) + '"'
    plain = _PLAIN.fullmatch(text) and not _NUMBER.fullmatch(text)
    if plain and text.lower() not in _WORDS:
        return text
    if not _UNSEEN.search(text) and "'" not in text and not _ESCAPED.search(text.replace('"', "")):
        return f"'{text}'"
    return '"' + _UNSEEN.sub(_number, _ESCAPED.sub(_number, text)) + '"'


def _number(found: re.Match[str]) -> str:
    return _numbered(found[0])


def _numbered(sign: str) -> str:
    if sign in _SHORT:
        return _SHORT[sign]
    code = ord(sign)
    if code < 0x100:
        return f"\\x{code:02X}"
    return f"\\u{code:04X}" if code < 0x10000 else f"\\U{code:08X}"
