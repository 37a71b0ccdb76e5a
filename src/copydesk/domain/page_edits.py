"""Edits of pages that are staged on this machine, and what is sent of them.

An edit has three copies: the text that it began with, mine, and, when it is sent, that of the
service by then. What both sides changed in different lines is merged; the same lines are a clash,
and nothing is sent.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, fields, replace
from typing import Any, Literal, TypeAlias, get_args

from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.page_source import merge_pages, page_update, read_page_source, title_of
from copydesk.domain.page_tree import PageNode
from copydesk.domain.reversal import JSON, Expectation, Reversal, Step
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
    as `page_source` has them). ``into`` is the page above it (None the top) and ``at`` how many
    stand before it there, of a new page and of one that is ``moved``.
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
    def named(self) -> str:
        """What its page is called."""
        return (title_of(self.text) if self.kind == "insert" else self.title) or "Untitled"

    def to_text(self) -> str:
        """Return it as it is kept."""
        return json.dumps(asdict(self))


def edit_of(text: str) -> PageEdit:
    """Return the edit that was kept as a text. Raises ``ValueError`` for what is none."""
    kept: Any = json.loads(text)
    known = {each.name for each in fields(PageEdit)}
    if not isinstance(kept, dict) or kept.get("kind") not in get_args(EditKind):
        raise ValueError("this is no edit of a page")
    try:
        return PageEdit(**{name: value for name, value in kept.items() if name in known})
    except TypeError as error:
        raise ValueError("this is no edit of a page") from error


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
    """Return the changes of one content write, in the order in which they are made.

    ``tree`` are the pages of the change request. New pages come first, so that others may link to
    them by their ids (``new:1``), then edits and moves, then deletions, those below others first.
    Raises `FileError` for front matter that cannot be read.
    """
    at = {node.id: place for place, node in enumerate(tree)}
    order = sorted(edits, key=lambda page: (at.get(page, -1), page))
    changes: list[dict[str, JSON]] = []
    for page in order:
        edit = edits[page]
        if edit.kind == "insert":
            source = read_page_source(edit.text)
            settings = {name: value for name, value in source.settings.items() if value}
            change = {"operation": "insert_page", "ref": page, **settings, **_place(edit)}
            changes.append({**change, "document": {"markdown": source.markdown}})
    for page in order:
        edit = edits[page]
        if edit.kind == "update":
            change = {"operation": "update_page", "page": page}
            told = page_update(edit.base_text, edit.text) if edit.text != edit.base_text else {}
            if told or edit.moved:
                changes.append({**change, **told, **(_place(edit) if edit.moved else {})})
    gone = [page for page in order if edits[page].kind == "delete"]
    return [*changes, *({"operation": "delete_page", "page": page} for page in reversed(gone))]


def settings_lines(edit: PageEdit) -> list[str]:
    """Return what an edit changes of the settings of its page, a line each; clean."""
    try:
        told = page_update(edit.base_text, edit.text) if edit.base_text else {}
    except FileError as error:
        return [f"Not to be sent so: {clean(str(error), limit=200)}"]
    lines = [
        f"{name}: {clean(str(value), limit=200) or 'none'}"
        for name, value in told.items()
        if name != "document"
    ]
    return [*lines, *(["moved"] if edit.moved else [])]


def _place(edit: PageEdit) -> dict[str, JSON]:
    place: dict[str, JSON] = {} if edit.into is None and not edit.moved else {"into": edit.into}
    return place if edit.at is None else {**place, "at": edit.at}


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
) -> Reversal:
    """Return the way back of a content write: one content write that puts everything back.

    ``ids`` name the change request, ``before`` and ``after`` are its revisions around the write,
    ``tree`` its pages before it, ``made`` the ids of new pages. With ``batch`` the edits are staged
    again afterwards.
    """
    back: list[dict[str, JSON]] = [{"operation": "delete_page", "page": page} for page in made]
    gone = {page for page, edit in edits.items() if edit.kind == "delete"}
    gone |= {node.id for page in list(gone) for node in below(tree, page)}
    for node in tree:
        edit = edits.get(node.id)
        if node.id in gone:
            back.append({"operation": "revert_page", "page": node.id, "revision": before})
        elif edit is not None and edit.kind == "update":
            if edit.moved:
                place = {"into": node.parent, "at": node.position}
                back.append({"operation": "update_page", "page": node.id, **place})
            if edit.text != edit.base_text:
                back.append({"operation": "revert_page", "page": node.id, "revision": before})
    write = Step("update_change_request_content", {**ids, "compat": False}, {"changes": back})
    again = Step("local.stage_again", {"batch": batch})
    return Reversal(
        (write, again) if batch else (write,),
        (),
        Expectation(
            Step("get_change_request", ids), {"revision": after}, said="it was edited since"
        ),
        note="What was sent is staged again." if batch else "",
    )
