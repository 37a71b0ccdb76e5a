"""The requests that make a staged structure of a site, in an order in which each of them can be.

Each request stands as early as its kind does: what is added, each with what only some are to see
of it right behind it; conditions and what is hidden, what is shown again, settings of sections, the
default section, settings of site spaces, moves, what is removed. Before it comes what
it waits for: a path is freed before another takes it over, what becomes a default is shown before,
what is no longer one is hidden or removed after. Where they wait for each other in a ring, one of
them is sent in two parts, or opens the ring with a path for the time being.

The service gives what is added a path of its own making, which nobody has then. So that it is none
that is wanted for another, what is added is added after the others have the paths they are to have.

Each request has its line and its way back. What is before and after it is kept here, as the service
would have it by then.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from copydesk.domain.layout import SECTIONS, TOP, Item, Layout, change_line, changed_fields, said
from copydesk.domain.order import Move, Side
from copydesk.domain.reversal import JSON, LONG_ORDER, NEW, Call, Expectation, Reversal, Step
from copydesk.domain.site_inverses import (
    THINGS,
    default_changed,
    entry_moved,
    entry_shown,
    former_address_redirected,
    group_made,
    group_removed,
    link_added,
    row_moved,
    section_added,
    site_row_changed,
    space_shown,
)
from copydesk.domain.site_moves import ENTRIES, LIGHT, entry_moves, new_entries
from copydesk.domain.site_tree import (
    FIELDS,
    PATH,
    REDIRECT,
    REST,
    Op,
    SiteNode,
    former_path,
    in_order,
    made_along,
    split,
)
from copydesk.domain.text import clean, few, plural

if TYPE_CHECKING:
    from copydesk.domain.site_arrangement import SiteArrangement
    from copydesk.domain.site_moves import Begun, EntryMove

BEFORE, ADD, RESTRICT, SHOW, SECTION, DEFAULT, SPACE, MOVE, REMOVE = range(9)

DEFAULT_SPACE = "defaultSiteSpace"


def calls_of(staged: SiteArrangement) -> list[Call]:
    """Return the fewest requests for the staged changes, in the order of sending."""
    planned = _Ops(staged)
    ops = planned.all()
    stays = [op.row for op in ops.values() if op.entry is not None and op.entry.back is None]
    requests = Requests(staged, planned.begun, stays)
    return [requests.call(op) for op in in_order(ops, staged)]


def seen_fact(calls: Iterable[Call]) -> str:
    """Say of a plan when readers see what it makes."""
    drafts = [_makes_draft(call) for call in calls]
    if not any(drafts):
        return "Readers see it at once; there is no draft of it on the service."
    if all(drafts):
        return "Sent as a draft: readers do not get it until it is shown."
    return "Readers see it at once, except what is sent as a draft."


def _makes_draft(call: Call) -> bool:
    return bool(call.makes and isinstance(call.step.body, dict) and call.step.body.get("draft"))


class _Ops:
    """The requests to send, and which of them wait for which."""

    def __init__(self, staged: SiteArrangement) -> None:
        self.staged, self.base, self.now = staged, staged.base, staged.now
        self.ops: dict[str, Op] = {}
        self._added: dict[str, list[Op]] = {}
        """The added things in their order, by the scope in which a path has to be unique."""
        self.begun = staged.begin()
        """The entries once all moves are made, where the service moves all of them alike."""
        self._last_added: list[str] = []
        """The last of the new sections, groups and links: each waits for the one before it."""
        self._last_move: list[str] = []
        """The last move of a section, a group or a link, which waits for all others."""

    def all(self) -> dict[str, Op]:
        if self.now.items is not self.base.items:
            self._adds()
            self._settings()
            self._defaults()
        self._moves()
        if self.now.items is not self.base.items:
            self._removals()
            self._waits()
            self._redirects()
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
        self._last_added = [op.key for op in self._added.get(SECTIONS, ())][-1:]
        homes = self.begun.homes
        for row in new_entries(self.base, now):
            op = self._put(f"add:{row}", "add", row, ADD)
            op.level = homes[row]
            op.needs = [(REST, key, REST) for key in self._last_added]
            self._last_added = [op.key]

    def _settings(self) -> None:
        for row in self.staged.differing:
            item, was = self.now.items[row], self.base.items.get(row)
            if row in self.now.groups:
                continue
            given = was.values if was is not None else {}
            if was is None and item.kind in LIGHT:
                given = item.values  # it is made with all of it
            if was is None and item.kind == "section":
                given = {name: item.values.get(name) for name in ("title", "icon")}
            changed = {
                name: item.values.get(name)
                for name in FIELDS[item.kind]
                if (item.values.get(name) or None) != (given.get(name) or None)
            }
            if changed:
                phase = SECTION if item.kind in ENTRIES else SHOW if _shows(changed) else SPACE
                op = self._put(f"change:{row}", "set", row, phase)
                op.values = changed
                if any(changed.get(name) for name in ("condition", "hidden", "draft")):
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
        """Return the key of the request that adds a thing, or None: it is there."""
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
        """Return the default that a scope has where the plan sets no other."""
        was = self.base.defaults.get(scope)
        if was is not None:
            return was
        if scope == SECTIONS:
            return self.staged.takes_over
        if scope == self.staged.takes_over and TOP in self.base.defaults:
            return self.base.defaults[TOP]
        if self.base.levels.get(scope):
            return None
        return self.staged.before_moves(scope, self.now.levels[scope])[0]

    def _moves(self) -> None:
        now = self.now
        levels = [TOP, *(row for row in now.walk() if row in now.levels)]
        if self.staged.sorts:
            self._entry_moves()
            levels = [level for level in levels if not _has_entries(now, level)]
        for level in levels:
            for move in self.staged.moves(level) or ():
                op = self._put(f"move:{move.id}", "move", move.id, MOVE)
                op.level, op.move = level, move

    def _entry_moves(self) -> None:
        """Move sections, groups and links, each after all that is made and after the one before."""
        last = self._last_added
        for move in entry_moves(self.begun.entries, self.now, self.staged.touched):
            again = f"move:{move.id}" in self.ops  # it went to the top for the time being
            op = self._put(f"{'place' if again else 'move'}:{move.id}", "move", move.id, MOVE)
            op.level, op.entry = move.level, move
            op.needs = [(REST, key, REST) for key in last]
            last = self._last_move = [op.key]

    def _removals(self) -> None:
        removed = self.staged.removed
        if not removed:
            return
        for row in self.base.walk():
            item = removed.get(row)
            if item is None or row in self.base.groups:
                continue
            level = self.base.level_of(row)
            if item.kind in ENTRIES or level not in removed:
                op = self._put(f"remove:{row}", "remove", row, REMOVE)
                op.level = level
                if item.kind == "group":  # once it is empty
                    op.needs = [(REST, key, REST) for key in self._last_move]
                if f"remove:{level}" in self.ops:
                    self.ops[f"remove:{level}"].needs.append((REST, op.key, REST))

    def _redirects(self) -> None:
        """Lead from each former address right after it is another one, unless it is taken over."""
        moved = {op.row: op for op in self.ops.values() if "path" in op.values}
        for row in self.staged.differing:
            if _led_from(self.staged, row):
                after = self._put(f"redirect:{row}", "redirect", row, SPACE)
                if (op := moved.get(row)) is not None:
                    after.phase, after.index = op.phase, op.index + 0.1
                    after.needs.append((REST, op.key, PATH))

    def _waits(self) -> None:
        """Note which request waits for which."""
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
            elif (move := op.move or op.entry) and f"remove:{move.anchor}" in self.ops:
                self.ops[f"remove:{move.anchor}"].needs.append((REST, op.key, REST))

    def _added_first(self) -> None:
        """Order additions before requests that name them, and after those that take their path."""
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
        """Return what adding a row creates in a scope: the row itself, or its content."""
        return row if scope != row else made_along(self.now, row) or ""

    def _holders(self) -> dict[tuple[str, JSON], str]:
        """Return the thing that has each path before anything is sent."""
        holders: dict[tuple[str, JSON], str] = {}
        for row, item in self.base.items.items():
            path = item.values.get("path")
            if path:
                scope = (self.now if row in self.now else self.base).scope_of(row)
                if scope == TOP and self.staged.takes_over is not None:
                    scope = self.staged.takes_over  # also of what is removed from there later
                holders[scope, path] = row
        return holders

    def _path_waits(self, op: Op, holders: dict[tuple[str, JSON], str]) -> None:
        path = op.values.get("path")
        holder = holders.get((self.now.scope_of(op.row), path))
        if holder is None or holder == op.row:
            return
        frees = self.ops.get(f"change:{holder}")
        if frees is not None and "path" in frees.values:
            op.needs.append((PATH, frees.key, PATH))
        elif f"remove:{holder}" in self.ops:
            op.needs.append((PATH, f"remove:{holder}", REST))

    def _shown_first(self, op: Op, part: str, row: JSON) -> None:
        shows = self.ops.get(f"change:{row}")
        if shows is not None and shows is not op and _shows(shows.values):
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


def _shows(values: Mapping[str, JSON]) -> bool:
    """Whether a change shows something again."""
    return "hidden" in values and values["hidden"] is None


def _has_entries(layout: Layout, level: str) -> bool:
    """Whether sections, groups and links stand in a level, and not site spaces."""
    if level != TOP:
        return layout.items[level].kind == "group"
    return any(layout.items[row].kind in ENTRIES for row in layout.levels[TOP])


def _led_from(staged: SiteArrangement, row: str) -> str:
    """Return what a redirect is to lead from to a thing whose path is another one, "" for none.

    There is none where something else takes the former path over.
    """
    now = staged.now
    source = str(now.items[row].values.get(REDIRECT) or "")
    if not source or row not in staged.base:
        return ""
    return "" if now.paths.get((now.scope_of(row), former_path(source))) else source


ADDRESS_NOTE = "the address changes; links that readers kept may break"

REDIRECTED_NOTE = "the address changes; a redirect leads from the former one"

LED_NOTE = "the address is another one already; this leads from the one before it"

EMPTIED_NOTE = "it leaves its group empty: no call puts it back"

DEPTH_NOTE = "at the top for the time being: it would be too deep until the others have moved"

NAMED = 3
"""So many sections of a new group are named in its line."""

DEFAULT_NOTE = "the addresses of both change; links that readers kept may break"
"""What readers land on first is found without its path."""

SEEN_NOTE = "everyone sees it until the call after it: it cannot be added hidden"

UNSEEN_NOTE = "its address stays: the default is found without its path"

_UNSET: dict[str, JSON] = {"condition": None, "icon": "", "description": "", "hidden": False}
"""How a setting is unset in a request."""


class Requests:
    """The requests of a plan, made in the order in which they are sent."""

    def __init__(self, staged: SiteArrangement, begun: Begun, stays: Iterable[str]) -> None:
        """Begin with nothing sent; ``stays`` are entries whose moves nothing takes back.

        ``begun`` has the entries that there are before anything is removed.
        """
        self.staged, self.base, self.now = staged, staged.base, staged.now
        self._entries = begun.entries
        self._unordered = frozenset((*staged.removed, *stays, *self._entries.along))
        """The entries that need not be where a move left them for it to be taken back."""
        organization, site = staged.ids
        self.ids = (organization, site)
        self.where = {"organization_id": organization, "site_id": site}
        self._paths: dict[str, JSON] = {}
        """Paths that were changed for the time being."""
        self._orders: dict[str, _Order] = {}
        self._taken = begun.taken

    def call(self, op: Op) -> Call:
        """Return the next request."""
        match op.kind:
            case "add":
                return self._added(op)
            case "set":
                return self._set(op)
            case "default":
                return self._default(op)
            case "move":
                return self._move(op)
            case "remove":
                return self._remove(op)
            case "redirect":
                return self._redirect(op)

    def _redirect(self, op: Op) -> Call:
        """Return the request that leads from a former address, with all below it, to the new."""
        row, item = op.row, self._item(op.row)
        source = _led_from(self.staged, row)
        kind, name = ("site-section", "siteSectionId")
        if item.kind != "section":
            kind, name = ("site-space", "siteSpaceId")
        to: dict[str, JSON] = {"kind": kind, name: row}
        body = {"source": source, "captureWildcard": True, "permanent": True, "destination": to}
        made = f"{NEW}{op.key}"
        return Call(
            op.key,
            "Redirect",
            item.title,
            f"Redirect {clean(source)} to {item.title}, permanent",
            Step("create_site_redirect", self.where, body),
            former_address_redirected(self.ids, made, source, to),
            made,
            note="" if "path" in changed_fields(self.base.items[row], item) else LED_NOTE,
        )

    def _item(self, row: str) -> Item:
        return self.now.items.get(row) or self.base.items[row]

    def _node(self, row: str, level: str = TOP) -> SiteNode:
        item = self._item(row)
        assert item.kind in ("group", "section", "link", "site-space")
        return SiteNode(row, item.kind, item.title, level)

    # More and fewer

    def _added(self, op: Op) -> Call:
        match self._item(op.row).kind:
            case "section":
                return self._add_section(op)
            case "group":
                return self._add_group(op)
            case "link":
                return self._add_link(op)
        return self._add(op)

    def _add_group(self, op: Op) -> Call:
        row, item = op.row, self.now.items[op.row]
        taken = self._taken[row]
        body = self._new_entry(op, FIELDS["group"])
        line = f"New group {item.title}{self._within(op.level)}"
        if taken:
            body["sections"] = [*taken]
            line += f", with {few([self._item(each).title for each in taken], NAMED)}"
        line += self._unseen(item)
        backs = [(self._node(each), back) for each, back in taken.items()]
        kinds = {back[1]: self._item(back[1]).kind for _, back in backs if back is not None}
        made = group_made(self.ids, row, backs, kinds)
        lost = any(back is None for _, back in backs)
        notes = [DEPTH_NOTE] if self._passes(row, op.level) else []
        if lost:
            notes.append(EMPTIED_NOTE)
        return Call(
            f"add:{row}", "Add group", item.title, line,
            Step("add_site_section_group", self.where, body), None if lost else made, row,
            note="; ".join(notes), arrived=made.still if lost else None,
        )  # fmt: skip

    def _add_link(self, op: Op) -> Call:
        row, item = op.row, self.now.items[op.row]
        body = self._new_entry(op, FIELDS["link"])
        line = f"New link {item.title}{self._within(op.level)} to {said(item.values['url'])}"
        line += self._unseen(item)
        return Call(
            f"add:{row}", "Add link", item.title, line,
            Step("add_site_external_link", self.where, body), link_added(self.ids, row), row,
        )  # fmt: skip

    def _new_entry(self, op: Op, names: Collection[str]) -> dict[str, JSON]:
        values = self.now.items[op.row].values
        body = {name: values[name] for name in names if values.get(name)}
        return body | ({"parent": op.level} if op.level != TOP else {})

    def _unseen(self, item: Item) -> str:
        return ", as a draft" if item.values.get("draft") else ""

    def _within(self, level: str) -> str:
        return f" in {self._item(level).title}" if level != TOP else ""

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
        if item.kind in LIGHT:
            return self._remove_entry(op, line)
        thing, name = ("site_section", "sections") if section else ("site_space", "spaces")
        return Call(
            f"remove:{row}",
            "Remove",
            item.title,
            line,
            Step(f"delete_{thing}", {**self.where, f"{thing}_id": row}),
            note="the content stays",
            arrived=self._shown(name, row, there=False),
        )

    def _remove_entry(self, op: Op, line: str) -> Call:
        kind = self.base.items[op.row].kind
        note = "what is in it stays" if kind == "group" and self.base.levels[op.row] else ""
        back = self._made_again(op.row) if kind == "group" else None
        return Call(
            f"remove:{op.row}",
            "Remove",
            self.base.items[op.row].title,
            line,
            Step(f"delete_{THINGS[kind]}", {**self.where, f"{THINGS[kind]}_id": op.row}),
            back,
            note=note,
            arrived=None if back else entry_shown(self.ids, op.row, there=False),
        )

    def _made_again(self, group: str) -> Reversal:
        """Return the way back of the removal of a group, and take it out of the entries."""
        place, back = self._entries.remove(group)
        sections = [row for row, level in self._entries.along.items() if level == group]
        values = self.base.items[group].values
        kind = "" if back[0] == "into" else self._item(back[1]).kind
        return group_removed(self.ids, group, values, sections, place, back, kind, self._unordered)

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
            before[name] = _sent(name, old, item.kind)
        after = {name: _sent(name, value, item.kind) for name, value in op.values.items()}
        forth = {name: value for name, value in after.items() if name in before}
        node = self._node(row)
        title = (was or item).title  # as it is called as long as nothing was sent
        thing = THINGS[item.kind]
        sent = site_row_changed(self.ids, node, after, after)
        notes = self._address_notes(op, before)
        if op.key.startswith("free:"):
            notes = ["for the time being, until the path it takes is free"]
        if lasting:
            notes.append("what readers land on first is not undone")
        where = f" (in {self._item(level).title})" if level in self.now.items else ""
        return Call(
            op.key,
            _verb(op.values),
            title,
            f"{title}{where}: {', '.join(told)}",
            Step(f"update_{thing}", {**self.where, f"{thing}_id": row}, after),
            site_row_changed(self.ids, node, before, forth) if before else None,
            note="; ".join(notes),
            arrived=None if before else sent.still,
        )

    def _address_notes(self, op: Op, before: Mapping[str, JSON]) -> list[str]:
        """Return notes on the public addresses that change."""
        row, was = op.row, self.base.items.get(op.row)
        notes = []
        if "path" in op.values and was is not None:
            stays = was.values.get("default") and self._item(row).values.get("default")
            told = REDIRECTED_NOTE if _led_from(self.staged, row) else ADDRESS_NOTE
            notes.append(UNSEEN_NOTE if stays else told)
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
            arrived=arrived,
        )

    # Order

    def _move(self, op: Op) -> Call:
        if op.entry is not None:
            return self._move_entry(op, op.entry)
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
        node = self._node(move.id, level)
        way = row_moved(
            self.ids, node, move, back or move, before, after, found.leaving, near=found.long,
            sorts=self.staged.sorts,
        )  # fmt: skip
        return Call(
            op.key,
            "Move",
            item.title,
            f"{item.title} {move.side} {self._item(move.anchor).title}{where}",
            way.forth[0],
            None if back is None else way,
            note="" if back is not None else "only a group is beside it",
            arrived=way.still if back is None else None,
        )

    def _move_entry(self, op: Op, move: EntryMove) -> Call:
        item, where = self._item(move.id), self._within(move.level)
        line = f"{item.title} into {self._item(move.level).title}" if move.side == "into" else (
            f"{item.title} {move.side} {self._item(move.anchor).title}"
            f"{f' ({where.strip()})' if where else ''}"
        )  # fmt: skip
        if move.before.level not in ("", move.level):
            line += f", out of {self._item(move.before.level).title}"
        kinds = {each: self._item(each).kind for each in self._beside(move)}
        way = entry_moved(self.ids, item.kind, move, kinds, self._unordered)
        notes = [DEPTH_NOTE] if self._passes(move.id, move.level) else []
        if move.back is None:
            notes.append(EMPTIED_NOTE)
        return Call(
            op.key, "Move", item.title, line, way.forth[0], None if move.back is None else way,
            note="; ".join(notes),
            arrived=way.still if move.back is None else None,
        )  # fmt: skip

    def _passes(self, row: str, level: str) -> bool:
        """Whether an entry is in a level on its way only: it is wanted in another."""
        return row in self.now and self.now.level_of(row) != level

    def _beside(self, move: EntryMove) -> list[str]:
        """Return what an entry goes next to, forth and back."""
        both = (move.side, move.anchor), move.back or ("into", "")
        return [anchor for side, anchor in both if side in ("before", "after")]


class _Order:
    """A level between two moves, each row linked with its neighbours.

    A plan may move thousands: no move goes through all of them.
    """

    def __init__(
        self, rows: Sequence[str], groups: Collection[str], leaving: Sequence[str]
    ) -> None:
        self.groups, self.leaving = groups, leaving
        self._passed = {*groups, *leaving}
        self._below = dict(pairwise(("", *rows, "")))
        self._above = {row: above for above, row in self._below.items()}
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

        A row that is removed later is no neighbour to go back to, if there is another.
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


def _sent(name: str, value: JSON, kind: str) -> JSON:
    """Return a setting as a request says it."""
    if kind in LIGHT and not value:
        return False if name == "draft" else None
    return value or _UNSET.get(name, value)


def _verb(values: dict[str, JSON]) -> str:
    match list(values):
        case ["title"]:
            return "Rename"
        case ["hidden" | "draft" as name]:
            return "Hide" if values[name] else "Show"
        case ["defaultSiteSpace"]:
            return "Default"
    return "Change"
