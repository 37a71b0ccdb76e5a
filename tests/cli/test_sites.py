"""``copydesk sites``: the sites, and addresses that open the screens."""

from __future__ import annotations

import pytest

from copydesk.cli import main
from copydesk.cli.command_line import parse
from copydesk.server.site_writes import (
    add_link,
    add_section,
    add_section_group,
    add_site,
    add_site_space,
)
from copydesk.server.store import Tx
from copydesk.session.reads.addresses import pointed
from copydesk.session.target import Target
from tests.cli.script_desk import HOSTILE, ScriptDesk


def test_sites_are_listed_and_shown(scripts: ScriptDesk) -> None:
    assert "no sites" in scripts.err("sites", status=0)
    world = scripts.world

    def build(tx: Tx) -> str:
        site = add_site(tx, world.home, "Acme docs", hostname="docs.acme.example")
        add_site(tx, world.home, HOSTILE)
        section = add_section(tx, site, "Guides", group=add_section_group(tx, site, "Products"))
        add_site_space(tx, site, scripts.space, section=section)
        add_link(tx, site, HOSTILE, "https://forum.acme.example", draft=True)
        return site

    site = world.write(build)
    titles = [each["title"] for each in scripts.json("sites", "list")]
    assert sorted(titles) == sorted(["Acme docs", HOSTILE])
    table = scripts.out("sites")
    assert f"docs.acme.example  {site}\n" in table
    assert "evil end" in table
    shown = scripts.out("sites", "show", "https://docs.acme.example/")
    assert "Structure\nProducts\n  Guides   /guides, default, 1 space\n    API reference" in shown
    assert "to https://forum.acme.example, draft" in shown
    value = scripts.json("sites", "show", "acme docs")
    assert value["sections"][0]["siteSpaces"][0]["space"]["id"] == scripts.space
    assert [each["title"] for each in value["sectionGroups"]] == ["Products"]
    assert value["sections"][0]["sectionGroup"] == value["sectionGroups"][0]["id"]
    assert [each["url"] for each in value["externalLinks"]] == ["https://forum.acme.example"]
    assert "no site has the name x. There are: " in scripts.err("sites", "show", "x", status=1)
    assert not set("\u202e\u202c\x1b\x07") & set(table + shown)


@pytest.mark.parametrize(
    ("path", "place", "target"),
    [
        ("o/a/s/b/~/changes/118/limits", "review", Target("a", "b", "118", page="limits")),
        ("o/a/s/b/limits", "pages", Target("a", "b", page="limits")),
        ("o/a/sites/c", "site-structure", Target("a", site="c")),
        ("o/a", "spaces", Target("a")),
    ],
)
def test_an_address_opens_where_it_points(path: str, place: str, target: Target) -> None:
    command = parse([f"https://app.example.com/{path}", "--base-url", "https://api.example.com"])
    assert command.options["base_url"] == "https://api.example.com"
    assert pointed(command.options["url"]) == (place, target)


def test_an_address_that_names_nothing_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["https://app.example.com/hello"]) == 2
    assert "names no organization (/o/…)" in capsys.readouterr().err
    assert main(["https://app.example.com/o/acme"]) == 2
    assert "need a terminal" in capsys.readouterr().err
