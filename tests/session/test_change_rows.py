"""Rows of change requests: what they hold, and what is kept of them."""

from __future__ import annotations

import json

from copydesk.contract.models.change_request import ChangeRequest as Request
from copydesk.contract.models.document import Document
from copydesk.contract.models.user import User
from copydesk.domain.merge_rules import RuleResult
from copydesk.local.snapshot import Snapshots
from copydesk.session.change_rows import (
    Details,
    KeptView,
    keep,
    known_requests,
    recall,
    row_of,
    snapshot_name,
)
from copydesk.session.target import Target
from tests.session.rows import NOW, row
from tests.session.test_session import session


def test_a_row_holds_clean_text_and_names_what_has_no_name() -> None:
    request = Request(
        id="1", number=7, subject="\x1b[31m\u202e ", created_at=NOW, updated_at=NOW, space="s"
    )
    made = row_of(request)
    assert made.subject == "(no subject)"
    assert made.author == "someone"
    assert made.label == "#7"
    text = {"object": "text", "leaves": [{"object": "leaf", "text": " One\nline.\x07"}]}
    block = {"object": "block", "type": "paragraph", "nodes": [text]}
    request.description = Document.model_validate({"nodes": [block, block]})
    assert row_of(request).description == "One\nline.\n\n One\nline."


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
    keep(snapshot, "untitled", KeptView(rows, {}))
    assert [each["title"] for each in snapshot.read("untitled")[1:]] == ["", ""]
    whole = dict(snapshot.read("changes")[1])
    for broken in ({"id": 5}, {"updated": "soon"}, {"threads": True}, {"created": None}):
        snapshot.write("changes", [{"total": 2}, whole | broken, {}, whole])
        assert recall(snapshot, "changes").rows == rows[:1]
    snapshot.write("changes", [{"total": 1}, whole | {"subject": "\x1b[31mred"}])
    assert recall(snapshot, "changes").rows[0].subject == "red"
    snapshot.write("changes", [{"total": 1}, {k: v for k, v in whole.items() if k != "title"}])
    assert recall(snapshot, "changes").titles == {"s": ""}
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


def test_how_many_rules_pass_and_whether_nothing_changes_is_known_once_it_is_read() -> None:
    rules = [RuleResult("r", outcome, "") for outcome in ("pass", "fail", "pass", "unknown")]
    assert (Details(rules=rules).passed, Details().passed) == (2, 0)
    assert Details(pages=[]).empty
    assert not Details().empty
    assert not Details(pages=[], more_pages=1).empty
    assert not Details(pages=[], unlooked="not looked at").empty


def test_a_view_of_a_place_is_kept_under_its_own_name() -> None:
    names = [
        snapshot_name(target, "o", "open")
        for target in (Target(), Target(space="s"), Target(cluster="c"))
    ]
    assert names == ["changes o - - open", "changes o s - open", "changes o - c open"]


async def test_what_is_known_of_requests_is_of_the_session() -> None:
    ours = session()
    known = known_requests(ours)
    assert (known.me(), known.clock()) == ("", ours.clock())
    ours.me = User(id="me")
    assert known.me() == "me"
    assert known.now() == ours.now
    asleep = row(1)
    assert not known.snoozed(asleep)
    assert not known.marks(asleep)
