"""Whose things are kept on this machine: the account under each key.

Drafts and waiting writes are kept by key (`copydesk.domain.profile.Profile.key`), which outlives
a login. Somebody else who logs in under the same name must not send them.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path

from copydesk.local.durable import write_file
from copydesk.local.paths import private_folder


@dataclass(frozen=True, slots=True)
class Account:
    """Somebody at a service: their id there, and what they are called.

    ``mark`` is that of the token (`mark_of`) by which they were told last, where that was one of
    the environment.
    """

    user: str
    name: str
    mark: str = ""


def mark_of(token: str, key: str) -> str:
    """Return what tells a token from others under a key; too little to make a token of."""
    return sha256(f"{key}\n{token}".encode()).hexdigest()[:12]


class Accounts:
    """The accounts by key, in the file at ``path``; one that cannot be read knows nobody."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def read(self, key: str) -> Account | None:
        """Return whose things are kept under a key, None where that is not known."""
        match self._all().get(key):
            case {"user": str(user), "name": str(name), **more}:
                return Account(user, name, str(more.get("mark", "")))
        return None

    def write(self, key: str, account: Account) -> None:
        """Note whose things are kept under a key. Raises ``OSError`` when the disk refuses."""
        private_folder(self._path.parent)
        value = {**self._all(), key: asdict(account)}
        write_file(self._path, json.dumps(value).encode())

    def known(self) -> list[str]:
        """Return the keys under which things of somebody are kept, the latest last."""
        return list(self._all())

    def _all(self) -> dict[str, object]:
        try:
            value = json.loads(self._path.read_bytes())
        except (OSError, ValueError, RecursionError):
            return {}
        return value if isinstance(value, dict) else {}
