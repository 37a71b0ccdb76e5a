"""The sample desk: what it promises, seen through the API; and desks grown for measuring."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from datetime import UTC, datetime
from functools import cache
from importlib.resources import files
from typing import Any

import httpx
import pytest

from copydesk.domain.blocks import AnchoredLines
from copydesk.domain.text import clean
from copydesk.server.app import create_app
from copydesk.server.sample import build_sample, grow
from copydesk.server.sample.story import CHANGES, Person
from copydesk.server.store import DeskError, Store, Tx

NOW = datetime(2026, 3, 2, 9, 30, tzinfo=UTC)
STATUSES = ("draft", "open", "archived", "merged")

Json = dict[str, Any]


def new_store() -> Store:
    return Store(None, clock=lambda: NOW, durable=False)


@cache
def _built() -> tuple[Store, str]:
    store = new_store()
    return store, build_sample(store)


class _Copy(Store):
    """A sample desk of its own, copied from one that was built once."""

    def _migrate(self, writer: sqlite3.Connection) -> None:
        _built()[0]._writer.backup(writer)


class Desk:
    """A sample desk with its owner signed in."""

    def __init__(self) -> None:
        self.owner = _built()[1]
        self.store = _Copy(None, clock=lambda: NOW, durable=False)
        transport = httpx.ASGITransport(
            create_app(self.store, sessions={"owner": self.owner}), raise_app_exceptions=False
        )
        self.http = httpx.AsyncClient(
            transport=transport,
            base_url="http://desk/v1",
            headers={"authorization": "Bearer owner"},
        )

    async def get(self, path: str, **query: Any) -> Json:
        answer = await self.http.get(path, params=query)
        assert answer.status_code == 200, f"{path}: {answer.text}"
        found: Json = answer.json()
        return found

    async def post(self, path: str) -> httpx.Response:
        return await self.http.post(path)

    async def items(self, path: str, **query: Any) -> list[Json]:
        found: list[Json] = (await self.get(path, limit=1000, **query))["items"]
        return found

    async def organization(self, title: str) -> str:
        found = {each["title"]: each["id"] for each in await self.items("/orgs")}
        key: str = found[title]
        return key

    async def space(self, title: str, organization: str = "Quayside") -> str:
        home = await self.organization(organization)
        found = {each["title"]: each["id"] for each in await self.items(f"/orgs/{home}/spaces")}
        key: str = found[title]
        return key

    async def change_requests(self) -> list[Json]:
        return [
            request
            for organization in await self.items("/orgs")
            for space in await self.items(f"/orgs/{organization['id']}/spaces")
            for status in STATUSES
            for request in await self.items(f"/spaces/{space['id']}/change-requests", status=status)
        ]

    async def change_request(self, subject: str) -> str:
        for request in await self.change_requests():
            if request["subject"] == subject:
                return f"/spaces/{request['space']}/change-requests/{request['id']}"
        raise AssertionError(f"no change request {subject!r}")


@pytest.fixture
async def desk() -> AsyncIterator[Desk]:
    made = Desk()
    yield made
    await made.http.aclose()
    made.store.close()


async def test_the_owner_runs_one_organization_and_reviews_in_the_other(desk: Desk) -> None:
    me = await desk.get("/user")
    organizations = await desk.items("/orgs")
    assert me["displayName"] == "Mara Lindqvist"
    assert [each["title"] for each in organizations] == ["Quayside", "Pebblebox"]
    roles = [
        member["role"]
        for each in organizations
        for member in await desk.items(f"/orgs/{each['id']}/members")
        if member["id"] == me["id"]
    ]
    assert roles == ["admin", "review"]
    noted = desk.store.read(lambda tx: tx.value("SELECT value FROM meta WHERE key = 'owner'"))
    assert noted == desk.owner == me["id"]


async def test_people_have_every_role_and_are_in_teams(desk: Desk) -> None:
    people: set[str] = set()
    roles: set[str | None] = set()
    for each in await desk.items("/orgs"):
        members = await desk.items(f"/orgs/{each['id']}/members")
        people |= {member["id"] for member in members}
        roles |= {member.get("role") for member in members}
        assert len(await desk.items(f"/orgs/{each['id']}/teams")) >= 2
    assert len(people) >= 20
    assert roles == {"admin", "create", "edit", "review", "comment", "read", None}


async def test_spaces_are_in_nested_collections_and_have_pages(desk: Desk) -> None:
    total = 0
    for each in await desk.items("/orgs"):
        collections = await desk.items(f"/orgs/{each['id']}/collections")
        assert collections
        for space in await desk.items(f"/orgs/{each['id']}/spaces"):
            total += 1
            pages = [page for page in await tree(desk, space) if page["type"] == "document"]
            assert 6 <= len(pages) <= 25, space["title"]
        if each["title"] == "Quayside":
            assert any(collection.get("parent") for collection in collections)
            first = collections[0]
            assert first["title"] == "Documentation"
            below = await desk.items(f"/collections/{first['id']}/spaces")
            assert below[0]["title"] == "Handbook"
    assert total >= 8


async def tree(desk: Desk, space: Json) -> list[Json]:
    found: list[Json] = []
    waiting = list((await desk.get(f"/spaces/{space['id']}/content/pages"))["pages"])
    while waiting:
        page = waiting.pop()
        found.append(page)
        waiting += page.get("pages", [])
    return found


async def test_specifications_and_translations_are_there_and_at_rest(desk: Desk) -> None:
    home = await desk.organization("Quayside")
    failed, read = await desk.items(f"/orgs/{home}/openapi")
    assert read["lastVersion"]
    assert "lastProcessErrorCode" not in read
    assert failed["lastProcessErrorCode"] == "FETCH_TIMEOUT"
    assert {failed["processingState"], read["processingState"]} == {"complete"}
    spanish, german = await desk.items(f"/orgs/{home}/translations")
    assert {spanish["status"], german["status"]} == {"completed"}
    assert german["result"]["space"] == await desk.space("Plattform-Leitfaden")
    assert "result" not in spanish
    assert min(each["stats"]["totalWords"] for each in (spanish, german)) > 300


async def test_there_are_change_requests_in_every_status_with_real_edits(desk: Desk) -> None:
    requests = await desk.change_requests()
    assert len(requests) >= 40
    counts = Counter(request["status"] for request in requests)
    assert set(counts) == set(STATUSES)
    assert min(counts.values()) >= 4
    assert sum(1 for request in requests if request["outdated"]) >= 8
    kinds: set[str] = set()
    sizes: list[int] = []
    for request in requests:
        path = f"/spaces/{request['space']}/change-requests/{request['id']}/changes"
        changes = (await desk.get(path))["changes"]
        assert changes, request["subject"]
        kinds |= {change["type"] for change in changes}
        sizes.append(len(changes))
    assert {"page_created", "page_edited", "page_deleted", "page_moved"} <= kinds
    assert min(sizes) == 1
    assert max(sizes) >= 6


@pytest.mark.parametrize(
    ("subject", "kind"),
    [
        ("Rewrite the rate limits page", "edited"),
        ("Words: sign in, sign out, sign up", "renamed"),
        ("Reports: describe the columns", "edited-deleted"),
        ("Checking belongs to the boxes", "moved"),
    ],
)
async def test_some_change_requests_conflict_with_what_is_there(
    desk: Desk, subject: str, kind: str
) -> None:
    path = await desk.change_request(subject)
    if "Pebblebox" in await organization_of(desk, path):
        # The owner may only review there, so somebody who may edit tries.
        desk.store.write(lambda tx: tx.run("UPDATE member SET role = 'admin'"))
    answer = await desk.post(f"{path}/update")
    assert answer.status_code == 200, answer.text
    assert answer.json()["result"] == "conflicts"
    assert kind in {conflict["kind"] for conflict in answer.json()["conflicts"]}


async def organization_of(desk: Desk, path: str) -> str:
    title: str = desk.store.read(
        lambda tx: tx.value(
            "SELECT o.title FROM organization o JOIN space s ON s.organization_id = o.id "
            "WHERE s.id = ?",
            path.split("/")[2],
        )
    )
    return title


async def test_two_that_are_fine_alone_exclude_each_other(desk: Desk) -> None:
    first = await desk.change_request("Holds last seven days from March")
    second = await desk.change_request("Capture: say that holds differ by card")
    assert (await desk.post(f"{first}/update")).json()["result"] == "update"
    reviewer = {"status": "approved"}
    assert (await desk.http.post(f"{first}/reviews", json=reviewer)).status_code == 201
    assert (await desk.post(f"{first}/merge")).json()["result"] == "merge"
    assert (await desk.post(f"{second}/update")).json()["result"] == "conflicts"


@pytest.mark.parametrize(
    ("subject", "reason"),
    [
        ("Capture: say that holds differ by card", "needs an approving review"),
        ("Fees: instalments cost 3.5 percent", "needs a description"),
        ("Proration, with a table that adds up", "Samira Haddad or Mara Lindqvist"),
        ("Offline payments: raise the limit to 100", "needs to be up to date"),
        ("Errors: what to do about 500", "needs an approval by Kofi Mensah"),
        ("SSO: loops after signing out", "Inês Carvalho asked for changes"),
    ],
)
async def test_merge_rules_block_some(desk: Desk, subject: str, reason: str) -> None:
    answer = await desk.post(f"{await desk.change_request(subject)}/merge")
    assert answer.status_code == 412
    assert reason in answer.json()["error"]["message"]


@pytest.mark.parametrize(
    "subject",
    [
        "Fix the refresh sample of OAuth",
        "Pagination: show the second page too",
        "A page for each call of Payments",
        "Payouts: daily from the first plan on",
        "March 2026",
    ],
)
async def test_some_are_ready_to_merge(desk: Desk, subject: str) -> None:
    answer = await desk.post(f"{await desk.change_request(subject)}/merge")
    assert answer.status_code == 200, answer.text
    assert answer.json()["result"] == "merge"


async def test_people_talk_and_some_wait_for_the_owner(desk: Desk) -> None:
    threads: list[Json] = []
    waiting = gone = reactions = 0
    for request in await desk.change_requests():
        path = f"/spaces/{request['space']}/change-requests/{request['id']}"
        comments = await desk.items(f"{path}/comments", status="all")
        assert request["comments"] == sum(1 for each in comments if each["status"] == "open")
        threads += comments
        for comment in comments:
            replies = await desk.items(f"{path}/comments/{comment['id']}/replies")
            reactions += len(comment["reactions"]) + sum(len(r["reactions"]) for r in replies)
            mine = comment["postedBy"]["id"] == desk.owner
            answered = replies and replies[-1]["postedBy"]["id"] != desk.owner
            waiting += bool(mine and answered and comment["status"] == "open")
            gone += await is_gone(desk, path, comment)
    assert len(threads) >= 30
    assert {thread["status"] for thread in threads} == {"open", "resolved"}
    assert waiting >= 6
    assert gone >= 2
    assert reactions >= 8


async def is_gone(desk: Desk, path: str, comment: Json) -> bool:
    """Say whether what a comment is on is no longer in the change request."""
    page, node = comment["target"].get("page"), comment["target"].get("node")
    if page is None:
        return False
    answer = await desk.http.get(f"{path}/content/page/{page['id']}", params={"format": "markdown"})
    if answer.status_code == 404:
        return True
    lines = AnchoredLines(answer.json()["markdown"].split("\n"))
    return node is not None and lines.find(node["id"]) is None


async def test_reviews_are_given_asked_for_and_overtaken(desk: Desk) -> None:
    reviews: list[Json] = []
    asked = 0
    for request in await desk.change_requests():
        path = f"/spaces/{request['space']}/change-requests/{request['id']}"
        given = await desk.items(f"{path}/reviews")
        reviews += given
        if request["status"] == "open":
            people = [
                each["user"]["id"] for each in await desk.items(f"{path}/requested-reviewers")
            ]
            asked += desk.owner in people
    assert {review["status"] for review in reviews} == {"approved", "changes-requested"}
    assert any(review["outdated"] for review in reviews)
    assert asked >= 10


async def test_sites_have_sections_variants_conditions_and_links(desk: Desk) -> None:
    home = await desk.organization("Quayside")
    sites = {site["title"]: site["id"] for site in await desk.items(f"/orgs/{home}/sites")}
    assert set(sites) == {"Quayside Docs", "Partner portal"}
    docs = f"/orgs/{home}/sites/{sites['Quayside Docs']}"
    structure = (await desk.get(f"{docs}/published"))["structure"]
    sections = structure["structure"]
    assert structure["type"] == "sections"
    assert len(sections) == 8
    assert [section["default"] for section in sections].count(True) == 1
    assert len({section.get("sectionGroup") for section in sections}) >= 3
    assert any(section.get("condition") for section in sections)
    assert max(len(section["siteSpaces"]) for section in sections) >= 3
    shown = [each for section in sections for each in section["siteSpaces"]]
    assert any(each["hidden"] for each in shown)
    partners = f"/orgs/{home}/sites/{sites['Partner portal']}"
    assert (await desk.get(f"{partners}/published"))["structure"]["type"] == "siteSpaces"
    links = await desk.items(f"{partners}/share-links")
    assert {link["active"] for link in links} == {True, False}
    known = (await desk.get(f"{docs}/adaptive-schema/template-conditions"))["items"]
    conditions = {each["condition"] for each in known}
    used = {each["condition"] for each in (*sections, *shown) if each.get("condition")}
    assert used <= conditions


async def test_twelve_clusters_beat_differently(desk: Desk) -> None:
    home = await desk.organization("Quayside")
    clusters = await desk.items(f"/orgs/{home}/conversations-clusters")
    assert len(clusters) == 12
    pulses = [cluster["weeklyPulse"] for cluster in clusters]
    assert {len(pulse) for pulse in pulses} == {13}
    assert len({tuple(pulse) for pulse in pulses}) == 12
    for cluster in clusters:
        issues = await desk.items(f"/orgs/{home}/conversations-issues", cluster=cluster["id"])
        mine = [each for each in issues if each["issue"].get("cluster") == cluster["id"]]
        assert cluster["stats"]["issues"] == sum(cluster["weeklyPulse"]) == len(mine)
        assert sum(cluster["sources"].values()) == cluster["stats"]["conversations"]
    statuses = {
        request["status"]
        for request in await desk.change_requests()
        if request.get("conversationsIssuesCluster")
    }
    assert {"open", "merged"} <= statuses


async def test_conversations_have_two_to_nine_parts_from_several_sources(desk: Desk) -> None:
    def read(tx: Tx) -> tuple[set[str], int, int, int]:
        return (
            {row["source"] for row in tx.all("SELECT DISTINCT source FROM conversation")},
            tx.value("SELECT min(json_array_length(parts)) FROM conversation"),
            tx.value("SELECT max(json_array_length(parts)) FROM conversation"),
            tx.value("SELECT count(*) FROM issue WHERE cluster_id IS NULL"),
        )

    sources, fewest, most, loose = desk.store.read(read)
    assert sources == {"intercom", "email", "slack", "zendesk", "discord"}
    assert fewest >= 2
    assert 6 <= most <= 9
    assert loose >= 3


async def test_pages_link_to_each_other_and_a_few_links_are_broken(desk: Desk) -> None:
    found: Counter[str] = Counter()
    for space in await desk.items(f"/orgs/{await desk.organization('Quayside')}/spaces"):
        links = await desk.items(f"/spaces/{space['id']}/links")
        found.update(link["status"] for link in links)
    assert found["broken"] >= 3
    assert found["ok"] + found["in-app"] >= 40


def test_what_is_said_with_a_review_is_a_thread_of_it() -> None:
    store = new_store()
    build_sample(store)
    said, threads = store.read(
        lambda tx: (
            tx.all("SELECT id, comment FROM review WHERE comment IS NOT NULL ORDER BY id"),
            tx.all("SELECT review_id, body FROM comment WHERE review_id IS NOT NULL ORDER BY 1"),
        )
    )
    store.close()
    assert len(said) >= 10
    assert [tuple(row) for row in said] == [tuple(row) for row in threads]


async def test_there_is_a_template_and_every_kind_of_page(desk: Desk) -> None:
    template = await desk.space("Page templates")
    space = f"/spaces/{template}/content"
    pages = {page["title"]: page for page in await tree(desk, {"id": template})}
    assert {page["type"] for page in pages.values()} == {"document", "group", "link"}
    assert pages["Tutorial, not ready"]["hidden"]
    assert pages["Release note"]["cover"]
    revision = await desk.get(space)
    assert revision["variables"]["product"] == "Quayside"
    assert [each["title"] for each in revision["reusableContents"]] == ["Where to ask"]
    assert len(revision["files"]) >= 2
    guide = await desk.get(
        f"{space}/page/{pages['Guide']['id']}",
        format="markdown",
        evaluated="true",
        dereferenced="true",
    )
    assert "It takes 10 minutes" in guide["markdown"]
    assert "Stuck?" in guide["markdown"]
    # Its placeholders are filled with what is there.
    home = await desk.space("Changelog")
    for references, status in (
        ({}, 400),
        (
            {
                "api": {"kind": "page", "page": pages["Guide"]["id"], "space": template},
                "picture": {
                    "kind": "file",
                    "file": revision["files"][0]["id"],
                    "space": template,
                },
            },
            201,
        ),
    ):
        body = {"id": template, "params": {"contentRefs": references}}
        applied = await desk.http.post(f"/spaces/{home}/content/template", json=body)
        assert applied.status_code == status, applied.text


def dump(store: Store) -> list[str]:
    return store.read(lambda tx: list(tx.connection.iterdump()))


@pytest.mark.long
def test_the_same_moment_gives_the_same_desk() -> None:
    one, two = new_store(), new_store()
    assert build_sample(one) == build_sample(two)
    grow(one, 300)
    grow(two, 300)
    assert dump(one) == dump(two)
    one.close()
    two.close()


def test_nothing_lies_in_the_future_and_nothing_is_hostile() -> None:
    store = new_store()
    build_sample(store)
    for line in dump(store):
        assert clean(line, lines=True) == line.replace("\r", "")
    latest = store.read(
        lambda tx: [
            tx.value(f"SELECT max({column}) FROM {table}")
            for table, column in [
                ("change_request", "updated_at"),
                ("comment", "posted_at"),
                ("reply", "posted_at"),
                ("issue", "created_at"),
                ("conversation", "processed_at"),
                ("revision", "created_at"),
            ]
        ]
    )
    assert max(latest) <= "2026-03-02T09:30:00.000000Z"
    store.close()


@pytest.fixture(scope="module")
def grown() -> Iterator[Store]:
    store = _Copy(None, clock=lambda: NOW, durable=False)
    grow(store, 2_000)
    yield store
    store.close()


COUNTS = {
    "space.comments": "SELECT count(*) FROM comment WHERE space_id = space.id "
    "AND change_request_id IS NULL AND status = 'open'",
    "space.change_requests": "SELECT count(*) FROM change_request WHERE space_id = space.id",
    "space.change_requests_open": "SELECT count(*) FROM change_request "
    "WHERE space_id = space.id AND status = 'open'",
    "space.change_requests_draft": "SELECT count(*) FROM change_request "
    "WHERE space_id = space.id AND status = 'draft'",
    "space.next_number": "SELECT coalesce(max(number), 0) + 1 FROM change_request "
    "WHERE space_id = space.id",
    "change_request.comments": "SELECT count(*) FROM comment "
    "WHERE change_request_id = change_request.id AND status = 'open'",
    "comment.replies": "SELECT count(*) FROM reply WHERE comment_id = comment.id",
    "cluster.issues": "SELECT count(*) FROM issue WHERE cluster_id = cluster.id",
    "cluster.conversations": "SELECT count(DISTINCT conversation_id) FROM issue "
    "WHERE cluster_id = cluster.id",
}


@pytest.mark.parametrize("column", COUNTS)
def test_every_counter_is_its_count(grown: Store, column: str) -> None:
    table, _, name = column.partition(".")
    wrong = grown.read(
        lambda tx: tx.value(f"SELECT count(*) FROM {table} WHERE {name} <> ({COUNTS[column]})")
    )
    assert wrong == 0


def test_every_reference_holds(grown: Store) -> None:
    assert grown.read(lambda tx: tx.all("PRAGMA foreign_key_check")) == []


@pytest.mark.parametrize("column", ["revision_id", "revision_initial"])
def test_change_requests_have_revisions_of_their_own_space(grown: Store, column: str) -> None:
    lost = grown.read(
        lambda tx: tx.value(
            f"SELECT count(*) FROM change_request c WHERE NOT EXISTS "
            f"(SELECT 1 FROM revision r WHERE r.id = c.{column} AND r.space_id = c.space_id)"
        )
    )
    assert lost == 0


def test_growing_adds_what_was_asked_for(grown: Store) -> None:
    def read(tx: Tx) -> tuple[int, int, int, int]:
        key = tx.value("SELECT id FROM organization WHERE title = 'Scale'")
        return (
            tx.value("SELECT count(*) FROM change_request WHERE organization_id = ?", key),
            tx.value(
                "SELECT max(n) FROM (SELECT count(*) AS n FROM comment GROUP BY change_request_id)"
            ),
            tx.value(
                "SELECT count(*) FROM site_section WHERE site_id IN "
                "(SELECT id FROM site WHERE organization_id = ?)",
                key,
            ),
            tx.value("SELECT count(*) FROM space WHERE organization_id = ?", key),
        )

    assert grown.read(read) == (2_000, 200, 40, 20)


def test_a_desk_grows_again_and_from_one_on() -> None:
    store = new_store()
    build_sample(store)
    assert grow(store, 1) != grow(store, 1)
    titles = store.read(lambda tx: [row[0] for row in tx.all("SELECT title FROM organization")])
    assert {"Scale", "Scale 2"} <= set(titles)
    store.close()


def test_a_desk_without_an_owner_does_not_grow() -> None:
    store = new_store()
    with pytest.raises(DeskError, match="No one is on this desk"):
        grow(store, 10)
    with pytest.raises(ValueError, match="at least one"):
        grow(store, 0)
    store.close()


def test_progress_is_told_to_the_end() -> None:
    told: list[tuple[int, int, str]] = []
    store = new_store()
    build_sample(store, progress=lambda *step: told.append(step))
    assert told[-1][0] == told[-1][1] == len(told)
    told.clear()
    grow(store, 10, progress=lambda *step: told.append(step))
    assert told[-1][0] == told[-1][1]
    store.close()


def test_every_file_of_change_requests_is_read() -> None:
    folder = files("copydesk.server.sample") / "data" / "changes"
    assert sorted(f"{name}.yaml" for name in CHANGES) == sorted(f.name for f in folder.iterdir())


def test_a_field_that_no_value_has_is_refused() -> None:
    with pytest.raises(ValueError, match="hats"):
        Person.model_validate({"name": "Mara", "email": "mara@quayside.example", "hats": 3})
