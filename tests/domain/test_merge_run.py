"""A merge run as a value: whatever cuts it off, nothing is merged twice and nothing forgotten."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from copydesk.domain.merge_run import (
    MOST_UPDATES,
    OBJECTION,
    STOPS,
    UNSEEN,
    Forecast,
    Found,
    MergeRun,
    RunItem,
    forecast,
    said_since,
)


def item(number: int, space: str = "s") -> RunItem:
    return RunItem(space, f"r{number}", f"#{number}", f"Change {number}", revision="rev")


def run_of(count: int) -> MergeRun:
    return MergeRun("run", tuple(item(number) for number in range(1, count + 1)))


@dataclass
class Desk:
    """What a service would hold; ``writes`` are the requests that reached it."""

    revision: dict[str, str] = field(default_factory=dict)
    outdated: set[str] = field(default_factory=set)
    merged: list[str] = field(default_factory=list)
    edited: set[str] = field(default_factory=set)
    writes: list[tuple[str, str]] = field(default_factory=list)

    def found(self, each: RunItem) -> Found:
        key = each.key
        now = self.revision.get(key, "rev")
        pulled = None
        if each.sent == "update" and now != each.revision:
            pulled = each.revision if now == f"{each.revision}+main" else ""
        status = "merged" if key in self.merged else "open"
        return Found(status, now, outdated=key in self.outdated, pulled_into=pulled)

    def write(self, each: RunItem, others: list[str]) -> None:
        key = each.key
        self.writes.append((each.state, key))
        if each.state == "updating":
            self.outdated.discard(key)
            self.revision[key] = f"{self.revision.get(key, 'rev')}+main"
            return
        assert key not in self.merged, "merged twice"
        assert key not in self.edited, "merged what was edited unseen"
        self.merged.append(key)
        self.outdated |= {other for other in others if other not in self.merged}


@given(st.integers(1, 5), st.data())
def test_a_run_that_is_cut_off_anywhere_merges_each_once_and_nothing_edited(
    count: int, data: st.DataObject
) -> None:
    desk = Desk()
    run = run_of(count).start(0.0)
    keys = [each.key for each in run.items]
    for step in range(400):
        here = run.advance(1.0)
        each = here.current
        # No service merges on condition: an edit between the last look and the merge is merged.
        if each is not None and each.state != "merging" and data.draw(st.integers(0, 19)) == 0:
            desk.revision[each.key] = f"edit{step}"
            desk.edited.add(each.key)
        match here.state:
            case "finished":
                break
            case "stopped":
                stopped = here.stopped
                assert stopped is not None
                assert stopped.reason == "edit"
                # Going on knowingly is all that an edit needs: the report told of it.
                desk.edited.discard(stopped.key)
                again = stopped.state == "stopped" and data.draw(st.booleans())
                run = here.again() if again else here.skip(2.0)
                continue
            case "paused":
                run = here.go_on()
                continue
        assert each is not None
        # Before the request, after it, or not at all: the kept value is all that survives.
        cut = data.draw(st.sampled_from(["", "", "", "before", "after"]))
        if each.state != "checking" and cut != "before":
            desk.write(each, [key for key in keys if key != each.key])
        if cut:
            run = here.cut_off().go_on()
            continue
        if each.state == "checking":
            run = here.judge(desk.found(each), 1.0)
        elif each.state == "updating":
            run = here.updated(desk.revision[each.key])
            event("updated")
        else:
            run = here.merged("m", 1.0)
    else:
        raise AssertionError("it never ends")
    assert [each.key for each in here.items if each.state == "done"] == desk.merged
    assert {each.state for each in here.items} <= {"done", "skipped"}
    assert here.far == f"{count} of {count}"


def last(number: int) -> str | None:
    """Return what the revision of that number pulled primary content into."""
    return None if not number else "rev" if number == 1 else f"rev{number - 1}"


def test_what_it_stops_at_and_what_it_passes_over() -> None:
    base = run_of(3).start(0.0).advance(0.0)
    heard = Found("open", "rev", comments=(("c1", 0), (f"{OBJECTION}1", 0)), said_by="Lee")
    stopped = base.judge(replace(heard, revision="rev2", failing="It needs a review."), 1.0)
    here = stopped.stopped
    assert here is not None
    assert here.reason == "edit"
    assert here.said == (
        "Edited since you read it. It has a review asking for changes and a new comment "
        "since it was queued, last by Lee. It needs a review."
    )
    assert (stopped.state, stopped.far) == ("stopped", "1 of 3")
    # Who tries again has been told of the edit and the comment, but of nothing since.
    again = stopped.again().judge(replace(heard, revision="rev2"), 2.0)
    assert again.current is not None
    assert again.current.state == "merging"
    assert stopped.again().judge(replace(heard, revision="rev3"), 2.0).state == "stopped"
    # Told not to mind, it does not; a rule or a conflict is passed over then.
    calm = replace(base, stops=frozenset())
    assert calm.judge(replace(heard, revision="rev2"), 1.0).current == replace(
        base.items[0], state="merging", sent="merge", revision="rev2", comments=heard.comments
    )
    passed = calm.judge(Found("open", "rev", failing="It needs a review."), 1.0)
    assert passed.items[0].state == "skipped"
    assert passed.state == "running"
    # A merge of which nothing is known is never passed over.
    sent = base.judge(Found("open", "rev"), 1.0)
    unknown = replace(sent, stops=frozenset()).fail("unknown", "No answer.", 1.0)
    assert unknown.state == "stopped"
    found = unknown.again().judge(Found("merged", "rev", merged="m1"), 2.0)
    assert (found.items[0].state, found.items[0].merged) == ("done", "m1")
    assert "found by reading again" in found.items[0].said
    # One that was merged and conflicts is live: nothing follows by itself, and it is not repeated.
    clashed = sent.merged_with_conflicts("m1", "Resolve them there.", 1.0)
    assert (clashed.state, clashed.again()) == ("stopped", clashed)
    assert (clashed.items[0].state, clashed.items[0].reason) == ("done", "conflict")
    assert clashed.stopped_at == clashed.items[0].key
    assert clashed.skip(2.0).count("done", "checking") == 2
    going = replace(sent, stops=frozenset()).merged_with_conflicts("m1", "Resolve them there.", 1.0)
    assert (going.state, going.items[0].reason, going.stopped_at) == ("running", "conflict", "")
    ended = clashed.end(3.0)
    assert (ended.state, ended.ended, ended.pausing, ended.cut) == ("finished", 3.0, False, False)
    # Primary content that keeps moving on is not chased for ever.
    late = base
    for number in range(9):
        before = "rev" if not number else f"rev{number}"
        late = late.judge(Found("open", before, outdated=True, pulled_into=last(number)), 1.0)
        if late.state == "stopped":
            break
        late = late.updated(f"rev{number + 1}")
    assert number == MOST_UPDATES
    assert late.items[0].said.startswith("Updated 3 times")
    assert set(STOPS) == {"conflict", "rule", "comment", "edit"}


def test_the_plan_is_ordered_by_hand_and_foresees_what_meets() -> None:
    run = run_of(3).add([item(2), item(4, "t")])
    assert [each.label for each in run.items] == ["#1", "#2", "#3", "#4"]
    run = run.move("s/r3", -1).move("s/r1", -1).take_out("s/r2")
    assert [each.label for each in run.listed] == ["#1", "#3", "#4"]
    touched = {
        "s/r1": {"p": "Retries", "q": "Limits"},
        "s/r2": {"p": "Retries"},
        "s/r3": {"p": "Retries", "z": "Zoo"},
        "t/r4": {"p": "Another"},
    }
    ahead = forecast(run.items, touched)
    assert ahead.keys() == {"s/r1", "s/r3", "t/r4"}
    [(other, titles)] = ahead["s/r3"].same
    assert (other.label, titles) == ("#1", ("Retries",))
    assert ahead["s/r3"].behind == run.items[0]
    assert ahead["t/r4"] == Forecast()
    run = run.take_out("s/r2")
    assert [each.label for each in run.listed][-1] == "#2"
    running = run.start(0.0).advance(0.0)
    assert running.move("s/r1", 1) == running
    assert running.take_out("s/r1") == running
    assert running.pause().merged("m", 1.0).advance(1.0).state == "paused"
    # What changed between the look at the list and the reading for the plan was not seen.
    late = run_of(1).change("s/r1", revision="", seen=5.0)
    assert late.queue("s/r1", Found("open", "rev2", updated=5.0)).items[0].revision == "rev2"
    late = late.queue("s/r1", Found("open", "rev2", updated=6.0))
    assert late.items[0].revision == UNSEEN
    assert late.queue("s/r1", Found("open", "rev2")) == late
    assert late.start(0.0).advance(0.0).judge(Found("open", "rev2"), 1.0).state == "stopped"
    assert late.take_out("s/r1").take_out("s/r1").items[0].revision == ""
    assert said_since((("c", 1),), (("c", 3),)) == "2 new replies"


def test_how_far_a_run_is() -> None:
    run = run_of(3)
    assert (run.far, run.begun, run.current, run.stopped) == ("0 of 3", False, None, None)
    run = run.take_out("s/r3").start(5.0)
    assert (run.started, run.begun, run.far) == (5.0, True, "0 of 2")
    run = run.advance(6.0)
    assert (run.far, run.current and run.current.key) == ("1 of 2", "s/r1")
    run = run.judge(Found("open", "rev"), 6.0).merged("m", 7.0, "Fine.")
    first = run.items[0]
    assert (first.state, first.merged, first.said, first.ended, first.sent) == (
        "done", "m", "Fine.", 7.0, "",
    )  # fmt: skip
    assert run.far == "1 of 2"
    stopped = run.advance(8.0).fail("gone", "It is gone.", 9.0)
    assert (stopped.far, stopped.stopped_at, stopped.items[1].ended) == ("2 of 2", "s/r2", 9.0)
    assert stopped.stopped is stopped.items[1]
    skipped = stopped.skip(10.0)
    assert (skipped.state, skipped.ended, skipped.far) == ("finished", 10.0, "2 of 2")
    assert (skipped.items[1].state, skipped.stopped_at) == ("skipped", "")
    assert not skipped.begun
    assert skipped.item("s/r9") is None
    assert skipped.count("done", "skipped") == 2


def test_it_pauses_after_the_current_one_and_goes_on() -> None:
    run = run_of(2)
    assert run.pause() is run
    going = run.start(0.0).advance(0.0)
    asked = going.pause()
    assert (asked.pausing, asked.pause().pausing) == (True, False)
    paused = asked.merged("m", 1.0).advance(1.0)
    assert (paused.state, paused.pausing, paused.current) == ("paused", False, None)
    assert paused.advance(2.0) is paused
    on = paused.go_on()
    assert (on.state, on.cut) == ("running", False)
    assert run.go_on() is run
    cut = asked.cut_off()
    assert (cut.state, cut.cut) == ("paused", True)
    again = cut.go_on()
    assert (again.state, again.cut, again.pausing) == ("running", False, False)
    assert run.cut_off() is run
    # Before the last one a pause that was asked for is not kept.
    last = going.merged("m", 1.0).advance(1.0).pause().merged("m", 2.0).advance(3.0)
    assert (last.state, last.pausing, last.ended) == ("finished", False, 3.0)


@pytest.mark.parametrize(
    ("found", "reason", "said"),
    [
        (Found("open", "rev", off="It is archived."), "refused", "It is archived."),
        (Found("open", "rev", failing="It needs a review."), "rule", "It needs a review."),
        (Found("open", "new"), "edit", "Edited since you read it."),
        (Found("open", "rev", comments=(("c", 0),)), "comment",
         "It has a new comment since it was queued."),
        (Found("open", "rev", off="It is archived.", failing="It needs a review."), "refused",
         "It is archived. It needs a review."),
        (Found("open", "new", comments=(("c", 0),), said_by="Lee"), "edit",
         "Edited since you read it. It has a new comment since it was queued, last by Lee."),
    ],
)  # fmt: skip
def test_why_it_stops_is_said_with_all_that_is_against(
    found: Found, reason: str, said: str
) -> None:
    run = run_of(1).start(0.0).advance(0.0).judge(found, 4.0)
    (stopped,) = run.items
    assert (run.state, stopped.state, stopped.reason, stopped.said) == (
        "stopped", "stopped", reason, said,
    )  # fmt: skip
    assert stopped.at_news is (reason in ("comment", "edit"))
    assert (stopped.revision, stopped.comments) == (found.revision, found.comments)


def test_one_that_was_merged_by_others_is_done() -> None:
    run = run_of(1).start(0.0).advance(0.0).judge(Found("merged", "r2", merged="m"), 4.0)
    (done,) = run.items
    assert (done.state, done.merged, done.ended) == ("done", "m", 4.0)
    assert done.said == "Merged already, not by this run."


def test_an_update_of_our_own_is_no_edit_and_another_one_is() -> None:
    start = run_of(1).start(0.0).advance(0.0).judge(Found("open", "rev", outdated=True), 1.0)
    (item,) = start.items
    assert (item.state, item.sent) == ("updating", "update")
    answered = start.updated("rev2")
    assert (answered.items[0].state, answered.items[0].arrived) == ("checking", "rev2")
    ours = answered.judge(Found("open", "rev2"), 2.0).items[0]
    assert (ours.state, ours.updates, ours.sent, ours.arrived) == ("merging", 1, "merge", "")
    known = start.judge(Found("open", "rev3", pulled_into="rev"), 2.0).items[0]
    assert (known.state, known.updates, known.revision) == ("merging", 1, "rev3")
    for other in (Found("open", "rev3"), Found("open", "rev2", pulled_into="else")):
        assert answered.judge(other, 2.0).items[0].reason == "edit"


def test_what_is_passed_over_where_it_is_not_to_stop_at_that() -> None:
    run = replace(run_of(2), stops=frozenset({"rule"})).start(0.0).advance(0.0)
    passed = run.fail("conflict", "It conflicts.", 3.0)
    (first, _) = passed.items
    assert (first.state, first.reason, first.said, first.ended) == (
        "skipped", "conflict", "It conflicts.", 3.0,
    )  # fmt: skip
    assert passed.state == "running"
    assert run.fail("rule", "No.", 3.0).state == "stopped"
    assert run.fail("failed", "No.", 3.0).state == "stopped"


def test_after_a_stop_it_is_tried_again_from_the_beginning() -> None:
    run = run_of(1).start(0.0).advance(0.0).judge(Found("open", "rev"), 1.0)
    unknown = run.fail("unknown", "No answer.", 2.0)
    assert unknown.items[0].sent == "merge"
    again = unknown.again()
    assert (again.state, again.stopped_at) == ("running", "")
    (item,) = again.items
    assert (item.state, item.reason, item.said, item.ended, item.sent) == (
        "checking", "", "", None, "merge",
    )  # fmt: skip
    assert run.fail("failed", "No.", 2.0).items[0].sent == ""
    assert run.skip(3.0) is run
    assert run.again() is run


def test_the_plan_is_changed_only_where_requests_wait() -> None:
    run = run_of(3)
    assert run.move("s/r9", 1) is run
    assert run.move("s/r1", -1) is run
    assert run.move("s/r3", 1) is run
    assert [each.request for each in run.move("s/r1", 2).items] == ["r3", "r2", "r1"]
    going = run.start(0.0).advance(0.0)
    assert [each.request for each in going.move("s/r3", -1).items] == ["r1", "r3", "r2"]
    assert going.take_out("s/r9") is going
    back = going.take_out("s/r2").take_out("s/r2")
    assert [(each.request, each.revision) for each in back.items] == [
        ("r1", "rev"), ("r3", "rev"), ("r2", "rev"),
    ]  # fmt: skip
    planned = run.change("s/r2", seen=5.0, comments=(("c", 1),)).take_out("s/r2").take_out("s/r2")
    assert planned.items[-1] == replace(item(2), revision="", comments=(), seen=None)
    added = run.take_out("s/r1").add([item(1), item(5)])
    assert [each.request for each in added.items] == ["r2", "r3", "r1", "r5"]
    assert run.queue("s/r9", Found("open", "x")) is run
    fresh = run.change("s/r1", revision="", seen=5.0, seen_revision="v")
    queued = fresh.queue("s/r1", Found("open", "v", updated=9.0, comments=(("c", 1),)))
    assert (queued.items[0].revision, queued.items[0].comments) == ("v", (("c", 1),))
    unseen = run.change("s/r1", revision="").queue("s/r1", Found("open", "v", updated=9.0))
    assert unseen.items[0].revision == "v"


@pytest.mark.parametrize(
    ("before", "now", "said"),
    [
        ((), (), ""), ((), (("a", 0),), "a new comment"), ((), (("a", 2),), "a new comment"),
        ((("a", 1),), (("a", 2),), "a new reply"), ((("a", 3),), (("a", 1),), ""),
        ((), ((f"{OBJECTION}1", 0), (f"{OBJECTION}2", 0)), "2 reviews asking for changes"),
        ((("a", 0),), (("a", 2), ("b", 0), ("c", 0), (f"{OBJECTION}1", 0)),
         "a review asking for changes, 2 new comments and 2 new replies"),
    ],
)  # fmt: skip
def test_what_came_to_be_said_is_counted(
    before: tuple[tuple[str, int], ...], now: tuple[tuple[str, int], ...], said: str
) -> None:
    assert said_since(before, now) == said


def test_the_forecast_leaves_out_what_is_dealt_with() -> None:
    run = run_of(4).change("s/r2", state="stopped").change("s/r3", state="skipped")
    ahead = forecast(run.items, {each.key: {"p": "Page"} for each in run.items})
    assert ahead.keys() == {"s/r1", "s/r4"}
    assert ahead["s/r1"] == Forecast(((run.items[3], ("Page",)),), None)
    assert ahead["s/r4"].behind == run.items[0]
    assert run.items[0].name == "#1 Change 1"
    known = forecast(run.items, {"s/r1": {"p": "Page"}})
    assert known == {"s/r1": Forecast(), "s/r4": Forecast(behind=run.items[0])}


@settings(max_examples=100)
@given(
    st.lists(
        st.sampled_from(["look", "edit", "say", "approve", "main", "end", "end early"]), max_size=14
    )
)
def test_one_that_waits_for_its_rules_is_merged_once_and_never_unseen(orders: list[str]) -> None:
    """In any order of edits, comments, verdicts and looks; ``end`` kills it in the next."""
    run = MergeRun("w", waits=True).add([replace(item(1), revision="r0")])
    run = run.start(0.0).advance(0.0).wait("")
    revision, seen, comments, rules, outdated = "r0", "r0", 0, 0, False
    merged: list[str] = []
    ends = ""
    for at, order in enumerate([*orders, "approve", "look", "look", "look"]):
        match order:
            case "edit":
                revision = f"r{at + 1}"
            case "say":
                comments += 1
            case "approve":
                rules = 2
            case "main":
                outdated = True
            case "end" | "end early":
                ends = order
        if order != "look" or run.state in ("stopped", "finished"):
            continue
        run = run.cut_off().go_on().advance(1.0)
        while run.state == "running" and (each := run.current) is not None:
            if ends == "end early" and each.state != "checking":
                ends = ""
                break
            match each.state:
                case "checking":
                    pulled = None
                    if each.sent == "update" and revision != each.revision:
                        pulled = each.revision if revision == f"{each.revision}+" else ""
                    found = Found(
                        "merged" if merged else "open",
                        revision,
                        outdated=outdated,
                        comments=tuple((f"c{n}", 0) for n in range(comments)),
                        failing="" if rules == 2 else "It needs a review.",
                        rules=(rules, 2),
                        pulled_into=pulled,
                    )
                    run = run.judge(found, 1.0)
                    continue
                case "updating":
                    seen = revision = f"{revision}+" if revision == seen else revision
                    outdated = False
                case "merging":
                    merged.append(revision)
                    assert revision == seen, "merged what no one saw"
                    assert not comments, "merged though someone spoke"
            if ends:  # what was kept before the request is all that is left of the process
                ends = ""
                break
            run = run.updated(revision) if each.state == "updating" else run.merged("m", 1.0)
            run = run.advance(1.0)
    assert len(merged) <= 1
    assert run.state == ("finished" if merged else "stopped")
    event(f"{len(merged)} merged, {run.items[0].reason}")


def test_one_that_waits_says_what_for_and_is_not_sent_twice_by_itself() -> None:
    waiting = MergeRun("w", waits=True).add([replace(item(1), revision="rev")])
    waiting = waiting.start(0.0).advance(0.0)
    unmet = Found("open", "rev", failing="It needs a review.", rules=(1, 2))
    run = waiting.judge(unmet, 1.0)
    assert (run.state, run.items[0].said) == ("paused", "1 of 2 rules: needs a review")
    away = run.go_on().advance(1.0).fail("failed", "It could not be looked at.", 1.0)
    assert (away.state, away.items[0].said) == ("paused", "It could not be looked at.")
    sent = away.go_on().advance(1.0).judge(Found("open", "rev"), 1.0)
    assert sent.items[0].sent == "merge"
    assert sent.not_sent().items[0].sent == ""
    cut = sent.cut_off().go_on()
    stopped = cut.judge(Found("open", "rev"), 2.0)
    assert stopped.stopped is not None
    assert stopped.stopped.reason == "unknown"
    assert cut.judge(Found("merged", "rev", merged="m"), 2.0).advance(2.0).state == "finished"
    again = stopped.again()
    assert (again.state, again.items[0].state, again.items[0].sent) == ("paused", "waiting", "")
    assert again.go_on().advance(3.0).judge(Found("open", "rev"), 3.0).items[0].sent == "merge"
    refused = sent.fail("rule", "The service refused it.", 2.0)
    assert refused.state == "stopped", "what the service refused is not sent again by itself"
