"""What reads make of findings, answers and the reports on them: all in ``finding_reads.json``.

One desk has clusters of conversations and two sites that show a space with a broken link; of a
second service the clusters are hidden, so that its report is on findings.
"""

from __future__ import annotations

from datetime import timedelta
from functools import partial
from typing import Any

import httpx
import pytest

from copydesk.client.api import Api
from copydesk.client.errors import Forbidden, NotFound, OperationMissing
from copydesk.contract import operations as ops
from copydesk.server import conversation_writes
from copydesk.server import site_writes as seed
from copydesk.server.store import Tx
from copydesk.session.change_rows import TEXT
from copydesk.session.listings import LISTINGS
from copydesk.session.reads import change_requests, cluster_report, findings, sites
from copydesk.session.reads.change_requests import Scope
from copydesk.session.reads.cluster_report import read_report
from copydesk.session.reads.findings import SiteSpaces
from tests.golden_json import compare
from tests.session.reads import told
from tests.session.reads.told import Lacking, plain, read
from tests.tui.strange import strange
from tests.world import BASE_URL, START, World

SECRET = "My password: hunter2hunter2"

WORDS = (
    "Why are webhooks late?", SECRET, "why  ARE webhooks late?", "They never come.\n\nSee [it](x).",
    "Is there a replay?", "One more.", "One more.",
)  # fmt: skip


class Support:
    """A desk on which people ask, and on which findings are made of what they ask."""

    def __init__(self, world: World) -> None:
        self.world = world
        pages = {
            "webhooks": "Webhooks arrive late. See [replay](replay.md).\n",
            "setup": "Begin with [replay](replay.md), and [gone](gone.md).\n",
        }
        self.guide = world.space("Guide\x07", pages)
        self.secret = world.space("Secret", {"plan": "[old](old.md)\n"}, default_level=None)
        self.lee = world.user("lee", "create")

        def build(tx: Tx) -> tuple[list[str], list[str]]:
            sites = []
            for title, spaces in (("Docs\x07", (self.guide, self.secret)), ("Blog", (self.guide,))):
                sites.append(seed.add_site(tx, world.home, title))
                for space in spaces:
                    seed.add_site_space(tx, sites[-1], space, title="Current")
            labels = ("Webhooks arrive late", "Invoices of kim@example.org", "Nobody asks")
            made = [
                conversation_writes.add_cluster(tx, world.home, each, summary=f"On {each}.")
                for each in labels
            ]
            for nth, words in enumerate(WORDS):
                self._tell(tx, f"late-{nth}", words, made[0], nth)
            for nth in range(3):
                self._tell(tx, f"bill-{nth}", f"Bill {nth} of kim@example.org", made[1], 8 * nth)
            self._tell(tx, "later", "From the future", made[0], -2)
            self._tell(tx, "free", "Hello", None, 3)
            return sites, made

        (self.site, self.blog), self.clusters = world.write(build)
        first = self.clusters[0]
        self.requests = [
            world.change_request(
                self.guide, {"setup": f"{at}\n"}, subject=subject, cluster=first, status=status
            )
            for at, (subject, status) in enumerate(
                (("Fix\x07 it", "open"), ("", "draft"), ("Done", "open"))
            )
        ]

    def _tell(self, tx: Tx, key: str, words: str, cluster: str | None, days: int) -> None:
        when, home = START - timedelta(days=days), self.world.home
        parts: list[Any] = [("team-member", "Welcome."), ("user", words), ("assistant", "So.")]
        conversation_writes.add_conversation(
            tx, home, parts, source=("slack", "email\x07")[days % 2], subject=words,
            conversation_id=key, source_url=f"https://desk.example/{key}", created_at=when,
        )  # fmt: skip
        conversation_writes.add_issue(tx, home, key, words, cluster_id=cluster, created_at=when)

    async def found(self, api: Api) -> dict[str, Any]:
        ids = self.world.home, self.site
        return {each.title: each for each in await findings.read_listed(api, ids)}


class NoClusters(httpx.AsyncBaseTransport):
    """A desk that lacks clusters."""

    def __init__(self, desk: told.Desk) -> None:
        self._desk = httpx.ASGITransport(desk, raise_app_exceptions=False)

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        if "/conversations-clusters" in request.url.path or "-clusters" in request.url.path:
            return httpx.Response(404, text="Not found")
        return await self._desk.handle_async_request(request)


async def of_findings(support: Support, api: Api, service: told.Desk) -> dict[str, Any]:
    world = support.world
    ids = world.home, support.site
    all_of_it = await findings.read_listed(api, ids, order_by="sources")
    found: dict[str, Any] = {
        "listed": [[each.title, each.questions, each.records] for each in all_of_it],
        "broken": [
            each.title for each in await findings.read_listed(api, ids, kind=["broken-link"])
        ],
        "titles": [await findings.read_title(api, ids, each.id) for each in all_of_it],
        "title of one gone": await findings.read_title(api, ids, "gone"),
        "requests": await read(findings.read_requests(api, ids, all_of_it)),
        "spaces": await read(findings.read_site_spaces(api, ids)),
        "sites": await read(sites.read_site_options(api, world.home)),
        "numbers": [each.to_dict() for each in await findings.read_numbers(api, ids)],
    }
    questions = await api.page(ops.list_site_questions, *ids)
    asked = [each.id for each in questions.items]
    found["asked by"] = [each.title for each in await findings.read_asked_by(api, ids, asked)]
    for each in all_of_it:
        details = await findings.read_finding(api, ids, each.id)
        found[f"details of {each.title}"] = [plain(details), details.pulse]
        found[f"pages of {each.title}"] = [
            [page.space_id, page.page and page.page.path]
            for page in await findings.read_pages(api, ids, each.id)
        ]
        found[f"pulse of {each.title}"] = await findings.read_pulse(api, ids, each.id)
    for question in questions.items:
        answers = await api.page(ops.list_site_question_answers, *ids, question=question.id)
        for answer in answers.items:
            found[f"answer to {question.question}"] = await read(
                findings.read_answer(api, ids, answer.id)
            )
    broken = next(each for each in all_of_it if each.title == "Broken link to replay.md")
    begun = [
        request
        for finding in (all_of_it[1], broken, broken)
        for request in await findings.begin_requests(api, ids, finding.id)
    ]
    found["begun"] = [each.subject for each in begun]
    found["begun for"] = [
        await findings.find_begun_for(api, world.home, each)
        for each in (*(each.id for each in begun), support.requests[0], "gone")
    ]
    everything = Scope(world.home)
    for listing in LISTINGS:
        for row in await change_requests.read_all(
            api, everything, listing, world.ana, lambda far: None
        ):
            for part in (frozenset({TEXT}), frozenset()):
                told_of = await change_requests.read_parts(api, everything, row, part, me=world.ana)
                found[f"#{row.number} {sorted(part)}"] = [
                    row.cluster, told_of.cluster, told_of.finding
                ]  # fmt: skip
    found["asked for"] = service.asked()
    return found


async def test_reads_of_findings_say_what_they_did(world: World, update_golden: bool) -> None:
    support = Support(world)
    service = told.Desk(world)
    found: dict[str, Any] = {}
    fewer = Api(BASE_URL, world.token(world.ana), transport=NoClusters(service))
    async with service.api() as api, fewer, world.api(support.lee) as lee:
        await api(ops.merge_change_request, support.guide, support.requests[-1])
        service.asked()
        for weeks in (1, 4):
            report = await read_report(api, world.home, " Acme\x07 ", weeks, START)
            found[f"report of {weeks}"] = [plain(report), report.since.isoformat()]
        found["report asked for"] = service.asked()
        found["findings"] = await of_findings(support, api, service)
        found["report on findings"] = await read(read_report(fewer, world.home, "A", 2, START))
        found["report on findings asked for"] = service.asked()
        found["report for one who may not change"] = await read(
            read_report(lee, world.home, "A", 1, START)
        )
    compare("finding_reads", found, update=update_golden, folder="session/reads")


async def test_a_report_tells_of_so_many(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    support = Support(world)
    service = told.Desk(world)
    fewer = Api(BASE_URL, world.token(world.ana), transport=NoClusters(service))
    monkeypatch.setattr(cluster_report, "TOP", 1)
    async with world.api() as api, fewer:
        report = await read_report(api, world.home, "Acme", 4, START)
        assert [each.row.id for each in report.top] == [support.clusters[0]]
        assert len(report.clusters) == 3
        monkeypatch.setattr(cluster_report, "FINDINGS", 1)
        monkeypatch.setattr(findings, "SITES", 1)
        of_findings = await read_report(fewer, world.home, "Acme", 4, START)
    assert (of_findings.noun, of_findings.unit, of_findings.source) == (
        "finding", "question", "record",
    )  # fmt: skip
    assert len(of_findings.clusters) == 1
    assert "more findings without weeks of questions left out." in of_findings.note
    # Of one site nothing has to say which it is.
    assert "(" not in of_findings.clusters[0].label


def test_the_spaces_of_a_site_are_named_once_each_and_unknown_ones_by_their_ids() -> None:
    spaces = SiteSpaces({"s": "Guide"}, frozenset(), whole=True)
    assert spaces.named(["s", "x\x07", "s"]) == "Guide, x"
    assert spaces.named([]) == ""


async def test_what_a_report_may_not_read_is_left_out(world: World) -> None:
    support = Support(world)
    first = support.clusters[0]
    async with world.api() as api:
        whole = await read_report(api, world.home, "Acme", 4, START)
        quotes = {each.row.id: [quote.words for quote in each.quotes] for each in whole.top}
        assert quotes[first]
        for lacks in (ops.list_conversation_issues, ops.get_conversation):
            bare = Lacking(api, lacks, error=Forbidden).api
            report = await read_report(bare, world.home, "Acme", 4, START)
            assert [each.row.id for each in report.top] == [each.row.id for each in whole.top]
            assert not any(each.quotes for each in report.top)
        latest, *_ = await cluster_report._latest(api, world.home, first, START)
        bare = Lacking(api, latest.conversation, error=Forbidden).api
        some = await read_report(bare, world.home, "Acme", 4, START)
        assert some.top[0].quotes, "the others are there"


async def test_a_report_quotes_so_many_of_the_latest(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    support = Support(world)
    async with world.api() as api:
        whole = await cluster_report._latest(api, world.home, support.clusters[0], START)
        assert all(row.created is None or row.created <= START for row in whole)
        monkeypatch.setattr(cluster_report, "SOUGHT", 2)
        some = await cluster_report._latest(api, world.home, support.clusters[0], START)
    assert some == whole[:2]
    assert len(whole) > 2


async def test_a_finding_without_a_title_that_can_be_shown_is_said_to_have_none(
    world: World,
) -> None:
    ids = (world.home, Support(world).site)
    async with world.api() as api:
        [first, *_] = await findings.read_listed(api, ids)
    unnamed = strange(world, f"/{first.id}", lambda found: found.update(title="\x07 "))
    async with unnamed as service:
        assert await findings.read_title(service, ids, first.id) == "one without a title"


async def test_findings_are_read_as_far_as_they_are_listed(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    support = Support(world)
    ids = (world.home, support.site)
    async with world.api() as api:
        every = await findings.read_listed(api, ids)
        title = await findings.read_title(api, ids, every[0].id)
        assert title
        for error, said in (
            (NotFound, "one that is gone, or that you may not see"),
            (Forbidden, "one that is gone, or that you may not see"),
            (OperationMissing, "It is gone."),
        ):
            bare = Lacking(api, ops.get_site_finding, error=error).api
            assert await findings.read_title(bare, ids, every[0].id) == said
        broken = next(each for each in every if each.topic is None)
        [begun, *_] = await findings.begin_requests(api, ids, broken.id)
        find = partial(findings.find_begun_for, organization=world.home, request=begun.id)
        assert await find(api) == ((support.site, broken.id), True)
        bare = Lacking(api, ops.list_site_findings, error=Forbidden).api
        assert await find(bare) == (None, True)
        monkeypatch.setattr(findings, "LISTED", 1)
        assert [each.id for each in await findings.read_listed(api, ids)] == [every[0].id]
        with monkeypatch.context() as few:
            few.setattr(findings, "ASKED", 0)
            assert await find(api) == (None, False)
        monkeypatch.setattr(findings, "SITES", 1)
        assert await findings.find_begun_for(api, world.home, "gone") == (None, False)


async def test_a_site_that_may_not_be_read_hides_no_finding_of_another(world: World) -> None:
    Support(world)
    async with world.api() as api:
        both = [each.id async for each in api.pages(ops.list_sites, world.home)]
        for site, other in (both, both[::-1]):
            listed = await findings.read_listed(api, (world.home, site))
            broken = next(each for each in listed if each.topic is None)
            [begun, *_] = await findings.begin_requests(api, (world.home, site), broken.id)
            bare = Lacking(api, other, error=Forbidden).api
            found = await findings.find_begun_for(bare, world.home, begun.id)
            assert found == ((site, broken.id), True)


async def test_findings_are_counted_by_the_views_of_their_pages_and_their_questions(
    world: World,
) -> None:
    support = Support(world)
    ids = (world.home, support.site)
    async with world.api() as api:
        every = await findings.read_listed(api, ids)
        about = [each for each in every if each.pages]
        pages = await findings.read_pages(api, ids, about[0].id)

        def build(tx: Tx) -> None:
            for at, page in enumerate(pages, 1):
                seed.add_events(
                    tx, support.site, page.space_id, page.page.id, "2026-03-01",
                    events=10**at, visitors=1,
                )  # fmt: skip

        counts = await findings.read_counts(api, ids, every, START)
        assert {each.views for each in counts.values()} == {None}, "nothing was counted"
        world.write(build)
        counts = await findings.read_counts(api, ids, every, START)
        assert list(counts) == [each.id for each in every]
        assert counts[about[0].id].views == sum(10 ** (at + 1) for at in range(len(pages)))
        for each in every:
            pulse = await findings.read_pulse(api, ids, each.id) if each.questions else ()
            assert counts[each.id].pulse == pulse
            assert (counts[each.id].views is None) is (each not in about)
        for error in (Forbidden, NotFound):
            bare = Lacking(api, ops.aggregate_site_events, error=error).api
            assert await findings.read_counts(bare, ids, every, START) == {
                each: findings.FindingCounts(None, counted.pulse)
                for each, counted in counts.items()
            }


@pytest.mark.parametrize(
    ("mine", "whole", "may"),
    [((), True, False), ((), False, True), (("s",), True, True), (("s",), False, True)],
)
def test_a_request_may_be_begun_where_there_may_be_a_space_for_it(
    mine: tuple[str, ...], *, whole: bool, may: bool
) -> None:
    assert SiteSpaces({}, frozenset(mine), whole=whole).may_begin is may
