"""Plans for sites whose service moves any entry: each plan makes what is staged, and is undone."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import pytest

from copydesk.domain.arrangement import StagingError
from copydesk.domain.layout import TOP, Item, Layout
from copydesk.domain.rebase import renamed
from copydesk.domain.reversal import NEW, Expectation, Step, bind, bind_reversal
from copydesk.domain.site_arrangement import SiteArrangement
from copydesk.domain.site_moves import EmptyGroupError
from copydesk.domain.site_plan import _Ops, seen_fact
from copydesk.domain.site_tree import REST

GROUP, LINK = "site-section-group", "site-external-link"


def layout(text: str) -> Layout:
    """Return the layout of ``A G(B H(C)) x``: capitals from G on are groups, small ones links."""
    items: dict[str, Item] = {}
    levels: dict[str, list[str]] = {TOP: []}
    path = [TOP]
    for sign in text:
        if sign == "(":
            path.append(levels[path[-1]][-1])
        elif sign == ")":
            path.pop()
        elif sign.isalpha():
            kind: Any = "link" if sign.islower() else "group" if sign >= "G" else "section"
            values = {"title": sign, "path": sign} if kind == "section" else {"title": sign}
            items[sign] = Item(sign, kind, values)
            levels[path[-1]].append(sign)
            if kind != "link":
                levels[sign] = []
    for section in [row for row in items if items[row].kind == "section"]:
        shown = f"{section}1"
        items[shown] = Item(shown, "site-space", {"title": shown, "space": shown, "default": True})
        levels[section] = [shown]
    first = next(row for row in items if items[row].kind == "section")
    items[first] = replace(items[first], values={**items[first].values, "default": True})
    return Layout(items, {level: tuple(rows) for level, rows in levels.items()})


class Service:
    """A service that keeps the entries of a site, and refuses what one does."""

    def __init__(self, begun: str | Layout) -> None:
        found = layout(begun) if isinstance(begun, str) else begun
        self.kinds: dict[str, str] = {row: item.kind for row, item in found.items.items()}
        self.levels = {level: list(rows) for level, rows in found.levels.items()}
        self.made = 0

    def drawn(self, level: str = TOP) -> str:
        return " ".join(
            row + (f"({self.drawn(row)})" if self.kinds[row] == "group" else "")
            for row in self.levels[level]
        )

    def home(self, row: str) -> str:
        return next(level for level, rows in self.levels.items() if row in rows)

    def rows(self, level: str = TOP) -> Iterator[dict[str, Any]]:
        for row in self.levels[level]:
            yield {"id": row, "sectionGroup": level or None}
            if self.kinds[row] == "group":
                yield from self.rows(row)

    def holds(self, expected: Expectation | None) -> str:
        assert expected is not None
        return expected.explain({"items": list(self.rows())})

    def send(self, step: Step) -> dict[str, Any]:
        body, ids = step.body or {}, list(step.arguments.values())
        match step.operation:
            case "sort_site_structure":
                (side, anchor), item = next(iter(body["position"].items())), body["item"]["id"]
                self._goes(item, self.home(anchor["id"]))
                rows = self.levels[self.home(anchor["id"])]
                rows.insert(rows.index(anchor["id"]) + (side == "after"), item)
            case "local.came_along":
                assert self.home(ids[-2]) == ids[-1]
            case "update_site_section_group" | "update_site_external_link":
                for name in ("parent", "parentSectionGroupId"):
                    if name in body:
                        self._goes(ids[-1], body[name] or TOP)
                        self.levels[body[name] or TOP].append(ids[-1])
            case "add_site_section_group" | "add_site_external_link":
                return {"id": self._make(step.operation, body)}
            case "delete_site_section_group" | "delete_site_external_link":
                assert not self.levels.pop(ids[-1], []), "what is in it would go with it"
                self.levels[self.home(ids[-1])].remove(ids[-1])
            case "delete_site_section":
                self.levels[self.home(ids[-1])].remove(ids[-1])
                del self.levels[ids[-1]]
            case other:
                raise AssertionError(other)
        return {}

    def _make(self, operation: str, body: Mapping[str, Any]) -> str:
        self.made += 1
        row = f"made{self.made}"
        self.kinds[row] = "group" if "group" in operation else "link"
        self.levels[body.get("parent", TOP)].append(row)
        if self.kinds[row] == "group":
            self.levels[row] = []
            for each in body.get("sections", ()):
                self._goes(each, row)
                self.levels[row].append(each)
        return row

    def _goes(self, row: str, level: str) -> None:
        above = level
        while above:
            assert above != row, "a group in itself"
            above = self.home(above)
        self.levels[self.home(row)].remove(row)


def staged(text: str) -> SiteArrangement:
    return replace(SiteArrangement.on(layout(text), "org", "site"), sorts=True)


def drawn(found: Layout, made: Mapping[str, str], level: str = TOP) -> str:
    return " ".join(
        made.get(row, row)
        + (f"({drawn(found, made, row)})" if found.items[row].kind == "group" else "")
        for row in found.levels[level]
    )


def sent(arrangement: SiteArrangement, service: Service) -> tuple[list[str], bool]:
    """Send a plan, look at what it comes to, and take it back; return its lines."""
    before, made = service.drawn(), dict[str, str]()
    calls, lasting = [], False
    for call in arrangement.calls():
        bound = bind(call, made)
        answer = service.send(bound.step)
        if call.makes:
            made |= call.made(answer)
            bound = bind(call, made)
        still = bound.arrived if bound.reversal is None else bound.reversal.still
        assert service.holds(still) == "", call.line
        calls.append(bound)
        lasting = lasting or call.lasting
    assert service.drawn() == drawn(arrangement.now, made)
    again: dict[str, str] = {}
    for call in reversed(calls):  # also around what stays as it was sent
        back = bind(call, again).reversal
        if back is None or back.came_along:
            continue
        assert service.holds(back.still) == "", call.line
        was = service.drawn()
        for number in range(len(back.back)):
            answer = service.send(back.back[number])
            if back.anew is not None and not number:
                again[back.anew.id] = answer["id"]
                back = bind_reversal(back, again)
        assert service.drawn() != was, call.line
        assert service.holds(back.before) == "", call.line
    if not lasting:
        for old, new in again.items():
            before = before.replace(old, new)
        assert service.drawn() == before
    return [call.line for call in calls], lasting


def test_a_group_is_made_with_its_sections_and_others_join_it() -> None:
    start = staged("A B C x")
    arrangement, group = start.add(TOP, "group", {"title": "New"}, after="A")
    for row in ("B", "x"):
        arrangement = arrangement.shift([row], group)
    arrangement, _ = arrangement.add(group, "link", {"title": "Out", "url": "https://o.test"})
    lines, lasting = sent(arrangement, Service("A B C x"))
    assert not lasting
    assert lines == [
        "New group New, with B",
        "New link Out in New to https://o.test",
        "C after New",
        "x after B (in New)",
    ]


def test_a_removed_group_leaves_what_was_in_it_in_its_place() -> None:
    arrangement = staged("A G(B x) C").remove(["G"])
    lines, lasting = sent(arrangement, Service("A G(B x) C"))
    assert not lasting
    assert lines == ["B after A, out of G", "x after B, out of G", "Remove G"]
    assert arrangement.shown.levels["G"] == (), "its content is shown once, where it goes"
    both = staged("A G(B x) C").remove(["G", "B"])
    assert sent(both, Service("A G(B x) C"))[0][-1] == "Remove G"


def test_removed_groups_within_each_other_leave_what_was_in_them_in_its_order() -> None:
    text = "A G(B H(C x) I(J(D))) y"
    for groups in (["G", "H", "J"], ["J", "H", "G"]):
        arrangement = staged(text).remove(groups)
        assert drawn(arrangement.now, {}) == "A B C x I(D) y"
        sent(arrangement, Service(text))


def test_a_way_back_leads_beside_nothing_that_has_left_for_good() -> None:
    arrangement = staged("A G(B C) D").shift(["B", "C"], TOP)
    lines, lasting = sent(arrangement, Service("A G(B C) D"))
    assert lasting
    assert [call.lasting for call in arrangement.calls()] == [True] * len(lines)
    # A new group takes a section out of one that is removed.
    start, group = staged("A G(B x) C").remove(["G"]).add(TOP, "group", {"title": "New"})
    (made, *_), _ = sent(start.shift(["B"], group), Service("A G(B x) C"))
    assert made == "New group New, with B"
    assert not any(call.lasting for call in start.shift(["B"], group).calls())


def test_a_draft_is_told_as_one_before_it_is_sent() -> None:
    start, link = staged("A B").add(TOP, "link", {"title": "Out", "url": "https://o.test"})
    assert seen_fact(start.calls()).startswith("Readers see it at once; there is no draft")
    draft = start.change(link, {"draft": True})
    assert [call.line for call in draft.calls()] == ["New link Out to https://o.test, as a draft"]
    assert seen_fact(draft.calls()).startswith("Sent as a draft")
    both = draft.add(TOP, "group", {"title": "G"})[0]
    assert seen_fact(both.calls()) == "Readers see it at once, except what is sent as a draft."


def test_the_removal_of_a_group_waits_for_the_last_move_alone() -> None:
    text = "A G(B) H(C x) I(D) J(E)"
    arrangement = staged(text).remove(["G", "H", "I", "J"])
    ops = _Ops(arrangement).all()
    assert [ops[f"remove:{group}"].needs for group in "GHIJ"] == [[(REST, "move:E", REST)]] * 4
    assert sent(arrangement, Service(text))[0][-4:] == [f"Remove {group}" for group in "GHIJ"]


def test_an_empty_group_takes_links_and_groups_and_no_section_alone() -> None:
    start = staged("A B G() x")
    with pytest.raises(StagingError, match="No call puts a section into an empty group"):
        start.shift(["A"], "G")
    with pytest.raises(StagingError, match="No call"):
        staged("G(A) H(B)").shift(["A"], "H").shift(["B"], "G")
    lines, _ = sent(start.shift(["x"], "G").shift(["A"], "G"), Service("A B G() x"))
    assert lines == ["x into G", "A after x (in G)"]
    kept = staged("A B G(C)").shift(["C"], TOP)
    assert not kept.rebase(layout("A B G(C)")).lost
    # Somebody else takes the last one out meanwhile.
    lost = staged("A B G(C)").shift(["A"], "G").rebase(layout("A B C G()"))
    assert [each.why for each in lost.lost] == ["nothing else is in there by now"]
    assert lost.arrangement.now.levels["G"] == ()
    back = staged("D H(A B) G(C)").shift(["A"], "G").rebase(layout("D H(A B) C G()"))
    assert drawn(back.arrangement.now, {}) == "D H(B A) C G()"


def test_what_comes_into_a_group_comes_while_something_is_there() -> None:
    arrangement = staged("A G(B) C").shift(["C"], "G").shift(["B"], TOP)
    lines, _ = sent(arrangement, Service("A G(B) C"))
    assert lines == ["C before B (in G)", "B after G, out of G"]


def test_what_a_service_without_groups_does_not_do_is_refused() -> None:
    start = replace(staged("A B"), sorts=False)
    with pytest.raises(StagingError, match="This service has no section groups"):
        start.add(TOP, "group", {"title": "G"})
    with pytest.raises(StagingError, match="begins with https"):
        staged("A").add(TOP, "link", {"title": "Out", "url": "javascript:alert(1)"})
    with pytest.raises(StagingError, match="title cannot be empty"):
        staged("G(A)").change("G", {"title": ""})


@pytest.mark.parametrize("seed", range(40))
def test_any_staged_structure_is_what_its_plan_makes(seed: int) -> None:
    chance = random.Random(seed)
    text = chance.choice(STARTS)
    arrangement = by_chance(staged(text), chance)
    if arrangement.dirty:
        sent(arrangement, Service(text))
    again = SiteArrangement.from_text(arrangement.to_text(), "org", "site")
    assert again is not None
    assert again.now.same(arrangement.now)


@pytest.mark.parametrize("seed", range(40))
def test_what_is_staged_is_made_of_what_others_made_meanwhile(seed: int) -> None:
    chance = random.Random(seed)
    text = chance.choice(STARTS)
    ours, others = (by_chance(staged(text), chance) for _ in "12")
    names = {row: f"theirs{row.removeprefix(NEW)}" for row in others.now.items if NEW in row}
    theirs = renamed(others.now, names)
    rebased = ours.rebase(theirs)
    if rebased.arrangement.dirty:
        sent(rebased.arrangement, Service(theirs))


@pytest.mark.parametrize(
    ("before", "after", "lines"),
    [
        (
            "A J(G(B) H(C))",
            "A G(H(C) J(B))",
            ["B before G (in J), out of G", "G after A, out of J", "H into G, out of J",
             "J after H (in G)"],
        ),
        (
            "A G(B) H(C J(D))",
            "A J(B G(H(C D)))",
            ["J after A, out of H", "B before D (in J), out of G", "G after B (in J)", "H into G",
             "D after C (in H), out of J"],
        ),
        (
            "A J(G(B) H(C)) x",
            "A x G(H(J(C)) B)",
            ["C before G (in J), out of H", "G after x, out of J", "H before B (in G), out of J",
             "J into H"],
        ),
    ],
)  # fmt: skip
def test_groups_within_each_other_may_change_places(
    before: str, after: str, lines: list[str]
) -> None:
    start = staged(before)
    wanted = replace(start, now=layout(after), past=(start.now,))
    assert sent(wanted, Service(before))[0] == lines


STARTS = ("A G(B C x) H(D) y", "A B G(H(C D) x)", "G(A) H(B C) I(x) D", "A B C D")


def by_chance(arrangement: SiteArrangement, chance: random.Random) -> SiteArrangement:
    """Stage some steps, whatever they are."""
    for _ in range(chance.randint(1, 9)):
        now = arrangement.now
        entries = [row for row, item in now.items.items() if item.kind != "site-space"]
        groups = [TOP, *(row for row in entries if now.items[row].kind == "group")]
        row = chance.choice(entries)
        try:
            match chance.randrange(6):
                case 0:
                    arrangement = arrangement.move([row], chance.choice((1, -1)))
                case 1 | 2:
                    arrangement = arrangement.shift([row], chance.choice(groups))
                case 3:
                    arrangement = arrangement.place([row], chance.choice(entries))
                case 4:
                    kind = chance.choice(("group", "link"))
                    values = {"title": f"new {len(entries)}", "url": "https://a.test"}
                    if kind == "group":
                        del values["url"]
                    arrangement, _ = arrangement.add(chance.choice(groups), kind, values)  # type: ignore[arg-type]
                case 5 if now.items[row].kind != "section" and not row.startswith(NEW):
                    arrangement = arrangement.remove([row])
        except (StagingError, EmptyGroupError):
            continue
    return arrangement
