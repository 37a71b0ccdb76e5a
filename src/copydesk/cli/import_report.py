"""What an import could not use, in few lines: one for each reason and folder, with a count."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from copydesk.domain.text import plural
from copydesk.server.sources.model import Problem

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
            yield f"{plural(len(names), 'branch')}: each {reason}: {_named(names)}"
        elif what:
            where = [_place(each) for each in alike]
            yield f"{what}: {plural(len(alike), 'line')}: each {reason}: {_named(where)}"
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
        yield f"{where}{plural(len(files), 'file')}, {reason}: {_named(names)}"
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


def _named(names: Sequence[str]) -> str:
    more = len(names) - NAMED
    return ", ".join(names[:NAMED]) + (f" and {more} more" if more > 0 else "")
