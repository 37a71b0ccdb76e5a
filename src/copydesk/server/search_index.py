"""The full-text index over primary content: kept with every revision, asked with plain words.

SQLite's FTS5 finds words and what begins with them, whatever their case and accents, and ranks the
pages. Scripts that write words without spaces between them are found by looking for the characters
themselves, which takes longer. Nothing in a query is an operator.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Final

from copydesk.domain.late_dataclass import dataclass
from copydesk.server import content
from copydesk.server.content import Content, Node, PageData
from copydesk.server.store import Tx, Value, to_json

_WEIGHTS: Final = "0, 10, 4, 1"
"""What a word counts for in each column of ``search``: a title before a text."""

_TOKEN = re.compile(r"[^\W_]")
_MOST_WORDS = 64
"""So many different words of a query are looked for; more only say the same again."""

_SHORTEST_START = 3
"""A shorter word must be there whole: too much begins with one or two letters."""

BELOW_TITLES: Final = 500_000.0
"""Pages that are found by their title score below this; all others score above."""

_BELOW = "1000000.0 * (+rowid NOT IN (SELECT rowid FROM search WHERE search MATCH ?))"
"""Adds to the score of a page that is not found by its title far more than any rank."""

_UNSPACED = re.compile(
    # Thai to Burmese, Khmer, kana, Han
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uf900-\ufaff\U00020000-\U0003134f]"
)


@dataclass(frozen=True, slots=True)
class Query:
    """What somebody looks for: every word must be in a page, or what begins with it.

    ``words`` are asked of the index; ``passages`` are of scripts without spaces and are looked for
    as they are.
    """

    words: tuple[str, ...] = ()
    passages: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.words or self.passages)

    @property
    def all(self) -> tuple[str, ...]:
        """Every word and passage."""
        return self.words + self.passages


def parse_query(text: str) -> Query:
    """Return what a text asks for. Quotes, operators and other signs are no part of a word."""
    words: dict[str, None] = {}
    passages: dict[str, None] = {}
    for word in text.split():
        if _UNSPACED.search(word):
            passages[unicodedata.normalize("NFC", word)] = None
        elif _TOKEN.search(word):
            words["".join(c for c in word if c.isprintable())] = None
    kept = tuple(words)[:_MOST_WORDS]
    return Query(kept, tuple(passages)[: _MOST_WORDS - len(kept)])


def found_pages(query: Query, *, space_id: str | None = None) -> tuple[str, tuple[Value, ...]]:
    """Return the SQL of what a query finds, with the values of its marks.

    Its columns are ``id`` (of ``search_page``) and ``score``, which is lower the better a page
    fits. Pages with every word in their titles come before all others.
    """
    where, values = _conditions(query, space_id)
    score = f"bm25(search, {_WEIGHTS})" if query.words else "0.0"
    if query.words and not query.passages:
        score += f" + {_BELOW}"
        values = (f"{{title}} : ({all_of(query.words)})", *values)
    # Materialized, for SQLite would rank every page again wherever the score is named.
    return (
        f"WITH hit (id, score) AS MATERIALIZED (SELECT rowid, {score} FROM search "  # noqa: S608
        f"WHERE {where}) SELECT id, score FROM hit",
        values,
    )


def count_pages(tx: Tx, query: Query, *, space_id: str) -> int:
    """Return how many pages of a space a query finds, without ranking them."""
    where, values = _conditions(query, space_id)
    found: int = tx.value(f"SELECT count(*) FROM search WHERE {where}", *values)  # noqa: S608
    return found


def _conditions(query: Query, space_id: str | None) -> tuple[str, tuple[Value, ...]]:
    values: list[Value] = []
    where: list[str] = []
    if query.words:
        # The space is asked of the index too: a condition on rows would make SQLite look each up.
        space = "" if space_id is None else f"{{space}} : {_quoted(space_id)} AND "
        where.append("search MATCH ?")
        values.append(space + all_of(query.words))
    elif space_id is not None:
        where.append("rowid IN (SELECT id FROM search_page WHERE space_id = ?)")
        values.append(space_id)
    for passage in query.passages:
        ways = written(passage)
        where.append(has_passage(ways, "title", "description", "body"))
        values += ways * 3
    return " AND ".join(where), tuple(values)


def all_of(words: tuple[str, ...]) -> str:
    """Return the FTS5 expression that finds texts with every word, or what begins with it."""
    return " AND ".join(map(_term, words))


def written(word: str) -> list[str]:
    """Return the ways in which a word may be stored: with its marks, apart from them, and plain."""
    return sorted({unicodedata.normalize(form, word) for form in ("NFC", "NFD", "NFKC")})


def has_passage(ways: Sequence[str], *columns: str) -> str:
    """Return the SQL for one of the columns having one of the ways, each a value by column."""
    return f"({' OR '.join(f'instr({column}, ?)' for column in columns for _ in ways)})"


def _term(word: str) -> str:
    end = "*" if len(word) >= _SHORTEST_START else ""
    ways = [f"{_quoted(way)}{end}" for way in written(word)]
    return f"({' OR '.join(ways)})" if len(ways) > 1 else ways[0]


def _quoted(word: str) -> str:
    return '"' + word.replace('"', '""') + '"'


def keep_index(tx: Tx, space_id: str, before: str | None, after: str) -> None:
    """Make the index say what the primary content of a space says now.

    ``before`` is the revision that the index holds, None when it holds nothing of the space. Costs
    a look at both trees, and work for the pages that changed or stand elsewhere only; little of it
    for those that say the same words.
    """
    old = {} if before is None else _places(content.load(tx, before))
    new = _places(content.load(tx, after))
    changed = {page: place for page, place in new.items() if old.get(page) != place}
    before_it = {page: old[page][-1] for page in changed if page in old}
    data = content.versions(tx, (*chain.from_iterable(changed.values()), *before_it.values()))
    for page_id in old.keys() - new.keys():
        tx.run("DELETE FROM search_page WHERE space_id = ? AND page_id = ?", space_id, page_id)
    for page_id, place in changed.items():
        page = data[place[-1]]
        path, ancestors = _address(data, place)
        if page_id in before_it and _indexed(data[before_it[page_id]]) == _indexed(page):
            tx.run(
                "UPDATE search_page SET version = ?, path = ?, ancestors = ? "
                "WHERE space_id = ? AND page_id = ?",
                *(place[-1], path, ancestors, space_id, page_id),
            )
            continue
        tx.run("DELETE FROM search_page WHERE space_id = ? AND page_id = ?", space_id, page_id)
        if page.type == "group":
            continue
        tx.insert(
            "search_page",
            space_id=space_id,
            page_id=page_id,
            version=place[-1],
            path=path,
            ancestors=ancestors,
        )
        tx.insert(
            "search",
            rowid=tx.value("SELECT last_insert_rowid()"),
            space=space_id,
            title=page.title,
            description=page.description or "",
            body=content.text(tx, page.text),
        )


def entries_of(tx: Tx, tree: Content) -> dict[str, tuple[str, str, str]]:
    """Return what ``search_page`` says of primary content: version, path and ancestors by page."""
    places = _places(tree)
    data = content.versions(tx, (place[-1] for place in places.values()))
    return {
        page_id: (place[-1], *_address(data, place))
        for page_id, place in places.items()
        if data[place[-1]].type != "group"
    }


def rebuild_index(tx: Tx) -> int:
    """Make the index of every space anew from its primary content; return how many spaces.

    That of conversations is made anew, too. The old ones are not read: they may be damaged.
    """
    for name in ("search", "conversation_words"):
        made: str = tx.value("SELECT sql FROM sqlite_schema WHERE name = ?", name)
        tx.run(f"DROP TABLE {name}")
        tx.run(made)
    tx.run("DELETE FROM conversation_search")
    tx.run(
        "INSERT INTO conversation_search "
        "(organization_id, conversation_id, source, language, created_at) "
        "SELECT organization_id, id, source, language, created_at FROM conversation "
        "WHERE type = 'ticket' ORDER BY created_at, id"
    )
    tx.run("DELETE FROM search_page")
    spaces = tx.all("SELECT id, revision_id FROM space ORDER BY id")
    for row in spaces:
        keep_index(tx, row["id"], None, row["revision_id"])
    return len(spaces)


def _indexed(page: PageData) -> tuple[str | None, ...]:
    """Return what of a page is in the index."""
    return page.type, page.title, page.description, page.text


def _address(data: Mapping[str, PageData], place: tuple[str, ...]) -> tuple[str, str]:
    """Return the path of a page and, as JSON, the titles above it."""
    *above, page = (data[version] for version in place)
    path = "/".join((*(one.slug for one in above), page.slug))
    return path, to_json([one.title for one in above])


def _places(tree: Content) -> dict[str, tuple[str, ...]]:
    """Return for each page the versions on the way to it from the top, its own the last."""
    found: dict[str, tuple[str, ...]] = {}
    stack: list[tuple[Node, tuple[str, ...]]] = [(node, ()) for node in reversed(tree.pages)]
    while stack:
        node, above = stack.pop()
        found[node.page] = way = (*above, node.version)
        stack.extend((child, way) for child in reversed(node.children))
    return found
