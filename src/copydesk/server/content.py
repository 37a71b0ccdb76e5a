"""Content as a graph of immutable revisions, as in git.

A blob is the text of a page or the bytes of a file. A page version is everything a page says about
itself, its text by the blob's hash. A tree is the nested order of page versions plus the files. A
revision is a tree with parents. Equal content is stored once; nothing here ever changes in place.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import field, fields, replace
from functools import lru_cache
from hashlib import sha256
from sys import intern
from typing import Any

from copydesk.contract.enumerations import RevisionType
from copydesk.domain.late_dataclass import dataclass
from copydesk.server.store import Tx, to_json


@dataclass(frozen=True, slots=True)
class PageData:
    """One version of a page. Fields that say nothing are not stored, so that equal is equal.

    ``text`` is the hash of the Markdown's blob; groups and links have none. ``front_matter`` is the
    raw head of the source file, and ``git_path`` and ``git_oid`` say which file that was.
    """

    id: str
    title: str
    slug: str
    type: str = "document"
    text: str | None = None
    description: str | None = None
    emoji: str | None = None
    icon: str | None = None
    href: str | None = None
    hidden: bool = False
    no_index: bool = False
    no_robots_index: bool = False
    layout: dict[str, Any] | None = None
    cover: dict[str, Any] | None = None
    variables: dict[str, Any] | None = None
    meta_links: dict[str, Any] | None = None
    condition: str | None = None
    front_matter: str | None = None
    git_path: str | None = None
    git_oid: str | None = None

    def stored(self) -> str:
        """Return the JSON under whose hash this version is kept."""
        told = ((name, getattr(self, name)) for name in _PAGE_FIELDS)
        return to_json({name: value for name, value in told if value not in (None, False)})


@dataclass(frozen=True, slots=True)
class Node:
    """A page's place in a tree: its id, the hash of its version, and its child pages in order."""

    page: str
    version: str
    children: tuple[Node, ...] = ()


SMALL_TREE = 250_000
"""Up to so many characters of JSON, many trees are kept in mind as they were read; then few."""


@dataclass(frozen=True, slots=True)
class FileData:
    """A file of a revision.

    ``kind`` is ``file`` for what readers may see, ``summary`` for the table of contents, and
    ``source`` for what else is only kept so that an export gives it back (.gitbook.yaml, unlisted
    Markdown).
    """

    id: str
    name: str
    path: str
    blob: str
    size: int
    content_type: str = "application/octet-stream"
    kind: str = "file"
    git_oid: str | None = None


@dataclass(frozen=True, slots=True)
class Content:
    """What a revision holds: pages in order, and files by path."""

    pages: tuple[Node, ...] = ()
    files: tuple[FileData, ...] = ()

    def nodes(self) -> Iterator[Node]:
        """Yield every page, parents before children, in reading order."""
        stack = list(reversed(self.pages))
        while stack:
            node = stack.pop()
            yield node
            stack.extend(reversed(node.children))

    def versions(self) -> dict[str, str]:
        """Return the version hash of each page id."""
        return {node.page: node.version for node in self.nodes()}


@dataclass(slots=True)
class Draft:
    """A tree being edited: flat while it changes, nested again when it is saved.

    ``opened`` are the pages as they were stored when it was opened, each with its version's hash,
    so that saving costs as much as was changed.
    """

    pages: dict[str, PageData] = field(default_factory=dict)
    children: dict[str | None, list[str]] = field(default_factory=dict)
    files: dict[str, FileData] = field(default_factory=dict)
    opened: dict[str, tuple[PageData, str]] = field(default_factory=dict, compare=False, repr=False)

    def add(self, page: PageData, parent: str | None = None, index: int | None = None) -> None:
        """Put a new page below ``parent`` (None is the top), last unless ``index`` says where."""
        self.pages[page.id] = page
        siblings = self.children.setdefault(parent, [])
        siblings.insert(len(siblings) if index is None else index, page.id)

    def edit(self, page_id: str, **changes: Any) -> None:
        """Replace fields of a page."""
        self.pages[page_id] = replace(self.pages[page_id], **changes)

    def parent_of(self, page_id: str) -> str | None:
        """Return the id of the page that holds this one, None at the top."""
        return next(parent for parent, ids in self.children.items() if page_id in ids)

    def move(self, page_id: str, parent: str | None, index: int | None = None) -> None:
        """Put a page elsewhere, with everything below it."""
        self.children[self.parent_of(page_id)].remove(page_id)
        siblings = self.children.setdefault(parent, [])
        siblings.insert(len(siblings) if index is None else index, page_id)

    def remove(self, page_id: str) -> None:
        """Take a page out, with everything below it."""
        self.children[self.parent_of(page_id)].remove(page_id)
        doomed = [page_id]
        while doomed:
            gone = doomed.pop()
            doomed.extend(self.children.pop(gone, ()))
            del self.pages[gone]

    def lift_out(self, page_id: str) -> None:
        """Take a page out; the pages below it stand in its place."""
        siblings = self.children[self.parent_of(page_id)]
        place = siblings.index(page_id)
        siblings[place : place + 1] = self.children.pop(page_id, ())
        del self.pages[page_id]


def put_blob(tx: Tx, data: bytes) -> str:
    """Store bytes once and return their hash."""
    digest = sha256(data).hexdigest()
    tx.run("INSERT OR IGNORE INTO blob VALUES (?, ?, ?)", digest, len(data), data)
    return digest


def put_text(tx: Tx, text: str) -> str:
    """Store a text once and return its hash."""
    return put_blob(tx, text.encode())


def blob(tx: Tx, digest: str) -> bytes:
    """Return stored bytes."""
    data: bytes = tx.value("SELECT data FROM blob WHERE hash = ?", digest)
    return data


def text(tx: Tx, digest: str | None) -> str:
    """Return a stored text; none is empty."""
    return "" if digest is None else blob(tx, digest).decode()


def new_page_id(tx: Tx, space_id: str, source_key: str | None = None) -> str:
    """Give a page its identity, which stays the same through every version of it."""
    return tx.add("page", space_id=space_id, source_key=source_key, created_at=tx.now)


def put_version(tx: Tx, page: PageData) -> str:
    """Store a version of a page once and return its hash."""
    data = page.stored()
    digest = sha256(data.encode()).hexdigest()
    tx.run("INSERT OR IGNORE INTO page_version VALUES (?, ?, ?, ?)", digest, page.id, data, tx.now)
    if page.text is not None:
        tx.run(
            "INSERT OR IGNORE INTO blob_name SELECT ?, space_id FROM page WHERE id = ?",
            page.text,
            page.id,
        )
    return digest


def versions(tx: Tx, hashes: Iterable[str]) -> dict[str, PageData]:
    """Return page versions by hash."""
    rows = tx.all(
        "SELECT hash, data FROM page_version WHERE hash IN (SELECT value FROM json_each(?))",
        json.dumps(list(hashes)),
    )
    return {row["hash"]: _page_data(row["data"]) for row in rows}


def version_times(tx: Tx, content: Content) -> dict[str, tuple[str, str]]:
    """Return (created, updated) of each page: of its identity, and of its version here."""
    nodes = {node.version: node.page for node in content.nodes()}
    rows = tx.all(
        "SELECT v.hash, v.created_at AS updated, p.created_at AS created FROM page_version v "
        "JOIN page p ON p.id = v.page_id WHERE v.hash IN (SELECT value FROM json_each(?))",
        json.dumps(list(nodes)),
    )
    return {nodes[row["hash"]]: (row["created"], row["updated"]) for row in rows}


def load(tx: Tx, revision_id: str) -> Content:
    """Return what a revision holds."""
    return tree(tx, tree_hash(tx, revision_id))


def tree_hash(tx: Tx, revision_id: str) -> str:
    """Return the hash of a revision's tree: equal trees have the same."""
    found: str = tx.value("SELECT tree_hash FROM revision WHERE id = ?", revision_id)
    return found


def tree(tx: Tx, tree_hash: str) -> Content:
    """Return a stored tree."""
    data = tree_data(tx, tree_hash)
    return (_read_small if len(data) <= SMALL_TREE else _read_large)(data)


def tree_data(tx: Tx, tree_hash: str) -> str:
    """Return a stored tree as it is stored: JSON."""
    data: str = tx.value("SELECT data FROM tree WHERE hash = ?", tree_hash)
    return data


def open_draft(tx: Tx, content: Content) -> Draft:
    """Return a tree in a form that can be edited."""
    draft = Draft(files={file.path: file for file in content.files})
    pages = versions(tx, (node.version for node in content.nodes()))

    def place(nodes: tuple[Node, ...], parent: str | None) -> None:
        draft.children[parent] = [node.page for node in nodes]
        for node in nodes:
            draft.pages[node.page] = pages[node.version]
            draft.opened[node.page] = (pages[node.version], node.version)
            if node.children:
                place(node.children, node.page)

    place(content.pages, None)
    return draft


def close_draft(tx: Tx, draft: Draft) -> Content:
    """Store the versions of an edited tree and return it as content."""

    def version(page_id: str) -> str:
        page = draft.pages[page_id]
        before, digest = draft.opened.get(page_id, (None, ""))
        return digest if before is page else put_version(tx, page)

    def nest(parent: str | None) -> tuple[Node, ...]:
        return tuple(
            Node(page_id, version(page_id), nest(page_id))
            for page_id in draft.children.get(parent, ())
        )

    return Content(nest(None), tuple(sorted(draft.files.values(), key=lambda f: f.path)))


def put_tree(tx: Tx, content: Content) -> str:
    """Store a tree once and return its hash."""
    data = to_json(
        {
            "pages": [_node_json(node) for node in content.pages],
            "files": [
                {name: value for name in _FILE_FIELDS if (value := getattr(file, name)) is not None}
                for file in content.files
            ],
        }
    )
    digest = sha256(data.encode()).hexdigest()
    tx.run("INSERT OR IGNORE INTO tree VALUES (?, ?)", digest, data)
    return digest


def put_revision(
    tx: Tx,
    space_id: str,
    content: Content,
    *,
    parents: Iterable[str] = (),
    kind: RevisionType = "edits",
    author: str | None = None,
    git: dict[str, Any] | None = None,
) -> str:
    """Store a revision and return its id. It was made from its first parent."""
    parents = list(parents)
    if content.files:
        named = {file.blob for parent in parents[:1] for file in load(tx, parent).files}
        fresh = {file.blob for file in content.files} - named
        tx.run_many(
            "INSERT OR IGNORE INTO blob_name VALUES (?, ?)",
            ((digest, space_id) for digest in fresh),
        )
    return tx.add(
        "revision",
        space_id=space_id,
        type=kind,
        tree_hash=put_tree(tx, content),
        parents=json.dumps(parents),
        author_id=author,
        git=None if git is None else to_json(git),
        created_at=tx.now,
    )


def paths(draft: Draft) -> dict[str, str]:
    """Return the URL path of each page: the slugs on the way to it, joined."""
    found: dict[str, str] = {}

    def walk(parent: str | None, prefix: str) -> None:
        for page_id in draft.children.get(parent, ()):
            found[page_id] = prefix + draft.pages[page_id].slug
            walk(page_id, found[page_id] + "/")

    walk(None, "")
    return found


def _node_json(node: Node) -> list[Any]:
    return [node.page, node.version, [_node_json(child) for child in node.children]]


def _node(data: list[Any]) -> Node:
    # Interned: the trees that are cached at a time have nearly all pages in common.
    return Node(intern(data[0]), intern(data[1]), tuple(_node(child) for child in data[2]))


def _content(data: str) -> Content:
    value = json.loads(data)
    return Content(
        tuple(_node(node) for node in value["pages"]),
        tuple(FileData(**file) for file in value["files"]),
    )


_read_small = lru_cache(maxsize=64)(_content)
_read_large = lru_cache(maxsize=4)(_content)
_FILE_FIELDS = tuple(f.name for f in fields(FileData))


_PAGE_FIELDS = frozenset(f.name for f in fields(PageData))


@lru_cache(maxsize=4096)
def _page_data(data: str) -> PageData:
    value = json.loads(data)
    return PageData(**{name: value[name] for name in _PAGE_FIELDS & value.keys()})
