import json
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from copydesk.local.snapshot import BYTE_LIMIT, ROW_LIMIT, Snapshots

ROWS = [{"id": "cr-1", "subject": "Fix ☕ \ud83d", "number": 5, "open": True, "by": None}]


def test_the_last_screen_of_a_desk_is_there_at_the_next_start(tmp_path: Path) -> None:
    Snapshots(tmp_path / "s", "desk").write("spaces", ROWS)
    assert Snapshots(tmp_path / "s", "desk").read("spaces") == ROWS


def test_desks_and_screens_are_kept_apart(tmp_path: Path) -> None:
    one, two = Snapshots(tmp_path, "one"), Snapshots(tmp_path, "two")
    one.write("spaces", ROWS)
    assert one.read("sites") == two.read("spaces") == []
    two.write("spaces", [])
    one.forget()
    assert one.read("spaces") == []


def test_what_is_there_already_is_not_written_again(tmp_path: Path) -> None:
    Snapshots(tmp_path, "desk").write("spaces", ROWS)
    (file,) = tmp_path.iterdir()
    first = file.stat().st_ino
    Snapshots(tmp_path, "desk").write("spaces", ROWS)
    assert file.stat().st_ino == first
    Snapshots(tmp_path, "desk").write("spaces", [])
    assert Snapshots(tmp_path, "desk").read("spaces") == []


def test_a_long_list_is_cut(tmp_path: Path) -> None:
    snapshots = Snapshots(tmp_path, "desk")
    snapshots.write("spaces", [{"id": str(number)} for number in range(10_000)])
    assert len(snapshots.read("spaces")) == ROW_LIMIT


@given(st.binary(max_size=100))
def test_nonsense_is_no_snapshot(content: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        snapshots = Snapshots(Path(folder), "desk")
        snapshots.write("spaces", ROWS)
        (file,) = Path(folder).iterdir()
        file.write_bytes(content)
        assert snapshots.read("spaces") == []


@pytest.mark.parametrize(
    "change",
    [
        {"version": 99},
        {"desk": "other"},
        {"key": "other"},
        {"rows": {}},
        {"rows": ["x"]},
        {"rows": None},
    ],
)
def test_another_form_is_no_snapshot(tmp_path: Path, change: dict[str, object]) -> None:
    snapshots = Snapshots(tmp_path, "desk")
    snapshots.write("spaces", ROWS)
    (file,) = tmp_path.iterdir()
    file.write_text(json.dumps({**json.loads(file.read_text()), **change}))
    assert snapshots.read("spaces") == []


def test_torn_and_huge_files_are_no_snapshots(tmp_path: Path) -> None:
    snapshots = Snapshots(tmp_path, "desk")
    snapshots.write("spaces", ROWS)
    (file,) = tmp_path.iterdir()
    whole = file.read_bytes()
    for end in range(0, len(whole) - 1, 7):
        file.write_bytes(whole[:end])
        assert snapshots.read("spaces") == []
    file.write_bytes(whole + b" " * BYTE_LIMIT)
    assert snapshots.read("spaces") == []
    file.write_bytes(whole)
    assert snapshots.read("spaces") == ROWS


def test_where_the_disk_refuses_the_last_screen_is_lost_and_nothing_else(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    snapshots = Snapshots(tmp_path / "file" / "below", "desk")
    snapshots.write("spaces", ROWS)
    assert snapshots.read("spaces") == []
