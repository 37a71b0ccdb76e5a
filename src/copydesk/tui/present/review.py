"""What a change request changes, as a tree of pages and as sentences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING

from rich.text import Text

from copydesk.domain.age import age
from copydesk.domain.page_tree import ChangeKind, PageNode, compare_trees
from copydesk.domain.text import clean, plural
from copydesk.tui.glyphs import glyphs
from copydesk.tui.merge_facts import RulesRead, document_text
from copydesk.tui.present.comment import name_of

if TYPE_CHECKING:
    from copydesk.contract.models.change_request import (
        ChangeRequest,
        Changes,
        Conflict,
        Placement,
    )
    from copydesk.contract.models.content import File
    from copydesk.contract.models.space import Space
    from copydesk.domain.merge_rules import RuleResult

Lines = list[tuple[str, Text | str]]
"""Facts: a label (empty for a line of its own) and what it says."""

FILE = "file:"
"""Begins the ids of files in the tree, which share it with pages."""

FILES = "files"
"""The id of the branch that holds them."""

_KINDS: Mapping[str, ChangeKind] = {
    "created": "added",
    "deleted": "deleted",
    "moved": "moved",
    "edited": "edited",
}


@dataclass(frozen=True, slots=True)
class Changed:
    """A page or a file that a change request changes.

    ``text`` is False where it is known that the text itself is the same.
    """

    id: str
    kinds: tuple[ChangeKind, ...]
    before: PageNode | None
    after: PageNode | None
    file: bool = False
    text: bool | None = None
    note: str = ""

    @property
    def node(self) -> PageNode:
        """It as it is now, or as it was when it is gone."""
        node = self.after or self.before
        assert node is not None
        return node


@dataclass(frozen=True, slots=True)
class Entry:
    """A line of the tree of pages: a changed page, or one that is only above or among them."""

    id: str
    title: str
    change: Changed | None
    children: tuple[Entry, ...] = ()


# What changed


def changed_pages(
    before: Sequence[PageNode], after: Sequence[PageNode], hint: Changes | None
) -> list[Changed]:
    """Return the changed pages in reading order.

    Two trees tell what differs from primary content as it is now. Where the service also says what
    the request itself did (E6) that decides which pages are shown: what primary content did since
    is not the author's change.
    """
    found = {
        change.id: Changed(change.id, change.kinds, change.before, change.after)
        for change in compare_trees(before, after)
    }
    if hint is None or hint.more:
        return list(found.values())
    old, new = {node.id: node for node in before}, {node.id: node for node in after}
    told: dict[str, Changed] = {}
    for change in hint.changes:
        kind = _KINDS.get(change.type.partition("_")[2])
        if change.page is None or kind is None or not change.type.startswith("page_"):
            continue
        page = change.page
        was, now = _node(page.id, change.before), _node(page.id, change.after)
        stub = PageNode(page.id, page.title, path=page.path, type=page.type)
        entry = told.get(page.id) or Changed(
            page.id,
            (),
            None if kind == "added" else old.get(page.id) or was or stub,
            None if kind == "deleted" else new.get(page.id) or now or stub,
        )
        kinds = list(entry.kinds)
        if kind != "edited":
            kinds.append(kind)
        else:
            if was is not None and now is not None:
                renamed = (was.title, was.slug) != (now.title, now.slug)
            else:
                renamed = page.id in found and "renamed" in found[page.id].kinds
            if renamed:
                kinds.append("renamed")
            if change.text_changed is not False or not renamed:
                kinds.append("edited")
            entry = replace(entry, text=change.text_changed)
        told[page.id] = replace(entry, kinds=tuple(kinds))
    return list(told.values())


def _node(page_id: str, placed: Placement | None) -> PageNode | None:
    if placed is None:
        return None
    path = placed.path or ""
    return PageNode(
        page_id, placed.title or "", slug=path.rpartition("/")[2], path=path, parent=placed.parent,
        position=placed.position or 0,
    )


def changed_files(
    before: Sequence[File] | None, after: Sequence[File] | None, hint: Changes | None
) -> list[Changed]:
    """Return the changed files: as the service tells, else from the two lists of files."""
    found: list[Changed] = []
    if hint is not None:
        for change in hint.changes:
            kind = _KINDS.get(change.type.removeprefix("file_"))
            if change.file is None or kind is None:
                continue
            title = change.file.path or change.file.name or change.file.id
            node = PageNode(FILE + change.file.id, title, type="file")
            was = None
            if change.before is not None:
                was = replace(node, title=change.before.path or change.before.title or title)
            found.append(
                Changed(
                    node.id,
                    (kind,),
                    None if kind == "added" else was or node,
                    None if kind == "deleted" else node,
                    file=True,
                    note=change.file.content_type or "",
                )
            )
        return found
    old = {file.id: file for file in before or ()}
    new = {file.id: file for file in after or ()}
    for file_id, file in new.items():
        was_there = old.get(file_id)
        kinds: tuple[ChangeKind, ...] = ()
        if was_there is None:
            kinds = ("added",)
        elif _content(was_there) != _content(file):
            kinds = ("edited",)
        if kinds:
            old_node = None if was_there is None else _file_node(was_there)
            found.append(
                Changed(FILE + file_id, kinds, old_node, _file_node(file), True, note=_about(file))
            )
    found.extend(
        Changed(FILE + file_id, ("deleted",), _file_node(file), None, True, note=_about(file))
        for file_id, file in old.items()
        if file_id not in new
    )
    return found


def _content(file: File) -> tuple[object, ...]:
    return (file.git.oid if file.git else None, file.size, file.name, file.content_type)


def _file_node(file: File) -> PageNode:
    return PageNode(FILE + file.id, file.name or file.id, type="file")


def _about(file: File) -> str:
    size = "" if file.size is None else plural(file.size, "byte")
    return ", ".join(part for part in (file.content_type, size) if part)


# The tree


def entries(
    after: Sequence[PageNode], changes: Sequence[Changed], *, everything: bool = False
) -> list[Entry]:
    """Return the tree of changed pages with the pages above them; ``everything`` keeps all pages.

    Removed pages stand where they stood. Files are a branch of their own, at the end.
    """
    by_id = {change.id: change for change in changes}
    nodes = {node.id: node for node in after}
    lost = [c.node for c in changes if not c.file and c.id not in nodes]
    order = [*after, *lost]
    nodes.update((node.id, node) for node in lost)
    below: dict[str | None, list[str]] = {}
    for node in after:
        below.setdefault(_parent(node, nodes), []).append(node.id)
    for node in lost:
        siblings = below.setdefault(_parent(node, nodes), [])
        siblings.insert(min(node.position, len(siblings)), node.id)
    made: dict[str, Entry] = {}
    # Pages stand before what is below them, so from the end everything below is made already.
    for node in reversed(order):
        children = tuple(made[child] for child in below.get(node.id, ()) if child in made)
        if children or everything or node.id in by_id:
            made[node.id] = Entry(node.id, clean(node.title), by_id.get(node.id), children)
    roots = [made[page] for page in below.get(None, ()) if page in made]
    files = tuple(Entry(c.id, clean(c.node.title), c) for c in changes if c.file)
    if files:
        roots.append(Entry(FILES, f"Files ({len(files)})", None, files))
    return roots


def _parent(node: PageNode, nodes: Mapping[str, PageNode]) -> str | None:
    return node.parent if node.parent in nodes else None


def in_order(roots: Sequence[Entry]) -> list[Changed]:
    """Return the changed pages and files as they stand in the tree, from top to bottom."""
    found: list[Changed] = []
    waiting = list(reversed(roots))
    while waiting:
        entry = waiting.pop()
        if entry.change is not None:
            found.append(entry.change)
        waiting.extend(reversed(entry.children))
    return found


def sign(change: Changed) -> tuple[str, str]:
    """Return the sign of a change and its tone: ``~`` edited, ``+`` new, ``-`` gone, moved."""
    if "added" in change.kinds:
        return "+", "good"
    if "deleted" in change.kinds:
        return "-", "bad"
    if "edited" in change.kinds or "renamed" in change.kinds:
        return "~", "changed"
    return glyphs().right, "moved"


def entry_title(entry: Entry) -> Text:
    """Return a line of the tree: the sign and the title."""
    if entry.change is None:
        return Text(entry.title or "(untitled)", style="muted")
    mark, tone = sign(entry.change)
    style = "removed" if tone == "bad" else ""
    moved = "moved" in entry.change.kinds and tone == "changed"
    text = Text.assemble((f"{mark} ", tone), (entry.title or "(untitled)", style))
    return text.append(f" {glyphs().right}", style="moved") if moved else text


def place_of(change: Changed) -> str:
    """Return where a changed page stands: "Reference / Webhooks / Retries"."""
    return clean(change.node.place)


def page_notes(change: Changed, *, gone_in_main: bool = False, merged: bool = False) -> list[str]:
    """Return what is to be said above a page's text: added, moved, renamed, gone."""
    before, after = change.before, change.after
    what = "file" if change.file else "page"
    notes: list[str] = []
    if "added" in change.kinds:
        notes.append(f"New {what}.")
    if "deleted" in change.kinds:
        notes.append(f"This {what} is removed.")
    if before is not None and after is not None:
        if "moved" in change.kinds:
            notes.append(f"moved: {_whereabouts(before, after)}")
        if "renamed" in change.kinds:
            if before.title != after.title:
                notes.append(f"renamed: was “{clean(before.title)}”, now “{clean(after.title)}”")
            if before.slug != after.slug and before.slug and after.slug:
                notes.append(f"address: was {clean(before.slug)}, now {clean(after.slug)}")
    if change.file:
        if change.note:
            notes.append(clean(change.note))
        notes.append("Files are not shown here. o opens them in the browser.")
    elif change.node.type not in ("document", ""):
        notes.append(f"This page is a {clean(change.node.type)}, which has no text.")
    if gone_in_main and not merged:
        notes.append("Primary content no longer has this page: somebody removed it since.")
    return notes


def _whereabouts(before: PageNode, after: PageNode) -> str:
    was = " / ".join(map(clean, before.trail)) or "the top"
    now = " / ".join(map(clean, after.trail)) or "the top"
    if was != now:
        return f"was under {was}, now under {now}"
    return f"now at place {after.position + 1} under {now}, was at {before.position + 1}"


# Sentences


def status_text(request: ChangeRequest) -> Text:
    """Return the status as a word with its tone."""
    tone = {"open": "good", "merged": "moved", "draft": "muted", "archived": "muted"}
    text = Text(clean(request.status), style=tone.get(request.status, ""))
    if request.outdated and request.status in ("open", "draft"):
        text.append(f"  {glyphs().outdated} out of date", style="warn")
    return text


def rule_text(result: RuleResult) -> Text:
    """Return a rule with how it came out: passed, failed, or a question mark."""
    signs = {"pass": (glyphs().passed, "good"), "fail": (glyphs().failed, "bad")}
    mark, tone = signs.get(result.outcome, ("?", "warn"))
    return Text.assemble((f"{mark} ", tone), clean(result.sentence))


def summary(changes: Sequence[Changed]) -> str:
    """Return what is changed in a few words: "3 pages edited, 1 new, 1 file"."""
    pages = [change for change in changes if not change.file]
    counts = [
        (sum("added" in c.kinds for c in pages), "new"),
        (sum("edited" in c.kinds for c in pages), "edited"),
        (sum("renamed" in c.kinds for c in pages), "renamed"),
        (sum("moved" in c.kinds for c in pages), "moved"),
        (sum("deleted" in c.kinds for c in pages), "removed"),
    ]
    parts = [f"{count} {word}" for count, word in counts if count]
    said = plural(len(pages), "page") + (f": {', '.join(parts)}" if parts else "")
    files = len(changes) - len(pages)
    return f"{said}; {plural(files, 'file')}" if files else said


def overview(
    request: ChangeRequest,
    space: Space,
    changes: Sequence[Changed] | None,
    rules: RulesRead | None,
    threads: tuple[int, int] | None,
    seen: tuple[int, int],
    now: datetime,
) -> Lines:
    """Return what the first tab says. ``threads`` and ``seen`` count (open, all), (seen, all)."""
    by = name_of(request.created_by)
    lines: Lines = [
        ("", Text(clean(request.subject) or "(no subject)", style="strong")),
        ("", ""),
        ("status", status_text(request)),
        (
            "author",
            Text.assemble(
                (by, "who"), f", opened {_ago(request.created_at, now)}",
                f", changed {_ago(request.updated_at, now)}",
            ),
        ),
        ("space", clean(space.title)),
    ]
    if request.outdated and request.status in ("open", "draft"):
        lines.append(("", Text("Primary content has moved on. U pulls it in.", style="warn")))
    if request.conversations_issues_cluster:
        lines.append(("cluster", "made for a cluster of questions (gk opens it)"))
    if rules is not None:
        if not rules.results:
            lines.append(("rules", Text("no merge rules hold here", style="muted")))
        lines += [
            ("" if nth else "rules", rule_text(each)) for nth, each in enumerate(rules.results)
        ]
    lines += _reviewers(rules, now)
    if changes is not None:
        lines.append(("changes", f"{summary(changes)} ({seen[0]} of {seen[1]} seen)"))
    if threads is not None:
        lines.append(("threads", f"{threads[0]} open, {threads[1] - threads[0]} resolved"))
    lines.append(("", ""))
    described = clean(document_text(request.description), lines=True, limit=50_000).strip()
    if described:
        lines += [("", part) for part in described.split("\n")]
    else:
        lines.append(("", Text("No description.", style="muted")))
    return lines


def _ago(then: datetime, now: datetime) -> str:
    said = age(then, now)
    return said if said == "now" else f"{said} ago"


def _reviewers(rules: RulesRead | None, now: datetime) -> Lines:
    if rules is None or rules.reviews is None:
        return []
    lines: list[Text] = []
    answered: set[str] = set()
    for review in rules.reviews:
        if review.reviewer.id in answered:
            continue
        answered.add(review.reviewer.id)
        good = review.status == "approved"
        said = {"approved": "approved", "changes-requested": "asked for changes"}
        text = Text.assemble(
            (glyphs().passed if good else glyphs().failed, "good" if good else "bad"), " ",
            (name_of(review.reviewer), "who"), f" {said.get(review.status, clean(review.status))}",
        )
        if review.created_at is not None:
            text.append(f"  {age(review.created_at, now)}", style="muted")
        if review.outdated:
            text.append("  before the latest change", style="muted")
        lines.append(text)
        if review.comment is not None and review.comment.markdown:
            lines.append(Text(f"  {clean(review.comment.markdown, limit=400)}", style="muted"))
    for asked in rules.requested or ():
        if asked.user.id not in answered:
            lines.append(
                Text.assemble(("? ", "warn"), (name_of(asked.user), "who"), " was asked")
            )
    if not lines:
        return [("reviews", Text("none, and nobody was asked (w asks)", style="muted"))]
    return [("" if nth else "reviews", line) for nth, line in enumerate(lines)]


def conflict_lines(conflicts: Sequence[Conflict]) -> list[Text]:
    """Return conflicts in full: which page, what clashes, and the lines of both sides."""
    said = {
        "edited": "both sides edited the same lines",
        "edited-deleted": "edited here, removed in primary content",
        "deleted-edited": "removed here, edited in primary content",
        "moved": "both sides moved it",
        "renamed": "both sides renamed it",
        "added": "both sides added it",
    }
    found: list[Text] = []
    for conflict in conflicts:
        what = ""
        if conflict.page is not None:
            what = conflict.page.title or conflict.page.path or conflict.page.id
        elif conflict.file is not None:
            what = conflict.file.path or conflict.file.name or conflict.file.id
        kind = said.get(conflict.kind, clean(conflict.kind))
        sign_of = (f"{glyphs().failed} ", "bad")
        found.append(Text.assemble(sign_of, (clean(what) or "something", "strong"), f": {kind}"))
        for lines in conflict.lines or ():
            found.append(Text(f"   line {lines.start}", style="muted"))
            for side, texts in (("here   ", lines.change), ("primary", lines.primary)):
                found += [Text.assemble((f"     {side}  ", "muted"), clean(x)) for x in texts]
    return found
