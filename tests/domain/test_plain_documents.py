"""Text as a document of paragraphs, and the text of any document."""

from __future__ import annotations

from typing import Any

from copydesk.contract.models.document import Document
from copydesk.domain.documents import markdown_to_document
from copydesk.domain.plain_documents import document_of, document_text, is_plain


def test_the_text_of_a_document_is_that_of_its_blocks_as_deep_as_any_is_written() -> None:
    def leaf(text: str) -> dict[str, Any]:
        return {"object": "text", "leaves": [{"object": "leaf", "text": text}]}

    def block(*nodes: Any) -> dict[str, Any]:
        return {"object": "block", "type": "paragraph", "nodes": [*nodes]}

    def text(*nodes: Any) -> str:
        return document_text(Document.model_validate({"nodes": [*nodes]}))

    assert document_text(None) == ""
    assert text(block(leaf("One "), leaf("line.")), block(leaf(""))) == "One line."
    assert text(block(block(leaf("A")), block(leaf("B"))), block(leaf("C"))) == "A\nB\n\nC"
    deep = block(leaf("deep"))
    for _ in range(40):
        deep = block(deep)
    assert text(deep) == "deep"
    for _ in range(40):
        deep = block(deep)
    assert text(deep) == "", "what is deeper nobody wrote"


def test_only_plain_paragraphs_lose_nothing() -> None:
    assert is_plain(None)
    assert is_plain(markdown_to_document("One.\n\nTwo."))
    assert is_plain(document_of("One.\n\nTwo."))
    assert not is_plain(markdown_to_document("One **bold** word."))
    assert not is_plain(markdown_to_document("- a\n- b"))


def test_a_document_of_text_is_as_the_service_writes_one() -> None:
    [first, second] = document_of("One\nline.\n \n\n Two. ").to_dict()["nodes"]
    leaf = {"object": "leaf", "text": "One\nline.", "marks": []}
    assert first == {
        "object": "block", "type": "paragraph", "isVoid": False, "data": {},
        "nodes": [{"object": "text", "leaves": [leaf]}],
    }  # fmt: skip
    assert second["nodes"][0]["leaves"][0]["text"] == "Two."
    whole = document_of("One.")
    assert (whole.object, whole.data) == ("document", {"schemaVersion": 1})
