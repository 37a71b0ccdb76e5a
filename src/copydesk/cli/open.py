"""Opening the program: the screens over the embedded desk, or over a service.

Before the first paint only Textual, SQLite and the standard library are imported; the client, the
contract and the desk follow in a thread behind it.
"""

from __future__ import annotations

import gc
import os
import sys
from typing import TYPE_CHECKING

from copydesk.cli.connection import OWN, Connection, Service, session_for
from copydesk.cli.edge import UsageError
from copydesk.local.journal import Journal
from copydesk.local.paths import Paths, find_paths
from copydesk.local.settings import load_settings

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from copydesk.client.api import Api
    from copydesk.tui.places import Target

FIRST_PLACE = "spaces"


def open_desk(*, service: Service = OWN) -> int:
    """Open the screens and return the exit status once they are closed."""
    # Collecting garbage while starting up only finds what is about to be used (speed.md); the
    # application turns it on again when it is ready.
    gc.disable()
    connection = service.connection()
    return _run(_terminal(), connection)


def open_address(*, url: str, service: Service = OWN) -> int:
    """Open the screens where an address of the platform's application points.

    Raises ``UsageError`` for one that names nothing known.
    """
    place, target = _pointed(url)
    gc.disable()
    connection = service.connection()
    return _run(_terminal(), connection, place, target)


def _pointed(url: str) -> tuple[str, Target]:
    """Return the place that an address points at, and what it shows there."""
    from copydesk.domain.address import parse_app_url
    from copydesk.domain.text import clean, shorten
    from copydesk.tui.places import Target

    found = parse_app_url(url)
    if found is None:
        raise UsageError(
            f"{shorten(clean(url), 80)} names no organization (/o/…), space (/s/…) or site "
            "(/sites/…) of the application"
        )
    ids = Target(organization=found.organization, space=found.space)
    if found.space is not None and found.change_request is not None:
        return "review", ids.but(change_request=found.change_request)
    if found.space is not None:
        return "pages", ids
    if found.site is not None:
        return "site-structure", ids.but(site=found.site)
    return FIRST_PLACE, ids


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


def _run(
    paths: Paths, connection: Connection, first: str = FIRST_PLACE, target: Target | None = None
) -> int:
    from copydesk.tui.app import CopydeskApp
    from copydesk.tui.theme import DARK

    unusable: list[UsageError] = []

    async def connect_or_leave() -> Api:
        try:
            return await connection.connect()
        except UsageError as error:
            # Nothing on the screens can mend that: close them, and say it where it stays.
            unusable.append(error)
            app.exit()
            raise ConnectionError(str(error)) from error

    settings = load_settings(paths.settings)
    journal = Journal(paths.journal)

    session = session_for(
        connection,
        paths,
        journal,
        connect=connect_or_leave,
        recall_seconds=settings.recall_seconds,
    )
    app = CopydeskApp(
        session,
        first,
        target,
        theme=DARK.name,
        glyphs=_glyphs(settings.glyphs),
        crash=_crash(paths, connection.secrets),
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


def _crash(paths: Paths, secrets: Sequence[str]) -> Callable[[BaseException], str]:
    def explain(error: BaseException) -> str:
        from copydesk.local.log import open_log, write_crash

        open_log(paths.log, secrets=secrets)
        where = write_crash(error, paths.log)
        return (
            f"copydesk: something unexpected went wrong ({type(error).__name__}). "
            f"What you typed is kept. Details: {where}"
        )

    return explain
