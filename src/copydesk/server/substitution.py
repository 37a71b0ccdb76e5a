"""A text with its references filled in: reusable contents and variables.

Both are files of the revision, as documentation repositories keep them: Markdown below
``.gitbook/includes`` shown by ``{% include "…" %}``, and ``.gitbook/vars.yaml`` with the variables
of the space. A page has variables of its own too. A reference to a missing thing stays as it is
written.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping

from copydesk.contract.models.content import GitObject, ReusableContent
from copydesk.server import content
from copydesk.server.content import Content, FileData, PageData
from copydesk.server.errors import not_found
from copydesk.server.sources.mapping import BadYamlError, read_mapping
from copydesk.server.store import Tx

_FOLDER = ".gitbook/includes/"
_VARIABLES = ".gitbook/vars.yaml"
_DEEPEST = 5
"""An included text may include others, this deep; one that includes itself ends there too."""

_LONGEST = 5_000_000
"""So many characters a text may grow to by what it includes."""

_HEAD = re.compile(r"\A---[ \t]*\r?\n.*?^---[ \t]*(?:\r?\n|\Z)", re.DOTALL | re.MULTILINE)
_TITLE = re.compile(r"^title:(.+)$", re.MULTILINE)
_INCLUDE = re.compile(r"^[ \t]*\{%\s*include\s+\"([^\"\n]+)\"\s*%\}[ \t]*$", re.MULTILINE)
_EXPRESSION = re.compile(
    r"<code class=\"expression\">\s*(space|page)\.vars\.([A-Za-z_]\w*)\s*</code>"
)


def reusable_contents(tx: Tx, held: Content, *, metadata: bool) -> list[ReusableContent]:
    """Return the texts of a revision that pages include."""
    return [_reusable_content(tx, file, metadata=metadata) for file in _included(held)]


def find_reusable_content(tx: Tx, held: Content, key: str, *, metadata: bool) -> ReusableContent:
    """Return a text that pages include, with its Markdown; raises a 404 when there is none."""
    for file in _included(held):
        if file.id == key:
            found = _reusable_content(tx, file, metadata=metadata)
            found.markdown = _HEAD.sub("", _text(tx, file), count=1).lstrip("\n")
            return found
    raise not_found("reusable content", key)


def _reusable_content(tx: Tx, file: FileData, *, metadata: bool) -> ReusableContent:
    git = GitObject(oid=file.git_oid or file.blob, path=file.path) if metadata else None
    return ReusableContent(id=file.id, title=_title(tx, file), git=git, document=file.blob)


def space_variables(tx: Tx, held: Content) -> dict[str, str]:
    """Return the variables of a revision: those of its file that are plain values."""
    for file in held.files:
        if file.path == _VARIABLES or file.path.endswith(f"/{_VARIABLES}"):
            try:
                return _plain(read_mapping(content.blob(tx, file.blob).decode()))
            except (UnicodeDecodeError, BadYamlError):
                return {}
    return {}


def dereferenced(tx: Tx, held: Content, page: PageData, text: str) -> str:
    """Return a page's text with the contents that it includes in their places."""
    files = {file.path: file for file in _included(held)}
    # A page that was moved on the desk is no longer where its file was.
    for file in _included(held):
        files.setdefault(file.path.rpartition(_FOLDER)[2], file)
    folder = posixpath.dirname(page.git_path or "")
    left = _LONGEST

    def put_in(text: str, folder: str, depth: int) -> str:
        def included(match: re.Match[str]) -> str:
            nonlocal left
            file = _find(files, folder, match[1])
            if file is None or not depth or file.size > left:
                return match[0]
            left -= file.size
            body = _HEAD.sub("", _text(tx, file), count=1)
            return put_in(body.strip("\n"), posixpath.dirname(file.path), depth - 1)

        return _INCLUDE.sub(included, text)

    return put_in(text, folder, _DEEPEST)


def evaluated(text: str, space: Mapping[str, str], page: PageData) -> str:
    """Return a text with the values of its expressions. All of them are deterministic: an
    expression is the name of a variable, of the space or of the page.
    """
    values = {"space": space, "page": _plain(page.variables or {})}

    def value(match: re.Match[str]) -> str:
        return values[match[1]].get(match[2], match[0])

    return _EXPRESSION.sub(value, text)


def _included(held: Content) -> list[FileData]:
    return [file for file in held.files if _FOLDER in f"/{file.path}" and file.path.endswith(".md")]


def _find(files: Mapping[str, FileData], folder: str, name: str) -> FileData | None:
    for path in (posixpath.join(folder, name), name):
        found = files.get(posixpath.normpath(path).lstrip("/"))
        if found is not None:
            return found
    return files.get(name.rpartition(_FOLDER)[2])


def _title(tx: Tx, file: FileData) -> str:
    head = _HEAD.match(_text(tx, file))
    title = _TITLE.search(head[0]) if head else None
    said = title[1].strip().strip("\"'") if title else ""
    return said or file.name.removesuffix(".md").replace("-", " ").capitalize()


def _text(tx: Tx, file: FileData) -> str:
    return content.blob(tx, file.blob).decode(errors="replace")


def _plain(values: Mapping[str, object]) -> dict[str, str]:
    return {
        name: str(value)
        for name, value in values.items()
        if isinstance(value, str | int | float) and not isinstance(value, bool)
    }
