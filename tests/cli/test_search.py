"""``copydesk search``: what has some words, from scripts."""

from __future__ import annotations

from copydesk.server.site_writes import add_site, add_site_space
from copydesk.server.store import Tx
from tests.cli.script_desk import HOSTILE, ScriptDesk


def test_pages_are_found_everywhere_in_a_space_and_in_a_site(scripts: ScriptDesk) -> None:
    world = scripts.world
    world.space(HOSTILE, {"stop": "# Stop\n\nWe stop here \x1b[31mfor good.\n"})

    def build(tx: Tx) -> None:
        add_site_space(tx, add_site(tx, world.home, "Docs", hostname="docs.example"), scripts.space)

    world.write(build)
    table = scripts.out("search", "we", "STOP")
    assert len(table.splitlines()) == 3
    assert "evil end" in table
    assert not set("\u202e\x1b") & set(table)
    found = scripts.json("search", "stop", "--space", "API reference")
    assert [(each["spaceTitle"], each["path"]) for each in found] == [
        ("API reference", "retries#retries")
    ]
    assert "Then we stop." in found[0]["says"]
    assert scripts.json("search", "stop", "--site", "docs.example")[0]["space"] == scripts.space
    assert "No page of this space has this word." in scripts.err(
        "search", "nothing", "--space", "API reference", status=0
    )
    assert "say what to look for" in scripts.err("search", " ", status=2)
    assert "no letter" in scripts.err("search", "!!", status=2)
    assert "no site has the name x" in scripts.err("search", "a", "--site", "x", status=1)
