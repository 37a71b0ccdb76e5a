"""Searching the pages of a space for words."""

from __future__ import annotations

import re
from dataclasses import dataclass

from copydesk.contract.models.parts import Urls
from copydesk.contract.models.search import SearchAncestor, SearchSection, SpaceSearchItem
from copydesk.server import content
from copydesk.server.content import slugify
from copydesk.server.implementation import Call
from copydesk.server.queries.page import PlacedPage, placed_pages
from copydesk.server.store import Row

_EXCERPT = 160
"""About how many characters of a section are quoted."""

_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_HEADING = re.compile(r" {0,3}#{1,6}\s+(.*?)\s*#*\s*")


def words_of(query: str) -> list[str]:
    """Return what a query asks for: every word must be found, whatever its case."""
    return query.casefold().split()


def search_pages(call: Call, space: Row, words: list[str]) -> list[SpaceSearchItem]:
    """Return the pages of a space that hold every word, those with all in their title first.

    Pages that are alike in that are in reading order. Without words nothing is found.
    """
    if not words:
        return []
    found: list[tuple[bool, SpaceSearchItem]] = []
    location = call.url("spaces", space["id"], "content", "page")
    for page in placed_pages(call, space["revision_id"]):
        if page.data.type == "group":
            continue
        text = content.text(call.tx, page.data.text)
        title = page.data.title.casefold()
        everything = f"{title}\n{(page.data.description or '').casefold()}\n{text.casefold()}"
        if all(word in everything for word in words):
            in_title = all(word in title for word in words)
            found.append((not in_title, _item(page, text, words, f"{location}/{page.data.id}")))
    found.sort(key=lambda pair: pair[0])
    return [item for _, item in found]


@dataclass(frozen=True)
class _Section:
    title: str
    body: str


def _item(page: PlacedPage, text: str, words: list[str], location: str) -> SpaceSearchItem:
    sections: list[SearchSection] = []
    taken: dict[str, int] = {}
    for section in _sections(text):
        slug = slugify(section.title) if section.title else ""
        taken[slug] = taken.get(slug, -1) + 1
        anchor = f"{slug}-{taken[slug]}" if taken[slug] else slug
        here = f"{section.title}\n{section.body}".casefold()
        if any(word in here for word in words):
            sections.append(
                SearchSection(
                    id=f"{page.data.id}#{anchor}" if anchor else page.data.id,
                    title=section.title or page.data.title,
                    path=f"{page.path}#{anchor}" if anchor else page.path,
                    body=_excerpt(section.body, words),
                    urls=Urls(location=location),
                )
            )
    return SpaceSearchItem(
        id=page.data.id,
        title=page.data.title,
        path=page.path,
        sections=sections,
        ancestors=[SearchAncestor(title=above.title) for above in page.ancestors],
        urls=Urls(location=location),
    )


def _sections(text: str) -> list[_Section]:
    """Return a text cut at its headings; what comes before the first has no title."""
    found: list[_Section] = []
    title, fence = "", ""
    body: list[str] = []
    for line in text.splitlines():
        mark = _FENCE.match(line)
        if mark and (not fence or mark[1].startswith(fence)):
            fence = "" if fence else mark[1]
        heading = None if fence or mark else _HEADING.fullmatch(line)
        if heading:
            found.append(_Section(title, "\n".join(body).strip()))
            title, body = heading[1], []
        else:
            body.append(line)
    found.append(_Section(title, "\n".join(body).strip()))
    return [section for section in found if section.title or section.body]


def _excerpt(body: str, words: list[str]) -> str:
    """Return some of a text around the first word that it holds, cut between words, on one line."""
    flat = " ".join(body.split())
    folded = flat.casefold()
    # Folding may change lengths, so the place is near rather than exact.
    place = min((at for word in words if (at := folded.find(word)) >= 0), default=0)
    start = max(0, min(place - _EXCERPT // 4, len(flat) - _EXCERPT))
    end = start + _EXCERPT
    if start:
        start = flat.find(" ", start) + 1 or start
    if end < len(flat):
        end = max(flat.rfind(" ", start, end), start + 1)
    before, after = "…" if start else "", "…" if end < len(flat) else ""
    return f"{before}{flat[start:end].strip()}{after}"
