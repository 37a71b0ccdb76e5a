"""Small repositories for the tests, made without a git binary."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

from dulwich.bundle import Bundle, create_bundle_from_repo, write_bundle
from dulwich.index import commit_tree
from dulwich.objects import Blob as GitBlob
from dulwich.objects import Commit, ObjectID
from dulwich.refs import Ref
from dulwich.repo import Repo

from copydesk.server.sources.layout import LayoutReader
from copydesk.server.sources.model import Blob, SourceSpace

GIT = shutil.which("git")

AUTHOR = b"Ada Vale <ada@example.com>"


class Making:
    """A bare repository that grows commit by commit; every commit is an hour after the last."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.repo = Repo.init_bare(str(path), mkdir=True)
        self.clock = 1_700_000_000
        self.trees: dict[str, dict[str, tuple[int, bytes]]] = {}

    def commit(
        self,
        changes: Mapping[str, bytes | None],
        message: str = "Change",
        *,
        branch: str = "main",
        parents: list[str] | None = None,
        author: bytes = AUTHOR,
        modes: Mapping[str, int] | None = None,
        encoding: bytes | None = None,
    ) -> str:
        """Commit changes (None deletes) on a branch, which starts at ``parents`` or at nothing."""
        ref = Ref(b"refs/heads/" + branch.encode())
        if parents is None:
            parents = [self.repo.refs[ref].decode()] if ref in self.repo.refs else []
        tree = dict(self.trees[parents[0]]) if parents else {}
        for path, data in changes.items():
            if data is None:
                del tree[path]
            else:
                tree[path] = ((modes or {}).get(path, 0o100644), data)
        entries = []
        for path, (mode, data) in tree.items():
            blob = GitBlob.from_string(data)
            self.repo.object_store.add_object(blob)
            entries.append((path.encode("utf-8", "surrogateescape"), blob.id, mode))
        made = Commit()
        made.tree = commit_tree(self.repo.object_store, entries)
        made.parents = [ObjectID(parent.encode()) for parent in parents]
        made.author = made.committer = author
        self.clock += 3600
        made.author_time = made.commit_time = self.clock
        made.author_timezone = made.commit_timezone = 0
        made.message = message.encode(encoding.decode() if encoding else "utf-8")
        if encoding:
            made.encoding = encoding
        self.repo.object_store.add_object(made)
        self.repo.refs[ref] = made.id
        oid = made.id.decode()
        self.trees[oid] = tree
        return oid

    def bundle(self, path: Path) -> Path:
        """Write all branches into a bundle."""
        heads = [ref for ref in self.repo.refs if ref.startswith(b"refs/heads/")]
        made: Bundle = create_bundle_from_repo(self.repo, refs=heads)
        with path.open("wb") as file:
            write_bundle(file, made)
        made.close()
        return path

    def close(self) -> None:
        self.repo.close()


def layout(files: Mapping[str, bytes], name: str = "docs") -> list[SourceSpace]:
    """Read the layout of files that are in memory."""
    return LayoutReader(name).read({path: Blob.of(data) for path, data in files.items()})


def put(folder: Path, files: Mapping[str, bytes]) -> None:
    """Write files below a folder."""
    for path, data in files.items():
        place = folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(data)


def taken(folder: Path) -> dict[str, bytes]:
    """Return every file below a folder, git's own left out."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and ".git" not in path.relative_to(folder).parts
    }


def applied(folder: Path, files: Mapping[str, bytes], patch: bytes) -> dict[str, bytes]:
    """Return what ``git apply`` makes of some files with a patch."""
    assert GIT is not None
    put(folder, files)
    done = subprocess.run(
        [GIT, "apply", "-"], cwd=folder, input=patch, capture_output=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr
    return taken(folder)
