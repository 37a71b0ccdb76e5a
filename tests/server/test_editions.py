"""Desks that have the operations of other services, and what `doctor` says of them."""

from __future__ import annotations

import json

import httpx
import pytest

from copydesk import __version__
from copydesk.cli.doctor_operations import operations
from copydesk.client.errors import NotFound, OperationMissing
from copydesk.contract import operations as ops
from copydesk.contract.models.space import SpaceTransfer
from copydesk.contract.operation import PREFIX
from copydesk.contract.operations import CATALOGUE
from copydesk.server.editions import OWN, Edition, operations_of
from copydesk.server.extra_routes import DESCRIPTION
from tests.world import BASE_URL, World

COUNTS: list[tuple[Edition, int]] = [("earlier", 143), ("today", 130), ("document", 143)]
"""How many operations of the document each has."""


@pytest.mark.parametrize(("edition", "many"), COUNTS)
async def test_what_is_left_out_has_no_route_and_is_not_described(
    edition: Edition, many: int
) -> None:
    world = World(edition=edition)
    kept = {each.name for each in operations_of(edition)}
    documented = [name for name in kept if CATALOGUE[name].extension is None]
    assert len(documented) == many
    transport = httpx.ASGITransport(world.app)
    headers = {"Authorization": f"Bearer {world.token(world.ana)}"}
    async with httpx.AsyncClient(transport=transport, base_url=BASE_URL, headers=headers) as client:
        for each in CATALOGUE.values():
            path = each.path.replace("{", "").replace("}", "")
            answer = await client.request(each.method, path)
            routed = answer.status_code != 405 and "no such path" not in answer.text
            assert routed is (each.name in kept), each
        paths = json.loads((await client.get(DESCRIPTION)).content)["paths"]
        told = {f"{method.upper()} {path}" for path, methods in paths.items() for method in methods}
        assert told == {f"{each.method} {each.wire_path}" for each in operations_of(edition)}
        assert all(path.startswith(PREFIX) for path in paths)
    world.close()


def test_today_lacks_what_its_description_lacks() -> None:
    gone = {each.name for each in CATALOGUE.values()} - {
        each.name for each in operations_of("today")
    }
    assert gone == {
        "list_conversations", "ingest_conversation", "get_conversation",
        "list_conversation_issues", "get_conversation_issue", "list_issues_clusters",
        "get_issues_cluster", "list_space_links", "list_space_page_links",
        "list_space_page_backlinks", "list_change_request_page_links",
        "list_space_file_backlinks", "list_change_request_file_backlinks", "transfer_space",
    } | {each.name for each in CATALOGUE.values() if each.extension in OWN}  # fmt: skip


async def test_the_client_finds_out_by_itself_what_today_s_service_lacks() -> None:
    world = World(edition="today")
    space = world.space("Guide", {"a": "One."})
    request = world.change_request(space, {"a": "Two."})
    async with world.api(elsewhere=True) as api:
        with pytest.raises(
            OperationMissing, match=r"^This service has no clusters, but findings\.$"
        ):
            await api(ops.list_issues_clusters, world.home)
        with pytest.raises(OperationMissing, match=r"^This service has no links\.$"):
            await api(ops.list_space_links, space)
        with pytest.raises(OperationMissing, match=r"^This service has no transfer of a space\.$"):
            await api(ops.transfer_space, space, SpaceTransfer(organization="o"))
        with pytest.raises(OperationMissing):
            await api(ops.get_conversation, world.home, "c")
        assert (await api(ops.list_change_request_reviews, space, request)).items == []
        # What it has and cannot find is missing all the same.
        with pytest.raises(NotFound) as caught:
            await api(ops.get_revision, space, "gone")
        assert not isinstance(caught.value, OperationMissing)
    world.close()


DOCTOR: list[tuple[Edition, dict[str, str], str]] = [
    (
        "earlier",
        {
            "reviews": "yes",
            "clusters": "yes",
            "links": "yes",
            "redirects": "no",
            "changes to installations": "no",
            "version": "it does not say",
            "section groups": "no",
            "order of sections": "yes",
        },
        "143 of the document: 143 yes. ",
    ),
    (
        "today",
        {
            "reviews": "yes",
            "redirects": "yes",
            "changes to installations": "yes",
            "version": __version__,
            "section groups": "yes",
            "order of a site": "yes",
            "order of sections": "yes      this service has structure/sort",
            "clusters": "no       this service has findings",
            "transfer of a space": "no       no successor",
        },
        "143 of the document: 130 yes, 13 no. ",
    ),
    (
        "document",
        {"reviews": "no", "older versions": "no", "clusters": "yes", "owner of a token": "no"},
        "143 of the document: 143 yes. ",
    ),
]


@pytest.mark.parametrize(("edition", "told", "counted"), DOCTOR)
async def test_doctor_says_in_words_what_three_desks_have(
    edition: Edition, told: dict[str, str], counted: str
) -> None:
    world = World(edition=edition)
    assert world.home
    async with world.api(elsewhere=True) as api:
        rows = [row async for row in operations(api, ask=False)]
    said = {name: text for names, text in rows for name in names.split(", ")}
    assert said["all else of the document"] == "yes"
    assert {name: said[name] for name in told} == told
    assert said["operations"].startswith(counted)
    world.close()
