"""Searching spaces and organizations, over HTTP."""

from __future__ import annotations

import pytest

from tests.world import World


@pytest.fixture
def space(world: World) -> str:
    return world.space(
        "Handbook",
        {
            "guides/install": "Before.\n\n# Linux\n\nRun the Package manager.\n\n# Mac\n\nNo.\n",
            "package": "Nothing of note.\n",
            "other": "```\n# not a heading, package\n```\n",
        },
    )


async def test_every_word_is_found_whatever_its_case(world: World, space: str) -> None:
    async with world.client() as client:
        path = f"/spaces/{space}/search"
        found = (await client.get(path, params={"query": "PACKAGE"})).json()
        both = (await client.get(path, params={"query": "package linux"})).json()
        none = (await client.get(path, params={"query": "package zebra"})).json()
        blank = (await client.get(path, params={"query": " "})).json()
    assert [item["path"] for item in found["items"]] == ["package", "guides/install", "other"]
    assert found["count"] == 3
    (item,) = both["items"]
    assert [above["title"] for above in item["ancestors"]] == ["Guides"]
    assert [section["title"] for section in item["sections"]] == ["Linux"]
    section = item["sections"][0]
    assert (section["path"], section["body"]) == (
        "guides/install#linux",
        "Run the Package manager.",
    )
    assert none["items"] == blank["items"] == []


async def test_a_fenced_line_is_no_heading(world: World, space: str) -> None:
    async with world.client() as client:
        params = {"query": "not heading"}
        found = (await client.get(f"/spaces/{space}/search", params=params)).json()
    (item,) = found["items"]
    assert [section["path"] for section in item["sections"]] == ["other"]


async def test_excerpts_are_near_the_word_and_short(world: World) -> None:
    text = "word " * 200 + "needle " + "word " * 200
    space = world.space("Long", {"page": text})
    async with world.client() as client:
        found = (await client.get(f"/spaces/{space}/search", params={"query": "needle"})).json()
    body = found["items"][0]["sections"][0]["body"]
    assert "needle" in body
    assert len(body) < 200
    assert body.startswith("…")
    assert body.endswith("…")


async def test_results_page(world: World) -> None:
    space = world.space("Many", {f"page-{number}": "same\n" for number in range(5)})
    async with world.client() as client:
        path = f"/spaces/{space}/search"
        first = (await client.get(path, params={"query": "same", "limit": 2})).json()
        params = {"query": "same", "page": first["next"]["page"]}
        rest = (await client.get(path, params=params)).json()
    assert [item["path"] for item in first["items"] + rest["items"]] == [
        f"page-{number}" for number in range(5)
    ]


async def test_an_organization_is_searched_where_the_caller_may_look(
    world: World, space: str
) -> None:
    hidden = world.space("Hidden", {"package": "Secret.\n"}, default_level=None)
    world.space("Nothing", {"intro": "Hi.\n"})
    bo = world.user("bo")
    path, params = f"/orgs/{world.home}/search", {"query": "package"}
    async with world.client() as client:
        for_ana = (await client.get(path, params=params)).json()
        long = await client.get(path, params={"query": "x" * 513})
        missing = await client.get(path)
        unknown = await client.get("/orgs/none/search", params=params)
    async with world.client(bo) as client:
        for_bo = (await client.get(path, params=params)).json()
    assert [item["id"] for item in for_ana["items"]] == [space, hidden]
    assert [item["id"] for item in for_bo["items"]] == [space]
    assert len(for_bo["items"][0]["pages"]) == 3
    assert [answer.status_code for answer in (long, missing, unknown)] == [400, 400, 404]
