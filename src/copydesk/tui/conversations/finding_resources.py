"""What is listed of a site's findings: themselves, topics, questions, records, and parts of one."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, Any, get_args

from rich.text import Text

from copydesk.client.errors import Forbidden, NotFound
from copydesk.contract.enumerations import (
    ChannelType,
    FindingSeverity,
    FindingStatus,
    FindingType,
    QuestionType,
    RecordType,
    Relevance,
    Resolution,
)
from copydesk.domain.address import web_address
from copydesk.domain.moments import age, moment
from copydesk.domain.text import clean, plural, shown_subject
from copydesk.domain.trend import rate
from copydesk.present import finding as present
from copydesk.present.cluster import rate_told
from copydesk.present.facts import Fact, hint
from copydesk.present.finding import trend_text
from copydesk.present.traffic import per_week, short_count
from copydesk.session.operations import ops
from copydesk.session.reads.findings import (
    Ids,
    read_listed,
    read_pages,
    read_pulse,
    read_requests,
)
from copydesk.session.reads.traffic import USUAL, read_page_views
from copydesk.tui.framework.place import View
from copydesk.tui.resource.page_lines import LINES, lines_from
from copydesk.tui.resource.resource import (
    Condition,
    Facet,
    ListQuery,
    Resource,
    ServiceOrder,
    pages_of,
)
from copydesk.tui.widgets.list import rows_around, unspoken

if TYPE_CHECKING:
    from collections.abc import Callable

    from copydesk.client.api import Api
    from copydesk.contract.models.base import Page
    from copydesk.contract.models.change_request import ChangeRequest
    from copydesk.contract.models.context_record import ContextRecord
    from copydesk.contract.models.finding import SiteFinding, SiteFindingPage
    from copydesk.contract.models.question import (
        SiteQuestion,
        SiteQuestionAnswer,
    )
    from copydesk.contract.models.topic import SiteTopic
    from copydesk.session.target import Target
    from copydesk.tui.conversations.findings import FindingsPlace


def ids_of(target: Target) -> tuple[str, str]:
    """Return the ids of the organization and the site of a target."""
    return target.organization or "", target.site or ""


def _named(target: Target, item: Any) -> tuple[str, ...]:
    return (*ids_of(target), item.id)


def _several(values: Any, name: str, what: str) -> Condition:
    return Condition(name, what, get_args(values), read=lambda text: [text])


# Findings


def _asked_told(_row: object, said: str) -> str:
    return f"asked {plural(int(said), 'time')}" if said.isdecimal() and int(said) else ""


def _newest(finding: SiteFinding) -> float | None:
    return None if finding.created_at is None else -finding.created_at.timestamp()


FINDINGS: Resource[SiteFinding] = Resource(
    noun="finding",
    title="Findings",
    pages=pages_of("list_site_findings", "organization", "site", order_by="sources"),
    key=lambda finding: finding.id,
    label=lambda finding: finding.title,
    shown=(
        Facet("finding", "FINDING", lambda finding, now: finding.title, flex=1, minimum=22,
              detail=False, sort=lambda finding: finding.title,
              middle=lambda finding: finding.type in ("broken-link", "outbound-link-error")),
        Facet("kind", "KIND", lambda finding, now: present.kind_text(finding), 12, drop=2,
              values=tuple(present.KINDS.values())),
        Facet("severity", "SEV", lambda finding, now: present.toned(finding.severity), 6,
              values=present.SEVERITIES),
        Facet("status", "STATUS", lambda finding, now: present.toned(finding.status), 9, drop=1,
              values=get_args(FindingStatus)),
        Facet("asked", "ASKED", lambda finding, now: str(finding.records), 5, align="right",
              detail=False, filters=False, spoken=_asked_told),
        Facet("found", "FOUND", lambda finding, now: age(finding.created_at, now) or None,
              detail=False, filters=False, sort=lambda finding: _newest(finding)),
        Facet("requests", "CR", lambda finding, now: str(finding.change_requests or "-"), 3,
              align="right", detail=False, filters=False,
              sort=lambda finding: -finding.change_requests),
    ),
    empty="Nothing was found: no broken link, and nothing that several people struggle with.",
    get="get_site_finding",
    arguments=_named,
    orders=(
        ServiceOrder("sources", "asked", {"order_by": "sources"}),
        ServiceOrder("severity", "severity", {"order_by": "severity"}),
        ServiceOrder("updatedAt", "last changed", {"order_by": "updatedAt"}),
    ),
    conditions=(
        Condition("status", "how far they are", get_args(FindingStatus)),
        _several(FindingType, "kind", "what they say of the content"),
        Condition("severity", "how much they matter", get_args(FindingSeverity)),
        Condition("has_change_requests", "whether a change request was begun", ("true", "false"),
                  read=lambda text: text == "true"),
        Condition("topic", "those of a topic, by its id"),
        Condition("source", "questions, or connection:NAME", read=lambda text: [text]),
    ),
    more=lambda finding, now: [*present.finding_details(finding, now)],
    dim=lambda finding: finding.status in ("done", "canceled"),
    adding="create_content",
    contents=lambda: (FINDING_PARTS["records"],),
)  # fmt: skip
"""The findings of a site."""


# Topics


def _topic_details(topic: SiteTopic, now: datetime) -> Iterator[tuple[str, str | Text]]:
    if said := present.told(topic.summary):
        yield "", said
    if (asked := present.asked_fact(topic.questions.weekly_pulse)) is not None:
        yield asked.label, asked.text
    answered = topic.questions.answered
    yield "answered", f"{answered.yes}, partially {answered.partially}, not {answered.no}"
    yield "asked in", present.counts_of(topic.questions.channel_types)
    yield "on", f"{plural(topic.pages, 'page')}, {plural(topic.records, 'record')}"
    begun = "are" if topic.usage_settings.change_requests else "are not"
    yield "change requests", hint(f"{begun} begun by the service (e)", "")
    if topic.updated_at is not None:
        yield "changed", moment(topic.updated_at, now)


TOPICS: Resource[SiteTopic] = Resource(
    noun="topic",
    title="Topics",
    pages=lambda api, target, asked: api(ops.list_site_topics, *ids_of(target)),
    key=lambda topic: topic.id,
    label=lambda topic: topic.label,
    shown=(
        Facet("topic", "TOPIC", lambda topic, now: topic.label, flex=1, minimum=20, detail=False,
              sort=lambda topic: topic.label),
        Facet("open", "OPEN", lambda topic, now: str(topic.findings.open), 4, align="right",
              detail=False, filters=False, sort=lambda topic: -topic.findings.open),
        Facet("asked", "ASKED", lambda topic, now: str(topic.questions.answers), 5, align="right",
              detail=False, filters=False, spoken=_asked_told,
              sort=lambda topic: -topic.questions.answers),
        Facet("weeks", "13 WEEKS",
              lambda topic, now: present.pulse_cell(topic.questions.weekly_pulse), 13,
              drop=2, detail=False, filters=False, spoken=unspoken),
        Facet("trend", "WEEK",
              lambda topic, now: present.trend_text(topic.questions.weekly_pulse), 6,
              align="right", drop=1, detail=False, filters=False, spoken=rate_told),
    ),
    empty="No topics yet. They come with conversations and records.",
    get="get_site_topic",
    arguments=_named,
    contents=lambda: IN_TOPIC,
    more=lambda topic, now: [*_topic_details(topic, now)],
)  # fmt: skip
"""What the questions, records and findings of a site are about."""


# Questions


def _question_details(question: SiteQuestion, now: datetime) -> Iterator[tuple[str, str | Text]]:
    if (asked := present.asked_fact(question.stats.weekly_pulse)) is not None:
        yield asked.label, asked.text
    answered, rated = question.stats.answered, question.stats.feedback
    yield "answered", f"{answered.yes}, partially {answered.partially}, not {answered.no}"
    if rated.positive or rated.negative:
        yield "rated", f"good {rated.positive}, bad {rated.negative}"
    yield "asked in", present.counts_of(question.stats.channel_types)
    if question.created_at is not None:
        yield "first", moment(question.created_at, now)
    if question.asked_at is not None:
        yield "last", moment(question.asked_at, now)


def _order(name: str, title: str) -> ServiceOrder:
    return ServiceOrder(
        name, title, {"sort": name, "order": "desc"}, {"sort": name, "order": "asc"}
    )


QUESTIONS: Resource[SiteQuestion] = Resource(
    noun="question",
    title="Questions",
    pages=pages_of("list_site_questions", "organization", "site"),
    key=lambda question: question.id,
    label=lambda question: question.question,
    shown=(
        Facet("question", "QUESTION", lambda each, now: each.question, flex=1, minimum=34,
              detail=False),
        Facet("type", "TYPE", lambda each, now: clean(each.type), 15, drop=3,
              values=get_args(QuestionType)),
        Facet("asked", "ASKED", lambda each, now: str(each.stats.answers), 5, align="right",
              detail=False, filters=False),
        Facet("answered", "ANSWERED", lambda each, now: present.answered_text(each.stats), 9,
              align="right", drop=1, detail=False, filters=False),
        Facet("weeks", "13 WEEKS", lambda each, now: present.pulse_cell(each.stats.weekly_pulse),
              13, drop=2, detail=False, filters=False),
        Facet("age", "AGE", lambda each, now: age(each.asked_at, now), 5, align="right",
              detail=False, filters=False),
    ),
    empty="No one has asked anything.",
    get="get_site_question",
    arguments=_named,
    orders=(
        _order("askedAt", "last asked"),
        _order("stats.answers", "asked"),
        _order("stats.answered", "answered"),
        _order("stats.feedback", "rated"),
    ),
    conditions=(
        _several(Resolution, "answered", "whether it was answered"),
        Condition("kind", "what is asked for", get_args(QuestionType)),
        _several(Relevance, "relevance", "whether it is about the documentation"),
        _several(ChannelType, "channel_type", "where it was asked"),
        Condition("topic", "those of a topic, by its id", read=lambda text: [text]),
    ),
    more=lambda question, now: [*_question_details(question, now)],
    beside=2,
    contents=lambda: tuple(QUESTION_PARTS.values()),
)  # fmt: skip
"""What people ask of a site."""


# Records


def _record_details(record: ContextRecord, now: datetime) -> Iterator[tuple[str, str | Text]]:
    if record.description:
        yield "", clean(record.description, lines=True, limit=present.LONGEST)
    by = dict.fromkeys((present.connector_text(record.connector), clean(record.connection)))
    yield "by", ", ".join(each for each in by if each)
    if record.created_at is not None:
        yield "from", moment(record.created_at, now)
    said = "not yet" if record.processed_at is None else moment(record.processed_at, now)
    yield "read", said
    if address := web_address(record.urls.source):
        yield "at", Text(address, style="link")


RECORDS: Resource[ContextRecord] = Resource(
    noun="record",
    title="Records",
    pages=pages_of("list_site_context_records", "organization", "site"),
    key=lambda record: record.id,
    label=lambda record: record.title,
    shown=(
        Facet("record", "RECORD", lambda each, now: each.title, flex=1, minimum=20, detail=False),
        Facet("type", "TYPE", lambda each, now: clean(each.type), 8, drop=2,
              values=get_args(RecordType)),
        Facet("connection", "FROM", lambda each, now: each.connection, 12, drop=1, detail=False),
        Facet("topics", "TOPICS", lambda each, now: str(len(each.topics or ()) or "-"), 6, drop=3,
              align="right", detail=False, filters=False),
        Facet("age", "AGE", lambda each, now: age(each.created_at, now), 5, align="right",
              detail=False, filters=False),
    ),
    empty="No records yet. ctrl+n sends one.",
    get="get_site_context_record",
    arguments=_named,
    url=lambda record: web_address(record.urls.source) or None,
    conditions=(
        Condition("kind", "tickets or documents", get_args(RecordType)),
        Condition("connection", "those from one connection, by its name"),
        Condition("connector", "those of one kind of connection, such as builtin:zendesk"),
        Condition("topic", "those of a topic, by its id"),
    ),
    more=lambda record, now: [*_record_details(record, now)],
    adding="ingest_conversations",
)  # fmt: skip
"""The tickets and documents from which is read what people struggle with."""

SITE_PARTS: Mapping[str, Resource[Any]] = {
    "findings": FINDINGS,
    "topics": TOPICS,
    "questions": QUESTIONS,
    "records": RECORDS,
}
"""What the tabs list."""


def _of_topic(kind: Resource[Any], topic: Callable[[str | None], object]) -> Resource[Any]:
    """Return a list of a site, of what is in one topic: what the service is asked that by."""

    async def pages(api: Api, target: Target, asked: ListQuery) -> Page[Any]:
        return await kind.pages(
            api, target, replace(asked, conditions={"topic": topic(target.item)})
        )

    return replace(kind, pages=pages)


IN_TOPIC: tuple[Resource[Any], ...] = (
    _of_topic(FINDINGS, lambda topic: topic),
    _of_topic(QUESTIONS, lambda topic: [topic]),
)
"""What there is to a topic."""


# Parts of a finding and of a question

_PAGES: Resource[SiteFindingPage] = Resource(
    noun="page",
    title="Pages",
    pages=pages_of("list_site_finding_pages", "organization", "site", "item"),
    key=lambda found: f"{found.space_id}/{found.page.id}",
    label=lambda found: found.page.title,
    shown=(
        Facet("page", "PAGE", lambda found, now: found.page.title, flex=1, detail=False),
        Facet("path", "PATH", lambda found, now: found.page.path, flex=1, drop=1),
        Facet("type", "TYPE", lambda found, now: clean(found.page.type), 9, drop=2),
    ),
    empty="About no page.",
    of="item",
    contents=lambda: (LINES,),
    inside=lambda found: lines_from(found.space_id, found.page.id),
)

_REQUESTS: Resource[ChangeRequest] = Resource(
    noun="change request",
    title="Change requests",
    pages=pages_of("list_site_finding_change_requests", "organization", "site", "item"),
    key=lambda request: request.id,
    label=lambda request: f"#{request.number} {request.subject}",
    shown=(
        Facet("number", "#", lambda request, now: f"#{request.number}", 6, detail=False),
        Facet("subject", "SUBJECT", lambda request, now: shown_subject(request.subject), flex=1,
              detail=False),
        Facet("space", "SPACE", lambda request, now: request.space, 16, drop=2, most=30),
        Facet("status", "STATUS", lambda request, now: present.toned(request.status), 9),
        Facet("age", "AGE", lambda request, now: age(request.updated_at, now), 5, align="right",
              drop=1, detail=False, filters=False),
    ),
    empty="No change request was begun for it. ctrl+n there begins one.",
    of="item",
    get="get_change_request",
    arguments=lambda target, request: (request.space, request.id),
)  # fmt: skip

FINDING_PARTS: Mapping[str, Resource[Any]] = {
    "questions": replace(
        QUESTIONS,
        pages=pages_of("list_site_finding_questions", "organization", "site", "item"),
        empty="No question tells of it.",
        of="item",
        orders=(),
        conditions=(),
        beside=1,
    ),
    "records": replace(
        RECORDS,
        pages=pages_of("list_site_finding_records", "organization", "site", "item"),
        empty="No record tells of it.",
        of="item",
        conditions=(),
        adding="",
        beside=2,
    ),
    "pages": _PAGES,
    "requests": _REQUESTS,
}
"""What there is to a finding."""


async def _answers(api: Api, target: Target, asked: ListQuery) -> Page[SiteQuestionAnswer]:
    given: dict[str, Any] = {**asked.paging, **asked.conditions, "question": target.item}
    return await api.page(ops.list_site_question_answers, *ids_of(target), **given)


ANSWERS: Resource[SiteQuestionAnswer] = Resource(
    noun="answer",
    title="Answers",
    pages=_answers,
    key=lambda answer: answer.id,
    label=lambda answer: answer.input.text,
    shown=(
        Facet("asked", "ASKED", lambda answer, now: answer.input.text, flex=1, detail=False),
        Facet("answered", "ANSWERED", lambda answer, now: clean(answer.answered), 9,
              values=get_args(Resolution)),
        Facet("relevance", "RELEVANCE", lambda answer, now: clean(answer.relevance), 9, drop=2),
        Facet("channel", "IN", lambda answer, now: present.connector_text(answer.channel.type), 8,
              drop=1),
        Facet("language", "LANGUAGE", lambda answer, now: answer.language.removeprefix("und")),
        Facet("age", "AGE", lambda answer, now: age(answer.created_at, now), 5, align="right",
              detail=False, filters=False),
    ),
    empty="No one has asked it in this time.",
    of="item",
    get="get_site_question_answer",
    arguments=_named,
    conditions=(
        _several(Resolution, "answered", "whether it was answered"),
        _several(Relevance, "relevance", "whether it is about the documentation"),
        _several(ChannelType, "channel_type", "where it was asked"),
        Condition("language", "the language, such as pt"),
    ),
)  # fmt: skip
"""The times that a question was asked, and how it was answered."""

QUESTION_PARTS: Mapping[str, Resource[Any]] = {
    "answers": ANSWERS,
    "sources": Resource[Any](
        noun="source",
        title="Sources",
        pages=pages_of("list_site_question_sources", "organization", "site", "item"),
        key=lambda source: source.id,
        label=lambda source: source.title,
        shown=(
            Facet("source", "SOURCE", lambda source, now: source.title, flex=1, detail=False),
            Facet("type", "TYPE", lambda source, now: clean(source.type), 8),
            Facet("by", "BY",
                  lambda source, now: present.connector_text(source.connector or ""), 12, drop=1),
            Facet("weight", "WEIGHT", lambda source, now: f"{source.weight:g}", 6, align="right",
                  drop=2),
        ),
        empty="Its answers were made from nothing that is known.",
        of="item",
    ),
}  # fmt: skip
"""What there is to a question."""


def tabs(counts: Mapping[str, int | None], topic: bool) -> list[View]:
    """Return the tabs with the counts that are known; a topic has none for topics.

    Those of findings that a support lead looks at on Monday follow all of them.
    """
    titles = {name: each.title for name, each in SITE_PARTS.items()}
    first = {"findings": titles.pop("findings")}
    return [
        View(name, title, counts.get(name))
        for name, title in {**first, **present.VIEWS, **titles}.items()
        if not (topic and name == "topics")
    ]


# How often the pages of findings are viewed

AT_ONCE = 4
"""The pages of so many findings are read at the same time."""

MOST = 200
"""Of how many findings of a list more is read to sort it; the others stand last."""

ORDERS = ("views", "trend")
"""The orders that take more than the list says."""

STAY_SECONDS = 0.4
"""How long the cursor stays before the pages of the findings on screen are read."""


class FindingViews:
    """The views of findings, as far as they are known, and whether more and more people ask.

    Both are columns of the list and orders. The views of a site's pages are counted once; the pages
    of a finding and its questions are a request each. Those of the findings on screen are read once
    the cursor stays, a few at a time and while the service has requests to spare; those of a list
    are read where it is sorted by one of them, or written to a table. What was read is kept while
    the list is open.
    """

    def __init__(self, place: FindingsPlace) -> None:
        self._place = place
        self._counted: dict[tuple[str, str], int] | None = None
        """How often each page (space, page) of the site was viewed; None: not counted yet."""
        self._failed = False
        """Whether counting failed: it is tried again with the list."""
        self._pages: dict[str, tuple[datetime | None, list[tuple[str, str]]]] = {}
        """The pages of findings, by the ids of these, and when these had last changed."""
        self._reading = self._again = False
        """Whether more is being read, and is to be read again for other rows."""
        self._pulses: dict[str, tuple[datetime | None, tuple[float, ...]]] = {}
        """The weeks of findings, by the ids of these, and when these had last changed."""
        self.monday = MondayViews(place)
        self.resource: Resource[SiteFinding] = FINDINGS
        """What is listed: it has a column once there is something in it."""

    def of(self, finding: SiteFinding) -> int | None:
        """Return the views of a finding in four weeks; None where they are not known, or of none.

        A finding without pages has nothing that could be viewed.
        """
        if finding.id not in self._pages or not self._counted or not finding.pages:
            return None
        return sum(self._counted.get(page, 0) for page in self._pages[finding.id][1])

    def pulse(self, finding: SiteFinding) -> tuple[float, ...]:
        """Return how often it was asked about in each of 13 weeks; nothing where not known."""
        return self._pulses.get(finding.id, (None, ()))[1]

    def facts(self, finding: SiteFinding) -> list[Fact]:
        """Return the views as facts for the details."""
        views = self.of(finding)
        said = short_count(per_week(views, USUAL.days)) if views else ""
        return [Fact("traffic", f"{said} views a week")] if said else []

    def learn(
        self,
        finding: SiteFinding,
        pages: Iterable[SiteFindingPage] | None,
        pulse: tuple[float, ...] | None,
    ) -> None:
        """Take note of the pages of a finding, and of its weeks, where they were read."""
        if pages is not None:
            ids = [(each.space_id, each.page.id) for each in pages]
            self._pages[finding.id] = finding.updated_at, ids
        if pulse is not None:
            self._pulses[finding.id] = finding.updated_at, pulse

    def try_again(self) -> None:
        """Have the views counted where that has failed, and change requests read again."""
        self._failed = False
        self.monday.requests.clear()

    def forget(self) -> None:
        """Drop the read views: another site is shown."""
        self._counted, self._failed = None, False
        self._pages.clear()
        self._pulses.clear()
        self.monday.requests.clear()

    def look(self) -> None:
        """Have more of the findings on screen read, once the cursor stays."""
        if self._failed or self._place.target.site is None:
            return
        if self._reading:  # what is under way is not asked for twice
            self._again = True
            return
        if self._counted is not None and not self._due(self._seen):
            return

        async def read(api: Api) -> None:
            if self._place.session.may_spend:
                self._reading = True
                try:
                    await self._read(api, self._seen)
                finally:
                    self._reading = False

        def failed(said: str) -> None:
            self._failed = True

        self._place.reads.load(
            "views", read, lambda _: self._show(), what="Counting views", failed=failed, quiet=True,
            after=STAY_SECONDS, kept="never",
        )  # fmt: skip

    async def read_all(self, api: Api, findings: Sequence[SiteFinding]) -> None:
        """Read more of findings that are sorted by it, or written down. Raises ``ApiError``."""
        read = self._pages.keys() | self._pulses.keys()
        known = [each for each in findings if each.id in read]
        others = [each for each in findings if each.id not in read]
        await self._read(api, [*known, *others[: max(0, MOST - len(read))]])

    @property
    def _seen(self) -> list[SiteFinding]:
        from copydesk.contract.models.finding import SiteFinding

        # By the time they are read another tab may be shown.
        return [each for each in rows_around(self._place.rows) if isinstance(each, SiteFinding)]

    def _due(self, findings: Iterable[SiteFinding]) -> list[SiteFinding]:
        """Return the findings whose pages or pulse are not read yet."""
        return [each for each in findings if self._lacks_pages(each) or self._lacks_pulse(each)]

    def _lacks_pages(self, finding: SiteFinding) -> bool:
        """Whether its pages are not known as they are now, where anything was viewed."""
        known = self._pages.get(finding.id)
        new = known is None or known[0] != finding.updated_at
        return bool(self._counted and finding.pages) and new

    def _lacks_pulse(self, finding: SiteFinding) -> bool:
        """Whether its weeks are not known as they are now, where it has questions."""
        known = self._pulses.get(finding.id)
        return bool(finding.questions) and (known is None or known[0] != finding.updated_at)

    async def _read(self, api: Api, findings: Sequence[SiteFinding]) -> None:
        ids = ids_of(self._place.target)
        if self._counted is None:
            try:
                self._counted = await read_page_views(api, ids, self._place.session.now)
            except (Forbidden, NotFound):
                self._counted = {}  # the service has no traffic, or shows the reader none
        due = self._due(findings)
        for at in range(0, len(due), AT_ONCE):
            some = due[at : at + AT_ONCE]
            await asyncio.gather(*(self._read_one(api, ids, each) for each in some))

    async def _read_one(self, api: Api, ids: Ids, finding: SiteFinding) -> None:
        if self._lacks_pages(finding):
            self.learn(finding, await read_pages(api, ids, finding.id), None)
        if self._lacks_pulse(finding):
            self.learn(finding, None, await read_pulse(api, ids, finding.id))

    def _show(self) -> None:
        """Show the views, in columns of their own as soon as there are any."""
        place = self._place
        if place.listed != "findings":
            return
        new = {
            "views": any(map(self.of, self._seen)),
            "trend": any(self._trend(each) for each in self._seen),
        }
        names = [each.name for each in self.resource.shown]
        wanted = [name for name, there in new.items() if there and name not in names]
        if wanted:
            self._add(wanted)
            place.row_reader.show_texts(place.resource_of(place.view))
        place.texts.forget()
        place.rows.refresh_rows()
        place.show_facts()
        if self._again:
            self._again = False
            self.look()

    def _add(self, names: Sequence[str]) -> None:
        """Have the list show more columns, before the number of change requests."""
        columns: Mapping[str, Facet[SiteFinding]] = {
            "views": Facet(
                "views", "VIEWS", lambda finding, now: self._cell(finding), 5, align="right",
                detail=False, filters=False, sort=self._rank,
            ),
            "trend": Facet(
                "trend", "WEEK", lambda finding, now: self._trend(finding), 6, align="right",
                spoken=rate_told,
                drop=3, detail=False, filters=False, sort=self._growth,
            ),
        }  # fmt: skip
        shown = self.resource.shown
        before = next(at for at, each in enumerate(shown) if each.name == "requests")
        more = [columns[name] for name in names]
        self.resource = replace(self.resource, shown=(*shown[:before], *more, *shown[before:]))

    def _trend(self, finding: SiteFinding) -> Text | None:
        return trend_text(self.pulse(finding))

    def _growth(self, finding: SiteFinding) -> float | None:
        weeks = self.pulse(finding)
        return -rate(weeks).rank if weeks else None

    def _cell(self, finding: SiteFinding) -> str:
        views = self.of(finding)
        return "" if views is None else short_count(per_week(views, USUAL.days))

    def _rank(self, finding: SiteFinding) -> int | None:
        views = self.of(finding)
        return None if views is None else -views


class MondayViews:
    """Which findings are in the views besides all of them, as far as the service tells."""

    def __init__(self, place: FindingsPlace) -> None:
        self._place = place
        self.requests: dict[str, Sequence[ChangeRequest]] = {}
        """The change requests of findings, by the ids of these, where a view goes by them."""

    async def page(self, api: Api, view: str, ids: Ids, asked: ListQuery) -> Page[SiteFinding]:
        """Read all findings, and return those of a view in one page. Raises ``ApiError``.

        The service is asked for those with change requests where only they can be in it; the rest
        of what a view goes by it does not know.
        """
        from copydesk.contract.models.base import Page

        place = self._place
        only = {"has_change_requests": True} if view == "helped" else {}
        order = asked.order or FINDINGS.orders[0].query
        found = await read_listed(api, ids, **order, **{**only, **asked.conditions})
        if view in ("grows", "helped"):
            await place.traffic.read_all(api, found)
        if view in ("helped", "untaken"):
            lacking = [each for each in found if each.id not in self.requests][:MOST]
            self.requests |= await read_requests(api, ids, lacking)
        now, pulse = place.session.now, place.traffic.pulse
        rows = [
            each
            for each in found
            if present.in_view(each, view, pulse(each), self.requests.get(each.id), now)
        ]
        return Page[Any](items=rows, count=len(rows))
