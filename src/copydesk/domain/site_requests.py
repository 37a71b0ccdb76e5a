"""One request after the other of a plan for a site, each with its line and its way back.

What is before and after each is kept here, as the service would have it by then.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING

from copydesk.domain.call import NEW, Call
from copydesk.domain.layout import SECTIONS, TOP, Item, change_line, said
from copydesk.domain.order import Move, Side
from copydesk.domain.reversal import JSON, LONG_ORDER, Expectation, Reversal, Step
from copydesk.domain.site_inverses import (
    default_changed,
    row_moved,
    section_added,
    site_row_changed,
    space_shown,
)
from copydesk.domain.site_rules import made_along
from copydesk.domain.site_tree import SiteNode
from copydesk.domain.text import plural

if TYPE_CHECKING:
    from copydesk.domain.site_arrangement import SiteArrangement
    from copydesk.domain.site_order import Op

ADDRESS_NOTE = "the address changes; links that readers kept may break"

DEFAULT_NOTE = "the addresses of both change; links that readers kept may break"
"""What readers land on first is found without its path."""

SEEN_NOTE = "everybody sees it until the request behind it: it cannot be added hidden"

UNSEEN_NOTE = "its address stays: the default is found without its path"

_UNSET: dict[str, JSON] = {"condition": None, "icon": "", "description": "", "hidden": False}
"""How a setting is unset in a request."""


class Requests:
    """The requests of a plan, made in the order in which they are sent."""

    def __init__(self, staged: SiteArrangement) -> None:
        self.staged, self.base, self.now = staged, staged.base, staged.now
        organization, site = staged.ids
        self.ids = (organization, site)
        self.where = {"organization_id": organization, "site_id": site}
        self._paths: dict[str, JSON] = {}
        """Paths that were changed for the time being."""
        self._orders: dict[str, _Order] = {}

    def call(self, op: Op) -> Call:
        """Return the next request."""
        match op.kind:
            case "add":
                return (
                    self._add_section(op) if self._item(op.row).kind == "section" else self._add(op)
                )
            case "set":
                return self._set(op)
            case "default":
                return self._default(op)
            case "move":
                return self._move(op)
            case "remove":
                return self._remove(op)

    def _item(self, row: str) -> Item:
        return self.now.items.get(row) or self.base.items[row]

    def _node(self, row: str, level: str = TOP) -> SiteNode:
        item = self._item(row)
        assert item.kind in ("group", "section", "site-space")
        return SiteNode(row, item.kind, item.title, level)

    def _called(self, row: str) -> str:
        """Return what a thing is called as long as nothing was sent."""
        item = self.base.items.get(row) or self.now.items[row]
        return item.title

    # More and fewer

    def _add_section(self, op: Op) -> Call:
        row, item = op.row, self.now.items[op.row]
        space = str(item.values["space"])
        body = {"spaceId": space}
        body |= {name: item.values[name] for name in ("title", "icon") if name in item.values}
        also = {f"{row}/path": "path"}
        child = made_along(self.now, row)
        line = f"New section {item.title}"
        if child is not None:
            also[child] = f"siteSpaces[space.id={space}].id"
            also[f"{child}/path"] = f"siteSpaces[space.id={space}].path"
        takes = self.staged.takes_over == row and bool(self.base.levels[TOP])
        note = ""
        if takes:
            note = (
                f"it takes over what the site shows ({plural(len(self.base.levels[TOP]), 'space')})"
            )
        elif child is not None:
            line += f", showing {self.now.items[child].title}"
            note = self._seen_note(row, child)
        if "icon" in body:
            line += f", icon {said(body['icon'])}"
        return Call(
            f"add:{row}",
            "Add section",
            item.title,
            line,
            Step("add_site_section", self.where, body),
            None if takes else section_added(self.ids, row, space),
            row,
            also,
            note,
            takes,
            self._shown("sections", row, there=True) if takes else None,
        )

    def _add(self, op: Op) -> Call:
        row, item = op.row, self.now.items[op.row]
        body: dict[str, JSON] = {"spaceId": item.values["space"]}
        where = beside = ""
        if op.level != TOP:
            was = self.base.levels.get(op.level, ())
            if was and not any(each in self.now for each in was):
                beside = was[0]  # all that was there is removed later: it has to stay then
            body["sectionId"] = op.level
            where = f" in {self._item(op.level).title}"
        return Call(
            f"add:{row}",
            "Add space",
            item.title,
            f"Show {item.title}{where}",
            Step("add_site_space", self.where, body),
            space_shown(self.ids, row, beside),
            row,
            {f"{row}/path": "path"},
            self._seen_note(row),
        )

    def _seen_note(self, *rows: str) -> str:
        """Return who sees something new at first that only some are to see later."""
        values = [self.now.items[row].values for row in rows]
        some = any(each.get("condition") or each.get("hidden") for each in values)
        return SEEN_NOTE if some else ""

    def _remove(self, op: Op) -> Call:
        row, item = op.row, self.base.items[op.row]
        section = item.kind == "section"
        line = f"Remove {item.title}"
        if op.level in self.base.items:
            line += f" from {self._item(op.level).title}"
        if section and (inside := self.base.levels.get(row)):
            line += f" with {plural(len(inside), 'space')}"
        thing, name = ("site_section", "sections") if section else ("site_space", "spaces")
        return Call(
            f"remove:{row}",
            "Remove",
            item.title,
            line,
            Step(f"delete_{thing}", {**self.where, f"{thing}_id": row}),
            note="the content stays",
            final=True,
            arrived=self._shown(name, row, there=False),
        )

    def _shown(self, name: str, row: str, *, there: bool) -> Expectation:
        read = Step(f"list_site_{name}", self.where)
        return Expectation(read, {f"items[id={row}].id": [row] if there else []})

    # Settings

    def _set(self, op: Op) -> Call:
        row, item = op.row, self._item(op.row)
        was = self.base.items.get(row)
        level = self.now.level_of(row)
        before: dict[str, JSON] = {}
        told: list[str] = []
        lasting: list[str] = []
        for name, value in op.values.items():
            if name == "defaultSiteSpace":
                told.append(f"readers land on {self._item(str(value)).title} first")
                old = self._default_before(row)
                if old is None:
                    lasting.append("default")
                else:
                    before[name] = old
                continue
            old = was.values.get(name) if was is not None else None
            if name == "path":
                old = self._paths.get(row, old)
                if old is None and row.startswith(NEW):
                    old = f"{row}/path"
                self._paths[row] = value
                told.append(change_line(name, None if was is None else old, value))
            else:
                told.append(change_line(name, old, value))
            before[name] = _sent(name, old)
        after = {name: _sent(name, value) for name, value in op.values.items()}
        forth = {name: value for name, value in after.items() if name in before}
        node = self._node(row, level)
        title = self._called(row)
        thing = "site_section" if item.kind == "section" else "site_space"
        sent = site_row_changed(self.ids, node, after, after)
        notes = self._address_notes(op, before)
        if op.key.startswith("free:"):
            notes = ["for the time being, until the path it takes is free"]
        if lasting:
            notes.append("what readers land on first is not taken back")
        where = f" (in {self._item(level).title})" if level in self.now.items else ""
        return Call(
            op.key,
            _verb(op.values),
            title,
            f"{title}{where}: {', '.join(told)}",
            Step(f"update_{thing}", {**self.where, f"{thing}_id": row}, after),
            site_row_changed(self.ids, node, before, forth) if before else None,
            note="; ".join(notes),
            final=not before,
            arrived=None if before else sent.still,
        )

    def _address_notes(self, op: Op, before: Mapping[str, JSON]) -> list[str]:
        """Return what becomes of addresses that readers know."""
        row, was = op.row, self.base.items.get(op.row)
        notes = []
        if "path" in op.values and was is not None:
            stays = was.values.get("default") and self._item(row).values.get("default")
            notes.append(UNSEEN_NOTE if stays else ADDRESS_NOTE)
        if "defaultSiteSpace" in before:
            notes.append(DEFAULT_NOTE)
        return notes

    def _default_before(self, scope: str) -> str | None:
        """Return what readers land on until then, or None: it is removed, or there was nothing."""
        was = self.base.defaults.get(scope)
        if was is None and scope == self.staged.takes_over:
            was = self.base.defaults.get(TOP)
        if was is None and scope.startswith(NEW):
            was = next(iter(self.staged.before_moves(scope, self.now.levels[scope])), None)
        return was if was in self.now.items else None

    def _default(self, op: Op) -> Call:
        row, item = op.row, self._item(op.row)
        name = "defaultSiteSection" if op.level == SECTIONS else "defaultSiteSpace"
        old = self._default_before(op.level)
        if old is None and op.level == SECTIONS:
            old = self.staged.takes_over
        node = self._node(row)
        back: Reversal | None = None
        arrived: Expectation | None = default_changed(self.ids, node, node).still
        if old is not None:
            back, arrived = default_changed(self.ids, node, self._node(old)), None
        return Call(
            op.key,
            "Default",
            item.title,
            f"Readers land on {item.title} first",
            Step("update_site", self.where, {name: row}),
            back,
            note=DEFAULT_NOTE,
            final=back is None,
            arrived=arrived,
        )

    # Order

    def _move(self, op: Op) -> Call:
        move, level = op.move, op.level
        assert move is not None
        found = self._orders.get(level)
        if found is None:
            rows = self.staged.before_moves(level, self.now.levels[level])
            gone = [row for row in rows if row not in self.now]
            found = self._orders[level] = _Order(rows, self.base.groups, gone)
        back = found.back(move.id)
        before = found.around(move.id)
        found.move(move)
        after = found.around(move.id)
        where = f" (in {self._item(level).title})" if level in self.now.items else ""
        item = self._item(move.id)
        reversal = None
        node = self._node(move.id, level)
        way = row_moved(
            self.ids, node, move, back or move, before, after, found.leaving, near=found.long
        )
        if back is not None:
            reversal = way
        return Call(
            op.key,
            "Move",
            item.title,
            f"{item.title} {move.side} {self._item(move.anchor).title}{where}",
            way.forth[0],
            reversal,
            note="" if back is not None else "only a group is beside it",
            final=back is None,
            arrived=way.still if back is None else None,
        )


class _Order:
    """A level between two moves, each row linked with what is above and below it.

    A plan may move thousands: no move goes through all of them.
    """

    def __init__(
        self, rows: Sequence[str], groups: Collection[str], leaving: Sequence[str]
    ) -> None:
        self.groups, self.leaving = groups, leaving
        self._passed = {*groups, *leaving}
        self._below = dict(zip(("", *rows), (*rows, ""), strict=True))
        self._above = dict(zip((*rows, ""), ("", *rows), strict=True))
        self.long = sum(row not in self._passed for row in rows) > LONG_ORDER
        """Whether only the neighbours are looked at."""

    def around(self, row: str) -> list[str]:
        """Return the level without groups; of a long one a row between its neighbours."""
        if self.long:
            sides = (self._beside(row, way, self._passed) for way in (self._above, self._below))
            above, below = sides
            return [each for each in (above, row, below) if each]
        rows, at = [], self._below[""]
        while at:
            if at not in self.groups:
                rows.append(at)
            at = self._below[at]
        return rows

    def _beside(self, row: str, way: Mapping[str, str], passed: Collection[str]) -> str:
        row = way[row]
        while row in passed:
            row = way[row]
        return row

    def back(self, row: str) -> Move | None:
        """Return the move that puts a row back to where it is, or None: only a group is beside it.

        What is removed later is no neighbour to go back to, if there is another.
        """
        sides: tuple[tuple[Side, Mapping[str, str]], ...] = (
            ("after", self._above), ("before", self._below)
        )  # fmt: skip
        for passed in (frozenset[str](), self.leaving):  # right beside it, then further off
            for side, way in sides:
                other = self._beside(row, way, passed)
                if other and other not in self._passed:
                    return Move(row, side, other)
        return None

    def move(self, move: Move) -> None:
        """Make a move."""
        above, below = self._above[move.id], self._below[move.id]
        self._below[above], self._above[below] = below, above
        above = move.anchor if move.side == "after" else self._above[move.anchor]
        below = self._below[above]
        self._below[above] = self._above[below] = move.id
        self._above[move.id], self._below[move.id] = above, below


def _sent(name: str, value: JSON) -> JSON:
    """Return a setting as a request says it."""
    return value or _UNSET.get(name, value)


def _verb(values: dict[str, JSON]) -> str:
    match list(values):
        case ["title"]:
            return "Rename"
        case ["hidden"]:
            return "Hide" if values["hidden"] else "Show"
        case ["defaultSiteSpace"]:
            return "Default"
    return "Change"
