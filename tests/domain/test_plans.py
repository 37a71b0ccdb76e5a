"""Plans request by request, as they are read, sent and taken back; and what others change in them.

All of it is in ``plans.json`` and ``rebased.json`` (see `golden_json`).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import pytest

from copydesk.domain.arrangement import Arrangement, Rebased, StagingError
from copydesk.domain.layout import Layout
from copydesk.domain.reversal import Call, Expectation, Step, bind
from copydesk.domain.site_arrangement import SiteArrangement
from copydesk.domain.space_tree import SpaceNode
from copydesk.domain.tree_arrangement import TreeArrangement, layout_of
from tests.domain.site_service import IDS, SiteService
from tests.domain.test_structure_whole import example
from tests.domain.test_structure_whole import on as grouped_on
from tests.golden_json import compare


def told(call: Call) -> list[str]:
    """Return a request line by line, as far as there is something to tell."""
    lines = [f"{call.key} | {call.what} | {call.target} | {call.line}"]
    lines += [f"note: {call.note}"] if call.note else []
    lines.append(f"sends {sent(call.step)}")
    if call.makes or call.also:
        lines.append(f"makes {call.makes} {json.dumps(call.also)}")
    lines += ["final"] if call.lasting else []
    lines += seen("arrived", call.arrived)
    if (way := call.reversal) is not None:
        lines += [f"back by {sent(step)}" for step in way.back]
        lines += [f"forth by {sent(step)}" for step in way.forth if step != call.step]
        lines += [*seen("still", way.still), *seen("before", way.before)]
        lines += [f"note on the way back: {way.note}"] if way.note else []
    return lines


def sent(step: Step) -> str:
    names = [*step.arguments.values(), *([step.body] if step.body is not None else [])]
    return " ".join([step.operation, *map(json.dumps, names)])


def seen(when: str, expected: Expectation | None) -> list[str]:
    if expected is None:
        return []
    value = expected.to_dict()
    parts = [json.dumps(each) for name, each in value.items() if name not in ("read", "said")]
    said = f" else {expected.said}" if expected.said else ""
    return [f"{when}: {sent(expected.read)} has {' '.join(parts)}{said}"]


def arranged(layout: Layout, beside: Layout) -> list[str]:
    """Return the levels and the settings of a layout that are not so in another."""
    rows = [
        f"{level or 'top'}: {' '.join(inside)}"
        for level, inside in layout.levels.items()
        if beside.levels.get(level) != inside
    ]
    items = [
        f"{row} {json.dumps(item.values)}"
        for row, item in layout.items.items()
        if beside.items.get(row) != item
    ]
    return rows + items


# Sites


def site() -> SiteService:
    """Two sections, a group of two and one more; some have settings."""
    service = SiteService()
    service.section("a", "one", "two", "three")
    service.section("b", "one", "two")
    service.section("x", "one", "two", group="G")
    service.section("y", "one", group="G")
    service.section("c", "one", "two")
    service.sections[1].update(icon="book", description="All of it", condition="visitor.x")
    service.sections[0]["spaces"][2]["hidden"] = True
    service.sections[4]["spaces"][1]["condition"] = "visitor.y"
    return service


def bare() -> SiteService:
    """A site without sections."""
    service = SiteService()
    service.show("one", "two", "three")
    return service


Site = Callable[[SiteArrangement], Arrangement]


def filled(begun: SiteArrangement) -> Arrangement:
    values = {"title": "New", "space": "sp", "spaceTitle": "Its space", "icon": "gear"}
    staged, section = begun.add("", "section", values, after="s-a")
    staged, more = staged.add(section, "site-space", {"title": "More", "space": "sq"})
    staged = staged.change(section, {"path": "fresh", "description": "Fresh", "condition": "v"})
    return staged.change(more, {"path": "more", "hidden": True}).make_default(section)


def defaults(begun: SiteArrangement) -> Arrangement:
    staged = begun.make_default("s-b").make_default("s-a-two").change("s-a-one", {"hidden": True})
    return staged.change("s-a", {"title": "First", "path": "first"})


def replaced(begun: SiteArrangement) -> Arrangement:
    staged, new = begun.add("s-b", "site-space", {"title": "Only", "space": "sq"})
    return staged.remove(["s-b-one", "s-b-two"]).change(new, {"path": "one"})


def first_section(begun: SiteArrangement) -> Arrangement:
    staged, section = begun.add("", "section", {"title": "First", "space": "sp"})
    staged = staged.change(section, {"path": "start"}).move(["r-two"], -1)
    return staged.make_default("r-two").add("", "section", {"title": "Next", "space": "sq"})[0]


def clash_of_paths(begun: SiteArrangement) -> Arrangement:
    staged = begun.change("s-a-two", {"path": "other"})
    staged, new = staged.add("s-a", "site-space", {"title": "Two", "space": "space-new"})
    return staged.change(new, {"path": "two"}).remove(["s-c"]).change("s-b", {"path": "c"})


SITES: Mapping[str, Site] = {
    "settings": lambda begun: begun.change_all(
        {
            "s-a": {"title": "Alpha", "icon": "gear", "description": "What is new"},
            "s-b": {"icon": "", "description": "", "condition": ""},
            "s-a-two": {"path": "deux", "condition": "visitor.z"},
            "s-a-three": {"hidden": False},
            "s-c-two": {"condition": "", "hidden": True},
        }
    ),
    "redirects": lambda begun: begun.change_all(
        {
            "s-b": {"path": "beta", "redirect": "/b/*"},
            "s-a-two": {"path": "deux", "redirect": "/a/two/*"},
            "s-c": {"path": "b"},
            "s-x": {"path": "c", "redirect": "/x/*"},
            "s-y": {"path": "x", "redirect": "/y/*"},
        }
    ),
    "one title": lambda begun: begun.change("s-b", {"title": "Beta"}),
    "the default's path": lambda begun: begun.change("s-a", {"path": "alpha"}),
    "another path": lambda begun: begun.change("s-b", {"path": "beta"}),
    "paths swapped": lambda begun: begun.change_all({"s-a": {"path": "b"}, "s-b": {"path": "a"}}),
    "paths in a ring": lambda begun: begun.change_all(
        {
            "s-a-one": {"path": "two"},
            "s-a-two": {"path": "three"},
            "s-a-three": {"path": "one", "hidden": False},
        }
    ),
    "defaults": defaults,
    "default space": lambda begun: begun.make_default("s-a-two"),
    "default section removed": lambda begun: begun.remove(["s-a"]),
    "default space removed": lambda begun: begun.remove(["s-a-one"]),
    "default space removed, the hidden one next": lambda begun: begun.remove(["s-a-two"]).remove(
        ["s-a-one"]
    ),
    "removed": lambda begun: begun.remove(["s-b", "s-a-two", "s-c-two"]),
    "a group emptied": lambda begun: begun.remove(["s-x", "s-y"]).move(["s-b"], -1),
    "a section filled": filled,
    "a section without more": lambda begun: begun.add(
        "", "section", {"title": "Plain", "space": "sp"}
    )[0],
    "a section for some": lambda begun: begun.add(
        "", "section", {"title": "Some", "space": "sp", "condition": "visitor.x"}
    )[0],
    "a space shown": lambda begun: begun.add("s-b", "site-space", {"title": "M", "space": "sq"})[0],
    "a space shown for some": lambda begun: begun.add(
        "s-b", "site-space", {"title": "M", "space": "sq", "condition": "v", "path": "m"}
    )[0],
    "all replaced": replaced,
    "all but one removed": lambda begun: begun.remove(["s-a-one", "s-a-two"]),
    "that one removed": lambda begun: begun.remove(["s-a-three"]),
    "path of another": lambda begun: begun.change("s-b", {"path": "zulu"}).change(
        "s-b-two", {"path": "zulu"}
    ),
    "another's path": lambda begun: begun.change_all(
        {"s-c": {"path": "zulu"}, "s-b-one": {"path": "zulu"}}
    ),
    "that space shown": lambda begun: begun.add("s-b", "site-space", {"title": "N", "space": "sq"})[
        0
    ],
    "default hidden": lambda begun: begun.make_default("s-b").change("s-b-two", {"hidden": True}),
    "paths given and freed": clash_of_paths,
    "moved": lambda begun: begun.move(["s-a-one"], 2).move(["s-y"], -1).put("s-c", 1),
    "moved in the group": lambda begun: begun.move(["s-y"], -1),
    "moved and removed": lambda begun: begun.move(["s-c"], -2).remove(["s-b"]),
    "sorted": lambda begun: begun.sort("s-a", lambda item: item.title, reverse=True),
}

BARE: Mapping[str, Site] = {
    "first section": first_section,
    "another first section": lambda begun: begun.add(
        "", "section", {"title": "Other", "space": "so"}
    )[0],
    "a space at the top": lambda begun: begun.add("", "site-space", {"title": "M", "space": "m"})[0]
    .make_default("r-two"),
    "a default removed at the top": lambda begun: begun.remove(["r-one"]).move(["r-three"], -1),
    "hidden at the top": lambda begun: begun.change("r-two", {"hidden": True, "path": "deux"}),
}  # fmt: skip


GROUPED: Mapping[str, Site] = {
    "moved out": lambda begun: begun.shift(["s-B", "x"], ""),
    "moved in": lambda begun: begun.shift(["s-A", "y"], "H", after="s-C"),
    "moved alone": lambda begun: begun.shift(["s-C"], "G").shift(["x"], ""),
    "moved in its level": lambda begun: begun.put("y", 1).put("x", 1),
    "a group into another": lambda begun: begun.shift(["G"], "E"),
    "removed": lambda begun: begun.remove(["y", "E"]),
    "a group and what is in it removed": lambda begun: begun.remove(["G"]),
    "settings": lambda begun: begun.change_all({
        "G": {"title": "All", "icon": ""},
        "H": {"draft": False},
        "x": {"url": "https://acme.test/x", "condition": ""},
        "y": {"description": "", "icon": "gear"},
    }),
    "made": lambda begun: begun.add("H", "link", {"title": "Blog", "url": "https://acme.test"})[0]
    .add("", "section", {"title": "New", "space": "sp"})[0]
    .add("", "group", {"title": "Draft", "draft": True})[0],
}  # fmt: skip


def staged_sites() -> dict[str, Arrangement]:
    found = {f"site: {name}": step(on(site())) for name, step in SITES.items()}
    found |= {f"bare site: {name}": step(on(bare())) for name, step in BARE.items()}
    begun = grouped_on(example())
    return found | {f"grouped site: {name}": step(begun) for name, step in GROUPED.items()}


def on(service: SiteService) -> SiteArrangement:
    return SiteArrangement.on(service.layout(), *IDS)


# Trees


def node(row: str, parent: str | None = None, **more: Any) -> SpaceNode:
    """Return a space, or a collection where its id is a capital letter."""
    if row.isupper():
        return SpaceNode("collection", row, f"Box {row}", parent, **more)
    return SpaceNode("space", row, f"Space {row}", parent, edit_mode="live", **more)


TREE = (
    node("A", description="All"),
    node("B"),
    node("C", "A"),
    node("D", "A"),
    node("a", "A", emoji="1f4d8", language="en"),
    node("b", "A"),
    node("c", "C"),
    node("d", git="acme/docs"),
    node("e"),
)

Tree = Callable[[TreeArrangement], Arrangement]

RULES = {"type": "rules", "rules": [{"rule": "require_specific_reviewers", "users": ["u"]}]}


def tree(*nodes: SpaceNode, listed: bool = True) -> TreeArrangement:
    return replace(TreeArrangement.on(layout_of(nodes or TREE)[0], "org"), listed=listed)


def made(begun: TreeArrangement) -> Arrangement:
    staged, box = begun.add("A", "collection", {"title": "New box", "description": "New"})
    staged, inner = staged.add(box, "collection", {"title": "Inner"})
    values = {"title": "Handbook", "emoji": "1f4d8", "language": "fr", "editMode": "locked"}
    staged = staged.add(inner, "space", {**values, "mergeRules": RULES})[0]
    staged = staged.add("", "space", {"title": "Plain"})[0]
    return staged.shift(["b"], box)


def duplicated(begun: TreeArrangement) -> Arrangement:
    staged, copy = begun.duplicate("a")
    staged = staged.change(copy, {"title": "Second", "editMode": "locked"})
    return staged.duplicate("d")[0].move([copy], 1)


TREES: Mapping[str, Tree] = {
    "settings": lambda begun: begun.change_all(
        {
            "A": {"title": "Alpha", "description": ""},
            "B": {"description": "Beta"},
            "a": {"title": "One", "emoji": "", "language": "de"},
            "b": {"editMode": "locked", "mergeRules": {"type": "none"}},
            "c": {"mergeRules": RULES},
            "e": {"editMode": "locked"},
        }
    ),
    "made": made,
    "duplicated": duplicated,
    "spaces moved": lambda begun: begun.move(["b"], -1).move(["d"], 1),
    "a space into a box": lambda begun: begun.place(["d"], "b"),
    "a space at the end of a box": lambda begun: begun.shift(["d"], "B"),
    "a space out": lambda begun: begun.out(["c"]),
    "a space to its place at the top": lambda begun: begun.place(["c"], "d"),
    "boxes in order": lambda begun: begun.move(["B"], -1),
    "boxes in a box in order": lambda begun: begun.move(["D"], -1),
    "a box into another": lambda begun: begun.shift(["B"], "C"),
    "a box out": lambda begun: begun.out(["C"]),
    "a box with spaces out": lambda begun: begun.out(["D"]).shift(["a"], "D"),
    "a box removed": lambda begun: begun.shift(["c"], "").remove(["C"]),
    "a space into that box": lambda begun: begun.shift(["e"], "C"),
    "new things in that box": lambda begun: begun.add("C", "space", {"title": "New"})[0]
    .add("C", "collection", {"title": "Box"})[0].shift(["e"], "C"),
    "a box in that box": lambda begun: begun.shift(["D"], "C").shift(["e"], "D"),
    "removed": lambda begun: begun.remove(["c"]).remove(["C"]).remove(["e", "a"]),
    "emptied": lambda begun: begun.remove(["c", "a", "b"]).shift(["D"], "").remove(["C"])
    .remove(["A"]),
}  # fmt: skip


def staged_trees() -> dict[str, Arrangement]:
    found = {f"tree: {name}": step(tree()) for name, step in TREES.items()}
    locked = tree(node("a", rules_type="none"), node("b", rules_type="rules", rules=(("r", ()),)))
    changed: dict[str, dict[str, Any]] = {
        "a": {"editMode": "locked"},
        "b": {"mergeRules": {"type": "inherit"}},
    }
    staged = locked.change_all(changed)
    found["two spaces: locked"] = staged
    found["two spaces: unlocked"] = TreeArrangement.on(staged.now, "org").change_all(
        {"a": {"editMode": "live", "mergeRules": RULES}, "b": {"title": "B", "emoji": "1f4d8"}}
    )
    alone = {"a": {"editMode": "live"}}
    found["a space: unlocked"] = TreeArrangement.on(staged.now, "org").change_all(alone)
    for name in ("made", "a space into a box", "a space out", "boxes in order"):
        found[f"unlisted tree: {name}"] = TREES[name](tree(listed=False))
    return found


def test_plans_read_and_are_sent_as_they_did(update_golden: bool) -> None:
    staged = {**staged_sites(), **staged_trees()}
    plans = {name: [told(call) for call in each.calls()] for name, each in staged.items()}
    assert all(plans.values())
    compare("plans", plans, update=update_golden)


# Others


def reported(rebased: Rebased[Any]) -> dict[str, list[str]]:
    base = rebased.arrangement.base
    return {
        "theirs": [each.line for each in rebased.theirs],
        "lost": [f"{each.line}: {each.why}" for each in rebased.lost],
        "clashes": [
            f"{each.id} {each.title} {each.field}: {each.base} | {each.theirs} | {each.ours}"
            for each in rebased.clashes
        ],
        "ours": arranged(rebased.arrangement.now, base),
        "theirs taken": arranged(rebased.taking_theirs().now, base) if rebased.clashes else [],
        "plan": [call.line for call in rebased.arrangement.calls()],
    }


def test_what_others_change_is_put_together_as_it_was(update_golden: bool) -> None:
    sites = {**staged_sites(), "nothing": on(site())}
    trees = {name: each for name, each in staged_trees().items() if name.startswith("tree")}
    found: dict[str, dict[str, list[str]]] = {}
    pairs = [
        (f"{one} | {other}", sites[one], sites[other])
        for one, other in (
            (f"site: {one}", f"site: {other}")
            for one, other in (
                ("settings", "defaults"),
                ("defaults", "settings"),
                ("default space", "default space removed"),
                ("default space removed", "defaults"),
                ("default section removed", "settings"),
                ("removed", "moved and removed"),
                ("removed", "a space shown"),
                ("moved", "sorted"),
                ("moved", "removed"),
                ("sorted", "moved"),
                ("moved and removed", "moved"),
                ("paths swapped", "another path"),
                ("another path", "paths swapped"),
                ("paths in a ring", "a space shown"),
                ("a section filled", "a section without more"),
                ("a space shown", "a space shown for some"),
                ("a space shown", "all replaced"),
                ("all replaced", "removed"),
                ("a group emptied", "moved in the group"),
                ("moved in the group", "a group emptied"),
                ("paths given and freed", "a space shown for some"),
                ("default space removed, the hidden one next", "settings"),
                ("all but one removed", "that one removed"),
                ("path of another", "another's path"),
                ("paths swapped", "another's path"),
                ("a space shown", "that space shown"),
                ("default section removed", "default hidden"),
            )
        )
    ]
    pairs += [
        (f"bare site: {one} | {other}", sites[f"bare site: {one}"], sites[f"bare site: {other}"])
        for one, other in (
            ("first section", "a space at the top"),
            ("a space at the top", "first section"),
            ("first section", "hidden at the top"),
            ("first section", "another first section"),
            ("a default removed at the top", "first section"),
            ("hidden at the top", "a default removed at the top"),
        )
    ]
    pairs += [
        (f"{one} | {other}", trees[f"tree: {one}"], trees[f"tree: {other}"])
        for one, other in (
            ("settings", "removed"),
            ("removed", "settings"),
            ("removed", "a space into a box"),
            ("removed", "made"),
            ("emptied", "made"),
            ("spaces moved", "a space into a box"),
            ("a space into a box", "spaces moved"),
            ("a space into a box", "a space at the end of a box"),
            ("a box into another", "removed"),
            ("a box into another", "a box out"),
            ("a box with spaces out", "boxes in a box in order"),
            ("boxes in order", "a box into another"),
            ("duplicated", "spaces moved"),
            ("made", "emptied"),
            ("a box removed", "a space into that box"),
            ("a box removed", "new things in that box"),
            ("a box removed", "a box in that box"),
            ("a space into that box", "a box removed"),
            ("a box in that box", "a box removed"),
        )
    ]
    grouped = site()
    for section in grouped.sections[:2]:
        section["group"] = "H"
    names = ("moved", "moved and removed", "sorted", "defaults", "moved in the group")
    pairs += [
        (f"site: {name} | others in a group", sites[f"site: {name}"], on(grouped)) for name in names
    ]
    for name, ours, theirs in pairs:
        made = {row: f"made-{row[4:]}" for row in theirs.now.items if row.startswith("new:")}
        found[name] = reported(ours.rebase(theirs.bound(made).now))
    compare("rebased", found, update=update_golden)


def without_last(service: SiteService) -> None:
    del service.sections[-1]
    del service.sections[0]["spaces"][-1]


def turned(service: SiteService) -> None:
    service.sections.reverse()
    for section in service.sections:
        section["spaces"].reverse()


def without_first(service: SiteService) -> None:
    del service.sections[0]["spaces"][0]
    service.sections[1]["path"] = "theirs"
    service.section("z", "one")


OTHERS: Mapping[str, Callable[[SiteService], None]] = {
    "without the last": without_last,
    "turned": turned,
    "without the first": without_first,
}
"""What others do while a plan is sent."""


def test_what_stays_staged_when_others_come_in_between(update_golden: bool) -> None:
    found = {}
    for name in (
        "settings", "paths swapped", "defaults", "removed", "a section filled", "all replaced",
        "paths given and freed", "moved", "moved and removed", "sorted",
    ):  # fmt: skip
        for others, change in OTHERS.items():
            service, made = site(), dict[str, str]()
            staged = SITES[name](on(service))
            calls = staged.calls()
            half = len(calls) // 2
            for call in calls[:half]:
                now = bind(call, made)
                made |= now.made(service.send(now.step))
            change(service)
            there = service.layout()
            rest = staged.after_sending(there, calls[:half], calls[half:], made)
            found[f"{name} | {others}"] = reported(rest.rebase(there))
    compare("half_sent", found, update=update_golden)


# What cannot be staged

REFUSED_SITES: Mapping[str, Site] = {
    "move a group": lambda begun: begun.move(["group:G"], 1),
    "change a group": lambda begun: begun.change("group:G", {"title": "G"}),
    "remove a group": lambda begun: begun.remove(["group:G"]),
    "default of a group": lambda begun: begun.make_default("group:G"),
    "add to nothing": lambda begun: begun.add("s-a-one", "site-space", {"space": "s"})[0],
    "add to a group": lambda begun: begun.add("group:G", "site-space", {"space": "s"})[0],
    "into a group": lambda begun: begun.shift(["s-b"], "group:G"),
    "into a section": lambda begun: begun.shift(["s-b"], "s-a"),
    "to the top": lambda begun: begun.shift(["s-a-one"], ""),
    "first": lambda begun: begun.move(["s-a"], -1),
    "last": lambda begun: begun.move(["s-c"], 1),
    "alone": lambda begun: begun.move(["s-y-one"], 1),
    "nothing": lambda begun: begun.move([], 1),
    "several levels": lambda begun: begun.move(["s-a-two", "s-y-one"], 1),
    "beside itself": lambda begun: begun.place(["s-a"], "gone"),
    "position": lambda begun: begun.put("s-a", 9),
    "no position": lambda begun: begun.put("s-a", 0),
    "unknown": lambda begun: begun.change("gone", {"title": "T"}),
    "unknown field": lambda begun: begun.change("s-a", {"colour\x1b[1m": "red"}),
    "no title": lambda begun: begun.change("s-a", {"title": ""}),
    "trashed": lambda begun: begun.remove(["s-a-two"]).place(["s-a-one"], "s-a-two"),
    "long icon": lambda begun: begun.change("s-a", {"icon": "x" * 999}),
    "into nothing": lambda begun: begun.shift(["s-a"], "gone"),
    "not at the top": lambda begun: begun.out(["s-b"]),
}

REFUSED_TREES: Mapping[str, Tree] = {
    "first": lambda begun: begun.move(["A"], -1),
    "last": lambda begun: begun.move(["e"], 1),
    "last box": lambda begun: begun.move(["B"], 1),
    "last box in a box": lambda begun: begun.move(["D"], 1),
    "only space": lambda begun: begun.move(["c"], 1),
    "nothing": lambda begun: begun.move([], 1),
    "into itself": lambda begun: begun.shift(["A"], "C"),
    "not empty": lambda begun: begun.remove(["A"]),
    "not quite empty": lambda begun: begun.remove(["C"]),
    "copy a box": lambda begun: begun.duplicate("A")[0],
    "copy what is staged": lambda begun: begun.add("", "space", {"title": "T"})[0].duplicate(
        "new:1"
    )[0],
    "no title": lambda begun: begun.change("a", {"title": "  "}),
    "unset title": lambda begun: begun.change("a", {"title": None}),
    "long title": lambda begun: begun.change("A", {"title": "x" * 51}),
    "long description": lambda begun: begun.change("A", {"description": "x" * 101}),
    "default": lambda begun: begun.make_default("a"),
    "gone": lambda begun: begun.remove(["a"]).change("a", {"title": "T"}),
}  # fmt: skip


REFUSED_UNLISTED: Mapping[str, Tree] = {
    "at the top": lambda begun: begun.move(["d"], 1),
    "out to the top": lambda begun: begun.out(["a"]).move(["a"], -1).move(["e"], -1),
}


def test_what_cannot_be_staged_is_refused_in_the_same_words(update_golden: bool) -> None:
    found = {}
    for name, site_step in REFUSED_SITES.items():
        with pytest.raises(StagingError) as refused:
            site_step(on(site()))
        found[f"site: {name}"] = str(refused.value)
    for name, tree_step in REFUSED_TREES.items():
        with pytest.raises(StagingError) as refused:
            tree_step(tree())
        found[f"tree: {name}"] = str(refused.value)
    for name, unlisted_step in REFUSED_UNLISTED.items():
        with pytest.raises(StagingError) as refused:
            unlisted_step(tree(listed=False))
        found[f"unlisted tree: {name}"] = str(refused.value)
    compare("refused", found, update=update_golden)
