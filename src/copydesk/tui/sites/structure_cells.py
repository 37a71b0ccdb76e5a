"""The structure of a site as cells, columns and sentences, and the navigation that readers see."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice

from rich.cells import cell_len
from rich.text import Text

from copydesk.domain.call import NEW
from copydesk.domain.layout import TOP, Item, Layout, change_line
from copydesk.domain.site_tree import SiteNode
from copydesk.domain.text import clean, listed, plural, shorten
from copydesk.present.facts import Fact
from copydesk.session.glyphs import glyphs
from copydesk.tui.arrange import cells as staged
from copydesk.tui.arrange.cells import Row, Shown, cell, title
from copydesk.tui.widgets.columns import by_content
from copydesk.tui.widgets.list import Column

Nodes = Mapping[str, SiteNode]
"""The rows as the service has them, by id; rows that are only staged are not among them."""

SAID_KINDS = frozenset({"group", "link"})
"""The kinds that are named behind a title: all other rows are sections, or in one."""

SHOWN_TITLES = 20
"""So many titles of the rows inside are listed in the details of one."""


def value(row: Row, name: str) -> str:
    """Return a setting of a row as text, clean."""
    return clean(str(row.item.values.get(name) or ""))


def name(row: Row, shown: Shown, nodes: Nodes) -> Text | str:
    """Return the title of a row; groups, which have no name, are told from sections."""
    plain: Text | str = row.title
    if row.kind in SAID_KINDS:
        named = title(row, shown, Text(row.title, style="emphasis"))
        return Text.assemble(named, (f" ({row.kind})", "muted"))
    if row.item.values.get("hidden") or trashed(row, nodes):
        plain = Text(row.title, style="muted")
    elif row.kind == "section":
        plain = Text(row.title, style="strong")
    return title(row, shown, plain)


def name_cells(layout: Layout, row: str) -> int:
    """Return how many cells a row takes in the tree up to the end of its title."""
    depth, above = 1, layout.level_of(row)
    while above in layout.items and depth < 9:
        depth, above = depth + 1, layout.level_of(above)
    item = layout.items[row]
    new = 4 if row.startswith(NEW) else 0
    return (
        2 * depth
        + new
        + cell_len(item.title)
        + (len(item.kind) + 3 if item.kind in SAID_KINDS else 0)
    )


def trashed(row: Row, nodes: Nodes) -> bool:
    """Whether the space that a row shows is in the trash."""
    node = nodes.get(row.id)
    return node is not None and node.trashed


def path(row: Row, shown: Shown) -> Text | str:
    """Return the part of the address that a row adds; the default adds none."""
    if row.kind in SAID_KINDS:
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
    """Return the states of a row: in the trash, the default, hidden, conditional."""
    said = Text()
    condition, changed = value(row, "condition"), shown.state(row).changed
    if shown.layout.items.get(row.id) is not row.item:
        changed = ()  # it is shown as it is published

    def add(words: str, tone: str, field: str = "") -> None:
        said.append(" " if said.plain else "")
        said.append(words, style="changed" if field in changed else tone)

    # First, as an address may take all of the cell.
    if row.item.values.get("draft"):
        add("draft", "warn", "draft")
    elif row.kind in SAID_KINDS and "draft" in changed:
        add("shown", "warn", "draft")
    if row.kind == "group":
        inside = shown.layout.levels.get(row.id, ())
        only = all(shown.layout.items[each].kind == "section" for each in inside)
        holds = plural(len(inside), "section" if only else "entry") if inside else "empty"
        add(holds, "muted")
    elif row.kind == "link":
        add(bare(value(row, "url")), "link", "url")
    for field, true, words, tone in (
        ("", trashed(row, nodes), "in trash", "bad"),
        ("default", row.item.values.get("default"), "default", "good"),
        ("hidden", row.item.values.get("hidden"), "hidden", "warn"),
        ("condition", condition, f"if {condition}", "accent"),
    ):
        if true:
            add(words, tone, field)
    if not said.plain and changed:
        names = {
            "default": "no default",
            "hidden": "shown",
            "condition": "for everybody",
        }
        told = [words for field, words in names.items() if field in changed]
        said.append(", ".join(told), style="changed")
    return said


def row_facts(row: Row, shown: Shown, nodes: Nodes) -> list[Fact]:
    """Return the details of a row of the structure, staged changes first."""
    found = _staged_facts(row, shown)
    if row.kind in SAID_KINDS:
        return [*found, *_entry_facts(row, told=row.id in shown.layout.groups)]
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


def _entry_facts(row: Row, *, told: bool) -> Iterator[Fact]:
    """Yield the details of a group or a link; ``told``: only its sections tell of the group."""
    if row.kind == "group":
        yield Fact("holds", _titles(row.children) or "nothing")
    if told:
        yield Fact("order", "its sections can be moved among themselves; it stays where it is")
        yield Fact("", Text("This service gives a group no name and no operation.", style="muted"))
    if row.kind == "link":
        yield Fact("leads to", Text(value(row, "url"), style="link"))
    for name, label in (("icon", "icon"), ("description", "about"), ("condition", "shown if")):
        if said := value(row, name):
            yield Fact(label, said)
    if row.item.values.get("draft"):
        with_it = " and what is in it" if row.children else ""
        yield Fact("shown", Text(f"a draft: readers do not get it{with_it}", style="warn"))


def bare(url: str) -> str:
    """Return an address without what every one begins with."""
    return url.partition("://")[2].rstrip("/") or url


def _titles(rows: Sequence[Row]) -> str:
    named = ", ".join(each.title for each in rows[:SHOWN_TITLES])
    more = len(rows) - SHOWN_TITLES
    return f"{named} and {more} more" if more > 0 else named


def _staged_facts(row: Row, shown: Shown) -> list[Fact]:
    state, base = shown.state(row), shown.base
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


BAR_LIMIT = 30
"""So many entries of the top are looked at for their particulars."""

BAR_ENTRIES = 12
"""So many entries are drawn; of more, those around the first one that differs."""

BEFORE_IT = 3
"""So many are drawn before that one."""

CONDITION_CELLS = 60
"""A condition longer than this is cut where it is told."""

NAMED = 8
"""So many titles are named in one sentence."""


def bar(layout: Layout, changed: Collection[str] = (), start: int = 0) -> Text:
    """Return the top of a site as readers see it: ``Guides | Products ▾ | Legal``.

    ``changed`` are the ids of lit entries. A long one is drawn from ``start`` on.
    """
    text, level = Text(), layout.levels.get(TOP, ())
    if start:
        text.append(glyphs().more, style="muted")
    for row in level[start : start + BAR_ENTRIES]:
        item = layout.items[row]
        if not _seen(layout, item):
            continue
        if text.plain:
            text.append(f" {glyphs().bar} ", style="muted")
        text.append(item.title, style="moved" if row in changed else "")
        if item.kind == "group":
            text.append(f" {glyphs().unfolded}", style="muted")
    more = len(level) - start - BAR_ENTRIES
    if more > 0:
        text.append(f" {glyphs().more} and {more} more", style="muted")
    return text if text.plain else Text("nothing", style="muted")


def _start(base: Layout, now: Layout) -> int:
    """Return where the drawn part of two long bars begins."""
    before, after = base.levels.get(TOP, ()), now.levels.get(TOP, ())
    if max(len(before), len(after)) <= BAR_ENTRIES:
        return 0
    pairs = enumerate(zip(before, after, strict=False))
    first = next((at for at, (one, other) in pairs if one != other), 0)
    return max(0, first - BEFORE_IT)


def navigation_facts(base: Layout, now: Layout, changed: Collection[str] = ()) -> list[Fact]:
    """Return the top as readers see it, before and after, and its particulars."""
    start = _start(base, now)
    before, after = bar(base, start=start), bar(now, changed, start)
    if before.plain == after.plain:
        found = [
            Fact("", Text("AS IT IS" if base is now else "BEFORE AND AFTER ALIKE", "muted")),
            Fact("", after),
        ]
    else:
        found = [
            Fact("", Text("BEFORE", "muted")), Fact("", before),
            Fact("", Text("AFTER", "muted")), Fact("", after),
        ]  # fmt: skip
    found += _menus(base, now, changed)
    told = list(islice(_particulars(base, now), 2 * NAMED))
    return [*found, Fact("", ""), *told] if told else found


def _menus(base: Layout, now: Layout, changed: Collection[str]) -> list[Fact]:
    """Return the menus of sections that are not as they were, before and after."""
    sections: dict[str, None] = {}
    for row in changed:
        for layout in (now, base):
            if row in layout and layout.items[row].kind == "site-space":
                sections[layout.level_of(row)] = None
    found: list[Fact] = []
    for row in sections:
        before, after = _menu(base, row), _menu(now, row)
        if row in base and row in now and before != after:
            title = (f"{now.items[row].title} {glyphs().unfolded}  ", "strong")
            found.append(Fact("", Text.assemble(title, before, (" → ", "muted"), (after, "moved"))))
        if len(found) == NAMED:
            break
    return found


def _menu(layout: Layout, row: str) -> str:
    """Return what a section shows as its readers choose from it."""
    shown = [layout.items[each] for each in layout.levels.get(row, ())[:BAR_LIMIT]]
    seen = [each for each in shown if _seen(layout, each)]
    first = " (first)" if len(seen) > 1 else ""
    titles = [f"{each.title}{first if each.values.get('default') else ''}" for each in seen]
    return ", ".join(titles) or "nothing"


def _seen(layout: Layout, item: Item) -> bool:
    """Whether readers get an entry: a section with everything hidden shows nothing."""
    if any(item.values.get(name) for name in ("trashed", "hidden", "draft")):
        return False
    if item.kind == "group":
        return any(_seen(layout, layout.items[row]) for row in layout.levels.get(item.id, ()))
    if item.kind == "section":
        inside = layout.levels.get(item.id, ())
        return not inside or any(_seen(layout, layout.items[row]) for row in inside)
    return True


def _particulars(base: Layout, now: Layout) -> Iterator[Fact]:
    """Yield what the bar alone does not tell."""
    first = _first(now)
    if first:
        was = _first(base)
        since = f", so far on {was}" if was and was != first else ""
        yield Fact("", f"Readers land on {first} first{since}.")
    for row in now.levels.get(TOP, ())[:BAR_LIMIT]:
        item = now.items[row]
        inside = now.levels.get(row, ())
        if item.kind == "group" and not _seen(now, item):
            why = "a draft" if item.values.get("draft") else "empty"
            yield Fact("", f"{item.title} is {why}: readers do not get it.")
        elif item.kind == "group":
            seen = [each for each in inside[:BAR_LIMIT] if _seen(now, now.items[each])]
            named = ", ".join(now.items[each].title for each in seen[:NAMED])
            more = f" {glyphs().more}" if len(seen) > NAMED or len(inside) > BAR_LIMIT else ""
            yield Fact(
                "",
                Text.assemble((f"{item.title} {glyphs().unfolded}", "strong"), f"  {named}{more}"),
            )
            for each in inside[:NAMED]:
                yield from _about(now, now.items[each])
        else:
            yield from _about(now, item)


def _first(layout: Layout) -> str:
    """Return what readers land on first; empty where nothing says so."""
    tops = layout.levels.get(TOP, ())
    for row in islice(_open(layout, tops), BAR_LIMIT):
        if layout.items[row].values.get("default"):
            return layout.items[row].title
    return ""


def _open(layout: Layout, tops: Collection[str]) -> Iterator[str]:
    for row in tops:
        if layout.items[row].kind == "group":
            yield from _open(layout, layout.levels.get(row, ()))
        else:
            yield row


def _about(layout: Layout, item: Item) -> Iterator[Fact]:
    condition = str(item.values.get("condition") or "")
    if condition:
        said = shorten(clean(condition), CONDITION_CELLS)
        yield Fact("", f"{item.title} is shown only when its condition ({said}) is true.")
    if item.values.get("draft"):
        yield Fact("", f"{item.title} is a draft: readers do not get it.")
    elif item.values.get("trashed"):
        yield Fact("", f"{item.title} is in the trash: readers do not get it.")
    elif item.values.get("hidden"):
        yield Fact("", f"{item.title} is hidden: only its address leads there.")
    elif item.kind == "section":
        inside = [layout.items[row] for row in layout.levels.get(item.id, ())[:BAR_LIMIT]]
        hidden = [each.title for each in inside if not _seen(layout, each)]
        if inside and len(hidden) == len(inside):
            yield Fact("", f"{item.title} is not shown: {_all_of(hidden)} hidden.")
        elif hidden:
            yield Fact("", f"{item.title} keeps {listed(hidden[:NAMED])} out of its menu.")
        for each in inside:
            if each.values.get("condition"):
                said = shorten(clean(str(each.values["condition"])), CONDITION_CELLS)
                yield Fact(
                    "",
                    f"{each.title} in {item.title} is shown only when ({said}) is true.",
                )


def _all_of(hidden: Collection[str]) -> str:
    return (
        "what it holds is" if len(hidden) == 1 else f"all {plural(len(hidden), 'space')} in it are"
    )


TITLE_CELLS = 24
"""Cells that titles take before anything else is shown of a row."""

STATE_CELLS = 44
"""Cells that a row's states may take where there is room."""


def site_columns(
    shown: Callable[[], Shown], nodes: Callable[[], Nodes], layout: Layout
) -> list[Column[Row]]:
    """Return the columns; what a site has in them says how wide they are. Titles come first."""
    rows = [Row(item, layout.level_of(row)) for row, item in layout.items.items()]
    longest = max((name_cells(layout, row.id) for row in rows), default=0)
    titles = max(18, min(longest, TITLE_CELLS))
    part: Column[Row] = Column("path", "PATH", lambda row: path(row, shown()), 5, drop=2)
    visible: Column[Row] = Column(
        "state", "VISIBLE", lambda row: state(row, shown(), nodes()), 7, drop=1
    )
    # What is particular about a row is not cut while the titles have blanks to give.
    longest = by_content(visible, rows, most=STATE_CELLS).width
    return [
        Column("now", "NOW", lambda row: staged.now_cell(row, shown()), 4),
        Column("was", "WAS", lambda row: staged.was_cell(row, shown()), 4),
        Column(
            "title", "SECTION", lambda row: name(row, shown(), nodes()),
            flex=1, minimum=titles,
        ),
        Column("shift", "", lambda row: staged.shift(row, shown()), 4),
        by_content(part, rows, most=12),
        Column("variants", "HOLDS", lambda row: variants(row, shown()), 5, drop=3),
        replace(visible, width=min(longest, 16), most=longest),
    ]  # fmt: skip
