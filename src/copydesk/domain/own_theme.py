"""Themes of a person's own: colours by what they mean, over a theme that has the rest."""

from __future__ import annotations

from collections.abc import Mapping

from copydesk.domain.late_dataclass import dataclass

BASES = ("dark", "light", "colour-blind", "colour-blind-light")
"""The themes that another one may be made of."""

TAKEN = ("auto", *BASES, "ansi", "ansi-light", "mono")
"""The names that no other theme may have."""

ROLES: Mapping[str, str] = {
    "background": "what all of it is on",
    "surface": "what lies on that, as dialogs do",
    "panel": "what is set off, as header, footer and code are",
    "text": "text",
    "dim": "what is old, off or hidden",
    "here": "where one is: focus, current tab, links",
    "act": "what someone must act on",
    "good": "done, ready, added",
    "bad": "failed, refused, removed",
    "mine": "one's own, and not sent yet",
}
"""What has a colour, and what that means."""


@dataclass(frozen=True, slots=True)
class OwnTheme:
    """A theme: its name, the theme that it is made of, and its colours by their roles."""

    name: str
    base: str
    colours: Mapping[str, str]
