"""Fetching documents: what is connected to, and what bounds it."""

from __future__ import annotations

import socket
import threading
from ipaddress import ip_address

import pytest

from copydesk.server.openapi_jobs import FetchError
from copydesk.server.remote_document import Fetcher, is_public
from tests.server.web import Answer, serving

ANYWHERE = Fetcher(allowed=lambda _: True, seconds=5, size_limit=1000)


PUBLIC = ("93.184.216.34", "2606:2800:220:1::1", "::ffff:93.184.216.34")
PRIVATE = (
    *("0.0.0.0", "10.1.2.3", "100.64.0.1", "127.0.0.1", "169.254.169.254", "172.16.0.1"),
    *("192.0.2.1", "192.168.1.1", "198.18.0.1", "224.0.0.1", "240.0.0.1", "255.255.255.255"),
    *("::", "::1", "fe80::1", "fc00::1", "fec0::1", "ff02::1", "2001:db8::1", "::7f00:1"),
    *("::ffff:10.0.0.1", "64:ff9b::a00:1", "2002:a00:1::1", "2001::a00:1"),
)


def test_only_addresses_that_anybody_can_reach_are_public() -> None:
    assert [each for each in PUBLIC if not is_public(ip_address(each))] == []
    assert [each for each in PRIVATE if is_public(ip_address(each))] == []


@pytest.mark.parametrize(
    "host", ["127.0.0.1", "localhost", "[::1]", "2130706433", "0x7f.1", "[::ffff:127.0.0.1]"]
)
def test_this_machine_is_never_connected_to(host: str) -> None:
    with serving({"/": Answer(b"secret")}) as web:
        with pytest.raises(FetchError, match="not a public address") as refused:
            Fetcher()(web.url(host=host))
        assert refused.value.code == "FETCH_ERROR"
        assert web.requests == []


def test_a_document_is_read_by_its_name_and_uncompressed() -> None:
    with serving({"/spec": Answer(b"x" * 1000)}) as web:
        assert ANYWHERE(web.url("/spec", host="localhost")) == b"x" * 1000
        (asked,) = web.requests
        assert asked["host"] == web.url("", host="localhost").removeprefix("http://")
        assert asked["accept-encoding"] == "identity"
        assert not {"authorization", "cookie"} & asked.keys()


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (Answer(b"x" * 1001), "longer than 1000 bytes"),
        (Answer(status=404), "status 404"),
        (Answer(status=304), "status 304"),
        (Answer(b"x", headers={"content-encoding": "gzip"}), "compresses"),
        (Answer(status=302, headers={"location": "/"}), "more than 5 times"),
        (Answer(status=302, headers={"location": "file:///etc/passwd"}), "Only http and https"),
        (Answer(status=302, headers={"location": "http://a:b@localhost/"}), "password"),
        (Answer(status=302, headers={"location": "http://x:99999/"}), "not a URL"),
    ],
)
def test_an_answer_that_is_no_document_says_why(answer: Answer, says: str) -> None:
    with serving({"/": answer}) as web, pytest.raises(FetchError, match=says) as refused:
        ANYWHERE(web.url())
    assert refused.value.code == "FETCH_ERROR"


def test_a_redirect_is_followed_by_the_same_rules() -> None:
    only_one = Fetcher(allowed=lambda address: str(address) == "127.0.0.1", seconds=5)
    answers = {"/old": Answer(status=301, headers={"location": "new"}), "/new": Answer(b"here")}
    with serving(answers) as web:
        assert only_one(web.url("/old")) == b"here"
        web.answers["/new"] = Answer(
            status=307, headers={"location": web.url("/inside", host="127.0.0.2")}
        )
        with pytest.raises(FetchError, match=r"127\.0\.0\.2, which is not a public address"):
            only_one(web.url("/old"))
        assert len(web.requests) == 4


@pytest.mark.parametrize(
    ("url", "says"),
    [
        ("ftp://example.org/spec", "Only http and https"),
        ("mailto:someone", "Only http and https"),
        ("http://user@example.org/", "user name"),
        ("http://nowhere.invalid/", "no address"),
        ("http://a..b/", "no address|not a URL"),
    ],
)
def test_a_url_that_cannot_be_fetched_says_why(url: str, says: str) -> None:
    with pytest.raises(FetchError, match=says):
        ANYWHERE(url)


def test_a_server_that_does_not_answer_in_time_or_at_all() -> None:
    with serving({"/": Answer(b"late", when=threading.Event())}) as web:
        with pytest.raises(FetchError, match=r"within 0\.1 seconds") as late:
            Fetcher(allowed=lambda _: True, seconds=0.1)(web.url())
        closed = web.url()
    assert late.value.code == "FETCH_TIMEOUT"
    with pytest.raises(FetchError, match="cannot be reached"):
        ANYWHERE(closed)


def test_a_name_whose_lookup_takes_long_holds_up_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    looked_up, asked = threading.Event(), []

    def slow(host: str, *_: object, **__: object) -> list[object]:
        asked.append(host)
        looked_up.wait(60)
        return []

    monkeypatch.setattr(socket, "getaddrinfo", slow)
    try:
        # On a busy machine the time may be over before the lookup has a thread: then once more.
        while not asked:
            with pytest.raises(FetchError) as refused:
                Fetcher(seconds=0.1)("http://slow.example/")
            assert refused.value.code == "FETCH_TIMEOUT"
    finally:
        looked_up.set()
    assert asked == ["slow.example"]
