"""``SUMMARY.md``: the tree of a space as nested lists, with headings as groups.

A line that is a link to a page and nothing else, as mdBook has before and after its lists, is an
entry too. ``parse_summary`` reads one; a line that cannot be used becomes a ``Problem`` and the
rest stands. ``copydesk.server.sources.writer`` writes one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from dataclasses import field
from functools import cache, lru_cache
from urllib.parse import unquote

from markdown_it import MarkdownIt
from markdown_it.token import Token

from copydesk.domain.late_dataclass import dataclass
from copydesk.server.sources.model import PageKind, Problem
from copydesk.server.sources.paths import is_address, is_markdown, join, stem_of

_BREAK = re.compile(r"(?<=\n)|(?<=\r)(?!\n)")
_BARE_LINK = re.compile(r"^\[(?P<title>.*)\]\((?P<target>.*)\)$", re.DOTALL)

_LINE_OF_ENTRY = re.compile(
    r"^[ \t]*(?:(?:[*+-]|\d{1,9}[.)])[ \t]+\S|(?:[*+-]|\d{1,9}[.)]?)?[ \t]*\[[^\]]*\]\(\S)"
)
"""A line of the tree, also where Markdown reads it as something else."""

_BRACKET = re.compile(r"(?<!\\)[\[\]]")
_ENDING = re.compile(r"\.(?:md|markdown|mdx|[qr]md)\b", re.IGNORECASE)
_BROKEN_TITLE = re.compile(r"^\[?([^\[\](]*)")

MAX_SUMMARY = 2 * 1024 * 1024
"""Longest summary that is read, in characters: about 30,000 pages."""

MAX_TITLE = 500
"""Longest title that is kept, in characters."""

Unusable = Callable[[str], str | None]
"""Says why the file at a path cannot be a page, or None when it can."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of a summary.

    A document has ``path`` (from the top of the repository), a link ``href``, a group neither.
    ``line`` counts from 1 and ``end`` is the last line of its own text. ``heading`` is 0 for a list
    item.
    """

    kind: PageKind
    title: str
    line: int
    end: int
    path: str | None = None
    href: str | None = None
    heading: int = 0
    children: tuple[Entry, ...] = ()


@dataclass(frozen=True, slots=True)
class Summary:
    """The entries of a ``SUMMARY.md`` and the lines that could not be used."""

    entries: tuple[Entry, ...]
    problems: tuple[Problem, ...] = ()

    def walk(self) -> Iterator[tuple[int, Entry]]:
        """Yield every entry with its depth in the tree, in the order of the lines."""
        return _walk(self.entries, 0)


def _walk(entries: Iterable[Entry], depth: int) -> Iterator[tuple[int, Entry]]:
    for entry in entries:
        yield depth, entry
        yield from _walk(entry.children, depth + 1)


@dataclass(slots=True)
class _Draft:
    """An entry being read, before it is known whether it can be used.

    ``complaint`` is a fault of its own text.
    """

    line: int
    end: int
    title: str = ""
    target: str | None = None
    heading: int = 0
    children: list[_Draft] = field(default_factory=list)
    complaint: str | None = None


@cache
def _markdown() -> MarkdownIt:
    # Deep lists are legal; the default stops after ten levels without a word.
    return MarkdownIt("commonmark", {"maxNesting": 200})


def plain_address(target: str) -> str | None:
    """Return an address as a summary holds it, or None when Markdown allows no such link."""
    normal = _markdown().normalizeLink(target)
    return normal if is_address(normal) and _markdown().validateLink(normal) else None


def decode(data: bytes | str) -> str:
    """Return a summary as text that keeps every byte, broken ones as surrogates."""
    return data if isinstance(data, str) else data.decode("utf-8", "surrogateescape")


def encode(text: str) -> bytes:
    """Return the bytes that ``decode`` was given."""
    return text.encode("utf-8", "surrogateescape")


def lines_of(text: str) -> list[str]:
    """Split a text into lines as CommonMark counts them, each with its line ending."""
    return [line for line in _BREAK.split(text) if line]


def tidy(title: str) -> str:
    """Return a title on one line, not endless, without control characters or broken bytes."""
    shown = title.encode("utf-8", "replace").decode("utf-8")
    return " ".join(re.sub(r"[\x00-\x1f\x7f]", " ", shown).split())[:MAX_TITLE].strip()


def parse_summary(
    text: bytes | str, path: str = "SUMMARY.md", *, unusable: Unusable | None = None
) -> Summary:
    """Read a summary.

    Args:
        text: the file, as bytes or as ``decode`` gives it.
        path: where it is in the repository; its links count from there.
        unusable: asked for every document; without it every path is taken as it stands.
    """
    source = decode(text)
    if len(source) > MAX_SUMMARY:
        reason = f"is longer than {MAX_SUMMARY // 1024 // 1024} MiB and cannot be used"
        return Summary((), (Problem(path, reason),))
    shown = source.removeprefix("\ufeff")
    lines = lines_of(shown)
    reader = _Reader(path, unusable or (lambda _: None), lines)
    if any("\udc80" <= char <= "\udcff" for char in shown):
        reader.problem(None, "has bytes that are not UTF-8; they are shown as a question mark")
    drafts, aside = _drafts(shown)
    entries = reader.usable(drafts)
    reader.unread(drafts, aside)
    return Summary(tuple(entries), tuple(reader.problems))


@lru_cache(maxsize=64)
def _drafts(text: str) -> tuple[Sequence[_Draft], Set[int]]:
    """Return the tree of headings and list items, and the lines that are remarks or code.

    Most revisions share their summary, so the last ones are remembered.
    """
    tokens = _markdown().parse(text)
    top: list[_Draft] = []
    headings: list[_Draft] = []  # the groups that the current line stands in
    items: list[_Draft] = []  # the list items that are open
    titled = False
    aside: set[int] = set()
    for place, token in enumerate(tokens):
        if token.type == "list_item_open":
            line = (token.map or [0, 0])[0] + 1
            draft = _Draft(line, line)
            holders = items or headings
            (holders[-1].children if holders else top).append(draft)
            items.append(draft)
        elif token.type == "list_item_close":
            items.pop()
        elif token.type in ("fence", "html_block") and token.map:
            aside.update(range(token.map[0] + 1, token.map[1] + 1))
        elif token.type == "inline" and token.map:
            before = tokens[place - 1]
            if before.type == "heading_open" and not items:
                level = int(before.tag[1])
                if level == 1 and not titled and not top:
                    titled = True  # "# Table of contents" is the title of the file, not a group
                    continue
                while headings and headings[-1].heading >= level:
                    headings.pop()
                draft = _Draft(token.map[0] + 1, token.map[1], heading=level)
                draft.title, _ = _words(token)
                (headings[-1].children if headings else top).append(draft)
                headings.append(draft)
            elif not items and before.type == "paragraph_open":
                (headings[-1].children if headings else top).extend(_bare(token))
            elif items and before.type == "paragraph_open":
                item = items[-1]
                if not item.title and item.target is None and not item.children:
                    item.title, item.target = _words(token)
                    item.end = token.map[1]
                    item.complaint = _complaint(token, item.target)
                    if item.complaint is not None and item.target is None:
                        found = _BROKEN_TITLE.match(item.title)
                        item.title = tidy(found[1]) if found else ""
    return top, aside


def _bare(token: Token) -> Iterator[_Draft]:
    """Yield the lines of a paragraph that are a link to a page: chapters without a number."""
    line = (token.map or [0, 0])[0] + 1
    children = token.children or []
    breaks = [at for at, child in enumerate(children) if child.type in ("softbreak", "hardbreak")]
    for start, stop in zip([0, *(at + 1 for at in breaks)], [*breaks, len(children)], strict=True):
        part = children[start:stop]
        ends = [at for at, child in enumerate(part) if child.type == "link_close"]
        if part and part[0].type == "link_open" and ends == [len(part) - 1]:
            title, target = _words(Token("inline", "", 0, children=part))
            name = (target or "").partition("#")[0]
            if target and is_markdown(name) and not is_address(target):
                yield _Draft(line, line, title, target)
        line += 1


def _complaint(token: Token, target: str | None) -> str | None:
    """Return the problem of a list item's text that Markdown takes as it is."""
    if target is None:
        said = "has a broken link: [Title](file.md) is one"
        bracket = _BRACKET.search(token.content)
        broken = bracket is not None and _ENDING.search(token.content, bracket.end())
        return said if broken else None
    links = sum(child.type == "link_open" for child in token.children or ())
    if links > 1 and "\n" not in token.content:
        return "has a second link, which is not used"
    return None


def _words(token: Token) -> tuple[str, str | None]:
    """Return the title and the link target of a line: its first link, or else all its text."""
    target: str | None = None
    linked: list[str] = []
    plain: list[str] = []
    inside_link = False
    for child in token.children or ():
        if child.type == "link_open":
            if target is None:
                target = str(child.attrs.get("href", ""))
                inside_link = True
        elif child.type == "link_close":
            inside_link = False
        elif child.type in ("softbreak", "hardbreak"):
            (linked if inside_link else plain).append(" ")
        elif child.type != "html_inline":
            (linked if inside_link else plain).append(child.content)
    if target is not None:
        return tidy("".join(linked)), target
    words = tidy("".join(plain))
    # A target with a space is no link in CommonMark, and a script is none on purpose. Both are
    # meant as links; whether they can be used shows later.
    source = token.content.strip()
    if source.endswith(")") and _BARE_LINK.match(source) and (bare := _BARE_LINK.match(words)):
        return tidy(bare["title"]), bare["target"].strip()
    return words, None


def _all(drafts: Iterable[_Draft]) -> Iterator[_Draft]:
    for draft in drafts:
        yield draft
        yield from _all(draft.children)


class _Reader:
    """Turns drafts into entries, and says of the others why not."""

    def __init__(self, path: str, unusable: Unusable, lines: list[str]) -> None:
        self.path = path
        self.folder = path.rpartition("/")[0]
        self.unusable = unusable
        self.lines = lines
        self.problems: list[Problem] = []
        self.seen: dict[str, int] = {}

    def problem(self, draft: _Draft | None, reason: str) -> None:
        line = None if draft is None else draft.line
        text = tidy(self.lines[line - 1]) if line is not None and line <= len(self.lines) else ""
        self.problems.append(Problem(self.path, reason, line, text))

    def unread(self, drafts: Sequence[_Draft], aside: Set[int]) -> None:
        """Name the lines that look like entries and that Markdown reads as something else."""
        read = {draft.line for draft in _all(drafts)}
        for number, line in enumerate(self.lines, 1):
            if number not in read and number not in aside and _LINE_OF_ENTRY.match(line):
                reason = "is not read as an item of the list: its bullet or its indent is wrong"
                self.problems.append(Problem(self.path, reason, number, tidy(line)))

    def usable(self, drafts: Sequence[_Draft]) -> list[Entry]:
        """Return the entries of drafts; what hangs below one that cannot be used moves up."""
        entries: list[Entry] = []
        for draft in drafts:
            found = self.entry(draft)
            children = tuple(self.usable(draft.children))
            if found is None and children and draft.title:
                # Its children need a place: it stays as a group.
                found = Entry("group", draft.title, draft.line, draft.end, heading=draft.heading)
            if found is None:
                entries.extend(children)
            else:
                entries.append(
                    Entry(
                        found.kind,
                        found.title,
                        found.line,
                        found.end,
                        found.path,
                        found.href,
                        found.heading,
                        children,
                    )
                )
        return entries

    def entry(self, draft: _Draft) -> Entry | None:
        if draft.complaint is not None:
            self.problem(draft, draft.complaint)
            if draft.target is None:
                return None
        if draft.target is None:
            if not draft.title:
                self.problem(draft, "has no title and no link")
                return None
            return Entry("group", draft.title, draft.line, draft.end, heading=draft.heading)
        if is_address(draft.target):
            if (address := plain_address(draft.target)) is None:
                self.problem(draft, "has a link target that is not allowed")
                return None
            title = draft.title or address
            return Entry("link", title, draft.line, draft.end, href=address)
        return self.document(draft, draft.target)

    def document(self, draft: _Draft, target: str) -> Entry | None:
        name, mark, anchor = target.partition("#")
        path = join(self.folder, unquote(name)) if name else None
        reason: str | None = None
        if not name:
            reason = "points to a heading of no file" if mark else "has an empty link"
        elif path is None:
            reason = "points outside the repository"
        elif not is_markdown(path):
            reason = "does not point to a Markdown file"
        else:
            reason = self.unusable(path)
        if reason is not None or path is None:
            self.problem(draft, reason or "cannot be used")
            return None
        title = draft.title or stem_of(path)
        if anchor:
            # A line that leads into a page is a link to it; the page has a line of its own.
            return Entry("link", title, draft.line, draft.end, href=f"{path}#{anchor}")
        if (first := self.seen.setdefault(path, draft.line)) != draft.line:
            self.problem(draft, f"names a page that line {first} names already")
            return None
        return Entry("document", title, draft.line, draft.end, path=path)
