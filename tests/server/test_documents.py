"""Markdown as rich text and back."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from copydesk.contract.models.document import Document, Node
from copydesk.server.documents import document_to_markdown, links_of, markdown_to_document

EVERYTHING = """\
# Title

Some **bold** ***both*** and `code` with [a link](x.md "t") and ![img](p.png). Next line\\
hard

![alone](a.png)

1. one

2. two

   - nested

     para

- [ ] todo
- [x] done

7. seven
8. eight

```python
x = 1

y
```

{% hint style="warning" %}
Careful **now**

{% hint style="info" %}
inner
{% endhint %}
{% endhint %}

> quote more

| a | b |
| :-- | --: |
| 1 \\| x | 2 |

<details>
<summary>x</summary>
hi
</details>

---

#### Deep

\\# not heading 1. foo snake_case \\<b> <b>raw</b>

1\\. not a list

\\- nor this"""


def types(document: Document) -> list[str | None]:
    return [node.type for node in document.nodes]


def test_what_is_written_in_its_own_spelling_comes_back_the_same() -> None:
    assert document_to_markdown(markdown_to_document(EVERYTHING)) == EVERYTHING


def test_each_kind_of_block_has_its_name() -> None:
    assert types(markdown_to_document(EVERYTHING)) == [
        "heading-1",
        "paragraph",
        "images",
        "list-ordered",
        "list-tasks",
        "list-ordered",
        "code",
        "hint",
        "blockquote",
        "table",
        "html",
        "divider",
        "heading-3",
        "paragraph",
        "paragraph",
        "paragraph",
    ]


def test_text_and_marks_are_leaves() -> None:
    document = markdown_to_document("a **b** c")
    (paragraph,) = document.nodes
    assert paragraph.nodes is not None
    assert paragraph.nodes[0].leaves == [
        {"object": "leaf", "text": "a ", "marks": []},
        {"object": "leaf", "text": "b", "marks": [{"object": "mark", "type": "bold"}]},
        {"object": "leaf", "text": " c", "marks": []},
    ]


@pytest.mark.parametrize(
    "markdown",
    ["{% hint %}\nnever closed", "{% endhint %}", "[ ] no list", "- [ ]", "```\nopen", "|a|", ""],
)
def test_what_is_cut_short_is_kept_as_text(markdown: str) -> None:
    written = document_to_markdown(markdown_to_document(markdown))
    for word in ("closed", "endhint", "no list", "[ ]", "open", "a"):
        if word in markdown:
            assert word.strip("[] ") in written


@given(st.text(alphabet="ab1 *_`#>-+.[]()<>|\\\n~!{}%\t", max_size=80))
def test_no_text_is_refused_and_its_document_is_stable(text: str) -> None:
    document = markdown_to_document(text)
    written = document_to_markdown(document)
    assert isinstance(written, str)
    Document.model_validate_json(document.to_json())


@pytest.mark.parametrize(
    "node",
    [
        {"type": "list-ordered", "data": {"start": "x"}, "nodes": [{"type": "list-item"}]},
        {"type": "heading-9"},
        {"type": "heading-x", "data": {"level": []}},
        {"type": "mystery", "nodes": [{"type": "paragraph", "nodes": []}]},
        {"type": "table", "nodes": [{"nodes": [{"data": {"align": []}}]}]},
        {"object": "text", "leaves": [{"text": 5, "marks": 3}]},
        {"object": "text", "leaves": [{"text": "a", "marks": ["bold", {"type": ["x"]}]}]},
        {"object": "inline", "type": "link", "data": {"ref": "x"}},
        {"object": "inline", "type": "image", "data": {"ref": {"url": "a b(c)<d>"}}},
    ],
)
def test_a_document_of_others_is_written_whatever_it_holds(node: dict[str, Any]) -> None:
    document = Document(nodes=[Node.model_validate(node)])
    assert isinstance(document_to_markdown(document), str)


def test_links_are_found_in_markdown_and_in_html() -> None:
    text = '[a](one.md) ![b](two.png)\n\n<a href="three?a=1&amp;b=2">x</a> `[no](four)`\n'
    assert links_of(text) == ("one.md", "two.png", "three?a=1&b=2")
