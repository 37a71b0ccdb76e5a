"""Sites as cells and sentences."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING
from urllib.parse import quote

from rich.text import Text

from copydesk.domain.address import web_address
from copydesk.domain.age import age
from copydesk.domain.text import clean, plural
from copydesk.tui.widgets.facts import Fact

if TYPE_CHECKING:
    from copydesk.contract.models.site import Site

AUDIENCES: Mapping[str, str] = {
    "public": "everybody",
    "unlisted": "whoever has the address",
    "share-link": "whoever has a share link",
    "visitor-auth": "signed-in visitors",
}
"""Who can read a site, by its visibility."""


@dataclass(frozen=True, slots=True)
class SiteRow:
    """One site in a list; texts are clean."""

    id: str
    title: str
    visibility: str
    published: bool
    spaces: int
    address: str
    plan: str
    adaptive: bool
    agents: str
    created: datetime | None


def site_row(site: Site) -> SiteRow:
    """Return the row of a site."""
    host = ""
    if site.hostname:
        host = web_address(f"https://{site.hostname}/{quote(site.basename or '', safe='')}")
    return SiteRow(
        site.id,
        clean(site.title).strip() or "Untitled",
        clean(str(site.visibility)),
        site.published,
        site.site_spaces,
        (web_address(site.urls.published) or host).removesuffix("/"),
        clean(str(site.type)),
        site.adaptive_content is not None and site.adaptive_content.enabled,
        clean(str(site.agents_context or "")),
        site.created_at,
    )


def published(row: SiteRow) -> Text | str:
    """Return whether readers can get it, in a word."""
    return "published" if row.published else Text("not published", style="warn")


def audience(row: SiteRow) -> str:
    """Return who can read a site."""
    return AUDIENCES.get(row.visibility, row.visibility or "not known")


def host(row: SiteRow) -> Text:
    """Return where a site is, without the scheme."""
    where = row.address.removeprefix("https://").removeprefix("http://")
    return Text(where.removesuffix("/"), style="link" if row.published else "muted")


def address(row: SiteRow) -> Text:
    """Return where a site is, as a column says it."""
    return host(row) if host(row).plain else Text("-", style="muted")


def site_facts(row: SiteRow, now: datetime, staged: int = 0, stopped: str = "") -> list[Fact]:
    """Return what to know about a site; ``staged`` changes of it are kept on this machine.

    ``stopped`` says how far the sending of them was ("2 of 5") when it was cut off.
    """
    them = "it" if staged == 1 else "them"
    waiting = (
        f"{plural(staged, 'change')}, nothing sent: enter shows {them}, and ctrl+s there sends"
    )
    if stopped:
        waiting = f"{stopped} requests sent: enter goes on with it, or takes it back"
    found = [Fact("staged", Text(waiting, style="warn"))] if staged or stopped else []
    found += [
        Fact("state", published(row)),
        Fact(
            "read by", audience(row) if row.published else f"nobody; once published {audience(row)}"
        ),
        Fact("shows", plural(row.spaces, "space")),
        Fact("address", host(row) if host(row).plain else Text("none yet", style="muted")),
        Fact("plan", row.plan),
    ]
    if row.adaptive:
        found.append(Fact("content", "adapts to its visitors"))
    if row.agents:
        found.append(Fact("agents", "may read it" if row.agents == "included" else "kept out"))
    if row.created is not None:
        since = age(row.created, now)
        found.append(Fact("made", "just now" if since == "now" else f"{since} ago"))
    return found
