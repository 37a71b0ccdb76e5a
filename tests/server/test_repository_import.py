"""Repositories in, repositories out: what an import makes of one, and that nothing is lost."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from dulwich.refs import Ref
from dulwich.repo import Repo

from copydesk.contract import operations as ops
from copydesk.server.repository_import import import_source
from copydesk.server.sources.model import SourceError
from copydesk.server.space_export import export_space
from copydesk.server.store import DeskError
from tests.server.imported import pages, read, tip
from tests.server.sources.making import Making, put, taken
from tests.world import World

INTRO = b"# Intro\r\n\r\nWindows lines.\r\nNo newline at the end"
SETUP = b"---\ndescription: How to begin\n---\n\n# Setup\n\nOne.\n\nTwo.\n\nThree.\n"
USAGE = b"# Usage\n\nFirst.\n\nSecond.\n"
SUMMARY = (
    b"# Table of contents\n\n* [Intro](README.md)\n* [Setup](setup.md)\n  * [Usage](usage.md)\n"
)
FILES = {
    "README.md": INTRO,
    "setup.md": SETUP,
    "usage.md": USAGE,
    "SUMMARY.md": SUMMARY,
    ".gitbook/assets/logo.png": b"\x89PNG\r\n",
}


@pytest.fixture
def repository(tmp_path: Path) -> Making:
    made = Making(tmp_path / "manual.git")
    made.commit(FILES, "Begin")
    return made


async def text(world: World, space: str, page: str) -> str | None:
    async with world.api() as api:
        return (await api(ops.get_space_page, space, page, format="markdown")).markdown


async def test_a_folder_becomes_a_space_of_its_summary(world: World, tmp_path: Path) -> None:
    put(tmp_path / "docs", FILES)
    report = read(world, tmp_path / "docs", organization="Acme", space="Manual")
    (space,) = report.spaces
    assert (space.title, space.pages, space.created) == ("Manual", 3, True)
    assert report.organization_id == world.home
    found = await pages(world, space.space_id)
    assert list(found) == ["Intro", "Setup", "Usage"]
    assert found["Setup"].description == "How to begin"
    assert [child.title for child in found["Setup"].pages or []] == ["Usage"]
    assert await text(world, space.space_id, found["Usage"].id) == USAGE.decode()


def test_what_was_imported_comes_out_byte_for_byte(
    world: World, repository: Making, tmp_path: Path
) -> None:
    report = read(world, repository.path)
    written = export_space(world.store, report.spaces[0].space_id, tmp_path / "out")
    assert taken(tmp_path / "out") == FILES
    assert not written.problems


def test_a_page_that_came_and_went_here_leaves_no_file(
    world: World, repository: Making, tmp_path: Path
) -> None:
    space, out = read(world, repository.path).spaces[0].space_id, tmp_path / "out"
    world.commit(space, {"extra": "# Extra\n", "more": "# More\n"})
    assert {"extra.md", "more.md"} <= set(export_space(world.store, space, out).written)
    (out / "more.md").write_text("# Mine by now\n")
    world.commit(space, {"extra": None, "more": None})
    written = export_space(world.store, space, out)
    assert written.removed == ("extra.md",)
    assert not written.problems
    assert taken(out) == {**FILES, "more.md": b"# Mine by now\n"}


def test_a_new_page_that_only_its_name_puts_in_order_is_there_after_the_next_import(
    world: World, tmp_path: Path
) -> None:
    source, files = Making(tmp_path / "docs"), {"b.md": b"# B\n", "c.md": b"# C\n"}
    source.commit(files)
    space = read(world, source.path).spaces[0].space_id
    world.commit(space, {"a": "# A\n"})
    world.commit(space, {"a": "# A\n\nMore.\n"})
    out = tmp_path / "out"
    put(out, files)
    assert export_space(world.store, space, out).written == ("a.md",)
    source.commit({"a.md": (out / "a.md").read_bytes()})
    assert read(world, source.path).spaces[0].pages == 3
    assert not export_space(world.store, space, out).written


@pytest.mark.parametrize("early", [False, True])
async def test_a_new_page_that_was_moved_after_its_export_stays_where_the_desk_has_it(
    world: World, tmp_path: Path, early: bool
) -> None:
    source, files = Making(tmp_path / "docs"), {"b.md": b"# B\n", "c.md": b"# C\n"}
    source.commit(files)
    space = read(world, source.path).spaces[0].space_id
    world.commit(space, {"n": "# N\n"})
    out = tmp_path / "out"
    put(out, files)
    export_space(world.store, space, out)
    source.commit({"n.md": (out / "n.md").read_bytes()})
    if early:  # what is moved once git and the desk agree is the desk's by all means
        assert not read(world, source.path).problems
    world.commit(space, edit=lambda editor: editor.move(editor.find("n"), None, 0))
    world.commit(space, {"c": "# C\n\nMore.\n"})
    source.commit({"d.md": b"# D\n"})
    problems = [problem.path for problem in read(world, source.path).problems]
    assert problems == ([] if early else ["n.md"])
    assert list(await pages(world, space)) == ["N", "B", "C", "D"]
    assert not read(world, source.path).problems


async def test_branches_become_change_requests(world: World, repository: Making) -> None:
    base = tip(repository)
    repository.commit(
        {"usage.md": USAGE + b"\nThird.\n"},
        "Tell of the third (#42)\n\nPeople asked.",
        branch="42-third",
        parents=[base],
        author=b"Bo <bo@example.com>",
    )
    repository.commit({"setup.md": SETUP + b"\nFour.\n"}, "Fourth step (#7)")
    report = read(world, repository.path)
    (space,) = report.spaces
    assert (space.opened, space.merged) == (1, 1)
    async with world.api() as api:
        opened = await api(ops.list_space_change_requests, space.space_id)
        merged = await api(ops.list_space_change_requests, space.space_id, status="merged")
        changes = await api(ops.get_change_request_changes, space.space_id, "42")
    (request,) = opened.items
    assert (request.number, request.subject) == (42, "Tell of the third")
    assert request.outdated
    assert request.created_by is not None
    assert request.created_by.display_name == "Bo"
    assert [(r.number, r.subject) for r in merged.items] == [(7, "Fourth step")]
    assert [change.page.title for change in changes.changes if change.page] == ["Usage"]


async def test_a_branch_at_the_tip_is_up_to_date(world: World, repository: Making) -> None:
    # The last commit merged a change: its branch and primary content hold the same.
    tip_of_main = repository.commit({"setup.md": SETUP + b"\nFour.\n"}, "Fourth step (#7)")
    for number in range(20, 26):
        repository.commit(
            {"usage.md": USAGE + b"\nMore %d.\n" % number},
            f"More {number}",
            branch=f"{number}-more",
            parents=[tip_of_main],
        )
    space = read(world, repository.path).spaces[0].space_id
    async with world.api() as api:
        requests = (await api(ops.list_space_change_requests, space)).items
    assert [request.outdated for request in requests] == [False] * 6


async def test_a_second_import_updates_instead_of_doubling(
    world: World, repository: Making
) -> None:
    base = tip(repository)
    repository.commit(
        {"usage.md": USAGE + b"\nThird.\n"}, "Third", branch="3-third", parents=[base]
    )
    first = read(world, repository.path).spaces[0]
    again = read(world, repository.path).spaces[0]
    assert (again.space_id, again.created) == (first.space_id, False)
    assert (again.revisions, again.opened, again.updated, again.merged) == (0, 0, 0, 0)

    repository.commit({"usage.md": USAGE + b"\nThe third.\n"}, "Better", branch="3-third")
    repository.commit({"new.md": b"# New\n"}, "Add a page")
    repository.commit({"SUMMARY.md": SUMMARY + b"* [New](new.md)\n"}, "List it")
    third = read(world, repository.path).spaces[0]
    assert third.space_id == first.space_id
    assert third.revisions == 2
    assert (third.opened, third.updated) == (0, 1)
    assert list(await pages(world, first.space_id)) == ["Intro", "Setup", "New", "Usage"]
    async with world.api() as api:
        request = (await api(ops.list_space_change_requests, first.space_id)).items[0]
        assert request.number == 3
        spaces = await api(ops.list_organization_spaces, third_organization(world))
        assert len(spaces.items) == 1


def third_organization(world: World) -> str:
    return str(
        world.store.read(
            lambda tx: tx.value("SELECT id FROM organization WHERE title = ?", "manual")
        )
    )


async def test_a_branch_that_landed_is_marked_merged(world: World, repository: Making) -> None:
    base = tip(repository)
    repository.commit(
        {"usage.md": USAGE + b"\nThird.\n"}, "Third (#3)", branch="3-third", parents=[base]
    )
    space = read(world, repository.path).spaces[0].space_id
    repository.commit({"usage.md": USAGE + b"\nThird.\n"}, "Third (#3)")
    report = read(world, repository.path).spaces[0]
    assert report.merged == 1
    async with world.api() as api:
        request = await api(ops.get_change_request, space, "3")
        assert request.status == "merged"
        assert (await api(ops.list_space_change_requests, space)).items == []
        assert (await api(ops.get_space, space)).change_requests == 1


async def test_a_merged_change_is_exactly_what_an_export_writes(
    world: World, repository: Making, tmp_path: Path
) -> None:
    base = tip(repository)
    repository.commit(
        {
            "usage.md": None,
            "deep/tips.md": b"# Tips\n",
            "setup.md": SETUP.replace(b"Two.", b"2."),
            "SUMMARY.md": SUMMARY.replace(b"  * [Usage](usage.md)", b"  * [Tips](deep/tips.md)"),
        },
        "Tips for usage",
        branch="5-tips",
        parents=[base],
    )
    put(tmp_path / "checkout", FILES)
    space = read(world, repository.path).spaces[0].space_id
    async with world.api() as api:
        result = await api(ops.merge_change_request, space, "5")
    assert result.result == "merge"
    written = export_space(world.store, space, tmp_path / "checkout")
    assert sorted(written.written) == ["SUMMARY.md", "deep/tips.md", "setup.md"]
    assert written.removed == ("usage.md",)
    tree = repository.trees[tip(repository, "5-tips")]
    assert taken(tmp_path / "checkout") == {path: data for path, (_, data) in tree.items()}


async def ahead(world: World, repository: Making) -> str:
    """Read a space of which the desk has merged another text of a page than the source has."""
    base = tip(repository)
    repository.commit(
        {"usage.md": USAGE.replace(b"First.", b"Desk.")}, "Ours", branch="1-ours", parents=[base]
    )
    space = read(world, repository.path).spaces[0].space_id
    async with world.api() as api:
        await api(ops.merge_change_request, space, "1")
    return space


def test_no_export_undoes_a_commit_that_no_import_has_read(world: World, tmp_path: Path) -> None:
    out = tmp_path / "manual"
    with Repo.init(str(out), mkdir=True, default_branch=b"main") as repo:

        def commit(files: dict[str, bytes]) -> None:
            put(out, files)
            repo.get_worktree().stage(list(files))
            repo.get_worktree().commit(message=b"Some", author=b"A <a@x>", committer=b"A <a@x>")

        commit({"README.md": b"# Manual\n", "usage.md": USAGE})
        space = read(world, out).spaces[0].space_id
        world.commit(space, {"manual": "# Manual\n\nOn the desk.\n"})
        commit({"usage.md": b"# Usage\n\nBy someone else.\n"})
        with pytest.raises(DeskError, match=r"1 file changed by commits .*: usage\.md\. Nothing"):
            export_space(world.store, space, out)
        assert b"By someone else." in taken(out)["usage.md"]
        read(world, out)
        export_space(world.store, space, out)
        assert b"By someone else." in taken(out)["usage.md"]
        commit({path: data for path, data in taken(out).items() if path.endswith(".md")})
        world.commit(space, {"usage": "# Usage\n\nOn the desk.\n"})
        assert "usage.md" in export_space(world.store, space, out).written


async def test_the_desk_keeps_its_own_where_the_source_clashes(
    world: World, repository: Making
) -> None:
    space = await ahead(world, repository)
    repository.commit({"usage.md": USAGE.replace(b"First.", b"Source.")}, "Theirs")
    report = read(world, repository.path)
    assert [problem.path for problem in report.problems] == ["usage.md"]
    usage = (await pages(world, space))["Usage"]
    assert b"Desk." in (await text(world, space, usage.id) or "").encode()


async def test_a_clash_on_one_page_keeps_no_other_change_of_the_source_out(
    world: World, repository: Making
) -> None:
    space = await ahead(world, repository)
    repository.commit(
        {
            "usage.md": USAGE.replace(b"First.", b"Source."),
            "setup.md": SETUP + b"\nFour.\n",
            "new.md": b"# New\n",
            "SUMMARY.md": SUMMARY + b"* [New](new.md)\n",
        },
        "Theirs",
    )
    report = read(world, repository.path)
    assert [problem.path for problem in report.problems] == ["usage.md"]
    found = await pages(world, space)
    assert list(found) == ["Intro", "Setup", "New", "Usage"]
    assert "Four." in (await text(world, space, found["Setup"].id) or "")
    assert "Desk." in (await text(world, space, found["Usage"].id) or "")
    again = read(world, repository.path)
    assert (again.problems, again.spaces[0].revisions) == ([], 0)


async def test_a_page_deleted_on_the_desk_stays_deleted_and_what_is_new_below_it_comes(
    world: World, repository: Making
) -> None:
    space = read(world, repository.path).spaces[0].space_id
    world.commit(space, edit=lambda editor: editor.remove(editor.find("setup")))
    repository.commit(
        {
            "setup.md": SETUP + b"\nFour.\n",
            "deep.md": b"# Deep\n",
            "SUMMARY.md": SUMMARY + b"  * [Deep](deep.md)\n",
        },
        "Go on",
    )
    report = read(world, repository.path)
    assert "setup.md" in {problem.path for problem in report.problems}
    assert list(await pages(world, space)) == ["Intro", "Deep"]


async def test_what_both_changed_apart_is_merged(world: World, repository: Making) -> None:
    space = await ahead(world, repository)
    repository.commit({"usage.md": USAGE.replace(b"Second.", b"Source.")}, "Theirs")
    report = read(world, repository.path)
    assert not report.problems
    usage = (await pages(world, space))["Usage"]
    assert await text(world, space, usage.id) == "# Usage\n\nDesk.\n\nSource.\n"


async def test_several_summaries_become_sections_of_one_site(world: World, tmp_path: Path) -> None:
    put(
        tmp_path / "docs",
        {
            "guide/README.md": b"# Guide\n",
            "guide/SUMMARY.md": b"* [Guide](README.md)\n",
            "api/README.md": b"# API\n",
            "api/SUMMARY.md": b"* [API](README.md)\n",
        },
    )
    report = read(world, tmp_path / "docs")
    assert sorted(space.title for space in report.spaces) == ["API", "Guide"]
    async with world.api() as api:
        (site,) = (await api(ops.list_sites, report.organization_id)).items
        sections = await api(ops.list_site_sections, report.organization_id, site.id)
    assert sorted(section.title for section in sections.items) == ["API", "Guide"]


def test_spaces_of_one_title_are_told_apart_by_their_folders(world: World, tmp_path: Path) -> None:
    book = {"README.md": b"# The Book of Everything\n", "SUMMARY.md": b"* [Start](README.md)\n"}
    folders = ("", "first-edition/", "editions/of-the-publisher/second-edition/")
    put(
        tmp_path / "docs",
        {folder + name: text for folder in folders for name, text in book.items()},
    )
    report = read(world, tmp_path / "docs")
    assert sorted(space.title for space in report.spaces) == [
        "The Book of Everyth (editions/of-t…second-edition)",
        "The Book of Everything",
        "The Book of Everything (first-edition)",
    ]
    again = read(world, tmp_path / "docs")
    assert [space.title for space in again.spaces] == [space.title for space in report.spaces]


def test_a_failed_import_leaves_the_desk_as_it_was(world: World, tmp_path: Path) -> None:
    before = world.store.read(lambda tx: tx.value("SELECT count(*) FROM organization"))
    (tmp_path / "empty").mkdir()
    with pytest.raises(SourceError, match="no Markdown"):
        read(world, tmp_path / "empty")
    with pytest.raises(SourceError, match="is missing"):
        read(world, tmp_path / "missing")
    assert world.ana
    assert world.store.read(lambda tx: tx.value("SELECT count(*) FROM organization")) == before + 1


def test_an_export_names_what_it_cannot_find(world: World, tmp_path: Path) -> None:
    world.space("Guide")
    world.space("Twice")
    world.space("Twice")
    with pytest.raises(DeskError, match=r"no space 'Nope'.*Guide"):
        export_space(world.store, "Nope", tmp_path)
    with pytest.raises(DeskError, match="Several spaces have the name 'Twice'"):
        export_space(world.store, "Twice", tmp_path)


def test_a_space_that_was_never_imported_can_be_exported(world: World, tmp_path: Path) -> None:
    space = world.space("Guide", pages={"intro": "# Intro\n", "setup": "# Setup\n"})
    export_space(world.store, space, tmp_path / "out")
    found = taken(tmp_path / "out")
    assert b"(intro.md)" in found["SUMMARY.md"]
    assert found["intro.md"] == b"# Intro\n"


def test_a_folder_whose_name_is_no_text_is_refused_in_a_sentence(
    world: World, tmp_path: Path
) -> None:
    with pytest.raises(SourceError, match="not UTF-8"):
        read(world, tmp_path / "caf\udce9")


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    base = Making(tmp_path / "made.git")
    base.commit(FILES, "Begin")
    with Repo.init(str(tmp_path / "docs"), mkdir=True) as docs:
        base.repo.fetch(docs)
        docs.refs[Ref(b"refs/heads/main")] = base.repo.refs[Ref(b"refs/heads/main")]
        docs.refs.set_symbolic_ref(Ref(b"HEAD"), Ref(b"refs/heads/main"))
    return tmp_path / "docs"


@pytest.mark.parametrize("given", [".git", ".git/../.git/"])
def test_a_git_folder_stands_for_its_repository(world: World, checkout: Path, given: str) -> None:
    first = read(world, checkout / given)
    assert first.organization == "docs"
    assert not [space for space in read(world, checkout).spaces if space.created]


@pytest.mark.parametrize("given", ["", ".git"])
def test_an_import_that_recorded_a_git_folder_is_found_again(
    world: World, checkout: Path, given: str
) -> None:
    space = read(world, checkout).spaces[0].space_id
    world.store.write(
        lambda tx: tx.run(
            "UPDATE space SET source = json_set(source, '$.path', ?) WHERE id = ?",
            str(checkout / ".git"),  # as older versions did
            space,
        )
    )
    for _ in range(2):
        again = read(world, checkout / given).spaces
        assert [(each.space_id, each.created) for each in again] == [(space, False)]


def test_what_is_no_file_is_named(world: World, tmp_path: Path) -> None:
    put(tmp_path / "docs", {**FILES, "b/dir.md/page.md": b"# Page\n"})
    (tmp_path / "docs" / "empty.md").mkdir()
    os.mkfifo(tmp_path / "docs" / "b" / "fifo.md")
    said = {problem.path: problem.reason for problem in read(world, tmp_path / "docs").problems}
    folder = "is a folder with the name of a page; what is in it is read"
    pipe = "is not a regular file (a pipe, or a device)"
    assert said == {"b/dir.md": folder, "empty.md": folder, "b/fifo.md": pipe}


def test_a_folder_called_like_a_page_is_named_in_a_repository_too(
    world: World, repository: Making
) -> None:
    repository.commit({"b/dir.md/page.md": b"# Page\n"})
    assert "b/dir.md" in {problem.path for problem in read(world, repository.path).problems}


def test_progress_says_of_which_of_two_steps_it_is(world: World, repository: Making) -> None:
    told: list[str] = []
    owner = world.ana
    import_source(
        world.store,
        repository.path,
        owner=lambda _: owner,
        progress=lambda _done, _total, what: told.append(what),
    )
    assert told[0].startswith("step 1 of 2, reading main ")
    assert told[-1].startswith("step 2 of 2, writing ")
