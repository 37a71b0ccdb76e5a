"""What is said on the terminal once the screens are gone: why, and what could not be kept."""

from __future__ import annotations

import signal
import sys
from contextlib import suppress
from typing import TYPE_CHECKING

from copydesk.cli.errors import say

if TYPE_CHECKING:
    from copydesk.tui.app import CopydeskApp

SENT = ("sending", "unknown")
"""How writes stand that may have arrived."""


def last_words(app: CopydeskApp) -> None:
    """Say what ended the screens if that was no key, and print what is nowhere on the disk."""
    if app.ended_by == getattr(signal, "SIGHUP", None):
        return  # nobody is there
    _forget_keys()
    drafts = app.session.drafts
    drafts.again()
    if app.explained:
        say(app.explained)
    if app.ended_by is not None:
        kept = app.kept_typed
        if app.unkept_typed and not drafts.unkept:
            kept = "What you typed was sent, or is kept."  # while it ended
        say(f"copydesk: ended by {app.ended_by.name}. {kept}".rstrip())
    if drafts.unkept:
        from copydesk.session.draft_keys import belonging

        say(f"copydesk: this could not be kept on disk ({drafts.trouble}). Copy it from here:")
        for key, text in drafts.unkept.items():
            found = belonging(key)
            about = "text" if found is None else found.words
            shown = text if found is None else found.summary(text)
            if any(line.draft == key and line.state in SENT for line in app.session.log):
                about += " (it was sent, and no answer came: look first whether it is there)"
            say(f"\n--- {about}\n{shown}")


def _forget_keys() -> None:
    """Drop what was typed for screens that are gone: it is not meant for the shell."""
    if sys.platform != "win32":
        import termios

        with suppress(termios.error, OSError, ValueError):  # there is no terminal
            termios.tcflush(sys.stdin.fileno(), termios.TCIFLUSH)
