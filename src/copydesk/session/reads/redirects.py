"""Reading the redirects of a site with their faults; resolving a path."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping
from dataclasses import field, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from copydesk.client.errors import ApiError, NotFound, OperationMissing
from copydesk.domain.address import web_address
from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.layout import TOP
from copydesk.domain.redirects import LONGEST, Rule, Rules, path_on, wrong_source
from copydesk.domain.site_tree import SiteNode, Structure
from copydesk.domain.text import clean, exposed
from copydesk.session.operations import ops
from copydesk.session.page_rows import PageRow, page_rows
from copydesk.session.reads.pages import walk
from copydesk.session.reads.sites import read_site
from copydesk.session.site_rows import SiteRow

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.contract.models.redirect import SiteRedirect

MISSING = "This service has no redirects."
"""What is said where it lacks the operations."""

MOST_SPACES = 20
"""Of how many spaces the pages are read, to say where redirects to pages lead."""

SiteIds = tuple[str, str]


@dataclass(frozen=True, slots=True)
class RedirectRow:
    """A redirect, its texts clean. ``to`` is where it leads as a path or an address, to be read.

    ``trouble`` is the fault of it, "" for none. ``body`` is the whole redirect in the names of a
    request, never to be drawn.
    """

    id: str
    source: str
    to: str
    draft: bool
    permanent: bool
    capture: bool
    leads: str | None = ""
    title: str = ""
    trouble: str = ""
    created: datetime | None = None
    updated: datetime | None = None
    body: Mapping[str, Any] = field(default_factory=dict, compare=False, repr=False)

    @property
    def kind(self) -> str:
        """For how long it is meant."""
        return "permanent" if self.permanent else "temporary"

    @property
    def rest(self) -> str:
        """What becomes of the part in place of its ``*``, as a file says it; "" without one."""
        return "" if not self.source.endswith("*") else "keep" if self.capture else "discard"

    @property
    def said(self) -> str:
        """What it is, in a few words: "permanent, the rest kept, a draft"."""
        rest = {"keep": ", the rest kept", "discard": ", the rest left out"}.get(self.rest, "")
        return f"{self.kind}{rest}{', a draft' if self.draft else ''}"


class SitePaths:
    """What a site shows by path, and the pages of its spaces, read when they are needed."""

    def __init__(self, api: Api, site: SiteRow, structure: Structure) -> None:
        self._api = api
        self._pages: dict[str, dict[str, PageRow] | None] = {}
        self._at: dict[str, dict[str, str]] = {}
        """The ids of the pages that were read, by space and path."""
        self.site = site
        self.nodes = structure.nodes
        self.of: dict[str, str] = {}
        """The path of each section and site space, by id."""
        self.shown: dict[str, SiteNode] = {}
        """Sections and site spaces by path; of a section and its first space the section."""
        for node in structure.nodes.values():
            if node.kind in ("section", "site-space"):
                path = self.of[node.id] = self._path(node)
                if not node.trashed:
                    self.shown.setdefault(path, node)

    def _path(self, node: SiteNode) -> str:
        inside = path_on(node.address, self.site.address)
        if inside is not None:
            return inside
        if node.kind == "section" or node.level == TOP:
            return "/" if node.default else f"/{node.path}"
        above = self._path(self.nodes[node.level])
        return above if node.default else f"{above.rstrip('/')}/{node.path}"

    async def pages(self, space: str) -> dict[str, PageRow] | None:
        """Return the pages of a space by id; None where they cannot be read."""
        if space not in self._pages:
            try:
                found = await self._api(ops.list_space_pages, space)
            except ApiError:
                self._pages[space] = None
            else:
                rows = await asyncio.to_thread(page_rows, found.pages)
                self._pages[space] = {row.id: row for row in walk(rows)}
                self._at[space] = {row.path: row.id for row in walk(rows)}
        return self._pages[space]

    async def destination(self, text: str) -> dict[str, str]:
        """Return what a path of the site, or an address, means to a request.

        Raises ``ValueError`` with a sentence for what means nothing, ``ApiError``.
        """
        path = path_on(text, self.site.address)
        if path is None:
            if not (url := web_address(text)):
                raise ValueError(
                    "write a path of the site, as /guides, or an address with https:// or http://"
                )
            return {"kind": "external", "url": url}
        path = path.rstrip("/") or "/"
        node = self.shown.get(path)
        if node is not None and node.kind == "section":
            return {"kind": "site-section", "siteSectionId": node.id}
        if node is not None:
            return {"kind": "site-space", "siteSpaceId": node.id}
        if (found := await self._page_at(path)) is not None:
            return {"kind": "site-page", "siteSpaceId": found[0], "pageId": found[1]}
        if not text.startswith("/"):
            return {"kind": "external", "url": web_address(text)}
        served, also = self._served(path), ""
        if served != path and (title := await self.title(served)):
            also = f": {title} is at {clean(served)}"
        raise ValueError(f"the site shows nothing at {clean(path)}{also}")

    def _served(self, path: str) -> str:
        """Return a path without the names that no address has: those of the first of each level."""
        for node in self.nodes.values():
            above = self.of.get(node.level, "").rstrip("/")
            named = f"{above}/{node.path}"
            if node.default and node.id in self.of and f"{path}/".startswith(f"{named}/"):
                return self._served(f"{above}{path[len(named) :]}" or "/")
        return path

    async def _page_at(self, path: str) -> tuple[str, str] | None:
        """Return the site space and the page that a path is of, the longest way first."""
        spaces = [node for node in self.nodes.values() if node.kind == "site-space"]
        for node in sorted(spaces, key=lambda each: -len(self.of[each.id])):
            base = self.of[node.id].rstrip("/")
            if path.startswith(f"{base}/") and node.space and not node.trashed:
                await self.pages(node.space)
                page = self._at.get(node.space, {}).get(unquote(path[len(base) + 1 :]))
                if page is not None:
                    return node.id, page
        return None

    def titles(self) -> dict[str, str]:
        """Return the titles of the site's parts by path; of its pages, those read so far."""
        found: dict[str, str] = {}
        for part, base in self.of.items():
            if not self.nodes[part].trashed:
                for page in (self._pages.get(self.nodes[part].space) or {}).values():
                    found.setdefault(f"{base.rstrip('/')}/{page.path}", page.title)
        return found | {path: node.title for path, node in self.shown.items()}

    async def title(self, path: str) -> str | None:
        """Return the title of what the site shows at a path, "" for nothing, None: not readable."""
        await self._page_at(path)
        titles = self.titles()
        if title := titles.get(path) or titles.get(unquote(path)):
            return title
        shut = (n for n in self.nodes.values() if self._pages.get(n.space or "", {}) is None)
        return None if any(path.startswith(f"{self.of[n.id].rstrip('/')}/") for n in shut) else ""

    async def leads(self, destination: Mapping[str, Any]) -> tuple[str | None, str]:
        """Return where a destination is ("" where it cannot be told, None if gone); its title."""
        kind = destination.get("kind")
        if kind == "external":
            url = str(destination.get("url") or "")
            inside = path_on(url, self.site.address)
            return clean(url if inside is None else inside), ""
        shown = str(destination.get("siteSectionId") or destination.get("siteSpaceId") or "")
        node = self.nodes.get(shown)
        if kind not in ("site-section", "site-space", "site-page"):
            return "", clean(str(kind))
        if node is None or node.trashed:
            return None, ""
        if kind != "site-page":
            return self.of[shown], node.title
        read = node.space in self._pages or len(self._pages) < MOST_SPACES
        pages = await self.pages(node.space) if read and node.space else None
        if pages is None:
            return "", f"a page of {node.title}"
        page = pages.get(str(destination.get("pageId")))
        if page is None:
            return None, ""
        return f"{self.of[shown].rstrip('/')}/{page.path}", page.title


@dataclass(frozen=True)
class RedirectsRead:
    """The redirects of a site, and why the reader may not change them (empty: may)."""

    site: SiteRow
    rows: tuple[RedirectRow, ...]
    paths: SitePaths
    refused: str = ""
    missing: bool = False
    """Whether the service has no redirects at all."""


async def read_redirects(api: Api, ids: SiteIds, me: str | None) -> RedirectsRead:
    """Return all redirects of a site, active ones and drafts. Raises ``ApiError``."""

    async def listed(draft: bool) -> list[SiteRedirect] | None:
        try:
            return await api.every(ops.list_site_redirects, *ids, draft=draft, order_by="source")
        except OperationMissing:
            return None

    found, *lists = await asyncio.gather(read_site(api, *ids, me), listed(False), listed(True))
    paths = SitePaths(api, found.site, found.structure)
    redirects: dict[str, SiteRedirect] = {}
    for each in lists:
        if each is None:
            return RedirectsRead(found.site, (), paths, found.refused, missing=True)
        for one in each:
            redirects.setdefault(one.id, one)
    rows = [await redirect_row(each, paths) for each in redirects.values()]
    named = await asyncio.to_thread(with_troubles, rows, paths)
    return RedirectsRead(found.site, named, paths, found.refused)


async def redirect_row(redirect: SiteRedirect, paths: SitePaths) -> RedirectRow:
    """Return the row of a redirect."""
    body = redirect.to_dict()
    destination = body.get("destination") or {}
    leads, title = await paths.leads(destination)
    source = clean(exposed(redirect.source))
    return RedirectRow(
        redirect.id,
        source,
        leads or (title or "?" if leads == "" else "(gone)"),
        redirect.draft,
        redirect.permanent,
        redirect.capture_wildcard,
        leads,
        title,
        "",
        redirect.created_at,
        redirect.updated_at,
        {
            "source": redirect.source,
            "draft": redirect.draft,
            "captureWildcard": redirect.capture_wildcard,
            "permanent": redirect.permanent,
            "destination": destination,
        },
    )


def rules_of(rows: Iterable[RedirectRow], paths: SitePaths) -> Rules:
    """Return the redirects that hold, to be followed."""
    rules = {row.source: Rule(row.source, row.leads, row.capture) for row in rows if not row.draft}
    return Rules(rules, paths.titles())


def with_troubles(rows: Iterable[RedirectRow], paths: SitePaths) -> tuple[RedirectRow, ...]:
    """Return the rows by source, each with its faults."""
    rows = sorted(rows, key=lambda row: (row.source, row.draft))
    rules = rules_of(rows, paths)
    return tuple(
        row
        if row.draft
        else replace(row, trouble=rules.trouble(Rule(row.source, row.leads, row.capture)))
        for row in rows
    )


@dataclass(frozen=True, slots=True)
class ServedTrace:
    """Where a path leads as the service finds it: by which redirects, and to what.

    ``title`` is that of what the site shows there, "" where that is elsewhere or cannot be read.
    """

    path: str
    at: str
    sources: tuple[str, ...]
    title: str = ""
    loop: bool = False
    nothing: bool = False
    """Whether the site shows nothing there."""

    @property
    def fails(self) -> bool:
        """Whether a reader comes to nothing, or goes in a circle."""
        return self.loop or self.nothing

    @property
    def said(self) -> str:
        """It as a sentence."""
        if self.loop:
            return f"{self.path} goes in a circle: {' to '.join(self.sources)}."
        shown = f" ({self.title})" if self.title else ""
        shown = ", where the site shows nothing" if self.nothing else shown
        if not self.sources:
            if self.title:
                return f"{self.path} is shown by the site{shown}: no redirect holds there."
            return f"No redirect holds for {self.path}."
        first, *more = self.sources
        way = f": a chain, {' to '.join(self.sources)}" if more else f", by {first}"
        return f"{self.path} leads to {self.at}{shown}{way}."


async def find_way(api: Api, ids: SiteIds, paths: SitePaths, path: str) -> ServedTrace:
    """Return where a path leads. Raises ``ApiError``.

    Raises ``ValueError`` with a sentence for a text that is no path.
    """
    start = at = (path.partition("?")[0].partition("#")[0].rstrip("/")) or "/"
    sources: list[str] = []
    while len(sources) < LONGEST and at != "/" and wrong_source(at) is None:
        try:
            found = await api(ops.get_site_redirect, *ids, source=at)
        except OperationMissing:
            raise
        except NotFound:
            break
        source = clean(found.redirect.source)
        if source in sources:
            return ServedTrace(clean(start), at, (*sources, source), loop=True)
        sources.append(source)
        inside = path_on(found.target, paths.site.address)
        if inside is None:
            return ServedTrace(clean(start), clean(found.target), tuple(sources))
        at = clean(inside).rstrip("/") or "/"
    title = await paths.title(at)
    if not (title or sources) and start != "/" and (why := wrong_source(start)) is not None:
        raise ValueError(f"{clean(start)}: {why}.")
    nothing = not title and (title is not None or not sources)
    return ServedTrace(clean(start), at, tuple(sources), title or "", nothing=nothing)
