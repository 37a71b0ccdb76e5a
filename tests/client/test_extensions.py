"""Telling a service that lacks an extension from a service that lacks the thing asked for."""

from collections.abc import Awaitable, Callable

import httpx
import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from copydesk.client.api import Api
from copydesk.client.errors import ExtensionMissing, NotFound, ServerFault
from copydesk.client.wire import Sent
from copydesk.contract import operations as ops
from copydesk.contract.models.space import SpaceCreate

SITE = {"object": "site", "id": "here", "title": "Docs", "type": "basic", "visibility": "public"}


def envelope(status: int) -> Response:
    return JSONResponse({"error": {"code": status, "message": "Nothing here."}}, status)


async def _site(request: Request) -> Response:
    return JSONResponse(SITE) if request.path_params["site_id"] == "here" else envelope(404)


async def _known(request: Request) -> Response:
    return envelope(404)


async def _unknown_with_envelope(request: Request) -> Response:
    return envelope(404)


def service(
    *routes: Route, otherwise: Callable[[Request], Awaitable[Response]] | None = None
) -> tuple[Api, list[Sent]]:
    catch_all = (
        []
        if otherwise is None
        else [Route("/{rest:path}", otherwise, methods=["GET", "POST", "DELETE"])]
    )
    app = Starlette(routes=[*routes, *catch_all])
    api = Api("https://docs.example", transport=httpx.ASGITransport(app))
    sent: list[Sent] = []
    api.recorder = sent.append
    return api, sent


SITE_ROUTE = Route("/v1/orgs/{organization_id}/sites/{site_id}", _site)


async def test_a_router_without_the_path_lacks_the_extension() -> None:
    api, sent = service(SITE_ROUTE)
    async with api:
        assert api.has("E4")
        with pytest.raises(
            ExtensionMissing, match=r"does not offer list_change_request_reviews \(E4\)"
        ):
            await api(ops.list_change_request_reviews, "s", "c")
        assert not api.has("E4")
        assert not api.has(ops.create_change_request_review)
        assert api.has("E5")
        assert len(sent) == 1
        with pytest.raises(ExtensionMissing):
            await api(ops.list_change_request_reviews, "s", "c")
        assert len(sent) == 1


async def test_a_method_that_is_not_allowed_lacks_the_operation_only() -> None:
    reviewers = "/v1/spaces/{s}/change-requests/{c}/requested-reviewers"
    api, _ = service(Route(f"{reviewers}/{{u}}", _known), Route(reviewers, _known))
    async with api:
        with pytest.raises(ExtensionMissing):
            await api(ops.remove_requested_reviewer, "s", "c", "u")
        assert not api.has(ops.remove_requested_reviewer)
        assert api.has(ops.list_requested_reviewers)
        assert api.has("E5")


async def test_the_error_body_with_the_parent_there_lacks_the_extension() -> None:
    api, sent = service(SITE_ROUTE, otherwise=_unknown_with_envelope)
    async with api:
        with pytest.raises(ExtensionMissing):
            await api(ops.publish_site, "o", "here")
        assert [one.name for one in sent] == ["publish_site", "get_site"]
        assert not api.has("E9")


async def test_the_error_body_with_the_parent_gone_is_a_missing_thing() -> None:
    api, _ = service(SITE_ROUTE, otherwise=_unknown_with_envelope)
    async with api:
        with pytest.raises(NotFound) as caught:
            await api(ops.publish_site, "o", "gone")
        assert type(caught.value) is NotFound
        assert api.has("E9")


async def test_who_am_i_can_only_lack_as_a_whole() -> None:
    api, _ = service(otherwise=_unknown_with_envelope)
    async with api:
        with pytest.raises(ExtensionMissing):
            await api(ops.get_current_user)
        assert not api.has("E1")


async def test_where_something_else_may_be_missing_the_thing_is() -> None:
    api, sent = service(otherwise=_unknown_with_envelope)
    async with api:
        for call in (
            api(ops.get_issues_cluster, "o", "c"),
            api(ops.create_space, "o", SpaceCreate(title="T", parent="gone")),
        ):
            with pytest.raises(NotFound) as caught:
                await call
            assert type(caught.value) is NotFound
        assert len(sent) == 2
        assert api.has("E3")
        assert api.has("E8")


async def test_published_operations_are_never_lacking() -> None:
    api, _ = service(SITE_ROUTE)
    async with api:
        with pytest.raises(NotFound) as caught:
            await api(ops.get_space, "s")
        assert type(caught.value) is NotFound
        assert api.has(ops.get_space)


async def test_a_service_that_fails_lacks_nothing() -> None:
    async def failing(request: Request) -> Response:
        return envelope(501)

    api, _ = service(otherwise=failing)
    async with api:
        with pytest.raises(ServerFault):
            await api(ops.publish_site, "o", "here")
        assert api.has("E9")
