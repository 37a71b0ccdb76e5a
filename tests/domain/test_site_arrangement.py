"""What is staged of a site, sent to a model of the service: it gives what was staged, and back."""

from __future__ import annotations

import random
import re
from dataclasses import replace
from typing import Any

import pytest
from pydantic import TypeAdapter

from copydesk.domain.arrangement import StagingError
from copydesk.domain.layout import Layout
from copydesk.domain.reversal import TEXTS, Call, bind
from copydesk.domain.site_arrangement import SiteArrangement
from tests.domain.site_service import IDS, RefusedError, SiteService

PROVISIONAL = re.compile(r"new:\d+(?:/[a-z]+)?")
AS_KEPT: TypeAdapter[Call] = TypeAdapter(Call)


def kept(call: Call) -> Call:
    """Return a call as it comes back from the file of its run."""
    return AS_KEPT.validate_json(AS_KEPT.dump_json(call))


def provisional(value: Any, name: str = "") -> set[str]:
    """Return the provisional ids in the parts of a request."""
    match value:
        case str() if name not in TEXTS and PROVISIONAL.fullmatch(value):
            return {value}
        case dict():
            return {each for key, one in value.items() for each in provisional(one, key)}
        case list() | tuple():
            return {each for one in value for each in provisional(one, name)}
    return set()


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
        call = bind(kept(each), made)
        assert not provisional([dict(call.step.arguments), call.step.body]), call
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
        values = {k: v for k, v in item.values.items() if k != "spaceTitle"}
        values.pop("title" if item.kind == "site-space" else "space", None)
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
    final = any(call.lasting for call in sent)
    for call in reversed(sent):
        if call.reversal is None:
            continue
        assert call.reversal.still is not None
        said = service.holds(call.reversal.still)
        if final and said:
            continue
        assert said == "", call
        for step in call.reversal.back:
            try:
                service.send(step)
            except RefusedError:  # such as hiding what became the default for good
                assert final
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
            return staged.remove(
                chance.sample(list(now.items), min(len(now.items), number % 2 + 1))
            )
        case 10:
            title = chance.choice([f"New {number}", "Ünder", "A b"])
            path = chance.choice([None, "a", "b", f"q{number}", "under", "a-b", "a-b-2"])
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


@pytest.mark.parametrize("seed", range(3))
def test_whatever_is_staged_is_there_after_its_plan_and_can_be_taken_back(seed: int) -> None:
    chance = random.Random(seed)
    finals = several = 0
    for number in range(24):
        service = SiteService() if number % 3 == 0 else site()
        if number % 6 == 0:
            service.show("one", "two", "three")
        calls, final = check(service, mixed(chance, begin(service), chance.randrange(2, 12)))
        finals += final
        several += len(calls) > 3
    assert 3 < finals < 22
    assert several > 4


def test_what_two_people_stage_goes_together() -> None:
    chance = random.Random(9)
    clashing = 0
    for number in range(18):
        service = SiteService() if number % 6 == 0 else site()
        if number % 12 == 0:
            service.show("one", "two", "three")
        clashing += check_rebased(chance, service, chance.randrange(3, 9))
    assert clashing


def test_what_was_sent_is_done_with_and_only_the_rest_stays_staged() -> None:
    chance = random.Random(4)
    cut_short = 0
    for number in range(40):
        service = SiteService() if number % 4 == 0 else site()
        if number % 8 == 0:
            service.show("one", "two", "three")
        staged = mixed(chance, begin(service), chance.randrange(2, 8))
        calls = staged.calls()
        at = chance.randint(0, len(calls))
        cut_short += 0 < at < len(calls)
        made, _ = send(service, calls[:at])
        there = service.layout()
        rest = staged.after_sending(there, calls[:at], calls[at:], made).rebase(there)
        assert not rest.clashes
        assert not rest.lost
        more, _ = send(service, rest.arrangement.calls())
        wanted = staged.bound({**made, **more}).now
        assert plain(service.layout(), like=wanted) == plain(wanted), [call.line for call in calls]
    assert cut_short > 10


def test_what_others_hid_is_not_landed_on() -> None:
    service = site()
    ours = begin(service).remove(["s-a-one"])
    send(service, begin(service).change("s-a-two", {"hidden": True}).calls())
    rebased = ours.rebase(service.layout())
    assert rebased.arrangement.now.defaults["s-a"] == "s-a-three"
    assert [lost.why for lost in rebased.lost] == ["it is hidden by now"]


def test_an_order_for_which_nothing_stayed_above_a_group_is_lost() -> None:
    service = SiteService()
    for name in "abcd":
        service.section(name, group="G" if name == "b" else "")
    ours = begin(service).place(["s-c", "s-d"], "s-a")
    assert ours.now.levels[""] == ("s-a", "s-c", "s-d", "group:G")
    send(service, begin(service).place(["s-a"], "s-c").calls())
    rebased = ours.rebase(service.layout())
    assert [lost.line for lost in rebased.lost] == ["the order of the top"]
    assert not rebased.arrangement.dirty
    assert rebased.arrangement.now.levels[""] == ("group:G", "s-c", "s-a", "s-d")


@pytest.mark.parametrize(
    ("gone", "told"), [("s-a-one", []), ("s-a-two", ["Title of space-two: the default"])]
)
def test_a_default_that_is_gone_is_lost_once_and_no_loss_where_another_is_wanted(
    gone: str, told: list[str]
) -> None:
    service = site()
    ours = begin(service).make_default("s-a-two")
    send(service, begin(service).remove([gone]).calls())
    assert [lost.line for lost in ours.rebase(service.layout()).lost] == told


def test_another_default_of_others_is_asked_about_by_titles() -> None:
    service = site()
    ours = begin(service).make_default("s-a-two")
    send(service, begin(service).make_default("s-a-three").calls())
    rebased = ours.rebase(service.layout())
    [clash] = rebased.clashes
    assert (clash.field, clash.base, clash.theirs, clash.ours) == (
        "default", "Title of space-one", "Title of space-three", "Title of space-two",
    )  # fmt: skip
    assert rebased.taking_theirs().calls() == []


def test_a_default_that_the_service_named_is_nothing_staged() -> None:
    service = site()
    staged = begin(service).remove(begin(service).now.sections())
    calls = staged.calls()
    made, _ = send(service, calls[:1])
    rest = staged.after_sending(service.layout(), calls[:1], calls[1:], made)
    assert rest.base.defaults["sections"] == service.layout().defaults["sections"] == "s-b"


def test_a_first_section_of_others_keeps_what_ours_would_have_taken_over() -> None:
    service = SiteService()
    service.show("one", "two")
    ours, theirs = (
        begin(service).add("", "section", {"title": title, "space": f"space-{title}"})[0]
        for title in ("Ours", "Theirs")
    )
    send(service, theirs.calls())
    rebased = ours.rebase(service.layout())
    assert [f"{lost.line}: {lost.why}" for lost in rebased.lost] == [
        "Title of space-one: first in Ours: it moved",
        "Title of space-two: after Title of space-one in Ours: it moved",
    ]
    assert [call.line for call in rebased.arrangement.calls()] == ["New section Ours, showing Ours"]


def test_a_plan_waits_for_what_has_to_be_before() -> None:
    service = site()
    begun = begin(service)
    ring = {"s-a": {"path": "b"}, "s-b": {"path": "c"}, "s-c": {"path": "a"}}
    staged = begun.change_all(ring).change("s-c", {"title": "Sea", "icon": "gear"})
    calls, _ = check(service.copy(), staged)
    assert [call.key for call in calls] == ["free:s-a", "change:s-c", "change:s-b", "change:s-a"]
    assert calls[1].line == "Section c: title Section c → Sea, path /c → /a, icon gear"
    assert "links" in calls[1].note
    (renamed,) = begun.change("s-a", {"path": "q"}).calls()
    (landed,) = begun.make_default("s-b").calls()
    assert renamed.note.startswith("its address stays")
    assert landed.note.startswith("the addresses of both change")

    # The path is free, and readers land elsewhere, once the section is gone.
    taken = begun.remove(["s-a"]).change("s-b", {"path": "a", "title": "Bee"})
    calls, final = check(service.copy(), taken)
    assert [call.key for call in calls] == ["default:sections", "remove:s-a", "change:s-b"]
    assert final
    assert calls[1].line == "Remove Section a with 3 spaces"

    # What was hidden and takes the default's path while that is hidden goes in two parts.
    hidden = service.copy()
    send(hidden, begun.change("s-a-two", {"hidden": True}).calls())
    both = begin(hidden).change("s-a-two", {"hidden": False}).make_default("s-a-two")
    both = both.change_all({"s-a-two": {"path": "one"}, "s-a-one": {"path": "was", "hidden": True}})
    calls, _ = check(hidden, both)
    assert [call.key for call in calls] == [
        "change:s-a-two",
        "change:s-a",
        "change:s-a-one",
        "path:s-a-two",
    ]


def test_a_new_section_is_filled_ordered_and_set_before_it_has_an_id() -> None:
    service = site()
    values = {"title": "new:1", "space": "sp", "spaceTitle": "Space", "icon": "gear"}
    staged, section = begin(service).add("", "section", values, after="s-a")
    staged, space = staged.add(section, "site-space", {"title": "More", "space": "sq"})
    staged, aside = staged.add(section, "site-space", {"title": "Aside", "space": "sr"})
    staged = staged.move([space], -1).change(section, {"path": "p", "condition": "if"})
    staged = staged.change(space, {"hidden": True}).make_default(aside).make_default(section)
    calls, final = check(service, staged)
    assert not final
    assert [call.note[:15] for call in calls if "Show" in call.line] == ["everyone sees i", ""]
    assert [call.line for call in calls] == [
        "New section new:1, showing Space, icon gear",
        "new:1: path /p, condition if",
        "Show More in new:1",
        "More (in new:1): hidden",
        "Show Aside in new:1",
        "new:1: readers land on Aside first",
        "Readers land on new:1 first",
        "new:1 after Section a",
        "More before Space (in new:1)",
    ]


def test_the_first_section_takes_over_what_the_site_shows() -> None:
    service = SiteService()
    service.show("one", "two")
    begun = begin(service).move(["r-two"], -1)
    staged, section = begun.add("", "section", {"title": "First", "space": "space-one"})
    assert staged.now.levels[section] == ("r-two", "r-one")
    calls, final = check(service.copy(), staged)
    assert final
    assert "takes over" in calls[0].note
    other = staged.add("", "section", {"title": "Second", "space": "sp"})[0].put("new:2", 1)
    check(service.copy(), other)
    forgotten = staged.remove([section])
    assert forgotten.now.levels[""] == ("r-two", "r-one")
    check(service.copy(), forgotten)
    check(service.copy(), other.remove([section]))


def test_what_a_first_section_took_over_is_in_it_once_that_was_sent() -> None:
    service = SiteService()
    service.show("one", "two")
    staged = begin(service).move(["r-two"], -1)
    for title in ("First", "Second"):
        staged, _ = staged.add("", "section", {"title": title, "space": f"space-{title}"})
    calls = staged.calls()
    made, sent = send(service, calls[:1])
    rest = staged.after_sending(
        service.layout(), sent, [bind(each, made) for each in calls[1:]], made
    )
    assert plain(rest.base) == plain(service.layout())
    assert [call.line for call in rest.calls()] == [
        "New section Second, showing Second",
        "Title of space-two before Title of space-one (in First)",
    ]


def test_what_a_first_section_took_over_hands_on_paths_and_the_default() -> None:
    service = SiteService()
    service.show("one", "two", "three")
    staged, _ = begin(service).add("", "section", {"title": "First", "space": "space-two"})
    one, two, three = (f"Title of space-{name}" for name in ("one", "two", "three"))
    for plan, lines in (
        (
            staged.change("r-one", {"path": "other"}).change("r-two", {"path": "one"}),
            [f"{one} (in First): path /one → /other", f"{two} (in First): path /two → /one",
             "New section First"],
        ),
        (
            staged.remove(["r-three"]).change("r-two", {"path": "three"}),
            ["New section First", f"Remove {three}", f"{two} (in First): path /two → /three"],
        ),
        (
            staged.make_default("r-three").remove(["r-one"]).change("r-two", {"path": "one"}),
            ["New section First", f"First: readers land on {three} first", f"Remove {one}",
             f"{two} (in First): path /two → /one"],
        ),
    ):  # fmt: skip
        calls, _ = check(service.copy(), plan)
        assert [call.line for call in calls] == lines


def test_a_long_level_is_put_in_order_and_back_by_what_stands_beside_each() -> None:
    service = SiteService()
    for number in range(104):
        service.section(f"{number}", "one", group="G" if number in (7, 8, 60) else None)
    chance = random.Random(2)
    staged = begin(service).sort("", lambda item: chance.random())
    calls, final = check(service, staged)
    assert not final
    assert len(calls) > 70
    fields = calls[0].reversal and calls[0].reversal.still and calls[0].reversal.still.fields
    assert fields
    assert all(len(order) <= 3 for order in fields.values())


def test_what_no_request_makes_is_refused_when_it_is_staged() -> None:
    begun = begin(site())
    hidden = begun.change("s-a-two", {"hidden": True})
    there = begun.now.items["s-a-two"]
    away = replace(there, values={**there.values, "trashed": True})
    trashed = replace(begun, now=replace(begun.now, items={**begun.now.items, away.id: away}))
    group = begun.now.level_of("s-x")
    for step, why in (
        (lambda: begun.move([group], 1), "does not move groups"),
        (lambda: begun.shift(["s-b"], group), "not put a section into a group"),
        (lambda: begun.out(["s-x"]), "not put a section into a group, or take it out"),
        (lambda: begun.shift(["s-a-one"], "s-b"), "Add its space there"),
        (lambda: begun.change("s-a-one", {"hidden": True}), "Make another one the default"),
        (lambda: hidden.make_default("s-a-two"), "Show it first"),
        (lambda: trashed.make_default("s-a-two"), "Its space is in the trash; readers cannot"),
        (lambda: begun.change("s-a", {"path": "x"}), "Section x has the path /x already"),
        (lambda: begun.change("s-a", {"path": "/x y"}), "without a slash"),
        (lambda: begun.change("s-a", {"path": ""}), "path cannot be empty"),
        (lambda: begun.change("s-a", {"title": "x"}), "at least 2 characters"),
        (lambda: begun.change("s-a", {"condition": "x" * 2000}), "at most 1024"),
        (lambda: begun.change("s-a", {"condition": "(pro"}), r"^\) is missing at its end\.$"),
        (lambda: begun.change("s-a-two", {"condition": "a ="}), "= is not a comparison here"),
        (lambda: begun.change("s-a", {"hidden": True}), "only what it shows"),
        (lambda: begun.change("s-a-one", {"title": "Other"}), "rename the space"),
        (lambda: begun.remove(["s-y-one"]), "Remove the section instead"),
        (lambda: begun.add("", "site-space", {"space": "s"}), "This site has sections"),
        (lambda: begun.add(group, "section", {"title": "New", "space": "s"}), "to the top level"),
        (lambda: begun.add("s-a", "site-space", {"space": "space-one"}), "shown there already"),
        (lambda: begun.add("", "section", {"title": "New"}), "^A section is added with a space"),
    ):
        with pytest.raises(StagingError, match=why):
            step()
    said = {
        "x": "Section x has the path /x already. Change that path first (e).",
        "/x y": "A path is letters, digits, '-', '_', '.' and '~', a letter or a digit first, "
        "without a slash.",
    }
    for path, sentence in said.items():
        with pytest.raises(StagingError) as refused:
            begun.change("s-a", {"path": path})
        assert str(refused.value) == sentence
    gone = begun.remove(["s-a-two"])
    with pytest.raises(StagingError) as refused:
        gone.add("s-a", "site-space", {"space": "space-two"})
    assert str(refused.value) == "Shown there, to be removed. Undo that instead (u)."


def test_what_becomes_the_default_is_shown_first() -> None:
    service = SiteService()
    service.show("one", "two")
    (hide,) = begin(service).change("r-two", {"hidden": True}).calls()
    service.send(hide.step)
    staged = begin(service).change("r-two", {"hidden": None}).make_default("r-two")
    calls, _ = check(service, staged)
    assert [call.line for call in calls] == [
        "Title of space-two: shown again", "Readers land on Title of space-two first",
    ]  # fmt: skip


def test_groups_stay_where_they_are_as_the_sections_around_them_are_sorted() -> None:
    service = SiteService()
    for name, group in (("x", "G"), ("d", None), ("y", "H"), ("b", None), ("a", None)):
        service.section(name, "one", group=group)
    staged = begin(service).sort("", lambda item: item.title)
    assert staged.now.levels[""] == ("group:G", "s-a", "group:H", "s-b", "s-d")
    calls, _ = check(service.copy(), staged)
    assert [call.line for call in calls] == [
        "Section a before Section d", "Section d after Section b",
    ]  # fmt: skip
    assert not begin(service).sort("", lambda item: item.title, reverse=True).dirty


def test_a_group_goes_with_its_last_section_whoever_removes_that() -> None:
    service = site()
    staged = begin(service).remove(["s-x"])
    assert "group:G" in staged.now
    service.sections = [each for each in service.sections if each["id"] != "s-y"]
    rebased = staged.rebase(service.layout())
    assert not rebased.lost
    assert "group:G" not in rebased.arrangement.now
    assert rebased.arrangement.now.levels[""] == ("s-a", "s-b", "s-c")
    (call,) = rebased.arrangement.calls()
    assert call.line == "Remove Section x from Group 1 with 2 spaces"


def test_a_first_section_takes_over_nothing_that_is_to_be_removed() -> None:
    service = SiteService()
    service.show("one", "two")
    begun = begin(service)
    first = begun.now.levels[""][1]
    with pytest.raises(StagingError) as refused:
        begun.remove([first]).add("", "section", {"title": "New", "space": "s"})
    assert str(refused.value) == (
        "The first section takes over what the site shows. Send first what is staged to be removed."
    )


def test_places_that_no_request_reaches_are_passed_by() -> None:
    service = SiteService()
    for name, group in (("a", None), ("b", None), ("x", "G"), ("y", "H"), ("c", None)):
        service.section(name, "one", group=group)
    begun = begin(service)
    moved = begun.move(["s-b"], 1)
    assert moved.now.levels[""] == ("s-a", "group:G", "group:H", "s-b", "s-c")
    check(service.copy(), moved)
    with pytest.raises(StagingError, match="next to a group"):
        begun.put("s-b", 3)
    # From between two groups there is no way back.
    lone = SiteService()
    for name, group in (("x", "G"), ("a", None), ("y", "H"), ("b", None)):
        lone.section(name, "one", group=group)
    (call,) = begin(lone).move(["s-a"], 1).calls()
    assert call.lasting
    assert call.reversal is None


def test_what_is_added_is_given_the_path_that_another_new_thing_has_left() -> None:
    service = site()
    blog = {"title": "Blog", "space": "sp", "condition": "visitor.x"}
    staged, first = begin(service).add("", "section", blog)
    staged, _ = staged.add("", "section", {"title": "Blog", "space": "sq"})
    staged = staged.change("s-b", {"path": "beta"}).change(first, {"path": "b"})
    check(service.copy(), staged)
    send(service, staged.calls())
    assert [each["path"] for each in service.sections[-2:]] == ["b", "blog"]


def test_a_path_that_the_service_gives_the_first_section_is_free_once_that_has_its_own() -> None:
    service = SiteService()
    service.show("one")
    blog = {"title": "Blog", "space": "space-one"}
    staged, first = begin(service).add("", "section", blog)
    staged, second = staged.add("", "section", {"title": "Other", "space": "sq"})
    with pytest.raises(StagingError) as refused:
        staged.change(second, {"path": "blog"})
    assert str(refused.value) == (
        "Blog would be given the path /blog when it is added. Give it another one first."
    )
    check(service, staged.change(first, {"path": "news"}).change(second, {"path": "blog"}))


def test_things_that_the_service_gives_one_path_can_be_changed_and_no_other_gets_it() -> None:
    service = site()
    service.sections[1]["path"] = "a"
    begun = begin(service)
    assert [call.line for call in begun.change("s-b", {"icon": "gear"}).calls()] == [
        "Section b: icon gear"
    ]
    with pytest.raises(StagingError, match="Section a has the path /a already"):
        begun.change("s-c", {"path": "a"})
    staged, new = begun.add("s-a", "site-space", {"space": "s", "title": "New", "path": "new"})
    staged = staged.change("s-c-two", {"path": "new"})
    with pytest.raises(StagingError, match="has the path /new already"):
        staged.shift([new], "s-c")


def test_what_is_added_in_another_order_than_before_is_moved_to_its_place() -> None:
    two = {"title": "Plan two", "space": "space-first"}
    staged, _ = begin(site()).add("s-a", "site-space", two)
    staged, second = staged.add("s-a", "site-space", {"title": "Two", "space": "space-second"})
    assert [call.what for call in staged.calls()] == ["Add space", "Add space"]
    # The service might give the first of them that path: so the second is added before it.
    staged = staged.change(second, {"path": "plan-two"})
    assert [call.line for call in staged.calls()] == [
        "Show Two in Section a",
        "Two (in Section a): path /plan-two",
        "Show Plan two in Section a",
        "Two after Plan two (in Section a)",
    ]
