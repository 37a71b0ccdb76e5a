"""What somebody is told who opens copydesk and has connected, imported and written nothing yet.

It is about the own desk alone, while it is the sample and nothing else.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from copydesk.cli.connection import Connection
    from copydesk.local.paths import Paths

HIDDEN = "welcome-hidden"
"""The file in the state that says that the hint was hidden."""

HINTS = (
    "This is a sample desk. Your own: copydesk login connects to a service, "
    "copydesk desk import brings files in. esc hides this.",
    "Sample desk. Yours: copydesk login, or copydesk desk import FOLDER. esc hides.",
    "Sample desk: copydesk login, desk import. esc hides.",
)
"""The hint, the longest first: one of them fits into the line."""


class FirstRun:
    """Whether the hint is to be shown (`copydesk.session.profiles.Welcome`)."""

    def __init__(self, paths: Paths, connection: Connection) -> None:
        self._paths, self._key = paths, connection.key

    def hints(self) -> tuple[str, ...]:
        """Return the hint in several lengths; nothing once it is of no use. Reads the disk."""
        from contextlib import closing

        from copydesk.cli.embedded import desk_key
        from copydesk.local.journal import Journal
        from copydesk.local.profiles import Profiles
        from copydesk.local.state import State
        from copydesk.server.sample.untouched import is_untouched

        paths = self._paths
        if self._key != desk_key(None) or self._hidden.exists():
            return ()
        try:
            with closing(State(paths.store)) as store:
                if Profiles(paths.settings).read() or not Journal(store, self._key).is_empty():
                    return ()
        except (OSError, ValueError):
            return ()  # somebody has written settings
        return HINTS if is_untouched(paths.desk) else ()

    def hide(self) -> None:
        """Show it no more, also in later runs. A disk that refuses only brings it back then."""
        from contextlib import suppress

        from copydesk.local.durable import write_file

        with suppress(OSError):
            write_file(self._hidden, b"")

    @property
    def _hidden(self) -> Path:
        return self._paths.state / HIDDEN
