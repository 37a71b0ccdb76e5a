"""Finding clusters in the background: issues wait, a process groups them, its answer is written.

It begins once nothing has come for a moment, so that a long sending is not grouped again and again.
No transaction is open while the process works, and the answer is written in slices, between which
others write. What people and other programs did meanwhile holds: each slice is put onto what is
there by then, and what came since waits for the next time. A desk that ends in the middle leaves
the analysis running, and another one asks again.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from datetime import datetime, timedelta
from functools import partial
from itertools import chain, count
from typing import TYPE_CHECKING, Any, Protocol

from copydesk.domain.late_dataclass import dataclass
from copydesk.server import clusters
from copydesk.server.background import Worker
from copydesk.server.clustering.identity import Old, settle
from copydesk.server.clustering.process import UnavailableError, ask, problem
from copydesk.server.conversation_writes import add_cluster
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

QUIET = timedelta(seconds=3)
"""For how long nothing may have come in before issues are looked at."""

LONGEST = timedelta(minutes=1)
"""How long the first of them waits for more at most."""

SLICE = 400
"""Issues that are written in one transaction."""

_GROUPING = 1
"""As the number of ``grouped`` issues: an answer is being written, so all are asked about again."""

LABEL_LENGTH = 110
"""The longest title of which the desk makes a label, without a number that tells it apart."""


class Asking(Protocol):
    """Asks the process (`copydesk.server.clustering.process.ask`)."""

    def __call__(
        self,
        request: Mapping[str, Any],
        settings: Clustering,
        *,
        started: Callable[[Popen[str]], None],
        still: Callable[[float], None],
    ) -> dict[str, Any]:
        """Return what it answers."""


@dataclass(frozen=True, slots=True)
class _Work:
    """What a process is asked, and which issues it was asked about, as they were then."""

    request: dict[str, Any]
    asked: Mapping[str, str]
    """When each issue was ingested: one that was ingested again since is another."""
    waiting: int
    """How many of them nobody had looked at."""


class Clusterer:
    """Finds clusters for one desk; one at a time of all programs that have it open.

    ``pause`` waits so many seconds for more to come, and says whether somebody is in a hurry.
    """

    def __init__(
        self,
        settings: Clustering,
        ask: Asking = ask,
        pause: Callable[[Worker, float], bool] = Worker.pause,
    ) -> None:
        self._settings = settings
        self._asking = ask
        self._pause = pause
        self._name = random_id()

    def __call__(self, worker: Worker) -> bool:
        """Do one round for an organization in which issues wait; say whether there was one."""
        organization: str | None = worker.read(self._due)
        if organization is None:
            return False
        why = problem(self._settings)
        if why is not None:
            worker.write(lambda tx: self._say(tx, organization, "unavailable", why))
            return False
        self._await_more(worker, organization)
        if not worker.write(lambda tx: self._take(tx, organization)):
            return False
        work = worker.read(lambda tx: _work(tx, organization))
        try:
            answer = self._ask(worker, organization, work) if work.asked else {}
        except UnavailableError as error:
            sentence = str(error)
            worker.write(lambda tx: self._say(tx, organization, "unavailable", sentence))
            return False
        return self._write(worker, organization, work, answer)

    def _await_more(self, worker: Worker, organization: str) -> None:
        """Wait until nothing has come for a moment, or the first has waited for long enough."""
        paused, seen = 0.0, ""
        while paused < LONGEST.total_seconds():
            latest, rest = worker.read(lambda tx: _rest(tx, organization))
            # Where a clock stands still, or was put back, what came last says it.
            if rest <= 0 or latest == seen or self._pause(worker, rest):
                return
            paused, seen = paused + rest, latest

    def _ask(self, worker: Worker, organization: str, work: _Work) -> dict[str, Any]:
        running: list[Popen[str]] = []

        def end() -> None:
            for process in running:
                process.kill()

        def still(share: float) -> None:
            looked = int(share * work.waiting)
            worker.write(lambda tx: self._take(tx, organization, looked))

        with worker.ended_by(end):
            return self._asking(work.request, self._settings, started=running.append, still=still)

    def _due(self, tx: Tx) -> str | None:
        """Return an organization in which issues wait, unless somebody is at it or it failed.

        One in which somebody was at it, and is not any more, is one of them.
        """
        found: str | None = tx.value(
            "SELECT id FROM organization o WHERE (EXISTS "
            "(SELECT 1 FROM issue WHERE organization_id = o.id AND placed = 'waiting') OR EXISTS "
            "(SELECT 1 FROM clustering WHERE organization_id = o.id AND state = 'running')) "
            "AND NOT EXISTS (SELECT 1 FROM clustering c WHERE c.organization_id = o.id AND ("
            "c.state = 'running' AND c.taken_by <> ?1 AND c.taken_at > ?2 OR "
            "c.state = 'unavailable' AND c.taken_by = ?1 AND c.taken_at > ?3)) ORDER BY id LIMIT 1",
            self._name,
            timestamp(tx.moment - LEASE),
            timestamp(tx.moment - AGAIN),
        )
        return found

    def _take(self, tx: Tx, organization: str, looked: int = 0) -> bool:
        """Say that this program is at it, and how far; return whether no other one is."""
        row = tx.get("clustering", organization_id=organization)
        limit = timestamp(tx.moment - LEASE)
        if (
            row is not None
            and row["state"] == "running"
            and row["taken_by"] != self._name
            and row["taken_at"] > limit
        ):
            return False
        return self._say(tx, organization, "running", None, looked)

    def _say(
        self, tx: Tx, organization: str, state: str, message: str | None, looked: int = 0
    ) -> bool:
        """Write down how far it is; return whether the organization is still there."""
        if tx.get("organization", id=organization) is None:
            return False
        tx.put(
            "clustering",
            {"organization_id": organization},
            state=state,
            message=message,
            taken_at=tx.now,
            taken_by=self._name,
            looked=looked,
        )
        return True

    def _write(
        self, worker: Worker, organization: str, work: _Work, answer: Mapping[str, Any]
    ) -> bool:
        """Write an answer slice by slice; say whether it was about any issue.

        It stops where another program thought that this one was gone, and is at it.
        """
        groups = "clusters" in answer
        if groups:
            plan = worker.read(lambda tx: _regroup(tx, organization, work, answer))
        else:
            plan = _placing(work, answer)
        writing = _Writing(organization, work, plan)
        for step in writing.steps():
            if not worker.write(
                partial(
                    self._still,
                    organization=organization,
                    groups=groups,
                    waiting=work.waiting,
                    step=step,
                )
            ):
                return False
        return worker.write(lambda tx: self._finish(tx, organization, groups, len(work.asked)))

    def _still(
        self, tx: Tx, organization: str, groups: bool, waiting: int, step: Callable[[Tx], None]
    ) -> bool:
        """Write a slice, if this program is the one that is at it; return whether it is."""
        if not self._holds(tx, organization):
            return False
        tx.run(
            "UPDATE clustering SET taken_at = ?, grouped = iif(?, ?, grouped), looked = ? "
            "WHERE organization_id = ?",
            tx.now,
            groups,
            _GROUPING,
            waiting,
            organization,
        )
        step(tx)
        return True

    def _finish(self, tx: Tx, organization: str, groups: bool, asked: int) -> bool:
        if not self._holds(tx, organization):
            return False
        tx.run(
            "UPDATE clustering SET state = 'idle', message = NULL, taken_by = NULL, looked = 0, "
            "finished_at = ?, grouped = iif(?, ?, grouped) WHERE organization_id = ?",
            tx.now,
            groups,
            asked,
            organization,
        )
        return bool(asked)

    def _holds(self, tx: Tx, organization: str) -> bool:
        by = tx.value("SELECT taken_by FROM clustering WHERE organization_id = ?", organization)
        return bool(by == self._name)


def _rest(tx: Tx, organization: str) -> tuple[str, float]:
    """Return when an issue came last of those that wait, and how many seconds to wait for more."""
    waiting = "FROM issue WHERE organization_id = ?1 AND placed = 'waiting'"
    row = tx.one(
        # Each by itself: SQLite looks at one end of the index then.
        f"SELECT (SELECT min(ingested_at) {waiting}) AS first, "
        f"(SELECT max(ingested_at) {waiting}) AS latest",
        organization,
    )
    if row is None or row["latest"] is None:
        return "", 0
    first, latest = (tx.moment - datetime.fromisoformat(row[name]) for name in ("first", "latest"))
    return row["latest"], min(QUIET - latest, LONGEST - first, QUIET).total_seconds()


def _work(tx: Tx, organization: str) -> _Work:
    """Return what to ask: where the new issues belong, or with many new ones how all group."""
    rows = tx.all(
        "SELECT id, cluster_id, placed, ingested_at, coalesce(told, title || char(10) || summary) "
        "AS text FROM comparable_issue WHERE organization_id = ? ORDER BY created_at, id",
        organization,
    )
    held = _held(tx, organization)
    waiting = [row for row in rows if row["placed"] == "waiting"]
    before = tx.value("SELECT grouped FROM clustering WHERE organization_id = ?", organization)
    if len(rows) >= GROWN * (before or len(rows) - len(waiting)):
        return _Work(
            {
                "do": "find",
                "issues": [_issue(row, held) for row in rows],
                "taken": [row["label"] for row in tx.all(_LABELS, organization)],
            },
            {row["id"]: row["ingested_at"] for row in rows},
            len(waiting),
        )
    known: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        if row["placed"] != "waiting" and row["cluster_id"] is not None:
            known.setdefault(row["cluster_id"], []).append(_issue(row, held))
    return _Work(
        {"do": "place", "issues": [_issue(row, held) for row in waiting], "known": known},
        {row["id"]: row["ingested_at"] for row in waiting},
        len(waiting),
    )


def _issue(row: Row, held: Container[str]) -> dict[str, Any]:
    hand = row["placed"] == "hand" or row["cluster_id"] in held
    # What the machine put somewhere is found out anew: it tells nothing.
    cluster = row["cluster_id"] if hand else None
    return {"id": row["id"], "text": row["text"], "cluster": cluster, "by_hand": hand}


@dataclass(slots=True)
class _Plan:
    """Where an answer puts issues: by the ids of clusters, or by the places of its groups."""

    where: Mapping[str, int | str | None]
    """All that have to be written; None: in no cluster."""
    likely: Mapping[str, tuple[int | str, float]] = field(default_factory=dict)
    """What those in no cluster are similar to."""
    groups: Mapping[int, tuple[str, str, str | None]] = field(default_factory=dict)
    """Titles and summaries of new clusters, and which cluster they were split from."""
    ended: Mapping[str, int | str | None] = field(default_factory=dict)
    """The clusters that end, and what they are joined with; None: they were scattered."""


_OPEN = (
    "SELECT *, named = 'hand' OR id IN (SELECT cluster_id FROM change_request) OR "
    "id IN (SELECT cluster_id FROM issue WHERE placed = 'hand') AS held FROM cluster "
    "WHERE organization_id = ? AND closed_at IS NULL"
)
"""The clusters that issues may come into. One that is held by a person does not end, and what is
in it stays there."""

_LABELS = "SELECT label FROM cluster WHERE organization_id = ?"


def _held(tx: Tx, organization: str) -> set[str]:
    """Return the clusters whose issues stay in them."""
    return {row["id"] for row in tx.all(_OPEN, organization) if row["held"]}


def _regroup(tx: Tx, organization: str, work: _Work, answer: Mapping[str, Any]) -> _Plan:
    """Return what an answer makes of the clusters, as far as people did not say otherwise."""
    now = {
        row["id"]: row
        for row in tx.all(
            "SELECT id, cluster_id, placed, ingested_at FROM comparable_issue "
            "WHERE organization_id = ?",
            organization,
        )
    }
    known = {row["id"]: row for row in tx.all(_OPEN, organization)}
    # What was ingested again since stays where it is until it is asked about.
    pinned = {
        key: row["cluster_id"]
        for key, row in now.items()
        if row["placed"] == "hand"
        or (row["cluster_id"] in known and known[row["cluster_id"]]["held"])
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
    wanted: dict[str, int | str] = {}
    for cluster, issues in settled.kept.items():
        wanted.update(dict.fromkeys(issues, cluster))
    for place, issues in settled.new.items():
        wanted.update(dict.fromkeys(issues, place))
    places: dict[int, int | str] = {**settled.heirs, **{place: place for place in settled.new}}
    new = {place: answer["clusters"][place] for place in settled.new}
    return _Plan(
        {
            key: wanted.get(key)
            for key in asked
            if now[key]["placed"] != "hand"
            and not (
                now[key]["cluster_id"] == wanted.get(key, "") and now[key]["placed"] == "machine"
            )
        },
        _nearest(answer["likely"], places),
        {
            place: (found["title"], found["summary"], settled.split.get(place))
            for place, found in new.items()
        },
        settled.joined,
    )


def _placing(work: _Work, answer: Mapping[str, Any]) -> _Plan:
    """Return which known clusters an answer puts issues into."""
    placed, likely = answer.get("issues", {}), answer.get("likely", ())
    names = {each["cluster"]: each["cluster"] for each in likely}
    return _Plan({key: placed.get(key) for key in work.asked}, _nearest(likely, names))


def _nearest(
    likely: Iterable[Mapping[str, Any]], names: Mapping[Any, int | str]
) -> dict[str, tuple[int | str, float]]:
    """Return the cluster that each issue is most similar to; ``names`` has those that there are."""
    found: dict[str, tuple[int | str, float]] = {}
    for each in sorted(likely, key=lambda each: float(each["similarity"])):
        if each["cluster"] in names:
            found[each["issue"]] = names[each["cluster"]], each["similarity"]
    return found


class _Writing:
    """Writes a plan onto what is there by then, in steps that others write between."""

    def __init__(self, organization: str, work: _Work, plan: _Plan) -> None:
        self._organization = organization
        self._asked = work.asked
        self._plan = plan
        self._made: dict[int, str] = {}

    def steps(self) -> Iterator[Callable[[Tx], None]]:
        """Yield what to do in a transaction each."""
        where = self._plan.where
        # By their clusters, so that a step counts few anew. Those in none come last: only then all
        # clusters are there that they may be similar to.
        ranked = sorted(where, key=lambda key: (where[key] is None, str(where[key]), key))
        for start in range(0, len(ranked), SLICE):
            yield partial(self._put, keys=ranked[start : start + SLICE])
        # Only now: what is joined with a cluster that somebody holds on to does not leave it.
        for key in sorted(self._plan.ended):
            yield partial(self._end, key=key)

    def _end(self, tx: Tx, key: str) -> None:
        """End a cluster, unless somebody has begun to hold on to it."""
        row = tx.one(f"{_OPEN} AND id = ?", self._organization, key)
        if row is None or row["held"]:
            return
        target = self._plan.ended[key]
        if target is None:
            clusters.end(tx, row, "none")
        elif (into := self._cluster(tx, target)) is not None:
            clusters.join(tx, row, into)

    def _put(self, tx: Tx, keys: Sequence[str]) -> None:
        """Put issues where they belong, but for those that were handed in again since.

        None is taken away from where a person put it, or out of a cluster that one holds on to.
        """
        rows = tx.all(
            "SELECT i.id AS id, i.cluster_id AS cluster_id, i.placed AS placed "
            "FROM json_each(?) AS wanted CROSS JOIN comparable_issue AS i "
            "ON i.id = wanted.value ->> 0 AND i.ingested_at = wanted.value ->> 1 "
            "WHERE i.organization_id = ? AND i.placed <> 'hand'",
            to_json([[key, self._asked[key]] for key in keys]),
            self._organization,
        )
        held_by = _held(tx, self._organization)
        by_target: dict[int | str | None, list[Row]] = {}
        for row in rows:
            if row["cluster_id"] in held_by:
                continue  # a person holds on to all that is in it
            by_target.setdefault(self._plan.where[row["id"]], []).append(row)
        for target, held in by_target.items():
            cluster = None if target is None else self._cluster(tx, target)
            if target is not None and cluster is None:
                continue  # it ended meanwhile: those that wait for the next time stay
            placed: clusters.Placed = "none" if cluster is None else "machine"
            changed = [
                row["id"] for row in held if row["cluster_id"] != cluster or row["placed"] != placed
            ]
            if changed:
                clusters.place(tx, changed, cluster, placed)
            if cluster is None:
                self._suggest(tx, [row["id"] for row in held])

    def _cluster(self, tx: Tx, target: int | str) -> str | None:
        """Return the id of a cluster that takes issues, which may have to be made; else None."""
        if isinstance(target, int) and target not in self._made:
            title, summary, source = self._plan.groups[target]
            label = self._label(tx, " ".join(title.split())[:LABEL_LENGTH] or "Without words")
            made = add_cluster(tx, self._organization, label, summary=summary, named="machine")
            self._made[target] = made
            if source is not None and self._is_open(tx, source):
                clusters.tell(tx, source, "split", made, label)
            return made
        key = self._made[target] if isinstance(target, int) else target
        return key if self._is_open(tx, key) else None

    def _label(self, tx: Tx, title: str) -> str:
        """Return a title, with a number where there is a cluster of that name."""
        taken = {row["label"].casefold() for row in tx.all(_LABELS, self._organization)}
        numbered = (f"{title} ({number})" for number in count(2))
        return next(each for each in chain([title], numbered) if each.casefold() not in taken)

    def _is_open(self, tx: Tx, key: str) -> bool:
        return bool(
            tx.value(
                "SELECT EXISTS (SELECT 1 FROM cluster "
                "WHERE id = ? AND organization_id = ? AND closed_at IS NULL)",
                key,
                self._organization,
            )
        )

    def _suggest(self, tx: Tx, issues: Sequence[str]) -> None:
        """Keep what issues may belong to that are in no cluster."""
        tx.run(
            "DELETE FROM suggestion WHERE issue_id IN (SELECT value FROM json_each(?))",
            to_json(issues),
        )
        for issue in issues:
            target, similarity = self._plan.likely.get(issue, (None, 0.0))
            key = self._made.get(target) if isinstance(target, int) else target
            if key is not None and self._is_open(tx, key):
                tx.insert("suggestion", issue_id=issue, cluster_id=key, similarity=similarity)
