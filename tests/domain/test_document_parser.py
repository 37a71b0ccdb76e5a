"""Markdown as the nodes of a document, and as it is written again: all in ``documents.json``."""

from __future__ import annotations

import json
from typing import Any

import pytest

from copydesk.contract.models.document import Document, Node
from copydesk.domain.document_parser import links_of
from copydesk.domain.documents import document_to_markdown, markdown_to_document
from tests.domain.written import EVERYTHING
from tests.golden_json import compare

TEXTS = {
    "everything": EVERYTHING,
    "nothing": "",
    "blank": "\n\n",
    "spelled otherwise": "\n\nTitle\n=====\n\n\n* a\n+ b\n\n***\n\n1) x\n\n    code\n\nEnd  \n"
    "of it\n\n",
    "headings": "# A\n## B\n### C\n#### D\n##### E\n###### F #\n#\n",
    "marks": "**a** __b__ *c* _d_ ~~e~~ `f` ***g*** **h *i***\n",
    "links": "[a](b.md) [c](<d e> \"t\") <https://x.example> ![i](p.png \"cap\") [r][s]\n\n"
    "[s]: u.md\n",
    "pictures": "![a](1.png)\n![b](2.png)\n\n![c](3.png) text\n",
    "lists": "- a\n- b\n\n  more\n\n3. c\n4. d\n\n- [ ] no\n- [x] yes\n- [X] too\n\n- [x] one\n"
    "- none\n",
    "tasks with marks": "- [ ] **bold**\n- [x] \n- [ ] `code` on\n",
    "two lists": "- a\n\n* b\n\n- c\n",
    "code": "```py title=\"x\"\na\n\nb\n```\n\n~~~\n```\n~~~\n\n```\n```\n",
    "tables": "| a | b | c | d |\n|:--|:-:|--:|---|\n| 1 | **2** | x \\| y |\n\n|e|\n|-|\n",
    "html": "<div>\nA\n</div>\n\nText <b>x</b> and <!-- c -->\n",
    "newlines of windows": "# A\r\n\r\nB\r\nc\r\n\r\n\r\n- d\r\n",
    "a kept block ends a paragraph": "Text\n"
    "{% block {\"data\": {}, \"object\": \"block\", \"type\": \"x\"} %}\nmore\n",
    "breaks": "a  \nb\\\nc\nd\n",
    "hint": "{% hint %}\nA\n{% endhint %}\n\n{% hint style=\"danger\" icon=\"x\" %}\n- b\n"
    "{% endhint %}\n",
    "tabs": "{% tabs %}\n{% tab title=\"One \\\"x\\\"\" %}\nA\n{% endtab %}\n\n"
    "{% tab title=\"Two\" %}\n"
    "B\n{% endtab %}\n{% endtabs %}\n",
    "stepper": "{% stepper %}\n{% step %}\n## A\n\nB\n{% endstep %}\n{% endstepper %}\n",
    "columns": "{% columns %}\n{% column width=\"50%\" %}\nA\n{% endcolumn %}\n{% endcolumns %}\n",
    "embed": "{% embed url=\"https://x.example\" %}\n\n{% embed %}\n",
    "tags that are none": "{% hint x %}\nA\n{% endhint %}\n\n{% other %}\n\n"
    "    {% embed url=\"x\" %}\n\n"
    "{% hint %}\nopen\n",
    "tags in tags": "{% hint %}\n{% hint %}\nA\n{% endhint %}\nB\n{% endhint %}\nC\n"
    "{% endhint %}\n",
    "details": "<details>\n<summary>A &amp; b</summary>\n\nC\n\n</details>\n",
    "details in details": "<details>\n<summary>A</summary>\n\n<details>\n<summary>B</summary>\n"
    "\nC\n\n"
    "</details>\n\n</details>\n",
    "details that are none": "<details>\n<summary>A</summary>\nB\n</details>\n\n<details>\n\n"
    "</details>\n",
    "a kept block": "{% block {\"object\": \"block\", \"type\": \"x\", \"data\": {\"a\": 1}} %}\n\n"
    "{% block {broken} %}\n\n{% block [1] %}\n",
    "a tag ends a paragraph": "Text\n{% hint %}\nA\n{% endhint %}\nmore\n",
    "quotes": "> A\n> - b\n>\n> > C\n",
    "what looks like signs": "\\# a\n\n1\\. b\n\n\\- c\n\n\\+ d\n\n\\> e\n\n"
    "a \\_b\\_ c_d \\*e\\* \\[f\\] \\`g\\`\n\n"
    "\\~x &amp;amp; & \\{% y\n\n\\===\n",
    "references at the end": "See [a] and [b].\n\n[a]: x.md\n[b]: y.md \"t\"\n",
}  # fmt: skip


def told(node: Node, depth: int = 0) -> list[str]:
    """Return a node and those in it, a line each."""
    data = f" {json.dumps(node.data)}" if node.data else ""
    void = " void" if node.is_void else ""
    lines = [f"{'  ' * depth}{node.object} {node.type} {node.key}{void}{data}"]
    for leaf in node.leaves or ():
        marks = " ".join(mark["type"] for mark in leaf["marks"])
        lines.append(f"{'  ' * (depth + 1)}{json.dumps(leaf['text'])} {marks}".rstrip())
    for child in node.nodes or ():
        lines += told(child, depth + 1)
    return lines


def test_texts_become_the_nodes_that_they_became(update_golden: bool) -> None:
    found: dict[str, list[str]] = {}
    for name, text in TEXTS.items():
        document = markdown_to_document(text)
        lines = [json.dumps(document.data)]
        for node in document.nodes:
            lines += told(node)
        own = Document(nodes=[bare(node) for node in document.nodes])
        found[name] = [*lines, "written:", *document_to_markdown(own).split("\n")]
        assert document_to_markdown(document) == text
    compare("documents", found, update=update_golden)


def bare(node: Node) -> Node:
    """Return a block without how it was spelled."""
    kept = {
        name: each for name, each in (node.data or {}).items() if name not in ("spelling", "after")
    }
    return node.model_copy(update={"data": kept})


def leaf(text: str, *marks: str) -> Node:
    kinds = [{"object": "mark", "type": mark} for mark in marks]
    return Node(object="text", leaves=[{"object": "leaf", "text": text, "marks": kinds}])


def block(kind: str, *nodes: Node, **data: Any) -> Node:
    return Node(type=kind, nodes=list(nodes), data=data, is_void=False)


def picture(**data: Any) -> Node:
    return Node(object="inline", type="image", nodes=[], data=data, is_void=True)


def link(text: str, ref: object, **data: Any) -> Node:
    return Node(object="inline", type="link", nodes=[leaf(text)], data={"ref": ref, **data})


def url(to: str) -> dict[str, str]:
    return {"kind": "url", "url": to}


@pytest.mark.parametrize(
    ("node", "written"),
    [
        (block("paragraph", leaf("# a")), "\\# a"),
        (block("paragraph", leaf("12. a")), "12\\. a"),
        (block("paragraph", leaf("- a")), "\\- a"),
        (block("paragraph", leaf("a\nb")), "a\\\nb"),
        (block("paragraph", leaf("a_b _c_ {% x [d] <e> &lt; & ~f")),
         "a_b \\_c\\_ \\{% x \\[d\\] \\<e> \\&lt; & \\~f"),
        (block("paragraph", leaf(" a ", "bold")), " **a** "),
        (block("paragraph", leaf("  ", "bold")), "  "),
        (block("paragraph", leaf("a", "bold", "italic", "strikethrough")), "~~***a***~~"),
        (block("paragraph", leaf("a`b", "code")), "``a`b``"),
        (block("paragraph", leaf("`a", "code")), "`` `a ``"),
        (block("paragraph", leaf("<b>", "html")), "<b>"),
        (block("paragraph", link("a", url("b.md"))), "[a](b.md)"),
        (block("paragraph", link("a", url("b c(d)<e>"), title='t "u"')),
         '[a](<b c(d)\\<e\\>> "t \\"u\\"")'),
        (block("images", picture(ref=url("p.png"), alt="a*b")), "![a\\*b](p.png)"),
        (block("images", picture(ref=url("p.png"), alt="a", caption="c")), '![a](p.png "c")'),
        (block("heading-2", leaf("A\nb #")), "## A b \\#"),
        (block("heading-3", leaf("A"), level=5), "##### A"),
        (block("heading-1", leaf("A"), level=9), "###### A"),
        (block("code", block("code-line", leaf("a```b")), syntax="sh"), "````sh\na```b\n````"),
        (block("divider"), "---"),
        (block("html", html="<b>"), "<b>"),
        (block("blockquote", block("paragraph", leaf("a")), block("paragraph", leaf("b"))),
         "> a\n> \n> b"),
        (block("list-ordered", block("list-item", block("paragraph", leaf("a"))), start=9), "9. a"),
        (block("list-tasks", block("list-item", block("paragraph", leaf("a")), checked=True),
               block("list-item", block("paragraph", leaf("b")), checked=False)),
         "- [x] a\n- [ ] b"),
        (block("list-unordered",
               block("list-item", block("paragraph", leaf("a")), block("divider")),
               block("list-item", block("paragraph", leaf("b")))),
         "- a\n\n  ---\n\n- b"),
        (block("list-unordered", block("list-item", block("divider"))), "- ___"),
        (block("expandable", block("paragraph", leaf("a")), title=" A  <b> & "),
         "<details>\n<summary>A &lt;b&gt; &amp;</summary>\n\na\n\n</details>"),
        (block("embed", url='x "y" \\'), '{% embed url="x \\"y\\" \\\\" %}'),
        (block("tab", block("paragraph", leaf("a")), title="T"),
         '{% tab title="T" %}\na\n{% endtab %}'),
        (block("x"),
         '{% block {"data": {}, "isVoid": false, "nodes": [], "object": "block", "type": "x"} %}'),
    ],
)  # fmt: skip
def test_blocks_of_others_are_written_in_markdown(node: Node, written: str) -> None:
    assert document_to_markdown(Document(nodes=[node])) == written


def test_two_lists_in_a_row_take_turns_with_their_marks() -> None:
    items = [block("list-item", block("paragraph", leaf("a")))]
    some = [block("list-unordered", *items), block("list-ordered", *items)]
    written = document_to_markdown(Document(nodes=[*some, *some, block("divider"), *some]))
    assert written == "- a\n\n1) a\n\n- a\n\n1) a\n\n---\n\n- a\n\n1) a"


def test_what_was_not_read_is_the_last_block() -> None:
    text = "One.\n\nTwo *x*.\n\nThree.\nFour.\n"
    document = markdown_to_document(text, 3)
    assert [node.type for node in document.nodes] == ["paragraph", "markdown"]
    last = document.nodes[-1]
    assert (last.key, last.is_void, last.data) == ("rest", True, {"markdown": text[6:]})
    assert document_to_markdown(document) == text
    assert [node.type for node in markdown_to_document(text, 100).nodes] == ["paragraph"] * 3
    (all_of_it,) = markdown_to_document("x" * 60, 0).nodes
    assert all_of_it.data == {"markdown": "x" * 60}
    (one,) = markdown_to_document("x" * 60, 2).nodes
    assert one.type == "paragraph"


def test_a_changed_document_keeps_what_was_between_its_blocks() -> None:
    document = markdown_to_document("One.\n\n\n\nTwo.\n***\n[a]\n\n[a]: x.md\n")
    document.nodes[1] = markdown_to_document("Deux.").nodes[0]
    assert document_to_markdown(document) == "One.\n\n\n\nDeux.\n\n***\n[a]\n\n[a]: x.md\n"
    del document.nodes[0]
    assert document_to_markdown(document) == "Deux.\n\n***\n[a]\n\n[a]: x.md\n"


def test_links_are_told_in_their_order_and_once_each() -> None:
    text = (
        "[a](1.md) ![b](2.png)\n\n<img src='3.png'> <a HREF = \"4.md\">x</a>\n\n"
        '{% embed url="5" %}\n\n{% embed %}\n\n'
        "<div data-href='no'>\n<a href=\"6\">\n</div>\n\n[c]()\n<img :src='no'>\n"
    )
    assert links_of(text) == ("1.md", "2.png", "3.png", "4.md", "5", "", "no", "6", "")


def test_the_text_of_a_footnote_leads_nowhere() -> None:
    text = "One[^1] and [two].\n\n[^1]: 脚注です。\n[^2]: so\n\n[two]: 2.md\n"
    assert links_of(text) == ("2.md",)
    assert document_to_markdown(markdown_to_document(text)) == text
