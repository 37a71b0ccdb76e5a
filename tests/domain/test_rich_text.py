"""Rich text as text to be edited, and back: blocks that nobody touched stay as they were."""

from __future__ import annotations

import json

import pytest

from copydesk.contract.models.document import Document
from copydesk.domain.documents import MARKS_READ, markdown_to_document
from copydesk.domain.rich_text import RichText, RichTextError, rich_text, says_the_same


def leaf(text: str, *marks: str) -> dict[str, object]:
    made = [{"object": "mark", "type": mark, "data": {}} for mark in marks]
    return {"object": "leaf", "text": text, "marks": made}


def paragraph(*leaves: dict[str, object], key: str = "") -> dict[str, object]:
    return {
        "object": "block", "type": "paragraph", "isVoid": False, "data": {}, "key": key,
        "nodes": [{"object": "text", "leaves": list(leaves)}],
    }  # fmt: skip


def document(*blocks: dict[str, object]) -> Document:
    return Document.model_validate({"object": "document", "data": {}, "nodes": list(blocks)})


def test_what_markdown_says_is_edited_as_markdown_and_keeps_its_keys() -> None:
    kept = document(paragraph(leaf("One."), key="k1"), paragraph(leaf("Two."), key="k2"))
    rich = rich_text(kept)
    assert (rich.text.rstrip(), rich.markdown, rich.suffix) == ("One.\n\nTwo.", True, ".md")
    assert rich.read(rich.text + "\n\n") is kept
    assert RichText(kept, "One.\n", True).read("One.\n\n") is kept
    read = rich.read("One.\n\nBetween.\n\nTwo.\n")
    assert [node.key for node in read.nodes[::2]] == ["k1", "k2"]
    assert len(read.nodes) == 3
    assert rich_text(read).text.rstrip() == "One.\n\nBetween.\n\nTwo."
    assert "spelling" not in (read.nodes[1].data or {})
    assert rich.read("\n\nOne.\n\nTwo.").nodes == kept.nodes, "blanks above say nothing"


def test_blocks_keep_their_keys_however_often_they_say_the_same() -> None:
    many = [paragraph(leaf("Same."), key=f"k{number}") for number in range(220)]
    rich = rich_text(document(*many))
    first, *others = rich.read(rich.text.replace("Same.", "Other.", 1)).nodes
    assert len({node.key for node in others} & {each["key"] for each in many}) == 219
    assert first.key not in {node.key for node in others}


def test_what_markdown_does_not_say_is_edited_as_json() -> None:
    odd = document({"object": "text", "leaves": [leaf("Loose.")]})
    rich = rich_text(odd)
    assert (rich.markdown, rich.suffix) == (False, ".json")
    value = json.loads(rich.text)
    assert value["nodes"][0]["object"] == "text"
    value["nodes"] = [paragraph(leaf("Held."))]
    assert says_the_same(rich.read(json.dumps(value)), document(paragraph(leaf("Held."))))
    with pytest.raises(RichTextError, match=r"Not JSON \(line 1, column"):
        rich.read("{")
    with pytest.raises(RichTextError, match="nodes"):
        rich.read('{"object": "document", "data": {}, "nodes": 3}')


def test_json_is_read_where_markdown_would_do() -> None:
    rich = rich_text(markdown_to_document("One.", None))
    assert rich.markdown
    whole = document(paragraph(leaf("Whole.")))
    assert says_the_same(rich.read(json.dumps(whole.to_dict())), whole)
    assert rich_text(rich.read("{not json}")).text.rstrip() == "{not json}"


def test_nobody_has_written_it_yet() -> None:
    empty = rich_text(None)
    assert (empty.text, empty.markdown, empty.document.nodes) == ("", True, [])
    assert "schemaVersion" in empty.document.data
    assert says_the_same(None, empty.document)
    assert not says_the_same(None, markdown_to_document("One.", None))


def test_texts_in_a_row_with_the_same_marks_are_one() -> None:
    apart = document(paragraph(leaf("One "), leaf("two "), leaf("three", "bold")))
    whole = document(paragraph(leaf("One two "), leaf("three", "bold"), leaf("")))
    assert says_the_same(apart, whole)
    assert not says_the_same(apart, document(paragraph(leaf("One two "), leaf(""))))
    first = document(paragraph(leaf(""), leaf("One two "), leaf("three", "bold")))
    assert says_the_same(apart, first)
    assert not says_the_same(apart, document(paragraph(leaf("One two three"))))
    assert not says_the_same(apart, document(paragraph(leaf("One two "), leaf("three", "italic"))))
    two = document(paragraph(leaf("a", "bold", "italic")))
    assert says_the_same(two, document(paragraph(leaf("a", "italic", "bold"))))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            '{"object": "document",\n "data": {}',
            "Not JSON (line 2, column 12): a comma is missing.",
        ),
        ('{"object": "document", "data": {}, "nodes": 3}', "nodes: Input should be a valid list."),
        ("[]", "The document: "),
        ('{"object": "document", "data": {}, "nodes": [{"object": 5}]}', "nodes.0.object."),
        ('{"object": "block", "nodes": []}', "The document: the object of a document is "),
        ('{"object": "document"}', "The document: a document has nodes; an empty list of them is "),
    ],
)
def test_what_is_no_document_is_told_with_its_place(text: str, said: str) -> None:
    rich = rich_text(document({"object": "text", "leaves": [leaf("Loose.")]}))
    with pytest.raises(RichTextError) as error:
        rich.read(text)
    assert str(error.value).startswith(said)
    assert str(error.value).endswith(".")


def test_json_is_written_for_people_to_edit() -> None:
    odd = document({"object": "text", "leaves": [leaf("Löse.")]})
    rich = rich_text(odd)
    assert rich.text == json.dumps(odd.to_dict(), ensure_ascii=False, indent=2)
    assert rich.read(rich.text + "\n") is odd


def test_all_marks_of_a_long_text_are_read() -> None:
    text = "\n\n".join(["*a* b"] * (MARKS_READ // 3))
    rich = rich_text(rich_text(None).read(text))
    assert (rich.text.rstrip(), rich.markdown) == (text, True)


def test_what_differs_in_meaning() -> None:
    base = paragraph(leaf("One."))
    same = [
        {**base, "key": "other"}, {**base, "data": {"spelling": "One.\n", "after": ""}},
        paragraph(leaf("One", ), leaf("."), leaf("")),
        paragraph({**leaf("One."), "marks": None}), paragraph({"object": "leaf"}, leaf("One.")),
    ]  # fmt: skip
    other = [
        {**base, "type": "heading-1"},
        {**base, "data": {"align": "left"}},
        {**base, "more": 1},
        paragraph(leaf("one.")),
        paragraph(leaf("One.", "bold")),
        paragraph({**leaf("One."), "x": 1}),
        paragraph({**leaf("One."), "marks": ["odd"]}),
        paragraph({**leaf("One."), "marks": [{"type": "bold", "data": {"a": 1}}]}),
    ]
    assert [says_the_same(document(base), document(each)) for each in same] == [True] * len(same)
    assert [says_the_same(document(base), document(each)) for each in other] == [False] * len(other)
    bold = document(paragraph({**leaf("a"), "marks": [{"type": "bold"}]}))
    assert says_the_same(bold, document(paragraph(leaf("a", "bold"))))
