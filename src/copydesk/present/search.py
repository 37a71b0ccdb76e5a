"""Results of a search as texts in which the words that were looked for are lit."""

from __future__ import annotations

import re
from datetime import datetime
from typing import TYPE_CHECKING

from rich.text import Text

from copydesk.domain.filter import WORD, fold, places
from copydesk.domain.text import clean
from copydesk.session.glyphs import glyphs

if TYPE_CHECKING:
    from copydesk.session.reads.search import Hit


EXCERPT = 600
"""Characters of an excerpt that are shown."""

SEARCHED = 20_000
"""Characters of a section in which the words are looked for."""

BEFORE = 12
"""Characters before the first of the words that a row shows."""

_ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])")
"""What Markdown writes so that a sign is that sign."""


def lit(text: str, words: str) -> Text:
    """Return a text with the beginnings of words lit that were looked for; case is no matter."""
    plain = " ".join(clean(text, limit=EXCERPT).split())
    shown = Text(plain)
    wanted = _wanted(words)
    if wanted is None:
        return shown
    for start, stop in places(plain, wanted):
        shown.stylize("match", start, stop)
    return shown


def _wanted(words: str) -> re.Pattern[str] | None:
    """Return what finds the beginnings of words in folded text."""
    wanted = [fold(word) for word in WORD.findall(words)]
    pattern = "|".join(
        # Where a script has no blanks words begin anywhere.
        (r"(?<!\w)" if word < "\u0e00" else "") + re.escape(word)
        for word in sorted(wanted, key=len, reverse=True)
        if word
    )
    return re.compile(pattern) if pattern else None


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
    """Return the excerpt for a column: it begins near one of the words."""
    said = excerpt(hit, now)
    return None if said is None else _from(said)


def _from(said: Text) -> Text:
    """Return a text from a little before the first lit word, if that comes late."""
    first = min((span.start for span in said.spans), default=0)
    if first <= BEFORE:
        return said
    blank = said.plain.find(" ", first - BEFORE)
    start = blank + 1 if 0 <= blank < first else first
    return Text.assemble((f"{glyphs().more} ", "muted"), said[start:])
