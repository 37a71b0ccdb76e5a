"""What was found, as the API shows it: pages with the sections that hold the words."""

from __future__ import annotations

import json
import re
import unicodedata
from dataclasses import dataclass

from copydesk.contract.models.parts import Urls
from copydesk.contract.models.search import SearchAncestor, SearchSection, SpaceSearchItem
from copydesk.domain.slug import slugify
from copydesk.server import content
from copydesk.server.implementation import Call
from copydesk.server.search_index import Query

_EXCERPT = 160
"""About how many characters of a section are quoted."""

_WORD = re.compile(r"\w+")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_HEADING = re.compile(r" {0,3}#{1,6}\s+(.*?)\s*#*\s*")
_NOT_SAID = re.compile(r"!?\[([^\]]*)\]\([^)]*\)|[*`]+|<[^<>]*>")
"""What Markdown adds to what is said: excerpts leave it out."""


def search_item(call: Call, key: int, query: Query) -> SpaceSearchItem:
    """Return an indexed page (by its row of ``search_page``) with the sections that hold a word."""
    row = call.tx.row("search_page", key)
    data = content.versions(call.tx, (row["version"],))[row["version"]]
    location = call.url("spaces", row["space_id"], "content", "page", row["page_id"])
    urls = Urls(location=location)
    # Signs are no part of a word: `web*` and `"web"` are found where `web` is.
    words = [part for word in query.all for part in _WORD.findall(folded(word)) or [folded(word)]]
    sections: list[SearchSection] = []
    taken: dict[str, int] = {}
    for section in _sections(content.text(call.tx, data.text)):
        slug = slugify(section.title) if section.title else ""
        taken[slug] = taken.get(slug, -1) + 1
        anchor = f"{slug}-{taken[slug]}" if taken[slug] else slug
        here = folded(f"{section.title}\n{section.body}")
        if any(word in here for word in words):
            sections.append(
                SearchSection(
                    id=f"{data.id}#{anchor}" if anchor else data.id,
                    title=section.title or data.title,
                    path=f"{row['path']}#{anchor}" if anchor else row["path"],
                    body=_excerpt(section.body, words),
                    urls=urls,
                )
            )
    return SpaceSearchItem(
        id=data.id,
        title=data.title,
        path=row["path"],
        sections=sections,
        ancestors=[SearchAncestor(title=title) for title in json.loads(row["ancestors"])],
        urls=urls,
    )


def folded(text: str) -> str:
    """Return a text without case and accents, which searching does not tell apart."""
    if text.isascii():
        return text.lower()
    plain = unicodedata.normalize("NFKD", text.casefold())
    return "".join(c for c in plain if not "\u0300" <= c <= "\u036f")


@dataclass(frozen=True)
class _Section:
    title: str
    body: str


def _sections(text: str) -> list[_Section]:
    """Return a text cut at its headings; what comes before the first has no title."""
    found: list[_Section] = []
    title, fence = "", ""
    body: list[str] = []
    for line in text.splitlines():
        mark = _FENCE.match(line)
        if mark and (not fence or mark[1].startswith(fence)):
            fence = "" if fence else mark[1]
        heading = None if fence or mark or "#" not in line else _HEADING.fullmatch(line)
        if heading:
            found.append(_Section(title, "\n".join(body).strip()))
            title, body = heading[1], []
        else:
            body.append(line)
    found.append(_Section(title, "\n".join(body).strip()))
    return [section for section in found if section.title or section.body]


def _excerpt(body: str, words: list[str]) -> str:
    """Return some of a text around the first word that it holds, cut between words, on one line."""
    # Only what is near is worth cleaning: a page may be long.
    found = (at for word in words if (at := folded(body).find(word)) >= 0)
    near = max(0, min(found, default=0) - 4 * _EXCERPT)
    flat = " ".join(_NOT_SAID.sub(r"\1", body[near : near + 12 * _EXCERPT]).split())
    plain = folded(flat)
    # Folding may change lengths, so the place is near rather than exact.
    place = min((at for word in words if (at := plain.find(word)) >= 0), default=0)
    start = max(0, min(place - _EXCERPT // 4, len(flat) - _EXCERPT))
    end = start + _EXCERPT
    if start:
        start = flat.find(" ", start) + 1 or start
    if end < len(flat):
        end = max(flat.rfind(" ", start, end), start + 1)
    before, after = "…" if start or near else "", "…" if end < len(flat) else ""
    return f"{before}{flat[start:end].strip()}{after}"
