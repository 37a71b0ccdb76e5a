"""Who may do what: every operation, asked by every kind of caller, on a desk with one of all.

The permission that an operation takes is declared once, with its handler; what a caller
has follows from their role and what was granted to them. So each cell's answer is known.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import httpx
import pytest

from copydesk.contract import operations as ops
from copydesk.contract.operation import Operation
from copydesk.contract.operations import CATALOGUE
from copydesk.domain.access import rank
from copydesk.server.access import (
    COLLECTION_PERMISSIONS,
    ORGANIZATION_PERMISSIONS,
    SPACE_PERMISSIONS,
)
from copydesk.server.permissions import requirement
from tests.server.desk_of_one import DeskOfOne
from tests.world import World

TABLES = {
    "space": SPACE_PERMISSIONS,
    "collection": COLLECTION_PERMISSIONS,
    "organization": ORGANIZATION_PERMISSIONS | {"read": "read"},
    "integration": {"view": "read", "installIntegration": "admin", "admin": "admin"},
}


PUBLISHED = {
    ops.get_space,
    ops.get_published_site,
    ops.list_site_sections,
    ops.list_site_spaces,
    ops.get_site_redirect,
    ops.get_site_structure,
}
"""What is read of a published site, by whoever its visibility lets in."""


@dataclass(frozen=True)
class Caller:
    """Somebody: a member with a role, with a level granted on the space if it is another."""

    name: str
    role: str | None
    granted: str | None = None
    member: bool = True

    def level(self, scope: str) -> str | None:
        return self.granted if scope == "space" and self.granted else self.role


CALLERS = [
    Caller("stranger", None, member=False),
    Caller("guest", None),
    *(Caller(role, role) for role in ("read", "comment", "review", "edit", "create", "admin")),
    Caller("guest-who-reviews", None, "review"),
    Caller("reader-who-edits", "read", "edit"),
    Caller("guest-who-runs-it", None, "admin"),
]


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DeskOfOne]:
    path = tmp_path_factory.mktemp("desk") / "desk.db"
    world = World(path)
    made = asyncio.run(DeskOfOne.make(world, path))
    for caller in CALLERS:
        user = world.user(caller.name, caller.role, member=caller.member)
        # Who may give something away must have somewhere to give it to.
        world.member(made.other_organization, user, "admin")
        if caller.granted:
            world.grant(made.have.space, user, caller.granted)
        world.token(user)
    yield made
    made.close()
    world.close()


def walked(desk: DeskOfOne) -> list[Operation[..., Any]]:
    return [op for op in CATALOGUE.values() if not desk.missing(op)]


def test_the_desk_has_one_of_everything(desk: DeskOfOne) -> None:
    assert [op.name for op in CATALOGUE.values() if desk.missing(op)] == []


async def ask(
    desk: DeskOfOne, client: httpx.AsyncClient, op: Operation[..., Any]
) -> httpx.Response:
    return await client.request(
        op.method, desk.path_of(op), params=desk.query_of(op), json=desk.body_of(op)
    )


def expected(op: Operation[..., Any], caller: Caller) -> tuple[int, str] | None:
    """Return the refusal that a caller gets and the word in it, None when there is none."""
    needed = requirement(op)
    if op is ops.get_content_by_url and caller.level("space") is None:
        return 404, "content"  # it is found by those who may see what is there
    if op is ops.get_user and caller.role is None:
        return 404, "user"  # people are known by those who list the members
    if needed is None:
        return None
    permission, level = needed.permission, caller.level(needed.scope)
    if op in PUBLISHED:
        return None  # its site is published to everyone
    if not caller.member or (needed.scope != "organization" and level is None):
        if op is ops.publish_integration:
            return 403, "admin"  # a name is taken, whoever may see what has it
        if op is ops.delete_space:
            return 403, "admin"  # it is published: who may read it is told that it is there
        # To delete what one may not see is to delete what is not there.
        gone = op.method == "DELETE" and len(op.path_parameters) == 1
        return (204, "") if gone else (404, "no")
    if "{translation_id}" in op.path and caller.level("space") is None:
        return 404, "translation"  # it is seen by those who see what it translates
    if needed.scope == "organization" and permission == "view":
        return None  # guests see the organization, and no more of it
    if op.noun == "team" and rank(level) < rank("read"):
        return 403, "ownTeam" if op is ops.create_team else "listTeams"
    if rank(level) < rank(TABLES[needed.scope][permission]):
        return 403, permission
    if op.noun == "permission" and op.method == "GET" and rank(caller.role) < rank("read"):
        lists = "listTeams" if "/teams" in op.path else "listMembers"
        return None if level == "admin" else (403, lists)
    if op in (ops.duplicate_space, ops.duplicate_site_space, ops.move_space):
        # It goes into a collection, which is one more thing to have a level on.
        if caller.role is None:
            return 404, "collection"
        return None if rank(caller.role) >= rank("create") else (403, "create")
    if op in (
        ops.begin_site_finding_change_requests,
        ops.link_cluster_change_request,
        ops.unlink_cluster_change_request,
    ):
        return None if rank(caller.level("space")) >= rank("edit") else (403, "edit")
    return None


def test_every_operation_says_what_it_takes() -> None:
    for op in CATALOGUE.values():
        needed = requirement(op)
        if needed is not None:
            assert needed.permission in TABLES[needed.scope], op.name


@pytest.mark.parametrize("token", ["", "desk_forged"])
async def test_without_a_valid_token_everything_is_a_401(desk: DeskOfOne, token: str) -> None:
    async with desk.client(token) as client:
        for op in walked(desk):
            answer = await ask(desk, client, op)
            assert answer.status_code == 401, op.name


@pytest.mark.long
@pytest.mark.parametrize("caller", CALLERS, ids=lambda caller: caller.name)
async def test_the_matrix(desk: DeskOfOne, caller: Caller) -> None:
    wrong = []
    world = desk.world
    async with desk.client(world.token(world.user(caller.name))) as client:
        for op in walked(desk):
            answer = await ask(desk, client, op)
            refusal = expected(op, caller)
            if refusal is None:
                fine = answer.status_code < 500 and answer.status_code not in (401, 403, 404)
            else:
                fine = answer.status_code == refusal[0] and refusal[1] in answer.text
            if not fine:
                wrong.append((op.name, refusal, answer.status_code, answer.text[:120]))
    assert wrong == [], "\n".join(map(str, wrong))


@pytest.mark.parametrize("caller", CALLERS[:1], ids=lambda caller: caller.name)
async def test_no_write_of_a_stranger_succeeds_unless_its_thing_is_not_there_for_them(
    desk: DeskOfOne, caller: Caller
) -> None:
    world = desk.world
    readers = {op.wire_path: op for op in walked(desk) if op.method == "GET"}
    wrong = []
    async with desk.client(world.token(world.user(caller.name))) as client:
        for op in walked(desk):
            if op.method == "GET" or requirement(op) is None:
                continue
            answer = await ask(desk, client, op)
            if not answer.is_success:
                continue
            # What they may not do comes to nothing: so it is gone already for who asked.
            reader = readers.get(op.wire_path)
            seen = reader is not None and (await ask(desk, client, reader)).is_success
            if op.method != "DELETE" or answer.status_code != 204 or seen:
                wrong.append((op.name, answer.status_code))
    assert wrong == []


@pytest.mark.parametrize("caller", CALLERS, ids=lambda caller: caller.name)
async def test_permissions_say_what_the_caller_may_do(desk: DeskOfOne, caller: Caller) -> None:
    world = desk.world
    readers = (ops.get_space, ops.get_collection, ops.get_organization)
    async with desk.client(world.token(world.user(caller.name))) as client:
        for op in readers:
            needed = requirement(op)
            assert needed is not None
            level = caller.level(needed.scope)
            answer = await ask(desk, client, op)
            if op is ops.get_space and not caller.member:
                assert not any(answer.json()["permissions"].values())
            elif answer.is_success:
                shown = answer.json()["permissions"]
                table = TABLES[needed.scope]
                have = {name for name, least in table.items() if rank(level) >= rank(least)}
                if needed.scope == "organization":
                    have = have - {"read"} | {"view", "access"}
                assert {name for name, true in shown.items() if true} == have
                assert shown.keys() == table.keys() - {"read"}


# What a thing says that the caller may do, and the operation that does it.
PROMISES: list[tuple[Operation[..., Any], str, Operation[..., Any], dict[str, Any] | None]] = [
    (ops.get_space_comment, "edit", ops.update_space_comment, {"body": {"markdown": "x"}}),
    (ops.get_space_comment, "reply", ops.create_space_comment_reply, None),
    (ops.get_space_comment, "delete", ops.delete_space_comment, None),
    (ops.get_space_comment_reply, "delete", ops.delete_space_comment_reply, None),
    (ops.get_change_request_comment, "reply", ops.create_change_request_comment_reply, None),
    (ops.get_change_request_comment, "delete", ops.delete_change_request_comment, None),
    (ops.get_team, "admin", ops.update_team, None),
    (ops.get_openapi_spec, "edit", ops.update_openapi_spec, None),
    (ops.get_translation, "edit", ops.update_translation, None),
    (ops.get_integration, "admin", ops.set_integration_dev_mode, None),
    (ops.get_collection, "admin", ops.update_collection, None),
]


@pytest.mark.parametrize("caller", CALLERS, ids=lambda caller: caller.name)
async def test_what_a_thing_promises_is_kept(desk: DeskOfOne, caller: Caller) -> None:
    world = desk.world
    async with desk.client(world.token(world.user(caller.name))) as client:
        for reading, permission, doing, body in PROMISES:
            shown = await ask(desk, client, reading)
            if shown.is_success:
                done = await client.request(
                    doing.method, desk.path_of(doing), json=body or desk.body_of(doing)
                )
                may = done.status_code not in (403, 404)
                assert shown.json()["permissions"][permission] == may, (doing.name, done.text)
