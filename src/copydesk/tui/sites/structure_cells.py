"""The structure of a site as cells and sentences: as it is published, and as it is staged."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rich.cells import cell_len
from rich.text import Text

from copydesk.domain.layout import TOP, Layout, change_line
from copydesk.domain.site_tree import SiteNode
from copydesk.domain.text import clean, plural
from copydesk.present.facts import Fact
from copydesk.tui.arrange.cells import Row, Shown, cell, title

Nodes = Mapping[str, SiteNode]
"""What the service told of the rows, by id; of what is only staged it told nothing."""

SHOWN_TITLES = 20
"""So many titles of what is in a row are listed in its details."""


def value(row: Row, name: str) -> str:
    """Return a setting of a row as text, clean."""
    return clean(str(row.item.values.get(name) or ""))


def name(row: Row, shown: Shown, nodes: Nodes) -> Text | str:
    """Return the title of a row; groups, which have no name, are told from sections."""
    plain: Text | str = row.title
    if row.kind == "group":
        plain = Text(f"{row.title} (group)", style="emphasis")
    elif row.item.values.get("hidden") or trashed(row, nodes):
        plain = Text(row.title, style="muted")
    elif row.kind == "section":
        plain = Text(row.title, style="strong")
    return title(row, shown, plain)


def name_cells(layout: Layout, row: str) -> int:
    """Return how many cells the title of a row takes in the tree, with what is left of it."""
    depth, above = 1, layout.level_of(row)
    while above in layout.items and depth < 9:
        depth, above = depth + 1, layout.level_of(above)
    item = layout.items[row]
    return 2 * depth + cell_len(item.title) + (8 if item.kind == "group" else 0)


def trashed(row: Row, nodes: Nodes) -> bool:
    """Whether the space that a row shows is in the trash."""
    node = nodes.get(row.id)
    return node is not None and node.trashed


def path(row: Row, shown: Shown) -> Text | str:
    """Return the part of the address that a row adds; the default adds none."""
    if row.kind == "group":
        return Text("-", style="muted")
    said = value(row, "path")
    if not said and shown.state(row).new:
        return Text("later", style="muted")
    plain: Text | str = f"/{said}"
    if row.item.values.get("default"):
        plain = Text(f"/{said}", style="muted")
    return cell(row, shown, "path", plain)


def variants(row: Row, shown: Shown) -> Text | str:
    """Return how many spaces a section shows."""
    if row.kind != "section":
        return ""
    count = len(shown.layout.levels.get(row.id, ()))
    return str(count) if count else Text("0", style="warn")


def state(row: Row, shown: Shown, nodes: Nodes) -> Text | str:
    """Return what is particular about a row: in the trash, the default, hidden, conditional."""
    if row.kind == "group":
        inside = shown.layout.levels.get(row.id, ())
        return Text(plural(len(inside), "section"), style="muted")
    said = Text()
    condition, changed = value(row, "condition"), shown.state(row).changed
    if shown.layout.items.get(row.id) is not row.item:
        changed = ()  # it is shown as it is published
    for field, true, words, tone in (
        ("", trashed(row, nodes), "in trash", "bad"),
        ("default", row.item.values.get("default"), "default", "good"),
        ("hidden", row.item.values.get("hidden"), "hidden", "warn"),
        ("condition", condition, f"if {condition}", "accent"),
    ):
        if true:
            style = "changed" if field in changed else tone
            said.append(" " if said.plain else "").append(words, style=style)
    if not said.plain and changed:
        names = {"default": "no default", "hidden": "shown", "condition": "for everybody"}
        told = [words for field, words in names.items() if field in changed]
        said.append(", ".join(told), style="changed")
    return said


def row_facts(row: Row, shown: Shown, base: Layout, nodes: Nodes) -> list[Fact]:
    """Return what to know about a row of the structure, what is staged of it first."""
    found = _staged_facts(row, shown, base)
    if row.kind == "group":
        titles = _titles(row.children)
        return [
            *found,
            Fact("holds", titles),
            Fact("order", "its sections can be moved among themselves; it stays where it is"),
            Fact("", Text("The API gives a group no name and no operation.", style="muted")),
        ]
    node, default = nodes.get(row.id), bool(row.item.values.get("default"))
    said = f"/{value(row, 'path')}" + " (the default: not in the address)" * default
    if node is not None or value(row, "path"):
        found.append(Fact("path", said))
    if node is not None and node.address:
        found.append(Fact("address", Text(node.address, style="link")))
    if row.kind == "section":
        if icon := value(row, "icon"):
            found.append(Fact("icon", icon))
        if about := value(row, "description"):
            found.append(Fact("about", about))
        found.append(Fact("shows", _titles(row.children) or "nothing"))
    else:
        if node is not None and node.audience:
            found.append(Fact("audience", node.audience))
        hidden = row.item.values.get("hidden")
        found.append(
            Fact("shown", Text("hidden from the navigation", style="warn"))
            if hidden
            else Fact("shown", "in the navigation")
        )
    if default:
        where = "the site" if row.level == TOP or row.kind == "section" else "its section"
        found.append(Fact("default", f"readers land on it first in {where}"))
    if condition := value(row, "condition"):
        found.append(Fact("shown if", condition))
    if node is not None and node.trashed:
        found.append(Fact("", Text("Its space is in the trash: readers do not get it.", "bad")))
    return found


def _titles(rows: Sequence[Row]) -> str:
    named = ", ".join(each.title for each in rows[:SHOWN_TITLES])
    more = len(rows) - SHOWN_TITLES
    return f"{named} and {more} more" if more > 0 else named


def _staged_facts(row: Row, shown: Shown, base: Layout) -> list[Fact]:
    state = shown.state(row)
    said: list[str] = []
    if state.removed:
        said = ["removed: the site stops showing it, its content is kept. u brings it back"]
    elif state.new:
        said = ["added"]
    else:
        before = base.items[row.id].values if row.id in base else {}
        said = [
            change_line(field, before.get(field), row.item.values.get(field))
            for field in state.changed
        ]
        if state.moved:
            said.append(f"moved from place {shown.was.get(row.id)} to {shown.now.get(row.id)}")
    return [Fact("staged", Text("; ".join(said), style="warn"))] if said else []
