"""Committing files to a branch of a repository of this machine, beside its work tree.

It is what a push does: objects are added and the branch is moved, no hook is run. As with a push, a
branch that somebody has checked out is refused: their files would be behind it.
"""

from __future__ import annotations

import re
import stat
from collections.abc import Collection, Mapping
from datetime import datetime
from pathlib import Path

from dulwich.errors import NotGitRepository
from dulwich.index import commit_tree
from dulwich.object_store import iter_tree_contents
from dulwich.objects import Blob, Commit, ObjectID
from dulwich.refs import Ref, check_ref_format
from dulwich.repo import Repo

from copydesk.domain.late_dataclass import dataclass
from copydesk.server.sources.git import readable
from copydesk.server.sources.model import MAX_FILES, Person, SourceError

_FILE = 0o100644


@dataclass(frozen=True, slots=True)
class Committed:
    """The commit that a branch is at now, and whether it is a new one."""

    oid: str
    new: bool


def commit_files(
    path: Path,
    branch: str,
    files: Mapping[str, bytes],
    gone: Collection[str],
    *,
    message: str,
    author: Person,
    moment: datetime,
    after: str | None,
    force: bool,
) -> Committed:
    """Write files to a branch, and take those that are ``gone`` from it; all others stay.

    ``after`` is the commit that the branch was at when it was last read or written here: at another
    one it is only written with ``force``. A branch that is not there is made.

    Raises ``SourceError`` when there is no repository, or the branch may not be written.
    """
    name = f"refs/heads/{branch}".encode()
    if not check_ref_format(Ref(name)):
        raise SourceError(f"{branch!r} is not the name of a branch.")
    try:
        with readable(path):
            repo = Repo(str(path))
    except (NotGitRepository, OSError, ValueError) as error:
        raise SourceError(f"{path} is not a git repository that can be written.") from error
    with repo, readable(path):
        if not repo.bare and Ref(name) in repo.refs.follow(Ref(b"HEAD"))[0]:
            raise SourceError(
                f"{branch} is checked out in {path}: its files would be behind the branch. "
                "Name another branch, or a bare repository."
            )
        head = repo.refs.as_dict().get(Ref(name))
        if head is not None and head.decode() != after and not force:
            raise SourceError(
                f"{branch} has commits that were not imported. Import first; with force the files "
                "of the space replace those there."
            )
        old = None if head is None else repo[head]
        before = old.tree if isinstance(old, Commit) else None
        entries: dict[bytes, tuple[ObjectID, int]] = {}
        if before is not None:
            every = iter_tree_contents(repo.object_store, before, include_trees=True)
            for seen, entry in enumerate(every):
                if seen > MAX_FILES:
                    raise SourceError(f"{branch} has more than {MAX_FILES:,} files and folders.")
                if stat.S_ISDIR(entry.mode or 0):
                    continue
                if entry.path is not None and entry.sha is not None and entry.mode is not None:
                    entries[entry.path] = (entry.sha, entry.mode)
        for each in gone:
            entries.pop(each.encode(), None)
        _refuse_in_the_way(entries.keys(), files)
        for each, data in files.items():
            blob = Blob.from_string(data)
            key = each.encode()
            _, mode = entries.get(key, (None, _FILE))
            # A link or another repository of that name gives way: it would not hold this text.
            entries[key] = (blob.id, mode if stat.S_ISREG(mode) else _FILE)
            if blob.id not in repo.object_store:
                repo.object_store.add_object(blob)
        tree = commit_tree(
            repo.object_store, [(key, oid, mode) for key, (oid, mode) in entries.items()]
        )
        if head is not None and tree == before:
            return Committed(head.decode(), new=False)
        made = Commit()
        made.tree = tree
        made.parents = [] if head is None else [head]
        made.author = made.committer = _identity(author)
        made.author_time = made.commit_time = int(moment.timestamp())
        made.author_timezone = made.commit_timezone = 0
        made.encoding = b"UTF-8"
        made.message = f"{message.replace(chr(0), '').rstrip()}\n".encode()
        repo.object_store.add_object(made)
        if not repo.refs.set_if_equals(Ref(name), head, made.id):
            raise SourceError(f"{branch} was moved by another program meanwhile. Try again.")
        return Committed(made.id.decode(), new=True)


def _refuse_in_the_way(there: Collection[bytes], files: Collection[str]) -> None:
    """Raise ``SourceError`` where one path is a file on one side and a folder on the other.

    A tree holds one of both, and what was in the other would be lost.
    """
    made, kept = {each.encode() for each in files}, set(there)
    for each in sorted(_folders(made) & kept):
        raise SourceError(f"{_shown(each)} is a file there, and the space has files below it.")
    for each in sorted(_folders(kept) & made):
        raise SourceError(f"{_shown(each)} is a file of the space, and a folder there.")


def _folders(paths: Collection[bytes]) -> set[bytes]:
    """Return all folders that paths go through."""
    found: set[bytes] = set()
    for path in paths:
        while (at := path.rfind(b"/")) > 0 and (path := path[:at]) not in found:
            found.add(path)
    return found


def _shown(path: bytes) -> str:
    return path.decode("utf-8", "replace")


def _identity(person: Person) -> bytes:
    """Return how git names a person; what would end the line or the name is left out."""
    name, email = (re.sub(r"[<>\r\n\0]", "", each).strip() for each in (person.name, person.email))
    return f"{name} <{email}>".encode()
