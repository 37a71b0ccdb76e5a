"""Messages of strangers: made plain and masked."""

from __future__ import annotations

import pytest

from copydesk.domain.conversation import EMAIL_MASK, PHONE_MASK, mask, readable


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
        ("<p>hi</p><script>steal()</script>", "hi"),
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
    "unit", ["<", "<p", "<!--", "<a href=", "</", "<script>", "a@", "1-", "((", "<p>", "\u0301"]
)
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
    ],
)
def test_addresses_and_numbers_are_masked(text: str, masked: str) -> None:
    assert mask(text) == masked
