"""Steps, and all that comes of them: staged things, runs that send them, conflicts being settled.

Examples (see `remade`) have the steps in their order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import pytest

from copydesk.domain import arrange_run, reversal, settlement
from copydesk.domain.arrangement import Arrangement, StagingError
from copydesk.domain.hunks import Choice
from copydesk.domain.layout import differences
from copydesk.domain.page_arrangement import PageArrangement, layout_of
from copydesk.domain.reversal import LONG_ORDER, Call
from copydesk.domain.settlement import PageSide
from copydesk.domain.site_arrangement import SiteArrangement
from tests.domain.test_examples import plain
from tests.domain.test_page_arrangement import TEXTS, TREE
from tests.domain.test_plans import bare, on, reported, site, told, tree
from tests.domain.test_site_arrangement import kept
from tests.domain.test_structure_whole import example
from tests.domain.test_structure_whole import on as grouped_on
from tests.golden_json import remade

Step = Sequence[Any]


def long_site() -> Arrangement:
    """Return a site with more links at its top than are compared as a whole."""
    begun = example()
    for number in range(LONG_ORDER + 1):
        begun.entry("external-link", f"l{number}", title=f"Link {number}", url="https://a.test")
    return grouped_on(begun)


BEGUN: Mapping[str, Callable[[], Arrangement]] = {
    "site": lambda: on(site()),
    "bare": lambda: on(bare()),
    "grouped": lambda: grouped_on(example()),
    "long": long_site,
    "tree": tree,
    "unlisted": lambda: tree(listed=False),
    "pages": lambda: PageArrangement.on(layout_of(TREE), "s", "r"),
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
    """Return what steps stage on a site or in a space tree.

    ``others`` are what somebody else stages and sends meanwhile. Told is what is refused, what
    differs, what is sent, and how both are put together.
    """
    refused: list[str] = []
    begun = BEGUN[given["on"]]()
    found = staged(begun, given["steps"], refused)
    levels = found.shown.levels
    made: dict[str, Any] = {
        "refused": refused,
        "differs": [each.line for each in differences(found.base, found.now)],
        "states": sorted(f"{row} {plain(state)}" for row, state in found.states.items() if state),
        "shown": [f"{level or 'top'}: {' '.join(rows)}" for level, rows in levels.items()],
        "sent": [line for call in found.calls() for line in told(call)],
    }
    again = type(found).from_text(found.to_text(), *found.ids)
    assert again is not None
    assert (again.base.same(found.base), again.now.same(found.now)) == (True, True)
    assert all(kept(call) == call for call in found.calls())
    if isinstance(found, PageArrangement):
        edits = found.edits({}, TEXTS, "r1")
        made["edits"] = plain(edits)
        left = {page: each for page, each in edits.items() if each is not None}
        again = PageArrangement.of(layout_of(TREE), TREE, left, "s", "r")
        made["edits again"] = plain(again.change("d", {"title": "Other"}).edits(left, TEXTS, "r2"))
    if "others" in given:
        made["together"] = together(given)
    return made


def together(given: Mapping[str, Any]) -> Any:
    """Return how what steps stage and what others do meanwhile are put together."""
    begun = BEGUN[given["on"]]()
    found, theirs = (staged(begun, given[whose], []) for whose in ("steps", "others"))
    ids = {row: f"made-{row[4:]}" for row in theirs.now.items if row.startswith("new:")}
    return reported(found.rebase(theirs.bound(ids).now))


SERVICES: Mapping[str, tuple[Callable[[], Any], Callable[[Any], SiteArrangement]]] = {
    "site": (site, on),
    "bare": (bare, on),
    "grouped": (example, grouped_on),
}


def half_sent(given: Mapping[str, Any]) -> Any:
    """Return what stays staged once some requests were ``sent``, and others sent theirs."""
    make, begin = SERVICES[given["on"]]
    service = make()
    ours = staged(begin(service), given["steps"], [])
    calls = ours.calls()
    made = _sent(service, calls[: given["sent"]])
    _sent(service, staged(begin(service), given["others"], []).calls())
    there = service.layout()
    rest = ours.after_sending(there, calls[: given["sent"]], calls[given["sent"] :], made)
    return [[call.line for call in calls], reported(rest.rebase(there))]


def _sent(service: Any, calls: Iterable[Call]) -> dict[str, str]:
    made = dict[str, str]()
    for call in calls:
        now = reversal.bind(call, made)
        made |= now.made(service.send(now.step))
    return made


PLAN: Sequence[tuple[str, str, str, bool, dict[str, Any]]] = (
    ("first", "Rename", "First line", True, {}),
    ("second", "Add", "Second line", True, {"makes": "new:1", "also": {"new:1/path": "path"}}),
    ("third", "Remove", "Third line", False, {}),
    ("fourth", "Move", "Fourth line", True, {}),
)
"""Requests of a run: key, what, line, whether it can be taken back, and more."""


def run_through(given: Mapping[str, Any]) -> Any:
    """Return what each step changes of a run of an arrangement, and of what is told of it."""
    run = arrange_run.ArrangeRun.of(
        "site", "s1", "Docs\x1b[1m", [_call(*each) for each in PLAN[: given["of"]]], staged="kept"
    )
    told: list[Any] = [before := _standing(run)]
    for name, *arguments in given["steps"]:
        more = arguments.pop() if arguments and isinstance(arguments[-1], dict) else {}
        run = getattr(run, name)(*arguments, **more)
        now = _standing(run)
        told.append([name, {each: now[each] for each in now if now[each] != before[each]}])
        before = now
    return told


def _standing(run: arrange_run.ArrangeRun) -> dict[str, Any]:
    def keys(calls: Iterable[arrange_run.RunCall | None]) -> list[str | None]:
        return [None if each is None else each.call.key for each in calls]

    outcome = run.outcome
    return {
        "calls": [
            " ".join(filter(None, (each.state, each.said, each.entry))) for each in run.calls
        ],
        "known": [each.known for each in run.calls],
        "passed over": [run.passed_over_with(each) for each in run.calls],
        "current, following, failure": keys((run.current, run.following, run.failure)),
        "for good": keys(run.for_good),
        "returning": keys(run.returning()),
        "lasting": keys(run.lasting()),
        "run": [run.state, run.group, run.began, run.back, run.cut, run.said],
        "made": dict(run.made),
        "outcome": [outcome.sentence, outcome.complete],
        "said": [run.standing(), run.lasting_sentence(), run.why],
        "far": [run.far, run.sent, run.begun, run.arrived_whole],
    }


def _call(key: str, what: str, line: str, back: bool, more: dict[str, Any]) -> Call:
    step = reversal.Step(
        "update_site" if back else "delete_site_space", {"site_id": "s1"}, {"title": key}
    )
    other = reversal.Step("update_site", {"site_id": "s1"}, {"title": "before"})
    way = reversal.Reversal((other,), (step,), None) if back else None
    return Call(key, what, "Docs", line, step, way, **more)


def settled(given: Mapping[str, Any]) -> Any:
    """Return the hunks of pages that two sides changed, what choices make of them, and is sent."""
    pages = [settlement.settled_page(_sides(page, each)) for page, each in given["pages"].items()]
    picks = given["picks"]
    told: list[Any] = []
    choices: dict[str, Choice] = {}
    for page in pages:
        about = [page.title, page.merged, page.near, page.reverted]
        told.append([page.id, [plain(each) for each in page.hunks], about])
        for at, hunk in enumerate(page.conflicts):
            side = picks[at % len(picks)] if picks else None
            if side is not None:
                choices[hunk.key] = Choice(side, "Own words.\n")
    for page in pages:
        left = [each.field for each in page.open(choices)]
        told.append([left, plain(page.wanted(choices)), page.mixed(choices), page.rival(choices)])
    now = settlement.Now(given["now"], {page.id: _source(page) for page in pages})
    mains = {each.sides.rival: PageSide("---\ntitle: R\nslug: x\n---\nR", "a") for each in pages}
    wanted = settlement.with_rivals(pages, choices, mains)
    slugs = {page.id: f"{page.id}-free" for page in pages}
    told.append(settlement.clearing(pages, now, "m1", given["main"], slugs))
    told.append(sorted(settlement.lost_with(pages, given["now"])))
    if wanted is not None:
        told.append(
            settlement.writing(wanted, now, lambda page: f"r-{page}", lambda page: ("r0", ""))
        )
    return told


def _source(page: settlement.SettledPage) -> str:
    side = page.sides.request
    return "" if side is None else side.source


def _sides(page: str, given: Mapping[str, Any]) -> settlement.PageSides:
    before, main, request = (None if each is None else PageSide(*each) for each in given["sides"])
    more = {**given.get("more", {})}
    if "free" in more:
        more["free"] = tuple(more["free"])
    return settlement.PageSides(page, before, main, request, **more)


KINDS: Mapping[str, Callable[[Any], Any]] = {
    "staged": outcome,
    "staged_pages": outcome,
    "put_together": together,
    "half_sent": half_sent,
    "arrange_runs": run_through,
    "settled": settled,
}


@pytest.mark.parametrize(("on", "row"), [("site", "s-b"), ("grouped", "H"), ("tree", "c")])
def test_what_is_in_something_removed_is_not_sorted(on: str, row: str) -> None:
    without = BEGUN[on]().remove([row])
    assert without.sort(row, lambda item: item.title) is without


@pytest.mark.parametrize("kind", KINDS)
def test_of_what_is_given_the_same_is_made(kind: str, update_golden: bool) -> None:
    remade(kind, KINDS[kind], update=update_golden)
