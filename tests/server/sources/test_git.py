from __future__ import annotations

import gc
import hashlib
import os
import warnings
import zlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from dulwich.index import IndexEntry
from dulwich.objects import S_IFGITLINK, Blob, Commit, ObjectID, ShaFile, Tree
from dulwich.refs import Ref
from dulwich.repo import Repo

from copydesk.server.sources import git, git_writing, object_size
from copydesk.server.sources.git import KEPT_STATES, Branch, Repository, committed
from copydesk.server.sources.git_writing import commit_files
from copydesk.server.sources.model import FileChange, Person, SourceError
from tests.server.sources.making import Making, put


@pytest.fixture
def making(tmp_path: Path):  # type: ignore[no-untyped-def] # a generator of the one type below
    made = Making(tmp_path / "docs.git")
    yield made
    made.close()


def test_a_bare_repository_and_its_bundle_read_the_same(making: Making, tmp_path: Path) -> None:
    first = making.commit({"README.md": b"# A\n", "gone.md": b"x"}, "Start\n\nBecause.")
    second = making.commit({"gone.md": None, "ü/b.md": b"b"}, "Go on")
    side = making.commit({"c.md": b"c"}, "Side", branch="feature/7-c", parents=[first])
    bundle = making.bundle(tmp_path / "docs.bundle")
    for path in (making.path, bundle):
        with Repository.open(path) as source:
            assert source.name == "docs"
            assert source.default == Branch("main", second)
            assert source.branches() == [Branch("feature/7-c", side), Branch("main", second)]
            files = source.files()
            assert {path: blob.read() for path, blob in files.items()} == {
                "README.md": b"# A\n",
                "ü/b.md": b"b",
            }
            assert files["ü/b.md"].size == 1
            newest, oldest = source.history(second, 10)
            assert (oldest.subject, oldest.body) == ("Start", "Because.")
            assert oldest.author == Person("Ada Vale", "ada@example.com")
            assert newest.authored_at == datetime.fromtimestamp(1_700_007_200, UTC)
            assert source.changes(first, second) == [
                FileChange("delete", "gone.md", "gone.md"),
                FileChange("add", "ü/b.md"),
            ]
            ahead = source.ahead(Branch("feature/7-c", side))
            assert ahead is not None
            assert (ahead.base, [commit.oid for commit in ahead.commits]) == (first, [side])
            assert source.ahead(Branch("old", first)) is None


def test_a_branch_that_took_main_in_starts_where_main_was(making: Making) -> None:
    start = making.commit({"a.md": b"a"})
    one = making.commit({"b.md": b"b"}, branch="topic", parents=[start])
    main = making.commit({"c.md": b"c"})
    both = making.commit({"c.md": b"c"}, branch="topic", parents=[one, main])
    last = making.commit({"d.md": b"d"}, branch="topic")
    making.commit({"e.md": b"e"})
    with Repository.open(making.path) as source:
        ahead = source.ahead(Branch("topic", last))
        assert ahead is not None
        assert ahead.base == main
        assert [commit.oid for commit in ahead.commits] == [one, both, last]


def test_a_branch_without_a_common_past_is_no_change(making: Making) -> None:
    making.commit({"a.md": b"a"})
    other = making.commit({"b.md": b"b"}, branch="pages", parents=[])
    with Repository.open(making.path) as source:
        ahead = source.ahead(Branch("pages", other))
        assert ahead is not None
        assert ahead.base is None


def test_renames_are_seen(making: Making) -> None:
    text = b"".join(b"line %d of a page\n" % number for number in range(40))
    first = making.commit({"a.md": text})
    second = making.commit({"a.md": None, "b/c.md": text + b"and more\n"})
    with Repository.open(making.path) as source:
        assert source.changes(first, second) == [FileChange("rename", "b/c.md", "a.md")]


def test_large_files_are_compared_with_no_other_but_found_where_they_moved(making: Making) -> None:
    text = b"".join(b"line %d of a page\n" % number for number in range(40))
    kept, drawn = (
        b"".join(b"%d of picture %d\n" % (line, number) for line in range(30_000))
        for number in (1, 2)
    )
    first = making.commit({"a.md": text, "kept.png": kept, "drawn.png": drawn})
    second = making.commit(
        {"a.md": None, "kept.png": None, "drawn.png": None}
        | {"b.md": text + b"more\n", "moved.png": kept, "again.png": drawn + b"more\n"}
    )
    with Repository.open(making.path) as source:
        for _ in range(2):  # what was too large the first time is not read again
            assert sorted(source.changes(first, second), key=lambda each: each.path) == [
                FileChange("add", "again.png"),
                FileChange("rename", "b.md", "a.md"),
                FileChange("delete", "drawn.png", "drawn.png"),
                FileChange("rename", "moved.png", "kept.png"),
            ]


def test_a_file_that_is_too_large_for_a_desk_may_come_and_go(
    making: Making, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text, lines = b"# A\n", b"".join(b"line %d\n" % number for number in range(40))
    first = making.commit({"a.md": text, "old.mp4": lines * 2})
    second = making.commit({"old.mp4": None, "new.mp4": lines * 2 + text})
    with Repository.open(making.bundle(tmp_path / "docs.bundle")) as source:
        monkeypatch.setattr(object_size, "LARGEST", len(lines))
        for _ in range(2):
            assert sorted(source.changes(first, second), key=lambda each: each.path) == [
                FileChange("add", "new.mp4"),
                FileChange("delete", "old.mp4", "old.mp4"),
            ]


def test_links_and_broken_names_are_not_followed(making: Making) -> None:
    oid = making.commit(
        {"a.md": b"a", "l.md": b"/etc/passwd", "\udcff.md": b"x"}, modes={"l.md": 0o120000}
    )
    with Repository.open(making.path) as source:
        files = source.files(oid)
        assert sorted(files) == ["a.md", "l.md"]
        assert files["l.md"].kind == "symlink"
        assert [problem.reason for problem in source.problems] == ["has a name that is not UTF-8"]


def test_folders_deeper_than_anyone_needs_are_left_out(making: Making, tmp_path: Path) -> None:
    deep = "d/" * 110 + "a.md"
    oid = making.commit({"b.md": b"b", deep: b"a"})
    with Repository.open(making.path) as source:
        assert sorted(source.files(oid)) == ["b.md"]
        assert source.problems[0].reason == "is more than 100 folders deep"
    put(tmp_path / "plain", {"b.md": b"b", deep: b"a"})
    with Repository.open(tmp_path / "plain") as source:
        assert sorted(source.files()) == ["b.md"]
        assert source.problems[0].reason == "is more than 100 folders deep"


def test_a_message_in_another_encoding_is_read(making: Making) -> None:
    oid = making.commit({"a.md": b"a"}, "Überblick", encoding=b"iso-8859-1")
    with Repository.open(making.path) as source:
        assert source.commit(oid).subject == "Überblick"


def test_a_message_is_read_as_it_stands_where_no_text_is_written_so(making: Making) -> None:
    oid = making.commit({"a.md": b"a"}, "Überblick", encoding=b"punycode")
    with Repository.open(making.path) as source:
        assert source.commit(oid).subject == "berblick-xxa"


def test_what_the_remote_calls_default_wins(making: Making) -> None:
    oid = making.commit({"a.md": b"a"}, branch="trunk")
    refs = making.repo.refs
    refs[b"refs/remotes/origin/trunk"] = oid.encode()  # type: ignore[index,assignment] # plain bytes
    refs.set_symbolic_ref(b"refs/remotes/origin/HEAD", b"refs/remotes/origin/trunk")  # type: ignore[arg-type] # plain bytes
    making.commit({"b.md": b"b"}, branch="main")
    with Repository.open(making.path) as source:
        assert source.default == Branch("trunk", oid)
        assert [branch.name for branch in source.branches()] == ["main", "trunk"]


def test_the_files_of_a_commit_are_listed_once_while_it_is_read(making: Making) -> None:
    oids = [making.commit({f"{number}.md": b"x"}) for number in range(KEPT_STATES + 1)]
    with Repository.open(making.path) as source:
        first = source.files(oids[0])
        assert all(source.files(oid) is source.files(oid) for oid in oids)
        assert source.files(oids[0]) is not first
        assert source.files(oids[0]).keys() == first.keys()


def test_a_working_tree_reads_what_is_committed_and_says_what_is_not(tmp_path: Path) -> None:
    put(tmp_path, {"a.md": b"committed\n", "b.md": b"b"})
    repo = Repo.init(str(tmp_path))
    tree = repo.get_worktree()
    tree.stage(["a.md", "b.md"])
    tree.commit(b"Start", committer=b"A <a@example.com>", author=b"A <a@example.com>")
    repo.close()
    with Repository.open(tmp_path) as source:
        assert source.problems == []
    put(tmp_path, {"a.md": b"changed since\n"})
    with Repository.open(tmp_path) as source:
        assert source.files()["a.md"].read() == b"committed\n"
        assert source.default is not None
        assert source.problems[0].reason == (
            "has changes in 1 file that are not committed; "
            f"only what is committed on {source.default.name} is read"
        )


def test_a_submodule_that_was_not_fetched_is_no_change(tmp_path: Path) -> None:
    put(tmp_path, {"a.md": b"a"})
    repo = Repo.init(str(tmp_path))
    tree = repo.get_worktree()
    tree.stage(["a.md"])
    index = repo.open_index()
    entry = index[b"a.md"]
    assert isinstance(entry, IndexEntry)
    index[b"theme"] = replace(entry, mode=S_IFGITLINK, sha=ObjectID(b"1" * 40))
    index.write()
    tree.commit(b"Start", committer=b"A <a@example.com>", author=b"A <a@example.com>")
    repo.close()
    (tmp_path / "theme").mkdir()
    with Repository.open(tmp_path) as source:
        assert source.problems == []


def test_a_plain_folder_is_read_as_it_stands(tmp_path: Path) -> None:
    put(
        tmp_path,
        {
            "a.md": b"a", ".b.md": b"b", ".DS_Store": b"", ".gitbook/assets/x.png": b"x",
            ".cache/x.txt": b"", "c/.venv/d/b.md": b"", "node_modules/c.md": b"",
            "c/.git/README.md": b"",
        },
    )  # fmt: skip
    (tmp_path / "out.md").symlink_to("/etc/hosts")
    (tmp_path / "loop").symlink_to(tmp_path)
    (tmp_path / ".elsewhere").symlink_to(tmp_path)
    with Repository.open(tmp_path) as source:
        assert source.default is None
        files = source.files()
        assert sorted(files) == [".b.md", ".gitbook/assets/x.png", "a.md", "loop", "out.md"]
        assert files["a.md"].oid == "2e65efe2a145dda7ee51d1741299f848e5bf752e"
        assert {files["loop"].kind, files["out.md"].kind} == {"symlink"}
        assert [str(each) for each in source.problems] == [
            f"{path}: is hidden or of a tool: its Markdown is left out"
            for path in ("node_modules", "c/.venv")
        ]
    (tmp_path / ".git").mkdir()
    with Repository.open(tmp_path / ".gitbook") as source:
        assert f"is in the git repository {tmp_path}, whose" in source.problems[0].reason


@pytest.mark.skipif(os.name == "nt", reason="Windows has no names that are not Unicode")
def test_a_name_that_is_not_utf8_on_disk_is_named(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_bytes(b"a")
    try:
        (tmp_path / "\udcff.md").write_bytes(b"x")
    except OSError:
        pytest.skip("this file system refuses such names")
    with Repository.open(tmp_path) as source:
        assert sorted(source.files()) == ["a.md"]
        assert source.problems[0].path == "'\\udcff.md'"


def test_what_is_no_source_is_refused_in_a_sentence(making: Making, tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="is missing"):
        Repository.open(tmp_path / "nowhere")
    (tmp_path / "text").write_text("hello")
    with pytest.raises(SourceError, match="is a file, but not a git bundle"):
        Repository.open(tmp_path / "text")
    with pytest.raises(SourceError, match="has no commits yet"):
        Repository.open(making.path)
    making.commit({"a.md": b"a" * 5000})
    bundle = making.bundle(tmp_path / "whole.bundle").read_bytes()
    head = bundle[: bundle.index(b"\n\n") + 2]
    for name, data, words in (
        ("cut", bundle[:-30], "is a damaged bundle"),
        ("empty", head, "is a damaged bundle"),
        ("flipped", bundle[:-40] + bytes(20) + bundle[-20:], "is a damaged bundle"),
        (
            "thin",
            bundle.replace(b"bundle\n", b"bundle\n-" + b"a" * 40 + b" x\n", 1),
            "commits that are not in it",
        ),
        ("bare", b"# v2 git bundle\n\n", "holds no branch"),
        ("sha256", b"# v3 git bundle\n@object-format=sha256\n\n", "another object format"),
    ):
        (tmp_path / name).write_bytes(data)
        with pytest.raises(SourceError, match=words):
            Repository.open(tmp_path / name)


def read_all(path: Path) -> list[bytes]:
    with Repository.open(path) as source:
        return [blob.read() for blob in source.files().values()]


@pytest.mark.parametrize("kind", [b"blob", b"tree", b"commit"])
def test_a_damaged_object_is_told_in_a_sentence(
    making: Making, tmp_path: Path, kind: bytes
) -> None:
    making.commit({"a.md": b"# A\n"})
    for path in (making.path / "objects").glob("??/*"):
        if zlib.decompress(path.read_bytes()).startswith(kind):
            path.chmod(0o600)
            path.write_bytes(b"garbage")
    with pytest.raises(SourceError, match="damaged"):
        read_all(making.path)


def test_a_damaged_pack_is_told_in_a_sentence(making: Making) -> None:
    making.commit({"a.md": b"# A\n" * 99})
    making.repo.object_store.pack_loose_objects()
    (pack,) = (making.path / "objects" / "pack").glob("*.pack")
    pack.chmod(0o600)
    whole = pack.read_bytes()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)  # dulwich leaves what is damaged open
        for broken in (b"", whole[:20]):
            pack.write_bytes(broken)
            with pytest.raises(SourceError, match="damaged"):
                Repository.open(making.path).close()
        gc.collect()


def test_an_index_of_another_kind_is_named_and_the_commits_are_read(tmp_path: Path) -> None:
    with Repo.init(str(tmp_path / "docs"), mkdir=True) as repo:
        put(tmp_path / "docs", {"a.md": b"# A\n"})
        repo.get_worktree().stage(["a.md"])
        repo.get_worktree().commit(message=b"Begin", author=b"A <a@x>", committer=b"A <a@x>")
    for broken in (b"DIRCxxxx", b"", b"DIRC" + b"\0\0\0\x63" + b"\0" * 40):
        (tmp_path / "docs" / ".git" / "index").write_bytes(broken)
        with Repository.open(tmp_path / "docs") as source:
            assert list(source.files()) == ["a.md"]
            (problem,) = source.problems
            assert "index that cannot be read" in problem.reason


def test_a_broken_branch_is_left_out_and_named(making: Making) -> None:
    tip = making.commit({"a.md": b"# A\n"})
    (making.path / "refs" / "heads" / "broken").write_bytes(b"garbage\n")
    (making.path / "refs" / "heads" / "empty").write_bytes(b"")
    with Repository.open(making.path) as source:
        assert source.branches() == [Branch("main", tip)]
        assert "branch broken" in {problem.path for problem in source.problems}


def test_nothing_is_known_to_be_committed_in_a_damaged_checkout(tmp_path: Path) -> None:
    put(tmp_path, {"a.md": b"# A\n"})
    with Repo.init(str(tmp_path)) as repo:
        repo.get_worktree().stage(["a.md"])
        repo.get_worktree().commit(message=b"Begin", author=b"A <a@x>", committer=b"A <a@x>")
    assert committed(tmp_path, {"a.md": b"# A\n"}) == {"a.md"}
    for path in (tmp_path / ".git" / "objects").glob("??/*"):
        path.chmod(0o600)
        path.write_bytes(b"garbage")
    assert committed(tmp_path, {"a.md": b"# A\n"}) == set()


def test_trees_that_name_very_many_files_are_refused(
    making: Making, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(git, "MAX_FILES", 2000)
    monkeypatch.setattr(git_writing, "MAX_FILES", 2000)
    begun = making.commit({"a.md": b"# A\n"})
    with Repo.init(str(tmp_path / "checkout"), mkdir=True) as checkout:
        for repo in (making.repo, checkout):
            bomb = explosive(repo)
            with pytest.raises(SourceError, match="more than 2,000 files"):
                read_all(Path(repo.path))
    with pytest.raises(SourceError, match="more than 2,000 files"):
        commit_files(
            making.path, "main", {"b.md": b"# B\n"}, (), message="More", author=Person("A", "a@x"),
            moment=datetime.now(UTC), after=bomb, force=False,
        )  # fmt: skip
    more = pytest.raises(SourceError, match="more than 2,000 files")
    with Repository.open(making.path) as source, more:
        source.changes(begun, bomb)


def test_a_folder_that_many_others_hold_is_read_twice_at_most(
    making: Making, monkeypatch: pytest.MonkeyPatch
) -> None:
    commit = explosive(making.repo, ends=(b"left", b"right"))
    read: Counter[bytes] = Counter()
    of_repository = Repository._object

    def counted(self: Repository, oid: bytes) -> ShaFile | None:
        read[oid] += 1
        return of_repository(self, oid)

    with Repository.open(making.path) as source:
        monkeypatch.setattr(Repository, "_object", counted)
        with pytest.raises(SourceError, match="files and folders"):
            source.files(commit)
    assert len(read) > 20
    assert max(read.values()) <= 2


def explosive(repo: Repo, ends: Sequence[bytes] = (b"",)) -> str:
    """Commit a few objects that are very many files, in as many trees a level as ``ends``."""
    store = repo.object_store
    blob = Blob.from_string(b"# A\n")
    tree = Tree()
    tree.add(b"a.md", 0o100644, blob.id)
    for thing in (blob, tree):
        store.add_object(thing)
    level = [tree]
    for _ in range(10):  # each holds those of the level before ten times
        below, level = level, []
        for end in ends:
            tree = Tree()
            for number in range(10):
                for at, each in enumerate(below):
                    tree.add(b"%d-%d%s" % (number, at, end), 0o040000, each.id)
            store.add_object(tree)
            level.append(tree)
    made = Commit()
    made.tree, made.message = tree.id, b"Very many"
    made.author = made.committer = b"A <a@x>"
    made.author_time = made.commit_time = made.author_timezone = made.commit_timezone = 0
    store.add_object(made)
    for name in (b"refs/heads/main", b"refs/heads/master"):
        repo.refs[Ref(name)] = made.id
    return made.id.decode()


def test_nothing_is_told_of_a_file_that_the_settings_of_a_repository_name(
    making: Making, tmp_path: Path
) -> None:
    (tmp_path / "private").write_text("password: opensesame\n")
    with (making.path / "config").open("a") as settings:
        settings.write(f"[include]\n\tpath = {tmp_path / 'private'}\n")
    with pytest.raises(SourceError, match="cannot be read") as refused:
        read_all(making.path)
    assert "opensesame" not in str(refused.value)


def test_a_pack_of_a_few_kilobytes_that_is_any_number_of_bytes_is_refused(tmp_path: Path) -> None:
    base = bytes(2**24 - 1)
    of_base = hashlib.sha1(b"blob %d\0" % len(base) + base, usedforsecurity=False).digest()
    copies = b"\xf0\xff\xff\xff" * 100  # each copies all of the base
    delta = number(len(base)) + number(len(base) * 100) + copies
    objects = entry(3, base), entry(7, delta, of_base)
    pack = b"PACK" + (2).to_bytes(4) + len(objects).to_bytes(4) + b"".join(objects)
    pack += hashlib.sha1(pack, usedforsecurity=False).digest()
    bundle = tmp_path / "bomb.bundle"
    bundle.write_bytes(b"# v2 git bundle\n" + b"0" * 40 + b" refs/heads/main\n\n" + pack)
    with pytest.raises(SourceError, match="larger than 1 GB"):
        read_all(bundle)
    assert len(pack) < 20_000


def number(value: int) -> bytes:
    """Return a number as packs have it, seven bits at a time."""
    return (b"" if value < 128 else bytes([value & 127 | 128])) + (
        bytes([value]) if value < 128 else number(value >> 7)
    )


def entry(kind: int, data: bytes, base: bytes = b"") -> bytes:
    """Return an object of a pack."""
    first, rest = len(data) & 15 | kind << 4, len(data) >> 4
    head = bytes([first | 128]) + number(rest) if rest else bytes([first])
    return head + base + zlib.compress(data)


def test_branches_of_a_bundle_that_cannot_be_called_so_are_left_out(
    making: Making, tmp_path: Path
) -> None:
    tip = making.commit({"a.md": b"# A\n"})
    data = making.bundle(tmp_path / "docs.bundle").read_bytes()
    names = ("a", "a/b", "main.lock", "../../../gone", "x\x1b]0;y\x07")
    more = "".join(f"{tip} refs/heads/{name}\n" for name in names).encode()
    head, _, pack = data.partition(b"\n\n")
    (tmp_path / "more.bundle").write_bytes(head + b"\n" + more + b"\n" + pack)
    with Repository.open(tmp_path / "more.bundle") as source:
        assert [branch.name for branch in source.branches()] == ["a", "a/b", "main"]
    head = head.replace(b"/main", b"/trunk")
    (tmp_path / "bare.bundle").write_bytes(
        b"%b\n%b refs/heads/a.lock\n\n%b" % (head, tip.encode(), pack)
    )
    with Repository.open(tmp_path / "bare.bundle") as source:
        assert source.branches() == [Branch("trunk", tip)]
        assert source.default == Branch("trunk", tip)
