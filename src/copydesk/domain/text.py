"""The gate between data and screen: text from strangers becomes text that is safe to draw.

Everything the API returns is untrusted. A title may carry an escape sequence that rewrites the
terminal, an override that shows a file name backwards, or ten thousand accents on one letter.
``clean`` takes all of that out; nothing reaches the screen without it.
"""

from __future__ import annotations

import re
import unicodedata
from codecs import lookup
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from itertools import groupby

from rich import cells
from rich.cells import CellTable, cell_len, get_character_cell_size

_rich_table: Callable[[str], CellTable] = vars(cells)["load_cell_table"]


@cache
def _table(version: str = "auto") -> CellTable:
    """Return how wide characters are: as Rich has it, but for what terminals do not agree upon.

    A vowel of Hindi or Burmese that is a mark with a width, and the colour of a skin, are drawn by
    most in cells of their own. Room that is not used is blank; what finds none shifts the line.
    """
    table = _rich_table(version)
    widths: list[tuple[int, int, int]] = []
    for first, last, width in table.widths:
        if width:
            widths.append((first, last, width))
            continue
        for kind, run in groupby(range(first, last + 1), lambda at: unicodedata.category(chr(at))):
            codes = list(run)
            if kind != "Mc":
                widths.append((codes[0], codes[-1], 2 if kind == "Sk" else 0))
    return CellTable(table.unicode_version, widths, table.narrow_to_wide)


vars(cells)["load_cell_table"] = _table

MARKS_PER_CHARACTER = 6
"""Combining marks kept after one character: Burmese and pointed Hebrew have up to five."""

TAB = "    "
"""What a tab becomes where lines are kept: a fixed width, so that parts of a line add up."""

NUMBER = re.compile(r"<U\+[0-9A-F]{4,6}>")
"""The sign in ``exposed`` text for a character that is not drawn."""

_LINE_ENDS = re.compile("\r\n|[\r\v\f\x1c-\x1e\x85\u2028\u2029]")

_SEQUENCES = re.compile(
    # A string sequence (DCS, SOS, OSC, PM, APC) with its payload, up to its terminator.
    "(?:\x1b[PX\\]^_]|[\x90\x98\x9d-\x9f])[^\x00-\x1f\x7f-\x9f]*(?:\x07|\x1b\\\\|\x9c)"
    # A control sequence (CSI): parameters, intermediates, final byte.
    "|(?:\x1b\\[|\x9b)[0-?]*[ -/]*[@-~]"
    # Any other escape sequence, but not the opening of an unfinished string or control sequence:
    # of those only the opening goes, so that nothing a person should read is swallowed.
    "|\x1b(?:[P\\[X\\]^_]|[ -/]*[0-~])?"
)

_OPENING = re.compile("[\x1b\x90\x98\x9b\x9d-\x9f]")
"""What an escape sequence begins with."""

_BEHIND = 4_096
"""So far behind a limit the end of a sequence is looked for that begins before it."""

_HIDDEN = (
    "\x00-\x08\x0b-\x1f\x7f-\x9f"  # C0 without tab and newline, delete, C1
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f"  # invisible joiners and fillers
    "\u200b-\u200f\u2028-\u202e\u2060-\u206f"  # zero width, separators, bidirectional controls
    "\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\ufffe\uffff\ufdd0-\ufdef"  # fillers, selectors
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"  # format and tag characters
    "\ud800-\udfff"  # lone surrogates: JSON may carry them, no terminal can
)


@cache
def _suspect(*, lines: bool) -> re.Pattern[str]:
    """Return what finds anything that `clean` takes out or replaces."""
    return re.compile(f"[{_HIDDEN}\t{'' if lines else chr(10)}]")


# The following are large, and most texts need none of them: each is made when it is used first, so
# that no start has to wait for it.


@cache
def _unseen() -> re.Pattern[str]:
    """Return what finds one character that is not drawn."""
    return re.compile(f"[{_HIDDEN}]")


_RUN = re.compile(f"[^\0-\u02ff]{{{MARKS_PER_CHARACTER + 1}}}")
"""What a text must have before it can have a pile: most that is Latin, or has emoji, has none."""


@cache
def _pile() -> re.Pattern[str]:
    """Return what finds the places where too many marks may be on one character.

    Everything outside these ranges may be a combining mark. A run of it longer than the limit is
    looked at character by character; the test of this module checks the ranges against Unicode.
    """
    return re.compile(
        "[^\x00-\u02ff\u0370-\u0482\u048a-\u0590\u1e00-\u20cf\u2100-\u2cee\u2d00-\u2d7e"
        "\u2e00-\u3029\u3030-\u3098\u309b-\ua66e\uac00-\ufb1d\uff00-\uffff"
        f"\U0001f000-\U0001faff\U00020000-\U0003ffff]{{{MARKS_PER_CHARACTER + 1},}}"
    )


_PICTURED = (
    "(?<=[0-9#*])\ufe0f(?=\u20e3)"  # a key, as in 1 with a frame
    "|(?<=\U0001f3f4)[\U000e0020-\U000e007e]{1,8}\U000e007f"  # the flag of a region
)


@cache
def _unmeant() -> re.Pattern[str]:
    """Return what finds a character that is not drawn, and as ``meant`` one that is wanted."""
    return re.compile(
        # What chooses the form of a letter or a sign, or joins it with the next, right behind it.
        f"(?P<meant>(?<=[^\x00-\x7f{_HIDDEN}])"
        "(?:[\ufe00-\ufe0f\U000e0100-\U000e01ef][\u200c\u200d]?|[\u200c\u200d])"
        f"|{_PICTURED})|[{_HIDDEN}]"
    )


@cache
def _joined() -> re.Pattern[str]:
    """Return the pattern of characters that belong to the letter or the picture before them."""
    return re.compile(
        f"{_PICTURED}|(?<=[^\x00-\x7f])[\ufe0e\ufe0f]"
        "|(?<=[^\x00-\u058f])[\u200c\u200d](?=[^\x00-\u058f])"
    )


def clean(text: str, *, lines: bool = False, limit: int | None = None) -> str:
    """Return ``text`` as it may be drawn in a terminal.

    Escape sequences go whole, control characters, bidirectional controls, zero-width, tag and
    variation characters and lone surrogates go singly, and at most ``MARKS_PER_CHARACTER``
    combining marks stay on a character. With ``lines`` the line ends of all systems become
    ``\\n`` and a tab four spaces; otherwise both become one space. Of ``text`` the first ``limit``
    characters are cleaned, without a sequence that goes on behind them. Cleaning twice changes
    nothing.
    """
    if limit is not None and len(text) > limit:
        text = _start(text, limit)
    if _suspect(lines=lines).search(text):
        text = _LINE_ENDS.sub("\n", text)
        if "\x1b" in text or not text.isascii():
            text = _SEQUENCES.sub("", text)
        text = _unseen().sub("", text)
        text = text.replace("\t", TAB) if lines else text.replace("\t", " ").replace("\n", " ")
    return _thinned(text)


def _start(text: str, limit: int) -> str:
    """Return the first characters of a text, none of an escape sequence that goes on behind."""
    if _OPENING.search(text, 0, limit):
        for found in _SEQUENCES.finditer(text, 0, limit + _BEHIND):
            if found.end() > limit:
                return text[: min(found.start(), limit)]
    return text[:limit]


def _thinned(text: str) -> str:
    """Return a text without the marks that are too many on one character."""
    return _pile().sub(_thin, text) if not text.isascii() and _RUN.search(text) else text


SLICE = 16_000
"""Characters of a long text that are worked on at a time, so that other threads get their turn."""

_DRAWN = re.compile("(?=[\x20-\x7e])")


def slices(text: str, between: re.Pattern[str]) -> Iterator[str]:
    """Cut a text where ``between`` matches next after so many characters; all of it comes."""
    at = 0
    while at < len(text):
        found = between.search(text, at + SLICE)
        stop = found.end() if found is not None else len(text)
        yield text[at:stop]
        at = stop


def clean_long(text: str) -> str:
    """Return what ``clean`` returns with ``lines``, letting other threads run meanwhile.

    One expression over a megabyte would hold the whole program for a third of a second.
    """
    if (len(text) > SLICE and not text.isascii()) or "\x1b" in text:
        # A sequence may go from one slice to the next.
        text = _SEQUENCES.sub("", _LINE_ENDS.sub("\n", text))
    return "".join(clean(part, lines=True) for part in slices(text, _DRAWN))


_NOT_WRITTEN = frozenset({"idna", "punycode", "raw-unicode-escape", "undefined", "unicode-escape"})
"""What Python knows as encodings that no text is written in."""


def decoded_as(data: bytes, encoding: str) -> str:
    """Return text in the encoding that whoever wrote it named.

    Raises ``ValueError`` where it is not, and ``LookupError`` for what is no encoding of texts: one
    of host names takes minutes for a megabyte.
    """
    if lookup(encoding).name in _NOT_WRITTEN:
        raise LookupError(f"no text is written in {encoding}")
    return data.decode(encoding)


def same_name(title: str, name: str) -> bool:
    """Whether a title is what was typed: as it is shown, in any letter case, marks apart or not."""
    one, two = (unicodedata.normalize("NFC", clean(each)).strip() for each in (title, name))
    return one.casefold() == two.casefold()


def typed(text: str, *, lines: bool = False) -> str:
    """Return ``text`` as a field may hold it, whether pasted, restored or chosen.

    What `clean` takes out for the terminal's sake is not there either: escape sequences, control
    and bidirectional characters, what is nowhere drawn. But what somebody writes is not changed:
    what joins letters or makes a picture of a sign stays where it does so. With ``lines`` tabs and
    line ends stay, the latter as ``\\n``; otherwise both become one space. Doing it twice changes
    nothing.
    """
    if _suspect(lines=lines).search(text):
        text = _SEQUENCES.sub("", _LINE_ENDS.sub("\n", text))
        text = _unmeant().sub(lambda found: found["meant"] or "", text)
        text = text if lines else text.replace("\t", " ").replace("\n", " ")
    return _thinned(text)


def exposed(text: str) -> str:
    """Return ``text`` as ``clean`` with ``lines`` does, but show what nobody would see.

    A character that is not drawn stands there as its number, like ``<U+202E>``, and escape
    sequences stay readable: a comparison must not hide what was put into a text. Only what joins
    letters or makes a picture of a sign is left out, where it does so (`unseen` has it). Line ends
    become ``\\n``, a tab four spaces. Exposing twice changes nothing.
    """
    text = _line_ends(text).removeprefix("\ufeff")
    if _suspect(lines=True).search(text):
        text = _joined().sub("", text)
        text = _unseen().sub(_number, text).replace("\t", TAB)
    return _thinned(text)


def unseen(text: str) -> str:
    """Return the characters of ``text`` that are not drawn, and heaps of accents, in order."""
    if text.isascii() and not _unseen().search(text):
        return ""
    piles = [pile[0] for pile in _pile().finditer(text) if _thin(pile) != pile[0]]
    return "".join([*_unseen().findall(text), *piles])


def _line_ends(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def _number(character: re.Match[str]) -> str:
    return f"<U+{ord(character[0]):04X}>"


def without_numbers(text: str) -> str:
    """Return exposed text as ``clean`` does, without code points of invisible characters."""
    return NUMBER.sub("", text) if "<U+" in text else text


def _thin(pile: re.Match[str]) -> str:
    kept: list[str] = []
    marks = 0
    for character in pile.group():
        if unicodedata.category(character) in {"Mn", "Me"}:
            marks += 1
            if marks > MARKS_PER_CHARACTER:
                continue
        else:
            marks = 0
        kept.append(character)
    return "".join(kept)


NO_SUBJECT = "(no subject)"
"""Shown in place of the subject of a change request that has none."""


def shown_title(text: str, *, limit: int | None = None) -> str:
    """Return a title as it may be shown: clean, and "Untitled" where nothing is left of it."""
    return clean(text, limit=limit).strip() or "Untitled"


def shown_subject(text: str) -> str:
    """Return a subject as it may be shown: clean, and a note where nothing is left of it."""
    return clean(text).strip() or NO_SUBJECT


def capital(text: str) -> str:
    """Return a text that begins with a capital letter."""
    return f"{text[:1].upper()}{text[1:]}"


def shorten(text: str, cells: int = 60, end: str = "…") -> str:
    """Return cleaned ``text`` in at most ``cells`` terminal cells, with ``end`` where it was cut.

    Without ``cells`` it is as long as a name in a sentence may be. A wide character is never
    halved. ``end`` itself is cut where there is no room for it.
    """
    # A character needs at most two cells, so a short text fits without being measured.
    if len(text) * 2 <= cells or (len(text) <= cells * 4 + 8 and cell_len(text) <= cells):
        return text
    start = _fit(text, cells)
    if len(start) == len(text):
        return text
    room = cells - cell_len(end)
    return _fit(text, room) + end if room >= 0 else _fit(end, cells)


def shorten_middle(text: str, cells: int, gap: str = "…") -> str:
    """Return cleaned ``text`` in at most ``cells`` terminal cells: a path is told by its end.

    Of the path of a page (``Guides / Install``) its own title is cut last.
    """
    if cells <= cell_len(gap) or (len(text) <= cells * 4 + 8 and cell_len(text) <= cells):
        return shorten(text, cells, gap)
    above, _, title = text.rpartition(" / ")
    if above and len(title) <= cells and cell_len(last := f"{gap} / {title}") <= cells:
        return last
    room = cells - cell_len(gap)
    end = _fit(text[::-1], room // 2)[::-1]
    return _fit(text, room - cell_len(end)) + gap + end


def _fit(text: str, cells: int) -> str:
    """Return the longest start of ``text`` that fits, with the marks of its last character."""
    used = 0
    for index, character in enumerate(text):
        used += get_character_cell_size(character)
        if used > cells:
            return text[:index]
    return text


def plural(count: int, noun: str, many: str | None = None) -> str:
    """Return a count with its noun: "1 request", "1,204 replies".

    ``many`` is the plural where the usual English endings do not make it.
    """
    if count == 1:
        return f"1 {noun}"
    if many is None:
        if re.search(r"[^aeiou]y$", noun):
            many = noun[:-1] + "ies"
        elif re.search(r"(?:s|x|z|ch|sh)$", noun):
            many = noun + "es"
        else:
            many = noun + "s"
    return f"{count:,} {many}"


def ordinal(text: str) -> int:
    """Return the place in a list that a text names, from 1; 0 where it names none."""
    return int(text) if text.isdecimal() and len(text) < 10 else 0


def listed(words: Iterable[str], last: str = "and") -> str:
    """Return words as a sentence lists them: "Priya, Lee and Sam"."""
    parts = list(words)
    if len(parts) < 2:
        return "".join(parts)
    return f"{', '.join(parts[:-1])} {last} {parts[-1]}"


def few(words: Sequence[str], most: int, told: Callable[[str], str] = str) -> str:
    """Return the first of some words as a sentence lists them: "Priya, Lee and 3 more".

    ``told`` makes readable those that are named: there may be thousands more.
    """
    more = len(words) - most
    return listed([*map(told, words[:most]), *([f"{more:,} more"] if more > 0 else [])])


_UNITS = ("bytes", "kB", "MB", "GB", "TB")


def size_words(size: int | None) -> str:
    """Return a number of bytes as a person reads it; empty where it is not known."""
    if size is None:
        return ""
    value, unit = float(size), 0
    while round(value) >= 1000 and unit < len(_UNITS) - 1:
        value, unit = value / 1000, unit + 1
    return f"{value:.1f} {_UNITS[unit]}" if unit and value < 10 else f"{value:.0f} {_UNITS[unit]}"
