"""Markdown as the nodes of a rich text document.

Beside CommonMark, tables and strikethrough this reads the blocks that documentation repositories
write as tags (``{% hint %}``, ``{% tabs %}``…) and ``<details>``. Anything else stays text: every
text is valid.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, MutableMapping, Sequence
from functools import cache
from html import unescape
from typing import TYPE_CHECKING, Any

from copydesk.contract.models.document import Node

if TYPE_CHECKING:  # a desk opens without it, until a text is read
    from markdown_it import MarkdownIt
    from markdown_it.ruler import RuleOptionsType
    from markdown_it.rules_block import StateBlock
    from markdown_it.rules_core import StateCore
    from markdown_it.token import Token
    from markdown_it.tree import SyntaxTreeNode

CONTAINERS = ("hint", "tabs", "tab", "stepper", "step", "columns", "column")
"""The tags that hold blocks, up to their end tags; so their blocks are called as well."""

DEEPEST_KEPT = 100
"""How many levels the JSON of a kept block may have: what a request may, so that it comes back."""

_MATCHED = "matched tags"
_TAG = re.compile(r"\{%\s*(?P<name>[a-z]+)(?P<rest>(?:\s.*)?)%\}\s*")
_ATTRIBUTE = re.compile(r"\s*([A-Za-z][\w-]*)=\"((?:[^\"\\]|\\.)*)\"\s*")
_DETAILS = re.compile(r"<details>\s*")
_END_DETAILS = re.compile(r"</details>\s*")
_SUMMARY = re.compile(r"<summary>([^<]*)</summary>\s*")
_HTML_LINK = re.compile(r"""(?<![:@.])\b(?:href|src)\s*=\s*["']([^"']+)["']""", re.IGNORECASE)
_TASK = re.compile(r"^\[([ xX])\]\s+")
_ALIGN = re.compile(r"text-align:(\w+)")
MARKS = {"strong": "bold", "em": "italic", "s": "strikethrough"}
"""The mark of each token that says one."""


def parse(markdown: str, env: MutableMapping[str, Any] | None = None) -> list[Token]:
    """Return the tokens of a text. ``env`` holds the link references of the text it is a part of,
    and afterwards its own too.
    """
    return _parser().parse(markdown, env)


def nodes_of(tokens: Sequence[Token]) -> list[Node]:
    """Return tokens as the blocks of a document."""
    from markdown_it.tree import SyntaxTreeNode

    return _blocks(SyntaxTreeNode(tokens).children, "b")


def links_of(markdown: str) -> tuple[str, ...]:
    """Return where the links and images of a text lead, in their order; those of raw HTML too."""
    found: list[str] = []
    for token in parse(markdown):
        for part in (token, *(token.children or ())):
            if part.type in ("link_open", "image"):
                found.append(str(part.attrs.get("href") or part.attrs.get("src") or ""))
            elif part.type in ("html_block", "html_inline"):
                found.extend(unescape(url) for url in _HTML_LINK.findall(part.content))
            elif part.type == "embed":
                found.append(str(part.meta.get("url", "")))
    return tuple(found)


def _tag(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Read a tag: one that holds blocks up to its end, one that stands for itself."""
    opening = _TAG.fullmatch(_line(state, start))
    if opening is None or state.is_code_block(start):
        return False
    name, rest = opening["name"], opening["rest"].strip()
    if name == "block":
        return _kept_block(state, start, rest, silent)
    data = _attributes(rest)
    if data is None:
        return False
    if name == "embed":
        if not silent:
            _push(state, "embed", 0, (start, start + 1), data)
            state.line = start + 1
        return True
    if name not in CONTAINERS:
        return False
    last = _end_of(state, start, end, _tag_name(name), _tag_name(f"end{name}"), name)
    if last and not silent:
        if name == "hint":
            data.setdefault("style", "info")
        _hold(state, name, (start, start + 1, last), data)
    return bool(last)


def _details(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Read ``<details>`` that holds Markdown: a summary alone on its line, then a blank line."""
    if state.is_code_block(start):
        return False
    summary = _SUMMARY.fullmatch(_line(state, start + 1))
    if not _DETAILS.fullmatch(_line(state, start)) or summary is None or _line(state, start + 2):
        return False
    last = _end_of(state, start, end, _DETAILS.fullmatch, _END_DETAILS.fullmatch, "details")
    if last and not silent:
        _hold(state, "expandable", (start, start + 2, last), {"title": unescape(summary[1])})
    return bool(last)


def _kept_block(state: StateBlock, start: int, rest: str, silent: bool) -> bool:
    """Read a block of a kind that has no Markdown, which is kept as its JSON."""
    try:
        value = json.loads(rest)
        if _is_deeper(value, DEEPEST_KEPT):
            return False
        node = Node.model_validate(value)
    except (ValueError, RecursionError):
        return False
    if not silent:
        _push(state, "kept", 0, (start, start + 1), {"node": node})
        state.line = start + 1
    return True


def _is_deeper(value: object, most: int) -> bool:
    """Say whether JSON is nested more than ``most`` levels deep."""
    level = [value]
    for _ in range(most):
        level = [
            child
            for part in level
            if isinstance(part, dict | list)
            for child in (part.values() if isinstance(part, dict) else part)
        ]
    return any(isinstance(part, dict | list) for part in level)


def _attributes(text: str) -> dict[str, Any] | None:
    """Return the attributes of a tag, None when it holds anything else."""
    found: dict[str, Any] = {}
    at = 0
    while at < len(text):
        match = _ATTRIBUTE.match(text, at)
        if match is None:
            return None
        found[match[1]] = re.sub(r"\\(.)", r"\1", match[2])
        at = match.end()
    return found


def _tag_name(name: str) -> Callable[[str], object]:
    pattern = re.compile(r"\{%\s*" + name + r"(?:\s.*)?%\}\s*")
    return pattern.fullmatch


def _end_of(
    state: StateBlock,
    start: int,
    end: int,
    opens: Callable[[str], object],
    closes: Callable[[str], object],
    name: str,
) -> int:
    """Return the line that ends what a line begins, 0 when none does.

    All of a stretch are matched at once and remembered: a text of openings takes no longer.
    """
    known: dict[tuple[str, int, int], dict[int, int]]
    known = state.env.setdefault(_MATCHED, {})
    ends = known.setdefault((name, end, state.level), {})
    # The first line of a list's item begins further in than it seemed from outside.
    if start not in ends:
        waiting: list[int] = []
        for number in range(start, end):
            line = _line(state, number)
            if opens(line):
                waiting.append(number)
                ends[number] = 0
            elif waiting and closes(line):
                ends[waiting.pop()] = number
    return ends.get(start, 0)


def _hold(state: StateBlock, kind: str, lines: tuple[int, int, int], data: dict[str, Any]) -> None:
    """Push a block with the blocks inside: of its lines the first, the first inside, the last."""
    start, inside, last = lines
    _push(state, f"{kind}_open", 1, (start, last + 1), data)
    parent, line_max = state.parentType, state.lineMax
    state.parentType, state.lineMax = kind, last
    state.md.block.tokenize(state, inside, last)
    state.parentType, state.lineMax = parent, line_max
    _push(state, f"{kind}_close", -1, None, {})
    state.line = last + 1


def _push(
    state: StateBlock, kind: str, nesting: Any, lines: tuple[int, int] | None, meta: dict[str, Any]
) -> None:
    token = state.push(kind, "div", nesting)
    token.block = True
    token.meta = meta
    token.map = None if lines is None else list(lines)


def _line(state: StateBlock, number: int) -> str:
    return state.src[state.bMarks[number] + state.tShift[number] : state.eMarks[number]]


def _drop_repeated_marks(state: StateCore) -> None:
    """Take out marks inside of the same mark: they say nothing, and a line can nest any number."""
    for token in state.tokens:
        if token.children:
            token.children = _without_repeats(token.children)


def _without_repeats(tokens: Sequence[Token]) -> list[Token]:
    kept: list[Token] = []
    opened = dict.fromkeys(MARKS, 0)
    for token in tokens:
        mark, _, end = token.type.rpartition("_")
        if mark in opened:
            opened[mark] += 1 if end == "open" else -1
            if opened[mark] > (1 if end == "open" else 0):
                continue
        kept.append(token)
    return kept


@cache
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark").enable(["table", "strikethrough"])
    parser.core.ruler.push("repeated_marks", _drop_repeated_marks)
    interrupts: RuleOptionsType = {"alt": ["paragraph", "reference", "blockquote", "list"]}
    parser.block.ruler.before("fence", "tag", _tag, interrupts)
    parser.block.ruler.before("html_block", "details", _details, interrupts)
    parser.block.ruler.at("reference", _reference)
    return parser


def _reference(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Read where a reference leads; the text of a footnote (``[^1]: so``) leads nowhere."""
    from markdown_it.rules_block import reference

    return not _line(state, start).startswith("[^") and reference(state, start, end, silent)


def _blocks(nodes: Iterable[SyntaxTreeNode], prefix: str) -> list[Node]:
    """Return blocks; a block's key is its place, so that equal texts have equal keys."""
    return [_block(node, f"{prefix}{index}") for index, node in enumerate(nodes)]


def _block(node: SyntaxTreeNode, key: str) -> Node:
    make = _BLOCKS.get(node.type)
    return _paragraph(node, key) if make is None else make(node, key)


def _new(type_: str, key: str, nodes: list[Node] | None = None, **data: Any) -> Node:
    return Node(type=type_, key=key, is_void=nodes is None, data=data, nodes=nodes or [])


def _paragraph(node: SyntaxTreeNode, key: str) -> Node:
    inline = node.children[0].children
    pictures = [part for part in inline if part.type == "image"]
    if pictures and all(part.type in ("image", "softbreak") for part in inline):
        return _new("images", key, [_image(picture) for picture in pictures])
    return _new("paragraph", key, _inlines(inline))


def _heading(node: SyntaxTreeNode, key: str) -> Node:
    # Documents have three levels; deeper ones say theirs, so that they come back as they were.
    level = int(node.tag[1])
    inline = _inlines(node.children[0].children)
    return _new(f"heading-{min(level, 3)}", key, inline, **({"level": level} if level > 3 else {}))


def _list(node: SyntaxTreeNode, key: str) -> Node:
    items = [
        _new("list-item", f"{key}.{i}", _blocks(item.children, f"{key}.{i}."))
        for i, item in enumerate(node.children)
    ]
    if node.type == "ordered_list":
        start = int(node.attrs.get("start", 1))
        return _new("list-ordered", key, items, **({"start": start} if start != 1 else {}))
    if items and all(_check(item) is not None for item in items):
        for item in items:
            item.data = {"checked": _check(item)}
            _drop_check(item)
        return _new("list-tasks", key, items)
    return _new("list-unordered", key, items)


def _check(item: Node) -> bool | None:
    """Return whether an item that starts with a box is ticked, None when it has no box."""
    leaf = _first_leaf(item)
    box = _TASK.match(leaf["text"]) if leaf else None
    return None if box is None else box[1] != " "


def _drop_check(item: Node) -> None:
    leaf = _first_leaf(item)
    assert leaf is not None, "an item with a box starts with text"
    leaf["text"] = _TASK.sub("", leaf["text"])
    paragraph = item.nodes[0] if item.nodes else None
    if not leaf["text"] and paragraph is not None and paragraph.nodes:
        text = paragraph.nodes[0]
        text.leaves = (text.leaves or [])[1:]
        paragraph.nodes = paragraph.nodes[0 if text.leaves else 1 :]


def _first_leaf(item: Node) -> dict[str, Any] | None:
    first = item.nodes[0] if item.nodes else None
    text = first.nodes[0] if first and first.type == "paragraph" and first.nodes else None
    return text.leaves[0] if text and text.leaves else None


def _code(node: SyntaxTreeNode, key: str) -> Node:
    lines = node.content.removesuffix("\n").split("\n")
    code = [_new("code-line", f"{key}.{i}", [_text(line)]) for i, line in enumerate(lines)]
    syntax = node.info.strip()
    return _new("code", key, code, **({"syntax": syntax} if syntax else {}))


def _table(node: SyntaxTreeNode, key: str) -> Node:
    rows: list[Node] = []
    for part in node.children:
        for row in part.children:
            at = f"{key}.{len(rows)}"
            cells = [
                _new("table-cell", f"{at}.{i}", _inlines(cell.children[0].children), **_align(cell))
                for i, cell in enumerate(row.children)
            ]
            rows.append(_new("table-row", at, cells, header=part.type == "thead"))
    return _new("table", key, rows)


def _align(cell: SyntaxTreeNode) -> dict[str, str]:
    found = _ALIGN.search(str(cell.attrs.get("style")))
    return {"align": found[1]} if found else {}


def _container(node: SyntaxTreeNode, key: str) -> Node:
    return _new(node.type, key, _blocks(node.children, f"{key}."), **node.meta)


_BLOCKS: dict[str, Callable[[SyntaxTreeNode, str], Node]] = {
    "heading": _heading,
    "bullet_list": _list,
    "ordered_list": _list,
    "fence": _code,
    "code_block": _code,
    "table": _table,
    "hr": lambda node, key: _new("divider", key),
    "html_block": lambda node, key: _new("html", key, html=node.content.removesuffix("\n")),
    "blockquote": lambda node, key: _new("blockquote", key, _blocks(node.children, f"{key}.")),
    "embed": lambda node, key: _new("embed", key, **node.meta),
    "kept": lambda node, key: node.meta["node"],
    **dict.fromkeys((*CONTAINERS, "expandable"), _container),
}


def _text(text: str, marks: Sequence[str] = ()) -> Node:
    leaf = {
        "object": "leaf",
        "text": text,
        "marks": [{"object": "mark", "type": mark} for mark in marks],
    }
    return Node(object="text", leaves=[leaf])


def _image(node: SyntaxTreeNode) -> Node:
    data = {"ref": {"kind": "url", "url": str(node.attrs["src"])}, "alt": node.content}
    if title := node.attrs.get("title"):
        data["caption"] = str(title)
    return Node(object="inline", type="image", is_void=True, data=data, nodes=[])


def _inlines(nodes: Iterable[SyntaxTreeNode], marks: tuple[str, ...] = ()) -> list[Node]:
    found: list[Node] = []
    for node in nodes:
        if node.type in MARKS:
            found += _inlines(node.children, (*marks, MARKS[node.type]))
        elif node.type == "link":
            data: dict[str, Any] = {"ref": {"kind": "url", "url": str(node.attrs["href"])}}
            if title := node.attrs.get("title"):
                data["title"] = str(title)
            found.append(
                Node(object="inline", type="link", data=data, nodes=_inlines(node.children, marks))
            )
        elif node.type == "image":
            found.append(_image(node))
        elif node.type == "softbreak":
            found.append(_text(" ", marks))
        elif node.type == "hardbreak":
            found.append(_text("\n", marks))
        elif node.type == "code_inline":
            found.append(_text(node.content, (*marks, "code")))
        elif node.type == "html_inline":
            found.append(_text(node.content, (*marks, "html")))
        elif node.content:
            found.append(_text(node.content, marks))
    return _merge_texts(found)


def _merge_texts(nodes: list[Node]) -> list[Node]:
    """Join neighbouring texts: one text node with its leaves, equal marks in one leaf."""
    merged: list[Node] = []
    for node in nodes:
        if not (node.leaves and merged and merged[-1].leaves):
            merged.append(node)
            continue
        leaves = merged[-1].leaves
        for leaf in node.leaves:
            if leaves[-1]["marks"] == leaf["marks"]:
                leaves[-1]["text"] += leaf["text"]
            else:
                leaves.append(leaf)
    return merged
