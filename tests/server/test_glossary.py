"""The glossary of an organization over HTTP: batches, their order, terms by language."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from tests.world import World

Json = dict[str, Any]


def path(world: World, *rest: str) -> str:
    return "/".join((f"/orgs/{world.home}/translations-glossary", *rest))


def insert(**terms: str) -> Json:
    return {"type": "insert", "translations": terms}


async def change(client: httpx.AsyncClient, world: World, *changes: Json) -> httpx.Response:
    return await client.put(path(world), json={"operations": list(changes)})


async def entries(client: httpx.AsyncClient, world: World, **query: str) -> list[Json]:
    answer = await client.get(path(world), params=query)
    found: list[Json] = answer.json()["items"]
    assert answer.json()["count"] == len(found)
    return found


async def test_a_batch_is_done_in_its_order_and_wholly_or_not_at_all(world: World) -> None:
    async with world.client() as client:
        made = await change(client, world, insert(en="refund", de="Erstattung"))
        assert (made.status_code, made.content) == (204, b"")
        (entry,) = await entries(client, world)
        found = await client.get(entry["urls"]["location"])
        assert (
            found.json()
            == entry
            == {
                "object": "glossary-entry",
                "id": entry["id"],
                "translations": {"en": "refund", "de": "Erstattung"},
                "createdAt": entry["createdAt"],
                "updatedAt": entry["createdAt"],
                "urls": {"location": f"http://desk/v1{path(world, entry['id'])}"},
            }
        )
        refused = await change(
            client,
            world,
            insert(en="payout"),
            {"type": "delete", "id": entry["id"]},
            {"type": "update", "id": entry["id"], "translations": {"en": "return"}},
        )
        message = refused.json()["error"]["message"]
        assert (refused.status_code, "operations[2].id" in message) == (400, True)
        assert await entries(client, world) == [entry]

        # What an entry says is replaced whole; what is gone already is gone.
        says = {"type": "update", "id": entry["id"], "translations": {"en": "return"}}
        assert (await change(client, world, says, insert(en="payout"))).status_code == 204
        by_id = {each["id"]: each for each in await entries(client, world)}
        assert by_id[entry["id"]]["translations"] == {"en": "return"}
        assert by_id[entry["id"]]["updatedAt"] > entry["updatedAt"]
        gone = {"type": "delete", "id": entry["id"]}
        assert (await change(client, world, gone, gone)).status_code == 204
        assert [each["translations"] for each in await entries(client, world)] == [{"en": "payout"}]
        assert (await client.get(path(world, entry["id"]))).status_code == 404


async def test_entries_come_by_the_terms_of_a_language_those_without_one_last(
    world: World,
) -> None:
    async with world.client() as client:
        for said in ({"en": "zone"}, {"en": "Area", "de": "Zone"}, {"de": "Ärger"}):
            await change(client, world, insert(**said))

        async def terms(language: str) -> list[str | None]:
            found = await entries(client, world, orderBy=language)
            return [each["translations"].get(language) for each in found]

        newest = [each["translations"] for each in await entries(client, world)]
        assert newest == [{"de": "Ärger"}, {"en": "Area", "de": "Zone"}, {"en": "zone"}]
        assert await terms("en") == ["Area", "zone", None]
        assert (await terms("de"))[2] is None
        first = await client.get(path(world), params={"orderBy": "en", "limit": "2"})
        rest = {"orderBy": "en", "page": first.json()["next"]["page"]}
        last = await client.get(path(world), params=rest)
        assert [each["translations"] for each in last.json()["items"]] == [{"de": "Ärger"}]


@pytest.mark.parametrize(
    "translations",
    [{}, {"xx": "a"}, {"en": ""}, {"en": "a" * 256}, {"en": "a\nb"}, {"en": "a\rb"}, {"en": 1}],
)
async def test_what_is_no_term_is_refused(world: World, translations: Json) -> None:
    async with world.client() as client:
        wrong = {"type": "insert", "translations": translations}
        assert (await change(client, world, wrong)).status_code == 400
        assert (await change(client, world, {"type": "rename"})).status_code == 400
        assert await entries(client, world) == []


async def test_a_large_batch_costs_what_it_holds_and_others_have_a_glossary_of_their_own(
    world: World,
) -> None:
    other = world.organization("Elsewhere", world.ana)
    async with world.client() as client:
        many = [insert(en=f"term {number}") for number in range(500)]
        assert (await change(client, world, *many)).status_code == 204
        theirs = await client.get(f"/orgs/{other}/translations-glossary")
        assert theirs.json() == {"items": [], "count": 0}
        ours = (await client.get(path(world))).json()["items"][0]
        at = f"/orgs/{other}/translations-glossary"
        taken = {"operations": [{"type": "delete", "id": ours["id"]}]}
        assert (await client.put(at, json=taken)).status_code == 204
        assert (await client.get(path(world), params={"limit": "1"})).json()["count"] == 500
        assert (await client.get(f"{at}/{ours['id']}")).status_code == 404
