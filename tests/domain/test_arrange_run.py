"""A run that rearranges something, as a value: how far it is, what it says, and how it is kept."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from copydesk.domain.arrange_run import (
    ArrangeRun,
    Outcome,
    Requests,
    changes_between,
    identity,
    lasting_fact,
    with_changes,
)
from copydesk.domain.reversal import Call, Expectation, Reversal, Step
from copydesk.local.runs import Arrangements
from copydesk.local.state import State


def call(key: str, *, back: bool = True, makes: str = "", operation: str = "update_site") -> Call:
    """Return a request, with its way back."""
    there = Expectation(Step("get_site", {"site_id": makes or "s"}), {"title": [key]})
    way = Reversal((Step("delete_site", {"site_id": makes or "s"}),), (), there, None)
    step = Step(operation, {"site_id": "s"}, {"title": key, "ids": [1, {"a": None}]})
    return Call(
        key, "Change", key.upper(), f"{key}: “Ünïcode”", step, way if back else None, makes,
        {f"{makes}/space": "siteSpaces[].id"} if makes else {},
    )  # fmt: skip


def test_forth_stopped_and_back() -> None:
    calls = [call("a", makes="new:1"), call("b"), call("c", back=False, operation="delete_site")]
    run = ArrangeRun.of("site-structure", "s", "Acme docs", calls, organization="o")
    assert (run.id, run.begun) == (identity("site-structure", "s"), False)
    assert run.outcome.sentence == "Nothing was sent; it stays staged."
    assert [each.call.key for each in run.for_good] == ["c"]
    run = run.go("group", 5.0).sending("a", ["x"])
    assert (run.far, run.current and run.current.known) == ("0 of 3", ("x",))
    run = run.arrived("a", entry="e", made={"new:1": "1", "new:1/space": "2"})
    assert run.calls[0].said == ""
    run = run.sending("b").failed("b", "No.")
    assert (run.state, run.why, run.far, run.group) == ("stopped", "No.", "1 of 3", "group")
    assert run.outcome.sentence == "1 of 3 sent, 2 kept staged."
    assert not run.outcome.complete
    # Gone on with: what failed waits again, and a run that goes keeps its group.
    run = run.go("other", 9.0)
    assert (run.group, run.began, run.following and run.following.call.key) == ("group", 5.0, "b")
    for key in "bc":
        run = run.sending(key).arrived(key, entry=key)
    done = run.finish()
    assert done.outcome.sentence == "3 calls sent. u undoes all but 1."
    assert done.outcome.complete
    assert done.cut_off() is done
    # A process that ended says which request was under way; what nothing takes back is named.
    cut = run.turn_back().taking("b").cut_off()
    assert (cut.state, cut.cut, cut.current and cut.current.call.key) == ("stopped", True, "b")
    assert cut.lasting_sentence() == "1 of these is final: c: “Ünïcode”."
    run = run.turn_back()
    assert [each.call.key for each in run.returning()] == ["b", "a"]
    run = run.taken("b").not_taken("a", "It was changed since.").stop()
    assert run.why == "Not undone: “a: “Ünïcode””: It was changed since."
    nothing = run.finish().outcome
    assert nothing.sentence.startswith("1 call undone; that stays staged. Still sent: a:")
    assert (run.far, run.made) == ("1 of 3", {"new:1": "1", "new:1/space": "2"})
    run = run.turn_back().taken("a").finish()
    assert run.made == {}
    assert run.outcome.sentence == ("2 calls undone; that stays staged. Still sent: c: “Ünïcode”.")


def test_it_says_before_what_cannot_be_taken_back() -> None:
    one, none = [call("a")], [call("b", back=False)]
    assert lasting_fact(one) == "u undoes all of it afterwards."
    assert lasting_fact(none) == "This cannot be undone."
    assert lasting_fact(none * 2) == "All of these are final."
    assert lasting_fact(one + none) == "1 of these is final; u undoes the rest."
    assert lasting_fact(one + none, ":undo") == "1 of these is final; :undo undoes the rest."
    run = ArrangeRun.of("p", "t", "T", none).go().sending("b").arrived("b")
    assert run.lasting_sentence() == "Nothing of what was sent can be undone: b: “Ünïcode”."
    assert run.finish().outcome.sentence == "1 call sent. This cannot be undone."
    unknown = ArrangeRun.of("p", "t", "T", one).go().sending("a").failed("a", "?", unknown=True)
    assert [each.state for each in unknown.calls] == ["unknown"]
    assert [each.state for each in unknown.turn_back().calls] == ["unknown"]


def test_kept_whole_on_disk(tmp_path: Path) -> None:
    runs = Arrangements(State(tmp_path / "state.db"), "desk")
    calls = [call("a", makes="new:1"), replace(call("b"), arrived=Expectation(Step("get_site")))]
    run = ArrangeRun.of("site-structure", "s", "Acme", calls).go("g", 1.0).sending("a", ())
    runs.save(run)
    assert runs.load(run.id) == run
    assert runs.all() == [run]
    assert (tmp_path / "state.db").stat().st_mode & 0o777 == 0o600
    assert runs.claim(run.id)
    assert not Arrangements(State(tmp_path / "state.db"), "desk").claim(run.id)
    runs.drop(run.id)
    assert runs.load(run.id) is None
    # The claim is held on, though what it was about is forgotten.
    assert not Arrangements(State(tmp_path / "state.db"), "desk").claim(run.id)


@pytest.mark.parametrize(
    ("outcome", "sentence", "complete"),
    [
        (Outcome(0, 0, 3, {}), "Nothing was sent; it stays staged.", False),
        (Outcome(0, 0, 0, {}), "Nothing was sent; it stays staged.", True),
        (Outcome(1, 0, 2, {}), "1 of 3 sent, 2 kept staged.", False),
        (Outcome(1, 0, 0, {}), "1 call sent. u undoes it.", True),
        (Outcome(2, 0, 0, {}), "2 calls sent. u undoes them.", True),
        (Outcome(2, 0, 0, {}, ("A",)), "2 calls sent. u undoes all but 1.", True),
        (Outcome(2, 0, 0, {}, ("A", "B")), "2 calls sent. This cannot be undone.", True),
        (Outcome(0, 2, 2, {}, back=True), "2 calls undone; it all stays staged.", True),
        (Outcome(1, 0, 2, {}, back=True), "Nothing was undone.", False),
        (Outcome(1, 0, 2, {}, ("A",), back=True),
         "Nothing was undone. Still sent: A.", False),
        (Outcome(2, 1, 2, {}, ("A", "B"), back=True),
         "1 call undone; that stays staged. Still sent: A and B.", False),
        (Outcome(4, 1, 2, {}, ("A", "B", "C", "D"), back=True),
         "1 call undone; that stays staged. Still sent: A, B and 2 more.", False),
        (Outcome(0, 0, 1, {}, unknown=("A",)),
         "Whether “A” arrived is not known: look first. Nothing else was sent; it stays staged.",
         False),
        (Outcome(1, 0, 0, {}, unknown=("A", "B", "C")),
         "Whether “A” and 2 more arrived is not known: look first. "
         "1 call sent. u undoes it.", False),
    ],
)  # fmt: skip
def test_what_a_run_came_to_is_one_sentence(
    outcome: Outcome, sentence: str, complete: bool
) -> None:
    assert outcome.sentence == sentence
    assert outcome.complete is complete


def begun(*keys: str) -> ArrangeRun:
    return ArrangeRun.of("p", "t", "Acme\x1b[1m", [call(key) for key in keys]).go("g", 1.0)


def test_how_a_run_that_was_left_stands_is_said() -> None:
    run = begun("a", "b").sending("a").arrived("a")
    assert run.stop().standing() == "Rearranging Acme stopped at 1 of 2"
    whole = run.sending("b").arrived("b")
    assert not whole.arrived_whole
    assert whole.stop().standing() == "Rearranging Acme had arrived whole when copydesk ended"
    back = whole.turn_back().taking("b").taken("b").stop()
    assert back.standing() == "Undoing the rearranging of Acme stopped at 1 of 2"
    assert not back.arrived_whole
    assert [run.begun for run in (run, run.stop(), back, run.turn_back())] == [True] * 4
    assert [run.begun for run in (run.finish(), ArrangeRun.of("p", "t", "T", []))] == [False] * 2


def test_why_it_stopped_names_what_was_not_taken_back() -> None:
    run = begun("a", "b", "c")
    for key in "abc":
        run = run.sending(key).arrived(key)
    run = run.turn_back()
    assert (run.failure, run.why) == (None, "")
    for key in "cba":
        run = run.not_taken(key, f"No {key}.")
    assert run.failure is not None
    assert run.failure.call.key == "a"
    assert run.why == ("Not undone: “a: “Ünïcode””: No a; “b: “Ünïcode””: No b; and 1 more.")
    assert run.stop("Told to.").why == "Told to."
    assert run.turn_back().why == ""
    assert begun("a").why == ""


def test_a_request_that_goes_back_as_a_later_one_would_shares_its_reason() -> None:
    alike = [replace(call("a"), key=key) for key in "xyz"]
    run = ArrangeRun.of("p", "t", "T", [*alike, call("b", makes="new:9")]).go()
    for key in ("x", "y", "z", "b"):
        run = run.sending(key).arrived(key)
    run = run.turn_back().not_taken("b", "Other.").not_taken("y", "Changed.")
    assert run.passed_over_with(run.find("x")) == "Changed."
    assert run.passed_over_with(run.find("y")) == ""
    assert run.passed_over_with(run.find("b")) == ""


def test_a_request_is_tried_again_unless_it_arrived() -> None:
    run = begun("a", "b", "c").sending("a", ["i"]).arrived("a", entry="e", seconds=2.0, said="ok")
    assert run.find("a").seconds == 2.0
    assert (run.find("a").known, run.find("a").said, run.find("a").entry) == (None, "ok", "e")
    run = run.sending("b").failed("b", "No.", entry="f").failed("c", "?", unknown=True)
    assert [each.state for each in run.calls] == ["done", "failed", "unknown"]
    assert (run.find("b").entry, run.find("c").entry) == ("f", "")
    again = run.go()
    assert [(each.state, each.said) for each in again.calls] == [
        ("done", "ok"), ("waiting", ""), ("waiting", ""),
    ]  # fmt: skip
    assert (again.state, again.back, again.cut, again.said) == ("running", False, False, "")
    back = run.turn_back()
    assert [(each.state, each.said) for each in back.calls] == [
        ("done", ""), ("waiting", ""), ("unknown", "?"),
    ]  # fmt: skip
    assert (back.state, back.back, back.cut, back.said) == ("rolling-back", True, False, "")
    assert back.go().standing() == "Rearranging Acme stopped at 1 of 3"
    sent = again.sending("b", ["k"])
    assert sent.find("b").known == ("k",)
    undone = sent.not_sent("b")
    assert (undone.find("b").state, undone.find("b").known) == ("waiting", None)
    assert again.stop("Full.").said == "Full."
    assert again.stop("Full.").go().said == again.stop("Full.").turn_back().said == ""
    cut = again.cut_off()
    assert [each.cut for each in (cut, cut.go(), cut.turn_back(), cut.finish())] == [
        True, False, False, False,
    ]  # fmt: skip
    assert (cut.go("other", 9.0).group, cut.go("other", 9.0).began) == ("g", 1.0)
    assert again.stop("Full.").finish().said == ""


def test_changes_of_a_run_give_the_later_one() -> None:
    run = begun("a", "b").sending("a").arrived("a", made={"new:1": "1", "new:2": "2"})
    later = (
        replace(run, made={"new:2": "3", "new:4": "4"}, version=2).sending("b", ["x"]).stop("No.")
    )
    changed = changes_between(run, later)
    assert changed == {
        "state": "stopped",
        "said": "No.",
        "version": 2,
        "made": {"new:2": "3", "new:4": "4"},
        "gone": ["new:1"],
        "calls": {"b": {"state": "sending", "known": ("x",)}},
    }
    assert changes_between(run, run) == {}
    plain = {"id": run.id, "state": "running", "made": dict(run.made),
             "calls": [{"call": {"key": key}, "state": "waiting"} for key in "ab"]}  # fmt: skip
    told = with_changes(plain, [changed, {"state": "finished", "calls": {"a": {"said": "x"}}}])
    assert told == {
        "id": run.id,
        "state": "finished",
        "said": "No.",
        "version": 2,
        "made": {"new:2": "3", "new:4": "4"},
        "calls": [
            {"call": {"key": "a"}, "state": "waiting", "said": "x"},
            {"call": {"key": "b"}, "state": "sending", "known": ("x",)},
        ],
    }
    assert with_changes({"id": "i"}, []) == {"id": "i", "made": {}, "calls": []}
    with pytest.raises(ValueError, match=r"^this is another plan$"):
        changes_between(run, begun("a", "b").sending("b"))
    with pytest.raises(ValueError, match=r"shorter|longer"):
        changes_between(run, replace(run, calls=Requests([run.calls[0]])))
    with pytest.raises(KeyError):
        with_changes(plain, [{"calls": {"z": {}}}])


def test_only_so_many_that_stay_are_named() -> None:
    lasting = [call(key, back=False, operation=f"delete_{key}") for key in "abc"]
    run = ArrangeRun.of("p", "t", "T", [*lasting, call("d")]).go()
    assert run.lasting_sentence() == ""
    assert [each.call.key for each in run.for_good] == ["a", "b", "c"]
    for key in "abcd":
        run = run.sending(key).arrived(key)
    name = "“Ünïcode”"
    assert run.lasting_sentence() == (f"3 of these are final: a: {name}, b: {name} and 1 more.")
