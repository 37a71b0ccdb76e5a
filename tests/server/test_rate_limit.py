"""What each token may send: told with every answer, refused beyond it, and fresh with the hour."""

from __future__ import annotations

from collections.abc import Callable

import httpx
import pytest

from copydesk.cli.embedded import connect_in_process, ensure_owner
from copydesk.client.api import Api
from copydesk.client.errors import RateLimited
from copydesk.contract import operations as ops
from copydesk.contract.models.space import SpaceCreate
from copydesk.server import rate_limit
from copydesk.server.rate_limit import NO_LIMIT, RateLimit, limited
from tests.world import BASE_URL, World

HALF_PAST = 1_800_000_000.0 - 1_800_000_000 % 3600 + 1800


def clock_of(now: list[float]) -> Callable[[], float]:
    return lambda: now[0]


async def test_an_hour_has_so_many_requests_for_each_token(world: World) -> None:
    now = [HALF_PAST]
    app = limited(world.app, RateLimit(3, clock=clock_of(now)))
    transport = httpx.ASGITransport(app)
    ben = world.user("ben")
    async with httpx.AsyncClient(transport=transport, base_url=f"{BASE_URL}/v1") as client:

        async def ask(
            token: str, path: str = "/user", scheme: str = "Bearer"
        ) -> tuple[int, str, str, str]:
            bearer = {"authorization": f"{scheme} {token}"} if token else {}
            answer = await client.get(path, headers=bearer)
            told = [answer.headers[f"x-ratelimit-{name}"] for name in ("remaining", "reset")]
            assert answer.headers["x-ratelimit-limit"] == "3"
            if answer.status_code == 429:
                words = "The limit of 3 calls is reached. Try again in 1800 s."
                assert answer.json() == {"error": {"code": 429, "message": words}}
            return answer.status_code, *told, answer.headers.get("retry-after", "")

        end = str(int(HALF_PAST) + 1800)
        ana = world.token(world.ana)
        assert await ask(ana) == (200, "2", end, "")
        assert await ask(ana, "/nowhere") == (404, "1", end, "")
        assert await ask(ana, scheme="bearer") == (200, "0", end, "")
        assert await ask(ana, scheme="BEARER") == (429, "0", end, "1800")
        assert await ask(world.token(ben)) == (200, "2", end, "")
        for left in "210":  # who sends no token, or an invented one, has a limit as well
            assert await ask("") == (401, left, end, "")
        assert (await ask(""))[0] == 429
        assert await ask("invented") == (401, "2", end, "")
        now[0] += 1799.5
        assert (await client.get("/user")).headers["retry-after"] == "1"
        now[0] += 0.5
        assert await ask(ana) == (200, "2", str(int(end) + 3600), "")


async def test_a_request_that_is_refused_by_the_limit_changes_nothing(world: World) -> None:
    transport = httpx.ASGITransport(limited(world.app, RateLimit(1)))
    async with Api(BASE_URL, world.token(world.ana), transport=transport) as api:
        await api(ops.create_space, world.home, SpaceCreate(title="One"))
        with pytest.raises(RateLimited) as caught:
            await api(ops.create_space, world.home, SpaceCreate(title="Two"))
        assert caught.value.retry_at is not None
        assert api.budget.limit == 1
        assert api.budget.remaining == 0
    assert world.store.read(lambda tx: tx.value("SELECT count(*) FROM space")) == 1


async def test_the_desk_in_process_says_that_there_is_no_limit(world: World) -> None:
    assert world.home
    world.write(ensure_owner)
    async with connect_in_process(world.store) as api:
        for _ in range(3):
            await api(ops.get_current_user)
        assert (api.budget.limit, api.budget.remaining) == (NO_LIMIT, NO_LIMIT)


def test_invented_tokens_take_no_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rate_limit, "MOST_TOKENS", 10)
    limit = RateLimit(5)
    for caller in range(100):
        assert limit.take(caller)[1] == 0
    assert len(limit._sent) == 10
