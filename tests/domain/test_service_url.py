"""The base URL of a service and the key in a shared address, as people write them."""

from __future__ import annotations

import re

import pytest

from copydesk.domain.address import service_url, share_key


@pytest.mark.parametrize(
    ("typed", "url"),
    [
        (" https://api.example.com/ ", "https://api.example.com"),
        ("http://API.example.com:8080/v1/", "http://api.example.com:8080"),
        ("https://api.example.com/base/v1", "https://api.example.com/base"),
        ("https://api.example.com/base/", "https://api.example.com/base"),
        ("http://[::1]:80/v1", "http://[::1]:80"),
        ("https://bücher.example", "https://xn--bcher-kva.example"),
    ],
)
def test_a_base_url_ends_with_its_host_or_path(typed: str, url: str) -> None:
    assert service_url(typed) == url


@pytest.mark.parametrize(
    ("typed", "shown"),
    [
        ("api.example.com", "'api.example.com'"),
        ("ftp://a.example", "'ftp://a.example'"),
        (" https:// ", "'https://'"),
        ("https://a b.example", "'https://a b.example'"),
        ("http://[::1", "'http://[::1'"),
        ("http://a:port", "'http://a:port'"),
        ("x" * 200, repr("x" * 100)),
    ],
)
def test_what_is_no_base_url_is_said_to_be_none(typed: str, shown: str) -> None:
    said = f"{shown} is not a base URL: write it as https://api.example.com"
    with pytest.raises(ValueError, match=f"^{re.escape(said)}$"):
        service_url(typed)


@pytest.mark.parametrize(
    "typed", ["https://me:secret@a.example", "https://a.example?x=1", "https://a.example#x"]
)
def test_a_base_url_carries_no_user_query_or_fragment(typed: str) -> None:
    said = "the base URL holds more than a host and a path: leave out user, ? and #"
    with pytest.raises(ValueError, match=f"^{re.escape(said)}$"):
        service_url(typed)


@pytest.mark.parametrize(
    ("address", "key"),
    [
        (" https://a.example/?shareKey=one&shareKey=two ", "two"),
        ("https://a.example/docs/k%20ey/", "k ey"),
        ("https://a.example/docs/key?x=1", "key"),
        ("https://a.example", ""),
        ("http://[::1/key", ""),
    ],
)
def test_the_key_of_a_share_link(address: str, key: str) -> None:
    assert share_key(address) == key
