"""Conversations of exports, made fit to be sent, and joined with what a service has of them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from copydesk.contract.models.base import EARLIEST, LATEST
from copydesk.contract.models.conversation import (
    Conversation,
    ConversationDetail,
    ConversationIngest,
    ConversationMetadata,
    ConversationPart,
    MetadataIngest,
    PartIngest,
)
from copydesk.domain.ingest_conversation import (
    LONGEST_ATTRIBUTE,
    MOST_ATTRIBUTES,
    NOTE,
    Exported,
    digest_of,
    fit_id,
    masked,
    text_of,
    with_earlier,
    words_of,
)
from copydesk.domain.ingest_file import Item
from copydesk.domain.ingest_frames import LARGEST, Complaint

NOW = datetime(2026, 3, 2, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("key", "fit"),
    [
        (" 12 ", "12"),
        ("a\0b\ud800", "ab"),
        ("", ""),
        ("a" * 255, "a" * 255),
        ("a" * 256, digest_of(["a" * 256])),
        ("a/b", digest_of(["a/b"])),
        (".", digest_of(["."])),
        ("..", digest_of([".."])),
        ("a\nb", digest_of(["a\nb"])),
    ],
)
def test_an_id_can_be_part_of_an_address(key: str, fit: str) -> None:
    assert fit_id(key) == fit
    assert len({digest_of(["a", "b"]), digest_of(["ab"]), digest_of(["a"])}) == 3
    assert len(digest_of(["a"])) == 24


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (True, "yes"), (False, "no"), (" a\0 ", "a"), (1.5, "1.5"), (7, "7"), (None, ""),
        ({"name": "a"}, "a"), ({"tag": "b"}, "b"), ({"value": "c"}, "c"), ({"id": "d"}, ""),
        (["a", {"name": "b"}, None, ["c"], 1], "a, b, 1"),
        ([str(each) for each in range(99)], ", ".join(map(str, range(MOST_ATTRIBUTES)))),
    ],
)  # fmt: skip
def test_a_value_is_said_in_words(value: object, said: str) -> None:
    assert words_of(value) == said


@pytest.mark.parametrize(
    ("value", "html", "text"),
    [
        ("a\r\nb\rc", False, "a\nb\nc"),
        ("<b>a</b>", False, "<b>a</b>"),
        ("<b>a</b>", True, "a"),
        ("a &amp; b", True, "a & b"),
        ("a\r\nb", True, "a\nb"),
        (None, True, ""),
        (7, False, ""),
    ],
)
def test_a_body_is_plain_text(value: object, text: str, *, html: bool) -> None:
    assert text_of(value, html=html) == text


def exported(**more: Any) -> Exported:
    return Exported(3, 2, more.pop("id", "t1"), **{"parts": [("user", "Hello")], **more})


def test_what_was_exported_has_what_the_api_takes() -> None:
    made = Exported(3, 2, "t1", "Zendesk", "S" * 600, NOW, " https://a.test/1 ", "bo", NOW)
    made.say("user", " Hello\0 ")
    made.say("team-member", "For us", note=True)
    made.say("team-member", " \0 ")
    made.note("plan", "pro")
    made.note("plan", "free")
    made.note("none", [])
    made.note("long", "x" * 9999)
    found = made.finished()
    assert isinstance(found, Item)
    assert (found.line, found.number, found.who, found.updated) == (3, 2, "bo", NOW)
    given = found.conversation
    assert [(part.role, part.body) for part in given.parts] == [
        ("user", "Hello"), ("team-member", f"{NOTE}For us"),
    ]  # fmt: skip
    assert given.id == "t1"
    assert given.subject is not None
    assert len(given.subject) <= 512
    assert given.metadata is not None
    assert given.metadata.url == "https://a.test/1"
    assert given.metadata.created_at == NOW
    assert given.metadata.attributes == {
        "plan": "pro", "long": "x" * LONGEST_ATTRIBUTE, "source": "Zendesk",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("more", "sentence"),
    [
        ({"id": " \0"}, "it has no id"),
        ({"parts": []}, "no text in it"),
        (
            {"parts": [("user", "x" * LARGEST)]},
            f"this is larger than {LARGEST // 2**20} MiB",
        ),
    ],
)
def test_what_cannot_be_sent_is_complained_about(more: dict[str, Any], sentence: str) -> None:
    found = exported(**more).finished()
    key = "" if "id" in more else "t1"
    assert found == Complaint(3, sentence, 2, key)


@pytest.mark.parametrize(
    "url", ["ftp://a", "https://", "https://a b", "a" * 9, "https://" + "a" * 2048]
)
@pytest.mark.parametrize("created", [EARLIEST, LATEST, None])
def test_what_the_api_would_refuse_is_left_out(url: str, created: datetime | None) -> None:
    found = exported(url=url, created=created).finished()
    assert isinstance(found, Item)
    metadata = found.conversation.metadata
    assert metadata is None or (metadata.url, metadata.created_at) == (None, None)


def test_what_tells_who_somebody_is_is_masked_and_what_says_nothing_is_not_sent() -> None:
    item = exported(
        id="bo@a.test", subject="From bo@a.test", url="https://a.test/?who=bo@a.test",
        attributes={"bo@a.test": "1", "al@a.test": "2"}, parts=[("user", "I am bo@a.test")],
    ).finished()  # fmt: skip
    assert isinstance(item, Item)
    hidden = masked(item)
    assert isinstance(hidden, Item)
    assert "bo@" not in hidden.conversation.model_dump_json()
    assert hidden.conversation.id == digest_of(["bo@a.test"])
    metadata = hidden.conversation.metadata
    assert metadata is not None
    assert metadata.url is None
    assert metadata.attributes is not None
    assert [sorted(each) for each in metadata.attributes.values()] == [sorted("1, 2")]
    assert metadata.created_at is None
    harmless = exported(url="https://a.test/1", created=NOW, subject="S").finished()
    assert isinstance(harmless, Item)
    assert masked(harmless) == harmless
    nothing = exported(parts=[("user", "\x1b[2J")]).finished()
    assert isinstance(nothing, Item)
    assert masked(nothing) == Complaint(3, "no text in it", 2, "t1")


ROLES = st.sampled_from(["user", "team-member"])
PARTS = st.lists(st.tuples(ROLES, st.sampled_from("abc")), max_size=5)


def said_by(said: list[tuple[Any, str]]) -> list[PartIngest]:
    return [PartIngest(type="message", role=role, body=body) for role, body in said]


def known(said: list[tuple[Any, str]], at: datetime | None, **more: Any) -> ConversationDetail:
    return ConversationDetail.model_construct(
        conversation=Conversation.model_construct(id="c", subject=more.pop("subject", "Had")),
        metadata=ConversationMetadata.model_construct(
            url=more.pop("url", None), created_at=at, attributes=more.pop("attributes", None)
        ),
        parts=[ConversationPart.model_construct(role=role, body=body) for role, body in said],
    )


def is_within(some: list[Any], among: list[Any]) -> bool:
    """Whether all of some stand among others in their order."""
    rest = iter(among)
    return all(each in rest for each in some)


@given(PARTS, PARTS, st.integers(-1, 1))
def test_all_that_either_side_has_is_there_in_its_order(
    had: list[tuple[Any, str]], said: list[tuple[Any, str]], days: int
) -> None:
    sent = ConversationIngest(
        id="t", parts=said_by([*said, ("user", "z")]), metadata=MetadataIngest(created_at=NOW),
    )  # fmt: skip
    found = with_earlier(sent, known(had, NOW + timedelta(days=days)))
    bodies = [part.body for part in found.parts]
    assert is_within([body for _, body in said], bodies)
    for each in "abc":
        counts = [[body for _, body in side].count(each) for side in (had, said)]
        assert bodies.count(each) == max(counts), "neither lost nor doubled"
    if not {body for _, body in had} & {body for _, body in said}:
        first = [body for _, body in had] if days <= 0 else [body for _, body in said]
        assert bodies[: len(first)] == first
    again = with_earlier(found, known([(part.role, part.body) for part in found.parts], NOW))
    assert [part.body for part in again.parts] == bodies, "what is there already is not doubled"


def test_what_came_first_gives_its_subject_and_what_is_sent_its_values() -> None:
    sent = ConversationIngest(
        id="t", subject="Sent", parts=said_by([("user", "B")]),
        metadata=MetadataIngest(created_at=NOW, attributes={"plan": "pro"}, url="https://b.test"),
    )  # fmt: skip
    day = timedelta(days=1)
    for at, subject, first in ((NOW - day, "Had", NOW - day), (NOW + day, "Sent", NOW)):
        had = known([("user", "A bo@a.test")], at, url="https://a.test",
                    attributes={"plan": "free", "of": "x"})  # fmt: skip
        found = with_earlier(sent, had, hide=True)
        assert found.subject == subject
        assert found.metadata is not None
        assert found.metadata.created_at == first
        assert found.metadata.url == "https://b.test"
        assert found.metadata.attributes == {"plan": "pro", "of": "x"}
        assert not any("bo@" in part.body for part in found.parts)
    bare = sent.model_copy(update={"subject": None, "metadata": None})
    found = with_earlier(bare, known([], None, subject="", url="ftp://a"))
    assert (found.subject or "", found.metadata and found.metadata.url) == ("", None)
    longest = "https://a.test/" + "x" * (2048 - 15)
    read = MetadataIngest(created_at=NOW, attributes={"of": "x"})
    for url, more in ((longest, {"url": longest}), (f"{longest}x", {}), ("https://a b", {})):
        found = with_earlier(bare, known([], NOW, url=url, attributes={"of": "x"}))
        assert found.metadata == read.model_copy(update=more), url
    alone = known([("user", "A")], NOW, subject="").model_copy(update={"metadata": None})
    assert with_earlier(sent, alone).metadata == sent.metadata
