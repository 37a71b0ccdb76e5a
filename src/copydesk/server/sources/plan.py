"""What to import: each space with its recent revisions, its merged changes and its open ones.

Identity: a file keeps its key through renames. The newest state of the default branch gives the
    keys (a file's own path, or what an earlier import called it); they are carried back through
    history and out into the branches along the renames that git sees.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from datetime import datetime
from itertools import pairwise
from pathlib import PurePosixPath

from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.text import few, plural
from copydesk.server.sources.git import Branch, Repository
from copydesk.server.sources.identity import Keys, Known, backward, forward, free_key
from copydesk.server.sources.layout import LayoutReader, innermost
from copydesk.server.sources.model import (
    NAMED_LIKE_A_PAGE,
    OUTSIDE,
    Commit,
    FileChange,
    Files,
    Moved,
    Person,
    Problem,
    Progress,
    SourceChange,
    SourceError,
    SourceRevision,
    SourceSpace,
    silent,
)
from copydesk.server.sources.paths import is_markdown, other_markup
from copydesk.server.sources.summary import tidy

MAX_SUBJECT = 100
"""Longest subject of a change request, in characters."""

NAMED = 8
"""How many files a problem names."""

DEFAULT_LIMIT = 30
"""How many commits of the default branch become revisions when nobody says otherwise."""

MAX_STEPS = 500
"""How many commits back an earlier import is looked for, to follow its renames one by one."""

ALIKE = 0.5
"""How much of two texts must be the same for a page to be taken for moved."""

MAX_PAIRS = 40_000
"""How many pairs of a page that is gone and one that is new are compared at most, as in git."""

FETCH_THEM = "Fetch them with git: git fetch --refetch --no-filter"
"""What to do about objects that are missing from a clone."""

_WORD = re.compile(r"\w+")
_TRAILING = re.compile(r"\s*\(#(?P<number>\d{1,9})\)\s*$")
_PULL = re.compile(r"^Merge pull request #(?P<number>\d{1,9}) from (?P<branch>\S+)")
_MERGE = re.compile(r"^Merge (?:remote-tracking )?branch '(?P<branch>[^']+)'")
_REQUEST = re.compile(r"^See merge request \S*!(?P<number>\d{1,9})\s*$", re.MULTILINE)
_LEADING = re.compile(r"^(?:[^/]+/)*(?P<number>\d{1,9})(?=$|[-_./])")


@dataclass(frozen=True, slots=True, kw_only=True)
class SpacePlan:
    """One space: its content, its history (oldest revision first), and its change requests."""

    folder: str
    title: str
    head: SourceSpace
    revisions: tuple[SourceRevision, ...]
    changes: tuple[SourceChange, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportPlan:
    """Everything to import from a source. ``known`` is what to remember for the next import.

    ``landed`` are the keys of changes that an earlier import read and the default branch has now,
    ``unread`` those of branches that are there and cannot be read.
    """

    name: str
    branch: str | None
    spaces: tuple[SpacePlan, ...]
    problems: tuple[Problem, ...]
    known: Known | None
    landed: frozenset[str] = frozenset()
    unread: frozenset[str] = frozenset()

    @property
    def there(self) -> frozenset[str]:
        """The keys of branches that propose something, or cannot be read."""
        proposed = (change.key for space in self.spaces for change in space.changes)
        return self.unread.union(proposed)


def plan_imports(
    repository: Repository,
    *,
    limit: int = DEFAULT_LIMIT,
    known: Known | None = None,
    progress: Progress = silent,
) -> ImportPlan:
    """Read a source whole.

    Args:
        repository: where to read.
        limit: how many commits of the default branch become revisions, at least one.
        known: what the last import of the same source gave, so that its keys hold.
        progress: told after each commit and branch.

    Raises ``SourceError`` when the source holds no Markdown.
    """
    return _Planner(repository, max(1, limit), known, progress).plan()


class _Planner:
    """Reads the states of one repository and puts them in order."""

    def __init__(
        self, repository: Repository, limit: int, known: Known | None, progress: Progress
    ) -> None:
        self.repository = repository
        self.limit = limit
        self.known = known
        self.progress = progress
        self.reader = LayoutReader(repository.name)
        self.tip = repository.default.oid if repository.default is not None else ""
        self.spaces_at: dict[str, dict[str, SourceSpace]] = {}
        self.keys_at: dict[str, Keys] = {}
        self.problems: list[Problem] = []
        self.unread: set[str] = set()
        self.absent: frozenset[str] = frozenset()

    def plan(self) -> ImportPlan:
        repository = self.repository
        default = repository.default
        if default is None:
            files = repository.files()
            spaces = self.reader.read(files)
            self.some(spaces, files)
            self.progress(1, 1, repository.name)
            plans = [_alone(space) for space in spaces]
            return self.result(None, plans, None)
        history = repository.history(default.oid, self.limit)
        branches = [branch for branch in repository.branches() if branch.oid != default.oid]
        total = len(history) + len(branches)
        self.keys_at[default.oid] = self.first_keys(default.oid)
        missing = self.missing_at_tip(default.oid)
        self.some(list(self.layout(default.oid).values()), repository.files(default.oid))
        self.progress(1, total, f"{default.name} {default.oid[:7]}")
        changed = self.read_history(history, total)
        revisions = self.revisions(history, changed)
        proposed: dict[str, list[SourceChange]] = {}
        for done, branch in enumerate(branches, len(history) + 1):
            for change in self.proposal(branch):
                proposed.setdefault(change.head.folder, []).append(change)
            self.progress(done, total, branch.name)
        plans = [
            SpacePlan(
                folder=folder,
                title=space.title,
                head=space,
                revisions=tuple(revisions[folder]),
                changes=tuple(proposed.get(folder, ())),
            )
            for folder, space in self.layout(default.oid).items()
        ]
        known = Known(default.oid, dict(self.keys_at[default.oid]), absent=frozenset(missing))
        return self.result(default.name, plans, known)

    def some(self, spaces: list[SourceSpace], files: Files) -> None:
        """Refuse a source without any space, and name the Markdown that is in none."""
        if not spaces:
            raise SourceError(f"There is no Markdown in {self.repository.path}.")
        held = {file.path for space in spaces for file in space.files}
        held |= {page.source_path or "" for space in spaces for page in space.walk()}
        roots = [space.folder for space in spaces]
        if self.repository.default is not None:  # folders on disk are named as they are listed
            within = {PurePosixPath(path).parent for path in files}
            folders = {str(each) for path in within for each in (path, *path.parents)}
            alike = sorted(filter(is_markdown, folders))
            self.problems += [Problem(path, NAMED_LIKE_A_PAGE) for path in alike]
        for path in files:
            if is_markdown(path) and path not in held and innermost(path, roots) is None:
                self.problems.append(Problem(path, OUTSIDE))
            elif (markup := other_markup(path)) is not None:
                said = f"is {markup}, which is not read: it is kept without a page"
                self.problems.append(Problem(path, said))

    def result(self, branch: str | None, plans: list[SpacePlan], known: Known | None) -> ImportPlan:
        found = [*self.repository.problems, *self.problems]
        found += [problem for plan in plans for problem in plan.head.problems]
        return ImportPlan(
            name=self.repository.name,
            branch=branch,
            spaces=tuple(plans),
            problems=tuple(dict.fromkeys(found)),
            known=known,
            landed=self.landed(),
            unread=frozenset(self.unread),
        )

    def landed(self) -> frozenset[str]:
        """Return the keys of changes that were read before and that the default branch has now."""
        if self.known is None or self.repository.default is None:
            return frozenset()
        heads = self.known.heads
        return frozenset(key for key, oid in heads.items() if self.repository.landed(oid))

    def layout(self, commit: str) -> dict[str, SourceSpace]:
        """Return the spaces at a commit by folder."""
        if commit not in self.spaces_at:
            files = self.repository.files(commit)
            # Only what the newest state has as spaces are spaces: elsewhere files have no home.
            newest = self.spaces_at.get(self.tip)
            spaces = self.reader.read(files, self.keys_at.get(commit), newest)
            self.spaces_at[commit] = {space.folder: space for space in spaces}
        return self.spaces_at[commit]

    def first_keys(self, tip: str) -> Keys:
        """Return the keys of the newest state: those of an earlier import, carried on."""
        paths = self.repository.files(tip)
        if self.known is None:
            return {path: path for path in paths}
        carried = self.known.keys
        for changes in self.since(self.known.commit, tip):
            carried = forward(carried, changes)
        taken = set(carried.values())
        keys: dict[str, str] = {}
        for path in paths:
            keys[path] = carried.get(path) or free_key(path, taken)
            taken.add(keys[path])
        return keys

    def since(self, commit: str, tip: str) -> list[list[FileChange]]:
        """Return what changed from an earlier commit to the newest, step by step if possible."""
        line = self.repository.history(tip, MAX_STEPS)
        place = next((place for place, each in enumerate(line) if each.oid == commit), None)
        if place is not None:
            steps = pairwise(reversed(line[: place + 1]))
            return [self.repository.changes(older.oid, newer.oid) for older, newer in steps]
        try:
            return [self.repository.changes(commit, tip)]
        except SourceError:  # history was rewritten: paths are all that is left
            return []

    def read_history(self, history: list[Commit], total: int) -> dict[str, list[FileChange]]:
        """Carry the keys back through history; return what each commit changed."""
        changed: dict[str, list[FileChange]] = {}
        for done, (newer, older) in enumerate(pairwise(history), 2):
            if lacking := self.lacking(older.oid):
                self.problems.append(
                    Problem(
                        f"history before {newer.oid[:7]}",
                        f"was left out: {plural(len(lacking), 'object')} {_are(lacking)} missing. "
                        f"{FETCH_THEM}",
                    )
                )
                del history[done - 1 :]
                break
            changed[newer.oid] = self.repository.changes(older.oid, newer.oid)
            self.keys_at[older.oid] = backward(self.keys_at[newer.oid], changed[newer.oid])
            self.layout(older.oid)
            self.progress(done, total, f"{older.oid[:7]} {tidy(older.subject)}")
        return changed

    def missing_at_tip(self, tip: str) -> Mapping[str, str]:
        """Name the files of the newest state that a partial clone left out; they are skipped.

        Raises ``SourceError`` when one of them was read before, or when there is nothing else.
        """
        if not (missing := self.repository.missing(tip)):
            return missing
        if lost := self.read_before(tip, missing):
            # Skipped now, it would be taken for deleted.
            were = "was" if len(lost) == 1 else "were"
            raise SourceError(
                f"{self.repository.path} cannot be brought up to date: "
                f"{plural(len(lost), 'object')} that {were} read before {_are(lost)} missing from "
                f"this clone: {few(lost, NAMED)}. {FETCH_THEM}"
            )
        said = f"{plural(len(missing), 'object')} {_are(missing)} missing from this clone"
        self.absent = frozenset(missing.values())
        if not self.layout(tip) or not any(any(s.walk()) for s in self.layout(tip).values()):
            raise SourceError(f"{self.repository.path} cannot be read: {said}. {FETCH_THEM}")
        reason = f"{said}, and skipped: {few(list(missing), NAMED)}. {FETCH_THEM}"
        self.problems.append(Problem(str(self.repository.path), reason))
        return missing

    def read_before(self, tip: str, missing: Mapping[str, str]) -> list[str]:
        """Return which files, or folders, that are missing now an earlier import has read.

        One that was renamed and edited is not known again without its text: it is new.
        """
        if self.known is None:
            return []
        read = {path: key for path, key in self.known.keys.items() if path not in self.known.absent}
        keys, held = self.keys_at[tip], set(read.values())
        try:
            files = self.repository.files(self.known.commit)
        except SourceError:  # history was rewritten: paths are all that is left
            files = {}
        texts = {blob.oid for path, blob in files.items() if path in read}
        return [
            path
            for path, oid in missing.items()
            if oid in texts
            or keys.get(path) in held
            or any(each.startswith(f"{path}/") for each in read)
        ]

    def lacking(self, commit: str) -> set[str]:
        """Return the objects that are missing at a commit and not at the newest state."""
        return set(self.repository.missing(commit).values()) - self.absent

    def revisions(
        self, history: list[Commit], changed: Mapping[str, list[FileChange]]
    ) -> dict[str, list[SourceRevision]]:
        """Return the revisions of each space of today, oldest first; a commit elsewhere is none."""
        found: dict[str, list[SourceRevision]] = {}
        for folder in self.layout(history[0].oid):
            made: list[SourceRevision] = []
            for commit in reversed(history):
                space = self.layout(commit.oid).get(folder)
                if space is None:
                    continue
                if not made:
                    made.append(SourceRevision(commit=commit, space=space))
                elif not made[-1].space.same_content(space):
                    before = made[-1]
                    change = self.merged(commit, before, space, changed.get(commit.oid, ()))
                    made.append(SourceRevision(commit=commit, space=space, change=change))
            found[folder] = made
        return found

    def merged(
        self,
        commit: Commit,
        before: SourceRevision,
        space: SourceSpace,
        changed: Iterable[FileChange],
    ) -> SourceChange | None:
        """Return the merged change that a commit tells of, or None."""
        subject, body, number, branch = commit.subject, commit.body, None, None
        if found := _PULL.match(subject):
            number, branch = int(found["number"]), found["branch"].partition("/")[2] or None
            first, _, body = body.partition("\n")
            subject = first.strip() or subject
        elif found := _TRAILING.search(subject):
            number = int(found["number"])
        elif found := _MERGE.match(subject):
            branch = found["branch"]
            request = _REQUEST.search(body)
            number = int(request["number"]) if request else _number(branch)
            first, _, rest = body.partition("\n")
            subject, body = (first, rest) if first.strip() else (subject, body)
        elif len(commit.parents) < 2:
            return None
        source = commit
        if len(commit.parents) > 1:
            source = self.repository.commit(commit.parents[1])
        assert before.commit is not None
        return SourceChange(
            key=f"commit:{commit.oid}",
            branch=branch,
            number=number,
            subject=shorten(subject) or commit.oid[:7],
            body=body.strip(),
            author=source.author,
            created_at=min(source.authored_at, commit.committed_at),
            updated_at=commit.committed_at,
            merged_at=commit.committed_at,
            base_commit=before.commit.oid,
            head_commit=commit.oid,
            base=before.space,
            head=space,
            changes=_within(changed, space),
        )

    def proposal(self, branch: Branch) -> list[SourceChange]:
        """Return what a branch proposes: one change for each space that it touches.

        What it touches elsewhere, and why nothing of it can be taken, is a problem.
        """
        ahead = self.repository.ahead(branch)
        if ahead is None:
            return []
        if ahead.base is None:
            self.unread.add(_key(branch))
            why = f"shares no commit with {self.default_name()}"
            cut = " in this shallow clone. Fetch them with git: git fetch --unshallow"
            self.left_out(branch, why + (cut if self.repository.shallow else ""))
            return []
        if lacking := self.lacking(branch.oid) | self.lacking(ahead.base):
            self.unread.add(_key(branch))
            said = f"{plural(len(lacking), 'object')} of it {_are(lacking)} missing. {FETCH_THEM}"
            self.note(branch, f"was left out: {said}")
            return []
        if ahead.base not in self.keys_at:
            since = self.repository.changes(ahead.base, self.tip)
            self.keys_at[ahead.base] = backward(self.keys_at[self.tip], since)
        changed = self.paired(ahead.base, branch.oid)
        self.keys_at.setdefault(branch.oid, forward(self.keys_at[ahead.base], changed))
        bases, heads = self.layout(ahead.base), self.layout(branch.oid)
        first, last = ahead.commits[0], ahead.commits[-1]
        found: list[SourceChange] = []
        for folder, head in heads.items():
            base = bases.get(folder)
            if base is None or base.same_content(head):
                continue
            broken = _broken(base, head)
            moved = self.moved(branch.oid, base, head, broken=bool(broken))
            within = _within(changed, head)
            found.append(_proposed(branch, first, last, ahead.base, base, head, within, moved))
            name = f"branch {branch.name}"
            self.problems += [replace(each, path=f"{name}: {each.path}") for each in broken]
            old = {page.key: page.source_path for page in base.walk()}
            self.problems += [
                Problem(name, f"moves {old[key]} to {each.path}, which no table of contents lists")
                for key, each in moved.items()
                if each.folder not in (None, folder) and not self.listed(branch.oid, each.path)
            ]
        gone = sorted(bases.keys() & self.layout(self.tip).keys() - heads.keys())
        for folder in gone:
            reason = f"has no space at {_at(folder)} any more"
            if found:
                said = f"{reason}; this deletion is not imported"
                self.note(branch, said)
            else:
                self.left_out(branch, reason)
        self.not_taken(branch, changed, heads, taken=bool(found), told=bool(gone))
        return found

    def default_name(self) -> str:
        assert self.repository.default is not None
        return self.repository.default.name

    def paired(self, base: str, head: str) -> list[FileChange]:
        """Return what changed between two commits, with the pages that were moved between spaces.

        git does not know a short page again that was moved and edited. In the same space it is
        deleted and added, and nothing is lost; from another one its text must be found again.
        """
        changed = self.repository.changes(base, head)
        old, new = self.repository.files(base), self.repository.files(head)
        roots = self.layout(self.tip)
        pages = {page.source_path for space in self.layout(base).values() for page in space.walk()}
        gone = [each.path for each in changed if each.kind == "delete" and each.path in pages]
        added = [each.path for each in changed if each.kind == "add" and is_markdown(each.path)]
        if not 0 < len(gone) * len(added) <= MAX_PAIRS:
            return changed
        words = {path: self.words(old, path) for path in gone}
        words_there = {path: self.words(new, path) for path in added}
        likeness = sorted(
            (-alike, was, now)
            for was in gone
            for now in added
            if innermost(was, roots) != innermost(now, roots)
            and (alike := _alike(words[was], words_there[now])) > ALIKE
        )
        renamed: dict[str, str] = {}
        for _, was, now in likeness:
            if was not in renamed.values() and now not in renamed:
                renamed[now] = was
        taken = {*renamed, *renamed.values()}
        return [
            *(each for each in changed if each.path not in taken),
            *(FileChange("rename", now, was) for now, was in renamed.items()),
        ]

    def words(self, files: Files, path: str) -> Counter[str]:
        """Return the words of a Markdown file, each with how often it is there."""
        document = self.reader.document(files, path)
        return Counter() if document.refusal else Counter(_WORD.findall(document.markdown))

    def listed(self, commit: str, path: str) -> bool:
        """Whether a file is a page at a commit."""
        spaces = self.layout(commit).values()
        return any(page.source_path == path for space in spaces for page in space.walk())

    def moved(
        self, commit: str, base: SourceSpace, head: SourceSpace, *, broken: bool
    ) -> dict[str, Moved]:
        """Return where pages that have left a space are at a commit.

        ``broken`` says that lines of its table of contents there cannot be used.
        """
        there = {key: path for path, key in self.keys_at[commit].items()}
        kept = {page.key for page in head.walk()}
        found: dict[str, Moved] = {}
        for page in base.walk():
            path = there.get(page.key)
            if page.type == "document" and page.key not in kept and path is not None:
                folder = self.space_of(commit, path)
                found[page.key] = Moved(path, folder, broken and folder == head.folder)
        return found

    def space_of(self, commit: str, path: str) -> str | None:
        """Return the folder of the space that has a file at a commit, or None."""
        for folder, space in self.layout(commit).items():
            if any(page.source_path == path for page in space.walk()):
                return folder
        return innermost(path, self.layout(commit))

    def not_taken(
        self,
        branch: Branch,
        changed: list[FileChange],
        heads: Mapping[str, SourceSpace],
        *,
        taken: bool,
        told: bool,
    ) -> None:
        """Say what of a branch is in no space, and when nothing of it is ``taken``.

        ``told`` says that a reason for that is told already.
        """
        held = {file.path for space in heads.values() for file in space.files}
        held |= {page.source_path or "" for space in heads.values() for page in space.walk()}
        outside = [
            change.path
            for change in changed
            if change.path not in held and innermost(change.path, self.layout(self.tip)) is None
        ]
        new = set(self.reader.roots(self.repository.files(branch.oid))) - set(self.layout(self.tip))
        for folder in sorted(new):
            self.note(
                branch, f"has a space at {_at(folder)} that {self.default_name()} does not have"
            )
        if outside:
            files = plural(len(outside), "file")
            said = f"changes {files} outside every space: {few(outside, NAMED)}"
            if taken:
                self.note(branch, f"{said}; the rest is its change request")
            else:
                self.left_out(branch, said)
        elif not taken and not told:
            self.left_out(branch, "changes no page and no file" if changed else "changes nothing")

    def left_out(self, branch: Branch, reason: str) -> None:
        self.note(branch, f"was left out: it {reason}")

    def note(self, branch: Branch, said: str) -> None:
        """Say what of a branch cannot be used."""
        self.problems.append(Problem(f"branch {branch.name}", said))


def _broken(base: SourceSpace, head: SourceSpace) -> list[Problem]:
    """Return what of a table of contents cannot be used, and could before or was not there."""
    tables = {file.path for file in head.files if file.role in ("summary", "config")}
    before = Counter((each.path, each.reason, each.text) for each in base.problems)
    found: list[Problem] = []
    for each in head.problems:
        known = (each.path, each.reason, each.text)
        if before[known]:
            before[known] -= 1
        elif each.path in tables:
            found.append(each)
    return found


def _alike(one: Counter[str], other: Counter[str]) -> float:
    """Return how much of the longer of two texts is in both, from 0 to 1."""
    shorter, longer = sorted((one.total(), other.total()))
    if shorter <= longer * ALIKE:
        return 0.0
    return (one & other).total() / longer


def _proposed(
    branch: Branch,
    first: Commit,
    last: Commit,
    base_commit: str,
    base: SourceSpace,
    head: SourceSpace,
    changes: tuple[FileChange, ...],
    moved: Mapping[str, Moved],
) -> SourceChange:
    trailing = _TRAILING.search(first.subject)
    number = _number(branch.name)
    if number is None and trailing:
        number = int(trailing["number"])
    created: datetime = first.authored_at
    author: Person = first.author
    return SourceChange(
        key=_key(branch),
        branch=branch.name,
        number=number,
        subject=shorten(first.subject) or shorten(branch.name),
        body=first.body,
        author=author,
        created_at=created,
        updated_at=max(created, last.committed_at),
        merged_at=None,
        base_commit=base_commit,
        head_commit=branch.oid,
        base=base,
        head=head,
        changes=changes,
        moved=moved,
    )


def _key(branch: Branch) -> str:
    return f"branch:{branch.name}"


def _at(folder: str) -> str:
    return f"“{folder}”" if folder else "the top of the repository"


def _are(things: Collection[str]) -> str:
    return "is" if len(things) == 1 else "are"


def _alone(space: SourceSpace) -> SpacePlan:
    """Return the plan of a space without history."""
    revision = SourceRevision(commit=None, space=space)
    return SpacePlan(
        folder=space.folder, title=space.title, head=space, revisions=(revision,), changes=()
    )


def _within(changes: Iterable[FileChange], space: SourceSpace) -> tuple[FileChange, ...]:
    paths = {page.source_path for page in space.walk()} | {file.path for file in space.files}
    prefix = f"{space.folder}/" if space.folder else ""
    return tuple(
        change
        for change in changes
        if change.path in paths or (change.kind == "delete" and change.path.startswith(prefix))
    )


def _number(branch: str) -> int | None:
    found = _LEADING.match(branch)
    return int(found["number"]) if found else None


def shorten(subject: str) -> str:
    """Return a subject without a trailing "(#123)", at most 100 characters, cut at a word."""
    words = tidy(_TRAILING.sub("", subject))
    if len(words) <= MAX_SUBJECT:
        return words
    cut = words[:MAX_SUBJECT]
    space = cut.rfind(" ")
    return (cut[:space] if space > MAX_SUBJECT // 2 else cut[: MAX_SUBJECT - 1]) + "…"
