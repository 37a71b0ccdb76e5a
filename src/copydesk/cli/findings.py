"""``copydesk findings``: what is wrong with the content of sites, for people and for scripts.

E-mail addresses and phone numbers in what people wrote are masked, as on the screens.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.text import Text

from copydesk.cli.connection import OWN, Service
from copydesk.cli.errors import DONE, FAILED, LACKING, UsageError, say
from copydesk.cli.lookup import FoundSite, all_sites, candidates, find_site, said_name
from copydesk.cli.output import Column, put, put_facts, put_json, put_table
from copydesk.cli.output_file import check_form, give_json, give_table
from copydesk.client.errors import Forbidden, NotFound, OperationMissing
from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.text import clean, plural, same_name, shorten, shown_title
from copydesk.present.finding import finding_details, finding_facts, kind_text
from copydesk.present.finding_tables import FindingEntry, finding_value, findings_table
from copydesk.present.traffic import per_week, short_count
from copydesk.session.cluster_rows import shown
from copydesk.session.reads.findings import FindingCounts, read_counts, read_finding, read_listed
from copydesk.session.reads.traffic import USUAL

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.contract.models.finding import SiteFinding

COUNTED = 200
"""Of how many findings of a site views and questions are counted: a call or two each."""

CLUSTERS_INSTEAD = (
    "This service has no findings: it has clusters. “copydesk clusters” lists them, g k shows them."
)
"""What to say, and what to do, where a service has no findings."""


@dataclass(frozen=True, slots=True)
class FoundFinding:
    """A finding and the site that it is of."""

    model: SiteFinding
    site: FoundSite

    @property
    def title(self) -> str:
        """Its title, clean and masked."""
        return shown(shown_title(self.model.title), masked=True)

    @property
    def ids(self) -> tuple[str, str]:
        """The ids of the organization and the site."""
        return self.site.organization, self.site.id

    @property
    def named(self) -> str:
        """Its title, its id and its site, as a sentence names it."""
        return f"{shorten(self.title)} ({clean(self.model.id)}; {self.site.title})"


def list_findings(
    *,
    site: str | None = None,
    status: str | None = None,
    kind: str | None = None,
    organization: str | None = None,
    unmask: bool = False,
    as_csv: bool = False,
    output: Path | None = None,
    force: bool = False,
    as_json: bool = False,
    service: Service = OWN,
) -> int:
    """Print the findings of every site, or of one; those of a status or a kind."""
    check_form(output, as_csv=as_csv, as_json=as_json)
    hide = partial(shown, masked=not unmask)

    async def run(api: Api) -> int:
        found = await _findings(api, site, organization, status=status, kind=kind)
        rows = await _entries(api, found)
        now = api.now
        if as_json:
            values = [
                {**finding_value(row, hide), "organization": each.site.organization,
                 "site": each.site.id}
                for row, each in zip(rows, found, strict=True)
            ]  # fmt: skip
            return give_json(values, output, force=force)
        if as_csv:
            return give_table(findings_table(rows, now, hide), output, force=force)
        if not rows:
            say("There are no findings." if status is kind is None else "There are none of these.")
            return DONE
        put_table(_columns(hide, several=len({row.site for row in rows}) > 1), rows)
        return DONE

    return service.connection().run(run)


def _columns(hide: Callable[[str], str], *, several: bool) -> list[Column[FindingEntry]]:
    columns = [
        Column[FindingEntry]("FINDING", lambda row: hide(clean(row.model.title)), gives=True),
        Column("KIND", lambda row: kind_text(row.model)),
        Column("SEVERITY", lambda row: row.model.severity),
        Column("STATUS", lambda row: row.model.status),
        Column("ASKED", lambda row: str(row.model.records), right=True),
        Column("VIEWS", lambda row: _views(row.views), right=True),
        Column[FindingEntry]("CR", lambda row: str(row.model.change_requests or "-"), right=True),
    ]
    if several:
        columns.append(Column("SITE", lambda row: row.site, gives=True))
    return [*columns, Column("ID", lambda row: row.model.id)]


def _views(views: int | None) -> str:
    return "-" if views is None else short_count(per_week(views, USUAL.days))


def show_finding(
    *,
    finding: str,
    site: str | None = None,
    organization: str | None = None,
    unmask: bool = False,
    as_json: bool = False,
    service: Service = OWN,
) -> int:
    """Print one finding, with its change requests, pages and questions."""
    hide = partial(shown, masked=not unmask)

    async def run(api: Api) -> int:
        found = await _find(api, finding, site, organization)
        [row] = await _entries(api, [found])
        details = await read_finding(api, found.ids, found.model.id)
        now = api.now
        if as_json:
            put_json(
                {
                    **finding_value(row, hide),
                    "organization": found.site.organization,
                    "site": found.site.id,
                    "requests": [each.to_dict() for each in details.requests],
                    "onPages": [each.to_dict() for each in details.pages],
                    "asked": [
                        {"id": each.id, "question": hide(clean(each.question)),
                         "answers": each.stats.answers}
                        for each in details.questions
                    ],
                }
            )  # fmt: skip
            return DONE
        put(hide(shown_title(found.model.title)), "strong")
        put("")
        said = [(label, hide(str(text))) for label, text in finding_details(found.model, now)]
        put_facts(
            [
                *(each for each in said if not each[0]),
                *([("", "")] if said and not said[0][0] else []),
                ("site", row.site),
                ("kind", kind_text(found.model)),
                ("severity", found.model.severity),
                ("status", found.model.status),
                *(each for each in said if each[0]),
                *([] if row.views is None else [("traffic", f"{_views(row.views)} views a week")]),
                *finding_facts(details, now, hide, Text("none yet")),
            ]
        )
        return DONE

    return service.connection().run(run)


async def _findings(
    api: Api, site: str | None, organization: str | None, **asked: str | None
) -> list[FoundFinding]:
    """Return the findings of a site or of all, in the order of the service.

    Raises ``UsageError`` where the service has none at all, and ``ApiError``.
    """
    sites = (
        [await find_site(api, site, organization)]
        if site is not None
        else await all_sites(api, organization)
    )
    given: dict[str, Any] = {"order_by": "sources"}
    if asked.get("status"):
        given["status"] = asked["status"]
    if asked.get("kind"):
        given["kind"] = [asked["kind"]]

    async def read(each: FoundSite) -> list[SiteFinding] | None:
        try:
            return await read_listed(api, (each.organization, each.id), **given)
        except OperationMissing as error:
            raise UsageError(CLUSTERS_INSTEAD, LACKING) from error
        except (Forbidden, NotFound):
            if site is not None:
                raise
            return None

    found: list[FoundFinding] = []
    for each, listed in zip(sites, await asyncio.gather(*map(read, sites)), strict=True):
        if listed is None:
            say(f"Those of {each.title} are not listed: you may not see them.")
        found += [FoundFinding(one, each) for one in listed or ()]
    return found


async def _entries(api: Api, found: Sequence[FoundFinding]) -> list[FindingEntry]:
    """Return findings with what is counted of them; of the first of a site only."""

    async def read(site: FoundSite) -> dict[tuple[str, str], FindingCounts]:
        mine = [each.model for each in found if each.site.id == site.id]
        if len(mine) > COUNTED:
            left = plural(len(mine) - COUNTED, "finding")
            say(f"Views of {left} of {site.title} not counted: findings show ID counts one.")
        read = await read_counts(api, (site.organization, site.id), mine[:COUNTED], api.now)
        return {(site.id, name): each for name, each in read.items()}

    sites = {each.site.id: each.site for each in found}
    every = await asyncio.gather(*map(read, sites.values()))
    counts = {key: count for each in every for key, count in each.items()}
    nothing = FindingCounts()
    return [
        FindingEntry(each.model, each.site.title, of.views, of.pulse)
        for each in found
        for of in [counts.get((each.site.id, each.model.id), nothing)]
    ]


async def _find(api: Api, wanted: str, site: str | None, organization: str | None) -> FoundFinding:
    """Return the finding with an id, or a title: all of it, or words that only one has.

    Raises ``UsageError`` for none or several.
    """
    said = said_name("finding", wanted)
    everything = await _findings(api, site, organization)
    found = [each for each in everything if each.model.id == wanted.strip()]
    found = found or [each for each in everything if same_name(each.model.title, wanted)]
    found = found or [each for each in everything if _has(each.model.title, wanted.split())]
    if len(found) == 1:
        return found[0]
    named = candidates(wanted, [(each.title, each.named) for each in found or everything])
    if found:
        raise UsageError(f"several findings have the name {said}: {named}. Use an id.")
    there = f" There are: {named}." if everything else " There are none."
    raise UsageError(f"no finding has the name {said}.{there}", FAILED)


def _has(title: str, words: Iterable[str]) -> bool:
    return all(word.casefold() in title.casefold() for word in words)
