import resource
import sqlite3
import stat
from pathlib import Path

import pytest

from copydesk.local.marks import FORMER, DeskSeen, SeenPage, digest
from copydesk.local.state import State
from copydesk.session.marks import SeenPages


@pytest.fixture
def seen(tmp_path: Path) -> DeskSeen:
    return DeskSeen(State(tmp_path / "state" / "state.db", clock=lambda: 7.0), "d")


def stored_texts(tmp_path: Path) -> int:
    database = sqlite3.connect(tmp_path / "state" / "state.db")
    try:
        return int(database.execute("SELECT count(*) FROM text").fetchone()[0])
    finally:
        database.close()


def test_a_page_is_seen_until_its_text_changes(seen: DeskSeen) -> None:
    assert seen.state("cr", "p", "text") == "unseen"
    seen.mark("cr", "p", "text")
    assert seen.state("cr", "p", "text") == "seen"
    assert seen.state("cr", "p", "other") == "changed"
    assert seen.text("cr", "p") == "text"
    seen.unmark("cr", "p")
    assert seen.state("cr", "p", "text") == "unseen"
    assert seen.text("cr", "p") is None


def test_marks_belong_to_desk_object_and_page(seen: DeskSeen) -> None:
    seen.mark("cr", "p", "text")
    assert seen.pages("cr") == {"p": SeenPage(7.0, digest("text"))}
    other = DeskSeen(seen._store, "e")
    assert other.pages("cr") == seen.pages("other") == {}


def test_marks_and_strange_texts_outlive_the_process(seen: DeskSeen, tmp_path: Path) -> None:
    text = "a\r\nb\x00 \ud83d ☕" * 1000
    seen.mark("cr", "p", text)
    other = DeskSeen(State(tmp_path / "state" / "state.db"), "d")
    assert other.text("cr", "p") == text


def test_a_text_is_stored_once_and_goes_with_its_last_mark(seen: DeskSeen, tmp_path: Path) -> None:
    seen.mark("cr", "p", "same")
    seen.mark("cr", "q", "same")
    assert stored_texts(tmp_path) == 1
    seen.mark("cr", "p", "new")
    assert stored_texts(tmp_path) == 2
    seen.unmark("cr", "q")
    # Kept for a while, so that it can be undone.
    assert stored_texts(tmp_path) == 2
    assert seen.put("cr", "q", digest("same"))
    assert seen.text("cr", "q") == "same"
    for n in range(FORMER + 2):
        seen.mark("cr", "q", f"text {n}")
    assert stored_texts(tmp_path) == FORMER + 2
    seen.mark("cr", "p", "new")
    assert seen.text("cr", "p") == "new"


def test_only_the_writer_can_read(seen: DeskSeen, tmp_path: Path) -> None:
    seen.mark("cr", "p", "text")
    modes = {stat.S_IMODE(path.stat().st_mode) for path in (tmp_path / "state").iterdir()}
    assert modes == {0o600}


def test_a_desk_sees_only_its_own_marks_and_opens_the_file_when_needed(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    mine, other = DeskSeen(State(path), "mine"), DeskSeen(State(path), "other")
    assert mine.pages("118") == {}
    assert not path.exists()
    mine.mark("118", "page", "text")
    assert mine.state("118", "page", "text") == "seen"
    assert mine.state("118", "page", "another") == "changed"
    assert mine.text("118", "page") == "text"
    assert list(mine.pages("118")) == ["page"]
    assert other.pages("118") == {}
    mine.unmark("118", "page")
    assert mine.state("118", "page", "text") == "unseen"


def test_marks_are_read_from_a_disk_that_takes_nothing(tmp_path: Path) -> None:
    kept, none, begun = (tmp_path / name / "state.db" for name in ("kept", "none", "begun"))
    store = State(kept)
    before = DeskSeen(store, "mine")
    before.mark("118", "page", "text")
    held = before.held("118", "page")
    store.close()
    begun.parent.mkdir()
    begun.touch()
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    desks = [DeskSeen(State(path), "mine") for path in (kept, none, begun)]
    try:
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, limits[1]))
        there = [list(desk.pages("118")) for desk in desks]
        states = [desk.state("118", "page", "text") for desk in desks]
        found = (desks[0].text("118", "page"), desks[0].held("118", "page"))
        for desk in desks:
            with pytest.raises(OSError, match=r"cannot|fails|space"):
                desk.mark("118", "page", "other")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert (there, states) == ([["page"], [], []], ["seen", "unseen", "unseen"])
    assert found == ("text", held)
    for desk in desks:  # as soon as there is room, they are kept
        desk.mark("118", "page", "other")
        assert desk.state("118", "page", "other") == "seen"


async def test_reading_goes_on_without_marks_that_cannot_be_read(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    path.mkdir()
    pages = SeenPages(DeskSeen(State(path), "mine"), "118")
    await pages.read()
    await pages.compare("page", "text")
    assert pages.trouble
    assert pages.state("page") == "unseen"


def test_a_disk_that_refuses_is_an_os_error(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    path.mkdir()
    with pytest.raises(OSError, match="cannot be read or written"):
        DeskSeen(State(path), "mine").pages("118")
