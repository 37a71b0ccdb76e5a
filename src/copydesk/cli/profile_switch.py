"""What the screens are told of tokens and profiles: where a token is kept, what else can be opened.

The screens know neither settings nor environment. They ask here, and hear of what cannot be in a
`NotDoneError`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from copydesk.cli.connection import Connection, chosen, named, remote
from copydesk.cli.embedded import desk_key
from copydesk.cli.errors import UsageError
from copydesk.cli.tokens import TOKEN_VARIABLE, Token
from copydesk.domain.profile import EMBEDDED
from copydesk.domain.text import capital
from copydesk.session.errors import NotDoneError

if TYPE_CHECKING:
    from copydesk.local.paths import Paths
    from copydesk.session.profiles import ServiceOffer


@contextmanager
def _told() -> Iterator[None]:
    """Turn what a person can mend on the command line into what the screens say."""
    from copydesk.local.settings import SettingsError

    try:
        yield
    except (UsageError, SettingsError) as error:
        raise NotDoneError(sentence_of(error)) from error


def sentence_of(error: Exception) -> str:
    """Return what went wrong as a sentence: on the command line it follows the program's name."""
    said = str(error)
    return f"{capital(said)}{'' if said.endswith('.') else '.'}"


class Keeper:
    """The token of a connection, as the screens see it (`tui.system.account.TokenKeeper`)."""

    def __init__(self, token: Token, key: str, paths: Paths) -> None:
        self._token, self._key, self._paths = token, key, paths

    @property
    def origin(self) -> str:
        """Where the token comes from."""
        return self._token.origin

    @property
    def owner(self) -> tuple[str, str] | None:
        """Whose things are kept on this machine."""
        from copydesk.local.accounts import Accounts

        found = Accounts(self._paths.accounts).read(self._key)
        return None if found is None else (found.user, found.name)

    def note(self, user: str, name: str) -> str:
        """Note the token's user; return a sentence on data kept of another. Raises ``OSError``."""
        from copydesk.cli.token_owner import note_owner
        from copydesk.local.accounts import Account, Accounts, mark_of

        given = self._token.origin == TOKEN_VARIABLE
        mark = mark_of(self._token.read(), self._key) if given else ""
        account = Account(user, name, mark)
        return note_owner(Accounts(self._paths.accounts), self._key, account)

    def read(self) -> str:
        """Return the token as it is kept by now. Raises `NotDoneError`."""
        with _told():
            return self._token.read(anew=True)

    def keep(self, token: str) -> str:
        """Keep another token; say where. Raises `NotDoneError` and ``OSError``."""
        with _told():
            return self._token.keep(token)


class Switchboard:
    """The desks and profiles to switch to (`copydesk.session.profiles.Offers`).

    ``first`` is what the program was begun with: it may have no name, and stays to be chosen.
    ``read_only`` holds for everything that is opened.
    """

    def __init__(self, paths: Paths, first: Connection, *, read_only: bool) -> None:
        self._paths = paths
        self._read_only = read_only
        self._first = self.connection = first
        self._next = first
        self._before: Connection | None = None

    @property
    def manual(self) -> ServiceOffer:
        """The manual, which is none of what is `known`: nobody works with it."""
        from copydesk.cli.manual_desk import CALLED
        from copydesk.session.profiles import ServiceOffer

        return ServiceOffer("manual", "", CALLED, True, self.connection.begins is not None)

    @property
    def back(self) -> str | None:
        """The id of what the manual was opened from; None where something else is open."""
        before = self._before
        return None if before is None or self.connection.begins is None else before.key

    def known(self) -> Sequence[ServiceOffer]:
        """Return the desk on this machine, the profiles, and what the program was begun with."""
        from urllib.parse import urlsplit

        from copydesk.local.profiles import Profiles
        from copydesk.session.profiles import ServiceOffer

        with _told():
            profiles = Profiles(self._paths.settings).read()
        desk = desk_key(None)
        ways = [(desk, EMBEDDED, "the desk on this machine", False)]
        ways += [
            (each.key, each.name, urlsplit(each.base_url).netloc, each.read_only)
            for each in profiles
        ]
        first = self._first
        if first.key not in {key for key, *_ in ways}:
            where = first.host
            if first.profile == EMBEDDED:
                where = first.key.removeprefix("desk:")
            ways.append((first.key, "", where, first.read_only))
        return [
            ServiceOffer(key, name, host, reads or self._read_only, key == self.connection.key)
            for key, name, host, reads in ways
        ]

    def prepare(self, offer: ServiceOffer) -> None:
        """Read all that is needed to open it. Raises `NotDoneError` where something is missing."""
        with _told():
            if offer.id == self.manual.id:
                from copydesk.cli.manual_desk import manual

                self._next = manual()
                return
            if offer.id == self._first.key:
                # As it was begun: with the token of the environment, if that was given for it.
                self._next = self._first
                return
            # The token of the environment was given for the service that was opened first.
            found = (
                chosen(None, None, EMBEDDED, self._read_only)
                if offer.name == EMBEDDED
                else remote(named(offer.name), read_only=self._read_only, environment=False)
            )
            if found.token is not None and found.token.origin != "command":
                # A command may ask a person, whom one question is enough: it is run when it opens.
                found.token.read()
            self._next = found

    @property
    def what(self) -> str:
        """What is open, in words."""
        name, host = self.connection.profile, self.connection.host
        if self.connection.begins is not None:
            return host
        if name == EMBEDDED:
            return "the desk on this machine"
        return f"{name} ({host})" if name else host

    def go_on(self) -> None:
        """Switch to the connection that was prepared last."""
        self._before, self.connection = self.connection, self._next

    def go_back(self) -> bool:
        """Switch back to the previous connection; return False if there is none."""
        before, self._before = self._before, None
        if before is None:
            return False
        self.connection = before
        return True
