"""News as words: in the header, in their list, and as a notice of the terminal."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from copydesk.domain.text import clean, shorten
from copydesk.session.news import Kind, NewsItem

DID: Mapping[Kind, str] = {
    "approved": "approved",
    "changes": "asks for changes in",
    "asked": "asks you to review",
    "named": "names you on",
    "answered": "answered you on",
    "merged": "merged",
    "unread": "merged unread edits in",
    "stopped": "did not merge",
}
"""What somebody did, before the number of the change request."""

NOTICE = 120
"""Cells of a notice."""

_CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f]")


def news_line(item: NewsItem) -> str:
    """Return an item in a sentence without its end: "mara approved #118"."""
    return f"{item.who} {DID[item.kind]} #{item.number}"


def notice_text(items: Sequence[NewsItem]) -> str:
    """Return what a notice says: the newest, and how many more there are."""
    more = f", and {len(items) - 1} more" if len(items) > 1 else ""
    newest = items[0]
    said = f"{news_line(newest)} {newest.subject}".rstrip()
    return shorten(clean(said), NOTICE - len(more)) + more


def notice_codes(text: str, *, tmux: bool = False) -> str:
    """Return what shows a notice: OSC 9, and OSC 777 for terminals that know that one.

    ``tmux`` passes them on to the terminal around it. No text ends them early.
    """
    safe = _CONTROLS.sub("", clean(text)).replace(";", ",")
    codes = [f"\x1b]9;{safe}\x1b\\", f"\x1b]777;notify;copydesk;{safe}\x1b\\"]
    if tmux:
        codes = ["\x1bPtmux;" + code.replace("\x1b", "\x1b\x1b") + "\x1b\\" for code in codes]
    return "".join(codes)
