"""Arguments in every order, and words with a slip in them."""

from __future__ import annotations

from argparse import ArgumentParser, _SubParsersAction
from collections.abc import Iterator
from pathlib import Path
from shlex import split

import pytest

from copydesk.cli.command_line import parse
from copydesk.cli.errors import UsageError
from copydesk.cli.examples import EXAMPLES, example
from copydesk.cli.parser import GROUPS, build_parser
from tests.cli.script_desk import Screen

URL = "https://app.example.com/s/SPACE"
GENERAL = (
    ("--desk", "x.db"),
    ("--base-url", "https://docs-api.example.com"),
    ("--profile", "work"),
    ("--read-only",),
    ("--debug",),
)


def commands(parser: ArgumentParser, *words: str) -> Iterator[tuple[str, ...]]:
    """Yield every command with what it needs to be whole."""
    below = [a for a in parser._actions if isinstance(a, _SubParsersAction)]
    if not below or words in {
        ("clusters",),
        ("findings",),
        ("sites",),
        ("spaces",),
        ("profiles",),
        ("settings",),
    }:
        yield words
    for action in below:
        for name, each in action.choices.items():
            yield from commands(each, *words, name)


def test_the_help_lists_every_command_once() -> None:
    [below] = [each for each in build_parser()._actions if isinstance(each, _SubParsersAction)]
    assert sorted(name for names in GROUPS.values() for name in names) == sorted(below.choices)


def test_each_command_has_an_example_that_can_be_run(capsys: pytest.CaptureFixture[str]) -> None:
    assert sorted(EXAMPLES) == sorted(map(" ".join, commands(build_parser())))
    for command in EXAMPLES:
        words = split(example(command), comments=True)[1:]
        ends = [at for at, word in enumerate(words) if word in {"|", ">"}]
        assert parse(words[: ends[0] if ends else None]).runner
    for group in ("cr", "structure", "sites", "spaces", "search"):
        with pytest.raises(SystemExit) as ended:
            parse([group, "--help"])
        assert ended.value.code == 0
        told = capsys.readouterr().out
        assert "--theme" not in told
        assert all(example(each) in told for each in EXAMPLES if each.startswith(f"{group} "))


def test_words_that_may_be_left_out_stand_anywhere() -> None:
    said = parse(["cr", "approve", "14", "Good.", "--space", "guide", "--yes"])
    assert said.options["text"] == "Good."
    assert parse(["cr", "approve", "14", "--space", "guide", "Good.", "--yes"]) == said
    assert parse(["cr", "approve", "--yes", "14", "--space", "guide", "Good."]) == said
    applied = parse(["cr", "apply", "7", "a", "b", "--plan"])
    assert applied.options["threads"] == ["a", "b"]
    assert parse(["cr", "apply", "7", "--plan", "a", "b"]) == applied


@pytest.mark.parametrize("option", GENERAL, ids=lambda option: option[0])
def test_general_options_stand_anywhere(option: tuple[str, ...]) -> None:
    for words in commands(build_parser()):
        rest = {
            "complete": ["spaces"],
            "completion": ["bash"],
            "api": ["GET", "/orgs"],
            "cr": {
                "list": [],
                "comment": ["7", "text"],
                "review": ["7", "x.yaml"],
                "reply": ["7", "thread", "text"],
                "resolve": ["7", "thread"],
                "checkout": ["7", "folder"],
                "push": ["folder"],
                "revert": ["7", "--why", "text"],
                "create": ["text", "--space", "x"],
            }.get(words[-1], ["7"]),
            "clusters": ["x"] if "show" in words else [],
            "sites": ["x"] if "show" in words else [],
            "spaces": ["x"] if "show" in words else [],
            "findings": ["x"] if "show" in words else [],
            "structure": ["x"],
            "redirects": {"list": ["x"], "export": ["x"], "add": ["x", "/a", "/b"]}.get(
                words[-1], ["x", "/a"]
            ),
            "search": ["x"],
            "conversations": ["x.json"],
            "settings": {"get": ["x"], "set": ["x", "y"], "unset": ["x"]}.get(words[-1], []),
            "profiles": ["work"] if "use" in words else [],
            "desk": {"import": ["x"], "export": ["x", "y"], "backup": ["x"]}.get(words[-1], []),
        }.get(words[0], [])
        first = parse([*option, *words, *rest])
        for at in range(1, len(words) + 1):
            given = [*words[:at], *option, *words[at:], *rest]
            assert parse(given) == first, given
        assert parse([*words, *rest, *option]) == first


@pytest.mark.parametrize("option", GENERAL, ids=lambda option: option[0])
def test_an_address_stands_before_or_after_options(option: tuple[str, ...]) -> None:
    before, after = parse([*option, URL]), parse([URL, *option])
    assert before == after
    assert before.runner == "copydesk.cli.open:open_address"
    assert before.options["url"] == URL
    assert before.options[option[0].removeprefix("--").replace("-", "_")]
    assert parse([*option, URL, "--debug"]) == parse([URL, "--debug", *option])


def test_an_address_that_is_an_options_value_is_not_opened() -> None:
    command = parse(["--base-url", URL, "cr", "list"])
    assert (command.runner, command.options["base_url"]) == (
        "copydesk.cli.cr_list:list_requests",
        URL,
    )


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (
            "desck",
            "copydesk: there is no command desck. Did you mean desk?\n  copydesk desk check\n",
        ),
        ("mereg", "no command mereg. Did you mean cr merge?\n  copydesk cr merge 14 --yes\n"),
        ("pr list", "no command pr. Did you mean cr?\n  copydesk cr list "),
        ("version", "copydesk: there is no command version. Did you mean --version?\n"),
        (
            "cr lst",
            "copydesk cr: there is no command lst. Did you mean cr list?\n  copydesk cr list",
        ),
        ("cr view 14", "no command view. Did you mean cr show?\n  copydesk cr show 14\n"),
        ("cr close 14", "no command close. Did you mean cr edit --status archived?"),
        ("cr ready 14", "no command ready. Did you mean cr edit --status open?"),
        ("conversations list", "no command list. Did you mean clusters conversations?\n"),
        ("tickets", "no command tickets. Did you mean conversations send?\n"),
        ("zzz", "copydesk: there is no command zzz. copydesk --help lists all.\n"),
        ("cr list --stats open", "there is no option --stats. Did you mean --status? copydesk cr "),
        ("cr list --stat=open", "there is no option --stat. Did you mean --status?"),
        ("cr list --status opne", "it cannot be opne: did you mean open? It is draft, open, "),
        ("completion zhs", "it cannot be zhs: did you mean zsh? It is bash, zsh or fish."),
        ("cr list more", "copydesk cr list: more is one word too many."),
        (f"--read-onl {URL}", "there is no option --read-onl. Did you mean --read-only?"),
        (f"{URL} cr", "cr is one word too many. copydesk URL --help says more."),
        ("--profil x", "there is no option --profil. Did you mean --profile?"),
        ("--profile x --nope=3 cr list", "copydesk: there is no option --nope. copydesk --help"),
        ("space --json", "copydesk: there is no command space. Did you mean spaces?"),
        ("--profile x spcae list", "copydesk: there is no command spcae."),
        ("cr --nope lst", "copydesk cr: there is no command lst. Did you mean cr list?"),
        ("cr --json list", "copydesk cr: --json goes after the command: copydesk cr list "),
        ("cr --space x list", "--space goes after the command: copydesk cr list --space"),
        ("cr --nope list", "copydesk cr: there is no option --nope. copydesk cr --help"),
        ("serve --port abc", "--port: a port is a number from 0 to 65535, such as 8484, not "),
        ("serve --limit 0", "--limit: a limit is a number of calls, such as 3600, not '0'"),
        ("serve --limit -5", "--limit: "),
        (
            "desk sample --scale 1.5",
            "copydesk desk sample: --scale: a whole number is needed, not '1.5'",
        ),
        ("serve --port", "copydesk serve: --port needs a value"),
        ("cr show", "copydesk cr show: missing: NUMBER\n  copydesk cr show 14\n"),
        ("keys --json --markdown", "copydesk keys: --markdown does not go with --json"),
        ("serve --fetch=3", "copydesk serve: --fetch takes no value"),
    ],
)
def test_a_slip_is_told_with_the_nearest_word(
    line: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        parse(line.split())
    assert ended.value.code == 2
    told = capsys.readouterr().err
    assert said in told
    assert len(told.splitlines()) <= 4


def test_a_wrong_word_is_told_before_an_option_behind_it(
    capsys: pytest.CaptureFixture[str],
) -> None:
    below = (a for a in build_parser()._actions if isinstance(a, _SubParsersAction))
    names = [name for each in below for name in each.choices]
    above = {words[0] for words in commands(build_parser()) if len(words) > 1}
    wrong = [(name[:-1] + "qq", name) for name in names] + [("lisst", name) for name in above]
    for word, name in wrong:
        line = [name, word] if word == "lisst" else [word, "list"]
        for option in ("--json", "--nope", "--sapce=3"):
            with pytest.raises(SystemExit):
                parse([*line, option])
            assert f"there is no command {word}." in capsys.readouterr().err, (line, option)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["desk", "export", "guide", ""], "desk export: FOLDER: the name is empty"),
        (["desk", "import", ""], "desk import: SOURCE: the name is empty"),
        (["conversations", "send", "a.csv", ""], "FILE: the name is empty"),
        (["--profile", "", "cr", "merge", "14"], "--profile: the name is empty"),
        (["cr", "merge", "14", "--base-url="], "cr merge: --base-url: the name is empty"),
        (["cache", "clear", "--profile", ""], "cache clear: --profile: the name is empty"),
        (["login", ""], "login: NAME: the name is empty"),
    ],
)
def test_an_empty_name_is_not_one_that_was_left_out(
    given: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        parse(given)
    assert ended.value.code == 2
    assert said in capsys.readouterr().err


def test_a_value_may_begin_with_a_dash(capsys: pytest.CaptureFixture[str]) -> None:
    shown = parse(["cr", "reply", "7", "--space", "-MKv3", "-Lq9", "-1 from me"]).options
    assert (shown["space"], shown["thread"], shown["text"]) == ("-MKv3", "-Lq9", "-1 from me")
    assert parse(["cr", "list", "--filter", "-is:mine"]).options["where"] == "-is:mine"
    assert parse(["search", "-rotate", "--space=-hKv3"]).options["words"] == ["-rotate"]
    assert parse(["spaces", "show", "-hKv3"]).options["space"] == "-hKv3"
    fields = parse(["api", "GET", "/orgs", "-fa=1", "-F", "b=2"]).options["fields"]
    assert [each.typed for each in fields] == [False, True]
    slips = ("cr approve 4 -yes", "search a -json", "cr reply 7 -Lq9 x -space=guide")
    for line in ("cr list -x", "cr -all list", "-all", "cr list --al", *slips):
        with pytest.raises(SystemExit):
            parse(line.split())
        assert "there is no option -" in capsys.readouterr().err, line


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (
            "cr reply 7 x --not-now",
            "missing: TEXT, and there is no option --not-now. copydesk cr reply --help lists all. "
            "A text that begins so goes behind --.\n  copydesk cr reply 14",
        ),
        ("cr approve 7 --not-now", "lists all. A text that begins so goes behind --.\n"),
        ("cr approve --yse", "missing: NUMBER, and there is no option --yse. Did you mean --yes?"),
        ("cr reply 7 x --json", "missing: TEXT\n  copydesk cr reply 14"),
        (
            "cr create a --space b --description --word",
            "--description needs a value, and --word is taken for an option: write "
            "--description=--word\n",
        ),
        ("cr create a --space --json", "cr create: --space needs a value\n"),
        ("cr list --word", "there is no option --word. copydesk cr list --help lists all.\n"),
    ],
)
def test_a_text_that_begins_as_an_option_does_is_told_how_it_is_written(
    line: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        parse(line.split())
    assert said in capsys.readouterr().err
    assert parse(["cr", "reply", "7", "x", "--", "--not-now"]).options["text"] == "--not-now"
    shown = parse(["cr", "create", "a", "--space", "b", "--description=--word"]).options
    assert shown["description"] == "--word"


def test_an_option_that_a_command_does_not_take_is_told_by_its_name() -> None:
    with pytest.raises(UsageError, match="this command does not take --json"):
        parse(["profiles", "--json", "use", "x"]).run()


def test_help_explains_a_topic_of_the_manual_or_a_command(
    capsys: pytest.CaptureFixture[str],
) -> None:
    for words, *told in (
        ("cr merge", "usage: copydesk cr merge [-h]", "copydesk help merge prints what the manual"),
        ("cr", "copydesk cr ACTION [NUMBER] [--space SPACE]"),
        ("threads", "usage: copydesk cr threads [-h]"),
        ("serve", "usage: copydesk serve [-h]"),
        ("merge", "# A release: many merges in order", "copydesk cr merge is a command, too: "),
        ("undo", "undo, redo: make a write that was sent as if it had not been"),
        ("outbox", "## The outbox", "More of it: ", "copydesk outbox is a command, too"),
        ("keys", "# Keys", "copydesk keys is a command, too: copydesk keys --help."),
        ("exit", "## Exit status", ""),
        ("Linear mode", "# With a screen reader, or on a plain terminal"),
    ):
        assert parse(["help", *words.split()]).run() == 0
        said = capsys.readouterr().out
        assert all(each in said for each in told), (words, said)
    for line, status in (("help", 0), ("help mereg", 2)):
        with pytest.raises(SystemExit) as ended:
            parse(line.split()).run()
        assert ended.value.code == status
    assert "Did you mean cr merge?" in capsys.readouterr().err


@pytest.mark.parametrize("page", ["settings", "hooks"])
def test_a_topic_that_is_longer_than_the_terminal_is_read_in_the_pager(
    page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = tmp_path / "paged"
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("PAGER", f"sh -c '(cat; env) > {kept}'")
    monkeypatch.setenv("COPYDESK_TOKEN", "s3cret")
    monkeypatch.setattr("sys.stdout", screen := Screen())
    assert parse(["help", page]).run() == 0
    assert kept.exists() == (page == "settings")
    assert not kept.exists() or "s3cret" not in kept.read_text()
    assert (screen.text() == "") == kept.exists()
