"""Which service a command or the screens are for: the embedded desk, a profile, or an address."""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, TypeVar

from copydesk.cli.errors import NOT_ALLOWED, UsageError
from copydesk.cli.tokens import TOKEN_VARIABLE, Token
from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.profile import EMBEDDED, Profile

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.domain.checks import Check
    from copydesk.domain.known_name import Kind, KnownName
    from copydesk.local.journal import Journal
    from copydesk.local.paths import Paths
    from copydesk.local.profiles import Profiles
    from copydesk.server.store import Store
    from copydesk.session.session import Session
    from copydesk.session.target import Target

T = TypeVar("T")

ADDRESS_VARIABLE = "COPYDESK_BASE_URL"
PROFILE_VARIABLE = "COPYDESK_PROFILE"
READ_ONLY = "--read-only"
ALLOW_VARIABLE = "COPYDESK_ALLOW_HTTP"
NAMES_WAIT = 0.05
"""Seconds for which names are waited for while another process writes."""

HOSTED = "https://api.gitbook.com"
"""The hosted service of this API (docs/api-notes.md, Address and token)."""


@dataclass(frozen=True)
class Connection:
    """A service and how to reach it.

    ``key`` tells what is kept on this machine for it from what is kept for others, ``host`` is what
    people call it, ``secrets`` must be in no file that is written about a crash; it grows as they
    are read. ``open`` makes the client, which takes a while. ``profile`` is its name: "desk" for
    the embedded desk, "" for a service that was named without one. ``read_only``: nothing is
    written to it, and ``read_only_by`` is the option that said so, "" for the profile itself.
    ``token`` is how its token is come by, None for the embedded desk. ``base_url`` and ``ca_file``
    are those of a service. ``close`` closes the desk or client that ``open`` opened in this
    process. ``make`` makes what is to be made once, with a line on the terminal: before the
    screens. ``nowhere`` says how to begin where it has no organization; "" says the same as for any
    service. ``begins`` is the space whose pages the screens open with, of the manual alone.
    ``desk`` is the file of an embedded desk.
    """

    key: str
    host: str
    open: Callable[[], Api]
    secrets: Sequence[str] = ()
    profile: str = ""
    read_only: bool = False
    token: Token | None = None
    read_only_by: str = ""
    base_url: str = ""
    ca_file: Path | None = None
    close: Callable[[], None] = lambda: None
    make: Callable[[], None] = lambda: None
    nowhere: str = ""
    begins: Target | None = None
    desk: Path | None = None

    def names(self, kind: Kind) -> list[KnownName]:
        """Return the names of a kind that this machine knows: of the desk, or as last read."""
        if self.token is None:
            from copydesk.server.known_names import desk_names

            return desk_names(self.desk, kind) if self.desk is not None else []
        from copydesk.local.answer_cache import Answers, answers_file
        from copydesk.local.paths import find_paths

        answers = Answers(answers_file(find_paths().answers, self.key), wait_seconds=NAMES_WAIT)
        try:
            return answers.names(kind)
        finally:
            answers.close()

    async def connect(self, *, keeping: Path | None = None) -> Api:
        """Return the client, made in a thread.

        ``keeping``: the folder in which what it reads is kept, for the screens; not of the embedded
        desk, which is read as quickly itself. Without it a command reads, which says on a terminal
        that it waits for the service.
        Raises ``UsageError`` for a desk of no use, and where there is no token.
        """
        import asyncio  # a shell that completes a word needs none of it

        if not self.key.startswith("desk:"):
            api = await asyncio.to_thread(self.open)
            if keeping is not None:
                from copydesk.local.answer_cache import Answers, answers_file

                api.cache_in(Answers(answers_file(keeping, self.key), desk=self.key))
            else:
                from copydesk.cli.waiting import tell_waiting

                tell_waiting(api, self.host)
            return api
        from copydesk.server.store import DeskError

        try:
            return await asyncio.to_thread(self.open)
        except DeskError as error:
            raise UsageError(str(error)) from error

    def run(self, work: Callable[[Api], Awaitable[T]]) -> T:
        """Connect, do some work with the client, and return its result. Raises as `connect`."""
        import asyncio

        async def connected() -> T:
            async with await self.connect() as api:
                return await work(api)

        return asyncio.run(connected())


@dataclass(frozen=True)
class Service:
    """The options that say which service is meant. None of them: what the settings say."""

    desk: Path | None = None
    base_url: str | None = None
    profile: str | None = None
    read_only: bool = False

    def connection(self, *, writes: bool = False) -> Connection:
        """Return the service. Raises ``UsageError`` when they name two, or one of no use.

        Where something ``writes`` it does so too for one that is only read: before anything is
        read, asked or noted.
        """
        found = chosen(self.desk, self.base_url, self.profile, self.read_only)
        if found.token is not None and found.token.origin == TOKEN_VARIABLE:
            from copydesk.cli.token_owner import keep_apart

            keep_apart(found)
        if writes and found.read_only:
            why = found.read_only_by or f"profile {found.profile} is read-only"
            raise UsageError(f"{why}: nothing was sent", NOT_ALLOWED)
        return found

    @property
    def options(self) -> str:
        """The same as they are typed, for another command that a person is told."""
        return "".join(f" {name} {quote(value)}" for name, value in self._said())

    @property
    def arguments(self) -> list[str]:
        """The same as another copydesk is given them."""
        reads = [READ_ONLY] if self.read_only else []
        return [*(f"{name}={value}" for name, value in self._said()), *reads]

    def _said(self) -> list[tuple[str, str]]:
        said = (
            ("--desk", str(self.desk or "")),
            ("--base-url", self.base_url),
            ("--profile", self.profile),
        )
        return [(name, value) for name, value in said if value]


OWN = Service()
"""No options at all."""


def chosen(
    desk: Path | None,
    base_url: str | None,
    profile: str | None = None,
    read_only: bool = False,
) -> Connection:
    """Return the service that the options, the environment or the settings name, in this order.

    The own embedded desk if none does. Raises ``UsageError`` when they name two, or one that
    cannot be used, and ``SettingsError`` for settings that cannot.
    """
    if profile == EMBEDDED or (desk is not None and not profile):
        other = base_url or (
            profile != EMBEDDED
            and (os.environ.get(ADDRESS_VARIABLE) or os.environ.get(TOKEN_VARIABLE))
        )
        if other:
            raise UsageError(
                "--desk names your own desk, and a service was named too "
                f"(--base-url, {ADDRESS_VARIABLE} or {TOKEN_VARIABLE}): choose one"
            )
        return _embedded(desk, read_only=read_only)
    if profile and (desk is not None or base_url):
        option = "--base-url" if base_url else "--desk"
        raise UsageError(f"--profile and {option} name two services: choose one")
    address = base_url or (None if profile else os.environ.get(ADDRESS_VARIABLE))
    if address:
        return _at(address, read_only=read_only, typed=base_url is not None)
    name = profile or os.environ.get(PROFILE_VARIABLE) or ""
    if not name:
        usual = _usual()
        if usual in {"", EMBEDDED} and os.environ.get(TOKEN_VARIABLE):
            # A token for one run says more than settings that name no service.
            return _at(HOSTED, read_only=read_only)
        name = usual or EMBEDDED
    if name == EMBEDDED:
        return _embedded(None, read_only=read_only)
    meant = named(name)
    _refuse_elsewhere(meant.base_url, typed=bool(profile))
    return remote(meant, read_only=read_only)


def _refuse_elsewhere(service: str, *, typed: bool = False) -> None:
    """Refuse to give the environment's token to another service than it was put there for.

    It is for the address that stands beside it in the environment, or is that of the profile named
    there; with neither for the address or the profile that was ``typed``, or else for the hosted
    service. Raises ``UsageError``.
    """
    if not os.environ.get(TOKEN_VARIABLE):
        return
    address, name = os.environ.get(ADDRESS_VARIABLE), os.environ.get(PROFILE_VARIABLE)
    if address:
        own = address_of(address)
    elif name and name != EMBEDDED:
        own = named(name).base_url
    else:
        own = service if typed else HOSTED
    if own != service:
        raise UsageError(
            f"{TOKEN_VARIABLE} is a token for {own}, and is not sent to {service}: unset it, or "
            f"also set {ADDRESS_VARIABLE}={quote(service)}"
        )


def _usual() -> str:
    """Return the name of the profile that is opened where none is named; "" for none."""
    from copydesk.local.paths import find_paths
    from copydesk.local.settings import usable_settings

    return usable_settings(find_paths().settings)[0].profile


def _profiles() -> Profiles:
    from copydesk.local.paths import find_paths
    from copydesk.local.profiles import Profiles

    return Profiles(find_paths().settings)


def named(name: str) -> Profile:
    """Return the profile of a name. Raises ``UsageError`` for none."""
    known = _profiles().read()
    for profile in known:
        if profile.name == name:
            return profile
    from copydesk.domain.text import clean, shorten

    there = ", ".join([*(profile.name for profile in known), EMBEDDED])
    raise UsageError(
        f"there is no profile {shorten(clean(name))}. There are: {there}. "
        "copydesk login NAME makes one"
    )


def _at(address: str, *, read_only: bool, typed: bool = False) -> Connection:
    """Return the service at an address: with the token of the environment, or as a profile.

    Raises ``UsageError`` where neither knows a token for it.
    """
    service = address_of(address)
    if os.environ.get(TOKEN_VARIABLE):
        _refuse_elsewhere(service, typed=typed)
        return remote(None, service, read_only=read_only)
    profiles = _profiles()
    there = [profile for profile in profiles.read() if profile.base_url == service]
    default = [profile for profile in there if profile.name == profiles.default]
    match default or there:
        case [one]:
            return remote(one, read_only=read_only)
        case []:
            raise UsageError(
                f"set {TOKEN_VARIABLE} to the access token for {service}, "
                f"or run copydesk login --base-url {quote(service)}"
            )
        case several:
            names = ", ".join(profile.name for profile in several)
            raise UsageError(f"{service} is in several profiles ({names}): choose with --profile")


def address_of(address: str) -> str:
    """Return a service's address as it is kept, once it can be used. Raises ``UsageError``."""
    from copydesk.domain.address import service_url

    try:
        return service_url(address)
    except ValueError as error:
        raise UsageError(str(error)) from error


def _embedded(desk: Path | None, *, read_only: bool) -> Connection:
    from copydesk.cli.embedded import (
        connect_in_process,
        desk_file,
        desk_key,
        make_sample,
        open_store,
    )

    stores: list[Store] = []

    def connect() -> Api:
        from copydesk.server.store import DeskError, UnwritableError

        try:
            store = open_store(desk, reads=read_only)
        except UnwritableError as error:
            raise DeskError(f"{error} With {READ_ONLY} it can be read.") from error
        stores.append(store)
        api = connect_in_process(store)
        api.read_only = read_only
        return api

    def close() -> None:
        while stores:
            stores.pop().close()

    return Connection(
        desk_key(desk),
        "own desk",
        connect,
        profile=EMBEDDED,
        read_only=read_only,
        read_only_by=READ_ONLY if read_only else "",
        close=close,
        make=partial(make_sample, desk),
        nowhere=_how_to_begin(desk),
        desk=desk_file(desk),
    )


def _how_to_begin(desk: Path | None) -> str:
    """Return the message for an empty desk: the commands to begin with."""
    at = "" if desk is None else f" --desk {quote(str(desk))}"
    return (
        "This desk is empty. To begin, type in a shell: "
        f"“copydesk desk import FOLDER{at}” brings documentation in, "
        f"“copydesk desk sample{at}” makes the sample, "
        "“copydesk login” connects to a service. R then looks again."
    )


def remote(
    profile: Profile | None,
    address: str = "",
    *,
    read_only: bool = False,
    environment: bool = True,
) -> Connection:
    """Return the service of a profile, or one at an ``address`` with the environment's token.

    That token goes before the profile's own, unless ``environment`` is not to be looked at.

    What is seen from here is looked at at once, where a person still sees which word to mend;
    keyrings and commands are asked when the client is made. Raises ``UsageError``.
    """
    from urllib.parse import urlsplit

    token = Token(profile, environment=environment)
    service = profile.base_url if profile else address
    if token.origin in {TOKEN_VARIABLE, "none"}:
        token.read()
    reads = read_only or (profile is not None and profile.read_only)

    def connect() -> Api:
        from copydesk.client.api import Api

        _refuse_unencrypted(profile, service)
        secret = token.read()
        try:
            return Api(
                service, secret, read_only=reads, ca_file=profile.ca_file if profile else None
            )
        except ValueError as error:
            raise UsageError(str(error)) from error

    return Connection(
        profile.key if profile else f"service:{service}",
        urlsplit(service).netloc or service,
        connect,
        token.secrets,
        profile.name if profile else "",
        reads,
        token,
        READ_ONLY if read_only else "",
        service,
        profile.ca_file if profile else None,
    )


def exposes(service: str) -> bool:
    """Whether a token that is sent there travels unencrypted to another machine."""
    from urllib.parse import urlsplit

    from copydesk.client.network import is_loopback

    parts = urlsplit(service)
    return parts.scheme != "https" and not is_loopback(parts.hostname or "")


def _refuse_unencrypted(profile: Profile | None, service: str) -> None:
    """Send no token unencrypted to another machine, unless somebody said that it may be.

    Raises ``UsageError``, before the token is read.
    """
    agreed = profile is not None and profile.allow_http
    if agreed or os.environ.get(ALLOW_VARIABLE) == "1" or not exposes(service):
        return
    allow = (
        f"allow it with {ALLOW_VARIABLE}=1"
        if profile is None
        else f"allow it with allow_http = true below [profiles.{profile.name}] in the settings"
    )
    raise UsageError(
        f"the token would travel unencrypted to {service}, and everyone on the way could read "
        f"it: nothing was sent. Use https://, or {allow}"
    )


def session_for(
    connection: Connection,
    paths: Paths,
    journal: Journal,
    *,
    connect: Callable[[], Awaitable[Api]] | None = None,
    recall_seconds: float = 0.0,
    checks: Sequence[Check] = (),
) -> Session:
    """Return the session of a run of the program, with all that is kept on this machine for it.

    ``connect`` stands in for that of the connection, for who needs to hear of its failure.
    """
    from copydesk.local.drafts import DeskDrafts
    from copydesk.local.marks import DeskHidden, DeskMarks, DeskSeen, DeskSnoozes, DeskUses
    from copydesk.local.page_edits import DeskEdits
    from copydesk.local.runs import Applications, Arrangements, Runs, Settlings, WaitingRuns
    from copydesk.local.saved_replies import SavedReplies
    from copydesk.local.saved_views import SavedViews
    from copydesk.local.snapshot import Snapshots
    from copydesk.session.names import KnownNames
    from copydesk.session.session import Session

    desk, store = connection.key, journal.store

    def begins() -> bool:
        journal.opened()
        return journal.crashed()

    session = Session(
        connect or connection.connect,
        draft_store=DeskDrafts(store, desk),
        snapshot=Snapshots(paths.snapshots, desk),
        seen=DeskSeen(store, desk),
        staged=DeskEdits(store, desk),
        runs=Runs(store, desk),
        waiting_runs=WaitingRuns(store, desk),
        arrangements=Arrangements(store, desk),
        settlings=Settlings(store, desk),
        applications=Applications(store, desk),
        snoozes=DeskSnoozes(store, desk),
        mark_store=DeskMarks(store, desk),
        names=KnownNames(connection.names, DeskUses(store, desk)),
        hidden=DeskHidden(store, desk),
        checks=checks,
        views=SavedViews(paths.settings),
        replies=SavedReplies(paths.replies),
        journal=journal,
        begins=begins,
        recall_seconds=recall_seconds,
        host=connection.host,
        profile="" if connection.profile == EMBEDDED else connection.profile,
        called=connection.host,
        read_only=connection.read_only,
        read_only_by=connection.read_only_by,
    )
    session.nowhere = connection.nowhere or session.nowhere
    return session
