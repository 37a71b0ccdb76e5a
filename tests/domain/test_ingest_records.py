"""JSON of other programs: read as tables are, by the names of its fields."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from copydesk.domain.ingest_file import Item
from copydesk.domain.ingest_formats import find_format, read_any
from copydesk.domain.ingest_frames import Complaint
from copydesk.domain.ingest_records import write_table
from copydesk.domain.ingest_table import MOST_COLUMNS


def read(data: bytes) -> list[Item | Complaint]:
    file = io.BytesIO(data)
    assert find_format(file).kind == "records"
    return list(read_any(file))


def told(data: bytes) -> list[tuple[str, str, list[str]]]:
    """Return id, subject and what is said of each conversation."""
    found = read(data)
    assert [str(each) for each in found if isinstance(each, Complaint)] == []
    return [
        (
            each.id,
            each.conversation.subject or "",
            [f"{part.role[0]} {part.body}" for part in each.conversation.parts],
        )
        for each in found
        if isinstance(each, Item)
    ]


ISSUE = {
    "number": 7, "title": "Export", "body": "It stops", "createdAt": "2026-06-02T09:00:00Z",
    "author": {"login": "mara", "id": "U1"}, "labels": [{"name": "bug", "color": "red"}],
    "comments": [
        {"author": {"login": "jan"}, "body": "When?", "createdAt": "2026-06-02T10:00:00Z"},
        {"author": {"login": "mara"}, "body": "Now", "createdAt": "2026-06-02T11:00:00Z"},
        {"author": {"login": "jan"}, "body": "", "createdAt": "2026-06-02T12:00:00Z"},
    ],
}  # fmt: skip
TOPIC = {
    "id": 12, "title": "Login", "slug": "login",
    "post_stream": {"posts": [
        {"id": 1, "username": "kim", "cooked": "<p>No <b>code</b></p>", "created_at": "2026-06-02"},
        {"id": 2, "username": "lee", "cooked": "<p>Try again</p>", "created_at": "2026-06-03"},
    ]},
}  # fmt: skip


def test_issues_topics_and_days_of_a_channel_are_read_by_their_fields() -> None:
    issue = ("7", "Export", ["u It stops", "t When?", "u Now"])
    assert told(json.dumps([ISSUE]).encode()) == [issue]
    assert told(json.dumps({"total": 1, "things": [ISSUE]}).encode()) == [issue]
    assert told(b"\n".join(json.dumps(each).encode() for each in (ISSUE, ISSUE))) == [issue]
    topic = ("12", "Login", ["u No code", "t Try again"])
    assert told(json.dumps(TOPIC).encode()) == [topic]
    day = [
        {"type": "message", "user": "U1", "text": "It stops", "ts": "1780390800.1",
         "thread_ts": "1780390800.1", "blocks": [{"type": "rich_text", "text": "It stops"}]},
        {"type": "message", "user": "U3", "text": "Hello", "ts": "1780390801.1"},
        {"type": "message", "user": "U2", "text": "When?", "ts": "1780390802.1",
         "thread_ts": "1780390800.1"},
    ]  # fmt: skip
    thread, alone = told(json.dumps(day).encode())
    assert thread == ("1780390800.1", "", ["u It stops", "t When?"])
    assert alone[2] == ["u Hello"]


def test_fields_may_be_in_an_object_whose_name_says_nothing() -> None:
    issue = {
        "id": "10", "key": "SUP-1", "fields": {
            "summary": "Export", "description": "It stops", "status": {"name": "Open", "id": "3"},
            "reporter": {"displayName": "Kim"}, "created": "2026-06-02T09:00:00.000+0000",
            "comment": {"comments": [{"author": {"displayName": "Ana"}, "body": "When?",
                                      "created": "2026-06-02T10:00:00.000+0000"}]},
        },
    }  # fmt: skip
    (found,) = read(json.dumps({"issues": [issue], "total": 1}).encode())
    assert isinstance(found, Item)
    assert (found.id, found.who, found.began) == ("10", "Kim", 1780390800)
    assert [part.body for part in found.conversation.parts] == ["It stops", "When?"]
    assert found.conversation.metadata is not None
    assert found.conversation.metadata.attributes == {"status": "Open"}
    ticket = {"id": "77", "properties": {"subject": "Export", "content": "It stops"}}
    assert told(json.dumps({"results": [ticket]}).encode()) == [("77", "Export", ["u It stops"])]
    # Of an object that says something itself a list is no page.
    nodes = {"title": "Login", "text": "No code", "comments": {"nodes": [{"body": "Try"}]}}
    ((_, subject, said),) = told(json.dumps(nodes).encode())
    assert (subject, said) == ("Login", ["u No code", "u Try"])


def test_a_table_has_a_column_for_each_field_in_the_order_in_which_they_come() -> None:
    objects = [
        {"id": 1, "Kind  of\nthing": "a", "fields": {"body": "It stops"}, "by": {"name": "Bo"}},
        {"id": 2, "more": None, "by": {"name": "Al", "age": 7}, "body": "Yes\x1fno"},
    ]
    table = write_table(io.BytesIO(json.dumps(objects).encode()), io.BytesIO())
    header = ("id", "Kind of thing", "body", "by.name", "by", "more", "by.age")
    assert table.shape.header == header
    assert table.shape.rows == (
        ("1", "a", "It stops", "Bo", "Bo", "", ""),
        ("2", "", "Yes no", "Al", "Al", "", "7"),
    )
    wide = {f"n{number}": "x" for number in range(MOST_COLUMNS - 1)}
    for more in (1, 2, 3):
        row = {**wide, **{f"more {number}": "" for number in range(more)}}
        table = write_table(io.BytesIO(json.dumps([row]).encode()), io.BytesIO())
        assert table.shape.header == tuple(row)[:MOST_COLUMNS]


def test_messages_without_names_and_ids_are_one_conversation_each() -> None:
    talks = [{"title": "Export", "posts": ["It stops", "When?"]}, {"posts": ["No code", "Try"]}]
    first, second = told(json.dumps(talks).encode())
    assert (first[1:], second[1:]) == (
        ("Export", ["u It stops", "u When?"]), ("", ["u No code", "u Try"])
    )  # fmt: skip
    assert told(json.dumps(talks[::-1]).encode()) == [second, first]
    assert first[0].startswith("row-")
    alike = [{"title": title, "posts": ["No sound"]} for title in ("Export", "Import")]
    assert len({first[0], second[0], *(each[0] for each in told(json.dumps(alike).encode()))}) == 4


def test_places_are_those_of_the_json_and_what_is_broken_is_said() -> None:
    rows = [json.dumps({"key": n, "text": "It\nstops\n" * n}) for n in range(1, 5)]
    rows[1] = rows[1][:20]
    rows[2] = "[1]"
    found = read("\n".join(rows).encode())
    assert [(each.line, each.number) for each in found if isinstance(each, Item)] == [
        (1, 1), (4, 4)
    ]  # fmt: skip
    assert [str(each) for each in found if isinstance(each, Complaint)] == [
        "line 2, conversation 2: this is broken or cut off",
        "line 3, conversation 3: not an object",
    ]


def test_parts_of_what_is_broken_are_no_conversations() -> None:
    whole = json.dumps(ISSUE | {"comments": [{"id": 1, "text": "x"}, {"id": 2, "text": "y"}]})
    found = read(f"[{whole},{whole[:-9]},{whole.replace('7', '8', 1)}]".encode())
    assert {each.id for each in found if isinstance(each, Item)} <= {"7", "8"}
    assert any(isinstance(each, Complaint) for each in found)
    cut = io.BytesIO(whole[:-9].encode())
    assert find_format(cut).kind == "json"


def test_words_that_look_like_a_table_break_no_row() -> None:
    table = 'id,text\n1,"a\n2;b|c\td\x1f'
    one = {
        "id": "1",
        "text": table,
        "note": "",
        "n": 1.5,
        "is": True,
        "deep": {"a": {"b": {"c": 1}}},
    }
    assert told(json.dumps([one, one | {"id": "2"}]).encode())[1] == (
        "2", "", [f"u {table[:-1]}"]
    )  # fmt: skip


@pytest.mark.parametrize(
    "own",
    [
        [{"id": "1", "parts": []}], [{"id": "1", "subject": "x"}], [{}], [1], [],
        [{"id": "1", "body": "x"}, {"id": "2", "parts": [], "body": "x"}],
    ],
)  # fmt: skip
def test_conversations_of_our_own_with_mistakes_stay_our_own(own: list[Any]) -> None:
    assert find_format(io.BytesIO(json.dumps(own).encode())).kind == "json"


def test_fields_with_other_names_have_to_be_told() -> None:
    (said,) = read(b'[{"nr": 1, "inner": {"was": "It stops"}}]')
    assert str(said).startswith("line 1: no column name says what people write")


NAMES = st.sampled_from(
    [
        "id",
        "title",
        "body",
        "text",
        "comments",
        "posts",
        "fields",
        "author",
        "ts",
        "x.y",
        "",
        "a\nb",
    ]
)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=4),
    max_leaves=12,
)


@settings(max_examples=80, deadline=None)
@given(st.lists(st.dictionaries(NAMES, VALUES, max_size=5), max_size=4), st.booleans())
def test_any_objects_are_read_or_complained_about(objects: list[Any], page: bool) -> None:
    told = json.dumps({"total": 1, "found": objects} if page else objects)
    found = list(read_any(io.BytesIO(told.encode())))
    assert all(isinstance(each, Item | Complaint) and each.line == 1 for each in found)
    assert not any("\n" in str(each) for each in found if isinstance(each, Complaint))
