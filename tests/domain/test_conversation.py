"""Messages of strangers, made plain."""

from __future__ import annotations

import pytest

from copydesk.domain.conversation import readable


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
        ("<p>a<title>words</title><script>never closed", "a\nwords\n<script>never closed"),
        ("<div>a</div><div>b</div>c<div>d", "a\nb\nc\nd"),
        ("<p><a href=http://a>One<a href='http://b'>two", "One (http://a)two (http://b)"),
        ("<tr><td>a</td><td>b</td></tr>", "a  b"),
        ("<p>hi</p><style>p{}</style><!-- not this -->", "hi"),
        ('<img src="https://track.test/p.gif" alt="a chart">', "[image: a chart]"),
        ('<p><img src="https://track.test/p.gif">hi</p>', "hi"),
        ("<pre>a\n    b</pre>", "a\n    b"),
        ("\x1b[2J\x1b]0;owned\x07hi\u202e there", "hi there"),
        ("<p>\x1b[31m&#27;[31mred&#x202e;</p>", "[31mred"),
        ("", ""),
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
