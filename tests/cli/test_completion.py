"""``copydesk completion``: the scripts, and that the shells that are here can read them."""

from __future__ import annotations

import shutil
import subprocess
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


def test_an_unknown_shell_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as exit_:
        main(["completion", "tcl"])
    assert exit_.value.code == 2
    assert "it cannot be 'tcl'. It is bash, zsh or fish." in capsys.readouterr().err
