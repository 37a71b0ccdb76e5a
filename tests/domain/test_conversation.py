"""Messages of strangers: made plain and masked."""

from __future__ import annotations

import pytest

from copydesk.domain.conversation import readable
from copydesk.domain.masking import EMAIL_MASK, NUMBER_MASK, PHONE_MASK, mask


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


LONG = 100_000


@pytest.mark.parametrize(
    "unit",
    [
        "<",
        "<p",
        "<!--",
        "<a href=",
        "</",
        "<script>",
        "a@",
        "1-",
        "((",
        "<p>",
        "\u0301",
        "a.%41",
        "a'",
        "1 ",
        "1.1.2020 ",
    ],
)  # fmt: skip
def test_hostile_bodies_come_to_an_end(unit: str) -> None:
    # In more than linear time this would outlast what a test has.
    assert len(mask(readable(unit * (LONG // len(unit))))) <= LONG


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ("I am ana.silva+x@mail.example.org.", f"I am {EMAIL_MASK}."),
        ("call +49 30 1234567 now", f"call {PHONE_MASK} now"),
        ("call (555) 123-4567", f"call {PHONE_MASK}"),
        ("call 555.123.4567", f"call {PHONE_MASK}"),
        ("call 5551234567", f"call {PHONE_MASK}"),
        ("on 2026-03-02 at 09:00", "on 2026-03-02 at 09:00"),
        ("from 192.168.100.200", "from 192.168.100.200"),
        ("order 12345678", "order 12345678"),
        ("version 1.20.3 since 2024", "version 1.20.3 since 2024"),
        (f"{'a' * 99}@example.org", EMAIL_MASK),
        ("kime\u0301@example.org?to=kim%40example.org", f"{EMAIL_MASK}?to={EMAIL_MASK}"),
        ("not@ an @address", "not@ an @address"),
        ("bob.o'neil+tag@mail.example.co.uk, 'kim@example.org'", f"{EMAIL_MASK}, '{EMAIL_MASK}'"),
        ('"bob smith"@example.com bob@[1.2.3.4]', f"{EMAIL_MASK} {EMAIL_MASK}"),
        ("bob&#64;example.com bob\uff20example.com", f"{EMAIL_MASK} {EMAIL_MASK}"),
        ("?to=kim%C3%BC@example.org&x=1", f"?to={EMAIL_MASK}&x=1"),
        ("Phone:555-123-4567 tel:+447911123456", f"Phone:{PHONE_MASK} tel:{PHONE_MASK}"),
        ("call +44 7911 123456: please", f"call {PHONE_MASK}: please"),
        ("0170/1234567 and 030/123456-78", f"{PHONE_MASK} and {PHONE_MASK}"),
        ("+49 (0) 170 / 123 45 67, +49(0)170/1234567", f"{PHONE_MASK}, {PHONE_MASK}"),
        ("089 / 1234567, (030) 123456", f"{PHONE_MASK}, {PHONE_MASK}"),
        ("015112345678, 0049170/1234567", f"{PHONE_MASK}, {PHONE_MASK}"),
        ("+49\u2011170\u20111234567, 555\u2013123\u20134567", f"{PHONE_MASK}, {PHONE_MASK}"),
        ("(555) 123-4567/home", f"{PHONE_MASK}/home"),
        ("on 2025-01-02 0170 1234567", f"on 2025-01-02 {PHONE_MASK}"),
        ("(0170 1234567, 3.12.2025)", f"({PHONE_MASK}, 3.12.2025)"),
        ("0170 1234567 3.12.2025 09:00", f"{PHONE_MASK} 3.12.2025 09:00"),
        ("4111 1111 1111 1111", NUMBER_MASK),
        ("DE89 3704 0044 0532 0130 00", NUMBER_MASK),
        ("10.000.000 EUR from 2019 - 2024", "10.000.000 EUR from 2019 - 2024"),
        ("3.14159265, 10.0.0.1/24, 52.520008", "3.14159265, 10.0.0.1/24, 52.520008"),
        ("http://localhost:8080/1234 x/1234567890", "http://localhost:8080/1234 x/1234567890"),
        ("12345678-1234-1234-1234-123456789abc", "12345678-1234-1234-1234-123456789abc"),
        ("at 2026-03-02T09:00:00.123456Z", "at 2026-03-02T09:00:00.123456Z"),
    ],
)
def test_addresses_and_numbers_are_masked(text: str, masked: str) -> None:
    assert mask(text) == masked
