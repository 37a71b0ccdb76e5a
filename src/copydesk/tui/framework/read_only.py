"""Texts of our own in a read-only session: they name no key of an action that is away there.

Which are away is declared (`framework.actions.away`). The client of such a session refuses writes
too, before anything is sent; what stays on this machine (drafts, views, what was seen) goes on.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rich.style import Style
from rich.text import Text

from copydesk.present.facts import _HINT
from copydesk.tui.framework.actions import actions_of, away
from copydesk.tui.framework.desk_app import desk_of

if TYPE_CHECKING:
    from textual.widget import Widget

    from copydesk.tui.framework.desk_app import DeskApp


_KEY = r"(?:[A-Za-z<>]|ctrl\+[a-z])"
_TOLD = (
    rf"(?:^|(?<=[.;:,!?]) | {{3}}|\()(?:Esc, then )?(?P<key>{_KEY})"
    rf"(?:(?: and {_KEY})+ [a-z]+|(?:, then {_KEY}| in [A-Z]\w+)? [a-z]+s)\b[^.;)]*[.;)]?"
)
"""A sentence, or a part of one, that begins with a key: ``ctrl+n makes one.`` Only a session that
just reads compiles it: no other start waits for that."""


def _reads_only(owner: Widget) -> DeskApp | None:
    """Return the program where its session only reads."""
    app = desk_of(owner)
    session = getattr(app, "session", None)
    return app if session is not None and session.read_only else None


def offered(owner: Widget, text: str) -> str:
    """Return a text of our own without what names keys that are away, where something is shown."""
    app = _reads_only(owner)
    if app is None or not text:
        return text
    chain = app.keyboard.chain(owner.screen)
    actions = actions_of(chain)
    there = {key for _, each in actions if not away(app.session, each) for key in each.keys}
    left = re.sub(_TOLD, lambda told: told[0] if told["key"] in there else "", text)
    if left == text:
        return text
    left = left.rstrip(" ,;:")
    return f"{left}." if left and left[-1].isalnum() and text.endswith(".") else left


def offered_text(owner: Widget, text: Text) -> Text:
    """Do the same with the hints (`hint`) in a text, and leave all else of it as it is."""
    if _reads_only(owner) is None:
        return text
    marked = sorted(
        (span.start, span.end)
        for span in text.spans
        if isinstance(span.style, Style) and span.style.meta.get(_HINT)
    )
    if not marked:
        return text
    left, at = Text(style=text.style), 0
    for start, end in marked:
        said = text[start:end]
        told = offered(owner, said.plain)
        left.append_text(text[at:start])
        if told == said.plain:
            left.append_text(said)
        else:
            left.append(told, style="muted")
        at = end
    left.append_text(text[at:])
    left.rstrip()
    return left
