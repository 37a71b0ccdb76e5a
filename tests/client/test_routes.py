"""Telling a service that lacks an operation from a service that lacks the thing asked for."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping

import httpx
import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from copydesk.client.api import Api
from copydesk.client.calls import SentRequest
from copydesk.client.errors import (
    ApiError,
    NotFound,
    OperationMissing,
    RateLimited,
    ServerFault,
    Unauthorized,
)
from copydesk.client.routes import DAY
from copydesk.contract import operations as ops
from copydesk.contract.models.space import SpaceCreate, SpaceTransfer
from copydesk.contract.operation import Operation
from copydesk.domain.cached_answers import Held, Kept
from copydesk.domain.request_context import cached_reading

SITE = {"object": "site", "id": "here", "title": "Docs", "type": "basic", "visibility": "public"}
ORGANIZATION = {"object": "organization", "id": "here", "title": "Acme", "type": "business"}

Answering = Callable[[Request], Awaitable[Response]]


def envelope(status: int, message: str = "Nothing here.") -> Response:
    return JSONResponse({"error": {"code": status, "message": message}}, status)


async def _site(request: Request) -> Response:
    return JSONResponse(SITE) if request.path_params["site_id"] == "here" else envelope(404)


async def _organization(request: Request) -> Response:
    return JSONResponse(ORGANIZATION) if request.path_params["o"] == "here" else envelope(404)


async def _nothing(request: Request) -> Response:
    return envelope(404)


async def _empty(request: Request) -> Response:
    return JSONResponse({"items": []})


SITE_ROUTE = Route("/v1/orgs/{organization_id}/sites/{site_id}", _site)
ORGS = Route("/v1/orgs", _empty)
ORGANIZATION_ROUTE = Route("/v1/orgs/{o}", _organization)


def over_a_network(app: Starlette) -> httpx.AsyncBaseTransport:
    """Return a transport to an app that is a service elsewhere to the client."""
    inside = httpx.ASGITransport(app)
    return httpx.MockTransport(inside.handle_async_request)


def described(*operations: Operation[..., object]) -> Route:
    """Return the description of a service with these operations and the organizations."""
    paths: dict[str, dict[str, object]] = {}
    for each in (ops.list_organizations, *operations):
        paths.setdefault(each.wire_path, {})[each.method.lower()] = {}

    async def answer(request: Request) -> Response:
        return JSONResponse({"openapi": "3.1.0", "paths": paths})

    return Route("/v1/openapi.json", answer)


def service(
    *routes: Route,
    otherwise: Answering | None = None,
    store: Store | None = None,
    now: list[float] | None = None,
) -> tuple[Api, list[SentRequest]]:
    methods = ["GET", "POST", "DELETE"]
    rest = [] if otherwise is None else [Route("/{rest:path}", otherwise, methods=methods)]
    moment = [1_000_000.0] if now is None else now
    api = Api(
        "https://docs.example",
        transport=over_a_network(Starlette(routes=[*routes, *rest])),
        store=store,
        clock=lambda: moment[0],
    )
    sent: list[SentRequest] = []
    api.recorder = sent.append
    return api, sent


class Store:
    """The cache of a service's answers, in memory."""

    def __init__(self) -> None:
        self.kept: dict[str, Kept] = {}

    def read(self, target: str) -> Kept | None:
        return self.kept.get(target)

    def keep(self, answers: Mapping[str, Kept]) -> None:
        self.kept.update(answers)

    def forget(self) -> None:
        self.kept.clear()

    def held(self) -> Held:
        return Held("", 0, 0)

    def close(self) -> None:
        pass


def names(sent: list[SentRequest]) -> list[str]:
    """Return the operations that were sent; looking for a description is none."""
    return [each.name for each in sent if " " not in each.name]


async def test_a_router_without_the_path_lacks_the_operation() -> None:
    api, sent = service(SITE_ROUTE, ORGS)
    async with api:
        assert api.has("E4")
        with pytest.raises(OperationMissing, match=r"^This service has no reviews\.$"):
            await api(ops.list_change_request_reviews, "s", "c")
        assert not api.has("E4")
        assert not api.has(ops.create_change_request_review)
        assert api.has("E5")
        assert names(sent) == ["list_change_request_reviews", "list_organizations"]
        many = len(sent)
        with pytest.raises(OperationMissing):
            await api(ops.list_change_request_reviews, "s", "c")
        assert len(sent) == many


@pytest.mark.parametrize("status", [404, 405, 501])
async def test_what_stands_before_a_service_that_is_being_started_decides_nothing(
    status: int,
) -> None:
    async def starting(request: Request) -> Response:
        return Response("default backend", status)

    api, _ = service(otherwise=starting)
    async with api:
        for operation in (ops.list_issues_clusters, ops.list_organization_spaces):
            with pytest.raises(ApiError) as caught:
                await api(operation, "o")
            assert not isinstance(caught.value, OperationMissing)
            assert api.has(operation)


async def test_a_method_that_is_not_allowed_lacks_the_operation_only() -> None:
    reviewers = "/v1/spaces/{s}/change-requests/{c}/requested-reviewers"
    api, _ = service(Route(f"{reviewers}/{{u}}", _nothing), Route(reviewers, _nothing), ORGS)
    async with api:
        with pytest.raises(OperationMissing):
            await api(ops.remove_requested_reviewer, "s", "c", "u")
        assert not api.has(ops.remove_requested_reviewer)
        assert api.has(ops.list_requested_reviewers)
        assert api.has("E5")


@pytest.mark.parametrize("status", [405, 501])
async def test_the_service_itself_says_so(status: int) -> None:
    async def answer(request: Request) -> Response:
        return envelope(status)

    api, sent = service(otherwise=answer)
    async with api:
        with pytest.raises(OperationMissing):
            await api(ops.publish_site, "o", "here")
        assert not api.has("E9")
        assert names(sent) == ["publish_site"]


async def test_the_error_body_with_the_parent_there_lacks_the_operation() -> None:
    api, sent = service(SITE_ROUTE, ORGANIZATION_ROUTE, otherwise=_nothing)
    async with api:
        with pytest.raises(OperationMissing):
            await api(ops.publish_site, "o", "here")
        assert names(sent) == ["publish_site", "get_site"]
        assert not api.has("E9")
        # An operation of the document, which newer services have no longer.
        with pytest.raises(OperationMissing, match="This service has no clusters"):
            await api(ops.list_issues_clusters, "here")
        # One of what cannot be listed cannot be read either, also behind an id.
        with pytest.raises(OperationMissing, match="This service has no single clusters"):
            await api(ops.get_issues_cluster, "here", "c")


async def test_the_error_body_with_the_parent_gone_is_a_missing_thing() -> None:
    api, _ = service(SITE_ROUTE, otherwise=_nothing)
    async with api:
        with pytest.raises(NotFound) as caught:
            await api(ops.publish_site, "o", "gone")
        assert type(caught.value) is NotFound
        assert api.has("E9")


async def test_who_am_i_can_only_lack_as_a_whole() -> None:
    api, _ = service(otherwise=_nothing)
    async with api:
        with pytest.raises(OperationMissing):
            await api(ops.get_current_user)
        assert not api.has("E1")


async def test_where_something_else_may_be_missing_the_description_decides() -> None:
    transfer = ops.transfer_space, "s", SpaceTransfer(organization="o")
    making = ops.create_space, "o", SpaceCreate(title="T", parent="gone")
    api, sent = service(described(ops.create_space), otherwise=_nothing)
    async with api:
        with pytest.raises(OperationMissing, match="This service has no transfer of a space"):
            await api(*transfer)
        with pytest.raises(NotFound) as caught:
            await api(*making)
        assert type(caught.value) is NotFound
        assert not caught.value.lacking
        assert len([each for each in sent if "openapi" in each.name]) == 1
        assert not api.has("E5")
        assert api.has("E3")


async def test_without_a_description_nothing_is_called_removed_that_may_never_have_been() -> None:
    api, sent = service(otherwise=_nothing)
    async with api:
        for _ in range(2):
            with pytest.raises(NotFound) as caught:
                await api(ops.get_issues_cluster, "o", "c")
            assert type(caught.value) is NotFound
            assert caught.value.lacking == "single clusters"
        assert api.has("E8")
        # Two calls, and once each place where a description and a version may be.
        assert len(sent) == 5


async def test_another_api_is_no_description() -> None:
    async def other(request: Request) -> Response:
        return JSONResponse({"openapi": "3.1.0", "paths": {"/pets": {"get": {}}}})

    api, _ = service(Route("/v1/openapi.json", other), otherwise=_nothing)
    async with api:
        assert not await api.routes.describe()
        assert api.has(ops.transfer_space)


async def test_operations_that_every_service_has_are_always_asked_for() -> None:
    api, sent = service(SITE_ROUTE, described(), otherwise=_nothing)
    async with api:
        assert await api.routes.describe()
        assert api.routes.state(ops.get_site) == "gone"
        assert (await api(ops.get_site, "o", "here")).title == "Docs"
        assert api.routes.state(ops.get_site) == "there"
        with pytest.raises(OperationMissing):
            await api(ops.get_space, "s")
        assert names(sent)[-1] == "get_space"


@pytest.mark.parametrize(
    ("status", "kind"),
    [(401, Unauthorized), (403, ApiError), (429, RateLimited), (500, ServerFault)],
)
async def test_refusals_limits_and_failures_decide_nothing(
    status: int, kind: type[ApiError]
) -> None:
    async def refusing(request: Request) -> Response:
        return envelope(status)

    api, _ = service(otherwise=refusing)
    async with api:
        with pytest.raises(kind):
            await api(ops.publish_site, "o", "here")
        assert api.has("E9")
        assert api.routes.state(ops.publish_site) == "unknown"
        assert api.routes.denied == ({"publish_site"} if status == 403 else set())


async def test_what_was_found_is_kept_for_a_while_and_then_asked_again() -> None:
    store, now = Store(), [1_000_000.0]
    api, _ = service(ORGANIZATION_ROUTE, SITE_ROUTE, otherwise=_nothing, store=store, now=now)
    async with api:
        with pytest.raises(OperationMissing):
            await api(ops.list_issues_clusters, "here")
        await api(ops.get_site, "o", "here")

    clusters = Route("/v1/orgs/{o}/conversations-clusters", _empty)
    later, sent = service(ORGANIZATION_ROUTE, clusters, store=store, now=now)
    async with later:
        with pytest.raises(OperationMissing):
            await later(ops.list_issues_clusters, "here")
        assert not sent
        assert later.routes.state(ops.get_site) == "there"
        now[0] += DAY + 1
        assert later.has(ops.list_issues_clusters)
        with cached_reading(), pytest.raises(OperationMissing):
            await later(ops.list_issues_clusters, "here")
        assert not (await later(ops.list_issues_clusters, "here")).items
        assert later.routes.state(ops.list_issues_clusters) == "there"
        now[0] += 6 * DAY
        assert later.routes.state(ops.get_site) == "unknown"
        assert later.routes.state(ops.list_issues_clusters) == "there"


async def test_another_version_is_asked_anew_and_damaged_knowledge_passed_over() -> None:
    told = ["1"]

    async def information(request: Request) -> Response:
        return JSONResponse({"version": told[0], "build": "\x1b[31m"})

    about = Route("/v1/", information)
    store = Store()
    api, _ = service(about, ORGANIZATION_ROUTE, otherwise=_nothing, store=store)
    async with api:
        assert await api.routes.ask_version() == "1"
        with pytest.raises(OperationMissing):
            await api(ops.list_issues_clusters, "here")
        told[0] = "2"
        assert await api.routes.ask_version() == "2"
        assert api.has(ops.list_issues_clusters)
    for damaged in (b"", b"[]", b'{"routes": {"x": 1}}', b"[" * 100_000):
        api.routes.recall(damaged)
    api.routes.recall(json.dumps({"version": "3", "asked": 0, "routes": {}}).encode())
    assert api.routes.version == "2"


async def test_what_has_taken_the_place_is_named_where_the_service_has_it() -> None:
    findings = Route("/v1/orgs/{o}/sites/{s}/findings", _empty)
    paths: dict[str, object] = {"/orgs": {"get": {}}, "/orgs/{o}/sites/{s}/findings": {"get": {}}}

    async def answer(request: Request) -> Response:
        return JSONResponse({"openapi": "3.0.3", "paths": paths})

    api, _ = service(findings, Route("/openapi.json", answer), otherwise=_nothing)
    async with api:
        assert await api.routes.describe()
        with pytest.raises(OperationMissing, match=r"has no clusters, but findings\.$"):
            await api(ops.list_issues_clusters, "here")
