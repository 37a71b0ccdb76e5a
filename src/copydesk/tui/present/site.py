"""Sites and their structure as cells and sentences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING
from urllib.parse import quote

from rich.cells import cell_len
from rich.text import Text

from copydesk.domain.address import web_address
from copydesk.domain.age import age
from copydesk.domain.site_tree import TOP, Levels, SiteNode, Structure
from copydesk.domain.staged import Staged, Step
from copydesk.domain.text import clean, plural
from copydesk.tui.glyphs import glyphs
from copydesk.tui.widgets.facts import Fact

if TYPE_CHECKING:
    from copydesk.contract.models.site import Site

AUDIENCES: Mapping[str, str] = {
    "public": "everybody",
    "unlisted": "whoever has the address",
    "share-link": "whoever has a share link",
    "visitor-auth": "signed-in visitors",
}
"""Who can read a site, by its visibility."""


BAR_LIMIT = 40
"""A top with more rows than that is not drawn as the bar that readers see."""


@dataclass(frozen=True, slots=True)
class SiteRow:
    """One site in a list; texts are clean."""

    id: str
    title: str
    visibility: str
    published: bool
    spaces: int
    address: str
    plan: str
    adaptive: bool
    agents: str
    created: datetime | None


def site_row(site: Site) -> SiteRow:
    """Return the row of a site."""
    host = ""
    if site.hostname:
        host = web_address(f"https://{site.hostname}/{quote(site.basename or '', safe='')}")
    return SiteRow(
        site.id,
        clean(site.title).strip() or "Untitled",
        clean(str(site.visibility)),
        site.published,
        site.site_spaces,
        web_address(site.urls.published) or host,
        clean(str(site.type)),
        site.adaptive_content is not None and site.adaptive_content.enabled,
        clean(str(site.agents_context or "")),
        site.created_at,
    )


def published(row: SiteRow) -> Text | str:
    """Return whether readers can get it, in a word."""
    return "published" if row.published else Text("not yet", style="warn")


def audience(row: SiteRow) -> str:
    """Return who can read a site."""
    return AUDIENCES.get(row.visibility, row.visibility or "not known")


def host(row: SiteRow) -> Text:
    """Return where a site is, without the scheme."""
    where = row.address.removeprefix("https://").removeprefix("http://")
    return Text(where.removesuffix("/"), style="link" if row.published else "muted")


def site_facts(row: SiteRow, now: datetime, staged: int = 0) -> list[Fact]:
    """Return what to know about a site; ``staged`` moves of it are kept on this machine."""
    waiting = f"{plural(staged, 'move')}, nothing sent: enter shows the order, ctrl+s sends it"
    found = [Fact("staged", Text(waiting, style="warn"))] if staged else []
    found += [
        Fact("state", published(row) if row.published else Text("not published", style="warn")),
        Fact("read by", audience(row)),
        Fact("shows", plural(row.spaces, "space")),
        Fact("address", host(row) if row.address else Text("none yet", style="muted")),
        Fact("plan", row.plan),
    ]
    if row.adaptive:
        found.append(Fact("content", "adapts to its visitors"))
    if row.agents:
        found.append(Fact("agents", "may read it" if row.agents == "included" else "kept out"))
    if row.created is not None:
        since = age(row.created, now)
        found.append(Fact("made", "just now" if since == "now" else f"{since} ago"))
    return found


# The structure


def name(node: SiteNode) -> Text | str:
    """Return the title of a row; groups, which have no name, are told from sections."""
    if node.kind == "group":
        return Text(node.title, style="emphasis")
    if node.hidden or node.trashed:
        return Text(node.title, style="muted")
    return Text(node.title, style="strong") if node.kind == "section" else node.title


def name_cells(node: SiteNode, structure: Structure) -> int:
    """Return how many cells the title of a row takes in the tree, with what is left of it."""
    depth, above = 1, structure.nodes.get(node.level)
    while above is not None and depth < 9:
        depth, above = depth + 1, structure.nodes.get(above.level)
    return 2 * depth + cell_len(node.title)


def now_cell(node: SiteNode, numbers: Mapping[str, int]) -> Text | str:
    """Return where a row stands: ``3`` at the top, ``.3`` further down."""
    return _number(node, numbers)


def was_cell(node: SiteNode, numbers: Mapping[str, int], before: Mapping[str, int]) -> Text | str:
    """Return where a row stood in the published order; dim where that is the same."""
    was = _number(node, before)
    if not was:
        return Text("new", style="accent")
    same = numbers.get(node.id) == before.get(node.id)
    return Text(was, style="muted" if same else "moved")


def _number(node: SiteNode, numbers: Mapping[str, int]) -> str:
    at = numbers.get(node.id)
    if at is None:
        return ""
    return f"{at}" if node.level == TOP else f".{at}"


def shift(
    node: SiteNode, numbers: Mapping[str, int], before: Mapping[str, int], moved: set[str]
) -> Text | str:
    """Return how far a row that was moved has come: an arrow and a number."""
    if node.id not in moved:
        return ""
    by = numbers[node.id] - before[node.id]
    signs = glyphs()
    if not by:
        return Text(signs.dot, style="moved")
    return Text(f"{signs.down if by > 0 else signs.up}{abs(by)}", style="moved")


def path(node: SiteNode) -> Text | str:
    """Return the part of the address that a row adds; the default adds none."""
    if node.kind == "group":
        return Text("-", style="muted")
    shown = f"/{node.path}"
    return Text(shown, style="muted") if node.default else shown


def holds(node: SiteNode) -> Text | str:
    """Return what is below a row."""
    if node.kind == "site-space":
        return ""
    return str(len(node.children)) if node.children else Text("0", style="warn")


def state(node: SiteNode) -> Text | str:
    """Return what is particular about a row: in the trash, the default, hidden, conditional."""
    said = Text()
    for true, words, tone in (
        (node.trashed, "in trash", "bad"),
        (node.default, "default", "good"),
        (node.hidden, "hidden", "warn"),
        (bool(node.condition), f"if {node.condition}", "accent"),
    ):
        if true:
            said.append(" " if said.plain else "").append(words, style=tone)
    return said


def node_facts(node: SiteNode, structure: Structure) -> list[Fact]:
    """Return what to know about a row of the structure."""
    if node.kind == "group":
        inside = structure.levels.get(node.id, ())
        titles = ", ".join(structure.nodes[row].title for row in inside)
        return [
            Fact("holds", titles),
            Fact("order", "its sections can be moved among themselves; it stays where it is"),
            Fact("", Text("The API gives a group no name and no operation.", style="muted")),
        ]
    found = [Fact("path", f"/{node.path}" + (" (the default: not in the address)" * node.default))]
    if node.address:
        found.append(Fact("address", Text(node.address, style="link")))
    if node.kind == "section":
        if node.description:
            found.append(Fact("about", node.description))
        shown = ", ".join(structure.nodes[row].title for row in structure.levels.get(node.id, ()))
        found.append(Fact("shows", shown or "nothing"))
    else:
        if node.audience:
            found.append(Fact("audience", node.audience))
        found.append(
            Fact("shown", Text("hidden from the navigation", style="warn"))
            if node.hidden
            else Fact("shown", "in the navigation")
        )
    if node.default:
        where = "the site" if node.level == TOP or node.kind == "section" else "its section"
        found.append(Fact("default", f"readers land on it first in {where}"))
    if node.condition:
        found.append(Fact("shown if", node.condition))
    if node.trashed:
        found.append(Fact("", Text("Its space is in the trash: readers do not get it.", "bad")))
    return found


# The plan


def step_line(step: Step, structure: Structure) -> str:
    """Return one request of a plan as people read it: ``Terminal after Payments``."""
    nodes = structure.nodes
    line = f"{nodes[step.move.id].title} {step.move.side} {nodes[step.move.anchor].title}"
    if step.level in nodes:
        line += f" (in {nodes[step.level].title})"
    return line


def plan_facts(staged: Staged, steps: Sequence[Step], structure: Structure) -> list[Fact]:
    """Return the plan, and how the top of the site reads before and after it."""
    if not steps:
        return [
            Fact("", Text("Nothing is staged: this is the published order.", style="muted")),
            Fact("", Text("J and K move a row here; nothing is sent until ctrl+s.", "muted")),
        ]
    found = [Fact(str(at), step_line(step, structure)) for at, step in enumerate(steps, start=1)]
    if len(staged.now.get(TOP, ())) <= BAR_LIMIT:
        before = _bar(staged.base, structure)
        after = _bar(staged.now, structure, {step.move.id for step in steps})
        if before.plain != after.plain:
            found += [Fact("", ""), Fact("before", before), Fact("after", after)]
    found.append(Fact("", Text("Addresses do not change when the order does.", style="muted")))
    return found


def _bar(
    levels: Levels, structure: Structure, moved: set[str] | frozenset[str] = frozenset()
) -> Text:
    """Return the top of the site as readers see it: ``Guides | API reference | Legal``."""
    text = Text()
    for row in levels.get(TOP, ()):
        node = structure.nodes[row]
        if node.hidden or node.trashed:
            continue
        if text.plain:
            text.append(f" {glyphs().bar} ", style="muted")
        text.append(node.title, style="moved" if row in moved else "")
        if node.kind == "group":
            text.append(f" {glyphs().unfolded}", style="muted")
    return text


def plan_title(steps: Sequence[Step]) -> str:
    """Return the title of the plan: how many requests it takes."""
    if not steps:
        return "Plan"
    return f"Plan   {plural(len(steps), 'request')}, the fewest for this order"
