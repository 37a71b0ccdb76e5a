"""A page that a branch moves out of its space, as the commands tell it."""

from __future__ import annotations

from pathlib import Path

import pytest

from copydesk.cli import main
from copydesk.session import page_changes
from tests.server.sources.making import Making

PAGE = b"# Rope\n\n" + b"".join(b"Line %d of the page.\n\n" % number for number in range(20))
FILES = {
    "manual/SUMMARY.md": b"* [Manual](README.md)\n* [Rope](rope.md)\n",
    "manual/README.md": b"# Manual\n",
    "manual/rope.md": PAGE,
    "guides/SUMMARY.md": b"* [Guides](README.md)\n",
    "guides/README.md": b"# Guides\n",
}


@pytest.fixture
def imported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COPYDESK_HOME", str(tmp_path / "home"))
    repository = Making(tmp_path / "docs.git")
    base = repository.commit(FILES, "Begin")
    repository.commit(
        {
            "manual/rope.md": None,
            "guides/knots.md": PAGE.replace(b"Line 5 ", b"Row 5 "),
            "manual/SUMMARY.md": b"* [Manual](README.md)\n",
            "guides/SUMMARY.md": b"* [Guides](README.md)\n* [Knots](knots.md)\n",
        },
        "Make it a guide",
        branch="7-guide",
        parents=[base],
    )
    repository.close()
    assert main(["desk", "import", str(tmp_path / "docs.git")]) == 0


@pytest.mark.usefixtures("imported")
def test_it_is_told_with_its_place_and_text_and_is_not_ready(
    capsys: pytest.CaptureFixture[str],
) -> None:
    capsys.readouterr()
    where = "moved to guides/knots.md in Guides, where #7 adds it"
    assert main(["cr", "show", "7", "--space", "Manual"]) == 0
    shown = capsys.readouterr().out
    assert f"LOSES PAGES   Rope is {where}" in shown
    assert "1 moved out" in shown
    assert f"-> Rope  {where}" in shown
    assert "READY" not in shown
    assert main(["cr", "diff", "7", "--space", "Manual"]) == 0
    diff = capsys.readouterr().out
    assert f"This page is {where}." in diff
    assert "- [-Line-] 5 of the page." in diff
    assert "+ {+Row+} 5 of the page." in diff


@pytest.mark.usefixtures("imported")
def test_a_merge_says_what_readers_lose_until_the_other_space_has_it(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["cr", "merge", "7", "--space", "Guides", "--yes"]) == 0
    capsys.readouterr()
    assert main(["cr", "show", "7", "--space", "Manual"]) == 0
    shown = capsys.readouterr().out
    assert "READY TO MERGE" in shown
    assert "moved to guides/knots.md in Guides, where #7 added it" in shown


@pytest.mark.usefixtures("imported")
def test_a_merge_that_takes_a_page_from_readers_says_so(
    capsys: pytest.CaptureFixture[str],
) -> None:
    capsys.readouterr()
    assert main(["cr", "merge", "7", "--space", "Manual", "--yes"]) == 0
    said = capsys.readouterr().out
    assert "! readers lose a page: Rope is moved to guides/knots.md in Guides" in said


def import_large(folder: Path) -> None:
    """Import a branch that edits 210 pages and moves the last one out."""
    repository = Making(folder / "large.git")
    pages = {f"p{number:03}.md": b"# P\n\nNumber %d.\n" % number for number in range(211)}
    lines = [b"* [P](%s)\n" % name.encode() for name in pages]
    files = {f"m/{path}": data for path, data in pages.items()}
    base = repository.commit({**files, "m/SUMMARY.md": b"".join(lines)}, "Begin")
    changed: dict[str, bytes | None] = {path: data + b"\nMore.\n" for path, data in files.items()}
    changed |= {"m/p210.md": None, "out/p.md": pages["p210.md"]}
    changed["m/SUMMARY.md"] = b"".join(lines[:-1])
    repository.commit(changed, "Take it out", branch="7-out", parents=[base])
    repository.close()
    assert main(["desk", "import", str(folder / "large.git")]) == 0


def test_all_changes_of_a_request_are_looked_at_or_it_is_not_ready(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COPYDESK_HOME", str(tmp_path / "home"))
    import_large(tmp_path)
    capsys.readouterr()
    assert main(["cr", "show", "7"]) == 0
    shown = capsys.readouterr().out
    assert "LOSES PAGES   P is moved to out/p.md" in shown
    assert "and 11 more" in shown
    monkeypatch.setattr(page_changes, "MOST_CHANGES", 210)
    looked = "only the first 210 of 211 changes were looked at"
    assert main(["cr", "show", "7"]) == 0
    shown = capsys.readouterr().out
    assert f"READY?   {looked}" in shown
    assert "READY TO" not in shown
    assert main(["cr", "merge", "7", "--yes"]) == 0
    assert f"! {looked}: readers may lose a page" in capsys.readouterr().out


def test_a_page_whose_file_moves_out_of_every_space_is_told_with_its_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COPYDESK_HOME", str(tmp_path / "home"))
    repository = Making(tmp_path / "docs.git")
    base = repository.commit(FILES, "Begin")
    for branch, data in (("7-edit", PAGE.replace(b"Line 5 ", b"Row 5 ")), ("8-same", PAGE)):
        repository.commit(
            {
                "manual/rope.md": None,
                "folder/rope.md": data,
                "manual/SUMMARY.md": b"* [Manual](README.md)\n* [Rope](../folder/rope.md)\n",
            },
            "Put it elsewhere",
            branch=branch,
            parents=[base],
        )
    repository.close()
    assert main(["desk", "import", str(tmp_path / "docs.git")]) == 0
    for number, kinds in (("7", "1 file moved, 1 edited"), ("8", "1 file moved\n")):
        capsys.readouterr()
        assert main(["cr", "show", number, "--space", "Manual"]) == 0
        shown = capsys.readouterr().out
        assert kinds in shown
        assert "Rope  file moved to folder/rope.md" in shown
        assert main(["cr", "diff", number, "--space", "Manual"]) == 0
        shown = capsys.readouterr().out
        assert "file moved: was manual/rope.md, now folder/rope.md" in shown
