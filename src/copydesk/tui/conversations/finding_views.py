"""How often the pages of findings are viewed, and whether more and more people ask.

Both are columns of the list and orders. The views of a site's pages are counted once; the pages of
a finding and its questions are a request each. Those of the findings on screen are read once the
cursor stays, a few at a time and while the service has requests to spare; those of a list are read
where it is sorted by one of them, or written to a table. What was read is kept while the list is
open.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING

from rich.text import Text

from copydesk.client.errors import Forbidden, NotFound
from copydesk.domain.trend import rate
from copydesk.present.facts import Fact
from copydesk.present.finding import trend_text
from copydesk.present.traffic import per_week, short_count
from copydesk.session.reads.findings import Ids, read_pages, read_pulse
from copydesk.session.reads.traffic import USUAL, read_page_views
from copydesk.tui.conversations.finding_resources import FINDINGS, ids_of
from copydesk.tui.resource.resource import Resource, Shown
from copydesk.tui.widgets.list import rows_around

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.contract.models.finding import SiteFinding, SiteFindingPage
    from copydesk.tui.conversations.findings import FindingsPlace

AT_ONCE = 4
"""The pages of so many findings are read at the same time."""

MOST = 200
"""Of how many findings of a list more is read to sort it; the others stand last."""

ORDERS = ("views", "trend")
"""The orders that take more than the list says."""

STAY_SECONDS = 0.4
"""How long the cursor stays before the pages of the findings on screen are read."""


class FindingViews:
    """The views of findings, as far as they are known: those of the pages that each is about.

    Beside them the weeks of its questions.
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
        self.resource: Resource[SiteFinding] = FINDINGS
        """What is listed: it has a column once there is something in it."""

    def of(self, finding: SiteFinding) -> int | None:
        """Return the views of a finding in four weeks; None where they are not known."""
        if finding.id not in self._pages or not self._counted:
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
        """Have the views counted where that has failed."""
        self._failed = False

    def forget(self) -> None:
        """Drop the read views: another site is shown."""
        self._counted, self._failed = None, False
        self._pages.clear()
        self._pulses.clear()

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
        return rows_around(self._place.rows)

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
        columns: Mapping[str, Shown[SiteFinding]] = {
            "views": Shown(
                "views", "VIEWS", lambda finding, now: self._cell(finding), 5, align="right",
                detail=False, filters=False, sort=self._rank,
            ),
            "trend": Shown(
                "trend", "WEEK", lambda finding, now: self._trend(finding), 6, align="right",
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
