"""Plain text as a rich text document, and the text of a document, without its marks.

`documents` loses nothing, and takes Markdown for that; this is for descriptions, which people write
as paragraphs.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from copydesk.contract.models.document import Document, Node


def document_text(document: Document | None) -> str:
    """Return the text of a rich text document, block by block; uncleaned."""
    if document is None:
        return ""
    return "\n\n".join(filter(None, (_said(node.to_dict()) for node in document.nodes)))


def _said(value: Any, depth: int = 0) -> str:
    if not isinstance(value, dict) or depth > 50:
        return ""
    if isinstance(value.get("text"), str):
        return str(value["text"])
    inside = [*(value.get("leaves") or ()), *(value.get("nodes") or ())]
    parts = [_said(part, depth + 1) for part in inside]
    blocks = any(isinstance(part, dict) and part.get("object") == "block" for part in inside)
    return ("\n" if blocks else "").join(filter(None, parts))


def is_plain(document: Document | None) -> bool:
    """Return whether a document survives being rewritten from its text."""
    return document is None or all(_plain(node) for node in document.nodes)


def _plain(node: Node) -> bool:
    return node.type == "paragraph" and all(
        each.object == "text" and not any(leaf.get("marks") for leaf in each.leaves or ())
        for each in node.nodes or ()
    )


def document_of(text: str) -> Document:
    """Return text as a document: a paragraph for each block of lines."""
    from copydesk.contract.models.document import Document, Node  # models are loaded late

    def leaf(block: str) -> Node:
        return Node(object="text", leaves=[{"object": "leaf", "text": block, "marks": []}])

    blocks = [block.strip() for block in re.split(r"\n\s*\n", text) if block.strip()]
    return Document(
        object="document",
        data={"schemaVersion": 1},
        nodes=[
            Node(object="block", type="paragraph", is_void=False, data={}, nodes=[leaf(block)])
            for block in blocks
        ],
    )
