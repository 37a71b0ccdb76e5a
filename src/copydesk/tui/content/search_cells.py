"""What a search found as rows: a page, the section of it, and an excerpt with the words lit."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from rich.text import Text

from copydesk.contract.models.search import OrganizationSearchItem, SearchSection, SpaceSearchItem
from copydesk.domain.address import web_address
from copydesk.domain.filter import fold
from copydesk.domain.text import clean
from copydesk.session.glyphs import glyphs

LONGEST = 512
"""Characters that a service takes of what is looked for."""

EXCERPT = 600
"""Characters of an excerpt that are shown."""

SEARCHED = 20_000
"""Characters of a section in which the words are looked for."""

BEFORE = 12
"""Characters before the first of the words that a row shows."""

_ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])")
"""What Markdown writes so that a sign is that sign."""


@dataclass(frozen=True)
class Hit:
    """A section of a page that was found, or the page where the service names no section.

    ``number`` counts the sections of its page, ``words`` are what was looked for.
    """

    space: str
    space_title: str
    page: SpaceSearchItem
    section: SearchSection | None
    number: int
    words: str

    @property
    def id(self) -> str:
        """What tells it from the other results."""
        return f"{self.space} {self.page.id} {self.number}"

    @property
    def anchor(self) -> str:
        """What its section is called in an address; "" for the page from its top."""
        if self.section is None:
            return ""
        return (self.section.path or self.section.id).partition("#")[2]

    @property
    def where(self) -> str:
        """The titles of the pages above it and its own."""
        titles = [each.title for each in self.page.ancestors] + [self.page.title]
        return " / ".join(clean(title) or "Untitled" for title in titles)

    @property
    def url(self) -> str | None:
        """The address of the section, else of the page."""
        of_section = web_address(self.section.urls.app) if self.section is not None else ""
        return of_section or web_address(self.page.urls.app) or None


def hits_of_space(
    space: str, title: str, pages: Sequence[SpaceSearchItem], words: str
) -> Iterator[Hit]:
    """Yield the results of one space in the order of the service."""
    for page in pages:
        for number, section in enumerate(page.sections or [None]):
            yield Hit(space, title, page, section, number, words)


def hits_of_organization(found: Sequence[OrganizationSearchItem], words: str) -> Iterator[Hit]:
    """Yield the results of several spaces, space by space."""
    for space in found:
        yield from hits_of_space(space.id, space.title, space.pages, words)


def unfit(words: str) -> str | None:
    """Return why nothing can be looked for with these words, or None."""
    if not words.strip():
        return "Type what to look for: e does, and so does :search WORDS."
    if len(words) > LONGEST:
        return f"{len(words)} characters; a search takes at most {LONGEST}."
    if re.search(r"[^\W_]", words) is None:
        return "There is no letter and no digit in it, so no page can be found by it."
    return None


def nothing_found(words: str, where: str) -> str:
    """Return what stands where results would."""
    short = [word for word in words.split() if len(word) < 3 and word.isascii()]
    said = f"No page {where} has {'all of these words' if len(words.split()) > 1 else 'this word'}."
    if short:
        said += " One or two letters are found as a whole word only."
    return said


def lit(text: str, words: str) -> Text:
    """Return a text with the beginnings of words lit that were looked for; case is no matter."""
    plain = " ".join(clean(text, limit=EXCERPT).split())
    shown = Text(plain)
    wanted = _wanted(words)
    if wanted is None:
        return shown
    folded: list[str] = []
    places: list[int] = []
    for at, letter in enumerate(plain):
        parts = fold(letter)
        folded.append(parts)
        places.extend([at] * len(parts))
    for match in wanted.finditer("".join(folded)):
        shown.stylize("match", places[match.start()], places[match.end() - 1] + 1)
    return shown


def _wanted(words: str) -> re.Pattern[str] | None:
    """Return what finds the beginnings of words in folded text."""
    wanted = [fold(word) for word in re.findall(r"\w+", words)]
    pattern = "|".join(re.escape(word) for word in sorted(wanted, key=len, reverse=True) if word)
    return re.compile(rf"(?<!\w)(?:{pattern})") if pattern else None


def page_title(hit: Hit, now: datetime) -> Text:
    """Return what the page is called, and its section after it."""
    title = lit(hit.page.title or "Untitled", hit.words)
    section = section_title(hit, now)
    return title if section is None else Text.assemble(title, (" # ", "muted"), section)


def section_title(hit: Hit, now: datetime) -> Text | None:
    """Return what the section is called, where it is not the page as a whole."""
    section = hit.section
    if section is None or not section.title or section.title == hit.page.title:
        return None
    return lit(section.title, hit.words)


def excerpt(hit: Hit, now: datetime) -> Text | None:
    """Return what the section says, from a little before the words where they come late."""
    body = hit.section.body if hit.section is not None else None
    if not body:
        return None
    plain = " ".join(_ESCAPED.sub(r"\1", clean(body, limit=SEARCHED)).split())
    wanted = _wanted(hit.words)
    found = None if wanted is None else wanted.search(fold(plain))
    if found is None or found.end() < EXCERPT - BEFORE:
        return lit(plain, hit.words)
    return _from(lit(plain[max(0, found.start() - EXCERPT // 2) :], hit.words))


def says(hit: Hit, now: datetime) -> Text | None:
    """Return the excerpt for a column: one of the words is among what is drawn first."""
    said = excerpt(hit, now)
    return None if said is None else _from(said)


def _from(said: Text) -> Text:
    """Return a text from a little before what is lit first, if that comes late."""
    first = min((span.start for span in said.spans), default=0)
    if first <= BEFORE:
        return said
    blank = said.plain.find(" ", first - BEFORE)
    start = blank + 1 if 0 <= blank < first else first
    return Text.assemble((f"{glyphs().more} ", "muted"), said[start:])
