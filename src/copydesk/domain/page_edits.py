"""Edits of pages staged on this machine, and the requests that send them.

An edit has three copies: the text that it began with, mine, and, when it is sent, that of the
service by then. What both sides changed in different lines is merged; the same lines are a clash,
and nothing is sent.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, fields, replace
from typing import Any, Literal, TypeAlias, get_args

from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.page_places import Placing, levels_of, placed, placings, staged_levels
from copydesk.domain.page_source import (
    check_slug,
    merge_pages,
    page_update,
    read_page_source,
    slug_of,
    title_of,
)
from copydesk.domain.page_tree import PageNode
from copydesk.domain.reversal import JSON, Expectation, Reversal, Step
from copydesk.domain.slug import free_slug
from copydesk.domain.text import clean
from copydesk.domain.text_merge import Clash
from copydesk.domain.yaml_lines import FileError

EditKind: TypeAlias = Literal["update", "insert", "delete"]

NEW = "new:"
"""What the ids of pages begin with that are not sent yet; no id of the API does."""

MOST = 50
"""So many changes go with one request."""


@dataclass(frozen=True, slots=True)
class PageEdit:
    """What is staged of one page.

    ``base_text`` is the page's text at ``base_revision`` of the change request, ``text`` mine (both
    as `page_source` has them); both are the same, and may be empty, where only the place changes.
    ``into`` is the page above it (None the top) and ``at`` how many stand before it there once all
    is sent, of a new page and of one that is ``moved``.
    """

    kind: EditKind
    base_revision: str
    base_text: str = ""
    text: str = ""
    into: str | None = None
    at: int | None = None
    moved: bool = False
    title: str = ""

    @property
    def idle(self) -> bool:
        """Whether it changes nothing."""
        return self.kind == "update" and self.text == self.base_text and not self.moved

    @property
    def of_text(self) -> bool:
        """Whether it changes the text of its page, or makes one."""
        return self.kind != "delete" and (self.kind == "insert" or self.text != self.base_text)

    @property
    def titled(self) -> str:
        """The title that its settings say; "" where they say none."""
        try:
            return str(read_page_source(self.text).settings.get("title") or "")
        except FileError:
            return ""

    @property
    def named(self) -> str:
        """What its page is called."""
        return (title_of(self.text) if self.kind == "insert" else self.title) or "Untitled"

    def to_text(self) -> str:
        """Return it as it is kept."""
        return json.dumps(asdict(self))


def edit_of(text: str) -> PageEdit:
    """Return the edit kept as ``text``. Raises ``ValueError`` for any other text."""
    kept: Any = json.loads(text)
    known = {each.name for each in fields(PageEdit)}
    if not isinstance(kept, dict) or kept.get("kind") not in get_args(EditKind):
        raise ValueError("this is not an edit of a page")
    try:
        return PageEdit(**{name: value for name, value in kept.items() if name in known})
    except TypeError as error:
        raise ValueError("this is not an edit of a page") from error


# Theirs against mine


@dataclass(frozen=True, slots=True)
class Standing:
    """How an edit stands to what the service has by now.

    ``same``: as it began. ``merged``: both sides are in it, and it is to be looked at again.
    ``there``: the service has it already. ``clash``: both changed the same lines. ``gone``: the
    page is not there any more. ``edited``: somebody edited a page that I delete.
    """

    how: Literal["same", "merged", "there", "clash", "gone", "edited"]
    edit: PageEdit
    clashes: tuple[Clash, ...] = ()

    @property
    def open(self) -> bool:
        """Whether a person has to decide before it is sent."""
        return self.how in ("clash", "gone", "edited")


def compared(edit: PageEdit, theirs: str | None, revision: str) -> Standing:
    """Compare an edit of a page with its text by now (None where it is gone), at a revision."""
    if theirs is None:
        return Standing("there" if edit.kind == "delete" else "gone", edit)
    if theirs == edit.base_text:
        return Standing("same", replace(edit, base_revision=revision))
    if edit.moved and not edit.of_text:
        return Standing(
            "same", replace(edit, base_revision=revision, base_text=theirs, text=theirs)
        )
    if edit.kind == "delete":
        return Standing("edited", edit)
    merged, clashes = merge_pages(edit.base_text, edit.text, theirs)
    if clashes:
        return Standing("clash", edit, clashes)
    on_top = replace(edit, base_revision=revision, base_text=theirs, text=merged)
    return Standing("there" if on_top.idle else "merged", on_top)


Side: TypeAlias = Literal["mine", "theirs", "both"]

_MINE, _BETWEEN, _THEIRS = "<<<<<<< mine", "=======", ">>>>>>> theirs"


def settled(edit: PageEdit, theirs: str, revision: str, side: Side) -> PageEdit:
    """Return an edit on top of theirs, with one side where the same lines were changed.

    Both stand there between lines that mark them, for somebody who makes one text of the two.
    """

    def settle(clash: Clash) -> tuple[str, ...]:
        if side != "both":
            return clash.ours if side == "mine" else clash.theirs
        end = "\r\n" if any("\r\n" in line for line in (*clash.ours, *clash.theirs)) else "\n"

        def whole(lines: tuple[str, ...]) -> tuple[str, ...]:
            return tuple(line if line.endswith("\n") else f"{line}{end}" for line in lines)

        marked = (f"{_MINE}{end}", *whole(clash.ours), f"{_BETWEEN}{end}")
        return (*marked, *whole(clash.theirs), f"{_THEIRS}{end}")

    text, _ = merge_pages(edit.base_text, edit.text, theirs, settle=settle)
    return replace(edit, base_revision=revision, base_text=theirs, text=text)


def unsettled_line(edit: PageEdit) -> int:
    """Return the line (from 1) where both sides still stand in an edit; 0 for none."""
    known = edit.base_text.splitlines()
    for number, line in enumerate(edit.text.splitlines(), 1):
        if line in (_MINE, _THEIRS) and line not in known:
            return number
    return 0


# What is sent


def content_changes(
    edits: Mapping[str, PageEdit], tree: Sequence[PageNode]
) -> list[dict[str, JSON]]:
    """Return the changes of content that edits make, in their order; see `requests_of`.

    ``tree`` are the pages of the change request. New pages come first, so that others may link to
    them by their ids (``new:1``), then moves, pages above others first, then edits, then deletions,
    those below others first. Raises `FileError` for front matter that cannot be read.
    """
    order = {node.id: place for place, node in enumerate(tree)}
    levels = levels_of(tree)
    wanted = staged_levels(levels, edits)
    new = [page for page, edit in edits.items() if edit.kind == "insert"]
    moved = [page for page, edit in edits.items() if edit.kind == "update" and edit.moved]
    steps = placings(levels, wanted, [*new, *moved])
    led = {step.page for step in steps}
    # Others may have put a page below itself meanwhile: the service says so.
    steps += [
        Placing(page, edits[page].into, edits[page].at or 0)
        for page in (*new, *moved)
        if page not in led
    ]
    changes: list[dict[str, JSON]] = []
    for page, into, at in steps:
        edit, place = edits[page], {"into": into, "at": at}
        if edit.kind == "insert":
            source = read_page_source(edit.text)
            check_slug(edit.text)
            settings = {name: value for name, value in source.settings.items() if value}
            above = place if into is not None else {"at": at}
            change = {"operation": "insert_page", "ref": page, **settings, **above}
            changes.append({**change, "document": {"markdown": source.markdown}})
        else:
            changes.append({"operation": "update_page", "page": page, **_told(edit), **place})

    def read(page: str) -> tuple[int, str]:
        return order.get(page, -1), page

    texts = [page for page, edit in edits.items() if edit.kind == "update" and not edit.moved]
    told = {page: _told(edits[page]) for page in sorted(texts, key=read)}
    changes += (
        {"operation": "update_page", "page": page, **each} for page, each in told.items() if each
    )
    gone = [page for page, edit in edits.items() if edit.kind == "delete"]
    changes += (
        {"operation": "delete_page", "page": page} for page in sorted(gone, key=read, reverse=True)
    )
    return changes


def _told(edit: PageEdit) -> dict[str, JSON]:
    if not edit.of_text:
        return {}
    check_slug(edit.text, edit.base_text)
    return page_update(edit.base_text, edit.text)


def slug_taken(
    page: str, edit: PageEdit, tree: Sequence[PageNode], edits: Mapping[str, PageEdit]
) -> str:
    """Return which page beside it has the slug that an edit gives its page, and a free one.

    "" where none has it. ``tree`` are the pages of the change request, ``edits`` all that is staged
    of them. One that is deleted has its slug still when the others are sent.
    """
    slug, node = slug_of(edit.text), next((node for node in tree if node.id == page), None)
    stays = node is not None and not edit.moved
    if not slug or (stays and node is not None and slug == node.slug):
        return ""
    into = node.parent if stays and node is not None else edit.into
    beside: dict[str, str] = {}
    for other in tree:
        staged = edits.get(other.id)
        moved = staged is not None and staged.moved
        if other.id != page and (staged.into if staged and moved else other.parent) == into:
            said = slug_of(staged.text) if staged is not None and staged.of_text else ""
            beside[said or other.slug] = other.title
    beside |= {
        slug_of(each.text): each.named
        for other_id, each in edits.items()
        if each.kind == "insert" and other_id != page and each.into == into
    }
    if slug not in beside:
        return ""
    return f"/{slug} is taken by {clean(beside[slug])}. Free: /{free_slug(slug, beside)}"


def requests_of(changes: Sequence[dict[str, JSON]]) -> list[list[dict[str, JSON]]]:
    """Return changes by the request that they go with, `MOST` with each.

    What stands below a new page goes with a later one: only the answer says the id of the page.
    """
    found: list[list[dict[str, JSON]]] = []
    new: set[JSON] = set()
    for change in changes:
        if not found or len(found[-1]) == MOST or change.get("into") in new:
            found.append([])
            new = set()
        found[-1].append(change)
        if "ref" in change:
            new.add(change["ref"])
    return found


def settings_lines(edit: PageEdit, place: str = "") -> list[str]:
    """Return what an edit changes of the settings of its page, a line each; clean.

    ``place`` says where a moved page stands then.
    """
    try:
        told = page_update(edit.base_text, edit.text) if edit.base_text else {}
    except FileError as error:
        return [f"Not sent: {clean(str(error), limit=200)}"]
    lines = [
        f"{name}: {clean(str(value), limit=200) or 'none'}"
        for name, value in told.items()
        if name != "document"
    ]
    moved = f"moved: {place}" if place else "moved"
    return [*lines, *([moved] if edit.moved else [])]


def below(tree: Sequence[PageNode], page: str) -> list[PageNode]:
    """Return the pages below one, in reading order."""
    inside = {page}
    found = []
    for node in tree:
        if node.parent in inside:
            inside.add(node.id)
            found.append(node)
    return found


def sent_reversal(
    ids: Mapping[str, str],
    edits: Mapping[str, PageEdit],
    tree: Sequence[PageNode],
    *,
    before: str,
    after: str,
    made: Iterable[str],
    batch: str = "",
    note: str = "",
) -> Reversal:
    """Return the way back of a content write: one content write that puts everything back.

    ``ids`` name the change request, ``before`` and ``after`` are its revisions around the write,
    ``tree`` its pages before it, ``made`` the ids of new pages. With ``batch`` the edits are staged
    again afterwards. Pages are back at their places before new ones go, which may be above them.
    """
    gone = {page for page, edit in edits.items() if edit.kind == "delete"}
    gone |= {node.id for page in list(gone) for node in below(tree, page)}
    gone -= {page for page, edit in edits.items() if edit.kind != "delete" and edit.moved}
    revert = {"operation": "revert_page", "revision": before}
    back: list[dict[str, JSON]] = [{**revert, "page": node.id} for node in tree if node.id in gone]
    for page, into, at in _places_before(edits, tree, gone):
        back.append({"operation": "update_page", "page": page, "into": into, "at": at})
    for node in tree:
        edit = edits.get(node.id)
        if edit is not None and edit.kind == "update" and edit.of_text and node.id not in gone:
            back.append({**revert, "page": node.id})
    back += ({"operation": "delete_page", "page": page} for page in reversed([*made]))
    write = Step("update_change_request_content", {**ids, "compat": False}, {"changes": back})
    again = Step("local.stage_again", {"batch": batch})
    return Reversal(
        (write, again) if batch else (write,),
        (),
        Expectation(
            Step("get_change_request", ids), {"revision": after}, said="it was edited since"
        ),
        note=" ".join([*(["What was sent is staged again."] if batch else []), note]).strip(),
    )


def _places_before(
    edits: Mapping[str, PageEdit], tree: Sequence[PageNode], gone: Collection[str]
) -> list[Placing]:
    """Return the steps by which pages go back to where they were, once deleted ones are back."""
    were = levels_of(tree)
    now = staged_levels(were, edits)
    there = {page for rows in now.values() for page in rows}
    back = [Placing(node.id, node.parent, min(node.position, len(now.get(node.parent, ()))))
            for node in tree if node.id in gone and node.id not in there]  # fmt: skip
    now = placed(now, back)
    moved = {page for page, edit in edits.items() if edit.kind == "update" and edit.moved}
    off = set[str]()
    for page, into, _ in back:
        stays = [each for each in were.get(into, ()) if each not in moved]
        off |= {page} if [each for each in now[into] if each in stays] != stays else set()
    return placings(now, were, moved | off)
