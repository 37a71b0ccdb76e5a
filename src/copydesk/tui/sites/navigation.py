"""The top navigation of a site as readers see it, before and after what is staged."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from itertools import islice
from typing import TYPE_CHECKING

from rich.text import Text

from copydesk.domain.layout import TOP
from copydesk.domain.text import clean, listed, plural, shorten
from copydesk.present.facts import Fact
from copydesk.session.glyphs import glyphs

if TYPE_CHECKING:
    from copydesk.domain.layout import Item, Layout

BAR_LIMIT = 30
"""So many entries of the top are looked at for what is particular about them."""

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

    ``changed`` are the ids of what is lit. Of a long one, what is drawn begins at ``start``.
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
    """Return what readers see at the top: before, after, and what is particular about it."""
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
    """Whether readers get an entry: a section of which everything is hidden shows nothing."""
    if item.values.get("trashed") or item.values.get("hidden"):
        return False
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
        if item.kind == "group":
            named = ", ".join(now.items[each].title for each in inside[:NAMED])
            more = f" {glyphs().more}" if len(inside) > NAMED else ""
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
            yield from layout.levels.get(row, ())
        else:
            yield row


def _about(layout: Layout, item: Item) -> Iterator[Fact]:
    condition = str(item.values.get("condition") or "")
    if condition:
        said = shorten(clean(condition), CONDITION_CELLS)
        yield Fact("", f"{item.title} is shown only when its condition ({said}) is true.")
    if item.values.get("trashed"):
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
