"""Addresses that open the screens: their organization, their page, and published ones."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from copydesk.cli.connection import Connection, Service, session_for
from copydesk.cli.errors import UsageError, kept_state
from copydesk.cli.open import _published
from copydesk.contract import operations as ops
from copydesk.local.journal import Journal
from copydesk.local.paths import find_paths
from copydesk.session.identity import identify_at
from copydesk.session.reads.addresses import pointed as pointed_at
from copydesk.session.target import FIRST_PLACE, Target
from copydesk.tui.app import CopydeskApp
from tests.drive import drive
from tests.tui import conftest as of_screens

# Screens are drawn here as in their own tests.
styles_parsed_once = of_screens.styles_parsed_once
drawn_when_asked = of_screens.drawn_when_asked

MANUAL = "UTKqrH3Z7rUHzUyS8UDk"
"""A space of the second organization of the sample."""

PEBBLEBOX = "THLZExiLLygZCz25PmL2"


@pytest.fixture
def connection(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Connection]:
    """The sample."""
    monkeypatch.setenv("COPYDESK_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("COPYDESK_TOKEN", raising=False)
    monkeypatch.delenv("COPYDESK_BASE_URL", raising=False)
    found = Service().connection()
    found.make()
    yield found
    found.close()


async def opened(connection: Connection, place: str, target: Target, *keys: str) -> str:
    """Return the screen that a target opens."""
    paths = find_paths().make()
    session = session_for(connection, paths, Journal(kept_state(), connection.key))
    session.identify = lambda session, api: identify_at(target, session, api)
    async with drive(CopydeskApp(session, place, target), *keys) as driver:
        return driver.screen


@pytest.mark.parametrize(
    "address", [f"s/{MANUAL}", f"o/{PEBBLEBOX}/s/{MANUAL}", f"s/{MANUAL}/~/changes/7"]
)
async def test_the_organization_is_that_of_what_is_opened(
    connection: Connection, address: str
) -> None:
    pointed = pointed_at(f"https://app.example.com/{address}")
    assert pointed is not None
    assert "Pebblebox > Manual" in await opened(connection, *pointed)
    for keys, shown in (("gt", "docs.pebblebox.example"), ("gs", "Manual")):
        screen = await opened(connection, *pointed, *keys)
        assert "Pebblebox" in screen.splitlines()[0]
        assert shown in screen
        assert "Quayside" not in screen


async def test_the_page_of_an_address_is_opened(connection: Connection) -> None:
    pointed = pointed_at(f"https://app.example.com/s/{MANUAL}/restore/")
    assert pointed == ("pages", Target(space=MANUAL, page="restore"))
    assert "┏━ Restore" in await opened(connection, *pointed)
    for page, title in (("restore", "2/2 → Restore"), ("my-disk-just-died", "1/2")):
        pointed = pointed_at(f"https://app.example.com/s/{MANUAL}/~/changes/7/{page}")
        assert pointed is not None
        assert title in await opened(connection, *pointed)


def test_a_published_address_is_found_through_the_sites(connection: Connection) -> None:
    async def find(url: str) -> tuple[str, Target]:
        assert pointed_at(url) is None
        return await _published(connection, url)

    for url, space, page in (
        ("https://docs.pebblebox.example", MANUAL, None),
        ("https://docs.pebblebox.example/restore?q=1#top", MANUAL, "restore"),
        ("http://docs.PEBBLEBOX.example/1/install/", "7jDbngUa1UrQuTXAuKOY", "install"),
        ("https://docs.quayside.example/api/v1/a/b", "u7qXQcXesviOUlSYLn0I", "a/b"),
        ("https://docs.quayside.example/web/web-sdk", "DQMgBmnyVMQsk1uBc78K", None),
        ("https://partners.quayside.example/apps/x", "ZYsQNYB4ad0xISxr4ZM6", "x"),
    ):
        place, target = asyncio.run(find(url))
        assert (place, target.space, target.page) == ("pages", space, page), url
    with pytest.raises(UsageError, match="no site that you can see is published there"):
        asyncio.run(find("https://docs.pebblebox.example.org/restore"))
    assert pointed_at("https://app.example.com/o/x") == (FIRST_PLACE, Target(organization="x"))


async def test_no_browser_is_given_the_address_of_a_desk_in_the_process(
    connection: Connection,
) -> None:
    async with await connection.connect() as api:
        (home, _) = (await api.page(ops.list_organizations)).items
        (request, *_) = (await api.page(ops.list_organization_change_requests, home.id)).items
    found = pointed_at(request.urls.app or "")
    assert found == ("review", Target(home.id, request.space, str(request.number)))
    assert "No browser reaches this desk." in await opened(connection, *found, "o")
    assert "http://desk.invalid/app/o/" in await opened(connection, *found, "y")
