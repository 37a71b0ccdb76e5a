"""Finding clusters in the background: issues wait, a process groups them, its answer is written.

No transaction is open while the process works. What people and other programs did meanwhile holds:
the answer is put onto what is there by then, and what came since waits for the next time. A desk
that ends in the middle loses the answer only, and another one asks again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import timedelta
from typing import TYPE_CHECKING, Any, Protocol

from copydesk.domain.late_dataclass import dataclass
from copydesk.server import clusters
from copydesk.server.background import Worker
from copydesk.server.clustering.identity import Old, settle
from copydesk.server.clustering.process import UnavailableError, ask, problem
from copydesk.server.site_seed import add_cluster
from copydesk.server.store import Row, Tx, random_id, timestamp, to_json

if TYPE_CHECKING:
    from subprocess import Popen

    from copydesk.domain.clustering import Clustering

LEASE = timedelta(seconds=20)
"""After how long without a sign of it another program takes over what one is working on."""

AGAIN = timedelta(minutes=2)
"""After how long what failed is tried again."""

GROWN = 1.2
"""All issues are grouped anew when there are so many times as many as when they were last."""

LABEL_LENGTH = 120
"""The longest label of a cluster that the desk makes."""


class Asking(Protocol):
    """Asks the process (`copydesk.server.clustering.process.ask`)."""

    def __call__(
        self,
        request: Mapping[str, Any],
        settings: Clustering,
        *,
        started: Callable[[Popen[str]], None],
        still: Callable[[], None],
    ) -> dict[str, Any]:
        """Return what it answers."""
        ...


@dataclass(frozen=True, slots=True)
class _Work:
    """What a process is asked, and which issues it was asked about, as they were then."""

    request: dict[str, Any]
    asked: Mapping[str, str]
    """When each issue was ingested: one that was ingested again since is another."""


class Clusterer:
    """Finds clusters for one desk; one at a time of all programs that have it open."""

    def __init__(self, settings: Clustering, ask: Asking = ask) -> None:
        self._settings = settings
        self._asking = ask
        self._name = random_id()

    def __call__(self, worker: Worker) -> bool:
        """Do one round for an organization in which issues wait; say whether there was one."""
        organization: str | None = worker.write(self._due)
        if organization is None:
            return False
        why = problem(self._settings)
        if why is not None:
            worker.write(lambda tx: self._fail(tx, organization, why))
            return False
        if not worker.write(lambda tx: self._take(tx, organization)):
            return False
        work = worker.write(lambda tx: _work(tx, organization))
        try:
            answer = self._ask(worker, organization, work) if work.asked else {}
        except UnavailableError as error:
            sentence = str(error)
            worker.write(lambda tx: self._fail(tx, organization, sentence))
            return False
        return worker.write(lambda tx: self._apply(tx, organization, work, answer))

    def _ask(self, worker: Worker, organization: str, work: _Work) -> dict[str, Any]:
        running: list[Popen[str]] = []

        def end() -> None:
            for process in running:
                process.kill()

        def still() -> None:
            worker.write(lambda tx: self._take(tx, organization))

        with worker.ended_by(end):
            return self._asking(work.request, self._settings, started=running.append, still=still)

    def _due(self, tx: Tx) -> str | None:
        """Return an organization in which issues wait, unless somebody is at it or it failed."""
        found: str | None = tx.value(
            "SELECT id FROM organization o WHERE EXISTS "
            "(SELECT 1 FROM issue WHERE organization_id = o.id AND placed = 'waiting') "
            "AND NOT EXISTS (SELECT 1 FROM clustering c WHERE c.organization_id = o.id AND ("
            "c.state = 'running' AND c.taken_by <> ?1 AND c.taken_at > ?2 OR "
            "c.state = 'unavailable' AND c.taken_by = ?1 AND c.taken_at > ?3)) ORDER BY id LIMIT 1",
            self._name,
            timestamp(tx.moment - LEASE),
            timestamp(tx.moment - AGAIN),
        )
        return found

    def _take(self, tx: Tx, organization: str) -> bool:
        """Say that this program is at it; return whether no other one is."""
        row = tx.one("SELECT * FROM clustering WHERE organization_id = ?", organization)
        limit = timestamp(tx.moment - LEASE)
        if (
            row is not None
            and row["state"] == "running"
            and row["taken_by"] != self._name
            and row["taken_at"] > limit
        ):
            return False
        self._say(tx, organization, "running", None)
        return True

    def _fail(self, tx: Tx, organization: str, sentence: str) -> None:
        self._say(tx, organization, "unavailable", sentence)

    def _say(self, tx: Tx, organization: str, state: str, message: str | None) -> None:
        tx.run(
            "INSERT INTO clustering (organization_id, state, message, taken_at, taken_by) "
            "VALUES (?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET state = excluded.state, "
            "message = excluded.message, taken_at = excluded.taken_at, "
            "taken_by = excluded.taken_by",
            organization,
            state,
            message,
            tx.now,
            self._name,
        )

    def _apply(self, tx: Tx, organization: str, work: _Work, answer: Mapping[str, Any]) -> bool:
        row = tx.one("SELECT * FROM clustering WHERE organization_id = ?", organization)
        if row is None or row["taken_by"] != self._name:
            return False  # another program thought that this one was gone, and is at it
        if "clusters" in answer:
            _group(tx, organization, work, answer)
        elif work.asked:
            _place(tx, organization, work, answer)
        tx.run(
            "UPDATE clustering SET state = 'idle', message = NULL, taken_by = NULL, "
            "finished_at = ?, grouped = CASE WHEN ? THEN ? ELSE grouped END "
            "WHERE organization_id = ?",
            tx.now,
            "clusters" in answer,
            len(work.asked),
            organization,
        )
        return bool(work.asked)


def _work(tx: Tx, organization: str) -> _Work:
    """Return what to ask: where the new issues belong, or with many new ones how all group."""
    rows = tx.all(
        "SELECT id, cluster_id, placed, ingested_at, coalesce(told, title || char(10) || summary) "
        "AS text FROM comparable_issue WHERE organization_id = ? ORDER BY created_at, id",
        organization,
    )
    waiting = [row for row in rows if row["placed"] == "waiting"]
    before = tx.value("SELECT grouped FROM clustering WHERE organization_id = ?", organization)
    if len(rows) >= GROWN * (before or len(rows) - len(waiting)):
        return _Work(
            {"do": "find", "issues": [_issue(row) for row in rows]},
            {row["id"]: row["ingested_at"] for row in rows},
        )
    known: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        if row["placed"] != "waiting" and row["cluster_id"] is not None:
            known.setdefault(row["cluster_id"], []).append(_issue(row))
    return _Work(
        {"do": "place", "issues": [_issue(row) for row in waiting], "known": known},
        {row["id"]: row["ingested_at"] for row in waiting},
    )


def _issue(row: Row) -> dict[str, Any]:
    hand = row["placed"] == "hand"
    # What the machine put somewhere is found out anew: it tells nothing.
    cluster = row["cluster_id"] if hand else None
    return {"id": row["id"], "text": row["text"], "cluster": cluster, "by_hand": hand}


def _group(tx: Tx, organization: str, work: _Work, answer: Mapping[str, Any]) -> None:
    """Make the clusters what the answer says, as far as people did not say otherwise."""
    now = {
        row["id"]: row
        for row in tx.all(
            "SELECT id, cluster_id, placed, ingested_at FROM comparable_issue "
            "WHERE organization_id = ?",
            organization,
        )
    }
    known = {
        row["id"]: row
        for row in tx.all(
            "SELECT *, named = 'hand' OR id IN (SELECT cluster_id FROM change_request) OR "
            "id IN (SELECT cluster_id FROM issue WHERE placed = 'hand') AS held FROM cluster "
            "WHERE organization_id = ? AND closed_at IS NULL",
            organization,
        )
    }
    # What was ingested again since stays where it is until it is asked about.
    pinned = {
        key: row["cluster_id"]
        for key, row in now.items()
        if row["placed"] == "hand"
        or (work.asked.get(key) != row["ingested_at"] and row["cluster_id"] is not None)
    }
    asked = {key for key, row in now.items() if work.asked.get(key) == row["ingested_at"]}
    members: dict[str, set[str]] = {key: set() for key in known}
    for key, row in now.items():
        if row["cluster_id"] is not None:
            members[row["cluster_id"]].add(key)
    groups = [
        frozenset(key for key in found["issues"] if key in asked) for found in answer["clusters"]
    ]
    settled = settle(
        {
            key: Old(
                frozenset(issues),
                bool(known[key]["held"]) or any(pinned.get(each) == key for each in issues),
            )
            for key, issues in members.items()
        },
        groups,
        pinned,
    )
    made: dict[int, str] = {}
    for place in settled.new:
        found = answer["clusters"][place]
        label = " ".join(found["title"].split())[:LABEL_LENGTH] or "Without words"
        made[place] = add_cluster(
            tx, organization, label, summary=found["summary"], named="machine"
        )
        if place in settled.split:
            clusters.tell(tx, settled.split[place], "split", made[place], label)
    wanted: dict[str, str] = {
        key: cluster
        for cluster, issues in (
            *settled.kept.items(),
            *((made[place], issues) for place, issues in settled.new.items()),
        )
        for key in issues
    }
    for key, into in sorted(settled.joined.items()):
        target = made[into] if isinstance(into, int) else into
        if target is None:
            clusters.end(tx, known[key], "none")
        else:
            clusters.join(tx, known[key], target)
    _move(tx, {key: wanted.get(key) for key in asked if now[key]["placed"] != "hand"})
    names = {**settled.heirs, **made}
    _suggest(tx, asked, answer["likely"], names)


def _place(tx: Tx, organization: str, work: _Work, answer: Mapping[str, Any]) -> None:
    """Put issues into the clusters that the answer names, if those are there and open."""
    takes = {
        row["id"]
        for row in tx.all(
            "SELECT id FROM cluster WHERE organization_id = ? AND closed_at IS NULL", organization
        )
    }
    asked = {
        row["id"]
        for row in tx.all(
            "SELECT id, ingested_at FROM issue WHERE organization_id = ? AND placed = 'waiting'",
            organization,
        )
        if work.asked.get(row["id"]) == row["ingested_at"]
    }
    placed = answer.get("issues", {})
    gone = {key for key in asked if key in placed and placed[key] not in takes}
    _move(tx, {key: placed.get(key) for key in asked - gone})
    _suggest(tx, asked, answer.get("likely", ()), {each: each for each in takes})


def _move(tx: Tx, wanted: Mapping[str, str | None]) -> None:
    """Put issues where the machine says, writing the rows that change only."""
    by_cluster: dict[str | None, list[str]] = {}
    for key, cluster in sorted(wanted.items()):
        by_cluster.setdefault(cluster, []).append(key)
    for cluster, keys in by_cluster.items():
        placed: clusters.Placed = "none" if cluster is None else "machine"
        changed = [
            row["id"]
            for row in tx.all(
                "SELECT id FROM issue WHERE id IN (SELECT value FROM json_each(?)) "
                "AND (cluster_id IS NOT ? OR placed <> ?)",
                to_json(keys),
                cluster,
                placed,
            )
        ]
        if changed:
            clusters.place(tx, changed, cluster, placed)


def _suggest(
    tx: Tx,
    asked: Iterable[str],
    likely: Iterable[Mapping[str, Any]],
    names: Mapping[Any, str],
) -> None:
    """Keep what may belong somewhere, of the issues that are in no cluster.

    ``names`` are the ids of the clusters that the answer speaks of.
    """
    tx.run(
        "DELETE FROM suggestion WHERE issue_id IN (SELECT value FROM json_each(?))",
        to_json(sorted(asked)),
    )
    for each in likely:
        if each["cluster"] in names:
            tx.run(
                "INSERT INTO suggestion (issue_id, cluster_id, similarity) "
                "SELECT id, ?, ? FROM issue WHERE id = ? AND placed = 'none' "
                "ON CONFLICT DO UPDATE SET cluster_id = excluded.cluster_id, "
                "similarity = excluded.similarity WHERE excluded.similarity > similarity",
                names[each["cluster"]],
                each["similarity"],
                each["issue"],
            )
