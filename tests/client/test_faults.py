"""Every way a request can fail, over transports that fail on purpose."""

import asyncio
import contextlib
import copy
import gzip
import pickle
import subprocess
import sys
import traceback
import tracemalloc
from collections.abc import AsyncIterator, Callable, Iterator
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import httpx
import pytest
import stamina
from hypothesis import given
from hypothesis import strategies as st

from copydesk.client import calls, errors, over_http, wire
from copydesk.client.api import Api
from copydesk.client.calls import USUAL_LIMIT, USUAL_SECONDS, Budget, Secret, retry_time
from copydesk.client.carrier import Timeouts
from copydesk.client.errors import (
    ApiError,
    Blocked,
    Conflict,
    Forbidden,
    Garbled,
    Intercepted,
    Invalid,
    NotFound,
    RateLimited,
    Refused,
    ServerFault,
    Unauthorized,
    Unreachable,
)
from copydesk.client.wire import CONCURRENCY, Queue
from copydesk.contract import operations as ops
from copydesk.contract.models import base
from copydesk.contract.models.base import Body, Resource
from copydesk.contract.operation import Operation
from copydesk.domain.address import service_url
from copydesk.domain.request_context import ASKER, Asker, Why

TOKEN = "cd_secret_0123456789"
NOW = 1_800_000_000.0


class Tin(Resource):
    id: str


class TinCreate(Body):
    label: str


def _get_tin(tin_id: str) -> Tin:
    """Get a tin."""
    raise NotImplementedError


def _create_tin(body: TinCreate) -> Tin:
    """Make a tin."""
    raise NotImplementedError


def _delete_tin(tin_id: str) -> None:
    """Throw a tin away."""


get_tin = Operation(_get_tin, "GET", "/tins/{tin_id}", 200, None)
create_tin = Operation(_create_tin, "POST", "/tins", 201, None)
put_new_tin = Operation(_create_tin, "PUT", "/tins", 201, None)
delete_tin = Operation(_delete_tin, "DELETE", "/tins/{tin_id}", 205, None)

TIN = {"object": "tin", "id": "t"}

Answer = httpx.Response | Exception


class Faulty:
    """Answers with the given answers in turn, and then with the last one for ever."""

    def __init__(self, *answers: Answer | Callable[[], Answer]) -> None:
        self.answers = list(answers)
        self.requests: list[httpx.Request] = []

    def __call__(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if callable(answer):
            answer = answer()
        if isinstance(answer, Exception):
            raise answer
        return answer


def error(status: int, message: object = "no", **headers: str) -> Callable[[], httpx.Response]:
    return lambda: httpx.Response(
        status,
        json={"error": {"code": status, "message": message}},
        headers={name.replace("_", "-"): value for name, value in headers.items()},
    )


def tin() -> httpx.Response:
    return httpx.Response(200, json=TIN)


@contextlib.asynccontextmanager
async def service(faulty: Faulty, token: str = TOKEN) -> AsyncIterator[Api]:
    async with Api(
        "https://tins.example",
        token,
        transport=httpx.MockTransport(faulty),
        clock=lambda: NOW,
    ) as api:
        yield api


@pytest.fixture(autouse=True)
def _no_pauses() -> Iterator[None]:
    with stamina.set_testing(True, attempts=99, cap=True):
        yield


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (400, Invalid),
        (401, Unauthorized),
        (403, Forbidden),
        (404, NotFound),
        (409, Conflict),
        (412, Blocked),
        (402, Refused),
        (408, ApiError),
        (413, Invalid),
        (418, Refused),
        (422, Invalid),
        (425, ApiError),
        (429, RateLimited),
        (500, ServerFault),
        (505, ServerFault),
        (599, ServerFault),
    ],
)
async def test_a_status_is_its_kind_of_error(status: int, kind: type[ApiError]) -> None:
    async with service(Faulty(error(status, "Because."))) as api:
        with pytest.raises(kind) as caught:
            await api(create_tin, TinCreate(label="a"))
    assert type(caught.value) is kind
    assert (caught.value.status, caught.value.message) == (status, "Because.")
    assert caught.value.sent is (status >= 500)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"<html>",
        b"[]",
        b'{"error": "x"}',
        b'{"error": {"message": 5}}',
        b"\xff",
        b"[" * 60_000,
    ],
)
async def test_an_error_without_the_error_body_still_says_what_happened(content: bytes) -> None:
    async with service(Faulty(lambda: httpx.Response(403, content=content))) as api:
        with pytest.raises(Forbidden, match="The service answered 403 Forbidden"):
            await api(get_tin, "t")


async def test_messages_of_strangers_are_cleaned_and_bounded() -> None:
    hostile = "\x1b]0;owned\x07\x1b[2Jgone\u202e" + "x" * 100_000
    async with service(Faulty(error(400, hostile))) as api:
        with pytest.raises(Invalid) as caught:
            await api(get_tin, "t")
    assert caught.value.message.startswith("gonexxx")
    assert len(caught.value.message) == errors.MESSAGE_LIMIT


@pytest.mark.parametrize("status", [502, 503, 504])
async def test_reads_are_sent_again_when_a_gateway_fails(status: int) -> None:
    # When a budget starts again says nothing of a gateway.
    failing = error(status, x_ratelimit_reset=str(int(NOW) + 3600))
    faulty = Faulty(failing, failing, tin)
    async with service(faulty) as api:
        assert (await api(get_tin, "t")).id == "t"
    assert len(faulty.requests) == 3


async def test_sending_again_has_an_end() -> None:
    faulty = Faulty(error(503))
    async with service(faulty) as api:
        with pytest.raises(ServerFault):
            await api(get_tin, "t")
    assert len(faulty.requests) == wire.ATTEMPTS


@pytest.mark.parametrize("status", [400, 403, 404, 409, 412, 500, 505])
async def test_other_refusals_are_not_sent_again(status: int) -> None:
    faulty = Faulty(error(status, retry_after="7"))
    async with service(faulty) as api:
        with pytest.raises(ApiError) as caught:
            await api(get_tin, "t")
    assert len(faulty.requests) == 1
    assert caught.value.retry_at == datetime.fromtimestamp(NOW + 7, UTC)


@pytest.mark.parametrize(
    "fault",
    [
        error(503),
        error(429, retry_after="0"),
        httpx.ConnectError("refused"),
        httpx.ReadError("reset"),
        httpx.ReadTimeout("slow"),
    ],
)
@pytest.mark.parametrize("create", [create_tin, put_new_tin], ids=["POST", "PUT"])
async def test_what_makes_a_new_thing_is_never_sent_again(
    create: Operation[[TinCreate], Tin], fault: Answer | Callable[[], Answer]
) -> None:
    faulty = Faulty(fault, tin)
    async with service(faulty) as api:
        with pytest.raises(ApiError):
            await api(create, TinCreate(label="a"))
    assert len(faulty.requests) == 1


@pytest.mark.parametrize(
    ("fault", "sent", "words"),
    [
        (httpx.ConnectError("refused"), False, "cannot be reached: refused"),
        (httpx.ConnectTimeout(""), False, "did not answer within 5 s"),
        (httpx.ProxyError("403"), False, "cannot be reached"),
        (httpx.ReadTimeout(""), True, "did not answer within 30 s"),
        (httpx.WriteError(""), True, "broke: no reason given"),
        (httpx.RemoteProtocolError("cut"), True, "broke: cut"),
    ],
)
async def test_no_answer_says_whether_a_write_may_have_arrived(
    fault: Exception, sent: bool, words: str
) -> None:
    async with service(Faulty(fault)) as api:
        with pytest.raises(Unreachable, match=words) as caught:
            await api(create_tin, TinCreate(label="a"))
    assert caught.value.sent is sent
    assert caught.value.status is None


async def test_a_delete_that_may_have_arrived_once_stays_so() -> None:
    faulty = Faulty(httpx.ReadError("reset"), httpx.ConnectError("refused"))
    async with service(faulty) as api:
        with pytest.raises(Unreachable) as caught:
            await api(delete_tin, "t")
    assert caught.value.sent
    assert len(faulty.requests) == wire.ATTEMPTS


async def test_a_broken_connection_is_tried_again_but_a_slow_answer_is_not() -> None:
    broken = Faulty(httpx.ConnectError("refused"), httpx.ReadError("reset"), tin)
    async with service(broken) as api:
        await api(get_tin, "t")
    assert len(broken.requests) == 3
    slow = Faulty(httpx.ReadTimeout("slow"), tin)
    async with service(slow) as api:
        with pytest.raises(Unreachable):
            await api(get_tin, "t")
    assert len(slow.requests) == 1


async def test_a_short_rate_limit_is_waited_for() -> None:
    faulty = Faulty(error(429, retry_after="2"), tin)
    async with service(faulty) as api:
        assert (await api(get_tin, "t")).id == "t"


async def test_a_long_rate_limit_is_told_at_once() -> None:
    ahead = 86_400  # the service tells times by its own clock
    refused = error(
        429,
        x_ratelimit_reset=str(int(NOW) + 3600 + ahead),
        x_ratelimit_limit="100",
        date=format_datetime(datetime.fromtimestamp(NOW + ahead, UTC), usegmt=True),
    )
    faulty = Faulty(refused, tin)
    async with service(faulty) as api:
        with pytest.raises(RateLimited) as caught:
            await api(get_tin, "t")
        assert caught.value.retry_at == datetime.fromtimestamp(NOW + 3600, UTC)
        assert len(faulty.requests) == 1
        seen = api.budget
        assert seen == Budget(100, 0, caught.value.retry_at, told=True)
        # Once it starts again, or the service answers all the same, there is all of it.
        assert seen.by(caught.value.retry_at) == Budget(100, 100, told=True)
        assert seen.by(caught.value.retry_at - timedelta(seconds=1)) == seen
        await api(get_tin, "t")
        assert api.budget == Budget(100, 100, told=True)


async def test_reads_that_would_be_refused_are_not_sent() -> None:
    refused = error(429, x_ratelimit_reset=str(int(NOW) + 3600), x_ratelimit_limit="100")
    faulty = Faulty(refused)

    async def answer(request: httpx.Request) -> httpx.Response:
        await asyncio.sleep(0)  # as over a network: others are asked for meanwhile
        return faulty(request)

    transport = httpx.MockTransport(answer)
    async with Api("https://tins.example", TOKEN, transport=transport, clock=lambda: NOW) as api:
        many = [api(get_tin, f"t{number}") for number in range(5 * CONCURRENCY)]
        found = await asyncio.gather(*many, return_exceptions=True)
        assert {type(each) for each in found} == {RateLimited}
        sent = len(faulty.requests)
        assert sent <= CONCURRENCY, "those that waited behind a refused one are refused here"
        asked = ASKER.set(Asker("changes", Why.VISIBLE))
        try:
            with pytest.raises(RateLimited) as caught:
                await api(get_tin, "t")
        finally:
            ASKER.reset(asked)
        assert caught.value.retry_at == datetime.fromtimestamp(NOW + 3600, UTC)
        assert len(faulty.requests) == sent, "no one asked for it, and nothing is left"
        with pytest.raises(RateLimited):
            await api(get_tin, "t")
        assert len(faulty.requests) == sent + 1, "what someone asks for always goes through"


async def test_a_rate_limit_without_a_time_is_told_at_once() -> None:
    faulty = Faulty(error(429), tin)
    async with service(faulty) as api:
        with pytest.raises(RateLimited) as caught:
            await api(get_tin, "t")
    assert caught.value.retry_at is None


async def test_the_budget_follows_the_headers() -> None:
    def told(remaining: str) -> httpx.Response:
        headers = {"X-RateLimit-Limit": "100", "X-RateLimit-Remaining": remaining}
        return httpx.Response(200, json=TIN, headers=headers)

    faulty = Faulty(*(told(text) for text in ("25", "nonsense", "24", "24")))
    async with service(faulty) as api:
        seen = []
        for _ in range(4):
            await api(get_tin, "t")
            seen.append(api.budget.remaining)
        assert api.budget.share == 0.24
    assert seen == [25, 25, 24, 24]


async def test_what_is_sent_is_counted_where_the_service_says_nothing() -> None:
    faulty = Faulty(tin, tin, error(404), error(429), tin)
    async with service(faulty) as api:
        assert api.budget == Budget()
        await api(get_tin, "t")
        end = datetime.fromtimestamp(NOW + USUAL_SECONDS, UTC)
        assert api.budget == Budget(remaining=USUAL_LIMIT - 1, reset=end)
        await api(get_tin, "t")
        with pytest.raises(NotFound):
            await api(get_tin, "t")
        assert api.budget.remaining == USUAL_LIMIT - 3
        assert not api.budget.told
        assert api.budget.by(end) == Budget()
        with pytest.raises(RateLimited):
            await api(get_tin, "t")
        assert api.budget.share == 0.0
        await api(get_tin, "t")
        assert api.budget.share == 1.0


def test_a_budget_that_is_counted_here_does_not_begin_again_when_it_is_used_up() -> None:
    budget = Budget(limit=3, remaining=3)
    for _ in range(5):
        budget = budget.after(200, {}, NOW)
    assert budget.remaining == 1


async def test_the_most_urgent_of_those_that_wait_goes_first() -> None:
    queue, went = Queue(3), list[str]()

    async def send(name: str, why: Why) -> None:
        await queue.enter(why)
        went.append(name)

    async with asyncio.TaskGroup() as group:
        for name, why in (
            ("poll", Why.POLLING), ("poll again", Why.POLLING), ("next", Why.AHEAD),
            ("shown", Why.VISIBLE), ("asked", Why.KEY), ("written", Why.OUTBOX),
            ("asked again", Why.KEY),
        ):  # fmt: skip
            group.create_task(send(name, why))
        dropped = group.create_task(send("dropped", Why.KEY))
        await asyncio.sleep(0)
        # Two connections are left alone by what nobody asked for and nobody sees.
        assert went == ["poll", "shown", "asked"]
        dropped.cancel()
        for following in ("asked again", "written"):
            queue.leave()
            await asyncio.sleep(0)
            assert went[-1] == following
        queue.leave()
        queue.leave()
        await asyncio.sleep(0)
        assert len(went) == 5
        for following in ("next", "poll again"):
            queue.leave()
            await asyncio.sleep(0)
            assert went[-1] == following


async def test_who_gives_up_in_its_turn_gives_the_place_back() -> None:
    queue = Queue(1)
    await queue.enter(Why.KEY)
    waiting = asyncio.create_task(queue.enter(Why.KEY))
    await asyncio.sleep(0)
    queue.leave()
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    await asyncio.wait_for(queue.enter(Why.KEY), 1)


@pytest.mark.parametrize("status", [301, 302, 307, 308, 304])
async def test_a_redirect_is_not_followed(status: int) -> None:
    faulty = Faulty(
        lambda: httpx.Response(status, headers={"Location": f"https://evil.example/?t={TOKEN}"})
    )
    async with service(faulty) as api:
        with pytest.raises(Intercepted, match=r"https://evil\.example/") as caught:
            await api(get_tin, "t")
    assert [request.url.host for request in faulty.requests] == ["tins.example"]
    assert TOKEN not in str(caught.value)


@pytest.mark.parametrize(
    ("status", "words"), [(407, "A proxy wants a name"), (511, "wants a login"), (304, "304 Not")]
)
async def test_what_answers_on_the_way_is_no_answer_of_the_service(status: int, words: str) -> None:
    told = Faulty(httpx.Response(status, content=b"<html>Log in</html>"), error(404))
    async with service(told) as api:
        with pytest.raises(Intercepted, match=words) as caught:
            await api(delete_tin, "t")
        assert (caught.value.sent, api.answers) == (False, 0)
        with pytest.raises(NotFound):
            await api(delete_tin, "t")
        assert api.answers == 1


@pytest.mark.parametrize(
    ("content", "words"),
    [(b"", "it is empty"), (b" <!doctype html>\n", "it is a web page. A proxy, or a login")],
)
async def test_an_answer_that_is_none_of_this_api_is_told_in_words(
    content: bytes, words: str
) -> None:
    async with service(Faulty(lambda: httpx.Response(200, content=content))) as api:
        with pytest.raises(Garbled, match=f"The answer to _get_tin is not understood: {words}"):
            await api(get_tin, "t")


@pytest.mark.parametrize(
    ("content", "field"),
    [
        (b"null", ""),
        (b'{"object": "tin", "id": [', ""),
        (b'{"object": "tin", "id": 5}', "id"),
        (b"\xff\xfe", ""),
    ],
)
async def test_an_answer_that_is_not_understood_names_operation_and_field(
    content: bytes, field: str
) -> None:
    async with service(Faulty(lambda: httpx.Response(200, content=content))) as api:
        with pytest.raises(Garbled, match="The answer to _get_tin is not understood") as caught:
            await api(get_tin, "t")
    assert (caught.value.field, caught.value.operation) == (field, "_get_tin")


async def test_what_has_no_result_is_not_answered_with_a_page() -> None:
    def answered(status: int, content: bytes = b"") -> httpx.Response:
        return httpx.Response(status, content=content)

    told = Faulty(
        answered(205), answered(204), answered(200), answered(200, b'{"deleted": true}'),
        answered(200, b"\n"), answered(202, b"null"), answered(200, b"<html>Log in</html>"),
    )  # fmt: skip
    async with service(told) as api:
        for _ in range(6):
            await api(delete_tin, "t")
        with pytest.raises(Garbled, match="it is a web page") as caught:
            await api(delete_tin, "t")
    assert caught.value.sent
    assert len(told.requests) == 7  # once each


async def test_a_wrongly_compressed_answer_is_garbled() -> None:
    async def cut() -> AsyncIterator[bytes]:
        yield b"not gzip at all"

    answer = httpx.Response(200, headers={"Content-Encoding": "gzip"}, content=cut())
    async with service(Faulty(answer)) as api:
        with pytest.raises(Garbled, match="compression"):
            await api(get_tin, "t")


async def test_an_answer_without_end_is_cut_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(over_http, "ANSWER_LIMIT", 2**20)
    bomb = gzip.compress(b" " * 2**24)
    answer = httpx.Response(200, headers={"Content-Encoding": "gzip"}, content=_whole(bomb))
    async with service(Faulty(answer)) as api:
        with pytest.raises(Garbled, match="larger than 1 MiB"):
            await api(get_tin, "t")


@pytest.mark.parametrize(("times", "said"), [(1, "larger than 1 MiB"), (2, "compression")])
async def test_no_more_is_unpacked_than_an_answer_may_have(
    monkeypatch: pytest.MonkeyPatch, times: int, said: str
) -> None:
    monkeypatch.setattr(over_http, "ANSWER_LIMIT", 2**20)
    bomb = b" " * 2**25
    for _ in range(times):
        bomb = gzip.compress(bomb)
    answer = httpx.Response(
        200, headers={"Content-Encoding": ", ".join(["gzip"] * times)}, content=_whole(bomb)
    )
    tracemalloc.start()
    try:
        async with service(Faulty(answer)) as api:
            with pytest.raises(Garbled, match=said):
                await api(get_tin, "t")
        assert tracemalloc.get_traced_memory()[1] < 2**24
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("item", [b"{}", b"1", b'{"label": "' + b"a" * 20 + b'"}'])
async def test_an_answer_of_very_many_parts_is_left_before_it_is_read(
    monkeypatch: pytest.MonkeyPatch, item: bytes
) -> None:
    monkeypatch.setattr(over_http, "MOST_PARTS", 80_000)
    many = b'{"items": [' + b",".join([item] * 100_000) + b"]}"
    async with service(Faulty(httpx.Response(200, content=many))) as api:
        with pytest.raises(Garbled, match="has 99,999 parts"):
            await api(get_tin, "t")


async def test_the_commas_of_a_text_are_no_parts() -> None:
    text = r"0,\"," * 60_000
    content = b'{"object": "tin", "id": "t", "label": "' + text.encode() + b'"}'
    async with service(Faulty(httpx.Response(200, content=content))) as api:
        assert (await api(get_tin, "t")).id == "t"


async def _whole(content: bytes) -> AsyncIterator[bytes]:
    yield content


async def test_the_token_is_nowhere_but_in_the_header() -> None:
    faulty = Faulty(error(401, f"bad token {TOKEN}"), httpx.ConnectError(f"x {TOKEN}"))
    async with service(faulty) as api:
        for _ in range(2):
            with pytest.raises(ApiError) as caught:
                await api(create_tin, TinCreate(label="a"))
            shown = "".join(traceback.format_exception_only(caught.value)) + repr(caught.value)
            assert TOKEN not in shown
        assert TOKEN not in repr(api) + repr(vars(api))
    assert faulty.requests[0].headers["Authorization"] == f"Bearer {TOKEN}"


@pytest.mark.parametrize("token", [TOKEN, "cd_" + "long" * 40])
async def test_no_part_of_the_token_is_left_where_a_text_is_cut(token: str) -> None:
    told = error(401, f"{token}\x1b[31m " * 200, X_Request_Id=f"r-{token}")
    async with service(Faulty(told), token=token) as api:
        with pytest.raises(ApiError) as caught:
            await api(get_tin, "t")
    assert token[:6] not in repr(caught.value) + caught.value.request_id


def test_a_secret_shows_itself_to_nobody_else() -> None:
    secret = Secret(f"  {TOKEN}\n")
    assert secret.reveal() == TOKEN
    assert TOKEN not in f"{secret} {secret!r}"
    with pytest.raises(TypeError):
        pickle.dumps(secret)
    with pytest.raises(TypeError):
        copy.copy(secret)


@pytest.mark.parametrize("bad", ["", "  ", "two words", "tok\u00e9n", "tok\x1ben", "tok\nen"])
def test_a_token_that_no_header_carries_is_refused_without_repeating_it(bad: str) -> None:
    with pytest.raises(ValueError, match="token") as caught:
        Secret(bad)
    assert not bad.strip() or bad not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "url"),
    [
        ("https://api.example.com", "https://api.example.com"),
        (" https://api.example.com/v1/ ", "https://api.example.com"),
        ("http://localhost:8080/", "http://localhost:8080"),
        ("https://example.com/docs/v1", "https://example.com/docs"),
        ("HTTPS://API.Example.com/v1", "https://api.example.com"),
        ("http://[::1]:8484/", "http://[::1]:8484"),
        ("https://bücher.example", "https://xn--bcher-kva.example"),
    ],
)
def test_a_base_url_is_taken_with_or_without_its_prefix(text: str, url: str) -> None:
    assert service_url(text) == url


@pytest.mark.parametrize(
    "text",
    [
        "",
        "api.example.com",
        "ftp://x",
        "https://",
        "https://a:b@x",
        "https://x/?a=b",
        "https://x#y",
        "http://[",
        "http://x:port",
        "http://x:99999",
        "https://@x",
        "https://a..b",
        "\x1b",
    ],
)
def test_what_is_no_base_url_is_refused_with_a_sentence(text: str) -> None:
    with pytest.raises(ValueError, match="base URL"):
        service_url(text)


async def test_time_outs_can_be_longer_for_one_call() -> None:
    faulty = Faulty(tin)
    async with service(faulty) as api:
        await api.within(Timeouts(read=120))(get_tin, "t")
        await api(get_tin, "t")
    reads = [request.extensions["timeout"]["read"] for request in faulty.requests]
    assert reads == [120, 30]


async def test_a_shared_read_that_fails_fails_for_all() -> None:
    faulty = Faulty(error(404))
    async with service(faulty) as api:
        ends = await asyncio.gather(*(api(get_tin, "t") for _ in range(3)), return_exceptions=True)
    assert [type(end) for end in ends] == [NotFound] * 3
    assert len(faulty.requests) == 1


@given(st.dictionaries(st.sampled_from(["retry-after", "x-ratelimit-reset"]), st.text(max_size=30)))
def test_no_header_breaks_the_reading_of_retry_times(headers: dict[str, str]) -> None:
    found = retry_time(headers, NOW)
    assert found is None or found.tzinfo is UTC or "retry-after" in headers
    Budget().after(429, headers, NOW)


def test_retry_after_may_be_a_date() -> None:
    moment = datetime(2027, 1, 1, tzinfo=UTC)
    headers = {"retry-after": format_datetime(moment), "x-ratelimit-reset": "5"}
    assert retry_time(headers, NOW) == moment
    assert retry_time(
        {"retry-after": "7", "x-ratelimit-reset": "5"}, NOW
    ) == datetime.fromtimestamp(NOW + 7, UTC)
    assert retry_time(
        {"retry-after": "soon", "x-ratelimit-reset": "5"}, NOW
    ) == datetime.fromtimestamp(5, UTC)


def test_errors_need_no_http_library() -> None:
    heavy = "{'httpx', 'pydantic', 'textual'}"
    code = f"import sys, copydesk.client.errors; print({heavy} & set(sys.modules))"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert shown.stdout.strip() == "set()"


def test_an_answer_with_very_many_faults_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (base, calls):
        monkeypatch.setattr(module, "MOST_FAULTS", 5)
    ops.list_space_change_requests.load()
    few, many = (calls.Answer(200, b'{"items": [%b]}' % b",".join([b"1"] * n)) for n in (5, 6))
    page, left_out = calls.read_answer(ops.list_space_change_requests, few)
    assert (page.items, len(left_out)) == ([], 5)
    with pytest.raises(Garbled, match="6 parts of it do not fit"):
        calls.read_answer(ops.list_space_change_requests, many)
