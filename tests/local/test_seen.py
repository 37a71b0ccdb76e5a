import resource
import sqlite3
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from copydesk.local.seen import FORMER, DeskSeen, Seen, SeenPage, digest
from copydesk.tui.seen import SeenPages


@pytest.fixture
def seen(tmp_path: Path) -> Iterator[Seen]:
    seen = Seen(tmp_path / "state" / "seen.db", clock=lambda: 7.0)
    yield seen
    seen.close()


def stored_texts(tmp_path: Path) -> int:
    database = sqlite3.connect(tmp_path / "state" / "seen.db")
    try:
        return int(database.execute("SELECT count(*) FROM text").fetchone()[0])
    finally:
        database.close()


def test_a_page_is_seen_until_its_text_changes(seen: Seen) -> None:
    assert seen.state("d", "cr", "p", "text") == "unseen"
    seen.mark("d", "cr", "p", "text")
    assert seen.state("d", "cr", "p", "text") == "seen"
    assert seen.state("d", "cr", "p", "other") == "changed"
    assert seen.text("d", "cr", "p") == "text"
    seen.unmark("d", "cr", "p")
    assert seen.state("d", "cr", "p", "text") == "unseen"
    assert seen.text("d", "cr", "p") is None


def test_marks_belong_to_desk_object_and_page(seen: Seen) -> None:
    seen.mark("d", "cr", "p", "text")
    assert seen.pages("d", "cr") == {"p": SeenPage(7.0, digest("text"))}
    assert seen.pages("e", "cr") == seen.pages("d", "other") == {}


def test_marks_and_strange_texts_outlive_the_process(seen: Seen, tmp_path: Path) -> None:
    text = "a\r\nb\x00 \ud83d ☕" * 1000
    seen.mark("d", "cr", "p", text)
    other = Seen(tmp_path / "state" / "seen.db")
    assert other.text("d", "cr", "p") == text
    other.close()


def test_a_text_is_stored_once_and_goes_with_its_last_mark(seen: Seen, tmp_path: Path) -> None:
    seen.mark("d", "cr", "p", "same")
    seen.mark("d", "cr", "q", "same")
    assert stored_texts(tmp_path) == 1
    seen.mark("d", "cr", "p", "new")
    assert stored_texts(tmp_path) == 2
    seen.unmark("d", "cr", "q")
    # Kept for a while, so that it can be undone.
    assert stored_texts(tmp_path) == 2
    assert seen.put("d", "cr", "q", digest("same"))
    assert seen.text("d", "cr", "q") == "same"
    for n in range(FORMER + 2):
        seen.mark("d", "cr", "q", f"text {n}")
    assert stored_texts(tmp_path) == FORMER + 2
    seen.mark("d", "cr", "p", "new")
    assert seen.text("d", "cr", "p") == "new"


@pytest.mark.parametrize(
    "content", [b"no database at all, but long enough to look" * 30, b"SQLite format 3\x00"]
)
def test_a_broken_file_is_set_aside(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "seen.db"
    path.write_bytes(content)
    seen = Seen(path)
    seen.mark("d", "cr", "p", "text")
    assert seen.text("d", "cr", "p") == "text"
    if seen.set_aside is not None:
        assert seen.set_aside.read_bytes() == content
    seen.close()


def test_only_the_writer_can_read(seen: Seen, tmp_path: Path) -> None:
    seen.mark("d", "cr", "p", "text")
    modes = {stat.S_IMODE(path.stat().st_mode) for path in (tmp_path / "state").iterdir()}
    assert modes == {0o600}


def test_a_desk_sees_only_its_own_marks_and_opens_the_file_when_needed(tmp_path: Path) -> None:
    path = tmp_path / "seen.db"
    mine, other = DeskSeen(path, "mine"), DeskSeen(path, "other")
    assert not path.exists()
    mine.mark("118", "page", "text")
    assert mine.state("118", "page", "text") == "seen"
    assert mine.state("118", "page", "another") == "changed"
    assert mine.text("118", "page") == "text"
    assert mine.pages("118") == ["page"]
    assert other.pages("118") == []
    mine.unmark("118", "page")
    assert mine.state("118", "page", "text") == "unseen"
    mine.close()
    other.close()


def test_marks_are_read_from_a_disk_that_takes_nothing(tmp_path: Path) -> None:
    kept, none, begun = (tmp_path / name for name in ("seen.db", "none.db", "begun.db"))
    before = DeskSeen(kept, "mine")
    before.mark("118", "page", "text")
    held = before.held("118", "page")
    before.close()
    begun.touch()
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    desks = [DeskSeen(path, "mine") for path in (kept, none, begun)]
    try:
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, limits[1]))
        there = [list(desk.pages("118")) for desk in desks]
        states = [desk.state("118", "page", "text") for desk in desks]
        found = (desks[0].text("118", "page"), desks[0].held("118", "page"))
        for desk in desks:
            with pytest.raises(OSError, match="seen pages cannot be kept"):
                desk.mark("118", "page", "other")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert (there, states) == ([["page"], [], []], ["seen", "unseen", "unseen"])
    assert found == ("text", held)
    for desk in desks:  # as soon as there is room, they are kept
        desk.mark("118", "page", "other")
        assert desk.state("118", "page", "other") == "seen"
        desk.close()


async def test_reading_goes_on_without_marks_that_cannot_be_read(tmp_path: Path) -> None:
    path = tmp_path / "seen.db"
    path.mkdir()
    pages = SeenPages(DeskSeen(path, "mine"), "118")
    await pages.read()
    await pages.compare("page", "text")
    assert pages.trouble
    assert pages.state("page") == "unseen"


def test_a_disk_that_refuses_is_an_os_error(tmp_path: Path) -> None:
    path = tmp_path / "seen.db"
    path.mkdir()
    with pytest.raises(OSError, match=r"seen pages cannot be kept|directory"):
        DeskSeen(path, "mine").pages("118")
