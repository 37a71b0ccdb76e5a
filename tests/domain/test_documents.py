"""Markdown as rich text and back."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from copydesk.contract.models.document import Document, Node
from copydesk.domain.documents import document_to_markdown, links_of, markdown_to_document
from tests.domain.written import EVERYTHING


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
    ("mark", "text", "written"),
    [
        ("bold", " b ", "a **b** c"),
        ("bold", "\u00a0b\t", "a\u00a0**b**\tc"),
        ("italic", "\u3000b\u3000", "a\u3000*b*\u3000c"),
        ("code", "\u00a0b\u00a0", "a`\u00a0b\u00a0`c"),
        ("bold", "\u00a0", "a\u00a0c"),
    ],
)
def test_a_mark_has_no_blanks_at_its_ends(mark: str, text: str, written: str) -> None:
    leaves = [
        {"object": "leaf", "text": said, "marks": [{"object": "mark", "type": mark}] * marked}
        for said, marked in (("a", 0), (text, 1), ("c", 0))
    ]
    document = markdown_to_document("x")
    assert document.nodes[0].nodes is not None
    document.nodes[0].nodes[0].leaves = leaves
    assert document_to_markdown(document) == written
    assert document_to_markdown(markdown_to_document(written)) == written


@pytest.mark.parametrize(
    "markdown",
    ["{% hint %}\nnever closed", "{% endhint %}", "[ ] no list", "- [ ]", "```\nopen", "|a|", ""],
)
def test_what_is_cut_short_is_kept_as_text(markdown: str) -> None:
    written = document_to_markdown(markdown_to_document(markdown))
    for word in ("closed", "endhint", "no list", "[ ]", "open", "a"):
        if word in markdown:
            assert word.strip("[] ") in written


MARKDOWN = st.one_of(
    st.text(alphabet='ab1 *_`#>-+.[]()<>|\\\n\r\t~!{}%:&="é\x00\u2028', max_size=60),
    st.lists(
        st.sampled_from(
            [
                *(
                    "# T\n",
                    "Some\ntext  \nhard\n",
                    "\n",
                    "\n\n\n",
                    "* a\n* b\n",
                    "1) x\n",
                    "- [ ] t\n",
                ),
                *(
                    "> q\n",
                    "```\ncode\n",
                    "```\n",
                    "    indented\n",
                    "|a|b|\n|-|-|\n|1|2|\n",
                    "***\n",
                ),
                *(
                    "[r]: http://x\n",
                    "see [r]\n",
                    "<div>\n",
                    "</div>\n",
                    "Title\n===\n",
                    "\\\n",
                    " ",
                ),
                *(
                    '{% hint style="info" %}\n',
                    "{% endhint %}\n",
                    "{% tabs %}\n",
                    "{% endtabs %}\n",
                ),
                *('{% tab title="a" %}\n', "{% endtab %}\n", '{% embed url="http://y" %}\n'),
                *(
                    "<details>\n<summary>s</summary>\n\n",
                    "</details>\n",
                    '{% block {"type":"x"} %}\n',
                ),
            ]
        ),
        max_size=10,
    ).map("".join),
)


@settings(max_examples=60, deadline=None)
@given(MARKDOWN, st.sampled_from([None, 0, 3, 9]))
def test_every_text_comes_back_as_it_was(text: str, marks: int | None) -> None:
    document = Document.model_validate_json(markdown_to_document(text, marks).to_json())
    assert document_to_markdown(document) == text


@pytest.mark.parametrize(
    "text",
    ["x\n", "|-|-|\n", "[x](y.md) ", "*a **b ", "- a\n\n"],
)
def test_a_text_that_goes_on_and_on_is_read_in_part_and_kept_whole(text: str) -> None:
    text = "# First\n\n" + text * 60_000
    document = markdown_to_document(text)
    assert (document.nodes[0].type, document.nodes[-1].type) == ("heading-1", "markdown")
    assert document_to_markdown(document) == text


TEXT = st.text(alphabet="ab1*_`#>-+.[]()<>|\\~!{}%:&=é ", min_size=1, max_size=12).map(
    lambda text: " ".join(text.split()) or "x"
)
WORD = st.sampled_from(["one", "two words", "three"])


def leaf(text: str, *marks: str) -> dict[str, Any]:
    return {"object": "leaf", "text": text, "marks": [{"object": "mark", "type": m} for m in marks]}


def block(kind: str, nodes: list[Node], **data: Any) -> Node:
    return Node(type=kind, nodes=nodes, data=data, is_void=False)


def text_node(*leaves: dict[str, Any]) -> Node:
    return Node(object="text", leaves=list(leaves))


INLINE = st.one_of(
    TEXT.map(lambda text: [text_node(leaf(text))]),
    st.tuples(WORD, WORD, st.sampled_from(["bold", "italic", "strikethrough", "code"])).map(
        lambda t: [text_node(leaf(f"{t[0]} "), leaf(t[1], t[2]), leaf(" end"))]
    ),
    WORD.map(
        lambda text: [
            Node(
                object="inline",
                type="link",
                data={"ref": {"kind": "url", "url": "a%20b.md"}},
                nodes=[text_node(leaf(text))],
            )
        ]
    ),
)
CODE = st.text(alphabet="ab `~\n#{%", max_size=12).map(
    lambda code: [block("code-line", [text_node(leaf(line))]) for line in code.split("\n")]
)
IMAGE = Node(
    object="inline",
    type="image",
    data={"ref": {"kind": "url", "url": "p.png"}, "alt": "alt"},
    nodes=[],
)
ODD = (
    Node(object="inline", type="zz", data={"q": 1}, nodes=[text_node(leaf("k"))]),
    text_node(leaf("under", "underline")),
    text_node({**leaf("red"), "color": "red"}),
    Node(object="inline", type="image", data={"src": "a.png", "caption": "c"}, nodes=[]),
    Node(object="inline", type="link", data={"ref": {"kind": "page", "page": "p"}}, nodes=[]),
)
"""What no Markdown says, in a line."""

SIMPLE = st.one_of(
    INLINE.map(lambda inline: block("paragraph", inline, align="center")),
    st.sampled_from(ODD).map(lambda odd: block("paragraph", [text_node(leaf("see ")), odd])),
    st.sampled_from(ODD).map(lambda odd: block("images", [odd, IMAGE])),
    st.just(block("table", [], records={"a": 1}, definition={})),
    st.just(block("table", [block("table-row", [block("table-cell", [block("divider", [])])])])),
    st.just(block("hint", [block("paragraph", [])], style="info", level=3)),
    INLINE.map(lambda inline: block("paragraph", inline)),
    st.tuples(st.integers(1, 3), INLINE).map(lambda t: block(f"heading-{t[0]}", t[1])),
    st.just(block("divider", [])),
    CODE.map(lambda lines: block("code", lines, syntax="py")),
    st.integers(1, 2).map(lambda n: block("images", [IMAGE] * n)),
    st.just(block("embed", [], url='https://example.org/"x"')),
    st.just(block("mystery", [block("paragraph", [])], anything=[1, None, {"a": "%}"}])),
    st.lists(INLINE, min_size=2, max_size=2).map(
        lambda cells: block(
            "table",
            [
                block("table-row", [block("table-cell", cell) for cell in cells], header=header)
                for header in (True, False)
            ],
        )
    ),
)


def holders(inner: st.SearchStrategy[Node]) -> st.SearchStrategy[Node]:
    blocks = st.lists(inner, min_size=1, max_size=3)

    def items(kind: str, **data: Any) -> st.SearchStrategy[Node]:
        first = INLINE.map(lambda inline: block("paragraph", inline))
        item = st.tuples(first, st.lists(inner, max_size=2)).map(
            lambda t: block("list-item", [t[0], *t[1]], **data)
        )
        return st.lists(item, min_size=1, max_size=2).map(lambda found: block(kind, found))

    return st.one_of(
        items("list-unordered"),
        items("list-ordered"),
        items("list-tasks", checked=True),
        blocks.map(lambda nodes: block("blockquote", nodes)),
        blocks.map(lambda nodes: block("hint", nodes, style="warning")),
        blocks.map(lambda nodes: block("expandable", nodes, title="A & <b> title")),
        blocks.map(lambda nodes: block("tabs", [block("tab", nodes, title='say "hi" \\')])),
        blocks.map(lambda nodes: block("stepper", [block("step", nodes)])),
        blocks.map(lambda nodes: block("columns", [block("column", nodes)])),
    )


def meaning(node: Node) -> Any:
    data = {k: v for k, v in (node.data or {}).items() if k not in ("spelling", "after")}
    return node.object, node.type, data, [meaning(n) for n in node.nodes or ()], node.leaves


@settings(max_examples=25, deadline=None)
@given(st.lists(st.recursive(SIMPLE, holders, max_leaves=5), max_size=4))
def test_every_kind_of_block_survives_markdown(nodes: list[Node]) -> None:
    written = document_to_markdown(Document(nodes=nodes))
    back = markdown_to_document(written)
    assert [meaning(node) for node in back.nodes] == [meaning(node) for node in nodes], written
    assert document_to_markdown(back) == written


def test_the_line_across_in_an_item_is_no_text_that_begins_with_its_signs() -> None:
    for first, written in (
        (block("divider", []), "- ___"),
        (block("paragraph", [text_node(leaf("---1"))]), "- ---1"),
        (block("paragraph", [text_node(leaf("---"))]), "- \\---"),
    ):
        node = block("list-unordered", [block("list-item", [first])])
        assert document_to_markdown(Document(nodes=[node])) == written
        assert [meaning(back) for back in markdown_to_document(written).nodes] == [meaning(node)]


def test_what_markdown_does_not_say_is_kept_whole() -> None:
    nodes = [
        *(block("paragraph", [text_node(leaf("see ")), odd]) for odd in ODD),
        *(block("images", [odd]) for odd in ODD),
        block("heading-1", [text_node(leaf("Centre"))], align="center"),
        block("table", [], records={"a": 1}, definition={}),
        block("list-unordered", [block("list-item", [block("paragraph", [ODD[0]])])]),
    ]
    for node in nodes:
        written = document_to_markdown(Document(nodes=[node]))
        assert written
        assert [meaning(back) for back in markdown_to_document(written).nodes] == [meaning(node)]


def test_what_was_not_changed_keeps_its_spelling() -> None:
    text = "\nTitle\n=====\nSee [it][r],\nplease.\n\n* one\n* two\n\n\n[r]: there.md\n"
    document = markdown_to_document(text)
    assert document.nodes[1].nodes is not None
    document.nodes[0] = markdown_to_document("# Other").nodes[0]
    document.nodes.append(markdown_to_document("New").nodes[0])
    written = document_to_markdown(document)
    assert "See [it][r],\nplease." in written
    assert "* one\n* two" in written
    assert written.startswith("\n# Other\n\nSee")
    assert written.endswith("\nNew")
    assert "[r]: there.md" in written


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


LEAVES = {"object": "text", "leaves": [{}, {"text": "a"}]}
PICTURE = {"object": "inline", "type": "image", "data": {"ref": {"url": "b"}}}


@pytest.mark.parametrize(
    ("node", "markdown"),
    [
        ({"type": "paragraph", "nodes": [LEAVES, PICTURE]}, "a![](b)"),
        ({"type": "code", "nodes": [{"type": "code-line", "nodes": [LEAVES]}]}, "```\na\n```"),
        ({"type": "html"}, ""),
        ({"type": "expandable"}, "<details>\n<summary></summary>\n\n\n\n</details>"),
    ],
)
def test_what_a_document_of_others_leaves_out_is_empty(node: dict[str, Any], markdown: str) -> None:
    assert document_to_markdown(Document(nodes=[Node.model_validate(node)])) == markdown


@pytest.mark.parametrize(
    ("kind", "data", "level"),
    [
        ("heading-2", {}, 2), ("heading-2", {"level": 4}, 4), ("heading-9", {}, 6),
        ("heading-0", {}, 1), ("heading-x", {}, 1), ("heading-2", {"level": -4}, 1),
        ("heading-2", {"level": 7}, 6), ("heading-2", {"level": True}, 2),
        ("heading-3", {"level": "1"}, 3),
    ],
)  # fmt: skip
def test_a_heading_has_the_level_it_says_or_its_name_says(
    kind: str, data: dict[str, Any], level: int
) -> None:
    heading = block(kind, [text_node(leaf("One\ntwo #"))], **data)
    assert document_to_markdown(Document(nodes=[heading])) == f"{'#' * level} One two \\#"


def test_a_cell_of_a_table_is_on_one_line_and_lined_up_as_the_first_row_says() -> None:
    texts = (("One\ntwo | 3", "left"), ("b", "right"), ("c", "center"), ("d", "top"))
    rows = [
        block("table-row", [block("table-cell", [text_node(leaf(text))], align=align)
                            for text, align in row])
        for row in (texts, [("e", "right"), *texts[1:]])
    ]  # fmt: skip
    assert document_to_markdown(Document(nodes=[block("table", rows)])) == (
        "| One two \\| 3 | b | c | d |\n| :-- | --: | :-: | --- |\n| e | b | c | d |"
    )
    code = block("table-cell", [text_node(leaf("a\nb", "code"))])
    table = block("table", [block("table-row", [code])])
    assert document_to_markdown(Document(nodes=[table])).startswith("| `a b` |\n")


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("- a", "\\- a"), ("-a", "-a"), ("+ a", "\\+ a"), ("12) a", "12\\) a"), ("1.5", "1.5"),
        ("1234567890. a", "1234567890. a"), ("> a", "\\> a"), ("###### a", "\\###### a"),
        ("####### a", "####### a"), ("#a", "#a"), ("a\n===", "a\\\n\\==="),
        ("a\n- -", "a\\\n\\- -"), ("a_b _c_", "a_b \\_c\\_"), ("&amp; & b", "\\&amp; & b"),
        ("{% x {x", "\\{% x {x"), ("~`*[]<\\", "\\~\\`\\*\\[\\]\\<\\\\"),
    ],
)  # fmt: skip
def test_what_would_mean_something_in_markdown_is_written_as_text(text: str, written: str) -> None:
    node = block("paragraph", [text_node(leaf(text))])
    assert document_to_markdown(Document(nodes=[node])) == written
    assert [meaning(back) for back in markdown_to_document(written).nodes] == [meaning(node)]


@pytest.mark.parametrize(
    ("data", "target"),
    [
        ({"ref": {"url": "u", "page": "p", "file": "f"}}, "u"),
        ({"ref": {"url": "", "page": "p", "file": "f"}}, "p"),
        ({"ref": {"file": "f"}}, "f"),
        ({"ref": "u"}, ""),
        ({"ref": {"url": "a b"}, "title": 'Say "a"'}, '<a b> "Say \\"a\\""'),
        ({"ref": {"url": "a\nb<c>"}}, "<a b\\<c\\>>"),
        ({"ref": {"url": "u"}, "title": 5}, 'u "5"'),
        ({"ref": {"url": "u"}, "caption": "No title of a link"}, "u"),
    ],
)
def test_a_link_leads_where_it_says_first(data: dict[str, Any], target: str) -> None:
    node = {"object": "inline", "type": "link", "data": data, "nodes": [LEAVES]}
    assert document_to_markdown(Document(nodes=[Node.model_validate(node)])) == f"[a]({target})"


def test_text_that_stands_beside_blocks_is_a_paragraph() -> None:
    inner = block("list-unordered", [block("list-item", [text_node(leaf("b"))])])
    item = block("list-item", [text_node(leaf("- a")), inner])
    document = Document(nodes=[text_node(leaf("1. c")), block("list-ordered", [item])])
    assert document_to_markdown(document) == "1\\. c\n\n1. \\- a\n\n   - b"


def test_links_are_found_in_markdown_and_in_html() -> None:
    text = '[a](one.md) ![b](two.png)\n\n<a href="three?a=1&amp;b=2">x</a> `[no](four)`\n'
    assert links_of(text) == ("one.md", "two.png", "three?a=1&b=2")


def test_openings_without_an_end_are_read_to_the_end() -> None:
    # Matching each opening on its own would outlast the time that a test has.
    text = '{% hint style="info" %}\n' * 3000 + "<details>\n<summary>s</summary>\n\n" * 1000
    text += "{% endhint %}\n"
    assert document_to_markdown(markdown_to_document(text, None)) == text


@pytest.mark.parametrize(
    "markdown",
    [
        "*" * 3000 + "a" + "*" * 3000,
        "*_~~" * 500 + "a" + "~~_*" * 500,
        "[![" * 200 + "a" + "](b)](c)" * 200,
        "{% block " + '{"type":"x","nodes":[' * 150 + "]}" * 150 + " %}",
        "> - " * 300 + "{% hint %}\na",
    ],
)
def test_no_text_makes_a_document_that_is_nested_deep(markdown: str) -> None:
    document = markdown_to_document(markdown)
    assert document_to_markdown(document) == markdown
    level: list[Node] = document.nodes
    for _ in range(50):
        level = [child for node in level for child in node.nodes or ()]
    assert not level


def test_a_mark_in_the_same_mark_says_nothing() -> None:
    (paragraph,) = markdown_to_document("*a _b **c** d_ e* **f**").nodes
    (text,) = paragraph.nodes or []
    told = [(leaf["text"], [m["type"] for m in leaf["marks"]]) for leaf in text.leaves or ()]
    assert told == [
        ("a b ", ["italic"]),
        ("c", ["italic", "bold"]),
        (" d e", ["italic"]),
        (" ", []),
        ("f", ["bold"]),
    ]


def test_a_tag_may_begin_an_item() -> None:
    hint = '{% hint style="info" %}\n  in\n  {% endhint %}'
    document = markdown_to_document(f"- {hint}\n- {hint}\n- {{% hint %}} no\n")
    (found,) = document.nodes
    kinds = [(item.nodes or [Node()])[0].type for item in found.nodes or []]
    assert kinds == ["hint", "hint", "paragraph"]


@pytest.mark.parametrize(
    ("before", "kept"),
    [
        ("***\n\nOne.\n", "***\n\nOne."),
        ("***\r\n\r\nOne.\r\n", "***\r\n\r\nOne."),
        ("***\r\rOne.\r", "***\n\nOne."),
        ("[a]: b\n\nSee [it][a].\n\nOne.\n", "[a]: b\n\nSee [it][a].\n\nOne."),
    ],
)
def test_what_is_put_behind_a_paragraph_stays_apart_and_the_rest_as_it_was_spelled(
    before: str, kept: str
) -> None:
    spelled = markdown_to_document(before)
    more = markdown_to_document("Two *words*.").nodes
    both = spelled.model_copy(update={"nodes": [*spelled.nodes, *more]})
    assert document_to_markdown(both) == f"{kept}\n\nTwo *words*."
