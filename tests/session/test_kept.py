"""What this machine keeps beside the service, and the way back of each change of it."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from copydesk.client.api import Api
from copydesk.domain.reversal import Expectation, Reversal, Step
from copydesk.domain.saved_view import SavedView
from copydesk.domain.snooze import LENGTHS, Snooze, snooze_of
from copydesk.domain.space_tree import SpaceNode
from copydesk.local.marks import DeskMarks, DeskSeen, DeskSnoozes, digest
from copydesk.local.saved_views import SavedViews
from copydesk.local.settings_file import SettingsFile
from copydesk.local.snapshot import Snapshots
from copydesk.local.state import State
from copydesk.session.listings import (
    LISTINGS,
    OWN,
    SERVED,
    Listing,
    listing_of,
    view_reversal,
    views_steps,
)
from copydesk.session.marks import (
    DONE,
    FOLLOWED,
    LABELS,
    LONGEST_LABEL,
    LONGEST_NOTE,
    MOST_LABELS,
    MUTED,
    NOTE,
    YES,
    Marks,
    SeenPages,
    Snoozes,
    labels_of,
    labels_wrong,
    marks_reversal,
    note_wrong,
    read_labels,
    seen_reversal,
    seen_steps,
    snooze_reversal,
)
from copydesk.session.session import Session
from copydesk.session.settings import put_setting, setting_reversal, settings_steps
from copydesk.session.space_snapshot import KEY, LastRun, keep_last_run, read_last_run
from copydesk.session.writes.undo import LocalStep

NOW = datetime(2026, 3, 2, 12, tzinfo=UTC)


async def take(steps: Mapping[str, LocalStep], step: Step) -> Any:
    """Take a local step."""
    arguments: dict[str, Any] = {**step.arguments}
    return await steps[step.operation.removeprefix("local.")](**arguments)


async def holds(steps: Mapping[str, LocalStep], way: Reversal) -> tuple[bool, bool]:
    """Whether what a way back expects holds: that it can be gone, and that it was."""
    assert way.still is not None
    assert way.before is not None
    return (
        await take(steps, way.still.read) == way.still.fields,
        await take(steps, way.before.read) == way.before.fields,
    )


async def both_ways(steps: Mapping[str, LocalStep], way: Reversal) -> None:
    """Go a way back and forth again: each time what it expects holds."""
    assert await holds(steps, way) == (True, False)
    for step in way.back:
        await take(steps, step)
    assert await holds(steps, way) == (False, True)
    for step in way.forth:
        await take(steps, step)
    assert await holds(steps, way) == (True, False)


async def test_a_snooze_is_kept_and_taken_back(tmp_path: Path) -> None:
    store = DeskSnoozes(State(tmp_path / "state.db"), "desk")
    snoozes = Snoozes(store)
    short, long = (snooze_of(step, NOW, NOW) for step in (1, 0))
    assert not snoozes.asleep("r", NOW, NOW)
    await snoozes.put("r", short)
    assert snoozes.asleep("r", NOW, NOW)
    assert not snoozes.asleep("r", NOW, NOW + timedelta(days=1))
    assert not snoozes.asleep("r", NOW + timedelta(seconds=1), NOW)
    for before, after, note in (
        (None, short, "Not snoozed."),
        (short, long, f"Snoozed {LENGTHS[1][0]}."),
        (long, None, f"Snoozed {LENGTHS[0][0]}."),
    ):
        await snoozes.put("r", after)
        way = snooze_reversal("r", before, after)
        assert way.note == note
        assert way.still is not None
        assert way.still.said == "it was snoozed again or woken"
        await both_ways(snoozes.steps, way)
        assert snoozes.held == ({} if after is None else {"r": after})
        assert store.read() == snoozes.held
    # Who reads it anew has what another program did meanwhile.
    store.put("r", Snooze(NOW))
    assert (await take(snoozes.steps, Step("local.snoozed", {"thing": "r"})))["snooze"] == {
        "updated": NOW.isoformat(), "until": None, "step": 0,
    }  # fmt: skip
    kept = {"updated": NOW.isoformat()}
    await take(snoozes.steps, Step("local.snooze", {"thing": "r", "snooze": kept}))
    assert snoozes.held == {"r": Snooze(NOW)}
    await take(snoozes.steps, Step("local.snooze", {"thing": "r", "snooze": {"updated": "odd"}}))
    assert snoozes.held == {}
    snoozes.look("r", NOW)
    assert snoozes.looks == {"r": NOW}
    await asyncio.gather(*(asyncio.all_tasks() - {asyncio.current_task()}))
    await (again := Snoozes(store)).read()
    assert (again.looks, again.held) == ({"r": NOW}, {})
    again.looks["r"] = later = NOW + timedelta(hours=1)
    await again.read()
    assert again.looks == {"r": later}


async def test_what_was_read_just_now_is_known_before_one_asks_whether_it_was_edited(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = DeskSnoozes(State(tmp_path / "state.db"), "desk")
    known: list[Mapping[str, datetime]] = []

    def edited(now: Mapping[str, str]) -> set[str]:
        known.append(store.looks())
        return set()

    monkeypatch.setattr(store, "edited", edited)
    snoozes = Snoozes(store)
    snoozes.look("cr", NOW, "r1")
    await snoozes.edited({"cr": "r1"})
    assert known == [{"cr": NOW}]


@pytest.mark.parametrize(
    ("result", "read"),
    [
        ('{"changeRequest": {"id": "cr", "revision": "r2"}}', True),
        ('{"id": "cr", "revision": "r2"}', True),
        ('{"changeRequest": "cr"}', False),
        ('{"id": "another", "revision": "r2"}', False),
        ("[]", False),
        ("no JSON", False),
    ],
)
async def test_a_raw_answer_tells_what_a_write_came_to(result: str, read: bool) -> None:
    snoozes = Snoozes(store := DeskSnoozes(State(), "desk"))
    store.look("cr", NOW, "r1")
    found = Expectation(
        Step("get_change_request", {"space_id": "s", "change_request_id": "cr"}), {"revision": "r1"}
    )
    await snoozes.made(found, [SimpleNamespace(content=result.encode())])
    assert store.is_read("cr", "r2") is read
    await snoozes.made(None, [SimpleNamespace(content=result.encode())])


async def test_a_view_is_saved_and_taken_back(tmp_path: Path) -> None:
    store = SavedViews(tmp_path / "settings.toml")
    steps = views_steps(store)
    one = SavedView("Old ones", ("open", "draft"), "idle:>9d", "number", True, ("title", "age"))
    other = SavedView("Old ones", ("merged",))
    for before, after in ((None, one), (one, other), (other, None)):
        if after is None:
            store.remove("Old ones")
        else:
            store.save(after)
        way = view_reversal("Old ones", before, after)
        assert way.still is not None
        assert way.still.said == "it was saved again or forgotten"
        await both_ways(steps, way)
        kept = [replace(view, line=0) for view in store.read()]
        assert kept == ([] if after is None else [after])


def test_a_saved_view_is_listed_like_any_other() -> None:
    view = SavedView("Old\x07 ones", ("merged",), "is:mine", "number", True, ("title",), 7)
    listing = listing_of(view)
    assert listing == Listing(
        "own:Old\x07 ones", "Old ones", ("merged",), "Nothing is in this view.",
        filter="is:mine", sort="number", backwards=True, columns=("title",), line=7,
    )  # fmt: skip
    assert listing.own
    assert not any(each.own for each in LISTINGS)
    assert listing_of(SavedView("\x07")).title == "(no name)"
    assert listing_of(SavedView("x")).sort == SERVED
    assert OWN not in "".join(each.id for each in LISTINGS)


async def test_a_mark_is_kept_and_taken_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    marks = DeskSeen(State(tmp_path / "state.db"), "desk")
    pages, steps = SeenPages(marks, "r"), seen_steps(marks)
    assert pages.state("p") == "unseen"
    await pages.mark("p", "One")
    assert (pages.state("p"), await pages.text("p")) == ("seen", "One")
    assert await pages.held("p") == digest("One")
    before = await pages.held("p")
    await pages.compare("p", "Two")
    assert (pages.state("p"), pages.count(["p"])) == ("changed", 0)
    await pages.read()
    assert pages.state("p") == "changed"
    await pages.compare("p", "One")
    assert pages.count(["p", "q", "p"]) == 2
    await pages.compare("q", "One")
    assert pages.state("q") == "unseen"
    await pages.mark("p", "Two")
    way = seen_reversal("r", "p", before, digest("Two"))
    assert way.still is not None
    assert way.still.said == "its mark was changed since"
    await both_ways(steps, way)
    await pages.unmark("p")
    assert (pages.state("p"), await pages.text("p"), await pages.held("p")) == (
        "unseen",
        None,
        None,
    )
    await both_ways(steps, seen_reversal("r", "p", digest("Two"), None))
    with pytest.raises(OSError, match=r"^what was read of this page is no longer saved"):
        await steps["put_seen"](thing="r", page="p", digest="gone")
    other = SeenPages(marks, "s")
    await other.mark("p", "One")
    await (again := SeenPages(marks, "s")).read()
    assert (again.trouble, again.state("p"), again.count(["p", "q"])) == ("", "seen", 1)

    class Broken(DeskSeen):
        said = OSError(5, "The disk is gone")

        def pages(self, thing: str) -> Any:
            raise self.said

        def state(self, thing: str, page: str, text: str) -> Any:
            raise self.said

    broken = SeenPages(Broken(State(tmp_path / "state.db"), "desk"), "s")
    await broken.read()
    assert (broken.trouble, broken.state("p")) == ("The disk is gone", "unseen")
    await broken.mark("p", "One")
    await broken.compare("p", "Two")
    assert broken.state("p") == "seen", "it is not known to have changed"
    Broken.said = OSError("odd")
    await broken.read()
    assert broken.trouble == "odd"


def test_the_tree_of_the_last_run_is_kept(tmp_path: Path) -> None:
    snapshots = Snapshots(tmp_path, "desk")

    def last(organization: str) -> LastRun:
        found = read_last_run(snapshots, organization)
        return replace(found, nodes=tuple(found.nodes))

    assert last("o") == LastRun("o")
    nodes = [
        SpaceNode("collection", "b", "Box", None),
        SpaceNode("space", "s", "Space", "b"),
        SpaceNode("space", "t", "Other", None),
    ]
    run = LastRun("o", "Acme", "Ana", "title", True, nodes, frozenset("b"), 3, {"mine": 4})
    keep_last_run(snapshots, run)
    found = last("o")
    assert {node.id: node.parent for node in found.nodes} == {
        "b": None, "s": "b", "t": None, "loose": None
    }  # fmt: skip
    assert replace(found, nodes=nodes) == run
    assert not found.partial
    assert replace(run, total=4).partial
    assert last("other") == LastRun("other", sort="title", backwards=True)
    # What is damaged, or meant for another version, is left out.
    snapshots.write(KEY, [{"sort": "odd", "backwards": 1}])
    about = {"title": "A\x07", "who": "W\x07", "total": "many", "counts": {"a": "b", "c": 1}}
    snapshots.write(f"{KEY} o", [about, {"id": 3}, {"folded": "yes", "id": "x"}])
    assert last("o") == LastRun("o", "A", "W", counts={"c": 1})
    snapshots.write(f"{KEY} o", [{"counts": [1]}])
    assert last("o") == LastRun("o")


async def test_marks_are_kept_for_their_desk_and_taken_back_step_by_step(tmp_path: Path) -> None:
    store = State(tmp_path / "state.db")
    marks, other = Marks(DeskMarks(store, "one")), Marks(DeskMarks(store, "two"))
    at = datetime(2026, 3, 3, 12, tzinfo=UTC)
    await marks.put("thread", {DONE: at.isoformat(), MUTED: ""})
    await marks.put("thread", {FOLLOWED: YES})
    again = Marks(DeskMarks(State(tmp_path / "state.db"), "one"))
    await again.read()
    assert again.held == marks.held
    assert again.followed == {"thread"}
    assert again.put_away("thread", at) == DONE
    assert again.put_away("thread", at + timedelta(seconds=1)) == "", "someone wrote since"
    await again.put("thread", {DONE: "odd"})
    assert again.put_away("thread", at) == ""
    await again.put("thread", {DONE: "", MUTED: YES})
    assert again.put_away("thread", at + timedelta(days=9)) == MUTED
    assert await take(marks.steps, Step("local.marked", {"thing": "thread", "kinds": [DONE]})) == {
        DONE: ""
    }
    await take(marks.steps, Step("local.mark", {"thing": "thread", "marks": {MUTED: ""}}))
    await take(marks.steps, Step("local.mark", {"thing": "thread", "marks": {FOLLOWED: ""}}))
    await again.read()
    await other.read()
    assert (marks.held, again.held, other.held) == ({}, {}, {})


async def test_labels_and_a_note_are_set_listed_and_taken_back(tmp_path: Path) -> None:
    marks = Marks(DeskMarks(State(tmp_path / "state.db"), "d"))
    assert (marks.labels, marks.of("r")) == ([], {})
    await marks.put("r", {LABELS: "later Big", NOTE: "Ask Lee."})
    await marks.put("s", {LABELS: "big api"})
    assert marks.labels == ["api", "big", "later"]
    assert labels_of(marks.of("r")) == ("later", "Big")
    assert labels_of(marks.of("t")) == ()
    way = marks_reversal("r", {LABELS: "", NOTE: "Was."}, {LABELS: "later Big", NOTE: "Ask Lee."})
    assert way.still is not None
    assert way.still.said == "it was marked again since"
    await both_ways(marks.steps, way)
    assert marks.of("r") == {LABELS: "later Big", NOTE: "Ask Lee."}


def test_labels_are_read_as_they_are_typed_and_bounded() -> None:
    assert read_labels(" One,two  ONE, three,") == "One two three"
    assert read_labels(" , ") == ""
    many = " ".join(f"l{at}" for at in range(MOST_LABELS))
    assert labels_wrong(many) is labels_wrong(f"{many} L0") is labels_wrong("") is None
    assert labels_wrong(f"{many} more") == f"At most {MOST_LABELS} labels."
    assert labels_wrong("x" * LONGEST_LABEL) is None
    said = labels_wrong("x" * (LONGEST_LABEL + 1))
    assert said is not None
    assert str(LONGEST_LABEL) in said
    assert note_wrong("x" * LONGEST_NOTE) is None
    assert note_wrong("x" * (LONGEST_NOTE + 1)) == "At most 2,000 characters."


async def test_a_setting_is_changed_told_and_taken_back(tmp_path: Path) -> None:
    held: list[str] = []

    def use(name: str) -> str:
        held.append(name)
        return "at the next start"

    file = SettingsFile(tmp_path / "settings.toml")
    ours = Session(nowhere, settings_file=lambda: file, use_setting=use)
    steps = settings_steps(ours)
    before = file.typed("glyphs")
    assert await put_setting(ours, "glyphs", "ascii") == "at the next start"
    assert file.typed("glyphs") == "ascii"
    way = setting_reversal("glyphs", before, "ascii")
    assert way.still is not None
    assert way.still.said == "it was changed since"
    await both_ways(steps, way)
    await put_setting(ours, "glyphs", None)
    assert file.typed("glyphs") == before
    assert set(held) == {"glyphs"}
    with pytest.raises(ValueError, match="glyphs"):
        await put_setting(ours, "glyphs", "no such")
    none = Session(nowhere)
    assert await take(settings_steps(none), Step("local.setting_now", {"name": "x"})) == {
        "value": None
    }
    with pytest.raises(ValueError, match="no settings file"):
        await put_setting(none, "glyphs", "ascii")


async def nowhere() -> Api:
    raise AssertionError("nothing is asked here")
