"""What is staged of a site, sent to a model of the service: it gives what was staged, and back."""

from __future__ import annotations

import itertools
import random
from collections import deque

import pytest

from copydesk.domain.arrangement import Layout, StagingError
from copydesk.domain.call import Call, bind, call_of, provisional
from copydesk.domain.order import Move, applied
from copydesk.domain.site_arrangement import SiteArrangement
from tests.domain.site_service import IDS, RefusedError, SiteService


def site() -> SiteService:
    """Two sections, a group of two, one more section; each shows some spaces."""
    service = SiteService()
    service.section("a", "one", "two", "three")
    service.section("b", "one", "two")
    service.section("x", "one", "two", group="G")
    service.section("y", "one", group="G")
    service.section("c", "one", "two")
    return service


def begin(service: SiteService) -> SiteArrangement:
    return SiteArrangement.on(service.layout(), *IDS)


def send(service: SiteService, calls: list[Call]) -> tuple[dict[str, str], list[Call]]:
    """Send a plan, every way back looked at before and after; return what was made and sent."""
    made: dict[str, str] = {}
    sent: list[Call] = []
    for each in calls:
        call = bind(call_of(each.to_dict()), made)
        assert not provisional(call), call
        assert (call.reversal is None) == call.final, call
        if call.reversal is not None and not call.makes:
            assert call.reversal.before is not None
            assert service.holds(call.reversal.before) == "", call
        made |= call.made(service.send(call.step))
        call = bind(call, made)
        still = call.reversal.still if call.reversal is not None else call.arrived
        assert still is not None
        assert service.holds(still) == "", call
        sent.append(call)
    return made, sent


def plain(layout: Layout, *, like: Layout | None = None) -> object:
    """Return a layout to be compared; paths that ``like`` leaves to the service are left out."""
    items = {}
    for row, item in layout.items.items():
        values = {k: v for k, v in item.values.items() if k not in ("space", "spaceTitle")}
        if item.kind == "site-space":
            values.pop("title", None)
        if like is not None and row in like and "path" not in like.items[row].values:
            values.pop("path", None)
        if item.kind != "group":
            items[row] = (item.kind, values)
    return items, dict(layout.levels)


def check(service: SiteService, staged: SiteArrangement) -> tuple[list[Call], bool]:
    """Send what is staged: it is there then, and all that can be is taken back."""
    calls = staged.calls()
    assert len({call.key for call in calls}) == len(calls)
    before = plain(service.layout())
    made, sent = send(service, calls)
    wanted = staged.bound(made).now
    assert plain(service.layout(), like=wanted) == plain(wanted), [call.line for call in calls]
    rebased = staged.bound(made).rebase(service.layout())
    assert not rebased.arrangement.dirty
    assert not rebased.changed, rebased
    final = any(call.final for call in sent)
    for call in reversed(sent):
        if call.reversal is None:
            continue
        assert call.reversal.still is not None
        said = service.holds(call.reversal.still)
        if final and said:
            continue
        assert said == "", call
        for step in call.reversal.back:
            service.send(step)
    if not final:
        assert plain(service.layout()) == before, [call.line for call in calls]
    return calls, final


def check_rebased(chance: random.Random, service: SiteService, steps: int) -> bool:
    """Let two people stage on one site, and the second send first: the rest of the other fits."""
    ours = mixed(chance, begin(service), steps)
    theirs = mixed(chance, begin(service), steps)
    send(service, theirs.calls())
    rebased = ours.rebase(service.layout())
    for each in (rebased.arrangement, rebased.taking_theirs()):
        assert not rebased.clashes or rebased.changed
        check(service.copy(), each)
    again = SiteArrangement.from_text(rebased.arrangement.to_text(["- a line"]), *IDS)
    assert again is not None
    assert plain(again.now) == plain(rebased.arrangement.now)
    assert len(again.calls()) == len(rebased.arrangement.calls())
    return bool(rebased.clashes)


def stage(chance: random.Random, staged: SiteArrangement, number: int) -> SiteArrangement:
    """Stage one thing by chance."""
    now = staged.now
    row = chance.choice(list(now.items) or [""])
    spaces = [each for each, item in now.items.items() if item.kind == "site-space"]
    sections = now.sections()
    match chance.randrange(13) if now.items else chance.choice([10, 11]):
        case 0 | 1:
            return staged.move([row], chance.choice([-3, -1, 1, 2]))
        case 2:
            rows = now.levels[now.level_of(row)]
            return staged.put(row, chance.randrange(len(rows)) + 1)
        case 3:
            return staged.place([row], chance.choice(list(now.items)), after=chance.random() < 0.5)
        case 4:
            return staged.change(row, {"title": f"Title {number}"})
        case 5 | 6:
            beside = [
                each
                for each in (sections if row in sections else now.levels[now.level_of(row)])
                if now.items[each].values.get("path")
            ]
            other = chance.choice(beside)
            path, mine = (now.items[each].values.get("path") for each in (other, row))
            if mine is None or chance.random() < 0.3:
                return staged.change(row, {"path": f"p{number}"})
            third = chance.choice(beside)
            if third not in (row, other) and chance.random() < 0.5:
                last = now.items[third].values.get("path")
                changes = {row: {"path": path}, other: {"path": last}, third: {"path": mine}}
                return staged.change_all(changes)
            return staged.change_all({row: {"path": path}, other: {"path": mine}})
        case 7:
            hidden = not now.items[row].values.get("hidden")
            return staged.change(row, {"hidden": hidden, "condition": chance.choice(["", "if"])})
        case 8:
            return staged.make_default(row)
        case 9:
            return staged.remove([row])
        case 10:
            title, path = f"New {number}", chance.choice([None, "a", "b", f"q{number}"])
            space = f"space-{chance.choice(['one', 'two', number])}"
            values = {"title": title, "space": space, "path": path, "spaceTitle": space}
            return staged.add("", "section", values)[0]
        case 11:
            level = chance.choice([*sections, ""])
            space = f"space-{chance.choice(['one', 'two', number])}"
            return staged.add(level, "site-space", {"title": space, "space": space})[0]
        case _:
            picked = chance.sample(spaces, min(2, len(spaces)))
            return staged.shift(picked, chance.choice([*sections, ""]))


def mixed(chance: random.Random, staged: SiteArrangement, steps: int) -> SiteArrangement:
    for number in range(steps):
        try:
            staged = stage(chance, staged, number)
        except (StagingError, IndexError):
            continue
    return staged


@pytest.mark.parametrize("seed", range(4))
def test_whatever_is_staged_is_there_after_its_plan_and_can_be_taken_back(seed: int) -> None:
    chance = random.Random(seed)
    finals = several = 0
    for number in range(40):
        service = SiteService() if number % 3 == 0 else site()
        if number % 6 == 0:
            service.show("one", "two", "three")
        staged = mixed(chance, begin(service), chance.randrange(1, 9))
        calls, final = check(service, staged)
        finals += final
        several += len(calls) > 3
    assert 4 < finals < 36
    assert several > 4
