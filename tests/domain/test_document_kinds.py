"""What Markdown can say of a block: of anything else the block is kept whole."""

from __future__ import annotations

from typing import Any

import pytest

from copydesk.contract.models.document import Node
from copydesk.domain.document_kinds import can_be_said


def leaf(text: Any = "a", *marks: Any, **more: Any) -> Node:
    return Node.model_validate(
        {
            "object": "text",
            "leaves": [{"object": "leaf", "text": text, "marks": list(marks), **more}],
        }
    )


def mark(kind: str, **more: Any) -> dict[str, Any]:
    return {"object": "mark", "type": kind, **more}


def block(kind: str, *nodes: Node, **data: Any) -> Node:
    return Node(type=kind, nodes=list(nodes), data=data, is_void=False)


def inline(kind: str, *nodes: Node, **data: Any) -> Node:
    return Node(object="inline", type=kind, nodes=list(nodes), data=data)


URL = {"kind": "url", "url": "x"}


@pytest.mark.parametrize(
    "node",
    [
        block("paragraph", leaf()), block("paragraph"), block("paragraph", leaf(),
        spelling="x", after=""),
        block("paragraph", leaf("a", mark("bold"), mark("italic"), mark("strikethrough"))),
        block("paragraph", leaf("a", mark("code")), leaf("b", mark("html"))),
        block("paragraph", leaf("a", mark("bold", data={}))),
        block("paragraph", inline("link", leaf(), ref=URL, title="t")),
        block("paragraph", inline("link", leaf(), ref={"url": "x"})),
        block("paragraph", inline("image", ref=URL, alt="a", caption="c")),
        block("heading-1", leaf(), level=1), block("heading-3", leaf()), block("heading-7", leaf()),
        block("list-ordered", block("list-item", block("paragraph")), start=3), block("list-tasks"),
        block("list-unordered", block("list-item", leaf(), checked=True)),
        block("code", block("code-line", leaf()), syntax="py"), block("divider"),
        block("table", block("table-row", block("table-cell", leaf(), align="left"), header=True)),
        block("html", html="<b>"), block("blockquote", block("mystery")),
        block("expandable", title="t"),
        block("images", inline("image", ref=URL)), block("hint", block("paragraph"),
        style="info", x="y"),
        block("embed", url="x"), block("tabs", block("tab", title="t")),
        block("blockquote", leaf()),
    ],
)  # fmt: skip
def test_what_markdown_says(node: Node) -> None:
    assert can_be_said(node)


@pytest.mark.parametrize(
    "node",
    [
        block("mystery"), block(""), block("paragraph", align="left"), block("heading-1", leaf(),
        id="x"),
        block("paragraph", block("paragraph")), block("heading-1", block("paragraph")),
        block("paragraph", leaf("a", mark("underline"))),
        block("paragraph", leaf("a", mark("bold", data={"a": 1}))),
        block("paragraph", leaf("a", "bold")), block("paragraph", leaf("a", color="red")),
        block("paragraph", leaf(5)), block("paragraph", inline("emoji")), block("divider", x=1),
        block("paragraph", inline("link", leaf(), ref="x")),
        block("paragraph", inline("link", leaf())),
        block("paragraph", inline("link", leaf(), ref={"kind": "page", "page": "p"})),
        block("paragraph", inline("link", leaf(), ref={"kind": "page"})),
        block("paragraph", inline("link", leaf(), ref={**URL, "x": 1})),
        block("paragraph", inline("link", leaf(), ref=URL, x=1)),
        block("paragraph", inline("link", leaf("a", mark("x")), ref=URL)),
        block("list-unordered", block("paragraph")), block("list-item", x=1),
        block("list-unordered", block("list-item", x=1)), block("code", block("paragraph")),
        block("table", block("table-row", block("paragraph"))), block("images", block("paragraph")),
        block("images", inline("link", ref=URL)), block("images", inline("image")),
        block("hint", block("paragraph"), level=3), block("hint", **{"a b": "x"}),
        block("blockquote", inline("emoji")), block("table", block("table-row", x=1)),
        Node.model_validate({"type": "paragraph", "nodes": [], "other": 1}),
        block("paragraph", Node.model_validate({"object": "text", "leaves": [], "other": 1})),
        block("paragraph", Node(object="text", leaves=[], data={"a": 1})),
    ],
)  # fmt: skip
def test_what_it_does_not_say(node: Node) -> None:
    assert not can_be_said(node)
