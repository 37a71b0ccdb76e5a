"""``copydesk cr check``: the built-in checks and those of the settings, on a change request."""

from __future__ import annotations

from typing import TYPE_CHECKING

from copydesk.cli.connection import OWN, Service
from copydesk.cli.cr import Found, run_on
from copydesk.cli.errors import DONE, FAILED
from copydesk.cli.lookup import Wanted
from copydesk.cli.output import put, put_json
from copydesk.domain.text import plural
from copydesk.local.paths import find_paths
from copydesk.local.settings_in_use import settings_in_use

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.domain.checks import Finding
    from copydesk.session.checks import CheckedPage


def check_request(
    *,
    wanted: Wanted,
    every: bool = False,
    as_json: bool = False,
    service: Service = OWN,
) -> int:
    """Print what checks find in what a change request changes, or in ``every`` line of its pages.

    Returns 1 where something is found, or a check did not do its work. Raises ``SettingsError``,
    also where a check of the settings cannot be run: without it nothing would be found.
    """
    from copydesk.session.checks import read_pages, run_checks
    from copydesk.session.reads.review import read_request

    connection = service.connection()
    found = settings_in_use(find_paths().settings, connection.profile, "checks")
    checks = found.settings.checks

    async def check(api: Api, found: Found) -> int:
        given, there = found
        pages = await read_pages(api, await read_request(api, there.id, given.id))
        outcomes = [each async for each in run_checks(checks, pages)]
        shown = [
            finding
            for each in outcomes
            for finding in (*each.findings, *(each.older if every else ()))
        ]
        if as_json:
            put_json(
                {
                    "findings": [_plain(each, pages) for each in shown],
                    "checks": [
                        {
                            "name": each.check,
                            "findings": len(each.findings),
                            "older": len(each.older),
                            "trouble": each.trouble or None,
                            "unread": list(each.unread),
                        }
                        for each in outcomes
                    ],
                }
            )
        else:
            _print(shown, pages)
            for outcome in outcomes:
                put(outcome.said)
            if len({each.check for each in shown}) > 1:
                put(f"{plural(len(shown), 'finding')} in all.")
        failed = any(each.findings or each.trouble for each in outcomes)
        return FAILED if failed else DONE

    return run_on(connection, wanted, check)


def _print(shown: list[Finding], pages: list[CheckedPage]) -> None:
    """Print findings page by page, as compilers do: file, line, and message."""
    for page in pages:
        found = [each for each in shown if each.page == page.id]
        for each in sorted(found, key=lambda finding: finding.line):
            put(f"{page.name}:{each.line}: {each.said}")


def _plain(finding: Finding, pages: list[CheckedPage]) -> dict[str, object]:
    name = next(page.name for page in pages if page.id == finding.page)
    return {
        "page": finding.page,
        "file": name,
        "line": finding.line,
        "check": finding.check,
        "rule": finding.rule,
        "text": finding.text,
    }
