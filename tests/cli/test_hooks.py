"""Hooks of the settings after what a command did: the same as after what the screens did."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from copydesk.cli.errors import DONE, INTERRUPTED
from copydesk.local.paths import find_paths
from copydesk.local.state import State
from tests.cli.script_desk import ScriptDesk
from tests.cli.structure_desk import Desk
from tests.cli.test_watch import approve, waiting

HOOK = "import sys; open(sys.argv[1], 'w').write(sys.stdin.read())"


def hook(event: str, *more: Sequence[str]) -> Path:
    """Have an event write what it is told into a file; ``more`` are further programs of it."""
    settings = find_paths().settings
    settings.parent.mkdir(parents=True, exist_ok=True)
    file = settings.parent / "told"
    run = [[sys.executable, "-c", HOOK, str(file)], *more]
    settings.write_text(f"[hooks]\n{event} = {json.dumps(run)}\n")
    return file


def told(file: Path) -> dict[str, Any]:
    """Return what a hook was told, once it has ended."""
    return dict(json.loads(file.read_text()))


def test_a_merge_by_a_command_runs_its_hooks_and_ends_after_them(scripts: ScriptDesk) -> None:
    scripts.world.change_request(
        scripts.space, {"retries": "# Retries\n\nTwice.\n"}, subject="Fewer retries"
    )
    file = hook("after_merge", ["no-such-program", "{title}"])
    assert scripts.run("cr", "merge", "1", "--yes") == DONE
    assert told(file) | {"id": "", "url": ""} == {
        "event": "after_merge", "profile": "", "id": "", "url": "", "number": "1",
        "title": "Fewer retries", "space": "API reference", "author": "Ana Silva",
        "status": "merged",
    }  # fmt: skip
    out, err = scripts.said()
    assert "#1 is merged into API reference." in out
    assert "copydesk: after_merge: no-such-program was not found." in err


def test_ctrl_c_while_a_hook_runs_is_no_crash(scripts: ScriptDesk) -> None:
    scripts.world.change_request(
        scripts.space, {"retries": "# Retries\n\nTwice.\n"}, subject="Fewer retries"
    )
    interrupt = "import os, signal, time; os.kill(os.getppid(), signal.SIGINT); time.sleep(60)"
    hook("after_merge", [sys.executable, "-c", interrupt])
    assert scripts.run("cr", "merge", "1", "--yes") == INTERRUPTED
    state = State(find_paths().store)
    assert state.rows("SELECT closed FROM start") == [(1,)]
    state.close()


def test_what_watch_merges_runs_them_too(scripts: ScriptDesk) -> None:
    file = hook("after_merge")
    space, (first,) = waiting(scripts, "Waits")
    assert scripts.run("watch", "--once") != DONE
    assert not file.exists()
    approve(scripts, space, first)
    assert scripts.run("watch") == DONE
    assert told(file)["title"] == "Waits"


def test_a_structure_that_is_applied_runs_after_apply_and_a_plan_does_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COPYDESK_HOME", str(tmp_path / "home"))
    monkeypatch.setattr(sys, "stdin", io.StringIO())
    desk = Desk(tmp_path)
    try:
        text = desk.write(capsys)
        desk.file.write_text(text.replace("title: Pay\n", "title: Payments\n", 1), encoding="utf-8")
        file = hook("after_apply")
        apply = ("apply", "https://docs.acme.example/", str(desk.file))
        desk.run(*apply, "--plan")
        assert not file.exists()
        assert desk.run(*apply, "--yes") == DONE
        assert (told(file)["event"], told(file)["number"]) == ("after_apply", "1")
    finally:
        desk.world.close()
