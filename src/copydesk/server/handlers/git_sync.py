"""The git repository of a space."""

from __future__ import annotations

from copydesk.contract import operations as ops
from copydesk.contract.models.git_sync import GitExport, GitImport, GitSyncState
from copydesk.server.errors import or_not_found
from copydesk.server.git_jobs import begin, repository_noted
from copydesk.server.implementation import Call, implements
from copydesk.server.queries.space import git_state


@implements(ops.get_space_git_info)
def get_space_git_info(call: Call, space_id: str) -> GitSyncState:
    space = call.access.space(space_id)
    state = or_not_found(git_state(space), "git repository of the space", space_id)
    # What goes on is done by the worker of this process, or of one that is gone.
    call.goes_on = state.get("operation", {}).get("state") == "running"
    return GitSyncState.model_validate(state)


@implements(ops.import_git_repository, takes="triggerGitSync")
def import_git_repository(call: Call, space_id: str, body: GitImport) -> None:
    """Have the worker take what a branch says into a space."""
    _begin(call, space_id, body)


@implements(ops.export_to_git_repository, takes="triggerGitSync")
def export_to_git_repository(call: Call, space_id: str, body: GitExport) -> None:
    """Have the worker commit the content of a space to a branch."""
    _begin(call, space_id, body)


def _begin(call: Call, space_id: str, body: GitImport) -> None:
    begin(call.tx, call.access.space(space_id, "triggerGitSync"), call.user_id, body)
    call.noted = repository_noted(body.url, body.ref)
    call.goes_on = True
