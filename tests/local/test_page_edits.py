"""Staged edits on the disk: every step is taken back, and nothing of another window is lost."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from copydesk.local.drafts import KEPT_SECONDS
from copydesk.local.marks import DeskMarks
from copydesk.local.page_edits import DeskEdits, StagedElsewhereError
from copydesk.local.state import State


@pytest.fixture
def edits(tmp_path: Path) -> DeskEdits:
    return DeskEdits(State(tmp_path / "state.db"), "d")


def stage(edits: DeskEdits, page: str, text: str | None) -> None:
    known = edits.of("s", "c").get(page)
    edits.stage("s", "c", {page: (known, text)})


@settings(max_examples=20, deadline=None)
@given(
    st.lists(
        st.tuples(st.sampled_from("pqr"), st.sampled_from(["one", "two", "three", None])),
        min_size=40,
        max_size=40,
    )
)
def test_so_many_steps_so_many_undos(steps: list[tuple[str, str | None]]) -> None:
    edits = DeskEdits(State())
    states = []
    for page, text in steps:
        states.append(edits.of("s", "c"))
        stage(edits, page, text)
    last = edits.of("s", "c")
    for state in reversed(states):
        assert edits.undo("s", "c")
        assert edits.of("s", "c") == state
    assert edits.of("s", "c") == {}
    assert edits.undo("s", "c") == []
    for state in [*states[1:], last]:
        assert edits.redo("s", "c")
        assert edits.of("s", "c") == state
    assert edits.redo("s", "c") == []


def test_what_was_taken_back_is_staged_again_unless_something_stands_there(
    edits: DeskEdits, tmp_path: Path
) -> None:
    stage(edits, "p", "one")
    assert edits.undo("s", "c") == ["p"]
    stage(edits, "q", "two")
    other = DeskEdits(State(tmp_path / "state.db"), "d")
    assert other.redo("s", "c") == ["p"]
    assert other.of("s", "c") == {"p": "one", "q": "two"}
    assert other.undo("s", "c") == ["p"]
    stage(edits, "p", "three")
    assert edits.redo("s", "c") == []
    edits.sent("s", "c", {"p": "three"}, "batch")
    assert edits.redo("s", "c") == []  # it is of before what was sent


def test_what_is_staged_outlives_the_process(edits: DeskEdits, tmp_path: Path) -> None:
    text = "a\r\nb\x00 \u2028☕" * 100
    stage(edits, "p", text)
    other = DeskEdits(State(tmp_path / "state.db"), "d")
    assert other.of("s", "c") == {"p": text}
    assert other.counts() == {("s", "c"): 1}
    assert DeskEdits(State(tmp_path / "state.db"), "e").counts() == {}
    assert other.undo("s", "c") == ["p"]
    assert edits.of("s", "c") == {}


def test_another_window_is_not_overwritten(edits: DeskEdits, tmp_path: Path) -> None:
    stage(edits, "p", "one")
    other = DeskEdits(State(tmp_path / "state.db"), "d")
    stage(other, "p", "two")
    with pytest.raises(StagedElsewhereError):
        edits.stage("s", "c", {"q": (None, "new"), "p": ("one", "three")})
    assert edits.of("s", "c") == {"p": "two"}


def test_what_was_sent_is_staged_again(edits: DeskEdits) -> None:
    stage(edits, "p", "one")
    stage(edits, "q", "two")
    edits.sent("s", "c", {"p": "one", "q": "older"}, "batch")
    assert edits.of("s", "c") == {"q": "two"}  # it was changed while it was sent
    assert edits.undo("s", "c") == []
    assert edits.stage_again("batch") == ["p"]
    assert edits.of("s", "c") == {"q": "two", "p": "one"}
    assert edits.stage_again("batch") == []
    edits.sent("s", "c", {"p": "one"}, "later")
    stage(edits, "p", "anew")
    with pytest.raises(StagedElsewhereError):
        edits.stage_again("later")
    assert edits.of("s", "c")["p"] == "anew"


def test_what_was_dropped_is_kept_for_a_month(tmp_path: Path) -> None:
    now = [1000.0]
    edits = DeskEdits(State(tmp_path / "state.db", clock=lambda: now[0]))
    stage(edits, "p", "one")
    stage(edits, "p", None)
    now[0] += KEPT_SECONDS - 1
    assert edits.undo("s", "c") == ["p"]
    assert edits.of("s", "c") == {"p": "one"}
    stage(edits, "p", None)
    now[0] += KEPT_SECONDS + 1
    stage(edits, "q", "two")
    assert edits.undo("s", "c") == ["q"]
    assert edits.undo("s", "c") == []


def test_a_file_of_an_earlier_version_gets_the_tables(tmp_path: Path) -> None:
    state = State(tmp_path / "state.db")

    def as_it_was(database: sqlite3.Connection) -> None:
        for table in ("staged", "staged_step", "mark", "hidden_finding"):
            database.execute(f"DROP TABLE {table}")
        database.execute("PRAGMA user_version = 2")

    state.write(as_it_was)
    state.close()
    store = State(tmp_path / "state.db")
    edits, marks = DeskEdits(store), DeskMarks(store)
    stage(edits, "p", "one")
    assert edits.of("s", "c") == {"p": "one"}
    marks.put("thread", {"muted": "yes"})
    assert marks.read() == {"thread": {"muted": "yes"}}
