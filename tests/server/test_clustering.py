"""Clusters are found in the background; what people do meanwhile, and before, stays."""

from __future__ import annotations

import asyncio
import errno
import os
import select
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from datetime import timedelta
from functools import partial
from itertools import count
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from copydesk.contract.models.conversation import ConversationIngest
from copydesk.domain.clustering import Clustering
from copydesk.server.app import create_app
from copydesk.server.background import DeskClosedError, Worker
from copydesk.server.clustering import job, process
from copydesk.server.clustering.__main__ import answer
from copydesk.server.clustering.job import LEASE, LONGEST, QUIET, Clusterer
from copydesk.server.clusters import recount
from copydesk.server.ingestion import ingest
from copydesk.server.integrity import RULES
from copydesk.server.store import Row, Tx
from copydesk.session.reads.clusters import read_analysis
from tests.world import World

TOLD = {
    "export": (
        "The export of invoices fails with an error", "Exporting my invoices as PDF stops at half",
        "PDF export of an invoice is broken", "Invoice export never finishes",
        "cannot export invoices, error in PDF", "when I export an invoice the PDF is empty",
    ),
    "login": (
        "I cannot log in with my password", "Login says password wrong after the update",
        "my password is not accepted at login", "Password login loops back to the login page",
        "Sign in fails, password reset mail never comes", "locked out, login rejects my password",
    ),
    "webhook": (
        "Webhooks do not arrive since Monday", "webhook signature is invalid",
        "Our webhook endpoint gets no events", "events of the webhook arrive late",
        "The signature of webhook events cannot be verified", "webhooks come twice, bad signature",
    ),
    "search": (
        "The search finds nothing in German pages", "search results are empty for umlauts",
        "Searching the handbook returns no results", "search does not find German words",
        "no results when I search pages", "search index seems out of date, pages not found",
    ),
}  # fmt: skip
"""What users say of four problems."""


def told(problem: str, number: int) -> str:
    """Return one of the ways in which a problem is told."""
    ways = TOLD[problem]
    return ways[number % len(ways)] + (f" ({number})" if number >= len(ways) else "")


Meanwhile = Callable[[], None]


class Desk:
    """A desk with its clusterer, which asks in this process what a process of its own is asked."""

    def __init__(self, path: Path | None = None) -> None:
        self.world = World(path)
        self.home = self.world.home
        self.meanwhile: list[Meanwhile] = []
        self.asked: list[str] = []
        self.says: list[Callable[[Any], dict[str, Any]]] = []
        self.pauses: list[Meanwhile] = []
        self.shares: tuple[float, ...] = ()
        """What the process says of how far it is."""
        self.counted: list[str] = []
        """What readers are told then."""
        self.find = self.clusterer()

    def clusterer(self) -> Clusterer:
        """Return the job of a program that has the desk open."""
        return Clusterer(Clustering(), self._ask, self._pause)

    def _ask(
        self,
        request: Mapping[str, Any],
        settings: Clustering,
        *,
        still: Callable[[float], None],
        **_: Any,
    ) -> dict[str, Any]:
        self.asked.append(request["do"])
        for share in self.shares:
            still(share)
            self.counted.append(self.analysis())
        if self.meanwhile:
            self.meanwhile.pop(0)()
        return self.says.pop(0)(request) if self.says else answer(request)

    def _pause(self, worker: Worker, seconds: float) -> bool:
        self.world.clock.now += timedelta(seconds=seconds)
        if self.pauses:
            self.pauses.pop(0)()
        return False

    def run(self, find: Clusterer | None = None) -> int:
        """Do rounds until nothing is due; return how many there were."""
        rounds = 0
        worker = Worker(self.world.store, ())
        while (find or self.find)(worker):
            rounds += 1
            assert rounds < 10
        return rounds

    def hand_in(self, problem: str, *numbers: int, key: str = "") -> None:
        """Hand in conversations that tell a problem."""
        talks = [
            ConversationIngest.model_validate(
                {
                    "id": key or f"{problem}-{number}",
                    "parts": [{"type": "message", "role": "user", "body": told(problem, number)}],
                }
            )
            for number in numbers
        ]
        self.world.write(lambda tx: ingest(tx, self.home, talks))

    def all(self, sql: str, *values: str) -> list[Row]:
        return self.world.store.read(lambda tx: tx.all(sql, *values))

    def members(self) -> dict[str | None, frozenset[str]]:
        """Return the conversations of each cluster."""
        found: dict[str | None, set[str]] = {
            row["id"]: set() for row in self.all("SELECT id FROM cluster")
        }
        for row in self.all("SELECT cluster_id, conversation_id FROM issue"):
            found.setdefault(row["cluster_id"], set()).add(row["conversation_id"])
        return {key: frozenset(talks) for key, talks in found.items()}

    def analysis(self) -> str:
        """Return what a screen says of how far the search is."""

        async def read() -> str:
            async with self.world.api() as api:
                return (await read_analysis(api, self.home)).said

        return asyncio.run(read())

    def issue(self, talk: str) -> str:
        (row,) = self.all("SELECT id FROM issue WHERE conversation_id = ?", talk)
        key: str = row["id"]
        return key

    async def send(self, method: str, path: str, **body: Any) -> Any:
        async with self.world.client() as client:
            found = await client.request(
                method, f"/orgs/{self.home}/conversations{path}", json=body or None
            )
            assert found.is_success, found.text
            return found.json() if found.content else None

    def check(self) -> None:
        """Fail where a count is not what the rows say, or a row names what is gone."""
        for rule in RULES:
            assert self.all(rule.sql) == [], rule.sentence
        assert self.world.store.read(lambda tx: tx.all("PRAGMA foreign_key_check")) == []
        assert self.all("SELECT 1 FROM suggestion s JOIN issue i ON i.id = issue_id "
                        "WHERE placed <> 'none'") == []  # fmt: skip


@pytest.fixture
def desk() -> Iterator[Desk]:
    made = Desk()
    yield made
    made.world.close()


def fill(desk: Desk, many: int = 8) -> None:
    for problem in TOLD:
        desk.hand_in(problem, *range(many))


async def test_what_is_handed_in_is_grouped_and_what_comes_later_is_put_there(desk: Desk) -> None:
    fill(desk)
    waits = await desk.send("GET", "-analysis")
    assert waits.items() >= {"state": "waiting", "waiting": 32, "clustered": 0}.items()
    assert desk.run() == 1
    done = await desk.send("GET", "-analysis")
    assert (done["state"], done["waiting"]) == ("idle", 0)
    assert done["clustered"] + done["unclustered"] == 32
    before = desk.members()
    problems = [{talk.partition("-")[0] for talk in talks} for key, talks in before.items() if key]
    assert sorted(map(sorted, problems)) == [["export"], ["login"], ["search"], ["webhook"]]
    labels = {row["id"]: row["label"] for row in desk.all("SELECT * FROM cluster")}
    desk.hand_in("login", 50, 51)
    assert desk.run() == 1
    desk.hand_in("export", *range(100, 112))
    assert desk.run() == 1
    assert desk.asked == ["find", "place", "find"]
    after = desk.members()
    # Clusters are the same ones, by their ids and labels, with more in them.
    assert after.keys() >= before.keys() - {None}
    assert (
        labels.items()
        <= {row["id"]: row["label"] for row in desk.all("SELECT * FROM cluster")}.items()
    )
    assert desk.run() == 0
    desk.check()


@pytest.mark.parametrize("when", ["pauses", "meanwhile"])
def test_an_organization_may_be_removed_while_clusters_are_sought(desk: Desk, when: str) -> None:
    fill(desk)
    remove = partial(desk.world.write, lambda tx: tx.run("DELETE FROM organization"))
    getattr(desk, when).append(remove)
    assert desk.run() == 0
    assert desk.all("SELECT * FROM clustering") == []
    desk.check()


async def test_what_people_do_while_clusters_are_sought_stays(desk: Desk) -> None:
    fill(desk)
    desk.run()
    desk.hand_in("webhook", *range(20, 40))

    def by_hand() -> None:
        def work(tx: Tx) -> None:
            tx.insert(
                "cluster", id="mine", organization_id=desk.home, label="Mine",
                created_at=tx.now, updated_at=tx.now,
            )  # fmt: skip
            tx.run(
                "UPDATE issue SET cluster_id = 'mine', placed = 'hand' "
                "WHERE conversation_id IN ('webhook-20', 'login-1')"
            )
            tx.run("UPDATE issue SET cluster_id = NULL, placed = 'hand' "
                   "WHERE conversation_id = 'export-1'")  # fmt: skip
            for row in tx.all("SELECT id FROM cluster"):
                tx.run(
                    "UPDATE cluster SET issues = (SELECT count(*) FROM issue WHERE cluster_id = ?1)"
                    ", conversations = (SELECT count(DISTINCT conversation_id) FROM issue "
                    "WHERE cluster_id = ?1) WHERE id = ?1",
                    row["id"],
                )

        desk.world.write(work)
        desk.hand_in("search", 99)
        desk.hand_in("login", 3)  # again: it waits for the next time, where it is

    desk.meanwhile.append(by_hand)
    assert desk.run() == 2
    where = desk.members()
    assert where["mine"] >= {"webhook-20", "login-1"}
    assert "export-1" in where[None]
    hands = desk.all("SELECT conversation_id FROM issue WHERE placed = 'hand'")
    assert {row[0] for row in hands} == {"webhook-20", "login-1", "export-1"}
    assert desk.all("SELECT 1 FROM issue WHERE placed = 'waiting'") == []
    desk.check()


async def test_what_is_handed_in_again_while_it_is_placed_is_looked_at_again(desk: Desk) -> None:
    fill(desk)
    desk.run()
    desk.hand_in("login", 1, key="new")
    desk.meanwhile.append(lambda: desk.hand_in("export", 1, key="new"))
    assert desk.run() == 2
    (home,) = [key for key, talks in desk.members().items() if "new" in talks]
    assert home is not None
    assert "export-1" in desk.members()[home]
    desk.check()


async def test_joins_and_ends_by_the_machine_are_told_and_kept(desk: Desk) -> None:
    def says(*groups: str, likely: str = "") -> Callable[[Any], dict[str, Any]]:
        def grouped(request: Any) -> dict[str, Any]:
            key = {row["conversation_id"]: row["id"] for row in desk.all("SELECT * FROM issue")}
            assert request["do"] == "find"
            return {
                "clusters": [
                    {"issues": [key[talk] for talk in group], "title": group, "summary": ""}
                    for group in groups
                ],
                "likely": [{"issue": key[t], "cluster": 0, "similarity": 0.5} for t in likely],
            }

        return grouped

    def come(talks: str) -> None:
        for talk in talks:
            desk.hand_in("login", 0, key=talk)

    come("abcdefgh")
    desk.says.append(says("abc", "de", likely="h"))
    desk.run()
    first, second = (row["id"] for row in desk.all("SELECT id FROM cluster ORDER BY label"))
    assert desk.members() == {first: {*"abc"}, second: {*"de"}, None: {*"fgh"}}
    (near,) = (await desk.send("GET", f"-clusters/{first}/suggestions"))["items"]
    assert (near["issue"]["id"], near["similarity"]) == (desk.issue("h"), 0.5)
    come("ij")
    desk.says.append(says("abcdei"))
    desk.run()
    assert desk.members() == {first: {*"abcdei"}, None: {*"fghj"}}
    (event,) = (await desk.send("GET", f"-clusters/{first}"))["history"]
    assert (event["kind"], event["other"], event["label"]) == ("joined", second, "de")
    come("klm")
    desk.says.append(says("abcd", "eikl"))
    desk.run()
    (third,) = desk.members().keys() - {first, None}
    (event, _) = (await desk.send("GET", f"-clusters/{first}"))["history"]
    assert (event["kind"], event["other"], event["label"]) == ("split", third, "eikl")
    come("nopqr")
    desk.says.append(says("nopq"))
    desk.run()
    (last,) = desk.members().keys() - {None}
    assert last not in {first, second, third}
    assert desk.members()[last] == {*"nopq"}
    # What a person closed and opened again, or gave an icon, is joined with nothing.
    come("stuvw")
    desk.says.append(says("nopq", "stuv"))
    desk.run()
    (fresh,) = desk.members().keys() - {last, None}
    await desk.send("PATCH", f"-clusters/{fresh}", icon="bug")
    for closed in (True, False):
        await desk.send("PATCH", f"-clusters/{last}", closed=closed)
    come("xyzAB")
    desk.says.append(says("nopqstuvxyz"))
    desk.run()
    assert {last, fresh} <= desk.members().keys()
    desk.check()


@pytest.mark.parametrize("by_hand", ["join", "name", "icon", "close", "move"])
async def test_a_cluster_that_a_person_changed_is_not_split(desk: Desk, by_hand: str) -> None:
    fill(desk)
    desk.run()
    first, second, *_ = sorted(key for key in desk.members() if key)
    loose = desk.issue(min(desk.members()[second]))
    if by_hand == "join":
        await desk.send("POST", f"-clusters/{first}/join", clusters=[second])
    elif by_hand == "move":
        await desk.send("POST", "-issues/move", issues=[loose], cluster=first)
    else:
        change: dict[str, dict[str, str | bool]] = {
            "name": {"label": "Mine"},
            "icon": {"icon": "bug"},
            "close": {"closed": True},
        }
        await desk.send("PATCH", f"-clusters/{first}", **change[by_hand])
        if by_hand == "close":
            await desk.send("PATCH", f"-clusters/{first}", closed=False)
    held = desk.members()[first]
    label = (await desk.send("GET", f"-clusters/{first}"))["label"]
    for problem in TOLD:
        desk.hand_in(problem, *range(20, 26))

    def halves(request: Any) -> dict[str, Any]:
        # Half of it with each of two groups, of one name: that of the cluster.
        key = {row["conversation_id"]: row["id"] for row in desk.all("SELECT * FROM issue")}
        talks = sorted(held)
        groups = [[*talks[::2], "login-20", "login-21"], [*talks[1::2], "login-22", "login-23"]]
        return {
            "clusters": [
                {"issues": [key[talk] for talk in group], "title": label, "summary": ""}
                for group in groups
            ],
            "likely": [],
        }

    desk.says.append(halves)
    desk.run()
    assert desk.members()[first] >= held
    assert desk.members()[first] & {"login-20", "login-22"}
    desk.check()
    labels = [row["label"] for row in desk.all("SELECT label FROM cluster")]
    assert len(labels) == len(set(labels)) > 1
    desk.hand_in("export", *range(40, 60))
    desk.run()
    assert desk.members()[first] >= held
    desk.check()


async def test_a_cluster_that_is_closed_or_answered_stays(desk: Desk) -> None:
    fill(desk)
    desk.run()
    first, *_ = sorted(key for key in desk.members() if key)
    held = desk.members()[first]
    space = desk.world.space("Guide", {"a": "One."})
    asked = desk.world.change_request(space, {"a": "Two."})
    await desk.send("PUT", f"-clusters/{first}/change-requests/{asked}")
    for number in range(3):
        for problem in TOLD:
            desk.hand_in(problem, *range(100 + number * 20, 110 + number * 20))
        desk.run()
        assert first in desk.members()
        desk.check()
    held = desk.members()[first]
    await desk.send("PATCH", f"-clusters/{first}", closed=True)
    for problem in TOLD:
        desk.hand_in(problem, *range(300, 320))
    desk.run()
    assert desk.members()[first] == held
    desk.check()


@pytest.mark.parametrize("grouped", [False, True])
async def test_a_desk_that_ended_in_the_middle_goes_on_as_if_it_had_not(grouped: bool) -> None:
    found = []
    for ends in (False, True):
        desk = Desk()
        if grouped:
            fill(desk, 5)
            desk.run()
        fill(desk, 12)

        def end() -> None:
            raise DeskClosedError

        if ends:
            desk.meanwhile.append(end)
            with pytest.raises(DeskClosedError):
                desk.run()
            # Another program leaves it alone for as long as the first one may be at it.
            other = desk.clusterer()
            assert desk.run(other) == 0
            assert (await desk.send("GET", "-analysis"))["state"] == "running"
            desk.world.clock.now += LEASE + timedelta(seconds=1)
            assert desk.run(other) == 1
        else:
            assert desk.run() == 1
        desk.check()
        found.append(sorted(map(sorted, desk.members().values())))
        desk.world.close()
    assert found[0] == found[1]


async def test_a_long_sending_is_grouped_once_and_waits_a_minute_at_most(desk: Desk) -> None:
    assert desk.home
    began = desk.world.clock.now
    numbers = iter(range(100))

    def more() -> None:
        desk.hand_in("login", next(numbers))
        desk.pauses.append(more)

    more()
    desk.meanwhile.append(desk.pauses.clear)
    desk.run()
    assert desk.asked == ["find"]
    assert LONGEST <= desk.world.clock.now - began < LONGEST + 4 * QUIET
    assert len(desk.all("SELECT 1 FROM issue")) > 10
    # What came a while ago waits for nothing.
    desk.hand_in("export", 1)
    desk.world.clock.now = began = desk.world.clock.now + QUIET
    desk.pauses.append(lambda: pytest.fail("it waited for more"))
    desk.run()


async def test_a_worker_in_a_hurry_waits_for_no_more(desk: Desk) -> None:
    hurried = []

    def waits(worker: Worker) -> bool:
        hurried.append(worker.pause(600))
        return False

    worker = Worker(desk.world.store, (), Worker(desk.world.store, (waits,)))
    worker.wake(hurry=True)
    worker.wait()
    assert hurried == [True]
    app = create_app(desk.world.store, clustering=Clustering(off=True))
    desk.world.app = app
    fill(desk, 1)
    async with desk.world.client() as client:
        told = await client.get(f"/orgs/{desk.home}/conversations-analysis?hurry=true")
    assert told.json()["state"] == "waiting"
    app.worker.wait()
    assert (await desk.send("GET", "-analysis"))["message"] == process.OFF


class Dying(Worker):
    """A worker whose process is killed after so many writes."""

    left = 0

    def write(self, work: Callable[[Tx], Any]) -> Any:
        if not self.left:
            raise DeskClosedError
        self.left -= 1
        return super().write(work)


@pytest.mark.parametrize("grouped", [False, True])
async def test_an_answer_is_written_in_slices_and_gone_on_with_after_a_kill(
    desk: Desk, grouped: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(job, "SLICE", 3)
    fill(desk, 8)
    if grouped:
        desk.run()
        # A regrouping that joins, splits, and leaves out.
        desk.world.write(
            lambda tx: tx.run(
                "UPDATE issue SET cluster_id = (SELECT id FROM cluster ORDER BY id LIMIT 1) "
                "WHERE cluster_id IS NOT NULL AND conversation_id LIKE '%-1'"
            )
        )
        desk.world.write(
            lambda tx: recount(tx, [row["id"] for row in tx.all("SELECT id FROM cluster")])
        )
        fill(desk, 14)
    found = []
    for writes in (1, 2, 3, 4, 999):
        worker = Dying(desk.world.store, ())
        worker.left = writes
        finds = desk.clusterer()
        if writes == 999:
            while finds(worker):
                pass
            assert desk.asked[-1] == "find"
        else:
            with pytest.raises(DeskClosedError):
                finds(worker)
        assert (await desk.send("GET", "-analysis"))["state"] == (
            "idle" if writes == 999 else "running"
        )
        desk.check()
        found.append(desk.members())
        desk.world.clock.now += LEASE + timedelta(seconds=1)
    last = {talks for key, talks in found[-1].items() if key}
    assert {frozenset(talk.partition("-")[0] for talk in talks) for talks in last} == {
        frozenset({problem}) for problem in TOLD
    }
    assert sum(map(len, last)) >= 0.8 * len(TOLD) * (14 if grouped else 8)
    # What was written by the time of a kill stays what it was.
    assert len({frozenset(each.items()) for each in found}) > 3
    assert desk.all("SELECT 1 FROM issue WHERE placed = 'waiting'") == []


async def test_two_programs_do_not_do_the_same(desk: Desk) -> None:
    fill(desk)
    other = desk.clusterer()
    desk.meanwhile.append(lambda: None if desk.run(other) == 0 else pytest.fail("it was taken"))
    assert desk.run() == 1
    assert desk.asked == ["find"]

    def slow() -> None:
        # The first one gave no sign for too long: what it finds is not written any more.
        desk.world.clock.now += LEASE + timedelta(seconds=1)
        assert desk.run(other) == 1

    desk.hand_in("login", 77)
    desk.meanwhile.append(slow)
    assert desk.run() == 0
    desk.check()


async def test_without_the_extra_nothing_fails_and_a_sentence_says_what_to_install(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(desk)
    monkeypatch.setattr(process, "NEEDS", ("sklearn_that_is_not_there",))
    assert desk.run() == 0
    assert desk.asked == []
    told = await desk.send("GET", "-analysis")
    assert (told["state"], told["message"]) == ("unavailable", process.NOT_INSTALLED)
    made = await desk.send("POST", "-clusters", label="Mine", issues=[desk.issue("login-1")])
    assert made["stats"]["issues"] == 1
    monkeypatch.undo()
    assert desk.run() == 0  # it is not tried all the time
    assert desk.run(desk.clusterer()) == 1
    told = await desk.send("GET", "-analysis")
    assert (told["state"], told.get("message")) == ("idle", None)


DOES = ("ingest", "again", "run", "run", "make", "move", "join", "end", "close", "name", "icon")


@settings(
    max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.data())
def test_whatever_comes_and_goes_nothing_is_lost(data: st.DataObject) -> None:
    desk = Desk()

    async def walk() -> None:
        fill(desk, 4)
        by_hand: dict[str, str | None] = {}
        stays: dict[str, str | None] = {}

        def hold(key: str | None) -> None:
            """Note where a person has all that is in a cluster now."""
            for row in desk.all("SELECT id FROM issue WHERE cluster_id = ?", key or ""):
                stays[row["id"]] = key

        def open_ones() -> list[str]:
            return [row["id"] for row in desk.all("SELECT id FROM cluster WHERE closed_at IS NULL")]

        for step in range(data.draw(st.integers(3, 8))):
            ids = sorted(key for key in desk.members() if key)
            issues = [row["id"] for row in desk.all("SELECT id FROM issue ORDER BY id")]
            does = data.draw(st.sampled_from(DOES))
            if does == "ingest":
                problem = data.draw(st.sampled_from(sorted(TOLD)))
                desk.hand_in(problem, *range(step * 20, step * 20 + 9))
            elif does == "again":
                desk.hand_in("search", 1, key=data.draw(st.sampled_from(["login-1", "export-2"])))
            elif does == "run":
                desk.run()
            elif does == "make":
                chosen = data.draw(st.lists(st.sampled_from(issues), max_size=4, unique=True))
                made = await desk.send("POST", "-clusters", label=f"Made {step}", issues=chosen)
                by_hand |= dict.fromkeys(chosen, made["id"])
                hold(made["id"])
            elif does == "move":
                chosen = data.draw(st.lists(st.sampled_from(issues), min_size=1, max_size=3))
                into = data.draw(st.sampled_from([None, *open_ones()]))
                await desk.send("POST", "-issues/move", issues=chosen, cluster=into)
                by_hand |= dict.fromkeys(chosen, into)
                stays |= dict.fromkeys(chosen, into)
                hold(into)
            elif ids:
                key = data.draw(st.sampled_from(ids))
                others = [each for each in open_ones() if each != key]
                if does == "join" and key in open_ones() and others:
                    other = data.draw(st.sampled_from(others))
                    for row in desk.all("SELECT id FROM issue WHERE cluster_id = ?", other):
                        by_hand[row["id"]] = key
                    await desk.send("POST", f"-clusters/{key}/join", clusters=[other])
                    hold(key)
                elif does == "close":
                    closed = data.draw(st.booleans())
                    await desk.send("PATCH", f"-clusters/{key}", closed=closed)
                    if closed:
                        hold(key)
                elif does == "name":
                    await desk.send("PATCH", f"-clusters/{key}", label=f"Named {step}")
                    hold(key)
                elif does == "icon":
                    await desk.send("PATCH", f"-clusters/{key}", icon=f"icon-{step}")
                    hold(key)
                elif does == "end":
                    for row in desk.all("SELECT id FROM issue WHERE cluster_id = ?", key):
                        by_hand[row["id"]] = stays[row["id"]] = None
                    await desk.send("DELETE", f"-clusters/{key}")
                    if data.draw(st.booleans()):
                        await desk.send("POST", f"-clusters/{key}/restore")
                        for row in desk.all("SELECT id FROM issue WHERE cluster_id = ?", key):
                            by_hand.pop(row["id"], None)
                            stays.pop(row["id"], None)
                            if desk.all(
                                "SELECT 1 FROM issue WHERE id = ? AND placed = 'hand'", row["id"]
                            ):
                                by_hand[row["id"]] = key
            desk.check()
            there = {row["id"]: row["cluster_id"] for row in desk.all("SELECT * FROM issue")}
            assert {key: there[key] for key in by_hand if key in there} == {
                key: cluster for key, cluster in by_hand.items() if key in there
            }
            hands = {row["id"] for row in desk.all("SELECT id FROM issue WHERE placed = 'hand'")}
            assert hands == by_hand.keys() & there.keys()
            kept = {key: cluster for key, cluster in stays.items() if key in there}
            assert {key: there[key] for key in kept} == kept
            labels = [row[0] for row in desk.all("SELECT label FROM cluster ORDER BY label")]
            assert len(labels) == len(set(labels))
        desk.world.clock.now += LEASE
        desk.run()
        desk.check()
        assert desk.all("SELECT 1 FROM issue WHERE placed = 'waiting'") == []

    asyncio.run(walk())
    desk.world.close()


@pytest.mark.long
async def test_the_process_answers_and_is_ended_with_the_desk(tmp_path: Path) -> None:
    world = World(tmp_path / "desk.db")
    desk_home = world.home
    app = create_app(world.store, clustering=Clustering())
    talks = [
        ConversationIngest.model_validate(
            {
                "id": f"{problem}-{number}",
                "parts": [{"type": "message", "role": "user", "body": text}],
            }
        )
        for problem, ways in TOLD.items()
        for number, text in enumerate(ways[:4])
    ]
    world.write(lambda tx: ingest(tx, desk_home, talks))
    app.worker.wake(hurry=True)
    app.worker.wait()
    rows = world.store.read(lambda tx: tx.all("SELECT placed FROM issue"))
    assert {row["placed"] for row in rows} <= {"machine", "none"}
    assert "machine" in {row["placed"] for row in rows}
    again = [talk.model_copy(update={"id": f"{talk.id}-again"}) for talk in talks]
    world.write(lambda tx: ingest(tx, desk_home, again))
    app.worker.wake(hurry=True)
    world.close()
    app.worker.wait()  # it does not go on for long


def test_how_many_were_looked_at_is_told_while_they_are_and_while_they_are_written() -> None:
    desk = Desk()
    desk.hand_in("export", *range(6))
    desk.hand_in("login", *range(6))
    desk.shares = (0.0, 0.25, 1.0)
    assert desk.analysis() == "12 to analyse, once no more come"
    desk.run()
    assert desk.counted == ["analysing 0 of 12", "analysing 3 of 12", "analysing 12 of 12"]
    assert desk.analysis() == ""
    # What came since is counted with what is there.
    desk.counted.clear()
    desk.hand_in("login", 6, 7)
    desk.shares = (0.5,)
    desk.run()
    assert desk.counted == ["analysing 13 of 14"]


@pytest.mark.long
def test_the_process_says_how_far_it_is_before_it_answers(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # Time flies here: each line is told, however long the process takes to start.
    monkeypatch.setattr(process, "time", SimpleNamespace(monotonic=count(0, 60).__next__))
    issues = [{"id": str(nth), "text": told("login", nth)} for nth in range(12)]
    shares: list[float] = []
    request = {"do": "find", "issues": issues}
    found = process.ask(request, Clustering(), started=_nothing, still=shares.append)
    assert found["clusters"]
    assert shares == sorted(shares)
    assert 0 < max(shares) <= 1


def _nothing(*_: object) -> None:
    """Do nothing."""


async def test_a_process_that_fails_is_told_as_a_sentence(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    programs = {"/nowhere/python": "cannot be started: No such file", "/bin/false": "status 1"}
    for program, said in programs.items():
        monkeypatch.setattr(sys, "executable", program)
        with pytest.raises(process.UnavailableError, match=said):
            process.ask({"do": "find"}, Clustering(), started=_nothing, still=_nothing)


def test_a_process_without_a_place_for_what_it_says_is_told_as_a_sentence(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def full() -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(tempfile, "TemporaryFile", full)
    with pytest.raises(process.UnavailableError, match="cannot be started: No space left"):
        process.ask({"do": "find"}, Clustering(), started=_nothing, still=_nothing)


def test_how_far_it_is_is_written_down_now_and_then_only(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    program = tmp_path / "python"
    program.write_text("#!/bin/sh\nprintf 'done 0.1\\ndone 0.2\\ndone 0.3\\n{}'\n")
    program.chmod(0o700)
    monkeypatch.setattr(sys, "executable", str(program))
    monkeypatch.setattr(process, "_LOOK_SECONDS", 1_000.0)
    shares: list[float] = []
    assert process.ask({}, Clustering(), started=_nothing, still=shares.append) == {}
    assert shares == [0.1]


@pytest.mark.parametrize(("runs", "then"), [(0, 10), (15, 15)])
def test_the_process_runs_behind_others_and_is_not_put_before_any(
    runs: int, then: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    program = tmp_path / "python"
    program.write_text("#!/bin/sh\necho '{}'\n")
    program.chmod(0o700)
    put: list[int] = []
    monkeypatch.setattr(sys, "executable", str(program))
    monkeypatch.setattr(os, "getpriority", lambda kind, process: runs)
    monkeypatch.setattr(os, "setpriority", lambda kind, process, value: put.append(value))
    process.ask({}, Clustering(), started=_nothing, still=_nothing)
    assert put == [then]


PARENT = """
import sys
from copydesk.domain.clustering import Clustering
from copydesk.server.clustering.process import ask

issues = [{"id": str(number), "text": f"Login fails {number}"} for number in range(9)]
command = "echo $PPID > $0; exec cat > $0.said < $0.never"
ask(
    {"do": "find", "issues": issues},
    Clustering(embed=("/bin/sh", "-c", command, sys.argv[1])),
    started=lambda process: None,
    still=lambda share: None,
)
"""
"""A program that asks, with vectors of a command that tells who runs it and is never done."""


@pytest.mark.long
@pytest.mark.skipif(not hasattr(os, "pidfd_open"), reason="only Linux tells of others' ends")
def test_the_process_ends_when_the_program_that_asked_is_killed(tmp_path: Path) -> None:
    tells = tmp_path / "tells"
    os.mkfifo(tells)
    os.mkfifo(tmp_path / "tells.never")
    with subprocess.Popen([sys.executable, "-c", PARENT, str(tells)]) as parent:
        child = os.pidfd_open(int(tells.read_text()))
        try:
            assert select.select([child], [], [], 0)[0] == []
            parent.kill()
            parent.wait()
            assert select.select([child], [], [], 60)[0] == [child]
        finally:
            # The command waits for somebody to say something to it.
            os.close(os.open(tmp_path / "tells.never", os.O_WRONLY))
            os.close(child)
