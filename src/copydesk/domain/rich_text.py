"""Rich text as a text to be edited, and the edited text as rich text again, losing nothing.

A document is edited as Markdown where that says all of it, else as its JSON. Blocks that nobody
touched come back as they were, with their keys and whatever else the service gave them.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from difflib import SequenceMatcher
from typing import Any

from pydantic import TypeAdapter, ValidationError

from copydesk.contract.models.document import Document, Node, WrittenDocument
from copydesk.domain.document_kinds import SPELLING
from copydesk.domain.documents import (
    MARKS_OF_A_PAGE,
    SCHEMA_VERSION,
    document_to_markdown,
    markdown_to_document,
)
from copydesk.domain.json_text import JsonTextError, read_json
from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.text import clean

_WRITTEN: TypeAdapter[Document] = TypeAdapter(WrittenDocument)


class RichTextError(ValueError):
    """A text that is no document; the message says what is wrong, and where."""


@dataclass(frozen=True)
class RichText:
    """A document with the text that it is edited as: Markdown, or JSON where that says too little.

    ``text`` is not cleaned.
    """

    document: Document
    text: str
    markdown: bool

    @property
    def suffix(self) -> str:
        """What the name of a file with the text ends with."""
        return ".md" if self.markdown else ".json"

    def read(self, text: str) -> Document:
        """Return an edited text as a document. Raises `RichTextError`.

        JSON of a whole document is read as that also where Markdown would do.
        """
        if text.rstrip() == self.text.rstrip():
            return self.document
        if not self.markdown:
            return _from_json(text)
        if text.lstrip()[:1] == "{":
            try:
                return _from_json(text)
            except RichTextError:
                pass  # Markdown may begin so too.
        return self._merged(markdown_to_document(text, None))

    def _merged(self, read: Document) -> Document:
        """Return the document that was read, with the old blocks where a new one equals them.

        New blocks say nothing of how they were spelled: only this program would know what it means.
        """
        old, new = self.document.nodes, [_unspelled(node) for node in read.nodes]
        match = SequenceMatcher(None, _meanings(old), _meanings(new), autojunk=False)
        for block in match.get_matching_blocks():
            new[block.b : block.b + block.size] = old[block.a : block.a + block.size]
        return self.document.model_copy(update={"nodes": new})


def rich_text(document: Document | None) -> RichText:
    """Return a document as it is edited; None is one that nobody has written yet."""
    if document is None:
        document = Document(data={"schemaVersion": SCHEMA_VERSION}, nodes=[])
    text = document_to_markdown(document)
    again = markdown_to_document(text, MARKS_OF_A_PAGE)
    if _meanings(again.nodes) == _meanings(document.nodes):
        return RichText(document, text, True)
    text = json.dumps(document.to_dict(), ensure_ascii=False, indent=2)
    return RichText(document, text, False)


def says_the_same(one: Document | None, other: Document | None) -> bool:
    """Whether two documents mean the same, whatever their keys and however they were spelled."""
    nodes = [document.nodes if document is not None else [] for document in (one, other)]
    return _meanings(nodes[0]) == _meanings(nodes[1])


def _from_json(text: str) -> Document:
    try:
        value = read_json(text).value
    except JsonTextError as error:
        where = f"line {error.line}, column {error.column}"
        raise RichTextError(f"Not JSON ({where}): {error}.") from error
    try:
        return _WRITTEN.validate_python(value)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        said = clean(first["msg"].removeprefix("Value error, "), limit=200)
        raise RichTextError(f"{clean(where) or 'The document'}: {said}.") from error


def _unspelled(node: Node) -> Node:
    data = node.data or {}
    if not any(name in data for name in SPELLING):
        return node
    kept = {name: value for name, value in data.items() if name not in SPELLING}
    return node.model_copy(update={"data": kept})


def _meanings(nodes: Iterable[Node]) -> list[str]:
    """Return what blocks mean as texts that can be compared."""
    return [json.dumps(_meaning(node), sort_keys=True, default=repr) for node in nodes]


def _meaning(node: Node) -> dict[str, Any]:
    """Return what a node means: without its key, and with no more than one text in a row."""
    data = {name: value for name, value in (node.data or {}).items() if name not in SPELLING}
    parts: list[Any] = []
    for child in node.nodes or ():
        if child.object != "text":
            parts.append(_meaning(child))
            continue
        for leaf in child.leaves or ():
            text, marks = _leaf(leaf)
            if not text:
                continue
            if parts and isinstance(parts[-1], list) and parts[-1][1] == marks:
                parts[-1][0] += text
            else:
                parts.append([text, marks])
    more = {**(node.model_extra or {})}
    return {"object": node.object, "type": node.type, "data": data, "nodes": parts, "more": more}


def _leaf(leaf: dict[str, Any]) -> tuple[str, list[Any]]:
    marks: list[Any] = []
    for mark in leaf.get("marks") or ():
        if not isinstance(mark, dict):
            marks.append(mark)
            continue
        told = {name: value for name, value in mark.items() if name != "object" and value}
        marks.append(told)
    marks.sort(key=lambda mark: json.dumps(mark, sort_keys=True, default=repr))
    more = {name: each for name, each in leaf.items() if name not in ("object", "text", "marks")}
    return str(leaf.get("text", "")), [*marks, *([more] if more else [])]
