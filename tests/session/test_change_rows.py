"""Rows of change requests: what they hold, and what is kept of them."""

from __future__ import annotations

import json

from copydesk.contract.models.change_request import ChangeRequest as Request
from copydesk.local.snapshot import Snapshots
from copydesk.session.change_rows import (
    KeptView,
    keep,
    recall,
    row_of,
)
from tests.session.rows import NOW, row


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
    view = KeptView(
        rows,
        {"s": "Platform"},
        9,
        {"open": 9, "ready": 2},
        ["7 are outside."],
        {row.id: {"rules": ("1/2", "warn")} for row in rows},
    )
    keep(snapshot, "changes", view)
    assert recall(snapshot, "changes") == view
    json.dumps(list(snapshot.read("changes")))
    whole = dict(snapshot.read("changes")[1])
    for broken in ({"id": 5}, {"updated": "soon"}, {"threads": True}, {"created": None}):
        snapshot.write("changes", [{"total": 2}, whole | broken, {}, whole])
        assert recall(snapshot, "changes").rows == rows[:1]
    snapshot.write("changes", [{"total": 1}, whole | {"subject": "\x1b[31mred"}])
    assert recall(snapshot, "changes").rows[0].subject == "red"
    bare = KeptView(rows[:1], {"s": "Platform"}, cells={rows[0].id: {}})
    for odd in ({"total": "9"}, {"counts": [1]}, {"counts": {"a": "b"}}, {"last_lines": 7}):
        for cells in (7, {"rules": ["1/2"]}, {"rules": ["1/2", "blink"]}, {"rules": [1, "warn"]}):
            snapshot.write("changes", [{"total": None} | odd, whole | {"cells": cells}])
            assert recall(snapshot, "changes") == bare
    snapshot.write("changes", [{"total": None, "last_lines": ["\x1b[31mred"]}, whole])
    assert recall(snapshot, "changes").last_lines == ["red"]
    # Without that it is not known to be what was shown of the view.
    snapshot.write("changes", [whole])
    assert recall(snapshot, "changes") == KeptView()
