"""A file of redirects: what becomes of each line on a site, and what is wrong with others."""

from __future__ import annotations

import os
from io import BytesIO
from pathlib import Path
from typing import Any, cast

import pytest

from copydesk.client.api import Api
from copydesk.domain.redirect_file import BadLine, Wanted
from copydesk.domain.site_tree import Structure
from copydesk.session import redirect_plan
from copydesk.session.reads.redirects import RedirectRow, RedirectsRead, SitePaths
from copydesk.session.redirect_plan import (
    PlannedRedirect,
    RedirectPlan,
    plan_of,
    read_file,
    read_from,
)
from copydesk.session.site_rows import SiteRow
from tests.session.redirects import SITE, Service, paths

GUIDES = {"kind": "site-section", "siteSectionId": "guides"}
FRENCH = {"kind": "site-space", "siteSpaceId": "fr"}


def row(
    source: str, destination: Any, leads: str, *, permanent: bool = True, draft: bool = False
) -> RedirectRow:
    """Return a redirect that the site has."""
    body = {"source": source, "draft": draft, "captureWildcard": False, "permanent": permanent,
            "destination": destination}  # fmt: skip
    return RedirectRow(source[1:], source, leads, draft, permanent, False, leads, body=body)


def read(*rows: RedirectRow) -> RedirectsRead:
    """Return what was read of the site."""
    return RedirectsRead(SITE, rows, paths())


async def faults(*wanted: Wanted, site: RedirectsRead | None = None) -> list[str]:
    """Return what is wrong with lines."""
    plan = await plan_of(wanted, (), site or read())
    return [f"{each.line}: {each.why}" for each in plan.bad]


async def test_each_line_is_sent_or_has_nothing_to_change() -> None:
    had = {
        each.id: each
        for each in (
            row("/same", GUIDES, "/guides"),
            row("/brief", GUIDES, "/guides", permanent=False),
            row("/goes", GUIDES, "/guides"),
            row("/turns", GUIDES, "/guides", permanent=False),
            row("/both", FRENCH, "/guides/fr"),
            row("/shown", GUIDES, "/guides", draft=True),
        )
    }
    lines = (
        Wanted(2, "/same", "/guides"),
        Wanted(3, "/brief", "/guides/"),
        Wanted(4, "/goes", "-"),
        Wanted(5, "/gone", "-"),
        Wanted(6, "/turns", "/guides/fr"),
        Wanted(7, "/new/*", "/guides", capture=True, draft=True),
        Wanted(8, "/both", "/guides/fr", permanent=False),
        Wanted(9, "/same", "-", draft=True),
        Wanted(10, "/none", "/nowhere"),
        Wanted(11, "/page", "/start/a/p"),
        Wanted(12, "/shown", "/guides", capture=True, draft=True),
    )
    plan = await plan_of(lines, [BadLine(1, "bad"), BadLine(20, "bad")], read(*had.values()))
    assert (plan.same, plan.gone) == (2, 2)
    assert [(each.line, each.before, each.sentence) for each in plan.staged] == [
        (4, had["goes"], "remove /goes"),
        (6, had["turns"], "change /turns to /guides/fr, temporary"),
        (7, None, "add /new/* to /guides, permanent, the rest kept, a draft"),
        (8, had["both"], "change /both to /guides/fr, temporary"),
        (11, None, "add /page to /start/a/p, permanent"),
        (12, had["shown"], "change /shown to /guides, permanent, a draft"),
    ]
    assert [each.body for each in plan.staged[:3]] == [
        {"source": "/goes", "intent": "live", "destination": None},
        {"source": "/turns", "intent": "live", "destination": FRENCH, "captureWildcard": False,
         "permanent": False},
        {"source": "/new/*", "intent": "draft", "destination": GUIDES, "captureWildcard": True,
         "permanent": True},
    ]  # fmt: skip
    assert [each.line for each in plan.bad] == [1, 10, 20]
    assert plan.bad[1].why == "/nowhere: the site shows nothing at /nowhere"
    assert plan.notes == []


async def test_what_a_line_means_for_readers_is_noted_once_all_are_sent() -> None:
    had = (row("/old", GUIDES, "/guides"), row("/turns", GUIDES, "/guides"))
    lines = (
        Wanted(1, "/guides", "/start"),
        Wanted(2, "/older", "/old"),
        Wanted(3, "/turns", "/start"),
        Wanted(4, "/then", "/turns"),
        Wanted(5, "/start", "/guides", draft=True),
    )
    plan = await plan_of(lines, (), read(*had))
    assert plan.notes == [
        "/guides: shadowed: the site shows Guides there",
        "/older: chain: /older to /old to /guides",
        "/then: chain: /then to /turns to /start",
    ]
    gone = await plan_of([Wanted(1, "/old", "-"), Wanted(2, "/turns", "/x/y")], (), read(*had))
    assert [each.verb for each in gone.staged] == ["remove"]
    assert gone.notes == []


async def test_a_line_that_leads_to_nothing_or_to_itself_is_wrong() -> None:
    circle = (Wanted(1, "/a", "/b"), Wanted(2, "/b", "/a"))
    assert await faults(
        *circle,
        Wanted(3, "/into", "https://docs.test/a"),
        Wanted(4, "/in", "/a"),
        Wanted(5, "/draft", "/a", draft=True),
    ) == [
        "1: /b: a loop of lines 1 and 2: /a to /b to /a",
        "2: /a: a loop of lines 1 and 2: /b to /a to /b",
        "4: /a: it leads into a loop of lines 1 and 2: /a to /b to /a",
        "5: /a: it leads into a loop of lines 1 and 2: /a to /b to /a",
    ]
    assert await faults(Wanted(3, "/a", "https://docs.test/a")) == [
        "3: https://docs.test/a: a loop of line 3: /a to /a"
    ]
    [long] = await faults(Wanted(3, "/a", f"/none/{'x' * 200}"))
    assert long.startswith(f"3: /none/{'x' * 94}: the site")
    assert await faults(Wanted(1, "/a", "https://docs.test/a", draft=True)) == []
    assert await faults(
        Wanted(1, "/n", "/home/none/"),
        Wanted(2, "/m", "/n"),
        Wanted(3, "/w/*", "/never", capture=True),
        Wanted(4, "/v", "/w/rest"),
        Wanted(5, "/u", "ftp://" + "x" * 200),
        Wanted(6, "/home", "/home/start"),
        Wanted(7, "/out", "https://x.test/"),
        Wanted(8, "/further", "/out"),
        Wanted(9, "/shut", "/draft"),
        Wanted(10, "/draft", "/start", draft=True),
    ) == [
        "1: /home/none/: the site shows nothing at /home/none",
        "2: /n: the site shows nothing at /home/none",
        "3: /never: the site shows nothing at /never",
        "4: /w/rest: the site shows nothing at /never/rest",
        f"5: ftp://{'x' * 94}: "
        "write a path of the site, as /guides, or an address with https:// or http://",
        "6: /home/start: the site shows nothing at /home/start: Start is at /start",
        "9: /draft: the site shows nothing at /draft",
    ]


async def test_a_line_may_lead_to_a_path_that_only_a_redirect_holds_for() -> None:
    had = (row("/old", GUIDES, "/guides"), row("/gone", GUIDES, "/guides"))
    lines = (Wanted(1, "/new", "/old/"), Wanted(2, "/gone", "-"), Wanted(3, "/next", "/gone"))
    plan = await plan_of(lines, (), read(*had))
    assert plan.staged[0].body["destination"] == {
        "kind": "external",
        "url": "https://docs.test/old",
    }
    assert [each.line for each in plan.bad] == [3]
    bare = SiteRow("site", "Docs", "public", True, 3, "", "", False, "", None)
    service = cast("Api", Service())
    none = RedirectsRead(bare, had, SitePaths(service, bare, Structure({}, {})))
    assert await faults(Wanted(1, "/new", "/old"), Wanted(2, "/top", "/"), site=none) == [
        "1: /old: the site has no address yet: write a path that it shows",
        "2: /: the site shows nothing at /",
    ]


def test_what_has_nothing_to_change_is_counted_in_words() -> None:
    assert RedirectPlan().already == []
    assert RedirectPlan(same=1).already == ["1 redirect is there already"]
    assert RedirectPlan(same=2, gone=1).already == [
        "2 redirects are there already", "1 redirect is gone already",
    ]  # fmt: skip
    assert RedirectPlan(gone=3).already == ["3 redirects are gone already"]
    assert PlannedRedirect(1, {"source": "/a\x07"}, None, None).sentence == "remove /a"


def test_a_file_is_read_whole_or_said_not_to_be_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "moved.csv").write_bytes(b"\xef\xbb\xbf/a,/b\n")
    assert read_file(tmp_path / "moved.csv") == ([Wanted(1, "/a", "/b")], [])
    with pytest.raises(ValueError, match=r"^that is a folder$"):
        read_file(tmp_path)
    with pytest.raises(ValueError, match=r"^there is no such file$"):
        read_file(tmp_path / "none.csv")
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(ValueError, match=r"^that is a pipe or a device$"):
        read_file(tmp_path / "pipe")
    with pytest.raises(ValueError, match=r"^not UTF-8 text \(byte 1,003\)$"):
        read_from(BytesIO(b"x" * 1002 + b"\xff"))
    monkeypatch.setattr(redirect_plan, "LARGEST", 6)
    assert read_from(BytesIO(b"/a,/b\n"))[0]
    with pytest.raises(ValueError, match=r"^it has more than 10 MiB$"):
        read_from(long := BytesIO(b"/a,/b\n" * 9))
    assert long.tell() == 7, "no more of it is read"
