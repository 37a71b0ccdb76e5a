"""The owners of the state on this machine: the account under each key.

Drafts and waiting writes are stored by key (`copydesk.domain.profile.Profile.key`), which outlives
a login. Somebody else who logs in under the same name must not send them.
"""

from __future__ import annotations

import json
from dataclasses import asdict
from hashlib import sha256
from pathlib import Path

from copydesk.domain.late_dataclass import dataclass
from copydesk.local.durable import write_file
from copydesk.local.paths import private_folder


@dataclass(frozen=True, slots=True)
class Account:
    """An account at a service: its id and name.

    ``mark`` identifies the token (`mark_of`) that last proved it, if that came from the
    environment.
    """

    user: str
    name: str
    mark: str = ""


def mark_of(token: str, key: str) -> str:
    """Return a short digest that distinguishes tokens under a key, and reveals none."""
    return sha256(f"{key}\n{token}".encode()).hexdigest()[:12]


class Accounts:
    """The accounts by key, in the file at ``path``; an unreadable file has none."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def read(self, key: str) -> Account | None:
        """Return the owner of the state under a key, None where unknown."""
        match self._all().get(key):
            case {"user": str(user), "name": str(name), **more}:
                return Account(user, name, str(more.get("mark", "")))
        return None

    def write(self, key: str, account: Account) -> None:
        """Note the owner of the state under a key. Raises ``OSError`` when the disk refuses."""
        private_folder(self._path.parent)
        value = {**self._all(), key: asdict(account)}
        write_file(self._path, json.dumps(value).encode())

    def known(self) -> list[str]:
        """Return the keys with an owner, the latest last."""
        return list(self._all())

    def _all(self) -> dict[str, object]:
        try:
            value = json.loads(self._path.read_bytes())
        except (OSError, ValueError, RecursionError):
            return {}
        return value if isinstance(value, dict) else {}
