"""Importing and exporting a space by a branch of a git repository of this machine.

A request notes what is to be done; the desk's worker does it, and what came of it stands in the
``git_sync`` of the space. The desk opens no connection: a repository is a path, or a ``file:``
address, below the folder that the desk was told of when it was started.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from copydesk.contract.models.git_sync import GitExport, GitImport
from copydesk.server import content
from copydesk.server.background import Worker, lease_limit
from copydesk.server.errors import conflict, invalid
from copydesk.server.source_content import source_of, source_space
from copydesk.server.sources.git import Branch, Repository
from copydesk.server.sources.git_writing import commit_files
from copydesk.server.sources.layout import read_layout
from copydesk.server.sources.model import Person, Problem, SourceError, SourceRevision, SourceSpace
from copydesk.server.sources.paths import hazard
from copydesk.server.sources.plan import ImportPlan, SpacePlan
from copydesk.server.sources.writer import contents_of
from copydesk.server.space_import import SpaceImport
from copydesk.server.store import Row, Tx, to_json

NOT_TOLD = (
    "This desk was not told where its repositories are: `copydesk serve --git FOLDER` tells it."
)


def begin(tx: Tx, space: Row, author: str, body: GitImport) -> None:
    """Note an import, or with a ``GitExport`` an export, for the worker.

    Raises a 400 for a repository that is not on this machine, a 409 while another one is under way.
    """
    path_of(body.url)
    job = tx.one("SELECT * FROM git_job WHERE space_id = ?", space["id"])
    if job is not None and job["state"] != "over":
        raise conflict(f"An {job['direction']} of this space is under way.")
    direction = "export" if isinstance(body, GitExport) else "import"
    request = {
        "url": body.url,
        "branch": body.ref.removeprefix("refs/heads/"),
        "folder": (body.repo_project_directory or "").strip("/"),
        "force": bool(body.force),
        "message": body.commit_message if isinstance(body, GitExport) else "",
    }
    tx.run(
        "INSERT INTO git_job (space_id, direction, request, author_id, state) "
        "VALUES (?, ?, ?, ?, 'waiting') ON CONFLICT (space_id) DO UPDATE SET "
        "direction = excluded.direction, request = excluded.request, "
        "author_id = excluded.author_id, state = 'waiting', taken_at = NULL",
        space["id"],
        direction,
        to_json(request),
        author,
    )
    info = body.git_info
    before = json.loads(space["git_sync"]) if space["git_sync"] else {}
    state = {
        "installationProvider": (info and info.provider)
        or before.get("installationProvider", "github"),
        "repoName": Path(path_of(body.url)).name.removesuffix(".git"),
        "url": (info and info.url) or body.url,
        "operation": {"state": "running", "direction": direction, "startedAt": tx.now},
        "updatedAt": tx.now,
    }
    tx.update("space", space["id"], git_sync=to_json(state))


def path_of(url: str) -> str:
    """Return the path of a repository of this machine.

    Raises a 400 for an address that leads elsewhere, or says nothing about where it is.
    """
    if url.startswith("/"):
        return url
    with suppress(ValueError):
        parts = urlsplit(url)
        if parts.scheme == "file" and parts.netloc in ("", "localhost") and parts.path:
            return unquote(parts.path)
    raise invalid(
        "body.url: this desk opens no connection. It takes a repository of its own machine, by "
        "its whole path or as file:///path/to/repository"
    )


def run_next_git_job(worker: Worker, *, repositories: Path | None) -> bool:
    """Do one import or export that waits; say whether there was one.

    ``repositories`` is the folder below which repositories may be; None: nowhere.
    """
    job = worker.write(_take)
    if job is None:
        return False
    error: str | None = None
    try:
        _do(worker, job, _permitted(json.loads(job["request"])["url"], repositories))
    except (SourceError, OSError, LookupError, ValueError) as failed:
        error = str(failed) or type(failed).__name__
    worker.write(lambda tx: _finish(tx, job, error))
    return True


def _take(tx: Tx) -> Row | None:
    job = tx.one(
        "SELECT * FROM git_job WHERE state = 'waiting' OR (state = 'running' AND taken_at < ?) "
        "ORDER BY space_id LIMIT 1",
        lease_limit(tx),
    )
    if job is not None:
        tx.run(
            "UPDATE git_job SET state = 'running', taken_at = ? WHERE space_id = ?",
            tx.now,
            job["space_id"],
        )
    return job


def _finish(tx: Tx, job: Row, error: str | None) -> None:
    stored = tx.value("SELECT git_sync FROM space WHERE id = ?", job["space_id"])
    if stored is None:
        return  # the space is gone
    state = json.loads(stored)
    state["operation"] |= {"state": "success" if error is None else "failure", "endedAt": tx.now}
    if error is not None:
        state["operation"]["error"] = error
    tx.update("space", job["space_id"], git_sync=to_json(state | {"updatedAt": tx.now}))
    tx.run("UPDATE git_job SET state = 'over' WHERE space_id = ?", job["space_id"])


def _permitted(url: str, repositories: Path | None) -> Path:
    """Return where a repository is. Raises ``SourceError`` where it may not be."""
    if repositories is None:
        raise SourceError(NOT_TOLD)
    try:
        path = Path(path_of(url)).resolve()
        top = repositories.resolve()
    except (OSError, ValueError, RuntimeError) as error:
        raise SourceError(f"{url!r} is not a path of this machine.") from error
    if not path.is_relative_to(top):
        raise SourceError(f"{path} is not below {top}, where the repositories of this desk are.")
    return path


def _do(worker: Worker, job: Row, path: Path) -> None:
    request = json.loads(job["request"])
    if job["direction"] == "export":
        worker.write(lambda tx: _export(tx, job, request, path))
        return
    with Repository.open(path) as repository:
        branch = next((b for b in repository.branches() if b.name == request["branch"]), None)
        if branch is None:
            raise SourceError(f"{path} has no branch {request['branch']!r}.")
        worker.write(lambda tx: _import(tx, job, request, repository, branch))


def _import(
    tx: Tx, job: Row, request: Mapping[str, Any], repository: Repository, branch: Branch
) -> None:
    """Take what a branch says into the space.

    Where the space is as it was left the last time it becomes what the branch says, and where the
    branch is, it stays. Where both have changed they are merged. Raises ``SourceError`` where they
    contradict each other, unless that is forced; the space is then as it was before.
    """
    space = tx.row("space", job["space_id"])
    synced = _synced(job, space, request, repository.path)
    if synced.get("commit") == branch.oid and not request["force"]:
        return
    found = _documentation(repository, branch, request["folder"])
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
    )
    taking.bring(plan, space, None if request["force"] else synced)
    if problems:
        named = "; ".join(f"{each.path} {each.reason}" for each in problems[:3])
        raise SourceError(f"Nothing was imported. {named}. Force takes what the repository says.")
    _note(tx, job, request, commit=branch.oid, summary=found.summary_path)


def _export(tx: Tx, job: Row, request: Mapping[str, Any], path: Path) -> None:
    """Commit the content of the space to a branch."""
    space = tx.row("space", job["space_id"])
    synced = _synced(job, space, request, path)

    def at_revision(revision: str) -> SourceSpace:
        return source_space(
            tx,
            space["id"],
            space["title"],
            content.load(tx, revision),
            folder="",
            summary_path=synced.get("summary"),
        )

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
    _note(tx, job, request, commit=made.oid, summary=synced.get("summary"))


def _documentation(repository: Repository, branch: Branch, folder: str) -> SourceSpace:
    """Return the documentation in a folder of a branch, as if the folder were all there is."""
    below = f"{folder}/" if folder else ""
    files = {
        path.removeprefix(below): blob
        for path, blob in repository.files(branch.oid).items()
        if path.startswith(below)
    }
    spaces = read_layout(files, name=repository.name)
    if len(spaces) != 1:
        there = ", ".join(each.folder or "the top" for each in spaces)
        more = f": several, in {there}. Name the folder of one." if spaces else "."
        raise SourceError(f"There is not one documentation in {folder or 'the top folder'}{more}")
    return spaces[0]


def _key(request: Mapping[str, Any]) -> str:
    return to_json([request["url"], request["branch"], request["folder"]])


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
    tx: Tx, job: Row, request: Mapping[str, Any], *, commit: str, summary: str | None
) -> None:
    """Note that the space and the branch say the same."""
    revision = tx.value("SELECT revision_id FROM space WHERE id = ?", job["space_id"])
    known = json.loads(job["synced"])
    known[_key(request)] = {"commit": commit, "revision": revision, "summary": summary}
    tx.run("UPDATE git_job SET synced = ? WHERE space_id = ?", to_json(known), job["space_id"])
