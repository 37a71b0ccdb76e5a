"""The entries of a site as resources: groups with their members, and external links."""

from __future__ import annotations

from functools import cached_property
from typing import Any

from copydesk.contract.models.site_section import SiteSection
from copydesk.contract.models.site_structure import (
    SiteExternalLink,
    SiteSectionGroup,
    SiteStructure,
)
from copydesk.server.implementation import Call
from copydesk.server.queries.site import SiteView
from copydesk.server.site_entries import Entries
from copydesk.server.site_structure import sections_of
from copydesk.server.store import Row, columns, from_json


def find_group(call: Call, site: Row, group_id: str) -> Row:
    """Return a group of a site, or raise a 404."""
    return call.find("section group", "section_group", group_id, site_id=site["id"])


def find_link(call: Call, site: Row, link_id: str) -> Row:
    """Return a link of a site, or raise a 404."""
    return call.find("external link", "site_link", link_id, site_id=site["id"])


def link_model(row: Row) -> SiteExternalLink:
    """Return the link of a row of ``site_link``."""
    return SiteExternalLink.model_validate(
        {
            **columns(row, "id", "title", "description", "icon", "url"),
            "localized_title": from_json(row["localized_title"]),
            "localized_description": from_json(row["localized_description"]),
            "section_group": row["group_id"],
            "draft": bool(row["draft"]),
            "condition": row["condition"],
        }
    )


class SiteTree:
    """The entries of a site as one caller sees them; readers get no drafts and nothing empty."""

    def __init__(self, view: SiteView) -> None:
        self._view = view
        self._tx = view.call.tx

    def model(self) -> SiteStructure:
        """Return the whole structure."""
        if self._view.site["default_section_id"] is None and (
            not self._below or self._view.rows(None)
        ):
            shown = [self._view.site_space(row) for row in self._view.rows(None)]
            return SiteStructure(type="siteSpaces", structure=shown)
        return SiteStructure(type="sections", structure=self._inside(None))

    def group(self, row: Row) -> SiteSectionGroup:
        """Return the group of a row of ``section_group`` with its members."""
        children = self._inside(row["id"])
        return SiteSectionGroup.model_validate(
            {
                **columns(row, "id", "title", "icon"),
                "localized_title": from_json(row["localized_title"]),
                "sections": [each for each in children if isinstance(each, SiteSection)],
                "section_group": row["parent_id"],
                "draft": bool(row["draft"]),
                "children": children,
            }
        )

    @cached_property
    def _below(self) -> dict[str | None, list[str]]:
        found: dict[str | None, list[str]] = {}
        for entry in Entries(self._tx, self._view.site["id"]).all.values():
            found.setdefault(entry.parent, []).append(entry.id)
        return found

    @cached_property
    def _sections(self) -> dict[str, Row]:
        rows = sections_of(self._view.site["id"]).rows(self._tx)
        self._view.prepare_sections(rows)
        return {row["id"]: row for row in rows}

    @cached_property
    def _groups(self) -> dict[str, Row]:
        return self._rows("section_group")

    @cached_property
    def _links(self) -> dict[str, Row]:
        return self._rows("site_link")

    def _rows(self, table: str) -> dict[str, Row]:
        rows = self._tx.all(
            f"SELECT * FROM {table} WHERE site_id = ?",  # noqa: S608 - a table of ours
            self._view.site["id"],
        )
        return {row["id"]: row for row in rows}

    def _inside(self, group: str | None) -> list[Any]:
        found: list[Any] = []
        reading = self._view.reading
        for key in self._below.get(group, ()):
            if (row := self._sections.get(key)) is not None:
                section = self._view.section(row)
                if section.site_spaces or not reading:
                    found.append(section)
            elif (row := self._groups.get(key)) is not None:
                if reading and row["draft"]:
                    continue
                inner = self.group(row)
                if inner.children or not reading:
                    found.append(inner)
            elif not (reading and self._links[key]["draft"]):
                found.append(link_model(self._links[key]))
        return found
