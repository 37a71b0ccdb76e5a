"""Markdown as rich text, and rich text as Markdown.

The blocks are those of decisions.md. Raw HTML is kept as a block of type ``html``, or as text
marked ``html``, so that nothing a page says gets lost. What is read back means the same; it need
not be spelled the same.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from html import unescape
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock
from markdown_it.tree import SyntaxTreeNode

from copydesk.contract.models.document import Document, Node

SCHEMA_VERSION = 1
"""The version of the shape that this desk writes."""

_HINT = re.compile(r"\{%\s*hint(?:\s+style=\"(?P<style>[a-z]+)\")?\s*%\}\s*")
_END_HINT = re.compile(r"\{%\s*endhint\s*%\}\s*")
_HTML_LINK = re.compile(r"""\b(?:href|src)\s*=\s*["']([^"']+)["']""", re.IGNORECASE)
_TASK = re.compile(r"\[([ xX])\]\s+")
_ALIGN = re.compile(r"text-align:(\w+)")
_MARKS = {"strong": "bold", "em": "italic", "s": "strikethrough"}
_SIGNS = {"bold": "**", "italic": "*", "strikethrough": "~~"}
_SPECIAL = re.compile(r"([\\`*\[\]<~]|(?<!\w)_|_(?!\w))")
_LINE_START = re.compile(r"^(#{1,6}|[>+=-]+|\d{1,9}(?=[.)]))(?=[.)\s]|$)", re.MULTILINE)


def markdown_to_document(markdown: str) -> Document:
    """Return a Markdown text as a document. Every text is valid Markdown, so nothing is refused."""
    root = SyntaxTreeNode(_PARSER.parse(markdown))
    return Document(data={"schemaVersion": SCHEMA_VERSION}, nodes=_blocks(root.children, "b"))


def document_to_markdown(document: Document) -> str:
    """Return a document as Markdown, without a newline at its end.

    A block of a kind unknown here gives the Markdown of what is in it.
    """
    return _join(document.nodes)


def links_of(markdown: str) -> tuple[str, ...]:
    """Return where the links and images of a text lead, in their order; those of raw HTML too."""
    found: list[str] = []
    for token in _PARSER.parse(markdown):
        for part in (token, *(token.children or ())):
            if part.type in ("link_open", "image"):
                found.append(str(part.attrs.get("href") or part.attrs.get("src") or ""))
            elif part.type in ("html_block", "html_inline"):
                found.extend(unescape(url) for url in _HTML_LINK.findall(part.content))
    return tuple(found)


def _hint(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Read ``{% hint %}`` to its ``{% endhint %}`` as a block that holds blocks."""
    opening = _HINT.fullmatch(_line(state, start))
    if opening is None or state.is_code_block(start):
        return False
    depth, last = 1, start
    while depth and last + 1 < end:
        last += 1
        depth += bool(_HINT.fullmatch(_line(state, last)))
        depth -= bool(_END_HINT.fullmatch(_line(state, last)))
    if depth:
        return False
    if silent:
        return True
    token = state.push("hint_open", "div", 1)
    token.block = True
    token.meta = {"style": opening["style"] or "info"}
    parent, line_max = state.parentType, state.lineMax
    state.parentType, state.lineMax = "hint", last
    state.md.block.tokenize(state, start + 1, last)
    state.parentType, state.lineMax = parent, line_max
    state.push("hint_close", "div", -1)
    state.line = last + 1
    return True


def _line(state: StateBlock, number: int) -> str:
    return state.src[state.bMarks[number] + state.tShift[number] : state.eMarks[number]]


def _make_parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark").enable(["table", "strikethrough"])
    parser.block.ruler.before(
        "fence", "hint", _hint, {"alt": ["paragraph", "reference", "blockquote", "list"]}
    )
    return parser


_PARSER = _make_parser()


# Markdown to rich text


def _blocks(nodes: Iterable[SyntaxTreeNode], prefix: str) -> list[Node]:
    """Return blocks; a block's key is its place, so that equal texts have equal keys."""
    return [_block(node, f"{prefix}{index}") for index, node in enumerate(nodes)]


def _block(node: SyntaxTreeNode, key: str) -> Node:
    make = _BLOCKS.get(node.type)
    return _paragraph(node, key) if make is None else make(node, key)


def _new(type_: str, key: str, nodes: list[Node] | None = None, **data: Any) -> Node:
    return Node(type=type_, key=key, is_void=nodes is None, data=data, nodes=nodes or [])


def _paragraph(node: SyntaxTreeNode, key: str) -> Node:
    inline = node.children[0].children if node.children else []
    if len(inline) == 1 and inline[0].type == "image":
        return _new("images", key, [_image(inline[0])])
    return _new("paragraph", key, _inlines(inline))


def _heading(node: SyntaxTreeNode, key: str) -> Node:
    # Documents have three levels; deeper ones say theirs, so that they come back as they were.
    level = int(node.tag[1])
    inline = _inlines(node.children[0].children if node.children else [])
    return _new(f"heading-{min(level, 3)}", key, inline, **({"level": level} if level > 3 else {}))


def _list(node: SyntaxTreeNode, key: str) -> Node:
    items = [
        _new("list-item", f"{key}.{i}", _blocks(item.children, f"{key}.{i}."))
        for i, item in enumerate(node.children)
    ]
    if node.type == "ordered_list":
        start = int(node.attrs.get("start", 1))
        return _new("list-ordered", key, items, **({"start": start} if start != 1 else {}))
    checks = [_check(item) for item in items]
    if items and all(check is not None for check in checks):
        for item, check in zip(items, checks, strict=True):
            item.data = {"checked": check}
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
    leaf["text"] = _TASK.sub("", leaf["text"], count=1)


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
    found = _ALIGN.search(str(cell.attrs.get("style", "")))
    return {"align": found[1]} if found else {}


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
    "hint": lambda node, key: _new("hint", key, _blocks(node.children, f"{key}."), **node.meta),
}


def _text(text: str, marks: Sequence[str] = ()) -> Node:
    leaf = {
        "object": "leaf",
        "text": text,
        "marks": [{"object": "mark", "type": mark} for mark in marks],
    }
    return Node(object="text", leaves=[leaf])


def _image(node: SyntaxTreeNode) -> Node:
    data = {"ref": {"kind": "url", "url": str(node.attrs.get("src", ""))}, "alt": node.content}
    if title := node.attrs.get("title"):
        data["caption"] = str(title)
    return Node(object="inline", type="image", is_void=True, data=data, nodes=[])


def _inlines(nodes: Iterable[SyntaxTreeNode], marks: tuple[str, ...] = ()) -> list[Node]:
    found: list[Node] = []
    for node in nodes:
        if node.type in _MARKS:
            found += _inlines(node.children, (*marks, _MARKS[node.type]))
        elif node.type == "link":
            data: dict[str, Any] = {"ref": {"kind": "url", "url": str(node.attrs.get("href", ""))}}
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


# Rich text to Markdown


def _join(nodes: Iterable[Node] | None) -> str:
    texts = [_write(node) for node in nodes or ()]
    return "\n\n".join(text for text in texts if text)


def _write(node: Node) -> str:
    data, nodes, kind = node.data or {}, node.nodes or [], node.type or ""
    if kind.startswith("heading-"):
        level = _number(data.get("level"), int(kind[-1]) if kind[-1].isdecimal() else 1)
        return f"{'#' * max(1, min(level, 6))} {_write_inlines(nodes)}"
    if kind.startswith("list-") and kind != "list-item":
        return _write_list(node)
    if kind == "code":
        return _write_code(node)
    if kind == "table":
        return _write_table(nodes)
    if kind == "divider":
        return "---"
    if kind == "html":
        return str(data.get("html", ""))
    if kind == "blockquote":
        return _indent(_join(nodes), "> ", first="> ")
    if kind == "hint":
        return f'{{% hint style="{data.get("style", "info")}" %}}\n{_join(nodes)}\n{{% endhint %}}'
    if all(child.object != "block" for child in nodes):
        return _LINE_START.sub(_escape_start, _write_inlines(nodes))
    return _join(nodes)


def _escape_start(match: re.Match[str]) -> str:
    start = match[0]
    return f"{start}\\" if start.isdecimal() else f"\\{start}"


def _write_list(node: Node) -> str:
    data, items = node.data or {}, []
    number = _number(data.get("start"), 1)
    for item in node.nodes or ():
        mark = "- "
        if node.type == "list-ordered":
            mark = f"{number}. "
            number += 1
        text = _join(item.nodes)
        if node.type == "list-tasks":
            text = f"[{'x' if (item.data or {}).get('checked') else ' '}] {text}"
        items.append(_indent(text, " " * len(mark), first=mark))
    loose = any("\n\n" in item for item in items)
    return ("\n\n" if loose else "\n").join(items)


def _write_code(node: Node) -> str:
    text = "\n".join(_plain(line) for line in node.nodes or ())
    longest = max((len(run) for run in re.findall(r"`{3,}", text)), default=2)
    fence = "`" * (longest + 1)
    return f"{fence}{(node.data or {}).get('syntax', '')}\n{text}\n{fence}"


def _write_table(rows: Sequence[Node]) -> str:
    lines: list[str] = []
    for row in rows:
        cells = row.nodes or []
        texts = (_write_inlines(cell.nodes or []).replace("|", "\\|") for cell in cells)
        lines.append(f"| {' | '.join(text.replace(chr(10), ' ') for text in texts)} |")
        if len(lines) == 1:
            rules = (_RULES.get(str((cell.data or {}).get("align")), "---") for cell in cells)
            lines.append(f"| {' | '.join(rules)} |")
    return "\n".join(lines)


_RULES = {"left": ":--", "center": ":-:", "right": "--:"}


def _indent(text: str, rest: str, *, first: str) -> str:
    lines = text.split("\n")
    return "\n".join(
        (first if index == 0 else rest if line or rest.strip() else "") + line
        for index, line in enumerate(lines)
    )


def _write_inlines(nodes: Iterable[Node]) -> str:
    parts: list[str] = []
    for node in nodes:
        data = node.data or {}
        if node.leaves is not None:
            parts.extend(_write_leaf(leaf) for leaf in node.leaves)
        elif node.type == "link":
            parts.append(f"[{_write_inlines(node.nodes or [])}]({_target(data, 'title')})")
        elif node.type == "image":
            parts.append(f"![{_escape(str(data.get('alt', '')))}]({_target(data, 'caption')})")
        else:
            parts.append(_write_inlines(node.nodes or []))
    return "".join(parts)


def _write_leaf(leaf: dict[str, Any]) -> str:
    text = str(leaf.get("text", ""))
    marks = _marks(leaf)
    inner = text.strip(" \n")
    if not inner:
        return text
    if "html" in marks:
        return text
    before, after = text.partition(inner)[::2]
    if "code" in marks:
        longest = max((len(run) for run in re.findall("`+", inner)), default=0)
        fence, pad = "`" * (longest + 1), " " if inner[0] == "`" or inner[-1] == "`" else ""
        inner = f"{fence}{pad}{inner}{pad}{fence}"
    else:
        inner = _escape(inner).replace("\n", "\\\n")
    for mark in marks:
        sign = _SIGNS.get(mark, "")
        inner = f"{sign}{inner}{sign}"
    return f"{before}{inner}{after}"


def _marks(leaf: dict[str, Any]) -> list[str]:
    marks = leaf.get("marks")
    return [
        str(mark.get("type"))
        for mark in (marks if isinstance(marks, list) else ())
        if isinstance(mark, dict)
    ]


def _number(value: object, otherwise: int) -> int:
    """Return a number of a document that anyone may have written."""
    return value if isinstance(value, int) and not isinstance(value, bool) else otherwise


def _escape(text: str) -> str:
    return _SPECIAL.sub(r"\\\1", text)


def _target(data: dict[str, Any], title: str) -> str:
    """Return where a link or image points, in angle brackets when it holds what would end it."""
    ref = data.get("ref")
    ref = ref if isinstance(ref, dict) else {}
    url = str(ref.get("url") or ref.get("page") or ref.get("file") or "")
    if re.search(r"[\s()<>]", url):
        url = "<" + re.sub(r"([<>])", r"\\\1", url).replace("\n", " ") + ">"
    if data.get(title):
        quoted = str(data[title]).replace('"', '\\"')
        return f'{url} "{quoted}"'
    return url


def _plain(node: Node) -> str:
    """Return the text in a node, without marks."""
    own = "".join(str(leaf.get("text", "")) for leaf in node.leaves or ())
    return own + "".join(_plain(child) for child in node.nodes or ())
