"""What an import says it could not use: a line for each reason and folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from copydesk.cli import main
from copydesk.cli.desk import FOLDERS, file_lines, problem_lines
from copydesk.server.desk_writes import Editor
from copydesk.server.repository_import import import_source
from copydesk.server.sources.model import Problem
from tests.server.sources.making import put
from tests.somebody import somebody
from tests.world import World


def test_many_of_one_kind_are_one_line_for_each_folder() -> None:
    unlisted = [f"guides/{number}.md" for number in range(40)] + ["a.md", "deep/er/b.md"]
    assert list(file_lines(unlisted, "in no table of contents")) == [
        "guides/: 40 files, in no table of contents: 0.md, 1.md, 2.md and 37 more",
        "1 file, in no table of contents: a.md",
        "deep/er/: 1 file, in no table of contents: b.md",
    ]
    scattered = [f"folder{n % 30:02}/{n}/a.md" for n in range(90)]
    lines = list(file_lines(scattered, "gone"))
    assert lines[0] == "folder00/: 3 files, gone: 0/a.md, 30/a.md and 60/a.md"
    assert lines[-1] == "66 files in 22 more folders, gone"
    assert len(lines) == FOLDERS + 1


def test_problems_are_told_one_by_one_or_together_by_their_reason() -> None:
    problems = [
        *(Problem(f"branch {name}", "was left out: it changes nothing") for name in "abcd"),
        *(Problem(f"img/{n}.png", "is a symlink, which is not followed") for n in range(4)),
        *(Problem(f"{n}.md", f"is not UTF-8 (byte {n})") for n in range(5)),
        *(Problem("SUMMARY.md", "names a file that does not exist", n, f"* {n}") for n in range(9)),
        Problem("SUMMARY.md", "has an empty link", 12, "* [x]()"),
    ]
    assert list(problem_lines(problems)) == [
        "4 branches: each was left out: it changes nothing: a, b, c and 1 more",
        "img/: 4 files, each is a symlink, which is not followed: 0.png, 1.png, 2.png and 1 more",
        "5 files, each is not UTF-8: 0.md, 1.md, 2.md and 2 more",
        "SUMMARY.md: 9 lines: each names a file that does not exist: "
        "line 0 “* 0”, line 1 “* 1”, line 2 “* 2” and 6 more",
        "SUMMARY.md, line 12: “* [x]()” has an empty link",
    ]


def test_an_import_with_much_to_say_ends_with_its_result(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COPYDESK_HOME", str(tmp_path / "home"))
    files = {f"old/{number}.md": b"x" for number in range(190)}
    put(tmp_path / "docs", {"SUMMARY.md": b"* [A](a.md)\n", "a.md": b"# A\n", **files})
    assert main(["desk", "import", str(tmp_path / "docs")]) == 0
    said = capsys.readouterr()
    assert len(said.err.splitlines()) == 1
    assert "old/: 190 files, in no table of contents and kept without a page: " in said.err
    assert "docs / docs (new): 1 page" in said.out


def test_what_is_hidden_and_what_has_no_pages_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COPYDESK_HOME", str(tmp_path / "home"))
    hidden = {f"{name}/.{name}.md": b"x" for name in "abcd"}
    put(tmp_path / "docs", {"a.md": b"# A\n", ".github/ASK.md": b"x", **hidden})
    assert main(["desk", "import", str(tmp_path / "docs")]) == 0
    said = capsys.readouterr()
    assert said.err.splitlines() == [
        "not used: .github: is hidden or of a tool: its Markdown is left out",
        *(
            f"not a page: {name}/: 1 file, in no table of contents and kept without a page: "
            f".{name}.md"
            for name in "abcd"
        ),
    ]
    assert "docs / docs (new): 1 page." in said.out
    put(tmp_path / "bare", {"SUMMARY.md": b"# Table\n"})
    assert main(["desk", "import", str(tmp_path / "bare")]) == 0
    said = capsys.readouterr()
    assert said.err == "bare has no pages: no Markdown was found for one.\n"
    assert "bare / bare (new): 0 pages." in said.out


def test_a_title_for_a_space_that_is_there_already_is_said_not_to_be_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COPYDESK_HOME", str(tmp_path / "home"))
    put(tmp_path / "docs", {"a.md": b"# A\n"})
    told = []
    for title in ("One", "One", "Two"):
        assert main(["desk", "import", str(tmp_path / "docs"), "--space", title]) == 0
        told.append("--space: One has its title from an earlier import" in capsys.readouterr().err)
    assert told == [False, False, True]


def test_spaces_of_one_title_are_told_apart_by_their_folders(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COPYDESK_HOME", str(tmp_path / "home"))
    book = {"SUMMARY.md": b"- [A](a.md)\n", "a.md": b"# A\n", "README.md": b"# Book\n"}
    put(
        tmp_path / "docs",
        {f"{folder}{path}": data for folder in ("", "old/") for path, data in book.items()}
        | {"new/SUMMARY.md": b"- [B](b.md)\n", "new/b.md": b"# B\n"},
    )
    assert main(["desk", "import", str(tmp_path / "docs")]) == 0
    said = [line.partition(":")[0] for line in capsys.readouterr().out.splitlines()]
    assert said == [
        "docs / Book (new)", "docs / new (new)", "docs / Book (old) (new)",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("table", "text"),
    [
        ("mkdocs.yml", b"nav:\n  - A: a.md\n  - B: b.md\n"),
        ("sidebars.json", b'{"docs": ["b", "a"]}'),
    ],
)
def test_an_export_says_that_a_table_of_contents_it_cannot_write_is_as_it_was(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    table: str,
    text: bytes,
) -> None:
    monkeypatch.setenv("COPYDESK_HOME", str(tmp_path / "home"))
    desk, out = tmp_path / "desk.db", tmp_path / "out"
    put(tmp_path / "docs", {table: text, "docs/a.md": b"# A\n", "docs/b.md": b"# B\n"})
    world = World(desk)
    owner = world.ana
    space = import_source(world.store, tmp_path / "docs", owner=lambda _: owner).spaces[0].space_id
    export = ["desk", "export", space, str(out), "--desk", str(desk)]
    assert main(export) == 0
    assert "SUMMARY.md" not in capsys.readouterr().out
    world.commit(space, {"new": "# New\n"})
    world.close()
    assert main(export) == 0
    said = capsys.readouterr().out.splitlines()[-1]
    assert said == (
        f"docs/SUMMARY.md has the pages as they are arranged here, and {table} as they were "
        f"before. Change {table} by hand and delete docs/SUMMARY.md, or the next import uses "
        "docs/SUMMARY.md."
    )
    assert (out / "docs/SUMMARY.md").is_file()
    assert (out / table).read_bytes() == text


def test_an_export_says_why_a_folder_without_a_summary_gets_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COPYDESK_HOME", str(tmp_path / "home"))
    desk, out = tmp_path / "desk.db", tmp_path / "out"
    put(tmp_path / "docs", {"a.md": b"# A\n", "b.md": b"# B\n"})
    world = World(desk)
    owner = world.ana
    space = import_source(world.store, tmp_path / "docs", owner=lambda _: owner).spaces[0].space_id
    world.commit(space, {"new": "# New\n"})
    export = ["desk", "export", space, str(out), "--desk", str(desk)]
    assert main(export) == 0
    assert "SUMMARY.md" not in capsys.readouterr().out

    def turned(editor: Editor) -> None:
        editor.move(editor.draft.children[None][0], None, 1)

    world.commit(space, edit=turned)
    world.close()
    assert main(export) == 0
    assert capsys.readouterr().out.splitlines()[-1] == (
        "SUMMARY.md has the pages as they are arranged here, and the folders with their front "
        "matter as they were before. Give the pages their places by hand and delete SUMMARY.md, "
        "or the next import uses SUMMARY.md."
    )


def test_what_may_not_be_read_is_not_taken_for_deleted(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with somebody() as folder:
        monkeypatch.setenv("COPYDESK_HOME", str(folder / "home"))
        docs = folder / "docs"
        put(docs, {"README.md": b"# A\n", "sub/b.md": b"# B\n", "new.md": b"# N\n"})
        put(docs, {"lost/c.md": b"# C\n"})
        for never in ("new.md", "lost"):
            (docs / never).chmod(0)
        load = ["desk", "import", str(docs)]
        assert main(load) == 0
        said = capsys.readouterr()
        assert "not used: lost: cannot be listed: Permission denied" in said.err
        assert "not used: new.md: is not readable for you" in said.err
        assert "2 pages" in said.out
        for lost, why in (("sub/b.md", "is not readable for you"), ("sub", "cannot be listed")):
            mode = (docs / lost).stat().st_mode
            (docs / lost).chmod(0)
            assert main(load) == 2
            said = capsys.readouterr()
            assert f"docs/{lost}: {why}" in said.err
            assert "sub/b.md of the desk would be taken for deleted. Nothing was" in said.err
            (docs / lost).chmod(mode)
        assert main(load) == 0
        assert "2 pages, 1 group. " in capsys.readouterr().out, "as it was"
        docs.chmod(0)
        assert main(load) == 2
        assert f"{docs} cannot be listed: Permission denied" in capsys.readouterr().err
        for folder_of_theirs in (docs, docs / "lost"):
            folder_of_theirs.chmod(0o700)
