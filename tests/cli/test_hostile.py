"""Commands over a service whose every text is hostile: what they print harms no terminal."""

from __future__ import annotations

import asyncio
import re
import sys
from argparse import ArgumentParser, _SubParsersAction
from collections.abc import Iterator
from functools import reduce
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


NAME = re.sub("[/\x00\ufffd]", "", RETURNED)[:60]
"""The hostile text, as a name of a file."""

AT = ("--space", "<space>")

OF_THE_SERVICE: tuple[tuple[str, ...], ...] = (
    ("api", "GET", "/orgs"),
    ("api", "GET", "/orgs/<organization>/spaces", "--paginate", "--json"),
    ("api", "GET", "/orgs/<organization>/spaces", "--paginate"),
    ("api", "GET", "/orgs/none\u202e"),
    ("cr", "list", *AT),
    ("cr", "list", "--status", "merged", "--json"),
    ("cr", "show", "2", *AT),
    ("cr", "diff", "2", *AT),
    ("cr", "diff", "2", *AT, "--json"),
    ("cr", "diff", "2", *AT, "--patch"),
    ("cr", "comment", "2", "Well\x1b[2J\udcff", *AT),
    ("cr", "show", "\u202e\x1b]0;x\x07\udcff", *AT),
    ("clusters",),
    ("clusters", "list", "--json"),
    ("clusters", "show", "<cluster>", "--json"),
    ("clusters", "show", "<cluster>", "--unmask"),
    ("clusters", "show", "none"),
    ("clusters", "list", "--csv"),
    ("clusters", "report", "--organization", "<organization>"),
    ("clusters", "report", "--organization", "<organization>", "--format", "html", "--unmask"),
    ("clusters", "report", "--organization", "<organization>", "--since", "12w", "--json"),
    ("clusters", "issues", "--organization", "<organization>"),
    ("clusters", "issues", "--organization", "<organization>", "--csv", "--unmask"),
    ("clusters", "conversations", "--organization", "<organization>"),
    ("clusters", "conversations", "--organization", "<organization>", "--json"),
    ("findings",),
    ("findings", "list", "--csv", "--unmask"),
    ("findings", "show", "\u202e\x1b]0;x\x07"),
    ("search", "the"),
    ("search", "\u202e\x1b]0;x\x07", "--space", "<space>", "--json"),
    ("redirects", "list", "<site>"),
    ("redirects", "export", "<site>"),
    ("redirects", "test", "<site>", "/\u202e\x1b]0;x\x07"),
    ("redirects", "add", "<site>", "/\u202e", "\x1b]0;x\x07", "--yes"),
    ("redirects", "delete", "<site>", "/\u202e\x1b]0;x\x07", "--yes"),
    ("redirects", "import", "<site>", "<folder>/plan.yaml", "--plan"),
    ("spaces",),
    ("spaces", "list", "--json"),
    ("spaces", "show", "<space>"),
    ("sites",),
    ("sites", "list", "--json"),
    ("sites", "show", "<site>"),
    ("structure", "export", "<site>"),
    ("structure", "apply", "<site>", "<folder>/plan.yaml", "--plan"),
    ("cr", "comment", "2", "Well", *AT),
    ("cr", "check", "2", *AT, "--all"),
    ("cr", "check", "2", *AT, "--json"),
    ("cr", "threads", "2", *AT, "--all"),
    ("cr", "threads", "2", *AT, "--all", "--json"),
    ("cr", "reply", "2", "\u202e\x1b]0;x\x07", "Well", *AT),
    ("cr", "resolve", "2", "\u202e\x1b]0;x\x07", *AT),
    ("cr", "approve", "2", "Well", *AT, "--yes"),
    ("cr", "ask", "2", *AT, "--yes", "--json"),
    ("cr", "review", "2", "<folder>/review.yaml", *AT, "--yes"),
    ("cr", "review", "2", "<folder>/plan.yaml", *AT, "--yes"),
    ("cr", "edit", "2", *AT, "--subject", "Well"),
    ("cr", "create", "Well", *AT),
    ("cr", "checkout", "2", f"<folder>/{NAME}", *AT),
    ("cr", "checkout", "2", "<folder>/out", *AT),
    ("cr", "push", "<folder>/out", "--plan"),
    ("cr", "push", "<folder>/none\u202e"),
    ("cr", "apply", "2", "\u202e\x1b]0;x\x07", *AT, "--yes"),
    ("cr", "revert", "2", *AT, "--why", "\u202e\x1b]0;x\x07", "--yes"),
    ("cr", "merge", "2", *AT, "--yes"),
    ("conversations", "send", "<folder>/talks.json", "--organization", "<organization>"),
    ("conversations", "send", "<folder>/talks.json", "--skip-bad", "--json"),
    ("log",),
    ("log", "--json"),
    ("log", "--file"),
    ("outbox",),
    ("watch", "--once"),
    ("watch", "--once", "--json"),
    ("cache", "show"),
    ("cache", "clear"),
    ("doctor",),
    ("profiles",),
    ("profiles", "use", RETURNED),
    ("login", "other", "--base-url", f"https://{RETURNED}", "--token-stdin"),
    ("logout", RETURNED),
)
"""What asks the service, or tells of what was asked; ``<…>`` stands for what is there."""

DESK = ("--desk", f"<folder>/desk{NAME}.db")

OF_THE_MACHINE: tuple[tuple[str, ...], ...] = (
    ("ops",),
    ("keys",),
    ("complete", "spaces"),
    ("complete", "numbers", RETURNED, "--", RETURNED),
    ("completion", "bash"),
    ("help",),
    ("manual",),
    ("help", RETURNED),
    ("settings", "set", "theme", RETURNED),
    ("settings", "set", RETURNED, "1"),
    ("settings", "unset", RETURNED),
    ("settings", "get", RETURNED),
    ("settings", "edit"),
    ("settings", "check"),
    ("settings", "schema"),
    ("settings",),
    ("serve", "--host", RETURNED),
    ("desk", "import", "<folder>/source", *DESK, "--organization", f"A{NAME}"),
    ("desk", "import", "<folder>/source/none\u202e", *DESK),
    ("desk", "export", "\u202e\x1b]0;x\x07", "<folder>/out", *DESK),
    ("desk", "token", *DESK),
    ("desk", "token", *DESK, "--user", POISON),
    ("desk", "sample", *DESK),
    ("desk", "check", *DESK),
    ("desk", "check", "--desk", "<folder>/plan.yaml"),
    ("desk", "backup", f"<folder>/copy{NAME}", *DESK),
    ("--desk", "\u202e\x1b]0;x\x07"),
    ("--profile", "\u202e\x1b]0;x\x07"),
    ("\u202e\x1b]0;x\x07",),
)
"""What asks no service."""


def look(
    commands: tuple[tuple[str, ...], ...], patch: pytest.MonkeyPatch, **there: object
) -> dict[int, int]:
    """Run commands, look at what each prints, and return how many ended with which status."""
    ended: dict[int, int] = {}
    for command in commands:
        words = [
            reduce(lambda text, name: text.replace(f"<{name}>", str(there[name])), there, word)
            for word in command
        ]
        screen, told = Screen(), Screen()
        with patch.context() as streams:
            streams.setattr(sys, "stdout", screen)
            streams.setattr(sys, "stderr", told)
            try:
                status = main(words)
            except SystemExit as end:  # of the parser
                status = int(end.code or 0)
        ended[status] = ended.get(status, 0) + 1
        for text in (screen.text(), told.text()):
            assert "Traceback" not in text, command
            left = TOLD.sub("", text)
            found = FORBIDDEN.search(left)
            assert found is None, (command, left[max(0, found.start() - 60) : found.end() + 20])
    return ended


@pytest.mark.long
def test_no_command_prints_what_harms_a_terminal_of_what_a_service_says(
    there: Everything, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "plan.yaml").write_text("site: \u202e\n", encoding="utf-8")
    (tmp_path / "review.yaml").write_text("comments: [{text: \u202e, page: \u202e}]\n", "utf-8")
    talks = '[{"id": "\u202e\x1b]0;x\x07"}, "\x9b31m"]'
    (tmp_path / "talks.json").write_text(talks, encoding="utf-8")
    ended = look(
        OF_THE_SERVICE, monkeypatch, folder=tmp_path, space=there.space, site=there.site,
        organization=there.organization, cluster=there.cluster,
    )  # fmt: skip
    assert ended[0] >= 24, ended


def test_no_command_prints_what_harms_a_terminal_of_what_is_on_this_machine(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("COPYDESK_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("EDITOR", NAME)
    (tmp_path / "home" / "config").mkdir(parents=True)
    (tmp_path / "home" / "config" / "config.toml").write_text(f"'{NAME}' = 1\n", encoding="utf-8")
    (tmp_path / "plan.yaml").write_text("site: \u202e\n", encoding="utf-8")
    source = tmp_path / "source"
    source.mkdir()
    (source / "SUMMARY.md").write_text(f"# {NAME}\n\n* [{NAME}](a.md)\n* [b](no{NAME}.md)\n")
    (source / "a.md").write_text(f"# {NAME}\n")
    (source / f"x{NAME}.md").write_text(f"# {NAME}\n")
    ended = look(OF_THE_MACHINE, monkeypatch, folder=tmp_path)
    assert ended[0] >= 7, ended


def test_every_command_is_looked_at() -> None:
    known = set(ways(build_parser()))
    commands = (*OF_THE_SERVICE, *OF_THE_MACHINE)
    tried = {command[: len(path)] for command in commands for path in known}
    assert known <= tried, "a new command is to be looked at here"


def ways(parser: ArgumentParser, above: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Return the names of all commands, each with those that it is below."""
    below = [action for action in parser._actions if isinstance(action, _SubParsersAction)]
    for action in below:
        for name, each in action.choices.items():
            yield from ways(each, (*above, name))
    if not below:
        yield above
