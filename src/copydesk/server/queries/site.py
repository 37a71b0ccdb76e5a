"""Sites as resources: who sees what of a site, and where its readers find it.

A caller who cannot see a space does not see that a site shows it either: it is missing from lists
and counts, and its site space answers 404.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import cached_property
from typing import Any
from urllib.parse import quote

from copydesk.contract.models.parts import Urls
from copydesk.contract.models.share_link import ShareLink
from copydesk.contract.models.site import Site
from copydesk.contract.models.site_section import SiteSection
from copydesk.contract.models.site_space import SiteSpace
from copydesk.server.errors import conflict, invalid, not_found
from copydesk.server.implementation import Call
from copydesk.server.queries.space import space_model
from copydesk.server.site_structure import Siblings
from copydesk.server.store import Row

SHOWN = """(
    SELECT space.*, v.id AS shown_id, v.site_id AS shown_site, v.section_id AS shown_section,
        v.position AS shown_position, v.path AS shown_path, v.title AS shown_title,
        v.condition AS shown_condition, v.hidden AS shown_hidden,
        coalesce(section.position, 0) AS section_position,
        coalesce(v.section_id, '') AS section_key,
        coalesce(v.id = CASE WHEN v.section_id IS NULL THEN site.default_site_space_id
            ELSE section.default_site_space_id END, 0) AS shown_default
    FROM site_space v JOIN space ON space.id = v.space_id JOIN site ON site.id = v.site_id
    LEFT JOIN site_section section ON section.id = v.section_id)"""
"""What stands after FROM to read spaces together with how sites show them."""

SHOWN_KEYS = ("section_position", "section_key", "shown_position", "shown_id")
"""The order of a site's spaces: section by section."""

ADAPTIVE_CONTENT = "sites-adaptive-content"
"""The id of the feature that a site with adaptive content uses (platform-api.md, Site)."""

_ADVANCED = ("premium", "ultimate")
_PATH = re.compile(r"\w[\w.~-]*")
_PATH_RULE = "only letters, digits, '-', '_', '.' and '~', with a letter, digit or '_' first"


def find_site(call: Call, organization_id: str, site_id: str, permission: str = "view") -> Row:
    """Return a site of an organization in which the caller has the permission.

    Raises a 404 when there is none that they may see, a 403 when they lack the permission.
    """
    call.access.organization(organization_id, permission)
    row = call.tx.one(
        "SELECT * FROM site WHERE id = ? AND organization_id = ?", site_id, organization_id
    )
    if row is None:
        raise not_found("site", site_id)
    return row


def find_section(call: Call, site: Row, section_id: str) -> Row:
    """Return a section of a site, or raise a 404."""
    row = call.tx.one(
        "SELECT * FROM site_section WHERE id = ? AND site_id = ?", section_id, site["id"]
    )
    if row is None:
        raise not_found("site section", section_id)
    return row


def find_share_link(call: Call, site: Row, share_link_id: str) -> Row:
    """Return a share link of a site, or raise a 404."""
    row = call.tx.one(
        "SELECT * FROM share_link WHERE id = ? AND site_id = ?", share_link_id, site["id"]
    )
    if row is None:
        raise not_found("share link", share_link_id)
    return row


def site_address(site: Row) -> str | None:
    """Return the address that readers use, None when the site is not published or has no host."""
    if not site["published"]:
        return None
    if site["proxy"]:
        return f"https://{site['proxy']}"
    return _own_address(site)


def _own_address(site: Row) -> str | None:
    if site["hostname"] is None:
        return None
    base = f"https://{site['hostname']}"
    return base if site["basename"] is None else f"{base}/{quote(site['basename'], safe='')}"


@dataclass
class SiteView:
    """One site as one caller sees it.

    ``share_key`` is the key of an active share link: it opens the URLs of a share-link site.
    ``reading`` leaves out what is in the trash, as the site's readers get it; what is next in order
    then stands in for a default that they cannot get.
    """

    call: Call
    site: Row
    share_key: str | None = None
    reading: bool = False

    @cached_property
    def unseen(self) -> frozenset[str]:
        """The ids of the spaces that the site shows and the caller may not see."""
        if self.call.access.role(self.site["organization_id"]) == "admin":
            return frozenset()
        rows = self.call.tx.all(
            "SELECT id, organization_id, parent_id, default_level FROM space WHERE id IN "
            "(SELECT space_id FROM site_space WHERE site_id = ?)",
            self.site["id"],
        )
        return frozenset(row["id"] for row in rows if self.call.access.level(row) is None)

    @cached_property
    def address(self) -> str | None:
        """Where this site's readers find it, None when nothing would be found there."""
        base = site_address(self.site)
        if base is None or self.site["visibility"] != "share-link":
            return base
        return None if self.share_key is None else f"{base}/{quote(self.share_key, safe='')}"

    @property
    def seen(self) -> tuple[list[str], list[str]]:
        """Conditions on ``SHOWN``, and their values: this site's spaces that the caller may see."""
        conditions, values = ["shown_site = ?"], [self.site["id"]]
        if self.unseen:
            conditions.append("id NOT IN (SELECT value FROM json_each(?))")
            values.append(json.dumps(sorted(self.unseen)))
        return conditions, values

    @cached_property
    def openings(self) -> dict[str | None, str]:
        """The site space that readers get first in each section, the first section leading.

        Sections, or the root (None), that show them nothing are not in it.
        """
        found: dict[str | None, str] = {}
        for row in self.call.tx.all(
            f"SELECT shown_id, shown_section, shown_default FROM {SHOWN} "  # noqa: S608 - ours
            f"WHERE shown_site = ? AND deleted_at IS NULL ORDER BY {', '.join(SHOWN_KEYS)}",
            self.site["id"],
        ):
            if row["shown_default"] or row["shown_section"] not in found:
                found[row["shown_section"]] = row["shown_id"]
        return found

    @property
    def opening_section(self) -> str | None:
        """The section that readers get first, None for a site without sections."""
        default: str | None = self.site["default_section_id"]
        return default if default in self.openings else next(iter(self.openings), None)

    def rows(self, section_id: str | None) -> list[Row]:
        """Return what a section, or the root, shows in order."""
        conditions, values = self.seen
        if self.reading:
            conditions.append("deleted_at IS NULL")
        return self.call.tx.all(
            f"SELECT * FROM {SHOWN} WHERE {' AND '.join(conditions)} "  # noqa: S608 - ours
            "AND shown_section IS ? ORDER BY shown_position, shown_id",
            *values,
            section_id,
        )

    def lookup(self, site_space_id: str) -> Row | None:
        """Return a site space with its space (a row of ``SHOWN``) if the caller may see it."""
        conditions, values = self.seen
        return self.call.tx.one(
            f"SELECT * FROM {SHOWN} WHERE {' AND '.join(conditions)} AND shown_id = ?",  # noqa: S608
            *values,
            site_space_id,
        )

    def find_site_space(self, site_space_id: str) -> Row:
        """Return what ``lookup`` returns, or raise a 404."""
        row = self.lookup(site_space_id)
        if row is None:
            raise not_found("site space", site_space_id)
        return row

    def site_space(self, row: Row) -> SiteSpace:
        """Return the site space of a row of ``SHOWN``."""
        return SiteSpace.model_validate(
            {
                "id": row["shown_id"],
                "path": row["shown_path"],
                "section": row["shown_section"],
                "space": space_model(self.call, row),
                "title": row["shown_title"] or row["title"],
                "default": self._is_opening(row) if self.reading else bool(row["shown_default"]),
                "condition": row["shown_condition"],
                "has_advanced_customization_feature": self.site["type"] in _ADVANCED,
                "urls": Urls(published=self.address_of(row)),
                "hidden": bool(row["shown_hidden"]),
            }
        )

    def section(self, row: Row) -> SiteSection:
        """Return the section of a row of ``site_section`` with what it shows."""
        default = self.opening_section if self.reading else self.site["default_section_id"]
        return SiteSection.model_validate(
            {
                "id": row["id"],
                "title": row["title"],
                "description": row["description"],
                "default": row["id"] == default,
                "path": row["path"],
                "condition": row["condition"],
                "section_group": row["group_id"],
                "site_spaces": [self.site_space(r) for r in self.rows(row["id"])],
                "urls": Urls(published=self._section_address(row["id"])),
                "icon": row["icon"],
            }
        )

    def model(self) -> Site:
        """Return the site itself."""
        site, call = self.site, self.call
        icon = None if site["icon"] is None else json.loads(site["icon"])
        fields: dict[str, Any] = {
            "id": site["id"],
            "type": site["type"],
            "title": site["title"],
            "hostname": site["hostname"],
            "basename": site["basename"],
            "proxy": self._proxy(),
            "visibility": site["visibility"],
            "published": bool(site["published"]),
            "site_spaces": call.tx.value(
                "SELECT count(*) FROM site_space WHERE site_id = ? "
                "AND space_id NOT IN (SELECT value FROM json_each(?))",
                site["id"],
                json.dumps(sorted(self.unseen)),
            ),
            "created_at": site["created_at"],
            "adaptive_content": {"enabled": bool(site["adaptive_content"])},
            "ads": None if site["ads"] is None else json.loads(site["ads"]),
            "agents_context": site["agents_context"],
            "features": [{"id": ADAPTIVE_CONTENT, "plan": site["type"], "frozen": False}]
            if site["adaptive_content"]
            else [],
            "urls": Urls(
                location=call.url("orgs", site["organization_id"], "sites", site["id"]),
                published=self.address,
            ),
        }
        if icon is not None:
            fields["icon"] = icon
        return Site.model_validate(fields)

    def _proxy(self) -> dict[str, str | None] | None:
        if self.site["proxy"] is None:
            return None
        return {"origin": _own_address(self.site), "target": f"https://{self.site['proxy']}"}

    def _is_opening(self, row: Row) -> bool:
        return bool(self.openings.get(row["shown_section"]) == row["shown_id"])

    @cached_property
    def _section_paths(self) -> dict[str, str]:
        rows = self.call.tx.all(
            "SELECT id, path FROM site_section WHERE site_id = ?", self.site["id"]
        )
        return {row["id"]: row["path"] for row in rows}

    def _section_address(self, section_id: str) -> str | None:
        if self.address is None or section_id not in self.openings:
            return None
        # The section that the site opens with is its first page: its path is not in the address.
        if section_id == self.opening_section:
            return self.address
        return f"{self.address}/{quote(self._section_paths[section_id], safe='')}"

    def address_of(self, row: Row) -> str | None:
        """Return where this site's readers find the space of a row of ``SHOWN``."""
        section, path = row["shown_section"], row["shown_path"]
        above = self.address if section is None else self._section_address(section)
        if above is None or row["deleted_at"] is not None:
            return None
        if self._is_opening(row):
            return above
        if section == self.opening_section and path in self._section_paths.values():
            # Another section has this address, so this one is found below the path of its own.
            above = f"{above}/{quote(self._section_paths[section], safe='')}"
        return f"{above}/{quote(path, safe='')}"


def site_view(
    call: Call,
    organization_id: str,
    site_id: str,
    permission: str = "view",
    *,
    share_key: str | None = None,
) -> SiteView:
    """Return a site as the caller sees it.

    Raises as ``find_site`` does, and a 404 for a key that opens nothing.
    """
    site = find_site(call, organization_id, site_id, permission)
    if share_key is not None and not _opens(call, site, share_key):
        raise not_found("active share link with the key", share_key)
    return SiteView(call, site, share_key)


def published_address(call: Call, space: Row, share_key: str | None) -> str | None:
    """Return where readers find a space: on a published site that gives it an address.

    ``share_key`` opens share-link sites; one that opens nothing changes nothing.
    """
    for shown in call.tx.all(
        f"SELECT * FROM {SHOWN} WHERE id = ? AND shown_site IN "  # noqa: S608 - ours
        f"(SELECT id FROM site WHERE published) ORDER BY shown_site, {', '.join(SHOWN_KEYS)}",
        space["id"],
    ):
        site = call.tx.one("SELECT * FROM site WHERE id = ?", shown["shown_site"])
        assert site is not None, "a site space is of a site"
        key = share_key if share_key is not None and _opens(call, site, share_key) else None
        address = SiteView(call, site, key).address_of(shown)
        if address is not None:
            return address
    return None


def _opens(call: Call, site: Row, share_key: str) -> bool:
    """Say whether a key is that of an active share link of a site."""
    active: int | None = call.tx.value(
        "SELECT active FROM share_link WHERE site_id = ? AND key = ?", site["id"], share_key
    )
    return bool(active)


def fresh(view: SiteView) -> SiteView:
    """Return the same view after the site has been changed."""
    site = view.call.tx.one("SELECT * FROM site WHERE id = ?", view.site["id"])
    assert site is not None
    return SiteView(view.call, site, view.share_key)


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
            "id": row["id"],
            "created_at": row["created_at"],
            "name": row["name"],
            "active": bool(row["active"]),
            "urls": Urls(published=key if works else None),
        }
    )


def space_to_show(call: Call, site: Row, space_id: str) -> Row:
    """Return a space that the caller may put on a site.

    Raises a 404 when they cannot see it, a 400 when it belongs to another organization.
    """
    space = call.access.space(space_id)
    if space["organization_id"] != site["organization_id"]:
        raise invalid("body.spaceId: the space belongs to another organization than the site")
    return space


def refuse_twice(call: Call, siblings: Siblings, space: Row) -> None:
    """Raise a 409 when a space is shown side by side with itself."""
    if any(row["space_id"] == space["id"] for row in siblings.rows(call.tx)):
        raise conflict(f"The space {space['title']!r} is shown there already.")


def check_path(call: Call, siblings: Siblings, path: str, own_id: str) -> None:
    """Raise a 400 when a path cannot be part of an address, or a sibling has it."""
    if not _PATH.fullmatch(path):
        raise invalid(f"body.path: {_PATH_RULE}")
    if siblings.has_path(call.tx, path, except_id=own_id):
        raise invalid(f"body.path: {path!r} is the path of another one beside it; choose another")


def check_basename(basename: str) -> None:
    """Raise a 400 when a base name cannot be part of an address."""
    if not _PATH.fullmatch(basename):
        raise invalid(f"body.basename: {_PATH_RULE}")
