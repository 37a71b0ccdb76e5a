"""Commands over a service whose every text is hostile: what they print harms no terminal."""

from __future__ import annotations

import asyncio
import re
import sys
from argparse import ArgumentParser, _SubParsersAction
from collections.abc import Iterator
from pathlib import Path

import pytest

from copydesk.cli import main
from copydesk.cli.parser import build_parser
from tests.cli.script_desk import Screen
from tests.faulty import served
from tests.hostile import FORBIDDEN, POISON, RETURNED, hostile
from tests.server.everything import Everything, everything
from tests.world import World

TOLD = re.compile(r"\x1b\[(?:31|32|1|0)m|\r?\n|\r\x1b\[K")
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
    name = re.sub("[/\x00\ufffd]", "", RETURNED)[:60]
    talks = tmp_path / "talks.json"
    talks.write_text('[{"id": "\u202e\x1b]0;x\x07"}, "\x9b31m"]', encoding="utf-8")
    source = tmp_path / "source"
    source.mkdir()
    (source / "SUMMARY.md").write_text(f"# {name}\n\n* [{name}](a.md)\n* [b](no{name}.md)\n")
    (source / "a.md").write_text(f"# {name}\n")
    (source / f"x{name}.md").write_text(f"# {name}\n")
    desk = str(tmp_path / f"desk{name}.db")
    commands: list[tuple[str, ...]] = [
        ("api", "GET", "/orgs"),
        ("api", "GET", f"/orgs/{there.organization}/spaces", "--paginate", "--json"),
        ("api", "GET", f"/orgs/{there.organization}/spaces", "--paginate"),
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
        ("clusters", "list", "--json"),
        ("clusters", "show", there.cluster, "--json"),
        ("clusters", "show", there.cluster, "--unmask"),
        ("clusters", "show", "none"),
        ("sites",),
        ("sites", "list", "--json"),
        ("sites", "show", site),
        ("structure", "export", site),
        ("structure", "apply", site, str(plan), "--plan"),
        ("cr", "comment", "2", "Well", *at),
        ("cr", "merge", "2", *at, "--yes"),
        ("conversations", "send", str(talks), "--organization", there.organization),
        ("conversations", "send", str(talks), "--skip-bad", "--json"),
        ("log",),
        ("log", "--json"),
        ("log", "--file"),
        ("outbox",),
        ("cache", "show"),
        ("cache", "clear"),
        ("doctor",),
        ("profiles",),
        ("profiles", "use", RETURNED),
        ("login", "other", "--base-url", f"https://{RETURNED}", "--token-stdin"),
        ("logout", RETURNED),
        ("ops",),
        ("keys",),
        ("completion", "bash"),
        ("serve", "--host", RETURNED),
        ("desk", "import", str(source), "--desk", desk, "--organization", f"A{name}"),
        ("desk", "import", str(source / "none\u202e"), "--desk", desk),
        ("desk", "export", "\u202e\x1b]0;x\x07", str(tmp_path / "out"), "--desk", desk),
        ("desk", "token", "--desk", desk),
        ("desk", "token", "--desk", desk, "--user", POISON),
        ("desk", "sample", "--desk", desk),
        ("desk", "check", "--desk", desk),
        ("desk", "check", "--desk", str(plan)),
        ("desk", "backup", str(tmp_path / f"copy{name}"), "--desk", desk),
        ("--desk", "\u202e\x1b]0;x\x07"),
        ("--profile", "\u202e\x1b]0;x\x07"),
        ("\u202e\x1b]0;x\x07",),
    ]
    ended: dict[int, int] = {}
    for command in commands:
        screen, told = Screen(), Screen()
        with monkeypatch.context() as patch:
            patch.setattr(sys, "stdout", screen)
            patch.setattr(sys, "stderr", told)
            try:
                status = main(list(command))
            except SystemExit as end:  # of the parser
                status = int(end.code or 0)
        ended[status] = ended.get(status, 0) + 1
        for text in (screen.text(), told.text()):
            assert "Traceback" not in text, command
            left = TOLD.sub("", text)
            found = FORBIDDEN.search(left)
            assert found is None, (command, left[max(0, found.start() - 60) : found.end() + 20])
    assert ended[0] >= 30, ended
    tried = {command[: len(path)] for command in commands for path in ways(build_parser())}
    assert set(ways(build_parser())) <= tried, "a new command is to be looked at here"


def ways(parser: ArgumentParser, above: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Return the names of all commands, each with those that it is below."""
    below = [action for action in parser._actions if isinstance(action, _SubParsersAction)]
    for action in below:
        for name, each in action.choices.items():
            yield from ways(each, (*above, name))
    if not below:
        yield above
