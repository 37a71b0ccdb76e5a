"""Operations on the git repository of a space."""

from __future__ import annotations

from copydesk.contract import models
from copydesk.contract.operation import operation


@operation("GET", "/spaces/{space_id}/git/info", extension="E17", may_lack=True)
def get_space_git_info(space_id: str) -> models.git_sync.GitSyncState:
    """Get the repository that a space is synchronized with, and what came of the last time."""


# The address of a repository may hold a password.
@operation("POST", "/spaces/{space_id}/git/import", status=204, extension="E17", secret=True)
def import_git_repository(space_id: str, body: models.git_sync.GitImport) -> None:
    """Begin to take the content of a branch into a space."""


@operation("POST", "/spaces/{space_id}/git/export", status=204, extension="E17", secret=True)
def export_to_git_repository(space_id: str, body: models.git_sync.GitExport) -> None:
    """Begin to commit the content of a space to a branch."""
