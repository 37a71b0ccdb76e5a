"""Redirects of a site over HTTP: what holds for a path, circles, drafts, many at once, rights."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from copydesk.server import site_writes as seed
from copydesk.server.store import Tx
from tests.world import World

Json = dict[str, Any]


class Docs:
    """A published site with two sections: Start, at its root, and Guides."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.start = world.space("Start", {"index": "Hello.\n", "install": "Do.\n"})
        self.guides = world.space("Guides", {"index": "How.\n", "tour": "See.\n"})

        def build(tx: Tx) -> list[str]:
            site = seed.add_site(
                tx, world.home, "Docs", hostname="docs.acme.test", published=True,
                visibility="visitor-auth",
            )  # fmt: skip
            first = seed.add_section(tx, site, "Start")
            second = seed.add_section(tx, site, "Guides")
            seed.add_site_space(tx, site, self.start, section=first)
            shown = seed.add_site_space(tx, site, self.guides, section=second)
            return [site, first, second, shown]

        self.site, self.first, self.second, self.shown = world.write(build)

    def url(self, *rest: str) -> str:
        return "/".join(["/orgs", self.world.home, "sites", self.site, *rest])

    async def add(self, client: httpx.AsyncClient, source: str, to: str | Json, **more: Any) -> Any:
        destination = {"kind": "external", "url": to} if isinstance(to, str) else to
        body = {"source": source, "destination": destination, **more}
        return await client.post(self.url("redirects"), json=body)

    async def leads(self, client: httpx.AsyncClient, path: str) -> str | int:
        answer = await client.get(self.url("redirect"), params={"source": path})
        return str(answer.json()["target"]) if answer.is_success else answer.status_code


@pytest.fixture
def docs(world: World) -> Docs:
    return Docs(world)


def refusal(answer: httpx.Response, status: int) -> str:
    assert answer.status_code == status, answer.text
    return str(answer.json()["error"]["message"])


async def test_the_most_exact_source_holds_and_what_is_shown_goes_first(docs: Docs) -> None:
    page = docs.world.page_id(docs.guides, "tour")
    to_page = {"kind": "site-page", "siteSpaceId": docs.shown, "pageId": page}
    site = "https://docs.acme.test"
    async with docs.world.client() as client:
        section = {"kind": "site-section", "siteSectionId": docs.second}
        await docs.add(client, "/learn/*", section, captureWildcard=True)
        await docs.add(client, "/learn/films*", "https://films.example/")
        made = await docs.add(client, "/learn/tour", to_page)
        assert made.headers["location"].endswith("/redirects/" + made.json()["id"])
        assert await docs.leads(client, "/learn") == f"{site}/guides"
        assert await docs.leads(client, "/learn/a/b") == f"{site}/guides/a/b"
        assert await docs.leads(client, "/learn/films-2026") == "https://films.example/"
        assert await docs.leads(client, "/learn/tour") == f"{site}/guides/tour"
        assert await docs.leads(client, "/learner") == 404
        # What stands there is shown, whatever is redirected from there.
        await docs.add(client, "/guides/tour", "https://films.example/")
        assert await docs.leads(client, "/guides/tour") == 404
        # The path of a page in a space becomes the page, wherever it goes.
        by_path = {"kind": "path", "spaceId": docs.guides, "path": "tour"}
        answer = await docs.add(client, "/tour", by_path)
        assert answer.json()["destination"] == to_page
        docs.world.write(lambda tx: tx.run("DELETE FROM site_space WHERE id = ?", docs.shown))
        assert await docs.leads(client, "/tour") == 404


async def test_circles_and_second_ones_are_refused_and_chains_are_taken(docs: Docs) -> None:
    async with docs.world.client() as client:
        assert (await docs.add(client, "/a", "https://docs.acme.test/b")).is_success
        assert (await docs.add(client, "/b", "https://docs.acme.test/c?x=1")).is_success
        said = refusal(await docs.add(client, "/c", "https://docs.acme.test/a"), 400)
        assert said == "body.destination: it redirects in a circle: /c to /a to /b to /c"
        said = refusal(
            await docs.add(client, "/d/*", "https://DOCS.acme.test/d/e", captureWildcard=True), 400
        )
        assert "circle: /d/* to /d/*" in said
        assert "already" in refusal(await docs.add(client, "/a", "https://b.example/"), 409)
        draft = await docs.add(client, "/c", "https://docs.acme.test/a", draft=True)
        at = docs.url("redirects", draft.json()["id"])
        assert "circle" in refusal(await client.patch(at, json={"draft": False}), 400)
        for kind, name in (
            ("site-section", "siteSectionId"), ("site-space", "siteSpaceId")
        ):  # fmt: skip
            said = refusal(await docs.add(client, "/x", {"kind": kind, name: "none"}), 400)
            assert said.startswith(f"body.destination.{name}: the site has no such")
        nowhere = {"kind": "path", "spaceId": docs.guides, "path": "gone"}
        assert "no page at this path" in refusal(await docs.add(client, "/x", nowhere), 400)


async def test_drafts_are_listed_apart_and_one_that_is_published_takes_the_place(
    docs: Docs,
) -> None:
    async with docs.world.client() as client:
        await docs.add(client, "/a", "https://one.example/")
        draft = (await docs.add(client, "/a", "https://two.example/", draft=True)).json()
        assert await docs.leads(client, "/a") == "https://one.example/"
        at = docs.url("redirects", draft["id"])
        assert "already" in refusal(await client.patch(at, json={"draft": False}), 409)
        listed = await client.get(docs.url("redirects"), params={"draft": "true", "search": "TWO."})
        assert listed.json()["items"] == [draft]
        sent = {"redirects": [{"source": "/a", "intent": "publish"}]}
        (result,) = (await client.put(docs.url("redirects"), json=sent)).json()["results"]
        assert result == {"status": "published", "source": "/a", "draft": False, "id": draft["id"]}
        assert await docs.leads(client, "/a") == "https://two.example/"
        assert (await client.get(docs.url("redirects"))).json()["count"] == 1
        assert (await client.delete(at)).status_code == 205
        assert (await client.delete(at)).status_code == 204


async def test_many_at_once_are_done_each_for_itself(docs: Docs) -> None:
    away = {"kind": "external", "url": "https://docs.acme.test/one"}
    section = {"kind": "site-section", "siteSectionId": docs.second}
    async with docs.world.client() as client:
        await docs.add(client, "/old", "https://x.example/", permanent=True)
        await docs.add(client, "/gone", "https://x.example/")
        wanted = [
            {"source": "/new", "destination": away, "captureWildcard": True},
            {"source": "/one", "destination": away},
            {"source": "/old", "destination": section},
            {"source": "/gone", "destination": None},
            {"source": "/gone", "destination": None},
            {"source": "/new", "intent": "publish"},
        ]  # fmt: skip
        answer = await client.put(docs.url("redirects"), json={"redirects": wanted})
        results = answer.json()["results"]
        assert [each["status"] for each in results] == [
            "created", "error", "updated", "deleted", "error", "error"
        ]  # fmt: skip
        assert results[1]["error"].endswith("circle: /one to /one")
        assert results[4]["error"] == "There is no redirect from '/gone'."
        listed = (await client.get(docs.url("redirects"), params={"orderBy": "source"})).json()
        assert [each["source"] for each in listed["items"]] == ["/new", "/old"]
        assert listed["items"][1]["permanent"]  # it said nothing of it
        many = {"redirects": [wanted[0]] * 501}
        assert "500" in refusal(await client.put(docs.url("redirects"), json=many), 400)


async def test_redirects_to_what_one_may_not_see_are_not_there(docs: Docs) -> None:
    world = docs.world
    lee = world.user("lee", "create")
    world.write(lambda tx: tx.update("space", docs.guides, default_level=None))
    world.write(lambda tx: tx.update("site", docs.site, published=False))
    async with world.client() as client, world.client(lee) as other:
        shown = {"kind": "site-space", "siteSpaceId": docs.shown}
        made = (await docs.add(client, "/secret", shown)).json()
        assert (await other.get(docs.url("redirects"))).json()["count"] == 0
        assert await docs.leads(other, "/secret") == 404
        assert await docs.leads(client, "/secret") == "/guides"
        at = docs.url("redirects", made["id"])
        refusal(await other.patch(at, json={"permanent": True}), 404)
        assert (await other.delete(at)).status_code == 204
        assert "may not see" in refusal(await docs.add(other, "/secret", "https://x.example/"), 409)
        refusal(await docs.add(other, "/mine", shown), 400)
        assert (await client.get(docs.url("redirects"))).json()["count"] == 1
