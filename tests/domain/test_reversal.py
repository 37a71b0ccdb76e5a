"""Ways back as values: what they say of an answer, and that JSON keeps them."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from copydesk.domain import inverses
from copydesk.domain.reversal import (
    Expectation,
    Reversal,
    Step,
    Trace,
    reversal_of,
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
    except ValueError:
        return
    assert isinstance(found, Reversal)


def test_a_trace_is_kept_as_json_with_all_it_says() -> None:
    beside = Trace(Step("list_comments", {"space_id": "s"}), {"by": "me"}, says="Ok.")
    trace = Trace(Step("list"), {"a": 1}, "status", "createdAt", "approved", "comment", beside)
    again = trace_of(json.loads(json.dumps(trace.to_dict())))
    assert again == trace
    assert again.beside == beside
    assert trace_of(Trace(Step("list")).to_dict()) == Trace(Step("list"))
