"""``copydesk completion``: the scripts, and that the shells that are here can read them."""

from __future__ import annotations

import fcntl
import os
import select
import shutil
import sqlite3
import subprocess
import sys
import termios
from contextlib import closing
from pathlib import Path

import pytest

from copydesk.cli import main
from copydesk.cli.complete import VALUES
from copydesk.cli.connection import named
from copydesk.domain.cached_answers import Kept
from copydesk.local.answer_cache import Answers, answers_file
from copydesk.local.paths import find_paths


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_shell_can_read_its_script(
    shell: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["completion", shell]) == 0
    text = capsys.readouterr().out
    for word in ("conversations", "clusters", "comment", "paginate", "roll-back", "archived"):
        assert word in text
    found = shutil.which(shell)
    if found is not None:
        script = tmp_path / "script"
        script.write_text(text)
        subprocess.run([found, "-n", str(script)], check=True, timeout=60)


def test_bash_completes_words_and_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bash = shutil.which("bash")
    if bash is None:
        pytest.skip("there is no bash here")
    assert main(["completion", "bash"]) == 0
    asked = """
    for line in "cr m" "cr list --status a" "clu"; do
      COMP_WORDS=(copydesk $line); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); COMPREPLY=()
      _shtab_copydesk; echo "${COMPREPLY[*]}"
    done
    """
    script = tmp_path / "script"
    script.write_text(capsys.readouterr().out + asked)
    done = subprocess.run(
        [bash, "--norc", str(script)], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout.split() == ["merge", "archived", "clusters"]


SHELLS = {
    "bash": ["--norc", "--noprofile", "-i"],
    "zsh": ["-f", "-i"],
    "fish": ["--no-config", "-i"],
}
HERE = [shell for shell in SHELLS if shutil.which(shell)]
WAYS = {
    "bash": ["source <(copydesk completion bash)", 'eval "$(copydesk completion bash)"'],
    "zsh": [
        "source <(copydesk completion zsh)",
        'eval "$(copydesk completion zsh)"',
        "copydesk completion zsh > $HOME/_copydesk; fpath=($HOME $fpath); "
        "autoload -Uz compinit && compinit -u",
    ],
    "fish": ["copydesk completion fish | source"],
}
PATIENCE = 60.0
"""Seconds in which a shell has said something more, however busy the machine is."""


class Shell:
    """A shell on a terminal, as somebody types into it."""

    def __init__(self, name: str, home: Path) -> None:
        self.said = ""
        environment = os.environ | {
            "HOME": str(home),
            "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
            "COPYDESK_HOME": str(home / "copydesk"),
            "TERM": "dumb",
        }
        self._end, side = os.openpty()

        def own_terminal() -> None:
            fcntl.ioctl(side, termios.TIOCSCTTY, 0)

        self._process = subprocess.Popen(
            [name, *SHELLS[name]],
            stdin=side,
            stdout=side,
            stderr=side,
            env=environment,
            start_new_session=True,
            preexec_fn=own_terminal,
        )
        os.close(side)

    def type(self, text: str, until: str) -> None:
        """Type something, and wait until the shell has said something since."""
        begin = len(self.said)
        os.write(self._end, text.encode())
        while until not in self.said[begin:]:
            ready, _, _ = select.select([self._end], [], [], PATIENCE)
            assert ready, f"{until!r} never came: {self.said}"
            self.said += os.read(self._end, 65536).decode(errors="replace")

    def close(self) -> None:
        """Hang up."""
        os.close(self._end)
        self._process.wait(PATIENCE)


@pytest.mark.long
@pytest.mark.parametrize(("shell", "way"), [(each, way) for each in HERE for way in WAYS[each]])
def test_a_shell_completes_once_it_has_read_its_script(
    shell: str, way: str, tmp_path: Path
) -> None:
    opened = Shell(shell, tmp_path)
    try:
        # What is typed is on the terminal too: the answer is what the shell makes of it.
        opened.type(f"{way}; echo re''ady\n", "\nready" if shell == "zsh" else "ready")
        opened.type("copydesk cr mer\t", "merge")
        opened.type("\x15copydesk cr list --status arch\t", "archived")
    finally:
        opened.close()
    assert "error" not in opened.said.lower()
    assert "can only be called" not in opened.said


HOSTILE = "$(touch ran)`touch ran`\n\x1b]0;x\x07\u202e';touch ran;'\" %s \\"
"""A title that runs something wherever a shell takes it for its own."""


@pytest.fixture(scope="module")
def hostile_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with the sample, on which one space, site and change request have hostile titles."""
    home = tmp_path_factory.mktemp("home")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("COPYDESK_HOME", str(home / "copydesk"))
        assert main(["desk", "sample"]) == 0
        desk = find_paths().desk
        config = find_paths().settings
        config.parent.mkdir(exist_ok=True)
        config.write_text(
            '[[views]]\nname = "Money $(touch ran) day"\n\n'
            '[profiles.work]\nbase_url = "https://docs.example.com/v1"\n\n'
            '[themes.sea]\nbase = "light"\nhere = "#005f87"\n'
        )
    with closing(sqlite3.connect(desk)) as database, database:
        for table, title in (("space", "title"), ("site", "title"), ("change_request", "subject")):
            which = "number = 14" if title == "subject" else f"{title} IN ('Handbook', 'Pebblebox')"
            database.execute(f"UPDATE {table} SET {title} = ? WHERE {which}", (HOSTILE,))
    return home


@pytest.mark.long
def test_values_of_each_kind_come_from_this_machine(
    hostile_home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COPYDESK_HOME", str(hostile_home / "copydesk"))

    def values(kind: str, word: str = "", *line: str) -> dict[str, str]:
        assert main(["complete", kind, word, "--", *line]) == 0
        said = capsys.readouterr()
        assert said.err == ""
        return dict(each.split("\t") for each in said.out.splitlines())

    assert values("spaces", "platt") == {"plattform-leitfaden": "Plattform-Leitfaden"}
    assert values("sites", "quay") == {"quayside-docs": "Quayside Docs"}
    assert values("numbers", "15", "--space", "platform-guide") == {
        "15": "Say buyer where we said customer (Platform guide)"
    }
    assert "15" not in values("numbers", "15", "--space=handbook")
    assert list(values("profiles")) == ["work", "desk"]
    assert "trend" in values("orders")
    assert "theme" in values("settings", "th")
    assert list(values("values", "", "settings", "set", "glyphs")) == ["auto", "unicode", "ascii"]
    assert {"auto", "colour-blind"} < values("themes").keys()
    assert values("themes", "s") == {"sea": "your own, made of light"}
    assert "sea" in values("values", "", "settings", "set", "theme")
    assert list(values("views", "need")) == ["Needs me"]
    for kind in VALUES:
        assert all(text.isprintable() for pair in values(kind).items() for text in pair), (
            f"{kind} has what rewrites a terminal"
        )
    for kind in ("spaces", "sites", "numbers"):
        assert all(each.replace("-", "").isalnum() for each in values(kind))
        assert "touch ran" in "".join(values(kind).values())
    # What is of no use completes nothing, and says nothing.
    assert values("spaces", "", "--desk", "/nowhere") == {}
    assert values("spaces", "", "--profile", "none") == {}
    assert values("nothing") == {}


def test_values_of_a_service_come_from_its_cached_answers(
    hostile_home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COPYDESK_HOME", str(hostile_home / "copydesk"))
    key = named("work").key
    answers = Answers(answers_file(find_paths().answers, key), desk=key)
    request = (
        b'{"object": "change-request", "id": "c", "number": 7, "space": "s", "subject": "New"}'
    )
    answers.keep(
        {
            "/orgs/o/spaces": Kept(
                b'{"items": [{"object": "space", "id": "s", "title": "Sea"}]}', 1
            ),
            "/spaces/s/change-requests": Kept(b'{"items": [' + request + b"]}", 1),
        }
    )
    monkeypatch.setenv("COPYDESK_TOKEN", "secret")
    monkeypatch.setenv("COPYDESK_PROFILE", "work")
    for line, said in (
        (["spaces", ""], "sea\tSea\n"),
        (["numbers", "", "--", "--space", "sea"], "7\tNew (Sea)\n"),
        (["sites", ""], ""),
    ):
        assert main(["complete", *line]) == 0
        assert capsys.readouterr().out == said
    answers.forget()
    answers.close()
    assert main(["complete", "spaces", ""]) == 0
    assert capsys.readouterr().out == ""


@pytest.mark.long
@pytest.mark.parametrize("shell", SHELLS)
def test_a_shell_completes_values_and_runs_nothing_of_them(shell: str, hostile_home: Path) -> None:
    if shell not in HERE:
        pytest.skip(f"there is no {shell} here")
    opened = Shell(shell, hostile_home)
    try:
        opened.type(
            f"cd {hostile_home}; {WAYS[shell][0]}; echo re''ady\n",
            "\nready" if shell == "zsh" else "ready",
        )
        opened.type("copydesk cr show --space plattf\t", "plattform-leitfaden")
        opened.type("\x15copydesk structure export quayside-d\t", "quayside-docs")
        opened.type("\x15copydesk settings set glyphs asc\t", "ascii")
        opened.type("\x15copydesk clusters --sort tre\t", "trend")
        opened.type("\x15copydesk profiles use wo\t", "work")
        opened.type("\x15copydesk cr list --view Waiting\t", "author")
        # The list of several tells hostile titles beside them; fish lists on a real terminal only.
        listed = (
            "\x15complete -C 'copydesk cr show 1'\n"
            if shell == "fish"
            else "\x15copydesk cr show 1\t\t"
        )
        opened.type(listed, "touch ran")
        opened.type("\x15copydesk cr list --view Mon\t", "day")
        opened.type("\x15echo ag''ain\n", "\nagain" if shell == "zsh" else "again")
    finally:
        opened.close()
    assert not list(hostile_home.rglob("ran"))
    assert "\x1b]0;x" not in opened.said


def test_an_unknown_shell_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as exit_:
        main(["completion", "tcl"])
    assert exit_.value.code == 2
    assert "it cannot be tcl. It is bash, zsh or fish." in capsys.readouterr().err
