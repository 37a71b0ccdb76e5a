"""The services and desks that can be opened, the token of a service, and first hints."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.text import clean


@dataclass(frozen=True, slots=True)
class ServiceOffer:
    """A service that can be opened, or the desk on this machine.

    ``id`` is unique, ``name`` is what a person types for it ("" for a service without a profile),
    ``host`` its address.
    """

    id: str
    name: str
    host: str
    read_only: bool = False
    current: bool = False

    @property
    def title(self) -> str:
        """Its name; clean text."""
        return clean(self.name or self.host)


class Offers(Protocol):
    """The services and desks that can be opened. Calls block and raise `NotDoneError`."""

    @property
    def manual(self) -> ServiceOffer:
        """The manual."""

    def known(self) -> Sequence[ServiceOffer]:
        """Return all of them."""

    def prepare(self, offer: ServiceOffer) -> None:
        """Check that it can be opened next."""


class Welcome(Protocol):
    """The hints of the first runs. Its calls block."""

    def hints(self) -> Sequence[str]:
        """Return a sentence in several lengths, the longest first; nothing when not needed."""

    def hide(self) -> None:
        """Stop showing it."""


VARIABLE = "COPYDESK_TOKEN"
"""The origin of a token from the environment."""


TOKEN_FROM = {
    VARIABLE: f"from {VARIABLE}",
    "command": "from a command",
    "keyring": "in the keyring",
    "file": "in a file that only you can read",
}
"""Where a token is from, in words, by the origins that have such."""


class TokenKeeper(Protocol):
    """The source of a service's token. Calls block, and raise `NotDoneError`."""

    @property
    def origin(self) -> str:
        """The source: `VARIABLE`, "keyring", "file", "command" or "none"."""

    @property
    def owner(self) -> tuple[str, str] | None:
        """The id and name of the owner of this machine's state, where known."""

    def note(self, user: str, name: str) -> str:
        """Note the owner of the token, as the service told it.

        State of another person on this machine stays theirs; the returned sentence says so. Raises
        ``OSError`` too.
        """

    def read(self) -> str:
        """Return the token as it is stored now."""

    def keep(self, token: str) -> str:
        """Store another token in the same place; return a sentence that names the place."""
