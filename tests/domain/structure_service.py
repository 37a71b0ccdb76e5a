"""A model of a service that has section groups and links, and moves all entries of a site alike.

It adds to `SiteService` what stands beside sections, and refuses what a service may refuse.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from copydesk.contract.models.site_structure import SiteStructure
from copydesk.domain.layout import TOP, Layout
from copydesk.domain.reversal import CAME_ALONG, JSON, Expectation, Step
from copydesk.domain.site_arrangement import layout_of
from copydesk.domain.site_tree import structure_in
from tests.domain.site_service import RefusedError, SiteService


class StructureService(SiteService):
    """The sections, groups and links of one site; ``deepest`` groups may be within each other."""

    def __init__(self, deepest: int = 10) -> None:
        super().__init__()
        self.deepest = deepest
        self.light: dict[str, dict[str, Any]] = {}
        self.levels: dict[str, list[str]] = {TOP: []}

    def layout(self) -> Layout:
        answer = {"type": "sections", "structure": [*self._tree(TOP)]}
        return layout_of(structure_in(SiteStructure.model_validate(answer)))

    # Making a site

    def section(
        self, name: str, *spaces: str, group: str | None = None, path: str | None = None
    ) -> str:
        row = super().section(name, *spaces, path=path)
        self.levels[group or TOP].append(row)
        return row

    def entry(self, kind: str, row: str, level: str = TOP, **values: Any) -> str:
        """Add a group or a link."""
        self.light[row] = {"object": f"site-{kind}", "id": row, "title": row, **values}
        self.levels[level].append(row)
        if kind == "section-group":
            self.levels[row] = []
        return row

    # Reading

    def _tree(self, level: str) -> Iterator[dict[str, Any]]:
        sections = {each["id"]: each for each in self.read_sections()}
        for row in self.levels[level]:
            if row in sections:
                yield {"object": "site-section", **sections[row]}
            else:
                inside = {"children": [*self._tree(row)]} if row in self.levels else {}
                yield {**self.light[row], **inside}

    def _rows(self, level: str = TOP) -> Iterator[dict[str, Any]]:
        sections = {each["id"]: each for each in self.read_sections()}
        for row in self.levels[level]:
            yield {**(sections.get(row) or self.light[row]), "sectionGroup": level or None}
            if row in self.levels:
                yield from self._rows(row)

    def home(self, row: str) -> str:
        """Return the level that an entry is in."""
        for level, rows in self.levels.items():
            if row in rows:
                return level
        raise RefusedError(f"404: {row}")

    def answer(self) -> JSON:
        """Return the structure as it is read to compare it: row by row."""
        return {"items": [*self._rows()]}

    def holds(self, expected: Expectation) -> str:
        if expected.read.operation == "get_site_structure":
            return expected.explain(self.answer())
        return super().holds(expected)

    def send(self, step: Step) -> JSON:
        if step.operation == CAME_ALONG:
            assert self.home(step.arguments["row"]) == step.arguments["group"]
            return None
        return super().send(step)

    # Requests

    def sort_site_structure(self, _: JSON, body: JSON) -> None:
        ((side, beside),) = body["position"].items()
        row, anchor = body["item"]["id"], beside["id"]
        if body["item"]["type"] == "site-space":
            one, section = self._space(row)
            other, shown = self._space(anchor)
            if section is None or shown is not section:
                raise RefusedError("400: it is in another section")
            self._move(section["spaces"], one, other, side)
            return
        if row == anchor:
            raise RefusedError("400: next to itself")
        level = self.home(anchor)
        self._goes(row, level)
        self.levels[level].insert(self.levels[level].index(anchor) + (side == "after"), row)

    def add_site_section_group(self, _: JSON, body: JSON) -> JSON:
        row = self._made("section-group", body)
        for each in body.get("sections", ()):
            self._section(each)
            self._goes(each, row)
            self.levels[row].append(each)
        return {"id": row}

    def add_site_external_link(self, _: JSON, body: JSON) -> JSON:
        return {"id": self._made("external-link", body)}

    def update_site_section_group(self, ids: JSON, body: JSON) -> None:
        self._update(ids["site_section_group_id"], body, "parentSectionGroupId")

    def update_site_external_link(self, ids: JSON, body: JSON) -> None:
        self._update(ids["site_external_link_id"], body, "parent")

    def delete_site_section_group(self, ids: JSON, _: JSON) -> None:
        row = ids["site_section_group_id"]
        if self.levels.get(row):
            raise RefusedError("what is in it might go with it")
        self._gone(row)

    def delete_site_external_link(self, ids: JSON, _: JSON) -> None:
        self._gone(ids["site_external_link_id"])

    def add_site_section(self, ids: JSON, body: JSON) -> JSON:
        answer = super().add_site_section(ids, body)
        self.levels[TOP].append(answer["id"])
        return answer

    def delete_site_section(self, ids: JSON, body: JSON) -> None:
        row = ids["site_section_id"]
        order = [each for each, _ in self._walk() if each not in self.light]
        by_id = {each["id"]: each for each in self.sections}
        self.sections = [by_id[each] for each in order]
        super().delete_site_section(ids, body)
        self.levels[self.home(row)].remove(row)

    # Inside

    def _walk(self) -> Iterator[tuple[str, str]]:
        return ((each["id"], each["sectionGroup"] or TOP) for each in self._rows())

    def _made(self, kind: str, body: JSON) -> str:
        self.made += 1
        values = {name: body[name] for name in body if name not in ("parent", "sections")}
        level = body.get("parent") or TOP
        if level not in self.levels:
            raise RefusedError(f"400: {level}")
        row = self.entry(kind, f"made-{self.made}", level, **values)
        self._check(row, level)
        return row

    def _update(self, row: str, body: JSON, parent: str) -> None:
        if row not in self.light:
            raise RefusedError(f"404: {row}")
        self.light[row] |= {name: body[name] for name in body if name != parent}
        if parent in body:
            level = body[parent] or TOP
            self._goes(row, level)
            self.levels[level].append(row)

    def _gone(self, row: str) -> None:
        self.levels[self.home(row)].remove(row)
        self.levels.pop(row, None)
        del self.light[row]

    def _goes(self, row: str, level: str) -> None:
        """Take an entry out of its level, if it may go into another."""
        self._check(row, level)
        self.levels[self.home(row)].remove(row)

    def _check(self, row: str, level: str) -> None:
        above = 0
        while level != TOP:
            if level == row:
                raise RefusedError("400: a group in itself")
            above, level = above + 1, self.home(level)
        if row in self.levels and above + self._height(row) > self.deepest:
            raise RefusedError(f"400: at most {self.deepest} groups are within each other")

    def _height(self, row: str) -> int:
        return 1 + max(
            (self._height(each) for each in self.levels[row] if each in self.levels), default=0
        )
