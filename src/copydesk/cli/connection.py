"""Which service a command or the screens are for: the embedded desk, or one that was named."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from copydesk.cli.edge import UsageError

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.local.journal import Journal
    from copydesk.local.paths import Paths
    from copydesk.tui.session import Session

TOKEN_VARIABLE = "COPYDESK_TOKEN"  # noqa: S105 - a name, not a secret
ADDRESS_VARIABLE = "COPYDESK_BASE_URL"
HOSTED = "https://api.gitbook.com"
"""The hosted service of this API (decisions.md, Base URL)."""


@dataclass(frozen=True)
class Connection:
    """A service and how to reach it.

    ``key`` tells what is kept on this machine for it from what is kept for others, ``host`` is what
    people call it, ``secrets`` must be in no file that is written about a crash. ``open`` makes the
    client, which takes a while.
    """

    key: str
    host: str
    open: Callable[[], Api]
    secrets: tuple[str, ...] = ()

    async def connect(self) -> Api:
        """Return the client, made in a thread. Raises ``UsageError`` for a desk of no use."""
        if not self.key.startswith("desk:"):
            return await asyncio.to_thread(self.open)
        from copydesk.server.store import DeskError

        try:
            return await asyncio.to_thread(self.open)
        except DeskError as error:
            raise UsageError(str(error)) from error


def chosen(desk: Path | None, base_url: str | None) -> Connection:
    """Return the service that the options and the environment name, the own desk if none.

    Raises ``UsageError`` when they name two, or one that cannot be used.
    """
    address = base_url or os.environ.get(ADDRESS_VARIABLE)
    token = os.environ.get(TOKEN_VARIABLE)
    if address is None and token is None:
        return _embedded(desk)
    if desk is not None:
        raise UsageError(
            "--desk names the embedded desk, and a service was named too "
            f"(--base-url, {ADDRESS_VARIABLE} or {TOKEN_VARIABLE}): choose one"
        )
    service = _service(address or HOSTED, token)
    if not token:
        raise UsageError(f"set {TOKEN_VARIABLE} to the access token for {service}")
    return _remote(service, token)


def _service(address: str, token: str | None) -> str:
    """Return the service's address as it is kept, once it and the token can be used.

    That is looked at before anything is asked, where a person still sees which word to mend.
    """
    from copydesk.client.secret import Secret
    from copydesk.domain.service_url import service_url

    try:
        if token:
            Secret(token)
        return service_url(address)
    except ValueError as error:
        raise UsageError(str(error)) from error


def _embedded(desk: Path | None) -> Connection:
    from copydesk.cli.embedded import connect_in_process, desk_file, open_store

    return Connection(
        f"desk:{desk_file(desk)}", "embedded desk", lambda: connect_in_process(open_store(desk))
    )


def _remote(address: str, token: str) -> Connection:
    from urllib.parse import urlsplit

    def connect() -> Api:
        from copydesk.client.api import Api

        return Api(address, token)

    return Connection(
        f"service:{address}", urlsplit(address).hostname or address, connect, (token,)
    )


def session_for(
    connection: Connection,
    paths: Paths,
    journal: Journal,
    *,
    connect: Callable[[], Awaitable[Api]] | None = None,
    recall_seconds: float = 0.0,
) -> Session:
    """Return the session of a run of the program, with all that is kept on this machine for it.

    ``connect`` stands in for that of the connection, for who needs to hear of its failure.
    """
    from copydesk.local.drafts import DeskDrafts, Drafts
    from copydesk.local.journal import DeskJournal
    from copydesk.local.runs import Arrangements, Runs
    from copydesk.local.saved_views import SavedViews
    from copydesk.local.seen import DeskSeen
    from copydesk.local.snapshot import Snapshots
    from copydesk.local.snooze import DeskSnoozes
    from copydesk.tui.session import Session

    desk = connection.key

    def begins() -> bool:
        journal.opened(desk)
        return journal.crashed(desk)

    return Session(
        connect or connection.connect,
        drafts=DeskDrafts(Drafts(paths.drafts), desk),
        snapshot=Snapshots(paths.snapshots, desk),
        seen=DeskSeen(paths.seen, desk),
        runs=Runs(paths.runs, desk),
        arrangements=Arrangements(paths.arrangements, desk),
        snoozes=DeskSnoozes(paths.snoozes, desk),
        views=SavedViews(paths.settings),
        journal=DeskJournal(journal, desk),
        begins=begins,
        recall_seconds=recall_seconds,
        host=connection.host,
    )
