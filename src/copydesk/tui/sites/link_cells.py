"""Share links of a site as cells and sentences. The address of one is a secret: see `Link`."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from rich.text import Text

from copydesk.domain.age import age, moment
from copydesk.present.facts import Fact
from copydesk.session.site_rows import Link, SiteRow, no_address, no_effect

NAME_LIMIT = 50
"""Characters of a name."""


def short_effect(site: SiteRow) -> str:
    """Return the same in a few words, for a title; empty when links work."""
    if site.visibility != "share-link":
        return f"no effect: the site is {site.visibility}"
    return "" if site.published else "no effect: not published"


def state(link: Link) -> Text | str:
    """Return whether a link is on, in a word."""
    return Text("on", style="good") if link.active else Text("switched off", style="warn")


def created(link: Link, now: datetime) -> str:
    """Return how old a link is."""
    since = age(link.created, now)
    return "just now" if since == "now" else f"{since} ago" if since else ""


def address(link: Link) -> Text:
    """Return what the list shows of an address: that there is one, never what it is."""
    return Text("hidden" if link.address else "none now", style="muted")


def link_facts(link: Link, site: SiteRow | None, now: datetime, *, revealed: bool) -> list[Fact]:
    """Return what to know about a link; its address only when it was asked for."""
    found = [Fact("state", state(link))]
    if site is not None and (why := no_effect(site)):
        found.append(Fact("", Text(why, style="warn")))
    elif link.active:
        found.append(Fact("opens", "the site, for whoever has its address"))
    else:
        found.append(Fact("opens", "nothing while it is off; x switches it on"))
    if link.created is not None:
        found.append(Fact("made", f"{moment(link.created, now)} ({created(link, now)})"))
    if not link.address:
        found.append(Fact("address", Text(no_address(link, site), style="muted")))
    elif revealed:
        found.append(Fact("address", Text(link.address, style="link")))
        found.append(Fact("", Text("Enter hides it again.", style="muted")))
    else:
        said = "hidden: it is a secret. Enter shows it here, y copies it."
        found.append(Fact("address", Text(said, style="muted")))
    return found


def check_name(text: str) -> str | None:
    """Say what is wrong with the name of a link."""
    if not text:
        return "a link needs a name"
    if len(text) > NAME_LIMIT:
        return f"{len(text)} characters; at most {NAME_LIMIT}"
    return None


def loss(link: Link, site: SiteRow | None) -> Sequence[Text | str]:
    """Return what deleting a link comes to."""
    works = link.active and site is not None and not no_effect(site)
    return [
        "Whoever has its address gets nothing any more"
        + ("." if works else ", also when links would work again."),
        Text("There is no way back: a new link has another address.", style="warn"),
        "x only switches it off, and can be taken back.",
    ]
