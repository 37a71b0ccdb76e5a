"""Requests of a plan: what an answer makes of provisional ids, and where they stand."""

from __future__ import annotations

from copydesk.domain.reversal import Call, Expectation, Reversal, Step, bind

MADE = {"new:1": "id1", "new:2": "id2", "new:1/path": "made-path"}


def test_an_answer_tells_the_ids_of_what_was_made() -> None:
    call = Call(
        "add:new:1", "Add", "A", "Add A", Step("add"), makes="new:1",
        also={"new:2": "items[space=s].id", "new:1/path": "path", "new:3": "no.such"},
    )  # fmt: skip
    answer = {"id": "id1", "path": "made-path", "items": [{"space": "s", "id": "id2"}]}
    assert call.made(answer) == MADE
    assert call.made({}) == {}
    assert call.made({"id": 5, "path": "", "items": []}) == {}
    kept = Call("a", "Add", "A", "Add A", Step("add"), also={"new:2": "id"})
    assert kept.made({"id": "x"}) == {"new:2": "x"}
    assert Call("a", "Change", "A", "A", Step("x")).made({"id": "x"}) == {}


def test_ids_are_put_in_everywhere_but_into_what_people_wrote() -> None:
    step = Step("x", {"id": "new:1"}, {"title": "new:1", "ids": ["new:2", {"a": "new:1"}], "n": 1})
    fields = {
        "items[id=new:1].id": ["new:1"],
        "items[id=new:1].more.title": ["new:1"],
        "items[user.id=new:2].space.id": "new:2",
        "description": "new:1",
        "path": "new:1/path",
        "items[id=new:9].id": [],
    }
    there = Expectation(
        Step("read", {"id": "new:2"}), fields, False, "said", ("new:1", "z"), "new:2"
    )
    way = Reversal((step,), (step,), there, there, "note")
    bound = bind(Call("k", "Change", "T", "L", step, way, arrived=there), MADE)
    now = Step("x", {"id": "id1"}, {"title": "new:1", "ids": ["id2", {"a": "id1"}], "n": 1})
    assert bound.step == now
    assert bound.reversal is not None
    assert (bound.reversal.back, bound.reversal.forth, bound.reversal.note) == (
        (now,),
        (now,),
        "note",
    )
    held = bound.arrived
    assert held == bound.reversal.still == bound.reversal.before
    assert held is not None
    assert held.read == Step("read", {"id": "id2"})
    assert held.fields == {
        "items[id=id1].id": ["id1"],
        "items[id=id1].more.title": ["new:1"],
        "items[user.id=id2].space.id": "id2",
        "description": "new:1",
        "path": "made-path",
        "items[id=new:9].id": [],
    }
    assert (held.said, held.without, held.beside) == ("said", ("id1", "z"), "id2")
    bare = Call("k", "Change", "T", "L", step)
    assert bind(bare, {}) is bare
    assert (bind(bare, MADE).reversal, bind(bare, MADE).arrived) == (None, None)


def test_what_cannot_be_taken_back_is_lasting() -> None:
    way = Reversal((Step("y"),))
    assert not Call("k", "C", "T", "L", Step("x"), way).lasting
    assert Call("k", "C", "T", "L", Step("x")).lasting
