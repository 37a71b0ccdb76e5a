"""``copydesk cr check``: built-in checks and commands, on what a change request changes."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest

from copydesk.local.paths import find_paths
from copydesk.server.desk_writes import Editor
from tests.cli.script_desk import HOSTILE, ScriptDesk

BEFORE = {
    "retries": "# Retries\n\n[gone](nowhere.md)\n\nWe try three times.\n",
    "limits": "# Limits\n\nSee [retries](retries.md) and [old](old.md).\n",
    "old": "# Old\n\nThis is old.\n",
    "guides": "# Guides\n\nAll of them.\n",
    "moving": "# Moving\n\nIt moves.\n",
    "guides/start": "# Start\n\nBegin here.\n",
}
AFTER = (
    "# Retries\n\n[gone](nowhere.md)\n\nWe try five times, then [old](old.md) and [m](moving.md).\n"
    "![](https://example.com/a.png)\n\n[other](new-nowhere.md) and [start](start.md)\n\n#### Deep\n"
)


def _began(scripts: ScriptDesk) -> str:
    """Begin a change request that breaks links, in a space of its own."""

    def edit(editor: Editor) -> None:
        editor.write(editor.find("retries"), AFTER)
        editor.remove(editor.find("old"))
        editor.move(editor.find("moving"), editor.find("guides"))

    world = scripts.world
    space = world.space("Guides", BEFORE)
    return world.change_request(space, edit=edit, subject="Five")


def _settings(check: str) -> None:
    path = find_paths().settings
    assert Path(os.environ["COPYDESK_HOME"]) in path.parents
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"[checks]\n{check}\n")


def _command(script: str) -> str:
    return json.dumps([sys.executable, "-c", script])


def test_what_a_request_brings_is_found_and_what_was_there_is_not(scripts: ScriptDesk) -> None:
    request = _began(scripts)
    said = scripts.out("cr", "check", request, status=1)
    assert said.splitlines() == [
        "retries.md:5: copydesk link: The link old.md leads to Old, which this change request "
        "deletes.",
        "retries.md:5: copydesk link: The link moving.md leads to where Moving was: it moved to "
        "/guides/moving.",
        "retries.md:6: copydesk alt: The picture https://example.com/a.png has no alternative "
        "text.",
        "retries.md:8: copydesk link: The link new-nowhere.md leads to no page and no file.",
        "retries.md:8: copydesk link: The link start.md leads to no page and no file; Start is at "
        "/guides/start.",
        "retries.md:10: copydesk heading: This heading is of level 4, and what it is below of "
        "level 1.",
        "copydesk: 6 findings, 1 in older text.",
    ]
    assert "retries.md:3: copydesk link" in scripts.out("cr", "check", request, "--all", status=1)
    told = json.loads(scripts.out("cr", "check", request, "--json", status=1))
    assert [each["line"] for each in told["findings"]] == [5, 5, 6, 8, 8, 10]
    assert told["checks"] == [
        {"name": "copydesk", "findings": 6, "older": 1, "trouble": None, "unread": []}
    ]


def test_a_request_without_findings_is_fine(scripts: ScriptDesk) -> None:
    world = scripts.world
    request = world.change_request(scripts.space, {"retries": "# Retries\n\nFive.\n"})
    assert scripts.out("cr", "check", request) == "copydesk: 0 findings.\n"


def test_commands_get_the_pages_as_files_and_findings_keep_to_new_lines(
    scripts: ScriptDesk, tmp_path: Path
) -> None:
    seen = tmp_path / "seen.json"
    script = (
        "import json, os, stat, sys\n"
        "for path in sys.argv[1:]:\n"
        "    for at, line in enumerate(open(path), 1):\n"
        "        if 'five' in line or 'gone' in line:\n"
        "            print(f'{path}:{at}:3: No \\x1b[31mnumbers')\n"
        "print('2 problems')\n"
        f"json.dump([os.getcwd(), stat.S_IMODE(os.stat('.').st_mode), sys.argv[1:],"
        f" sorted(os.environ)], open({str(seen)!r}, 'w'))\n"
        "sys.exit(1)\n"
    )
    _settings(f"numbers = {{command = {_command(script)}}}")
    said = scripts.out("cr", "check", _began(scripts), status=1)
    assert "retries.md:5: numbers: No numbers\n" in said
    assert "retries.md:3: numbers" not in said
    assert "numbers: 1 finding, 1 in older text, " in said
    assert "1 line of its output cannot be read." in said
    assert said.splitlines()[-1] == "7 findings in all."
    folder, mode, files, variables = json.loads(seen.read_text())
    assert (mode, files) == (0o700, ["retries.md", "guides/moving.md"])
    assert not Path(folder).exists()
    assert "COPYDESK_TOKEN" not in variables


@pytest.mark.parametrize(
    ("check", "said"),
    [
        ('x = {command = ["no-such-command"]}', "x: no-such-command is not there."),
        (f"x = {{command = {_command('import sys; sys.exit(2)')}}}",
         "x: it failed with status 2: it said nothing."),
        (f"x = {{command = {_command('import time; time.sleep(600)')}, seconds = 1}}",
         "x: stopped after 1 s."),
        (f"x = {{command = {_command('print(1)')}, reads = 'vale'}}",
         "x: what it says cannot be read as vale."),
    ],
)  # fmt: skip
def test_a_command_of_no_use_says_why(scripts: ScriptDesk, check: str, said: str) -> None:
    request = scripts.world.change_request(scripts.space, {"retries": "# Retries\n\nFive.\n"})
    _settings(check)
    assert scripts.out("cr", "check", request, status=1) == f"copydesk: 0 findings.\n{said}\n"


def test_a_hostile_title_is_made_safe(scripts: ScriptDesk) -> None:
    world = scripts.world

    def edit(editor: Editor) -> None:
        page = editor.find("old")
        editor.rename(page, HOSTILE, "old")
        editor.move(page, editor.find("guides"))
        editor.write(
            editor.find("limits"), "# Limits\n\n[x](old.md#\u202e)\n\n![\u202e](x\u202e)\n"
        )

    space = world.space("Guides", BEFORE)
    said = scripts.out("cr", "check", world.change_request(space, edit=edit), status=1)
    assert "leads to where evil end was: it moved to /guides/old." in said
    assert "\u202e" not in said


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ('[checks]\nprose = {command = "vale"}', "check prose: command must be a list"),
        ('[checks]\nprose = {comand = ["vale"]}', "comand is not a key of a check"),
        ('[check]\nprose = {command = ["vale"]}', "check is not a setting: did you mean checks?"),
    ],
)
def test_a_check_that_cannot_be_run_is_not_left_out(
    scripts: ScriptDesk, settings: str, said: str
) -> None:
    _settings("")
    find_paths().settings.write_text(f"{settings}\n")
    request = scripts.world.change_request(scripts.space, {"retries": "# Retries\n\nFive.\n"})
    assert said in scripts.err("cr", "check", request, status=2)
