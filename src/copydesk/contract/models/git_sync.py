"""The git repository of a space: the state of its synchronization, and what begins one."""

from typing import Annotated, Literal, TypeAlias

from pydantic import Field

from copydesk.contract.models.base import Always, Body, Count, Open, Shape, Timestamp

GitProvider: TypeAlias = Literal["github", "gitlab", "github-legacy"]
"""Where a repository is."""


class GitErrorAction(Shape):
    """Where somebody can mend what failed."""

    label: str = ""
    url: str = ""


class GitOperation(Shape):
    """The last import or export, over or not."""

    state: Open[Literal["running", "failure", "success", "timeout"]]
    direction: Open[Literal["export", "import"]]
    started_at: Always[Timestamp] = None
    ended_at: Timestamp | None = None
    error: str | None = None
    error_action: GitErrorAction | None = None


class GitSyncState(Shape):
    """The repository of a space, and the last import or export."""

    repo_name: str | None = None
    installation_status: Always[Open[Literal["unauthenticated", "active", "pending"]]] = None
    installation_provider: Always[Open[GitProvider]] = None
    integration: str | None = None
    installation_id: Always[str] = None
    parent_installation_id: str | None = None
    url: str | None = None
    operation: GitOperation | None = None
    operation_timeout: Count | None = None
    updated_at: Timestamp | None = None


class GitInfo(Body):
    """Which repository it is, for people."""

    provider: Literal["github", "gitlab"] | None = None
    url: str | None = None


class GitImport(Body):
    """Where the content of a space comes from.

    ``ref`` is a branch, ``repo_project_directory`` the folder in it. With ``force`` what was
    changed in the space since the last time is replaced.
    """

    url: str = Field(description="The address of the repository.")
    ref: str = Field(description="The branch, such as main or refs/heads/main.")
    repo_cache_id: str | None = Field(default=None, alias="repoCacheID")
    repo_tree_url: Annotated[str | None, Field(alias="repoTreeURL")] = None
    repo_commit_url: Annotated[str | None, Field(alias="repoCommitURL")] = None
    repo_project_directory: str | None = Field(
        default=None, description="The folder of the documentation, if it is not the top."
    )
    timestamp: Timestamp | None = None
    force: bool | None = Field(default=None, description="Replace what was changed since.")
    standalone: bool | None = None
    git_info: GitInfo | None = None


class GitExport(GitImport):
    """Where the content of a space goes, as a commit with a message."""

    commit_message: str = Field(description="The message of the commit.")
