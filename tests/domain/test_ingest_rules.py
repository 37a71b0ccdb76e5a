"""What a conversation must be besides well-formed."""

from __future__ import annotations

from typing import Any

import pytest

from copydesk.contract.models.conversation import ConversationIngest
from copydesk.domain.ingest_rules import Problem, why_unfit

FIT: dict[str, Any] = {"id": "a.b", "parts": [{"role": "user", "type": "message", "body": "Hi"}]}
NUL = "this holds a NUL character"
ADDRESS = "this cannot be part of an address; leave out '/' and do not use '.' or '..' alone"


def unfit(**changed: Any) -> list[Problem]:
    return why_unfit(ConversationIngest.model_validate({**FIT, **changed}))


@pytest.mark.parametrize("key", ["a/b", "/", ".", ".."])
def test_its_id_is_a_part_of_an_address(key: str) -> None:
    assert unfit(id=key) == [(("id",), ADDRESS)]
    assert unfit() == unfit(id="...") == []


def test_somebody_says_something() -> None:
    blank = {"role": "user", "type": "message", "body": " \n"}
    said = "no text: give one part a body"
    assert unfit(parts=[blank]) == [(("parts",), said)]
    assert unfit(parts=[blank, *FIT["parts"]]) == []


def test_no_text_holds_a_nul() -> None:
    found = unfit(
        id="a\0",
        subject="\0",
        parts=[*FIT["parts"], {"role": "user", "type": "message", "body": "x\0"}],
        metadata={"attributes": {"a": "\0", "b\0": "", "c": "d"}},
    )
    assert [path for path, _ in found] == [
        ("id",),
        ("subject",),
        ("parts", 1, "body"),
        ("metadata", "attributes", "a"),
        ("metadata", "attributes", "b\0"),
    ]
    assert {said for _, said in found} == {NUL}
