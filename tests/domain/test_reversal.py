"""Ways back as values: what they say of an answer, and that JSON keeps them."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from copydesk.domain import inverses
from copydesk.domain.reversal import (
    LONG_ORDER,
    SAID_CELLS,
    Anew,
    Difference,
    Expectation,
    Reversal,
    Step,
    Trace,
    expectation_of,
    id_of,
    looked_up,
    made,
    message_made,
    neighbours,
    ordered,
    put_here,
    reversal_of,
    step_of,
    text_in,
    trace_of,
    value_at,
)

ANSWER = {
    "status": "open",
    "items": [
        {"id": "b", "user": {"id": "u2"}, "group": "", "hidden": False},
        {"id": "a", "user": {"id": "u1"}, "group": "g", "hidden": True},
    ],
    "reactions": [{"emoji": "👍", "users": [{"user": {"id": "me"}}]}],
    "about": {"nodes": [{"leaves": [{"text": "One"}]}, {"nodes": [{"text": "two"}]}]},
}


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("status", "open"),
        ("status.more", None),
        ("items[].id", ["b", "a"]),
        ("items{}.id", ["a", "b"]),
        ("items[group=].id", ["b"]),
        ("items[group=g].hidden", [True]),
        ("items{user.id=u1}.user.id", ["u1"]),
        ("items{user.id=u9}.user.id", []),
        ("reactions{emoji=👍}.users{user.id=me}.user.id", ["me"]),
        ("reactions{emoji=👎}.users{user.id=me}.user.id", []),
        ("about~text", "One\ntwo"),
    ],
)
def test_a_path_goes_through_an_answer(path: str, value: object) -> None:
    assert value_at(ANSWER, path) == value


def test_what_differs_is_said_in_words_that_are_safe_to_show() -> None:
    read = Step("get_change_request", {"space_id": "s"})
    expected = Expectation(read, {"status": "draft", "subject": ""})
    assert expected.explain({"status": "draft"}) == ""
    said = expected.explain(
        {"status": "merged", "subject": "New\x1b[2J one", "updatedBy": {"displayName": "Lee"}}
    )
    assert said.startswith("Its status is merged by now, not draft and its subject is “New")
    assert said.endswith("(Lee changed it last).")
    assert "\x1b" not in said
    assert expected.explain({"subject": "x" * 99, "status": "draft"}) == (
        "Its subject was changed since."
    )
    assert expected.explain(None) == "It is gone."
    assert Expectation(read, gone=True).explain(None) == ""
    assert Expectation(read, gone=True, said="it is back").explain({}) == "It is back."


def test_every_way_back_is_the_same_after_the_journal() -> None:
    ids = ("s", "r", "c")
    for way in (
        inverses.request_changed("s", "r", {"status": "open"}, {"status": "draft"}),
        inverses.reviewers_asked("s", "r", asked=["u"], left=["v"]),
        inverses.message_sent(*ids, "p", text="Hi", draft="key"),
        inverses.reacted(*ids, emoji="👍", me="u", added=False),
        inverses.draft_dropped("key"),
    ):
        assert reversal_of(way.to_dict()) == way
    reply = inverses.message_trace("s", "r", "c", me="u")
    assert reply.read.operation == "list_change_request_comment_replies"
    assert reply.read.arguments["change_request_id"] == "r"
    trace = inverses.message_trace("s", "r", me="u", page="p")
    assert trace_of(trace.to_dict()) == trace
    assert trace.is_ours(
        {"postedBy": {"id": "u"}, "target": {"page": {"id": "p"}}, "body": {"markdown": "Hi\n"}},
        "Hi",
    )


@given(
    st.recursive(
        st.none() | st.booleans() | st.text(max_size=4),
        lambda inside: (
            st.lists(inside, max_size=3)
            | st.dictionaries(
                st.sampled_from(
                    ["back", "forth", "still", "read", "fields", "operation", "arguments"]
                ),
                inside,
                max_size=4,
            )
        ),
        max_leaves=12,
    )
)
def test_what_is_no_way_back_is_refused_and_nothing_else_happens(value: Any) -> None:
    try:
        found = reversal_of(value)
    except ValueError as error:
        said = str(error)
    else:
        assert isinstance(found, Reversal)
        return
    assert said.startswith(("this is ", "these are "))


def test_a_trace_is_kept_as_json_with_all_it_says() -> None:
    beside = Trace(Step("list_comments", {"space_id": "s"}), {"by": "me"}, says="Ok.")
    trace = Trace(Step("list"), {"a": 1}, "status", "createdAt", "approved", "comment", beside)
    again = trace_of(json.loads(json.dumps(trace.to_dict())))
    assert again == trace
    assert again.beside == beside
    for bare in (Trace(Step("list")), Trace(Step("list"), since="")):
        assert trace_of(bare.to_dict()) == bare


READ = Step("get_thing", {"id": "a"})


@pytest.mark.parametrize(
    ("path", "wanted", "found", "said"),
    [
        ("status", "open", "draft", "its status is draft by now, not open"),
        ("items[id=a].hidden", [True], [False], "its hidden was changed since"),
        ("hidden", True, False, "its hidden is off by now, not on"),
        ("defaultSiteSpace", "a", None, "its default site space is empty by now, not a"),
        ("count", 1, 20, "its count is 20 by now, not 1"),
        ("title", "", "Two words", "its title is “Two words” by now, not empty"),
        ("title", "a\nb", "c", "its title was changed since"),
        ("title", "c", "a\nb", "its title was changed since"),
        ("title", "x" * SAID_CELLS, "c", f"its title is c by now, not {'x' * SAID_CELLS}"),
        ("title", "x" * (SAID_CELLS + 1), "c", "its title was changed since"),
        ("body.description~text", "a", "b", "its description is b by now, not a"),
        ("deletedAt~set", True, False, "its deleted at is off by now, not on"),
        ("subject~clean", "a", "b", "its subject is b by now, not a"),
        ("status~ended", False, True, "its status is on by now, not off"),
        ("", True, None, "its it is empty by now, not on"),
        ("items{}", "a", 1.5, "its items was changed since"),
    ],
)
def test_a_difference_is_said_with_both_values_where_they_are_short(
    path: str, wanted: object, found: object, said: str
) -> None:
    assert Difference(path, wanted, found).sentence() == said


@pytest.mark.parametrize(
    ("answer", "path", "value"),
    [
        ({"at": None}, "at~set", False), ({"at": ""}, "at~set", True), ({}, "at~set", False),
        ({"s": "merged"}, "s~ended", True), ({"s": "archived"}, "s~ended", True),
        ({"s": "resolved"}, "s~ended", True), ({"s": "open"}, "s~ended", False),
        ({"s": "a\x1b[1mb"}, "s~clean", "ab"), ({}, "s~clean", ""), ({}, "s~text", ""),
        ([1], "a", None), ({"a": [1]}, "a.b", None), ({"a": [{"b": 2}, {"b": 1}]}, "a{}.b", [1, 2]),
        ({"a": [{"b": ""}, {"b": None}, {"b": 0}]}, "a[].b", [0]),
        ({"a": 3}, "a[]", []), ({"a": [{"k": None, "i": 1}]}, "a[k=].i", [1]),
    ],
)  # fmt: skip
def test_what_a_path_finds(answer: object, path: str, value: object) -> None:
    assert value_at(answer, path) == value


@pytest.mark.parametrize("path", ["a[", "a{b", "a[b]c]", "a[][]"])
def test_what_is_no_path_is_refused(path: str) -> None:
    with pytest.raises(ValueError, match="is not a path into an answer"):
        value_at({}, path)


def test_an_expectation_holds_for_what_means_the_same() -> None:
    def holds(wanted: object, found: object, path: str = "a") -> bool:
        return not Expectation(READ, {path: wanted}).differences({"a": found})

    assert holds("x", " x\n")
    assert holds("", None)
    assert holds(False, None)
    assert holds([], [], "a[]")
    assert not holds("x", None)
    assert not holds(None, "x")
    assert holds(["b", "a"], ["a", "b"], "a{}")
    assert not holds(["b", "a"], ["a", "b"], "a[]")


def test_what_leaves_does_not_count_and_only_neighbours_do_beside_one() -> None:
    answer = {"a": list("vwxyz")}
    assert not Expectation(READ, {"a[]": list("vxz")}, without=("w", "y")).differences(answer)
    assert not Expectation(READ, {"a[]": list("wxy")}, beside="x").differences(answer)
    assert not Expectation(READ, {"a[]": list("vxy")}, without=("w",), beside="x").differences(
        answer
    )
    assert Expectation(READ, {"a[]": list("vwx")}, beside="x").differences(answer) == (
        Difference("a[]", list("vwx"), list("wxy")),
    )


@pytest.mark.parametrize(
    ("gone", "there", "said", "sentence"),
    [
        (False, False, "", "It is gone."), (True, True, "", "It is there."), (True, False, "", ""),
        (True, True, "it is back", "It is back."), (False, True, "", ""),
        (False, False, "it was merged", "It is gone."),
    ],
)  # fmt: skip
def test_a_thing_is_there_or_gone(gone: bool, there: bool, said: str, sentence: str) -> None:
    expected = Expectation(READ, {}, gone, said)
    assert expected.explain({} if there else None) == sentence
    assert bool(expected.differences({} if there else None)) is bool(sentence)


def test_who_changed_it_is_named_where_the_answer_tells() -> None:
    expected = Expectation(READ, {"a": 1, "b": 1}, said="both changed since")
    for key in ("resolvedBy", "updatedBy", "editedBy", "modifiedBy"):
        answer = {key: {"displayName": "Lee\x00" + "x" * 99}}
        said = f"Both changed since (Lee{'x' * 76} changed it last)."
        assert expected.explain(answer) == said
    two = Expectation(READ, {"a": 1, "b": "x"}).explain({"a": 2, "b": "y"})
    assert two == "Its a is 2 by now, not 1 and its b is y by now, not x."


def test_all_that_must_hold_is_told_each_with_its_read() -> None:
    last = Expectation(Step("c"))
    middle = Expectation(Step("b"), also=last)
    first = Expectation(Step("a"), also=middle)
    assert first.all == (first, middle, last)
    assert expectation_of(json.loads(json.dumps(first.to_dict()))) == first


def test_the_order_of_a_long_list_is_kept_as_the_neighbours_of_what_moved() -> None:
    rows = [str(number) for number in range(LONG_ORDER + 2)]
    whole = ordered(READ, "a[]", rows[:LONG_ORDER], "5", (), said="moved")
    assert (whole.fields, whole.beside, whole.said) == ({"a[]": rows[:LONG_ORDER]}, "", "moved")
    longer = ordered(READ, "a[]", rows[: LONG_ORDER + 1], "5", (), said="moved")
    assert (longer.fields, longer.beside) == ({"a[]": ["4", "5", "6"]}, "5")
    leaving = ordered(READ, "a[]", rows, "5", ["4", "9"], said="moved")
    assert (leaving.without, len(leaving.fields["a[]"])) == (("4", "9"), LONG_ORDER)
    near = ordered(READ, "a[]", ["4", "5"], "5", ["4"], said="moved", near=True)
    assert (near.fields, near.beside, near.without) == ({"a[]": ["4", "5"]}, "5", ("4",))


def test_neighbours_of_what_is_in_a_list() -> None:
    assert neighbours("abcde", "c") == ["b", "c", "d"]
    assert neighbours("abc", "a") == ["a", "b"]
    assert neighbours("abc", "c") == ["b", "c"]
    assert neighbours("abc", "x") == []


def test_a_new_thing_is_deleted_while_it_is_as_it_was_made() -> None:
    way = made("delete_x", "get_x", {"x": 1}, {"a": 2}, said="changed", note="Gone.", asks="Sure?")
    assert way.to_dict() == {
        "back": [{"operation": "delete_x", "arguments": {"x": 1}}],
        "still": {
            "read": {"operation": "get_x", "arguments": {"x": 1}}, "fields": {"a": 2},
            "said": "changed",
        },
        "before": {
            "read": {"operation": "get_x", "arguments": {"x": 1}}, "fields": {}, "gone": True
        },
        "note": "Gone.",
        "asks": "Sure?",
    }  # fmt: skip
    assert reversal_of(way.to_dict()) == way


def test_what_a_write_made_is_named_by_what_deletes_it() -> None:
    comment = inverses.message_sent("s", "r", "c", text="A")
    reply = inverses.message_sent("s", "r", "c", "p", text="A")
    edit = inverses.message_edited("s", "r", "c", before="A", after="B")
    assert [message_made(way) for way in (comment, reply, edit)] == ["c", "p", ""]
    assert message_made(Reversal((Step("delete_space", {"space_id": "s"}),))) == ""


def test_all_on_this_machine_is_here() -> None:
    local, remote = Step("local.put", {}), Step("put", {})
    assert (local.local, remote.local) == ("put", "")
    assert Reversal((local,), (local,)).here
    assert not Reversal((local,), (remote,)).here
    assert not Reversal((remote,)).here


def test_a_trace_knows_what_is_ours_and_with_which_words() -> None:
    trace = Trace(READ, {"by.id": "me"}, "body", words="said", beside=Trace(READ, says=" Ok."))
    assert trace.is_ours({"by": {"id": "me"}, "body": " Hi "}, "Hi\n")
    assert not trace.is_ours({"by": {"id": "you"}, "body": "Hi"}, "Hi")
    assert not trace.is_ours({"by": {"id": "me"}, "body": "Ho"}, "Hi")
    assert not trace.is_ours({"by": {"id": "me"}}, "Hi")
    assert (trace.has_words({"said": "Ok. "}), trace.other_words({"said": "Ok."})) == (True, False)
    assert (trace.has_words({"said": "No"}), trace.other_words({"said": "No"})) == (False, True)
    assert (trace.has_words({}), trace.other_words({})) == (False, False)
    bare = Trace(READ, words="said")
    assert (bare.has_words({"said": "x"}), bare.other_words({"said": "x"})) == (True, False)


def test_the_text_of_a_document_is_that_of_its_leaves() -> None:
    inside = {"leaves": [{"text": "a"}, {"text": ""}], "nodes": [{"nodes": [{"text": "b"}]}, 3]}
    assert text_in(inside) == "a\nb"
    assert text_in({"leaves": None}) == text_in(None) == text_in("a") == ""


@pytest.mark.parametrize(
    "value",
    [
        None,
        {},
        {"operation": 1, "arguments": {}},
        {"operation": "a"},
        {"operation": "a", "arguments": []},
    ],
)
def test_what_is_no_step_is_refused(value: object) -> None:
    with pytest.raises(ValueError, match="this is not a step"):
        step_of(value)


def test_parts_that_are_none_are_refused_each_with_its_reason() -> None:
    step = {"operation": "a", "arguments": {}}
    for value, said in (
        ({"back": []}, "this is not a reversal"),
        ({"back": [step], "forth": {}}, "these are not steps"),
        ({"back": [step], "still": []}, "this is not an expectation"),
        (
            {"back": [step], "still": {"read": step, "fields": {}, "said": 1}},
            "this is not an expectation",
        ),
        ({"back": [step], "still": {"read": step, "fields": {"a[": 1}}}, "is not a path"),
        (
            {"back": [step], "still": {"read": step, "fields": {}, "without": "a"}},
            "these are not steps",
        ),
    ):
        with pytest.raises(ValueError, match=said):
            reversal_of(value)
    with pytest.raises(ValueError, match=r"^this is not a trace$"):
        trace_of({"read": step, "fields": {}})
    odd = {"read": {**step, "body": 1}, "fields": {}, "gone": 1, "beside": 2, "without": [3]}
    assert expectation_of(odd) == Expectation(Step("a", {}, 1), {}, beside="2", without=("3",))


def test_a_proxy_of_an_earlier_journal_is_looked_for_where_answers_have_it() -> None:
    read = {"operation": "get_site", "arguments": {"organization_id": "o", "site_id": "s"}}
    kept = {"read": read, "fields": {"proxy.target": "https://www.acme.test/docs"}}
    expected = expectation_of(kept)
    assert expected is not None
    proxy = {"origin": "www.acme.test/docs", "target": "https://docs.acme.test"}
    assert not expected.explain({"proxy": proxy})
    assert expected.explain({"proxy": {"origin": "other.test/d"}})
    none = expectation_of({"read": read, "fields": {"proxy.target": None}})
    assert none is not None
    assert not none.explain({})


def test_what_is_stored_here_is_put_back_and_forth_while_it_is_as_it_was_put() -> None:
    way = put_here("view", "viewed", {"v": 1}, {"v": 2}, "it was saved again", name="n", note="No.")
    assert way.back == (Step("local.view", {"name": "n", "v": 1}),)
    assert way.forth == (Step("local.view", {"name": "n", "v": 2}),)
    assert way.still is not None
    assert way.before is not None
    read = Step("local.viewed", {"name": "n"})
    assert (way.still.read, way.still.fields) == (read, {"v": 2})
    assert (way.before.read, way.before.fields) == (read, {"v": 1})
    assert (way.still.said, way.before.said, way.note) == (*["it was saved again"] * 2, "No.")
    assert way.here


def test_what_comes_back_under_another_id_is_kept_as_json_or_refused() -> None:
    way = Reversal((Step("local.make"),), anew=Anew("old", {"title": "Old"}))
    kept = way.to_dict()
    assert reversal_of(json.loads(json.dumps(kept))) == way
    for odd in ({}, {"id": 3, "fields": {}}, {"id": "old"}, "old"):
        with pytest.raises(ValueError, match="nothing that is made again"):
            reversal_of({**kept, "anew": odd})
    read = Step("get_site", {"site_id": "s"})
    assert id_of(looked_up(read, "id", "was")) == "was"
    assert id_of("was") == "was"
    items = [{"id": "a", "title": "Old"}, {"id": "b"}, {"title": "Old"}, "odd"]
    assert Anew("x", {"title": "Old"}).among({"items": items}) == ["a"]
    assert Anew("x", {}).among(None) == Anew("x", {}).among({}) == []


@pytest.mark.parametrize(
    ("moved", "beside"),
    [("5", ["4", "5", "6"]), ("0", ["0", "2"]), (str(LONG_ORDER + 1), ["100", "101"])],
)
def test_of_a_long_order_only_what_stands_beside_counts(moved: str, beside: list[str]) -> None:
    rows = [str(number) for number in range(LONG_ORDER + 2)]
    read, path = Step("list_spaces", {}), "items[].id"
    found = ordered(read, path, rows, moved, ("1",), said="it was moved since")
    whole = Expectation(read, {path: beside}, said="it was moved since", without=("1",))
    assert found == replace(whole, beside=moved)
    short = ordered(read, path, rows[1:], moved, ("1",), said="it was moved since")
    assert short == replace(whole, fields={path: rows[2:]})
