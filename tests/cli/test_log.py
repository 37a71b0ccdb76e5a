"""``copydesk log``: the writes of this machine, without what was written."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from copydesk.cli import main
from copydesk.local.journal import Journal, Notes
from copydesk.local.paths import find_paths
from copydesk.local.state import State


def test_the_log_prints_what_was_written_and_when(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COPYDESK_HOME", str(tmp_path))
    assert main(["log"]) == 0
    assert capsys.readouterr().out == "Nothing was sent from this machine yet.\n"
    moments = iter((5.0, 5.0))
    store = State(find_paths().make().store, clock=lambda: next(moments, time.time()))
    journal = Journal(store, "d")
    journal.settle(journal.begin("Merge", "#1"), "done")
    way = {"back": [{"operation": "o", "arguments": {}, "body": {"subject": "a secret plan"}}]}
    entry = journal.begin("Edit", "#2\x1b[2J", Notes(reversal=way, draft="key"))
    journal.settle(entry, "failed", request_id="r-1", sentence="Refused.")
    assert main(["log", "--json"]) == 0
    printed = capsys.readouterr().out
    merge, edit = json.loads(printed)
    assert (merge["what"], merge["at"], merge["undoable"]) == ("Merge", 5.0, False)
    assert (edit["state"], edit["request_id"], edit["undoable"]) == ("failed", "r-1", True)
    assert "secret" not in printed
    assert main(["log", "--since", "1h"]) == 0
    [line] = capsys.readouterr().out.splitlines()
    assert "Edit  #2  [r-1]  Refused." in line
    # What a damaged clock, or a newer copydesk, has written does not hide the rest.
    with (find_paths().state / "journal.jsonl").open("a") as journal_file:
        for at in ("1e30", "-1e30", "NaN"):
            written = {"id": f"x{at}", "run": "r", "what": "w", "target": "t", "state": "done"}
            journal_file.write(f'{json.dumps(written)[:-1]}, "at": {at}, "held": "newer"}}\n')
    assert main(["log"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 5
    assert main(["log", "--since", "tomorrow"]) == 2
    assert "is not a span of time: write 30m" in capsys.readouterr().err
