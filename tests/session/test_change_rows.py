"""Rows of change requests: what they hold, and what is kept of them."""

from __future__ import annotations

import json

from copydesk.contract.models.change_request import ChangeRequest as Request
from copydesk.local.snapshot import Snapshots
from copydesk.session.change_rows import (
    keep,
    recall,
    row_of,
)
from tests.session.rows import NOW, row, title


def test_a_row_holds_clean_text_and_names_what_has_no_name() -> None:
    request = Request(
        id="1", number=7, subject="\x1b[31m\u202e ", created_at=NOW, updated_at=NOW, space="s"
    )
    made = row_of(request)
    assert made.subject == "(no subject)"
    assert made.author == "someone"
    assert made.label == "#7"


def test_rows_are_kept_as_plain_data_and_nothing_broken_comes_back() -> None:
    snapshot = Snapshots()
    rows = [row(1, cluster="c"), row(2, outdated=True, threads=3)]
    keep(snapshot, "changes", rows, title)
    assert recall(snapshot, "changes") == (rows, {"s": "Platform"})
    json.dumps(list(snapshot.read("changes")))
    whole = dict(snapshot.read("changes")[0])
    for broken in ({"id": 5}, {"updated": "soon"}, {"threads": True}, {"created": None}):
        snapshot.write("changes", [whole | broken, {}, whole])
        assert recall(snapshot, "changes")[0] == rows[:1]
    snapshot.write("changes", [whole | {"subject": "\x1b[31mred"}])
    assert recall(snapshot, "changes")[0][0].subject == "red"
