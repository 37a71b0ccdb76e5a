"""Commands over a service whose every text is hostile: what they print harms no terminal."""

from __future__ import annotations

import asyncio
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from copydesk.cli import main
from tests.cli.script_desk import Screen
from tests.cli.test_accounts import served
from tests.hostile import FORBIDDEN, hostile
from tests.server.everything import Everything, everything
from tests.world import World

TOLD = re.compile(r"\x1b\[(?:31|32|1|0)m|\r?\n|\r *\r")
"""What commands say to a terminal themselves: tones, the end of a line, a line put out again."""


@pytest.fixture
def there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Everything]:
    """A desk with one of everything, served by a hostile service, which this machine uses."""
    world = World(tmp_path / "desk.db")
    made = asyncio.run(everything(world))
    monkeypatch.setenv("COPYDESK_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("COPYDESK_TOKEN", world.token(world.ana))
    monkeypatch.setenv("COLUMNS", "80")
    with served(world) as server:
        server.plan = hostile
        monkeypatch.setenv("COPYDESK_BASE_URL", server.url)
        yield made
    world.close()


def test_no_command_prints_what_harms_a_terminal(
    there: Everything,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    space, site = there.space, there.site
    at = ("--space", space)
    plan = tmp_path / "plan.yaml"
    plan.write_text("site: \u202e\n", encoding="utf-8")
    commands: list[tuple[str, ...]] = [
        ("api", "GET", "/orgs"),
        ("api", "GET", f"/orgs/{there.organization}/spaces", "--paginate", "--json"),
        ("api", "GET", "/orgs/none\u202e"),
        ("cr", "list", *at),
        ("cr", "list", "--status", "merged", "--json"),
        ("cr", "show", "2", *at),
        ("cr", "diff", "2", *at),
        ("cr", "diff", "2", *at, "--json"),
        ("cr", "diff", "2", *at, "--patch"),
        ("cr", "comment", "2", "Well\x1b[2J\udcff", *at),
        ("cr", "show", "\u202e\x1b]0;x\x07\udcff", *at),
        ("clusters",),
        ("clusters", "show", there.cluster, "--json"),
        ("clusters", "show", "none"),
        ("sites",),
        ("sites", "show", site),
        ("structure", "export", site),
        ("structure", "apply", site, str(plan), "--plan"),
        ("cr", "comment", "2", "Well", *at),
        ("log",),
        ("log", "--json"),
        ("doctor",),
    ]
    ended = [0] * 4
    for command in commands:
        screen, told = Screen(), Screen()
        with monkeypatch.context() as patch:
            patch.setattr(sys, "stdout", screen)
            patch.setattr(sys, "stderr", told)
            ended[main(list(command))] += 1
        for text in (screen.text(), told.text()):
            assert "Traceback" not in text, command
            left = TOLD.sub("", text)
            found = FORBIDDEN.search(left)
            assert found is None, (command, left[max(0, found.start() - 60) : found.end() + 20])
    assert ended[0] >= 16, ended
