"""Pages of an imported repository, edited as files and sent back: git shows exactly that."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from copydesk.cli import main
from tests.server.sources.making import GIT, Making, taken

PARAGRAPHS = "".join(f"Paragraph {number} says something.\n\n" for number in range(12))

FILES = {
    "README.md": b"# Docs\n\nWhat this is.\n",
    "SUMMARY.md": b"# Table of contents\n\n* [Docs](README.md)\n* [Retries](retries.md)\n"
    b"  * [Order](retries/order.md)\n* [Limits](limits.md)\n* [Old guide](old-guide.md)\n",
    "retries.md": f"---\ndescription: Again\n---\n\n# Retries\n\n{PARAGRAPHS}End.".encode(),
    "retries/order.md": b"# Order\r\n\r\nNone.\r\n",
    "limits.md": b"# Limits\n\n| Plan | Limit |\n| --- | --- |\n| Free | 60 |\n",
    "old-guide.md": b"# Old guide\n\nDo not read this.\n",
    ".gitbook/assets/states.png": b"\x89PNG\r\n\x1a\n\0\1",
}


def git(folder: Path, *arguments: str) -> str:
    assert GIT is not None
    identity = ["-c", "user.name=A", "-c", "user.email=a@example.com", "-c", "core.autocrlf=false"]
    done = subprocess.run(
        [GIT, *identity, *arguments], cwd=folder, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def change(path: Path, old: str, new: str) -> None:
    data = path.read_bytes()
    assert data.count(old.encode()) == 1
    path.write_bytes(data.replace(old.encode(), new.encode()))


def test_what_was_edited_as_files_is_what_git_shows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COPYDESK_HOME", str(tmp_path / "home"))
    Making(tmp_path / "docs.git").commit(FILES)
    clone, folder = tmp_path / "clone", tmp_path / "r"
    git(tmp_path, "clone", "-q", "-b", "main", "docs.git", "clone")

    def run(*arguments: str) -> str:
        capsys.readouterr()
        assert main([*arguments]) == 0, capsys.readouterr().err
        return capsys.readouterr().out

    run("desk", "import", str(tmp_path / "docs.git"))
    run("cr", "create", "--space", "docs", "Retry longer")
    run("cr", "checkout", "1", str(folder))
    change(folder / "retries.md", "Paragraph 6 says something.", "Paragraph 6 says more.")
    change(folder / "retries/order.md", "None.\r\n", "Some.\r\n")
    (folder / "letters.md").write_text("# Dead letters\n\nThey wait.\n")
    (folder / "old-guide.md").unlink()
    run("cr", "push", str(folder), "--yes", "--remove")
    patch = run("cr", "diff", "1", "--patch")
    (tmp_path / "p").write_bytes(patch.encode())
    git(clone, "apply", "--check", "--3way", "../p")
    # Where the lines around a change are others by now, git merges: it finds what it was made on.
    change(clone / "retries.md", "Paragraph 5 says something.", "Paragraph 5 says much.")
    git(clone, "commit", "-qam", "Meanwhile")
    git(clone, "apply", "--3way", "../p")
    assert b"says much." in (clone / "retries.md").read_bytes()
    assert b"says more." in (clone / "retries.md").read_bytes()
    git(clone, "reset", "-q", "--hard", "HEAD~1")
    git(clone, "apply", "../p")
    wanted = taken(clone)
    git(clone, "stash", "-q", "-u")
    run("cr", "edit", "1", "--status", "open")
    run("cr", "merge", "1", "--yes")
    run("desk", "export", "docs", str(tmp_path / "out"))
    assert taken(tmp_path / "out") == wanted, "the patch is what the export comes to"
    for path in list(clone.rglob("*.md")):
        path.unlink()
    for name, data in taken(tmp_path / "out").items():
        (clone / name).parent.mkdir(parents=True, exist_ok=True)
        (clone / name).write_bytes(data)
    git(clone, "add", "-A")
    assert git(clone, "diff", "--cached", "--name-status", "--no-renames").split("\n")[:-1] == [
        "M\tSUMMARY.md",
        "A\tletters.md",
        "D\told-guide.md",
        "M\tretries.md",
        "M\tretries/order.md",
    ]
    lines = git(clone, "diff", "--cached", "-U0", "--", "SUMMARY.md", "retries*").split("\n")
    heads = ("+++", "---")
    changed = [line for line in lines if line[:1] in ("+", "-") and not line.startswith(heads)]
    assert changed == [
        "-* [Old guide](old-guide.md)",
        "+* [Dead letters](letters.md)",
        "-Paragraph 6 says something.",
        "+Paragraph 6 says more.",
        "-None.",
        "+Some.",
    ]
