"""Lists by keyset: every row once, whatever others do meanwhile; tokens that are none."""

from __future__ import annotations

import base64
import json
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from copydesk.server import desk_writes
from copydesk.server.errors import Refusal
from copydesk.server.pagination import DEFAULT_LIMIT, paginate, slice_page
from copydesk.server.store import Store, Tx
from tests.world import START


def walk(tx: Tx, limit: int | None, *, descending: bool = True) -> list[list[str]]:
    """Return the pages of the list of users, by time and then id."""
    pages: list[list[str]] = []
    token = None
    while True:
        page = paginate(
            tx,
            lambda row: str(row["id"]),
            source="user",
            keys=("created_at", "id"),
            descending=descending,
            paging={"page": token, "limit": limit},
        )
        pages.append(page.items)
        if page.next is None:
            return pages
        token = page.next.page


def fill(tx: Tx, times: list[int]) -> list[str]:
    """Add users at some seconds; return their ids in the order of time, then id."""
    made = []
    for number, second in enumerate(times):
        then = desk_writes.at(tx, START + timedelta(seconds=second))
        made.append((second, desk_writes.add_user(then, "P", f"p{number}@example.org")))
    return [key for _, key in sorted(made)]


@pytest.mark.long
@given(
    times=st.lists(st.integers(0, 3), max_size=12),
    limit=st.integers(1, 13),
    descending=st.booleans(),
)
def test_pages_hold_every_row_once_and_in_order(
    times: list[int], limit: int, descending: bool
) -> None:
    store = Store(durable=False)
    ids = store.write(lambda tx: fill(tx, times))
    pages = store.read(lambda tx: walk(tx, limit, descending=descending))
    store.close()
    assert [key for page in pages for key in page] == (ids[::-1] if descending else ids)
    assert all(len(page) == limit for page in pages[:-1])
    assert len(pages) == max(1, -(-len(ids) // limit))


def test_rows_that_come_and_go_disturb_no_other() -> None:
    store = Store(durable=False)
    ids = store.write(lambda tx: fill(tx, [0, 1, 2, 3, 4, 5]))

    def read(tx: Tx, page: str | None) -> Any:
        return paginate(
            tx,
            lambda row: row["id"],
            source="user",
            keys=("created_at", "id"),
            paging={"page": page, "limit": 2},
        )

    first = store.read(lambda tx: read(tx, None))
    assert first.items == [ids[5], ids[4]]
    # The row that the token speaks of goes, and so does one not read yet; new ones come on top.
    store.write(lambda tx: tx.run("DELETE FROM user WHERE id IN (?, ?)", ids[4], ids[3]))
    later = desk_writes.at
    store.write(
        lambda tx: desk_writes.add_user(later(tx, START + timedelta(days=1)), "N", "n@example.org")
    )
    second = store.read(lambda tx: read(tx, first.next.page))
    assert second.items == [ids[2], ids[1]]
    assert second.count == 5
    store.close()


def test_the_usual_page_and_the_empty_one() -> None:
    store = Store(durable=False)
    store.write(lambda tx: fill(tx, list(range(DEFAULT_LIMIT + 1))))
    assert [len(page) for page in store.read(lambda tx: walk(tx, None))] == [DEFAULT_LIMIT, 1]
    assert store.read(lambda tx: walk(tx, 0)) == [[]]
    store.close()


def token(value: object) -> str:
    return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")


@pytest.mark.parametrize(
    "page",
    [
        "",
        "x",
        "é",
        "*" * 50,
        token("a"),
        token([]),
        token(["a"]),
        token(["a", "b", "c"]),
        token([["a"], "b"]),
        token([None, "b"]),
        token([True, "b"]),
        token([10**30, "b"]),
        token(["\ud800", "b"]),
        base64.urlsafe_b64encode(b"[" * 100_000).decode(),
    ],
)
def test_what_no_list_gave_is_refused(page: str) -> None:
    store = Store(durable=False)
    with pytest.raises(Refusal) as refusal:
        store.read(lambda tx: paginate(tx, dict, source="user", paging={"page": page, "limit": 2}))
    assert refusal.value.status == 400
    store.close()


@given(st.binary(max_size=40))
def test_no_bytes_break_a_token(data: bytes) -> None:
    token = base64.urlsafe_b64encode(data).decode() + "A"
    with pytest.raises(Refusal):
        slice_page(["a"], str, {"page": token})


@given(st.lists(st.text(), unique=True, max_size=9), st.integers(1, 10))
def test_a_list_in_memory_is_sliced_alike(items: list[str], limit: int) -> None:
    seen: list[str] = []
    page = slice_page(items, str, {"limit": limit})
    seen += page.items
    while page.next is not None:
        page = slice_page(items, str, {"page": page.next.page, "limit": limit})
        seen += page.items
    assert seen == items
    assert page.count == len(items)


def test_a_list_in_memory_that_lost_its_place_says_so() -> None:
    page = slice_page(["a", "b", "c"], str, {"limit": 1})
    assert page.next is not None
    with pytest.raises(Refusal, match="changed"):
        slice_page(["b", "c"], str, {"page": page.next.page, "limit": 1})
