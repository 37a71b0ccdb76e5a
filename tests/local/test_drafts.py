import json
import multiprocessing
import os
import stat
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from copydesk.local.drafts import KEPT_SECONDS, DeskDrafts, Draft, Drafts

KEY = ("desk", "change-request:118", "page-1#block-4")


class Clock:
    def __init__(self) -> None:
        self.now = 1_000_000.0

    def __call__(self) -> float:
        self.now += 1
        return self.now


@pytest.fixture
def drafts(tmp_path: Path) -> Drafts:
    return Drafts(tmp_path / "drafts", clock=Clock())


def again(tmp_path: Path, clock: Clock | None = None) -> Drafts:
    return Drafts(tmp_path / "drafts", clock=clock or Clock())


def test_a_draft_outlives_the_process(drafts: Drafts, tmp_path: Path) -> None:
    drafts.save(KEY, "Could we\r\nsay \ud83d why?\x00 ☕", "reply to Priya, #118")
    assert again(tmp_path).draft(KEY) == Draft(
        KEY, "Could we\r\nsay \ud83d why?\x00 ☕", 1_000_002.0, "reply to Priya, #118"
    )


def test_keys_do_not_meet(drafts: Drafts) -> None:
    keys = [("a", "b", "c"), ("ab", "", "c"), ("a", "bc", ""), ("a/../b", "*", "?"), ("", "", "")]
    for key in keys:
        drafts.save(key, repr(key))
    assert [drafts.load(key) for key in keys] == [repr(key) for key in keys]
    assert drafts.load(("none", "", "")) is None


def test_drafts_are_listed_newest_first_and_by_desk(drafts: Drafts) -> None:
    for desk, thing in [("one", "a"), ("two", "b"), ("one", "c")]:
        drafts.save((desk, thing, ""), "text")
    assert [draft.key[1] for draft in drafts.kept()] == ["c", "b", "a"]
    assert [draft.key[1] for draft in drafts.kept("one")] == ["c", "a"]


def test_dropping_is_undone_also_after_a_restart(drafts: Drafts, tmp_path: Path) -> None:
    drafts.save(KEY, "first")
    assert drafts.drop(KEY) is not None
    drafts.save(KEY, "second")
    drafts.save(KEY, "")
    assert drafts.load(KEY) is None
    assert drafts.kept() == []
    later = again(tmp_path)
    assert (back := later.restore(KEY)) is not None
    assert back.text == "second"
    assert later.restore(KEY) is None, "what is there stays"
    assert later.load(KEY) == "second"
    later.drop(KEY)
    later.restore(KEY)
    assert later.load(KEY) == "second"


def test_drops_within_one_moment_keep_their_order(tmp_path: Path) -> None:
    drafts = Drafts(tmp_path, clock=lambda: 5.0)
    for text in ("one", "two", "three"):
        drafts.save(KEY, text)
        drafts.drop(KEY)
    restored = []
    for _ in range(3):
        back = drafts.restore(KEY)
        assert back is not None
        restored.append(back.text)
        next(tmp_path.glob("*.json")).unlink()
    assert restored == ["three", "two", "one"]


def test_nothing_to_drop_or_restore(drafts: Drafts) -> None:
    assert drafts.drop(KEY) is None
    assert drafts.restore(KEY) is None
    assert drafts.save(KEY, "") is None


def test_dropped_drafts_go_after_a_month(drafts: Drafts, tmp_path: Path) -> None:
    drafts.save(KEY, "old")
    drafts.drop(KEY)
    clock = Clock()
    clock.now += KEPT_SECONDS - 60
    assert list((tmp_path / "drafts").glob("*.dropped"))
    again(tmp_path, clock)
    assert list((tmp_path / "drafts").glob("*.dropped"))
    clock.now += 120
    again(tmp_path, clock)
    assert not list((tmp_path / "drafts").glob("*.dropped"))


def test_a_kill_before_the_rename_leaves_the_old_text(
    drafts: Drafts, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    drafts.save(KEY, "old")
    # What a killed process leaves: part of a new file beside the old one.
    (tmp_path / "drafts" / ".half.part").write_bytes(b'{"key": ["desk", "ch')
    assert again(tmp_path).load(KEY) == "old"
    assert len(again(tmp_path).kept()) == 1

    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        drafts.save(KEY, "new")
    monkeypatch.undo()
    assert again(tmp_path).load(KEY) == "old"
    assert not list((tmp_path / "drafts").glob(".*new*.part"))


def _type(folder: Path, started: object) -> None:
    drafts = Drafts(folder)
    number = 0
    while True:
        number += 1
        drafts.save(KEY, f"{number} " + "x" * 200_000)
        if number == 5:
            started.set()  # type: ignore[attr-defined]  # an Event of the spawn context


def test_a_real_kill_leaves_a_whole_text(tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    started = context.Event()
    process = context.Process(target=_type, args=(tmp_path, started))
    process.start()
    assert started.wait(30)
    process.kill()
    process.join()
    text = Drafts(tmp_path).load(KEY)
    assert text is not None
    number, _, rest = text.partition(" ")
    assert int(number) >= 5
    assert rest == "x" * 200_000


@given(
    st.binary(max_size=60)
    | st.recursive(st.none() | st.text(), st.lists).map(json.dumps).map(str.encode)
)
def test_a_broken_file_is_passed_over_named_and_kept(content: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        drafts = Drafts(Path(folder))
        drafts.save(KEY, "fine")
        broken = Path(folder) / "0123.json"
        broken.write_bytes(content)
        assert [draft.text for draft in drafts.kept()] == ["fine"]
        assert drafts.broken() == [broken]
        Drafts(Path(folder))
        assert broken.read_bytes() == content


@pytest.mark.skipif(os.name == "nt", reason="modes are of POSIX")
def test_only_the_writer_can_read(drafts: Drafts, tmp_path: Path) -> None:
    drafts.save(KEY, "secret plans")
    folder = tmp_path / "drafts"
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert {stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()} == {0o600}


def test_the_drafts_of_one_desk_have_keys_of_one_text(drafts: Drafts) -> None:
    here, there = DeskDrafts(drafts, "here"), DeskDrafts(drafts, "there")
    here.save("cr:1#p", "mine")
    here.save("cr:2", "later")
    assert there.load("cr:1#p") is None
    assert list(here.kept()) == ["cr:2", "cr:1#p"]
    here.drop("cr:1#p")
    assert here.load("cr:1#p") is None
    assert here.restore("cr:1#p") == "mine"
    assert there.restore("cr:1#p") is None
