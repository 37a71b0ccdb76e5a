"""``G`` in the list of 45,000: how long until the last row is there, and what is read for it.

The service gives change requests in one order only, so that all of them are read on the way.
"""

from __future__ import annotations

import re

from benchmarks.homes import SCALE, home
from benchmarks.keys import LIST, LIST_PAGES, go, quiet, start
from benchmarks.targets import Figure
from benchmarks.terminal import table

OLDEST = """
    SELECT change_request.number, substr(subject, 1, 9), substr(display_name, 1, 6)
    FROM change_request JOIN user ON user.id = created_by
    JOIN organization ON organization.id = change_request.organization_id
    WHERE organization.title = 'Scale' AND status = 'open'
    ORDER BY change_request.updated_at, change_request.id LIMIT 1
"""
OPEN = """
    SELECT count(*) FROM change_request
    JOIN organization ON organization.id = change_request.organization_id
    WHERE organization.title = 'Scale' AND status = 'open'
"""


def run() -> dict[str, Figure]:
    """Press it, and print what it took."""
    with home(SCALE) as lent, start(lent, LIST, "--debug") as program:
        number, subject, author = lent.row(OLDEST)
        rows = int(lent.find(OPEN))
        last = rf"(?m)^.?>.{{,4}}{number} +{re.escape(subject)}.*{re.escape(author)}"
        go(program, LIST)
        quiet(program, lent)
        before, cpu = lent.sent(polling=True), program.cpu
        pressed = program.press("G")
        shown = program.until(lambda text: re.search(last, text), patience=600.0)
        after, cpu = lent.sent(polling=True) - before, program.cpu - cpu
    pages = after[LIST_PAGES]
    others = after.total() - pages
    table(
        "G in the list of 45,000, until the last row is under the cursor",
        ("rows", "pages read", "other requests", "seconds", "CPU s"),
        [(f"{rows:,}", str(pages), str(others), f"{shown - pressed:.2f}", f"{cpu:.2f}")],
    )
    return {"end.pages": Figure(1000 * pages / rows)}
