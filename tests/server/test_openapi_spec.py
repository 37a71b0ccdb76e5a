"""OpenAPI specifications, over HTTP: what is told, which states there are, who may do what."""

from __future__ import annotations

import re
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Any

import httpx
import pytest

from copydesk.server.app import create_app
from copydesk.server.openapi_documents import DEPTH_LIMIT, problems_of
from copydesk.server.openapi_jobs import VERSIONS
from copydesk.server.remote_document import Fetcher
from copydesk.server.store import Tx
from tests.server.web import Answer, serving
from tests.world import World

SPEC = """\
openapi: 3.1.0
info: &info
  title: Pets
  version: 1.0
paths:
  /pets:
    get: {summary: List them}
x-again: *info
"""
JSON = '{"swagger": "2.0", "info": {"title": "Pets", "version": "1"}, "paths": {"x-y": 1}}'


def path(world: World, *more: str) -> str:
    return "/".join((f"/orgs/{world.home}/openapi", *more))


def text(source: str) -> dict[str, Any]:
    return {"source": {"text": source}}


def url(source: str) -> dict[str, Any]:
    return {"source": {"url": source}}


def sentence(answer: httpx.Response) -> str:
    message: str = answer.json()["error"]["message"]
    return message


@asynccontextmanager
async def fetching(world: World) -> AsyncIterator[httpx.AsyncClient]:
    """Serve the desk so that it fetches, from this machine too."""
    app = create_app(world.store, fetch=Fetcher(allowed=lambda _: True, seconds=5))
    async with httpx.AsyncClient(
        transport=httpx.ASGITransport(app, raise_app_exceptions=False),
        base_url="http://desk/v1",
        headers={"authorization": f"Bearer {world.token(world.ana)}"},
    ) as client:
        yield client
        app.worker.wait()


async def test_a_specification_is_read_after_the_answer_and_tells_every_field(
    world: World,
) -> None:
    async with world.client() as client:
        made = await client.post(path(world), json={"slug": "Pets-v1", **text(SPEC)})
        world.settle()
        found = await client.get(made.headers["location"])
        listed = await client.get(path(world))
        shown = await client.patch(path(world, "Pets-v1"), json={"visibility": "public"})
    assert (made.status_code, found.status_code, shown.status_code) == (201, 200, 200)
    begun, ended = made.json(), found.json()
    created = begun["createdAt"]
    assert begun == {
        "object": "openapi-spec",
        "id": begun["id"],
        "createdAt": created,
        "updatedAt": created,
        "slug": "Pets-v1",
        "processingState": "pending",
        "visibility": "private",
        "lastProcessedErrorCount": 0,
        "permissions": {"view": True, "edit": True},
        "urls": {
            "location": f"http://desk/v1{path(world, 'Pets-v1')}",
            "app": f"http://desk/app/o/{world.home}/openapi/Pets-v1",
        },
    }
    assert ended.pop("lastVersion")
    assert ended.pop("lastProcessedAt") > created
    assert ended == begun | {"processingState": "complete"}
    assert (listed.json()["count"], listed.json()["items"][0]["slug"]) == (1, "Pets-v1")
    assert shown.json()["visibility"] == "public"
    assert shown.json()["updatedAt"] > created


async def test_putting_adds_or_gives_a_new_source_and_versions_are_of_what_was_read(
    world: World,
) -> None:
    async def put(source: str) -> httpx.Response:
        answer = await client.put(path(world, "pets"), json=text(source))
        world.settle()
        return answer

    async def read() -> dict[str, Any]:
        found: dict[str, Any] = (await client.get(path(world, "pets"))).json()
        return found

    async with world.client() as client:
        added = await put(SPEC)
        first = await read()
        again = await put(SPEC)
        same = await read()
        await put(JSON)
        second = await read()
        await put("openapi: 1")
        broken = await read()
        mended = await put(SPEC)
    assert (added.status_code, again.status_code) == (201, 200)
    assert added.headers["location"].endswith("/openapi/pets")
    assert again.json()["processingState"] == "pending"
    assert same["lastVersion"] == first["lastVersion"] != second["lastVersion"]
    assert same["lastProcessedAt"] > first["lastProcessedAt"]
    assert broken["processingState"] == "complete"
    assert broken["lastVersion"] == second["lastVersion"]
    assert broken["lastProcessErrorCode"] == "PARSE_ERROR"
    (error,) = broken["lastProcessedErrors"]
    assert broken["lastProcessedErrorCount"] == 1
    assert error["code"] == "PARSE_ERROR"
    assert "openapi: 3.x.y" in error["message"]
    assert not {"lastProcessErrorCode", "lastProcessedErrors"} & mended.json().keys()


async def test_a_url_is_fetched_only_by_a_desk_that_fetches(world: World) -> None:
    with serving({"/pets.yaml": Answer(SPEC.encode())}) as web:
        where = web.url("/pets.yaml")
        async with world.client() as client:
            made = await client.post(path(world), json={"slug": "pets", **url(where)})
            world.settle()
            refused = (await client.get(path(world, "pets"))).json()
        assert web.requests == []
        async with fetching(world) as client:
            await client.put(path(world, "pets"), json=url(where))
        async with world.client() as client:
            read = (await client.get(path(world, "pets"))).json()
    assert made.json()["sourceURL"] == where
    assert refused["lastProcessErrorCode"] == "FETCH_ERROR"
    assert "copydesk serve --fetch" in refused["lastProcessedErrors"][0]["message"]
    assert "lastVersion" not in refused
    assert read["lastVersion"]
    assert "lastProcessErrorCode" not in read


async def test_a_source_given_while_another_is_read_wins(world: World) -> None:
    held = Answer(b"not this", when=threading.Event())
    with serving({"/slow": held}) as web:
        async with fetching(world) as client:
            await client.post(path(world), json={"slug": "pets", **url(web.url("/slow"))})
            assert held.asked.wait(5)
            seen = (await client.get(path(world, "pets"))).json()
            assert seen["processingState"] == "progress"
            put = await client.put(path(world, "pets"), json=text(SPEC))
            assert put.json()["processingState"] == "pending"
            assert held.when is not None
            held.when.set()
        async with world.client() as client:
            ended = (await client.get(path(world, "pets"))).json()
    assert ended["processingState"] == "complete"
    assert "lastProcessErrorCode" not in ended
    assert "sourceURL" not in ended


async def test_what_a_crash_left_in_progress_is_taken_up_again(world: World) -> None:
    async with world.client() as client:
        await client.post(path(world), json={"slug": "pets", **text(SPEC)})
        world.settle()
        world.write(
            lambda tx: tx.run(
                "UPDATE openapi_spec SET state = 'progress', version_id = NULL, taken_at = ?",
                tx.now,
            )
        )
        await client.get(path(world))
        world.settle()
        early = (await client.get(path(world, "pets"))).json()
        world.settle()
        world.clock.now += timedelta(minutes=3)
        await client.get(path(world))
        world.settle()
        late = (await client.get(path(world, "pets"))).json()
    assert (early["processingState"], late["processingState"]) == ("progress", "complete")
    assert late["lastVersion"]


async def test_documents_that_nothing_names_any_more_are_not_kept(world: World) -> None:
    def documents() -> tuple[int, int]:
        def count(tx: Tx) -> tuple[int, int]:
            assert tx.value("SELECT count(*) FROM blob WHERE data LIKE '%openapi%'") == 0
            kept = tx.value("SELECT count(*) FROM openapi_document")
            return kept, tx.value("SELECT count(*) FROM openapi_version")

        world.settle()
        return world.store.read(count)

    async with world.client() as client:
        for slug in ("pets", "cats"):
            await client.post(path(world), json={"slug": slug, **text(SPEC)})
        assert documents() == (1, 2)
        # What cannot be read replaces the source; the version read last stays.
        await client.put(path(world, "pets"), json=text("no document"))
        assert documents() == (2, 2)
        await client.put(path(world, "pets"), json=text(SPEC.replace("Pets", "Dogs")))
        assert documents() == (2, 3)
        await client.delete(path(world, "cats"))
        assert documents() == (2, 2)
        await client.delete(path(world, "pets"))
    assert documents() == (0, 0)


async def test_limits_and_shapes(world: World) -> None:
    bad_slugs = ("", "x" * 101, "a_b", "-a", "a-", "a--b", "a b", "ä")
    source = {"text": SPEC}
    bodies: list[dict[str, Any]] = [
        *({"slug": slug, "source": source} for slug in bad_slugs),
        {"slug": "a"},
        {"source": source},
        {"slug": "a", "source": {}},
        {"slug": "a", "source": {"text": SPEC, "url": "https://example.org"}},
        {"slug": "a", "source": {"url": "https://example.org/" + "x" * 2048}},
        {"slug": "a", "source": {"url": "no url"}},
        {"slug": "a", "source": source, "visibility": "public"},
    ]
    async with world.client() as client:
        for body in bodies:
            answer = await client.post(path(world), json=body)
            assert answer.status_code == 400, body
            assert "body" in sentence(answer)
        for slug in ("a_b", "x" * 101):
            answer = await client.put(path(world, slug), json={"source": source})
            assert answer.status_code == 400
            assert "specSlug" in sentence(answer)
        longest = await client.post(path(world), json={"slug": "x" * 100, "source": source})
        taken = await client.post(path(world), json={"slug": "x" * 100, "source": source})
        hidden = await client.patch(path(world, "x" * 100), json={"visibility": "hidden"})
        world.settle()
    assert [a.status_code for a in (longest, taken, hidden)] == [201, 409, 400]
    assert "already" in sentence(taken)


async def test_members_read_and_who_may_create_specifications_writes(world: World) -> None:
    reader, maker = world.user("bo", "edit"), world.user("cleo", "create")
    stranger = world.user("dan", member=False)
    async with world.client(maker) as client:
        assert (await client.put(path(world, "pets"), json=text(SPEC))).status_code == 201
        world.settle()
    async with world.client(reader) as client:
        found = await client.get(path(world, "pets"))
        assert found.json()["permissions"] == {"view": True, "edit": False}
        for refused in (
            await client.post(path(world), json={"slug": "b", **text(SPEC)}),
            await client.put(path(world, "b"), json=text(SPEC)),
            await client.patch(path(world, "pets"), json={"visibility": "public"}),
            await client.delete(path(world, "pets")),
        ):
            assert refused.status_code == 403
            assert "createOpenAPISpec" in sentence(refused)
    async with world.client(stranger) as client:
        assert (await client.get(path(world, "pets"))).status_code == 404
    async with world.client(maker) as client:
        answers = [await client.delete(path(world, "pets")) for _ in range(2)]
        answers.append(await client.get(path(world, "pets")))
        answers.append(await client.patch(path(world, "pets"), json={"visibility": "public"}))
    assert [a.status_code for a in answers] == [205, 204, 404, 404]


async def test_lists_go_page_by_page_from_the_newest(world: World) -> None:
    async with world.client() as client:
        for slug in ("a", "b", "c"):
            await client.put(path(world, slug), json=text(SPEC))
        world.settle()
        first = (await client.get(path(world), params={"limit": 2})).json()
        token = first["next"]["page"]
        second = (await client.get(path(world), params={"limit": 2, "page": token})).json()
    assert [item["slug"] for item in first["items"] + second["items"]] == ["c", "b", "a"]
    assert first["count"] == 3
    assert "next" not in second


@pytest.mark.parametrize(
    "document", [SPEC, JSON, "\ufeff" + SPEC, SPEC.replace("paths", "webhooks")]
)
def test_openapi_documents_are_known(document: str) -> None:
    assert problems_of(document.encode()) == []


HEAD = "openapi: 3.0.3\ninfo: {title: Pets, version: 1}\n"
DEEP = 'openapi: 3.0.3\ninfo: {title: "1", version: "1"}\npaths: '


@pytest.mark.parametrize(
    ("document", "says"),
    [
        ("", "not a mapping"),
        ("- a", "not a mapping"),
        ("{", "cannot be read"),
        ("a: [", "cannot be read"),
        ("*nothing", "cannot be read"),
        ("&a [*a]", "not a mapping"),
        ("a: b\n---\na: b", "more than one document"),
        ("? [a]\n: b", "a name that is not text"),
        (HEAD + "paths: {/pets: {get: *above}}\nx: {y: {z: {w: &above 1}}}", "no anchor 'above'"),
        (HEAD + "x: {y: {z: {w: &deep {/pets: {get: 1}}}}}\npaths: *deep", "`get` is not a"),
        ("!!python/object/apply:os.system [true]", "cannot be read|not a mapping"),
        ("\x00", "cannot be read"),
        ("a: b", "no version"),
        ("openapi: [3]", "no version"),
        ("swagger: 3.0.0", "no version"),
        ("openapi: 3.0.0\npaths: {}", "no `info`"),
        ("openapi: 3.0.0\ninfo: {title: '', version: 1}\npaths: {}", "info.title"),
        ("openapi: 3.0.0\ninfo: {title: a}\npaths: {}", "info.version"),
        (HEAD, "no `paths`"),
        (HEAD + "components: {}", "no `paths`"),
        (HEAD + "paths: []", "`paths` is not a mapping"),
        (HEAD + "paths: {pets: {}}", "slash"),
        (HEAD + "paths: {/pets: 1}", "`paths./pets` is not a mapping"),
        (HEAD + "paths: {/pets: {get: 1, x: 1}}", "`get` is not a mapping"),
        (DEEP + "[" * 100_000, f"more than {DEPTH_LIMIT} levels"),
        ('{"openapi": ' + "[" * 200_000, f"more than {DEPTH_LIMIT} levels"),
        ('{"a": ' + "9" * 10_000 + "}", "no version"),
    ],
)
def test_what_is_wrong_with_a_document_is_said(document: str, says: str) -> None:
    (problem,) = problems_of(document.encode())
    assert re.search(says, problem), problem


def test_a_document_of_nothing_but_problems_tells_some_and_bytes_are_no_text() -> None:
    many = HEAD + "paths:\n" + "".join(f"  p{n}: 1\n" for n in range(1000))
    assert len(problems_of(many.encode())) == 20
    assert problems_of(b"\xff") == ["The document is not UTF-8 text (byte 1)."]


async def test_versions_that_could_be_read_are_kept_the_newest_first(world: World) -> None:
    stranger = world.user("stranger", member=False)

    def number(minor: int) -> str:
        return SPEC.replace("version: 1.0", f"version: 1.{minor}")

    async with world.client() as client, world.client(stranger) as other:
        versions = path(world, "pets", "versions")
        assert (await client.get(versions)).status_code == 404
        await client.post(path(world), json={"slug": "pets", **text("openapi: 1")})
        world.settle()
        assert (await client.get(versions)).json() == {"items": [], "count": 0}
        assert (await client.get(f"{versions}/latest")).status_code == 404
        for minor in range(VERSIONS + 2):
            await client.put(path(world, "pets"), json=text(number(minor)))
            world.settle()
        first = (await client.get(versions, params={"limit": 2})).json()
        assert (len(first["items"]), first["count"]) == (2, VERSIONS)
        newest, before = first["items"]
        latest = (await client.get(f"{versions}/latest")).json()
        assert (
            latest
            == newest
            == {
                "object": "openapi-spec-version",
                "id": (await client.get(path(world, "pets"))).json()["lastVersion"],
                "createdAt": newest["createdAt"],
                "size": len(number(VERSIONS + 1)),
                "url": newest["url"],
                "urls": {"location": f"http://desk/v1{versions}/latest"},
            }
        )
        documents = [(await client.get(each["url"])) for each in (newest, before)]
        assert [each.text for each in documents] == [
            number(VERSIONS + 1),
            number(VERSIONS),
        ]
        assert documents[0].headers["content-type"] == "application/yaml"
        assert "attachment" in documents[0].headers["content-disposition"]
        oldest = (await client.get(versions, params={"limit": 1000})).json()["items"][-1]
        assert (await client.get(oldest["url"])).text == number(2)

        # A document is for the organization, unless the specification is public.
        assert (await other.get(newest["url"])).status_code == 404
        other.headers.pop("authorization")
        assert (await other.get(newest["url"])).status_code == 401
        await client.patch(path(world, "pets"), json={"visibility": "public"})
        assert (await other.get(newest["url"])).text == number(VERSIONS + 1)
        await client.delete(path(world, "pets"))
        assert (await client.get(newest["url"])).status_code == 404
        left = world.store.read(lambda tx: tx.value("SELECT count(*) FROM openapi_document"))
        assert left == 0
