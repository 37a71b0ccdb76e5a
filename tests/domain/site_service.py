"""A small model of a service, as far as the structure of one site goes, to apply plans to.

It keeps the rules of the embedded desk (server/site_structure.py and its handlers) without a
database, so that hundreds of random plans take seconds.
"""

from __future__ import annotations

import copy
import re
from typing import Any, Self

from copydesk.contract.models.site_section import SiteSection
from copydesk.contract.models.site_space import SiteSpace
from copydesk.domain.layout import Layout
from copydesk.domain.reversal import JSON, Expectation, Step
from copydesk.domain.site_arrangement import layout_of
from copydesk.domain.site_tree import structure_of
from copydesk.domain.slug import slugify

IDS = ("org", "site")
DAY = "2026-01-01T00:00:00Z"


class RefusedError(Exception):
    """The service would answer with an error."""


class SiteService:
    """The sections and site spaces of one site."""

    def __init__(self) -> None:
        self.sections: list[dict[str, Any]] = []
        self.root: list[dict[str, Any]] = []
        self.default_section: str | None = None
        self.root_default: str | None = None
        self.made = 0
        self.sent: list[str] = []

    def copy(self) -> Self:
        return copy.deepcopy(self)

    def layout(self) -> Layout:
        sections = [SiteSection.model_validate(each) for each in self.read_sections()]
        spaces = [SiteSpace.model_validate(each) for each in self.read_spaces()]
        return layout_of(structure_of(sections, spaces))

    # Making a site

    def section(
        self, name: str, *spaces: str, group: str | None = None, path: str | None = None
    ) -> str:
        """Add a section that shows spaces; each is what the id of its site space ends in."""
        section: dict[str, Any] = {
            "id": f"s-{name}",
            "title": f"Section {name}",
            "path": self._free(self.sections, path or name),
            "group": group,
            "default": None,
            "spaces": [],
        }
        self.sections.append(section)
        self.default_section = self.default_section or section["id"]
        for space in spaces:
            self._put(section, f"{section['id']}-{space}", f"space-{space}")
        return str(section["id"])

    def show(self, *spaces: str) -> None:
        """Show spaces at the root."""
        for space in spaces:
            self._put(None, f"r-{space}", f"space-{space}")

    # Reading

    def read_sections(self) -> list[dict[str, Any]]:
        return [
            {
                "id": each["id"],
                "title": each["title"],
                "path": each["path"],
                "icon": each.get("icon") or None,
                "description": each.get("description") or None,
                "condition": each.get("condition"),
                "sectionGroup": each["group"],
                "default": each["id"] == self.default_section,
                "siteSpaces": [self._read(one, each) for one in each["spaces"]],
            }
            for each in self.sections
        ]

    def read_spaces(self) -> list[dict[str, Any]]:
        inside = [self._read(one, each) for each in self.sections for one in each["spaces"]]
        return [*(self._read(one, None) for one in self.root), *inside]

    def _read(self, one: dict[str, Any], section: dict[str, Any] | None) -> dict[str, Any]:
        default = self.root_default if section is None else section["default"]
        return {
            "id": one["id"],
            "title": one["title"],
            "path": one["path"],
            "condition": one.get("condition"),
            "hidden": one.get("hidden", False),
            "default": one["id"] == default,
            "space": {
                "id": one["space"],
                "title": one["title"],
                "createdAt": DAY,
                "updatedAt": DAY,
            },
        }

    def holds(self, expected: Expectation) -> str:
        """Say what an expectation finds different now; empty where it holds."""
        spaces = expected.read.operation == "list_site_spaces"
        items = self.read_spaces() if spaces else self.read_sections()
        return expected.explain({"items": items})

    # Requests

    def send(self, step: Step) -> JSON:
        """Do what a request does, and return the answer. Raises `RefusedError`."""
        assert (step.arguments["organization_id"], step.arguments["site_id"]) == IDS
        self.sent.append(step.operation)
        return getattr(self, step.operation)(step.arguments, step.body)

    def update_site(self, _: JSON, body: JSON) -> None:
        if "defaultSiteSection" in body:
            self.default_section = self._section(body["defaultSiteSection"])["id"]
        else:
            one, section = self._space(body["defaultSiteSpace"])
            self._default(one, section)

    def add_site_section(self, _: JSON, body: JSON) -> JSON:
        self.made += 1
        title = body.get("title", "Untitled")
        path = slugify(title)
        section: dict[str, Any] = {
            "id": f"made-{self.made}",
            "title": title,
            "icon": body.get("icon"),
            "path": self._free(self.sections, path),
            "group": None,
            "default": None,
            "spaces": [],
        }
        first = not self.sections
        self.sections.append(section)
        if first:
            section["spaces"], self.root = self.root, []
            section["default"], self.root_default = self.root_default, None
            self.default_section = section["id"]
        if all(each["space"] != body["spaceId"] for each in section["spaces"]):
            self.made += 1
            self._put(section, f"made-{self.made}", body["spaceId"])
        return next(each for each in self.read_sections() if each["id"] == section["id"])

    def add_site_space(self, _: JSON, body: JSON) -> JSON:
        section = self._section(body["sectionId"]) if "sectionId" in body else None
        rows = self.root if section is None else section["spaces"]
        if section is None and self.sections:
            raise RefusedError("it would go into the default section")
        if any(each["space"] == body["spaceId"] for each in rows):
            raise RefusedError("409: it is shown there")
        self.made += 1
        return self._read(self._put(section, f"made-{self.made}", body["spaceId"]), section)

    def update_site_section(self, ids: JSON, body: JSON) -> None:
        section = self._section(ids["site_section_id"])
        self._path(section, self.sections, body)
        section |= {name: body[name] for name in body if name not in ("defaultSiteSpace", "path")}
        if "defaultSiteSpace" in body:
            one, inside = self._space(body["defaultSiteSpace"])
            if inside is not section:
                raise RefusedError("it is in another section")
            self._default(one, section)

    def update_site_space(self, ids: JSON, body: JSON) -> None:
        one, section = self._space(ids["site_space_id"])
        rows = self.root if section is None else section["spaces"]
        default = self.root_default if section is None else section["default"]
        if body.get("hidden") and default == one["id"]:
            raise RefusedError("409: it is the default")
        self._path(one, rows, body)
        one |= {name: body[name] for name in body if name != "path"}

    def move_site_section(self, ids: JSON, body: JSON) -> None:
        section = self._section(ids["site_section_id"])
        ((side, anchor),) = body["position"].items()
        beside = self._section(anchor["siteSection"])
        self._move(self.sections, section, beside, side)
        section["group"] = beside["group"]

    def move_site_space(self, ids: JSON, body: JSON) -> None:
        one, section = self._space(ids["site_space_id"])
        ((side, anchor),) = body["position"].items()
        beside, other = self._space(anchor["siteSpace"])
        if other is not section:
            raise RefusedError("it is in another section")
        self._move(self.root if section is None else section["spaces"], one, beside, side)

    def delete_site_section(self, ids: JSON, _: JSON) -> None:
        section = self._section(ids["site_section_id"])
        at = self.sections.index(section)
        self.sections.remove(section)
        if self.default_section == section["id"]:
            after = [*self.sections[at:], *self.sections[:at]]
            self.default_section = after[0]["id"] if after else None

    def delete_site_space(self, ids: JSON, _: JSON) -> None:
        one, section = self._space(ids["site_space_id"])
        rows = self.root if section is None else section["spaces"]
        if section is not None and len(rows) == 1:
            raise RefusedError("409: a section shows at least one")
        at = rows.index(one)
        rows.remove(one)
        default = self.root_default if section is None else section["default"]
        if default == one["id"]:
            after = [*rows[at:], *rows[:at]]
            heir = next((each for each in after if not each.get("hidden")), None)
            heir = heir or next(iter(after), None)
            if heir is not None:
                heir["hidden"] = False
            if section is None:
                self.root_default = heir["id"] if heir else None
            else:
                section["default"] = heir["id"] if heir else None

    # Inside

    def _put(self, section: dict[str, Any] | None, row: str, space: str) -> dict[str, Any]:
        rows = self.root if section is None else section["spaces"]
        path = self._free(rows, space.removeprefix("space-"))
        one = {"id": row, "space": space, "title": f"Title of {space}", "path": path}
        rows.append(one)
        if section is None:
            self.root_default = self.root_default or row
        else:
            section["default"] = section["default"] or row
        return one

    def _free(self, rows: list[dict[str, Any]], wanted: str) -> str:
        path, number = wanted, 1
        while any(each["path"] == path for each in rows):
            number += 1
            path = f"{wanted}-{number}"
        return path

    def _path(self, one: dict[str, Any], rows: list[dict[str, Any]], body: JSON) -> None:
        path = body.get("path", one["path"])
        if not re.fullmatch(r"\w[\w.~-]*", path):
            raise RefusedError(f"400: {path}")
        if any(each["path"] == path and each is not one for each in rows):
            raise RefusedError(f"400: the path {path} is taken")
        one["path"] = path

    def _default(self, one: dict[str, Any], section: dict[str, Any] | None) -> None:
        if one.get("hidden"):
            raise RefusedError("409: it is hidden")
        if section is None:
            self.root_default = one["id"]
        else:
            section["default"] = one["id"]

    def _move(self, rows: list[Any], one: Any, beside: Any, side: str) -> None:
        if one is beside:
            raise RefusedError("400: next to itself")
        rows.remove(one)
        rows.insert(rows.index(beside) + (side == "after"), one)

    def _section(self, row: str) -> dict[str, Any]:
        for each in self.sections:
            if each["id"] == row:
                return each
        raise RefusedError(f"404: section {row}")

    def _space(self, row: str) -> tuple[dict[str, Any], dict[str, Any] | None]:
        for section in (None, *self.sections):
            for each in self.root if section is None else section["spaces"]:
                if each["id"] == row:
                    return each, section
        raise RefusedError(f"404: site space {row}")
