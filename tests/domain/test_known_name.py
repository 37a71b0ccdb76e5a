"""What an answer names: of each object its kind, its id and its title."""

from __future__ import annotations

import json
from typing import Any

import pytest

from copydesk.domain.known_name import LONGEST, KnownName, names_in, rank

CONTENT = "/spaces/s/content"


def names(value: Any, target: str = "/orgs/o") -> list[KnownName]:
    return list(names_in(target, json.dumps(value).encode()))


@pytest.mark.parametrize("kind", ["space", "site"])
def test_spaces_and_sites_are_named(kind: str) -> None:
    assert names({"object": kind, "id": "k", "title": "Guide"}) == [
        KnownName(kind, "k", "Guide")  # type: ignore[arg-type]
    ]


def test_a_change_request_is_named_by_its_subject_and_its_number() -> None:
    request = {"object": "change-request", "id": "r", "number": 7, "space": "s", "subject": "Fix"}
    assert names(request) == [KnownName("change-request", "r", "Fix", "s", 7)]
    assert names(request | {"subject": None}) == [KnownName("change-request", "r", "", "s", 7)]


def test_people_are_named_wherever_they_are_in_an_answer() -> None:
    person = {"object": "user", "id": "u", "displayName": "Bo"}
    asked = {"items": [{"object": "comment", "by": person, "replies": [[{"by": person}]]}]}
    assert names(asked) == [KnownName("person", "u", "Bo")] * 2


@pytest.mark.parametrize(
    ("target", "space"),
    [
        (CONTENT, "s"),
        (f"{CONTENT}?depth=2", "s"),
        (f"{CONTENT}/page/p", "s"),
        ("/spaces/s/contents", ""),
        ("/spaces/s/change-requests/r/content", ""),
        ("/spaces//content", ""),
    ],
)
def test_pages_are_those_of_main(target: str, space: str) -> None:
    page = {"type": "document", "id": "p", "title": "Start", "path": "start"}
    found = names({"pages": [page, {**page, "type": "link"}]}, target)
    assert found == ([KnownName("page", "p", "Start", space)] if space else [])


@pytest.mark.parametrize(
    "value",
    [
        {"object": "space", "id": "k", "title": "Guide", "deletedAt": "2026-03-02T00:00:00Z"},
        {"object": "space", "id": 1, "title": "Guide"},
        {"object": "space", "id": "k"},
        {"object": "team", "id": "k", "title": "Docs"},
        {"object": "change-request", "id": "r", "number": "7", "space": "s"},
        {"object": "user", "id": "u", "displayName": None},
        {"object": "user"},
        "a text",
        None,
    ],
)
def test_anything_else_is_not_named(value: Any) -> None:
    assert names(value) == []


@pytest.mark.parametrize(
    "content", [b"", b'{"object"', b'\xff"object"', b'{"object":' + b"[" * 100_000]
)
def test_what_is_no_json_names_nothing(content: bytes) -> None:
    assert list(names_in(CONTENT, content)) == []


@pytest.mark.parametrize(
    "value",
    [
        {"object": "space", "id": "k", "title": "é" * 999},
        {"object": "change-request", "id": "r", "number": 7, "space": "s", "subject": "é" * 999},
        {"object": "user", "id": "u", "displayName": "é" * 999},
        {"pages": [{"type": "document", "id": "p", "title": "é" * 999, "path": ""}]},
    ],
)
def test_a_long_title_is_cut(value: Any) -> None:
    assert [name.title for name in names(value, CONTENT)] == ["é" * LONGEST]


PALETTE = (
    "Merge run: Go to the merge run: what is planned, how far it is, where it stopped.",
    "Merge: Merge the selected change request into its space.",
    "Update: Take in what main has now; theme it as the merge does.",
    "Down: Emerge below.",
    "Go to Needs me",
    "Go to Merge run",
    "Filter: The main field of the list.",
    "Go to テ\u3099ータ ＡＰＩ",
)


@pytest.mark.parametrize(
    ("typed", "found"),
    [
        ("merge", [0, 1, 5, 2, 3]),
        ("merge run", [0, 5]),
        ("run merge", [0, 5]),
        ("theme", [2]),
        ("emerge", [3]),
        ("tnm", [4]),
        ("mrge", [0, 1, 5]),
        ("needs", [4]),
        ("xyz", []),
        ("データ api", [7]),
        ("a\u0000b(", []),
    ],
)
def test_what_begins_with_it_comes_first_and_loose_letters_do_not_fit(
    typed: str, found: list[int]
) -> None:
    ranked = [
        (at, nth) for nth, title in enumerate(PALETTE) if (at := rank(typed, title)) is not None
    ]
    assert [nth for _, nth in sorted(ranked)] == found


def test_nothing_that_is_typed_leaves_all_as_they_are() -> None:
    assert {rank("  ", title) for title in PALETTE} == {0}
