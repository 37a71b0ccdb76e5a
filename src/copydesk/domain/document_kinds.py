"""What Markdown can say of a document: which blocks, with which data, marks and references.

A block that has anything else is kept whole, as its JSON.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from copydesk.contract.models.document import Node
from copydesk.domain.document_parser import CONTAINERS, MARKS

SPELLING = ("spelling", "after")
"""What a block's data says of how it was written, and of what stood after it; no part of what it
means."""

NAME = re.compile(r"[A-Za-z][\w-]*")
"""What an attribute of a tag may be called."""

_TAGS = (*CONTAINERS, "embed")
"""The blocks whose data are the attributes of a tag: texts of any name."""

LISTS = ("list-ordered", "list-unordered", "list-tasks")

_DATA: Mapping[str, tuple[str, ...]] = {
    "paragraph": (),
    **dict.fromkeys(("heading-1", "heading-2", "heading-3"), ("level",)),
    **dict.fromkeys(LISTS, ("start",)),
    "list-item": ("checked",),
    "code": ("syntax",),
    "code-line": (),
    "table": (),
    "table-row": ("header",),
    "table-cell": ("align",),
    "divider": (),
    "html": ("html",),
    "blockquote": (),
    "expandable": ("title",),
    "images": (),
    "image": ("ref", "alt", "caption"),
    "link": ("ref", "title"),
}
"""The data of each block and inline that Markdown says."""

_PARTS: Mapping[str, str] = {
    **dict.fromkeys(LISTS, "list-item"),
    "code": "code-line",
    "table": "table-row",
    "table-row": "table-cell",
    "images": "image",
}
"""What a block consists of, where it consists of one thing only."""

_LINES = ("paragraph", "table-cell", "code-line")
"""The blocks that hold text only, as headings do."""

_MARKS = (*MARKS.values(), "code", "html")


def can_be_said(node: Node) -> bool:
    """Say whether Markdown says all of a block; the blocks that it holds are asked for themselves.

    A heading of a level that there is not counts as one that there is.
    """
    kind = node.type or ""
    if not _has_known_data(node, "heading-1" if kind.startswith("heading-") else kind):
        return False
    children = node.nodes or []
    if kind in _PARTS:
        said = _inline_can_be_said if kind == "images" else can_be_said
        return all(child.type == _PARTS[kind] and said(child) for child in children)
    if kind in _LINES or kind.startswith("heading-"):
        return all(child.object != "block" and _inline_can_be_said(child) for child in children)
    return all(child.object == "block" or _inline_can_be_said(child) for child in children)


def _has_known_data(node: Node, kind: str) -> bool:
    if node.model_extra:
        return False
    data = {name: value for name, value in (node.data or {}).items() if name not in SPELLING}
    if kind in _TAGS:
        return all(isinstance(value, str) and NAME.fullmatch(name) for name, value in data.items())
    return kind in _DATA and data.keys() <= set(_DATA[kind])


def _inline_can_be_said(node: Node) -> bool:
    if node.object == "text" or node.leaves is not None:
        return not node.model_extra and not node.data and all(map(_is_plain, node.leaves or ()))
    if node.type not in ("link", "image") or not _has_known_data(node, node.type):
        return False
    ref = (node.data or {}).get("ref")
    return (
        isinstance(ref, dict)
        and ref.keys() <= {"kind", "url"}
        and ref.get("kind", "url") == "url"
        and all(map(_inline_can_be_said, node.nodes or ()))
    )


def _is_plain(leaf: Mapping[str, Any]) -> bool:
    marks = leaf.get("marks")
    return (
        leaf.keys() <= {"object", "text", "marks"}
        and isinstance(leaf.get("text", ""), str)
        and all(
            isinstance(mark, dict)
            and mark.get("type") in _MARKS
            and not any(value for name, value in mark.items() if name not in ("object", "type"))
            for mark in (marks if isinstance(marks, list) else ())
        )
    )
