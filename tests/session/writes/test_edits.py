"""The text of a change request as it is edited."""

from __future__ import annotations

from copydesk.contract.models.change_request import ChangeRequest as Request
from copydesk.domain.documents import markdown_to_document
from copydesk.session.change_rows import document_text
from copydesk.session.writes.edits import (
    About,
    about_text,
    document_of,
    is_plain,
    read_about,
    update_of,
)
from tests.session.rows import NOW


def test_subject_and_description_as_one_text_and_back() -> None:
    request = Request(
        id="1", number=7, subject="Fix", created_at=NOW, updated_at=NOW, space="s",
        description=document_of("One.\n\nTwo."),
    )  # fmt: skip
    text = about_text(request)
    assert text == "Fix\n\nOne.\n\nTwo."
    assert update_of(request, read_about(text)) is None
    assert read_about("# Fix it\n\n\nOne.\n") == About("Fix it", "One.")
    update = update_of(request, About("Fix", "One."))
    assert update is not None
    assert update.model_fields_set == {"description"}
    assert document_text(update.description) == "One."
    back = update_of(request, About("Other", "One."), back=True)
    assert back is not None
    assert (back.subject, document_text(back.description)) == ("Fix", "One.\n\nTwo.")


def test_only_plain_paragraphs_lose_nothing() -> None:
    assert is_plain(None)
    assert is_plain(markdown_to_document("One.\n\nTwo."))
    assert is_plain(document_of("One.\n\nTwo."))
    assert not is_plain(markdown_to_document("One **bold** word."))
    assert not is_plain(markdown_to_document("- a\n- b"))
