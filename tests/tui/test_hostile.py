"""Every place over a service whose every text is hostile: nothing of it reaches the terminal."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest
from rich.cells import cell_len

from copydesk.client.api import Api
from copydesk.contract import operations as ops
from copydesk.server.app import create_app, mint_token
from copydesk.server.sample import build_sample
from copydesk.server.store import Store
from copydesk.tui import places
from copydesk.tui.app import CopydeskApp
from copydesk.tui.place import Place
from copydesk.tui.places import Target
from copydesk.tui.reference import load_everything
from copydesk.tui.session import MemorySnapshot, Session
from tests.drive import Driver, drive
from tests.hostile import FORBIDDEN, POISON, RETURNED, HostileTransport
from tests.world import BASE_URL

EVERY_KEY = os.environ.get("HYPOTHESIS_PROFILE") == "long"
"""Whether every key of a place is pressed there, instead of the few that show most."""

FEW = {"changes": ("Y",), "members": ("e",)}
"""The keys that are pressed otherwise: a sheet with what there is to copy, and a form."""

PARTS = 2
"""In so many tests all places are looked at, so that they share the processors."""


class Sample:
    """The sample desk, and clients of it."""

    def __init__(self) -> None:
        self._store = Store(durable=False)
        owner = build_sample(self._store)
        self.app = create_app(self._store)
        self.token = self._store.write(lambda tx: mint_token(tx, owner, "test"))

    def close(self) -> None:
        """Close the desk."""
        self._store.close()

    def api(self, poison: str = "") -> Api:
        """Return a client; each text that it reads is followed by ``poison``."""
        way = HostileTransport(self.app, raise_app_exceptions=False)
        way.poison = poison
        return Api(BASE_URL, self.token, transport=way)


@pytest.fixture
def sample() -> Iterator[Sample]:
    """The sample desk."""
    made = Sample()
    yield made
    made.close()


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
        "collection-spaces": at.but(item=collection),
        "commenters": at.but(change_request=request),
        "impact": at.but(change_request=request),
        "integration": at.but(item="lantern-chat"),
        "member": at.but(item=member),
        "pages": at.but(change_request=request),
        "review": at.but(change_request=request),
        "team-members": at.but(item=team),
    }


def but_hostile(target: Target) -> Target:
    """Return the ids as a hostile service gives them."""
    named = {name: getattr(target, name) for name in target.__dataclass_fields__}
    return target.but(**{name: each + RETURNED for name, each in named.items() if each is not None})


def look(app: CopydeskApp, when: str) -> None:
    """Fail where a cell of the screen has what no terminal should get."""
    for strip in app.screen._compositor.render_strips(app.size):
        assert cell_len(strip.text) == app.size.width, f"{when}: {strip.text!r}"
        for text, style, control in strip:
            assert not FORBIDDEN.search(text), f"{when}: {text!r}"
            assert not control, when
            assert style is None or not (style.link or style.meta.get("@click")), when


async def back(driver: Driver) -> None:
    """Leave all that was opened, sheets and places, but the first place."""
    while len(driver.app.screen_stack) > 2:
        driver.app.pop_screen()
    await driver.idle()


@pytest.mark.parametrize("part", range(PARTS))
async def test_nothing_hostile_reaches_the_terminal(sample: Sample, part: int) -> None:
    load_everything()
    async with sample.api() as api:
        wanted = await targets(api)

    async def connect() -> Api:
        return sample.api(POISON)

    app = CopydeskApp(Session(connect, snapshot=MemorySnapshot(), host="desk.test"), "spaces")
    async with drive(app, size=(80, 24)) as driver:
        look(app, "at first")
        for name, entry in sorted(places.ENTRIES.items())[part::PARTS]:
            if name != entry.place.PLACE or not entry.place.__module__.startswith("copydesk."):
                continue  # another way to the same place, or one that tests made
            await app.go(name, but_hostile(wanted.get(name, wanted[""])))
            await driver.idle()
            look(app, name)
            for key in sorted(keys_of(entry.place)) if EVERY_KEY else FEW.get(name, ()):
                await driver.press(key)
                assert not app._exit, f"{name}, {key} ends the program"
                look(app, f"{name}, {key}")
                await driver.press("escape")
                if not isinstance(app.screen, entry.place):
                    await back(driver)
                    await app.go(name, but_hostile(wanted.get(name, wanted[""])))
                    await driver.idle()
            await back(driver)


def keys_of(place: type[Place]) -> set[str]:
    """Return the keys of a place, but those that leave the program or ask another."""
    keys = {key for action in place.ACTIONS.values() for key in action.keys}
    return keys - {"q", "Q", "ctrl+c", "ctrl+q", "ctrl+z", "o"}
