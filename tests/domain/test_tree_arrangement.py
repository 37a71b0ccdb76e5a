"""The staged tree of an organization: what can be staged, its requests, and their way back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from random import Random
from typing import Any

import pytest

from copydesk.domain.arrangement import StagingError
from copydesk.domain.layout import TOP, Item, Layout
from copydesk.domain.rebase import renamed
from copydesk.domain.reversal import Call, Expectation, Step, bind
from copydesk.domain.space_tree import LOOSE, SpaceNode, rule_list
from copydesk.domain.tree_arrangement import TreeArrangement, layout_of
from copydesk.domain.tree_inverses import WORK, space_made

LIVE = {"editMode": "live", "mergeRules": {"type": "inherit"}}


class Service:
    """A model of the service: one sequence per level, which nobody is told."""

    def __init__(self, layout: Layout, random: Random) -> None:
        self.items: dict[str, dict[str, Any]] = {
            row: {"kind": item.kind, **item.values} for row, item in layout.items.items()
        }
        self.levels: dict[str, list[str]] = {}
        for level, rows in layout.levels.items():
            turns = sorted(self.items[row]["kind"] for row in rows)
            random.shuffle(turns)
            kinds = {
                kind: iter([row for row in rows if self.items[row]["kind"] == kind])
                for kind in turns
            }
            self.levels[level] = [next(kinds[kind]) for kind in turns]
        self.trash: dict[str, str] = {}
        self._made = 0

    def layout(self) -> Layout:
        """What its lists say."""
        items = {
            row: Item(row, v["kind"], {name: v[name] for name in v if name != "kind"})
            for row, v in self.items.items()
            if row not in self.trash
        }
        levels = {
            level: tuple(sorted((row for row in rows if row in items), key=self._is_space))
            for level, rows in self.levels.items()
        }
        return Layout(items, levels)

    def _is_space(self, row: str) -> bool:
        return bool(self.items[row]["kind"] == "space")

    def _home(self, row: str) -> str:
        return next(level for level, rows in self.levels.items() if row in rows)

    def _new(self, level: str, values: Mapping[str, Any], at: int | None = None) -> str:
        self._made += 1
        row = f"made{self._made}"
        self.items[row] = dict(values)
        rows = self.levels[level]
        rows.insert(len(rows) if at is None else at, row)
        if values["kind"] == "collection":
            self.levels[row] = []
        return row

    def take(self, step: Step) -> str | None:
        """Do what a request asks for; return the id of what it made."""
        body = step.body or {}
        row = step.arguments.get("space_id") or step.arguments.get("collection_id") or ""
        match step.operation:
            case "create_collection":
                values = {"kind": "collection", "title": body["title"]}
                return self._new(body.get("parent", TOP), values)
            case "create_space":
                given = {name: body[name] for name in body if name != "parent"}
                return self._new(body.get("parent", TOP), {"kind": "space", **LIVE, **given})
            case "duplicate_space":
                rows = self.levels[self._home(row)]
                title = f"{self.items[row]['title']} (copy)"
                values = {**self.items[row], "title": title}
                return self._new(self._home(row), values, rows.index(row) + 1)
            case "update_space" | "update_collection":
                self.items[row].update(body)
                self.items[row] = {name: v for name, v in self.items[row].items() if v}
            case "delete_space":
                assert row not in self.trash
                self.trash[row] = self._home(row)
            case "restore_space":
                del self.trash[row]
            case "delete_collection":
                assert all(each in self.trash for each in self.levels[row]), "not empty"
                above = self._home(row)
                self.levels[above].remove(row)
                self.levels[above] += self.levels.pop(row)
                del self.items[row]
            case "move_space" | "move_collection":
                self._move(row, body["parent"] or TOP, body.get("position"))
            case "local.line_up":
                beside = {"before": {"space": step.arguments["anchor"]}}
                self._move(row, step.arguments["parent"], beside, idle=True)
            case "local.put_space":
                level, order = step.arguments["parent"], step.arguments["order"]
                at = order.index(row)
                near = [("after", each) for each in order[:at][-1:]]
                near += [("before", each) for each in order[at + 1 :][:1]]
                there = [(side, {"space": each}) for side, each in near]
                self._move(row, level, dict(there[:1]) or None, idle=True)
            case "local.order_collections":
                level, order = step.arguments["parent"], step.arguments["order"]
                spaces = [each for each in self.levels[level] if self._is_space(each)]
                for each in order if spaces else ():
                    if each in self.levels[level]:
                        self._move(each, level, {"before": {"space": spaces[0]}}, idle=True)
            case other:
                raise AssertionError(other)
        return None

    def _move(
        self, row: str, level: str, position: Mapping[str, Any] | None, *, idle: bool = False
    ) -> None:
        above = level
        while above != TOP:
            assert above != row, "into itself"
            above = self._home(above)
        home = self._home(row)
        before = list(self.levels[home])
        self.levels[home].remove(row)
        rows = self.levels[level]
        if position is None:
            assert home != level
            rows.append(row)
            return
        ((side, anchor),) = ((side, at["space"]) for side, at in position.items())
        assert self._is_space(anchor)
        assert anchor not in self.trash
        rows.insert(rows.index(anchor) + (side == "after"), row)
        assert idle or home != level or rows != before, "nothing changes"

    def read(self, expected: Expectation | None) -> str:
        """Return in what an expectation does not hold."""
        if expected is None:
            return ""
        if expected.read.operation in ("get_space", "get_collection"):
            (row,) = expected.read.arguments.values()
            if row not in self.items:
                return expected.explain(None)
            answer = {"emoji": "", "description": "", **self.items[row]}
            answer["parent"] = self._home(row) or None
            return expected.explain({**answer, "deletedAt": "now" if row in self.trash else None})
        layout = self.layout()
        kind = "collection" if "collections" in expected.read.operation else "space"
        level = expected.read.arguments.get("collection_id")
        items = [
            {
                "id": row,
                "parent": at or None,
                "title": layout.items[row].values.get("title"),
                **dict.fromkeys(WORK, 0),
            }
            for at, rows in layout.levels.items()
            for row in rows
            if layout.items[row].kind == kind and level in (None, at)
        ]
        return expected.explain({"items": items})


def send(service: Service, calls: Sequence[Call], made: dict[str, str] | None = None) -> list[Call]:
    """Send a plan; return the requests as they were sent, with real ids."""
    made = {} if made is None else made
    sent = []
    for call in calls:
        call = bind(call, made)
        assert call.reversal is None or not service.read(call.reversal.before), call.line
        answer = service.take(call.step)
        if call.makes:
            assert answer is not None
            made[call.makes] = answer
            call = bind(call, made)
        assert call.reversal is None or not service.read(call.reversal.still), call.line
        sent.append(call)
    return sent


def named(layout: Layout) -> dict[str, Any]:
    """Return a layout with titles for ids, so that what was made compares."""
    name = {row: item.values["title"] for row, item in layout.items.items()} | {TOP: TOP}
    levels = {name[level]: [name[row] for row in rows] for level, rows in layout.levels.items()}
    values = {
        name[row]: {key: v for key, v in item.values.items() if key != "duplicateOf"}
        for row, item in layout.items.items()
    }
    return {"levels": levels, "values": values}


def some_layout(random: Random, size: int) -> Layout:
    nodes: list[SpaceNode] = []
    for at in range(size):
        above = [node.id for node in nodes if node.kind == "collection"]
        kind: Any = "collection" if random.random() < 0.4 else "space"
        parent = random.choice([None, *above])
        nodes.append(
            SpaceNode(
                kind, f"{kind[0]}{at}", f"T{at}", parent, edit_mode="live" * (kind == "space")
            )
        )
    return layout_of(nodes)[0]


def some_step(random: Random, it: TreeArrangement, number: int) -> TreeArrangement:
    rows = list(it.now.items) or [""]
    row, other = random.choice(rows), random.choice(rows)
    level = random.choice(list(it.now.levels))
    title = f"New {number}"
    match random.randrange(11):
        case 0:
            return it.move([row], random.choice([-2, -1, 1, 2]))
        case 1 | 2:
            return it.place([row], other, after=random.random() < 0.5)
        case 3 | 4:
            return it.shift([row], level)
        case 5:
            return it.out([row])
        case 6:
            return it.change(row, {"title": title})
        case 7:
            return it.add(level, random.choice(["collection", "space"]), {"title": title})[0]
        case 8:
            return _copied(it, row)
        case 9:
            return it.sort(level, lambda item: item.title, reverse=True)
    return it.remove([row])


def _copied(it: TreeArrangement, row: str) -> TreeArrangement:
    title = f"{it.now.items[row].values['title']} (copy)" if row else ""
    if any(item.values["title"] == title for item in it.now.items.values()):
        raise StagingError("one copy is enough to tell copies apart")
    return it.duplicate(row)[0]


def test_a_plan_of_any_steps_makes_the_wanted_tree_and_its_way_back_the_old_one() -> None:
    random = Random(5)
    sent_at_all = 0
    for _ in range(150):
        base = some_layout(random, random.randint(2, 9))
        it = TreeArrangement.on(base, "org")
        for number in range(random.randint(1, 7)):
            try:
                it = some_step(random, it, number)
            except StagingError:
                continue
        assert TreeArrangement.from_text(it.to_text(["- said"]), "org") is not None
        calls = it.calls()
        assert len({call.key for call in calls}) == len(calls)
        asked = {call.key[5:].removesuffix("/2") for call in calls if call.key[:5] == "move:"}
        assert {row for row, state in it.states.items() if state.moved} == asked & {*base.items}
        service = Service(base, random)
        before = service.layout()
        assert named(before) == named(base)
        sent = send(service, calls)
        sent_at_all += len(sent)
        assert named(service.layout()) == named(it.now), it
        if any(call.lasting for call in sent):
            continue
        for call in reversed(sent):
            assert call.reversal is not None
            assert not service.read(call.reversal.still), call.line
            for step in call.reversal.back:
                service.take(step)
        gone = {row for row in service.trash if row not in base}
        after = service.layout()
        notes = [call.reversal.note for call in sent if call.reversal is not None]
        if not any("last collection" in note for note in notes):
            assert after.levels == before.levels, (it, gone)
        assert named(after)["values"] == named(before)["values"]
    assert sent_at_all > 300


def test_what_was_sent_is_done_with_and_only_the_rest_stays_staged() -> None:
    random = Random(7)
    cut_short = 0
    for _ in range(60):
        it = TreeArrangement.on(some_layout(random, random.randint(3, 9)), "org")
        for number in range(random.randint(2, 7)):
            with suppress(StagingError):
                it = some_step(random, it, number)
        calls = it.calls()
        at = random.randint(0, len(calls))
        cut_short += at < len(calls)
        service, made = Service(it.base, random), dict[str, str]()
        send(service, calls[:at], made)
        there = service.layout()
        rebased = it.after_sending(there, calls[:at], calls[at:], made).rebase(there)
        assert not rebased.clashes
        assert not rebased.lost
        send(service, rebased.arrangement.calls())
        assert named(service.layout()) == named(it.now), it
    assert cut_short > 30
    # What others made of it since is how it is; what was not sent is staged on top.
    layout, _ = layout_of([SpaceNode("collection", "a", "A"), *_spaces("s", "t", "u")])
    it = TreeArrangement.on(layout, "org").shift(["s", "t"], "a").change("s", {"title": "Mine"})
    it, new = it.add("", "collection", {"title": "New"})
    it = it.change("u", {"title": "Later"})
    left = [call for call in it.calls() if call.key in ("change:u", "move:t")]
    sent = [call for call in it.calls() if call not in left]
    assert (len(sent), len(left)) == (3, 2)
    theirs, _ = layout_of(
        [
            SpaceNode("collection", "a", "A"),
            SpaceNode("collection", "n", "New by Tom"),
            *_spaces("t", "u"),
            SpaceNode("space", "s", "Tom's", edit_mode="live"),
        ]
    )
    rebased = it.after_sending(theirs, sent, left, {new: "n"}).rebase(theirs)
    assert not rebased.changed
    assert [call.key for call in rebased.arrangement.calls()] == ["change:u", "move:t"]
    assert not it.after_sending(theirs, [*sent, *left], [], {new: "n"}).dirty
    # What was undone before is no step of what is staged on another tree.
    undone = it.undo()
    for done in (
        undone.after_sending(theirs, undone.calls(), [], {new: "n"}),
        undone.rebase(theirs).arrangement,
    ):
        assert done.redo() is done
    gone, _ = layout_of(_spaces("s", "t"))  # somebody deleted all that was made and moved into
    rebased = it.after_sending(gone, sent, left, {new: "n"}).rebase(gone)
    assert not rebased.arrangement.dirty


def test_whatever_others_did_everything_is_in_one_place_and_can_be_planned() -> None:
    random = Random(11)
    given_up = 0
    for _ in range(250):
        base = some_layout(random, random.randint(3, 9))
        ours = theirs = TreeArrangement.on(base, "org")
        for number in range(random.randint(2, 6)):
            with suppress(StagingError):
                ours = some_step(random, ours, number)
            with suppress(StagingError):
                theirs = some_step(random, theirs, 10 + number)
        there = renamed(theirs.now, {row: f"x{row}" for row in theirs.now.items if ":" in row})
        rebased = ours.rebase(there)
        for it in (rebased.arrangement, rebased.taking_theirs()):
            assert sorted(it.now.walk()) == sorted(it.now.items), (ours, there)
            assert {*it.now.levels} == {
                TOP,
                *(r for r, i in it.now.items.items() if i.kind[0] == "c"),
            }
            send(Service(there, random), it.calls())
        given_up += bool(rebased.lost)
    assert given_up > 10


def test_what_cannot_be_staged_is_said() -> None:
    layout, hidden = layout_of(
        [
            SpaceNode("collection", "a", "Alpha"),
            SpaceNode("collection", "b", "Beta", "a"),
            SpaceNode("collection", "c", "Gamma", "a"),
            SpaceNode("space", "s", "Sigma", edit_mode="live"),
            SpaceNode("space", "x", "Lost", "elsewhere"),
        ]
    )
    assert (layout.levels["a"], hidden) == (("b", "c"), 1)
    it = TreeArrangement.on(layout, "org")
    for stage, said in (
        (lambda: it.move(["c"], -1), "orders collections only beside a space, and Alpha has none"),
        (lambda: it.move(["a"], 1), "the only collection at the top"),
        (lambda: it.move(["s"], 1), "the only space at the top"),
        (lambda: it.shift(["a"], "b"), "into itself"),
        (lambda: it.remove(["a"]), "Alpha holds 2 collections: move or delete what is in it first"),
        (lambda: it.duplicate("a"), "copies spaces only"),
        (lambda: it.change("s", {"title": "x" * 51}), "Title: has to have at most 50 characters"),
        (lambda: it.change("a", {"title": " "}), "cannot be empty"),
        (lambda: it.change("a", {"description": "x" * 101}), "at most 100"),
    ):
        with pytest.raises(StagingError, match=said):
            stage()
    # With a space in it the collections can be ordered, and it says how.
    ordered = it.shift(["s"], "a").move(["c"], -1)
    assert [call.line for call in ordered.calls()] == [
        "Sigma into Alpha",  # last there, so that Beta is sure to come after Gamma
        "Beta after Gamma (in Alpha)",
    ]
    assert it.out(["c"]).calls()[0].line == "Gamma to the top, out of Alpha"
    blind = replace(TreeArrangement.on(layout_of(_spaces("s", "t"))[0], "org"), listed=False)
    with pytest.raises(StagingError, match="order at the top is not known"):
        blind.move(["t"], -1)


def _spaces(*rows: str) -> list[SpaceNode]:
    return [SpaceNode("space", row, row.upper(), edit_mode="live") for row in rows]


def test_spaces_of_others_are_no_part_of_the_tree_and_what_cannot_be_seen_is_counted() -> None:
    rest = SpaceNode("loose", LOOSE, "(others)")
    hidden = [replace(node, parent="unseen") for node in _spaces("u", "v")]
    assert layout_of([rest, *_spaces("s", "t")]) == layout_of(_spaces("s", "t"))
    layout, unseen = layout_of([*_spaces("s"), rest, SpaceNode("collection", "a", "A"), *hidden])
    assert (layout.levels, unseen) == ({TOP: ("a", "s"), "a": ()}, 2)


def test_settings_are_one_request_each_and_read_well() -> None:
    it = TreeArrangement.on(layout_of(_spaces("s", "t"))[0], "org")
    rules = {
        "type": "rules",
        "rules": [
            {"rule": "require_at_least_one_review"},
            {"rule": "require_specific_reviewers", "users": ["u1", "u2"]},
        ],
    }
    it = it.change("s", {"editMode": "locked"})
    assert [(call.what, call.line) for call in it.calls()] == [("Lock", "S: locked")]
    it = it.change("s", {"mergeRules": rules, "title": "Handbook", "emoji": "📘"})
    (call,) = it.calls()
    assert call.line == (
        "S: title S → Handbook, locked, merge rules: at least one review and "
        "specific reviewers (2 people), emoji 📘"
    )
    assert call.step.body["mergeRules"] == rules
    assert call.reversal is not None
    assert call.reversal.back[0].body["emoji"] == ""
    ruled = [replace(node, rules_type="rules", rules=(("one", ()),)) for node in _spaces("s")]
    own = TreeArrangement.on(layout_of(ruled)[0], "org")
    (call,) = own.change("s", {"mergeRules": None, "emoji": None}).calls()
    assert call.step.body == {"mergeRules": {"type": "inherit"}}
    assert call.reversal is not None
    assert call.reversal.back[0].body == {
        "mergeRules": {"type": "rules", "rules": [{"rule": "one"}]}
    }
    # What is drawn clean goes back as it was.
    (odd,) = _spaces("o")
    odd = replace(odd, raw={"title": "O\u200d\n"})
    (call,) = TreeArrangement.on(layout_of([odd])[0], "org").change("o", {"title": "P"}).calls()
    assert call.line == "O: title O → P"
    assert call.reversal is not None
    assert call.reversal.back[0].body == {"title": "O\u200d\n"}
    nest = [SpaceNode("collection", "a", "A"), SpaceNode("collection", "b", "B", "a")]
    nested, _ = layout_of([*nest, SpaceNode("space", "s", "S", "b")])
    space, _ = TreeArrangement.on(nested, "org").remove(["s"]).remove(["b"]).calls()
    assert space.note.startswith("restorable for 7 days, in A then, without the roles")
    assert space.reversal is not None
    assert space.reversal.note == "What it was in is gone: it is in A now."
    worked_in = {"id": "s", "changeRequestsOpen": 1, "changeRequestsDraft": 0, "comments": 0}
    still = space_made("org", "s").still
    assert still is not None
    assert "someone works in it" in still.explain({"items": [worked_in]})
    it, copy = it.duplicate("t")
    it = it.remove(["t"])
    assert [call.line for call in it.calls()[:1]] == ["A copy of T, with its pages and files"]
    assert it.calls()[-1].line == "Delete the space T"
    assert it.now.items[copy].title == "T (copy)"


def test_boxes_are_called_in_moves_what_they_are_called_by_then() -> None:
    boxes = [SpaceNode("collection", "a", "A"), SpaceNode("collection", "b", "B")]
    inside = [replace(each, parent="a") for each in _spaces("s", "t", "u")]
    it = TreeArrangement.on(layout_of([*boxes, *inside])[0], "org")
    it = it.change("a", {"title": "Alpha"}).move(["t"], -1).shift(["u"], "b")
    _, within, into = it.calls()
    assert within.line == "T before S (in Alpha)"
    assert (into.line, into.target) == ("U into B", "U from Alpha into B")


def test_others_changes_are_kept_and_what_no_longer_fits_is_said() -> None:
    def tree(*more: SpaceNode, order: Sequence[str] = ("a", "b")) -> Layout:
        folders = [SpaceNode("collection", row, row.upper()) for row in order]
        return layout_of([*folders, *more])[0]

    one, two = _spaces("one", "two")
    base = tree(one, two)
    it = TreeArrangement.on(base, "org").move(["b"], -1).remove(["a"]).shift(["one"], "b")
    # They put something into what we delete: it is not deleted.
    inside = SpaceNode("space", "new", "New", "a", edit_mode="live")
    rebased = it.rebase(tree(one, two, inside))
    assert [lost.line for lost in rebased.lost] == ["delete A"]
    assert rebased.arrangement.now.levels == {TOP: ("a", "b", "two"), "a": ("new",), "b": ("one",)}
    # They took the spaces away by which collections would have been ordered.
    it = TreeArrangement.on(base, "org").move(["b"], -1)
    rebased = it.rebase(tree())
    assert [lost.why for lost in rebased.lost] == ["there is no space in it by now"]
    assert rebased.arrangement.calls() == []
    # They moved a collection into the one that we move into it.
    it = TreeArrangement.on(base, "org").shift(["a"], "b")
    moved = layout_of(
        [SpaceNode("collection", "a", "A"), SpaceNode("collection", "b", "B", "a"), one, two]
    )[0]
    rebased = it.rebase(moved)
    assert rebased.lost
    assert rebased.arrangement.now.levels == {TOP: ("a", "one", "two"), "a": ("b",), "b": ()}


def test_boxes_deleted_here_come_back_around_what_others_put_into_them() -> None:
    boxes = [SpaceNode("collection", "a", "A"), SpaceNode("collection", "b", "B", "a")]
    layout, _ = layout_of([*boxes, *_spaces("s", "t")])
    it = TreeArrangement.on(layout, "org").remove(["b"]).remove(["a"])
    put = [replace(each, parent="b") for each in _spaces("s", "new")]
    theirs, _ = layout_of([*boxes, *put, *_spaces("t")])
    rebased = it.rebase(theirs)
    assert rebased.arrangement.now.levels == theirs.levels
    assert [lost.line for lost in rebased.lost] == ["delete A", "delete B"]


def test_the_end_of_a_level_is_told() -> None:
    items = {
        "a": Item("a", "collection", {"title": "A"}),
        "b": Item("b", "collection", {"title": "B"}),
        "c": Item("c", "space", {"title": "C"}),
        "d": Item("d", "space", {"title": "D"}),
        "e": Item("e", "space", {"title": "E"}),
    }
    layout = Layout(items, {TOP: ("a", "b", "c", "d"), "a": ("e",), "b": ()})
    begun = TreeArrangement.on(layout, "org")
    for row, delta, said in (
        ("d", 1, "The row is the last space at the top."),
        ("c", -1, "The row is the first space at the top."),
        ("a", -1, "The row is the first collection at the top."),
        ("b", 1, "The row is the last collection at the top. The"
         " API does not say in what order collections and spaces are."),
        ("e", 1, "The row is the only space in A."),
    ):  # fmt: skip
        with pytest.raises(StagingError) as refused:
            begun.move([row], delta)
        assert str(refused.value) == said


def test_what_is_staged_is_read_again_below_what_is_said_of_it() -> None:
    items = {"c": Item("c", "space", {"title": "C"}), "d": Item("d", "space", {"title": "D"})}
    begun = TreeArrangement.on(Layout(items, {TOP: ("c", "d")}), "org").move(["d"], -1)
    again = TreeArrangement.from_text(begun.to_text(["One.", "Two."]), "org")
    assert again is not None
    assert (again.now, again.base) == (begun.now, begun.base)
    assert TreeArrangement.from_text(begun.to_text(), "org") is not None


def test_the_rules_of_a_space_are_as_they_are_sent() -> None:
    ruled = SpaceNode(
        "space", "s", "S", rules_type="rules", rules=(("approvals", ()), ("by", ("u1", "u2")))
    )
    value, hidden = layout_of([ruled, SpaceNode("space", "t", "T")])
    assert hidden == 0
    assert value.items["s"].values["mergeRules"] == {
        "type": "rules",
        "rules": [{"rule": "approvals"}, {"rule": "by", "users": ["u1", "u2"]}],
    }
    assert value.items["t"].values["mergeRules"] == {"type": "inherit"}
    assert rule_list(None) == ("inherit", ())


def test_a_layout_has_collections_before_spaces_and_both_in_their_order() -> None:
    boxes = [SpaceNode("collection", row, row) for row in ("z", "y")]
    spaces = [SpaceNode("space", row, row, parent) for row, parent in (("b", None), ("a", None))]
    inner = [SpaceNode("space", "d", "d", "z"), SpaceNode("collection", "x", "x", "z")]
    layout, left_out = layout_of([*spaces, *boxes, *inner, SpaceNode("space", "e", "e", "unseen")])
    assert layout.levels == {"": ("z", "y", "b", "a"), "z": ("x", "d"), "y": (), "x": ()}
    assert left_out == 1
