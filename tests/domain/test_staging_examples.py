"""Steps that stage things on a site or in a space tree, and all that comes of them.

An example (``examples/staged.json``, see `remade`) has the steps in their order; ``others`` are
what somebody else stages and sends meanwhile. Kept is what is refused, what differs, what is sent,
and how both are put together.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from copydesk.domain.arrangement import Arrangement, StagingError
from copydesk.domain.layout import differences
from tests.domain.test_examples import plain
from tests.domain.test_plans import bare, on, reported, site, told, tree
from tests.domain.test_structure_whole import example
from tests.domain.test_structure_whole import on as grouped_on
from tests.golden_json import remade

Step = Sequence[Any]

BEGUN: Mapping[str, Callable[[], Arrangement]] = {
    "site": lambda: on(site()),
    "bare": lambda: on(bare()),
    "grouped": lambda: grouped_on(example()),
    "tree": tree,
    "unlisted": lambda: tree(listed=False),
}


def staged(begun: Arrangement, steps: Sequence[Step], refused: list[str]) -> Arrangement:
    """Return what steps make of what is begun; those that are refused leave it as it is."""
    for name, *given in steps:
        try:
            if name == "sort":
                begun = begun.sort(given[0], lambda item: item.title, reverse=given[1])
                continue
            *plain, last = given or (None,)
            more = last if isinstance(last, dict) and set(last) <= {"after"} else None
            made: Any = getattr(begun, name)(*(given if more is None else plain), **(more or {}))
            begun = made[0] if isinstance(made, tuple) else made
        except StagingError as error:
            refused.append(f"{name}: {error}")
    return begun


def outcome(given: Mapping[str, Any]) -> Any:
    refused: list[str] = []
    begun = BEGUN[given["on"]]()
    found = staged(begun, given["steps"], refused)
    levels = found.shown.levels
    made: dict[str, Any] = {
        "refused": refused,
        "differs": [each.line for each in differences(found.base, found.now)],
        "states": sorted(f"{row} {plain(state)}" for row, state in found.states.items()),
        "shown": [f"{level or 'top'}: {' '.join(rows)}" for level, rows in levels.items()],
        "sent": [line for call in found.calls() for line in told(call)],
    }
    kept = type(found).from_text(found.to_text(), *found.ids)
    assert kept is not None
    assert (kept.base.same(found.base), kept.now.same(found.now)) == (True, True)
    if "others" in given:
        theirs = staged(begun, given["others"], [])
        ids = {row: f"made-{row[4:]}" for row in theirs.now.items if row.startswith("new:")}
        made["together"] = reported(found.rebase(theirs.bound(ids).now))
    return made


def test_what_is_staged_reads_and_is_sent_as_it_was(update_golden: bool) -> None:
    remade("staged", outcome, update=update_golden)
