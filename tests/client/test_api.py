"""The request path against a small real ASGI application: arguments, answers, sharing, paging."""

import asyncio
import json
import re
from collections.abc import AsyncIterator
from typing import Annotated, Literal
from urllib.parse import parse_qsl, unquote

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import Field
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from copydesk.client.api import MOST_POLLED, Api
from copydesk.client.calls import LONGEST_NAME, SentRequest, outgoing, raw, with_short_names
from copydesk.client.errors import Garbled, NotFound
from copydesk.contract.models.base import Body, Limit, Page, Resource
from copydesk.contract.operation import Operation
from copydesk.domain.request_context import ASKER, MISREAD, Asker, Misread, Why, whole_answers


class Tin(Resource):
    id: str
    size_in_ml: int


class TinUpdate(Body):
    nullable = ("label",)

    size_in_ml: int | None = None
    label: Annotated[str | None, Field(max_length=5)] = None


def _get_tin(tin_id: str) -> Tin:
    """Get a tin."""
    raise NotImplementedError


def _list_tins(
    shelf_id: str,
    *,
    page: str | None = None,
    limit: Limit = 50,
    with_labels: bool | None = None,
    colours: list[str] | None = None,
    order: Literal["asc", "desc"] = "desc",
) -> Page[Tin]:
    """List tins."""
    raise NotImplementedError


def _update_tin(tin_id: str, body: TinUpdate) -> Tin:
    """Change a tin."""
    raise NotImplementedError


def _delete_tin(tin_id: str) -> None:
    """Throw a tin away."""


# Made by hand: the catalogue is for the API alone.
get_tin = Operation(_get_tin, "GET", "/tins/{tin_id}", 200, None)
list_tins = Operation(_list_tins, "GET", "/shelves/{shelf_id}/tins", 200, None)
update_tin = Operation(_update_tin, "PATCH", "/tins/{tin_id}", 200, None)
delete_tin = Operation(_delete_tin, "DELETE", "/tins/{tin_id}", 205, None)


class Shelf:
    """A service with tins, and what it was asked."""

    def __init__(self, tins: int = 7) -> None:
        self.tins = {f"tin-{number}": number for number in range(tins)}
        self.asked: list[str] = []
        self.authorizations: set[str | None] = set()
        self.gate = asyncio.Event()
        self.gate.set()
        self.waiting = 0
        self.app = Starlette(
            routes=[
                Route("/v1/tins/{tin_id}", self.tin, methods=["GET", "PATCH", "DELETE"]),
                Route("/v1/shelves/{shelf_id}/tins", self.list),
            ]
        )

    async def tin(self, request: Request) -> Response:
        self.asked.append(f"{request.method} {request.url.path}")
        self.authorizations.add(request.headers.get("authorization"))
        self.waiting += 1
        try:
            await self.gate.wait()
        finally:
            self.waiting -= 1
        tin_id = request.path_params["tin_id"]
        if tin_id not in self.tins:
            error = {"code": 404, "message": f"No tin {tin_id}."}
            return JSONResponse({"error": error}, 404, headers={"X-Request-Id": "r-1"})
        if request.method == "DELETE":
            del self.tins[tin_id]
            return Response(status_code=205)
        if request.method == "PATCH":
            self.tins[tin_id] = (await request.json())["sizeInMl"]
        return JSONResponse(self.shown(tin_id))

    async def list(self, request: Request) -> Response:
        self.asked.append(str(request.url.query))
        names = list(self.tins)
        start = int(request.query_params.get("page", 0))
        limit = int(request.query_params.get("limit", 50))
        answer: dict[str, object] = {
            "items": [self.shown(name) for name in names[start : start + limit]]
        }
        if start + limit < len(names):
            answer["next"] = {"page": str(start + limit)}
        return JSONResponse(answer)

    def shown(self, name: str) -> dict[str, object]:
        return {"object": "tin", "id": name, "sizeInMl": self.tins[name], "new": "field"}


class Elsewhere(httpx.AsyncBaseTransport):
    """The way to a service that is not in this process."""

    def __init__(self, shelf: Shelf) -> None:
        self._service = httpx.ASGITransport(shelf.app)

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        return await self._service.handle_async_request(request)


@pytest.fixture
def shelf() -> Shelf:
    return Shelf()


@pytest.fixture
async def api(shelf: Shelf) -> AsyncIterator[Api]:
    async with Api("https://tins.example/v1/", "tok", transport=Elsewhere(shelf)) as api:
        yield api


async def test_a_call_returns_the_typed_result_and_carries_the_token(
    api: Api, shelf: Shelf
) -> None:
    tin = await api(get_tin, "tin-3")
    assert tin == Tin(object="tin", id="tin-3", size_in_ml=3)
    assert shelf.authorizations == {"Bearer tok"}


async def test_a_write_sends_only_what_was_set(api: Api, shelf: Shelf) -> None:
    assert (await api(update_tin, "tin-1", TinUpdate(size_in_ml=330))).size_in_ml == 330
    assert shelf.tins["tin-1"] == 330
    assert outgoing(update_tin, "t", TinUpdate(label=None)).body == b'{"label":null}'


async def test_no_body_is_no_result(api: Api, shelf: Shelf) -> None:
    await api(delete_tin, "tin-1")
    assert "tin-1" not in shelf.tins


async def test_a_missing_thing_raises_with_the_services_words(api: Api) -> None:
    with pytest.raises(NotFound) as caught:
        await api(get_tin, "gone")
    error = caught.value
    assert (error.message, error.status, error.operation, error.request_id) == (
        "No tin gone.",
        404,
        "_get_tin",
        "r-1",
    )


async def test_pages_are_asked_for_lazily_and_keep_the_other_parameters(
    api: Api, shelf: Shelf
) -> None:
    tins = api.pages(list_tins, "s", limit=3, with_labels=False)
    first = [(await anext(tins)).id for _ in range(3)]
    assert first == ["tin-0", "tin-1", "tin-2"]
    assert shelf.asked == ["limit=3&withLabels=false"]
    assert [tin.id async for tin in tins] == ["tin-3", "tin-4", "tin-5", "tin-6"]
    assert shelf.asked[1:] == [
        "page=3&limit=3&withLabels=false",
        "page=6&limit=3&withLabels=false",
    ]


async def test_one_page_tells_where_the_next_one_is(api: Api) -> None:
    found = await api.page(list_tins, "s", limit=5)
    assert found.next is not None
    rest = await api.page(list_tins, "s", limit=5, page=found.next.page)
    assert (len(found.items), len(rest.items), rest.next) == (5, 2, None)


async def test_identical_reads_in_flight_are_one(api: Api, shelf: Shelf) -> None:
    one, two, other = await asyncio.gather(
        api(get_tin, "tin-1"), api(get_tin, "tin-1"), api(get_tin, "tin-2")
    )
    assert one is two
    assert other.id == "tin-2"
    assert len(shelf.asked) == 2


async def test_who_shares_a_read_is_told_what_of_it_was_not_understood() -> None:
    asked: list[httpx.Request] = []

    def answer(request: httpx.Request) -> httpx.Response:
        asked.append(request)
        return httpx.Response(200, json={"items": [{"id": 7}]})

    tins = Api("http://tins", transport=httpx.MockTransport(answer))

    async def told() -> list[object]:
        misread = Misread()
        MISREAD.set(misread)
        await tins.page(list_tins, "s")
        return list(misread.items)

    async def whole() -> None:
        with whole_answers(), pytest.raises(Garbled, match="items"):
            await tins.page(list_tins, "s")

    async with tins:
        one, two, _ = await asyncio.gather(told(), told(), whole())
    assert one == two == [{"id": 7}]
    assert len(asked) == 2


async def _until_waiting(shelf: Shelf, count: int) -> None:
    async with asyncio.timeout(5):
        while shelf.waiting != count:  # noqa: ASYNC110 - the application has no event to wait for
            await asyncio.sleep(0)


async def test_cancelling_one_reader_leaves_the_read_to_the_others(api: Api, shelf: Shelf) -> None:
    shelf.gate.clear()
    impatient = asyncio.create_task(api(get_tin, "tin-1"))
    patient = asyncio.create_task(api(get_tin, "tin-1"))
    await _until_waiting(shelf, 1)
    impatient.cancel()
    with pytest.raises(asyncio.CancelledError):
        await impatient
    shelf.gate.set()
    assert (await patient).id == "tin-1"
    assert len(shelf.asked) == 1


async def test_cancelling_the_last_reader_ends_the_read(api: Api, shelf: Shelf) -> None:
    shelf.gate.clear()
    readers = [asyncio.create_task(api(get_tin, "tin-1")) for _ in range(3)]
    await _until_waiting(shelf, 1)
    for reader in readers:
        reader.cancel()
    await _until_waiting(shelf, 0)
    assert all(
        isinstance(end, asyncio.CancelledError)
        for end in await asyncio.gather(*readers, return_exceptions=True)
    )
    shelf.gate.set()
    assert (await api(get_tin, "tin-1")).id == "tin-1"


async def test_closing_ends_reads_under_way(shelf: Shelf) -> None:
    shelf.gate.clear()
    api = Api("https://tins.example", transport=Elsewhere(shelf))
    reader = asyncio.create_task(api(get_tin, "tin-1"))
    await _until_waiting(shelf, 1)
    await api.aclose()
    with pytest.raises(asyncio.CancelledError):
        await reader


async def test_a_read_after_a_write_does_not_share_a_read_from_before(
    api: Api, shelf: Shelf
) -> None:
    shelf.gate.clear()
    early = asyncio.create_task(api(get_tin, "tin-1"))
    await _until_waiting(shelf, 1)
    write = asyncio.create_task(api(update_tin, "tin-1", TinUpdate(size_in_ml=5)))
    await _until_waiting(shelf, 2)
    late = asyncio.create_task(api(get_tin, "tin-1"))
    await _until_waiting(shelf, 3)
    shelf.gate.set()
    await asyncio.gather(early, write, late)
    assert len(shelf.asked) == 3


async def test_a_poll_that_brings_the_same_again_is_not_read_again(api: Api, shelf: Shelf) -> None:
    async def polled(tin_id: str) -> Tin:
        ASKER.set(Asker("changes", Why.POLLING))
        return await api(get_tin, tin_id)

    first, again = [await asyncio.create_task(polled("tin-0")) for _ in range(2)]
    assert again is first
    shelf.tins["tin-0"] = 90
    changed = await asyncio.create_task(polled("tin-0"))
    assert changed.size_in_ml == 90
    assert await api(get_tin, "tin-0") is not changed, "what was asked for may be kept for long"
    for number in range(MOST_POLLED):
        shelf.tins[f"more-{number}"] = number
        await asyncio.create_task(polled(f"more-{number}"))
    assert await asyncio.create_task(polled("tin-0")) is not changed, "only the last are kept"


async def test_at_most_eight_requests_are_on_the_wire(api: Api, shelf: Shelf) -> None:
    shelf.gate.clear()
    shelf.tins = {str(number): number for number in range(30)}
    readers = [asyncio.create_task(api(get_tin, str(number))) for number in range(30)]
    await _until_waiting(shelf, 8)
    for _ in range(50):
        await asyncio.sleep(0)
    assert shelf.waiting == 8
    shelf.gate.set()
    assert [(await reader).size_in_ml for reader in readers] == list(range(30))


async def test_a_large_page_is_read_in_full(api: Api, shelf: Shelf) -> None:
    shelf.tins = {f"tin-{number}": number for number in range(2000)}
    assert [tin.size_in_ml async for tin in api.pages(list_tins, "s", limit=1000)] == list(
        range(2000)
    )


async def test_the_recorder_sees_what_was_sent(api: Api) -> None:
    sent: list[SentRequest] = []
    api.recorder = sent.append
    await api(get_tin, "tin-1")
    with pytest.raises(NotFound):
        await api(delete_tin, "gone")
    assert [(one.name, one.method, one.target, one.status) for one in sent] == [
        ("_get_tin", "GET", "/v1/tins/tin-1", 200),
        ("_delete_tin", "DELETE", "/v1/tins/gone", 404),
    ]


async def test_raw_requests_go_the_same_way(api: Api, shelf: Shelf) -> None:
    answer = await api.raw("get", "/v1/tins/tin-2", [("shareKey", "a b")])
    assert b'"tin-2"' in answer.content
    with pytest.raises(NotFound) as caught:
        await api.raw("PATCH", "/v1/tins/gone", body=b"{}")
    assert caught.value.operation == "PATCH /v1/tins/gone"
    assert shelf.authorizations == {"Bearer tok"}


@pytest.mark.parametrize(
    "path", ["v1/user", "https://evil.example/", "/v1/../x", "/a b", "/a\n", "/a#b", ""]
)
def test_a_raw_path_stays_on_the_service(path: str) -> None:
    with pytest.raises(ValueError, match="not a path"):
        raw("GET", path)


ODD = st.text(
    st.one_of(st.characters(), st.sampled_from("./\\?#%{}@: \x00\r\n\u202e\ud800")), max_size=12
)


@given(ODD, ODD)
def test_an_id_stays_in_its_place_in_the_path(one: str, other: str) -> None:
    try:
        target = outgoing(list_tins, one, page=other, colours=[other]).target
    except NotFound:
        assert one in {"", ".", ".."} or re.search("[\ud800-\udfff]", one)
        return
    path, _, query = target.partition("?")
    root, version, noun, segment, last = path.split("/")
    assert [root, version, noun, unquote(segment), last] == ["", "v1", "shelves", one, "tins"]
    assert target.isascii()
    assert target.isprintable()
    assert "#" not in target
    said = other.encode(errors="replace").decode()
    assert parse_qsl(query, keep_blank_values=True) == [("page", said), ("colours", said)]
    assert raw("GET", target).target == target


@pytest.mark.parametrize("bad", ["", ".", "..", "\ud800"])
def test_an_id_that_moves_in_the_path_is_refused(bad: str) -> None:
    with pytest.raises(NotFound, match="tin_id"):
        outgoing(get_tin, bad)


@pytest.mark.parametrize(
    ("sent", "read"),
    [
        (rb"cut \ud83d", "cut \ufffd"),
        (rb"\uDE00\ud83d\ude00\ud83d\\n", "\ufffd\U0001f600\ufffd\\n"),
        (rb"\\ud83d\\\ud83d\"\u00e9", '\\ud83d\\\ufffd"\u00e9'),
    ],
)
async def test_half_an_emoji_hides_no_list(sent: bytes, read: str) -> None:
    body = b'{"object": "tin", "id": "%s", "sizeInMl": 3}' % sent
    transport = httpx.MockTransport(lambda request: httpx.Response(200, content=body))
    async with Api("http://tins", transport=transport) as api:
        assert (await api(get_tin, "t")).id == read


def test_a_query_leaves_out_what_is_none_and_repeats_arrays() -> None:
    target = outgoing(
        list_tins, "s", with_labels=True, colours=["red", "sea & sky"], page=None, order="asc"
    ).target
    assert target == (
        "/v1/shelves/s/tins?withLabels=true&colours=red&colours=sea%20%26%20sky&order=asc"
    )


def test_arguments_that_do_not_fit_the_stub_are_refused() -> None:
    with pytest.raises(TypeError):
        outgoing(get_tin, "a", "b")
    with pytest.raises(TypeError, match="cannot stand"):
        outgoing(get_tin, object())


async def _endless(request: Request) -> Response:
    page = int(request.query_params.get("page", "0"))
    token = "0" if request.path_params["shelf_id"] == "circle" else str(page + 1)
    return JSONResponse({"items": [], "next": {"page": token}})


@pytest.mark.parametrize("shelf_id", ["circle", "void"])
async def test_a_list_without_end_is_an_error(shelf_id: str) -> None:
    app = Starlette(routes=[Route("/v1/shelves/{shelf_id}/tins", _endless)])
    async with Api("https://tins.example", transport=httpx.ASGITransport(app)) as api:
        with pytest.raises(Garbled, match="no end"):
            [tin async for tin in api.pages(list_tins, shelf_id)]


@pytest.mark.parametrize("unit", ["\u0301", "\\", '"', "\U0001f600", "\n\u202e"])
async def test_a_name_of_a_megabyte_is_cut_and_a_text_is_not(unit: str) -> None:
    long = unit * (1_000_000 // len(unit))
    said = {"object": "space", "id": "s", "title": long, "description": long, "name": 'a"'}
    for escaped in (True, False):
        body = json.dumps(said, ensure_ascii=escaped).encode()
        cut = json.loads(with_short_names(body))
        assert cut["title"].endswith("\u2026")
        assert long.startswith(cut["title"][:-1].rstrip("\ud83d"))
        assert 300 < len(cut["title"]) <= LONGEST_NAME
        assert cut | {"title": long} == said
