"""``copydesk clusters report``, ``issues`` and ``conversations``: for a meeting, and for tables.

E-mail addresses and phone numbers in what people wrote are masked, as on the screens.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from copydesk.cli.clustering_wait import await_analysis
from copydesk.cli.clusters import find_cluster
from copydesk.cli.connection import OWN, Service
from copydesk.cli.errors import DONE, UsageError, say
from copydesk.cli.log import span
from copydesk.cli.lookup import find_organization
from copydesk.cli.output import Column, put_table
from copydesk.cli.output_file import check_form, give, give_json, give_table
from copydesk.present.cluster_report import report_value
from copydesk.present.cluster_report_file import report_file
from copydesk.present.cluster_tables import (
    clusters_of,
    conversation_entry,
    conversation_value,
    conversations_table,
    issue_value,
    issues_table,
)
from copydesk.session.reads.cluster_report import read_report
from copydesk.session.reads.clusters import (
    read_every_conversation,
    read_every_issue,
    read_names,
)

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.contract.models.organization import Organization

MOST_WEEKS = 12
"""Weeks that a report may be about: of 13 at least one is left to compare with."""

WEEK = 7 * 86_400


def write_report(
    *,
    since: str = "1w",
    form: str | None = None,
    output: Path | None = None,
    force: bool = False,
    organization: str | None = None,
    unmask: bool = False,
    wait: bool = False,
    as_json: bool = False,
    service: Service = OWN,
) -> int:
    """Print a report on the clusters of an organization, or write it to a file.

    Raises ``UsageError`` for a time that is not of whole weeks, and for a file that is there.
    """
    weeks = whole_weeks(since)
    if as_json and form is not None:
        raise UsageError("--json does not go with --format")
    by_name = "html" if output is not None and output.suffix.lower() in (".html", ".htm") else ""
    form = form or by_name or "markdown"

    async def run(api: Api) -> int:
        place = await find_organization(api, organization)
        await await_analysis(api, [place], wait=wait)
        read = await read_report(api, place.id, place.title, weeks, api.now)
        if as_json:
            return give_json(report_value(read, masked=not unmask), output, force=force)
        content = report_file(read, html=form == "html", masked=not unmask)
        return give(content.decode(), content, output, force=force)

    return service.connection().run(run)


def whole_weeks(since: str) -> int:
    """Return how many weeks a span is. Raises ``UsageError`` for other spans."""
    seconds = span(since)
    if not WEEK <= seconds <= MOST_WEEKS * WEEK or seconds % WEEK:
        raise UsageError(
            f"--since {since}: issues are counted by week, 1w to {MOST_WEEKS}w can be told"
        )
    return int(seconds // WEEK)


def list_told(
    *,
    what: str,
    cluster: str | None = None,
    since: str | None = None,
    output: Path | None = None,
    force: bool = False,
    organization: str | None = None,
    unmask: bool = False,
    wait: bool = False,
    as_csv: bool = False,
    as_json: bool = False,
    service: Service = OWN,
) -> int:
    """Print the ``issues`` or the ``conversations`` of an organization, or write them to a file.

    The latest come first.
    """
    check_form(output, as_csv=as_csv, as_json=as_json)
    masked = not unmask

    async def run(api: Api) -> int:
        place, wanted = await _where(api, organization, cluster)
        await await_analysis(api, [place], wait=wait)
        labels = await read_names(api, place.id)
        begin = _begin(api, since)
        if what == "issues":
            issues = await read_every_issue(api, place.id, begin, cluster=wanted)
            values = [issue_value(row, labels, masked=masked) for row in issues]
            table = issues_table(issues, labels, masked=masked) if as_csv else ""
        else:
            found = clusters_of(await read_every_issue(api, place.id))
            rows = [
                conversation_entry(each, found)
                for each in await read_every_conversation(api, place.id, begin)
                if wanted is None or wanted in found.get(each.id, ())
            ]
            values = [conversation_value(row, labels, masked=masked) for row in rows]
            table = conversations_table(rows, labels, masked=masked) if as_csv else ""
        if as_json:
            return give_json(values, output, force=force)
        if as_csv:
            return give_table(table, output, force=force)
        if values:
            put_table([_column(*each) for each in _COLUMNS[what]], values)
        else:
            say(f"There are no {what}.")
        return DONE

    return service.connection().run(run)


_AT_THE_END = (("SOURCE", "source"), ("CREATED", "createdAt"), ("ID", "id"))

_COLUMNS = {
    "issues": (("ISSUE", "title"), ("CLUSTER", "clusterLabel"), *_AT_THE_END),
    "conversations": (("CONVERSATION", "subject"), ("ISSUES", "issues"), *_AT_THE_END),
}
"""The headings and the fields of what is printed."""


async def _where(
    api: Api, organization: str | None, cluster: str | None
) -> tuple[Organization, str | None]:
    """Return the organization, and the id of the cluster that is named. Raises ``UsageError``."""
    if cluster is None:
        return await find_organization(api, organization), None
    found = await find_cluster(api, cluster, organization)
    return found.place, found.row.id


def _begin(api: Api, since: str | None) -> datetime | None:
    return None if since is None else api.now - timedelta(seconds=span(since))


def _column(heading: str, field: str) -> Column[dict[str, Any]]:
    """Return a column of a field: of a time the day, a dash for nothing."""
    right, gives = field == "issues", field in ("title", "clusterLabel", "subject")

    def cell(value: dict[str, Any]) -> str:
        said = str(value[field] or ("0" if right else "-"))
        return said[:10] if field == "createdAt" else said

    return Column(heading, cell, right=right, gives=gives)
