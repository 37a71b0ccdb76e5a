"""Lists by keyset: a page starts after the last row of the one before, however many rows there are.

A page token is the sort key of that row, so it stays valid while others add and remove rows, and
every row that was there all along, with the key that it had, comes exactly once. A row whose key
changes on the way (a list by time of change, a sibling that moves) may come twice or not at all.

The place that a token names is only true of the list that gave it: taken to another one, or to the
same one filtered otherwise, it would quietly leave items out. So a token that goes out begins with
a mark of the operation and of everything in the request but ``page`` and ``limit``.
"""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from hashlib import sha256
from typing import Any, TypeVar

from copydesk.contract.models.base import Body, Next, Page, Paging
from copydesk.contract.operation import Operation
from copydesk.server.errors import invalid
from copydesk.server.store import Row, Tx, Value, timestamp

T = TypeVar("T")

_Page = Page[Any]
"""The class of every page, kept here: pydantic takes a millisecond to make it anew."""

DEFAULT_LIMIT = 50
"""How many items a page holds when the request does not say."""


class Conditions:
    """Conditions of a query, joined by AND, with the values of their marks."""

    def __init__(self, where: str = "", *values: Value) -> None:
        self.where, self.values = [where] if where else [], [*values]

    def also(self, condition: str, *values: Value | datetime) -> None:
        """Add a condition, unless one of its values is None: the request does not ask for it."""
        if None not in values:
            self.where.append(condition)
            self.values += [
                timestamp(each) if isinstance(each, datetime) else each for each in values
            ]

    def after(self, statement: str, end: str = "") -> str:
        """Return a statement that ends in a condition, with these beside it, and what follows."""
        return " AND ".join((statement, *(f"({each})" for each in self.where))) + end


def paginate(
    tx: Tx,
    make: Callable[[Row], T],
    *,
    source: str,
    values: Sequence[Value] = (),
    which: Conditions | None = None,
    keys: Sequence[str] = ("created_at", "id"),
    descending: bool = True,
    count: int | None = None,
    prepare: Callable[[Sequence[Row]], None] | None = None,
    indexed: bool = False,
    paging: Paging,
) -> Page[T]:
    """Return one page of the rows of ``source`` (what stands after FROM).

    ``values`` are for the marks in ``source``. ``keys`` are the columns that order the list; the
    last one is unique. ``count`` is the total when the caller keeps it; otherwise it is counted.
    ``prepare`` sees the page's rows before the first item is made, to read at once what all of them
    need. ``indexed``: the conditions and keys of ``source``, a table, are all in one index, and no
    row is read that is not on the page. Raises a 400 for a token that no list gave out.
    """
    page, size = _asked(paging)
    conditions: list[str] = []
    asked = [*values]
    if which is not None:
        conditions += which.where
        asked += which.values
    total: int | None = count
    if total is None:
        total = tx.value(f"SELECT count(*) FROM {source}{_where(conditions)}", *asked)  # noqa: S608 - columns are ours
    if page is not None:
        asked += _read_token(page, len(keys))
        # SQLite walks an index on a row-value comparison, at either end of it.
        sign = "<" if descending else ">"
        conditions.append(f"({', '.join(keys)}) {sign} ({', '.join('?' * len(keys))})")
    direction = "DESC" if descending else "ASC"
    order = ", ".join(f"{key} {direction}" for key in keys)
    names = ", ".join(f"{key} AS key_{index}" for index, key in enumerate(keys))
    chosen = f"FROM {source}{_where(conditions)} ORDER BY {order} LIMIT ?"
    if indexed:
        unique = keys[-1]
        chosen = f"FROM {source} WHERE {unique} IN (SELECT {unique} {chosen}) ORDER BY {order}"
    rows = tx.all(f"SELECT *, {names} {chosen}", *asked, size + 1)
    more = size > 0 and len(rows) > size
    rows = rows[:size]
    if prepare is not None:
        prepare(rows)
    token = _token([rows[-1][f"key_{index}"] for index in range(len(keys))]) if more else None
    return _Page(
        items=[make(row) for row in rows],
        next=None if token is None else Next(page=token),
        count=total,
    )


def slice_page(items: Sequence[T], key: Callable[[T], str], paging: Paging) -> Page[T]:
    """Return one page of a list that was computed whole, in the order given.

    A token names the last item by its unique ``key``; when that item has gone since, the token is
    a 400.
    """
    page, size = _asked(paging)
    start = 0
    if page is not None:
        (last,) = _read_token(page, 1)
        start = next((i + 1 for i, item in enumerate(items) if key(item) == last), -1)
        if start < 0:
            raise invalid("query parameter page: the list has changed; start from its first page")
    chosen = list(items[start : start + size])
    more = bool(chosen) and start + size < len(items)
    return _Page(
        items=chosen, next=Next(page=_token([key(chosen[-1])])) if more else None, count=len(items)
    )


def _asked(paging: Paging) -> tuple[str | None, int]:
    """Return the token of the page that is asked for, None for the first, and its length."""
    limit = paging.get("limit")
    return paging.get("page"), DEFAULT_LIMIT if limit is None else limit


def _where(conditions: Sequence[str]) -> str:
    return " WHERE " + " AND ".join(f"({c})" for c in conditions) if conditions else ""


def _token(values: list[Value]) -> str:
    return base64.urlsafe_b64encode(json.dumps(values).encode()).decode().rstrip("=")


def _read_token(token: str, length: int) -> tuple[Value, ...]:
    try:
        padded = token.encode("ascii") + b"=" * (-len(token) % 4)
        values = json.loads(base64.b64decode(padded, altchars=b"-_", validate=True))
        json.dumps(values, ensure_ascii=False).encode()  # half a surrogate pair is no text
    except (binascii.Error, UnicodeError, ValueError, RecursionError):
        values = None
    if (
        not isinstance(values, list)
        or len(values) != length
        or not all(isinstance(v, str | int | float) and not isinstance(v, bool) for v in values)
        or any(isinstance(v, int) and abs(v) >= 2**63 for v in values)
    ):
        raise invalid("query parameter page: this token is not from a list of this desk")
    return tuple(values)


# The mark of the list that a token came from

_MARK = 8
"""How many characters of a token are the mark."""


def read_place(op: Operation[..., Any], arguments: dict[str, Any]) -> None:
    """Leave the place in the list as the ``page`` of the arguments, without its mark.

    Raises a 400 for a token that this very list did not give.
    """
    token: str | None = arguments.get("page") if op.pages else None
    if token is not None:
        if not token.startswith(_mark(op, arguments)):
            raise invalid(
                "query parameter page: this is not a token that this list of the desk gave; "
                "everything else in the address stays as it was"
            )
        arguments["page"] = token[_MARK:]


def mark_place(op: Operation[..., Any], arguments: Mapping[str, Any], result: Any) -> None:
    """Put the mark of the list before the token that an answer goes on with, if it does."""
    if op.pages and result.next is not None:
        result.next.page = _mark(op, arguments) + result.next.page


def _mark(op: Operation[..., Any], arguments: Mapping[str, Any]) -> str:
    said = {
        name: sorted(value) if isinstance(value, list) else value
        for name, value in arguments.items()
        if name not in ("page", "limit")
    }
    written = json.dumps([op.name, said], sort_keys=True, default=_written)
    digest = sha256(written.encode()).digest()
    return base64.urlsafe_b64encode(digest)[:_MARK].decode()


def _written(value: Body | datetime) -> object:
    return value.isoformat() if isinstance(value, datetime) else value.to_dict()
