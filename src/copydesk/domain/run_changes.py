"""What has changed of a run between two of its steps, as JSON, and a run put together from that.

A run is kept as it began, with a line for each step behind it: so a step costs what it changes.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields
from typing import Any

from copydesk.domain.arrange_run import ArrangeRun, RunCall

_OF_RUNS = tuple(each.name for each in fields(ArrangeRun) if each.name not in ("calls", "made"))
_OF_CALLS = tuple(each.name for each in fields(RunCall) if each.name != "call")


def changes_between(before: ArrangeRun, now: ArrangeRun) -> dict[str, Any]:
    """Return as JSON what is not as it was ``before``.

    ``made`` holds what was added to it, ``gone`` the names of what went from it, ``calls`` the
    fields that changed of requests, by their keys. Raises ``ValueError`` where it is another plan.
    """
    changed: dict[str, Any] = {
        name: value for name in _OF_RUNS if (value := getattr(now, name)) != getattr(before, name)
    }
    if now.made is not before.made:
        made = {name: real for name, real in now.made.items() if before.made.get(name) != real}
        gone = [name for name in before.made if name not in now.made]
        changed |= {"made": made} if made else {}
        changed |= {"gone": gone} if gone else {}
    calls = {}
    for was, item in now.calls.changed_since(before.calls):
        if item.call is not was.call:
            raise ValueError("this is another plan")
        told = {
            name: value
            for name in _OF_CALLS
            if (value := getattr(item, name)) != getattr(was, name)
        }
        if told:
            calls[item.call.key] = told
    return changed | {"calls": calls} if calls else changed


def with_changes(run: dict[str, Any], lines: Iterable[dict[str, Any]]) -> dict[str, Any]:
    """Return a run, as JSON, with what `changes_between` told of it later, oldest first.

    Raises ``LookupError``, ``TypeError`` or ``AttributeError`` for what is not about this run.
    """
    now = dict(run)
    made = dict(now.get("made", {}))
    calls = list(now.get("calls", ()))
    places = {each["call"]["key"]: at for at, each in enumerate(calls)}
    for line in lines:
        for key, told in line.get("calls", {}).items():
            calls[places[key]] = {**calls[places[key]], **told}
        for name in line.get("gone", ()):
            made.pop(name, None)
        made.update(line.get("made", {}))
        now.update({name: line[name] for name in _OF_RUNS if name in line})
    return {**now, "made": made, "calls": calls}
