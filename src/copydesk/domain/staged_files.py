"""Files that the texts of staged pages name before the service has them: ``staged:diagram.png``."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping

from copydesk.domain.blocks import BlockText
from copydesk.domain.page_source import body_of

STAGED = "staged:"
"""What the address of such a file begins with."""

FILES = "/files/"
"""What the address of a file that was sent begins with; then comes its id."""

ASSETS = ".gitbook/assets/"
"""What it begins with where a service names it by its name when the page is read."""

PLAIN_ASSETS = "assets/"
"""The same where no summary is: other systems publish nothing whose name begins with a dot."""

PICTURES = (".png", ".jpg", ".jpeg", ".gif", ".webp", ".svg", ".avif", ".bmp")
"""How the names of pictures end: they are shown, and other files are offered."""

LONGEST_NAME = 80
"""Characters of the name of a file."""

_ADDRESS = re.compile(r"""(\]\(<?|\b(?:href|src|url)=["'])staged:([A-Za-z0-9_][A-Za-z0-9._-]*)""")
_TICKS = re.compile(r"\\`|(`+)")
_SENT = re.compile(rf"{FILES}([A-Za-z0-9_-]+)")
_NAMED = re.compile(
    rf"(?<![\w./:%-])(?:\.\./)*(?:{re.escape(ASSETS)}|{PLAIN_ASSETS})([A-Za-z0-9._-]+)"
)
_NOT_NAMED = re.compile(r"[^A-Za-z0-9._-]+")


def file_name(name: str) -> str:
    """Return a name by which a text can name a file: without what would end an address."""
    stem, dot, end = name.rpartition(".")
    if not stem:
        stem, dot, end = name, "", ""
    stem = _NOT_NAMED.sub("-", stem).strip(".-")[:LONGEST_NAME] or "file"
    end = _NOT_NAMED.sub("", end)[:12]
    return f"{stem}{dot if end else ''}{end}"


def is_picture(name: str) -> bool:
    """Whether a file is shown as a picture, by its name."""
    return name.lower().endswith(PICTURES)


def file_block(name: str, words: str) -> str:
    """Return the block of Markdown that shows a picture, or offers another file; of one line.

    ``words`` say what the picture shows, or what the file is.
    """
    words = " ".join(words.split())
    if is_picture(name):
        return f"![{_escaped(words)}]({STAGED}{name})"
    return f"[{_escaped(words or name)}]({STAGED}{name})"


def _escaped(words: str) -> str:
    return re.sub(r"([\\\[\]])", r"\\\1", words)


def names_in(text: str) -> list[str]:
    """Return the names of the staged files that a text names, each once, in their order."""
    return [*dict.fromkeys(match[2] for match in _addresses(text))]


def with_addresses(text: str, addresses: Mapping[str, str]) -> str:
    """Return a text with the addresses of files by their names; one that has none stays staged."""
    parts, at = [], 0
    for match in _addresses(text):
        if (found := addresses.get(match[2])) is not None:
            parts += [text[at : match.end(1)], found]
            at = match.end()
    return "".join([*parts, text[at:]])


def _addresses(text: str) -> Iterator[re.Match[str]]:
    """Yield the addresses of staged files: what looks like one in code is none."""
    found = [*_ADDRESS.finditer(text)]
    if not found:
        return
    cut, spans = BlockText(text), dict[int, list[tuple[int, int]]]()
    for match in found:
        row = cut.row_of_line(bisect_right(cut.offsets, match.start()) - 1)
        block = cut.block_of(row)
        if block is not None and cut.blocks[block].kind == "code":
            continue
        if row not in spans:
            spans[row] = _code_in(cut.source(row))
        at = match.start() - cut.span(row)[0]
        nearest = bisect_right(spans[row], at, key=lambda span: span[0]) - 1
        if nearest < 0 or spans[row][nearest][1] <= at:
            yield match


def _code_in(prose: str) -> list[tuple[int, int]]:
    """Return where there is code in a row of prose: from backticks to as many."""
    ticks = [match.span(1) for match in _TICKS.finditer(prose) if match[1]]
    later: dict[int, list[int]] = {}
    for at, (start, end) in enumerate(ticks):
        later.setdefault(end - start, []).append(at)
    found, at = [], 0
    while at < len(ticks):
        start, end = ticks[at]
        alike = later[end - start]
        close = bisect_right(alike, at)
        if close < len(alike):
            at = alike[close]
            found.append((start, ticks[at][1]))
        at += 1
    return found


def sent_files(text: str) -> set[str]:
    """Return the ids of the files that were sent which a text names."""
    return {match[1] for match in _SENT.finditer(text)}


def with_file_ids(text: str, ids: Mapping[str, str]) -> str:
    """Return a text in which files that go by their names are named by their ids instead."""

    def put(match: re.Match[str]) -> str:
        found = ids.get(match[1])
        return match[0] if found is None else f"{FILES}{found}"

    return _NAMED.sub(put, text)


def with_block(text: str, block: str, line: int) -> str:
    """Return a page's text with one more block, below the block that a line is in.

    ``line`` counts the lines of its Markdown from 1; 0 puts it at the end.
    """
    body = body_of(text)
    front = text[: len(text) - len(body)] if text.endswith(body) else ""
    end = "\r\n" if "\r\n" in text else "\n"
    lines = (text[len(front) :]).splitlines(keepends=True)
    at = _end_of_block(text[len(front) :], line) if line else len(lines)
    above, below = lines[:at], lines[at:]
    while above and not above[-1].strip():
        above.pop()
    while below and not below[0].strip():
        below.pop(0)
    if above and not above[-1].endswith("\n"):
        above[-1] += end
    parts = [front, *above, *([end] if above else []), f"{block}{end}"]
    return "".join([*parts, *([end, *below] if below else [])])


def _end_of_block(body: str, line: int) -> int:
    """Return how many lines there are up to the end of the block that a line is in."""
    cut = BlockText(body)
    for block in cut.blocks:
        last = cut.row(block.stop - 1)
        stop = cut.line_of(last.stop - 1) + 1
        first = cut.line_of(cut.row(block.first).start) + 1
        if first <= line <= stop:
            return stop
        if line < first:
            break
    return line
