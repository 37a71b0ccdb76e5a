"""A session that only reads: what writes is not offered; asked for all the same, it says so.

What counts as a write is declared (`Action.writes`). The client of such a session refuses writes
too, before anything is sent; what stays on this machine (drafts, views, what was seen) goes on.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from copydesk.domain.text import clean

if TYPE_CHECKING:
    from copydesk.tui.actions import Action, Command
    from copydesk.tui.session import Session


def away(session: Session, each: Action | Command) -> bool:
    """Whether an action or a word is not there, because the session only reads."""
    return session.read_only and each.writes


def refusal(session: Session, label: str) -> str:
    """Return why what is called ``label`` is off in a session that only reads."""
    return f"Read-only: {label} is off ({why(session)})."


def why(session: Session) -> str:
    """Return what makes a session read-only, in a few words."""
    if session.read_only_by:
        return clean(session.read_only_by)
    return f"profile {clean(session.profile)}" if session.profile else "--read-only"
