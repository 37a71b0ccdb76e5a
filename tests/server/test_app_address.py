"""Where things are in the application: addresses that open in the terminal and in a browser."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from pathlib import Path
from shlex import quote
from typing import Any

import httpx
import pytest

from copydesk.contract.operations import CATALOGUE
from copydesk.server.app import create_app
from copydesk.session.reads.addresses import pointed
from copydesk.session.target import Target
from tests.server.desk_of_one import DeskOfOne
from tests.world import World


def screens(value: Any) -> Iterator[str]:
    """Yield every ``urls.app`` in an answer."""
    if isinstance(value, dict):
        urls = value.get("urls")
        if isinstance(urls, dict) and "app" in urls:
            yield urls["app"]
        for inner in value.values():
            yield from screens(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from screens(inner)


def browser(world: World, base_url: str = "http://desk") -> httpx.AsyncClient:
    """Return who has no token, and comes from nowhere."""
    transport = httpx.ASGITransport(create_app(world.store), raise_app_exceptions=False)
    return httpx.AsyncClient(transport=transport, base_url=base_url)


async def test_every_address_opens_in_the_terminal_and_in_a_browser(tmp_path: Path) -> None:
    world = World(tmp_path / "desk.db")
    desk = await DeskOfOne.make(world, tmp_path / "desk.db")
    found: set[str] = set()
    async with desk.client(world.token(world.ana)) as client:
        for op in CATALOGUE.values():
            if op.method == "GET":
                answer = await client.get(desk.path_of(op), params=desk.query_of(op))
                found |= {url.partition("#")[0] for url in screens(answer.json())}
    places, kinds = set(), set()
    async with browser(world) as strange:
        for url in found:
            opened = pointed(url)
            assert opened is not None, url
            places.add(opened[0])
            answer = await strange.get(url)
            assert answer.status_code == 200, url
            assert html.escape(f"copydesk {quote(url)}") in answer.text
            kinds.add(re.findall(r"<h1>(.*)</h1>", answer.text)[0])
    desk.close()
    world.close()
    assert places == {
        *("spaces", "pages", "review", "collection-spaces", "openapi-specs", "integration"),
        "site-structure",
    }
    assert kinds == {
        *("An organization", "A space", "A page", "A change request", "A revision"),
        *("A collection", "A site", "An OpenAPI specification", "An integration"),
        "An installation of an integration",
    }


@pytest.mark.parametrize(
    ("path", "place", "target"),
    [
        ("o/a/c/b", "collection-spaces", Target("a", item="b")),
        ("o/a/openapi/pets-v1", "openapi-specs", Target("a")),
        ("o/a/integrations/acme.search", "integration", Target("a", item="acme.search")),
        ("o/a/integrations/s/installations/i", "integration", Target("a", item="s")),
        ("o/a/s/b/~/revisions/r/guide", "pages", Target("a", "b", page="guide")),
        ("o/a/s/b/c/d", "pages", Target("a", "b", page="c/d")),
    ],
)
def test_an_address_leads_to_its_screen(path: str, place: str, target: Target) -> None:
    assert pointed(f"http://desk.invalid/app/{path}") == (place, target)


async def test_a_browser_learns_the_kind_and_the_command_only(world: World) -> None:
    space = world.space("Very secret", {"plan/merger": "Ours.\n"})
    world.change_request(space, {"plan": "P.\n"}, subject="Buy them")
    at = f"/app/o/{world.home}/s/{space}"
    async with browser(world) as client:
        page = await client.get(f"{at}/plan/merger")
        assert page.headers["content-type"] == "text/html; charset=utf-8"
        policy = page.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert page.headers["x-content-type-options"] == "nosniff"
        assert "<script" not in page.text
        assert f"copydesk --base-url http://desk http://desk{at}/plan/merger" in page.text
        for path in ("", "/plan/merger", "/~/changes/1"):
            text = (await client.get(at + path)).text
            for said in ("secret", "Acme", "Buy", "Ours"):
                assert said not in text
        # Whether a space has a page of a name is not told: it could be tried out.
        assert (await client.get(f"{at}/no-such-page")).text.count("<h1>A page</h1>") == 1
        missing = [
            "/app/o/none",
            f"/app/s/{space}",
            f"/app/o/none/s/{space}",
            f"/app/o/{world.home}/s/none",
            f"/app/o/{world.home}/sites/none",
            f"/app/o/{world.home}/c/{space}",
            f"{at}/~/changes/7",
            f"{at}/~/changes/99999999999999999999999",
            f"{at}/~/revisions/none",
            "/app/",
            "/app/something",
        ]
        for path in missing:
            answer = await client.get(path)
            assert (answer.status_code, "Nothing on this desk" in answer.text) == (404, True), path
        assert (await client.post(at)).status_code == 405
        assert (await client.head(at)).content == b""


@pytest.mark.parametrize(
    "host", ['"><script>alert(1)</script>', "evil.example/", "a b", "x" * 3000]
)
async def test_what_a_browser_sends_is_no_part_of_the_page(world: World, host: str) -> None:
    path = f"/app/o/{world.home}"
    async with browser(world) as client:
        answer = await client.get(path, headers={"host": host})
        assert "<script" not in answer.text
        odd = await client.get(f"{path}/s/x'%22%3E%3Cscript%3E")
        assert "<script" not in odd.text
