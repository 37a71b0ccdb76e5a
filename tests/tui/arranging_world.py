"""A site to rearrange, and a plan of six requests for it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import httpx

from copydesk.client.api import Api
from copydesk.domain.arrange_run import ArrangeRun
from copydesk.domain.order import Move
from copydesk.domain.reversal import Call, Expectation, Step
from copydesk.domain.site_inverses import row_moved, site_row_changed, space_shown
from copydesk.domain.site_tree import SiteNode
from copydesk.local.journal import Journal
from copydesk.local.runs import Arrangements
from copydesk.local.state import State
from copydesk.server import site_writes as seed
from copydesk.server.store import Store, Tx
from copydesk.session.runs.arrange import Arranger
from copydesk.session.session import Session
from tests.world import BASE_URL, World

SECTIONS = ("Guides", "API", "Legal", "Status")

PLACE = "site-structure"


class Rearranged:
    """A site of four sections in a world, and what is to become of it."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.ids: dict[str, str] = {}
        english, french = world.space("English"), world.space("French")
        self.french = french

        def write(tx: Tx) -> str:
            site = seed.add_site(tx, world.home, "Acme docs", hostname="acme.test", published=True)
            for title in SECTIONS:
                self.ids[title] = seed.add_section(tx, site, title)
                section = self.ids[title]
                self.ids[f"{title}/en"] = seed.add_site_space(tx, site, english, section=section)
            second = seed.add_site_space(tx, site, french, section=self.ids["API"])
            self.ids["API/fr"] = second
            return site

        self.site = world.write(write)

    def calls(self, *, removing: bool = False) -> list[Call]:
        """Return the plan: one more variant, hidden; a new title; two moves; a variant less."""
        where = (self.world.home, self.site)
        ids = {"organization_id": where[0], "site_id": where[1]}
        guides, api, legal, status = (self.ids[title] for title in SECTIONS)
        new = SiteNode("new:1", "site-space", "French", guides)
        section = SiteNode(status, "section", "Status")
        other = SiteNode(legal, "section", "Legal")
        body = {"spaceId": self.french, "sectionId": guides}
        hide = site_row_changed(where, new, {"hidden": False}, {"hidden": True})
        title = site_row_changed(where, section, {"title": "Status"}, {"title": "State"})
        order = [guides, api, legal, status]
        then = [guides, status, api, legal]
        last = [guides, status, legal, api]
        up = row_moved(
            where, section, Move(status, "after", guides), Move(status, "after", legal), order, then
        )
        down = row_moved(
            where, other, Move(legal, "after", status), Move(legal, "after", api), then, last
        )
        plan = [
            Call(
                "add:new:1", "Show a space", "French", "French in Guides",
                Step("add_site_space", ids, body), space_shown(where, "new:1"), "new:1",
            ),
            Call("change:new:1", "Change", "French", "French: hidden", hide.forth[0], hide),
            Call("change:s", "Change", "Status", "Status: State", title.forth[0], title),
            Call("move:s", "Move", "Status", "Status after Guides", up.forth[0], up),
            Call("move:l", "Move", "Legal", "Legal after Status", down.forth[0], down),
        ]  # fmt: skip
        if removing:
            gone = self.ids["API/fr"]
            read, path = Step("list_site_spaces", ids), f"items[id={gone}].id"
            step = Step("delete_site_space", {**ids, "site_space_id": gone})
            plan.append(
                Call(
                    "remove:fr",
                    "Remove",
                    "French",
                    "French in API goes",
                    step,
                    None,
                    arrived=Expectation(read, {path: []}),
                )
            )  # fmt: skip
        return plan

    def run(self, *, removing: bool = False) -> ArrangeRun:
        """Return the run of the plan."""
        calls = self.calls(removing=removing)
        return ArrangeRun.of(PLACE, self.site, "Acme docs", calls, organization=self.world.home)


BEFORE = "Guides[English] API[English French] Legal[English] Status[English]"
AFTER = "Guides[English (French)] State[English] Legal[English] API[English French]"
REMOVED = AFTER.replace("API[English French]", "API[English]")


def shown(store: Store, site: str) -> str:
    """Return what the site shows in order, hidden ones in brackets."""

    def look(tx: Tx) -> str:
        sections = tx.all(
            "SELECT id, title FROM site_section WHERE site_id = ? ORDER BY position", site
        )
        return " ".join(f"{row['title']}[{spaces(tx, row['id'])}]" for row in sections)

    return store.read(look)


def spaces(tx: Tx, section: str) -> str:
    """Return what a section shows in order, hidden ones in brackets."""
    rows = tx.all(
        "SELECT s.title, p.hidden FROM site_space p JOIN space s ON s.id = p.space_id "
        "WHERE p.section_id = ? ORDER BY p.position",
        section,
    )
    return " ".join(f"({row['title']})" if row["hidden"] else row["title"] for row in rows)


Trouble = Callable[[httpx.Request], httpx.Response | None]


def refusal(status: int) -> httpx.Response:
    """Return the answer of a desk that refuses a request."""
    error = {"code": status, "message": "The door is shut"}
    return httpx.Response(status, json={"error": error})


class Way(httpx.AsyncBaseTransport):
    """A way to the desk on which a write, by its number from 1, or every read meets trouble.

    "lost" loses the answer; "sunk" the request, which the program cannot tell from that; "down" the
    request; a number is the status of a refusal. Held up "before" a write arrives, or "after" it
    did, the program hears nothing more: it may end there.
    """

    def __init__(self, world: World) -> None:
        self._desk = httpx.ASGITransport(world.app, raise_app_exceptions=False)
        self.writes: list[str] = []
        self.sent: list[tuple[str, str]] = []
        """Where each write went, and its body."""
        self.queries: set[str] = set()
        """What was read: paths, with their queries."""
        self.trouble: dict[int, str | int] = {}
        self.reads: str | int = ""
        self.held_up = asyncio.Event()
        self.hold: asyncio.Event | None = None
        """Until when writes are kept waiting."""

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        if request.method == "GET" or request.url.path.endswith("/events/aggregate"):
            self.queries.add(unquote(request.url.raw_path.decode()))
            if isinstance(self.reads, int):
                return refusal(self.reads)
            if self.reads:
                raise httpx.ConnectError("No route.", request=request)
            return await self._desk.handle_async_request(request)
        self.writes.append(request.method)
        self.sent.append((request.url.path, request.content.decode()))
        if self.hold is not None:
            await self.hold.wait()
        match self.trouble.get(len(self.writes)):
            case "down":
                raise httpx.ConnectError("No route.", request=request)
            case "sunk":
                raise httpx.ReadError("Cut off.", request=request)
            case "lost":
                await self._desk.handle_async_request(request)
                raise httpx.ReadError("Cut off.", request=request)
            case "blind":
                await self._desk.handle_async_request(request)
                self.reads = "down"
                raise httpx.ReadError("Cut off.", request=request)
            case "before" | "after" as moment:
                if moment == "after":
                    await self._desk.handle_async_request(request)
                self.held_up.set()
                await asyncio.Event().wait()
            case int(status):
                return refusal(status)
        return await self._desk.handle_async_request(request)


class Desk:
    """A site to rearrange, the way to it, and the session of a program that keeps all on disk."""

    def __init__(self, world: World, folder: Path) -> None:
        self.world, self.folder = world, folder
        self.plan = Rearranged(world)
        self.way = Way(world)
        self.going: list[asyncio.Task[object]] = []
        """What programs that ended were doing."""
        self.begin()

    def begin(self) -> None:
        """Start the program, again."""
        api = Api(BASE_URL, self.world.token(self.world.ana), transport=self.way)

        async def connect() -> Api:
            return api

        self.store = State(self.folder / "state.db")
        self.session = Session(
            connect,
            arrangements=Arrangements(self.store, "desk"),
            journal=Journal(self.store, "desk"),
        )
        self.arranger: Arranger = self.session.arranging

    async def dies(self, doing: Coroutine[Any, Any, object]) -> None:
        """Let the program end where it is held up while it does something, and start another."""
        self.going.append(asyncio.create_task(doing))
        await self.way.held_up.wait()
        self.way.held_up.clear()
        self.store.close()
        self.begin()

    @property
    def shown(self) -> str:
        """What the site shows."""
        return shown(self.world.store, self.plan.site)

    async def find(self) -> ArrangeRun:
        """Return the run that is on the disk."""
        run = await self.arranger.find(PLACE, self.plan.site)
        assert run is not None
        return run


def states(run: ArrangeRun) -> str:
    return " ".join(each.state for each in run.calls)
