"""An hour of a reviewer's work on half of the usual budget, by a clock that the test turns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import httpx
import pytest

from copydesk.client.api import Api
from copydesk.client.calls import USUAL_LIMIT, SentRequest
from copydesk.domain.request_context import Why
from copydesk.server.app import create_app, mint_token
from copydesk.server.rate_limit import RateLimit, limited
from copydesk.server.sample import build_sample
from copydesk.server.store import Store
from copydesk.session.session import Session
from copydesk.tui.app import CopydeskApp
from tests.drive import Driver, drive
from tests.world import BASE_URL

STEP = 5
"""The seconds between two looks at what is due, the shortest time between two polls."""

ROUNDS = 12
"""Requests that are reviewed in the hour, one in five minutes."""


class Work:
    """The program on the sample desk, of a service that allows so many requests an hour."""

    def __init__(self, store: Store, limit: int) -> None:
        owner = build_sample(store)
        token = store.write(lambda tx: mint_token(tx, owner, "test"))
        self.now = datetime(2027, 3, 1, 9, 0, 0, tzinfo=UTC)
        service = limited(create_app(store), RateLimit(limit, clock=self._seconds))
        self.api = Api(BASE_URL, token, transport=httpx.ASGITransport(service), clock=self._seconds)
        self.sent: Counter[Why] = Counter()
        self.refused = 0
        self.api.recorder = self._record

        async def connect() -> Api:
            return self.api

        session = Session(connect, clock=lambda: self.now, host="desk.test")
        self.app = CopydeskApp(session, "changes")

    def _seconds(self) -> float:
        return self.now.timestamp()

    def _record(self, sent: SentRequest) -> None:
        self.sent[sent.asker.why] += 1
        self.refused += sent.status == 429

    async def wait(self, driver: Driver, seconds: int) -> None:
        """Let time pass with nobody at the keys."""
        for _ in range(0, seconds, STEP):
            self.now += timedelta(seconds=STEP)
            self.app.tick()
            if self.app.here is not None and self.app.here.reads.loads:
                await driver.idle()

    async def read(self, driver: Driver, seconds: int, key: str) -> None:
        """Let time pass with a key every ten seconds."""
        for _ in range(0, seconds, 10):
            await driver.press(key)
            await self.wait(driver, 10)


@pytest.fixture
def store() -> Iterator[Store]:
    store = Store(durable=False)
    yield store
    store.close()


@pytest.mark.long
async def test_an_hour_of_reviewing_at_half_the_budget_is_never_refused(store: Store) -> None:
    work = Work(store, USUAL_LIMIT // 2)
    end, left = work.now + timedelta(hours=1), list[float]()
    async with drive(work.app, size=(140, 40)) as driver:
        for round_ in range(ROUNDS):
            await work.read(driver, 40, "j")  # details of each
            await driver.press("enter")
            assert driver.place.PLACE == "review"
            await work.read(driver, 90, "j")
            await driver.press("c")
            await driver.type(f"Round {round_}: is this so?")
            await driver.press("ctrl+s")
            await work.wait(driver, 30)
            while driver.place.PLACE != "changes":  # q steps out of what is open on the way
                await driver.press("q")
            await driver.press("R")
            await work.wait(driver, 140)
            left.append(work.api.budget.share)
        assert work.now >= end
    assert work.refused == 0, work.sent
    assert work.sent[Why.POLLING] > ROUNDS
    assert min(left) < 0.25, "else nothing of it was put to the test"
