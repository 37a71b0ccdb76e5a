"""A run that rearranges something, as a value: how far it is, what it says, and how it is kept."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from copydesk.domain.arrange_run import ArrangeRun, identity, lasting_fact
from copydesk.domain.call import Call
from copydesk.domain.reversal import Expectation, Reversal, Step
from copydesk.local.runs import Arrangements
from copydesk.local.state import State


def call(key: str, *, back: bool = True, makes: str = "", operation: str = "update_site") -> Call:
    """Return a request, with its way back."""
    there = Expectation(Step("get_site", {"site_id": makes or "s"}), {"title": [key]})
    way = Reversal((Step("delete_site", {"site_id": makes or "s"}),), (), there, None)
    step = Step(operation, {"site_id": "s"}, {"title": key, "ids": [1, {"a": None}]})
    return Call(
        key, "Change", key.upper(), f"{key}: “Ünïcode”", step, way if back else None, makes,
        {f"{makes}/space": "siteSpaces[].id"} if makes else {}, final=not back,
    )  # fmt: skip


def test_forth_stopped_and_back() -> None:
    calls = [call("a", makes="new:1"), call("b"), call("c", back=False, operation="delete_site")]
    run = ArrangeRun.of("site-structure", "s", "Acme docs", calls, organization="o")
    assert (run.id, run.begun) == (identity("site-structure", "s"), False)
    assert run.outcome.sentence == "Nothing was sent; it stays staged."
    assert [each.call.key for each in run.removals] == ["c"]
    run = run.go("group", 5.0).sending("a", ["x"])
    assert (run.far, run.current and run.current.known) == ("0 of 3", ("x",))
    run = run.arrived("a", entry="e", made={"new:1": "1", "new:1/space": "2"})
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
    assert done.outcome.sentence == "3 requests sent. u takes back all but 1."
    assert done.outcome.complete
    assert done.cut_off() is done
    # A process that ended says which request was under way; what nothing takes back is named.
    cut = run.turn_back().taking("b").cut_off()
    assert (cut.state, cut.cut, cut.current and cut.current.call.key) == ("stopped", True, "b")
    assert cut.lasting_sentence() == "1 of these cannot be taken back: c: “Ünïcode”."
    run = run.turn_back()
    assert [each.call.key for each in run.returning()] == ["b", "a"]
    run = run.taken("b").not_taken("a", "It was changed since.").stop()
    assert run.why == "Not taken back: “a: “Ünïcode””: It was changed since."
    nothing = run.finish().outcome
    assert nothing.sentence.startswith("1 request taken back; that stays staged. Still sent: a:")
    assert (run.far, run.made) == ("1 of 3", {"new:1": "1", "new:1/space": "2"})
    run = run.turn_back().taken("a").finish()
    assert run.made == {}
    assert run.outcome.sentence == (
        "2 requests taken back; that stays staged. Still sent: c: “Ünïcode”."
    )


def test_it_says_before_what_cannot_be_taken_back() -> None:
    one, none = [call("a")], [call("b", back=False)]
    assert lasting_fact(one) == "u afterwards takes it all back."
    assert lasting_fact(none) == "This cannot be taken back."
    assert lasting_fact(none * 2) == "None of these can be taken back."
    assert lasting_fact(one + none) == "1 of these cannot be taken back; u takes back the rest."
    run = ArrangeRun.of("p", "t", "T", none).go().sending("b").arrived("b")
    assert run.lasting_sentence() == "None of what was sent can be taken back: b: “Ünïcode”."
    assert run.finish().outcome.sentence == "1 request sent. There is no way back."
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
