"""Reading conversations from files of every shape, whole and broken, a few bytes at a time."""

from __future__ import annotations

import io
import json
import re
import tracemalloc
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from copydesk.contract.models.conversation import (
    Conversation,
    ConversationDetail,
    ConversationIngest,
    ConversationMetadata,
    ConversationPart,
)
from copydesk.domain import ingest_frames
from copydesk.domain.ingest_file import SAID, Item, is_there, read_items
from copydesk.domain.ingest_frames import Complaint
from copydesk.domain.json_text import LONGEST


class Drip:
    """A file that gives a few bytes at a time, as a pipe may."""

    def __init__(self, data: bytes, size: int) -> None:
        self._file = io.BytesIO(data)
        self._size = size

    def read(self, size: int, /) -> bytes:
        """Return fewer bytes than were asked for."""
        return self._file.read(min(size, self._size))


def conversation(key: str, body: str = "It fails", **more: Any) -> dict[str, Any]:
    """Return what a file says of a conversation."""
    return {"id": key, "parts": [{"type": "message", "role": "user", "body": body}], **more}


def read(data: bytes | str, size: int = 1 << 20) -> list[Item | Complaint]:
    """Return all that is found in a file."""
    given = data.encode() if isinstance(data, str) else data
    return list(read_items(Drip(given, size)))


def said(data: bytes | str, size: int = 1 << 20) -> list[str]:
    """Return the ids with their lines, and the complaints."""
    return [
        f"{found.line} {found.id}" if isinstance(found, Item) else str(found)
        for found in read(data, size)
    ]


TWO = [conversation("a", 'a "}]{[ \\ \U0001f600 text'), conversation("b", "x" * 50)]
LINES = "\n".join(json.dumps(each) for each in TWO)


@pytest.mark.parametrize(
    ("data", "lines"),
    [
        (LINES.encode(), [1, 2]),
        (b"\xef\xbb\xbf" + LINES.replace("\n", "\r\n\r\n").encode() + b"\r\n", [1, 3]),
        (json.dumps(TWO, ensure_ascii=False).encode(), [1, 1]),
        (LINES.replace("\n", " ").encode(), [1, 1]),
        (json.dumps(TWO, indent=2).encode(), [2, 12]),
        ("\n".join(json.dumps(each, indent=1) for each in TWO).encode(), [1, 11]),
        ("\n".join(json.dumps([each]) for each in TWO).encode() + b"[]", [1, 2]),
    ],
)
@pytest.mark.parametrize("size", [1, 2, 7, 1 << 20])
def test_every_shape_is_read_with_its_lines(data: bytes, lines: list[int], size: int) -> None:
    found = read(data, size)
    assert [item.conversation.id for item in found if isinstance(item, Item)] == ["a", "b"]
    assert [(item.line, item.number) for item in found] == [(lines[0], 1), (lines[1], 2)]
    assert found[0].conversation.parts[0].body == 'a "}]{[ \\ \U0001f600 text'  # type: ignore[union-attr]


@pytest.mark.parametrize("size", [1, 7, 1 << 20])
def test_what_stands_before_the_first_conversation_is_passed_over(size: int) -> None:
    first, *found = said(f"Exported\ntoday: 2\n\n{LINES}", size)
    assert first.startswith("line 1: a conversation begins with {")
    assert found == ["4 a", "5 b"]


@pytest.mark.parametrize("between", ["\n", ",\n", "\n\n"])
def test_no_more_is_read_than_the_next_conversation_takes(
    between: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ingest_frames, "PIECE", 64)
    many = between.join(json.dumps(conversation(str(number))) for number in range(99))
    file = io.BytesIO(many.encode())
    next(ingest_frames.frames(file))
    assert file.tell() <= 4 * 64


def test_a_text_full_of_escapes_takes_little_memory() -> None:
    data = json.dumps([conversation("a", "a\n" * 500_000)]).encode()
    tracemalloc.start()
    try:
        (found,) = read(data)
        assert tracemalloc.get_traced_memory()[1] < 10 * len(data)
    finally:
        tracemalloc.stop()
    assert isinstance(found, Item)


def test_what_is_the_same_has_one_digest() -> None:
    attributes = {"a": "1", "b": "2"}
    bare, null, void = read(
        json.dumps(
            [
                conversation("a"),
                conversation("a", subject=None, metadata=None),
                conversation("a", url=None, metadata={"url": None}),
            ]
        )
    )
    assert isinstance(bare, Item)
    assert isinstance(null, Item)
    assert bare.digest == null.digest
    assert str(void).endswith("(a): url: there is no such field")
    at = {"createdAt": "2026-03-02T10:00:00+01:00", "attributes": attributes}
    same = {"attributes": dict(reversed(attributes.items())), "createdAt": "2026-03-02T09:00:00Z"}
    rows = [
        conversation("a", metadata=at),
        dict(reversed(conversation("a", metadata=same).items())),
    ]
    first, second, other = read(json.dumps([*rows, conversation("a", "Other", metadata=at)]))
    match first, second, other:
        case Item(), Item(), Item():
            assert first.digest == second.digest != other.digest
            assert first.size == len(first.conversation.to_json())
        case _:
            pytest.fail("all of them can be sent")


@pytest.mark.parametrize(
    ("data", "sentences"),
    [
        ("", []),
        ("[]", []),
        ("hello", ["line 1: a conversation begins with { and a list of them with [, and here is "]),
        (b"\x1f\x8b\x08\0\0", ["line 1: not text (compressed, perhaps). Give the JSON"]),
        ("[[" + LINES + "]]", ["line 1: here is a list inside a list: put all conversations into ",
                               "1 a", "line 2: a comma is missing", "2 b"]),
        ("\n\n7", ["line 3: a conversation begins with {"]),
        ("X", ["line 1: a conversation begins with {"]),
        (b"\0{", ["line 1: this is not UTF-8 text (UTF-16"]),
        ("[" + LINES.replace("\n", "\n,\n"), ["1 a", "3 b", "line 3: the file ends inside its l"]),
        ("[" + LINES + "]", ["1 a", "line 2: a comma is missing before this conversation", "2 b"]),
        (LINES + "\n{", ["1 a", "2 b", "line 3, conversation 3: the conversation that begins"]),
        ('{"id":\n"a', ["line 1, conversation 1: the conversation that begins here has no end ("]),
        (LINES.encode("utf-16"), ["line 1: this is not UTF-8 text (UTF-16, perhaps). Save it as"]),
        (LINES.encode("utf-16-le"), ["line 1: this is not UTF-8 text (UTF-16"]),
        (b'{"id":\n\n"\xe9"}', ["line 3, conversation 1: this is not UTF-8 text. Save it"]),
        ('{"id": "x", "parts": [}\n' + LINES, ["line 1, conversation 1: column 23", "2 a", "3 b"]),
        ('[{"id": "x", "parts": [], {"id": "y", "parts": []]', [
            "line 1, conversation 1: column 24: not JSON: a comma is missing",
            "line 1, conversation 2: column 24: not JSON: a comma is missing"]),
        ('{"id": NaN}\n{"id": 1e999}', ["line 1, conversation 1: column 8: not JSON: NaN",
                                       "line 2, conversation 2: id: this has to be a text"]),
        ('{"id": ' + "9" * 5000 + "}", ["line 1, conversation 1: column 1: not JSON: a "
            "n"]),
        ('{"id": "\\ud800", "parts": []}', ["line 1, conversation 1: column 9: not JSON: "]),
        ('{"id":' + "[" * 5_000 + "]" * 5_000 + "}", ["line 1, conversation 1: column 70: "]),
        ('{"id": "q", "id": "q", "parts": []}', ["line 1, conversation 1 (q): id: written twi"]),
        ('{"id": "a"}\n[]\n"x"\n' + LINES, [
            "line 1, conversation 1 (a): parts: this is missing",
            "line 2, conversation 2: this has to be an object",
            "line 3, conversation 3: this has to be an object", "4 a", "5 b"]),
    ],
)  # fmt: skip
@pytest.mark.parametrize("size", [5, 1 << 20])
def test_every_mistake_is_said_where_it_is(
    data: bytes | str, sentences: list[str], size: int
) -> None:
    found = said(data, size)
    assert len(found) == len(sentences), found
    assert [given[: len(wanted)] for given, wanted in zip(found, sentences, strict=True)] == (
        sentences
    )


A, B, C = (json.dumps(conversation(key)) for key in "abc")
LONG = json.dumps({
    "id": "l", "parts": [{"type": "message", "role": "user", "body": "x" * 99}] * 60
})  # fmt: skip
NO_QUOTE = '{"id": "q, "parts": []}'


@pytest.mark.parametrize(
    ("data", "given"),
    [
        (f'[{A}, {B}, "oops", {C}]', "a b 3 c"),
        # Files that were put together, one of them with an object on many lines.
        (f"{A}\n{json.dumps(json.loads(B), indent=2)}\n{C}\n", "a b c"),
        (f"{A}\n{json.dumps(json.loads(B), indent=2)[:-9]}\n{C}\n", "a 2 c"),
        (f'[7, {A}, null, oops, "", [{B}, 1], -, {C}]', "1 a 3 4 5 . b 7 8 c"),
        (f'[{A}, "oops, {B}, {C}]', "a 2 b c"),
        (f'[{A}, {NO_QUOTE}, {B}, "oops", {NO_QUOTE}, {C}]', "a 2 b 4 5 c"),
        (f'[{A}, {{"id": "q", "parts": []\n, {B}, 7, {C}]', "a 2 b 4 c"),
        (f'[{A}, {{"id": "q", "parts": [\n{{"type": 1}}}}, {B}, 7, {C}]', "a 2 b 4 c"),
        (f'[{A}, {{"id": "q", "parts": [}}, 7, {B}, {{"id": ]', "a 2 3 b 5"),
        (f'[{A}, {{"id": "q", "parts": [{{"id": "p", "body": "It fails}}, {B}, {C}]', "a 2 b c"),
        (f"[{A}, {NO_QUOTE}, {LONG}, {C}]", "a 2 l c"),
        (f'[{A}, {B[:-1]}, {{"id": "x"}}]', "a 2 3"),
        (f"[{A}, {B}, {C[:20]}", "a b 3"),
        (f"[{A},, {B},] {C}", "a . b c"),
        (f"{A},\n{B},\n{C}", "a . b . c"),
        (f"{A} {B}]\n}}\n{C}", "a b . c"),
        (f"Exported today:\n-\n{A}\noops\n{NO_QUOTE}\n{B}{C}\n", ". a 2 3 b c"),
        (f'"oops"\n{A}\n{B}\nnull\n{C[:9]}', ". a b 3 4"),
        (f"{A}\n{B[:-2]}\n{B},{C}", "a 2 b . c"),
    ],
)
@pytest.mark.parametrize("size", [3, 1 << 20])
def test_what_is_broken_hides_nothing_else(data: str, given: str, size: int) -> None:
    found = read(data, size)
    numbered = [item for item in found if isinstance(item, Item) or item.number]
    assert [item.number for item in numbered] == list(range(1, len(numbered) + 1))
    assert given == " ".join(
        item.id if isinstance(item, Item) else str(item.number or ".") for item in found
    )


@pytest.mark.long
@pytest.mark.parametrize(
    "broken",
    [
        NO_QUOTE,
        '{"id": "q", "parts": [',
        json.dumps(conversation("q", "x" * 900))[:-1],
        json.dumps(conversation("q", "x" * 5_000))[:-2],
        '{"id": "q" "parts": []}',
    ],
)
def test_every_one_of_many_broken_conversations_is_counted(broken: str) -> None:
    many = 1_200
    found = read(f"[{A}, {', '.join([broken] * many)}, {B}, {NO_QUOTE}, {C}]")
    assert [item.number for item in found] == list(range(1, many + 5))
    whole = [item.conversation.id for item in found if isinstance(item, Item)]
    assert whole == ["a", "b", "c"]


def test_parts_that_look_like_conversations_hide_none() -> None:
    part = '{"id": "p", "type": "message", "role": "user", "body": "It fails"}'
    found = read(f'[{A}, {{"id": "q", "parts": [{", ".join([part] * 1_200)}, {B}, {C}]')
    assert [item.id for item in found] == ["a", "", "b", "c"]


def test_what_has_no_end_for_longer_than_is_held_is_counted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(ingest_frames, "LARGEST", 300)
    found = read(f"[{', '.join([NO_QUOTE] * 500)}, {A}]", 64)
    assert [item.number for item in found] == list(range(1, 502))
    assert found[-1].id == "a"


def test_fields_are_named_with_their_lines_and_never_with_what_is_said() -> None:
    wrong = {
        "id": "\x1b[31mred",
        "subject": "s" * 513,
        "colour\u202e": "secret",
        "metadata": {"url": "ftp:secret", "attributes": {"plan": 3}, "createdAt": "secret"},
        "parts": [{"type": "message", "role": "secret", "body": None}, "secret"],
    }
    (complaint,) = said(json.dumps([wrong], indent=1))
    assert "secret" not in complaint
    assert "\x1b" not in complaint
    assert "\u202e" not in complaint
    assert complaint.startswith(
        "line 4, conversation 1 (red): subject: this is longer than 512 characters; "
        "line 7: metadata.url: this has to be a web address (http or https); "
        "line 9: metadata.attributes.plan: this has to be a text, in quotation marks; "
        "line 11: metadata.createdAt: not a date and time, such as 2026-03-02T09:00:00Z; "
        "line 16: parts[0].role: this has to be user, assistant or team-member; and "
    )


def test_what_is_too_large_is_passed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ingest_frames, "LARGEST", 300)
    large = json.dumps(conversation("c", "\n" * 400))
    lines = said(f"{LINES}\n{large}\n{LINES}", 64)
    assert [line[:22] for line in lines] == ["1 a", "2 b", "line 3, conversation 3", "4 a", "5 b"]
    assert said(f"[{large}]", 64) == said(f"[{large}]")
    assert said("{" + '"id":' * 2 + '"' + "x" * 2_000_000 + '"}', 1 << 16)[0].startswith("line 1")
    (first, *rest) = said(f'[{large}, "oops", {LINES.splitlines()[0]}]', 64)
    assert first == "line 1, conversation 1: this is larger than 0 MiB"
    assert rest == ["line 1, conversation 2: this has to be an object", "1 a"]
    endless = "x" * 300 * (ingest_frames.ROOM + 2)
    for size in (64, 1 << 20):
        found = said(f'["{endless}, {LINES.splitlines()[0]}, "{endless}', size)
        assert "larger than 0 MiB" in found[0]
        assert found[1] == "1 a"
        assert len(found) == 3


def test_what_a_service_has_is_compared_as_far_as_it_tells() -> None:
    attributes = {"source": "mail"}
    at = datetime(2026, 3, 2, 9, 0, 0, 123456, UTC)
    sent = ConversationIngest.model_validate(
        conversation("a", subject="S", metadata={"attributes": attributes, "createdAt": at})
    )
    had = ConversationDetail(
        conversation=Conversation(id="a", subject="S"),
        parts=[ConversationPart(type="message", role="user", body="It fails")],
        metadata=ConversationMetadata(
            attributes={**attributes, "added": "by the service"},
            createdAt=at.replace(microsecond=0),
        ),
    )
    assert is_there(sent, had)
    changes: list[dict[str, Any]] = [
        {"parts": []},
        {"metadata": None},
        {"metadata": ConversationMetadata(attributes=attributes)},
        {"conversation": Conversation(id="a", subject="T")},
    ]
    for change in changes:
        assert not is_there(sent, had.model_copy(update=change))
    bare = ConversationIngest.model_validate(conversation("a"))
    assert is_there(bare, had.model_copy(update={"conversation": Conversation(id="a")}))


class Counted:
    """The tokens that brackets are matched with, and how many of them were looked at."""

    def __init__(self) -> None:
        self._pattern = ingest_frames._TOKEN
        self.count = 0

    def finditer(self, data: bytes, start: int) -> Iterator[re.Match[bytes]]:
        """Count what is found."""
        for token in self._pattern.finditer(data, start):
            self.count += 1
            yield token


@pytest.mark.long
@pytest.mark.parametrize(
    "broken", [NO_QUOTE, '{"id": "q", "parts": [', A[:-1], A[:-2], A[:-3], A[:-4]]
)
@pytest.mark.parametrize("between", [", ", "\n"])
def test_what_is_looked_at_grows_no_faster_than_a_file_of_whole_and_broken(
    broken: str, between: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    counts = []
    for many in (100, 400):
        tokens = Counted()
        monkeypatch.setattr(ingest_frames, "_TOKEN", tokens)
        found = read(between.join([f"{B}{between}{broken}"] * many))
        monkeypatch.undo()
        assert [isinstance(item, Item) for item in found if item.number] == [True, False] * many
        counts.append(tokens.count)
    assert counts[1] <= 5 * counts[0]


SENT_AT = datetime(2026, 3, 2, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("found", "there"),
    [
        ({}, True),
        ({"metadata": {"url": "https://a.example/1", "attributes": {"a": "1", "b": "2"},
                       "createdAt": SENT_AT + timedelta(seconds=0.9)}}, True),
        ({"metadata": {"url": "https://a.example/1", "attributes": {"a": "1"},
                       "createdAt": SENT_AT + timedelta(seconds=1)}}, False),
        ({"metadata": {"url": "https://a.example/1", "attributes": {"a": "1"}}}, False),
        ({"metadata": {"url": "https://a.example/2", "attributes": {"a": "1"},
                       "createdAt": SENT_AT}}, False),
        ({"metadata": {"url": "https://a.example/1", "attributes": {"a": "2"},
                       "createdAt": SENT_AT}}, False),
        ({"metadata": None}, False),
        ({"conversation": {"id": "1", "subject": "Other"}}, False),
        ({"parts": [{"type": "message", "role": "team-member", "body": "Hello"}]}, False),
        ({"parts": []}, False),
    ],
)  # fmt: skip
def test_what_was_sent_is_there_or_is_not(found: dict[str, object], there: bool) -> None:
    metadata = {"url": "https://a.example/1", "attributes": {"a": "1"}, "createdAt": SENT_AT}
    parts = [{"type": "message", "role": "user", "body": "Hello"}]
    sent = ConversationIngest.model_validate(
        {"id": "1", "subject": "Say", "metadata": metadata, "parts": parts}
    )
    had = {
        "conversation": {"id": "1", "subject": "Say"}, "parts": parts, "metadata": metadata
    } | found  # fmt: skip
    assert is_there(sent, ConversationDetail.model_validate(had)) is there
    bare = ConversationIngest.model_validate({"id": "1", "subject": "Say", "parts": parts})
    if "metadata" in found:
        assert is_there(bare, ConversationDetail.model_validate(had))


PART = {"type": "message", "role": "user", "body": "x"}


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        ({"id": ""}, "id: this is empty"),
        ({"id": 1}, "id: this has to be a text, in quotation marks"),
        ({"id": "x" * 256}, "id: this is longer than 255 characters"),
        ({"more": 1}, "more: there is no such field"),
        ({"parts": {}}, "parts: this has to be a list"),
        ({"parts": ["a"]}, "parts[0]: this has to be an object"),
        ({"parts": []}, "parts: no text: give one part a body"),
        ({"parts": [{**PART, "type": "x"}]}, "parts[0].type: this has to be "),
        ({"metadata": []}, "metadata: this has to be an object"),
        ({"metadata": {"attributes": 3}}, "metadata.attributes: this has to be an object"),
        ({"metadata": {"createdAt": "x"}}, "metadata.createdAt: not a date and time, such as "),
        ({"metadata": {"createdAt": 3}}, "metadata.createdAt: not a date and time, such as "),
        ({"metadata": {"url": "ftp://x"}}, "metadata.url: this has to be a web address (http or "),
        ({"subject": "a\0"}, "subject: this holds a NUL character"),
        ({"id": "a/b"}, "id: this cannot be part of an address; leave out '/' and do not use '.' "),
    ],
)
def test_what_is_wrong_with_a_field_is_said_in_words(
    changed: dict[str, Any], sentence: str
) -> None:
    (complaint,) = read(json.dumps({"id": "c", "parts": [PART], **changed}))
    assert isinstance(complaint, Complaint)
    assert complaint.sentence.startswith(sentence), complaint.sentence


def test_so_many_problems_are_named_and_the_rest_counted() -> None:
    def told(count: int) -> str:
        wrong = {f"x{number}": 1 for number in range(count)}
        (complaint,) = read(json.dumps({**conversation("a"), **wrong}))
        assert isinstance(complaint, Complaint)
        return complaint.sentence

    named = "; ".join(f"x{number}: there is no such field" for number in range(SAID))
    assert told(SAID) == named
    assert told(SAID + 2) == f"{named}; and 2 more"


def test_what_is_too_long_to_walk_through_is_told_with_its_first_line() -> None:
    long = "y" * LONGEST
    cases = (
        ('{"id": "a", "x": 1, "b": "%s"}', ["there is no such field"]),
        ('{"id": NaN, "b": "%s"}', ["not JSON: NaN is not a JSON number"]),
        (
            '{"id": 1, "id": 2, "b": "%s"}',
            ["not JSON: a name is written twice in one object"],
        ),
        ('{"id": %s, "b": "%%s"}' % ("[" * 5000 + "]" * 5000), ["it is nested too deep"]),
        ('{"id": %s, "b": "%%s"}' % ("[" * 300 + "]" * 300), ["not JSON: it is nested too deep"]),
        (r'{"id": "\ud800", "b": "%s"}', ["not JSON: it has a character that no text can have"]),
    )
    for text, parts in cases:
        (complaint,) = read("\n\n" + text % long)
        assert isinstance(complaint, Complaint)
        assert (complaint.line, complaint.number) == (3, 1)
        assert all(part in complaint.sentence for part in parts), complaint.sentence


def test_optional_fields_that_are_null_are_left_out_and_others_are_not() -> None:
    void = {"url": None, "attributes": None, "createdAt": None}
    (item,) = read(json.dumps(conversation("a", subject=None, metadata=void)))
    assert isinstance(item, Item)
    assert item.conversation.subject is None
    (wrong,) = read(json.dumps(conversation("a", parts=None)))
    assert isinstance(wrong, Complaint)
    assert "parts: this has to be a list" in wrong.sentence


FRAGMENTS = st.lists(
    st.sampled_from(
        [
            *(A, B[:-1], B[:-2], NO_QUOTE, '{"id": "q", "parts": [', '{"id": "q"', "[", "]", "}"),
            *("7", '"x"', '"oops', ",", ",\n", "\n", " ", '{"a": {"id": 1}}', "oops"),
        ]
    ),
    max_size=12,
)


@given(FRAGMENTS, st.integers(1, 9))
def test_a_file_reads_the_same_in_pieces_and_whatever_was_looked_at_before(
    fragments: list[str], size: int
) -> None:
    text = "".join(fragments)
    whole = said(text)
    assert said(text, size) == whole
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ingest_frames._Pieces, "_known_end", lambda self, begin: (False, None))
        assert said(text) == whole
