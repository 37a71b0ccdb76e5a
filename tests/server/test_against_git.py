"""Every branch of a repository: merged on the desk and exported, it is what git merges.

The repositories are one made here and, where it lies beside the checkout, a real one with fifteen
branches. Git itself says what is right; where there is no git nothing is compared.
"""

from __future__ import annotations

import sqlite3
import subprocess
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

import pytest

from copydesk.contract import operations as ops
from copydesk.contract.models.content import ContentPage
from copydesk.server.export_patch import changed_files
from copydesk.server.repository_import import import_source
from copydesk.server.source_content import source_of
from copydesk.server.space_export import export_space
from copydesk.session.reads.history import read_blame
from tests.server.sources.making import GIT, Making, applied, taken
from tests.world import World

REAL = next(
    (
        found
        for above in Path(__file__).resolve().parents
        if (found := above / "shared/data/fluentd-docs.bundle").is_file()
    ),
    None,
)

PAGE = b"".join(b"Line %d of the page.\n\n" % number for number in range(20))
FRONT = b"---\ndescription: >-\n  Folded over\n  two lines\nhidden: true # why\n---\n\n"
SUMMARY = """\
# Table of contents

* [Rope](README.md)
* [Splice](splice.md)

## Knots

* [Knots](knots/README.md)
  * [Bowline](knots/bowline.md)
  * [Hitch](knots/hitch.md)
  * [Café](<knots/café & co.md>)
"""
FILES = {
    "README.md": FRONT + b"# Rope\n\n" + PAGE,
    "splice.md": b"# Splice\r\n\r\n" + PAGE.replace(b"\n", b"\r\n"),
    "knots/README.md": b"# Knots\n",
    "knots/bowline.md": b"\xef\xbb\xbf# Bowline\n\n" + PAGE + b"no newline at the end",
    "knots/hitch.md": b"# Hitch\n\n" + PAGE,
    "knots/café & co.md": b"# C\n",
    "img/knot.png": b"\x89PNG\r\n\x1a\n\x00",
    "draft.md": b"# No line of the summary names it\n",
    "SUMMARY.md": SUMMARY.encode(),
}
BRANCHES: dict[str, dict[str, bytes | None]] = {
    "1-text": {"splice.md": FILES["splice.md"].replace(b"Line 3 ", b"Row 3 ")},
    "2-front-matter": {
        "README.md": FILES["README.md"].replace(b"two lines", b"three\n  lines"),
        "knots/hitch.md": b"---\ndescription: |\n  As it is\n---\n" + FILES["knots/hitch.md"],
    },
    "3-moved": {
        "knots/hitch.md": None,
        "hitches/hitch.md": FILES["knots/hitch.md"].replace(b"Line 3 ", b"Row 3 "),
        "SUMMARY.md": SUMMARY.replace("knots/hitch.md", "hitches/hitch.md").encode(),
    },
    "4-new-and-gone": {
        "splice.md": None,
        "knots/reef.md": b"# Reef\n",
        "SUMMARY.md": SUMMARY.replace("* [Splice](splice.md)\n", "")
        .replace("  * [Hitch]", "  * [Reef](knots/reef.md)\n  * [Hitch]")
        .encode(),
    },
    "5-files": {"img/knot.png": b"\x89PNG\r\n\x1a\n\x01", "img/new.png": b"\x89", "draft.md": None},
    "6-conflict": {"README.md": FILES["README.md"].replace(b"Line 5 ", b"Branch 5 ")},
    "7-same": {"README.md": FILES["README.md"].replace(b"Line 5 ", b"Main 5 ")},
    "8-unlisted": {"SUMMARY.md": SUMMARY.replace("  * [Hitch](knots/hitch.md)\n", "").encode()},
    "9-listed": {"SUMMARY.md": f"{SUMMARY}  * [Draft](draft.md)\n".encode()},
    "10-byte-order-mark": {"knots/bowline.md": FILES["knots/bowline.md"][3:]},
    "11-renamed": {"SUMMARY.md": SUMMARY.replace("[Hitch]", "[Half hitch]").encode()},
    "12-front-matter-gone": {"README.md": b"# Rope\n\n" + PAGE},
    "13-broken-front-matter": {"README.md": b"---\na: [\n---\n# Rope\n\n" + PAGE},
}
MAIN = {"README.md": FILES["README.md"].replace(b"Line 5 ", b"Main 5 ")}


def git(folder: Path, *arguments: str, fails: bool = False) -> str:
    assert GIT is not None
    identity = ["-c", "user.name=A", "-c", "user.email=a@example.com", "-c", "core.autocrlf=false"]
    done = subprocess.run(
        [GIT, *identity, *arguments], cwd=folder, capture_output=True, text=True, timeout=120
    )
    assert fails or done.returncode == 0, done.stderr
    return done.stdout if done.returncode == 0 else ""


class Against:
    """A repository read into a desk once, and a checkout of it."""

    def __init__(self, folder: Path, source: Path) -> None:
        self.folder = folder
        world = World(folder / "desk.db")
        owner = world.ana
        report = import_source(world.store, source, owner=lambda _: owner)
        assert not report.problems
        (space,) = report.spaces
        self.space, self.owner = space.space_id, owner
        self.requests = source_of(world.row("space", self.space))["changes"]
        world.close()
        self.checkout = folder / "checkout"
        git(folder, "clone", "-q", "-b", "main", str(source), "checkout")

    def files_at(self, commit: str) -> dict[str, bytes]:
        git(self.checkout, "checkout", "-q", "-f", "--detach", commit)
        git(self.checkout, "clean", "-q", "-f", "-d")
        return taken(self.checkout)

    def desk(self, path: Path) -> World:
        with (
            sqlite3.connect(self.folder / "desk.db") as read,
            sqlite3.connect(path) as written,
        ):
            read.backup(written)
        read.close()
        written.close()
        return World(path)


@cache
def against(folder: Path, name: str) -> Against:
    if name == "real":
        assert REAL is not None
        return Against(folder, REAL)
    made = Making(folder / "made.git")
    base = made.commit(FILES, "Begin")
    for branch, changes in BRANCHES.items():
        made.commit(changes, branch, branch=branch, parents=[base])
    made.commit(MAIN, "Main goes on")
    made.close()
    return Against(folder, made.path)


def cases() -> list[tuple[str, str]]:
    if GIT is None:
        return []
    found = [("made", name) for name in BRANCHES]
    if REAL is not None:
        heads = git(REAL.parent, "bundle", "list-heads", str(REAL)).split()[1::2]
        names = [head.removeprefix("refs/heads/") for head in heads if "refs/heads/" in head]
        found += [("real", name) for name in names if name != "main"]
    return found


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("against")


@pytest.mark.long
@pytest.mark.parametrize(("source", "branch"), cases())
async def test_a_branch_is_merged_as_git_merges_it(
    folder: Path, tmp_path: Path, source: str, branch: str
) -> None:
    (folder / source).mkdir(exist_ok=True)
    it = against(folder / source, source)
    it.files_at("origin/main")
    git(it.checkout, "merge", "-q", "--no-edit", f"origin/{branch}", fails=True)
    clean = not git(it.checkout, "ls-files", "--unmerged")
    wanted = taken(it.checkout)
    git(it.checkout, "reset", "-q", "--hard", "origin/main")
    main = taken(it.checkout)

    world = it.desk(tmp_path / "desk.db")
    request = it.requests[f"branch:{branch}"]["id"]
    async with world.api(it.owner) as api:
        if (await api(ops.get_change_request, it.space, request)).status == "merged":
            # Main has all of it already.
            assert clean
            assert wanted == main
        else:
            result = await api(ops.merge_change_request, it.space, request)
            assert (result.result == "merge") == clean, result.conflicts
    written = export_space(world.store, it.space, it.checkout)
    assert not written.problems
    assert taken(it.checkout) == (wanted if clean else main)
    world.close()


BLAMED = 6
"""Pages of each repository whose blame is compared: those that changed last."""


def all_pages(pages: Iterable[ContentPage]) -> Iterator[ContentPage]:
    for page in pages:
        yield page
        yield from all_pages(page.pages)


@pytest.mark.parametrize("source", sorted({source for source, _ in cases()}))
async def test_blame_is_that_of_git(folder: Path, tmp_path: Path, source: str) -> None:
    (folder / source).mkdir(exist_ok=True)
    it = against(folder / source, source)
    it.files_at("origin/main")
    order = git(it.checkout, "rev-list", "origin/main").split()
    changed = git(it.checkout, "log", "--format=", "--name-only", "origin/main").splitlines()
    world = it.desk(tmp_path / "desk.db")
    commits: dict[str, str] = {}
    compared = 0
    async with world.api(it.owner) as api:
        pages = (await api(ops.list_space_pages, it.space, metadata=True)).pages
        by_path = {page.git.path: page for page in all_pages(pages) if page.git is not None}
        for path in [path for path in dict.fromkeys(changed) if path in by_path][:BLAMED]:
            page = await api(
                ops.get_space_page, it.space, by_path[path].id, format="markdown", metadata=False
            )
            rows = await read_blame(api, it.space, page.id)
            blame = git(it.checkout, "blame", "-w", "-s", "-l", "--root", "origin/main", "--", path)
            by_line = [line.split()[0].lstrip("^") for line in blame.splitlines()]
            above = len(by_line) - len((page.markdown or "").splitlines())
            told = Counter(line.strip() for line in (page.markdown or "").splitlines())
            for row in rows:
                lines = [line.strip() for line in row.source.rstrip().splitlines()]
                if any(told[line] > 1 and line[:3] != "```" for line in lines):
                    continue  # which of two that say the same is new is told by nothing
                mine = {
                    by_line[above + row.line + at]
                    for at, line in enumerate(lines) if told[line] == 1
                }  # fmt: skip
                newest = min(map(order.index, mine))
                revision = row.revision or row.oldest
                assert revision is not None
                if revision.id not in commits:
                    read = await api(ops.get_revision, it.space, revision.id)
                    assert read.git is not None
                    commits[revision.id] = read.git.oid or ""
                known = order.index(commits[revision.id])
                where = f"{path}:{row.line + 1} {row.text}"
                assert newest == known if row.revision else newest >= known, where
                compared += 1
    world.close()
    assert compared > 20


@pytest.mark.parametrize("source", sorted({source for source, _ in cases()}))
def test_the_patch_of_every_branch_on_an_export_gives_the_branch(
    folder: Path, tmp_path: Path, source: str
) -> None:
    # One test: each process that takes a part of it would have to import the repository again.
    (folder / source).mkdir(exist_ok=True)
    it = against(folder / source, source)
    world = it.desk(tmp_path / "desk.db")
    export_space(world.store, it.space, tmp_path / "out")
    exported = taken(tmp_path / "out")
    main = git(it.checkout, "rev-parse", "origin/main").strip()
    for number, branch in enumerate(name for each, name in cases() if each == source):
        request = it.requests[f"branch:{branch}"]["id"]
        patch = b"".join(each.patch for each in changed_files(world.store, request))
        begun = git(it.checkout, "merge-base", "origin/main", f"origin/{branch}").strip()
        # Where main has gone on since, it is the export of what the branch began with.
        files = exported if begun == main else it.files_at(begun)
        wanted = it.files_at(f"origin/{branch}")
        assert applied(tmp_path / str(number), files, patch) == wanted, branch
    world.close()


@pytest.mark.parametrize("source", sorted({source for source, _ in cases()}))
def test_what_nobody_touched_comes_back_byte_for_byte(
    folder: Path, tmp_path: Path, source: str
) -> None:
    (folder / source).mkdir(exist_ok=True)
    it = against(folder / source, source)
    world = it.desk(tmp_path / "desk.db")
    export_space(world.store, it.space, tmp_path / "out")
    assert taken(tmp_path / "out") == it.files_at("origin/main")
    world.close()
