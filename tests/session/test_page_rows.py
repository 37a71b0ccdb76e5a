"""Pages and links as rows, and waiting threads as they are kept for the next start."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from copydesk.contract.models.base import ContentReference
from copydesk.contract.models.content import ContentPage
from copydesk.contract.models.link import Link
from copydesk.local.snapshot import Snapshots
from copydesk.session.inbox_rows import KEPT, InboxRow, keep, recall
from copydesk.session.page_rows import LinkRow, PageRow, link_rows, page_rows, reference, with_facts
from tests.session.reads.told import plain

NOW = datetime(2026, 3, 2, 12, tzinfo=UTC)


def page(row: str, *inside: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {
        "id": row, "title": row.upper(), "type": "document", "slug": row, "path": row,
        "pages": list(inside), **more,
    }  # fmt: skip


def test_a_tree_of_pages_is_rows_each_page_once() -> None:
    given = [
        page("a", page("a"), page("b", page("c"), title="\x07")),
        page("d", type="link", target={"kind": "url", "url": "https://x.test/\x07"}, hidden=True),
        page("e", type="group", title="", slug="", emoji="1f4d8", icon="book\x07",
             description="On it\x07", updatedAt="2026-03-02T12:00:00Z"),
    ]  # fmt: skip
    rows = page_rows([ContentPage.model_validate(each) for each in given])
    assert [plain(row) for row in rows] == [
        {"id": "a", "title": "A", "type": "document", "path": "a", "children": [
            {"id": "b", "title": "b", "type": "document", "path": "b", "above": ["A"], "children": [
                {"id": "c", "title": "C", "type": "document", "path": "c", "above": ["A", "b"]},
            ]},
        ]},
        {"id": "d", "title": "D", "type": "link", "path": "d", "hidden": True,
         "target": "https://x.test/"},
        {"id": "e", "title": "Untitled", "type": "group", "path": "e", "emoji": "1f4d8",
         "icon": "book", "description": "On it", "updated": NOW.isoformat()},
    ]  # fmt: skip
    inner = rows[0].children[0].children[0]
    assert inner.where == "A / b / C"
    assert [row.readable for row in (*rows, PageRow("x", "X", "sheet", "x"))] == [
        True, False, False, True,
    ]  # fmt: skip


def test_the_tags_of_a_page_are_among_its_facts() -> None:
    tags = [{"tag": {"kind": "tag", "tag": {"slug": "a", "label": "Billing\x07"}}},
            {"tag": {"kind": "tag", "tag": "api"}}, {"tag": {"kind": "tag"}}]  # fmt: skip
    (row,) = page_rows([ContentPage.model_validate(page("x", tags=tags))])
    assert with_facts(row, "Text.\n") == (
        "---\ntitle: X\nslug: '/x'\ntags: Billing, api\n---\nText.\n"
    )
    (told,) = page_rows([ContentPage.model_validate(page("x", description="On it", hidden=True))])
    assert with_facts(told, "Text.\n") == (
        "---\ntitle: X\nslug: '/x'\ndescription: On it\nhidden: true\n---\nText.\n"
    )
    (bare,) = page_rows([ContentPage.model_validate(page("x"))])
    assert with_facts(bare, "Text.\n") == "Text.\n"


def test_links_say_where_they_lead_broken_ones_first() -> None:
    targets: list[dict[str, str] | None] = [
        {"kind": "url", "url": "https://x.test/a b"}, {"kind": "page", "page": "p", "space": "s"},
        {"kind": "page", "page": "q"}, {"kind": "page", "page": "p", "space": "t"},
        {"kind": "file", "file": "f\x07"}, {"kind": "space", "space": "u"}, {"kind": "odd\x07"},
    ]  # fmt: skip
    targets.insert(5, None)
    given = [
        {"targetReference": target, "status": "broken" if at in (2, 4) else "ok"}
        for at, target in enumerate(targets)
    ]
    rows = link_rows([Link.model_validate(each) for each in given], "s", {"p": "Page"})
    assert rows == [
        LinkRow("2", "page q", "page", True),
        LinkRow("4", "file f", "file", True),
        LinkRow("0", "https://x.test/a b", "url", False, url="https://x.test/a%20b"),
        LinkRow("1", "Page", "page", False, page="p"),
        LinkRow("3", "Page", "page", False),
        LinkRow("6", "space u", "space", False),
        LinkRow("7", "odd", "odd", False),
    ]


ROW = InboxRow("c", "s", "Guide", "r", 7, "Fix", "Page", "Words", "Lee", NOW, "named", replies=2)


def test_waiting_threads_are_kept_but_for_what_is_done_or_damaged(tmp_path: Path) -> None:
    kept = Snapshots(tmp_path, "desk")
    on_space = replace(ROW, id="d", request="", number=0, subject="")
    assert (ROW.where, ROW.about) == ("#7", "Fix")
    assert (on_space.where, on_space.about) == ("space", "Guide")
    keep(kept, "o", [ROW, replace(ROW, id="x", done="answered"), on_space])
    assert recall(kept, "o") == [ROW, on_space]
    assert recall(kept, "other") == []
    keep(kept, "o", [replace(ROW, id=str(nth)) for nth in range(KEPT + 3)])
    assert len(recall(kept, "o")) == KEPT
    (good,) = kept.read("inbox o")[:1]
    bad: list[dict[str, Any]] = [
        {"at": 3}, {"at": "odd"}, {"number": "7"}, {"number": True}, {"text": None},
        {"why": "odd"}, {"replies": 1.0},
    ]  # fmt: skip
    kept.write("inbox o", [*(good | each for each in bad), good | {"text": "W\x07", "more": 1}])
    assert [row.text for row in recall(kept, "o")] == ["W"]


@pytest.mark.parametrize(
    ("target", "said"),
    [
        ({"kind": "url", "url": "https://a.test/\x07"}, "https://a.test/"),
        ({"kind": "page", "page": "p"}, "Title"),
        ({"kind": "page", "page": "q"}, "page q"),
        ({"kind": "file", "file": "f\x07", "space": "s"}, "file f"),
        ({"kind": "space", "space": "s"}, "space s"),
        ({"kind": "openapi", "spec": "pets"}, "spec pets"),
        ({"kind": "odd\x07"}, "odd"),
        ({"kind": "odd", "odd": {"id": "o", "title": "It\x07"}}, "odd It"),
    ],
)
def test_where_a_reference_leads_is_told(target: dict[str, Any], said: str) -> None:
    assert reference(ContentReference.model_validate(target), {"p": "Title"}) == said
