"""How the readers of a site sign in, over HTTP: settings, the key, integrations, who may see it."""

from __future__ import annotations

import re
from typing import Any

import httpx
import pytest

from copydesk.server import site_writes as seed
from copydesk.server.installations import install, integration_row, publish
from copydesk.server.store import Tx
from tests.world import World

Json = dict[str, Any]


class Sites:
    """Two sites of one organization."""

    def __init__(self, world: World) -> None:
        self.world, home = world, world.home

        def build(tx: Tx) -> tuple[str, str]:
            return seed.add_site(tx, home, "Docs"), seed.add_site(tx, home, "Help")

        self.docs, self.help = world.write(build)

    def url(self, *rest: str, site: str | None = None) -> str:
        site = self.docs if site is None else site
        return "/".join(("/orgs", self.world.home, "sites", site, "publishing/auth", *rest))

    def install(self, name: str, category: str, *sites: str) -> None:
        home = self.world.home

        def build(tx: Tx) -> None:
            fields = {"owner": home, "title": name, "categories": [category]}
            publish(tx, name, fields)
            chosen: dict[str, list[str]] = {site: [] for site in sites}
            install(tx, integration_row(tx, name), home, sites=chosen)

        self.world.write(build)


@pytest.fixture
def sites(world: World) -> Sites:
    return Sites(world)


async def patch(client: httpx.AsyncClient, sites: Sites, **body: str | None) -> httpx.Response:
    return await client.patch(sites.url(), json=body)


async def test_settings_are_kept_and_a_new_key_takes_the_place_of_the_former(
    sites: Sites,
) -> None:
    async with sites.world.client() as client:
        first = (await client.get(sites.url())).json()
        key = first.pop("privateKey")
        assert first == {"object": "publishing-auth", "backend": "custom"}
        assert re.fullmatch(r"[0-9a-f]{64}", key)
        ways = {"fallbackURL": "https://acme.test/in", "logoutURL": "https://acme.test/out"}
        both = (await patch(client, sites, backend="custom", **ways)).json()
        assert both == {**first, **ways, "privateKey": key}
        # What is left out stays; null takes it out.
        less = (await patch(client, sites, backend="custom", fallbackURL=None)).json()
        assert less == {**first, "logoutURL": ways["logoutURL"], "privateKey": key}
        other = (await client.post(sites.url("regenerate"))).json()
        assert other.pop("privateKey") != key
        assert other == {**first, "logoutURL": ways["logoutURL"]}
        now = (await client.get(sites.url())).json()
        assert now["privateKey"] not in (key, None)
        theirs = (await client.get(sites.url(site=sites.help))).json()
        assert theirs["privateKey"] not in (key, now["privateKey"])


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"fallbackURL": "https://acme.test"},
        {"backend": "magic"},
        {"backend": None},
        {"backend": "custom", "fallbackURL": "acme.test"},
        {"backend": "custom", "logoutURL": "javascript:alert(1)"},
        {"backend": "custom", "privateKey": "mine"},
    ],
)
async def test_what_is_no_way_to_sign_in_is_refused(sites: Sites, body: Json) -> None:
    async with sites.world.client() as client:
        assert (await client.patch(sites.url(), json=body)).status_code == 400


async def test_an_integration_signs_in_only_where_one_that_can_is_installed(sites: Sites) -> None:
    async with sites.world.client() as client:
        sites.install("chat", "collaboration", sites.docs)
        sites.install("elsewhere", "visitor-auth", sites.help)
        refused = await patch(client, sites, backend="integration")
        assert refused.status_code == 400
        assert "no integration that signs readers in" in refused.json()["error"]["message"]
        sites.install("sign-in", "visitor-auth", sites.docs)
        done = (await patch(client, sites, backend="integration")).json()
        assert (done["backend"], done["integration"]) == ("integration", "sign-in")
        back = (await patch(client, sites, backend="custom")).json()
        assert "integration" not in back


async def test_the_key_is_for_administrators_only(sites: Sites) -> None:
    writer = sites.world.user("lee", "create")
    async with sites.world.client(writer) as client:
        assert (await client.get(sites.url())).status_code == 403
        assert (await client.post(sites.url("regenerate"))).status_code == 403
        assert (await patch(client, sites, backend="custom")).status_code == 403
    async with sites.world.client() as client:
        gone = sites.url(site="nothing")
        assert (await client.get(gone)).status_code == 404
