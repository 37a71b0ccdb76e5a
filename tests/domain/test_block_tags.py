"""Lines of tags and of HTML: the block that each begins or ends, and what it says besides."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from copydesk.domain.block_tags import KINDS, Tag, is_tag, read_tag, said_of
from copydesk.domain.html_line import read_html


def told(tag: Tag | None, line: str) -> tuple[str, bool, str] | None:
    return None if tag is None else (tag.kind.word, tag.ends, said_of(tag, line))


@pytest.mark.parametrize(
    ("line", "block", "said"),
    [
        ("{%hint%}", "hint", ""),
        ('{% hint style="info" icon="bell" %}', "hint", "info, icon bell"),
        ('{% hint icon="bell" style="info" %}', "hint", "info, icon bell"),
        ("{%- hint style='a b' -%}", "hint", "a b"),
        ('  {% tab title="A \\" b" %}  ', "tab", 'A \\" b'),
        ('{% tab title="" %}', "tab", ""),
        ('{% embed "https://a" %}', "embed", "https://a"),
        ('{% hint "" icon="x" %}', "hint", "icon x"),
        ('{% embed url="a" url="b" %}', "embed", "a, url b"),
        ('{% openapi spec="x" path="/a" method="get" %}', "OpenAPI operation", "get /a x"),
        ("{% if x > 1 %}", "only if", "x > 1"),
        ('{% code lineNumbers=true overflow="wrap" title="a" %}', "code",
         "a, lineNumbers true, overflow wrap"),
        ("{% step title= %}", "step", "title="),
        ('{% hint a="b"c %}', "hint", 'a="b"c'),
        ("{% hint style=\"info\" lorem \"x\" y='z' %}", "hint", 'info, lorem "x", y z'),
        ("{% endif-not %}", None, ""),
        ("{% foo %}", None, ""),
        ("{% 1 %}", None, ""),
        ("{% %}", None, ""),
        ("{%}", None, ""),
        ("a {% hint %}", None, ""),
        ("{% hint", None, ""),
    ],
)  # fmt: skip
def test_a_tag_tells_its_block_and_names_what_is_not_plain(
    line: str, block: str | None, said: str
) -> None:
    assert told(read_tag(line), line) == (None if block is None else (block, False, said))


@pytest.mark.parametrize("name", KINDS)
def test_every_block_ends_by_a_line_that_says_nothing_else(name: str) -> None:
    for line in (f"{{% end{name} %}}", f"{{%end{name}%}}"):
        assert told(read_tag(line), line) == (KINDS[name].word, True, "")
    assert read_tag(f"{{% end{name} more %}}") is None, "or what it says more would not be seen"


@pytest.mark.parametrize(
    ("line", "block", "said"),
    [
        ("<details>", "expandable", ""),
        ("<DETAILS open>", "expandable", "open"),
        ('<details open data-x="1" class="">', "expandable", "open, data-x 1, class"),
        ("<details><summary>Why</summary>", "expandable", "Why"),
        ("<summary>Why <b>is</b> that?</summary>", "title", "Why is that?"),
        ("  <summary>  A  <i>b</i>c </summary>", "title", "A bc"),
        ("<summary>A<p>B</p>C</summary>", "title", "A B C"),
        ("<table>", "table", ""),
        ('<table data-view="list">', "table", "data-view list"),
        ('<table data-view="cards" class="a">', "cards", "class a"),
        ("<table data-x>A", "table", "A, data-x"),
        ("<thead><tr>", "head", ""),
        ("<tbody></tbody>", "rows", ""),
        ("<tfoot>x", "foot", "x"),
        ('<figure><img src="f.png" alt="Flow" width="40"><figcaption><p>So</p></figcaption>',
         "figure", "[image: Flow] (f.png) So, width 40"),
        ("<img alt='' src='a.png'>", "picture", "[image: no text] (a.png)"),
        ("<img>", "picture", "[image: no text] ()"),
        ('<img src="a" alt="b"> <img src="c">', "picture",
         "[image: b] (a) [image: no text] (c)"),
        ("<figcaption>", "caption", ""),
    ],
)  # fmt: skip
def test_a_line_of_html_tells_its_block_and_what_it_says(line: str, block: str, said: str) -> None:
    assert told(read_html(line), line) == (block, False, said)


@pytest.mark.parametrize(
    ("line", "block"),
    [
        ("</details>", "expandable"),
        ("</p></details>", "expandable"),
        ("</summary>", "title"),
        ("</tbody></table>", "table"),
        ("</thead>", "head"),
        ("</figure>", "figure"),
    ],
)
def test_a_line_of_html_that_ends_a_block_says_so(line: str, block: str) -> None:
    assert told(read_html(line), line) == (block, True, "")


@pytest.mark.parametrize(
    "line",
    [
        "text", "<p>Text</p>", "<tr><td>Free</td></tr>", "<script>", "<summary>A<br>B</summary>",
        "<details>a < b</details>", "<details>a > b", "</details>x", "</details data-x>",
        "<summary>Why</summary></details>", "</summary></details>", "</summary></figure>",
        f"<details>{'x' * 4000}",
    ],
)  # fmt: skip
def test_what_would_not_be_seen_as_a_block_stays_as_it_was_written(line: str) -> None:
    assert read_html(line) is None


PIECES = st.lists(
    st.sampled_from(
        ["<details", "<summary>", "</summary>", "<img ", "src='a'", 'alt="b"', " open", ">", "</",
         "table", "word", " ", "<b>", "</b>", "{% hint ", "%}", 'style="c"', "end", "'", '"', "="]
    )
)  # fmt: skip


def test_a_tag_is_a_line_of_its_own_with_both_its_ends() -> None:
    assert [is_tag(line) for line in (" {% hint %} ", "{%%}", "{%}", "{% a", "a %}")] == [
        True, True, False, False, False,
    ]  # fmt: skip


@given(PIECES.map("".join))
def test_what_is_told_of_a_line_stands_in_it(line: str) -> None:
    for tag in (read_tag(line), read_html(line)):
        if tag is not None:
            parts = [each for each in tag.about if not isinstance(each, str)]
            assert all(0 <= start <= stop <= len(line) for start, stop in parts)
            assert line.count("word") == said_of(tag, line).count("word")
    assert read_tag(line) is None or is_tag(line)
