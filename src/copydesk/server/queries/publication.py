"""Where readers find what sites publish: addresses of sites, sections and spaces.

What a published site shows is read by its audience, members of the organization or not: by anyone
(public, unlisted), by whoever has the key of an active share link (share-link), or by people of the
organization, whom the desk knows by their token (visitor-auth).
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from functools import cached_property
from typing import Final
from urllib.parse import quote

from copydesk.domain.late_dataclass import dataclass
from copydesk.server.implementation import Call
from copydesk.server.store import Row

SHOWN = """(
    SELECT space.*, v.id AS shown_id, v.site_id AS shown_site, v.section_id AS shown_section,
        v.position AS shown_position, v.path AS shown_path, v.title AS shown_title,
        v.condition AS shown_condition, v.hidden AS shown_hidden, v.draft AS shown_draft,
        coalesce(section.position, 0) AS section_position,
        coalesce(v.section_id, '') AS section_key,
        coalesce(v.id = CASE WHEN v.section_id IS NULL THEN site.default_site_space_id
            ELSE section.default_site_space_id END, 0) AS shown_default
    FROM site_space v JOIN space ON space.id = v.space_id JOIN site ON site.id = v.site_id
    LEFT JOIN site_section section ON section.id = v.section_id)"""
"""What stands after FROM to read spaces together with how sites show them."""

SHOWN_KEYS = ("section_position", "section_key", "shown_position", "shown_id")
"""The order of a site's spaces: section by section."""

_SHOWING: Final = ("site", "site_section", "site_space", "space")
"""The tables that say what sites show."""

_NEVER: Final = "9999"
"""Later than every time."""

_OPENNESS: Final = ("public", "unlisted", "share-link", "visitor-auth")
"""The audiences of sites, the widest first."""


def site_address(site: Row) -> str | None:
    """Return the address that readers use, None when the site is not published or has no host."""
    if not site["published"]:
        return None
    if site["proxy"]:
        return f"https://{site['proxy']}"
    return own_address(site)


def own_address(site: Row) -> str | None:
    """Return the address that a site has without a proxy before it, None when it has no host."""
    if site["hostname"] is None:
        return None
    base = f"https://{site['hostname']}"
    return base if site["basename"] is None else f"{base}/{quote(site['basename'], safe='')}"


@dataclass
class SiteAddresses:
    """Where one site's readers find it and what it shows.

    ``share_key`` is the key of an active share link: it opens the addresses of a share-link site.
    """

    call: Call
    site: Row
    share_key: str | None = None

    @cached_property
    def address(self) -> str | None:
        """Where this site's readers find it, None when nothing would be found there."""
        base = site_address(self.site)
        if base is None or self.site["visibility"] != "share-link":
            return base
        return None if self.share_key is None else f"{base}/{quote(self.share_key, safe='')}"

    @cached_property
    def openings(self) -> dict[str | None, str]:
        """The site space that readers get first in each section, the first section leading.

        Sections, or the root (None), that show them nothing are not in it.
        """
        return self.first_shown(_NEVER)

    def first_shown(self, deleted_until: str) -> dict[str | None, str]:
        """Return the default of each section, or the next in order where that is deleted.

        What was deleted after ``deleted_until`` still counts as shown; a draft does not.
        """
        found: dict[str | None, str] = {}
        for shown_id, section, default, deleted_at, draft in self.call.tx.kept(
            ("shown by", self.site["id"]), self._in_order, _SHOWING
        ):
            if draft or (deleted_at is not None and deleted_at <= deleted_until):
                continue
            if default or section not in found:
                found[section] = shown_id
        return found

    @cached_property
    def shown(self) -> list[Row]:
        """The rows of ``SHOWN`` of this site that are not in the trash."""
        return self.call.tx.all(
            f"SELECT * FROM {SHOWN} WHERE shown_site = ? AND deleted_at IS NULL",  # noqa: S608 - ours
            self.site["id"],
        )

    def _in_order(self) -> list[Row]:
        """Read what the site shows in order: site space, section, default, when deleted, draft."""
        return self.call.tx.all(
            "SELECT shown_id, shown_section, shown_default, deleted_at, shown_draft "  # noqa: S608 - ours
            f"FROM {SHOWN} WHERE shown_site = ? ORDER BY {', '.join(SHOWN_KEYS)}",
            self.site["id"],
        )

    @property
    def opening_section(self) -> str | None:
        """The section that readers get first, None for a site without sections."""
        default: str | None = self.site["default_section_id"]
        return default if default in self.openings else next(iter(self.openings), None)

    @cached_property
    def _section_paths(self) -> dict[str, str]:
        rows = self.call.tx.all(
            "SELECT id, path FROM site_section WHERE site_id = ?", self.site["id"]
        )
        return {row["id"]: row["path"] for row in rows}

    def section_address(self, section_id: str) -> str | None:
        """Return where this site's readers find a section, None when it shows them nothing."""
        if self.address is None or section_id not in self.openings:
            return None
        # The section that the site opens with is its first page: its path is not in the address.
        if section_id == self.opening_section:
            return self.address
        return f"{self.address}/{quote(self._section_paths[section_id], safe='')}"

    def address_of(self, row: Row) -> str | None:
        """Return where this site's readers find the space of a row of ``SHOWN``."""
        section, path = row["shown_section"], row["shown_path"]
        above = self.address if section is None else self.section_address(section)
        if above is None or row["deleted_at"] is not None or row["shown_draft"]:
            return None
        if self.is_opening(row):
            return above
        if section == self.opening_section and path in self._section_paths.values():
            # Another section has this address, so this one is found below the path of its own.
            above = f"{above}/{quote(self._section_paths[section], safe='')}"
        return f"{above}/{quote(path, safe='')}"

    def is_opening(self, row: Row) -> bool:
        """Say whether readers get the space of a row of ``SHOWN`` first in its section."""
        return bool(self.openings.get(row["shown_section"]) == row["shown_id"])


def opens(call: Call, site: Row, share_key: str) -> bool:
    """Say whether a key is that of an active share link of a site."""
    active: int | None = call.tx.value(
        "SELECT active FROM share_link WHERE site_id = ? AND key = ?", site["id"], share_key
    )
    return bool(active)


def opens_space(call: Call, space_id: str, share_key: str) -> bool:
    """Say whether a key is that of an active share link of a site that shows a space."""
    found: int | None = call.tx.value(
        "SELECT 1 FROM share_link JOIN site_space ON site_space.site_id = share_link.site_id "
        "WHERE space_id = ? AND key = ? AND active",
        space_id,
        share_key,
    )
    return found is not None


def reads(call: Call, site: Row, share_key: str | None) -> bool:
    """Say whether the caller belongs to the audience of a published site.

    The API takes no visitor's own token, so whom a site of visitor-auth lets in is known of the
    people of its organization only.
    """
    if not site["published"]:
        return False
    if site["visibility"] == "share-link":
        return share_key is not None and opens(call, site, share_key)
    return (
        site["visibility"] != "visitor-auth" or site["organization_id"] in call.access.memberships
    )


@dataclass(frozen=True)
class Publication:
    """What published sites make of a space.

    ``visibility`` is that of the site with the widest audience, None when none shows the space.
    ``address`` is where the caller can read it; ``readable`` says that they are of an audience.
    """

    visibility: str | None = None
    address: str | None = None
    readable: bool = False


def publication_of(call: Call, space_id: str) -> Publication:
    """Return what published sites make of a space, as it was remembered or as it is."""
    known: Publication | None = call.remembered.get(("publication", space_id))
    if known is None:
        remember_publications(call, (space_id,))
        known = call.remembered["publication", space_id]
    return known


def remember_publications(
    call: Call, space_ids: Iterable[str], share_key: str | None = None
) -> None:
    """Find out for some spaces at once what published sites make of them, for this call.

    ``share_key`` opens share-link sites; one that opens nothing changes nothing.
    """
    wanted = list(space_ids)
    remembered = call.remembered
    remembered.update({("publication", space_id): Publication() for space_id in wanted})
    rows = call.tx.all(
        "SELECT id, deleted_at, shown_id, shown_site, shown_section, shown_path, shown_draft "  # noqa: S608 - ours
        f"FROM {SHOWN} WHERE id IN (SELECT value FROM json_each(?)) AND deleted_at IS NULL "
        f"AND NOT shown_draft ORDER BY shown_site, {', '.join(SHOWN_KEYS)}",
        json.dumps(wanted),
    )
    sites: dict[str, tuple[SiteAddresses, bool]] = {}
    counted: set[tuple[str, str]] = set()
    for row in rows:
        site_id = row["shown_site"]
        if site_id not in sites:
            site = call.tx.row("site", site_id)
            key = share_key if share_key is not None and opens(call, site, share_key) else None
            sites[site_id] = SiteAddresses(call, site, key), reads(call, site, key)
        shown_by, readable = sites[site_id]
        if not shown_by.site["published"]:
            continue
        before: Publication = remembered["publication", row["id"]]
        if before.address is not None and (row["id"], site_id) in counted:
            continue  # a site that shows a space a thousand times says nothing new of it
        counted.add((row["id"], site_id))
        audiences = {before.visibility, shown_by.site["visibility"]}
        remembered["publication", row["id"]] = Publication(
            next(audience for audience in _OPENNESS if audience in audiences),
            before.address or shown_by.address_of(row),
            before.readable or readable,
        )
