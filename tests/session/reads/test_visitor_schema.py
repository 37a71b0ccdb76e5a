"""The draft of a schema: a text and what it is based on."""

from __future__ import annotations

import pytest

from copydesk.contract.models.site import TemplateCondition
from copydesk.session.reads.visitor_schema import SchemaDraft, schema_draft
from copydesk.session.site_rows import schema_rows


def test_a_draft_is_kept_with_its_original() -> None:
    for base in (None, {"type": "object", "properties": {}}, ["odd"]):
        draft = SchemaDraft('{"type": ', base)
        assert schema_draft(draft.to_text()) == draft


def test_ready_made_conditions_of_no_attribute_stand_together() -> None:
    conditions = [TemplateCondition(condition="true", description="Everyone")]
    [heading] = schema_rows({}, conditions, {})
    assert (heading.title, len(heading.children)) == ("Ready-made conditions", 1)
    *_, heading = schema_rows({}, conditions, {(False, "plan"): ("Guide",)})
    assert heading.title == "Other ready-made conditions"


@pytest.mark.parametrize("text", [None, "", "{", "[]", '{"text": 1, "base": {}}', '{"text": "a"}'])
def test_other_texts_are_no_draft(text: str | None) -> None:
    assert schema_draft(text) is None
