"""The built-in checks: what each finds, at which line, and what it leaves alone."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from copydesk.domain.page_checks import LONGEST, SHOWN, check_page, lookalikes


def found(markdown: str, **broken: str) -> list[tuple[int, str]]:
    said = {address.replace("_", "/"): why for address, why in broken.items()}
    findings = check_page("p", markdown, said)
    assert all(each.page == "p" for each in findings)
    return [(each.line, each.rule) for each in findings]


@pytest.mark.parametrize(
    ("markdown", "wanted"),
    [
        ("# A\n\n![](a.png) and ![a cat](b.png)\n", [(3, "alt")]),
        ("# A\r\n\r\nx\r\n![](a.png)\r\n", [(4, "alt")]),
        ("# A\n\n| a |\n|---|\n| b |\n| ![](a.png) |\n", [(6, "alt")]),
        ('<img src="a.png">\n', [(1, "alt")]),
        ('x <img src="a.png" alt="A cat"> y\n', []),
        ('<img src="line.png" alt="">\n', []),  # decoration, said so
        ('<figure><img src="a" alt=""><figcaption></figcaption></figure>\n', [(1, "alt")]),
        ('<figure><img src="a" alt=""><figcaption><p>A cat</p></figcaption></figure>\n', []),
        ('<figure><img src="a" alt=""><figcaption>A cat</figcaption></figure>\n', []),
        ('<figure><figcaption>A cat</figcaption><img src="a" alt=""></figure>\n', []),
        ('<figure><img src="a" alt=""><figcaption> </figcaption></figure>\n', [(1, "alt")]),
        ('<figure><img src="a" alt=""><p>A cat</p></figure>\n', [(1, "alt")]),
        ('<figure><img src="a" alt="">A cat</figcaption></figure>\n', [(1, "alt")]),
        ('<figure><figure><img src="a" alt=""></figure></figure>\n', [(1, "alt")]),
        ('<figure><figcaption>A</figcaption></figure>\n<figure>\n<img alt=""></figure>\n',
         [(3, "alt")]),
        ('<figure><img alt=""></figure>\n<img alt="">\n', [(1, "alt")]),
        ("```\n![](a.png)\n#### B\n```\n", []),
        ("# A\n\n## B\n\n#### C\n\n## D\n", [(5, "heading")]),
        ("### A\n", [(1, "heading")]),
        ("## A\n\n# B\n\n## C\n", []),
        ("# A\n\n[x](#b)\n\n<summary>b</summary>\n", []),
        ("# A { #b }\n\n[x](#b), [y](#a)\n\n## A {#c}\n\n## A {#d}\n", []),
        ("# A\n\n[x](#b-c)\n\n<summary>b <i>c</i></summary>\n", []),
        ('<figure><img src="a" alt="">\n', []),
        ('<div>\n<img src="a"\nalt="b">\n<img\nsrc="c">\n</div>\n', [(4, "alt")]),
        ("---\ntitle: A\ndescription: B\n---\n\n## C\n\n#### D\n", [(8, "heading")]),
        ("# A\n\n## B\n\n## B\n", [(5, "anchor")]),
        ("# A\n\n## B\n\n### X\n\n## C\n\n### X\n", []),
        ("# A\n\n### `<or>` Directive\n### `<and>` Directive\n", [(3, "heading")]),
        ('<a id="x"></a>\n\nText <a id="x"></a>\n', [(3, "anchor")]),
        ("# A\n\n[b](#c) and\n[c](#nothing)\n\n## C\n", [(4, "link")]),
        ("# A\n\n[x](#less-than-or-greater-than-section)\n\n## `<or>` Section\n", []),
        ("# A\n\n[x](#or-section) [y](#section)\n\n## <or> Section\n", []),
        ("# A\n\n## <or> Section\n\n## <and> Section\n", []),
        ("# A\n\n[x](#b-c)\n\n## [B](x) **c**\n", []),
        ("# A\n\n[x](#b-1)\n\n## B\n", []),
        ("# A\n\n[x](#top) [y](#)\n", []),
        ("# A\n\nSee [x](https://p\u0430ypal.com/a).\n", [(3, "look-alike")]),
    ],
)  # fmt: skip
def test_what_is_found(markdown: str, wanted: list[tuple[int, str]]) -> None:
    assert found(markdown) == wanted


LONG = "x" * 90
CUT = f"{'x' * (SHOWN - 1)}…"
NO = "There is no “no” on this page."
BARE = "has no alternative text."
TWICE = "is there twice: links lead to the first."
AGAIN = "is there twice in one section: links lead to the first."


@pytest.mark.parametrize(
    ("markdown", "said"),
    [
        ("a <b\nid='q'> [x](#no)\n[y](#no\n'T')", [f"2 {NO}", f"3 {NO}"]),
        ("[x](#no)\\\n[y](#no)", [f"1 {NO}", f"2 {NO}"]),
        (f"[x](#{LONG})", [f"1 There is no “{CUT}” on this page."]),
        ("a\n\n<p>\n<img src='gone.md' alt=a>\n<a\nhref='gone.md'>b</a>\n</p>",
         ["4 Gone.", "6 Gone."]),
        ("<a href='#no'>b</a>", [f"1 {NO}"]),
        ("<div>\n<img alt src='a.png'>\n</div>", [f"2 The picture a.png {BARE}"]),
        ("<img title='alt'>", [f"1 The picture {BARE}"]),
        (f"<IMG SRC='{LONG}'>", [f"1 The picture {CUT} {BARE}"]),
        (f"![]({LONG})", [f"1 The picture {CUT} {BARE}"]),
        ("x\n![ ](a\\ b.png)", []),
        ("<p id='x'>\n\n<p name=\"x\">", [f"3 The anchor “x” {TWICE}"]),
        (f"<p id='{LONG}'>\n\n<p id='{LONG}'>", [f"3 The anchor “{CUT}” {TWICE}"]),
        ("[x](#b) [y](#B-) [z](#b1)\n\n<h2 id='b'>A</h2>", []),
        ("[x](#one-two)\n\n<h3>One <i>two</i></h3>", []),
        ("[x](#two)\n\n<h3>One</h3> two <h4>", ["1 There is no “two” on this page."]),
        (f"# A\n\n## {LONG}\n\n## {LONG}", [f"5 “{CUT}” {AGAIN}"]),
        ("## A\n\n##### B", ["3 This heading is of level 5, and what it is below of level 2."]),
        ("### A\n\n## B\n\n### C",
         ["1 This heading is of level 3, and what it is below of level 1."]),
        ("## A\n\n### B\n\n### C\n\n## D\n\n### B\n\n## A", [f"11 “A” {AGAIN}"]),
        ("# !\n\n# !", []),
        ('{% embed url="gone.md" %}', ["1 Gone."]),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said_with_its_line(markdown: str, said: list[str]) -> None:
    findings = check_page("p", markdown, {"gone.md": "Gone."})
    assert [f"{each.line} {each.text}" for each in findings] == said


def test_a_link_that_leads_nowhere_stands_at_its_line() -> None:
    text = "# A\n\nOne line\nand [x](b/c) here.\n\n[y]: b/c\n\nSee [y].\n"
    assert found(text, b_c="Gone.") == [(4, "link"), (8, "link")]
    assert found("{% embed %}\n", **{"None": "Gone."}) == []


@pytest.mark.parametrize(
    ("address", "word"),
    [
        ("https://p\u0430ypal.com", "U+0430, cyrillic small letter a"),
        ("https://xn--pypal-4ve.com/x", "U+0430"),
        ("https://\u0430\u0440\u0440\u04cf\u0435.com", "U+0430"),
        ("/guides/\uff41bc", "U+FF41"),
        ("../l\u03bfgin.md", "U+03BF"),
        ("https://docs.example.com/l%D0%BEgin", "U+043E"),
        ("https://docs.example.com/a#t\u0435st", "U+0435"),
    ],
)  # fmt: skip
def test_letters_that_are_taken_for_others(address: str, word: str) -> None:
    (said,) = lookalikes(address)
    assert word in said


A = "U+0430, cyrillic small letter a"
S = "U+0441, cyrillic small letter es"
WIDE = "U+FF41, fullwidth latin small letter a"


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("https://a.p\u0430y.com", [f"host “p\u0430y” {A}"]),
        ("https://\u0430\u0441.\u0440\u0444", []),
        ("https://\u0430\u0441.com", [f"host “\u0430\u0441” {A}"]),
        ("https://\u0430\u0436.com", []),
        ("https://xn--99999999999.com", []),
        (f"https://xn--{'a' * 60}.com", []),
        ("/p?\u0430b=1#x\u0441", [f"word “\u0430b” {A}", f"word “x\u0441” {S}"]),
        ("/\u0430\u0441", []),
        ("/\u00b5\uff41", [f"word “\u00b5\uff41” {WIDE}"]),
    ],
)  # fmt: skip
def test_each_word_with_such_a_letter_is_named(address: str, said: list[str]) -> None:
    for part in said:
        kind, word, letter = part.split(" ", 2)
        begin = "The host" if kind == "host" else "The link has"
        comma = "" if kind == "host" else ", which"
        whole = f"{begin} {word}{comma} is not what it looks like: it has {letter}."
        assert whole in lookalikes(address)
    assert len(list(lookalikes(address))) == len(said)


@pytest.mark.parametrize(
    "address",
    ["https://example.com/a", "https://пример.рф/сора", "/руководство/начало", "/日本語/ガイド",
     "/10μs", "https://münchen.de/straße", "/ελληνικά", "/a-каталог", "//[", "mailto:a@b.c"],
)  # fmt: skip
def test_other_alphabets_are_no_finding(address: str) -> None:
    assert list(lookalikes(address)) == []


@given(
    st.text(max_size=200), st.sampled_from(["{}", "[a]({})", "<img src='{}'>", "# {}", "![]({})"])
)
def test_any_text_is_taken(text: str, within: str) -> None:
    markdown = within.replace("{}", text)
    lines = markdown.count("\n") + markdown.count("\r") + 1
    for each in check_page("p", markdown, {}):
        assert 1 <= each.line <= lines


@pytest.mark.long
@pytest.mark.parametrize(
    ("before", "part", "after"),
    [
        ("[a](#x", "1", "y)"),
        ("<div>", "<h1>", ""),
        ("<div>", "<summary ", ""),
        ("<div>", "<figure>", ""),
        ("<figure>", "<figcaption>", "</figure>"),
        ("<div><h1>", "<", "</h1>"),
        ("[a](http://", "%41.", "%41%41)"),
        ("", "[a](ä)\n", ""),
    ],
)
def test_a_long_page_made_to_hurt_is_read(before: str, part: str, after: str) -> None:
    """Its user cannot stop it: one expression holds the whole program until it is done."""
    count = (LONGEST - len(before) - len(after)) // len(part)
    assert len(check_page("p", f"{before}{part * count}{after}", {})) <= 1
