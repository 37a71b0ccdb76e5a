"""The draft of a schema: a text and what it is based on."""

from __future__ import annotations

import pytest

from copydesk.session.reads.visitor_schema import SchemaDraft, schema_draft


def test_a_draft_is_kept_with_its_original() -> None:
    for base in (None, {"type": "object", "properties": {}}, ["odd"]):
        draft = SchemaDraft('{"type": ', base)
        assert schema_draft(draft.to_text()) == draft


@pytest.mark.parametrize("text", [None, "", "{", "[]", '{"text": 1, "base": {}}', '{"text": "a"}'])
def test_other_texts_are_no_draft(text: str | None) -> None:
    assert schema_draft(text) is None
