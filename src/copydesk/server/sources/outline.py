"""Writing ``SUMMARY.md``: lines that still hold keep their bytes, and only the others change."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import dropwhile
from posixpath import relpath
from urllib.parse import quote

from copydesk.server.sources.model import SourcePage, walk
from copydesk.server.sources.paths import folder_of
from copydesk.server.sources.summary import (
    Entry,
    Summary,
    decode,
    encode,
    is_address,
    lines_of,
    parse_summary,
    plain_address,
    tidy,
)

_BULLET = re.compile(r"^(?P<indent>[ \t]*)(?P<bullet>[*+-]|\d{1,9}[.)])(?P<gap>[ \t]+)")
_SPECIAL = re.compile(r"([\\`*_\[\]<>&])")
_LOOKS_LIKE_BLOCK = re.compile(r"^(?:([#+~-])|(\d{1,9})([.)]))")
_IN_PATH = re.compile(r"""[\s%()<>\[\]\\?#"\x00-\x1f\x7f]""")

_Key = tuple[int, str, str, str]
"""Depth, kind, title and target: two lines with the same key say the same."""


@dataclass(frozen=True, slots=True)
class _Line:
    """A line that the summary must have.

    ``heading`` is the level of "## Title", or 0 for a list item; ``listed`` is the depth in the
    list, in which the headings above do not count.
    """

    key: _Key
    heading: int
    listed: int


def render_summary(
    pages: Iterable[SourcePage],
    original: bytes | None = None,
    path: str = "SUMMARY.md",
    *,
    known: Collection[str] | None = None,
) -> bytes:
    """Return the summary of a page tree.

    Args:
        pages: the tree; every document has its ``source_path``.
        original: the summary as it was. Where it still says the same it comes back byte for byte,
            and otherwise as few of its lines change as the new tree allows.
        path: where the summary is; its links count from there.
        known: paths that were pages when ``original`` was written. A line that names another path
            could not be used then, says nothing now, and stays. None takes every line at its word.
    """
    pages = tuple(pages)
    now = {page.source_path for page in walk(pages) if page.source_path}

    def unusable(target: str) -> str | None:
        return None if known is None or target in known or target in now else "is not a page"

    def reads_as(text: str) -> list[_Key]:
        return _keys(parse_summary(text, path, unusable=unusable))

    folder = folder_of(path)
    if original is not None:
        text = decode(original)
        old = parse_summary(text, path, unusable=unusable)
        wanted = _lines(pages, old)
        keys = [line.key for line in wanted]
        if _keys(old) == keys:
            return original
        edited = _edit(text, old, wanted, folder)
        fresh = _fresh(pages, folder)
        better = reads_as(edited) == keys or reads_as(fresh) != keys
        return encode(edited if better else fresh)
    return encode(_fresh(pages, folder))


def _keys(summary: Summary) -> list[_Key]:
    return [
        (depth, entry.kind, entry.title, entry.path or entry.href or "")
        for depth, entry in summary.walk()
    ]


def _key(depth: int, page: SourcePage) -> _Key:
    title = tidy(page.title)
    if page.type != "link":
        return depth, page.type, title, page.source_path or ""
    target = page.href or ""
    if not is_address(target) and "#" in target:
        return depth, "link", title, target
    address = plain_address(target)
    # What Markdown refuses as a link still keeps its place, as words.
    return (depth, "group", title, "") if address is None else (depth, "link", title, address)


def _lines(pages: tuple[SourcePage, ...], old: Summary | None) -> list[_Line]:
    """Return the lines of a tree; groups that were headings stay so, and new ones follow them.

    A page after a heading belongs to it, so a group may be one only when groups alone follow it.
    """
    tail = sum(1 for _ in dropwhile(lambda page: page.type != "group", pages))
    closed = all(page.type == "group" for page in pages[len(pages) - tail :])
    headings: set[str] = set()
    listed_groups: set[str] = set()
    for _, entry in old.walk() if old else ():
        if entry.kind == "group":
            (headings if entry.heading else listed_groups).add(entry.title)
    new_ones = old is None or any(entry.heading for entry in old.entries)
    lines: list[_Line] = []

    def add(page: SourcePage, depth: int, listed: int, below_heading: bool) -> None:
        title = tidy(page.title)
        heading = 0
        if page.type == "group" and closed and below_heading:
            fits = depth == 0 and new_ones and title not in listed_groups
            heading = depth + 2 if title in headings or fits else 0
        lines.append(_Line(_key(depth, page), heading, listed))
        for child in page.children:
            add(child, depth + 1, 0 if heading else listed + 1, bool(heading))

    for page in pages:
        add(page, 0, 0, True)
    return lines


def _edit(text: str, old: Summary, wanted: list[_Line], folder: str) -> str:
    """Return the text with the lines of entries that are gone taken out and new ones put in."""
    source = lines_of(text)
    newline = "\r\n" if source and source[0].endswith("\r\n") else "\n"
    entries = [entry for _, entry in old.walk()]
    if not entries:
        return _append(text, newline, wanted, folder)
    styles = _Styles(source, old.entries)
    out: list[str] = []
    at = 0

    def keep_until(line: int) -> None:
        nonlocal at
        out.extend(source[at:line])
        at = max(at, line)

    def put(line: _Line) -> None:
        if out and not out[-1].endswith(("\n", "\r")):
            out[-1] += newline
        if line.heading and out and out[-1].strip():
            out.append(newline)
        out.append(styles.write(line, folder) + newline)
        if line.heading:
            out.append(newline)

    matcher = SequenceMatcher(None, _keys(old), [line.key for line in wanted], autojunk=False)
    for what, a, b, c, d in matcher.get_opcodes():
        if what == "equal":
            for entry in entries[a:b]:
                keep_until(entry.end)
            continue
        if b > a or a == 0:
            keep_until(entries[a].line - 1)
        elif entries[a - 1].heading:
            while at < len(source) and not source[at].strip():
                keep_until(at + 1)
        for line in wanted[c:d]:
            put(line)
        for entry in entries[a:b]:
            keep_until(entry.line - 1)
            at = max(at, entry.end)
    keep_until(len(source))
    return "".join(out)


def _append(text: str, newline: str, wanted: list[_Line], folder: str) -> str:
    """Return a text that has no entries with all of them after it."""
    styles = _Styles([], ())
    lines = [("\n" if line.heading else "") + styles.write(line, folder) for line in wanted]
    head = f"{text.rstrip()}\n\n" if text.strip() else ""
    return (head + "\n".join(lines) + "\n").replace("\r\n", "\n").replace("\n", newline)


class _Styles:
    """How the items of a summary are indented and marked, level by level."""

    def __init__(self, source: list[str], entries: tuple[Entry, ...]) -> None:
        self.levels: dict[int, tuple[str, str, str]] = {}
        self.collect(source, entries, 0)

    def collect(self, source: list[str], entries: tuple[Entry, ...], listed: int) -> None:
        for entry in entries:
            found = None if entry.heading else _BULLET.match(source[entry.line - 1])
            if found:
                self.levels.setdefault(listed, (found["indent"], found["bullet"], found["gap"]))
            self.collect(source, entry.children, 0 if entry.heading else listed + 1)

    def level(self, listed: int) -> tuple[str, str, str]:
        if listed in self.levels:
            return self.levels[listed]
        if listed == 0:
            return "", "*", " "
        indent, bullet, gap = self.level(listed - 1)
        return indent + " " * len(bullet + gap), bullet, gap

    def write(self, line: _Line, folder: str) -> str:
        if line.heading:
            return _heading(line)
        return "".join(self.level(line.listed)) + _item(line.key, folder)


def _fresh(pages: tuple[SourcePage, ...], folder: str) -> str:
    """Return a whole summary as the platform writes it."""
    out = ["# Table of contents\n", "\n"]
    for line in _lines(pages, None):
        if line.heading:
            if out[-1] != "\n":
                out.append("\n")
            out += [f"{_heading(line)}\n", "\n"]
        else:
            out.append(f"{'  ' * line.listed}* {_item(line.key, folder)}\n")
    return "".join(out)


def _heading(line: _Line) -> str:
    words = re.sub(r"#$", r"\\#", _escape(line.key[2]))
    return f"{'#' * line.heading} {words}"


def _item(key: _Key, folder: str) -> str:
    _, kind, title, target = key
    if kind == "group":
        # Words at the start of an item must not open another list, a heading or a fence.
        return _LOOKS_LIKE_BLOCK.sub(
            lambda found: f"\\{found[1]}" if found[1] else f"{found[2]}\\{found[3]}", _escape(title)
        )
    if kind == "link" and is_address(target):
        return f"[{_escape(title)}]({f'<{target}>' if set(target) & set('()') else target})"
    name, mark, anchor = target.partition("#") if kind == "link" else (target, "", "")
    shown = _IN_PATH.sub(lambda found: quote(found[0]), relpath(name, folder or "."))
    return f"[{_escape(title)}]({shown}{mark}{anchor})"


def _escape(title: str) -> str:
    """Return a title that Markdown reads back as it is."""
    return _SPECIAL.sub(r"\\\1", title)
