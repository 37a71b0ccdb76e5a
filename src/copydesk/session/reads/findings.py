"""Reading a finding, an answer or a site's questions, beyond the row of a list."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from copydesk.client.errors import Forbidden, NotFound, OperationMissing
from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.personal_data import mask
from copydesk.domain.text import clean
from copydesk.domain.trend import sane
from copydesk.session.errors import sentence
from copydesk.session.operations import ops
from copydesk.session.reads.traffic import read_page_views

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.contract.models.change_request import ChangeRequest
    from copydesk.contract.models.finding import SiteFinding, SiteFindingPage, SiteFindingStats
    from copydesk.contract.models.question import (
        AnswerSource,
        QuestionStats,
        SiteQuestion,
        SiteQuestionAnswerWithResponse,
    )

MOST = 50
"""Pages, questions and change requests that are read of a finding."""

LISTED = 1_000
"""Findings of a site that are read to tell which are in a view, or for a report."""

AT_ONCE = 4
"""Findings that are asked for more of themselves at the same time."""

SITES = 20
"""Sites whose findings are looked through."""

ASKED = 40
"""Findings that are asked for their change requests, to find the one of a change request."""

WEEKS = 13

SPACES = 250
"""Spaces of a site whose titles are read."""

Ids = tuple[str, str]
"""An organization and a site."""


@dataclass(frozen=True, slots=True)
class FindingDetails:
    """The change requests, pages and questions of a finding, and how often those were asked."""

    requests: Sequence[ChangeRequest]
    pages: Sequence[SiteFindingPage]
    questions: Sequence[SiteQuestion]

    @property
    def pulse(self) -> tuple[float, ...]:
        """How often the questions were asked in each of 13 weeks, the latest last."""
        return pulse_of(self.questions)


@dataclass(frozen=True, slots=True)
class AnswerDetails:
    """The answers of a conversation, and what one of them was made from."""

    thread: Sequence[SiteQuestionAnswerWithResponse]
    sources: Sequence[AnswerSource]


async def read_finding(api: Api, ids: Ids, finding: str) -> FindingDetails:
    """Return the details of a finding. Raises ``ApiError``."""
    requests, pages, questions = await asyncio.gather(
        api.page(ops.list_site_finding_change_requests, *ids, finding, limit=MOST),
        read_pages(api, ids, finding),
        api.page(ops.list_site_finding_questions, *ids, finding, limit=MOST),
    )
    return FindingDetails(requests.items, pages, questions.items)


async def read_listed(api: Api, ids: Ids, **asked: Any) -> list[SiteFinding]:
    """Return the findings of a site that are asked for, `LISTED` at most. Raises ``ApiError``."""
    found: list[SiteFinding] = []
    async for each in api.pages(ops.list_site_findings, *ids, **asked):
        found.append(each)
        if len(found) == LISTED:
            break
    return found


async def read_asked_by(api: Api, ids: Ids, questions: Iterable[str]) -> list[SiteFinding]:
    """Return the findings that questions tell of, each once. Raises ``ApiError``."""
    pages = [
        await api.page(ops.list_site_findings, *ids, question=each, limit=MOST)
        for each in questions
    ]
    return list({each.id: each for page in pages for each in page.items}.values())


async def read_requests(
    api: Api, ids: Ids, findings: Iterable[SiteFinding]
) -> dict[str, Sequence[ChangeRequest]]:
    """Return the change requests of findings, by the ids of these; `MOST` of each.

    Those that have none take no request. Raises ``ApiError``.
    """
    gate = asyncio.Semaphore(AT_ONCE)

    async def read(finding: SiteFinding) -> Sequence[ChangeRequest]:
        if not finding.change_requests:
            return ()
        async with gate:
            found = await api.page(
                ops.list_site_finding_change_requests, *ids, finding.id, limit=MOST
            )
            return found.items

    wanted = list(findings)
    return dict(
        zip((each.id for each in wanted), await asyncio.gather(*map(read, wanted)), strict=True)
    )


async def read_pages(api: Api, ids: Ids, finding: str) -> Sequence[SiteFindingPage]:
    """Return the pages that a finding is about. Raises ``ApiError``."""
    return (await api.page(ops.list_site_finding_pages, *ids, finding, limit=MOST)).items


def pulse_of(questions: Iterable[SiteQuestion]) -> tuple[float, ...]:
    """Return how often questions were asked in each of 13 weeks, the latest last."""
    found = [0.0] * WEEKS
    for each in questions:
        weeks = [sane(week) for week in each.stats.weekly_pulse][-WEEKS:]
        for back, week in enumerate(reversed(weeks), 1):
            found[-back] += week
    return tuple(found)


async def read_pulse(api: Api, ids: Ids, finding: str) -> tuple[float, ...]:
    """Return how often the questions of a finding were asked. Raises ``ApiError``."""
    return pulse_of(
        (await api.page(ops.list_site_finding_questions, *ids, finding, limit=MOST)).items
    )


@dataclass(frozen=True, slots=True)
class FindingCounts:
    """How often the pages of a finding were viewed in four weeks, and its questions asked by week.

    ``views`` are None where it is about no page, or the service has no traffic.
    """

    views: int | None = None
    pulse: tuple[float, ...] = ()


async def read_counts(
    api: Api, ids: Ids, findings: Iterable[SiteFinding], now: datetime
) -> dict[str, FindingCounts]:
    """Return the counts of findings of a site by their ids. Raises ``ApiError``."""
    try:
        counted = await read_page_views(api, ids, now)
    except (Forbidden, NotFound):
        counted = {}
    gate = asyncio.Semaphore(AT_ONCE)

    async def viewed(finding: SiteFinding) -> int | None:
        if not (counted and finding.pages):
            return None
        pages = await read_pages(api, ids, finding.id)
        return sum(counted.get((each.space_id, each.page.id), 0) for each in pages)

    async def asked(finding: SiteFinding) -> tuple[float, ...]:
        return await read_pulse(api, ids, finding.id) if finding.questions else ()

    async def read(finding: SiteFinding) -> FindingCounts:
        async with gate:
            return FindingCounts(*await asyncio.gather(viewed(finding), asked(finding)))

    wanted = list(findings)
    found = await asyncio.gather(*map(read, wanted))
    return dict(zip((each.id for each in wanted), found, strict=True))


async def find_begun_for(
    api: Api, organization: str, request: str
) -> tuple[tuple[str, str] | None, bool]:
    """Return the site and the finding that a change request was begun for, None where it was not
    found; and whether all were looked through.

    Only a finding without a topic, such as a broken link, has to be looked for so: the request
    itself names the others. Each takes a request: the first `ASKED`, of the first `SITES` sites,
    are looked through. Raises ``ApiError``.
    """
    seen, left, whole = 0, ASKED, True
    async for site in api.pages(ops.list_sites, organization):
        ids, seen = (organization, site.id), seen + 1
        try:
            found = await api.page(
                ops.list_site_findings, *ids, has_change_requests=True, limit=MOST
            )
        except (Forbidden, NotFound):
            continue
        for each in found.items:
            if each.topic is None:
                if not left:
                    return None, False
                left -= 1
                begun = await api.page(
                    ops.list_site_finding_change_requests, *ids, each.id, limit=MOST
                )
                if any(one.id == request for one in begun.items):
                    return (site.id, each.id), True
        whole = whole and found.next is None
        if seen == SITES:
            return None, False
    return None, whole


async def read_title(api: Api, ids: Ids, finding: str) -> str:
    """Return the masked title of a finding, or the sentence for a missing one.

    Raises ``ApiError``.
    """
    try:
        title = (await api(ops.get_site_finding, *ids, finding)).title
    except OperationMissing as error:
        return sentence(error)
    except (Forbidden, NotFound):
        return "one that is gone, or that you may not see"
    return mask(clean(title).strip()) or "one without a title"


async def read_answer(api: Api, ids: Ids, answer: str) -> AnswerDetails:
    """Return the words of an answer. Raises ``ApiError``."""
    thread, sources = await asyncio.gather(
        api(ops.get_site_question_answer_thread, *ids, answer),
        api.page(ops.list_site_question_answer_sources, *ids, answer, limit=MOST),
    )
    return AnswerDetails(thread, sources.items)


async def read_numbers(api: Api, ids: Ids) -> tuple[SiteFindingStats, QuestionStats]:
    """Return the numbers of a site's findings and questions. Raises ``ApiError``."""
    findings, questions = await asyncio.gather(
        api(ops.get_site_finding_stats, *ids), api(ops.get_site_question_stats, *ids)
    )
    return findings, questions


@dataclass(frozen=True, slots=True)
class SiteSpaces:
    """The titles of the first spaces of a site by their ids, and in which of them one may edit."""

    titles: Mapping[str, str]
    mine: frozenset[str]
    whole: bool

    @property
    def may_begin(self) -> bool:
        """Whether there may be a space in which a change request can be begun."""
        return bool(self.mine) or not self.whole

    def named(self, spaces: Iterable[str]) -> str:
        """Return the titles of spaces, each once: "Guide, Changelog"; nothing without spaces."""
        return ", ".join(dict.fromkeys(self.titles.get(each) or clean(each) for each in spaces))


async def read_site_spaces(api: Api, ids: Ids) -> SiteSpaces:
    """Return the first spaces of a site. Raises ``ApiError``."""
    page = await api.page(ops.list_site_spaces, *ids, limit=SPACES)
    mine = (
        each.space.id
        for each in page.items
        if each.space.permissions is None or each.space.permissions.edit
    )
    titles = {each.space.id: clean(each.space.title or each.title) for each in page.items}
    return SiteSpaces(titles, frozenset(mine), page.next is None)


async def begin_requests(api: Api, ids: Ids, finding: str) -> Sequence[ChangeRequest]:
    """Have the service begin change requests for a finding; return its requests after that.

    A service may begin them later: then there are none. Raises ``ApiError``.
    """
    before = await api.page(ops.list_site_finding_change_requests, *ids, finding, limit=MOST)
    known = {each.id for each in before.items}
    latest = max((each.created_at for each in before.items), default=None)
    await api(ops.begin_site_finding_change_requests, *ids, finding)
    after = await api.page(ops.list_site_finding_change_requests, *ids, finding, limit=MOST)
    # An older one that somebody edits meanwhile comes among the latest changed, too.
    return [
        each
        for each in after.items
        if each.id not in known and (latest is None or each.created_at >= latest)
    ]
