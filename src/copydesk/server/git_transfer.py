"""What an import or an export by a branch of a git repository does: see ``git_jobs``."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from copydesk.server import content
from copydesk.server.background import Worker
from copydesk.server.source_content import (
    Stored,
    source_of,
    source_space,
    still_stored,
    store_ahead,
)
from copydesk.server.sources.git import Branch, Repository
from copydesk.server.sources.git_writing import commit_files
from copydesk.server.sources.layout import LayoutReader
from copydesk.server.sources.model import Person, Problem, SourceError, SourceRevision, SourceSpace
from copydesk.server.sources.paths import hazard
from copydesk.server.sources.plan import ImportPlan, SpacePlan
from copydesk.server.sources.writer import contents_of
from copydesk.server.space_import import SpaceImport
from copydesk.server.store import LONG, Row, Tx, to_json


def transfer(worker: Worker, job: Row, path: Path) -> None:
    """Import or export as a job says. Raises ``SourceError`` and what reading files raises."""
    request = json.loads(job["request"])
    if job["direction"] == "export":
        worker.write(lambda tx: _export(tx, job, request, path))
        return
    with Repository.open(path) as repository:
        branch = next((b for b in repository.branches() if b.name == request["branch"]), None)
        if branch is None:
            raise SourceError(f"{path} has no branch {request['branch']!r}.")
        if worker.write(lambda tx: _is_taken(tx, job, request, repository, branch)):
            return
        # Reading and storing takes long, and needs nothing of what others write meanwhile.
        found = _documentation(repository, branch, request["folder"])
        stored = store_ahead(worker.write, found)
        worker.write(lambda tx: _import(tx, job, request, repository, branch, found, stored))


def _is_taken(
    tx: Tx, job: Row, request: Mapping[str, Any], repository: Repository, branch: Branch
) -> bool:
    """Whether the space has what a branch says already, and is not forced to take it again."""
    synced = _synced(job, _space_of(tx, job), request, repository.path)
    return synced.get("commit") == branch.oid and not request["force"]


def _import(
    tx: Tx,
    job: Row,
    request: Mapping[str, Any],
    repository: Repository,
    branch: Branch,
    found: SourceSpace,
    stored: Stored,
) -> None:
    """Take what a branch says into the space.

    Where the space is as it was left the last time it becomes what the branch says, and where the
    branch is, it stays. Where both have changed they are merged. Raises ``SourceError`` where they
    contradict each other, unless that is forced; the space is then as it was before.
    """
    space = _space_of(tx, job)
    synced = _synced(job, space, request, repository.path)
    commit = repository.commit(branch.oid)
    revision = SourceRevision(commit=commit, space=found)
    plan = SpacePlan(
        folder=found.folder, title=found.title, head=found, revisions=(revision,), changes=()
    )
    problems: list[Problem] = []
    whole = ImportPlan(
        name=repository.name, branch=branch.name, spaces=(plan,), problems=(), known=None
    )
    author = job["author_id"]
    taking = SpaceImport(
        tx,
        space["organization_id"],
        author,
        repository.path,
        whole,
        None,
        lambda _person: str(author),
        problems,
        lambda _what: None,
        still_stored(tx, stored),
    )
    taking.bring(plan, space, None if request["force"] else synced)
    if problems:
        named = "; ".join(f"{each.path} {each.reason}" for each in problems[:3])
        raise SourceError(
            f"Nothing was imported. {named}. With force, the version of the repository is taken."
        )
    revision = _space_of(tx, job)["revision_id"]
    _note(tx, job, request, branch.oid, revision, summary=found.summary_path)


def _export(tx: Tx, job: Row, request: Mapping[str, Any], path: Path) -> None:
    """Commit the content of the space to a branch, once: a desk that is closed notes that first.

    What others write meanwhile is exported the next time.
    """
    commit, revision, summary = tx.apart("export", LONG, lambda tx: _commit(tx, job, request, path))
    _note(tx, job, request, commit, revision, summary=summary)


def _commit(
    tx: Tx, job: Row, request: Mapping[str, Any], path: Path
) -> tuple[str, str, str | None]:
    """Return the commit, the revision that it says, and the path of the summary."""
    space = _space_of(tx, job)
    synced = _synced(job, space, request, path)

    def at_revision(revision: str) -> SourceSpace:
        of_branch = {"summary": synced.get("summary")}  # the folder is the top there
        return source_space(tx, space, content.load(tx, revision), of_branch)

    base = at_revision(synced["revision"]) if synced else None
    files = dict(contents_of(at_revision(space["revision_id"]), base, []))
    for name in (*files, request["folder"] or "top"):
        if (why := hazard(name)) is not None:
            raise SourceError(f"{name} {why}.")
    before = set() if base is None else {name for name, _ in contents_of(base, None, [])}
    below = f"{request['folder']}/" if request["folder"] else ""
    user = tx.row("user", job["author_id"])
    made = commit_files(
        path,
        request["branch"],
        {below + name: data for name, data in files.items()},
        {below + name for name in before - files.keys()},
        message=request["message"],
        author=Person(user["display_name"], user["email"]),
        moment=tx.moment,
        after=synced.get("commit"),
        force=request["force"],
    )
    return made.oid, space["revision_id"], synced.get("summary")


def _documentation(repository: Repository, branch: Branch, folder: str) -> SourceSpace:
    """Return the documentation in a folder of a branch, as if the folder were all there is."""
    below = f"{folder}/" if folder else ""
    files = {
        path.removeprefix(below): blob
        for path, blob in repository.files(branch.oid).items()
        if path.startswith(below)
    }
    spaces = LayoutReader(repository.name).read(files)
    if len(spaces) != 1:
        there = ", ".join(each.folder or "the top" for each in spaces)
        where = folder or "the top folder"
        raise SourceError(
            f"There are several documentations in {where}: in {there}. Name the folder of one."
            if spaces
            else f"There is no documentation in {where}."
        )
    return spaces[0]


def _key(request: Mapping[str, Any]) -> str:
    return to_json([request["url"], request["branch"], request["folder"]])


def _space_of(tx: Tx, job: Row) -> Row:
    space = tx.get("space", id=job["space_id"])
    if space is None:
        raise SourceError("The space was removed meanwhile.")
    return space


def _synced(job: Row, space: Row, request: Mapping[str, Any], path: Path) -> dict[str, Any]:
    """Return the commit, and the revision of the space, of the last time; empty if there is none.

    What was imported on the command line counts as well.
    """
    found: dict[str, Any] | None = json.loads(job["synced"]).get(_key(request))
    if found is not None:
        return found
    source = source_of(space)
    same = (str(path), request["branch"], "", "")
    where = (source.get("path"), source.get("branch"), source.get("folder"), request["folder"])
    if where == same:
        return {name: source[name] for name in ("commit", "revision", "summary")}
    return {}


def _note(
    tx: Tx,
    job: Row,
    request: Mapping[str, Any],
    commit: str,
    revision: str,
    *,
    summary: str | None,
) -> None:
    """Note that a revision of the space and a commit say the same."""
    known = json.loads(job["synced"])
    known[_key(request)] = {"commit": commit, "revision": revision, "summary": summary}
    tx.run("UPDATE git_job SET synced = ? WHERE space_id = ?", to_json(known), job["space_id"])
