import pytest
from hypothesis import given
from hypothesis import strategies as st

from copydesk.domain.address import (
    LONGEST,
    Address,
    is_path_part,
    is_unserved,
    markdown_link,
    parse_app_url,
    shown_at,
    web_address,
)


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
        ("https://app.example.com/o/acme/c/co_1", Address("acme", collection="co_1")),
        ("https://app.example.com/o/acme/openapi/pets", Address("acme", spec="pets")),
        (
            "https://app.example.com/o/acme/integrations/a.b/installations/in_1",
            Address("acme", integration="a.b", installation="in_1"),
        ),
        ("https://app.example.com/o/acme/installations/in_1", Address("acme")),
        ("https://app.example.com/s/8hJk/c/co_1", Address(space="8hJk", page="c/co_1")),
        ("https://app.example.com/o/acme/c/a b", Address("acme")),
        ("https://app.example.com/o/acme/s/8hJk/~/x/y", Address("acme", "8hJk", page="y")),
        ("https://app.example.com/~/changes/7", None),
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


@given(st.text(), st.text(alphabet="os~/ab:?#[]%.", max_size=60))
def test_any_text_is_read(text: str, path: str) -> None:
    for url in (text, path, "https://app.example.com/o/acme/s/b/" + path):
        parse_app_url(url)


@pytest.mark.parametrize(
    ("url", "address"),
    [
        ("https://docs.acme.com/a/b?c=d&e=1#f", "https://docs.acme.com/a/b?c=d&e=1#f"),
        ("http://localhost:8000/o/acme", "http://localhost:8000/o/acme"),
        ("http://[::1]:8000/x", "http://[::1]:8000/x"),
        (" https://a.test/two words", "https://a.test/two%20words"),
        ("https://a.test/a%20b%zz", "https://a.test/a%20b%25zz"),
        ("https://a.test/'\"<b>\\`{|}^", "https://a.test/%27%22%3Cb%3E%5C%60%7B%7C%7D%5E"),
        ("https://a.test/x\n; rm -rf ~", "https://a.test/x%20;%20rm%20-rf%20~"),
        ("https://a.test/\x1b[201~x\u202e", "https://a.test/x"),
        ("https://docs.münchen.test/ä", "https://docs.münchen.test/%C3%A4"),
        ("https://docs.acme.com@evil.test/", ""),
        ("https:///nowhere", ""),
        ("https://a b/", ""),
        ("https://a.test:port/", ""),
        ("https://[bad", ""),
        ("javascript:alert(1)", ""),
        ("file:///etc/passwd", ""),
        ("--help", ""),
        ("https://a.test/" + "x" * 3000, ""),
        ("", ""),
        (None, ""),
    ],
)
def test_only_addresses_of_the_web_are_opened_and_copied(url: str | None, address: str) -> None:
    assert web_address(url) == address


@given(st.text())
def test_an_address_is_one_word_and_stays_as_it_is(text: str) -> None:
    for url in (text, f"https://a.test/{text}", f"https://{text}"):
        found = web_address(url)
        assert not found or (found.isprintable() and not set(found) & set(" '\"<>`"))
        assert web_address(found) == found


def test_a_link_in_markdown_ends_where_it_should() -> None:
    assert markdown_link("Guide", "https://a.test/(x)") == "[Guide](https://a.test/%28x%29)"
    assert markdown_link("a](b) *c*", "u") == r"[a\](b) \*c\*](u)"


@pytest.mark.parametrize(
    ("text", "fits"),
    [("a", True), ("_a.b~c-1", True), ("ä1", True), ("", False), (".a", False), ("a/b", False),
     ("a b", False), ("a\n", False), ("สวัสดี", True), ("ิ", False), ("a\ufe0f", False)],
)  # fmt: skip
def test_what_can_be_a_part_of_a_path(text: str, fits: bool) -> None:
    assert is_path_part(text) is fits


def test_an_address_is_read_up_to_its_longest() -> None:
    start = "https://a.test/"
    whole = start + "x" * (LONGEST - len(start))
    assert web_address(whole) == whole
    assert web_address(whole + "x") == ""
    assert parse_app_url("https://a.test/o/acme/s/" + "b" * LONGEST) == Address(
        "acme", "b" * (LONGEST - 24)
    )


@pytest.mark.parametrize(
    ("url", "address"),
    [
        ("/o/acme/home/s/guide", Address("acme", "guide")),
        ("http://a.test/o/acme", Address("acme")),
        ("HTTPS://a.test/o/acme", Address("acme")),
        ("ftp://a.test/o/acme", None),
        ("https://a.test/o/acme/s/guide/~", Address("acme", "guide")),
        (
            "https://a.test/o/acme/s/guide/~/revisions/a%20b/page",
            Address("acme", "guide", page="a b/page"),
        ),
        ("https://a.test/o/acme/s/guide/~/edit/page", Address("acme", "guide", page="page")),
        ("https://a.test/o/acme/site/x", Address("acme", site="x")),
        ("https://a.test/o/a%20b/s/guide", Address(space="guide")),
        ("https://a.test/o", None),
        ("https://a.test/~/changes/5", None),
    ],
)
def test_what_an_address_does_not_say_is_left_out(url: str, address: Address | None) -> None:
    assert parse_app_url(url) == address


def test_a_browser_opens_no_address_of_a_desk_in_this_process() -> None:
    desk, web = "https://desk.invalid/o/a", "https://docs.acme.com/a"
    assert is_unserved(desk)
    assert not is_unserved(web)
    assert not is_unserved("words")
    assert shown_at(None, desk, web, "https://other.test") == web
    assert shown_at("javascript:x", desk, "https://also.invalid/") == desk
    assert shown_at(None, "") == ""
