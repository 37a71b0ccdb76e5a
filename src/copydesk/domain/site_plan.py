"""The requests that make a staged structure of a site, in an order in which each of them can be.

Each request stands as early as its kind does: what is added, each with what only some are to see
of it right behind it; conditions and what is hidden, what is shown again, settings of sections, the
default section, settings of site spaces, moves, what is removed. Before it comes what
it waits for: a path is freed before another takes it over, what becomes a default is shown before,
what is no longer one is hidden or removed after. Where they wait for each other in a ring, one of
them is sent in two parts, or opens the ring with a path for the time being.

The service gives what is added a path of its own making, which nobody has then. So that it is none
that is wanted for another, what is added is added after the others have the paths they are to have.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from copydesk.domain.call import NEW, Call
from copydesk.domain.layout import SECTIONS, TOP
from copydesk.domain.reversal import JSON
from copydesk.domain.site_order import PATH, REST, Op, in_order, split
from copydesk.domain.site_requests import Requests
from copydesk.domain.site_rules import FIELDS, made_along

if TYPE_CHECKING:
    from copydesk.domain.site_arrangement import SiteArrangement

BEFORE, ADD, RESTRICT, SHOW, SECTION, DEFAULT, SPACE, MOVE, REMOVE = range(9)

DEFAULT_SPACE = "defaultSiteSpace"


def calls_of(staged: SiteArrangement) -> list[Call]:
    """Return the fewest requests for what is staged, in the order they are sent."""
    requests = Requests(staged)
    return [requests.call(op) for op in in_order(_Ops(staged).all(), staged)]


class _Ops:
    """What has to be sent, and what waits for what."""

    def __init__(self, staged: SiteArrangement) -> None:
        self.staged, self.base, self.now = staged, staged.base, staged.now
        self.ops: dict[str, Op] = {}
        self._added: dict[str, list[Op]] = {}
        """What is added, by where its path has to be the only one, in the order it is added."""

    def all(self) -> dict[str, Op]:
        if self.now.items is not self.base.items:
            self._adds()
            self._settings()
            self._defaults()
        self._moves()
        if self.now.items is not self.base.items:
            self._removals()
            self._waits()
        return self.ops

    def _put(self, key: str, kind: str, row: str, phase: int) -> Op:
        op = self.ops[key] = Op(key, kind, row, phase, len(self.ops))  # type: ignore[arg-type]
        return op

    def _adds(self) -> None:
        now = self.now
        if not any(row.startswith(NEW) for row in self.staged.differing):
            return
        takes = self.staged.takes_over
        news = [row for row in now.sections() if row.startswith(NEW) and row != takes]
        first = [takes] if takes is not None else []
        for row in [*first, *self.staged.adding(news)]:
            op = self._put(f"add:{row}", "add", row, ADD)
            self._added.setdefault(SECTIONS, []).append(op)
            if made_along(now, row) is not None or row == takes:
                self._added[row] = [op]  # what is made along has a path too
        for level in [TOP, *now.sections()]:
            along = made_along(now, level) if level.startswith(NEW) else None
            rows = [row for row in now.levels[level] if row.startswith(NEW) and row != along]
            for row in self.staged.adding(rows):
                if now.items[row].kind == "site-space":
                    op = self._put(f"add:{row}", "add", row, ADD)
                    op.level = level
                    self._added.setdefault(level, []).append(op)
                    if level.startswith(NEW):
                        op.needs.append((REST, f"add:{level}", REST))

    def _settings(self) -> None:
        for row in self.staged.differing:
            item, was = self.now.items[row], self.base.items.get(row)
            if item.kind == "group":
                continue
            given = was.values if was is not None else {}
            if was is None and item.kind == "section":
                given = {name: item.values.get(name) for name in ("title", "icon")}
            changed = {
                name: item.values.get(name)
                for name in FIELDS[item.kind]
                if (item.values.get(name) or None) != (given.get(name) or None)
            }
            if changed:
                shown = changed.get("hidden", True) is None
                phase = SECTION if item.kind == "section" else SHOW if shown else SPACE
                op = self._put(f"change:{row}", "set", row, phase)
                op.values = changed
                if changed.get("condition") or changed.get("hidden"):
                    self._soon(op)

    def _soon(self, op: Op) -> None:
        """Send what only some are to see before others see more, of a new thing right behind it."""
        added = self._adding(op.row)
        if added is None:
            if not (op.values.get("hidden") and self.base.items[op.row].values.get("default")):
                op.phase = min(op.phase, RESTRICT)
        elif not op.values.get("hidden") or op.row != self._natural(self.now.scope_of(op.row)):
            op.phase, op.index = ADD, self.ops[added].index + 0.5

    def _adding(self, row: str) -> str | None:
        """Return the key of what adds a thing, or None: it is there."""
        if not row.startswith(NEW):
            return None
        return f"add:{row}" if f"add:{row}" in self.ops else f"add:{self.now.level_of(row)}"

    def _defaults(self) -> None:
        # Also where the one that is removed is followed by the next by itself: which that is, the
        # API document does not say.
        for scope, row in self.now.defaults.items():
            if row == self._natural(scope):
                continue
            if scope in (SECTIONS, TOP):
                self._put(f"default:{scope}", "default", row, DEFAULT).level = scope
            else:
                op = self.ops.get(f"change:{scope}")
                if op is None or op.phase == ADD:  # which does not wait for what else is added
                    key = "change" if op is None else "default"
                    op = self._put(f"{key}:{scope}", "set", scope, SECTION)
                op.values[DEFAULT_SPACE] = row

    def _natural(self, scope: str) -> str | None:
        """Return what is the default of something unless it is said."""
        was = self.base.defaults.get(scope)
        if was is not None:
            return was
        if scope == SECTIONS:
            return self.staged.takes_over
        if scope == self.staged.takes_over and TOP in self.base.defaults:
            return self.base.defaults[TOP]
        if self.base.levels.get(scope):
            return None
        rows = self.staged.before_moves(scope, self.now.levels.get(scope, ()))
        return next(iter(rows), None)

    def _moves(self) -> None:
        now = self.now
        changed = [
            level for level, rows in now.levels.items() if rows is not self.base.levels.get(level)
        ]
        if len(changed) > 1:
            at = {row: number for number, row in enumerate(now.walk())}
            changed.sort(key=lambda level: at.get(level, -1))
        for level in changed:
            for move in self.staged.moves(level) or ():
                op = self._put(f"move:{move.id}", "move", move.id, MOVE)
                op.level, op.move = level, move

    def _removals(self) -> None:
        removed = self.staged.removed
        if not removed:
            return
        for row in self.base.walk():
            item = removed.get(row)
            if item is None or item.kind == "group":
                continue
            level = self.base.level_of(row)
            if item.kind == "section" or level not in removed:
                self._put(f"remove:{row}", "remove", row, REMOVE).level = level

    def _waits(self) -> None:
        """Say what waits for what."""
        self._added_first()
        paths = any("path" in op.values for op in self.ops.values())
        holders = self._holders() if paths else {}
        for op in list(self.ops.values()):
            if op.kind == "set":
                self._path_waits(op, holders)
                if op.phase == ADD and any(not key.startswith("add:") for _, key, _ in op.needs):
                    path = split(op, self.ops, {"path": op.values.pop("path")}, "path")[1]
                    self.ops[path.key], path.phase = path, SPACE
                self._shown_first(op, REST, op.values.get(DEFAULT_SPACE))
                if op.values.get("hidden"):
                    self._default_first(op, op.row)
            elif op.kind == "default":
                self._shown_first(op, REST, op.row)
            elif op.kind == "remove":
                self._default_first(op, op.row)
            elif op.move is not None and f"remove:{op.move.anchor}" in self.ops:
                self.ops[f"remove:{op.move.anchor}"].needs.append((REST, op.key, REST))

    def _added_first(self) -> None:
        """Have added what is named, and after what takes a path that the service might give it."""
        if not self._added:
            return
        paths: dict[str, list[Op]] = {}
        for op in self.ops.values():
            if op.kind == "set":
                scope = self.now.scope_of(op.row)
                if "path" in op.values:
                    paths.setdefault(scope, []).append(op)
                    if scope in self._added and op.row in self.base:
                        op.phase = min(op.phase, BEFORE)
                self._needs_added(op, op.row)
                self._needs_added(op, str(op.values.get(DEFAULT_SPACE) or ""))
            elif op.kind == "default":
                self._needs_added(op, op.row)
        for scope, added in self._added.items():
            mine = [op.key for op in paths.get(scope, ()) if op.row in self.base]
            given = {op.row: op.key for op in paths.get(scope, ()) if op.row not in self.base}
            for last, op in zip((None, *added), added, strict=False):
                if last is not None:
                    op.needs.append((REST, last.key, REST))
                    made = self._made(last.row, scope)
                    mine = [given[made]] if made in given else []
                op.wishes += mine
        moves: dict[str, Op] = {}
        for op in self.ops.values():
            scope = SECTIONS if op.level == TOP and SECTIONS in self._added else op.level
            if op.kind in ("move", "remove") and scope in self._added:
                op.needs.append((REST, self._added[scope][-1].key, REST))
                if op.kind == "move":
                    if scope in moves:
                        op.needs.append((REST, moves[scope].key, REST))
                    moves[scope] = op

    def _needs_added(self, op: Op, row: str) -> None:
        """Say that a request names something that is added."""
        if (key := self._adding(row)) is not None:
            op.needs.append((REST, key, REST))
            op.needs.append((PATH, key, REST))

    def _made(self, row: str, scope: str) -> str:
        """Return what is made in a scope when a row is added: itself, or what is in it."""
        return row if scope != row else made_along(self.now, row) or ""

    def _holders(self) -> dict[tuple[str, JSON], str]:
        """Return what has which path until something is sent."""
        holders: dict[tuple[str, JSON], str] = {}
        for row, item in self.base.items.items():
            path = item.values.get("path")
            if path and item.kind != "group":
                scope = (self.now if row in self.now else self.base).scope_of(row)
                if scope == TOP and self.staged.takes_over is not None:
                    scope = self.staged.takes_over  # also of what is removed from there later
                holders[scope, path] = row
        return holders

    def _path_waits(self, op: Op, holders: dict[tuple[str, JSON], str]) -> None:
        path = op.values.get("path")
        holder = holders.get((self.now.scope_of(op.row), path)) if path else None
        if holder is None or holder == op.row:
            return
        frees = self.ops.get(f"change:{holder}")
        if frees is not None and "path" in frees.values:
            op.needs.append((PATH, frees.key, PATH))
        elif f"remove:{holder}" in self.ops:
            op.needs.append((PATH, f"remove:{holder}", REST))

    def _shown_first(self, op: Op, part: str, row: JSON) -> None:
        shows = self.ops.get(f"change:{row}")
        if shows is not None and shows is not op and shows.values.get("hidden", True) is None:
            op.needs.append((part, shows.key, REST))

    def _default_first(self, op: Op, row: str) -> None:
        if row not in self.base or not self.base.items[row].values.get("default"):
            return
        scope = self.base.scope_of(row)
        if scope == TOP and self.staged.takes_over is not None:
            scope = self.staged.takes_over
        for key in (f"default:{scope}", f"change:{scope}"):
            other = self.ops.get(key)
            if other is not None and (other.kind == "default" or DEFAULT_SPACE in other.values):
                op.needs.append((REST, key, REST))
