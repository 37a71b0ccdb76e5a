"""The paths of copydesk's files."""

from __future__ import annotations

import errno
import os
from collections.abc import Mapping
from pathlib import Path

from copydesk.domain.late_dataclass import dataclass

HOME_VARIABLE = "COPYDESK_HOME"
"""When set, all folders are inside this folder: for tests, and for a desk on a stick."""


class NoHomeError(FileNotFoundError):
    """A path begins with ``~``, and the home folder that this stands for is not known."""


@dataclass(frozen=True, slots=True)
class Paths:
    """The four folders, and the files in them.

    ``config`` is edited by people, ``data`` holds embedded desks, ``state`` what must not be lost,
    ``cache`` what may be deleted at any time.
    """

    config: Path
    data: Path
    state: Path
    cache: Path

    @property
    def settings(self) -> Path:
        """The settings file."""
        return self.config / "config.toml"

    @property
    def replies(self) -> Path:
        """The folder of saved replies."""
        return self.config / "replies"

    @property
    def desk(self) -> Path:
        """The embedded desk that is opened when no other is named."""
        return self.data / "desk.db"

    @property
    def store(self) -> Path:
        """The state database: drafts, the journal of writes, runs, seen pages, snoozes."""
        return self.state / "state.db"

    @property
    def ingested(self) -> Path:
        """The folder of ids of handed-in conversations."""
        return self.state / "ingested"

    @property
    def own_desk(self) -> Path:
        """The key of the state for the embedded desk of this home."""
        return self.state / "own-desk"

    @property
    def accounts(self) -> Path:
        """The owners of the state for each service."""
        return self.state / "accounts.json"

    @property
    def credentials(self) -> Path:
        """The folder of tokens without a keyring."""
        return self.state / "credentials"

    @property
    def log(self) -> Path:
        """The log of unexpected errors."""
        return self.state / "copydesk.log"

    @property
    def snapshots(self) -> Path:
        """The folder of last screens."""
        return self.cache / "snapshots"

    @property
    def checks(self) -> Path:
        """The folder in which the commands of checks get their files, each in one of its own."""
        return self.cache / "checks"

    @property
    def manual(self) -> Path:
        """The folder of the manual as a desk."""
        return self.cache / "manual"

    @property
    def answers(self) -> Path:
        """The folder of cached answers."""
        return self.cache / "answers"

    def make(self) -> Paths:
        """Create the missing folders, private, and return these paths.

        Raises ``OSError`` when one cannot be created; its text names the path.
        """
        for folder in (self.config, self.data, self.state, self.cache):
            private_folder(folder)
        return self


def expanded(typed: str) -> Path:
    """Return a path as it was typed with the home folder that a ``~`` at its start stands for.

    Where it stands for nobody's, as in the name of a lock file, it stays. Raises `NoHomeError`
    where one's own is not known.
    """
    path = Path(typed)
    if not typed.startswith("~"):  # "./~a" is a file of that name
        return path
    try:
        return path.expanduser()
    except RuntimeError as error:
        if path.parts[0] == "~":
            said = "no home folder is known for the ~ in it"
            raise NoHomeError(errno.ENOENT, said, typed) from error
        return path


def find_paths(environment: Mapping[str, str] = os.environ) -> Paths:
    """Return the folders of this user and platform, without creating them.

    Raises `NoHomeError` where this user has no home, as in a container or in a service.
    """
    if home := environment.get(HOME_VARIABLE):
        root = expanded(home).absolute()
        return Paths(root / "config", root / "data", root / "state", root / "cache")
    from platformdirs import PlatformDirs

    places = PlatformDirs("copydesk", appauthor=False)
    try:
        return Paths(
            places.user_config_path,
            places.user_data_path,
            places.user_state_path,
            places.user_cache_path,
        )
    except RuntimeError as error:
        said = f"no home folder is known: set HOME, or {HOME_VARIABLE} to a folder for copydesk"
        raise NoHomeError(errno.ENOENT, said) from error


def private_folder(folder: Path) -> Path:
    """Return ``folder``, created privately with its parents where it is missing.

    An existing one stays as it is: it may be shared on purpose.
    """
    missing = []
    for each in (folder, *folder.parents):
        if each.is_dir():
            break
        missing.append(each)
    for each in reversed(missing):
        try:
            each.mkdir(mode=0o700)
        except FileExistsError:
            if not each.is_dir():
                raise
        else:
            each.chmod(0o700)  # a umask may have taken what its owner needs
    return folder
