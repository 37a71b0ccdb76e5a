"""What the screens keep staged of a site, while the command line changes it."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING

from copydesk.cli.structure import read_layout
from copydesk.domain.site_arrangement import SiteArrangement
from copydesk.session.draft_keys import structure_key

if TYPE_CHECKING:
    from copydesk.cli.site_lookup import FoundSite
    from copydesk.client.api import Api
    from copydesk.domain.arrange_run import ArrangeRun
    from copydesk.domain.layout import Layout
    from copydesk.session.session import Session

FIRST = 1_000_000
"""Where the numbers of provisional ids begin: none of the screens is taken for one of ours."""


def beginning(layout: Layout, site: FoundSite) -> SiteArrangement:
    """Return nothing staged on what a site is."""
    return replace(SiteArrangement.on(layout, site.organization, site.id), count=FIRST)


async def changes_kept(session: Session, site: FoundSite) -> int:
    """Return how many changes the screens keep staged for a site on this machine."""
    text = await asyncio.to_thread(session.drafts.load, structure_key(site.id)) or ""
    return sum(line.startswith("- ") for line in text.splitlines())


async def taken_in(session: Session, api: Api, run: ArrangeRun, site: FoundSite) -> bool:
    """Forget a run that is over, once what the screens keep staged goes on from what it came to.

    What they staged and it sent is not staged any more, and what it made has its id there. True
    where something is left staged of what they began to send. Raises ``ApiError`` when the site
    cannot be read, ``OSError`` when the disk refuses.
    """
    left = False
    key = structure_key(site.id)
    text = await asyncio.to_thread(session.drafts.load, key) or ""
    kept = SiteArrangement.from_text(text, site.organization, site.id) if text else None
    if kept is not None:
        begun_there = text.rpartition("\n")[2] == run.staged.rpartition("\n")[2]
        if begun_there or any(row in kept.now for row in run.made):
            layout = await read_layout(api, site)
            after = run.still_staged(kept, layout) if begun_there else kept.bound(run.made)
            after = after.rebase(layout).arrangement
            await asyncio.to_thread(_keep, session, key, after)
            left = begun_there and after.dirty
    await session.arranging.taken_in(run)
    return left


def _keep(session: Session, key: str, arrangement: SiteArrangement) -> None:
    if arrangement.dirty:
        lines = [f"- {call.line}" for call in arrangement.calls()]
        session.drafts.save(key, arrangement.to_text(lines))
    else:
        session.drafts.drop(key)
