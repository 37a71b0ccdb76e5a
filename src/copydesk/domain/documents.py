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

import json
import re
from collections.abc import Iterable, Sequence
from html import escape
from itertools import islice
from operator import add
from typing import Any

from copydesk.contract.models.document import Document, Node
from copydesk.domain.document_kinds import LISTS, NAME, SPELLING, can_be_said
from copydesk.domain.document_parser import CONTAINERS, links_of, nodes_of, parse

__all__ = ["document_to_markdown", "links_of", "markdown_to_document"]

SCHEMA_VERSION = 1
"""The version of the shape that this desk writes."""

MARKS_READ = 5_000
"""How many marks (ends of lines among them) of a text are read as rich text, where nothing else is
said: a second of work at most."""

MARKS_OF_A_PAGE = 20_000
"""The same of a page, which was written for readers by people who may edit."""

UNREAD = "markdown"
"""The type of the last block of a document that was not read to its end: its data holds the rest as
Markdown."""

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

    New and changed blocks are written in this desk's spelling, without a newline at the end.
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
    written = list(map(_spelling, told, plain))
    after = [_text(data["after"]) if "after" in data else _BETWEEN for data in told]
    if "after" not in told[-1]:
        after[-1] = ""
    whole = _assembled(before, written, after)
    if _readable(whole, MARKS_OF_A_PAGE) < len(whole):
        return join(nodes)  # It would take too long to find out whether it means what it says.
    env: dict[str, Any] = {}
    if _same(nodes_of(parse(whole, env)), nodes):
        return whole
    # Somebody changed it: blocks that still mean the same keep their spelling.
    references = env.get("references", {})

    def kept(text: str, own: str, node: Node) -> str:
        means = nodes_of(parse(text, {"references": dict(references)}))
        return text if _same(means, [node]) else own

    apart = [gap if gap.count("\n") > 1 else _BETWEEN for gap in after[:-1]] + after[-1:]
    whole = _assembled(before, map(kept, written, plain, nodes), apart)
    return whole if _same(nodes_of(parse(whole)), nodes) else join(nodes)


def _spelling(data: dict[str, Any], plain: str) -> str:
    """Return how a block was spelled, else how this desk spells it."""
    return _text(data.get("spelling")) or plain


def _assembled(before: str, texts: Iterable[str], after: Sequence[str]) -> str:
    return before + "".join(map(add, texts, after))


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


_SIGNS = {"bold": "**", "italic": "*", "strikethrough": "~~"}

_SPECIAL = re.compile(r"([\\`*\[\]<~]|&(?=[#\w])|(?<!\w)_|_(?!\w)|\{(?=%))")

_LINE_START = re.compile(
    r"^(>|#{1,6}(?=\s|$)|[+-](?=\s|$)|[=-](?=[=\s-]*$)|\d{1,9}(?=[.)](?:\s|$)))", re.MULTILINE
)

_CLOSING = re.compile(r"((?:^|\s)#*)(#)$")
_ESCAPED = r"\1\\\2"


def join(nodes: Iterable[Node] | None) -> str:
    """Return blocks as Markdown, without a newline at the end."""
    return "\n\n".join(text for text in spelled(nodes or ()) if text)


def spelled(nodes: Iterable[Node]) -> list[str]:
    """Return each block as Markdown. Two lists in a row would be one: they take turns with marks,
    which keeps them apart.
    """
    found: list[str] = []
    before = other = False
    for node in nodes:
        is_list = node.type in LISTS
        other = is_list and before and not other
        before = is_list
        found.append(write(node, other_mark=other))
    return found


def write(node: Node, *, other_mark: bool = False) -> str:
    """Return a block as Markdown. ``other_mark`` spells a list so that it is apart from another."""
    data, nodes, kind = node.data or {}, node.nodes or [], node.type or ""
    if node.object != "block":  # beside blocks it is a paragraph
        return _LINE_START.sub(_escape_start, _write_inlines([node]))
    if kind and not can_be_said(node):
        return _keep(node)
    if kind.startswith("heading-"):
        level = _number(data.get("level"), int(kind[-1]) if kind[-1].isdecimal() else 1)
        # Signs at the end of a heading would close it.
        return f"{'#' * max(1, min(level, 6))} {_CLOSING.sub(_ESCAPED, _on_one_line(nodes))}"
    if kind in LISTS:
        return _write_list(node, other_mark=other_mark)
    if kind == "code":
        return _write_code(node)
    if kind == "table":
        return _write_table(nodes)
    if kind == "divider":
        return "---"
    if kind == "html":
        return str(data.get("html", ""))
    if kind == "blockquote":
        return _indent(join(nodes), "> ", first="> ")
    if kind in CONTAINERS:
        return f"{{% {kind}{_attributes(data)} %}}\n{join(nodes)}\n{{% end{kind} %}}"
    if kind == "expandable":
        title = escape(" ".join(str(data.get("title", "")).split()), quote=False)
        return f"<details>\n<summary>{title}</summary>\n\n{join(nodes)}\n\n</details>"
    if kind == "embed":
        return f"{{% embed{_attributes(data)} %}}"
    if kind == "images":
        return "\n".join(_write_inlines([node]) for node in nodes)
    if all(child.object != "block" for child in nodes):
        return _LINE_START.sub(_escape_start, _write_inlines(nodes))
    return join(nodes)


def _keep(node: Node) -> str:
    """Return a block that no Markdown says as its JSON."""
    told = node.to_dict()
    data = {name: value for name, value in (node.data or {}).items() if name not in SPELLING}
    if data or "data" in told:
        told["data"] = data
    return f"{{% block {json.dumps(told, sort_keys=True)} %}}"


def _escape_start(match: re.Match[str]) -> str:
    start = match[0]
    return f"{start}\\" if start.isdecimal() else f"\\{start}"


def _attributes(data: dict[str, Any]) -> str:
    """Return the settings of a tag that are texts; others have no place in it."""
    return "".join(
        f' {name}="{_quoted(value)}"'
        for name, value in data.items()
        if isinstance(value, str) and NAME.fullmatch(name) and name not in SPELLING
    )


def _quoted(value: str) -> str:
    return re.sub(r'(["\\])', r"\\\1", " ".join(value.splitlines()))


def _write_list(node: Node, *, other_mark: bool) -> str:
    data, items = node.data or {}, []
    number = _number(data.get("start"), 1)
    for item in node.nodes or ():
        mark = "* " if other_mark else "- "
        if node.type == "list-ordered":
            mark = f"{number}) " if other_mark else f"{number}. "
            number += 1
        text = join(item.nodes)
        if item.nodes and item.nodes[0].type == "divider":
            # After the mark of an item this would be one line across.
            text = text.replace("---", "___", 1)
        if node.type == "list-tasks":
            text = f"[{'x' if (item.data or {}).get('checked') else ' '}] {text}"
        items.append(_indent(text, " " * len(mark), first=mark))
    loose = any("\n\n" in item for item in items)
    return ("\n\n" if loose else "\n").join(items)


def _write_code(node: Node) -> str:
    text = "\n".join(plain_text(line) for line in node.nodes or ())
    longest = max((len(run) for run in re.findall(r"`{3,}", text)), default=2)
    fence = "`" * (longest + 1)
    return f"{fence}{(node.data or {}).get('syntax', '')}\n{text}\n{fence}"


def _write_table(rows: Sequence[Node]) -> str:
    lines: list[str] = []
    for row in rows:
        cells = row.nodes or []
        texts = (_on_one_line(cell.nodes or []).replace("|", "\\|") for cell in cells)
        lines.append(f"| {' | '.join(texts)} |")
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


def _on_one_line(nodes: Iterable[Node]) -> str:
    """Return a text where Markdown has no line break: a blank stands for it."""
    return _write_inlines(nodes).replace("\\\n", " ").replace("\n", " ")


def _write_leaf(leaf: dict[str, Any]) -> str:
    text = str(leaf.get("text", ""))
    marks = _marks(leaf)
    # A mark that begins or ends with a blank of any kind is none in Markdown.
    inner = text.strip(" \n" if "code" in marks else None)
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


def plain_text(node: Node) -> str:
    """Return the text in a node, without marks."""
    own = "".join(str(leaf.get("text", "")) for leaf in node.leaves or ())
    return own + "".join(plain_text(child) for child in node.nodes or ())
