"""``copydesk search``: the pages that have some words, section by section, as on the screens."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from copydesk.cli.connection import OWN, Service
from copydesk.cli.errors import DONE, LACKING, UsageError, say
from copydesk.cli.lookup import PAGE, find_organizations, find_site, find_space
from copydesk.cli.output import Column, put_json, put_table
from copydesk.client.errors import OperationMissing
from copydesk.domain.text import clean
from copydesk.present.search import excerpt, page_title
from copydesk.session.reads.search import Hit, nothing_found, read_hits, unfit

if TYPE_CHECKING:
    from copydesk.client.api import Api


def search_pages(
    *,
    words: Sequence[str],
    space: str | None = None,
    site: str | None = None,
    organization: str | None = None,
    as_json: bool = False,
    service: Service = OWN,
) -> int:
    """Print what has all of these words: in a space, in a site, else in every organization."""
    wanted = " ".join(words).strip()
    if not wanted:
        raise UsageError("say what to look for")
    if (why := unfit(wanted)) is not None:
        raise UsageError(f"{why[:1].lower()}{why[1:].removesuffix('.')}")

    async def run(api: Api) -> int:
        where, among, titles = await _places(api, space, site, organization)
        found: list[Hit] = []
        more = False
        try:
            reading = [read_hits(api, wanted, limit=PAGE, **place) for place in among]
            for page in await asyncio.gather(*reading):
                found, more = [*found, *page.items], more or page.next is not None
        except OperationMissing as error:
            named = "in a site: --space names a space" if site else "pages"
            raise UsageError(f"this service cannot search {named}.", LACKING) from error
        now = api.now
        if as_json:
            put_json([_value(hit, titles, now) for hit in found])
        elif found:
            columns = [
                Column[Hit]("PAGE", lambda hit: page_title(hit, now), gives=True),
                Column[Hit]("PATH", lambda hit: (hit.section or hit.page).path, gives=True),
                Column("SAYS", lambda hit: excerpt(hit, now) or "", gives=True),
            ]
            if not space:
                columns.insert(1, Column("SPACE", lambda hit: hit.space_title, gives=True))
            put_table(columns, found)
        else:
            say(nothing_found(wanted, where))
        if more:
            say(f"There are more than these {len(found)}: more words, or --space, find fewer.")
        return DONE

    return service.connection().run(run)


async def _places(
    api: Api, space: str | None, site: str | None, organization: str | None
) -> tuple[str, list[dict[str, str]], dict[str, str]]:
    """Return where is searched as a sentence says it, as `read_hits` takes it, and known titles."""
    if space is not None:
        there = await find_space(api, space, organization)
        asked = {"organization": there.organization, "space": there.id}
        return "of this space", [asked], {there.id: there.title}
    if site is not None:
        shown = await find_site(api, site, organization)
        return "of this site", [{"organization": shown.organization, "site": shown.id}], {}
    among = await find_organizations(api, organization)
    where = "of this organization" if organization else "that you can see"
    return where, [{"organization": each.id} for each in among], {}


def _value(hit: Hit, titles: dict[str, str], now: datetime) -> dict[str, Any]:
    """Return a result for scripts; a record has no space."""
    said = excerpt(hit, now)
    return {
        "space": hit.space or None,
        "spaceTitle": clean(hit.space_title) or titles.get(hit.space) or None,
        "page": clean(hit.page.id),
        "title": clean(hit.page.title),
        "under": [clean(each.title) for each in hit.page.ancestors],
        "section": clean(hit.section.title) if hit.section is not None else None,
        "path": clean((hit.section or hit.page).path),
        "says": None if said is None else said.plain,
        "link": hit.url,
    }
