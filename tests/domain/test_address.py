import pytest
from hypothesis import given
from hypothesis import strategies as st

from copydesk.domain.address import Address, parse_app_url, search_text


@pytest.mark.parametrize(
    ("url", "address"),
    [
        ("https://app.example.com/o/acme", Address("acme")),
        ("https://app.example.com/o/acme/s/8hJk/", Address("acme", "8hJk")),
        ("app.example.com/o/acme/s/8hJk?x=1#top", Address("acme", "8hJk")),
        (
            "https://app.example.com/o/acme/s/8hJk/~/changes/118",
            Address("acme", "8hJk", change_request="118"),
        ),
        (
            "https://app.example.com/o/acme/s/8hJk/~/edit/~/changes/118/limits/rate%20limits",
            Address("acme", "8hJk", change_request="118", page="limits/rate limits"),
        ),
        (
            "https://app.example.com/o/acme/s/8hJk/~/revisions/r7/guides",
            Address("acme", "8hJk", revision="r7", page="guides"),
        ),
        (
            "https://app.example.com/o/acme/s/8hJk/~/comments/c_1",
            Address("acme", "8hJk", comment="c_1"),
        ),
        ("https://app.example.com/s/8hJk/o/s", Address(space="8hJk", page="o/s")),
        ("https://app.example.com/o/acme/sites/site_x/structure", Address("acme", site="site_x")),
        ("https://app.example.com/o/acme/s/8hJk/~/changes", Address("acme", "8hJk")),
        ("https://app.example.com/", None),
        ("https://docs.acme.com/guides/rate-limits", None),
        ("javascript:alert(1)", None),
        ("file:///o/acme", None),
        ("http://[broken/o/acme", None),
        ("rate limits", None),
        ("", None),
    ],
)
def test_addresses(url: str, address: Address | None) -> None:
    assert parse_app_url(url) == address


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("https://docs.acme.com/guides/rate-limits", "rate limits"),
        ("docs.acme.com/guides/~/", "guides"),
        ("rate limits", "rate limits"),
        ("https://docs.acme.com/", ""),
    ],
)
def test_what_is_no_address_is_searched(text: str, words: str) -> None:
    assert search_text(text) == words


@given(st.text(), st.text(alphabet="os~/ab:?#[]%.", max_size=60))
def test_any_text_is_read(text: str, path: str) -> None:
    for url in (text, path, "https://app.example.com/o/acme/s/b/" + path):
        parse_app_url(url)
        search_text(url)
