"""Writing a space back into a folder, so that ``git diff`` there shows exactly what changed.

The rules:

- A page's file is its front matter and its Markdown as they were read: what was not touched keeps
  its bytes, and a file that has them already is not written at all. Where the checkout has other
  line ends than git, or the files of Git LFS, those stay.
- The summary keeps every line that still holds. A space that was read without one gets one only
  when its tree is no longer what the folders, or the table of contents that was read, say.
  Until then files say their titles themselves, and new ones their places.
- A file is removed only when the space had it (``base``) and has it no more, and only while the
  folder still holds the version of ``base``: what somebody else changed there is kept and named.
  So is one of a page that came and went since (``gone``). Without ``base`` nothing is removed.
- Nothing is written outside the folder, into git's own folder, or through a symbolic link.
"""

from __future__ import annotations

import hashlib
import os
import re
import secrets
import shutil
import unicodedata
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import field
from difflib import SequenceMatcher
from itertools import dropwhile
from pathlib import Path
from posixpath import relpath
from urllib.parse import quote

from copydesk.domain.late_dataclass import dataclass
from copydesk.server.sources.config import SUMMARY
from copydesk.server.sources.document import facts_of, front_matter
from copydesk.server.sources.layout import LayoutReader
from copydesk.server.sources.model import (
    Blob,
    Problem,
    Progress,
    SourcePage,
    SourceSpace,
    blob_oid,
    silent,
    walk,
)
from copydesk.server.sources.navigation import is_table
from copydesk.server.sources.page_paths import placed
from copydesk.server.sources.paths import folder_of, hazard, is_address, join
from copydesk.server.sources.position import new_places
from copydesk.server.sources.summary import (
    Entry,
    Summary,
    decode,
    encode,
    lines_of,
    parse_summary,
    plain_address,
    tidy,
)

_LFS = b"version https://git-lfs.github.com/spec/"
"""How what git has of a file begins that is kept with Git LFS: its digest and its size."""

_KEPT = "keeps its front matter: what was changed of it on the desk cannot be written there"


@dataclass(frozen=True, slots=True)
class Written:
    """The result of writing a space, by path. ``problems`` names refused and kept files, and why.

    ``beside`` is a new summary that has the pages as they are arranged now, with the table of
    contents in another format that they were read from, if any, which is not written.
    """

    written: tuple[str, ...]
    unchanged: int
    removed: tuple[str, ...]
    problems: tuple[Problem, ...]
    beside: tuple[str, str | None] | None = None


def write_space(
    target: Path,
    space: SourceSpace,
    *,
    base: SourceSpace | None = None,
    gone: Iterable[tuple[str, bytes]] = (),
    progress: Progress = silent,
    allow: Callable[[Mapping[str, bytes]], None] = lambda there: None,
) -> Written:
    """Write a space below ``target``, at the paths that its pages and files name.

    Args:
        target: the top of a checkout, or a folder that is made.
        space: what to write. A document without ``source_path`` gets one from its address.
        base: the space as it was read from there, for what may be removed and which lines of the
            summary could be used.
        gone: files of pages that the space has had since ``base`` and has no more.
        progress: told after each file.
        allow: told, before anything is written, which files would be overwritten with something
            else, and their contents until then; it raises when that must not be.

    Raises ``OSError`` when ``target`` cannot be made; a single file that fails is a problem.
    """
    target.mkdir(parents=True, exist_ok=True)
    writer = _Writer(target)
    contents = dict(contents_of(space, base, writer.problems))
    left: dict[str, str] = {}
    for path, data in () if base is None else contents_of(base, None, []):
        writer.learn(path, data)
        if path not in contents:
            left[path] = blob_oid(data)
    allow(dict(writer.overwritten(contents)))
    for path, oid in left.items():
        writer.remove(path, oid)
    for path, data in gone:
        if path not in contents:
            writer.remove(path, blob_oid(data), ours=False)
    for done, (path, data) in enumerate(contents.items(), 1):
        writer.write(path, data)
        progress(done, len(contents), path)
    return Written(
        tuple(writer.written),
        writer.unchanged,
        tuple(writer.removed),
        tuple(writer.problems),
        None if base is None else _beside(space, contents),
    )


def _beside(space: SourceSpace, contents: Mapping[str, bytes]) -> tuple[str, str | None] | None:
    summary = join(space.folder, SUMMARY) or SUMMARY
    if space.summary_path is not None or summary not in contents:
        return None
    return summary, next(filter(is_table, contents), None)


def contents_of(
    space: SourceSpace, base: SourceSpace | None, problems: list[Problem]
) -> Iterator[tuple[str, bytes]]:
    """Yield every file of a space with its bytes, the summary last."""
    old = {page.key: page for page in base.walk()} if base is not None else {}
    pages = placed(space)
    new = {page.source_path for page in walk(pages) if page.key not in old and page.source_path}
    alone = space.summary_path is None and base is not None and _was_read(base)
    own = dict(new_places(pages, new)) if alone else {}
    seen: set[str] = set()
    contents: dict[str, bytes] = {}
    for page in walk(pages):
        if page.source_path is None:
            continue
        if page.source_path in seen:
            problems.append(Problem(page.source_path, "is the file of two pages", text=page.title))
            continue
        seen.add(page.source_path)
        was = old.get(page.key)
        front = front_matter(page, was, own.get(page.source_path, {}) if alone else None)
        if was is not None and facts_of(was) != facts_of(page) and front == was.front_matter:
            problems.append(Problem(page.source_path, _KEPT))
        contents[page.source_path] = (front + page.markdown).encode("utf-8")
    yield from contents.items()
    original: bytes | None = None
    for file in space.files:
        try:
            data = file.read()
        except OSError as error:
            problems.append(Problem(file.path, f"cannot be read: {error.strerror or error}"))
            continue
        if file.path == space.summary_path:
            original = data
        elif file.path not in seen:
            seen.add(file.path)
            yield file.path, data
    summary = _summary(space, pages, original, base, contents)
    if summary is not None:
        yield summary


def _summary(
    space: SourceSpace,
    pages: tuple[SourcePage, ...],
    original: bytes | None,
    base: SourceSpace | None,
    contents: Mapping[str, bytes],
) -> tuple[str, bytes] | None:
    path = space.summary_path
    if path is None:
        untouched = base is not None and base.same_content(space)
        read = pages == space.pages or (base is not None and _was_read(base))
        if read and (untouched or _reads_the_same(space, pages, contents, base)):
            return None
        path = join(space.folder, SUMMARY) or SUMMARY
    known: set[str] | None = None
    if base is not None:
        known = {page.source_path for page in base.walk() if page.source_path}
    elif original is not None:
        # A line without a page was of no use when the space was read: it says nothing about it now.
        known = set()
    return path, render_summary(pages, original, path, known=known)


def _was_read(base: SourceSpace) -> bool:
    """Whether a space was read from files, and not made on the desk and exported from there."""
    paths = [page.source_path for page in base.walk() if page.type == "document"]
    return bool(paths) and None not in paths


def _reads_the_same(
    space: SourceSpace,
    pages: tuple[SourcePage, ...],
    contents: Mapping[str, bytes],
    base: SourceSpace | None,
) -> bool:
    """Whether a reader without a summary would see the same tree, of what can be written.

    Where a page is new since ``base`` it may be elsewhere among those beside it: folders that are
    sorted by names have no other place for it.
    """
    files = {file.path: file.blob for file in space.files}
    files |= {path: Blob.of(data) for path, data in contents.items()}
    files = {path: blob for path, blob in files.items() if hazard(path) is None}
    found = next((each for each in LayoutReader().read(files) if each.folder == space.folder), None)
    wanted = list(_arranged(pages))
    there = list(_arranged(found.pages if found else ()))
    if base is None or wanted == there:
        return wanted == there
    known = {page.source_path for page in base.walk()} | {None}
    new = {line for line in wanted if (line[-1][-1] or None) not in known}
    return new <= set(there) and [line for line in wanted if line not in new] == [
        line for line in there if line not in new
    ]


def _arranged(
    pages: Iterable[SourcePage], above: tuple[_Key, ...] = ()
) -> Iterator[tuple[_Key, ...]]:
    """Yield each page of what can be written below those above it, as lines of a summary."""
    for page in pages:
        if page.source_path is None or hazard(page.source_path) is None:
            line = (*above, _key(len(above), page))
            yield line
            yield from _arranged(page.children, line)


@dataclass(slots=True)
class _Writer:
    """Writes and removes files below one folder."""

    target: Path
    written: list[str] = field(default_factory=list)
    removed: list[str] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    unchanged: int = 0
    names: dict[str, str] = field(default_factory=dict)
    """The files of the space, by their names as a disk knows them that folds capitals."""
    plain: set[str] = field(default_factory=set)
    """The texts that git has without a carriage return, and a checkout may have with some."""
    pointers: dict[str, bytes] = field(default_factory=dict)
    """What git has of the files that are kept with Git LFS, and a checkout may have whole."""

    def learn(self, path: str, data: bytes) -> None:
        """Take in what git has of a file, which may not be what is in the folder."""
        if _is_plain(data):
            self.plain.add(path)
        if data.startswith(_LFS):
            self.pointers[path] = data

    def own(self, path: str, there: bytes) -> bytes:
        """Return what git has of a file that holds ``there`` in the folder."""
        pointer = self.pointers.get(path)
        if pointer is not None and hashlib.sha256(there).hexdigest().encode() in pointer:
            return pointer
        return _with_lf(there) if path in self.plain else there

    def overwritten(self, contents: Mapping[str, bytes]) -> Iterator[tuple[str, bytes]]:
        """Yield the files whose content in the folder differs, with that content."""
        for path, data in contents.items():
            place, reason = self._find(path)
            if reason is None and place.is_file():
                try:
                    there = place.read_bytes()
                except OSError:
                    continue  # what cannot be read is told when it cannot be written either
                if (own := self.own(path, there)) != data:
                    yield path, own

    def write(self, path: str, data: bytes) -> None:
        place = self.place(path)
        if place is None:
            return
        if (twin := self._twin(path, place)) is not None:
            said = f"is the same file as {twin} on this disk, and is not written over it"
            self.problems.append(Problem(path, said))
            return
        self.names[_folded(path)] = path
        try:
            there = place.read_bytes() if place.is_file() else None
            if there is not None and data in (there, self.own(path, there)):
                self.unchanged += 1
                return
            if there is not None and path in self.plain and _is_plain(data):
                with_ends = _with_lf(there) != there
                data = data.replace(b"\n", b"\r\n") if with_ends else data
            place.parent.mkdir(parents=True, exist_ok=True)
            _replace(place, data)
        except OSError as error:
            self.problems.append(Problem(path, f"cannot be written: {error.strerror or error}"))
            return
        self.written.append(path)

    def remove(self, path: str, oid: str, *, ours: bool = True) -> None:
        """Remove a file that is as it was written; another is a problem if it is surely ours."""
        place = self.place(path)
        if place is None or not place.is_file():
            return
        try:
            if blob_oid(self.own(path, place.read_bytes())) != oid:
                if not ours:
                    return
                self.problems.append(
                    Problem(path, "was deleted on the desk, but changed in the folder, and is kept")
                )
                return
            place.unlink()
            for folder in place.parents:
                if folder == self.target or any(folder.iterdir()):
                    break
                folder.rmdir()
        except OSError as error:
            self.problems.append(Problem(path, f"cannot be removed: {error.strerror or error}"))
            return
        self.removed.append(path)

    def _twin(self, path: str, place: Path) -> str | None:
        """Return the file that is there under a name with other capitals, if both are one."""
        twin = self.names.get(_folded(path))
        if twin in (None, path):
            return None
        try:
            return twin if place.samefile(self.target / twin) else None
        except OSError:
            return None

    def place(self, path: str) -> Path | None:
        """Return where a path is, or None, named as a problem, when it must not be touched."""
        place, reason = self._find(path)
        if reason is not None:
            self.problems.append(Problem(path, reason))
            return None
        return place

    def _find(self, path: str) -> tuple[Path, str | None]:
        """Return where a path is, and why it must not be touched if so."""
        reason = hazard(path)
        place = self.target
        if reason is None:
            parts = path.split("/")
            for part in parts:
                place = place / part
                if place.is_symlink():
                    reason = "is, or is below, a symbolic link, which is not followed"
                    break
            else:
                if place.is_dir():
                    reason = "is a folder there"
                elif place.exists() and not place.is_file():
                    reason = "is a pipe or a device there"
        return place, reason


def _is_plain(data: bytes) -> bool:
    """Whether it is a text, which git takes nothing with a NUL for, that has no carriage return."""
    return b"\r" not in data and b"\0" not in data


def _with_lf(data: bytes) -> bytes:
    """Return a text whose line ends are all CRLF with LF; any other as it is."""
    lines = data.count(b"\n")
    return data.replace(b"\r\n", b"\n") if 0 < lines == data.count(b"\r\n") else data


def _folded(path: str) -> str:
    return unicodedata.normalize("NFD", path).casefold()


def _replace(place: Path, data: bytes) -> None:
    """Write a file whole or not at all; its permissions stay."""
    scratch = place.with_name(f".copydesk-{secrets.token_hex(8)}")
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0)
    try:
        with os.fdopen(os.open(scratch, flags | getattr(os, "O_BINARY", 0), 0o666), "wb") as file:
            file.write(data)
        if place.exists():
            shutil.copymode(place, scratch)
        scratch.replace(place)
    except BaseException:
        scratch.unlink(missing_ok=True)
        raise


_BULLET = re.compile(r"^(?P<indent>[ \t]*)(?P<bullet>[*+-]|\d{1,9}[.)])(?P<gap>[ \t]+)")

_SPECIAL = re.compile(r"([\\`*_\[\]<>&])")

_LOOKS_LIKE_BLOCK = re.compile(r"^(?:([#+~-])|(\d{1,9})([.)]))")

_IN_PATH = re.compile(r"""[\s%()<>\[\]\\?#"\x00-\x1f\x7f]""")

_Key = tuple[int, str, str, str]
"""Depth, kind, title and target: two lines with the same key say the same."""


@dataclass(frozen=True, slots=True)
class _Line:
    """A line that the summary must have.

    ``heading`` is the level of "## Title", or 0 for a list item; ``listed`` is the depth in the
    list, in which the headings above do not count.
    """

    key: _Key
    heading: int
    listed: int


def render_summary(
    pages: Iterable[SourcePage],
    original: bytes | None = None,
    path: str = "SUMMARY.md",
    *,
    known: Collection[str] | None = None,
) -> bytes:
    """Return the summary of a page tree.

    Args:
        pages: the tree; every document has its ``source_path``.
        original: the summary as it was. Where it still says the same it comes back byte for byte,
            and otherwise as few of its lines change as the new tree allows.
        path: where the summary is; its links count from there.
        known: paths that were pages when ``original`` was written. A line that names another path
            could not be used then, says nothing now, and stays. None takes every line at its word.
    """
    pages = tuple(pages)
    now = {page.source_path for page in walk(pages) if page.source_path}

    def unusable(target: str) -> str | None:
        return None if known is None or target in known or target in now else "is not a page"

    def reads_as(text: str) -> list[_Key]:
        return _keys(parse_summary(text, path, unusable=unusable))

    folder = folder_of(path)
    if original is not None:
        text = decode(original)
        old = parse_summary(text, path, unusable=unusable)
        wanted = _lines(pages, old)
        keys = [line.key for line in wanted]
        if _keys(old) == keys:
            return original
        edited = _edit(text, old, wanted, folder)
        fresh = _fresh(pages, folder)
        better = reads_as(edited) == keys or reads_as(fresh) != keys
        return encode(edited if better else fresh)
    return encode(_fresh(pages, folder))


def _keys(summary: Summary) -> list[_Key]:
    return [
        (depth, entry.kind, entry.title, entry.path or entry.href or "")
        for depth, entry in summary.walk()
    ]


def _key(depth: int, page: SourcePage) -> _Key:
    title = tidy(page.title)
    if page.type != "link":
        return depth, page.type, title, page.source_path or ""
    target = page.href or ""
    if not is_address(target) and "#" in target:
        return depth, "link", title, target
    address = plain_address(target)
    # What Markdown refuses as a link still keeps its place, as words.
    return (depth, "group", title, "") if address is None else (depth, "link", title, address)


def _lines(pages: tuple[SourcePage, ...], old: Summary | None) -> list[_Line]:
    """Return the lines of a tree; groups that were headings stay so, and new ones follow them.

    A page after a heading belongs to it, so a group may be one only when groups alone follow it.
    """
    tail = sum(1 for _ in dropwhile(lambda page: page.type != "group", pages))
    closed = all(page.type == "group" for page in pages[len(pages) - tail :])
    headings: set[str] = set()
    listed_groups: set[str] = set()
    for _, entry in old.walk() if old else ():
        if entry.kind == "group":
            (headings if entry.heading else listed_groups).add(entry.title)
    new_ones = old is None or any(entry.heading for entry in old.entries)
    lines: list[_Line] = []

    def add(page: SourcePage, depth: int, listed: int, below_heading: bool) -> None:
        title = tidy(page.title)
        heading = 0
        if page.type == "group" and closed and below_heading:
            fits = depth == 0 and new_ones and title not in listed_groups
            heading = depth + 2 if title in headings or fits else 0
        lines.append(_Line(_key(depth, page), heading, listed))
        for child in page.children:
            add(child, depth + 1, 0 if heading else listed + 1, bool(heading))

    for page in pages:
        add(page, 0, 0, True)
    return lines


def _edit(text: str, old: Summary, wanted: list[_Line], folder: str) -> str:
    """Return the text with the lines of entries that are gone taken out and new ones put in."""
    source = lines_of(text)
    newline = "\r\n" if source and source[0].endswith("\r\n") else "\n"
    entries = [entry for _, entry in old.walk()]
    if not entries:
        return _append(text, newline, wanted, folder)
    styles = _Styles(source, old.entries)
    bare = [not entry.heading and not _BULLET.match(source[entry.line - 1]) for entry in entries]
    out: list[str] = []
    at = 0

    def keep_until(line: int) -> None:
        nonlocal at
        out.extend(source[at:line])
        at = max(at, line)

    def put(line: _Line, plain: bool) -> None:
        if out and not out[-1].endswith(("\n", "\r")):
            out[-1] += newline
        if line.heading and out and out[-1].strip():
            out.append(newline)
        said = _item(line.key, folder) if plain else styles.write(line, folder)
        out.append(said + newline)
        if line.heading:
            out.append(newline)

    matcher = SequenceMatcher(None, _keys(old), [line.key for line in wanted], autojunk=False)
    for what, a, b, c, d in matcher.get_opcodes():
        if what == "equal":
            for entry in entries[a:b]:
                keep_until(entry.end)
            continue
        # Between chapters without a bullet, and in place of them, a new one has none either.
        plain = all(bare[a:b]) if b > a else any(bare[a : a + 1])
        if b > a or a == 0:
            keep_until(entries[a].line - 1)
        elif entries[a - 1].heading or (bare[a - 1] and not plain):
            while at < len(source) and not source[at].strip():
                keep_until(at + 1)
        for line in wanted[c:d]:
            put(line, plain and not line.heading and not line.listed and bool(line.key[3]))
        put_until = len(out)
        for entry in entries[a:b]:
            keep_until(entry.line - 1)
            at = max(at, entry.end)
        heading = c < d and wanted[d - 1].heading and len(out) == put_until
        if heading and not "".join(source[at : at + 1]).strip():
            out.pop()  # a blank line follows already
    keep_until(len(source))
    return "".join(out)


def _append(text: str, newline: str, wanted: list[_Line], folder: str) -> str:
    """Return a text that has no entries with all of them after it."""
    styles = _Styles([], ())
    lines = [("\n" if line.heading else "") + styles.write(line, folder) for line in wanted]
    head = f"{text.rstrip()}\n\n" if text.strip() else ""
    return (head + "\n".join(lines) + "\n").replace("\r\n", "\n").replace("\n", newline)


class _Styles:
    """How the items of a summary are indented and marked, level by level."""

    def __init__(self, source: list[str], entries: tuple[Entry, ...]) -> None:
        self.levels: dict[int, tuple[str, str, str]] = {}
        self.collect(source, entries, 0)

    def collect(self, source: list[str], entries: tuple[Entry, ...], listed: int) -> None:
        for entry in entries:
            found = None if entry.heading else _BULLET.match(source[entry.line - 1])
            if found:
                self.levels.setdefault(listed, (found["indent"], found["bullet"], found["gap"]))
            self.collect(source, entry.children, 0 if entry.heading else listed + 1)

    def level(self, listed: int) -> tuple[str, str, str]:
        if listed in self.levels:
            return self.levels[listed]
        if listed == 0:
            return "", "*", " "
        indent, bullet, gap = self.level(listed - 1)
        return indent + " " * len(bullet + gap), bullet, gap

    def write(self, line: _Line, folder: str) -> str:
        if line.heading:
            return _heading(line)
        return "".join(self.level(line.listed)) + _item(line.key, folder)


def _fresh(pages: tuple[SourcePage, ...], folder: str) -> str:
    """Return a whole summary as the platform writes it."""
    out = ["# Table of contents\n", "\n"]
    for line in _lines(pages, None):
        if line.heading:
            if out[-1] != "\n":
                out.append("\n")
            out += [f"{_heading(line)}\n", "\n"]
        else:
            out.append(f"{'  ' * line.listed}* {_item(line.key, folder)}\n")
    return "".join(out)


def _heading(line: _Line) -> str:
    words = re.sub(r"#$", r"\\#", _escape(line.key[2]))
    return f"{'#' * line.heading} {words}"


def _item(key: _Key, folder: str) -> str:
    _, kind, title, target = key
    if kind == "group":
        # Words at the start of an item must not open another list, a heading or a fence.
        return _LOOKS_LIKE_BLOCK.sub(
            lambda found: f"\\{found[1]}" if found[1] else f"{found[2]}\\{found[3]}", _escape(title)
        )
    if kind == "link" and is_address(target):
        return f"[{_escape(title)}]({f'<{target}>' if set(target) & set('()') else target})"
    name, mark, anchor = target.partition("#") if kind == "link" else (target, "", "")
    shown = _IN_PATH.sub(lambda found: quote(found[0]), relpath(name, folder or "."))
    return f"[{_escape(title)}]({shown}{mark}{anchor})"


def _escape(title: str) -> str:
    """Return a title that Markdown reads back as it is."""
    return _SPECIAL.sub(r"\\\1", title)
