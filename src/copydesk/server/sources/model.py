"""The values that reading a documentation repository gives, and writing one takes.

They know neither git nor the desk. Every path is relative to the top of the repository, with
slashes.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import field, replace
from datetime import datetime
from typing import Any, Literal, TypeAlias

from copydesk.domain.late_dataclass import dataclass

PageKind = Literal["document", "group", "link"]
BlobKind = Literal["file", "symlink", "submodule", "missing"]
FileRole = Literal["asset", "unlisted", "summary", "config", "other"]

MAX_DEPTH = 100
"""How many folders deep a file may be; only a hostile source goes deeper."""

MAX_FILES = 1_000_000
"""How many files and folders a commit may hold: trees that hold each other can name very many."""

Progress: TypeAlias = Callable[[int, int, str], None]
"""Called with the done and total amounts, and the name of the current part."""


def silent(_done: int, _total: int, _what: str) -> None:
    """Tell nobody how far the work is."""


MAX_FILE = 10**9 - 1000
"""How many bytes a file may have: what SQLite keeps in one row (https://sqlite.org/limits.html)."""

OUTSIDE = "is outside every space; a docs.yaml can name its folder as one"

NAMED_LIKE_A_PAGE = "is a folder with the name of a page; what is in it is read"


class SourceError(Exception):
    """A source cannot be opened or read at all. The message says so to the person who named it."""


@dataclass(frozen=True, slots=True)
class Problem:
    """Something that could not be used, named so that its author can mend it. Never fatal.

    ``path`` is the file, ``line`` counts from 1 where there is one, ``text`` is what stands there
    and ``reason`` completes the sentence "skipped, because it …". ``unread``: nobody knows what is
    in the file or folder, for this user may not read it.
    """

    path: str
    reason: str
    line: int | None = None
    text: str = ""
    unread: bool = False

    def __str__(self) -> str:
        where = self.path if self.line is None else f"{self.path}, line {self.line}"
        what = f" “{self.text}”" if self.text else ""
        return f"{where}:{what} {self.reason}"


@dataclass(frozen=True, slots=True)
class Person:
    """Who wrote a commit. Both parts come from the repository and may be empty."""

    name: str
    email: str


def blob_oid(data: bytes) -> str:
    """Return the object id that git gives a file with these bytes."""
    digest = hashlib.sha1(b"blob %d\0" % len(data), usedforsecurity=False)
    digest.update(data)
    return digest.hexdigest()


class Blob:
    """The bytes of one file at one moment, read when they are asked for.

    Args:
        load: reads the bytes; called again each time, so that big files are not kept in memory.
        oid: git's id of the bytes where it is already known.
        kind: a symbolic link's or a submodule's bytes are not content and must not be used as such;
            a missing one's are not in this clone of the repository.
    """

    __slots__ = ("_load", "_oid", "_size", "kind")

    def __init__(
        self, load: Callable[[], bytes], oid: str | None = None, kind: BlobKind = "file"
    ) -> None:
        self._load = load
        self._oid = oid
        self._size: int | None = None
        self.kind: BlobKind = kind

    @classmethod
    def of(cls, data: bytes) -> Blob:
        """Return a blob of bytes that are in memory already."""
        return cls(lambda: data)

    def read(self) -> bytes:
        """Return the bytes. Raises ``OSError`` when a file on disk cannot be read any more."""
        data = self._load()
        self._size = len(data)
        return data

    @property
    def oid(self) -> str:
        """Git's id of the bytes."""
        if self._oid is None:
            self._oid = blob_oid(self.read())
        return self._oid

    @property
    def size(self) -> int:
        """The number of bytes."""
        if self._size is None:
            self.read()
        assert self._size is not None
        return self._size


Files: TypeAlias = Mapping[str, Blob]
"""All files of one state of a repository, by path."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """What front matter says about a page."""

    description: str | None = None
    emoji: str | None = None
    icon: str | None = None
    hidden: bool = False
    no_index: bool = False
    no_robots_index: bool = False
    cover: str | None = None
    cover_y: float | None = None
    layout: Mapping[str, bool | str] = field(default_factory=dict)

    def facts_by_name(self) -> dict[str, Any]:
        """Return them by their names, also those of a page."""
        return {name: getattr(self, name) for name in Facts.__slots__}


@dataclass(frozen=True, slots=True, kw_only=True)
class SourcePage(Facts):
    """A page of a space.

    ``key`` is its identity: it stays the same from revision to revision, also when its file is
    renamed. ``title`` is the one of ``SUMMARY.md``; ``slug`` is the last part of ``path``, its
    address in the space. A document has ``front_matter`` (verbatim, with its fences and a byte
    order mark, or "") and ``markdown`` (the rest, verbatim): one after the other they are the bytes
    of ``source_path``. A link has ``href``.
    """

    key: str
    title: str
    slug: str
    path: str
    type: PageKind
    source_path: str | None = None
    oid: str | None = None
    href: str | None = None
    front_matter: str = ""
    markdown: str = ""
    children: tuple[SourcePage, ...] = ()

    def content(self) -> bytes:
        """Return the bytes of the page's file."""
        return (self.front_matter + self.markdown).encode("utf-8")


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceFile:
    """A file of a space that is not one of its pages.

    ``role`` says why it is kept: "asset" (a picture, or anything under ``.gitbook/assets``),
    "unlisted" (Markdown that no line of the summary names, or that cannot be read as text),
    "summary" and "config" (the structure, kept for its exact bytes) or "other".
    """

    key: str
    path: str
    name: str
    content_type: str
    role: FileRole
    blob: Blob

    @property
    def oid(self) -> str:
        """Git's id of the bytes."""
        return self.blob.oid

    @property
    def size(self) -> int:
        """The number of bytes."""
        return self.blob.size

    def read(self) -> bytes:
        """Return the bytes."""
        return self.blob.read()


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceSpace:
    """A folder of Markdown as a space: its page tree, its other files, and what could not be used.

    ``folder`` is the space's root ("" is the top of the repository). ``summary_path`` is the file
    that gives the tree, or None when there is none and the tree follows the folders. ``made`` are
    folders in addresses where its site has pages of no file.
    """

    title: str
    folder: str
    pages: tuple[SourcePage, ...]
    files: tuple[SourceFile, ...]
    problems: tuple[Problem, ...] = ()
    summary_path: str | None = None
    made: tuple[str, ...] = ()

    def walk(self) -> Iterator[SourcePage]:
        """Yield every page, parents before their children, in reading order."""
        return walk(self.pages)

    def same_content(self, other: SourceSpace) -> bool:
        """Whether both hold the same pages and files, whatever their problems are."""
        return (
            self.title == other.title
            and self.pages == other.pages
            and [(file.path, file.oid) for file in self.files]
            == [(file.path, file.oid) for file in other.files]
        )


def walk(pages: Iterable[SourcePage]) -> Iterator[SourcePage]:
    """Yield pages and everything below them, parents first, in reading order."""
    for page in pages:
        yield page
        yield from walk(page.children)


@dataclass(frozen=True, slots=True, kw_only=True)
class Commit:
    """A commit. Times are in UTC; ``subject`` is its message's first line, ``body`` the rest."""

    oid: str
    parents: tuple[str, ...]
    author: Person
    authored_at: datetime
    committed_at: datetime
    subject: str
    body: str


@dataclass(frozen=True, slots=True)
class FileChange:
    """One file that differs between two states. ``old_path`` is set for a rename or a deletion."""

    kind: Literal["add", "edit", "delete", "rename"]
    path: str
    old_path: str | None = None

    def undone(self) -> FileChange:
        """Return the change from the state after it to the one before."""
        if self.kind == "rename" and self.old_path is not None:
            return FileChange("rename", self.old_path, self.path)
        kind = "delete" if self.kind == "add" else "add" if self.kind == "delete" else self.kind
        return replace(self, kind=kind)


@dataclass(frozen=True, slots=True)
class Moved:
    """Where a page is that its space has no more: its file, and the space that has it (or None).

    The space is its own where only the table of contents names it no more, maybe because lines of
    that are ``broken``.
    """

    path: str
    folder: str | None
    broken: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceChange:
    """A proposed or merged change to one space.

    ``key`` is its identity ("branch:NAME" or "commit:ID"). ``number`` comes from the branch's name
    or the commit's subject, where one of them has one. ``base`` and ``head`` are the space before
    and after. ``merged_at`` is None while it is open. ``moved`` has, by key, the pages that left
    the space and whose files are still there.
    """

    key: str
    branch: str | None
    number: int | None
    subject: str
    body: str
    author: Person
    created_at: datetime
    updated_at: datetime
    merged_at: datetime | None
    base_commit: str
    head_commit: str
    base: SourceSpace
    head: SourceSpace
    changes: tuple[FileChange, ...]
    moved: Mapping[str, Moved] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceRevision:
    """The space after one commit of the default branch. A plain folder has one, without a commit.

    ``change`` is the merged change that made it, where the commit tells of one.
    """

    commit: Commit | None
    space: SourceSpace
    change: SourceChange | None = None
