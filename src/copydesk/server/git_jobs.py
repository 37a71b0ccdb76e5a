"""Importing and exporting a space by a branch of a git repository of this machine.

A request notes what is to be done; the desk's worker does it, and what came of it stands in the
``git_sync`` of the space. The desk opens no connection: a repository is a path, or a ``file:``
address, below the folder that the desk was told of when it was started.
"""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path
from urllib.parse import unquote, urlsplit

from copydesk.contract.models.git_sync import GitExport, GitImport
from copydesk.server import audit
from copydesk.server.background import Worker, lease_limit
from copydesk.server.errors import conflict, invalid
from copydesk.server.sources.model import SourceError
from copydesk.server.store import Row, Tx, to_json

NOT_TOLD = (
    "This desk does not know where its repositories are: serve it with "
    "`copydesk serve --git FOLDER`."
)


def begin(tx: Tx, space: Row, author: str, body: GitImport) -> None:
    """Note an import, or with a ``GitExport`` an export, for the worker.

    Raises a 400 for a repository that is not on this machine, a 409 while another one is under way.
    """
    path_of(body.url)
    job = tx.get("git_job", space_id=space["id"])
    if job is not None and job["state"] != "over":
        raise conflict(
            f"An {job['direction']} of this space is running: try again when it has ended."
        )
    direction = "export" if isinstance(body, GitExport) else "import"
    request = {
        "url": body.url,
        "branch": body.ref.removeprefix("refs/heads/"),
        "folder": (body.repo_project_directory or "").strip("/"),
        "force": bool(body.force),
        "message": body.commit_message if isinstance(body, GitExport) else "",
        "connection": _connection(body),
    }
    tx.put(
        "git_job",
        {"space_id": space["id"]},
        direction=direction,
        request=to_json(request),
        author_id=author,
        state="waiting",
        taken_at=None,
    )
    before = json.loads(space["git_sync"]) if space["git_sync"] else {}
    state = before | {
        "operation": {"state": "running", "direction": direction, "startedAt": tx.now},
        "updatedAt": tx.now,
    }
    tx.update("space", space["id"], git_sync=to_json(state))


def repository_noted(url: str, branch: str) -> dict[str, str]:
    """Return what the audit says of a job: the name of the repository, not where it is."""
    name = Path(path_of(url)).name.removesuffix(".git")
    return {"repository": name, "branch": branch.removeprefix("refs/heads/")}


def _connection(body: GitImport) -> dict[str, str]:
    """Return what a space says of its repository once something came of a request."""
    info = body.git_info
    said = {
        "repoName": Path(path_of(body.url)).name.removesuffix(".git"),
        "url": (info and info.url) or body.url,
    }
    return said | ({"installationProvider": info.provider} if info and info.provider else {})


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
    path: Path | None = None
    url = json.loads(job["request"])["url"]
    try:
        path = _permitted(url, repositories)
        # Loaded with the first job: most desks never have one, and this brings a library for git.
        from copydesk.server.git_transfer import transfer

        transfer(worker, job, path)
    except (SourceError, OSError, LookupError, ValueError) as failed:
        error = _told(failed, url, path)
    worker.write(lambda tx: _finish(tx, job, error))
    return True


def _told(failed: Exception, url: str, path: Path | None) -> str:
    """Return why a job failed, with the address that was asked for in place of what it leads to.

    Those who read it need not know this machine.
    """
    said = str(failed)
    if isinstance(failed, OSError):
        said = failed.strerror or ""
    if path is not None:
        said = said.replace(str(path), url)
    return said or type(failed).__name__


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
    if error is None:  # what failed leaves the repository that the space has
        # A job of an older version noted it when it was begun.
        state |= json.loads(job["request"]).get("connection", {})
    state["operation"] |= {"state": "success" if error is None else "failure", "endedAt": tx.now}
    if error is not None:
        state["operation"]["error"] = error
    tx.update("space", job["space_id"], git_sync=to_json(state | {"updatedAt": tx.now}))
    request = json.loads(job["request"])
    noted = repository_noted(request["url"], request["branch"])
    if error is not None:
        noted["reason"] = error.replace(request["url"], noted["repository"])
    action = f"git_{job['direction']}_{'done' if error is None else 'failed'}"
    audit.note_of_space(tx, job["space_id"], action, job["author_id"], noted)
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
        # Neither where a link leads is said, nor where that folder is.
        raise SourceError(f"{url} is not below the folder of this desk's repositories.")
    return path
