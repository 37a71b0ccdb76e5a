"""The sample desk, with clients of it, and what each place shows of it."""

from __future__ import annotations

import sqlite3
from functools import cache

from copydesk.client.api import Api
from copydesk.client.in_process import AppTransport
from copydesk.contract import operations as ops
from copydesk.server.app import create_app, mint_token
from copydesk.server.sample import build_sample
from copydesk.server.store import Store
from copydesk.session.target import Target
from tests.drive import Driver
from tests.hostile import HostileTransport
from tests.world import BASE_URL

SIZES = [(80, 24), (180, 40)]
"""The wide one has every pane; the small one leaves most of them out."""


PARTS = 3
"""In so many tests all places are looked at, so that they share the processors."""


@cache
def _made() -> tuple[Store, str]:
    """Return the sample, and a token of its owner: made once and copied."""
    store = Store(durable=False)
    owner = build_sample(store)
    return store, store.write(lambda tx: mint_token(tx, owner, "test"))


class _CopiedStore(Store):
    def _migrate(self, writer: sqlite3.Connection) -> None:
        _made()[0]._writer.backup(writer)


class Sample:
    """The sample desk, and clients of it."""

    def __init__(self) -> None:
        self._store = _CopiedStore(durable=False)
        self.app = create_app(self._store)
        _, self.token = _made()

    def close(self) -> None:
        """Close the desk."""
        self._store.close()

    def api(self, poison: str = "") -> Api:
        """Return a client; each text that it reads is followed by ``poison``, if there is any."""
        if not poison:
            return Api(BASE_URL, self.token, transport=AppTransport(self.app))
        way = HostileTransport(self.app, raise_app_exceptions=False)
        way.poison = poison
        return Api(BASE_URL, self.token, transport=way)


async def targets(api: Api) -> dict[str, Target]:
    """Return what each place shows, so that much is to be seen; "" is for all not named."""
    organizations = {each.title: each.id for each in (await api(ops.list_organizations)).items}
    home = organizations["Quayside"]
    found = (await api(ops.list_organization_spaces, home)).items
    spaces = {each.title: each.id for each in found}
    sites = {each.title: each.id for each in (await api(ops.list_sites, home)).items}
    guide, site = spaces["Platform guide"], sites["Quayside Docs"]
    section = (await api(ops.list_site_sections, home, site)).items[0].id
    request = (await api(ops.list_space_change_requests, guide)).items[0].id
    team = (await api(ops.list_teams, home)).items[0].id
    member = (await api(ops.list_members, home)).items[0].id
    pages = (await api(ops.list_space_pages, guide)).pages
    collection = (await api(ops.list_organization_collections, home)).items[0].id
    at = Target(home, guide, site=site, section=section)
    return {
        "": at,
        "backlinks": at.but(page=pages[0].id),
        "blame": at.but(page=pages[0].id),
        "collection-spaces": at.but(item=collection),
        "impact": at.but(change_request=request),
        "integration": at.but(item="lantern-chat"),
        "member": at.but(item=member),
        "openapi-versions": at.but(item="payments"),
        "pages": at.but(change_request=request),
        "review": at.but(change_request=request),
        "team-members": at.but(item=team),
    }


async def back(driver: Driver) -> None:
    """Leave all that was opened, sheets and places, but the first place."""
    while len(driver.app.screen_stack) > 2:
        driver.app.pop_screen()
    await driver.idle()
