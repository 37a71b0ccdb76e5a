"""Reading the content graph of a desk, and what is made from it, for what should not be."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from hashlib import sha256

from copydesk.domain.text import plural
from copydesk.server import content
from copydesk.server.search_index import entries_of
from copydesk.server.store import Tx, utc_now

_NAMED_DOCUMENTS = (("openapi_spec", "source_text"), ("openapi_version", "document_hash"))
"""The columns that name a document by its hash."""


class Contents:
    """The content graph: every stored thing is what its hash says, and names what is there."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._blobs: set[str] = set()
        self._versions: dict[str, str] = {}
        """The page of each page version."""
        self._trees: dict[str, dict[str, str]] = {}
        """The page versions of each tree, by page."""
        self._spoilt: set[str] = set()
        """Page versions and trees that are not what their hashes say."""

    def problems(self) -> Iterator[Iterator[str]]:
        """Yield what is wrong, kind by kind. Each is read to its end before the next."""
        yield self._of_blobs()
        yield self._of_versions()
        yield self._of_trees()
        yield self._of_documents()
        yield self._of_revisions()

    def problems_of_index(self) -> Iterator[Iterator[str]]:
        """Yield where the search index is otherwise, after ``problems`` was read to its end."""
        yield self._of_search()
        yield self._of_words()

    def _of_blobs(self) -> Iterator[str]:
        for row in self._connection.execute(
            "SELECT hash, size, CAST(data AS BLOB) AS data FROM blob"
        ):
            self._blobs.add(row["hash"])
            if sha256(row["data"]).hexdigest() != row["hash"] or len(row["data"]) != row["size"]:
                yield f"stored bytes {row['hash']} are not what their hash says"

    def _of_versions(self) -> Iterator[str]:
        for row in self._connection.execute("SELECT hash, page_id, data FROM page_version"):
            key = row["hash"]
            self._versions[key] = row["page_id"]
            data = _parsed(row["data"], key)
            if not isinstance(data, dict) or data.get("id") != row["page_id"]:
                self._spoilt.add(key)
                yield f"page version {key} is not what its hash says"
            elif data.get("text") is not None and data["text"] not in self._blobs:
                yield f"page version {key} has a text that is not there"

    def _of_trees(self) -> Iterator[str]:
        for row in self._connection.execute("SELECT hash, data FROM tree"):
            key = row["hash"]
            placed = self._trees[key] = {}
            data = _parsed(row["data"], key)
            if not isinstance(data, dict):
                self._spoilt.add(key)
                yield f"tree {key} is not what its hash says"
                continue
            nodes = list(data["pages"])
            while nodes:
                page, version, children = nodes.pop()
                nodes.extend(children)
                if page in placed:
                    yield f"tree {key} has page {page} twice"
                if self._versions.get(version) != page:
                    yield f"tree {key} has page {page} in a version that is not there"
                placed[page] = version
            for file in data["files"]:
                if file["blob"] not in self._blobs:
                    yield f"tree {key} has the file {file['path']}, whose bytes are not there"

    def _of_documents(self) -> Iterator[str]:
        documents: set[str] = set()
        for row in self._connection.execute(
            "SELECT hash, CAST(data AS BLOB) AS data FROM openapi_document"
        ):
            documents.add(row["hash"])
            if sha256(row["data"]).hexdigest() != row["hash"]:
                yield f"the document {row['hash']} is not what its hash says"
        for table, column in _NAMED_DOCUMENTS:
            for (named,) in self._connection.execute(
                f"SELECT DISTINCT {column} FROM {table} WHERE {column} IS NOT NULL"  # noqa: S608 - names are ours
            ):
                if named not in documents:
                    yield f"a row of {table} names the document {named}, which is not there"

    def _of_revisions(self) -> Iterator[str]:
        spaces: dict[str, str] = {}
        parents: dict[str, list[str]] = {}
        used: set[tuple[str, str]] = set()
        for row in self._connection.execute(
            "SELECT id, space_id, tree_hash, parents FROM revision"
        ):
            spaces[row["id"]] = row["space_id"]
            try:
                parents[row["id"]] = list(json.loads(row["parents"]))
            except (ValueError, TypeError):
                parents[row["id"]] = []
                yield f"revision {row['id']} does not say what it follows"
            used.add((row["space_id"], row["tree_hash"]))
        for revision, above in parents.items():
            for parent in above:
                if spaces.get(parent) != spaces[revision]:
                    yield f"revision {revision} follows {parent}, which is not in its space"
        for revision in _circular(parents):
            yield f"revision {revision} follows itself"
        pages = {
            row["id"]: row["space_id"]
            for row in self._connection.execute("SELECT id, space_id FROM page")
        }
        for space, tree in used:
            for page in self._trees.get(tree, ()):
                if pages.get(page) != space:
                    yield f"tree {tree} of space {space} has page {page}, which is not its own"

    def _of_search(self) -> Iterator[str]:
        """Compare which pages are indexed, and where they are said to be, with primary content."""
        tx = Tx(self._connection, utc_now())
        indexed: dict[str, dict[str, tuple[str, ...]]] = {}
        for row in self._connection.execute(
            "SELECT space_id, page_id, version, path, ancestors FROM search_page"
        ):
            indexed.setdefault(row[0], {})[row[1]] = tuple(row)[2:]
        for row in self._connection.execute(
            "SELECT space.id, tree_hash FROM space JOIN revision ON revision.id = revision_id"
        ):
            if not self._is_whole(row["tree_hash"]):
                continue  # said already
            there = entries_of(tx, content.tree(tx, row["tree_hash"]))
            known = indexed.get(row["id"], {})
            for page in there.keys() | known.keys():
                if there.get(page) != known.get(page):
                    yield f"the search index knows page {page} of space {row['id']} otherwise"

    def _is_whole(self, tree: str) -> bool:
        """Say whether a tree and all that it has can be read."""
        return (
            tree in self._trees
            and tree not in self._spoilt
            and all(
                self._versions.get(version) == page and version not in self._spoilt
                for page, version in self._trees[tree].items()
            )
        )

    def _of_words(self) -> Iterator[str]:
        """Compare what the index holds of each page with what the page says."""
        (wrong,) = self._connection.execute(
            "SELECT count(*) FROM search_page AS p JOIN page_version AS v ON v.hash = p.version "
            "LEFT JOIN blob ON blob.hash = json_extract(v.data, '$.text') "
            "LEFT JOIN search AS s ON s.rowid = p.id WHERE s.space IS NOT p.space_id "
            "OR s.title IS NOT json_extract(v.data, '$.title') "
            "OR s.description IS NOT coalesce(json_extract(v.data, '$.description'), '') "
            "OR s.body IS NOT coalesce(CAST(blob.data AS TEXT), '')"
        ).fetchone()
        if wrong:
            yield f"the search index has other words for {plural(wrong, 'page')}"
        (left,) = self._connection.execute(
            "SELECT count(*) FROM search WHERE rowid NOT IN (SELECT id FROM search_page)"
        ).fetchone()
        if left:
            yield f"the search index has words of {plural(left, 'page')} that it does not know"


def _parsed(data: str, key: str) -> object:
    """Return the value of stored JSON, or None when it is not what its hash says."""
    if sha256(data.encode()).hexdigest() != key:
        return None
    value: object = json.loads(data)
    return value


def _circular(parents: dict[str, list[str]]) -> list[str]:
    """Return what comes after itself, by taking away again and again what comes after nothing."""
    waiting = {key: sum(p in parents for p in above) for key, above in parents.items()}
    after: dict[str, list[str]] = {}
    for key, above in parents.items():
        for parent in above:
            after.setdefault(parent, []).append(key)
    free = [key for key, count in waiting.items() if count == 0]
    for key in free:
        for later in after.get(key, ()):
            waiting[later] -= 1
            if not waiting[later]:
                free.append(later)
    return sorted(key for key, count in waiting.items() if count)
