"""Merge runs on disk: whole, private, kept for a while, and claimed by one process at a time."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from copydesk.domain.arrange_run import ArrangeRun
from copydesk.domain.call import Call
from copydesk.domain.merge_run import MergeRun, RunItem
from copydesk.domain.reversal import Step
from copydesk.local import runs as module
from copydesk.local.runs import Arrangements, Runs

HOLD = """
import sys
from pathlib import Path
from copydesk.local.runs import Runs
print(Runs(Path(sys.argv[1]), "desk").claim("one"), flush=True)
sys.stdin.read()
"""


def test_a_run_is_kept_whole_and_others_are_passed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "runs"
    runs = Runs(folder, "desk")
    assert list(runs.all()) == []
    item = RunItem("s", "r", "#1", "“Ünïcode”", comments=(("c", 2),), state="stopped", sent="merge")
    run = MergeRun("one", (item,), state="stopped", stops=frozenset({"edit"}), made=2.0)
    runs.save(run)
    runs.save(replace(run, id="two", made=1.0))
    assert [each.id for each in runs.all()] == ["one", "two"]
    assert Runs(folder, "desk").load("one") == run
    assert list(Runs(folder, "another desk").all()) == []
    files = list(folder.glob("*.json"))
    assert {path.stat().st_mode & 0o777 for path in files} == {0o600}
    # What cannot be read is none, whatever is in it.
    broken_ones = (b"", b"{", b'{"id": 7}', b'{"id":"x","state":"odd"}', b"\xff")
    for number, content in enumerate(broken_ones):
        broken = folder / f"{files[0].name[:16]}-{number}.json"
        broken.write_bytes(content)
    assert [each.id for each in runs.all()] == ["one", "two"]
    # The oldest that have ended go; one that has not stays, however old it is.
    monkeypatch.setattr(module, "KEPT", 2)
    for number in range(4):
        runs.save(replace(run, id=f"new{number}", state="finished", made=10.0 + number))
    assert [each.id for each in runs.all()] == ["new3", "new2", "one", "two"]
    runs.drop("one")
    assert runs.load("one") is None


def test_a_claim_ends_with_the_process_that_holds_it(tmp_path: Path) -> None:
    folder = tmp_path / "runs"
    here = Runs(folder, "desk")
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, str(folder)],
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
    assert not Runs(folder, "desk").claim("one")
    here.release("one")
    assert Runs(folder, "desk").claim("one")


def test_a_disk_that_refuses_is_told(tmp_path: Path) -> None:
    (tmp_path / "runs").write_text("in the way", encoding="ascii")
    with pytest.raises(OSError, match="runs"):
        Runs(tmp_path / "runs", "desk").save(MergeRun("one"))


def test_a_step_of_a_plan_adds_a_line_that_a_crash_may_cut(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def call(number: int) -> Call:
        step = Step("update_site", {"site_id": "s"}, {"title": f"“{number}”"})
        return Call(f"c{number}", "Change", "S", "S: Ünïcode", step)

    store = Arrangements(tmp_path, "desk")
    run = ArrangeRun.of("p", "s", "S", map(call, range(100)), staged="text").go("group", 5.0)
    store.save(run)
    (file,) = tmp_path.glob("*.json")
    whole = file.stat().st_size
    steps = [run.sending("c50", ["x"])]
    steps.append(steps[-1].arrived("c50", entry="e", made={"new:1": "1"}, seconds=0.5))
    steps.append(steps[-1].sending("c0").failed("c0", "“No.”"))
    steps.append(steps[-1].turn_back().taking("c50"))
    steps.append(steps[-1].taken("c50").finish())
    for step in steps:
        store.save(step)
        assert Arrangements(tmp_path, "desk").load(run.id) == step
    lines = file.read_bytes().split(b"\n")
    assert len(lines[0]) + 1 == whole
    assert file.stat().st_size - whole < 1000
    # A line that was cut off is none, and does not spoil the next one.
    file.write_bytes(b"\n".join(lines[:-2]) + b"\n" + lines[-2][:-4])
    assert store.load(run.id) == steps[-2]
    store.save(steps[-1])  # the file is not as it was left: it is written whole
    assert len(file.read_bytes().split(b"\n")) == 2
    assert store.load(run.id) == steps[-1]
    # What the disk refuses is taken off again: it stands as the caller knows it.
    with monkeypatch.context() as full:
        full.setattr("os.fsync", lambda descriptor: (_ for _ in ()).throw(OSError(28, "full")))
        with pytest.raises(OSError, match="full"):
            store.save(steps[0])
    assert store.load(run.id) == steps[-1]
    # So is what could not be read again. A file of one line without an end is read as ever.
    monkeypatch.setattr(module, "BYTE_LIMIT", whole)
    with pytest.raises(OSError, match="too long"):
        Arrangements(tmp_path, "desk").save(run)
    file.write_bytes(lines[0])
    assert store.load(run.id) == run
    file.write_bytes(lines[0] + b"\n" + b'{"calls": {"of another": {}}}')
    assert store.load(run.id) is None
