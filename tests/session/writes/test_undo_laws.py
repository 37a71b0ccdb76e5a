"""Undo and redo of things on a shelf: what was, comes back, whatever was done in between."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from datetime import timedelta
from itertools import pairwise
from types import SimpleNamespace
from typing import Any, cast

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from copydesk.client.api import Api
from copydesk.contract.models.redirect import RedirectResult, RedirectResults
from copydesk.domain import inverses, tree_inverses
from copydesk.domain.reversal import Expectation, Reversal, Step
from copydesk.local.journal import Entry, Kind, State
from copydesk.session.errors import NotDoneError
from copydesk.session.session import Session
from copydesk.session.writes.log import ChangedSinceError, WriteError
from copydesk.session.writes.undo import (
    SENT_SINCE,
    History,
    Names,
    ReversalRunner,
    is_of_outbox,
    not_taken,
    way_back_in,
    way_out,
)

Words = dict[str, str | None]


class Shelf:
    """Things by their names, in a session whose writes put them there."""

    def __init__(self) -> None:
        async def nowhere() -> Api:
            raise AssertionError("nothing is asked here")

        self.things: Words = {}
        self.steps: list[tuple[str, str | None]] = []
        self.trouble: list[Exception | None] = []
        self.session = Session(nowhere)
        self.session._api = cast("Api", SimpleNamespace(skew=timedelta()))
        self.session.local_steps.update(put=self._put, value=self._value)
        self.undo = self.session.reversals

    async def _put(self, name: str, value: str | None) -> None:
        if self.trouble and (error := self.trouble.pop(0)) is not None:
            raise error
        self.steps.append((name, value))
        self.put(name, value)

    async def _value(self, name: str) -> dict[str, str] | None:
        value = self.things.get(name)
        return None if value is None else {"value": value}

    def put(self, name: str, value: str | None) -> None:
        """Put a thing there, as somebody else does; None takes it away."""
        self.things = {key: each for key, each in self.things.items() if key != name}
        if value is not None:
            self.things[name] = value

    async def write(self, values: Words, *, group: str = "") -> None:
        """Put things there in one write, or several of one group."""
        was = {name: self.things.get(name) for name in values}

        async def send() -> None:
            for name, value in values.items():
                await self._put(name, value)

        await self.session.writes.perform(
            "Put", " ".join(values), send, reversal=way(was, values), group=group
        )

    async def redo(self) -> None:
        await self.undo.take_back(self.undo.redoable(), again=True)

    @property
    def states(self) -> list[str]:
        return [line.state for line in self.session.log if not line.kind]


def put(values: Words) -> tuple[Step, ...]:
    return tuple(Step("local.put", {"name": name, "value": at}) for name, at in values.items())


def there(values: Words) -> Expectation | None:
    found: Expectation | None = None
    for name, value in reversed(values.items()):
        read = Step("local.value", {"name": name})
        if value is None:
            found = Expectation(read, gone=True, also=found)
        else:
            found = Expectation(read, {"value": value}, also=found)
    return found


def way(was: Words, now: Words) -> Reversal:
    return Reversal(put(dict(reversed(was.items()))), put(now), there(now), there(was))


NAMES, VALUES = st.sampled_from("ab"), st.sampled_from(["1", "2", None])
WRITES = st.lists(
    st.tuples(st.dictionaries(NAMES, VALUES, min_size=1), st.sampled_from(["", "", "g", "h"])),
    max_size=6,
)


@given(WRITES)
@example([({"a": "1"}, "g"), ({"b": "1"}, ""), ({"a": "2"}, "g")])
def test_all_that_was_written_is_undone_and_redone(
    writes: Sequence[tuple[Words, str]],
) -> None:
    async def run() -> None:
        shelf = Shelf()
        for number, (values, group) in enumerate(writes):
            # Groups are of one action: what comes between begins another.
            await shelf.write(values, group=group and f"{group} {_runs(writes)[number]}")
        after, seen = shelf.things, [shelf.things]
        while await shelf.undo.undo() is not None:
            seen.append(shelf.things)
        assert shelf.things == {}
        assert set(shelf.states) <= {"undone"}
        for before in reversed(seen[:-1]):
            await shelf.redo()
            assert shelf.things == before
        assert shelf.things == after
        assert shelf.undo.redoable() == []
        assert set(shelf.states) <= {"done"}

    asyncio.run(run())


def _runs(writes: Sequence[tuple[Words, str]]) -> list[int]:
    """Number the runs of writes of one group."""
    found = [0]
    for (_, before), (_, group) in pairwise(writes):
        found.append(found[-1] + (before != group))
    return found


async def test_what_somebody_else_changed_is_passed_over_and_the_rest_undone() -> None:
    shelf = Shelf()
    for name in "abc":
        await shelf.write({name: "1"}, group="g")
    shelf.put("b", "theirs")
    with pytest.raises(ChangedSinceError, match=r"^Its value is theirs by now, not 1") as kept:
        await shelf.undo.undo()
    assert shelf.things == {"b": "theirs"}
    [obstacle] = kept.value.obstacles
    assert (obstacle.gone, obstacle.done, kept.value.again) == (False, False, False)
    assert obstacle.past.entry.target == "b"
    await shelf.undo.take_back([obstacle.past], anyway=True)
    assert shelf.things == {}
    assert not obstacle.past.idle
    await shelf.redo()
    assert shelf.things == {"a": "1", "b": "1", "c": "1"}


async def test_what_changes_nothing_in_spite_of_all_is_idle() -> None:
    shelf = Shelf()
    await shelf.write({"a": "1"})
    shelf.put("a", "2")
    line = shelf.undo.undoable()
    assert line is not None
    [past] = shelf.undo.together(line)
    shelf.session.local_steps["put"] = _nothing
    await shelf.undo.take_back([past], anyway=True)
    assert past.idle
    assert shelf.things == {"a": "2"}


async def _nothing(name: str, value: str | None) -> None: ...


async def test_what_somebody_else_undid_or_redid_is_only_noted() -> None:
    shelf = Shelf()
    await shelf.write({"a": "1"})
    await shelf.write({"a": "2"})
    shelf.put("a", "1")
    shelf.steps.clear()
    line = await shelf.undo.undo()
    assert line is not None
    assert shelf.undo.redoable()[0].by_others
    assert shelf.states == ["done", "undone"]
    shelf.put("a", "2")
    await shelf.redo()
    assert shelf.steps == []
    assert shelf.states == ["done", "done"]
    assert [entry.what for entry in shelf.session.journal.entries()][2:] == [
        "Undo: Put", "Redo: Put",
    ]  # fmt: skip
    shelf.put("a", None)
    with pytest.raises(WriteError, match=r"^Put a cannot be undone: it is gone"):
        await shelf.undo.undo()
    assert shelf.undo.undoable() is shelf.session.log[0], "the one before is next"


async def test_nothing_is_redone_after_another_write() -> None:
    shelf = Shelf()
    await shelf.write({"a": "1"})
    await shelf.undo.undo()
    assert len(shelf.undo.redoable()) == 1
    await shelf.write({"b": "1"})
    assert shelf.undo.redoable() == shelf.undo.unmade() == []
    await shelf.undo.undo()
    assert [past.entry.target for past in shelf.undo.redoable()] == ["b"]


@pytest.mark.parametrize("again", [False, True])
async def test_a_turn_that_was_cut_off_goes_on_with_the_step_that_is_left(*, again: bool) -> None:
    shelf = Shelf()
    await shelf.write({"a": "1", "b": "1", "c": "1"})
    if again:
        await shelf.undo.undo()
    [past] = shelf.session.history.known.values()
    shelf.steps.clear()
    shelf.trouble = [None, None, LostError()]
    with pytest.raises(WriteError) as lost:
        await shelf.undo.take_back([past], again=again)
    assert lost.value.unknown
    assert past.standing == ("redoing" if again else "undoing")
    assert past.cut is not None
    assert past.cut.progress == 2
    await shelf.undo.take_back([past], again=again, anyway=True)
    names = "abc" if again else "cba"
    assert [name for name, _ in shelf.steps] == [*names]
    assert shelf.things == ({"a": "1", "b": "1", "c": "1"} if again else {})


class LostError(NotDoneError):
    """No answer: it may have been done."""

    sent = True


async def test_each_is_counted_before_it_is_undone() -> None:
    shelf, told = Shelf(), list[tuple[int, int]]()
    for name in "abc":
        await shelf.write({name: "1"}, group="g")
    line = shelf.undo.undoable()
    assert line is not None
    await shelf.undo.take_back(
        shelf.undo.together(line), told=lambda done: told.append((done, len(shelf.things)))
    )
    assert told == [(0, 3), (1, 2), (2, 1)]


async def test_what_cannot_be_read_is_not_undone() -> None:
    shelf = Shelf()
    await shelf.write({"a": "1"})

    async def unread(name: str) -> None:
        raise OSError(5, "Input/output error")

    shelf.session.local_steps["value"] = unread
    with pytest.raises(WriteError, match=r"^Nothing was undone, because it could not be read: Inp"):
        await shelf.undo.undo()
    assert shelf.things == {"a": "1"}
    assert shelf.states == ["done"]


async def test_a_step_that_this_machine_does_not_know_is_named() -> None:
    with pytest.raises(NotDoneError, match=r"^This copydesk knows no way to fly far away"):
        await ReversalRunner(lambda name: None).take(
            cast("Api", None), Step("local.fly_far_away", {})
        )


@pytest.mark.parametrize("text", [False, True])
@pytest.mark.parametrize("sure", [False, True])
def test_a_waiting_write_is_taken_out_and_put_back(*, sure: bool, text: bool) -> None:
    out, back = way_out("w", sure=sure, text=text), way_back_in("w")
    # These names are in journals: a later version of the program still takes these steps.
    ids = {"id": "w"}
    assert out.back == back.forth == (Step("local.drop_queued", ids),)
    assert out.forth == back.back == (Step("local.queue_again", ids),)
    assert (out.still, out.before) == (back.before, back.still)
    assert out.still is not None
    assert out.before is not None
    assert out.still.read == out.before.read == Step("local.queued", ids)
    assert out.still.differences({"waits": True}) == ()
    assert out.still.explain(None) == "It is gone."
    assert out.still.explain({}).startswith(SENT_SINCE[:1].upper() + SENT_SINCE[1:])
    assert out.before.differences(None) == ()
    assert out.before.explain({"waits": True}) == "It waits again."
    said = "Not sent" if sure else "Waits no more, and may have arrived all the same"
    assert out.note == (f"{said}; its text is a draft again." if text else f"{said}.")


def entry(key: str, state: State = "done", *, at: float = 0.0, **more: Any) -> Entry:
    """Return a write that has a reversal, as the journal has it."""
    notes = {"reversal": way({key: None}, {key: "1"}).to_dict(), **more}
    return Entry(id=key, run="run", at=at, what="Put", target=key, state=state, **notes)


def turn(of: str, kind: Kind, state: State = "done", **more: Any) -> Entry:
    """Return an undo or a redo of a write."""
    return entry(f"{kind} {of} {state}", state, reversal=None, kind=kind, of=of, **more)


def test_ids_are_followed_through_every_time_that_a_thing_was_made_again() -> None:
    names = Names()
    for old, new in (("a", "b"), ("b", "c"), ("x", "x")):
        names.change(old, new)
    assert (names.now, names.version) == ({"a": "c", "b": "c"}, 2)
    names.change("a", "d")
    assert names.now == {"a": "d", "b": "d", "c": "d"}
    names.change("d", "a")
    assert names.now == {"b": "a", "c": "a", "d": "a"}


@pytest.mark.parametrize("state", ["failed", "queued", "dropped"])
def test_a_write_that_did_not_arrive_is_not_undone(state: State) -> None:
    history = History()
    history.learn([entry("a", "sending")])
    past = history.known["a"]
    assert past.standing == "open"
    assert history.take(entry("a", state)) is None
    assert history.known == {}
    assert str(past.standing) == "failed"


@pytest.mark.parametrize(
    ("turns", "standing"),
    [
        ([("undo", "done")], "undone"),
        ([("undo", "failed")], "done"),
        ([("undo", "sending")], "undoing"),
        ([("undo", "unknown")], "undoing"),
        ([("undo", "done"), ("redo", "done")], "done"),
        ([("undo", "done"), ("redo", "failed")], "undone"),
        ([("undo", "done"), ("redo", "sending")], "redoing"),
        ([("undo", "done"), ("gone", "done")], "gone"),
    ],
)
def test_what_became_of_a_write_is_read_from_its_turns(
    turns: list[tuple[Kind, State]], standing: str
) -> None:
    history = History()
    history.learn([entry("a"), *(turn("a", kind, state) for kind, state in turns)])
    past = history.known["a"]
    assert past.standing == standing
    assert (past.cut is not None) is (standing in ("undoing", "redoing"))
    assert history.take(turn("other", "undo")) is None


def test_what_cannot_be_undone_of_a_group_is_known_and_what_was_made_too() -> None:
    history = History()
    history.learn(
        [
            entry("a", group="t 1"),
            entry("b", reversal=None, group="t 1"),
            entry("c", reversal=None, group="other 1", made="made"),
            entry("d", reversal={"odd": True}),
            entry("e", "unknown", reversal=None, group="t 1", made="unmade"),
        ]
    )
    assert [each.id for each in history.lasting_in("t")] == ["b"]
    assert history.known.keys() == {"a"}
    assert history.made == {"made"}
    sent = inverses.message_sent("s", "r", "comment", text="A").to_dict()
    history.learn([entry("m", "unknown", reversal=sent)])
    assert history.made == {"made"}
    history.take(entry("m", reversal=sent))
    assert history.made == {"made", "comment"}


def test_what_is_left_of_a_group_is_undone_from_the_newest_on() -> None:
    history = History()
    made = tree_inverses.space_made("org", "s", listed=False).to_dict()
    group = [entry(key, at=float(at), group="g") for at, key in enumerate("abc")]
    history.learn([*group, entry("alone"), entry("x", at=9.0, group="g", reversal=made)])
    past = history.known["a"]
    assert [each.id for each in history.rest(past)] == ["x", "c", "b", "a"]
    assert history.rest(history.known["alone"]) == []
    history.learn([turn("c", "undo")])
    assert [each.id for each in history.rest(past)] == ["x", "b", "a"]
    assert [each.id for each in history.with_group(past)] == ["x", "b", "a"]
    assert [each.id for each in history.with_group(history.known["alone"])] == ["alone"]
    assert [each.id for each in history.redoable("run")] == ["c"]
    assert history.redoable("other") == history.unmade("other") == []
    history.learn([turn("x", "undo")])
    assert history.redoable("run") == [], "what was made is not made again"
    assert [each.id for each in history.unmade("run")] == ["x"]
    assert not is_of_outbox(past)
    for out in (way_out("w", sure=True, text=False), way_back_in("w")):
        taken = history.take(entry("w", reversal=out.to_dict()))
        assert taken is not None
        assert is_of_outbox(taken)


def test_what_a_step_did_not_do_is_told_line_by_line() -> None:
    results = [
        SimpleNamespace(results=[]),
        RedirectResults.model_construct(
            results=[
                RedirectResult.model_construct(source="/a\x07", status="error", error="Taken."),
                RedirectResult.model_construct(source="/b", status="error", error=None),
                RedirectResult.model_construct(source="/c", status="created", error=None),
                RedirectResult.model_construct(source="/d", status="error", error="x" * 999),
            ]
        ),
    ]
    assert not_taken(results) == [
        "/a: Taken.", "/b: it was refused", f"/d: {'x' * 296}",
    ]  # fmt: skip
