"""A review as a file that people and programs write: comments, replies and a verdict, in YAML.

JSON is YAML too. Reading makes entries of the file and names every mistake with its line; whether
the pages and threads are there is known only to who asks the service.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.text import clean, listed, shorten
from copydesk.domain.yaml_lines import Fields, FileError, Items, Node, Problem, Word, read

VERDICTS: Mapping[str, Literal["approved", "changes-requested"]] = {
    "approve": "approved",
    "ask": "changes-requested",
}
"""The verdicts of a file, named as the commands that give them, by what the service calls them."""

_TOP = ("verdict", "text", "comments")
_WORDS = ("page", "line", "last", "quote", "thread", "text")
_ENTRY = (*_WORDS, "suggestion")


@dataclass(frozen=True, slots=True)
class Entry:
    """A comment of a review, which stands at ``at`` in the file.

    It is on the whole request, on a ``page`` (its address, id or title), on the ``line`` of that
    page (from 1, 0 for none), or on the one line of it that has the words of ``quote``; or it is a
    reply in a ``thread``. A ``suggestion`` has the lines that should stand there, from that line to
    the ``last``; None for none.
    """

    at: int
    text: str
    page: str = ""
    line: int = 0
    quote: str = ""
    thread: str = ""
    last: int = 0
    suggestion: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class ReviewFile:
    """What a file says of a change request; ``verdict`` is empty for none."""

    verdict: Literal["approved", "changes-requested", ""] = ""
    text: str = ""
    entries: tuple[Entry, ...] = ()


def read_review(text: str) -> ReviewFile:
    """Return the review that a text holds. Raises `FileError` with every mistake in it."""
    return _Reader().review(read(text))


class _Reader:
    def __init__(self) -> None:
        self._problems: list[Problem] = []

    def review(self, node: Node) -> ReviewFile:
        fields = self._fields(node, _TOP, "the file")
        verdict = self._word(fields.get("verdict"), "verdict")
        if verdict and verdict not in VERDICTS:
            self._wrong(fields["verdict"], f"verdict is {listed(list(VERDICTS), 'or')}")
        said = self._word(fields.get("text"), "text")
        if said and not verdict:
            self._wrong(
                fields["text"],
                f"this is the text of a review: set verdict to {listed(list(VERDICTS), 'or')}",
            )
        comments = fields.get("comments")
        entries: list[Entry] = []
        if isinstance(comments, Items):
            entries = [self._entry(each) for each in comments.items]
        elif comments is not None and not (isinstance(comments, Word) and comments.empty):
            self._wrong(comments, "comments is a list: each begins with a dash")
        if not self._problems and not verdict and not entries:
            self._wrong(node, "it has neither a verdict nor a comment")
        if self._problems:
            raise FileError(self._problems)
        return ReviewFile(VERDICTS[verdict] if verdict else "", said, tuple(entries))

    def _entry(self, node: Node) -> Entry:
        fields = self._fields(node, _ENTRY, "a comment")
        given = {name: self._word(fields.get(name), name) for name in _WORDS}
        suggestion = self._lines(fields.get("suggestion"))
        if not given["text"] and suggestion is None and isinstance(node, Fields):
            self._wrong(node, "a comment needs its text")
        line, last = (
            self._number(fields.get(name), given[name], name) for name in ("line", "last")
        )
        if suggestion is not None and not (line or given["quote"]):
            self._wrong(node, "a suggestion is for a line of a page: name it by line or quote")
        if last and (suggestion is None or not line or int(last) < int(line)):
            self._wrong(fields["last"], "last is the last line of a suggestion, from its line on")
        if (line or given["quote"]) and not given["page"]:
            self._wrong(node, "a line is one of a page: name the page")
        if line and given["quote"]:
            self._wrong(node, "line and quote both name a line: leave one out")
        if given["thread"] and given["page"]:
            self._wrong(node, "a reply is in its thread: leave out the page")
        return Entry(
            node.line,
            given["text"],
            given["page"],
            int(line or 0),
            given["quote"],
            given["thread"],
            int(last or 0),
            suggestion,
        )

    def _number(self, node: Node | None, given: str, name: str) -> str:
        """Return the number of a line, "" for none."""
        known = given.isascii() and given.isdecimal() and len(given) < 10 and int(given) > 0
        if given and not known and node is not None:
            self._wrong(node, f"{name} is the number of a line, from 1")
        return given if known else ""

    def _lines(self, node: Node | None) -> tuple[str, ...] | None:
        """Return the lines of a suggestion: none for an empty text, which deletes."""
        if node is None:
            return None
        if not isinstance(node, Word) or (node.plain and node.empty):
            self._wrong(node, 'suggestion is a text; "" deletes the lines')
            return None
        text = node.text.replace("\r\n", "\n").replace("\r", "\n")
        return tuple(text.removesuffix("\n").split("\n")) if text else ()

    def _fields(self, node: Node, known: tuple[str, ...], of: str) -> dict[str, Node]:
        if not isinstance(node, Fields):
            self._wrong(node, f"{of} is made of fields: {listed(known, 'or')}, each with a colon")
            return {}
        found: dict[str, Node] = {}
        for name, value in node.pairs:
            said = name.text if isinstance(name, Word) else ""
            if said not in known:
                named = shorten(clean(said))
                self._wrong(name, f"there is no “{named}” here, only {listed(known)}")
            elif said in found:
                self._wrong(name, f"{said} is here twice")
            else:
                found[said] = value
        return found

    def _word(self, node: Node | None, name: str) -> str:
        if node is None or (isinstance(node, Word) and node.empty):
            return ""
        if not isinstance(node, Word):
            self._wrong(node, f"{name} is a text")
            return ""
        return node.text.strip()

    def _wrong(self, node: Node, sentence: str) -> None:
        self._problems.append(Problem(node.line, sentence))
