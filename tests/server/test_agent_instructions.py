"""What the documentation agent is told, over HTTP."""

from __future__ import annotations

import pytest

from copydesk.contract import operations as ops
from copydesk.contract.models.agent_instructions import AgentInstructionsUpdate
from copydesk.domain.documents import markdown_to_document
from tests.world import BASE_URL, World

DOCUMENT = {
    "object": "document",
    "data": {"schemaVersion": 9, "theme": {"dark": None}},
    "nodes": [
        {
            "object": "block",
            "type": "paragraph",
            "key": "a",
            "isVoid": False,
            "data": {"align": "start"},
            "nodes": [
                {"object": "text", "leaves": [{"object": "leaf", "text": "Be brief.", "marks": []}]}
            ],
        },
        {
            "object": "block",
            "type": "hologram",
            "depth": 3,
            "hint": None,
            "data": {"beam": ["r", None, {"g": 1.5}]},
            "nodes": [{"object": "fragment", "type": "lens", "nodes": [], "fragment": "left"}],
        },
    ],
    "meta": {"token": "t", "more": [1]},
    "origin": "another service",
}


async def test_instructions_are_kept_whole_with_who_wrote_them(world: World) -> None:
    at = f"/orgs/{world.home}/agent-instructions"
    async with world.client() as client:
        before = await client.get(at)
        written = await client.put(at, json={"instructions": DOCUMENT})
        read = (await client.get(at)).json()
    assert before.json() == {
        "object": "agent-instructions",
        "instructions": {"object": "document", "data": {"schemaVersion": 1}, "nodes": []},
        "urls": {"location": f"{BASE_URL}/v1{at}"},
    }
    assert written.status_code == 200
    assert written.json() == read
    assert read.pop("updatedAt") > "2026-03-02T09:00:00"
    assert read == {
        "object": "agent-instructions",
        "instructions": DOCUMENT,
        "updatedBy": world.ana,
        "urls": {"location": f"{BASE_URL}/v1{at}"},
    }
    # The next ones replace them.
    async with world.api() as api:
        short = AgentInstructionsUpdate(instructions=markdown_to_document("Be *kind*."))
        answer = await api(ops.update_agent_instructions, world.home, short)
        assert answer == await api(ops.get_agent_instructions, world.home)
    assert answer.instructions == short.instructions


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"instructions": None},
        {"instructions": "Be brief."},
        {"instructions": {"object": "block"}},
        {"instructions": {"object": "document", "nodes": [{"nodes": {}}]}},
        {"instructions": DOCUMENT, "more": 1},
    ],
)
async def test_what_is_no_document_is_a_400(world: World, body: object) -> None:
    async with world.client() as client:
        answer = await client.put(f"/orgs/{world.home}/agent-instructions", json=body)
    assert answer.status_code == 400
    assert "body" in answer.json()["error"]["message"]


async def test_members_read_and_administrators_write(world: World) -> None:
    at = f"/orgs/{world.home}/agent-instructions"
    people = {
        world.user("bo", "create"): (200, 403),
        world.user("guest", None): (200, 403),
        world.user("stranger", member=False): (404, 404),
    }
    for person, expected in people.items():
        async with world.client(person) as client:
            answers = (await client.get(at), await client.put(at, json={"instructions": DOCUMENT}))
        assert tuple(answer.status_code for answer in answers) == expected
