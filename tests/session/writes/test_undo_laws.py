"""Undo and redo of things on a shelf: what was, comes back, whatever was done in between."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from datetime import timedelta
from itertools import pairwise
from types import SimpleNamespace
from typing import cast

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from copydesk.client.api import Api
from copydesk.domain.reversal import Expectation, Reversal, Step
from copydesk.session.errors import NotDoneError
from copydesk.session.session import Session
from copydesk.session.writes.log import ChangedSinceError, WriteError
from copydesk.session.writes.undo import SENT_SINCE, Way, way_back_in, way_out

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
    with pytest.raises(ChangedSinceError, match="Its value is theirs by now, not 1") as kept:
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
    with pytest.raises(WriteError, match="Put a cannot be undone: it is gone"):
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
    with pytest.raises(WriteError, match="Nothing was undone, because it could not be read: Inp"):
        await shelf.undo.undo()
    assert shelf.things == {"a": "1"}
    assert shelf.states == ["done"]


async def test_a_step_that_this_machine_does_not_know_is_named() -> None:
    with pytest.raises(NotDoneError, match="This copydesk knows no way to fly far away"):
        await Way({}).take(cast("Api", None), Step("local.fly_far_away", {}))


@pytest.mark.parametrize("text", [False, True])
@pytest.mark.parametrize("sure", [False, True])
def test_a_waiting_write_is_taken_out_and_put_back(*, sure: bool, text: bool) -> None:
    out, back = way_out("w", sure=sure, text=text), way_back_in("w")
    assert (out.back, out.forth) == (back.forth, back.back)
    assert (out.still, out.before) == (back.before, back.still)
    assert out.still is not None
    assert out.before is not None
    assert out.still.differences({"waits": True}) == ()
    assert out.still.explain(None) == "It is gone."
    assert out.still.explain({}).startswith(SENT_SINCE[:1].upper() + SENT_SINCE[1:])
    assert out.before.differences(None) == ()
    assert out.before.explain({"waits": True}) == "It waits again."
    said = "It was not sent" if sure else "It waits no more, and may have arrived all the same"
    assert out.note == f"{said}; its text is a draft again." if text else f"{said}."
