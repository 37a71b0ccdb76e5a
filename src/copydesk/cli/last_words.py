"""What is said on the terminal once the screens are gone: why, and what could not be kept."""

from __future__ import annotations

import signal
from typing import TYPE_CHECKING

from copydesk.cli.edge import say

if TYPE_CHECKING:
    from copydesk.tui.app import CopydeskApp


def last_words(app: CopydeskApp) -> None:
    """Say what ended the screens if that was no key, and print what is nowhere on the disk."""
    if app.ended_by == getattr(signal, "SIGHUP", None):
        return  # nobody is there
    drafts = app.session.counted
    drafts.again()
    if app.explained:
        say(app.explained)
    if app.ended_by is not None:
        say(f"copydesk: ended by {app.ended_by.name}. {app.kept_typed}")
    if drafts.unkept:
        from copydesk.tui.draft_keys import belonging

        say(f"copydesk: this could not be kept on disk ({drafts.trouble}). Copy it from here:")
        for key, text in drafts.unkept.items():
            found = belonging(key)
            about = "text" if found is None else found.words
            shown = text if found is None else found.summary(text)
            say(f"\n--- {about}\n{shown}")
