"""Messages of strangers, made plain."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from copydesk.domain.conversation import html_text, readable


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("Use the `<clientId>` of your app", "Use the `<clientId>` of your app"),
        ("a < b and c > d", "a < b and c > d"),
        ("<p>One</p><p>Two &amp; three</p>", "One\n\nTwo & three"),
        ("one<br>two<br/>three", "one\ntwo\nthree"),
        ("<ul><li>a</li><li>b</li></ul>", "- a\n- b"),
        ('see <a href="https://evil.test/x">the docs</a>', "see the docs (https://evil.test/x)"),
        ('<a href="https://x.test">https://x.test</a>', "https://x.test"),
        ("<a href='javascript:alert(1)'>ok</a>", "ok (javascript:alert(1))"),
        ("<p>hi</p><script>steal()</script>", "hi\n[script]"),
        ("My <script> tag is in it, but<br>nothing", "My <script> tag is in it, but\nnothing"),
        ("I typed <!-- in <b>my</b>\n\npage", "I typed <!-- in my\n\npage"),
        ("use `<img src=x>` or <b>b</b> &amp; `&amp;`", "use `<img src=x>` or b & `&amp;`"),
        ("so:\n```html\n<p>a</p>\n```\n<em>fails</em>", "so:\n```html\n<p>a</p>\n```\nfails"),
        ("a<b and c>d then List<String>; <i>x</i>", "a<b and c>d then List<String>; x"),
        ("<p>a<title>words</title></p><script>never closed", "a\nwords\n\n<script>never closed"),
        ("<div>a</div><div>b</div>c<div>d", "a\nb\nc\nd"),
        ("<p><a href=http://a>One<a href='http://b'>two</p>", "One (http://a)two (http://b)"),
        ("<tr><td>a</td><td>b</td></tr>", "a  b"),
        ("<p>hi</p><style>p{}</style><!-- not this -->", "hi\n[style][comment]"),
        ('<img src="https://track.test/p.gif" alt="a chart">', "[image: a chart]"),
        ('<p><img src="https://track.test/p.gif">hi</p>', "[image]hi"),
        ("<pre>a\n    b</pre>", "a\n    b"),
        ("\x1b[2J\x1b]0;owned\x07hi\u202e there", "hi there"),
        ("<p>\x1b[31m&#27;[31mred&#x202e;</p>", "[31mred"),
        ("", ""),
        ("I put a <script> and then <br> fails", "I put a <script> and then <br> fails"),
        ("<div> does not center\n\n- a\n  - b", "<div> does not center\n\n- a\n  - b"),
        ("a <div class='x'>here</div>; &amp;", "a <div class='x'>here</div>; &amp;"),
        ("<script>alert(1)</script><b>bold</b>", "<script>alert(1)</script>bold"),
        ("Hello<div>second</div><div><br></div>", "Hello\nsecond"),
        ("<!-- a --><style>b</style><p>c</p>", "[comment][style]\n\nc"),
        ("<!-- never closed <p>a</p>", "<!-- never closed <p>a</p>"),
        ("<p>a <a href=http://x>b</p><p>c</p>", "a b (http://x)\n\nc"),
        ("<p>a</p><!-- <style> -->b<style>c</style>", "a\n[comment]b[style]"),
        ("<p>a</p><style>b <style>c<!-- d -->e", "a\n<style>b <style>c[comment]e"),
        ("see <a href=http://x>b", "see <a href=http://x>b"),
        ("<p><a href='mailto:k@x.org'>k@x.org</a></p>", "k@x.org"),
        ("<p>a</p><iframe src='http://x'></iframe>", "a\n[frame: http://x]"),
        ("<p>a</p>\n```\nb\n  <i>c\n```", "a\n\n```\nb\n  <i>c\n```"),
        ("- a\n  - <b>b</b>\n\n    code", "- a\n  - b\n\n    code"),
    ],
)
def test_bodies_become_plain_text(body: str, words: str) -> None:
    assert readable(body) == words


LONG = 50_000


@pytest.mark.parametrize(
    "unit",
    [
        "<",
        "<p",
        "<!--",
        "<a href=",
        "</",
        "<script>",
        "<p>",
        "\u0301",
    ],
)  # fmt: skip
def test_hostile_bodies_come_to_an_end(unit: str) -> None:
    # In more than linear time this would outlast what a test has.
    assert len(readable(unit * (LONG // len(unit)))) <= LONG


WORDS = st.sampled_from(
    ("one", "<br>", "<script>", "`<b>x</b>`", "a<b", "List<String>", "<!--", "-->", "&amp;", "<p>",
     "- two", "\n", "\n\n    ", "```", "<div class='x'>", "</style>", "> so", "<a href=http://x>")
)  # fmt: skip


@settings(max_examples=60, deadline=None)
@given(st.lists(WORDS, max_size=10))
def test_every_word_of_a_plain_text_is_shown(words: list[str]) -> None:
    body = " ".join(["So:", *words])
    assert [line.split() for line in readable(body).split("\n") if line.strip()] == [
        line.split() for line in body.split("\n") if line.strip()
    ]


def test_of_html_that_a_program_wrote_nothing_unread_is_named() -> None:
    body = "<style>p{}</style><p>It <b>stops</b></p><!-- x --><script>y()</script>"
    assert html_text(body) == "It stops"
    assert html_text("<style>p{}</style>") == ""
