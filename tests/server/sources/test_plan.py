from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from dulwich import porcelain
from dulwich.objects import Blob as GitBlob
from dulwich.objects import Commit as GitCommit
from dulwich.objects import Tree
from dulwich.refs import Ref

from copydesk.server.sources.git import Repository
from copydesk.server.sources.identity import Known, backward, forward
from copydesk.server.sources.model import Person, SourceError, SourceSpace
from copydesk.server.sources.plan import ImportPlan, plan_imports, shorten
from tests.server.sources.making import Making, put

LONG = b"".join(b"line %d of the same page\n" % number for number in range(40))


@pytest.fixture
def making(tmp_path: Path) -> Iterator[Making]:
    made = Making(tmp_path / "docs.git")
    yield made
    made.close()


def planned(making: Making, limit: int = 30, known: Known | None = None) -> ImportPlan:
    with Repository.open(making.path) as source:
        return plan_imports(source, limit=limit, known=known)


def keys(space: SourceSpace) -> dict[str, str]:
    return {page.source_path: page.key for page in space.walk() if page.source_path}


def test_history_becomes_revisions_and_merged_changes(making: Making) -> None:
    making.commit({"SUMMARY.md": b"* [A](a.md)\n", "a.md": b"one\n"}, "Start")
    squash = making.commit({"a.md": b"two\n"}, "Say two (#12)\n\nBecause of one.")
    plain = making.commit({"a.md": b"three\n"}, "Say three")
    side = making.commit(
        {"a.md": b"four\n"}, "Say f", branch="side", author=b"Bo Ek <bo@example.com>"
    )
    merge = making.commit(
        {"a.md": b"four\n"},
        "Merge pull request #13 from bo/say-four\n\nSay four\n\nAt last.",
        parents=[plain, side],
    )
    making.commit({"a.md": b"four\n"}, "Empty")
    (space,) = planned(making).spaces
    assert [revision.commit and revision.commit.subject for revision in space.revisions] == [
        "Start",
        "Say two (#12)",
        "Say three",
        "Merge pull request #13 from bo/say-four",
    ]
    changes = [revision.change for revision in space.revisions]
    assert changes[0] is None
    assert changes[2] is None
    assert changes[1] is not None
    assert changes[3] is not None
    assert (changes[1].number, changes[1].subject, changes[1].body) == (
        12,
        "Say two",
        "Because of one.",
    )
    assert (changes[1].base.pages[0].markdown, changes[1].head.pages[0].markdown) == (
        "one\n",
        "two\n",
    )
    assert changes[1].head_commit == squash
    assert (changes[3].number, changes[3].subject, changes[3].body) == (13, "Say four", "At last.")
    assert (changes[3].branch, changes[3].author) == ("say-four", Person("Bo Ek", "bo@example.com"))
    assert (changes[3].base_commit, changes[3].head_commit) == (plain, merge)
    assert changes[3].created_at < changes[3].updated_at == changes[3].merged_at


def test_the_limit_keeps_the_newest(making: Making) -> None:
    for number in range(6):
        making.commit({"README.md": b"%d\n" % number}, f"Say {number} (#{number})")
    (space,) = planned(making, limit=3).spaces
    assert [page.markdown for revision in space.revisions for page in revision.space.pages] == [
        "3\n",
        "4\n",
        "5\n",
    ]
    assert [revision.change and revision.change.number for revision in space.revisions] == [
        None,
        4,
        5,
    ]


def test_branches_ahead_become_open_changes(making: Making) -> None:
    start = making.commit({"SUMMARY.md": b"* [A](a.md)\n", "a.md": b"a\n", "b.md": b"b\n"})
    making.commit({"a.md": b"A\n"}, "Propose A\n\nWhy not.", branch="520-a", parents=[start])
    last = making.commit({"b.md": b"B\n"}, "And B", branch="520-a")
    making.commit({"a.md": b"x\n"}, f"{'word ' * 30}(#9)", branch="words", parents=[start])
    making.commit({"c.txt": b"x\n"}, "", branch="feature/7", parents=[start])
    making.repo.refs[b"refs/heads/behind"] = start.encode()  # type: ignore[index,assignment] # bytes
    tip = making.commit({"a.md": b"main\n"}, "Go on")
    plan = planned(making)
    (space,) = plan.spaces
    first, second, third = space.changes
    assert (first.key, first.number, first.subject, first.body) == (
        "branch:520-a",
        520,
        "Propose A",
        "Why not.",
    )
    assert (first.base_commit, first.head_commit, first.merged_at) == (start, last, None)
    assert first.base.pages[0].markdown == "a\n"
    assert space.head.pages[0].markdown == "main\n"
    assert [change.path for change in first.changes] == ["a.md", "b.md"]
    assert first.created_at < first.updated_at
    assert (second.number, second.subject) == (7, "feature/7")
    assert third.number == 9
    assert len(third.subject) <= 100
    assert third.subject.endswith("word…")
    assert plan.known is not None
    assert plan.known.commit == tip


def test_a_page_keeps_its_key_through_renames(making: Making) -> None:
    start = making.commit({"SUMMARY.md": b"* [A](a.md)\n", "a.md": LONG})
    making.commit(
        {"SUMMARY.md": b"* [A](side.md)\n", "a.md": None, "side.md": LONG + b"x\n"},
        branch="move",
        parents=[start],
    )
    making.commit({"SUMMARY.md": b"* [A](b.md)\n", "a.md": None, "b.md": LONG})
    (space,) = planned(making).spaces
    assert [keys(revision.space) for revision in space.revisions] == [
        {"a.md": "b.md"},
        {"b.md": "b.md"},
    ]
    assert keys(space.changes[0].head) == {"side.md": "b.md"}


def test_a_second_import_keeps_the_keys_of_the_first(making: Making) -> None:
    making.commit({"SUMMARY.md": b"* [A](a.md)\n", "a.md": LONG})
    first = planned(making)
    assert keys(first.spaces[0].head) == {"a.md": "a.md"}
    making.commit({"SUMMARY.md": b"* [A](b.md)\n", "a.md": None, "b.md": LONG})
    making.commit({"SUMMARY.md": b"* [A](b.md)\n* [New](a.md)\n", "a.md": b"quite another\n"})
    again = planned(making, known=first.known)
    assert keys(again.spaces[0].head) == {"b.md": "a.md", "a.md": "a.md~"}
    assert keys(again.spaces[0].revisions[0].space) == {"a.md": "a.md"}
    third = planned(making, known=again.known)
    assert keys(third.spaces[0].head) == keys(again.spaces[0].head)
    rewritten = planned(making, known=Known("0" * 40, {"b.md": "a.md"}))
    assert keys(rewritten.spaces[0].head) == {"b.md": "a.md", "a.md": "a.md~"}


def test_a_branch_touches_only_its_spaces(making: Making) -> None:
    start = making.commit(
        {
            "en/SUMMARY.md": b"* [A](a.md)\n",
            "en/a.md": b"a\n",
            "de/SUMMARY.md": b"* [A](a.md)\n",
            "de/a.md": b"a\n",
        }
    )
    making.commit({"de/a.md": b"b\n"}, "Nur hier", branch="9-de", parents=[start])
    making.commit(
        {"fr/SUMMARY.md": b"* [A](a.md)\n", "fr/a.md": b"a\n"}, branch="fr", parents=[start]
    )
    plan = planned(making)
    assert {space.folder: len(space.changes) for space in plan.spaces} == {"de": 1, "en": 0}
    assert [(problem.path, problem.reason) for problem in plan.problems] == [
        ("branch fr", "has a space at “fr” that main does not have"),
        (
            "branch fr",
            "was left out: it changes 2 files outside every space: fr/SUMMARY.md and fr/a.md",
        ),
    ]


def test_a_folder_gives_one_revision_and_progress(tmp_path: Path) -> None:
    put(tmp_path, {"README.md": b"# Tide tables\n"})
    seen: list[tuple[int, int, str]] = []
    with Repository.open(tmp_path) as source:
        plan = plan_imports(source, progress=lambda *told: seen.append(told))
    assert plan.known is None
    assert plan.spaces[0].title == "Tide tables"
    assert plan.spaces[0].revisions[0].commit is None
    assert seen == [(1, 1, tmp_path.name)]


def test_progress_counts_commits_and_branches(making: Making) -> None:
    start = making.commit({"README.md": b"1"})
    making.commit({"README.md": b"2"}, branch="side", parents=[start])
    making.commit({"README.md": b"3"})
    seen: list[tuple[int, int]] = []
    with Repository.open(making.path) as source:
        plan_imports(source, progress=lambda done, total, _: seen.append((done, total)))
    assert seen == [(1, 3), (2, 3), (3, 3)]


def test_files_in_another_markup_are_named(tmp_path: Path) -> None:
    put(tmp_path, {"a.qmd": b"# A", "b.Rmd": b"", "c.rst": b"", "d.ipynb": b"{}", "e.txt": b""})
    with Repository.open(tmp_path) as repository:
        plan = plan_imports(repository)
    (space,) = plan.spaces
    assert [page.title for page in space.head.walk()] == ["A", "b"]
    assert [(each.path, each.reason.partition(",")[0]) for each in plan.problems] == [
        ("c.rst", "is reStructuredText"),
        ("d.ipynb", "is a notebook"),
    ]


def test_a_source_without_markdown_is_refused(tmp_path: Path) -> None:
    put(tmp_path, {"a.txt": b"x"})
    with Repository.open(tmp_path) as source, pytest.raises(SourceError, match="no Markdown"):
        plan_imports(source)


def test_subjects_are_cut_at_a_word() -> None:
    assert shorten("Fix it (#12)") == "Fix it"
    assert shorten("a\tb\x1b[31m\nc") == "a b [31m c"
    assert shorten("x" * 200) == "x" * 99 + "…"
    assert len(shorten("seven77 " * 40)) <= 100


def test_no_key_ever_means_two_files(making: Making) -> None:
    first = making.commit({"a.md": LONG, "b.md": b"short\n"})
    second = making.commit({"b.md": LONG, "a.md": None})
    with Repository.open(making.path) as source:
        changes = source.changes(first, second)
    before = backward({"b.md": "b.md"}, changes)
    assert len(set(before.values())) == len(before) == 2
    assert len(set(forward(before, changes).values())) == 1


def lose(making: Making, data: bytes) -> None:
    """Take an object out of a repository, as a partial clone leaves it out."""
    oid = GitBlob.from_string(data).id.decode()
    (making.path / "objects" / oid[:2] / oid[2:]).unlink()


def lose_folder(making: Making, name: bytes) -> None:
    """Take a folder of the newest state out of a repository."""
    head = making.repo[making.repo.refs[Ref(b"refs/heads/main")]]
    assert isinstance(head, GitCommit)
    top = making.repo[head.tree]
    assert isinstance(top, Tree)
    oid = top[name][1]
    (making.path / "objects" / oid[:2].decode() / oid[2:].decode()).unlink()


def test_what_a_partial_clone_left_out_is_named_and_skipped(making: Making) -> None:
    summary = b"* [A](a.md)\n* [B](b.md)\n"
    old = making.commit({"SUMMARY.md": summary, "a.md": b"old\n", "b.md": LONG})
    tip = making.commit({"a.md": b"new\n", "c.png": b"\x89PNG"}, "Go on")
    making.commit({"a.md": b"theirs\n"}, branch="lost", parents=[tip])
    making.commit({"a.md": b"kept\n"}, branch="kept", parents=[tip])
    for data in (b"old\n", b"theirs\n", b"\x89PNG", LONG):
        lose(making, data)
    plan = planned(making)
    (space,) = plan.spaces
    assert [page.title for page in space.head.walk()] == ["A"]
    assert [change.branch for change in space.changes] == ["kept"]
    assert len(space.revisions) == 1
    assert plan.unread == {"branch:lost"}
    way = "Fetch them with git: git fetch --refetch --no-filter"
    assert [str(problem) for problem in plan.problems] == [
        f"{making.path}: 2 objects are missing from this clone, and skipped: b.md and c.png. {way}",
        f"history before {tip[:7]}: was left out: 1 object is missing. {way}",
        f"branch lost: was left out: 1 object of it is missing. {way}",
        "SUMMARY.md, line 2: “* [B](b.md)” is missing from this clone",
    ]
    assert old != tip


def test_a_file_outside_every_space_is_named_and_a_docs_yaml_takes_it(making: Making) -> None:
    making.commit({"docs/SUMMARY.md": b"* [A](a.md)\n", "docs/a.md": b"a\n", "old/b.md": b"b\n"})
    (problem,) = planned(making).problems
    assert (problem.path, problem.reason) == (
        "old/b.md", "is outside every space; a docs.yaml can name its folder as one"
    )  # fmt: skip
    structure = b"site: {structure: [{type: space, title: Old, content: {directory: old}}]}\n"
    making.commit({"docs.yaml": structure})
    plan = planned(making)
    assert sorted(space.title for space in plan.spaces) == ["Old", "docs"]
    assert list(plan.problems) == []


def test_what_was_skipped_once_is_skipped_again_and_what_was_read_is_asked_for(
    making: Making,
) -> None:
    summary = b"* [A](a.md)\n* [B](b.md)\n"
    files = {"SUMMARY.md": summary, "a.md": b"old\n", "b.md": LONG, "deep/c.md": b"c\n"}
    making.commit(files)
    lose(making, LONG)
    once = planned(making)
    again = planned(making, known=once.known)
    assert again.problems == once.problems
    assert again.spaces[0].head.same_content(once.spaces[0].head)
    # It goes on where others changed something, a file that is new and missing among it.
    making.commit({"a.md": b"new\n", "b.md": LONG + b"More.\n", "d.png": b"\x89PNG"}, "Go on")
    lose(making, LONG + b"More.\n")
    lose(making, b"\x89PNG")
    later = planned(making, known=again.known)
    assert "2 objects are missing from this clone, and skipped: b.md and d.png." in str(
        later.problems[0]
    )
    assert not later.spaces[0].head.same_content(once.spaces[0].head)
    # Read before, it would be taken for deleted; also where it has another name now.
    lose(making, b"new\n")
    with pytest.raises(
        SourceError, match=r"to date: 1 object that was read before is missing.*a.md"
    ):
        planned(making, known=later.known)
    making.commit({"a.md": None, "e.md": b"new\n"}, "Rename")
    lose(making, b"new\n")
    with pytest.raises(SourceError, match=r"1 object that was read before .*: e.md. Fetch them"):
        planned(making, known=later.known)
    making.commit({"e.md": b"other\n", "deep/c.md": b"d\n"}, "Deep")
    lose_folder(making, b"deep")
    with pytest.raises(SourceError, match=r"1 object that was read before .*: deep. Fetch them"):
        planned(making, known=later.known)


def test_a_clone_without_any_page_is_refused_with_the_way_out(making: Making) -> None:
    making.commit({"SUMMARY.md": b"* [A](a.md)\n", "a.md": b"a\n"})
    lose(making, b"a\n")
    with pytest.raises(SourceError, match=r"1 object is missing.*git fetch --refetch"):
        planned(making)


def test_a_missing_folder_is_not_taken_for_an_empty_one(making: Making) -> None:
    making.commit({"README.md": b"# Docs\n", "deep/a.md": b"a\n"})
    making.commit({"README.md": b"# The docs\n", "deep/a.md": b"b\n"})
    lose_folder(making, b"deep")
    plan = planned(making)
    assert [page.source_path for page in plan.spaces[0].head.walk()] == ["README.md"]
    assert "1 object is missing from this clone, and skipped: deep." in str(plan.problems[0])


def test_a_shallow_clone_is_read_as_far_as_it_goes(making: Making, tmp_path: Path) -> None:
    start = making.commit({"SUMMARY.md": b"* [A](a.md)\n", "a.md": LONG})
    making.commit({"a.md": LONG + b"x\n"}, branch="side", parents=[start])
    making.commit({"a.md": LONG + b"y\n"}, "Go on")
    porcelain.clone(str(making.path), str(tmp_path / "shallow"), depth=1, checkout=False).close()
    with Repository.open(tmp_path / "shallow") as source:
        plan = plan_imports(source)
    assert len(plan.spaces[0].revisions) == 1
    assert [str(problem) for problem in plan.problems] == [
        "branch side: was left out: it shares no commit with main in this shallow clone. "
        "Fetch them with git: git fetch --unshallow"
    ]
