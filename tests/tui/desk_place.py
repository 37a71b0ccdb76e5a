"""A place made for the tests of the framework: it shows rows of a list, and acts on them."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from time import time
from typing import Any, NoReturn, cast

from textual.app import ComposeResult

from copydesk.client.calls import Budget
from copydesk.client.errors import OperationMissing
from copydesk.client.routes import Routes
from copydesk.domain.reversal import Reversal, Step
from copydesk.session.session import Session
from copydesk.tui.app import CopydeskApp
from copydesk.tui.dialogs.dialog import Confirm, TypeToConfirm
from copydesk.tui.framework.actions import action, command
from copydesk.tui.framework.navigation import Jump, place
from copydesk.tui.framework.paged_source import PagedSource
from copydesk.tui.framework.place import Part, Place, View
from copydesk.tui.framework.source import ListSource
from copydesk.tui.widgets.list import Column, VirtualList

NOON = datetime(2026, 3, 2, 12, 0, tzinfo=UTC)


@dataclass(frozen=True)
class Request:
    id: str
    subject: str
    by: str


REQUESTS = [
    Request("121", "Rate limit page rewrite", "priya"),
    Request("118", "Fix auth code samples", "jonas"),
    Request("114", "Webhook retries and dead letters", "lee"),
    Request("113", 'Rename "team" to "group"', "ana"),
]


class Service:
    """What the test place reads and writes: enough of a client for it."""

    caches = False
    answers = 0
    skew = timedelta()
    budget = Budget()

    def __init__(self, rows: list[Request]) -> None:
        self.rows = rows
        self.merged: list[str] = []
        self.failure: Exception | None = None
        self.gate: asyncio.Event | None = None
        self.slow: asyncio.Event | None = None
        self.asked: list[str | None] = []
        self.routes = Routes(self, time, lambda known: None, described=False)

    async def __call__(self, operation: object) -> NoReturn:
        """Tell nobody who they are: the service has no such operation."""
        raise OperationMissing("There is no such operation.", status=404)

    async def page(
        self, token: str | None, limit: int
    ) -> tuple[list[Request], str | None, int | None]:
        self.asked.append(token)
        if self.gate is not None:
            await self.gate.wait()
        if self.failure is not None:
            raise self.failure
        start = int(token or 0)
        end = start + limit
        return self.rows[start:end], str(end) if end < len(self.rows) else None, len(self.rows)

    async def merge(self, number: str) -> str:
        if self.failure is not None:
            raise self.failure
        self.merged.append(number)
        return f"rev-{number}"

    async def unmerge(self, number: str) -> None:
        self.merged.remove(number)


def nothing_selected(desk: DeskPlace) -> str | None:
    return None if desk.rows.selected else "Select a request first."


def not_allowed(desk: DeskPlace) -> str | None:
    return "You may not approve here."


@place("desk-requests", key="1", title="Requests", jumps=(Jump("2", "desk-mine", "Mine", "mine"),))
class DeskPlace(Place, scope="desk"):
    """Requests on the left, the one under the cursor on the right."""

    def panes(self) -> ComposeResult:
        service = cast("DeskApp", self.app).service
        self.rows: VirtualList[Request] = VirtualList(
            PagedSource(service.page, key=lambda row: row.id, limit=50),
            [
                Column("number", "#", lambda row: row.id, width=5),
                Column("subject", "SUBJECT", lambda row: row.subject, flex=1),
                Column("by", "BY", lambda row: row.by, width=8, drop=1),
            ],
            title="Requests",
            empty="Nothing waits on you.",
            id="rows",
        )
        self.detail: VirtualList[Request] = VirtualList(
            ListSource(key=lambda row: row.id),
            [Column("subject", "SUBJECT", lambda row: row.subject, flex=1)],
            title="Detail",
            id="detail",
        )
        yield Part("main", self.rows)
        yield Part("side", self.detail)

    def opened(self) -> None:
        self.set_views([View("all", "All", len(REQUESTS)), View("mine", "Mine")], self.view or None)

    def reload(self) -> None:
        self.reads.load("rows", self._refresh, lambda _: None, what="Reading requests")

    async def _refresh(self, api: Any) -> None:
        source = self.rows.source.base
        assert isinstance(source, PagedSource)
        await source.refresh()

    def url(self) -> str | None:
        row = self.rows.selected
        return f"https://desk.test/{row.id}" if row else None

    def on_virtual_list_highlighted(self, event: VirtualList.Highlighted) -> None:
        if event.list is self.rows:
            source = self.detail.source.base
            assert isinstance(source, ListSource)
            source.set([event.row] if event.row else [])
            self.refresh_frame()

    def on_virtual_list_opened(self, event: VirtualList.Opened) -> None:
        self.say(f"opened {event.id}")

    @action("m", "merge", unless=nothing_selected, danger=2, uses="merge_change_request")
    async def merge(self) -> None:
        """Merge the change request under the cursor."""
        row = self.rows.selected
        assert row is not None
        sheet = Confirm(f"Merge #{row.id}", [row.subject, "1 page"], verb="merge")
        if await self.app.push_screen_wait(sheet):
            service = cast("DeskApp", self.app).service
            await self.writer.perform(
                "Merge",
                f"#{row.id}",
                lambda api: service.merge(row.id),
                reversal=Reversal((Step("local.unmerge", {"number": row.id}),)),
            )

    @action("D", "delete", unless=nothing_selected, danger=3)
    async def delete(self) -> None:
        """Delete for real, after typing its number."""
        row = self.rows.selected
        assert row is not None
        if (slow := cast("DeskApp", self.app).service.slow) is not None:
            await slow.wait()
        sheet = TypeToConfirm(f"Delete #{row.id}", [row.subject], expect=row.id, verb="delete")
        self.say("deleted" if await self.app.push_screen_wait(sheet) else "kept")

    @action("a", "approve", unless=not_allowed)
    def approve(self) -> None:
        """Approve the change request."""
        raise AssertionError("never allowed")

    @action("z R", "expand all", show=False)
    def expand_all(self) -> None:
        """Unfold everything."""
        self.say("unfolded all")

    @command("pick", "NUMBER", complete=lambda desk: [row.id for row in REQUESTS])
    def pick(self, rest: str) -> None:
        """Put the cursor on a request."""
        if not self.rows.select(rest):
            self.say(f"There is no request {rest}.", "warn")


class DeskApp(CopydeskApp):
    """The app on the test place."""

    def __init__(self, rows: list[Request] | None = None, **options: Any) -> None:
        self.service = Service(REQUESTS if rows is None else rows)

        async def connect() -> Any:
            return self.service

        async def nobody(session: Session, api: Any) -> None:
            session.organization, session.organization_title = "acme", "acme-docs"

        session = Session(connect, identify=nobody, clock=lambda: NOON)
        session.local_steps["unmerge"] = self.service.unmerge
        super().__init__(session, "desk-requests", **options)
