"""Sites as resources: who sees what of a site.

A caller who cannot see a space does not see that a site shows it either: it is missing from lists
and counts, and its site space answers 404. Of a published site, its audience sees everything.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import field
from functools import cached_property
from typing import Any
from urllib.parse import quote

from copydesk.contract.models.base import SomeUrls
from copydesk.contract.models.share_link import ShareLink
from copydesk.contract.models.site import Site, SiteUrls
from copydesk.contract.models.site_section import SiteSection
from copydesk.contract.models.site_space import SiteSpace
from copydesk.contract.models.space import Space
from copydesk.domain.address import PATH_RULE, is_path_part
from copydesk.domain.late_dataclass import dataclass
from copydesk.server.access import SITE_PERMISSIONS, permissions
from copydesk.server.errors import conflict, invalid, not_found, or_not_found
from copydesk.server.implementation import Call
from copydesk.server.pagination import Conditions
from copydesk.server.queries.publication import (
    SHOWN,
    SiteAddresses,
    opens,
    own_address,
    reads,
    remember_publications,
    site_address,
)
from copydesk.server.queries.space import published_space_model, space_model, trash_limit
from copydesk.server.site_structure import Siblings, site_spaces_of
from copydesk.server.store import Row, Value, columns, from_json

ADAPTIVE_CONTENT = "sites-adaptive-content"
"""The id of the feature that a site with adaptive content uses."""

_ADVANCED = ("premium", "ultimate")


def find_section(call: Call, site: Row, section_id: str) -> Row:
    """Return a section of a site, or raise a 404."""
    return call.find("site section", "site_section", section_id, site_id=site["id"])


def find_share_link(call: Call, site: Row, share_link_id: str) -> Row:
    """Return a share link of a site, or raise a 404."""
    return call.find("share link", "share_link", share_link_id, site_id=site["id"])


@dataclass
class SiteView(SiteAddresses):
    """One site as one caller sees it.

    ``reading`` shows it as its readers get it: the published parts, without those in the trash; the
    next in order then stands in for a default that they cannot get.
    """

    reading: bool = False
    _known: dict[str, list[Row]] = field(default_factory=dict)
    """What sections show that were read at once, by section."""
    _spaces: dict[str, Space] = field(default_factory=dict)
    """What was made of spaces so far: a site may show one in many places."""

    @property
    def outside(self) -> bool:
        """Whether the caller is a reader only, and not of the organization."""
        return self.site["organization_id"] not in self.call.access.memberships

    @cached_property
    def unseen(self) -> frozenset[str]:
        """The ids of the spaces that the site shows and the caller may not see."""
        if self.call.access.role(self.site["organization_id"]) == "admin":
            return frozenset()
        if reads(self.call, self.site, self.share_key):
            return frozenset()
        rows = self.call.tx.all(
            "SELECT id, organization_id, parent_id, default_level FROM space WHERE id IN "
            "(SELECT space_id FROM site_space WHERE site_id = ?)",
            self.site["id"],
        )
        return frozenset(row["id"] for row in rows if self.call.access.level(row) is None)

    @property
    def seen(self) -> Conditions:
        """Conditions on ``SHOWN``: this site's spaces that the caller may see."""
        which = Conditions("shown_site = ?", self.site["id"])
        if self.unseen:
            which.also(
                "id NOT IN (SELECT value FROM json_each(?))", json.dumps(sorted(self.unseen))
            )
        if self.reading:
            which.also("deleted_at IS NULL AND NOT shown_draft")
        else:
            # What is gone for good may still be there until something is written.
            which.also("deleted_at IS NULL OR deleted_at > ?", trash_limit(self.call.tx))
        return which

    def seen_rows(self, where: str, *values: Value) -> list[Row]:
        """Return the rows of ``SHOWN`` that the caller may see; ``where`` may end in an order."""
        seen = self.seen
        statement = seen.after(f"SELECT * FROM {SHOWN} WHERE 1", f" AND {where}")  # noqa: S608 - ours
        return self.call.tx.all(statement, *seen.values, *values)

    @cached_property
    def defaults(self) -> dict[str | None, str]:
        """The default site space of each section, or of the root, as the caller is shown it."""
        if self.reading:
            return self.openings
        return self.first_shown(trash_limit(self.call.tx))

    def prepare(self, rows: Sequence[Row]) -> None:
        """Find out at once what published sites make of the spaces of some rows of ``SHOWN``."""
        remember_publications(self.call, (row["id"] for row in rows), self.share_key)

    def prepare_sections(self, sections: Sequence[Row]) -> None:
        """Read at once what some rows of ``site_section`` show."""
        known: dict[str, list[Row]] = {row["id"]: [] for row in sections}
        rows = self.seen_rows(
            "shown_section IN (SELECT value FROM json_each(?)) ORDER BY shown_position, shown_id",
            json.dumps(list(known)),
        )
        for row in rows:
            known[row["shown_section"]].append(row)
        self.prepare(rows)
        self._known.update(known)

    def rows(self, section_id: str | None) -> list[Row]:
        """Return what a section, or the root, shows in order."""
        if section_id in self._known:
            return self._known[section_id]
        rows = self.seen_rows("shown_section IS ? ORDER BY shown_position, shown_id", section_id)
        self.prepare(rows)
        return rows

    def lookup(self, site_space_id: str) -> Row | None:
        """Return a site space with its space (a row of ``SHOWN``) if the caller may see it."""
        return next(iter(self.seen_rows("shown_id = ?", site_space_id)), None)

    def find_site_space(self, site_space_id: str) -> Row:
        """Return what ``lookup`` returns, or raise a 404."""
        return or_not_found(self.lookup(site_space_id), "site space", site_space_id)

    def move_beside(self, row: Row, beside: Row, *, after: bool) -> None:
        """Move a site space next to another of its section (rows of ``SHOWN``), or raise a 400."""
        if beside["shown_section"] != row["shown_section"]:
            raise invalid("body.position: that site space is in another section")
        siblings = site_spaces_of(self.site["id"], row["shown_section"])
        position = siblings.beside(self.call.tx, beside["shown_id"], row["shown_id"], after=after)
        self.call.tx.update("site_space", row["shown_id"], position=position)

    def site_space_by_id(self, site_space_id: str) -> SiteSpace:
        """Return the site space with an id, or raise a 404."""
        return self.site_space(self.find_site_space(site_space_id))

    def site_space(self, row: Row) -> SiteSpace:
        """Return the site space of a row of ``SHOWN``."""
        return SiteSpace.model_validate(
            {
                "id": row["shown_id"],
                "path": row["shown_path"],
                "section": row["shown_section"],
                "space": self._space(row),
                "title": row["shown_title"] or row["title"],
                "default": self.defaults.get(row["shown_section"]) == row["shown_id"],
                "draft": bool(row["shown_draft"]),
                "condition": row["shown_condition"],
                "has_advanced_customization_feature": self.site["type"] in _ADVANCED,
                "urls": SomeUrls(published=self.address_of(row)),
                "hidden": bool(row["shown_hidden"]),
            }
        )

    def section(self, row: Row) -> SiteSection:
        """Return the section of a row of ``site_section`` with what it shows."""
        default = self.opening_section if self.reading else self.site["default_section_id"]
        return SiteSection.model_validate(
            {
                **columns(row, "id", "title", "description", "path", "condition", "icon"),
                "default": row["id"] == default,
                "section_group": row["group_id"],
                "site_spaces": [self.site_space(r) for r in self.rows(row["id"])],
                "urls": SomeUrls(published=self.section_address(row["id"])),
            }
        )

    def model(self) -> Site:
        """Return the site itself."""
        site, call = self.site, self.call
        screen = call.app_url("o", site["organization_id"], "sites", site["id"])
        icon = from_json(site["icon"])
        if isinstance(icon, str):
            icon = {"icon": icon}
        fields: dict[str, Any] = {
            **columns(site, "id", "type", "title", "hostname", "basename", "visibility"),
            **columns(site, "created_at", "agents_context"),
            "applied_type": site["type"],
            "icon": icon,
            "proxy": self._proxy(),
            "default_level": "inherit",
            "permissions": permissions(SITE_PERMISSIONS, call.access.site_level(site))
            | dict.fromkeys(("view", "access", "viewAdaptiveSchema"), not self.outside),
            "published": bool(site["published"]),
            "site_spaces": call.tx.value(
                "SELECT count(*) FROM site_space JOIN space ON space.id = space_id "
                "WHERE site_id = ? AND space_id NOT IN (SELECT value FROM json_each(?)) "
                "AND (deleted_at IS NULL OR deleted_at > ?) AND NOT (site_space.draft AND ?)",
                site["id"],
                json.dumps(sorted(self.unseen)),
                call.tx.now if self.reading else trash_limit(call.tx),
                self.reading,
            ),
            "adaptive_content": {"enabled": bool(site["adaptive_content"])},
            "ads": from_json(site["ads"]),
            "features": [{"id": ADAPTIVE_CONTENT, "plan": site["type"], "frozen": False}]
            if site["adaptive_content"]
            else [],
            "urls": SiteUrls(
                location=self._read_at() if self.outside else self._location(),
                app=screen,
                published=self.address,
                preview=screen,
            ),
        }
        return Site.model_validate(fields)

    def _space(self, row: Row) -> Space:
        made = self._spaces.get(row["id"])
        if made is None:
            outside = self.call.access.level(row) is None
            made = self._spaces[row["id"]] = (
                published_space_model(self.call, row, self.share_key)
                if outside
                else space_model(self.call, row)
            )
        return made

    def _proxy(self) -> dict[str, str | None] | None:
        if self.site["proxy"] is None:
            return None
        target = own_address(self.site) or self._location("published")
        return {"origin": self.site["proxy"], "target": target}

    def _read_at(self) -> str:
        key = "" if self.share_key is None else f"?shareKey={quote(self.share_key, safe='')}"
        return self._location("published") + key

    def _location(self, *parts: str) -> str:
        organization = self.site["organization_id"]
        return self.call.url("orgs", organization, "sites", self.site["id"], *parts)


def site_view(
    call: Call,
    organization_id: str,
    site_id: str,
    permission: str = "view",
    *,
    share_key: str | None = None,
) -> SiteView:
    """Return a site as the caller sees it.

    Raises as ``Access.site`` does, and a 404 for a key that opens nothing.
    """
    site = call.access.site(organization_id, site_id, permission)
    if share_key is not None and not opens(call, site, share_key):
        raise not_found("active share link with the key", share_key)
    return SiteView(call, site, share_key)


def site_to_read(call: Call, organization_id: str, site_id: str, share_key: str | None) -> SiteView:
    """Return a site as the caller sees it, who may be of a published one's audience only.

    Raises as ``site_view`` does for everyone else.
    """
    site = call.tx.get("site", id=site_id, organization_id=organization_id)
    if (
        site is None
        or organization_id in call.access.memberships
        or not reads(call, site, share_key)
        or not (share_key is None or opens(call, site, share_key))
    ):
        return site_view(call, organization_id, site_id, share_key=share_key)
    return SiteView(call, site, share_key, reading=True)


def fresh(view: SiteView) -> SiteView:
    """Return the same view after the site has been changed."""
    return SiteView(view.call, view.call.tx.row("site", view.site["id"]), view.share_key)


def share_link_model(call: Call, site: Row, row: Row) -> ShareLink:
    """Return a share link; its address is there while it opens the site.

    A site without a host is read through the desk itself, where the key goes into the query.
    """
    works = row["active"] and site["published"] and site["visibility"] == "share-link"
    address = site_address(site)
    if address is None:
        desk = call.url("orgs", site["organization_id"], "sites", site["id"], "published")
        key = f"{desk}?shareKey={quote(row['key'], safe='')}"
    else:
        key = f"{address}/{quote(row['key'], safe='')}"
    return ShareLink.model_validate(
        {
            **columns(row, "id", "created_at", "name"),
            "active": bool(row["active"]),
            "urls": SomeUrls(published=key if works else None),
        }
    )


def space_to_show(call: Call, site: Row, space_id: str) -> Row:
    """Return a space that the caller may put on a site.

    Raises a 404 when they cannot see it, a 400 when it belongs to another organization.
    """
    space = call.access.space(space_id)
    if space["organization_id"] != site["organization_id"]:
        raise invalid(
            f"body: the space {space['title']!r} belongs to another organization than the site"
        )
    return space


def refuse_twice(call: Call, siblings: Siblings, space: Row) -> None:
    """Raise a 409 when a space is shown side by side with itself."""
    if any(row["space_id"] == space["id"] for row in siblings.rows(call.tx)):
        raise conflict(f"The space {space['title']!r} is shown there already.")


def check_default(row: Row) -> None:
    """Raise a 409 when readers would land on a hidden site space (a row of ``SHOWN``)."""
    if row["shown_hidden"]:
        raise conflict("This site space is hidden, and readers land on the default: show it first.")
    if row["shown_draft"]:
        raise conflict("This site space is a draft, and readers land on the default.")


def check_path(call: Call, siblings: Siblings, path: str, own_id: str) -> None:
    """Raise a 400 when a path cannot be part of an address, or a sibling has it."""
    if not is_path_part(path):
        raise invalid(f"body.path: {PATH_RULE}")
    if siblings.has_path(call.tx, path, except_id=own_id):
        raise invalid(f"body.path: {path!r} is the path of another one beside it; choose another")


def check_basename(basename: str) -> None:
    """Raise a 400 when a base name cannot be part of an address."""
    if not is_path_part(basename):
        raise invalid(f"body.basename: {PATH_RULE}")
