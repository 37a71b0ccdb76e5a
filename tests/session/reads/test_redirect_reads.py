"""Redirects of a site that tells no addresses of its parts, and those that go in a circle."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import cast

import pytest

from copydesk.client.api import Api
from copydesk.contract.models.redirect import SiteRedirect
from copydesk.domain.redirects import LONGEST
from copydesk.domain.site_tree import SiteNode, Structure
from copydesk.session.reads.redirects import (
    MOST_SPACES,
    RedirectRow,
    SitePaths,
    find_way,
    redirect_row,
    with_troubles,
)
from tests.session.redirects import SITE, Service, paths
from tests.session.rows import NOW


def test_each_part_has_its_own_address_or_the_one_of_its_place() -> None:
    found = paths()
    assert found.of == {
        "home": "/", "guides": "/guides", "en": "/guides", "fr": "/guides/fr", "start": "/start",
        "alone": "/alone", "moved": "/there", "away": "/away", "old": "/old", "shut": "/shut",
    }  # fmt: skip
    assert {path: node.id for path, node in found.shown.items()} == {
        "/": "home", "/guides": "guides", "/guides/fr": "fr", "/start": "start", "/alone": "alone",
        "/there": "moved", "/away": "away", "/shut": "shut",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("source", "capture", "permanent", "draft", "said"),
    [
        ("/a", False, True, False, "permanent"),
        ("/a/*", True, True, True, "permanent, the rest kept, a draft"),
        ("/a/*", False, False, False, "temporary, the rest left out"),
    ],
)
def test_a_redirect_is_said_in_a_few_words(
    source: str, *, capture: bool, permanent: bool, draft: bool, said: str
) -> None:
    row = RedirectRow("r", source, "/b", draft=draft, permanent=permanent, capture=capture)
    assert row.said == said


def leading(**destination: str) -> dict[str, str]:
    return destination


@pytest.mark.parametrize(
    ("destination", "leads"),
    [
        (leading(kind="external", url="https://docs.test/guides/"), ("/guides", "")),
        (leading(kind="external", url="https://x.test/\x07a"), ("https://x.test/a", "")),
        (leading(kind="external"), ("", "")),
        (leading(kind="site-section", siteSectionId="guides"), ("/guides", "Guides")),
        (leading(kind="site-space", siteSpaceId="fr"), ("/guides/fr", "French")),
        (leading(kind="site-space", siteSpaceId="old"), (None, "")),
        (leading(kind="site-space", siteSpaceId="none"), (None, "")),
        (leading(kind="wormhole\x07"), ("", "wormhole")),
        (leading(kind="site-page", siteSpaceId="fr", pageId="p"), ("/guides/fr/a/p", "Page")),
        (leading(kind="site-page", siteSpaceId="fr", pageId="q"), (None, "")),
        (leading(kind="site-page", siteSpaceId="shut", pageId="p"), ("", "a page of Shut")),
        (leading(kind="site-page", siteSpaceId="away", pageId="p"), ("", "a page of Away")),
    ],
)
async def test_a_destination_is_told_with_its_path_and_its_title(
    destination: dict[str, str], leads: tuple[str | None, str]
) -> None:
    assert await paths().leads(destination) == leads


async def test_a_page_of_the_only_space_is_at_the_root_of_the_site() -> None:
    only = {"only": SiteNode("only", "site-space", "Only", path="only", default=True, space="s")}
    found = SitePaths(cast("Api", Service()), SITE, Structure(only, {}))
    assert found.of == {"only": "/"}
    page = {"kind": "site-page", "siteSpaceId": "only", "pageId": "p"}
    assert await found.leads(page) == ("/a/p", "Page")


@pytest.mark.parametrize(
    ("destination", "shown"),
    [
        (leading(kind="site-space", siteSpaceId="old"), "(gone)"),
        (leading(kind="external"), "?"),
        (leading(kind="wormhole"), "wormhole"),
        (leading(kind="site-section", siteSectionId="guides"), "/guides"),
    ],
)
async def test_a_row_shows_where_it_leads(destination: dict[str, str], shown: str) -> None:
    redirect = SiteRedirect.model_validate(
        {"id": "r", "source": "/a", "permanent": True, "destination": destination,
         "createdAt": NOW, "updatedAt": NOW + timedelta(days=1)}
    )  # fmt: skip
    row = await redirect_row(redirect, paths())
    assert row.to == shown
    assert (row.created, row.updated) == (NOW, NOW + timedelta(days=1))
    [alone] = with_troubles([row], paths())
    assert (alone.id, alone.source, alone.permanent, alone.draft) == ("r", "/a", True, False)
    both = [replace(row, source="/guides", draft=draft) for draft in (True, False)]
    assert [(each.draft, bool(each.trouble)) for each in with_troubles(both, paths())] == [
        (False, True), (True, False),
    ]  # fmt: skip


async def test_the_pages_of_a_space_are_read_once_and_of_so_many_spaces() -> None:
    service = Service()
    many = [
        SiteNode(f"n{at}", "site-space", "N", path=f"n{at}", space=f"m{at}") for at in range(30)
    ]
    found = paths(service, *many)
    told = [
        await found.leads({"kind": "site-page", "siteSpaceId": node.id, "pageId": "p"})
        for node in (*many, many[0])
    ]
    assert service.asked == [node.space for node in many[:MOST_SPACES]]
    assert told[MOST_SPACES - 1] == (f"/n{MOST_SPACES - 1}/a/p", "Page")
    assert told[MOST_SPACES] == ("", "a page of N")
    assert told[-1] == ("/n0/a/p", "Page"), "what was read before is known"
    assert found.titles()["/n3/a/p"] == "Page"
    assert found.titles()["/guides"] == "Guides"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("/", {"kind": "site-section", "siteSectionId": "home"}),
        ("/guides/", {"kind": "site-section", "siteSectionId": "guides"}),
        ("https://docs.test/guides/fr", {"kind": "site-space", "siteSpaceId": "fr"}),
        ("/guides/fr/a/p", {"kind": "site-page", "siteSpaceId": "fr", "pageId": "p"}),
        ("/guides/a/p", {"kind": "site-page", "siteSpaceId": "en", "pageId": "p"}),
        ("https://docs.test/none", {"kind": "external", "url": "https://docs.test/none"}),
        ("https://x.test/a", {"kind": "external", "url": "https://x.test/a"}),
    ],
)
async def test_a_path_means_what_the_site_shows_there(text: str, found: dict[str, str]) -> None:
    assert await paths().destination(text) == found


async def test_the_first_of_a_level_is_said_to_be_where_it_is_served() -> None:
    for text, said in (
        ("/home", "/home: Home is at /"),
        ("/home/start", "/home/start: Start is at /start"),
        ("/guides/en", "/guides/en: Guides is at /guides"),
        ("/guides/en/a/p", "/guides/en/a/p: Page is at /guides/a/p"),
        ("/home/none", "/home/none"),
    ):
        with pytest.raises(ValueError, match=f"^the site shows nothing at {said}$"):
            await paths().destination(text)


@pytest.mark.parametrize("text", ["/none", "/old", "/old/a/p", "/shut/a/p", "none", "ftp://x"])
async def test_a_path_of_nothing_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"^the site shows nothing at |^write a path of the site"):
        await paths().destination(text)


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("/a", "/a goes in a circle: /a to /b to /c to /a."),
        ("/one", "/one leads to /guides (Guides), by /one."),
        ("/two?x#y", "/two leads to /guides (Guides): a chain, /two to /one."),
        ("/out", "/out leads to https://x.test/a, by /out."),
        ("/guides/", "/guides is shown by the site (Guides): no redirect holds there."),
        ("/none", "No redirect holds for /none."),
        ("/X/?", "No redirect holds for /X."),
        ("/top", "/top leads to / (Home), by /top."),
        ("/lost", "/lost leads to /guides/no/page, where the site shows nothing, by /lost."),
        ("/page", "/page leads to /guides/a/p (Page), by /page."),
        ("/hidden", "/hidden leads to /shut/no/page, by /hidden."),
        ("/guides/a/%70", "/guides/a/%70 is shown by the site (Page): no redirect holds there."),
    ],
)
async def test_where_a_path_leads_is_told_step_by_step(path: str, said: str) -> None:
    site = "https://docs.test"
    service = Service(
        a=f"{site}/b", b=f"{site}/c/", c=f"{site}/a", one=f"{site}/guides", two=f"{site}/one",
        out="https://x.test/a", top=f"{site}/", lost=f"{site}/guides/no/page",
        page=f"{site}/guides/a/p", hidden=f"{site}/shut/no/page",
    )  # fmt: skip
    found = paths(service)
    assert (await find_way(cast("Api", service), ("o", "site"), found, path)).said == said
    endless = Service(**{f"n{at}": f"{site}/n{at + 1}" for at in range(LONGEST + 1)})
    way = await find_way(cast("Api", endless), ("o", "site"), found, "/n0")
    assert way.said.startswith(
        f"/n0 leads to /n{LONGEST}, where the site shows nothing: a chain, /n0"
    )
    empty = SitePaths(cast("Api", service), SITE, Structure({}, {}))
    way = await find_way(cast("Api", service), ("o", "site"), empty, "/")
    assert way.said == "No redirect holds for /."
