"""Suggestions: other words for some lines of a page, as a block of code in a comment.

The block is the one that people know from reviews of code: a fence with the word ``suggestion``,
and in it the lines as they should be. It stands for the line that the comment is on;
``suggestion:-1+2`` for that line, the one above it, and the two below. Without a line in it the
lines are deleted. What a comment says is strangers' text: any is taken.

A comment has no copy of the lines that it is about: those are in the revision that it was written
on. It *fits* a later text where exactly these lines still stand in their place, or stand once
elsewhere. Line ends do not count: a page keeps its own.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property

from copydesk.domain.blocks import LINES, AnchoredLines, BlockText, anchor, is_anchor
from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.sequence_matches import equal_runs
from copydesk.domain.text import exposed, plural, without_numbers

MARK = "\ufeff"
"""A byte order mark: it belongs to the page, and to none of its lines."""

PAGE_GONE = "The page is gone."
EDITED = "The lines were edited since."
TWICE = "The lines are there twice: edit the page by hand."
IDLE = "Changes nothing."
UNREADABLE = "Its revision cannot be read."
NO_LINE = "On no line: edit the page by hand."
IN_CELL = "In a cell of a table: edit the page by hand."
SEVERAL = "Several suggestions in it: edit the page by hand."

_FENCE = re.compile(r" {0,3}(?P<fence>`{3,}(?=[^`]*$)|~{3,})(?P<info>.*)$")
_CLOSING = re.compile(r" {0,3}(`{3,}|~{3,})[ \t]*")
_INFO = re.compile(r"suggestion(?::-(?P<above>\d{1,4})\+(?P<below>\d{1,4}))?")
_TICKS = re.compile("`+")


@dataclass(frozen=True, slots=True)
class Suggestion:
    """The lines that should stand there, for a line with so many ``above`` and ``below`` it."""

    lines: tuple[str, ...]
    above: int = 0
    below: int = 0


def block(lines: Sequence[str], above: int = 0, below: int = 0) -> str:
    """Return the block of a suggestion. Its fence is longer than any in the lines."""
    longest = max((len(run) for line in lines for run in _TICKS.findall(line)), default=0)
    fence = "`" * max(3, longest + 1)
    range_of_lines = f":-{above}+{below}" if above or below else ""
    return "\n".join([f"{fence}suggestion{range_of_lines}", *lines, fence])


def parts_of(markdown: str) -> list[str | Suggestion]:
    """Return what a comment says in its order: its words, and its suggestions.

    A block that never ends is none: somebody may have cut the comment off.
    """
    lines = markdown.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    found: list[str | Suggestion] = []
    words: list[str] = []
    ends = _Ends(lines)
    at = 0
    while at < len(lines):
        opened = _FENCE.match(lines[at])
        stop = None if opened is None else ends.of(at, opened["fence"])
        if opened is None or stop is None:
            words.append(lines[at])
            at += 1
            continue
        info = _INFO.fullmatch(opened["info"].strip(" \t"))
        if info is None:
            words += lines[at : stop + 1]
        else:
            if said := "\n".join(words).strip("\n"):
                found.append(said)
            words = []
            indent = len(lines[at]) - len(lines[at].lstrip(" "))
            inside = tuple(_without_indent(line, indent) for line in lines[at + 1 : stop])
            found.append(Suggestion(inside, int(info["above"] or 0), int(info["below"] or 0)))
        at = stop + 1
    if said := "\n".join(words).strip("\n"):
        found.append(said)
    return found


def suggestions_in(markdown: str) -> list[Suggestion]:
    """Return the suggestions of a comment."""
    if "suggestion" not in markdown:
        return []
    return [part for part in parts_of(markdown) if isinstance(part, Suggestion)]


def words_in(markdown: str) -> str:
    """Return what a comment says beside its suggestions."""
    return "\n\n".join(part for part in parts_of(markdown) if isinstance(part, str))


class _Ends:
    """The lines that end blocks of code. Many blocks that never end take no longer than few."""

    def __init__(self, lines: Sequence[str]) -> None:
        closing = ((at, _CLOSING.fullmatch(line)) for at, line in enumerate(lines))
        self._ends = [(at, match[1]) for at, match in closing if match is not None]
        self._longest: list[dict[str, int]] = [{}]
        """How long the ends of each kind are at most, from each of them on."""
        for _, fence in reversed(self._ends):
            known = self._longest[-1]
            longest = max(len(fence), known.get(fence[0], 0))
            self._longest.append({**known, fence[0]: longest})
        self._longest.reverse()

    def of(self, start: int, fence: str) -> int | None:
        """Return the line that ends the block which a fence begins; None where none does."""
        after = bisect_right(self._ends, start, key=lambda end: end[0])
        if self._longest[after].get(fence[0], 0) < len(fence):
            return None
        while not self._ends[after][1].startswith(fence):
            after += 1
        return self._ends[after][0]


def _without_indent(line: str, most: int) -> str:
    blanks = len(line) - len(line.lstrip(" "))
    return line[min(blanks, most) :]


class SourceLines:
    """The lines of a page's Markdown, with their ends, and where anchors are among them."""

    def __init__(self, text: str) -> None:
        self.mark = MARK if text.startswith(MARK) else ""
        self.raw: list[str] = LINES.findall(text.removeprefix(MARK))
        self.lines = [line.rstrip("\r\n") for line in self.raw]
        """The lines without their ends."""
        self._exposed = exposed(text)

    @cached_property
    def _said(self) -> list[str]:
        said = without_numbers(self._exposed).split("\n")
        return [*said, *[""] * len(self.lines)][: len(self.lines)]

    @cached_property
    def _anchored(self) -> AnchoredLines:
        return AnchoredLines(self._said)

    @cached_property
    def _rows(self) -> tuple[BlockText, AnchoredLines]:
        text = BlockText(self._exposed)
        return text, AnchoredLines([without_numbers(text.said(at)) for at in range(len(text))])

    def anchor(self, first: int, last: int) -> tuple[str, int] | None:
        """Return the anchor of the first line with words from one line to another, and that line.

        Lines count from 0. None where none has words.
        """
        for at in range(first, last + 1):
            if (node := anchor(self._said, at)) is not None:
                return node, at
        return None

    def find(self, node: str) -> tuple[int, int] | None:
        """Return the lines, from 0 up to the second, that an anchor is about.

        That is one line, or a paragraph of several where it was anchored as a whole.
        """
        if (line := self._anchored.find(node)) is not None:
            return line, line + 1
        text, rows = self._rows
        row = rows.find(node)
        if row is None:
            return None
        _, start, stop = text.row(row)
        return text.line_of(start), text.line_of(stop - 1) + 1

    def places(self, lines: Sequence[str], most: int = 2) -> list[int]:
        """Return where some lines stand one after the other; only the first ``most`` places."""
        found: list[int] = []
        size = len(lines)
        for at, line in enumerate(self.lines):
            if line == lines[0] and self.lines[at : at + size] == list(lines):
                found.append(at)
                if len(found) == most:
                    break
        return found


@dataclass(frozen=True, slots=True)
class Fit:
    """Where a suggestion goes in a text: from line ``start`` (from 0) up to ``stop``.

    ``old`` are the lines that it was made for, as far as they are known. ``why`` says why it does
    not fit; "" where it does.
    """

    start: int = 0
    stop: int = 0
    old: tuple[str, ...] = ()
    why: str = ""

    @property
    def fits(self) -> bool:
        """Whether it can be applied."""
        return not self.why

    @property
    def where(self) -> str:
        """The lines as people count them: "line 13", "lines 20-22"."""
        last = self.stop if self.stop > self.start + 1 else 0
        return f"lines {self.start + 1}-{last}" if last else f"line {self.start + 1}"


def suggest(text: str, first: int, last: int, new: Sequence[str]) -> tuple[str, str] | None:
    """Return the anchor and the block that make ``new`` of some lines, counted from 0.

    None where none of the lines has words: nothing could be found again.
    """
    found = SourceLines(text).anchor(first, last)
    if found is None:
        return None
    node, at = found
    return node, block(new, at - first, last - at)


def judge(
    suggestion: Suggestion, node: str | None, then: SourceLines | None, now: SourceLines | None
) -> Fit:
    """Return whether a suggestion at an anchor fits a text, and where.

    ``then`` is the text that it was made on, None where that cannot be read; ``now`` None where the
    page is gone.
    """
    if node is None or not is_anchor(node):
        return Fit(why=NO_LINE)
    if then is None:
        return _by_anchor(suggestion, node, now)
    span = _span(suggestion, node, then)
    if span is None:
        return Fit(why=EDITED if now is not None else PAGE_GONE)
    start, stop = span
    old = tuple(then.lines[start:stop])
    if now is None:
        return Fit(start, stop, old, PAGE_GONE)
    if old == suggestion.lines:
        return Fit(start, stop, old, IDLE)
    if then.lines == now.lines:
        return Fit(start, stop, old)
    for run in equal_runs(then.lines, now.lines):
        if run.before <= start and stop <= run.before + run.size:
            start += run.after - run.before
            return Fit(start, start + len(old), old)
    places = now.places(old)
    if len(places) > 1:
        return Fit(start, stop, old, TWICE)
    if not places or len(then.places(old)) > 1:
        return Fit(start, stop, old, EDITED)
    return Fit(places[0], places[0] + len(old), old)


def _span(suggestion: Suggestion, node: str, text: SourceLines) -> tuple[int, int] | None:
    """Return the lines that a suggestion is about in the text that it was made on."""
    found = text.find(node)
    if found is None:
        return None
    start, stop = found[0] - suggestion.above, found[1] + suggestion.below
    return (start, stop) if start >= 0 and stop <= len(text.lines) else None


def _by_anchor(suggestion: Suggestion, node: str, now: SourceLines | None) -> Fit:
    """Judge without the text that it was made on: an anchor knows one line, and no others."""
    found = None if now is None else now.find(node)
    if now is None or found is None or suggestion.above or suggestion.below:
        return Fit(why=PAGE_GONE if now is None else UNREADABLE)
    start, stop = found
    old = tuple(now.lines[start:stop])
    if len(now.places(old)) > 1:
        return Fit(start, stop, old, TWICE)
    return Fit(start, stop, old, IDLE if old == suggestion.lines else "")


def apply(text: str, chosen: Mapping[str, tuple[Fit, Suggestion]]) -> tuple[str, dict[str, str]]:
    """Return the text with suggestions applied, and by key those left out for another's key.

    ``chosen`` has suggestions that fit, by key; of two that overlap the first one goes. They go in
    from the last line up, so that none moves another.
    """
    source = SourceLines(text)
    taken: dict[str, tuple[Fit, Suggestion]] = {}
    clashing: dict[str, str] = {}
    for key, (fit, suggestion) in chosen.items():
        other = next((each for each, (at, _) in taken.items() if _overlap(at, fit)), None)
        if other is None:
            taken[key] = fit, suggestion
        elif (taken[other][0].start, taken[other][0].stop, taken[other][1].lines) != (
            fit.start, fit.stop, suggestion.lines,
        ):  # fmt: skip
            clashing[key] = other
    raw = list(source.raw)
    for fit, suggestion in sorted(taken.values(), key=lambda each: each[0].start, reverse=True):
        raw[fit.start : fit.stop] = _with_ends(suggestion.lines, source.raw, fit)
    return source.mark + "".join(raw), clashing


def _overlap(one: Fit, other: Fit) -> bool:
    return one.start < other.stop and other.start < one.stop


def _with_ends(lines: Sequence[str], raw: Sequence[str], fit: Fit) -> Iterable[str]:
    """Yield lines with the ends that the lines had in whose place they go."""
    ends = [line[len(line.rstrip("\r\n")) :] for line in raw[fit.start : fit.stop]]
    usual = next((end for end in ends if end), "") or _usual_end(raw)
    for at, line in enumerate(lines):
        if at == len(lines) - 1:
            yield f"{line}{ends[-1]}"
        else:
            yield f"{line}{(ends[at] if at < len(ends) else '') or usual}"


def _usual_end(raw: Sequence[str]) -> str:
    return next((line[len(line.rstrip("\r\n")) :] for line in raw if line[-1] in "\r\n"), "\n")


def credit(taken: Iterable[tuple[str, str, Fit]]) -> list[str]:
    """Return a line of credit for each author, from (author, page, place) of applied suggestions.

    "Suggested by Mara Lindqvist: Retries, line 13."
    """
    by_author: dict[str, dict[str, list[Fit]]] = {}
    for author, page, fit in taken:
        by_author.setdefault(author, {}).setdefault(page, []).append(fit)
    lines: list[str] = []
    for author, pages in by_author.items():
        named = [
            f"{page}, {', '.join(fit.where for fit in sorted(fits, key=lambda fit: fit.start))}"
            for page, fits in pages.items()
        ]
        lines.append(f"Suggested by {author}: {'; '.join(named)}.")
    return lines


def outcome(applied: int, left: Sequence[str]) -> str:
    """Return what came of some suggestions: "2 applied, 1 not: The lines were edited since."."""
    said = f"{applied} applied" if left else f"{plural(applied, 'suggestion')} applied"
    if not left:
        return f"{said}."
    return f"{said}, {len(left)} not: {' '.join(dict.fromkeys(left))}"


# Applying as it is kept on this machine


@dataclass(frozen=True, slots=True)
class Taken:
    """A suggestion that is being applied; ``words`` and ``replies`` are its thread as judged."""

    thread: str
    page: str
    author: str
    title: str
    start: int
    stop: int
    words: str = ""
    replies: int = 0

    @property
    def said(self) -> tuple[str, str, Fit]:
        """Who suggested it, on which page, and where, as `credit` takes it."""
        return self.author, self.title, Fit(self.start, self.stop)


@dataclass(frozen=True, slots=True)
class ApplyRun:
    """Suggestions being applied to a change request, kept so that a later start can finish.

    ``edits`` are the pages as one content write sends them, as texts of `PageEdit`. Once that has
    arrived the threads are resolved and the authors named.
    """

    id: str
    space: str
    request: str
    target: str
    began: float
    edits: Mapping[str, str]
    taken: tuple[Taken, ...]
    by: str = ""
    """The id of who applies them, "" where that is not known: nobody else's token finishes it."""
