"""Redirects as resources, and where they lead.

What a site shows goes before its redirects. Paths are those that the site has once it is published.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cached_property
from typing import Any, TypeAlias
from urllib.parse import quote, unquote

from copydesk.contract.models.redirect import (
    NewRedirectDestination,
    RedirectDestination,
    SiteRedirect,
    ToAddress,
    ToPage,
    ToPath,
    ToSection,
)
from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.redirects import Trace, candidates, landing, path_on, trace
from copydesk.server.errors import Refusal, invalid
from copydesk.server.implementation import Call
from copydesk.server.queries.page import find_page, page_at
from copydesk.server.queries.publication import SiteAddresses, site_address
from copydesk.server.queries.site import SiteView
from copydesk.server.store import Row, Value, columns

Redirect: TypeAlias = Mapping[str, Any]
"""A row of ``site_redirect``, stored or to be stored."""


def find_redirect(call: Call, site: Row, redirect_id: str) -> Redirect:
    """Return a redirect of a site, or raise a 404."""
    row = call.find("redirect", "site_redirect", redirect_id, site_id=site["id"])
    return dict(row)


def redirect_model(row: Redirect | Row) -> SiteRedirect:
    """Return the redirect of a row of ``site_redirect``."""
    return SiteRedirect.model_validate(
        {
            **columns(row, "id", "source", "created_at", "updated_at"),
            "draft": bool(row["draft"]),
            "capture_wildcard": bool(row["capture_wildcard"]),
            "permanent": bool(row["permanent"]),
            "destination": RedirectDestination(
                kind=row["kind"],
                site_section_id=row["section_id"],
                site_space_id=row["site_space_id"],
                page_id=row["page_id"],
                url=row["url"],
            ),
        }
    )


def destination_columns(view: SiteView, to: NewRedirectDestination) -> dict[str, Value]:
    """Return the columns of a destination.

    Raises a 400 where it names nothing that the site has and the caller may see.
    """
    columns: dict[str, Value] = dict.fromkeys(("section_id", "site_space_id", "page_id", "url"))
    columns["kind"] = to.kind
    if isinstance(to, ToAddress):
        return columns | {"url": to.url}
    if isinstance(to, ToSection):
        tx, site_id = view.call.tx, view.site["id"]
        if tx.get("site_section", id=to.site_section_id, site_id=site_id) is None:
            raise invalid("body.destination.siteSectionId: the site has no such section")
        return columns | {"section_id": to.site_section_id}
    if isinstance(to, ToPath):
        shown, page = _at_path(view, to)
        return columns | {"kind": "site-page", "site_space_id": shown, "page_id": page}
    row = view.lookup(to.site_space_id)
    if row is None:
        raise invalid("body.destination.siteSpaceId: the site has no such site space")
    columns["site_space_id"] = to.site_space_id
    if isinstance(to, ToPage):
        try:
            find_page(view.call, row["revision_id"], to.page_id)
        except Refusal:
            raise invalid("body.destination.pageId: the space has no such page") from None
        columns["page_id"] = to.page_id
    return columns


def _at_path(view: SiteView, to: ToPath) -> tuple[str, str]:
    """Return the site space and the page that a path in a space means."""
    rows = view.seen_rows(
        "id = ? ORDER BY shown_default DESC, shown_position, shown_id LIMIT 1", to.space_id
    )
    if not rows:
        raise invalid("body.destination.spaceId: the site does not show this space")
    row = rows[0]
    page = page_at(view.call, row["revision_id"], to.path)
    if page is None:
        raise invalid("body.destination.path: the space has no page at this path")
    return row["shown_id"], page


@dataclass
class RedirectPaths:
    """What the paths of a site lead to, with the redirects that hold."""

    call: Call
    site: Row

    @cached_property
    def _addresses(self) -> SiteAddresses:
        """The addresses of what the site shows, as paths: published or not."""
        found = SiteAddresses(self.call, self.site)
        found.address = ""
        return found

    @cached_property
    def _shown(self) -> list[tuple[str, Row]]:
        """What the site shows by path, the longest path first."""
        placed = ((self._addresses.address_of(row), row) for row in self._addresses.shown)
        found = [(path, row) for path, row in placed if path is not None]
        return sorted(found, key=lambda each: -len(each[0]))

    def shows(self, path: str) -> bool:
        """Say whether the site itself has something at a path."""
        for prefix, row in self._shown:
            if path.rstrip("/") == prefix:
                return True
            below = path.removeprefix(f"{prefix}/")
            if below != path and page_at(self.call, row["revision_id"], unquote(below)) is not None:
                return True
        return False

    def destination(self, row: Redirect) -> str | None:
        """Return the path, or the address elsewhere, that a redirect leads to.

        None where what it leads to is gone.
        """
        if row["url"] is not None:
            url = str(row["url"])
            inside = path_on(url, site_address(self.site))
            return url if inside is None else inside
        if row["section_id"] is not None:
            return _path(self._addresses.section_address(row["section_id"]))
        there = (each for each in self._addresses.shown if each["shown_id"] == row["site_space_id"])
        shown = next(there, None)
        base = None if shown is None else self._addresses.address_of(shown)
        if shown is None or base is None or row["page_id"] is None:
            return _path(base)
        try:
            page = find_page(self.call, shown["revision_id"], row["page_id"])
        except Refusal:
            return None
        return f"{base}/{quote(page.path)}"

    def holding(self, path: str, extra: Redirect | None = None) -> Redirect | None:
        """Return the redirect that holds for a path, ``extra`` in place of its own former self."""
        wanted = list(candidates(path))
        rows = self.call.tx.all(
            "SELECT * FROM site_redirect WHERE site_id = ? AND NOT draft "
            "AND source IN (SELECT value FROM json_each(?))",
            self.site["id"],
            json.dumps(wanted),
        )
        by_source: dict[str, Redirect] = {row["source"]: dict(row) for row in rows}
        if extra is not None:
            by_source = {s: row for s, row in by_source.items() if row["id"] != extra["id"]}
            if extra["source"] in wanted:
                by_source[extra["source"]] = extra
        return next((by_source[source] for source in wanted if source in by_source), None)

    def landing(self, row: Redirect, path: str) -> str | None:
        """Return where a path comes to by the redirect that holds for it; None where to nothing."""
        to = self.destination(row)
        capture = bool(row["capture_wildcard"])
        return None if to is None else landing(row["source"], path, to, capture=capture)

    def follow(self, path: str, extra: Redirect | None = None) -> Trace:
        """Follow a path, as if ``extra`` held already."""

        def step(at: str) -> tuple[str, str | None] | None:
            if not at.startswith("/") or self.shows(at):
                return None
            row = self.holding(at, extra)
            return None if row is None else (row["source"], self.landing(row, at))

        return trace(path, step)


def _path(address: str | None) -> str | None:
    """Return the path of the first page for the empty address of the site itself."""
    return "/" if address == "" else address
