"""What `copydesk structure apply` prints of a plan and of what became of it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import TYPE_CHECKING

from copydesk.domain.arrange_run import lasting_fact
from copydesk.domain.text import listed

if TYPE_CHECKING:
    from copydesk.domain.arrange_run import ArrangeRun, RunCall
    from copydesk.domain.call import Call

MANY = 12
"""More requests in a row of which one thing is to be said are not all named."""

SHOWN = 3
"""So many are, then."""


def is_untouched(run: ArrangeRun) -> bool:
    """Whether nothing of a run has arrived, for sure."""
    return not run.back and all(item.state in ("waiting", "failed") for item in run.calls)


def unknown_in(run: ArrangeRun) -> str:
    """Say what may have arrived or not, without a full stop; empty where nothing is such."""
    lines = [f"“{item.call.line}”" for item in run.calls if item.state == "unknown"]
    return f"It is not known whether {listed(lines)} arrived" if lines else ""


def value_of(number: int, item: RunCall) -> dict[str, str | int]:
    """Return a request and what became of it, as a script reads it."""
    call = item.call
    value: dict[str, str | int] = {
        "number": number,
        "key": call.key,
        "what": call.what,
        "target": call.target,
        "line": call.line,
        "note": call.note,
        "operation": call.step.operation,
        "final": call.final,
        "state": item.state,
        "said": said_here(item.said),
    }
    return {name: given for name, given in value.items() if given != ""}


def line_of(number: int, count: int, item: RunCall) -> str:
    """Return a request and what became of it in one line."""
    took = f"  {item.seconds:.1f} s" if item.state == "done" and item.seconds else ""
    told = bool(item.said) and item.state not in ("failed", "unknown")  # else it is why it stopped
    said = f"  {said_here(item.said)}" if told else ""
    return f"{number} of {count}  {_STATES[item.state]}  {item.call.line}{took}{said}"


def lines_of(run: ArrangeRun) -> Iterator[str]:
    """Go through the lines of a run; of many in a row that became the same the first ones do."""
    items = enumerate(run.calls, start=1)
    for (state, _), group in groupby(items, lambda each: (_STATES[each[1].state], each[1].said)):
        alike = list(group)
        shown = alike[:SHOWN] if len(alike) > MANY else alike
        for number, item in shown:
            yield line_of(number, len(run.calls), item)
        if more := len(alike) - len(shown):
            yield f"… {more} more {state}"


_STATES = {
    "waiting": "not sent",
    "sending": "not known",
    "done": "done",
    "failed": "failed",
    "unknown": "not known",
    "taking-back": "done",
    "taken-back": "taken back",
}
"""What people call the states of a request that nobody is at."""


def way_back(calls: Iterable[Call]) -> str:
    """Say how far the screens take it back again."""
    return re.sub(r"\bu (afterwards )?takes", ":undo on the screens takes", lasting_fact(calls))


def said_here(sentence: str) -> str:
    """Return what the screens say, with the option in place of their key."""
    return re.sub(r"(?<!\S)[rR] (?=sends it|tries again)", "--resume ", sentence)
