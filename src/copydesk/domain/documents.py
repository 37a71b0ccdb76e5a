"""Markdown as rich text, and rich text as Markdown, losing nothing either way.

The blocks are those of docs/api-notes.md (Rich text). Raw HTML is kept as a block of type ``html``,
or as text marked ``html``; a block that no Markdown says is kept as its JSON. A block that was not
spelled the way this desk spells it says so in its data (``spelling``, and ``after`` for what stood
between it and the next), so that a text that nobody changed comes back as it was, to the last
space.

Reading takes a time for each mark, and anybody may write a comment of a million. So only as many as
a text for people has are read; what follows is one last block of type ``markdown``, as it is.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import islice
from typing import Any

from copydesk.contract.models.document import Document, Node
from copydesk.domain.document_kinds import SPELLING
from copydesk.domain.document_parser import links_of, nodes_of, parse
from copydesk.domain.document_writer import join, spelled

__all__ = ["document_to_markdown", "links_of", "markdown_to_document"]

SCHEMA_VERSION = 1
"""The version of the shape that this desk writes."""

MARKS_READ = 5_000
"""How many marks (ends of lines among them) of a text are read as rich text, where nothing else is
said: a second of work at most."""

MARKS_OF_A_PAGE = 20_000
"""The same of a page, which was written for readers by people who may edit."""

UNREAD = "markdown"
"""The type of the last block of a document whose text goes on: its data holds that as Markdown."""

_MARK = re.compile(r"[\n*_`\[<&|~!\\]")
_PLAIN = 50
"""As many characters without a mark take as long to read as one."""

_LINES = re.compile(r"[^\r\n]*(?:\r\n?|\n|$)")
_BETWEEN = "\n\n"


def markdown_to_document(markdown: str, marks: int | None = MARKS_READ) -> Document:
    """Return a Markdown text as a document. Every text is valid Markdown, so nothing is refused.

    No more than so many ``marks`` are read, all of them if it is None.
    """
    end = len(markdown) if marks is None else _readable(markdown, marks)
    document = _rich(markdown[:end])
    if end < len(markdown):
        rest = {UNREAD: markdown[end:]}
        document.nodes.append(Node(type=UNREAD, key="rest", is_void=True, data=rest, nodes=[]))
    return document


def _readable(markdown: str, marks: int) -> int:
    """Return where reading ends: after the last whole block or line before it would take longer."""
    if len(markdown) <= marks:
        return len(markdown)
    end = min(len(markdown), marks * _PLAIN)
    beyond = next(islice(_MARK.finditer(markdown, 0, end), marks, None), None)
    if beyond is not None:
        end = beyond.start()
    if end == len(markdown):
        return end
    for between in ("\n\n", "\n"):
        at = markdown.rfind(between, 0, end)
        if at >= 0:
            return at + len(between)
    return 0


def _rich(markdown: str) -> Document:
    tokens = parse(markdown)
    nodes = nodes_of(tokens)
    spans = [token.map for token in tokens if token.level == 0 and token.map is not None]
    data: dict[str, Any] = {"schemaVersion": SCHEMA_VERSION}
    if len(spans) != len(nodes) or not nodes:
        if markdown:
            data["before"] = markdown
        return Document(data=data, nodes=nodes)
    starts = [0, *(match.end() for match in _LINES.finditer(markdown))]
    # A block ends where its last line does; what follows up to the next one stands between them.
    ends = [max(starts[a], _bare(markdown, starts[min(b, len(starts) - 1)])) for a, b in spans]
    if starts[spans[0][0]]:
        data["before"] = markdown[: starts[spans[0][0]]]
    written = spelled(nodes)
    for index, node in enumerate(nodes):
        first = starts[spans[index][0]]
        following = starts[spans[index + 1][0]] if index + 1 < len(nodes) else len(markdown)
        end = min(max(ends[index], first), following)
        own: dict[str, Any] = {}
        if markdown[first:end] != written[index]:
            own["spelling"] = markdown[first:end]
        if markdown[end:following] != (_BETWEEN if index + 1 < len(nodes) else ""):
            own["after"] = markdown[end:following]
        if own:
            node.data = {**(node.data or {}), **own}
    return Document(data=data, nodes=nodes)


def document_to_markdown(document: Document) -> str:
    """Return a document as Markdown: as it was spelled where it still means that.

    What was added or changed is written in this desk's spelling, without a newline at its end.
    """
    nodes = document.nodes
    rest = _text(_data(nodes[-1]).get(UNREAD)) if nodes and nodes[-1].type == UNREAD else ""
    if rest:
        read = Document(data=document.data, nodes=nodes[:-1])
        return document_to_markdown(read) + rest
    before = _text(document.data.get("before"))
    if not nodes:
        return before
    told = [_data(node) for node in nodes]
    if not before and not any(name in data for data in told for name in SPELLING):
        return join(nodes)
    plain = spelled(nodes)
    written = [_text(data.get("spelling")) or text for data, text in zip(told, plain, strict=True)]
    after = [_text(data["after"]) if "after" in data else _BETWEEN for data in told]
    if "after" not in told[-1]:
        after[-1] = ""
    whole = _assembled(before, written, after)
    if _readable(whole, MARKS_OF_A_PAGE) < len(whole):
        return join(nodes)  # It would take too long to find out whether it means what it says.
    env: dict[str, Any] = {}
    if _same(nodes_of(parse(whole, env)), nodes):
        return whole
    # Somebody changed it: what still means what it says stays as it was spelled.
    references = env.get("references", {})
    kept = [
        text if _same(nodes_of(parse(text, {"references": dict(references)})), [node]) else own
        for text, own, node in zip(written, plain, nodes, strict=True)
    ]
    apart = [gap if gap.count("\n") > 1 else _BETWEEN for gap in after[:-1]] + after[-1:]
    whole = _assembled(before, kept, apart)
    return whole if _same(nodes_of(parse(whole)), nodes) else join(nodes)


def _assembled(before: str, texts: Sequence[str], after: Sequence[str]) -> str:
    return before + "".join(t + gap for t, gap in zip(texts, after, strict=True))


def _bare(markdown: str, end: int) -> int:
    """Return where a line ends without the newline that ends it."""
    for newline in ("\r\n", "\n", "\r"):
        if markdown.endswith(newline, 0, end):
            return end - len(newline)
    return end


def _same(some: Sequence[Node], others: Sequence[Node]) -> bool:
    """Say whether blocks mean the same, whatever their keys and however they were spelled."""
    return [_meaning(node) for node in some] == [_meaning(node) for node in others]


def _meaning(node: Node) -> object:
    data = {name: value for name, value in _data(node).items() if name not in SPELLING}
    nodes = [_meaning(child) for child in node.nodes or ()]
    return node.object, node.type, data, nodes, node.leaves, node.model_extra


def _data(node: Node) -> dict[str, Any]:
    return node.data or {}


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""
