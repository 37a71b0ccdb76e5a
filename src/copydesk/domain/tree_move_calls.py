"""The requests of a plan that move collections and spaces, each with its way back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, replace

from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.layout import TOP, Layout
from copydesk.domain.reversal import Call, Step
from copydesk.domain.tree_inverses import (
    LIST_LIMIT,
    collection_entered,
    collections_lined_up,
    line_up,
    move_body,
    order_again,
    space_moved,
)
from copydesk.domain.tree_moves import TreeMove


@dataclass(frozen=True, slots=True)
class Tree:
    """Where a plan is made: in an organization, whose service lists spaces or not (``listed``)."""

    organization: str
    listed: bool = True


def where(level: str, layout: Layout) -> str:
    """Return what a level is called."""
    return "the top" if level == TOP else layout.items[level].title


@dataclass
class MoveCalls:
    """Goes through the moves of a plan, to know for each how it is taken back."""

    tree: Tree
    base: Layout
    now: Layout
    levels: Mapping[str, list[str]]
    """How everything stands before the first move."""
    _spaces: dict[str, list[str]] = field(default_factory=dict)

    def calls(self, moves: list[TreeMove]) -> list[Call]:
        """Return the requests that make the moves."""
        if not moves:
            return []
        self._kinds = {row: item.kind for row, item in self.base.items.items()}
        self._kinds.update((row, item.kind) for row, item in self.now.items.items())
        self._removed = {row for row in self.base.items if row not in self.now}
        home = {row: level for level, rows in self.levels.items() for row in rows}
        self._origin = dict(home)
        self._told: set[str] = set()
        self._spaces = {
            level: [row for row in rows if self._kinds[row] == "space"]
            for level, rows in self.levels.items()
        }
        total = sum(map(len, self._spaces.values()))
        self._listed = self.tree.listed and total <= LIST_LIMIT
        self._disturbed = {
            home[move.id] for move in moves if self._is_collection(move) and move.entering
        }
        last_in_line = {move.level: move.id for move in moves if self._is_collection(move)}
        calls: list[Call] = []
        keys: set[str] = set()
        for move in moves:
            if not self._is_collection(move):
                call = self._space(move, home)
            elif move.entering:
                call = self._entering(move, home[move.id])
            else:
                call = self._in_line(move, last=last_in_line[move.level] == move.id)
            if call.key in keys:  # first into the level, then to its place there
                call = replace(call, key=f"{call.key}/2")
            keys.add(call.key)
            calls.append(call)
        return calls

    def _is_collection(self, move: TreeMove) -> bool:
        return self._kinds[move.id] == "collection"

    def _line(self, move: TreeMove, beside: str) -> str:
        title = self.now.items[move.id].title
        if not move.entering:
            inside = f" (in {where(move.level, self.now)})" if move.level != TOP else ""
            return f"{title} {beside}{inside}"
        into = f"{title} into {where(move.level, self.now)}"
        if move.level == TOP:
            into = f"{title} to the top, out of {self._home(move)}"
        return f"{into}, {beside}" if beside else into

    def _home(self, move: TreeMove) -> str:
        level = self._origin[move.id]
        return where(level, self.base if level in self._removed else self.now)

    def _target(self, move: TreeMove) -> str:
        """Return what a move is about, as it stands in the log: also from where to where."""
        title = self.now.items[move.id].title
        if not move.entering:
            return title
        to = "to" if move.level == TOP else "into"
        return f"{title} from {self._home(move)} {to} {where(move.level, self.now)}"

    def _note(self, move: TreeMove) -> str:
        if not move.entering:
            return ""
        if move.level == TOP:
            return "roles of people that came with its collection end"
        return f"people's roles in {where(move.level, self.now)} hold for it"

    def _space(self, move: TreeMove, home: dict[str, str]) -> Call:
        level = home[move.id]
        was = (level, tuple(self._spaces[level]))
        self._spaces[level].remove(move.id)
        target = self._spaces[move.level]
        at = len(target)
        if move.anchor:
            at = target.index(move.anchor) + (move.side == "after")
        target.insert(at, move.id)
        home[move.id] = move.level
        body = move_body(move.level, move.side, move.anchor)
        again: tuple[Step, ...] = ()
        if level in self._disturbed and level != move.level:
            # It may be the space that the collections there are ordered by on the way back.
            again = order_again(self.tree.organization, level, self._collections(level))
        beside = ""
        if move.anchor:
            beside = f"{move.side} {self.now.items[move.anchor].title}"
        return Call(
            f"move:{move.id}",
            "Move",
            self._target(move),
            self._line(move, beside),
            Step("move_space", {"space_id": move.id}, body),
            space_moved(
                self.tree.organization,
                move.id,
                body,
                was,
                (move.level, tuple(target)),
                without=sorted(self._removed),
                listed=self._listed,
                again=again,
            ),
            note=self._note(move),
        )

    def _collections(self, level: str) -> list[str]:
        rows = self.levels.get(level, ())
        return [row for row in rows if self._kinds[row] == "collection"]

    def _entering(self, move: TreeMove, home: str) -> Call:
        body = move_body(move.level, move.side, move.anchor)
        was = self._collections(home)
        # One that came is there on the way back too; one that left brings the order with it.
        anchored = bool(self._spaces[home])
        anchored = anchored or any(self._kinds[row] == "space" for row in self.levels[home])
        note = self._note(move)
        if was[-1] != move.id and not anchored:
            note += f"; undone, it comes last in {self._home(move)}, where no space is"
        return Call(
            f"move:{move.id}",
            "Move",
            self._target(move),
            self._line(move, ""),
            Step("move_collection", {"collection_id": move.id}, body),
            collection_entered(
                self.tree.organization, move.id, body, move.level, (home, was), anchored=anchored
            ),
            note=note,
        )

    def _in_line(self, move: TreeMove, *, last: bool) -> Call:
        rows = self.now.levels[move.level]
        wanted = [row for row in rows if self._kinds[row] == "collection"]
        at = wanted.index(move.id)
        beside = "first of the collections"
        if at:
            beside = f"after {self.now.items[wanted[at - 1]].title}"
        step = line_up(move.id, move.level, move.anchor)
        was = self._collections(move.level)
        leaving = [row for row in was if row not in wanted]
        return Call(
            f"move:{move.id}",
            "Order",
            self.now.items[move.id].title,
            self._line(move, beside),
            step,
            collections_lined_up(
                self.tree.organization,
                step,
                move.level,
                was,
                # Where one comes back on the way, that brings the old order with it.
                wanted if last and move.level not in self._disturbed else None,
                without=leaving,
            ),
            note=self._why_anew(move.level),
        )

    def _why_anew(self, level: str) -> str:
        """Say once for a level why more is moved than was moved by hand."""
        if level in self._told:
            return ""
        self._told.add(level)
        return (
            "the API puts a collection only beside a space and does not say which comes first: "
            "to be certain, the collections here are put again, one by one"
        )
