"""Collections and spaces that are being arranged, as cells and sentences."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any

from rich.text import Text

from copydesk.domain.layout import TOP, Item, Layout
from copydesk.domain.moments import told_ago
from copydesk.domain.space_tree import TRASH, TRASH_DAYS, SpaceNode, trash_title
from copydesk.domain.text import plural
from copydesk.domain.tree_move_calls import where
from copydesk.domain.tree_plan import INHERIT, copy_of, rules_line
from copydesk.present.emoji import before
from copydesk.present.facts import Fact
from copydesk.session.glyphs import glyphs
from copydesk.session.reads.spaces import SpaceDetails
from copydesk.session.reads.tree import TrashedSpace
from copydesk.tui.arrange import cells as staged
from copydesk.tui.arrange.cells import ArrangedRow, ShownLayout, value
from copydesk.tui.spaces import cells as spaces
from copydesk.tui.widgets.list import Column, unspoken


def trash_rows(trashed: Sequence[TrashedSpace]) -> tuple[ArrangedRow, ...]:
    """Return the group of deleted spaces as a row, with one below it for each; () without any."""
    if not trashed:
        return ()
    title = trash_title(len(trashed))
    below = tuple(
        ArrangedRow(Item(each.id, "space", {"title": each.title}), TRASH) for each in trashed
    )
    return (ArrangedRow(Item(TRASH, "group", {"title": title}), TOP, below),)


def name(row: ArrangedRow, shown: ShownLayout, nodes: Mapping[str, SpaceNode]) -> Text | str:
    """Return the title of a row, with its emoji and its staged change."""
    if row.id == TRASH or row.level == TRASH:
        return Text(row.title, style="muted")
    if row.kind == "collection":
        strong = Text(row.title, style="strong")
        inside = len(shown.layout.levels.get(row.id, ()))
        note = f"  ({inside})" if inside else "  (empty)"
        found = staged.title(row, shown, strong)
        return Text.assemble(found, (note, "muted"))
    node = nodes.get(row.id)
    plain = before(value(row, "emoji"), row.title)
    found = staged.title(row, shown, plain)
    change = shown.state(row)
    if change.new:
        sign = before(value(row, "emoji"), "")
        found = Text.assemble(sign, found) if sign else found
    elif {"title", "emoji"} & {*change.changed}:
        found = Text(plain, style="changed")
    if node is not None and spaces.no_access(node):
        found = Text.assemble(found, ("  no access", "muted"))
    return found


def now(row: ArrangedRow, shown: ShownLayout) -> Text | str:
    """Return where a row stands; nothing for what goes or is gone."""
    if TRASH in (row.id, row.level) or shown.state(row).removed:
        return ""
    return staged.now_cell(row, shown)


def was(row: ArrangedRow, shown: ShownLayout) -> Text | str:
    """Return where a row stood: its place in the level that it was in."""
    if TRASH in (row.id, row.level):
        return ""
    found = staged.was_cell(row, shown)
    return Text(str(found), style="moved") if _elsewhere(row, shown.base) else found


def shift(row: ArrangedRow, shown: ShownLayout) -> Text | str:
    """Return how far a row was moved; an arrow where it comes from elsewhere."""
    if _elsewhere(row, shown.base):
        return Text(glyphs().right, style="moved")
    return staged.shift(row, shown)


def _elsewhere(row: ArrangedRow, base: Layout) -> bool:
    return row.id in base and row.level != TRASH and base.level_of(row.id) != row.level


def rules(row: ArrangedRow, shown: ShownLayout) -> Text | str:
    """Return the merge rules of a space in a word or two."""
    if row.kind != "space" or row.level == TRASH:
        return ""
    given = row.item.values.get("mergeRules") or INHERIT
    listed = given.get("rules") if given.get("type") == "rules" else None
    if listed:
        plain: Text | str = plural(len(listed), "rule")
    else:
        plain = Text("inherit" if given.get("type") == "inherit" else "none", style="muted")
    return staged.cell(row, shown, "mergeRules", plain)


def open_requests(row: ArrangedRow, nodes: Mapping[str, SpaceNode]) -> Text | str:
    """Return how many change requests are open in a space."""
    node = nodes.get(row.id)
    return spaces.number(node.open) if node is not None and row.kind == "space" else ""


def state(
    row: ArrangedRow, shown: ShownLayout, trashed: Mapping[str, TrashedSpace], now: datetime
) -> Text | str:
    """Return the state of a row: locked, in the trash and for how long, a copy."""
    if row.level == TRASH:
        left = trashed[row.id].days_left(now) if row.id in trashed else 0
        return Text(f"{plural(left, 'day')} left", style="warn" if left <= 1 else "")
    if row.kind != "space":
        return ""
    if shown.state(row).new and copy_of(row.item):
        return Text("copy", style="added")
    locked = row.item.values.get("editMode") == "locked"
    if "editMode" in shown.state(row).changed:
        return Text("locked" if locked else "unlocked", style="changed")
    return "locked" if locked else ""


def tree_columns(
    shown: Callable[[], ShownLayout],
    nodes: Callable[[], Mapping[str, SpaceNode]],
    state: Callable[[ArrangedRow], Text | str],
) -> list[Column[ArrangedRow]]:
    """Return the columns of the tree; ``state`` returns the state of a row."""
    return [
        Column("now", "NOW", lambda row: now(row, shown()), 4, spoken=unspoken),
        Column("was", "WAS", lambda row: was(row, shown()), 4, spoken=unspoken),
        Column("title", "NAME", lambda row: name(row, shown(), nodes()), flex=1, minimum=24),
        Column(
            "shift", "", lambda row: shift(row, shown()), 4,
            spoken=lambda row, _: staged.was_told(row, str(was(row, shown())), shown()),
        ),
        Column(
            "rules", "RULES", lambda row: rules(row, shown()), 8, drop=2, spoken=spaces.rules_told
        ),
        Column(
            "open", "OPEN", lambda row: open_requests(row, nodes()), 4, align="right", drop=3,
            spoken=spaces.open_told,
        ),
        Column("state", "STATE", state, 11, drop=1),
    ]  # fmt: skip


def row_facts(
    row: ArrangedRow,
    shown: ShownLayout,
    node: SpaceNode | None,
    now: datetime,
    *,
    rules: tuple[str, Any],
    details: SpaceDetails | None,
    unread: bool,
) -> list[Fact]:
    """Return the details of a collection or a space, staged changes first."""
    found = _staged_facts(row, shown)
    above = _above(row, shown.layout)
    if len(above) > 1:  # the tree indents only so far
        found.append(Fact("in", " / ".join(above)))
    if row.kind == "collection":
        about = value(row, "description")
        if about:
            found.append(Fact("about", about))
        inside = [shown.layout.items[each] for each in shown.layout.levels.get(row.id, ())]
        counts = [
            plural(count, kind)
            for kind in ("collection", "space")
            if (count := sum(each.kind == kind for each in inside))
        ]
        found.append(Fact("holds", " and ".join(counts) or "nothing"))
        if node is not None and node.permissions is not None:
            admin = "admin" in node.permissions
            found.append(Fact("you may", "arrange and change it" if admin else "look"))
        if node is not None and node.app_url:
            found.append(Fact("app", Text(node.app_url, style="link")))
        return found
    if node is None:
        found.append(Fact("rules", rules_line(row.item.values.get("mergeRules"))))
        return found
    rest = spaces.facts(node, now, organization_rules=rules, details=details, unread=unread)
    return [*found, *rest]


def _above(row: ArrangedRow, layout: Layout) -> list[str]:
    """Return the titles of the collections around a row, the outermost first."""
    found: list[str] = []
    level = row.level
    while level in layout:
        found.append(layout.items[level].title)
        level = layout.level_of(level)
    return found[::-1]


def _staged_facts(row: ArrangedRow, shown: ShownLayout) -> list[Fact]:
    change, base = shown.state(row), shown.base
    found: list[Fact] = []
    if change.removed:
        kept = f": kept {TRASH_DAYS} days in the trash" if row.kind == "space" else ""
        found.append(Fact("staged", Text(f"to be deleted{kept}", style="removed")))
    elif change.new:
        original = base.items.get(copy_of(row.item))
        words = f"a copy of {original.title}" if original is not None else f"a new {row.kind}"
        found.append(Fact("staged", Text(words, style="added")))
    if change.moved and row.id in base and base.level_of(row.id) != row.level:
        level = base.level_of(row.id)
        former = where(level, shown.layout if level in shown.layout else base)
        found.append(Fact("staged", Text(f"moves here from {former}", style="moved")))
    was = base.items.get(row.id)
    if "title" in change.changed and was is not None:
        found.append(Fact("old title", was.title))
    return found


def trash_facts(trashed: TrashedSpace, now: datetime) -> list[Fact]:
    """Return what to know about a space in the trash."""
    left = trashed.days_left(now)
    found = [
        Fact("deleted", told_ago(trashed.deleted, now)),
        Fact("kept for", Text(f"{plural(left, 'more day')}, then it is gone for good", "warn")),
        Fact("restore", "D, or Enter"),
    ]
    if trashed.shown_by:
        sites = ", ".join(trashed.shown_by)
        found.append(Fact("shown by", f"{sites}: readers get it again once it is restored"))
    return found


TRASH_FACTS = (
    Fact(
        "",
        "The API lists no deleted spaces. These were deleted from this machine, or listed "
        "here before, or a site still shows them; what others deleted may be missing.",
    ),
    Fact("", "They are looked up here, and restored by D or Enter."),
)
"""What to know about the group of deleted spaces."""
