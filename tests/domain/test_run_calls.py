"""The requests of a run as a value: found, counted and changed without going through all."""

from __future__ import annotations

from dataclasses import replace

import pytest
from pydantic import TypeAdapter

from copydesk.domain.arrange_run import BLOCK, Requests, RunCall
from copydesk.domain.reversal import Call, Reversal, Step

COUNT = 2 * BLOCK + 5


def call(key: str) -> RunCall:
    return RunCall(Call(key, "Change", key, key, Step("x"), Reversal((Step("y"),))))


ALL = Requests(call(str(number)) for number in range(COUNT))


def keys(items: object) -> list[str]:
    assert isinstance(items, Requests | tuple | list)
    return [each.call.key for each in items]


def test_they_are_a_list_in_their_order() -> None:
    names = [str(number) for number in range(COUNT)]
    assert len(ALL) == COUNT
    assert keys(list(ALL)) == names
    assert keys(list(reversed(ALL))) == names[::-1]
    assert keys(ALL[BLOCK - 1 : BLOCK + 2]) == names[BLOCK - 1 : BLOCK + 2]
    assert [ALL[at].call.key for at in (0, BLOCK, -1)] == ["0", str(BLOCK), names[-1]]
    assert ALL.place(str(BLOCK + 3)) == BLOCK + 3
    with pytest.raises(IndexError):
        ALL[COUNT]
    with pytest.raises(KeyError):
        ALL.place("none")
    assert (len(Requests()), list(Requests())) == (0, [])
    assert [len(block) for block in ALL.blocks] == [BLOCK, BLOCK, 5]


def test_they_are_kept_as_a_list_without_what_goes_without_saying() -> None:
    kept = TypeAdapter(Requests)
    some = Requests(ALL[:2]).with_changes("1", {"state": "done"})
    data = kept.dump_json(some, exclude_defaults=True)
    assert kept.validate_json(data) == some
    assert [[*each] for each in kept.dump_python(some, exclude_defaults=True)] == [
        ["call"],
        ["call", "state"],
    ]


def test_equal_ones_are_equal_and_nothing_else() -> None:
    again = Requests(ALL)
    assert again == ALL
    assert again != list(ALL)
    assert ALL.with_changes("0", {"said": "x"}) != ALL
    assert repr(Requests()) == "Requests([])"


def test_one_is_changed_and_the_other_blocks_are_shared() -> None:
    changed = ALL.with_changes(str(BLOCK), {"state": "done", "said": "x"})
    assert changed[BLOCK] == replace(ALL[BLOCK], state="done", said="x")
    assert changed.blocks[0] is ALL.blocks[0]
    assert changed.blocks[2] is ALL.blocks[2]
    assert list(changed.changed_since(ALL)) == [(ALL[BLOCK], changed[BLOCK])]
    assert keys(list(changed)) == keys(list(ALL))
    assert changed.place("7") == 7
    with pytest.raises(ValueError, match="zip"):
        list(ALL.changed_since(Requests(ALL[:3])))


def test_they_are_counted_and_found_by_their_state() -> None:
    some = ALL.with_changes("3", {"state": "done"}).with_changes(
        str(BLOCK + 1), {"state": "failed"}
    )
    assert some.count("done", "failed") == 2
    assert some.count("waiting") == COUNT - 2
    assert some.count("unknown") == 0
    first = some.first("failed", "unknown")
    assert first is some[BLOCK + 1]
    assert some.first("done", "failed") is some[3]
    assert some.first("sending") is None
    assert [(each.here, each.lasting) for each in some[3:5]] == [(True, False), (False, False)]


def test_what_stands_though_a_roll_back_came_to_it() -> None:
    some = ALL
    for at in (2, BLOCK - 1, BLOCK, COUNT - 1):
        some = some.with_changes(str(at), {"state": "done", "said": "It was changed since."})
    some = some.with_changes("5", {"state": "done"}).with_changes("6", {"said": "No."})
    assert keys(list(some.passed_over())) == ["2", str(BLOCK - 1), str(BLOCK), str(COUNT - 1)]
    assert keys(list(some.passed_over(2))) == [str(BLOCK - 1), str(BLOCK), str(COUNT - 1)]
    assert keys(list(some.passed_over(BLOCK - 1))) == [str(BLOCK), str(COUNT - 1)]
    assert list(some.passed_over(COUNT - 1)) == []


def test_each_is_mapped_and_blocks_without_a_change_are_kept() -> None:
    mapped = ALL.mapped(lambda each: replace(each, said="x") if each.call.key == "1" else each)
    assert [each.said for each in mapped[:3]] == ["", "x", ""]
    assert mapped.blocks[1] is ALL.blocks[1]
    assert mapped.blocks[0] is not ALL.blocks[0]
    assert mapped.place("1") == 1
