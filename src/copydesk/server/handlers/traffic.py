"""Traffic of a site: what readers did there, counted from one row for each page and day."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import Any

from copydesk.contract import operations as ops
from copydesk.contract.models.traffic import (
    MOST_ROWS,
    AnyColumn,
    EventsAggregate,
    EventsAggregation,
    EventsColumn,
    EventsFilter,
    EventsSpan,
    EventsValues,
    Preset,
    TimeColumn,
)
from copydesk.server.errors import invalid
from copydesk.server.implementation import Call, implements
from copydesk.server.queries.site import SiteView, site_view
from copydesk.server.store import Value

_SPANS: dict[Preset, timedelta] = {
    "lastYear": timedelta(days=365),
    "last3Months": timedelta(days=91),
    "last30Days": timedelta(days=30),
    "last7Days": timedelta(days=7),
    "last24Hours": timedelta(days=1),
}

_COUNTS = {
    "eventsCount": "sum(events)",
    "sessionsCount": "sum(sessions)",
    "visitorsCount": "sum(visitors)",
}
"""Visitors and sessions are counted by page and day: who came on two days is counted twice."""

_WHERE_SHOWN = (
    "(SELECT v.{} FROM site_space v WHERE v.site_id = e.site_id AND v.space_id = e.space_id "
    "ORDER BY v.position, v.id LIMIT 1)"
)

_PARTS = {
    "dayOfWeek": "(strftime('%w', day) + 6) % 7 + 1",
    "eventType": "type",
    "page": "json_object('page', page_id, 'space', space_id)",
    "siteSpace": _WHERE_SHOWN.format("id"),
    "siteSection": _WHERE_SHOWN.format("section_id"),
}

_STARTS = {
    "day": "day || 'T00:00:00Z'",
    "week": "date(day, 'weekday 0', '-6 days') || 'T00:00:00Z'",
    "month": "date(day, 'start of month') || 'T00:00:00Z'",
}
"""When an interval begins; a week does on Monday."""

_COMPARED = {
    "greaterThan": ">",
    "greaterThanOrEqual": ">=",
    "lessThan": "<",
    "lessThanOrEqual": "<=",
}


@implements(ops.aggregate_site_events, takes="view")
def aggregate_site_events(
    call: Call, organization_id: str, site_id: str, body: EventsAggregation
) -> EventsAggregate:
    """Count the events of the spaces of a site that the caller may see, in whole days."""
    view = site_view(call, organization_id, site_id)
    grouped = list(body.group_by or [])
    selected = body.select or [*grouped, EventsColumn(column="eventsCount")]
    parts = dict.fromkeys(
        _sql(each) for each in [*grouped, *selected] if each.column not in _COUNTS
    )
    conditions, values = _span(call, view, body.range)
    kept: list[str] = []
    late: list[Value] = []
    for each in body.where or []:
        condition, given = _condition(each)
        if each.column in _COUNTS:
            kept.append(condition)
            late.extend(given)
        else:
            conditions.append(condition)
            values.extend(given)
    order = list(parts)
    if body.order is not None:
        order.insert(0, f"{_sql(body.order.by)} {body.order.direction}")
    elif not any(each.column == "datetime" for each in grouped):
        order.insert(0, "sum(events) DESC")
    sql = f"SELECT {', '.join(map(_sql, selected))} FROM site_event e"  # noqa: S608 - ours
    sql += f" WHERE {' AND '.join(f'({each})' for each in conditions)}"
    if parts:
        sql += f" GROUP BY {', '.join(parts)}"
    # Without groups there is always one row, of nothing perhaps.
    sql += f" HAVING {' AND '.join(['sum(events) > 0', *kept])}"
    sql += f" ORDER BY {', '.join(order)} LIMIT ?" if order else " LIMIT ?"
    rows = call.tx.all(sql, *values, *late, body.limit or MOST_ROWS)
    return EventsAggregate(
        columns=[
            EventsValues(column=each.column, values=[_value(each, row[at]) for row in rows])
            for at, each in enumerate(selected)
        ]
    )


def _span(call: Call, view: SiteView, asked: Preset | EventsSpan) -> tuple[list[str], list[Value]]:
    """Return the conditions of a count: the days of the span, and the parts the caller may see."""
    if isinstance(asked, EventsSpan):
        begin, end = asked.from_, asked.to
        if end <= begin:
            raise invalid("body.range: it ends before it begins")
        last = end - timedelta(microseconds=1)
    else:
        last = call.tx.moment
        begin = last - _SPANS[asked] + timedelta(days=1)
    conditions = ["site_id = ?", "day BETWEEN ? AND ?"]
    values: list[Value] = [
        view.site["id"],
        begin.astimezone(UTC).date().isoformat(),
        last.astimezone(UTC).date().isoformat(),
    ]
    if view.unseen:
        conditions.append("space_id NOT IN (SELECT value FROM json_each(?))")
        values.append(json.dumps(sorted(view.unseen)))
    return conditions, values


def _sql(column: AnyColumn) -> str:
    """Return a column as SQL. Raises a 400 for one that no desk counts by."""
    if isinstance(column, TimeColumn):
        if column.interval == "hour":
            raise invalid("datetime: this desk counts by day, week or month, not by hour")
        return _STARTS[column.interval or "day"]
    return _named(column.column)


def _named(column: str) -> str:
    if column == "datetime":
        return _STARTS["day"]
    found = _COUNTS.get(column) or _PARTS.get(column)
    if found is None:
        known = ", ".join(["datetime", *_PARTS, *_COUNTS])
        raise invalid(f"{column}: this desk does not count by it, only by {known}")
    return found


def _condition(asked: EventsFilter) -> tuple[str, list[Value]]:
    sql, values = _named(asked.column), [_given(asked.column, each) for each in asked.values]
    operator = asked.operator or "in"
    if operator in _COMPARED:
        if len(values) != 1 or values[0] is None:
            raise invalid(f"{asked.column}: {operator} takes one value")
        return f"{sql} {_COMPARED[operator]} ?", values
    found = f"{sql} IN (SELECT value FROM json_each(?))"  # noqa: S608 - ours
    if None in values:
        found = f"({found} OR {sql} IS NULL)"
    listed = json.dumps([each for each in values if each is not None])
    return (f"({found}) IS NOT TRUE" if operator == "notIn" else found), [listed]


def _given(column: str, value: object) -> Value:
    """Return the value of a condition as the tables have it."""
    if column == "datetime" and isinstance(value, str):
        try:
            moment = datetime.fromisoformat(value)
            return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).astimezone(
                UTC
            ).date().isoformat() + "T00:00:00Z"
        except (ValueError, OverflowError):
            raise invalid("datetime: a value is not a date and time") from None
    if column == "page" and isinstance(value, dict):
        both = {name: value.get(name) for name in ("page", "space")}
        return json.dumps(both, separators=(",", ":"), ensure_ascii=False)
    if value is None or isinstance(value, str | float):
        return value
    if isinstance(value, int) and abs(value) < 2**63:
        return value
    raise invalid(f"{column}: a value is of the wrong kind")


def _value(column: AnyColumn, stored: Any) -> Any:
    return json.loads(stored) if column.column == "page" else stored
