"""``copydesk spaces``: the spaces with their ids, and the pages of one."""

from __future__ import annotations

from copydesk.server.desk_writes import add_collection
from tests.cli.script_desk import HOSTILE, ScriptDesk


def test_spaces_are_listed_and_shown(scripts: ScriptDesk) -> None:
    world = scripts.world
    outer = world.write(lambda tx: add_collection(tx, world.home, "Products"))
    inner = world.write(lambda tx: add_collection(tx, world.home, "Tools", parent=outer))
    pages = {"start": "# Start\n", "start/more": "# More\n\nText.\n"}
    guide = world.space("Guide", pages, parent=inner)
    world.change_request(guide, {"start": "# Start\n\nNow.\n"}, subject="Begin")
    empty = world.space(HOSTILE)

    table = scripts.out("spaces")
    assert "evil end" in table
    (line,) = (each for each in table.splitlines() if each.startswith("Guide "))
    assert line.split()[:3] == ["Guide", "1", "0"]
    assert line.endswith(f"  Products > Tools  {guide}")
    listed = {each["title"]: each for each in scripts.json("spaces", "list")}
    assert listed.keys() >= {"Guide", HOSTILE}
    told = listed["Guide"]
    assert (told["id"], told["organization"]) == (guide, world.home)
    assert told["collections"] == ["Products", "Tools"]
    assert (told["changeRequestsOpen"], told["changeRequestsDraft"]) == (1, 0)

    shown = scripts.out("spaces", "show", "guide")
    assert "change requests  1 open, 0 draft\n" in shown
    assert shown.endswith("\nPages\nStart   start\n  More   start/more\n")
    value = scripts.json("spaces", "show", guide)
    assert (value["id"], value["pages"][0]["pages"][0]["path"]) == (guide, "start/more")
    assert "There are no pages yet." in scripts.out("spaces", "show", empty)
    assert "no space has the name x. There are: " in scripts.err("spaces", "show", "x", status=1)
    assert not set("\u202e\u202c\x1b\x07") & set(table + shown)


def test_where_there_are_none_it_says_so(scripts: ScriptDesk) -> None:
    world = scripts.world
    world.write(lambda tx: tx.run("UPDATE space SET deleted_at = created_at"))
    assert "There are no spaces." in scripts.err("spaces", status=0)
