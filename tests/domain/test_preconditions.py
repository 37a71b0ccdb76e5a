"""What a write that waited means by now, and what becomes of its way back when it was edited."""

from __future__ import annotations

import json
from typing import Any

import pytest

from copydesk.domain.inverses import (
    alike,
    answers,
    edited,
    goes_by_words,
    message_edited,
    message_sent,
    put_in,
    request_changed,
    still_says,
)
from copydesk.domain.reversal import Step


@pytest.mark.parametrize(
    ("name", "body", "goes"),
    [
        ("update_change_request", {"status": "archived"}, True),
        ("update_change_request", {"subject": "A"}, False),
        ("update_space_comment", {"resolved": True}, True),
        ("update_space_comment_reply", {"resolved": True}, False),
        ("update_space_comment_reply", {"addedReactions": ["1f44d"]}, True),
        ("create_space_comment", {"resolved": True}, False),
    ],
)
def test_some_writes_judge_by_words(name: str, body: dict[str, Any], goes: bool) -> None:
    assert goes_by_words({"name": name, "body": json.dumps(body)}) is goes


def test_a_body_that_cannot_be_read_is_taken_to_judge() -> None:
    assert goes_by_words({"name": "update_change_request", "body": "{"})
    assert not goes_by_words({"name": "create_space_comment", "body": "{"})
    assert not goes_by_words({"name": "update_change_request", "body": "[]"})
    assert not goes_by_words({"name": "update_change_request", "body": None})
    assert not goes_by_words({})


def test_a_reply_answers_the_comment_that_is_read() -> None:
    reply = message_sent("s", "r", "c", "p", text="So.")
    read = Step("get_change_request_comment", {"space_id": "s", "comment_id": "c"})
    assert answers(reply, read)
    assert not answers(reply, Step("get_change_request_comment", {"comment_id": "d"}))
    assert not answers(reply, Step("get_space_comment", {"comment_id": "c"}))
    assert not answers(message_sent("s", "r", "c", text="So."), read)


def test_reads_of_one_thing_are_alike_in_any_format() -> None:
    one, other = still_says("s", "r", "c", words="A"), still_says("s", "r", "c", words="B")
    assert alike(one, other)
    assert not alike(one, still_says("s", "r", "d", words="A"))
    assert not alike(one, still_says("s", "", "c", words="A"))


def test_a_text_is_put_in_wherever_it_stood_as_a_whole() -> None:
    body = {"body": {"markdown": " Old\n"}, "status": "Old", "list": ["Old", "Older"], "n": 1}
    put = put_in(body, "Old", "New")
    assert put == {"body": {"markdown": "New"}, "status": "Old", "list": ["New", "Older"], "n": 1}


def test_the_way_back_of_an_edited_write_follows_it() -> None:
    way = request_changed("s", "r", {"subject": "A"}, {"subject": "B"})
    again = edited(way, {"subject": "B"}, {"subject": "C"})
    assert again is not None
    assert again.still is not None
    assert again.still.fields == {"subject": "C"}
    assert [step.body for step in again.forth] == [{"subject": "C"}]
    assert again.back == way.back
    assert edited(way, {"subject": "B"}, {"subject": "C", "status": "open"}) is None
    assert edited(way, {"subject": "other"}, {"subject": "C"}) is None
    assert edited(way, None, {"subject": "C"}) is None
    text = message_edited("s", "r", "c", before="A", after="B")
    assert edited(text, {"body": {"text": "B"}}, {"body": {"text": "C"}}) is None
