"""Findings of a site, its topics, questions and records: what a support lead works through.

What strangers wrote in them is masked as in conversations, until ``V`` shows it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from rich.text import Text

from copydesk.domain.text import clean, plural, shorten, shorten_middle, shown_title
from copydesk.present import cluster
from copydesk.present import finding as present
from copydesk.present.facts import Fact
from copydesk.session.operations import ops
from copydesk.session.reads import findings as reading
from copydesk.session.reads.sites import read_only_site
from copydesk.session.target import Target
from copydesk.tui.conversations.finding_commands import FindingCommands
from copydesk.tui.conversations.finding_resources import (
    FINDING_PARTS,
    FINDINGS,
    ORDERS,
    QUESTION_PARTS,
    SITE_PARTS,
    FindingViews,
    ids_of,
    tabs,
)
from copydesk.tui.dialogs.choice import ask_for_site
from copydesk.tui.framework.actions import action, command
from copydesk.tui.framework.keyboard import run_command
from copydesk.tui.framework.navigation import place
from copydesk.tui.framework.place import View
from copydesk.tui.resource.columns import MaskCommands, columns_of
from copydesk.tui.resource.place import NAME_CELLS, REST_SECONDS, ResourcePlace
from copydesk.tui.resource.resource import Facet, Resource
from copydesk.tui.widgets.list import Marking, VirtualList

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.contract.models.base import Page
    from copydesk.contract.models.finding import SiteFindingStats
    from copydesk.contract.models.question import QuestionStats
    from copydesk.tui.resource.resource import ListQuery

WHICH = "Which site? g q or :site chooses one."
"""Stands in the list where an organization has several sites and none is chosen."""


class FindingRows(Marking, VirtualList[Any]):
    """Findings, or what else a tab lists, of which several may be marked."""


@place(
    "findings",
    key="q",
    title="Findings",
    uses=(
        "list_site_findings",
        "list_site_topics",
        "list_site_questions",
        "list_site_context_records",
        "get_site_finding_stats",
        "get_site_question_stats",
        "list_site_finding_change_requests",
        "list_site_finding_pages",
        "list_site_finding_questions",
        "list_site_finding_records",
        "list_site_question_answers",
        "list_site_question_sources",
        "list_sites",
        "get_site",
        "get_site_topic",
        "get_organization",
        "aggregate_site_events",
    ),
)
class FindingsPlace(ResourcePlace[Any], scope="findings"):
    """What is wrong with the content of a site, and who says so."""

    COLUMNS = (*columns_of(*SITE_PARTS.values()), "views", "trend")
    OF_SITE = True
    COMMAND_CLASSES = (FindingCommands, MaskCommands)
    KINDS = SITE_PARTS
    ROWS = FindingRows

    def __init__(self, target: Target) -> None:
        super().__init__(target)
        self.mask = self.commands_of(MaskCommands)
        self.title = ""
        """The title of the site, once it is known."""
        self._several = False
        """Whether the organization has several sites to choose from."""
        self._topic = ""
        self._counts: dict[str, int | None] = {}
        self._numbers: tuple[SiteFindingStats, QuestionStats] | None = None
        self._details: dict[str, reading.FindingDetails] = {}
        """What was read of findings, by their ids."""
        self._spaces: reading.SiteSpaces | None = None
        """The spaces of the site, read where not everyone may begin a change request."""

    # What the place says of itself

    def resource_of(self, view: str) -> Resource[Any]:
        kind = super().resource_of(view)
        kind = self.traffic.resource if kind is FINDINGS else kind
        return self.commands_of(MaskCommands).of(kind)

    @cached_property
    def traffic(self) -> FindingViews:
        """How often the pages of findings are viewed."""
        return FindingViews(self)

    @property
    def listed(self) -> str:
        """What is listed, by the name of its tab: of views of findings that of all."""
        return self.view if self.view in self.KINDS else "findings"

    def within(self) -> Iterable[str]:
        yield self.title or "site"
        if self.target.item is not None:
            yield self.mask.shown(self._topic) or "topic"

    def missing(self) -> str | None:
        if self.target.site is None and self._several:
            return WHICH
        return super().missing()

    def signs(self) -> Sequence[tuple[str, str]]:
        return [
            *super().signs(),
            ("ASKED", "records that tell of a finding; how often something was asked"),
            ("VIEWS", "how often the pages of a finding are viewed in a week"),
            (
                "WEEK",
                "how often it was asked about this week, against the usual",
            ),
            ("CR", "change requests that were begun for it"),
            ("ANSWERED", "how often it was answered, of the times that it was asked"),
            *((present.VIEWS[name], meant) for name, meant in present.VIEWS_MEAN.items()),
        ]

    def status_left(self) -> str:
        sifted = self.listed != "findings" or self.view in present.VIEWS
        if self._numbers is None or sifted or self.target.item:
            return super().status_left()
        findings, questions = self._numbers
        counts = findings.statuses
        told = [f"{counts.open} open", f"{counts.done} done", plural(questions.answers, "answer")]
        return f"{', '.join(told)}   {self.mask.note}"

    def named_views(self) -> Sequence[View]:
        return tabs(self._counts, self.target.item is not None)

    # The site

    async def page(
        self, api: Api, kind: Resource[Any], target: Target, asked: ListQuery
    ) -> Page[Any]:
        """Read a page of the site's list; in a topic, a page of its items."""
        await self._find_site(api, target.organization or "")
        target = target.but(site=self.target.site)
        if target.site is None:
            from copydesk.contract.models.base import Page

            return Page[Any](items=[], count=0)
        if target.item is not None:
            topic = [target.item] if self.listed == "questions" else target.item
            asked = _with(asked, {**asked.conditions, "topic": topic})
        view = self.view or "findings"
        if view in present.VIEWS:
            found = await self.traffic.monday.page(api, view, ids_of(target), asked)
        else:
            found = await super().page(api, kind, target, asked)
        if self.listed == "findings" and self.orders.at in ORDERS:
            await self.traffic.read_all(api, found.items)
        if asked.token is None and not self.limits.chosen:
            many = found.count if found.next or found.count is not None else len(found.items)
            self._counts[view] = many
            self.call_later(lambda: self.set_views(self.named_views()))
        return found

    def nothing(self) -> str:
        meant = "" if self.limits.chosen else present.VIEWS_MEAN.get(self.view, "")
        return cluster.none_in(meant, "finding") if meant else super().nothing()

    async def _find_site(self, api: Api, organization: str) -> None:
        if self.target.site is None:
            chosen = self.session.left.get(("site", organization))
            self.target = self.target.but(site=chosen if isinstance(chosen, str) else None)
        if self.target.site is None:
            only = await read_only_site(api, organization)
            self._several = only is None
            if only is not None:
                self._be_of(only.id, only.title)
            else:
                self.call_later(self._ask)
        elif not self.title:
            site = await api(ops.get_site, organization, self.target.site)
            self._be_of(site.id, site.title)
        if self.target.item is not None and not self._topic:
            topic = await api(ops.get_site_topic, *ids_of(self.target), self.target.item)
            self._topic = clean(topic.label)

    def _be_of(self, site: str, title: str) -> None:
        self.target = self.target.but(organization=self.organization, site=site)
        self.title = shown_title(title)

    def _ask(self) -> None:
        if self.target.site is None and self._several and self.desk.here is self:
            self.rows.empty = WHICH
            self.rows.refresh_rows()
            self.call_later(run_command, self, self.LINE_COMMANDS["site"], "")

    def gone_to(self) -> None:
        """Ask for the site again where none was chosen."""
        self._ask()

    @command("site", uses="list_sites")
    async def choose_site(self, rest: str = "") -> None:
        """Choose the site whose findings are shown."""
        organization = self.organization
        if organization is None:
            self.say(self.missing() or "", "warn")
            return
        chosen = await ask_for_site(self, organization)
        if chosen is not None:
            self._be_of(chosen.id, chosen.title)
            self.session.left["site", organization] = chosen.id
            self._counts.clear()
            self._numbers = self._spaces = None
            self.traffic.forget()
            self.target = self.target.but(item=None)
            self.set_views(self.named_views())
            self.ask_anew()
            self.read_again()

    # Reading

    def begins_nothing(self) -> str | None:
        """Say why the reader is known to be able to begin no change request here."""
        if self._spaces is None or self._spaces.may_begin:
            return None
        return f"That takes the role edit in a space of {shorten(self.title or 'the site', 40)}."

    def _rights_known(self) -> None:
        super()._rights_known()
        self._read_spaces()

    def _read_spaces(self) -> None:
        """Read where the reader may edit, if not as somebody who creates content may."""
        target = self.target
        if target.site is None or self._spaces or not self.rights.lacks("create_content"):
            return

        def arrived(found: reading.SiteSpaces) -> None:
            self._spaces = found
            self.refresh_frame()

        self.reads.load(
            "spaces", lambda api: reading.read_site_spaces(api, ids_of(target)), arrived,
            what="Reading spaces", quiet=True, kept="never",
        )  # fmt: skip

    def came(self) -> None:
        super().came()
        self._read_spaces()
        if self.target.site is not None and self._numbers is None and self.target.item is None:
            ids = ids_of(self.target)
            self.reads.load(
                "numbers", lambda api: reading.read_numbers(api, ids), self._counted,
                what="Counting", quiet=True,
            )  # fmt: skip

    def _counted(self, numbers: tuple[SiteFindingStats, QuestionStats]) -> None:
        self._numbers = numbers
        self._counts |= {"findings": numbers[0].total, "questions": numbers[1].total}
        self.set_views(self.named_views())

    def reload(self) -> None:
        """Read the list and the details of findings again."""
        self._details.clear()
        self._numbers = None
        self.traffic.try_again()
        super().reload()

    def show_item(self) -> None:
        """Show the details of the item; of a finding also its requests, pages and questions."""
        self.show_facts()
        item = self.item
        if item is None or self.listed != "findings":
            return
        self.traffic.look()
        if item.id in self._details:
            return
        ids = ids_of(self.target)

        def arrived(found: reading.FindingDetails) -> None:
            self._details[item.id] = found
            self.traffic.learn(item, found.pages, found.pulse)
            self.show_facts()

        self.reads.load(
            "details", lambda api: reading.read_finding(api, ids, item.id), arrived,
            what="Reading what tells of it", of=item.id, after=REST_SECONDS, kept="away",
        )  # fmt: skip

    def show_facts(self) -> None:
        """Show the facts of the item under the cursor."""
        super().show_item()

    def facts_of(self, item: Any) -> list[Fact]:
        facts = super().facts_of(item)
        if self.listed == "findings":
            facts += self.traffic.facts(item)
            facts += present.finding_facts(
                self._details.get(item.id), self.session.now, self.mask.shown
            )
        return facts

    # Going on

    def open_item(self, item: Any) -> None:
        """Go to the screen of a finding, a topic or a question; to the details of a record."""
        target = self.target.but(view=None, item=item.id)
        if self.listed == "findings":
            # Nobody asks for a broken link: it has pages only.
            first = "pages" if item.pages and not item.questions else None
            self.desk.go_soon("finding", target.but(view=first))
        elif self.listed == "topics":
            self.desk.go_soon("findings", target)
        elif self.listed == "questions":
            self.desk.go_soon("question", target)
        else:
            open_record(self, item.id, item.type)

    @action("l", "open", word="right", show=False, group="Move", also=("right",))
    def go_right(self) -> None:
        """Go on to the questions and records of a finding, or to what a topic or question has."""
        if self.item is not None:
            self.open_item(self.item)


def _with(asked: ListQuery, conditions: Mapping[str, Any]) -> ListQuery:
    from dataclasses import replace

    return replace(asked, conditions=conditions)


def open_record(place: ResourcePlace[Any], conversation: str, kind: str = "ticket") -> None:
    """Go to the conversation that a record or an answer is; without one to the details."""
    lacking = place.session.without(["get_conversation"])
    if conversation and kind == "ticket" and lacking is None:
        target = Target(organization=place.organization, item=conversation)
        place.desk.go_soon("conversations", target)
        return
    ResourcePlace.open_item(place, None)
    if kind == "ticket" and lacking is not None:
        place.say(lacking)


@place(
    "finding",
    title="Finding",
    uses=(
        "list_site_finding_questions",
        "list_site_finding_records",
        "list_site_finding_pages",
        "list_site_finding_change_requests",
        "list_site_spaces",
        "get_site_finding",
        "list_site_question_answers",
        "list_site_question_sources",
    ),
)
class FindingPlace(ResourcePlace[Any], scope="finding"):
    """The questions, records, pages and change requests of one finding."""

    NO_ITEM = "No finding is chosen. Open one from a list: g q goes there."
    COMMAND_CLASSES = (MaskCommands,)
    KINDS = FINDING_PARTS

    def __init__(self, target: Target) -> None:
        super().__init__(target)
        self.mask = self.commands_of(MaskCommands)
        self._finding = ""
        self._spaces: reading.SiteSpaces | None = None
        """The spaces of the site, for its change requests."""

    def resource_of(self, view: str) -> Resource[Any]:
        return self.commands_of(MaskCommands).of(super().resource_of(view))

    def within(self) -> Iterable[str]:
        yield shorten_middle(self.mask.shown(self._finding), NAME_CELLS) or "finding"

    async def page(
        self, api: Api, kind: Resource[Any], target: Target, asked: ListQuery
    ) -> Page[Any]:
        """Read a page of the list; change requests with the titles of their spaces."""
        found = await super().page(api, kind, target, asked)
        if self.view == "requests" and self._spaces is None and found.items:
            self._spaces = await reading.read_site_spaces(api, ids_of(target))
        return found

    def text_of(self, shown: Facet[Any], item: Any) -> str | Text | None:
        if shown.name == "space" and self._spaces is not None:
            return self._spaces.named([item.space])
        return super().text_of(shown, item)

    def reload(self) -> None:
        """Read the list again, and the finding for its title."""
        super().reload()
        ids, item = ids_of(self.target), self.target.item or ""

        def arrived(title: str) -> None:
            self._finding = clean(title)
            self.refresh_frame()

        async def read(api: Api) -> str:
            return (await api(ops.get_site_finding, *ids, item)).title

        self.reads.load("finding", read, arrived, what="Reading the finding", quiet=True)

    def open_item(self, item: Any) -> None:
        """Go to the question, the page or the change request; to the details of a record."""
        home = self.organization
        if self.view == "questions":
            self.desk.go_soon("question", self.target.but(view=None, item=item.id))
        elif self.view == "pages":
            target = Target(organization=home, space=item.space_id, page=item.page.id)
            self.desk.go_soon("pages", target)
        elif self.view == "requests":
            target = Target(organization=home, space=item.space, change_request=item.id)
            self.desk.go_soon("review", target)
        else:
            open_record(self, item.id, item.type)


@place(
    "question",
    title="Question",
    uses=(
        "list_site_question_answers",
        "list_site_question_sources",
        "get_site_question",
        "get_site_question_answer_thread",
        "list_site_question_answer_sources",
    ),
)
class QuestionPlace(ResourcePlace[Any], scope="question"):
    """How a question was answered each time, and what the answers were made from."""

    NO_ITEM = "No question is chosen. Open one from a list: g q goes there."
    COMMAND_CLASSES = (MaskCommands,)
    KINDS = QUESTION_PARTS

    def __init__(self, target: Target) -> None:
        super().__init__(target)
        self.mask = self.commands_of(MaskCommands)
        self._question = ""
        self._answers: dict[str, reading.AnswerDetails] = {}
        """What was read of answers, by their ids."""

    def resource_of(self, view: str) -> Resource[Any]:
        return self.commands_of(MaskCommands).of(super().resource_of(view))

    def within(self) -> Iterable[str]:
        yield self.mask.shown(self._question) or "question"

    def reload(self) -> None:
        """Read the list again, and the question for its words."""
        super().reload()
        ids, item = ids_of(self.target), self.target.item or ""

        def arrived(said: str) -> None:
            self._question = clean(said)
            self.refresh_frame()

        async def read(api: Api) -> str:
            return (await api(ops.get_site_question, *ids, item)).question

        self.reads.load("question", read, arrived, what="Reading the question", quiet=True)

    def show_item(self) -> None:
        """Show the details of the item, and the words of an answer."""
        super().show_item()
        item = self.item
        if item is None or self.view == "sources" or item.id in self._answers:
            return
        ids = ids_of(self.target)

        def arrived(found: reading.AnswerDetails) -> None:
            self._answers[item.id] = found
            super(QuestionPlace, self).show_item()

        self.reads.load(
            "answer", lambda api: reading.read_answer(api, ids, item.id), arrived,
            what="Reading the answer", of=item.id, after=REST_SECONDS, kept="away",
        )  # fmt: skip

    def open_item(self, item: Any) -> None:
        """Go to the conversation that an answer is part of; to the page or record of a source."""
        if self.view != "sources":
            read = self._answers.get(item.id)
            records = [each.record for each in read.sources if each.record] if read else []
            thread = [] if item.thread is None else [item.thread.id]
            open_record(self, next(iter([*thread, *records]), ""))
        elif item.type == "page" and item.space and item.page:
            target = Target(organization=self.organization, space=item.space, page=item.page)
            self.desk.go_soon("pages", target)
        else:
            open_record(self, item.record or "")

    def facts_of(self, item: Any) -> list[Fact]:
        facts = super().facts_of(item)
        if self.view != "sources":
            found = self._answers.get(item.id)
            facts += present.answer_facts(found, self.session.now, self.mask.shown)
        return facts
