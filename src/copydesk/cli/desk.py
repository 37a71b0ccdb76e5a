"""``copydesk desk …``: filling, copying and checking the embedded desk, and tokens for it."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from pathlib import Path

from copydesk.cli.embedded import (
    desk_file,
    ensure_owner,
    is_empty,
    open_next,
    open_store,
    owner_of,
    person,
)
from copydesk.cli.errors import UsageError, say
from copydesk.cli.output import put, redraw
from copydesk.cli.terminal import is_linear, is_terminal, shows_utf8
from copydesk.domain.text import clean, few, listed, plural, shorten
from copydesk.server.sources.model import Problem
from copydesk.server.store import Tx

_LINE_WIDTH = 78
_BAR_WIDTH = 24
_EVERY_SECONDS = 0.1

_MOST_SCALE = 10_000_000
"""More than any service holds, and what a disk still takes (about 1 kB each)."""


def mint(*, desk: Path | None = None, user: str | None = None) -> int:
    """Print a new bearer token of the owner, or of the user with an e-mail address."""
    from copydesk.server.app import mint_token

    store = open_store(desk, make=False)

    def work(tx: Tx) -> str:
        user_id = owner_of(tx) if user is None else _user(tx, user)
        return mint_token(tx, user_id, "copydesk desk token")

    try:
        put(store.write(work))
    finally:
        store.close()
    return 0


def _user(tx: Tx, email: str) -> str:
    found: str | None = tx.value("SELECT id FROM user WHERE email = ?", email)
    if found is None:
        known = [row["email"] for row in tx.all("SELECT email FROM user ORDER BY email LIMIT 8")]
        raise UsageError(
            f"--user {email}: no one on this desk has that address. It has, among others: "
            f"{', '.join(clean(address) for address in known)}"
        )
    return found


def sample(
    *, desk: Path | None = None, scale: int = 0, remove: bool = False, force: bool = False
) -> int:
    """Make the sample on an empty desk; with ``scale`` also grow it by that many change requests.

    ``remove`` takes it out instead, with ``force`` also spaces that were made or imported in it.
    """
    from copydesk.server.sample import build_sample, grow

    if remove:
        return _remove_sample(desk, force=force)
    if force:
        raise UsageError("--force goes with --remove")
    if not 0 <= scale <= _MOST_SCALE:
        raise UsageError(
            f"--scale {shorten(str(scale), 30)}: "
            f"how many change requests to add is a number from 0 to {_MOST_SCALE:,}"
        )
    path = desk_file(desk)
    store = open_store(desk, fill=False)
    with closing(store), _Progress() as progress:
        bare = not store.read(lambda tx: tx.value("SELECT EXISTS (SELECT 1 FROM organization)"))
        if bare:
            build_sample(store, progress=progress)
        elif not scale:
            raise UsageError(
                f"{path} is in use already and was left as it is. Name a new file with --desk."
            )
        if scale:
            grow(store, scale, progress=progress)
    put(f"The sample is in {path}")
    return 0


def _remove_sample(desk: Path | None, *, force: bool) -> int:
    from copydesk.server.sample import remove_sample

    path = _existing(desk)
    store = open_store(desk, fill=False, make=False)
    with closing(store):
        removed = remove_sample(store, *person(), force=force)
    # What was open last may be gone.
    open_next(desk, removed.left[-1][0] if removed.left else None)
    left = listed([clean(title) for _, title in removed.left])
    put(
        f"Removed from {path}: {listed([clean(title) for title in removed.titles])}. "
        + (f"Left: {left}." if left else "Nothing is left; copydesk desk import brings files in.")
    )
    return 0


def import_source(
    *,
    source: Path,
    desk: Path | None = None,
    organization: str | None = None,
    space: str | None = None,
) -> int:
    """Read a folder, repository or bundle of Markdown into the desk and say what came of it."""
    from copydesk.server.repository_import import import_source as read_source

    for option, title, longest in (("--organization", organization, 255), ("--space", space, 50)):
        if title is not None and not 1 <= len(title.strip()) <= longest:
            raise UsageError(f"{option}: a title has 1 to {longest} characters")
    file = desk_file(desk)
    new = not file.exists()
    store = open_store(desk, fill=False)
    with closing(store):
        try:
            with _Progress() as progress:
                report = read_source(
                    store,
                    source,
                    owner=ensure_owner,
                    organization=organization,
                    space=space,
                    progress=progress,
                )
        except BaseException:
            if new and is_empty(store):
                # An empty desk would be filled with the sample when it is opened next.
                store.close()
                for suffix in ("", "-wal", "-shm"):
                    file.with_name(file.name + suffix).unlink(missing_ok=True)
            raise
        for line in problem_lines(report.problems):
            say(f"not used: {clean(line, limit=400)}")
        if space is not None and len(report.spaces) == 1:
            (only,) = report.spaces
            if not only.created and only.title != space.strip():
                say(f"not used: --space: {clean(only.title)} has its title from an earlier import")
        unlisted = [path for each in report.spaces for path in each.unlisted]
        for line in file_lines(unlisted, "in no table of contents and kept without a page"):
            say(f"not a page: {clean(line, limit=400)}")
        for each in report.spaces:
            if not each.pages:
                say(f"{clean(each.title)} has no pages: no Markdown was found for one.")
            counts = [plural(each.pages, "page")]
            counts += [plural(each.groups, "group")] if each.groups else []
            counts += [plural(each.links, "link")] if each.links else []
            counts += [f"{plural(each.revisions, 'new revision')}"] if each.revisions else []
            counts += [f"{plural(each.opened, 'change request')} opened"] if each.opened else []
            counts += [f"{plural(each.updated, 'change request')} updated"] if each.updated else []
            counts += [f"{plural(each.merged, 'merged one')}"] if each.merged else []
            counts += [f"{each.archived} archived"] if each.archived else []
            state = "new" if each.created else "updated"
            put(
                f"{clean(report.organization)} / {clean(each.title)} ({state}): "
                f"{', '.join(counts)}. Space {each.space_id}"
            )
    open_next(desk, report.organization_id)
    return 0


def export_space(*, space: str, folder: Path, desk: Path | None = None, force: bool = False) -> int:
    """Write a space back as Markdown and say what was written."""
    from copydesk.server.space_export import export_space as write_space

    if (folder.is_symlink() or folder.exists()) and not folder.is_dir():
        raise UsageError(f"{folder} is not a folder: name a folder to write to, or a new one")
    store = open_store(desk, make=False, reads=True)
    with closing(store):
        with _Progress() as progress:
            written = write_space(store, space, folder, force=force, progress=progress)
        for problem in written.problems:
            say(f"not written: {clean(str(problem), limit=400)}")
        for path in (*written.written, *(f"{path} (removed)" for path in written.removed)):
            put(clean(path))
        put(
            f"{plural(len(written.written), 'file')} written, {len(written.removed)} removed, "
            f"{written.unchanged} as they were"
        )
        if written.beside is not None:
            summary, table = (clean(each or "") for each in written.beside)
            before = table or "the folders with their front matter"
            mend = f"Change {table}" if table else "Give the pages their places"
            put(
                f"{summary} has the pages as they are arranged here, and {before} as they were "
                f"before. {mend} by hand and delete {summary}, or the next import uses "
                f"{summary}."
            )
    return 1 if written.problems else 0


def check(*, desk: Path | None = None, repair: bool = False) -> int:
    """Say what is wrong with a desk, a line each; 1 when anything is.

    With ``repair`` the search index is made anew from what is written, unless that is damaged;
    nothing else is changed, ever.
    """
    from copydesk.server.integrity import examine

    path = _existing(desk)
    found = examine(path)
    if repair and found.damage:
        say("The search index was left as it is: what it is made from is damaged.")
    elif repair:
        _remake_index(path)
        found = examine(path)
    for problem in found.all:
        put(clean(problem, limit=400))
    count = len(found.all)
    say(f"{path}: {plural(count, 'problem')}" if count else f"{path} is sound")
    return 1 if count else 0


def _remake_index(path: Path) -> None:
    from copydesk.server.search_index import rebuild_index

    store = open_store(path, make=False)
    with closing(store):
        spaces = store.write(rebuild_index)
    say(f"{path}: the search index of {plural(spaces, 'space')} was rebuilt")


def back_up(*, file: Path, desk: Path | None = None, force: bool = False) -> int:
    """Copy a desk, in use or not, to a file."""
    from copydesk.server.backup import back_up as copy_to

    path, target = _existing(desk), file.absolute()
    if not target.parent.is_dir():
        raise UsageError(f"{target.parent} is not a folder: name a file in a folder that exists")
    size = copy_to(path, target, replace=force)
    put(f"{target} ({size:,} bytes)")
    return 0


def _existing(desk: Path | None) -> Path:
    """Return the desk's file, which must be there and have something in it."""
    path = desk_file(desk)
    if not path.is_dir() and (not path.exists() or not path.stat().st_size):
        raise UsageError(f"{path} is not a desk: there is nothing. Look at what --desk says.")
    return path


class _Progress:
    """One line on the terminal that says how far a long work is; nothing where nobody watches."""

    def __init__(self) -> None:
        self._shown = is_terminal(sys.stderr) and not is_linear()
        self._last = 0.0

    def __enter__(self) -> _Progress:
        return self

    def __exit__(self, *_: object) -> None:
        if self._shown:
            redraw()

    def __call__(self, done: int, total: int, what: str) -> None:
        now = time.monotonic()
        if self._shown and (now - self._last >= _EVERY_SECONDS or done == total):
            self._last = now
            redraw(shorten(f"{_bar(done, total)} {done} of {total}  {clean(what)}", _LINE_WIDTH))


def _bar(done: int, total: int) -> str:
    whole, rest = ("━", "─") if shows_utf8() else ("=", "-")
    filled = _BAR_WIDTH * min(done, total) // max(total, 1)
    return whole * filled + rest * (_BAR_WIDTH - filled)


FEW = 3
"""So many of one kind are told one by one."""


NAMED = 3
"""Files, lines or branches that a line names."""


FOLDERS = 8
"""Folders of one reason that have a line each."""


_BRANCH = "branch "


def problem_lines(problems: Iterable[Problem]) -> Iterator[str]:
    """Yield a line for each problem, or for many that have the same reason."""
    kinds: dict[tuple[str, str], list[Problem]] = {}
    for problem in problems:
        kinds.setdefault(_kind(problem), []).append(problem)
    for (what, reason), alike in kinds.items():
        if len(alike) <= FEW:
            yield from map(str, alike)
        elif what == _BRANCH:
            names = [each.path.removeprefix(_BRANCH) for each in alike]
            yield f"{plural(len(names), 'branch')}: each {reason}: {few(names, NAMED)}"
        elif what:
            where = [_place(each) for each in alike]
            yield f"{what}: {plural(len(alike), 'line')}: each {reason}: {few(where, NAMED)}"
        else:
            yield from file_lines([each.path for each in alike], f"each {reason}")


def file_lines(paths: Sequence[str], reason: str) -> Iterator[str]:
    """Yield a line for each folder that files of one kind are in, with their count."""
    folders = _by_folder(paths, whole=True)
    if len(folders) > FOLDERS:
        folders = _by_folder(paths, whole=False)
    by_size = sorted(folders.items(), key=lambda item: (-len(item[1]), item[0]))
    for folder, files in by_size[:FOLDERS]:
        names = [path.removeprefix(folder) for path in files]
        where = f"{folder}: " if folder else ""
        yield f"{where}{plural(len(files), 'file')}, {reason}: {few(names, NAMED)}"
    rest = by_size[FOLDERS:]
    if rest:
        count = sum(len(files) for _, files in rest)
        yield f"{plural(count, 'file')} in {plural(len(rest), 'more folder')}, {reason}"


def _kind(problem: Problem) -> tuple[str, str]:
    """Return what may be told in one line: the branches, the lines of a file, or files."""
    if problem.path.startswith(_BRANCH):
        return _BRANCH, problem.reason
    if problem.line is not None or problem.text:
        return problem.path, problem.reason
    return "", problem.reason.partition(" (")[0]


def _place(problem: Problem) -> str:
    where = "" if problem.line is None else f"line {problem.line}"
    return " ".join(filter(None, (where, f"“{problem.text}”" if problem.text else "")))


def _by_folder(paths: Iterable[str], *, whole: bool) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for path in paths:
        top, slash, _ = path.rpartition("/") if whole else path.partition("/")
        found.setdefault(f"{top}/" if slash else "", []).append(path)
    return found
