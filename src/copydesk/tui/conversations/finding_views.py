"""How often the pages of findings are viewed: a column of their list, an order, a detail.

The views of a site's pages are counted once, the pages of a finding are a request each. Those of
the findings on screen are read once the cursor stays, a few at a time and while the service has
requests to spare; those of a list are read where it is sorted by views. What was read is kept while
the list is open.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING

from copydesk.present.facts import Fact
from copydesk.present.traffic import per_week, short_count
from copydesk.session.reads.findings import read_pages
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
"""Of how many findings of a list the pages are read to sort it; the others stand last."""

STAY_SECONDS = 0.4
"""How long the cursor stays before the pages of the findings on screen are read."""


class FindingViews:
    """The views of findings, as far as they are known: those of the pages that each is about."""

    def __init__(self, place: FindingsPlace) -> None:
        self._place = place
        self._counted: dict[tuple[str, str], int] | None = None
        """How often each page (space, page) of the site was viewed; None: not counted yet."""
        self._failed = False
        """Whether counting failed: it is tried again with the list."""
        self._pages: dict[str, tuple[datetime | None, list[tuple[str, str]]]] = {}
        """The pages of findings, by the ids of these, and when these had last changed."""
        self.resource: Resource[SiteFinding] = FINDINGS
        """What is listed: it has the column once there is something in it."""

    def of(self, finding: SiteFinding) -> int | None:
        """Return the views of a finding in four weeks; None where they are not known."""
        if finding.id not in self._pages or not self._counted:
            return None
        return sum(self._counted.get(page, 0) for page in self._pages[finding.id][1])

    def facts(self, finding: SiteFinding) -> list[Fact]:
        """Return what is said of them among the details."""
        views = self.of(finding)
        said = short_count(per_week(views, USUAL.days)) if views else ""
        return [Fact("traffic", f"{said} views a week")] if said else []

    def learn(self, finding: SiteFinding, pages: Iterable[SiteFindingPage]) -> None:
        """Take note of the pages of a finding."""
        ids = [(each.space_id, each.page.id) for each in pages]
        self._pages[finding.id] = finding.updated_at, ids

    def try_again(self) -> None:
        """Have the views counted where that has failed."""
        self._failed = False

    def forget(self) -> None:
        """Forget what was read: another site is shown."""
        self._counted, self._failed = None, False
        self._pages.clear()

    def look(self) -> None:
        """Have the views of the findings on screen read, once the cursor stays."""
        if self._failed or self._place.target.site is None:
            return
        if self._counted is not None and not self._due(self._seen):
            return

        async def read(api: Api) -> None:
            if self._place.session.may_spend:
                await self._read(api, self._seen)

        def failed(said: str) -> None:
            self._failed = True

        self._place.reads.load(
            "views", read, lambda _: self._show(), what="Counting views", failed=failed, quiet=True,
            after=STAY_SECONDS, kept="never",
        )  # fmt: skip

    async def read_all(self, api: Api, findings: Sequence[SiteFinding]) -> None:
        """Read the views of findings that are to be sorted by them. Raises ``ApiError``."""
        known = [each for each in findings if each.id in self._pages]
        others = [each for each in findings if each.id not in self._pages]
        await self._read(api, [*known, *others[: max(0, MOST - len(self._pages))]])

    @property
    def _seen(self) -> list[SiteFinding]:
        return rows_around(self._place.rows)

    def _due(self, findings: Iterable[SiteFinding]) -> list[SiteFinding]:
        """Return those whose pages are not known as they are now, where anything was viewed."""
        if not self._counted:
            return []
        return [each for each in findings if each.pages and not self._knows(each)]

    def _knows(self, finding: SiteFinding) -> bool:
        known = self._pages.get(finding.id)
        return known is not None and known[0] == finding.updated_at

    async def _read(self, api: Api, findings: Sequence[SiteFinding]) -> None:
        ids = ids_of(self._place.target)
        if self._counted is None:
            self._counted = await read_page_views(api, ids, self._place.session.now)
        due = self._due(findings)
        for at in range(0, len(due), AT_ONCE):
            some = due[at : at + AT_ONCE]
            found = await asyncio.gather(*(read_pages(api, ids, each.id) for each in some))
            for each, pages in zip(some, found, strict=True):
                self.learn(each, pages)

    def _show(self) -> None:
        """Show what was read, with a column of its own from the first views on."""
        place = self._place
        if place.listed != "findings":
            return
        if self.resource is FINDINGS:
            if not any(map(self.of, self._seen)):
                return
            self.resource = self._with_column()
            place.row_reader.show_texts(place.resource_of(place.view))
        place.texts.forget()
        place.rows.refresh_rows()
        place.show_facts()

    def _with_column(self) -> Resource[SiteFinding]:
        views: Shown[SiteFinding] = Shown(
            "views", "VIEWS", lambda finding, now: self._cell(finding), 5, align="right",
            detail=False, filters=False, sort=self._rank,
        )  # fmt: skip
        asked = next(at for at, each in enumerate(FINDINGS.shown) if each.name == "asked") + 1
        return replace(FINDINGS, shown=(*FINDINGS.shown[:asked], views, *FINDINGS.shown[asked:]))

    def _cell(self, finding: SiteFinding) -> str:
        views = self.of(finding)
        return "" if views is None else short_count(per_week(views, USUAL.days))

    def _rank(self, finding: SiteFinding) -> int | None:
        views = self.of(finding)
        return None if views is None else -views
