"""Sites as cells and sentences."""

from __future__ import annotations

from datetime import datetime

from rich.text import Text

from copydesk.domain.moments import told_ago
from copydesk.domain.text import plural
from copydesk.present.facts import Fact, hint
from copydesk.session.site_rows import SiteRow, audience


def published(row: SiteRow) -> Text | str:
    """Return whether it is published, in a word."""
    return "published" if row.published else Text("not published", style="warn")


def host(row: SiteRow) -> Text:
    """Return the address of a site without the scheme."""
    where = row.address.removeprefix("https://").removeprefix("http://")
    return Text(where.removesuffix("/"), style="link" if row.published else "muted")


def address(row: SiteRow) -> Text:
    """Return the address of a site for a column."""
    return host(row) if host(row).plain else Text("-", style="muted")


def site_facts(row: SiteRow, now: datetime, staged: int = 0, stopped: str = "") -> list[Fact]:
    """Return the facts of a site; ``staged`` is the number of its staged changes.

    ``stopped`` is the progress of an interrupted run ("2 of 5").
    """
    them = "it" if staged == 1 else "them"
    waiting = (
        f"{plural(staged, 'change')}, nothing sent: enter shows {them}, and ctrl+s there sends"
    )
    if stopped:
        waiting = f"{stopped} calls sent: enter goes on with it, or undoes it"
    found = [Fact("staged", hint(waiting, "warn"))] if staged or stopped else []
    found += [
        Fact("state", published(row)),
        Fact(
            "read by", audience(row) if row.published else f"no one; once published {audience(row)}"
        ),
        Fact("shows", plural(row.spaces, "space")),
        Fact("address", host(row) if host(row).plain else Text("none yet", style="muted")),
        Fact("plan", row.plan),
    ]
    if row.adaptive:
        found.append(Fact("content", "adapts to its visitors"))
    if row.agents:
        found.append(
            Fact("agents", "may read it" if row.agents == "included" else "may not read it")
        )
    if row.created is not None:
        found.append(Fact("made", told_ago(row.created, now)))
    return found
