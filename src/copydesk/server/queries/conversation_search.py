"""Searching conversations by words and fields, and showing where the words stand."""

from __future__ import annotations

import json
import secrets
from collections.abc import Sequence

from copydesk.contract.cluster import WantedConversations
from copydesk.contract.models.cluster import ClusterHit
from copydesk.contract.models.conversation import ConversationHit, SearchHit
from copydesk.server.errors import invalid
from copydesk.server.implementation import Call
from copydesk.server.pagination import Conditions
from copydesk.server.queries.cluster import cluster_model, conversation_model
from copydesk.server.search_index import Query, all_of, has_passage, parse_query, written
from copydesk.server.store import Row, to_json

AROUND = 60
"""So many characters are shown before and after the words that were found."""


class Search(Conditions):
    """What is looked for: conditions on ``conversation_search``, and the hits of one page.

    The plus sign before ``id`` keeps SQLite from trying each hit with each conversation of a
    cluster, where it counts those that are both.
    """

    def __init__(self, call: Call, organization_id: str, wanted: WantedConversations) -> None:
        """Demand what a request asks for; raise a 400 for an attribute without a value."""
        super().__init__("organization_id = ?", organization_id)
        self._call = call
        self._organization = organization_id
        query = wanted["query"]
        self._query = None if query is None else parse_query(query)
        if self._query is not None:
            self._saying(self._query)
        self.also("source = ?", wanted["source"])
        self.also("language = ?", wanted["language"])
        self.also("created_at >= ?", wanted["since"])
        self.also("created_at < ?", wanted["until"])
        for number, each in enumerate(wanted["attribute"] or ()):
            name, sign, value = each.partition("=")
            if not sign:
                raise invalid(f"query parameter attribute[{number}]: this is not name=value")
            self._with_attribute(name, value)

    def _saying(self, query: Query) -> None:
        """Demand the words and passages of a query."""
        if not query:
            self.where.append("0")  # nothing in it is a word
        if query.words:
            self.where.append(
                "+id IN (SELECT rowid FROM conversation_words WHERE conversation_words MATCH ?)"
            )
            self.values.append(all_of(query.words))
        for passage in query.passages:
            ways = written(passage)
            having = has_passage(ways, "subject", "said")
            found = f"SELECT rowid FROM conversation_words WHERE {having}"  # noqa: S608 - marks only
            self.where.append(f"+id IN ({found})")
            self.values += ways * 2

    def of_cluster(self, cluster_id: str | None) -> None:
        """Demand an issue in a cluster, unless it is None."""
        if cluster_id is not None:
            # Ids of conversations are their senders': another organization may have the same.
            self.where.append(
                "conversation_id IN (SELECT conversation_id FROM issue "
                "WHERE cluster_id = ? AND +organization_id = ?)"
            )
            self.values += [cluster_id, self._organization]

    def _with_attribute(self, name: str, value: str) -> None:
        """Demand an attribute that the sender gave; its name may be in other letter case."""
        # Steps from name to name through the index: there are far fewer names than attributes.
        names = self._call.tx.all(
            "WITH RECURSIVE step(name) AS (SELECT min(name) FROM conversation_attribute "
            "WHERE organization_id = ?1 UNION ALL SELECT (SELECT min(name) "
            "FROM conversation_attribute WHERE organization_id = ?1 AND name > step.name) "
            "FROM step WHERE step.name IS NOT NULL) SELECT name FROM step WHERE name IS NOT NULL",
            self._organization,
        )
        folded = name.casefold()
        meant = [row["name"] for row in names if row["name"].casefold() == folded]
        self.where.append(
            "+id IN (SELECT search_id FROM conversation_attribute "
            "WHERE organization_id = ? AND name IN (SELECT value FROM json_each(?)) AND value = ?)"
        )
        self.values += [self._organization, to_json(meant), value]

    def prepare(self, rows: Sequence[Row]) -> None:
        """Read what a page needs of its conversations at once."""
        keys = to_json([row["conversation_id"] for row in rows])
        found = self._call.tx.all(
            "SELECT * FROM conversation "
            "WHERE organization_id = ? AND id IN (SELECT value FROM json_each(?))",
            self._organization,
            keys,
        )
        self._conversations = {row["id"]: row for row in found}
        self._issues: dict[str, list[str]] = {}
        # Joined in this order, or SQLite would walk all issues of the organization.
        for row in self._call.tx.all(
            "SELECT issue.id AS id, conversation_id FROM json_each(?) AS wanted "
            "CROSS JOIN issue ON organization_id = ? AND conversation_id = wanted.value",
            keys,
            self._organization,
        ):
            self._issues.setdefault(row["conversation_id"], []).append(row["id"])
        self._hits = self._marked([row["id"] for row in rows]) if self._query else {}

    def hit(self, row: Row) -> ConversationHit:
        """Return a conversation that was found."""
        key = row["conversation_id"]
        return ConversationHit(
            conversation=conversation_model(self._call, self._conversations[key]),
            issues=self._issues.get(key, []),
            hit=self._hits.get(row["id"]),
        )

    def find_clusters(self) -> tuple[str, str, int]:
        """Return what stands after FROM for the clusters of what is found, the value of its mark,
        and how many they are. They are looked for once, whatever is asked of them.

        Each has how many conversations those are, and the latest issue that one of them tells.
        """
        where = " AND ".join(self.where)
        found = self._call.tx.all(
            "SELECT cluster_id, count(DISTINCT conversation_id) AS found, "  # noqa: S608 - marks only
            "max(created_at), id, conversation_id FROM issue "
            "WHERE organization_id = ? AND cluster_id IS NOT NULL "
            "AND conversation_id IN (SELECT conversation_id FROM conversation_search "
            f"WHERE {where}) GROUP BY cluster_id",
            self._organization,
            *self.values,
        )
        told = [
            [row["cluster_id"], row["found"], row["id"], row["conversation_id"]] for row in found
        ]
        return (
            "(SELECT cluster.*, json_extract(value, '$[1]') AS found, "
            "json_extract(value, '$[2]') AS issue_id, "
            "json_extract(value, '$[3]') AS conversation_id "
            "FROM json_each(?) JOIN cluster ON cluster.id = json_extract(value, '$[0]'))",
            to_json(told),
            len(told),
        )

    def prepare_clusters(self, rows: Sequence[Row]) -> None:
        """Read the conversations that the rows of `find_clusters` name."""
        told = self._call.tx.all(
            "SELECT * FROM conversation_search WHERE organization_id = ? "
            "AND conversation_id IN (SELECT value FROM json_each(?))",
            self._organization,
            to_json([row["conversation_id"] for row in rows]),
        )
        self.prepare(told)
        self._of = {row["conversation_id"]: row for row in told}

    def cluster_hit(self, row: Row) -> ClusterHit:
        """Return a cluster in which conversations were found."""
        return ClusterHit(
            cluster=cluster_model(self._call, row),
            conversations=row["found"],
            issue=row["issue_id"],
            hit=self.hit(self._of[row["conversation_id"]]).hit,
        )

    def _marked(self, ids: list[int]) -> dict[int, SearchHit]:
        """Return the first hit in each of some conversations, by their numbers in the index."""
        assert self._query is not None
        # Made anew each time: no text can have them.
        begin, end = f"\x02{secrets.token_hex(8)}", f"\x03{secrets.token_hex(8)}"
        if self._query.words:
            # The plus sign has the words looked for once, and not again for each row.
            rows = self._call.tx.all(
                "SELECT s.id, conversation_id, w.subject, w.said FROM conversation_search s JOIN "
                "(SELECT rowid AS number, highlight(conversation_words, 0, ?1, ?2) AS subject, "
                "highlight(conversation_words, 1, ?1, ?2) AS said FROM conversation_words "
                "WHERE conversation_words MATCH ?3 "
                "AND +rowid IN (SELECT value FROM json_each(?4))) AS w ON w.number = s.id",
                begin,
                end,
                all_of(self._query.words),
                json.dumps(ids),
            )
        else:
            rows = self._call.tx.all(
                "SELECT s.id, conversation_id, w.subject, w.said FROM conversation_search s "
                "JOIN conversation_words w ON w.rowid = s.id "
                "WHERE s.id IN (SELECT value FROM json_each(?))",
                json.dumps(ids),
            )
        return {row["id"]: hit for row in rows if (hit := self._hit(row, begin, end)) is not None}

    def _hit(self, row: Row, begin: str, end: str) -> SearchHit | None:
        """Return the first marked words of a conversation; where the parts begin is counted."""
        assert self._query is not None
        parts = json.loads(self._conversations[row["conversation_id"]]["parts"])
        for text, bodies in (
            (row["subject"], None),
            (row["said"], [part["body"] for part in parts]),
        ):
            for passage in () if self._query.words else self._query.passages:
                for way in written(passage):
                    text = text.replace(way, f"{begin}{way}{end}", 1)
            before, sign, rest = text.partition(begin)
            if not sign:
                continue
            words, _, after = rest.partition(end)
            after = after.replace(begin, "").replace(end, "")
            part = None
            if bodies is not None:
                part = begins = 0
                while begins + len(bodies[part]) < len(before):
                    begins += len(bodies[part]) + 1
                    part += 1
                before = before[begins:]
                after = after[: len(bodies[part]) - len(before) - len(words)]
            return SearchHit(part=part, before=_last(before), words=words, after=_first(after))
        return None


def _first(text: str) -> str:
    """Return the first words of what follows a hit, on one line."""
    line = " ".join(text[: AROUND * 4].split())
    space = " " if text[:1].isspace() else ""
    if len(line) <= AROUND:
        return space + line
    return space + line[:AROUND].rpartition(" ")[0] + "…"


def _last(text: str) -> str:
    """Return the last words of what stands before a hit, on one line."""
    line = " ".join(text[-AROUND * 4 :].split())
    space = " " if text[-1:].isspace() else ""
    if len(line) <= AROUND:
        return line + space
    return "…" + line[-AROUND:].partition(" ")[2] + space
