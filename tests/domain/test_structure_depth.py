"""Groups within groups: no request makes them deeper than they are before all, or after all."""

from __future__ import annotations

import random

import pytest

from copydesk.domain.layout import TOP, Layout
from copydesk.domain.site_moves import depth_of
from copydesk.domain.structure_file import read_file
from copydesk.domain.yaml_lines import FileError
from tests.domain.structure_service import StructureService
from tests.domain.test_structure_whole import LINK, exported, on, send, shape, staged, take_back

NAMES = "ABCDEFGH"


def nested(chance: random.Random, deepest: int, names: str) -> StructureService:
    """Return a site with groups that are in each other by chance; in each is a link."""
    site = StructureService(deepest)
    site.section("first", "a")
    depths = {TOP: 0}
    for name in chance.sample(names, len(names)):
        level = chance.choice([each for each, depth in depths.items() if depth < deepest])
        depths[site.entry("section-group", name, level, title=f"Group {name}")] = depths[level] + 1
        site.entry("external-link", f"link-{name}", name, title=f"Link {name}", url=LINK)
    return site


@pytest.mark.parametrize("start", range(0, 120, 20))
def test_no_request_is_deeper_than_both_ends(start: int) -> None:
    for seed in range(start, start + 20):
        chance = random.Random(seed)
        deepest = chance.randint(2, 5)
        site = nested(chance, deepest, NAMES[chance.choice((0, 0, 2)) :])
        wish = nested(chance, deepest, NAMES[: chance.choice((6, 8, 8))])
        before = shape(site.layout())
        plan = staged(read_file(exported(wish)), site)
        site.deepest = max(depth_of(plan.base), depth_of(plan.now))
        sent = send(plan, site)
        assert shape(site.layout()) == shape(wish.layout()), seed
        if not any(call.lasting for call in sent):
            take_back(sent, site)
            assert shape(site.layout()) == before, seed


def lines(before: dict[str, str], after: dict[str, str]) -> list[str]:
    """Return the requests between two nestings, each the level of every group in order."""
    sites = []
    for levels in (before, after):
        site = StructureService()
        site.section("first", "a")
        for name, level in levels.items():
            site.entry("section-group", name, level, title=f"Group {name}")
        sites.append(site)
    plan = staged(read_file(exported(sites[1])), sites[0])
    sites[0].deepest = max(depth_of(plan.base), depth_of(plan.now))
    return ["; ".join(filter(None, (call.line, call.note))) for call in send(plan, sites[0])]


def test_what_would_be_too_deep_goes_where_it_is_wanted_first() -> None:
    before = {"A": TOP, "B": "A", "C": TOP, "D": TOP}
    assert lines(before, {"C": TOP, "A": "C", "D": TOP, "B": "D"}) == [
        "Group B into Group D, out of Group A",
        "Group A into Group C",
    ]


def test_what_makes_room_stands_where_the_order_wants_it() -> None:
    before = {"D": TOP, "C": TOP, "A": "D", "B": "C"}
    assert lines(before, {"C": TOP, "D": "C", "A": "C", "B": "C"}) == [
        "Group A before Group B (in Group C), out of Group D",
        "Group D before Group A (in Group C)",
    ]
    before = {"A": TOP, "C": "A", "B": TOP}
    assert lines(before, {"B": TOP, "A": "B", "C": "B"}) == [
        "Group C into Group B, out of Group A",
        "Group A before Group C (in Group B)",
    ]


def test_what_is_wanted_in_what_is_not_there_yet_goes_to_the_top_for_the_time_being() -> None:
    before = {"C": TOP, "B": "C", "D": "B", "A": TOP}
    assert lines(before, {"A": TOP, "D": "A", "C": "A", "B": "D"}) == [
        "Group B after Group A, out of Group C; at the top for the time being: "
        "it would be too deep until the others have moved",
        "Group D into Group A, out of Group B",
        "Group C after Group D (in Group A)",
        "Group B into Group D",
    ]


def test_nothing_is_said_of_a_depth_that_is_no_trouble() -> None:
    assert lines({"A": TOP}, {"A": TOP, "B": "A"}) == ["New group Group B in Group A"]


def test_a_new_group_that_would_be_too_deep_is_made_at_the_top() -> None:
    before = {"A": TOP, "B": "A", "C": "B"}
    assert lines(before, {"A": TOP, "C": TOP, "N": "C", "B": TOP}) == [
        "New group Group N; at the top for the time being: "
        "it would be too deep until the others have moved",
        "Group C after Group A, out of Group B",
        "Group B after Group C, out of Group A",
        "Group N into Group C",
    ]


def test_an_end_that_is_too_deep_is_refused_before_anything_is_sent() -> None:
    chain = {name: above for above, name in zip((TOP, *"ABCDEFGHIJ"), "ABCDEFGHIJK", strict=True)}
    flat = dict.fromkeys(chain, TOP)
    with pytest.raises(FileError) as error:
        lines(flat, chain)
    assert [str(each) for each in error.value.problems] == [
        "line 18: At most 10 groups are within each other"
    ]
    del chain["K"], flat["K"]
    assert len(lines(flat, chain)) == 9


def test_a_screen_does_not_stage_what_is_too_deep() -> None:
    site = StructureService()
    first = site.section("first", "a")
    level = TOP
    for name in "ABCDEFGHIJ":
        level = site.entry("section-group", name, level, title=f"Group {name}")
    site.entry("section-group", "K", title="Group K")
    staged = on(site)
    levels = {**staged.now.levels, TOP: (first, "A"), "I": ("J", "K")}
    assert staged.why_not(Layout(staged.now.items, levels), ["K"]) is None
    levels = {**staged.now.levels, TOP: (first, "A"), "J": ("K",)}
    why = staged.why_not(Layout(staged.now.items, levels), ["K"])
    assert why == "At most 10 groups are within each other."
