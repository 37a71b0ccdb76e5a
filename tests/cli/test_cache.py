"""``copydesk cache``: how much is kept of services, and dropping it."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from copydesk.cli import main
from copydesk.domain.cached_answers import Kept
from copydesk.domain.profile import Profile
from copydesk.local.answer_cache import Answers, answers_file
from copydesk.local.paths import find_paths
from copydesk.local.profiles import Profiles
from copydesk.local.snapshot import Snapshots


def test_what_is_kept_is_shown_and_dropped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COPYDESK_HOME", str(tmp_path))
    assert main(["cache", "show"]) == 0
    assert "No answers are saved." in capsys.readouterr().out
    paths, now = find_paths().make(), time.time()
    work = Profile("work", "https://api.example.org")
    Profiles(paths.settings).save(work)
    for key in ("service:https://api.example.com", work.key):
        answers = Answers(answers_file(paths.answers, key), desk=key)
        answers.keep({"/v1/user": Kept(b"x" * 2_000_000, now - 7200), "/v1/orgs": Kept(b"y", now)})
        answers.close()
    Snapshots(paths.snapshots, work.key).write("spaces", [{"title": "Handbook"}])
    assert main(["cache", "show"]) == 0
    shown = capsys.readouterr().out
    assert "https://api.example.com" in shown
    assert "work https://api.example.org" in shown
    assert "1.9 MiB" in shown
    assert "2 h" in shown
    assert main(["cache", "show", "--json"]) == 0
    assert {each["answers"] for each in json.loads(capsys.readouterr().out)} == {2}

    assert main(["cache", "clear", "--profile", "home"]) == 2
    assert "there is no profile home" in capsys.readouterr().err
    assert main(["cache", "clear", "--profile", "work"]) == 0
    assert "Cleared 2 answers (1.9 MiB)" in capsys.readouterr().out
    assert Snapshots(paths.snapshots, work.key).read("spaces") == []
    assert main(["cache", "show", "--json"]) == 0
    [left] = json.loads(capsys.readouterr().out)
    assert (left["service"], left["bytes"] > 2_000_000) == ("https://api.example.com", True)
    assert main(["cache", "clear"]) == 0
    # The last screens are dropped, too, where no answers say whose they are.
    Snapshots(paths.snapshots, work.key).write("spaces", [{"title": "Handbook"}])
    assert main(["cache", "clear"]) == 0
    assert not list(paths.snapshots.iterdir())
    assert main(["cache", "clear"]) == 0
    assert "nothing to clear" in capsys.readouterr().out
