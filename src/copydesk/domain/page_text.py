"""A page's two texts compared, and where on it the anchors of threads are found."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from unicodedata import normalize

from copydesk.domain.blocks import AnchoredLines, BlockText, anchor
from copydesk.domain.diff import TextDiff, compare
from copydesk.domain.text import NUMBER, exposed, few, unseen, without_numbers

TOLD = 6
"""So many lines are named by their numbers."""


class _Anchors:
    """Where the anchors of threads are found in a text: its rows and their lines."""

    def __init__(self, text: BlockText) -> None:
        self._text = text
        # A line is known by its text, with or without the characters that are not drawn.
        self.said = [without_numbers(text.said(row)) for row in range(len(text))]
        self._rows = AnchoredLines(self.said)

    @cached_property
    def _lines(self) -> AnchoredLines:
        return AnchoredLines(list(map(without_numbers, self._text.lines)))

    def find(self, node: str, *, exact: bool) -> int | None:
        """Return the row that an anchor is about: of a line, the row that this is in."""
        row = self._rows.find(node, exact=exact)
        if row is None and (line := self._lines.find(node, exact=exact)) is not None:
            row = self._text.row_of_line(line)
        return row


@dataclass(slots=True)
class PageText:
    """The two texts of a page compared, and where on it anchors are found.

    ``alike``: the text is the same on both sides, and what changed is told in the notes.
    """

    before: str
    after: str
    diff: TextDiff
    notes: tuple[str, ...] = ()
    alike: bool = False
    mine: frozenset[int] = frozenset()
    """The rows of ``after`` that are staged on this machine and not sent."""
    source: str = ""
    """The text after as it was read, with its line ends and all that nobody sees."""
    source_before: str = ""
    """The text before as it was read."""
    _old: _Anchors = field(init=False)
    _new: _Anchors = field(init=False)
    _found: dict[str, int | None] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._old, self._new = _Anchors(self.diff.before), _Anchors(self.diff.after)
        self.diff.prepare()

    @property
    def folds(self) -> bool:
        """Whether rows that did not change are folded."""
        return self.diff.changed or self.alike

    @property
    def now(self) -> str:
        """The text that a reader has seen after reading this: a removed page's is the old one."""
        return self.after or self.before

    def find(self, node: str) -> int | None:
        """Return the row of the diff that an anchor is about: as it is now, else as it was.

        Of equal lines it is the one that it was made on, as long as either text has that.
        """
        if node not in self._found:
            self._found[node] = self._find(node)
        return self._found[node]

    def _find(self, node: str) -> int | None:
        for exact in (True, False):
            for text, after in ((self._new, True), (self._old, False)):
                if (place := text.find(node, exact=exact)) is not None:
                    return self.diff.row_of(place, after=after)
        return None

    def pair(self, at: int) -> tuple[int, ...]:
        """Return the rows of one row: two where it was edited, as it was and as it is now."""
        line = self.diff[at]
        if not line.paired:
            return (at,)
        return (at, at + 1) if line.kind == "removed" else (at - 1, at)

    def is_mine(self, at: int) -> bool:
        """Whether a row of the diff is one that is staged here, and not sent."""
        if not self.mine:
            return False
        segment, step = self.diff.place(at)
        if segment.kind == "edited":
            return bool(step % 2) and segment.after + step // 2 in self.mine
        return segment.kind == "added" and segment.after + step in self.mine

    def anchor(self, at: int) -> str | None:
        """Return the anchor of a row of the diff; None where it has no text of its own.

        An edited row is anchored as it is now: the text before will be gone once it is merged.
        """
        segment, step = self.diff.place(self.pair(at)[-1])
        if segment.kind in ("from", "to"):
            return None
        if segment.kind == "edited":
            step //= 2
        if segment.after >= 0:
            return anchor(self._new.said, segment.after + step)
        return anchor(self._old.said, segment.before + step)

    def lines_after(self, first: int, last: int) -> tuple[int, int] | None:
        """Return the first and the last line of the text after that rows of the diff are of.

        Lines count from 0, and in `source` as well. None where none of the rows is in that text.
        """
        found: list[int] = []
        for at in range(first, last + 1):
            segment, step = self.diff.place(at)
            if segment.after < 0:
                continue
            found += self.lines_of(
                segment.after + (step // 2 if segment.kind == "edited" else step)
            )
        return (min(found), max(found)) if found else None

    def lines_of(self, row: int) -> tuple[int, int]:
        """Return the first and the last line (from 0) of a row of the text after."""
        text = self.diff.after
        _, start, stop = text.row(row)
        return text.line_of(start), text.line_of(stop - 1)

    def rows_with(self, words: str) -> list[int]:
        """Return the rows of the text after, from 0, that have some words in them."""
        said = without_numbers(exposed(words))
        return [row for row, text in enumerate(self._new.said) if said in text]

    def row_of_source(self, number: int) -> int | None:
        """Return the row that a line of the text after (from 1) is in; None past its end."""
        text = self.diff.after
        for row in range(len(text)):
            _, start, stop = text.row(row)
            if text.line_of(start) < number <= text.line_of(stop - 1) + 1:
                return row
        return None

    def rows_of_lines(self, lines: Iterable[int]) -> dict[int, int]:
        """Return the rows of the diff that show lines of the text after, from 1, by the line.

        A line between two rows is shown by the one before it.
        """
        wanted = sorted(set(lines), reverse=True)
        found: dict[int, int] = {}
        shown = 0
        for row in range(len(self.diff.after)):
            if not wanted:
                break
            first = self.lines_of(row)[0]
            while wanted and wanted[-1] <= first:
                found[wanted.pop()] = shown
            at = self.diff.row_of(row, after=True)
            shown = shown if at is None else at
            while wanted and wanted[-1] == first + 1:
                found[wanted.pop()] = shown
        return found | dict.fromkeys(wanted, shown)

    def anchor_after(self, row: int) -> str | None:
        """Return the anchor of a row of the text after, as `anchor` does; None for a blank one."""
        return anchor(self._new.said, row)

    def line_text(self, at: int) -> str:
        """Return a row's text, without looking for changed words."""
        return self.diff.text_of(at)


def page_text(
    before: str, after: str, notes: Sequence[str] = (), *, alike: bool = False
) -> PageText:
    """Compare two texts of a page. Takes time linear to them: not between two keys.

    ``alike`` as in `PageText`: a page that is only shown, without a change, is none.
    """
    raw = before, after
    before, after = exposed(before), exposed(after)
    diff = compare(before, after)
    said = [*notes, *_unseen_notes(diff, *raw)]
    if diff.unclosed is not None:
        said.append(
            f"Not read as Markdown: the code that begins in line {diff.unclosed} never ends. "
            "Lines and their words are compared."
        )
    if diff.quiet or (not diff.changed and raw[0] != raw[1] and len(said) == len(notes)):
        said.append(
            "The words are the same. What differs are line breaks, blanks or escapes, which "
            "readers do not see."
        )
    return PageText(before, after, diff, tuple(said), alike, source=raw[1], source_before=raw[0])


def _unseen_notes(diff: TextDiff, before: str, after: str) -> list[str]:
    """Return what differs in characters that are not drawn."""
    said: list[str] = []
    windows = ["\r\n" in text for text in (before, after)]
    if before and after and windows[0] != windows[1]:
        said.append(
            "All line ends changed: they were those of Windows (CRLF), now they are those of Unix."
            if windows[0]
            else "All line ends changed: they were those of Unix, now they are those of Windows "
            "(CRLF)."
        )
    if before != after and normalize("NFC", before) == normalize("NFC", after):
        said.append(
            "The letters are the same. What differs is how those with marks are stored (Unicode), "
            "which readers do not see."
        )
    lines = unseen_changes(diff, before, after)
    if lines:
        at = few([f"{line:,}" for line in lines], TOLD)
        said.append(
            f"Invisible characters changed on {'line' if len(lines) == 1 else 'lines'} {at}."
        )
    return said


def unseen_changes(diff: TextDiff, before: str, after: str) -> list[int]:
    """Return the lines of the text after (from 1) that have other unseen characters than before.

    ``diff`` compares the two as `copydesk.domain.text.exposed` has them. Rows that are gone are not
    looked at.
    """
    if not unseen(before) and not unseen(after):
        return []
    old, new = _lines(before), _lines(after)
    found: set[int] = set()
    for kind, was, now, size, _ in diff.segments:
        for step in range(size if now >= 0 else 0):
            _, start, stop = diff.after.row(now + step)
            if kind == "added":
                found.update(
                    diff.after.line_of(at) + 1
                    for at in range(start, stop)
                    if NUMBER.search(diff.after.lines[at])
                )
            elif was >= 0:
                row = diff.before.row(was + step)
                lines = _of(diff.before, row.start, row.stop), _of(diff.after, start, stop)
                (a, b), (c, d) = lines
                found.update(_differing(old[a:b], new[c:d], c + 1))
    return sorted(found)


def _lines(text: str) -> list[str]:
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")


def _of(text: BlockText, start: int, stop: int) -> tuple[int, int]:
    """Return the range of source lines that some of a text's ``lines`` come from."""
    return text.line_of(start), text.line_of(stop - 1) + 1


def _differing(old: list[str], new: list[str], first: int) -> list[int]:
    was, now = [unseen(line) for line in old], [unseen(line) for line in new]
    if "".join(was) == "".join(now):
        return []
    if len(was) != len(now):
        return [first]
    return [first + at for at in range(len(was)) if was[at] != now[at]]
