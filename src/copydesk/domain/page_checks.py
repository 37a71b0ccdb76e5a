"""The checks of a page that need no setting: its links, pictures, headings and anchors."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import unquote, urlsplit

from copydesk.domain.checks import BUILT_IN, Finding
from copydesk.domain.document_parser import parse
from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.page_source import without_front
from copydesk.domain.slug import named
from copydesk.domain.text import clean, shorten

if TYPE_CHECKING:
    from markdown_it.token import Token

LONGEST = 500_000
"""Characters of a page that is read; a longer one is not."""

FAR = 200
"""Lines of a paragraph in which the line of a link is looked for."""

SHOWN = 80
"""Characters of a link or a heading that a finding names."""

_BEGIN = re.compile(r"<(/?)([a-z][\w-]*)\b", re.IGNORECASE)
_ALT = re.compile(r"\balt\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s\"'>]+))", re.IGNORECASE)
_NAMED = re.compile(r"\s(?:id|name)\s*=\s*(?:\"([^\"]*)\"|'([^']*)')", re.IGNORECASE)
_ADDRESS = re.compile(r"\b(?:href|src)\s*=\s*(?:\"([^\"]*)\"|'([^']*)')", re.IGNORECASE)
_TITLES = frozenset({"h1", "h2", "h3", "h4", "h5", "h6", "summary"})
_TAG = re.compile(r"<[^<>]*>")
_WORD = re.compile(r"[^\W\d_]+")
_DIGITS = "0123456789"

_LABEL = 63
"""The longest label of a host name, in characters; longer ones are not decoded."""

_LETTERS = (
    ("асԁеһіјӏорԛѕԝхуАВЕЅІЈКМНОРСТХҮԌԜ", "acdehijlopqswxyABESIJKMHOPCTXYGW"),
    ("ονραικυχϲϳΑΒΕΖΗΙΚΜΝΟΡΤΥΧ", "ovpaikuxcjABEZHIKMNOPTYX"),
    ("օսհոցզ", "ouhngq"),
)
_LIKE = {
    sign: latin for signs, latins in _LETTERS for sign, latin in zip(signs, latins, strict=True)
}
"""The letters of other alphabets that look like a Latin one, as browsers warn of them in hosts."""


@dataclass
class _Reading:
    """What is found while a page is read from its first token to its last."""

    page: str
    lines: list[str]
    broken: Mapping[str, str]
    found: list[Finding] = field(default_factory=list)
    names: set[str] = field(default_factory=set)
    ids: set[str] = field(default_factory=set)
    within: list[tuple[int, str]] = field(default_factory=list)
    """The headings that the next one is below."""
    sections: set[tuple[str, ...]] = field(default_factory=set)
    jumps: list[tuple[int, str]] = field(default_factory=list)
    """The links to anchors of the page itself, with their lines."""

    def say(self, line: int, rule: str, text: str) -> None:
        """Keep a finding at a line, from 0."""
        self.found.append(Finding(self.page, line + 1, BUILT_IN, rule, text))


def check_page(page: str, markdown: str, broken: Mapping[str, str]) -> list[Finding]:
    """Return the findings on a page in the order of its lines.

    ``broken`` says of links that lead nowhere, by their addresses, why. It takes a while.
    """
    text = without_front(markdown)
    reading = _Reading(page, re.split(r"\r\n|\r|\n", text), broken)
    line = 0
    heading: tuple[int, int] | None = None
    for token in parse(text):
        if token.map is not None:
            line = token.map[0]
        reading.names.update(
            _plain(value) for value in token.meta.values() if isinstance(value, str)
        )
        if token.type == "heading_open":
            heading = line, int(token.tag[1])
        elif token.type == "inline":
            _inline(reading, token, line)
            if heading is not None:
                _heading(reading, *heading, token)
            heading = None
        elif token.type == "html_block":
            _html(reading, token.content, line)
        elif token.type == "embed":
            _link(reading, line, str(token.meta.get("url", "")))
    known = reading.names | {_plain(each) for each in reading.ids}
    for at, anchor in reading.jumps:
        plain = _plain(anchor)
        if plain and plain not in known and plain.rstrip(_DIGITS) not in known:
            reading.say(at, "link", f"There is no “{_short(anchor)}” on this page.")
    return sorted(reading.found, key=lambda each: each.line)


def _inline(reading: _Reading, token: Token, start: int) -> None:
    """Read a paragraph, a heading or a cell."""
    line = start
    stop = token.map[1] if token.map is not None else start + 1
    stop = min(stop, start + FAR)
    for child in token.children or ():
        if child.type in ("softbreak", "hardbreak"):
            line += 1
        elif child.type == "link_open":
            address = str(child.attrs["href"])
            _link(reading, _line_with(reading, address, line, stop), address)
        elif child.type == "image":
            address = str(child.attrs["src"])
            at = _line_with(reading, address, line, stop)
            _link(reading, at, address)
            if not child.content.strip():
                reading.say(at, "alt", f"The picture {_short(address)} has no alternative text.")
        elif child.type == "html_inline":
            _html(reading, child.content, line)
            line += child.content.count("\n")


def _line_with(reading: _Reading, address: str, line: int, stop: int) -> int:
    """Return the line of a paragraph that an address is in, where it is not in this one."""
    stop = min(stop, len(reading.lines))
    for at in range(line, stop):
        if address in reading.lines[at]:
            return at
    return line


class _Tag(NamedTuple):
    """A tag of raw HTML, and where it stands."""

    start: int
    stop: int
    ends: bool
    name: str
    text: str


def _tags(html: str) -> Iterator[_Tag]:
    """Yield the tags of raw HTML, each up to its first ``>``; an unclosed one is skipped."""
    at = 0
    while (begun := _BEGIN.search(html, at)) is not None:
        at = html.find(">", begun.end()) + 1
        if not at:
            return
        name = begun[2].lower()
        yield _Tag(begun.start(), at, bool(begun[1]), name, html[begun.start() : at])


def _html(reading: _Reading, html: str, line: int) -> None:
    """Read raw HTML: the pictures, addresses and anchors in it."""
    tags = [tag for tag in _tags(html) if not (tag.ends and tag.name == "img")]
    bare = _bare(html, tags)
    titles: dict[str, int] = {}
    counted = 0
    for tag in tags:
        line += html.count("\n", counted, tag.start)
        counted = tag.start
        if tag.name in _TITLES:
            if not tag.ends:
                titles.setdefault(tag.name, tag.stop)
            elif (start := titles.pop(tag.name, None)) is not None:
                reading.names.add(_plain(_TAG.sub("", html[start : tag.start])))
        if tag.ends:
            continue
        alt = _ALT.search(tag.text)
        # An empty one says that the picture is for the eye alone, but the platform writes it into
        # every figure: there it is missing.
        missing = alt is None or (not any(alt.groups()) and tag.start in bare)
        if tag.name == "img" and missing:
            address = _ADDRESS.search(tag.text)
            named = f" {_short(address[1] or address[2] or '')}" if address else ""
            reading.say(line, "alt", f"The picture{named} has no alternative text.")
        for match in _ADDRESS.finditer(tag.text):
            at = line + tag.text.count("\n", 0, match.start())
            _link(reading, at, match[1] or match[2] or "")
        if (anchor := _NAMED.search(tag.text)) is not None:
            name = anchor[1] or anchor[2] or ""
            if name in reading.ids:
                said = f"The anchor “{_short(name)}” is there twice: links lead to the first."
                reading.say(line, "anchor", said)
            reading.ids.add(name)


def _bare(html: str, tags: Sequence[_Tag]) -> set[int]:
    """Return where the pictures stand that are in a figure without a caption."""
    found: set[int] = set()
    within: list[int] | None = None
    said = False
    caption: int | None = None
    for tag in tags:
        if tag.name == "figure" and not tag.ends and within is None:
            within, said, caption = [], False, None
        elif within is None:
            continue
        elif tag.name == "figure" and tag.ends:
            found.update(() if said else within)
            within = None
        elif tag.name == "img":
            within.append(tag.start)
        elif tag.name == "figcaption" and not tag.ends:
            caption = tag.stop if caption is None else caption
        elif tag.name == "figcaption" and caption is not None:
            said = said or bool(_TAG.sub("", html[caption : tag.start]).strip())
            caption = None
    return found


def _heading(reading: _Reading, line: int, level: int, token: Token) -> None:
    read = (child.content for child in token.children or () if child.type != "html_inline")
    words, name = named(token.content)
    plain = _spelled(name or words)
    texts = (words, named("".join(read))[0], name)
    reading.names.update((_spelled(words), *map(_plain, texts)))
    before = reading.within[-1][0] if reading.within else 1
    if level > before + 1:
        said = f"This heading is of level {level}, and what it is below of level {before}."
        reading.say(line, "heading", said)
    while reading.within and reading.within[-1][0] >= level:
        reading.within.pop()
    section = (*(name for _, name in reading.within), f"{level} {plain}")
    reading.within.append((level, plain))
    if plain and section in reading.sections:
        said = f"“{_short(words)}” is there twice in one section: links lead to the first."
        reading.say(line, "anchor", said)
    reading.sections.add(section)


def _link(reading: _Reading, line: int, address: str) -> None:
    if address.startswith("#"):
        if len(address) > 1 and address.casefold() != "#top":
            reading.jumps.append((line, unquote(address[1:])))
    elif (why := reading.broken.get(address)) is not None:
        reading.say(line, "link", why)
    for said in lookalikes(address):
        reading.say(line, "look-alike", said)


def lookalikes(address: str) -> Iterator[str]:
    """Yield what is said of an address with letters that are taken for others."""
    try:
        parts = urlsplit(address)
        host = parts.hostname or ""
    except ValueError:
        return
    labels = [_decoded(label) for label in host.split(".")]
    for label in labels:
        letters = [sign for sign in label if sign.isalpha()]
        # Below a domain of their own alphabet, words of it are what one expects.
        whole = labels[-1].isascii() and all(sign in _LIKE for sign in letters)
        if (told := _taken(label)) or (whole and letters and (told := _named(letters[0]))):
            yield f"The host “{_short(label)}” is not what it looks like: {told}."
    for word in _WORD.findall(unquote(f"{parts.path} {parts.query} {parts.fragment}")):
        if told := _taken(word):
            yield f"The link has “{_short(word)}”, which is not what it looks like: {told}."


def _taken(word: str) -> str:
    """Return what is said of the letter of a word that is taken for another; "" for none."""
    if word.isascii():
        return ""
    latin = any(sign.isascii() and sign.isalpha() for sign in word)
    for sign in word:
        if sign.isascii():
            continue
        if (latin and sign in _LIKE) or unicodedata.normalize("NFKC", sign).isascii():
            return _named(sign)
    return ""


def _named(sign: str) -> str:
    name = unicodedata.name(sign, "a letter without a name").lower()
    return f"it has U+{ord(sign):04X}, {name}"


def _decoded(label: str) -> str:
    """Return a part of a host as it is shown: Unicode where it is written in ASCII."""
    if len(label) > _LABEL or not label.lower().startswith("xn--"):
        return unquote(label)
    try:
        return label[4:].encode().decode("punycode")
    except (UnicodeError, ValueError):
        return label


def _plain(text: str) -> str:
    """Return an anchor without what services spell differently: signs, blanks and case."""
    return re.sub(r"[\W_]+", "", text).casefold()


def _spelled(text: str) -> str:
    """Return the anchor of a heading whose signs are spelled out, as the platform does it."""
    for sign, words in (("<", "less than"), (">", "greater than"), ("&", "and")):
        text = text.replace(sign, words)
    return _plain(text)


def _short(text: str) -> str:
    return shorten(clean(text, limit=1_000), SHOWN)
