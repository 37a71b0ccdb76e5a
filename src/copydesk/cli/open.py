"""Opening the program: the screens over the embedded desk, or over a service.

Before the first paint only Textual, SQLite and the standard library are imported; the client, the
contract and the desk follow in a thread behind it.
"""

from __future__ import annotations

import asyncio
import gc
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from copydesk.cli.edge import UsageError
from copydesk.local.drafts import DeskDrafts, Drafts
from copydesk.local.journal import DeskJournal, Journal
from copydesk.local.paths import Paths, find_paths
from copydesk.local.runs import Runs
from copydesk.local.saved_views import SavedViews
from copydesk.local.seen import DeskSeen
from copydesk.local.settings import load_settings
from copydesk.local.snapshot import Snapshots
from copydesk.local.snooze import DeskSnoozes

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from copydesk.client.api import Api

TOKEN_VARIABLE = "COPYDESK_TOKEN"  # noqa: S105 - a name, not a secret
ADDRESS_VARIABLE = "COPYDESK_BASE_URL"
HOSTED = "https://api.gitbook.com"
"""The hosted service of this API (decisions.md, Base URL)."""

FIRST_PLACE = "spaces"


def open_desk(*, desk: Path | None = None, base_url: str | None = None) -> int:
    """Open the screens and return the exit status once they are closed."""
    # Collecting garbage while starting up only finds what is about to be used (speed.md); the
    # application turns it on again when it is ready.
    gc.disable()
    address = base_url or os.environ.get(ADDRESS_VARIABLE)
    token = os.environ.get(TOKEN_VARIABLE)
    if address is None and token is None:
        return _embedded(_terminal(), desk)
    if desk is not None:
        raise UsageError(
            "--desk names the embedded desk, and a service was named too "
            f"(--base-url, {ADDRESS_VARIABLE} or {TOKEN_VARIABLE}): choose one"
        )
    service = _service(address or HOSTED, token)
    if not token:
        raise UsageError(f"set {TOKEN_VARIABLE} to the access token for {service}")
    return _remote(service, token)


def _terminal() -> Paths:
    """Return the folders, once it is sure that there is a terminal for the screens."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise UsageError(
            "the screens need a terminal. For scripts there are commands: see copydesk --help"
        )
    for fixed in ("COLUMNS", "LINES"):
        # A terminal knows its size, also when it changes; what a shell exported once does not.
        os.environ.pop(fixed, None)
    return find_paths().make()


def _service(address: str, token: str | None) -> str:
    """Return the service's address as it is kept, once it and the token can be used.

    That is looked at before the screens open, where a person still sees which word to mend.
    """
    from copydesk.client.address import service_url
    from copydesk.client.secret import Secret

    try:
        if token:
            Secret(token)
        return service_url(address)
    except ValueError as error:
        raise UsageError(str(error)) from error


def _embedded(paths: Paths, desk: Path | None) -> int:
    from copydesk.cli.embedded import desk_file

    path = desk_file(desk)

    async def connect() -> Api:
        from copydesk.server.store import DeskError

        try:
            return await asyncio.to_thread(_open_embedded, desk)
        except DeskError as error:
            raise UsageError(str(error)) from error

    return _run(paths, f"desk:{path}", "embedded desk", connect)


def _open_embedded(desk: Path | None) -> Api:
    from copydesk.cli.embedded import connect_in_process, open_store

    return connect_in_process(open_store(desk))


def _remote(address: str, token: str) -> int:
    from urllib.parse import urlsplit

    host = urlsplit(address).hostname or address

    async def connect() -> Api:
        return await asyncio.to_thread(_open_remote, address, token)

    return _run(_terminal(), f"service:{address}", host, connect, secrets=(token,))


def _open_remote(address: str, token: str) -> Api:
    from copydesk.client.api import Api

    return Api(address, token)


def _run(
    paths: Paths,
    desk: str,
    host: str,
    connect: Callable[[], Awaitable[Api]],
    *,
    secrets: tuple[str, ...] = (),
) -> int:
    from copydesk.tui.app import CopydeskApp
    from copydesk.tui.session import Session
    from copydesk.tui.theme import DARK

    unusable: list[UsageError] = []

    async def connect_or_leave() -> Api:
        try:
            return await connect()
        except UsageError as error:
            # Nothing on the screens can mend that: close them, and say it where it stays.
            unusable.append(error)
            app.exit()
            raise ConnectionError(str(error)) from error

    settings = load_settings(paths.settings)
    journal = Journal(paths.journal)

    def begins() -> bool:
        journal.opened(desk)
        return journal.crashed(desk)

    session = Session(
        connect_or_leave,
        drafts=DeskDrafts(Drafts(paths.drafts), desk),
        snapshot=Snapshots(paths.snapshots, desk),
        seen=DeskSeen(paths.seen, desk),
        runs=Runs(paths.runs, desk),
        snoozes=DeskSnoozes(paths.snoozes, desk),
        views=SavedViews(paths.settings),
        journal=DeskJournal(journal, desk),
        begins=begins,
        recall_seconds=settings.recall_seconds,
        host=host,
    )
    app = CopydeskApp(
        session,
        FIRST_PLACE,
        theme=DARK.name,
        glyphs=_glyphs(settings.glyphs),
        crash=_crash(paths, secrets),
        preload=_preload,
    )
    if settings.theme:
        if settings.theme not in app.available_themes:
            raise UsageError(
                f"{paths.settings}: theme is {settings.theme!r}, which there is not. "
                f"Use one of {', '.join(sorted(app.available_themes))}"
            )
        app.theme = settings.theme
    app.run()
    if not app.return_code:
        journal.closed()
    if unusable:
        raise unusable[0]
    return app.return_code or 0


def _glyphs(wanted: str) -> str:
    """Return which signs to draw: what was asked for, or what this terminal is known to show."""
    if wanted != "auto":
        return wanted
    unicode = "utf" in (_locale() or sys.stdout.encoding or "").lower()
    return "unicode" if unicode and os.environ.get("TERM") not in ("dumb", "linux") else "ascii"


def _locale() -> str:
    """Return the locale that was asked for; Python itself reads C as UTF-8, terminals do not."""
    names = ("LC_ALL", "LC_CTYPE", "LANG")
    return next((value for name in names if (value := os.environ.get(name))), "")


def _preload() -> None:
    """Import what the first frame did not need."""
    import copydesk.client.api
    import copydesk.contract.operations  # noqa: F401


def _crash(paths: Paths, secrets: tuple[str, ...]) -> Callable[[BaseException], str]:
    def explain(error: BaseException) -> str:
        from copydesk.local.log import open_log, write_crash

        open_log(paths.log, secrets=secrets)
        where = write_crash(error, paths.log)
        return (
            f"copydesk: something unexpected went wrong ({type(error).__name__}). "
            f"What you typed is kept. Details: {where}"
        )

    return explain
