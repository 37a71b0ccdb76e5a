"""Branches of a repository: what becomes of them from import to import, and what leaves a space."""

from __future__ import annotations

from pathlib import Path

import pytest
from dulwich.refs import Ref

from copydesk.contract import operations as ops
from copydesk.contract.models.change_request import (
    Change,
    ChangeRequest,
    ChangeRequestCreate,
    ChangeRequestUpdate,
    Changes,
    MergeResult,
)
from copydesk.server.repository_import import ImportReport
from copydesk.server.space_export import export_space
from copydesk.session.page_changes import losses
from tests.server.imported import pages, read, tip
from tests.server.sources.making import Making, taken
from tests.world import World

PAGE = b"".join(b"Line %d of the page.\n\n" % number for number in range(20))
FILES = {
    "SUMMARY.md": b"* [A](a.md)\n* [B](b.md)\n",
    "a.md": b"# A\n\n" + PAGE,
    "b.md": b"# B\n\n" + PAGE,
}
SPACES = {
    "manual/SUMMARY.md": b"* [Manual](README.md)\n* [A](a.md)\n",
    "manual/README.md": b"# Manual\n",
    "manual/a.md": b"# A\n\n" + PAGE,
    "guides/SUMMARY.md": b"* [Guides](README.md)\n",
    "guides/README.md": b"# Guides\n",
}
EDITED = SPACES["manual/a.md"].replace(b"Line 5 ", b"Row 5 ")


@pytest.fixture
def repository(tmp_path: Path) -> Making:
    made = Making(tmp_path / "manual.git")
    made.commit(FILES, "Begin")
    return made


@pytest.fixture
def several(tmp_path: Path) -> Making:
    made = Making(tmp_path / "several.git")
    made.commit(SPACES, "Begin")
    return made


async def request(world: World, space: str, number: int) -> ChangeRequest:
    async with world.api() as api:
        return await api(ops.get_change_request, space, str(number))


async def changes(world: World, space: str, number: int) -> list[Change]:
    async with world.api() as api:
        return (await api(ops.get_change_request_changes, space, str(number))).changes


async def merge(world: World, space: str, number: int) -> MergeResult:
    async with world.api() as api:
        return await api(ops.merge_change_request, space, str(number))


def files_at(repository: Making, commit: str) -> dict[str, bytes]:
    return {path: data for path, (_, data) in repository.trees[commit].items()}


def spaces_of(report: ImportReport) -> dict[str, str]:
    return {space.title: space.space_id for space in report.spaces}


# A conflict resolved in git


@pytest.mark.parametrize("rebased", [False, True])
async def test_a_conflict_that_git_resolved_is_none_any_more(
    world: World, repository: Making, tmp_path: Path, rebased: bool
) -> None:
    base = tip(repository)
    branch = repository.commit(
        {path: FILES[path].replace(b"Line 5 ", b"Branch 5 ") for path in ("a.md", "b.md")},
        "Change five",
        branch="1-five",
        parents=[base],
    )
    main = repository.commit(
        {
            "a.md": FILES["a.md"].replace(b"Line 5 ", b"Main 5 "),
            "b.md": FILES["b.md"].replace(b"Line 5 ", b"Main 5 ").replace(b"Line 9 ", b"Main 9 "),
        },
        "Main goes on",
    )
    space = read(world, repository.path).spaces[0].space_id
    assert (await merge(world, space, 1)).result == "conflicts"
    # One page is left as the branch has it; of the other main's text is taken.
    resolved = FILES["b.md"].replace(b"Line 5 ", b"Both 5 ").replace(b"Line 9 ", b"Main 9 ")
    solved = repository.commit(
        {"a.md": FILES["a.md"].replace(b"Line 5 ", b"Main 5 "), "b.md": resolved},
        "Take main in",
        branch="1-five",
        parents=[main] if rebased else [branch, main],
    )
    report = read(world, repository.path)
    assert (report.spaces[0].updated, report.problems) == (1, [])
    assert not (await request(world, space, 1)).outdated
    assert [each.page.title for each in await changes(world, space, 1) if each.page] == ["B"]
    assert (await merge(world, space, 1)).result == "merge"
    export_space(world.store, space, tmp_path / "out")
    assert taken(tmp_path / "out") == files_at(repository, solved)


async def test_the_way_out_that_the_conflict_names_ends_in_a_merge(
    world: World, repository: Making, tmp_path: Path
) -> None:
    # What conflicts was merged on the desk: it is exported, committed and resolved in git.
    base = tip(repository)
    repository.commit(
        {"a.md": FILES["a.md"].replace(b"Line 5 ", b"One 5 ")},
        "One",
        branch="1-one",
        parents=[base],
    )
    two = repository.commit(
        {"a.md": FILES["a.md"].replace(b"Line 5 ", b"Two 5 ")},
        "Two",
        branch="2-two",
        parents=[base],
    )
    space = read(world, repository.path).spaces[0].space_id
    assert (await merge(world, space, 1)).result == "merge"
    assert (await merge(world, space, 2)).result == "conflicts"
    export_space(world.store, space, tmp_path / "out")
    main = repository.commit(dict(taken(tmp_path / "out")), "What the desk merged")
    both = {"a.md": FILES["a.md"].replace(b"Line 5 ", b"One and two 5 ")}
    repository.commit(both, "Take main in", branch="2-two", parents=[two, main])
    report = read(world, repository.path)
    assert report.problems == []
    assert not (await request(world, space, 2)).outdated
    assert (await merge(world, space, 2)).result == "merge"


async def test_a_part_of_a_branch_that_landed_is_its_change_no_longer(
    world: World, repository: Making
) -> None:
    base = tip(repository)
    first = repository.commit(
        {"a.md": FILES["a.md"].replace(b"Line 5 ", b"Row 5 ")}, branch="9-both", parents=[base]
    )
    repository.commit({"b.md": FILES["b.md"] + b"End.\n"}, branch="9-both")
    space = read(world, repository.path).spaces[0].space_id
    before = await request(world, space, 9)
    assert len(await changes(world, space, 9)) == 2
    repository.commit(
        {"a.md": FILES["a.md"].replace(b"Line 5 ", b"Row 5 ")}, "Half of it", parents=[base, first]
    )
    read(world, repository.path)
    now = await request(world, space, 9)
    assert (now.revision, now.outdated) == (before.revision, False)  # reviews still hold
    assert [each.page.title for each in await changes(world, space, 9) if each.page] == ["B"]


# Branches that are done


async def test_what_became_of_a_branch_in_git_becomes_of_its_request(
    world: World, repository: Making
) -> None:
    base = tip(repository)
    text = FILES["a.md"]

    def branch(name: str, old: bytes, new: bytes) -> str:
        return repository.commit(
            {"a.md": text.replace(old, new)}, name, branch=name, parents=[base]
        )

    merged = branch("1-merged", b"Line 1 ", b"Row 1 ")
    branch("2-squashed", b"Line 8 ", b"Row 8 ")
    branch("3-deleted", b"Line 15 ", b"Row 15 ")
    branch("4-open", b"Line 18 ", b"Row 18 ")
    space = read(world, repository.path).spaces[0].space_id
    landed = text.replace(b"Line 1 ", b"Row 1 ")
    repository.commit({"a.md": landed}, "Merge branch '1-merged'", parents=[base, merged])
    repository.commit({"a.md": landed.replace(b"Line 8 ", b"Row 8 ")}, "Squashed, by hand")
    for name in ("1-merged", "2-squashed", "3-deleted"):
        del repository.repo.refs[Ref(f"refs/heads/{name}".encode())]
    report = read(world, repository.path).spaces[0]
    assert (report.merged, report.archived, report.opened) == (2, 1, 0)
    found = [(await request(world, space, number)).status for number in (1, 2, 3, 4)]
    assert found == ["merged", "merged", "archived", "open"]
    assert read(world, repository.path).spaces[0].archived == 0
    # One that is there again is open again.
    branch("3-deleted", b"Line 15 ", b"Row fifteen ")
    read(world, repository.path)
    assert (await request(world, space, 3)).status == "open"


async def test_what_was_archived_on_the_desk_stays_so(world: World, repository: Making) -> None:
    base = tip(repository)
    repository.commit({"a.md": b"# A\n"}, branch="1-a", parents=[base])
    space = read(world, repository.path).spaces[0].space_id
    async with world.api() as api:
        await api(ops.update_change_request, space, "1", ChangeRequestUpdate(status="archived"))
    repository.commit({"a.md": b"# A!\n"}, branch="1-a")
    read(world, repository.path)
    assert (await request(world, space, 1)).status == "archived"


async def test_a_request_of_the_desk_is_not_merged_by_a_commit_that_has_its_number(
    world: World, repository: Making
) -> None:
    base = tip(repository)
    repository.commit({"b.md": b"# B!\n"}, branch="7-idea", parents=[base])
    space = read(world, repository.path).spaces[0].space_id
    async with world.api() as api:
        own = await api(
            ops.create_change_request, space, ChangeRequestCreate(subject="My own idea")
        )
    # The one number is of the desk's own request, the other of a branch that is still there.
    repository.commit({"a.md": FILES["a.md"] + b"One.\n"}, f"Add a line (#{own.number})")
    repository.commit({"a.md": FILES["a.md"] + b"One.\n\nTwo.\n"}, "Add another (#7)")
    assert read(world, repository.path).spaces[0].merged == 2
    for number in (own.number, 7):
        assert number is not None
        assert (await request(world, space, number)).status in ("open", "draft")


async def test_a_branch_that_goes_on_after_it_was_merged_is_a_new_request(
    world: World, repository: Making
) -> None:
    first = repository.commit(
        {"a.md": FILES["a.md"] + b"One.\n"}, "One", branch="develop", parents=[tip(repository)]
    )
    space = read(world, repository.path).spaces[0].space_id
    landed = {"a.md": FILES["a.md"] + b"One.\n"}
    repository.commit(landed, "Merge branch 'develop'", parents=[tip(repository), first])
    assert read(world, repository.path).spaces[0].merged == 1
    second = repository.commit({"b.md": FILES["b.md"] + b"Two.\n"}, "Two", branch="develop")
    assert read(world, repository.path).spaces[0].opened == 1
    assert (await request(world, space, 1)).status == "merged"
    proposed = await changes(world, space, 2)
    assert [(each.type, each.page and each.page.title) for each in proposed] == [
        ("page_edited", "B")
    ]
    # It is merged and goes on before the next import.
    repository.commit(
        landed | {"b.md": FILES["b.md"] + b"Two.\n"},
        "Merge branch 'develop'",
        parents=[tip(repository), second],
    )
    repository.commit({"b.md": FILES["b.md"] + b"Two.\n\nThree.\n"}, "Three", branch="develop")
    report = read(world, repository.path).spaces[0]
    assert (report.opened, report.merged) == (1, 1)
    found = [(await request(world, space, number)).status for number in (1, 2, 3)]
    assert found == ["merged", "merged", "open"]


async def test_a_branch_whose_merge_was_taken_out_of_history_is_proposed_again(
    world: World, repository: Making
) -> None:
    base = tip(repository)
    landed = {"a.md": FILES["a.md"] + b"One.\n"}
    head = repository.commit(landed, "One", branch="idea", parents=[base])
    space = read(world, repository.path).spaces[0].space_id
    repository.commit(landed, "Merge branch 'idea'", parents=[base, head])
    assert read(world, repository.path).spaces[0].merged == 1
    repository.commit({"b.md": b"# B\n"}, "Instead", parents=[base])
    assert read(world, repository.path).spaces[0].opened == 1
    assert [(await request(world, space, number)).status for number in (1, 2)] == ["merged", "open"]
    assert read(world, repository.path).spaces[0].opened == 0


async def test_what_was_merged_on_the_desk_alone_is_not_proposed_again(
    world: World, repository: Making
) -> None:
    head = FILES["a.md"] + b"One.\n"
    repository.commit({"a.md": head}, "One", branch="idea", parents=[tip(repository)])
    space = read(world, repository.path).spaces[0].space_id
    await merge(world, space, 1)
    world.commit(space, {"a": "# A\n\nOtherwise.\n"})
    for _ in range(2):
        assert read(world, repository.path).spaces[0].opened == 0


# Out to git and back


async def test_what_was_exported_and_committed_is_known_when_it_comes_back(
    world: World, repository: Making, tmp_path: Path
) -> None:
    base = tip(repository)
    front = b"---\ndescription: >-\n  Folded\n  over\n---\n"
    repository.commit(
        {"a.md": front + FILES["a.md"], "b.md": FILES["b.md"].replace(b"Line 5 ", b"Row 5 ")},
        branch="1-front",
        parents=[base],
    )
    repository.commit({"b.md": FILES["b.md"] + b"End.\n"}, "Main goes on")
    space = read(world, repository.path).spaces[0].space_id
    await merge(world, space, 1)
    world.commit(space, {"new-page": "# New\n", "new-page/below": "# Below\n"})
    export_space(world.store, space, tmp_path / "out")
    out = taken(tmp_path / "out")
    assert out["a.md"] == front + FILES["a.md"]
    repository.commit(dict(out), "What the desk has")
    before = {path: world.page_id(space, path) for path in ("a", "b", "new-page", "new-page/below")}
    report = read(world, repository.path)
    assert report.problems == []
    assert {path: world.page_id(space, path) for path in before} == before
    assert sorted(await pages(world, space)) == ["A", "B", "Below", "New page"]
    # The desk stands where git does: a branch from here on is up to date.
    repository.commit(
        {"a.md": out["a.md"] + b"More.\n"}, branch="2-more", parents=[tip(repository)]
    )
    read(world, repository.path)
    assert not (await request(world, space, 2)).outdated
    assert read(world, repository.path).spaces[0].revisions == 0


# What leaves its space


async def test_a_page_moved_into_another_space_is_told_with_its_text(
    world: World, several: Making, tmp_path: Path
) -> None:
    base = tip(several)
    head = several.commit(
        {
            "manual/a.md": None,
            "guides/b.md": EDITED,
            "manual/SUMMARY.md": b"* [Manual](README.md)\n",
            "guides/SUMMARY.md": b"* [Guides](README.md)\n* [B](b.md)\n",
        },
        "Make it a guide",
        branch="7-guide",
        parents=[base],
    )
    report = read(world, several.path)
    spaces = spaces_of(report)
    (gone,) = await changes(world, spaces["Manual"], 7)
    moved = gone.moved_out
    assert moved is not None
    assert (gone.type, moved.path, moved.space) == ("page_deleted", "guides/b.md", spaces["Guides"])
    assert (moved.space_title, moved.number, moved.merged) == ("Guides", 7, False)
    assert moved.text == EDITED.decode()
    assert (await merge(world, spaces["Guides"], 7)).result == "merge"
    (gone,) = await changes(world, spaces["Manual"], 7)
    assert gone.moved_out is not None
    assert gone.moved_out.merged
    assert (await merge(world, spaces["Manual"], 7)).result == "merge"
    for space in spaces.values():
        export_space(world.store, space, tmp_path / "out")
    assert taken(tmp_path / "out") == files_at(several, head)


async def test_who_may_not_see_the_other_space_is_told_the_path_only(
    world: World, several: Making
) -> None:
    base = tip(several)
    several.commit(
        {
            "manual/a.md": None,
            "guides/b.md": EDITED,
            "manual/SUMMARY.md": b"* [Manual](README.md)\n",
            "guides/SUMMARY.md": b"* [Guides](README.md)\n* [B](b.md)\n",
        },
        branch="7-guide",
        parents=[base],
    )
    report = read(world, several.path)
    spaces = spaces_of(report)
    bo = world.user("Bo", member=False)
    world.member(report.organization_id, bo, "read")
    world.write(lambda tx: tx.update("space", spaces["Guides"], default_level=None))
    async with world.api(bo) as api:
        (gone,) = (await api(ops.get_change_request_changes, spaces["Manual"], "7")).changes
    assert gone.moved_out is not None
    assert gone.moved_out.to_dict() == {"path": "guides/b.md", "merged": False}


@pytest.mark.parametrize("again", [False, True])
async def test_a_page_moved_out_of_every_space_is_kept(
    world: World, several: Making, tmp_path: Path, again: bool
) -> None:
    base = tip(several)
    head = several.commit(
        {
            "manual/a.md": None,
            "folder/a.md": EDITED,
            "folder/new.txt": b"x",
            "manual/SUMMARY.md": b"* [Manual](README.md)\n",
        },
        "Take it out",
        branch="7-out",
        parents=[base],
    )
    report = read(world, several.path)
    space = spaces_of(report)["Manual"]
    assert [str(problem) for problem in report.problems] == [
        "branch 7-out: changes 1 file outside every space: folder/new.txt; "
        "the rest is its change request"
    ]
    (gone,) = await changes(world, space, 7)
    assert gone.moved_out is not None
    assert (gone.moved_out.path, gone.moved_out.space) == ("folder/a.md", None)
    assert gone.moved_out.text == EDITED.decode()
    if again:  # the same, once git has merged it
        several.commit(
            {
                "manual/a.md": None,
                "folder/a.md": EDITED,
                "manual/SUMMARY.md": b"* [Manual](README.md)\n",
            },
            "Merge branch '7-out'",
            parents=[base, head],
        )
        assert read(world, several.path).spaces[1].merged == 1
    else:
        await merge(world, space, 7)
    export_space(world.store, space, tmp_path / "out")
    assert taken(tmp_path / "out")["folder/a.md"] == EDITED


async def test_a_page_outside_that_the_summary_lists_stays_in_its_space(
    world: World, several: Making, tmp_path: Path
) -> None:
    base = tip(several)
    head = several.commit(
        {
            "manual/a.md": None,
            "folder/a.md": EDITED,
            "manual/SUMMARY.md": b"* [Manual](README.md)\n* [A](../folder/a.md)\n",
        },
        branch="7-linked",
        parents=[base],
    )
    space = spaces_of(read(world, several.path))["Manual"]
    (edited,) = await changes(world, space, 7)
    assert (edited.type, edited.text_changed) == ("page_edited", True)
    await merge(world, space, 7)
    export_space(world.store, space, tmp_path / "out")
    tree = files_at(several, head)
    assert taken(tmp_path / "out") == {p: d for p, d in tree.items() if "guides" not in p}


@pytest.mark.parametrize("page", [SPACES["manual/a.md"], b"# A\n\nShort text. See [b](b.md).\n"])
@pytest.mark.parametrize("folder", ["guides", "folder"])
async def test_a_page_moved_to_where_no_table_lists_it_is_told_with_its_text(
    world: World, several: Making, tmp_path: Path, page: bytes, folder: str
) -> None:
    base = several.commit({"manual/a.md": page}, "Have it short")
    edited = page.replace(b"Short ", b"SHORTER ").replace(b"Line 5 ", b"Row 5 ")
    path = f"{folder}/new.md"
    head = several.commit(
        {"manual/a.md": None, path: edited, "manual/SUMMARY.md": b"* [Manual](README.md)\n"},
        "Move it",
        branch="7-move",
        parents=[base],
    )
    report = read(world, several.path)
    spaces = spaces_of(report)
    said = f"branch 7-move: moves manual/a.md to {path}, which no table of contents lists"
    assert list(map(str, report.problems)) == ([said] if folder == "guides" else [])
    (gone,) = await changes(world, spaces["Manual"], 7)
    moved = gone.moved_out
    assert moved is not None
    assert (moved.path, moved.text, moved.number) == (path, edited.decode(), None)
    there = (spaces["Guides"], "Guides") if folder == "guides" else (None, None)
    assert (moved.space, moved.space_title) == there
    for space in spaces.values():
        if space == spaces["Manual"] or folder == "guides":
            await merge(world, space, 7)
        export_space(world.store, space, tmp_path / "out")
    assert taken(tmp_path / "out") == files_at(several, head)


async def test_a_page_deleted_and_another_added_elsewhere_is_deleted(
    world: World, several: Making
) -> None:
    base = several.commit({"manual/a.md": b"# A\n\nAll about apples and pears.\n"}, "Short")
    several.commit(
        {
            "manual/a.md": None,
            "guides/new.md": b"# A\n\nHow a lamp is hung over the table.\n",
            "manual/SUMMARY.md": b"* [Manual](README.md)\n",
        },
        branch="7-other",
        parents=[base],
    )
    report = read(world, several.path)
    (gone,) = await changes(world, spaces_of(report)["Manual"], 7)
    assert (gone.moved_out, report.problems) == (None, [])


@pytest.mark.parametrize("before", [False, True])
async def test_broken_lines_of_a_branch_are_named_and_told_of_its_pages(
    world: World, repository: Making, before: bool
) -> None:
    broken = b"* [Gone](gone.md)\n"
    table = FILES["SUMMARY.md"] + (broken if before else b"")
    base = repository.commit({"SUMMARY.md": table}, "Main", parents=[tip(repository)])
    changed = b"* [A](a.md)\n" + (broken if before else b"  * [B(b.md)\n* [Gone](gone.md)\n")
    repository.commit({"SUMMARY.md": changed}, branch="7-table", parents=[base])
    report = read(world, repository.path)
    gone = "“* [Gone](gone.md)” names a file that does not exist"
    wrong = "“* [B(b.md)” has a broken link: [Title](file.md) is one"
    # What was broken before is not the branch's doing.
    assert sorted(map(str, report.problems)) == (
        [f"SUMMARY.md, line 3: {gone}"]
        if before
        else [
            f"branch 7-table: SUMMARY.md, line 2: {wrong}",
            f"branch 7-table: SUMMARY.md, line 3: {gone}",
        ]
    )
    (out,) = await changes(world, report.spaces[0].space_id, 7)
    assert out.moved_out is not None
    assert (out.moved_out.path, out.moved_out.broken) == ("b.md", None if before else True)
    assert bool(losses(Changes(changes=[out]))) != before


def test_a_branch_that_renames_a_space_is_left_out(world: World, several: Making) -> None:
    base = tip(several)
    moved = {p: d for p, d in SPACES.items() if p.startswith("manual/")}
    several.commit(
        dict.fromkeys(moved) | {p.replace("manual", "docs"): d for p, d in moved.items()},
        branch="rename",
        parents=[base],
    )
    several.commit({"manual/SUMMARY.md": None}, branch="less", parents=[base])
    assert sorted(map(str, read(world, several.path).problems)) == [
        "branch less: was left out: it has no space at “manual” any more",
        "branch rename: has a space at “docs” that main does not have",
        "branch rename: was left out: it changes 3 files outside every space: "
        "docs/README.md, docs/SUMMARY.md and docs/a.md",
        "branch rename: was left out: it has no space at “manual” any more",
    ]


def test_a_branch_that_cannot_be_taken_is_named_with_the_reason(
    world: World, several: Making
) -> None:
    base = tip(several)
    outside = {f"folder/{number}.md": b"x" for number in range(11)}
    several.commit(outside, branch="outside", parents=[base])
    several.commit({"x.md": b"x"}, branch="pages", parents=[])
    several.commit({}, "Nothing", branch="nothing", parents=[base])
    several.commit(
        {"manual/SUMMARY.md": None, "guides/README.md": b"# Guides!\n"},
        branch="less",
        parents=[base],
    )
    names = ", ".join(sorted(outside)[:8])
    assert sorted(str(problem) for problem in read(world, several.path).problems) == [
        "branch less: has no space at “manual” any more; this deletion is not imported",
        "branch nothing: was left out: it changes nothing",
        "branch outside: was left out: it changes 11 files outside every space: "
        f"{names} and 3 more",
        "branch pages: was left out: it shares no commit with main",
    ]
