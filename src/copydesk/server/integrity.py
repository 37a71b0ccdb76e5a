"""Reading a whole desk for anything that should not be: damage, and rules that do not hold.

Nothing here writes. What it says are sentences for a person; a desk without any is as sound as this
version of copydesk can tell. What may be asked for again (counts, defaults) is checked against what
it is derived from.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import field
from hashlib import sha256
from pathlib import Path

from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.text import plural
from copydesk.server import content
from copydesk.server.change_requests import COUNTED
from copydesk.server.desk_file import (
    MOST_LOOKS,
    complaint,
    damage,
    open_unchanging,
    said_by,
    state_of,
)
from copydesk.server.migrations import VERSION
from copydesk.server.search_index import entries_of
from copydesk.server.store import DeskError, Tx, utc_now

MOST = 20
"""So many problems of one kind are named; the rest are counted."""


@dataclass(slots=True)
class Findings:
    """The faults of a desk, as sentences, most fundamental first.

    ``damage`` is of the file and its contents; ``rules`` are kept counts and the like that do not
    hold; ``index`` are differences between the search index and its pages.
    """

    damage: list[str] = field(default_factory=list)
    rules: list[str] = field(default_factory=list)
    index: list[str] = field(default_factory=list)

    @property
    def all(self) -> list[str]:
        """Every sentence."""
        return [*self.damage, *self.rules, *self.index]


def examine(path: Path) -> Findings:
    """Read a whole desk file and return its problems; nothing is written.

    Other processes may go on using the desk: one moment of it is read. Raises ``DeskError`` for a
    file that is no desk, or one of another version, whose rules are not known here.
    """
    if (reason := complaint(path, VERSION, examine=False, writes=False)) is not None:
        raise DeskError(f"{path} {reason}. It was left as it is; name another file with --desk.")
    for _ in range(MOST_LOOKS):
        before = state_of(path)
        found = _read(path)
        # Nobody had it open: whoever opened it in between may have shown a torn file.
        if not found.all or state_of(path) == before:
            break
    return found


def _read(path: Path) -> Findings:
    found = Findings()
    with closing(open_unchanging(path)) as connection:
        connection.execute("BEGIN")
        try:
            _fill(found, connection, path)
        except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
            # Python reads what SQLite says as UTF-8, which it is not where it quotes damage.
            said = said_by(error) if isinstance(error, sqlite3.Error) else "its schema is damaged"
            found.damage.append(f"SQLite cannot read on ({said})")
    return found


def _fill(found: Findings, connection: sqlite3.Connection, path: Path) -> None:
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    of_file, of_index = damage(connection, f"integrity_check({MOST})")
    found.damage.extend(_first(f"SQLite: {each}" for each in of_file))
    if found.damage:
        return  # what else is read would say the same in other words
    if version != VERSION:
        raise DeskError(
            f"{path} is a desk of an older copydesk (schema {version}, this one has {VERSION}). "
            "Nothing in it is damaged; open it once, then check it again."
        )
    found.damage.extend(_first(_dangling(connection)))
    for rule in RULES:
        found.rules.extend(
            _first(rule.sentence.format(**dict(row)) for row in connection.execute(rule.sql))
        )
    contents = Contents(connection)
    for kind in contents.problems():
        found.damage.extend(_first(kind))
    found.index.extend(_first(f"the search index is damaged: {each}" for each in of_index))
    for kind in contents.problems_of_index():
        found.index.extend(_first(kind))


def _first(sentences: Iterator[str]) -> Iterator[str]:
    """Yield the first of many sentences, and how many more there are."""
    more = 0
    for number, sentence in enumerate(sentences):
        if number < MOST:
            yield sentence
        else:
            more += 1
    if more:
        yield f"… and {more} more like the last one"


def _dangling(connection: sqlite3.Connection) -> Iterator[str]:
    found: dict[tuple[str, str], int] = {}
    for row in connection.execute("PRAGMA foreign_key_check"):
        key = (row["table"], row["parent"])
        found[key] = found.get(key, 0) + 1
    for (table, parent), count in found.items():
        yield f"{plural(count, 'row')} of {table} name a {parent} that is not there"


_NAMED_DOCUMENTS = (("openapi_spec", "source_text"), ("openapi_version", "document_hash"))
"""The columns that name a document by its hash."""


class Contents:
    """The content graph: every stored thing matches its hash, and every name in it is there."""

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
        """Yield problems, kind by kind. Each is read to its end before the next."""
        yield self._of_blobs()
        yield self._of_versions()
        yield self._of_trees()
        yield self._of_documents()
        yield self._of_revisions()

    def problems_of_index(self) -> Iterator[Iterator[str]]:
        """Yield where the search index is otherwise, after ``problems`` was read to its end."""
        yield self._of_search()
        yield self._of_words()
        yield self._of_conversations()

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
                    yield f"the search index has other facts of page {page} of space {row['id']}"

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
        """Compare the index's text of each page with the page's own."""
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
            yield f"the search index has the words of {plural(left, 'page')} that it does not list"

    def _of_conversations(self) -> Iterator[str]:
        """Compare what is searched of conversations with the conversations."""
        (wrong,) = self._connection.execute(
            "SELECT count(*) FROM conversation c LEFT JOIN conversation_search s "
            "ON s.organization_id = c.organization_id AND s.conversation_id = c.id "
            "LEFT JOIN conversation_words w ON w.rowid = s.id WHERE CASE WHEN c.type = 'ticket' "
            "THEN s.source IS NOT c.source OR s.language IS NOT c.language "
            "OR s.created_at IS NOT c.created_at OR w.subject IS NOT c.subject OR w.said IS NOT "
            "(SELECT group_concat(part.value ->> 'body', char(10)) FROM json_each("
            "CASE WHEN json_valid(c.parts) THEN c.parts ELSE '[]' END) AS part) "
            "ELSE s.id IS NOT NULL END"
        ).fetchone()
        if wrong:
            yield f"the search index has other words for {plural(wrong, 'conversation')}"
        (left,) = self._connection.execute(
            "SELECT count(*) FROM conversation_words "
            "WHERE rowid NOT IN (SELECT id FROM conversation_search)"
        ).fetchone()
        if left:
            yield f"the search index has {plural(left, 'conversation')} that is not there"


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


@dataclass(frozen=True, slots=True)
class Rule:
    """Something that holds on every desk: ``sql`` finds the rows for which it does not.

    The columns of those rows fill the placeholders of ``sentence``.
    """

    sentence: str
    sql: str


def _counted(table: str, column: str, what: str, counting: str) -> Rule:
    """Return the rule that a kept count equals the number of rows."""
    return Rule(
        f"{table} {{id}} keeps a count of {{kept}} {what}, but there are {{found}}",
        f"SELECT * FROM (SELECT id, {column} AS kept, ({counting}) AS found FROM {table} AS t) "  # noqa: S608 - names are ours
        "WHERE kept IS NOT found",
    )


def _placed(what: str, table: str, among: str) -> Rule:
    """Return the rule that siblings have positions of their own."""
    return Rule(
        f"{{found}} {what} are at the same position {{position}} of {{place}}",
        f"SELECT count(*) AS found, position, {among} AS place FROM {table} "  # noqa: S608
        f"GROUP BY {among}, position HAVING count(*) > 1",
    )


RULES: tuple[Rule, ...] = (
    _counted(
        "space",
        "comments",
        "open comments",
        "SELECT count(*) FROM comment "
        "WHERE space_id = t.id AND change_request_id IS NULL AND status = 'open'",
    ),
    _counted(
        "space",
        "change_requests",
        "change requests",
        "SELECT count(*) FROM change_request WHERE space_id = t.id",
    ),
    *(
        _counted(
            "space",
            column,
            f"change requests ({status})",
            f"SELECT count(*) FROM change_request WHERE space_id = t.id AND status = '{status}'",  # noqa: S608 - statuses are ours
        )
        for status, column in COUNTED.items()
    ),
    _counted(
        "change_request",
        "comments",
        "open comments",
        "SELECT count(*) FROM comment WHERE change_request_id = t.id AND status = 'open'",
    ),
    _counted("comment", "replies", "replies", "SELECT count(*) FROM reply WHERE comment_id = t.id"),
    _counted("cluster", "issues", "issues", "SELECT count(*) FROM issue WHERE cluster_id = t.id"),
    _counted(
        "cluster",
        "conversations",
        "conversations",
        "SELECT count(DISTINCT conversation_id) FROM issue WHERE cluster_id = t.id",
    ),
    _counted(
        "question", "answers", "answers", "SELECT count(*) FROM issue WHERE question_id = t.id"
    ),
    _counted(
        "question",
        "answered",
        "good answers",
        "SELECT count(*) FROM issue WHERE question_id = t.id AND answered = 'yes'",
    ),
    _placed(
        "spaces and collections",
        "(SELECT organization_id, parent_id, position FROM space UNION ALL "
        "SELECT organization_id, parent_id, position FROM collection)",
        "coalesce('collection ' || parent_id, 'organization ' || organization_id)",
    ),
    _placed("sections, groups and links", "site_entry", "'site ' || site_id"),
    _placed("site spaces", "site_space", "coalesce('section ' || section_id, 'site ' || site_id)"),
    Rule(
        "space {id} would give its next change request the number {next_number}, "
        "but {number} is taken",
        "SELECT space.id, next_number, max(number) AS number FROM space "
        "JOIN change_request ON space_id = space.id GROUP BY space.id HAVING number >= next_number",
    ),
    Rule(
        "change request {id} says that it is of organization {organization_id}, "
        "its space is of {home}",
        "SELECT c.id, c.organization_id, space.organization_id AS home FROM change_request AS c "
        "JOIN space ON space.id = c.space_id WHERE home != c.organization_id",
    ),
    Rule(
        "comment {id} is on change request {change_request_id}, which is of another space",
        "SELECT comment.id, change_request_id FROM comment "
        "JOIN change_request AS c ON c.id = change_request_id WHERE c.space_id != comment.space_id",
    ),
    Rule(
        "{kind} {id} is in a collection of another organization",
        "SELECT 'space' AS kind, s.id FROM space AS s JOIN collection AS c ON c.id = s.parent_id "
        "WHERE c.organization_id != s.organization_id UNION ALL "
        "SELECT 'collection', s.id FROM collection AS s JOIN collection AS c ON c.id = s.parent_id "
        "WHERE c.organization_id != s.organization_id",
    ),
    Rule(
        "collection {id} is below itself",
        "WITH RECURSIVE below (id) AS (SELECT id FROM collection WHERE parent_id IS NULL "
        "UNION SELECT c.id FROM collection AS c JOIN below ON c.parent_id = below.id) "
        "SELECT id FROM collection WHERE id NOT IN (SELECT id FROM below)",
    ),
    Rule(
        "{kind} {id} is in a group of another site",
        "SELECT e.kind, e.id FROM site_entry AS e JOIN section_group AS g ON g.id = e.parent_id "
        "WHERE g.site_id != e.site_id",
    ),
    Rule(
        "section group {id} is in itself",
        "WITH RECURSIVE below (id) AS (SELECT id FROM section_group WHERE parent_id IS NULL "
        "UNION SELECT g.id FROM section_group AS g JOIN below ON g.parent_id = below.id) "
        "SELECT id FROM section_group WHERE id NOT IN (SELECT id FROM below)",
    ),
    Rule(
        "{kind} {id} is before the group that it is in",
        "SELECT e.kind, e.id FROM site_entry AS e JOIN section_group AS g ON g.id = e.parent_id "
        "WHERE e.position <= g.position",
    ),
    Rule(
        "{kind} {id} names revision {revision}, which is not in its space",
        "SELECT * FROM ("
        "SELECT 'space' AS kind, id, id AS space_id, revision_id AS revision FROM space UNION ALL "
        "SELECT 'change request', id, space_id, revision_id FROM change_request UNION ALL "
        "SELECT 'change request', id, space_id, revision_initial FROM change_request UNION ALL "
        "SELECT 'change request', id, space_id, revision_merged_ancestor FROM change_request "
        "UNION ALL SELECT 'change request', id, space_id, revision_merged FROM change_request "
        "UNION ALL SELECT 'comment', id, space_id, revision_id FROM comment) AS named "
        "WHERE revision IS NOT NULL AND NOT EXISTS (SELECT 1 FROM revision AS r "
        "WHERE r.id = named.revision AND r.space_id = named.space_id)",
    ),
    Rule(
        "change request {id} is {status}, {but}",
        "SELECT id, status, CASE WHEN status = 'merged' THEN 'but nothing says as which revision' "
        "ELSE 'but it says that it was merged' END AS but FROM change_request "
        "WHERE (status = 'merged') != (revision_merged IS NOT NULL)",
    ),
    Rule(
        "comment {id} is {status}, and says that it was resolved at {resolved_at}",
        "SELECT id, status, coalesce(resolved_at, 'no time') AS resolved_at FROM comment "
        "WHERE (status = 'resolved') != (resolved_at IS NOT NULL)",
    ),
    Rule(
        "{found} reactions are to a comment or a reply that is not there",
        "SELECT count(*) AS found FROM reaction WHERE target_id NOT IN "
        "(SELECT id FROM comment UNION ALL SELECT id FROM reply) HAVING found",
    ),
    Rule(
        "{found} rights are on a space, a collection or a site that is not there",
        "SELECT count(*) AS found FROM access_grant WHERE container_id NOT IN "
        "(SELECT id FROM space UNION ALL SELECT id FROM collection UNION ALL SELECT id FROM site) "
        "HAVING found",
    ),
    Rule(
        "site {id} has sections, but its default is not one of them",
        "SELECT id FROM site WHERE id IN (SELECT site_id FROM site_section) "
        "AND NOT EXISTS (SELECT 1 FROM site_section AS s "
        "WHERE s.site_id = site.id AND s.id = default_section_id)",
    ),
    Rule(
        "site {id} has sections and shows spaces beside them",
        "SELECT id FROM site WHERE id IN (SELECT site_id FROM site_section) "
        "AND id IN (SELECT site_id FROM site_space WHERE section_id IS NULL)",
    ),
    Rule(
        "{kind} {id} has site spaces, but its default is not one of them",
        "SELECT 'section' AS kind, id FROM site_section "
        "WHERE id IN (SELECT section_id FROM site_space) AND NOT EXISTS "
        "(SELECT 1 FROM site_space AS s "
        "WHERE s.section_id = site_section.id AND s.id = default_site_space_id) UNION ALL "
        "SELECT 'site', id FROM site "
        "WHERE id IN (SELECT site_id FROM site_space WHERE section_id IS NULL) AND NOT EXISTS "
        "(SELECT 1 FROM site_space AS s WHERE s.site_id = site.id AND s.section_id IS NULL "
        "AND s.id = default_site_space_id)",
    ),
    Rule(
        "{kind} {id} has a default that is not there",
        # A default that is NULL is no default; NULL NOT IN () would be true.
        "WITH named(kind, id, section, place) AS ("
        "SELECT 'site', id, default_section_id, default_site_space_id FROM site UNION ALL "
        "SELECT 'section', id, NULL, default_site_space_id FROM site_section) "
        "SELECT kind, id FROM named WHERE section IS NOT NULL AND section NOT IN "
        "(SELECT id FROM site_section) OR place IS NOT NULL AND place NOT IN "
        "(SELECT id FROM site_space)",
    ),
    Rule(
        "site space {id} is in a section of another site",
        "SELECT p.id FROM site_space AS p JOIN site_section AS s ON s.id = p.section_id "
        "WHERE s.site_id != p.site_id",
    ),
    Rule(
        "site space {id} shows a space of another organization",
        "SELECT p.id FROM site_space AS p JOIN site ON site.id = p.site_id "
        "JOIN space ON space.id = p.space_id WHERE space.organization_id != site.organization_id",
    ),
    Rule(
        "nothing says that space {space_id} names the bytes {hash}",
        # Without that, they would go when another space that has them is removed.
        "SELECT * FROM (SELECT page.space_id, "
        "CASE WHEN json_valid(v.data) THEN json_extract(v.data, '$.text') END AS hash "
        "FROM page_version AS v JOIN page ON page.id = v.page_id UNION "
        "SELECT named.space_id, json_extract(file.value, '$.blob') FROM "
        "(SELECT DISTINCT space_id, tree_hash FROM revision) AS named "
        "JOIN tree ON tree.hash = named.tree_hash JOIN json_each("
        "CASE WHEN json_valid(tree.data) THEN tree.data ELSE '{}' END, '$.files') AS file) AS n "
        "WHERE hash IS NOT NULL AND NOT EXISTS (SELECT 1 FROM blob_name AS b "
        "WHERE b.hash = n.hash AND b.space_id = n.space_id)",
    ),
    Rule(
        "issue {id} is in a cluster of another organization",
        "SELECT issue.id FROM issue JOIN cluster ON cluster.id = cluster_id "
        "WHERE cluster.organization_id != issue.organization_id",
    ),
    Rule(
        "issue {id} is suggested to a cluster, and is in one or was put out of it by hand",
        "SELECT id FROM issue WHERE placed != 'none' AND id IN (SELECT issue_id FROM suggestion)",
    ),
    Rule(
        "issue {id} is in a cluster, and no one put it there",
        "SELECT id FROM issue WHERE cluster_id IS NOT NULL AND placed IN ('none', 'waiting')",
    ),
    Rule(
        "cluster {id} is there, and among those that ended",
        "SELECT id FROM cluster WHERE id IN (SELECT id FROM ended_cluster)",
    ),
    Rule(
        "issue {id} is of conversation {conversation_id}, which is not there",
        "SELECT id, conversation_id FROM issue WHERE NOT EXISTS (SELECT 1 FROM conversation AS c "
        "WHERE c.organization_id = issue.organization_id AND c.id = issue.conversation_id)",
    ),
)
"""The rules besides those that the tables themselves demand."""
