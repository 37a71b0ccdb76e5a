"""The text of a change request as it is edited."""

from __future__ import annotations

from copydesk.contract.models.change_request import ChangeRequest as Request
from copydesk.domain.plain_documents import document_of, document_text
from copydesk.session.request_text import About, about_text, read_about, update_of
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


def test_a_description_that_others_wrote_meanwhile_comes_back_as_theirs() -> None:
    request = Request(id="1", number=7, subject="Fix", created_at=NOW, updated_at=NOW, space="s")
    theirs = About("Theirs", "Their words.")
    update = update_of(request, About("Fix", "Mine."), sent=theirs)
    assert update is not None
    assert (update.subject, document_text(update.description)) == ("Fix", "Mine.")
    back = update_of(request, About("Fix", "Mine."), sent=theirs, back=True)
    assert back is not None
    assert (back.subject, document_text(back.description)) == ("Theirs", "Their words.")
    first = update_of(request, About("Fix", "Mine."), back=True)
    assert first is not None
    assert first.description == document_of("")
    assert "subject" not in first.model_fields_set
