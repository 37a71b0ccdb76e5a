"""A small world to review in: a request that adds, edits, moves, renames and removes pages."""

from __future__ import annotations

import asyncio

import httpx

from copydesk.client.api import Api
from copydesk.domain.blocks import anchor_of_quote
from copydesk.local.drafts import DeskDrafts
from copydesk.local.state import State
from copydesk.server import threads
from copydesk.server.desk_writes import Editor
from copydesk.session.session import Session
from copydesk.session.target import Target
from copydesk.tui.app import CopydeskApp
from tests.world import BASE_URL, World

EXTENSIONS = ("/user", "/changes", "/reviews", "/requested-reviewers")
"""How the paths of extensions end that a review uses."""

RETRIES = """# Retries

Deliveries are retried when your endpoint fails.

We retry five times over one hour.

Each attempt waits longer than the last. The first wait is ten seconds, the second a minute.

| Field | Type | Meaning |
|---|---|---|
| attempt | int | 1 to 5 |

A delivery that never succeeds is dropped. Nothing tells you that it was.

## Order

Events of one object may arrive out of order. Compare their times.

See the old guide for the reasons.
"""

RETRIES_NOW = """# Retries

Deliveries are retried when your endpoint fails.

We retry eight times over 24 hours.

Each attempt waits longer than the last. The first wait is ten seconds, the second a minute.

After the last attempt the event goes to the dead letter queue.

| Field | Type | Meaning |
|---|---|---|
| attempt | int | 1 to 8 |

A delivery that never succeeds is dropped. Nothing tells you that it was.

## Order

Events of one object may arrive out of order. Compare their times.

See Event delivery for the reasons.
"""

PAGES = {
    "overview": "# Overview\n\nWebhooks tell your server what happened.\n",
    "webhooks": "# Webhooks\n\nWhat they are.\n",
    "webhooks/retries": RETRIES,
    "webhooks/signatures": "# Signatures\n\nUse the SHA-1 header.\n",
    "events": "# Events\n\nWhat can happen.\n",
    "events/catalogue": "# Catalogue\n\nEvery event.\n",
    "old-guide": "# Old guide\n\nDo not read this.\nIt is old.\n",
}


class Faults(httpx.AsyncBaseTransport):
    """A desk that lacks the extensions, or that refuses to write while ``refusing`` is set.

    While ``gone`` is set it cannot be reached; requests of the method ``slow`` wait for ``let``.
    """

    def __init__(self, world: World, *, bare: bool = False) -> None:
        self._desk = httpx.ASGITransport(world.app, raise_app_exceptions=False)
        self._bare = bare
        self.refusing = False
        self.gone = False
        self.slow = ""
        self.let = asyncio.Event()

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        if request.method == self.slow and not self.gone:
            await self.let.wait()
        if self.gone:
            raise httpx.ConnectError("No route to the desk.", request=request)
        path = request.url.path
        if self._bare and (path.endswith(EXTENSIONS) or "/revisions/" in path):
            return httpx.Response(404, text="Not found")
        if self.refusing and request.method != "GET":
            body = {"error": {"code": 503, "message": "Down for a moment."}}
            return httpx.Response(503, json=body)
        return await self._desk.handle_async_request(request)


class ReviewWorld:
    """A world with one open change request, by Lee, and threads on it."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.lee = world.user("lee", display_name="Lee Park")
        self.space = world.space("API reference", PAGES)
        self.request = world.change_request(
            self.space, edit=self._edit, subject="Webhook retries and dead letters", by=self.lee
        )

    def _edit(self, editor: Editor) -> None:
        editor.write(editor.find("webhooks/retries"), RETRIES_NOW)
        signatures = editor.find("webhooks/signatures")
        editor.write(signatures, "# Signatures\n\nUse the SHA-256 header.\n")
        editor.page(
            "Dead letters", "# Dead letters\n\nWhere events go.\n", parent=editor.find("webhooks")
        )
        editor.move(editor.find("events/catalogue"), editor.find("webhooks"))
        editor.rename(editor.find("overview"), "Start here", "start-here")
        editor.remove(editor.find("old-guide"))

    def page(self, path: str) -> str:
        """Return the id of a page of the request, by its path there."""
        return self.world.page_id(self.space, path, change_request=self.request)

    async def text_of(self, path: str) -> str:
        """Return the text of a page of the request, as the service has it."""
        async with self.world.client() as client:
            at = f"/spaces/{self.space}/change-requests/{self.request}/content/page"
            found = await client.get(f"{at}/{self.page(path)}", params={"format": "markdown"})
            return str(found.json()["markdown"])

    def thread(self, quote: str, text: str, *, by: str | None = None) -> str:
        """Start a thread on a line of the page Retries; the line need not be there any more."""
        lines = RETRIES_NOW if quote in RETRIES_NOW else quote
        return self.world.comment(
            self.space,
            text,
            by=by,
            change_request=self.request,
            page=self.page("webhooks/retries"),
            node=anchor_of_quote(lines, quote),
        )

    def app(
        self,
        user: str | None = None,
        *,
        faults: Faults | None = None,
        drafts: DeskDrafts | None = None,
        **target: str,
    ) -> CopydeskApp:
        """Return the app on this review, for Ana unless another is named."""
        world = self.world

        async def connect() -> Api:
            if faults is None:
                return world.api(user)
            return Api(BASE_URL, world.token(user or world.ana), transport=faults)

        session = Session(
            connect, clock=lambda: world.clock.now, draft_store=drafts or DeskDrafts(State())
        )
        aim = Target(space=self.space, change_request=self.request, **target)
        return CopydeskApp(session, "review", aim)

    def open_threads(self) -> int:
        """Return how many threads are open on the desk."""
        return int(self.world.row("change_request", self.request)["comments"])


def furnish(review: ReviewWorld) -> dict[str, str]:
    """Put threads on the review: two on lines, one on text that is gone, one on the whole."""
    world = review.world
    found = {
        "hours": review.thread("24 hours", "Is it 24 hours from the **first** attempt?"),
        "guide": review.thread("Event delivery", "Link it, please.", by=review.lee),
        "gone": review.thread("A line that was there once.", "This reads oddly.", by=review.lee),
        "whole": world.comment(review.space, "Good work!", change_request=review.request),
    }
    world.reply(found["hours"], "From the first. I will say so.", by=review.lee)
    world.reply(found["hours"], "Thanks.")
    world.write(lambda tx: threads.react(tx, found["hours"], review.lee, "👍"))
    return found
