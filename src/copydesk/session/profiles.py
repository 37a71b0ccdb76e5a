"""The services and desks that can be opened, and the hints of the first runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from copydesk.domain.text import clean


@dataclass(frozen=True, slots=True)
class Offer:
    """A service, or the desk on this machine, that one can go on with.

    ``id`` tells it from all others, ``name`` is what is typed for it ("" for a service that was
    named without a profile), ``host`` is where it is.
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
    """What one can go on with. Its calls block; they raise `NotDoneError`."""

    def known(self) -> Sequence[Offer]:
        """Return what there is."""

    def prepare(self, offer: Offer) -> None:
        """Check from here that it can be opened next."""


class Welcome(Protocol):
    """The hints of the first runs. Its calls block."""

    def hints(self) -> Sequence[str]:
        """Return a sentence in several lengths, the longest first; none once it is of no use."""

    def hide(self) -> None:
        """Tell it no more."""


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
