"""Runs on disk: whole, kept for a while, and claimed by one process at a time."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from copydesk.domain.arrange_run import ArrangeRun
from copydesk.domain.merge_run import MergeRun, RunItem
from copydesk.domain.reversal import Call, Step
from copydesk.local import runs as module
from copydesk.local.runs import Arrangements, Runs
from copydesk.local.state import State

HOLD = """
import sys
from pathlib import Path
from copydesk.local.runs import Runs
from copydesk.local.state import State
print(Runs(State(Path(sys.argv[1])), "desk").claim("one"), flush=True)
sys.stdin.read()
"""


def insert(row: tuple[object, ...], database: sqlite3.Connection) -> None:
    database.execute("INSERT INTO run VALUES (?, ?, ?, ?, ?)", row)


def runs_at(folder: Path, desk: str = "desk") -> Runs:
    return Runs(State(folder / "state.db"), desk)


def plans_at(folder: Path) -> Arrangements:
    return Arrangements(State(folder / "state.db"), "desk")


def test_a_run_is_kept_whole_and_others_are_passed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs = runs_at(tmp_path)
    assert list(runs.all()) == []
    item = RunItem("s", "r", "#1", "“Ünïcode”", comments=(("c", 2),), state="stopped", sent="merge")
    run = MergeRun("one", (item,), state="stopped", stops=frozenset({"edit"}), made=2.0)
    runs.save(run)
    runs.save(replace(run, id="two", made=1.0))
    assert [each.id for each in runs.all()] == ["one", "two"]
    assert runs_at(tmp_path).load("one") == run
    assert list(runs_at(tmp_path, "another desk").all()) == []
    assert list(plans_at(tmp_path).all()) == []
    # What cannot be read is none, whatever is in it.
    for number, content in enumerate(("", "{", '{"id": 7}', '{"id":"x","state":"odd"}', b"\xff")):
        row = ("merge", runs._desk, f"broken{number}", "v", content)
        runs._store.write(partial(insert, row))
    assert [each.id for each in runs.all()] == ["one", "two"]
    # The oldest that have ended go; one that has not stays, however old it is.
    monkeypatch.setattr(module, "KEPT", 2)
    for number in range(4):
        runs.save(replace(run, id=f"new{number}", state="finished", made=10.0 + number))
    assert [each.id for each in runs.all()] == ["new3", "new2", "one", "two"]
    runs.drop("one")
    assert runs.load("one") is None


def test_a_claim_ends_with_the_process_that_holds_it(tmp_path: Path) -> None:
    here = runs_at(tmp_path)
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, str(tmp_path / "state.db")],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    ) as other:  # fmt: skip
        assert other.stdout is not None
        assert other.stdout.readline() == "True\n"
        assert not here.claim("one")
        here.save(MergeRun("one", state="finished"))
        assert not here.drop_ended("one")
        assert not here.drop("one")
        assert here.load("one") is not None
        assert not here.claim("one")
        assert here.claim("two")
        other.kill()
    assert here.claim("one")
    assert here.claim("one")
    assert not runs_at(tmp_path).claim("one")
    here.release("one")
    assert runs_at(tmp_path).claim("one")


def test_a_disk_that_refuses_is_told(tmp_path: Path) -> None:
    (tmp_path / "state").write_text("in the way", encoding="ascii")
    with pytest.raises(OSError, match="state"):
        runs_at(tmp_path / "state").save(MergeRun("one"))


def test_a_step_of_a_plan_keeps_what_it_changes_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def call(number: int) -> Call:
        step = Step("update_site", {"site_id": "s"}, {"title": f"“{number}”"})
        return Call(f"c{number}", "Change", "S", "S: Ünïcode", step)

    store = plans_at(tmp_path)
    run = ArrangeRun.of("p", "s", "S", map(call, range(100)), staged="text").go("group", 5.0)
    store.save(run)

    def sizes() -> list[int]:
        query = "SELECT length(value) FROM run UNION ALL SELECT length(value) FROM run_change"
        return [size for (size,) in store._store.rows(query)]

    (whole,) = sizes()
    steps = [run.sending("c50", ["x"])]
    steps.append(steps[-1].arrived("c50", entry="e", made={"new:1": "1"}, seconds=0.5))
    steps.append(steps[-1].sending("c0").failed("c0", "“No.”"))
    steps.append(steps[-1].turn_back().taking("c50"))
    steps.append(steps[-1].taken("c50").finish())
    for step in steps:
        store.save(step)
        assert plans_at(tmp_path).load(run.id) == step
    assert sizes()[0] == whole
    assert sum(sizes()[1:]) < 1000
    # Where another process has saved it meanwhile it is kept whole.
    plans_at(tmp_path).save(steps[0])
    store.save(steps[-1])
    assert len(sizes()) == 1
    assert store.load(run.id) == steps[-1]
    # What could not be read again is not kept: it stands as it was.
    with monkeypatch.context() as short:
        short.setattr(module, "CHARACTER_LIMIT", 1000)
        with pytest.raises(OSError, match="too long"):
            plans_at(tmp_path).save(run)
    assert store.load(run.id) == steps[-1]
    store._store.write(
        lambda database: database.execute(
            "INSERT INTO run_change (kind, desk, id, value) SELECT kind, desk, id, ? FROM run",
            ('{"calls": {"of another": {}}}',),
        )
    )
    assert store.load(run.id) is None
