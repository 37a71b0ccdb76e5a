"""Reading a folder, a git repository or a bundle, without a git binary.

Everything that dulwich gives is turned into this package's values here; only `git_writing` knows it
besides.
No hook and no filter of the repository is ever run: content is taken as it was committed.
"""

from __future__ import annotations

import os
import stat
import struct
import tempfile
import zlib
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from functools import wraps
from pathlib import Path
from typing import Any, Concatenate, ParamSpec, Self, TypeVar, cast

from dulwich import objects
from dulwich.diff_tree import RenameDetector, TreeChange, tree_changes
from dulwich.errors import (
    ApplyDeltaError,
    ChecksumMismatch,
    FileFormatException,
    NotGitRepository,
    NotTreeError,
)
from dulwich.graph import find_merge_base
from dulwich.index import Index, UnsupportedIndexFormat, get_unstaged_changes
from dulwich.object_store import BaseObjectStore
from dulwich.objects import ObjectID, valid_hexsha
from dulwich.pack import UnresolvedDeltas
from dulwich.refs import LOCAL_BRANCH_PREFIX, LOCAL_REMOTE_PREFIX, Ref
from dulwich.repo import Repo, UnsupportedExtension, UnsupportedVersion

from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.text import decoded_as, plural
from copydesk.server.sources.bundle import USUAL_BRANCHES, unbundle  # which bounds objects too
from copydesk.server.sources.folder import working_files
from copydesk.server.sources.model import (
    MAX_DEPTH,
    MAX_FILES,
    Blob,
    BlobKind,
    Commit,
    FileChange,
    Files,
    Person,
    Problem,
    SourceError,
)

MAX_COMPARED = 256 * 1024
"""The largest file that is compared with others, in bytes.

Larger ones are pictures, which would be unpacked again for each other file. What was only moved is
found all the same.
"""

P = ParamSpec("P")
T = TypeVar("T")

_UNREADABLE = (
    ApplyDeltaError,
    AssertionError,
    BufferError,
    ChecksumMismatch,
    FileFormatException,
    IndexError,
    UnresolvedDeltas,
    UnsupportedExtension,
    UnsupportedIndexFormat,
    UnsupportedVersion,
    struct.error,
    zlib.error,
)
"""What dulwich raises for a file that is damaged, or of a kind that it does not know."""

KEPT_STATES = 4
"""Of how many commits the files are kept in mind: a branch is read together with its base."""

MAX_SUBJECT_READ, MAX_BODY_READ = 1000, 100_000
"""How much of a commit's message is read, in characters."""


@dataclass(frozen=True, slots=True)
class Branch:
    """A branch and the commit it stands at, named without its remote."""

    name: str
    oid: str


@dataclass(frozen=True, slots=True)
class Ahead:
    """What a branch has that the default one has not: commits oldest first, and their base.

    ``base`` is None where both share no past that the repository holds.
    """

    base: str | None
    commits: tuple[Commit, ...]


@contextmanager
def readable(path: Path) -> Iterator[None]:
    """Say in a sentence that a repository is damaged."""
    try:
        yield
    except _UNREADABLE as error:
        said = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
        raise SourceError(
            f"{path} cannot be read: something in the repository is damaged, or of an unknown "
            f"kind ({said}). `git fsck` there says more."
        ) from error


def _reading(
    method: Callable[Concatenate[Repository, P], T],
) -> Callable[Concatenate[Repository, P], T]:
    """Let a method say in a sentence that the repository is damaged."""

    @wraps(method)
    def read(self: Repository, /, *args: P.args, **named: P.kwargs) -> T:
        with readable(self.path):
            return method(self, *args, **named)

    return read


class Repository:
    """A folder of documentation, with its history when git keeps one. Use it with ``with``.

    ``name`` is what the source is called, ``problems`` says what opening it noticed. For a folder
    without git ``default`` is None and ``files()`` gives the working files.
    """

    def __init__(
        self,
        path: Path,
        repo: Repo | None,
        scratch: tempfile.TemporaryDirectory[str] | None = None,
        default: str | None = None,
    ) -> None:
        self.path = path
        self.name = _name(path)
        self.problems: list[Problem] = []
        self._repo = repo
        self._large: set[bytes] = set()
        self._scratch = scratch
        self._files: OrderedDict[str, Files] = OrderedDict()
        self._trees: dict[bytes, list[tuple[str, int, ObjectID]]] = {}
        self._sizes: dict[bytes, int] = {}
        """How many files and folders are below each tree that was looked through."""
        self._mainline: set[str] | None = None
        self._there: dict[bytes, bool] = {}
        self.default: Branch | None = None
        if repo is not None:
            try:
                with readable(path):
                    self.default = self._default_branch(repo, default)
            except BaseException:
                self.close()
                raise
            if self.default is None and repo.bare:
                self.close()
                raise SourceError(f"{path} has no commits yet.")

    @classmethod
    def open(cls, path: str | Path, *, default: str | None = None) -> Repository:
        """Open a folder, a repository (with a working tree or bare) or a bundle.

        ``default`` is what its default branch was called before: it stays that, whichever is
        checked out, unless a remote or a bare repository says otherwise.

        Raises ``SourceError`` when there is nothing there, or something that is none of these.
        """
        path = whole(Path(path))
        if path.is_file():
            return cls._open_bundle(path, default)
        if not path.is_dir():
            there = (
                "is neither a folder, a repository nor a bundle" if path.exists() else "is missing"
            )
            raise SourceError(f"{path} {there}. Name a folder, a repository or a bundle.")
        try:
            with readable(path):
                repo = Repo(str(path))
        except NotGitRepository:
            found = cls(path, None)
            top = next((each for each in path.parents if (each / ".git").exists()), None)
            if top is not None:
                reason = (
                    f"is in the git repository {top}, whose branches, history and authors were not "
                    "read: import that for them"
                )
                found.problems.append(Problem(str(path), reason))
            return found
        except (OSError, ValueError) as error:
            # Settings may name any other file of this machine, and what is wrong in it is quoted.
            why = error.strerror if isinstance(error, OSError) else "`git status` there says more"
            raise SourceError(
                f"{path} looks like a repository but cannot be read: {why}"
            ) from error
        found = cls(path, repo, default=default)
        try:
            return found._with_working_state()
        except BaseException:
            found.close()
            raise

    @classmethod
    def _open_bundle(cls, path: Path, default: str | None) -> Repository:
        scratch = tempfile.TemporaryDirectory(prefix="copydesk-bundle-")
        try:
            return cls(path, unbundle(path, scratch.name), scratch, default)
        except BaseException:
            scratch.cleanup()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Release the files that are open. Blobs of commits cannot be read afterwards."""
        if self._repo is not None:
            with suppress(BufferError):  # of a damaged pack something is held still
                self._repo.close()
        if self._scratch is not None:
            self._scratch.cleanup()

    def _with_working_state(self) -> Self:
        """Say what the committed state leaves out."""
        repo = self._repo
        if repo is None or repo.bare or self.default is None or not repo.has_index():
            return self
        try:
            index = repo.open_index()
            changed = {
                path
                for path in get_unstaged_changes(index, str(self.path))
                if not self._left_out(index, path)
            }
            head = repo.refs.read_loose_ref(Ref(b"HEAD")) and repo.refs.follow(Ref(b"HEAD"))[1]
            if head is None:
                return self  # a checkout of nothing yet
            tree = self._whole_tree(head)
            for (old, new), _, _ in index.changes_from_tree(repo.object_store, tree):
                changed.add(old or new or b"")
        except (OSError, ValueError, KeyError, *_UNREADABLE):
            reason = (
                "has an index that cannot be read (a split or a sparse one, perhaps); only what is "
                f"committed on {self.default.name} is read"
            )
            self.problems.append(Problem(str(self.path), reason))
            return self
        if changed:
            reason = (
                f"has changes in {plural(len(changed), 'file')} that are not committed; only what "
                f"is committed on {self.default.name} is read"
            )
            self.problems.append(Problem(str(self.path), reason))
        return self

    def _default_branch(self, repo: Repo, before: str | None) -> Branch | None:
        """Return the branch to read: what the remote calls its default, the one that was read
        ``before``, HEAD's, main or master.
        """
        heads = {branch.name: branch for branch in self.branches()}
        said = [repo.refs.read_ref(Ref(ref)) for ref in (b"refs/remotes/origin/HEAD", b"HEAD")]
        remote, head = (_branch_name((each or b"").removeprefix(b"ref:").strip()) for each in said)
        # In a bare repository HEAD is the default; elsewhere it is what somebody works on.
        named = (head, before) if repo.bare and self._scratch is None else (before, head)
        for name in (remote, *named):
            if name in heads:
                return heads[name]
        for name in USUAL_BRANCHES:
            if name in heads:
                return heads[name]
        try:
            return Branch("HEAD", repo.head().decode())
        except KeyError:
            return next(iter(heads.values()), None)

    @_reading
    def branches(self) -> list[Branch]:
        """Return all branches by name; a local one hides a remote's of the same name."""
        if self._repo is None:
            return []
        found: dict[str, Branch] = {}
        refs = self._repo.get_refs()
        for ref in sorted(refs, key=lambda ref: (not ref.startswith(LOCAL_BRANCH_PREFIX), ref)):
            name = _branch_name(ref)
            if name is not None and not valid_hexsha(refs[ref]):
                reason = "was left out: it is broken, for it names no commit"
                self.problems.append(Problem(f"branch {name}", reason))
            elif name is not None and isinstance(self._object(refs[ref]), objects.Commit):
                found.setdefault(name, Branch(name, refs[ref].decode()))
        return [found[name] for name in sorted(found)]

    def _object(self, oid: bytes) -> objects.ShaFile | None:
        assert self._repo is not None
        try:
            return self._repo.object_store[ObjectID(oid)]
        except KeyError:
            return None

    def _has(self, oid: ObjectID) -> bool:
        assert self._repo is not None
        if oid not in self._there:
            self._there[oid] = oid in self._repo.object_store
        return self._there[oid]

    def _commit(self, oid: bytes | str) -> objects.Commit:
        raw = oid.encode() if isinstance(oid, str) else oid
        found = self._object(raw)
        if not isinstance(found, objects.Commit):
            raise SourceError(f"{self.path} has no commit {raw.decode('ascii', 'replace')}.")
        return found

    def _whole_tree(self, commit: bytes | str) -> ObjectID:
        """Return the tree of a commit, which anybody can go through.

        A few objects may stand for any number of files, as each folder may hold another many times.
        Raises ``SourceError`` for more than there can be documentation.
        """
        top: ObjectID = self._commit(commit).tree
        todo = [] if top in self._sizes else [top]
        while todo:
            if todo[-1] in self._sizes:  # another folder held it too
                todo.pop()
                continue
            tree = self._object(todo[-1])
            entries = list(tree.iteritems()) if isinstance(tree, objects.Tree) else []
            below = [each.sha for each in entries if stat.S_ISDIR(each.mode)]
            if unknown := {oid for oid in below if oid not in self._sizes}:
                todo += unknown
                continue
            size = len(entries) + sum(self._sizes[oid] for oid in below)
            self._sizes[todo.pop()] = min(size, MAX_FILES + 1)
        if self._sizes[top] > MAX_FILES:
            raise SourceError(f"{self.path} has more than {MAX_FILES:,} files and folders.")
        return top

    def _left_out(self, index: Index, path: bytes) -> bool:
        """Whether a path is a submodule that was not fetched: to git, that is no change."""
        mode = getattr(index[path], "mode", None) if path in index else None
        if mode is None or not objects.S_ISGITLINK(mode):
            return False
        folder = self.path / os.fsdecode(path)
        return folder.is_dir() and not (folder / ".git").exists()

    @_reading
    def files(self, commit: str | None = None) -> Files:
        """Return the files of a commit, or the default branch; without history, of the folder.

        Bytes are read when a blob is asked for them. A path that is not UTF-8 is left out and named
        in ``problems``. What a partial clone left out is a blob of the kind "missing".
        Raises ``SourceError`` for more files than there can be documentation.
        """
        if commit is None:
            if self.default is None:
                return working_files(self.path, self.problems)
            commit = self.default.oid
        if commit in self._files:
            self._files.move_to_end(commit)
            return self._files[commit]
        found: dict[str, Blob] = {}
        todo = [(self._whole_tree(commit), "")]
        while todo:
            tree, folder = todo.pop()
            if not self._has(tree):
                found[folder.removesuffix("/")] = Blob(_absent(tree), tree.decode(), "missing")
                continue
            if folder.count("/") > MAX_DEPTH:
                self.problems.append(Problem(folder, f"is more than {MAX_DEPTH} folders deep"))
                continue
            for name, mode, oid in self._entries(tree, folder):
                if stat.S_ISDIR(mode):
                    todo.append((oid, f"{folder}{name}/"))
                else:
                    found[folder + name] = self._blob(oid, mode)
        self._files[commit] = found
        if len(self._files) > KEPT_STATES:
            self._files.popitem(last=False)
        return found

    def _entries(self, oid: ObjectID, folder: str) -> list[tuple[str, int, ObjectID]]:
        if oid not in self._trees:
            tree = self._object(oid)
            entries: list[tuple[str, int, ObjectID]] = []
            for raw in tree.iteritems() if isinstance(tree, objects.Tree) else ():
                try:
                    name = raw.path.decode("utf-8")
                except UnicodeDecodeError:
                    shown = folder + raw.path.decode("utf-8", "replace")
                    self.problems.append(Problem(shown, "has a name that is not UTF-8"))
                    continue
                entries.append((name, raw.mode, raw.sha))
            self._trees[oid] = entries
        return self._trees[oid]

    def _blob(self, oid: ObjectID, mode: int) -> Blob:
        def load() -> bytes:
            with readable(self.path):
                found = self._object(oid)
                return found.data if isinstance(found, objects.Blob) else _absent(oid)()

        kind: BlobKind = "file"
        if objects.S_ISGITLINK(mode):
            kind = "submodule"
        elif stat.S_ISLNK(mode):
            kind = "symlink"
        elif not self._has(oid):
            kind = "missing"
        return Blob(load, oid.decode(), kind)

    def missing(self, commit: str) -> dict[str, str]:
        """Return the paths of a commit whose objects are not here, each with the object's id.

        A partial clone leaves files out, or whole folders. The files in a missing folder are
        not known.
        """
        files = self.files(commit).items()
        return {path: blob.oid for path, blob in files if blob.kind == "missing"}

    @property
    def shallow(self) -> bool:
        """Whether the history of the repository was cut off when it was cloned."""
        return self._repo is not None and bool(self._repo.get_shallow())

    @_reading
    def commit(self, oid: str) -> Commit:
        """Return a commit. Raises ``SourceError`` when there is none of that id."""
        return _read_commit(self._commit(oid), self._parents(oid))

    def _parents(self, oid: str) -> tuple[str, ...]:
        """Return the parents that the repository holds; a shallow one ends early."""
        assert self._repo is not None
        parents = self._repo.parents_provider().get_parents(ObjectID(oid.encode()))
        return tuple(raw.decode() for raw in parents if raw in self._repo.object_store)

    def history(self, oid: str, limit: int) -> list[Commit]:
        """Return a commit and its first parents, newest first, at most ``limit`` of them."""
        found: list[Commit] = []
        at: str | None = oid
        while at is not None and len(found) < limit:
            found.append(self.commit(at))
            at = found[-1].parents[0] if found[-1].parents else None
        return found

    @_reading
    def landed(self, oid: str) -> bool:
        """Whether the default branch holds a commit."""
        return oid in self._landed()

    def _landed(self) -> set[str]:
        assert self.default is not None
        if self._mainline is None:
            self._mainline = set(self._reach(self.default.oid, frozenset()))
        return self._mainline

    @_reading
    def ahead(self, branch: Branch) -> Ahead | None:
        """Return what only a branch has; None when that is nothing."""
        assert self._repo is not None
        assert self.default is not None
        own = list(self._reach(branch.oid, self._landed()))
        if not own:
            return None
        mine = set(own)
        known = self._landed()
        bases = {parent for oid in own for parent in self._parents(oid) if parent in known}
        if len(bases) > 1:  # took the default branch in: which of them is the last?
            tips = [ObjectID(each.oid.encode()) for each in (self.default, branch)]
            bases = {base.decode() for base in find_merge_base(self._repo, tips)[:1]}
        line = [commit for commit in self.history(branch.oid, len(own)) if commit.oid in mine]
        return Ahead(next(iter(bases), None), tuple(reversed(line)))

    def _reach(self, oid: str, known: set[str] | frozenset[str]) -> Iterator[str]:
        """Yield every commit that leads to one and is not known."""
        seen: set[str] = set()
        todo = [oid]
        while todo:
            at = todo.pop()
            if at not in known and at not in seen:
                seen.add(at)
                todo.extend(self._parents(at))
                yield at

    @_reading
    def changes(self, old: str, new: str) -> list[FileChange]:
        """Return the files that differ between two commits; a moved or similar file is a rename.

        Where objects are missing that tell how similar files are, a moved one is gone and new.
        """
        assert self._repo is not None
        store = self._repo.object_store
        trees = self._whole_tree(old), self._whole_tree(new)
        try:
            once = cast("BaseObjectStore", _Compared(store, self._large))
            found = RenameDetector(once).changes_with_renames(*trees)
        except KeyError:
            try:
                found = list(tree_changes(store, *trees))
            except KeyError:  # a folder is missing too: the states tell what there is of both
                return []
        return [change for each in found if (change := _file_change(each)) is not None]


def committed(folder: Path, there: Mapping[str, bytes], at: str | None = None) -> set[str]:
    """Return which files, given by path below ``folder`` with what they hold, git has at HEAD.

    Or ``at`` a commit, given by its id, where the repository has it.
    """
    if not folder.is_dir():
        return set()
    try:
        repo = Repo.discover(str(folder))
    except (NotGitRepository, OSError, ValueError, *_UNREADABLE):
        return set()
    found: set[str] = set()
    with repo:
        try:
            wanted = repo.head() if at is None else ObjectID(at.encode())
            commit = repo[wanted if wanted in repo.object_store else repo.head()]
            assert isinstance(commit, objects.Commit)
            top = repo[commit.tree]
            above = folder.resolve().relative_to(Path(repo.path).resolve())
        except (OSError, KeyError, ValueError, *_UNREADABLE):
            return found
        assert isinstance(top, objects.Tree)
        for path, data in there.items():
            try:
                _, oid = top.lookup_path(
                    repo.object_store.__getitem__, (above / path).as_posix().encode()
                )
            except (KeyError, OSError, ValueError, NotTreeError, *_UNREADABLE):
                continue
            if oid == objects.Blob.from_string(data).id:
                found.add(path)
    return found


class _Compared:
    """The objects of a repository, for comparing each with many: each is unpacked once.

    Instead of a file that is too large for that there is one that is like no other. ``large`` are
    those that were met, so that the next comparison does not unpack them.
    """

    def __init__(self, store: BaseObjectStore, large: set[bytes]) -> None:
        self._store = store
        self._large = large
        self._read: dict[bytes, objects.ShaFile] = {}

    def __getitem__(self, oid: ObjectID) -> objects.ShaFile:
        found = self._read.get(oid)
        if found is None:
            with suppress(SourceError):  # too large even to be unpacked
                found = None if oid in self._large else self._store[oid]
            if found is None or (
                isinstance(found, objects.Blob) and found.raw_length() > MAX_COMPARED
            ):
                self._large.add(oid)
                found = None
            self._read[oid] = found = found or objects.Blob.from_string(oid)
        return found

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)


def _absent(oid: ObjectID) -> Callable[[], bytes]:
    def load() -> bytes:
        raise OSError(None, f"object {oid.decode()} is missing from the repository")

    return load


def _file_change(change: TreeChange) -> FileChange | None:
    try:
        old = change.old.path.decode("utf-8") if change.old is not None else None
        new = change.new.path.decode("utf-8") if change.new is not None else None
    except UnicodeDecodeError:
        return None  # its name was named as a problem when its folder was read
    if change.type == "rename" and old is not None and new is not None:
        return FileChange("rename", new, old)
    if new is None:
        return None if old is None else FileChange("delete", old, old)
    return FileChange("edit" if change.type == "modify" else "add", new)


def _branch_name(ref: bytes) -> str | None:
    """Return the name of a branch without its remote's; None for another kind of reference."""
    if ref.startswith(LOCAL_BRANCH_PREFIX):
        return ref[len(LOCAL_BRANCH_PREFIX) :].decode("utf-8", "replace")
    if ref.startswith(LOCAL_REMOTE_PREFIX):
        _, _, name = ref[len(LOCAL_REMOTE_PREFIX) :].partition(b"/")
        return name.decode("utf-8", "replace") if name not in (b"", b"HEAD") else None
    return None


def whole(path: Path) -> Path:
    """Return the repository of a path that ends in ``.git``; another path as it is."""
    resolved = path.resolve()
    return resolved.parent if resolved.name == ".git" and path.exists() else path


def _name(path: Path) -> str:
    name = path.resolve().name
    for ending in (".bundle", ".git"):
        name = name.removesuffix(ending) or name
    return name or "/"


def _read_commit(raw: objects.Commit, parents: tuple[str, ...]) -> Commit:
    text = _text(raw.message, raw.encoding)
    subject, _, body = text.strip().partition("\n")
    return Commit(
        oid=raw.id.decode(),
        parents=parents,
        author=_person(raw.author, raw.encoding),
        authored_at=_moment(raw.author_time),
        committed_at=_moment(raw.commit_time),
        subject=subject.strip()[:MAX_SUBJECT_READ],
        body=body.strip()[:MAX_BODY_READ],
    )


def _person(identity: bytes, encoding: bytes | None) -> Person:
    name, _, rest = _text(identity, encoding).partition("<")
    return Person(name.strip(), rest.rpartition(">")[0].strip())


def _text(raw: bytes, encoding: bytes | None) -> str:
    for name in (encoding.decode("ascii", "replace") if encoding else "utf-8", "utf-8"):
        try:
            return decoded_as(raw, name)
        except (LookupError, ValueError):
            continue
    return raw.decode("utf-8", "replace")


def _moment(seconds: float) -> datetime:
    try:
        return datetime.fromtimestamp(seconds, UTC)
    except (OverflowError, OSError, ValueError):
        return datetime.fromtimestamp(0, UTC)
