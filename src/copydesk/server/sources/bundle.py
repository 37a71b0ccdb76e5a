"""Opening a git bundle: one file that holds branches and everything that leads to them."""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import BinaryIO

from dulwich.objects import ObjectID
from dulwich.refs import LOCAL_BRANCH_PREFIX, LOCAL_REMOTE_PREFIX, Ref, check_ref_format
from dulwich.repo import Repo

from copydesk.server.sources import object_size as object_size  # bounds what dulwich unpacks
from copydesk.server.sources.model import SourceError

USUAL_BRANCHES = ("main", "master")
"""What a default branch is called where nothing says which it is, the first that exists."""

_BUNDLE = (b"# v2 git bundle\n", b"# v3 git bundle\n")
_BAD_PACK = (OSError, ValueError, KeyError, AssertionError, EOFError, BufferError, zlib.error)
_CHUNK = 1 << 20


def unbundle(path: Path, folder: str) -> Repo:
    """Make a bare repository of a bundle in an empty folder.

    Raises ``SourceError`` when the file is no bundle, damaged, or holds only a part of its history.
    """
    repo: Repo | None = None
    try:
        with path.open("rb") as file:
            refs = _bundle_refs(path, file)
            repo = Repo.init_bare(folder)
            _unpack(repo, file)
        _set_refs(repo, refs)
    except BaseException as error:
        if repo is not None:
            repo.close()
        if isinstance(error, _BAD_PACK):
            raise SourceError(f"{path} is a damaged bundle: {error}") from error
        raise
    return repo


def _unpack(repo: Repo, file: BinaryIO) -> None:
    """Add the pack that the rest of a file holds; a bundle can be larger than memory."""
    out, commit, abort = repo.object_store.add_pack()
    digest, tail = hashlib.sha1(usedforsecurity=False), b""
    try:
        while chunk := file.read(_CHUNK):
            out.write(chunk)
            tail += chunk
            digest.update(tail[:-20])
            tail = tail[-20:]
        if digest.digest() != tail:
            raise ValueError("its checksum does not fit, so a part is missing or changed")
    except BaseException:
        abort()
        raise
    with out:  # where what it holds is refused nobody else closes it
        commit()


def _set_refs(repo: Repo, refs: Mapping[bytes, ObjectID]) -> None:
    """Give a repository the branches of a bundle, and the HEAD that the bundle means."""
    kept = {
        Ref(name): oid
        for name, oid in refs.items()
        if name.startswith((LOCAL_BRANCH_PREFIX, LOCAL_REMOTE_PREFIX))
        and check_ref_format(Ref(name))
        and oid in repo.object_store
    }
    # In one file: there may be many, and one may be called as a folder of others would be.
    repo.refs.add_packed_refs(kept)
    head = refs.get(b"HEAD")
    usual = [Ref(LOCAL_BRANCH_PREFIX + name.encode()) for name in USUAL_BRANCHES]
    rest = sorted(name for name in kept if name.startswith(LOCAL_BRANCH_PREFIX))
    for name in (*usual, *rest):
        if name in kept and head in (None, kept[name]):
            repo.refs.set_symbolic_ref(Ref(b"HEAD"), name)
            return


def _bundle_refs(path: Path, file: BinaryIO) -> Mapping[bytes, ObjectID]:
    """Read a bundle's header and leave the file at its pack."""
    if file.readline(64) not in _BUNDLE:
        raise SourceError(f"{path} is a file, but not a git bundle.")
    refs: dict[bytes, ObjectID] = {}
    while (line := file.readline(65536)) not in (b"\n", b""):
        if line.startswith(b"@object-format=") and line.strip() != b"@object-format=sha1":
            raise SourceError(
                f"{path} uses another object format than SHA-1, which is not read yet."
            )
        if line.startswith(b"@filter"):
            raise SourceError(f"{path} leaves objects out (it was made with a filter).")
        if line.startswith(b"-"):
            raise SourceError(
                f"{path} needs commits that are not in it. Make it with a whole branch: "
                "git bundle create FILE --all"
            )
        oid, _, name = line.rstrip(b"\n").partition(b" ")
        if name and len(oid) == 40:
            refs[name] = ObjectID(oid)
    if not any(name.startswith((LOCAL_BRANCH_PREFIX, LOCAL_REMOTE_PREFIX)) for name in refs):
        raise SourceError(f"{path} holds no branch.")
    return refs
