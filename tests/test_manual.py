"""Every command of the manual runs, in the order of its page, and prints what the page says."""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from shlex import quote

import pytest

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
BLOCK = re.compile(r"^```console\n(.*?)^```", re.MULTILINE | re.DOTALL)
PAGES = [
    page
    for page in (ROOT / "README.md", *sorted(DOCS.rglob("*.md")))
    if BLOCK.search(page.read_text(encoding="utf-8"))
]
ELSEWHERE = {
    "pipx install .": "the wheel is installed outside the checkout by .ci/wheel",
    "copydesk": "tests/terminal opens the screens",
    "copydesk login": "it asks for the token of an account",
}
"""Commands that are not run here, and why."""

EDITOR = """
file="$1"
case "$file" in
  *.yaml)
    sed -i.before "s/^    title: Changelog/    title: What is new/" "$file"
    sed -i.before "s/^    path: changelog/    path: news/" "$file" ;;
  *) printf '\\nMore.\\n' >> "$file" ;;
esac
"""
"""What the person of the manual does in an editor."""


def examples(page: Path) -> Iterator[tuple[str, list[str]]]:
    """Yield each command of a page with the lines that it is said to print.

    A line that begins with "> " goes on with the command, as a shell shows it.
    """
    command, said = "", list[str]()
    for block in BLOCK.findall(page.read_text(encoding="utf-8")):
        for line in block.splitlines():
            if line.startswith("$ "):
                if command:
                    yield command, said
                command, said = re.sub(r"\s+# .*", "", line[2:]), []
            elif line.startswith("> ") and not said:
                command += f"\n{line[2:]}"
            else:
                said.append(line)
    yield command, said


def script(page: Path, ports: Mapping[str, str]) -> Iterator[str]:
    """Yield the lines of a shell script that runs the commands and tells how each ended."""
    for command, said in examples(page):
        command = translated(command, ports)
        last = translated(said[-1].partition("…")[0], ports) if said else ""
        yield "printf '\\036'"
        if command in ELSEWHERE:
            yield "printf 'status 0\\n'"
        elif "<< END" in command:
            yield f"{command}\nprintf 'status %s\\n' $?"
        elif command.endswith(" &"):
            yield f"{command[:-2]} > served 2>&1 &"
            yield f"until grep -qF {quote(last)} served || ! kill -0 $!; do sleep 0.05; done"
            yield "cat served; printf 'status 0\\n'"
        else:
            yield f"{command} 2>&1; printf 'status %s\\n' $?"
    yield "kill $(jobs -p) 2> no-jobs; exit 0"


def translated(text: str, ports: Mapping[str, str]) -> str:
    """Return a text with ports that are free in place of those of the manual, or the reverse."""
    for named, taken in ports.items():
        text = text.replace(named, taken)
    return text


def may_end_with(command: str) -> set[str]:
    """Return the exit statuses that a command may have: findings and plans have their own."""
    return {"0", *(["7"] if "--plan" in command else []), *(["1"] if "cr check" in command else [])}


@pytest.mark.long
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_the_commands_of_a_page_run_and_print_what_it_says(page: Path, tmp_path: Path) -> None:
    with socket.socket() as first, socket.socket() as second:
        first.bind(("127.0.0.1", 0))
        second.bind(("127.0.0.1", 0))
        taken = str(first.getsockname()[1]), str(second.getsockname()[1])
    ports = dict(zip(("8484", "8485"), taken, strict=True))
    back = {port: named for named, port in ports.items()}
    editor = tmp_path / "editor"
    editor.write_text(f"#!/bin/sh\n{EDITOR}")
    editor.chmod(0o700)
    home = tmp_path / "home"
    home.mkdir()
    kept = {name: value for name, value in os.environ.items() if not name.startswith("COPYDESK")}
    done = subprocess.run(
        ["bash", "-c", "\n".join(script(page, ports))],
        stdin=subprocess.DEVNULL,
        cwd=home,
        env={
            **kept,
            "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
            "HOME": str(home),
            "COPYDESK_HOME": str(home / "kept"),
            "EDITOR": str(editor),
            "LANG": "C.UTF-8",
            "TERM": "xterm-256color",
            "PYTHONUNBUFFERED": "1",  # what goes to both outputs in order, as on a terminal
        },
        capture_output=True,
        check=True,
        text=True,
    )
    parts = done.stdout.split("\x1e")[1:]
    for (command, said), part in zip(examples(page), parts, strict=True):
        printed, _, status = translated(part, back).rpartition("status ")
        assert status.strip() in may_end_with(command), f"$ {command}\n{part}"
        rest = printed
        for line in said:
            found = re.search(".*?".join(map(re.escape, line.split("…"))), rest)
            assert found is not None, f"$ {command}\n{line}\nis not printed:\n{printed}"
            rest = rest[found.end() :]
