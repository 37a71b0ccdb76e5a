"""Searching spaces, sites and organizations."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Unpack
from urllib.parse import quote

from copydesk.contract import operations as ops
from copydesk.contract.models.base import Page, Paging, ShownUrls
from copydesk.contract.models.search import (
    AllScope,
    DefaultScope,
    OrganizationSearchItem,
    SearchAncestor,
    SearchScope,
    SearchSection,
    SiteSearch,
    SpaceSearchItem,
    SpecificScope,
)
from copydesk.domain.blocks import BlockText
from copydesk.domain.filter import WORD, fold
from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.slug import named, slugify
from copydesk.server import content
from copydesk.server.errors import invalid
from copydesk.server.implementation import Call, implements
from copydesk.server.pagination import paginate
from copydesk.server.queries.change_request import space_row
from copydesk.server.queries.page import page_screen
from copydesk.server.queries.site import SiteView, site_view
from copydesk.server.queries.space import space_screen
from copydesk.server.search_index import BELOW_TITLES, Query, count_pages, found_pages, parse_query
from copydesk.server.store import Row

_PAGES = 20
"""How many pages of each space an organization's search shows; the space's own shows them all."""


@implements(ops.search_space)
def search_space(
    call: Call, space_id: str, *, query: str, **paging: Unpack[Paging]
) -> Page[SpaceSearchItem]:
    call.access.space(space_id)
    wanted = parse_query(query)
    if not wanted:
        return Page[SpaceSearchItem](items=[], count=0)
    found, values = found_pages(wanted, space_id=space_id)
    return paginate(
        call.tx,
        lambda row: _found_page(call, row, row["rank"], wanted),
        source=f"(SELECT *, row_number() OVER (ORDER BY score, id) AS rank FROM ({found}))",  # noqa: S608 - ours
        values=values,
        keys=("score", "id"),
        descending=False,
        paging=paging,
        count=count_pages(call.tx, wanted, space_id=space_id),
    )


@implements(ops.search_organization)
def search_organization(
    call: Call, organization_id: str, *, query: str, **paging: Unpack[Paging]
) -> Page[OrganizationSearchItem]:
    """Answer with the spaces that the caller can view and that have pages with every word.

    The space with the best page comes first; a translation comes after what it translates, unless
    only its own title has the words.
    """
    call.access.organization(organization_id)
    wanted = parse_query(query)
    if not wanted:
        return Page[OrganizationSearchItem](items=[], count=0)
    found, values = found_pages(wanted)
    return paginate(
        call.tx,
        lambda row: _space(call, row, wanted),
        source=(
            "(WITH found AS MATERIALIZED (SELECT space.id, space.title, min(hit.score) AS score "  # noqa: S608 - ours
            f"FROM ({found}) hit JOIN search_page ON search_page.id = hit.id "
            "JOIN space ON space.id = search_page.space_id "
            "WHERE space.organization_id = ? AND space.deleted_at IS NULL "
            "AND space.id NOT IN (SELECT value FROM json_each(?)) GROUP BY space.id) "
            "SELECT found.id, found.title, EXISTS "
            "(SELECT 1 FROM translation WHERE result_space_id = found.id) AS translated, "
            "max(found.score, coalesce((SELECT max(origin.score) FROM translation "
            "JOIN found origin ON origin.id = translation.source_space_id "
            "WHERE translation.result_space_id = found.id "
            "AND (origin.score < ?) = (found.score < ?)), found.score)) AS score FROM found)"
        ),
        values=(
            *values,
            organization_id,
            json.dumps(call.access.hidden_spaces(organization_id)),
            *(BELOW_TITLES, BELOW_TITLES),
        ),
        keys=("score", "translated", "id"),
        descending=False,
        paging=paging,
    )


@implements(ops.search_site_content)
def search_site_content(
    call: Call, organization_id: str, site_id: str, body: SiteSearch, **paging: Unpack[Paging]
) -> Page[OrganizationSearchItem]:
    """Answer with the spaces of a site that have pages with every word, the best first.

    A space that the site shows in two places is found once.
    """
    view = site_view(call, organization_id, site_id)
    spaces = _searched(view, body)
    wanted = parse_query(body.query)
    if not wanted:
        return Page[OrganizationSearchItem](items=[], count=0)
    found, values = found_pages(wanted)
    return paginate(
        call.tx,
        lambda row: _space(call, row, wanted),
        source=(
            "(SELECT space.id, space.title, min(hit.score) AS score "  # noqa: S608 - ours
            f"FROM ({found}) hit JOIN search_page ON search_page.id = hit.id "
            "JOIN space ON space.id = search_page.space_id "
            "WHERE space.id IN (SELECT value FROM json_each(?)) GROUP BY space.id)"
        ),
        values=(*values, json.dumps(spaces)),
        keys=("score", "id"),
        descending=False,
        paging=paging,
    )


def _searched(view: SiteView, body: SiteSearch) -> list[str]:
    """Return the ids of the spaces that a search of a site looks into. A draft has to be named."""
    rows = {row["shown_id"]: row for row in view.seen_rows("deleted_at IS NULL")}
    match _scope(body):
        case SpecificScope(site_space_ids=named):
            shown = named
        case DefaultScope() as scope:
            shown = _by_default(view, scope, rows)
        case _:
            shown = [key for key, row in rows.items() if not row["shown_draft"]]
    if lacking := [key for key in shown if key not in rows]:
        raise invalid(f"body: the site has no site space {lacking[0]!r}")
    return sorted({rows[key]["id"] for key in shown})


def _scope(body: SiteSearch) -> SearchScope:
    """Return where to search, which a body says in one of two ways. Raises a 400 for any other."""
    match body.scope, body.mode, body.site_space_ids, body.site_space_id:
        case scope, None, None, None if scope is not None:
            return scope
        case None, None | "specific", named, None if named is not None:
            return SpecificScope(mode="specific", site_space_ids=named)
        case None, "current", None, current if current is not None:
            return SpecificScope(mode="specific", site_space_ids=[current])
        case None, "all", None, None:
            return AllScope(mode="all")
    raise invalid("body: say where to search: a scope, siteSpaceIds, a siteSpaceId, or mode all")


def _by_default(view: SiteView, scope: DefaultScope, rows: Mapping[str, Row]) -> list[str]:
    """Return the site spaces of a search that names none, or the one that its reader is in."""
    current = scope.current_site_space
    if current is None:
        if scope.restrict_to is not None:
            raise invalid("body.scope: restrictTo takes a currentSiteSpace")
        return list(view.openings.values())
    here = rows[current]["shown_section"] if current in rows else None
    others = [key for section, key in view.openings.items() if section != here]
    if scope.restrict_to is None:
        return [current, *others]
    return [current] if scope.restrict_to == "currentSiteSpace" else others


def _fit(score: float) -> float:
    """Return a score that is higher the better a page fits, above 1 where its title has the words.

    The index scores the other way round, and without bounds.
    """
    in_title = score < BELOW_TITLES
    weight = max(0.0, -score if in_title else 2 * BELOW_TITLES - score)
    return in_title + weight / (1 + weight)


def _space(call: Call, row: Row, wanted: Query) -> OrganizationSearchItem:
    found, values = found_pages(wanted, space_id=row["id"])
    hits = call.tx.all(f"{found} ORDER BY score, id LIMIT ?", *values, _PAGES)
    return OrganizationSearchItem(
        type="space",
        id=row["id"],
        title=row["title"],
        score=_fit(row["score"]),
        pages=[_found_page(call, hit, rank, wanted) for rank, hit in enumerate(hits, 1)],
    )


_EXCERPT = 160
"""About how many characters of a section are quoted."""

_NOT_SAID = re.compile(r"!?\[([^\]]*)\]\([^)]*\)|[*`]+|<[^<>]*>")
"""Markup of Markdown, which excerpts leave out."""


def _found_page(call: Call, hit: Row, rank: int, query: Query) -> SpaceSearchItem:
    """Return a page that was found with the sections that hold a word.

    Those are not ranked, and have the score of the page.
    """
    score = _fit(hit["score"])
    row = call.tx.row("search_page", hit["id"])
    data = content.versions(call.tx, (row["version"],))[row["version"]]
    location = call.url("spaces", row["space_id"], "content", "page", row["page_id"])
    # Pages of a search are of one space, or of the few that were found.
    screen = space_screen(call, space_row(call, row["space_id"]))
    screen = page_screen(screen, row["path"])
    urls = ShownUrls(location=location, app=screen)
    # Signs are no part of a word: `web*` and `"web"` are found where `web` is.
    words = [part for word in query.all for part in WORD.findall(fold(word)) or [fold(word)]]
    sections: list[SearchSection] = []
    taken: dict[str, int] = {}
    for section in _sections(content.text(call.tx, data.text)):
        title, name = named(section.title)
        slug = slugify(title) if title else ""
        taken[slug] = taken.get(slug, -1) + 1
        anchor = name or (f"{slug}-{taken[slug]}" if taken[slug] else slug)
        here = fold(f"{title}\n{section.body}")
        if any(word in here for word in words):
            sections.append(
                SearchSection(
                    id=f"{data.id}#{anchor}" if anchor else data.id,
                    title=title or data.title,
                    path=f"{row['path']}#{anchor}" if anchor else row["path"],
                    score=score,
                    result_type="section",
                    body=_excerpt(section.body, words),
                    urls=ShownUrls(location=location, app=f"{screen}#{quote(anchor)}")
                    if anchor
                    else urls,
                )
            )
    return SpaceSearchItem(
        id=data.id,
        title=data.title,
        description=data.description or "",
        path=row["path"],
        score=score,
        rank=rank,
        result_type="page",
        sections=sections,
        ancestors=[SearchAncestor(title=title) for title in json.loads(row["ancestors"])],
        urls=urls,
    )


@dataclass(frozen=True)
class _Section:
    title: str
    body: str


def _sections(text: str) -> list[_Section]:
    """Return a text cut at its headings; what comes before the first has no title."""
    cut = BlockText(text)
    found: list[_Section] = []
    title, at = "", 0
    for block in cut.blocks:
        if block.kind == "heading":
            found.append(_Section(title, text[at : cut.span(block.first)[0]].strip()))
            title, at = cut.heading(block), cut.span(block.stop - 1)[1]
    found.append(_Section(title, text[at:].strip()))
    return [section for section in found if section.title or section.body]


def _excerpt(body: str, words: list[str]) -> str:
    """Return some of a text around the first word that it holds, cut between words, on one line."""
    # Only what is near is worth cleaning: a page may be long.
    found = (at for word in words if (at := fold(body).find(word)) >= 0)
    near = max(0, min(found, default=0) - 4 * _EXCERPT)
    flat = " ".join(_NOT_SAID.sub(r"\1", body[near : near + 12 * _EXCERPT]).split())
    plain = fold(flat)
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
