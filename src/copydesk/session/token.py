"""Where the token of a service comes from, and how another takes its place."""

from __future__ import annotations

from typing import Protocol

VARIABLE = "COPYDESK_TOKEN"
"""What the origin of a token is called that is in the environment."""


class TokenKeeper(Protocol):
    """How the token of a service is come by. Its calls block, and raise `NotDoneError`."""

    @property
    def origin(self) -> str:
        """Where it comes from: `VARIABLE`, "keyring", "file", "command" or "none"."""

    @property
    def owner(self) -> tuple[str, str] | None:
        """The id and the name of whose things are kept on this machine, where that is known."""

    def note(self, user: str, name: str) -> str:
        """Note by its id and its name whose token it is, now that the service has said so.

        Things of somebody else that are kept on this machine stay theirs: a sentence says it.
        Raises ``OSError`` too.
        """

    def read(self) -> str:
        """Return the token as it is kept by now."""

    def keep(self, token: str) -> str:
        """Store another token where this one came from; return a sentence that says where."""
