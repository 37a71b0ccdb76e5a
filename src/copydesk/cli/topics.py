"""Topics of the help: the sections of the manual, found by their headings and by what they tell."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from copydesk.cli.manual_desk import pages_folder

FEW = 3
"""So many other sections are named below the one that is printed."""

MOST_MENTIONS = 6
"""How often a word counts in a section that tells of it: less than a heading that is this word."""

LEAST_MENTIONS = 2
"""How often a section without such a heading has to speak of something to be about it."""

SURE = 10
"""What a section has to count to be printed in place of what the help of a command says."""

WHOLE, PART = 2 * MOST_MENTIONS, MOST_MENTIONS
"""What a heading counts that is the words, and one that has them among others."""

INSIDE = "Inside"
"""The part of the manual for people who change copydesk: it comes after all others."""

_COMMANDS = "commands"
"""The page that says what the help of each command says, but for the section `STATUSES`."""

STATUSES = "Exit status"
"""The heading of what each exit status says."""

_SMALL = frozenset(
    ("a", "an", "and", "in", "is", "it", "of", "on", "one", "s", "the", "to", "what", "your", "own")
)

_LINK = re.compile(r"\]\(([\w/-]+)\.md\)")


class Section(NamedTuple):
    """A section of the manual: the page, without its ending, the heading, and what is below it.

    ``text`` has the sections below it, too; ``own`` has not. ``inside``: it is about the source.
    ``weight`` says how much it tells of what was asked for.
    """

    page: str
    title: str
    text: str
    own: str
    inside: bool
    weight: int = 0


def find(words: Sequence[str], least: int = LEAST_MENTIONS) -> list[Section]:
    """Return the sections about some words, the one that tells most of them first."""
    if not (wanted := set(_stems(" ".join(words)))):
        return []
    told = [each._replace(weight=_weight(each, wanted)) for each in _sections(pages_folder())]
    told.sort(key=lambda each: (each.inside, -each.weight))
    return [each for each in told if each.weight >= least]


def meaning(words: Sequence[str]) -> str:
    """Return what some words mean, as the manual's page of words says it; "" where it does not."""
    wanted = _stems(" ".join(words))
    for line in (pages_folder() / "words.md").read_text(encoding="utf-8").splitlines():
        word, said = [*(each.strip() for each in line.split("|")), "", ""][1:3]
        if wanted and wanted in map(_stems, word.split(",")):
            return f"{word}: {said}"
    return ""


def drawn(section: Section, width: int) -> str:
    """Return a section as plain text."""
    from copydesk.present.markdown import blocks, draw

    lines = [line for block in blocks(section.text) for line in draw(block, width)]
    return "\n".join("".join(text for text, _ in line).rstrip() for line in lines).rstrip()


def _weight(section: Section, wanted: set[str]) -> int:
    heading, page = set(_stems(section.title)), set(_stems(section.page.rpartition("/")[2]))
    # A table of keys or calls has the word in each line, and explains it in none.
    told = _stems(re.sub(r"^\|.*$", "", section.own, flags=re.MULTILINE))
    counts = [told.count(each) for each in wanted]
    weight = min(MOST_MENTIONS, sum(counts) // len(counts)) if all(counts) else 0
    if wanted == heading or (section.text.startswith("# ") and wanted == page):
        weight += WHOLE if weight else PART
    elif wanted <= heading:
        weight += PART
    return weight


def _stems(text: str) -> list[str]:
    """Return the words of a text without their endings: merges, merged and merging are one."""
    words = re.findall(r"\w+", text.casefold())
    return [
        re.sub(r"(?<=\w{3})(?:ing|ed|es|e|s)$", "", each) for each in words if each not in _SMALL
    ]


def _sections(folder: Path) -> Iterator[Section]:
    """Yield the sections of the pages in the order of the table of contents."""
    part = ""
    for line in (folder / "SUMMARY.md").read_text(encoding="utf-8").splitlines():
        part = line.removeprefix("## ") if line.startswith("## ") else part
        for page in _LINK.findall(line):
            text = (folder / f"{page}.md").read_text(encoding="utf-8")
            found = _cut(page, text.splitlines(), inside=part == INSIDE)
            yield from (each for each in found if page != _COMMANDS or each.title == STATUSES)


def _cut(page: str, lines: Sequence[str], *, inside: bool) -> Iterator[Section]:
    heads = list(_headings(lines))
    for at, (begins, level, title) in enumerate(heads):
        ends = [line for line, other, _ in heads[at + 1 :] if other <= level]
        following = [line for line, _, _ in heads[at + 1 :]]
        text = "\n".join(lines[begins : ends[0] if ends else None])
        own = "\n".join(lines[begins + 1 : following[0] if following else None])
        yield Section(page, title, text, own, inside)


def _headings(lines: Iterable[str]) -> Iterator[tuple[int, int, str]]:
    """Yield the number of the line, the level and the words of each heading; none in code."""
    code = False
    for at, line in enumerate(lines):
        code ^= line.startswith("```")
        if not code and (found := re.match(r"(#+) (.+)", line)):
            yield at, len(found[1]), found[2]
