"""Which file is which from state to state of a repository: keys that renames do not change."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import field

from copydesk.domain.late_dataclass import dataclass
from copydesk.server.sources.model import FileChange

Keys = Mapping[str, str]
"""The identity of every file, by its path; a path that is not in it is its own."""


@dataclass(frozen=True, slots=True)
class Known:
    """What an earlier import knew: the commit that it read, and the key of every file there.

    ``heads`` are the branches that it made change requests of, each with the commit it stood at, by
    the key of its change. ``absent`` are the paths that a partial clone left out and that were
    skipped. ``branch`` is the default branch's name: somebody who resolves a conflict in a checkout
    stands on another one, which is not the documentation for that.
    """

    commit: str
    keys: Keys
    heads: Mapping[str, str] = field(default_factory=dict)
    absent: frozenset[str] = frozenset()
    branch: str | None = None


def backward(keys: Keys, changes: Iterable[FileChange]) -> dict[str, str]:
    """Return the keys before some changes, from those after them."""
    return forward(keys, (each.undone() for each in changes))


def forward(keys: Keys, changes: Iterable[FileChange]) -> dict[str, str]:
    """Return the keys after some changes, from those before them."""
    after = dict(keys)
    came: list[tuple[str, str | None]] = []
    for change in changes:
        if change.kind == "delete":
            after.pop(change.path, None)
        elif change.kind == "rename" and change.old_path is not None:
            after.pop(change.old_path, None)
            came.append((change.path, keys.get(change.old_path)))
        elif change.kind == "add":
            came.append((change.path, None))
    return _with(after, came, set(keys.values()))


def _with(
    keys: dict[str, str], came: Iterable[tuple[str, str | None]], taken: set[str]
) -> dict[str, str]:
    """Add files with the key that they bring, or a free one: no key may mean two files."""
    for path, key in came:
        keys[path] = key or free_key(path, taken)
        taken.add(keys[path])
    return keys


def free_key(path: str, taken: set[str]) -> str:
    """Return a key for a new file at a path that no other file has."""
    key = path
    while key in taken:
        key += "~"
    return key
