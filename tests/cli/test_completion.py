"""``copydesk completion``: the scripts, and that the shells that are here can read them."""

from __future__ import annotations

import fcntl
import os
import select
import shutil
import subprocess
import sys
import termios
from pathlib import Path

import pytest

from copydesk.cli import main


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


def test_an_unknown_shell_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as exit_:
        main(["completion", "tcl"])
    assert exit_.value.code == 2
    assert "it cannot be 'tcl'. It is bash, zsh or fish." in capsys.readouterr().err
